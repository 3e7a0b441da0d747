//! What is counted and when it is over: awards, prices, the end, invariants, initial values.

use std::rc::Rc;

use super::expr::known;
use super::outline::Kind;
use super::paths::unknown;
use super::scope::{Home, Scope, Usual};
use super::{Checker, errors};
use crate::program::{Award, End, Expr, ExprKind, Function, FunctionId, Invariant, LocalType, Tie, Type};
use crate::syntax::ast::{self, ItemKind};

impl<'a> Checker<'a> {
    pub(super) fn scoring(&mut self) {
        self.award_functions();
        self.all_points();
        self.ends();
        self.invariants();
        self.check_own_phases();
    }

    /// Each award with the clauses of all layers; the function of what it counts comes later.
    pub(super) fn declare_awards(&mut self) {
        let outline = Rc::clone(&self.outline);
        for (_, thing) in outline.of(Kind::Award) {
            let awards: Vec<&ast::Award> = thing
                .versions
                .iter()
                .filter_map(|v| match &v.item.kind {
                    ItemKind::Award(award) => Some(award),
                    _ => None,
                })
                .collect();
            let points = awards.iter().rev().find_map(|a| a.points);
            if points.is_none() {
                self.sink.push(errors::award_without(thing.span, &thing.name, "says how many points it is worth"));
            }
            let at_least = awards.iter().rev().find_map(|a| a.at_least.as_ref());
            let at_least = at_least.and_then(|e| self.constant(e)).unwrap_or(1);
            let tie = match awards.iter().rev().find_map(|a| a.tie) {
                Some(ast::Tie { keeps_holder: true, else_nobody: false, .. }) => Tie::Holder,
                Some(ast::Tie { keeps_holder: true, else_nobody: true, .. }) | None => Tie::HolderElseNobody,
                Some(ast::Tie { keeps_holder: false, .. }) => Tie::Nobody,
            };
            let most = FunctionId(self.program.functions.len() as u32);
            self.program.functions.push(Function {
                name: format!("{} (most)", thing.name),
                params: Vec::new(),
                locals: Vec::new(),
                body: unknown(thing.span),
                span: thing.span,
            });
            let id = crate::program::AwardId(self.program.awards.len() as u32);
            self.enter(&thing.name, thing.span, super::names::Entry::Award(id));
            let points = points.unwrap_or(0);
            self.program.awards.push(Award { name: thing.name.clone(), points, most, at_least, tie, span: thing.span });
        }
    }

    fn award_functions(&mut self) {
        let outline = Rc::clone(&self.outline);
        for (index, (_, thing)) in outline.of(Kind::Award).enumerate() {
            let Some(id) = self.program.awards.get(index).map(|a| a.most) else { continue };
            let most = thing.versions.iter().rev().find_map(|v| match &v.item.kind {
                ItemKind::Award(award) => award.most.as_ref(),
                _ => None,
            });
            let Some(most) = most else {
                if !self.gaps {
                    self.sink.push(errors::award_without(thing.span, &thing.name, "says who has it: `most …`"));
                }
                continue;
            };
            let player = self.player_type();
            let (scope, body) = self.within(Scope::new(Home::Table), |checker| {
                let p = checker.scope.add("p", LocalType::Value(player), None, most.span);
                checker.scope.params.push(p);
                checker.scope.show("p", p);
                checker.expect(most, Type::Number)
            });
            if let Some(function) = self.program.functions.get_mut(id.index()) {
                function.params = scope.params;
                function.locals = scope.locals;
                function.body = body;
            }
        }
    }

    fn all_points(&mut self) {
        for (index, name) in [(self.points, "points"), (self.hidden_points, "hidden points")] {
            let Some(index) = index else { continue };
            let span = self
                .functions
                .get(index)
                .and_then(|f| self.outline.things.get(f.thing))
                .map_or(Default::default(), |t| t.span);
            self.demand_function(index, name, span);
            let id = self.functions.get(index).and_then(|f| f.ids.last().copied());
            match name {
                "points" => self.program.points = id,
                _ => self.program.hidden_points = id,
            }
        }
    }

    fn ends(&mut self) {
        let outline = Rc::clone(&self.outline);
        let things: Vec<usize> = outline.of(Kind::End).map(|(index, _)| index).collect();
        for thing in things.into_iter().filter_map(|index| outline.things.get(index)) {
            let mut span = thing.span;
            let (scope, found) = self.within(Scope::new(Home::Table), |checker| {
                let (mut cond, mut winner) = (None, None);
                for version in &thing.versions {
                    let ItemKind::End { cond: written, winner: who, .. } = &version.item.kind else { continue };
                    span = version.item.span;
                    if let Some(usual) = cond {
                        checker.scope.usual = Usual::Value;
                        checker.scope.usual_value = Some(usual);
                    }
                    cond = Some(checker.truth(written));
                    winner = who.as_ref().map(|w| checker.winner(w)).or(winner);
                }
                cond.map(|cond| (cond, winner))
            });
            let Some((cond, winner)) = found else { continue };
            self.program.ends.push(End { name: thing.name.clone(), cond, winner, locals: scope.locals, span });
        }
    }

    /// Who wins; `nobody` is none of the players.
    pub(super) fn winner(&mut self, winner: &ast::Expr) -> Expr {
        let player = self.player_type();
        match &winner.kind {
            ast::ExprKind::Name(name) if name.text == "nobody" => {
                Expr { kind: ExprKind::None, ty: player, span: winner.span }
            }
            _ => self.expect(winner, player),
        }
    }

    fn invariants(&mut self) {
        let outline = Rc::clone(&self.outline);
        for (_, thing) in outline.of(Kind::Invariant) {
            let Some(version) = thing.last() else { continue };
            let ItemKind::Invariant { binders, cond, .. } = &version.item.kind else { continue };
            let (scope, cond) = self.within(Scope::new(Home::Table), |checker| checker.for_all(binders, cond));
            let name = thing.name.clone();
            let span = version.item.span;
            self.program.invariants.push(Invariant { name, cond, locals: scope.locals, span });
        }
    }

    /// `for r in S: C`: there is none in S for which C does not hold.
    fn for_all(&mut self, binders: &[(ast::Name, ast::Expr)], cond: &ast::Expr) -> Expr {
        let Some(((name, over), rest)) = binders.split_first() else { return self.truth(cond) };
        let span = over.span.to(cond.span);
        let over = self.any_set(over);
        let ty = match over.ty {
            Type::Set(domain) => Type::Member(domain),
            _ => Type::Unknown,
        };
        let among = self.kinds_of(&over);
        let local = self.scope.add(&name.text, LocalType::Value(ty), among, name.span);
        let level = self.scope.level();
        self.bind(name, local);
        let holds = self.for_all(rest, cond);
        self.scope.back_to(level);
        let truth = known(Type::Truth, &[&over, &holds]);
        let not = |e: Expr| Expr { ty: e.ty, span, kind: ExprKind::Not(Box::new(e)) };
        let set = over.ty;
        let kind = ExprKind::Filter { local, over: Box::new(over), cond: Box::new(not(holds)) };
        let breaking = Expr { kind, ty: set, span };
        let some = Expr { kind: ExprKind::Some(Box::new(breaking)), ty: truth, span };
        not(some)
    }

    /// The price of a thing, with `usual` for what it cost in the layer below.
    pub(super) fn check_cost(&mut self, name: &str) -> Expr {
        let outline = Rc::clone(&self.outline);
        let thing = outline.find(Kind::Cost, name).and_then(|i| outline.things.get(i));
        let Some(thing) = thing else { return unknown(Default::default()) };
        let goods = self.program.known.goods.map_or(Type::Unknown, Type::Bag);
        let mut cost = unknown(thing.span);
        for version in &thing.versions {
            let ItemKind::Cost { amount: Some(amount), .. } = &version.item.kind else { continue };
            let mut scope = Scope::new(Home::Function);
            scope.usual = if version.item.mode == ast::Mode::Change { Usual::Value } else { Usual::Nothing };
            scope.usual_value = Some(cost);
            let (scope, found) = self.within(scope, |checker| {
                let found = checker.any_bag(amount, goods);
                checker.coerce(found, goods)
            });
            if !scope.locals.is_empty() || scope.uses_me {
                self.sink.push(errors::cost_is_fixed(amount.span));
            }
            cost = found;
        }
        cost
    }

    /// `= 4` behind the types of fields.
    pub(super) fn initial_values(&mut self) {
        for (field, written, want) in std::mem::take(&mut self.initials) {
            let (scope, value) = self.within(Scope::new(Home::Table), |checker| checker.expect(written, want));
            if !scope.locals.is_empty() {
                self.sink.push(errors::not_constant(written.span));
                continue;
            }
            if let Some(field) = self.program.fields.get_mut(field.index())
                && value.ty != Type::Unknown
            {
                field.initial = Some(value);
            }
        }
    }
}
