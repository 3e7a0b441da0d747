//! Ways over the board: `step(place, d)`, where the direction is a value of its own, and `S near X`, what touches a
//! place whatever the shape of the board.

use super::paths::unknown;
use super::{Checker, errors};
use crate::diagnostic::near_names;
use crate::program::{
    Compare, DomainId, DomainKind, Expr, ExprKind, Function, FunctionId, Local, LocalId, LocalType, NEAR, Type,
};
use crate::source::Span;
use crate::syntax::ast;

impl<'a> Checker<'a> {
    /// `step(place, d)`: the place that lies there in that direction, or none.
    pub(super) fn step(&mut self, place: &ast::Expr, direction: &ast::Expr, span: Span) -> Expr {
        let from = self.expr(place, Type::Unknown);
        let from = self.standing(from);
        let from = match from.ty {
            Type::Set(_) if super::expr::is_pieces(&from) => super::expr::first(from),
            _ => from,
        };
        let kind = match from.ty {
            Type::Member(domain) => self.program.domains.get(domain.index()).map(|d| (domain, d.kind)),
            _ => None,
        };
        let Some((on, DomainKind::Places)) = kind else {
            if from.ty != Type::Unknown {
                let what = self.type_name(from.ty);
                self.sink.push(errors::step_from_what(place.span, &what));
            }
            self.expr(direction, Type::Unknown);
            return unknown(span);
        };
        self.step_from(from, on, direction, span)
    }

    /// The place that lies from another one in a direction that is a word.
    pub(super) fn step_from(&mut self, from: Expr, on: DomainId, direction: &ast::Expr, span: Span) -> Expr {
        let towards = self.expr(direction, Type::Unknown);
        let words = match towards.ty {
            Type::Member(domain) => self.program.domains.get(domain.index()).map(|d| (domain, d.kind)),
            _ => None,
        };
        let Some((words, DomainKind::Words)) = words else {
            if towards.ty != Type::Unknown {
                let what = self.type_name(towards.ty);
                self.sink.push(errors::no_direction(direction.span, &what));
            }
            return unknown(span);
        };
        match self.step_function(on, words, direction.span) {
            Some(function) => {
                Expr { kind: ExprKind::Call { function, args: vec![from, towards] }, ty: Type::Member(on), span }
            }
            None => unknown(span),
        }
    }

    /// The hidden function that leads from places of a kind in the directions that these words name.
    fn step_function(&mut self, on: DomainId, words: DomainId, used: Span) -> Option<FunctionId> {
        if let Some(known) = self.steps.get(&(on, words)) {
            return *known;
        }
        let known = self.directions_of(on);
        let members = self.program.domains.get(words.index()).map(|d| d.members.clone()).unwrap_or_default();
        let mut fault = false;
        if !members.iter().any(|word| known.contains(&word.name)) {
            if !self.incomplete {
                let what = self.type_name(Type::Member(words));
                self.sink.push(errors::no_direction(used, &what));
            }
            return None;
        }
        for word in members.iter().filter(|word| !known.contains(&word.name)) {
            fault = true;
            if !self.incomplete {
                let names: Vec<&str> = known.iter().map(String::as_str).collect();
                let near = near_names(&word.name, names.iter().copied());
                let kind = self.domain_name(on).to_owned();
                self.sink.push(errors::leads_nowhere(word.span, &word.name, &kind, &near, &names, used));
            }
        }
        let function = (!fault).then(|| {
            let (place, towards) = (LocalId(0), LocalId(1));
            let (ty, to) = (Type::Member(on), Type::Member(words));
            let local = |local, ty| Expr { kind: ExprKind::Local(local), ty, span: used };
            let mut body = Expr { kind: ExprKind::None, ty, span: used };
            for (member, word) in members.iter().enumerate().rev() {
                let kind = ExprKind::Member(member as u32);
                let cond =
                    super::expr::compare(Compare::Equal, local(towards, to), Expr { kind, ty: to, span: used }, used);
                let image = ExprKind::Image { relation: word.name.clone(), of: Box::new(local(place, ty)) };
                let then = super::expr::first(Expr { kind: image, ty: Type::Set(on), span: used });
                let (cond, then, otherwise) = (Box::new(cond), Box::new(then), Box::new(body));
                body = Expr { kind: ExprKind::If { cond, then, otherwise }, ty, span: used };
            }
            let named = |name: &str, ty| Local { name: name.into(), ty: LocalType::Value(ty), span: used };
            let function = FunctionId(self.program.functions.len() as u32);
            self.program.functions.push(Function {
                name: "step".into(),
                params: vec![place, towards],
                locals: vec![named("place", ty), named("direction", to)],
                body,
                span: used,
            });
            function
        });
        self.steps.insert((on, words), function);
        function
    }

    /// The names of what leads from a place of a kind to another one of that kind.
    fn directions_of(&self, on: DomainId) -> Vec<String> {
        let mut names: Vec<String> =
            self.relations.iter().filter(|r| r.from == on && r.to == on).map(|r| r.name.clone()).collect();
        for variant in &self.program.boards {
            let kind = variant.kinds.iter().position(|d| *d == on);
            let here = |d: &&crate::board::Direction| Some(d.from) == kind && Some(d.to) == kind;
            names.extend(variant.board.directions.iter().filter(here).map(|d| d.name.clone()));
        }
        names.sort();
        names.dedup();
        names
    }

    /// `S near X`: the members of the set that touch the place or one of the places, without these themselves.
    pub(super) fn near(&mut self, left: &ast::Expr, right: &ast::Expr, want: Type, span: Span) -> Expr {
        let set = self.set_wanted(left, want);
        let set = super::stacks::pieces_standing(set);
        let places = self.any_set(right);
        let places = self.standing(places);
        let (Type::Set(on), Type::Set(from)) = (set.ty, places.ty) else { return unknown(span) };
        let to = self.base_of(on).unwrap_or(on);
        let touch = self.program.boards.iter().any(|variant| {
            let kind = |domain| variant.kinds.iter().position(|d| *d == domain);
            kind(from).zip(kind(to)).is_some_and(|(from, to)| variant.board.near(from, to).is_some())
        });
        if !touch {
            if !self.incomplete {
                let (a, b) = (self.type_name(Type::Set(to)), self.type_name(places.ty));
                self.sink.push(errors::never_near(span, &a, &b));
            }
            return unknown(span);
        }
        let image = ExprKind::Image { relation: NEAR.into(), of: Box::new(places.clone()) };
        let mut reached = Expr { kind: image, ty: Type::Set(to), span };
        if from == to {
            reached = super::expr::joined(ExprKind::Without, reached, places, span);
        }
        if on != to {
            reached = self.slots(on, reached);
        }
        super::expr::joined(ExprKind::Intersect, set, reached, span)
    }
}
