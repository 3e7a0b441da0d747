//! Sets: what a name stands for as a set, filters (`where`, binders) and what may be taken for a set.

use super::expr::first;
use super::names::Entry;
use super::paths::unknown;
use super::{Checker, errors};
use crate::program::{Compare, DomainId, Expr, ExprKind, Function, FunctionId, Local, LocalId, LocalType, Owner, Type};
use crate::source::Span;
use crate::syntax::ast;

impl<'a> Checker<'a> {
    /// An expression that must be a set, of whatever.
    pub(super) fn any_set(&mut self, expr: &ast::Expr) -> Expr {
        self.set_wanted(expr, Type::Unknown)
    }

    /// A set; `want` is a hint.
    pub(super) fn set_wanted(&mut self, expr: &ast::Expr, want: Type) -> Expr {
        let want = match want {
            Type::Member(domain) | Type::Set(domain) => Type::Set(domain),
            Type::Truth | Type::Number | Type::Bag(_) | Type::Nothing | Type::Unknown => Type::Unknown,
        };
        let found = self.expr(expr, want);
        self.as_set(found)
    }

    /// Takes a member for the set of it alone and a bag for the kinds in it.
    pub(super) fn as_set(&mut self, expr: Expr) -> Expr {
        let span = expr.span;
        match expr.ty {
            Type::Set(_) | Type::Unknown => expr,
            Type::Member(_) => self.set_of_one(expr),
            Type::Bag(domain) => Expr { kind: ExprKind::Kinds(Box::new(expr)), ty: Type::Set(domain), span },
            ty @ (Type::Truth | Type::Number | Type::Nothing) => {
                let what = self.type_name(ty);
                self.sink.push(errors::not_a_set(span, &what));
                unknown(span)
            }
        }
    }

    /// What the set holds depends on what is wanted of it: a bare word, or a relation that leads to several kinds.
    fn is_open(&self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ast::ExprKind::Call { name, .. } => {
                let mut targets = self.relations.iter().filter(|r| r.name == name.text).map(|r| (r.from, r.to));
                let first = targets.next();
                first.is_some_and(|(from, to)| targets.any(|(f, t)| f == from && t != to))
            }
            ast::ExprKind::Name(_) => self.is_bare_word(expr),
            _ => false,
        }
    }

    /// Two sets of the same members; the one with a type of its own says what a bare word in the other means.
    pub(super) fn two_sets(&mut self, left: &ast::Expr, right: &ast::Expr, want: Type) -> (Expr, Expr) {
        let is_condition = |side: &ast::Expr| match &side.kind {
            ast::ExprKind::Binary { op, .. } => is_of_conditions(*op),
            ast::ExprKind::Not(_) => true,
            _ => false,
        };
        if is_condition(left) || is_condition(right) {
            let span = left.span.to(right.span);
            self.sink.push(errors::conditions_like_sets(span));
            return (unknown(span), unknown(span));
        }
        let (left, right) = if self.is_open(left) && !self.is_open(right) {
            let right = self.set_wanted(right, want);
            let hint = if right.ty == Type::Unknown { want } else { right.ty };
            (self.set_wanted(left, hint), right)
        } else {
            let left = self.set_wanted(left, want);
            let hint = if left.ty == Type::Unknown { want } else { left.ty };
            let right = self.set_wanted(right, hint);
            (left, right)
        };
        let (left, right) =
            if left.ty == right.ty { (left, right) } else { (self.standing(left), self.standing(right)) };
        if left.ty != right.ty && left.ty != Type::Unknown && right.ty != Type::Unknown {
            let (a, b) = (self.type_name(left.ty), self.type_name(right.ty));
            self.sink.push(errors::different_sets(right.span, &b, left.span, &a));
            let span = right.span;
            return (left, unknown(span));
        }
        (left, right)
    }

    /// The member that a name stands for if this type is wanted.
    pub(super) fn member_wanted(&self, name: &str, want: Type) -> Option<(DomainId, u32)> {
        let (Type::Member(domain) | Type::Set(domain) | Type::Bag(domain)) = want else { return None };
        let named = self.member_named(domain, name).map(|member| (domain, member));
        named.or_else(|| self.names.words(name).iter().find(|(d, _)| *d == domain).copied())
    }

    /// What a bare name stands for. State with keys is a path and handled there.
    pub(super) fn name_value(&mut self, name: &ast::Name, want: Type) -> Expr {
        let span = name.span;
        if let Some(local) = self.scope.find(&name.text) {
            return Expr { kind: ExprKind::Local(local), ty: self.local_type(local), span };
        }
        let player = self.program.known.player;
        match (name.text.as_str(), player) {
            ("yes", _) => return Expr { kind: ExprKind::Truth(true), ty: Type::Truth, span },
            ("no", _) => return Expr { kind: ExprKind::Truth(false), ty: Type::Truth, span },
            ("none", _) => {
                if let Type::Member(_) | Type::Unknown = want {
                    return Expr { kind: ExprKind::None, ty: want, span };
                }
                self.sink.push(errors::never_none(span, None));
                return unknown(span);
            }
            ("it", _) => {
                return self.scope.it(span).unwrap_or_else(|| {
                    self.sink.push(errors::no_it(span));
                    unknown(span)
                });
            }
            ("players", Some(player)) => return Expr { kind: ExprKind::All(player), ty: Type::Set(player), span },
            ("others", Some(player)) => {
                let me = self.expr(&ast::Expr { kind: ast::ExprKind::Me, span }, Type::Member(player));
                return self.others(me, player, span);
            }
            ("first", Some(player)) => {
                let all = Expr { kind: ExprKind::All(player), ty: Type::Set(player), span };
                return first(all);
            }
            ("phase", _) => {
                let ty = self.program.known.phase.map_or(Type::Unknown, Type::Member);
                return Expr { kind: ExprKind::Phase, ty, span };
            }
            ("turn", _) => return Expr { kind: ExprKind::Turn, ty: Type::Number, span },
            ("winner", Some(_)) if self.names.peek("winner").is_none() => return self.winner_of_game(span),
            ("awards", _) => return self.award_points(span),
            _ => {}
        }
        if let Some((domain, member)) = self.member_wanted(&name.text, want) {
            self.names.get(&name.text);
            return Expr { kind: ExprKind::Member(member), ty: Type::Member(domain), span };
        }
        if let Some(shape) = self.bare_shape(name, want) {
            return shape;
        }
        if let Some(entry) = self.names.get(&name.text) {
            return self.entry_value(name, entry, want);
        }
        // Of several meanings, the one that fits here.
        if let Type::Member(wanted) | Type::Set(wanted) = want
            && let Some((domain, member)) = self.names.words(&name.text).iter().find(|(d, _)| *d == wanted).copied()
        {
            return Expr { kind: ExprKind::Member(member), ty: Type::Member(domain), span };
        }
        match *self.names.words(&name.text) {
            [(domain, member)] => Expr { kind: ExprKind::Member(member), ty: Type::Member(domain), span },
            [] => {
                if !self.is_lost(&name.text) {
                    self.unknown_name(name, want);
                }
                unknown(span)
            }
            [..] => {
                let domains = self.names.words(&name.text).to_vec();
                let kinds: Vec<&str> = domains.iter().map(|(d, _)| self.domain_name(*d)).collect();
                let fault = errors::ambiguous_word(span, &name.text, &kinds);
                self.sink.push(fault);
                unknown(span)
            }
        }
    }

    fn entry_value(&mut self, name: &ast::Name, entry: Entry, want: Type) -> Expr {
        let span = name.span;
        match entry {
            Entry::Option(option) => self.option_value(option, span),
            Entry::Piece(piece) => self.piece_sets(&[piece], &Owner::Any, span),
            Entry::Pieces(group) => {
                let pieces = self.piece_groups.get(group).map_or(Vec::new(), |g| g.pieces.clone());
                self.piece_sets(&pieces, &Owner::Any, span)
            }
            Entry::Group(group) => {
                let (domain, members) = match self.group_members(group) {
                    Some((domain, Some(members))) => (domain, members),
                    Some((domain, None)) => {
                        return Expr { kind: ExprKind::All(domain), ty: Type::Set(domain), span };
                    }
                    None => return unknown(span),
                };
                let as_terrain = want == Type::Set(domain) || want == Type::Member(domain);
                if Some(domain) == self.program.known.terrain && !as_terrain {
                    let sets: Vec<Expr> = members.iter().map(|m| self.terrain_set(*m, want, span)).collect();
                    let union = |a: Expr, b: Expr| super::expr::joined(ExprKind::Union, a, b, span);
                    return sets.into_iter().reduce(union).unwrap_or_else(|| unknown(span));
                }
                Expr { kind: ExprKind::Members(members), ty: Type::Set(domain), span }
            }
            Entry::Member(domain, member) if Some(domain) == self.program.known.terrain => {
                self.terrain_set(member, want, span)
            }
            Entry::Member(domain, member) => Expr { kind: ExprKind::Member(member), ty: Type::Member(domain), span },
            Entry::Places(domain) => Expr { kind: ExprKind::All(domain), ty: Type::Set(domain), span },
            Entry::Deck(deck) => match self.program.decks.get(deck.index()).map(|d| d.domain) {
                Some(domain) => Expr { kind: ExprKind::All(domain), ty: Type::Set(domain), span },
                None => unknown(span),
            },
            Entry::Function(function) => self.function_call(function, &[], &name.text, span),
            Entry::Mark(mark) => self.mark(mark, &[], &name.text, span),
            Entry::Fog(fog) => self.covered(fog, span),
            Entry::Award(_) => {
                self.sink.push(errors::award_as_value(span, &name.text));
                unknown(span)
            }
            Entry::Procedure(_) | Entry::Script(_) | Entry::Field(_) => {
                self.sink.push(errors::not_a_value(span, &name.text, entry.word()));
                unknown(span)
            }
        }
    }

    /// The places of this terrain; a hidden function, so that it is kept like any named set.
    fn terrain_set(&mut self, terrain: u32, want: Type, span: Span) -> Expr {
        let Some(terrain_domain) = self.program.known.terrain else { return unknown(span) };
        let wanted = Self::domain_of_set(want);
        let fitting = self.terrain_fields.iter().find(|(place, _)| Some(*place) == wanted);
        let Some((place, field)) = fitting.or_else(|| self.terrain_fields.first()).copied() else {
            if !self.incomplete {
                self.unknown("terrain", errors::no_terrain_anywhere(span));
            }
            return unknown(span);
        };
        let ty = Type::Set(place);
        if let Some(function) = self.terrain_sets.get(&(terrain, place)) {
            return Expr { kind: ExprKind::Call { function: *function, args: Vec::new() }, ty, span };
        }
        let member = self.program.domains.get(terrain_domain.index()).and_then(|d| d.members.get(terrain as usize));
        let (name, at) = member.map_or((String::new(), span), |m| (m.name.clone(), m.span));
        let local = LocalId(0);
        let it = Expr { kind: ExprKind::Local(local), ty: Type::Member(place), span: at };
        let left = Expr { kind: ExprKind::Field { field, keys: vec![it] }, ty: Type::Member(terrain_domain), span: at };
        let right = Expr { kind: ExprKind::Member(terrain), ty: Type::Member(terrain_domain), span: at };
        let cond = super::expr::compare(Compare::Equal, left, right, at);
        let over = Expr { kind: ExprKind::All(place), ty, span: at };
        let kind = ExprKind::Filter { local, over: Box::new(over), cond: Box::new(cond) };
        let locals = vec![Local { name: "it".into(), ty: LocalType::Value(Type::Member(place)), span: at }];
        let body = Expr { kind, ty, span: at };
        let function = FunctionId(self.program.functions.len() as u32);
        self.program.functions.push(Function { name, params: Vec::new(), locals, body, span: at });
        self.terrain_sets.insert((terrain, place), function);
        Expr { kind: ExprKind::Call { function, args: Vec::new() }, ty, span }
    }

    /// The set of those for which the guard holds; inside it the element is `it` and, if given, the name.
    pub(super) fn filtered(&mut self, over: Expr, name: Option<&ast::Name>, guard: &ast::Expr, span: Span) -> Expr {
        let over = super::stacks::pieces_standing(over);
        let Type::Set(domain) = over.ty else { return unknown(span) };
        let ty = over.ty;
        let among = self.kinds_of(&over);
        let label = name.map_or("it", |n| n.text.as_str());
        let local = self.scope.add(label, LocalType::Value(Type::Member(domain)), among, span);
        let level = self.scope.level();
        if let Some(name) = name {
            self.bind(name, local);
        }
        self.stands_for_piece(local, &over);
        self.scope.push_it(local, domain);
        // A test must not act.
        let before = self.scope.before.take();
        let cond = self.truth(guard);
        self.scope.before = before;
        self.scope.pop_it();
        self.scope.back_to(level);
        if cond.ty == Type::Unknown {
            return unknown(span);
        }
        Expr { kind: ExprKind::Filter { local, over: Box::new(over), cond: Box::new(cond) }, ty, span }
    }

    /// `e: edge in S where C`.
    pub(super) fn binder(
        &mut self,
        name: &ast::Name,
        ty: Option<&ast::Name>,
        from: Option<&ast::Expr>,
        guard: Option<&ast::Expr>,
        want: Type,
        span: Span,
    ) -> Expr {
        let typed = match ty {
            Some(ty) => match self.member_type(ty) {
                Some((domain, among)) => Some(self.members(domain, among, span)),
                None => return unknown(span),
            },
            None => None,
        };
        let over = match (typed, from) {
            (Some(typed), Some(from)) => {
                let from = self.expect(from, typed.ty);
                narrowed(from, typed)
            }
            (Some(typed), None) => typed,
            (None, Some(from)) => self.set_wanted(from, want),
            (None, None) => return unknown(span),
        };
        match guard {
            Some(guard) => self.filtered(over, Some(name), guard, span),
            None => over,
        }
    }

    /// All members of a domain, or these; of the goods only those that are goods.
    pub(super) fn members(&mut self, domain: DomainId, among: Option<Vec<u32>>, span: Span) -> Expr {
        if let Some(tokens) = self.program.tokens_in(domain) {
            let kind = ExprKind::Pieces { piece: tokens.piece, owner: Owner::Any };
            return Expr { kind, ty: Type::Set(domain), span };
        }
        let kind = match among.or_else(|| self.countable(domain)) {
            Some(members) => ExprKind::Members(members),
            None => ExprKind::All(domain),
        };
        Expr { kind, ty: Type::Set(domain), span }
    }

    pub(super) fn others(&mut self, of: Expr, player: DomainId, span: Span) -> Expr {
        if of.ty == Type::Unknown {
            return unknown(span);
        }
        let all = Expr { kind: ExprKind::All(player), ty: Type::Set(player), span };
        let of = self.set_of_one(of);
        super::expr::joined(ExprKind::Without, all, of, span)
    }

    /// A place: a member, or a set of which the first is meant (`place pawn on start(p)`).
    pub(super) fn place_wanted(&mut self, expr: &ast::Expr, domain: DomainId) -> Expr {
        let found = self.expr(expr, Type::Member(domain));
        match found.ty {
            Type::Set(slots) if self.base_of(slots) == Some(domain) => self.coerce(first(found), Type::Member(domain)),
            Type::Set(set) if set == domain => first(found),
            // A name of terrain is taken for the terrain where a member is wanted by another name's type.
            _ => self.coerce(found, Type::Member(domain)),
        }
    }

    pub(super) fn local_type(&self, local: LocalId) -> Type {
        match self.scope.local(local).map(|l| &l.ty) {
            Some(LocalType::Value(ty)) => *ty,
            Some(LocalType::Tally { .. }) | None => Type::Unknown,
        }
    }

    /// Makes a local visible under a name that nothing else has.
    pub(super) fn bind(&mut self, name: &ast::Name, local: LocalId) {
        if let Some(entry) = self.names.peek(&name.text) {
            let at = self.names.span(&name.text).unwrap_or(name.span);
            let fault = errors::local_hides(name.span, &name.text, self.entry_word(entry), at);
            self.hides_once(&name.text, at, fault);
        } else if let Some(known) = self.scope.find(&name.text) {
            let at = self.scope.local(known).map_or(name.span, |l| l.span);
            self.sink.push(errors::local_twice(name.span, &name.text, at));
        }
        self.scope.show(&name.text, local);
    }
}

/// Whether what the operator gives is a condition.
fn is_of_conditions(op: ast::BinaryOp) -> bool {
    use ast::BinaryOp as Op;
    match op {
        Op::Or | Op::And | Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => true,
        Op::In | Op::NotIn | Op::Meets | Op::Disjoint | Op::Has | Op::Is => true,
        Op::Union | Op::Intersect | Op::Without | Op::Near => false,
        Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Modulo => false,
    }
}

/// Those of `from` that are in `typed`, which is all of them unless it lists its members.
pub fn narrowed(from: Expr, typed: Expr) -> Expr {
    match typed.kind {
        ExprKind::All(_) => from,
        _ if from.ty == Type::Unknown => from,
        _ => {
            let span = from.span;
            super::expr::joined(ExprKind::Intersect, from, typed, span)
        }
    }
}
