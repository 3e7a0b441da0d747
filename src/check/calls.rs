//! Calls: built-in functions, the author's sets and definitions, relations and marks of the board, scripts.

use super::builtins::{self, Builtin};
use super::names::Entry;
use super::paths::{Base, unknown};
use super::{Checker, Cost, errors};
use crate::diagnostic::near_names;
use crate::program::{Arith, AwardId, DomainId, DomainKind, Expr, ExprKind, LocalType, NEIGHBOURS, PieceId, Type};
use crate::source::Span;
use crate::syntax::ast::{self, Arg};

impl<'a> Checker<'a> {
    pub(super) fn call(&mut self, name: &ast::Name, args: &[Arg], want: Type, span: Span) -> Expr {
        if let Some(shape) = self.called_shape(&name.text, want) {
            return self.shape_call(shape, args, span);
        }
        if let Some(entry) = builtins::find(&name.text) {
            return self.builtin(entry, args, want, span);
        }
        let plain: Vec<ast::Expr> = args.iter().map(|a| a.value.clone()).collect();
        if name.text == "rank"
            && let [who, Arg { role: Some(role), value }] = args
            && role.text == "by"
        {
            return self.rank(&who.value, value, span);
        }
        if name.text == "chronicle"
            && let [kept] = args
            && kept.role.is_none()
        {
            let path = self.chronicle_path(&kept.value, span);
            return self.finish(path);
        }
        if let Some(role) = args.iter().find_map(|a| a.role.as_ref()) {
            self.sink.push(errors::no_such_role(role.span, &role.text, &name.text));
            return unknown(span);
        }
        match self.names.get(&name.text) {
            Some(Entry::Function(function)) => return self.function_call(function, &plain, &name.text, span),
            Some(Entry::Mark(mark)) => return self.mark(mark, &plain, &name.text, span),
            Some(Entry::Procedure(_)) => {
                self.sink.push(errors::procedure_as_value(name.span, &name.text));
                return unknown(span);
            }
            Some(
                entry @ (Entry::Option(_)
                | Entry::Field(_)
                | Entry::Piece(_)
                | Entry::Pieces(_)
                | Entry::Group(_)
                | Entry::Member(..)
                | Entry::Places(_)
                | Entry::Deck(_)
                | Entry::Award(_)
                | Entry::Fog(_)
                | Entry::Script(_)),
            ) if !self.relations.iter().any(|r| r.name == name.text) => {
                let arg = args.first().map(|a| self.sources.text(a.value.span).to_owned());
                self.sink.push(errors::not_a_function(name.span, &name.text, entry.word(), arg.as_deref()));
                return unknown(span);
            }
            Some(_) | None => {}
        }
        if self.relations.iter().any(|r| r.name == name.text) {
            return self.relation(name, &plain, want, span);
        }
        for arg in &plain {
            self.expr(arg, Type::Unknown);
        }
        if !self.is_lost(&name.text) {
            self.unknown_call(name);
        }
        unknown(span)
    }

    fn wrong_count(&mut self, span: Span, name: &str, form: &str, found: usize) -> Expr {
        self.sink.push(errors::wrong_argument_count(span, name, form, found));
        unknown(span)
    }

    fn builtin(&mut self, entry: &builtins::Entry, args: &[Arg], want: Type, span: Span) -> Expr {
        let values: Vec<ast::Expr> = args.iter().filter(|a| a.role.is_none()).map(|a| a.value.clone()).collect();
        if !matches!(entry.builtin, Builtin::Trail | Builtin::Line | Builtin::Distance | Builtin::Within)
            && let Some(role) = args.iter().find_map(|a| a.role.as_ref())
        {
            self.sink.push(errors::no_such_role(role.span, &role.text, entry.name));
            return unknown(span);
        }
        match (entry.builtin, values.as_slice()) {
            (Builtin::Cost, [of]) => self.cost(of, span),
            (Builtin::Count, [set]) => {
                let set = self.any_set(set);
                // Pieces that stand on each other are counted one by one.
                let set = super::stacks::pieces_standing(set);
                Expr { span, ..self.counted(set) }
            }
            (Builtin::Size, [bag]) => {
                let bag = if self.names_list(bag) {
                    match self.list(bag) {
                        Ok(list) => return self.list_size(list, span),
                        Err(value) => value,
                    }
                } else {
                    self.expr(bag, Type::Unknown)
                };
                match bag.ty {
                    Type::Bag(_) => Expr { kind: ExprKind::Size(Box::new(bag)), ty: Type::Number, span },
                    Type::Unknown => unknown(span),
                    ty @ (Type::Truth | Type::Number | Type::Member(_) | Type::Set(_) | Type::Nothing) => {
                        let what = self.type_name(ty);
                        self.sink.push(errors::size_of_no_bag(bag.span, &what, matches!(ty, Type::Set(_))));
                        unknown(span)
                    }
                }
            }
            (Builtin::Room, [bag]) => self.room(bag, span),
            (Builtin::Step, [place, direction]) => self.step(place, direction, span),
            (Builtin::Sum, [of]) => self.sum_over(of, span),
            (Builtin::Half, [of]) => {
                let of = self.expect(of, Type::Number);
                super::expr::arith(Arith::Divide, of, super::expr::number(2, span), span)
            }
            (Builtin::Min | Builtin::Max, [_, _, ..]) => {
                let op = if entry.builtin == Builtin::Min { Arith::Min } else { Arith::Max };
                let numbers: Vec<Expr> = values.iter().map(|v| self.expect(v, Type::Number)).collect();
                let both = |a, b| super::expr::arith(op, a, b, span);
                numbers.into_iter().reduce(both).unwrap_or_else(|| unknown(span))
            }
            (Builtin::Others, [of]) => {
                let of = self.expect(of, self.player_type());
                match self.program.known.player {
                    Some(player) => self.others(of, player, span),
                    None => unknown(span),
                }
            }
            (Builtin::Next, [of]) => {
                let player = self.expect(of, self.player_type());
                let (ty, player) = (player.ty, Box::new(player));
                Expr { kind: ExprKind::Next { player }, ty, span }
            }
            (Builtin::Owner, [at]) => self.owner(at, span),
            (Builtin::Owners, [at]) => self.owners(at, span),
            (Builtin::Holder, [of]) => match self.award(of) {
                Some(award) => Expr { kind: ExprKind::Holder(award), ty: self.player_type(), span },
                None => unknown(span),
            },
            (Builtin::Points, [_]) => self.points(&values, span, false),
            (Builtin::Line, [length, places]) => self.line(args, length, places, want, span),
            (Builtin::Distance, [from, to]) => self.distance(args, from, to, span),
            (Builtin::Within, [steps, from]) => self.reach(args, steps, from, want, span),
            (Builtin::Trail, [_, ..]) => self.trail(args, &values, want, span),
            (
                Builtin::Cost
                | Builtin::Count
                | Builtin::Size
                | Builtin::Step
                | Builtin::Sum
                | Builtin::Half
                | Builtin::Min
                | Builtin::Max
                | Builtin::Others
                | Builtin::Next
                | Builtin::Owner
                | Builtin::Owners
                | Builtin::Holder
                | Builtin::Points
                | Builtin::Line
                | Builtin::Room
                | Builtin::Distance
                | Builtin::Within
                | Builtin::Trail,
                _,
            ) => self.wrong_count(span, entry.name, entry.form, values.len()),
        }
    }

    fn award(&mut self, of: &ast::Expr) -> Option<AwardId> {
        let ast::ExprKind::Name(name) = &of.kind else {
            self.sink.push(errors::not_an_award(of.span, &[]));
            return None;
        };
        if let Some(Entry::Award(award)) = self.names.get(&name.text) {
            return Some(award);
        }
        let awards: Vec<&str> = self.program.awards.iter().map(|a| a.name.as_str()).collect();
        let near = near_names(&name.text, awards);
        let fault = errors::not_an_award(of.span, &near);
        self.sink.push(fault);
        None
    }

    fn cost(&mut self, of: &ast::Expr, span: Span) -> Expr {
        let ast::ExprKind::Name(name) = &of.kind else {
            self.sink.push(errors::cost_of_what(of.span));
            return unknown(span);
        };
        if self.names.peek(&name.text).is_some() {
            self.names.get(&name.text);
        }
        if !self.costs.contains_key(&name.text) {
            let costs: Vec<&str> = self.costs.keys().map(String::as_str).collect();
            let near = near_names(&name.text, costs);
            let fault = errors::has_no_cost(of.span, &name.text, &near);
            if self.names.peek(&name.text).is_some() || !self.is_lost(&name.text) {
                self.unknown(&name.text, fault);
            }
            return unknown(span);
        }
        if matches!(self.costs.get(&name.text), Some(super::Cost::Unchecked)) && !self.may_go_deeper(&name.text, span) {
            return unknown(span);
        }
        let cost = self.cost_of(&name.text);
        Expr { span, ..cost }
    }

    /// The price of a thing as a bag; checked once.
    pub(super) fn cost_of(&mut self, name: &str) -> Expr {
        match self.costs.get(name) {
            Some(Cost::Checked(cost)) => return cost.clone(),
            Some(Cost::Unchecked) => {}
            Some(Cost::UnderWay) | None => return unknown(Span::default()),
        }
        self.costs.insert(name.to_owned(), Cost::UnderWay);
        let mut cost = self.check_cost(name);
        self.weigh_cost(name, &mut cost);
        self.costs.insert(name.to_owned(), Cost::Checked(cost.clone()));
        cost
    }

    /// `sum(owed of r)`: over the one key that is missing.
    fn sum_over(&mut self, of: &ast::Expr, span: Span) -> Expr {
        let mut path = self.path(of, Type::Unknown);
        let missing = self.missing(&path);
        let [domain] = missing.as_slice() else {
            if let Base::Value(value) = &path.base
                && value.ty == Type::Unknown
            {
                return unknown(span);
            }
            let kinds: Vec<&str> = missing.iter().map(|d| self.domain_name(*d)).collect();
            let fault = errors::sum_over_what(span, &kinds);
            self.sink.push(fault);
            return unknown(span);
        };
        let domain = *domain;
        let ty = Type::Member(domain);
        let local = self.scope.add("it", LocalType::Value(ty), None, span);
        let key = Expr { kind: ExprKind::Local(local), ty, span };
        match &mut path.base {
            Base::Field { keys, .. } => {
                if let Some(slot) = keys.iter_mut().find(|k| k.is_none()) {
                    *slot = Some(key);
                }
            }
            Base::Tally { key: slot, .. } => *slot = Some(Box::new(key)),
            Base::Value(_) => {}
        }
        let body = self.finish(path);
        let body = self.coerce(body, Type::Number);
        let over = self.members(domain, None, span);
        let ty = super::expr::known(Type::Number, &[&body]);
        Expr { kind: ExprKind::Sum { local, over: Box::new(over), body: Box::new(body) }, ty, span }
    }

    /// The pieces with owners that can stand on a kind of place.
    fn owned_on(&self, domain: DomainId) -> Vec<PieceId> {
        let pieces = self.program.pieces.iter().enumerate();
        pieces.filter(|(_, p)| p.owned && p.place == domain).map(|(i, _)| PieceId(i as u32)).collect()
    }

    /// `tower at S`: the kinds of piece and where; or all owned pieces at a place or set.
    fn pieces_at(&mut self, at: &ast::Expr, one: bool) -> Option<(Vec<PieceId>, Expr)> {
        if let ast::ExprKind::At { left, right } = &at.kind {
            let set = self.any_set(left);
            let Type::Set(domain) = set.ty else { return None };
            let Some(pieces) = pieces_in(&set) else {
                self.sink.push(errors::not_pieces(left.span));
                return None;
            };
            let at = self.expect(right, if one { Type::Member(domain) } else { Type::Set(domain) });
            return (at.ty != Type::Unknown).then_some((pieces, at));
        }
        let found = self.expr(at, Type::Unknown);
        let (domain, found) = match found.ty {
            Type::Member(domain) => (domain, if one { found } else { self.set_of_one(found) }),
            Type::Set(domain) if !one => (domain, found),
            Type::Set(domain) if super::expr::is_pieces(&found) => (domain, super::expr::first(found)),
            Type::Unknown => return None,
            ty => {
                let what = self.type_name(ty);
                self.sink.push(errors::owner_of_what(at.span, &what, one));
                return None;
            }
        };
        let pieces = self.owned_on(domain);
        if pieces.is_empty() {
            let what = self.type_name(Type::Member(domain));
            self.sink.push(errors::nothing_owned_there(at.span, &what));
            return None;
        }
        // A set of pieces says itself which are meant.
        let pieces = if one { pieces } else { pieces_in(&found).unwrap_or(pieces) };
        Some((pieces, found))
    }

    fn owner(&mut self, at: &ast::Expr, span: Span) -> Expr {
        match self.pieces_at(at, true) {
            Some((pieces, at)) => {
                Expr { kind: ExprKind::Owner { pieces, at: Box::new(at) }, ty: self.player_type(), span }
            }
            None => unknown(span),
        }
    }

    fn owners(&mut self, at: &ast::Expr, span: Span) -> Expr {
        match (self.pieces_at(at, false), self.program.known.player) {
            (Some((pieces, at)), Some(player)) => {
                Expr { kind: ExprKind::Owners { pieces, at: Box::new(at) }, ty: Type::Set(player), span }
            }
            _ => unknown(span),
        }
    }

    fn trail(&mut self, args: &[Arg], values: &[ast::Expr], want: Type, span: Span) -> Expr {
        let mut fault = false;
        let sets: Vec<Expr> = values.iter().map(|v| self.set_wanted(v, want)).collect();
        let Some(Type::Set(edges)) = sets.first().map(|s| s.ty) else { return unknown(span) };
        for set in &sets {
            if set.ty != Type::Set(edges) {
                fault = true;
                if set.ty != Type::Unknown {
                    let (a, b) = (self.type_name(set.ty), self.type_name(Type::Set(edges)));
                    self.sink.push(errors::different_sets(set.span, &a, span, &b));
                }
            }
        }
        // The way passes where the ends of its parts are.
        let Some(ends) = self.relations.iter().find(|r| r.name == "ends" && r.from == edges).map(|r| r.to) else {
            if !self.incomplete {
                let what = self.type_name(Type::Set(edges));
                self.sink.push(errors::no_way_along(span, &what));
            }
            return unknown(span);
        };
        let (mut through, mut joined) = (None, None);
        for arg in args {
            let Some(role) = &arg.role else { continue };
            let set = self.expect(&arg.value, Type::Set(ends));
            fault |= set.ty == Type::Unknown;
            match role.text.as_str() {
                "through" => through = Some(Box::new(set)),
                "joined" | "joined at" => joined = Some(Box::new(set)),
                _ => {
                    self.sink.push(errors::no_such_role(role.span, &role.text, "trail"));
                    fault = true;
                }
            }
        }
        let ty = if fault { Type::Unknown } else { Type::Number };
        Expr { kind: ExprKind::Trail { sets, through, joined }, ty, span }
    }

    /// `line(4, my stone, along neighbours)`: those of the places that lie in a straight line of so many.
    fn line(&mut self, args: &[Arg], length: &ast::Expr, places: &ast::Expr, want: Type, span: Span) -> Expr {
        let length = self.expect(length, Type::Number);
        let set = self.set_wanted(places, want);
        let Type::Set(domain) = set.ty else { return unknown(span) };
        let has_directions = self.program.boards.iter().any(|b| {
            let kind = b.kinds.iter().position(|d| *d == domain);
            b.board.directions.iter().any(|d| Some(d.from) == kind && Some(d.to) == kind)
        });
        if !has_directions {
            if !self.incomplete {
                let what = self.type_name(Type::Set(domain));
                self.sink.push(errors::no_lines(span, &what));
            }
            return unknown(span);
        }
        let (along, inside, fault) = self.ways(args, domain, "line");
        let inside = inside.is_some_and(|inside| {
            self.sink.push(errors::no_such_role(inside.span, "inside", "line"));
            true
        });
        let ty = if fault || inside { Type::Unknown } else { super::expr::known(set.ty, &[&length, &set]) };
        Expr { kind: ExprKind::Line { length: Box::new(length), set: Box::new(set), along }, ty, span }
    }

    /// The relation that steps go `along`, and the places `inside` which they stay; true if one of them is wrong.
    fn ways(&mut self, args: &[Arg], domain: DomainId, of: &str) -> (Option<String>, Option<Expr>, bool) {
        let (mut along, mut inside, mut fault) = (None, None, false);
        for arg in args {
            let Some(role) = &arg.role else { continue };
            match (&arg.value.kind, role.text.as_str()) {
                (ast::ExprKind::Name(name), "along") => {
                    let fits = |r: &&super::Relation| r.from == domain && r.to == domain;
                    if !self.relations.iter().filter(fits).any(|r| r.name == name.text) {
                        let known: Vec<&str> = self.relations.iter().filter(fits).map(|r| r.name.as_str()).collect();
                        let near = near_names(&name.text, known.iter().copied());
                        let told = errors::unknown_link(name.span, &name.text, &near, &known);
                        self.sink.push(told);
                        fault = true;
                    }
                    along = Some(name.text.clone());
                }
                (_, "inside") => {
                    let places = self.set_wanted(&arg.value, Type::Set(domain));
                    let places = self.coerce(places, Type::Set(domain));
                    fault |= places.ty == Type::Unknown;
                    inside = Some(places);
                }
                _ => {
                    self.sink.push(errors::no_such_role(role.span, &role.text, of));
                    fault = true;
                }
            }
        }
        (along, inside, fault)
    }

    /// A place or places as a set of them, and their kind.
    fn places_of(&mut self, places: &ast::Expr, want: Type) -> Option<(Expr, DomainId)> {
        let places = self.set_wanted(places, want);
        let places = self.standing(places);
        let places = self.as_set(places);
        let Type::Set(domain) = places.ty else { return None };
        let is_board = self.program.domains.get(domain.index()).is_some_and(|d| d.kind == DomainKind::Places);
        if !is_board {
            let what = self.type_name(Type::Set(domain));
            self.sink.push(errors::no_ways(places.span, &what));
            return None;
        }
        Some((places, domain))
    }

    fn distance(&mut self, args: &[Arg], from: &ast::Expr, to: &ast::Expr, span: Span) -> Expr {
        let Some((from, domain)) = self.places_of(from, Type::Unknown) else { return unknown(span) };
        let Some((to, other)) = self.places_of(to, Type::Set(domain)) else { return unknown(span) };
        if other != domain {
            let (a, b) = (self.type_name(from.ty), self.type_name(to.ty));
            self.sink.push(errors::not_comparable(span, &a, &b, from.ty, to.ty));
            return unknown(span);
        }
        let (along, inside, fault) = self.ways(args, domain, "distance");
        let ty = if fault { Type::Unknown } else { super::expr::known(Type::Number, &[&from, &to]) };
        let along = along.unwrap_or_else(|| NEIGHBOURS.to_owned());
        let (from, to, inside) = (Box::new(from), Box::new(to), inside.map(Box::new));
        Expr { kind: ExprKind::Distance { from, to, inside, along }, ty, span }
    }

    /// `within(3, place, inside S)`
    fn reach(&mut self, args: &[Arg], steps: &ast::Expr, from: &ast::Expr, want: Type, span: Span) -> Expr {
        let steps = self.expect(steps, Type::Number);
        let Some((from, domain)) = self.places_of(from, want) else { return unknown(span) };
        let (along, inside, fault) = self.ways(args, domain, "within");
        let ty = if fault { Type::Unknown } else { super::expr::known(from.ty, &[&steps, &from]) };
        let along = along.unwrap_or_else(|| NEIGHBOURS.to_owned());
        let (steps, from, inside) = (Box::new(steps), Box::new(from), inside.map(Box::new));
        Expr { kind: ExprKind::Within { steps, from, inside, along }, ty, span }
    }

    /// The points of a player: what everyone sees, or with the hidden ones.
    pub(super) fn points(&mut self, args: &[ast::Expr], span: Span, all: bool) -> Expr {
        let [player] = args else {
            return self.wrong_count(span, "points", "points(player)", args.len());
        };
        let Some(points) = self.points else {
            self.sink.push(errors::no_points(span));
            return unknown(span);
        };
        let seen = self.function_call(points, std::slice::from_ref(player), "points", span);
        match self.hidden_points.filter(|_| all) {
            Some(hidden) => {
                let hidden = self.function_call(hidden, std::slice::from_ref(player), "hidden points", span);
                super::expr::arith(Arith::Add, seen, hidden, span)
            }
            None => seen,
        }
    }

    /// `awards`: the points of the awards that the player holds whose points are counted.
    pub(super) fn award_points(&mut self, span: Span) -> Expr {
        match self.scope.points_of {
            Some(local) => {
                let player = Expr { kind: ExprKind::Local(local), ty: self.player_type(), span };
                Expr { kind: ExprKind::AwardPoints(Box::new(player)), ty: Type::Number, span }
            }
            None => {
                self.sink.push(errors::awards_outside_points(span));
                unknown(span)
            }
        }
    }

    /// A mark, region or path of the board as the set of its places.
    pub(super) fn mark(&mut self, mark: usize, args: &[ast::Expr], name: &str, span: Span) -> Expr {
        let Some(known) = self.marks.get(mark).cloned() else { return unknown(span) };
        let seat = match (known.of_seat, args) {
            (true, [seat]) => {
                let seat = self.expect(seat, self.player_type());
                if seat.ty == Type::Unknown {
                    return unknown(span);
                }
                Some(Box::new(seat))
            }
            // Without a seat the marks of all are meant, of those too who do not play.
            (_, []) => None,
            (of_seat, args) => {
                let form = if of_seat { format!("{name}(player)") } else { name.to_owned() };
                return self.wrong_count(span, name, &form, args.len());
            }
        };
        Expr { kind: ExprKind::Mark { name: known.name, seat }, ty: Type::Set(known.domain), span }
    }

    /// `corners(S)`: everything that the relation links to the place or the places.
    fn relation(&mut self, name: &ast::Name, args: &[ast::Expr], want: Type, span: Span) -> Expr {
        let [of] = args else {
            let form = format!("{}(places)", name.text);
            return self.wrong_count(span, &name.text, &form, args.len());
        };
        let of = self.expr(of, Type::Unknown);
        let of = self.standing(of);
        let from = match of.ty {
            Type::Member(domain) | Type::Set(domain) => domain,
            Type::Unknown => return unknown(span),
            ty @ (Type::Truth | Type::Number | Type::Bag(_) | Type::Nothing) => {
                let what = self.type_name(ty);
                let fault = self.relation_starts_elsewhere(name, of.span, &what);
                self.sink.push(fault);
                return unknown(span);
            }
        };
        let targets: Vec<DomainId> =
            self.relations.iter().filter(|r| r.name == name.text && r.from == from).map(|r| r.to).collect();
        let wanted = match want {
            Type::Set(domain) | Type::Member(domain) => Some(domain),
            Type::Truth | Type::Number | Type::Bag(_) | Type::Nothing | Type::Unknown => None,
        };
        let to = match (targets.as_slice(), wanted) {
            ([only], _) => *only,
            ([], _) => {
                let what = self.type_name(of.ty);
                let fault = self.relation_starts_elsewhere(name, of.span, &what);
                self.sink.push(fault);
                return unknown(span);
            }
            (several, Some(wanted)) if several.contains(&wanted) => wanted,
            (several, _) => {
                let kinds: Vec<&str> = several.iter().map(|d| self.domain_name(*d)).collect();
                let fault = errors::leads_to_several(span, &name.text, &kinds);
                self.sink.push(fault);
                return unknown(span);
            }
        };
        Expr { kind: ExprKind::Image { relation: name.text.clone(), of: Box::new(of) }, ty: Type::Set(to), span }
    }

    fn relation_starts_elsewhere(&self, name: &ast::Name, span: Span, found: &str) -> crate::diagnostic::Diagnostic {
        let starts: Vec<&str> =
            self.relations.iter().filter(|r| r.name == name.text).map(|r| self.domain_name(r.from)).collect();
        errors::relation_of_what(span, &name.text, found, &starts)
    }

    pub(super) fn script_call(
        &mut self,
        script: &ast::Name,
        name: &ast::Name,
        args: &[ast::Expr],
        want: Type,
        span: Span,
    ) -> Expr {
        let args: Vec<Expr> = args.iter().map(|a| self.expr(a, Type::Unknown)).collect();
        let Some(id) = self.script_named(script) else { return unknown(span) };
        if !self.script_function(id, name, args.len()) {
            return unknown(span);
        }
        if want == Type::Unknown {
            self.sink.push(errors::script_result_unknown(span, &script.text, &name.text));
            return unknown(span);
        }
        let ty = if args.iter().any(|a| a.ty == Type::Unknown) { Type::Unknown } else { want };
        Expr { kind: ExprKind::Script { script: id, function: name.text.clone(), args }, ty, span }
    }

    /// Does the script have the function for so many values? Reports it if not.
    pub(super) fn script_function(&mut self, id: crate::program::ScriptId, name: &ast::Name, values: usize) -> bool {
        let functions = self.script_functions.get(id.index()).map_or(&[][..], Vec::as_slice);
        let known = functions.iter().any(|(known, count)| *known == name.text && *count == values);
        if !known {
            let fault = crate::script::no_such_function(name.span, &name.text, values, functions);
            self.sink.push(fault);
        }
        known
    }

    pub(super) fn script_named(&mut self, script: &ast::Name) -> Option<crate::program::ScriptId> {
        if let Some(Entry::Script(id)) = self.names.get(&script.text) {
            return Some(id);
        }
        if !self.is_lost(&script.text) {
            let known: Vec<&str> = self.program.scripts.iter().map(|s| s.name.as_str()).collect();
            let near = near_names(&script.text, known);
            let fault = errors::unknown_script(script.span, &script.text, &near);
            self.unknown(&script.text, fault);
        }
        None
    }
}

/// The kinds of piece that a set is made of, if it is made of pieces alone.
fn pieces_in(set: &Expr) -> Option<Vec<PieceId>> {
    match &super::stacks::seen_as_pieces(set).kind {
        ExprKind::Pieces { piece, .. } => Some(vec![*piece]),
        ExprKind::Union(a, b) => {
            let mut all = pieces_in(a)?;
            all.extend(pieces_in(b)?);
            Some(all)
        }
        _ => None,
    }
}
