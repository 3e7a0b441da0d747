//! Statements: one big match. What moves goods and pieces is in `movement`, what asks in `choices`.

use super::amounts::single;
use super::names::Entry;
use super::outline::Form;
use super::paths::{Base, unknown};
use super::scope::{Home, Usual};
use super::{Checker, EventInfo, errors};
use crate::program::{
    Block, Event, EventId, Expr, ExprKind, FieldType, For, Limit, LimitId, LocalId, LocalType, Scope, Stmt, StmtKind,
    Suggest, Target, Type,
};
use crate::source::Span;
use crate::syntax::ast;

impl<'a> Checker<'a> {
    /// A block; what it binds is visible in it alone.
    pub(super) fn block(&mut self, block: &'a ast::Block) -> Block {
        self.stmts(block)
    }

    pub(super) fn stmts(&mut self, block: &'a [ast::Stmt]) -> Block {
        let level = self.scope.level();
        let mut out = Vec::new();
        let mut ended: Option<Span> = None;
        for stmt in block {
            if let Some(by) = ended.take() {
                self.sink.push(errors::never_reached(stmt.span, by));
            }
            self.statement(stmt, &mut out);
            if ends(&stmt.kind) {
                ended = Some(stmt.span);
            }
        }
        self.scope.back_to(level);
        out
    }

    /// Appends what a statement means; an amount that leaves a choice asks for it first.
    fn statement(&mut self, stmt: &'a ast::Stmt, out: &mut Block) {
        let outer = self.scope.before.replace(Vec::new());
        let mut own = Vec::new();
        self.meaning(stmt, &mut own);
        // Where the statement had a fault, its name is known to be something all the same.
        if let Some(name) = named_by(stmt)
            && self.scope.find(&name.text).is_none()
            && self.names.peek(&name.text).is_none()
        {
            let local = self.scope.add(&name.text, LocalType::Value(Type::Unknown), None, name.span);
            self.scope.show(&name.text, local);
        }
        out.extend(std::mem::replace(&mut self.scope.before, outer).unwrap_or_default());
        out.extend(own);
    }

    fn meaning(&mut self, stmt: &'a ast::Stmt, out: &mut Block) {
        let span = stmt.span;
        let mut push = |kind: StmtKind| out.push(Stmt { kind, span });
        match &stmt.kind {
            ast::StmtKind::Require { cond, name, reason } => {
                match self.scope.home {
                    Home::Action(_) | Home::Procedure => {}
                    Home::Nowhere
                    | Home::Setup
                    | Home::Phase
                    | Home::Trigger
                    | Home::Function
                    | Home::End
                    | Home::Table => {
                        self.sink.push(errors::only_in_actions(span, "require"));
                    }
                }
                let cond = self.truth(cond);
                let element = match &cond.kind {
                    ExprKind::In { member, .. } => match member.ty {
                        Type::Member(domain) => Some(domain),
                        _ => None,
                    },
                    _ => None,
                };
                let reason = reason.as_ref().map(|r| self.reason(r, element));
                if cond.ty != Type::Unknown {
                    let cond = self.open_to_me(cond);
                    push(StmtKind::Require { cond, name: name.as_ref().map(|n| n.text.clone()), reason });
                }
            }
            ast::StmtKind::Limit { count, scope, group } => {
                if let Some(limit) = self.limit(*count, *scope, group.as_ref(), span) {
                    push(StmtKind::Limit(limit));
                }
            }
            ast::StmtKind::Suggest { sizes, at_most } => {
                if let Some(suggest) = self.suggest(sizes, *at_most, span) {
                    push(StmtKind::Suggest(suggest));
                }
            }
            ast::StmtKind::Ask(ask) => self.ask(ask, span, out),
            ast::StmtKind::Give { to, exactly, amount, from } => {
                self.give(to, *exactly, amount, from.as_ref(), span, out)
            }
            ast::StmtKind::Take { amount, from } => self.take(amount, from, span, out),
            ast::StmtKind::TakeToken { what, to, bind } => self.take_token(what, to, bind.as_ref(), span, out),
            ast::StmtKind::Pay { amount, to } => self.pay(amount, to.as_ref(), span, out),
            ast::StmtKind::Steal { count, from } => self.steal(count, from, span, out),
            ast::StmtKind::Swap { left, right } => self.swap(left, right, out),
            ast::StmtKind::Do { call, bind } => self.do_statement(call, bind.as_ref(), span, out),
            ast::StmtKind::Perform { must, perform, otherwise } => {
                let otherwise = otherwise.as_ref().map_or_else(Vec::new, |o| self.block(o));
                if let Some(perform) = self.perform(perform, *must, None, otherwise) {
                    out.push(Stmt { kind: StmtKind::Perform(perform), span });
                }
            }
            ast::StmtKind::Place { piece, on, bind } => {
                if !self.place_token(piece, on, bind.as_ref(), span, out) {
                    self.place(piece, on, bind.as_ref(), span, out);
                }
            }
            ast::StmtKind::Move(moved) => self.move_statement(moved, span, out),
            ast::StmtKind::Remove { piece, from, bind } => {
                if !self.remove_token(piece, from.as_ref(), bind.as_ref(), span, out) {
                    self.remove(piece, from.as_ref(), span, out);
                }
            }
            ast::StmtKind::Replace { piece, on, by } => self.replace(piece, on, by, span, out),
            ast::StmtKind::Draw { deck, guard, to, bind } => {
                self.draw(deck, guard.as_ref(), to.as_ref(), bind.as_ref(), span, out);
            }
            ast::StmtKind::Deal { count, deck, to } => self.deal(count, deck, to.as_ref(), span, out),
            ast::StmtKind::Discard { card, from } => self.discard(card, from.as_ref(), span, out),
            ast::StmtKind::TurnOver { what, bind } => {
                let (deck, guard) = match &what.kind {
                    ast::ExprKind::Where { set, guard } => (set.as_ref(), Some(guard.as_ref())),
                    _ => (what, None),
                };
                match &deck.kind {
                    ast::ExprKind::Name(deck) => self.draw(deck, guard, None, bind.as_ref(), span, out),
                    ast::ExprKind::Bad => {}
                    _ => self.sink.push(errors::turn_over_what(deck.span)),
                }
            }
            ast::StmtKind::Shuffle { what, on } => self.shuffle(what, on.as_ref(), span, out),
            ast::StmtKind::Lay { field, values, along } => self.lay(field, values, along, span, out),
            ast::StmtKind::Reveal { what } => {
                if !self.reveal_token(what, span, out) {
                    self.reveal(what, span, out);
                }
            }
            ast::StmtKind::Look { at, by } => self.look(at, by.as_ref(), span, out),
            ast::StmtKind::Roll { count, sides, bind } => {
                if *count < 1 || *sides < 2 || *count > 100 || *sides > 1000 {
                    self.sink.push(errors::impossible_dice(span));
                    return;
                }
                let bind = bind.as_ref().map(|name| self.new_local(name, Type::Number, None));
                push(StmtKind::Roll { count: *count, sides: *sides, bind });
            }
            ast::StmtKind::Emit { event, args } => self.emit(event, args, span, out),
            ast::StmtKind::Let { name, value } => {
                let value = self.expr(value, Type::Unknown);
                let among = self.kinds_of(&value);
                let local = self.new_local(name, value.ty, among);
                // `let p = first (my pawn at a) where tired` names that pawn.
                if let crate::program::ExprKind::First(set) = &value.kind {
                    self.stands_for_piece(local, set);
                }
                if value.ty != Type::Unknown {
                    push(StmtKind::Let { local, value });
                }
            }
            ast::StmtKind::Set { target, value } => self.set(target, value, span, out),
            ast::StmtKind::Add { amount, target } => self.add(amount, target, span, out),
            ast::StmtKind::Tally { name, keys } => {
                if let Some(local) = self.tally(name, keys, span) {
                    push(StmtKind::Tally(local));
                }
            }
            ast::StmtKind::For(each) => self.for_each(each, span, out),
            ast::StmtKind::Repeat { count, up_to: _, condition, body } => {
                let count = self.expect(count, Type::Number);
                let condition = condition.as_ref().map(|c| self.truth(c));
                self.scope.loops += 1;
                let body = self.block(body);
                self.scope.loops -= 1;
                push(StmtKind::Repeat { count, condition, body });
            }
            ast::StmtKind::If { cond, then, otherwise } => {
                let cond = self.truth(cond);
                let then = self.block(then);
                let otherwise = otherwise.as_ref().map_or_else(Vec::new, |o| self.block(o));
                push(StmtKind::If { cond, then, otherwise });
            }
            ast::StmtKind::Case { subject, arms } => self.case(subject, arms, span, out),
            ast::StmtKind::Return(value) => {
                let value = self.returned(value.as_ref(), span);
                push(StmtKind::Return(value));
            }
            ast::StmtKind::Stop => push(StmtKind::Stop),
            ast::StmtKind::EndTurn => push(StmtKind::EndTurn),
            ast::StmtKind::EndGame { winner } => {
                let winner = winner.as_ref().map(|w| self.winner(w));
                push(StmtKind::EndGame { winner });
            }
            ast::StmtKind::Part { name, body } => {
                if self.scope.home != Home::Setup {
                    self.sink.push(errors::part_outside_setup(name.span));
                }
                self.part(&name.text, body, span, out);
            }
            ast::StmtKind::Usual(bind) => self.usual_statement(bind.as_ref(), span, out),
            ast::StmtKind::Bad => {}
        }
    }

    /// A new local, visible from here to the end of the block.
    pub(super) fn new_local(&mut self, name: &ast::Name, ty: Type, among: Option<Vec<u32>>) -> LocalId {
        let local = self.scope.add(&name.text, LocalType::Value(ty), among, name.span);
        self.bind(name, local);
        local
    }

    fn usual_statement(&mut self, bind: Option<&'a ast::Name>, span: Span, out: &mut Block) {
        let mut local = None;
        if let Some(name) = bind {
            let result = match self.scope.usual {
                Usual::Procedure(_) => self.scope.result.unwrap_or(Type::Nothing),
                Usual::Nothing | Usual::Function(_) | Usual::Block | Usual::Value => Type::Nothing,
            };
            if result == Type::Nothing {
                self.sink.push(errors::gives_nothing(name.span, "usual"));
                self.new_local(name, Type::Unknown, None);
            } else {
                local = Some(self.new_local(name, result, None));
            }
        }
        match self.scope.usual {
            Usual::Procedure(procedure) => {
                let stmt = self.do_usual(procedure, local, span);
                out.push(stmt);
            }
            Usual::Block if !self.scope.older.is_empty() => {
                let hidden = self.scope.hide_all_but_params();
                let mut body = Vec::new();
                self.usual_form(&mut body);
                self.scope.show_again(hidden);
                out.push(Stmt { kind: StmtKind::Part { name: "usual".into(), body }, span });
            }
            Usual::Block | Usual::Nothing | Usual::Function(_) | Usual::Value => {
                self.sink.push(errors::no_usual(span));
            }
        }
    }

    /// The last of several forms of a body; in each `usual` stands for the one below it.
    pub(super) fn forms(&mut self, forms: Vec<Form<'a>>, out: &mut Block) {
        let usual = if forms.len() > 1 { Usual::Block } else { Usual::Nothing };
        let outer = (std::mem::replace(&mut self.scope.usual, usual), std::mem::replace(&mut self.scope.older, forms));
        let level = self.scope.level();
        let mut body = Vec::new();
        self.usual_form(&mut body);
        self.scope.back_to(level);
        (self.scope.usual, self.scope.older) = outer;
        out.append(&mut body);
    }

    /// The last of the older forms, with those below it for `usual` and for where its guard does not hold.
    fn usual_form(&mut self, out: &mut Block) {
        let Some(form) = self.scope.older.pop() else { return };
        match form.guard {
            None => out.extend(self.block(form.body)),
            Some(guard) => {
                let cond = self.truth(guard);
                let then = self.block(form.body);
                let mut otherwise = Vec::new();
                self.usual_form(&mut otherwise);
                out.push(Stmt { kind: StmtKind::If { cond, then, otherwise }, span: form.span });
            }
        }
        self.scope.older.push(form);
    }

    fn limit(&mut self, count: i64, scope: ast::Scope, group: Option<&ast::Name>, span: Span) -> Option<LimitId> {
        let Home::Action(action) = self.scope.home else {
            self.sink.push(errors::only_in_actions(span, "a limit"));
            return None;
        };
        let own = self.program.actions.get(action.index()).map_or("", |a| a.name.as_str());
        let name = group.map_or(own, |g| g.text.as_str()).to_owned();
        let id = self.limit_named(&name, count, scope, span);
        if let Some(known) = self.program.limits.get(id.index())
            && (known.count, known.scope) != (count, program_scope(scope))
        {
            let first = known.span;
            self.sink.push(errors::other_limit(span, &name, first));
        }
        Some(id)
    }

    pub(super) fn limit_named(&mut self, name: &str, count: i64, scope: ast::Scope, span: Span) -> LimitId {
        if let Some(known) = self.limits.get(name) {
            return *known;
        }
        let id = LimitId(self.program.limits.len() as u32);
        self.program.limits.push(Limit { name: name.to_owned(), count, scope: program_scope(scope), span });
        self.limits.insert(name.to_owned(), id);
        id
    }

    fn suggest(
        &mut self,
        sizes: &[(ast::Name, ast::Expr, ast::Expr)],
        at_most: Option<(i64, ast::Scope)>,
        span: Span,
    ) -> Option<Suggest> {
        let Home::Action(action) = self.scope.home else {
            self.sink.push(errors::only_in_actions(span, "suggest"));
            return None;
        };
        let mut found = Vec::new();
        for (name, low, high) in sizes {
            let (low, high) = (self.constant(low)?, self.constant(high)?);
            let local = self.scope.find(&name.text).filter(|l| self.scope.params.contains(l));
            match local {
                Some(local) if matches!(self.local_type(local), Type::Bag(_)) => {
                    if low > high || low < 1 {
                        self.sink.push(errors::range_backwards(name.span, low, high));
                    }
                    found.push((local, low, high));
                }
                Some(local) if self.local_type(local) == Type::Unknown => {}
                Some(_) | None => self.sink.push(errors::suggest_what(name.span, &name.text)),
            }
        }
        let own = self.program.actions.get(action.index()).map_or(String::new(), |a| a.name.clone());
        let at_most = at_most.map(|(count, scope)| self.limit_named(&format!("{own} (listed)"), count, scope, span));
        Some(Suggest { sizes: found, at_most })
    }

    fn do_statement(&mut self, call: &'a ast::Expr, bind: Option<&'a ast::Name>, span: Span, out: &mut Block) {
        let (name, args) = match &call.kind {
            ast::ExprKind::Name(name) => (name, Vec::new()),
            ast::ExprKind::Call { name, args } => (name, args.iter().map(|a| a.value.clone()).collect()),
            ast::ExprKind::ScriptCall { script, name, args } => {
                let args: Vec<Expr> = args.iter().map(|a| self.expr(a, Type::Unknown)).collect();
                if let Some(bind) = bind {
                    self.sink.push(errors::script_gives_nothing(bind.span));
                    self.new_local(bind, Type::Unknown, None);
                }
                if let Some(script) = self.script_named(script)
                    && self.script_function(script, name, args.len())
                    && args.iter().all(|a| a.ty != Type::Unknown)
                {
                    let kind = StmtKind::Script { script, function: name.text.clone(), args };
                    self.with_markers(Stmt { kind, span }, out);
                }
                return;
            }
            ast::ExprKind::Bad => return,
            _ => {
                self.sink.push(errors::do_what(call.span));
                return;
            }
        };
        let found = match self.names.get(&name.text) {
            Some(Entry::Procedure(index)) => self.do_procedure(index, &args, name, span),
            entry => {
                for arg in &args {
                    self.expr(arg, Type::Unknown);
                }
                if !self.is_lost(&name.text) {
                    let known = self.procedures.iter().filter_map(|p| self.outline.things.get(p.thing));
                    let known: Vec<&str> = known.map(|t| t.name.as_str()).collect();
                    let near = crate::diagnostic::near_names(&name.text, known);
                    let fault = errors::unknown_procedure(name.span, &name.text, &near, entry.map(Entry::word));
                    self.unknown(&name.text, fault);
                }
                None
            }
        };
        let result = found.as_ref().map_or(Type::Unknown, |(_, _, ty)| *ty);
        let local = bind.map(|bind| {
            if result == Type::Nothing {
                self.sink.push(errors::gives_nothing(bind.span, &name.text));
                return self.new_local(bind, Type::Unknown, None);
            }
            self.new_local(bind, result, None)
        });
        if let Some((procedure, args, result)) = found {
            let bind = local.filter(|_| result != Type::Nothing);
            out.push(Stmt { kind: StmtKind::Do { procedure, args, bind }, span });
        }
    }

    fn emit(&mut self, event: &ast::Name, args: &[ast::Expr], span: Span, out: &mut Block) {
        let known = self.events.get(&event.text).cloned();
        if let Some(info) = &known
            && info.args.len() != args.len()
        {
            let fault = errors::event_argument_count(event.span, &event.text, info.args.len(), args.len(), info.first);
            self.sink.push(fault);
            return;
        }
        let values: Vec<Expr> = args
            .iter()
            .enumerate()
            .map(|(i, arg)| match known.as_ref().and_then(|k| k.args.get(i)) {
                Some(ty) => self.expect(arg, *ty),
                None => self.expr(arg, Type::Unknown),
            })
            .collect();
        let id = match known {
            Some(info) => info.id,
            None => {
                let id = EventId(self.program.events.len() as u32);
                let types: Vec<Type> = values.iter().map(|v| v.ty).collect();
                self.program.events.push(Event { name: event.text.clone(), args: types.clone() });
                let info = EventInfo { id, args: types, first: event.span, handled: false };
                self.events.insert(event.text.clone(), info);
                id
            }
        };
        if values.iter().all(|v| v.ty != Type::Unknown) {
            out.push(Stmt { kind: StmtKind::Emit { event: id, args: values, by: None }, span });
        }
    }

    fn set(&mut self, target: &'a ast::Expr, value: &'a ast::Expr, span: Span, out: &mut Block) {
        if matches!(target.kind, ast::ExprKind::Active) {
            let ty = self.player_type();
            let who = self.expect(value, ty);
            if self.scope.home != Home::Setup {
                self.sink.push(errors::begins_outside_setup(span));
            } else if who.ty != Type::Unknown {
                out.push(Stmt { kind: StmtKind::Begin(who), span });
            }
            return;
        }
        if let ast::ExprKind::Name(name) = &target.kind
            && self.scope.find(&name.text).is_none()
            && self.names.peek(&name.text).is_none()
            && !self.incomplete
            && !self.is_lost(&name.text)
        {
            let candidates = self.scope.names().chain(self.names.all().map(|(name, _)| name));
            let near = crate::diagnostic::near_names(&name.text, candidates);
            let fault = errors::unknown_target(name.span, &name.text, &near);
            self.unknown(&name.text, fault);
            self.expr(value, Type::Unknown);
            return;
        }
        let mut path = self.path(target, Type::Unknown);
        // A tally without its key is set for every key.
        let mut every = None;
        if let Base::Tally { local, key: slot @ None } = &mut path.base
            && let Some(LocalType::Tally { key, .. }) = self.scope.local(*local).map(|l| l.ty.clone())
        {
            let each = self.scope.add("each", LocalType::Value(Type::Member(key)), None, span);
            *slot = Some(Box::new(Expr { kind: ExprKind::Local(each), ty: Type::Member(key), span }));
            every = Some((each, key));
        }
        let found = self.target(path);
        let Some((target, ty)) = found else {
            self.expr(value, Type::Unknown);
            return;
        };
        let value = match &value.kind {
            ast::ExprKind::Name(name) if name.text == "none" => self.none_for(&target, ty, value.span),
            _ => {
                let value = self.expect(value, ty);
                self.in_range(&target, &value);
                value
            }
        };
        if value.ty == Type::Unknown {
            return;
        }
        let set = Stmt { kind: StmtKind::Set { target, value }, span };
        match every {
            Some((local, key)) => {
                let over = self.members(key, None, span);
                let each = For { local, over, from: None, reversed: false, at_once: false, body: vec![set] };
                out.push(Stmt { kind: StmtKind::For(each), span });
            }
            None => self.write(set, out),
        }
    }

    /// `none` as the new value of a target.
    fn none_for(&mut self, target: &Target, ty: Type, span: Span) -> Expr {
        let (kind, or_none) = match target {
            Target::Field { field, keys } => match self.program.fields.get(field.index()).map(|f| &f.ty) {
                Some(FieldType::Member { or_none, .. }) => (ExprKind::None, *or_none),
                Some(FieldType::Number { .. } | FieldType::Truth | FieldType::Set(_) | FieldType::Bag { .. })
                | None => (ExprKind::Field { field: *field, keys: keys.clone() }, false),
            },
            Target::Local(_) | Target::Tally { .. } | Target::Lane { .. } => (ExprKind::None, true),
        };
        if or_none && matches!(ty, Type::Member(_)) {
            return Expr { kind: ExprKind::None, ty, span };
        }
        if let (Type::Member(_), Target::Field { field, .. }) = (ty, target) {
            let at = self.program.fields.get(field.index()).map(|f| f.span);
            self.sink.push(errors::never_none(span, at));
            return unknown(span);
        }
        self.none_beside(span, &Expr { kind, ty, span })
    }

    /// A number or member that is known must be one that the field can have.
    fn in_range(&mut self, target: &Target, value: &Expr) {
        let Target::Field { field, .. } = target else { return };
        let Some(field) = self.program.fields.get(field.index()) else { return };
        match (&field.ty, &value.kind) {
            (FieldType::Number { low, high }, ExprKind::Number(value_given)) if !field.clamped => {
                let least = if field.none == Some(*low) { low.saturating_add(1) } else { *low };
                if !(least..=*high).contains(value_given) {
                    let fault = errors::out_of_range(value.span, *value_given, least, *high, &field.name, field.span);
                    self.sink.push(fault);
                }
            }
            (FieldType::Member { domain, among: Some(among), .. }, ExprKind::Member(member))
                if !among.contains(member) =>
            {
                let members = self.program.domains.get(domain.index()).map_or(&[][..], |d| d.members.as_slice());
                let name = members.get(*member as usize).map_or("", |m| m.name.as_str());
                let fault = errors::not_one_of(value.span, name, &field.name, field.span);
                self.sink.push(fault);
            }
            _ => {}
        }
    }

    fn add(&mut self, amount: &'a ast::Expr, target: &'a ast::Expr, span: Span, out: &mut Block) {
        let path = self.path(target, Type::Unknown);
        let Some((target, ty)) = self.target(path) else {
            self.expr(amount, Type::Unknown);
            return;
        };
        let stmt = match ty {
            Type::Number => {
                let amount = self.expect(amount, Type::Number);
                if amount.ty == Type::Unknown {
                    return;
                }
                StmtKind::Add { target, amount }
            }
            Type::Bag(_) => {
                let amount = self.expr(amount, ty);
                let amount = self.coerce(amount, ty);
                if amount.ty == Type::Unknown {
                    return;
                }
                match single(amount) {
                    Ok((kind, count)) => {
                        StmtKind::Add { target: Target::Lane { bag: Box::new(target), kind }, amount: count }
                    }
                    Err(amount) => StmtKind::Add { target, amount },
                }
            }
            Type::Set(_) => {
                let Target::Field { field, keys } = &target else {
                    self.sink.push(errors::cannot_add(span));
                    return;
                };
                let old = Expr { kind: ExprKind::Field { field: *field, keys: keys.clone() }, ty, span };
                let more = self.expect(amount, ty);
                if more.ty == Type::Unknown {
                    return;
                }
                StmtKind::Set { target, value: super::expr::joined(ExprKind::Union, old, more, span) }
            }
            Type::Unknown => return,
            Type::Truth | Type::Member(_) | Type::Nothing => {
                self.sink.push(errors::cannot_add(span));
                return;
            }
        };
        self.write(Stmt { kind: stmt, span }, out);
    }

    fn tally(&mut self, name: &ast::Name, keys: &[ast::Name], span: Span) -> Option<LocalId> {
        let found: Vec<_> = keys.iter().map(|k| self.member_type(k)).collect::<Option<_>>()?;
        let (key, bag) = match found.as_slice() {
            [(key, _)] => (*key, None),
            [(key, _), (bag, _)] if self.can_be_counted(*bag) && !self.can_be_counted(*key) => (*key, Some(*bag)),
            _ => {
                self.sink.push(errors::tally_of_what(span));
                return None;
            }
        };
        let local = self.scope.add(&name.text, LocalType::Tally { key, bag }, None, name.span);
        self.bind(name, local);
        Some(local)
    }

    fn for_each(&mut self, each: &'a ast::For, span: Span, out: &mut Block) {
        let over = if self.names_list(&each.over) {
            match self.list(&each.over) {
                Ok(list) => return self.for_entries(each, list, span, out),
                Err(value) => self.as_set(value),
            }
        } else {
            self.any_set(&each.over)
        };
        let domain = Self::domain_of_set(over.ty);
        let player = self.program.known.player;
        let from = each.from.as_ref().map(|from| {
            let ty = self.player_type();
            self.expect(from, ty)
        });
        if let Some(from) = &from
            && domain.is_some()
            && domain != player
        {
            self.sink.push(errors::from_without_players(from.span));
        }
        if each.at_once && domain.is_some() && domain != player {
            self.sink.push(errors::at_once_without_players(each.over.span));
        }
        let level = self.scope.level();
        let among = self.kinds_of(&over);
        let ty = domain.map_or(Type::Unknown, Type::Member);
        let over = match &each.guard {
            Some(guard) if domain.is_some() => {
                self.filtered(over, Some(&each.name), guard, each.over.span.to(guard.span))
            }
            Some(_) | None => over,
        };
        let local = self.scope.add(&each.name.text, LocalType::Value(ty), among, each.name.span);
        self.bind(&each.name, local);
        self.stands_for_piece(local, &over);
        self.scope.loops += 1;
        let body = self.block(&each.body);
        self.scope.loops -= 1;
        self.scope.back_to(level);
        if over.ty == Type::Unknown {
            return;
        }
        let each = For { local, over, from, reversed: each.reversed, at_once: each.at_once, body };
        out.push(Stmt { kind: StmtKind::For(each), span });
    }

    fn case(&mut self, subject: &'a ast::Expr, arms: &'a [ast::Arm], span: Span, out: &mut Block) {
        let subject = self.expr(subject, Type::Unknown);
        let Type::Member(domain) = subject.ty else {
            if subject.ty != Type::Unknown {
                let what = self.type_name(subject.ty);
                self.sink.push(errors::case_of_what(subject.span, &what));
            }
            for arm in arms {
                let level = self.scope.level();
                for bind in &arm.binds {
                    self.new_local(bind, Type::Unknown, None);
                }
                self.block(&arm.body);
                self.scope.back_to(level);
            }
            return;
        };
        if self.case_of_shapes(&subject, arms, span, out) {
            return;
        }
        let mut found: Vec<(u32, Block)> = Vec::new();
        let mut otherwise = Vec::new();
        for arm in arms {
            let level = self.scope.level();
            for bind in &arm.binds {
                self.sink.push(errors::word_carries_nothing(bind.span, &arm.name.text));
                self.new_local(bind, Type::Unknown, None);
            }
            let body = self.block(&arm.body);
            self.scope.back_to(level);
            if arm.name.text == "otherwise" {
                otherwise = body;
                continue;
            }
            match self.member_named(domain, &arm.name.text) {
                Some(member) => {
                    if found.iter().any(|(m, _)| *m == member) {
                        self.sink.push(errors::listed_twice(arm.name.span, &arm.name.text, span));
                    }
                    found.push((member, body));
                }
                None => self.unknown_name(&arm.name, Type::Member(domain)),
            }
        }
        let members = self.program.domains.get(domain.index()).map_or(0, |d| d.members.len());
        let complete = members > 0 && found.len() == members;
        out.push(Stmt { kind: StmtKind::Case { subject, arms: found, otherwise, complete }, span });
    }

    fn returned(&mut self, value: Option<&'a ast::Expr>, span: Span) -> Option<Expr> {
        match (self.scope.result, value) {
            (Some(want), Some(value)) => Some(self.expect(value, want)),
            (Some(want), None) => {
                let what = self.type_name(want);
                self.sink.push(errors::return_what(span, &what));
                None
            }
            (None, Some(value)) => {
                self.sink.push(errors::return_without_result(value.span));
                None
            }
            (None, None) => None,
        }
    }

    /// A named part of the set-up with what stands around it.
    fn part(&mut self, name: &str, body: &'a ast::Block, span: Span, out: &mut Block) {
        let outline = std::rc::Rc::clone(&self.outline);
        let arounds = outline.parts.get(name).map_or(&[][..], Vec::as_slice);
        for around in arounds.iter().filter(|a| a.when == ast::When::Before) {
            self.around_block(around, out);
        }
        let insteads: Vec<Form<'a>> = super::outline::insteads(arounds).map(|(_, form)| form).collect();
        let mut whole = Vec::new();
        if insteads.is_empty() {
            whole = self.block(body);
        } else {
            let mut forms = vec![Form { guard: None, body, span }];
            forms.extend(insteads);
            self.forms(forms, &mut whole);
        }
        out.push(Stmt { kind: StmtKind::Part { name: name.to_owned(), body: whole }, span });
        for around in arounds.iter().filter(|a| a.when == ast::When::After) {
            self.around_block(around, out);
        }
    }

    /// The set-up with all of its changes.
    pub(super) fn setup(&mut self) {
        let outline = std::rc::Rc::clone(&self.outline);
        let Some(thing) = outline.only(super::outline::Kind::Setup) else { return };
        let scope = super::scope::Scope::new(Home::Setup);
        let (scope, body) = self.within(scope, |checker| {
            let mut body = Vec::new();
            checker.forms(thing.forms(), &mut body);
            body
        });
        self.program.setup = crate::program::Unit { locals: scope.locals, params: scope.params, body };
    }
}

/// Nothing behind such a statement is ever reached. A rule that says `end turn` is finished before the turn ends.
fn ends(kind: &ast::StmtKind) -> bool {
    matches!(kind, ast::StmtKind::Return(_) | ast::StmtKind::Stop | ast::StmtKind::EndGame { .. })
}

fn program_scope(scope: ast::Scope) -> Scope {
    match scope {
        ast::Scope::Turn => Scope::Turn,
        ast::Scope::Game => Scope::Game,
        ast::Scope::Chapter => Scope::Chapter,
    }
}

/// The name that a statement gives to something, for the rest of its block.
fn named_by(stmt: &ast::Stmt) -> Option<&ast::Name> {
    match &stmt.kind {
        ast::StmtKind::Ask(ast::Ask { choice: ast::Choice::For { name, .. }, .. })
        | ast::StmtKind::Let { name, .. }
        | ast::StmtKind::Tally { name, .. } => Some(name),
        ast::StmtKind::Do { bind, .. }
        | ast::StmtKind::Place { bind, .. }
        | ast::StmtKind::Draw { bind, .. }
        | ast::StmtKind::TakeToken { bind, .. }
        | ast::StmtKind::Remove { bind, .. }
        | ast::StmtKind::TurnOver { bind, .. }
        | ast::StmtKind::Roll { bind, .. }
        | ast::StmtKind::Usual(bind) => bind.as_ref(),
        ast::StmtKind::Move(moved) => moved.bind.as_ref(),
        ast::StmtKind::Ask(ast::Ask { choice: ast::Choice::Branches(_), .. })
        | ast::StmtKind::Require { .. }
        | ast::StmtKind::Limit { .. }
        | ast::StmtKind::Suggest { .. }
        | ast::StmtKind::Give { .. }
        | ast::StmtKind::Take { .. }
        | ast::StmtKind::Pay { .. }
        | ast::StmtKind::Steal { .. }
        | ast::StmtKind::Swap { .. }
        | ast::StmtKind::Perform { .. }
        | ast::StmtKind::Replace { .. }
        | ast::StmtKind::Deal { .. }
        | ast::StmtKind::Discard { .. }
        | ast::StmtKind::Shuffle { .. }
        | ast::StmtKind::Lay { .. }
        | ast::StmtKind::Reveal { .. }
        | ast::StmtKind::Look { .. }
        | ast::StmtKind::Emit { .. }
        | ast::StmtKind::Set { .. }
        | ast::StmtKind::Add { .. }
        | ast::StmtKind::For(_)
        | ast::StmtKind::Repeat { .. }
        | ast::StmtKind::If { .. }
        | ast::StmtKind::Case { .. }
        | ast::StmtKind::Return(_)
        | ast::StmtKind::Stop
        | ast::StmtKind::EndTurn
        | ast::StmtKind::EndGame { .. }
        | ast::StmtKind::Part { .. }
        | ast::StmtKind::Bad => None,
    }
}
