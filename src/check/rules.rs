//! Sets, definitions, procedures and triggers. A set, definition or procedure is checked when something first
//! needs it: the first call gives the types that its parameters leave out. A trigger is checked once the event
//! that it waits for is known.

use std::rc::Rc;

use super::expr::known;
use super::outline::{Around, Form, Kind, Thing};
use super::paths::unknown;
use super::scope::{Home, Scope, Usual};
use super::types::Written;
use super::{Checker, errors};
use crate::diagnostic::near_names;
use crate::program::{
    Block, Compare, Expr, ExprKind, FunctionId, LocalId, LocalType, Procedure, ProcedureId, Stmt, StmtKind, Trigger,
    TriggerEvent, Type, Unit,
};
use crate::source::Span;
use crate::syntax::ast::{self, ItemKind, When};

#[derive(Clone, Debug)]
pub struct Param {
    pub name: ast::Name,
    /// None until the first call gives it.
    pub ty: Option<LocalType>,
    pub among: Option<Vec<u32>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Unchecked,
    UnderWay,
    Checked,
}

#[derive(Clone, Debug)]
pub struct FunctionInfo {
    /// Its number in the outline; None for points, which have a body of their own kind.
    pub thing: usize,
    /// One for each version, the one that counts last.
    pub ids: Vec<FunctionId>,
    pub params: Vec<Param>,
    pub result: Type,
    pub state: State,
    pub uses_me: bool,
}

#[derive(Clone, Debug)]
pub struct ProcedureInfo {
    pub thing: usize,
    /// One for each version and, if something stands around it, one for the whole.
    pub ids: Vec<ProcedureId>,
    pub params: Vec<Param>,
    pub result: Type,
    pub state: State,
    pub uses_me: bool,
}

impl<'a> Checker<'a> {
    /// The parameters as they are written; those without a type wait for the first call.
    pub(super) fn params(&mut self, params: &[ast::Param]) -> Vec<Param> {
        params
            .iter()
            .map(|param| {
                let Some(written) = &param.ty else {
                    return Param { name: param.name.clone(), ty: None, among: None };
                };
                let Written { ty, among, .. } = self.written_type(written, false);
                let ty = LocalType::Value(ty.unwrap_or(Type::Unknown));
                Param { name: param.name.clone(), ty: Some(ty), among }
            })
            .collect()
    }

    /// Makes the parameters the first locals of the scope.
    fn add_params(&mut self, params: &[Param]) {
        for param in params {
            let ty = param.ty.clone().unwrap_or(LocalType::Value(Type::Unknown));
            let local = self.scope.add(&param.name.text, ty, param.among.clone(), param.name.span);
            self.scope.params.push(local);
            self.bind(&param.name, local);
        }
    }

    /// Checks something in a scope of its own.
    pub(super) fn within<T>(&mut self, scope: Scope<'a>, body: impl FnOnce(&mut Self) -> T) -> (Scope<'a>, T) {
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = body(self);
        let scope = std::mem::replace(&mut self.scope, outer);
        (scope, result)
    }

    /// A circle of functions or procedures, from the name that comes twice.
    fn circle(&mut self, name: &str, span: Span, what: &str) {
        let from = self.under_way.iter().position(|n| n == name).unwrap_or(0);
        let mut names: Vec<&str> = self.under_way.iter().skip(from).map(String::as_str).collect();
        names.push(name);
        let fault = errors::circle(span, what, &names);
        self.sink.push(fault);
    }

    // ---- sets and definitions ----------------------------------------------------------------------------------

    pub(super) fn function_call(&mut self, index: usize, args: &[ast::Expr], name: &str, span: Span) -> Expr {
        let Some(info) = self.functions.get(index).cloned() else { return unknown(span) };
        if info.params.len() != args.len() {
            let form = form(name, &info.params);
            self.sink.push(errors::wrong_argument_count(span, name, &form, args.len()));
            return unknown(span);
        }
        let mut values = Vec::new();
        for (i, (arg, param)) in args.iter().zip(&info.params).enumerate() {
            let value = match &param.ty {
                Some(LocalType::Value(ty)) => self.expect(arg, *ty),
                Some(LocalType::Tally { .. }) | None => self.expr(arg, Type::Unknown),
            };
            if param.ty.is_none()
                && value.ty != Type::Unknown
                && let Some(param) = self.functions.get_mut(index).and_then(|f| f.params.get_mut(i))
            {
                param.ty = Some(LocalType::Value(value.ty));
            }
            values.push(value);
        }
        let Some(result) = self.demand_function(index, name, span) else { return unknown(span) };
        let Some(info) = self.functions.get(index) else { return unknown(span) };
        let Some(function) = info.ids.last().copied() else { return unknown(span) };
        if info.uses_me {
            if !self.scope.home.has_me() {
                self.sink.push(errors::no_me_behind(span, name));
                return unknown(span);
            }
            self.scope.uses_me = true;
        }
        let parts: Vec<&Expr> = values.iter().collect();
        let ty = known(result, &parts);
        Expr { kind: ExprKind::Call { function, args: values }, ty, span }
    }

    /// Checks a function if that has not happened yet; None in a circle.
    pub(super) fn demand_function(&mut self, index: usize, name: &str, span: Span) -> Option<Type> {
        let info = self.functions.get(index)?;
        match info.state {
            State::Checked => return Some(info.result),
            State::UnderWay => {
                self.circle(name, span, "define each other");
                return None;
            }
            State::Unchecked => {}
        }
        let (params, ids, thing) = (info.params.clone(), info.ids.clone(), info.thing);
        if !self.may_go_deeper(name, span) {
            return None;
        }
        self.set_function_state(index, State::UnderWay);
        self.under_way.push(name.to_owned());
        let outline = Rc::clone(&self.outline);
        let versions = outline.things.get(thing).map_or(&[][..], |t| t.versions.as_slice());
        let mut usual = None;
        let mut result = Type::Unknown;
        let mut uses_me = false;
        for (version, id) in versions.iter().zip(&ids) {
            let (body, written) = match &version.item.kind {
                ItemKind::Set { body, .. } => (body.as_ref(), None),
                ItemKind::Define { body, result, .. } => (body.as_ref(), result.as_ref()),
                ItemKind::Points { body, .. } => (Some(body), None),
                _ => (None, None),
            };
            let is_set = matches!(version.item.kind, ItemKind::Set { .. });
            let is_points = matches!(version.item.kind, ItemKind::Points { .. });
            let written = written.map(|w| self.written_type(w, false).ty());
            let want = if is_points { Type::Number } else { written.unwrap_or(Type::Unknown) };
            let home = if is_points { Home::Table } else { Home::Function };
            let mut scope = Scope::new(home);
            scope.usual = usual.map_or(Usual::Nothing, Usual::Function);
            let (scope, mut value) = self.within(scope, |checker| {
                checker.add_params(&params);
                if is_points {
                    checker.scope.points_of = checker.scope.params.first().copied();
                }
                match body {
                    Some(body) if is_set => checker.any_set(body),
                    Some(body) if want != Type::Unknown => checker.expect(body, want),
                    Some(body) => checker.expr(body, Type::Unknown),
                    None => unknown(version.item.span),
                }
            });
            result = value.ty;
            uses_me |= scope.uses_me;
            self.weigh_function(*id, name, version.item.span, &mut value);
            if let Some(function) = self.program.functions.get_mut(id.index()) {
                function.params = scope.params;
                function.locals = scope.locals;
                function.body = value;
            }
            usual = Some(*id);
            // What `usual` gives is known from here on.
            if let Some(info) = self.functions.get_mut(index) {
                info.result = result;
            }
        }
        self.under_way.pop();
        if let Some(info) = self.functions.get_mut(index) {
            info.result = result;
            info.uses_me = uses_me;
            info.state = State::Checked;
        }
        Some(result)
    }

    fn set_function_state(&mut self, index: usize, state: State) {
        if let Some(info) = self.functions.get_mut(index) {
            info.state = state;
        }
    }

    pub(super) fn function_result(&self, id: FunctionId) -> Type {
        self.functions.iter().find(|f| f.ids.contains(&id)).map_or(Type::Unknown, |f| f.result)
    }

    // ---- procedures ---------------------------------------------------------------------------------------------

    /// `do NAME(args) as bind`.
    pub(super) fn do_procedure(
        &mut self,
        index: usize,
        args: &[ast::Expr],
        name: &ast::Name,
        span: Span,
    ) -> Option<(ProcedureId, Vec<Expr>, Type)> {
        let info = self.procedures.get(index)?.clone();
        if info.params.len() != args.len() {
            let form = form(&name.text, &info.params);
            self.sink.push(errors::wrong_argument_count(span, &name.text, &form, args.len()));
            return None;
        }
        let mut values = Vec::new();
        let mut fault = false;
        for (i, (arg, param)) in args.iter().zip(&info.params).enumerate() {
            let (value, ty) = self.procedure_argument(arg, param);
            fault |= value.ty == Type::Unknown && !matches!(ty, Some(LocalType::Tally { .. }));
            if param.ty.is_none()
                && let Some(slot) = self.procedures.get_mut(index).and_then(|p| p.params.get_mut(i))
            {
                slot.ty = ty;
            }
            values.push(value);
        }
        self.demand_procedure(index, &name.text, span)?;
        let info = self.procedures.get(index)?;
        if info.uses_me {
            if !self.scope.home.has_me() {
                self.sink.push(errors::no_me_behind(span, &name.text));
                return None;
            }
            self.scope.uses_me = true;
        }
        let id = info.ids.last().copied()?;
        (!fault).then_some((id, values, info.result))
    }

    /// An argument of a procedure; a tally is handed over itself.
    fn procedure_argument(&mut self, arg: &ast::Expr, param: &Param) -> (Expr, Option<LocalType>) {
        if let ast::ExprKind::Name(name) = &arg.kind
            && let Some(local) = self.scope.find(&name.text)
            && let Some(ty @ LocalType::Tally { .. }) = self.scope.local(local).map(|l| l.ty.clone())
        {
            if param.ty.as_ref().is_some_and(|t| *t != ty) {
                self.sink.push(errors::other_tally(arg.span, &param.name.text));
            }
            return (Expr { kind: ExprKind::Local(local), ty: Type::Unknown, span: arg.span }, Some(ty));
        }
        match &param.ty {
            Some(LocalType::Value(ty)) => {
                let value = self.expect(arg, *ty);
                (value, None)
            }
            Some(LocalType::Tally { .. }) => {
                self.sink.push(errors::other_tally(arg.span, &param.name.text));
                (unknown(arg.span), None)
            }
            None => {
                let value = self.expr(arg, Type::Unknown);
                let ty = (value.ty != Type::Unknown).then_some(LocalType::Value(value.ty));
                (value, ty)
            }
        }
    }

    pub(super) fn demand_procedure(&mut self, index: usize, name: &str, span: Span) -> Option<()> {
        let info = self.procedures.get(index)?;
        match info.state {
            State::Checked => return Some(()),
            State::UnderWay => {
                self.circle(name, span, "do each other");
                return None;
            }
            State::Unchecked => {}
        }
        let (params, ids, thing, result) = (info.params.clone(), info.ids.clone(), info.thing, info.result);
        if !self.may_go_deeper(name, span) {
            return None;
        }
        if let Some(info) = self.procedures.get_mut(index) {
            info.state = State::UnderWay;
        }
        self.under_way.push(name.to_owned());
        let outline = Rc::clone(&self.outline);
        let uses_me = outline.things.get(thing).is_some_and(|t| self.procedure_versions(t, &params, &ids, result));
        self.under_way.pop();
        if let Some(info) = self.procedures.get_mut(index) {
            info.uses_me = uses_me;
            info.state = State::Checked;
        }
        Some(())
    }

    fn procedure_versions(&mut self, thing: &Thing<'a>, params: &[Param], ids: &[ProcedureId], result: Type) -> bool {
        let mut usual = None;
        let mut uses_me = false;
        for (form, id) in thing.forms().iter().zip(ids) {
            let unit = self.procedure_unit(params, usual, result, |checker| checker.form(form, usual, result));
            if result != Type::Nothing && result != Type::Unknown && !always_returns(&unit.0.body) {
                self.sink.push(errors::may_not_return(form.span, &thing.name));
            }
            uses_me |= unit.1;
            self.put_procedure(*id, unit.0);
            usual = Some(*id);
        }
        // What stands around it is a procedure of its own, which does the usual one between them.
        if thing.is_surrounded()
            && let (Some(whole), Some(inner)) = (ids.last(), usual)
        {
            let unit = self.procedure_unit(params, Some(inner), result, |checker| {
                checker.surrounded(thing, inner, result, thing.span)
            });
            uses_me |= unit.1;
            self.put_procedure(*whole, unit.0);
        }
        uses_me
    }

    /// A body; where a guard does not let it be done, the one below is.
    fn form(&mut self, form: &Form<'a>, usual: Option<ProcedureId>, result: Type) -> Block {
        let Some(guard) = form.guard else { return self.block(form.body) };
        let cond = self.truth(guard);
        let then = self.block(form.body);
        let otherwise = usual.map_or_else(Vec::new, |usual| self.usual_whole(usual, result, form.span));
        vec![Stmt { kind: StmtKind::If { cond, then, otherwise }, span: form.span }]
    }

    /// Does a procedure with the same arguments and gives what it gives.
    fn usual_whole(&mut self, inner: ProcedureId, result: Type, span: Span) -> Block {
        if result == Type::Nothing {
            return vec![self.do_usual(inner, None, span)];
        }
        let local = self.scope.add("result", LocalType::Value(result), None, span);
        let value = Expr { kind: ExprKind::Local(local), ty: result, span };
        let done = self.do_usual(inner, Some(local), span);
        vec![done, Stmt { kind: StmtKind::Return(Some(value)), span }]
    }

    fn procedure_unit(
        &mut self,
        params: &[Param],
        usual: Option<ProcedureId>,
        result: Type,
        body: impl FnOnce(&mut Self) -> Block,
    ) -> (Unit, bool) {
        let mut scope = Scope::new(Home::Procedure);
        scope.usual = usual.map_or(Usual::Nothing, Usual::Procedure);
        scope.result = (result != Type::Nothing).then_some(result);
        let (scope, body) = self.within(scope, |checker| {
            checker.add_params(params);
            body(checker)
        });
        (Unit { locals: scope.locals, params: scope.params, body }, scope.uses_me)
    }

    fn put_procedure(&mut self, id: ProcedureId, unit: Unit) {
        if let Some(procedure) = self.program.procedures.get_mut(id.index()) {
            procedure.unit = unit;
        }
    }

    /// The blocks before a procedure, the procedure with the same arguments, the blocks behind it.
    fn surrounded(&mut self, thing: &Thing<'a>, inner: ProcedureId, result: Type, span: Span) -> Block {
        let mut body = Vec::new();
        for around in thing.around(When::Before) {
            self.around_block(around, &mut body);
        }
        let mut whole = self.usual_whole(inner, result, span);
        let returned = if result == Type::Nothing { None } else { whole.pop() };
        body.append(&mut whole);
        for around in thing.around(When::After) {
            self.around_block(around, &mut body);
        }
        body.extend(returned);
        body
    }

    /// A block that a change put before or after something.
    pub(super) fn around_block(&mut self, around: &Around<'a>, out: &mut Block) {
        let body = match around.guard {
            Some(guard) => {
                let cond = self.truth(guard);
                let then = self.block(around.body);
                vec![Stmt { kind: StmtKind::If { cond, then, otherwise: Vec::new() }, span: around.span }]
            }
            None => self.block(around.body),
        };
        let name = match around.when {
            When::Before => "before",
            When::After => "after",
            When::Instead => "instead",
        };
        out.push(Stmt { kind: StmtKind::Part { name: name.into(), body }, span: around.span });
    }

    pub(super) fn param_values(&self, span: Span) -> Vec<Expr> {
        let params = self.scope.params.iter();
        params.map(|local| Expr { kind: ExprKind::Local(*local), ty: self.local_type(*local), span }).collect()
    }

    pub(super) fn do_usual(&mut self, procedure: ProcedureId, bind: Option<LocalId>, span: Span) -> Stmt {
        let args = self.param_values(span);
        if let Some(info) = self.procedures.iter().find(|p| p.ids.contains(&procedure)) {
            self.scope.uses_me |= info.uses_me;
        }
        Stmt { kind: StmtKind::Do { procedure, args, bind }, span }
    }

    // ---- triggers -----------------------------------------------------------------------------------------------

    /// Checks all triggers whose event is known by now; true if there were any.
    pub(super) fn ready_triggers(&mut self, waiting: &mut Vec<usize>) -> bool {
        let before = waiting.len();
        let mut still = Vec::new();
        for index in std::mem::take(waiting) {
            if self.event_is_known(index) {
                self.trigger(index);
            } else {
                still.push(index);
            }
        }
        *waiting = still;
        waiting.len() < before
    }

    fn event_is_known(&self, index: usize) -> bool {
        match self.outline.things.get(index).and_then(event_of) {
            Some(ast::Event::Emitted { name, .. }) => self.events.contains_key(&name.text),
            Some(_) | None => true,
        }
    }

    /// Checks a trigger and puts it into the program, at the place that `declare` kept for it.
    pub(super) fn trigger(&mut self, index: usize) {
        let outline = Rc::clone(&self.outline);
        let Some(thing) = outline.things.get(index) else { return };
        let Some(event) = event_of(thing) else { return };
        let scope = Scope::new(Home::Trigger);
        let (scope, found) = self.within(scope, |checker| checker.trigger_unit(thing, event));
        let Some((event, guard, body)) = found else { return };
        let unit = Unit { locals: scope.locals, params: scope.params, body };
        let trigger = Trigger { name: thing.name.clone(), event, guard, unit, span: thing.span };
        self.triggers_found.insert(index, trigger);
    }

    fn trigger_unit(
        &mut self,
        thing: &Thing<'a>,
        event: &'a ast::Event,
    ) -> Option<(TriggerEvent, Option<Expr>, Block)> {
        let (event, mut guard) = self.event(event, thing)?;
        let guards = thing.versions.iter().rev().find_map(|v| match &v.item.kind {
            ItemKind::Trigger(trigger) => trigger.guard.as_ref(),
            _ => None,
        });
        if let Some(written) = guards {
            let cond = self.truth(written);
            guard = Some(match guard {
                Some(first) => {
                    let span = cond.span;
                    Expr {
                        ty: known(Type::Truth, &[&cond]),
                        kind: ExprKind::And(Box::new(first), Box::new(cond)),
                        span,
                    }
                }
                None => cond,
            });
        }
        // Forms below the last become procedures with the trigger's parameters, for `usual`.
        let mut usual: Option<ProcedureId> = None;
        let forms = thing.forms();
        let wrapped = thing.is_surrounded();
        let inner = if wrapped { forms.len() } else { forms.len().saturating_sub(1) };
        let params: Vec<Param> = self
            .scope
            .params
            .iter()
            .filter_map(|local| {
                let found = self.scope.local(*local)?;
                let name = ast::Name { text: found.name.clone(), span: found.span };
                Some(Param { name, ty: Some(found.ty.clone()), among: None })
            })
            .collect();
        for form in forms.iter().take(inner) {
            let mut scope = Scope::new(Home::Trigger);
            scope.usual = usual.map_or(Usual::Nothing, Usual::Procedure);
            let (scope, block) = self.within(scope, |checker| {
                for param in &params {
                    let ty = param.ty.clone().unwrap_or(LocalType::Value(Type::Unknown));
                    let local = checker.scope.add(&param.name.text, ty, None, param.name.span);
                    checker.scope.params.push(local);
                    if !param.name.text.is_empty() {
                        checker.scope.show(&param.name.text, local);
                    }
                }
                checker.form(form, usual, Type::Nothing)
            });
            let unit = Unit { locals: scope.locals, params: scope.params, body: block };
            let id = ProcedureId(self.program.procedures.len() as u32);
            let name = format!("{} (usual)", thing.name);
            self.program.procedures.push(Procedure { name, unit, result: Type::Nothing, span: thing.span });
            usual = Some(id);
        }
        let body = match (wrapped, usual) {
            (true, Some(inner)) => self.surrounded(thing, inner, Type::Nothing, thing.span),
            _ => {
                self.scope.usual = usual.map_or(Usual::Nothing, Usual::Procedure);
                forms.last().map_or_else(Vec::new, |form| self.form(form, usual, Type::Nothing))
            }
        };
        Some((event, guard, body))
    }

    /// The event of a trigger: its arguments become parameters; one that names a member or number is compared.
    fn event(&mut self, event: &ast::Event, thing: &Thing<'a>) -> Option<(TriggerEvent, Option<Expr>)> {
        match event {
            ast::Event::Emitted { name, args } => {
                let info = self.events.get_mut(&name.text)?;
                info.handled = true;
                let info = info.clone();
                if info.args.len() != args.len() {
                    let fault =
                        errors::event_argument_count(name.span, &name.text, info.args.len(), args.len(), info.first);
                    self.sink.push(fault);
                    return None;
                }
                let mut guard: Option<Expr> = None;
                for (arg, ty) in args.iter().zip(&info.args) {
                    let Some(test) = self.event_argument(arg, *ty) else { continue };
                    let span = arg.span;
                    guard = Some(match guard {
                        Some(first) => {
                            Expr { kind: ExprKind::And(Box::new(first), Box::new(test)), ty: Type::Truth, span }
                        }
                        None => test,
                    });
                }
                Some((TriggerEvent::Emitted(info.id), guard))
            }
            ast::Event::Arrival { piece, at, by } => {
                let id = self.piece_named(piece)?;
                let on = self.program.pieces.get(id.index())?.place;
                self.event_param(at.as_ref(), Type::Member(on), piece.span);
                let by_name = by.as_ref().filter(|n| n.text != "me" && n.text != "active");
                if by.is_some() {
                    let ty = self.player_type();
                    self.event_param(by_name, ty, piece.span);
                }
                let guard = by.as_ref().filter(|n| n.text == "active").and_then(|n| {
                    let local = self.scope.params.last().copied()?;
                    let ty = self.player_type();
                    let who = Expr { kind: ExprKind::Local(local), ty, span: n.span };
                    let active = Expr { kind: ExprKind::Active, ty, span: n.span };
                    Some(super::expr::compare(Compare::Equal, who, active, n.span))
                });
                Some((TriggerEvent::Arrival { piece: id, by: by.is_some() }, guard))
            }
            ast::Event::TurnStart => Some((TriggerEvent::TurnStart, None)),
            ast::Event::TurnEnd => Some((TriggerEvent::TurnEnd, None)),
            ast::Event::Reveal { tokens: Some(kind), of, by } => {
                let id = self.tokens_named(&kind.text);
                let Some(on) = id.and_then(|id| self.tokens(id)).map(|t| t.slots) else {
                    if !self.is_lost(&kind.text) {
                        let known: Vec<&str> = self.program.tokens.iter().map(|t| t.name.as_str()).collect();
                        let near = near_names(&kind.text, known.iter().copied());
                        let fault = errors::unknown_tokens(kind.span, &kind.text, &near, &known);
                        self.sink.push(fault);
                    }
                    return None;
                };
                self.names.get(&kind.text);
                self.event_param(Some(of), Type::Member(on), of.span);
                let by_name = by.as_ref().filter(|n| n.text != "me" && n.text != "active");
                if by.is_some() {
                    let ty = self.player_type();
                    self.event_param(by_name, ty, of.span);
                }
                Some((TriggerEvent::Reveal { on, by: by.is_some() }, None))
            }
            ast::Event::Reveal { tokens: None, of, by } => {
                let Some(on) = self.fog_place() else {
                    if !self.incomplete && self.outline.of(Kind::Fog).next().is_none() {
                        self.sink.push(errors::nothing_to_reveal(of.span));
                    }
                    return None;
                };
                self.event_param(Some(of), Type::Member(on), of.span);
                let by_name = by.as_ref().filter(|n| n.text != "me" && n.text != "active");
                if by.is_some() {
                    let ty = self.player_type();
                    self.event_param(by_name, ty, of.span);
                }
                Some((TriggerEvent::Reveal { on, by: by.is_some() }, None))
            }
            ast::Event::Passing { track, mark, by } => {
                let event = self.mark_named(track, mark)?;
                let ty = self.player_type();
                let by_name = by.as_ref().filter(|n| n.text != "me" && n.text != "active");
                let who = self.event_param(by_name, ty, track.span);
                let guard = by.as_ref().filter(|n| n.text == "active").map(|n| {
                    let who = Expr { kind: ExprKind::Local(who), ty, span: n.span };
                    let active = Expr { kind: ExprKind::Active, ty, span: n.span };
                    super::expr::compare(Compare::Equal, who, active, n.span)
                });
                Some((TriggerEvent::Emitted(event), guard))
            }
            // The outline has put it beside what it names.
            ast::Event::Beside { .. } => {
                let _ = thing;
                None
            }
        }
    }

    fn event_param(&mut self, name: Option<&ast::Name>, ty: Type, span: Span) -> LocalId {
        let label = name.map_or("", |n| n.text.as_str());
        let local = self.scope.add(label, LocalType::Value(ty), None, name.map_or(span, |n| n.span));
        self.scope.params.push(local);
        if let Some(name) = name {
            self.bind(name, local);
        }
        local
    }

    /// Binds an argument of an event, or gives the test that it must pass.
    fn event_argument(&mut self, arg: &ast::Expr, ty: Type) -> Option<Expr> {
        if let ast::ExprKind::Name(name) = &arg.kind {
            let is_member = match ty {
                Type::Member(domain) => self.member_named(domain, &name.text).is_some(),
                Type::Truth => matches!(name.text.as_str(), "yes" | "no"),
                Type::Number | Type::Set(_) | Type::Bag(_) | Type::Nothing | Type::Unknown => false,
            };
            if !is_member && (ty == Type::Unknown || self.names.peek(&name.text).is_none()) {
                self.like_a_member(name, ty);
                self.event_param(Some(name), ty, arg.span);
                return None;
            }
        }
        let local = self.event_param(None, ty, arg.span);
        let value = self.expect(arg, ty);
        let given = Expr { kind: ExprKind::Local(local), ty, span: arg.span };
        Some(super::expr::compare(Compare::Equal, given, value, arg.span))
    }

    /// A new name that is spelt much like a member is rather a slip: the trigger would answer to every one of them.
    fn like_a_member(&mut self, name: &ast::Name, ty: Type) {
        let Type::Member(domain) = ty else { return };
        let members = self.program.domains.get(domain.index()).map_or(&[][..], |d| d.members.as_slice());
        let near = crate::diagnostic::near_names(&name.text, members.iter().map(|m| m.name.as_str()));
        if !near.is_empty() {
            let fault = errors::name_like_a_member(name.span, &name.text, self.domain_name(domain), &near);
            self.sink.push(fault);
        }
    }

    /// All bodies: what acts first, since it says what the others get.
    pub(super) fn bodies(&mut self) {
        self.initial_values();
        self.setup();
        self.turn();
        self.actions();
        self.scoring();
        let outline = Rc::clone(&self.outline);
        let mut waiting: Vec<usize> = outline.of(Kind::Trigger).map(|(i, _)| i).collect();
        self.at_the_end();
        while self.ready_triggers(&mut waiting) {}
        self.rest();
        while self.ready_triggers(&mut waiting) {}
        for index in waiting {
            self.orphan(index);
        }
        self.program.triggers = std::mem::take(&mut self.triggers_found).into_values().collect();
        self.nothing_is_chosen_at_the_end();
        let mut costs: Vec<String> = self.costs.keys().cloned().collect();
        costs.sort();
        for name in costs {
            self.cost_of(&name);
        }
    }

    /// Functions and procedures that nothing needed are checked all the same.
    fn rest(&mut self) {
        for index in 0..self.functions.len() {
            if let Some(name) = self.functions.get(index).and_then(|f| self.thing_name(f.thing)) {
                self.demand_function(index, &name, Span::default());
            }
        }
        for index in 0..self.procedures.len() {
            if let Some(name) = self.procedures.get(index).and_then(|p| self.thing_name(p.thing)) {
                self.demand_procedure(index, &name, Span::default());
            }
        }
    }

    fn thing_name(&self, thing: usize) -> Option<String> {
        self.outline.things.get(thing).map(|t| t.name.clone())
    }

    /// A trigger whose event nothing emits: its body is checked, its arguments stay unknown.
    fn orphan(&mut self, index: usize) {
        let outline = Rc::clone(&self.outline);
        let Some(thing) = outline.things.get(index) else { return };
        let Some(ast::Event::Emitted { name, args }) = event_of(thing) else { return };
        if !self.is_lost(&name.text) && !self.gaps {
            let emitted: Vec<&str> = self.events.keys().map(String::as_str).collect();
            let near = crate::diagnostic::near_names(&name.text, emitted);
            let fault = errors::never_emitted(name.span, &name.text, &near);
            // A ruleset on top may have taken out what emitted it.
            if self.is_own(name.span) {
                self.unknown(&name.text, fault);
            }
        }
        let (_, ()) = self.within(Scope::new(Home::Trigger), |checker| {
            for arg in args {
                if let ast::ExprKind::Name(name) = &arg.kind
                    && checker.names.peek(&name.text).is_none()
                {
                    checker.event_param(Some(name), Type::Unknown, arg.span);
                }
            }
            for version in &thing.versions {
                if let ItemKind::Trigger(trigger) = &version.item.kind {
                    if let Some(guard) = &trigger.guard {
                        checker.truth(guard);
                    }
                    checker.block(&trigger.body);
                }
            }
        });
    }
}

/// The event of a trigger: that of the last version which says one.
fn event_of<'a>(thing: &Thing<'a>) -> Option<&'a ast::Event> {
    thing.versions.iter().rev().find_map(|v| match &v.item.kind {
        ItemKind::Trigger(trigger) => trigger.event.as_ref(),
        _ => None,
    })
}

/// How a function or procedure is called, for people.
fn form(name: &str, params: &[Param]) -> String {
    if params.is_empty() {
        return name.to_owned();
    }
    let params: Vec<&str> = params.iter().map(|p| p.name.text.as_str()).collect();
    format!("{name}({})", params.join(", "))
}

/// Does every way through the block end with a `return`?
fn always_returns(block: &Block) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return(_) | StmtKind::EndGame { .. } | StmtKind::EndTurn => true,
        StmtKind::If { then, otherwise, .. } => always_returns(then) && always_returns(otherwise),
        StmtKind::Part { body, .. } => always_returns(body),
        StmtKind::Case { arms, otherwise, complete, .. } => {
            arms.iter().all(|(_, body)| always_returns(body)) && (*complete || always_returns(otherwise))
        }
        StmtKind::Ask(ask) => match &ask.choice {
            crate::program::Choice::Branches(branches) => {
                branches.iter().all(|b| always_returns(&b.body)) && always_returns(&ask.otherwise)
            }
            _ => false,
        },
        _ => false,
    })
}
