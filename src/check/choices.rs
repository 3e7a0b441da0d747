//! Choices: `ask` in its forms, and actions done from inside a rule (`make`, `allow`).

use super::expr::known;
use super::paths::unknown;
use super::scope::{Chooser, Home, Stock};
use super::{Checker, errors};
use crate::diagnostic::near_names;
use crate::program::{ActionId, Ask, Block, Branch, Choice, Expr, ExprKind, LocalType, Perform, Stmt, StmtKind, Type};
use crate::source::Span;
use crate::syntax::ast::{self, PerformPart};

impl<'a> Checker<'a> {
    pub(super) fn ask(&mut self, ask: &'a ast::Ask, span: Span, out: &mut Block) {
        let player = self.player_type();
        let who = self.expect(&ask.who, player);
        let prompt = ask.prompt.as_ref().map(|p| self.reason(p, None));
        let otherwise = ask.otherwise.as_ref().map_or_else(Vec::new, |o| self.block(o));
        let choice = match &ask.choice {
            ast::Choice::For { .. } => self.asked(&ask.choice, span),
            ast::Choice::Branches(branches) => self.branches(branches, &who),
        };
        if let Some(choice) = choice
            && who.ty != Type::Unknown
        {
            out.push(Stmt { kind: StmtKind::Ask(Ask { who, choice, prompt, otherwise }), span });
        }
    }

    fn branches(&mut self, branches: &'a [ast::Branch], who: &Expr) -> Option<Choice> {
        let mut found: Vec<Branch> = Vec::new();
        for branch in branches {
            if let Some(first) = found.iter().find(|b| b.name == branch.name.text) {
                let first = first.span;
                self.sink.push(errors::listed_twice(branch.name.span, &branch.name.text, first));
            }
            let guard = branch.guard.as_ref().map(|g| self.truth(g));
            let counter = if branch.once { self.counter(who, branch) } else { None };
            let body = match &branch.body {
                Some(body) => self.block(body),
                None => {
                    if !branch.once {
                        self.sink.push(errors::branch_does_nothing(branch.name.span, &branch.name.text));
                    }
                    Vec::new()
                }
            };
            found.push(Branch { name: branch.name.text.clone(), guard, body, counter, span: branch.span });
        }
        (!found.is_empty()).then_some(Choice::Branches(found))
    }

    /// `counter once`: the one who is asked does the same action, addressed to the one who asks.
    fn counter(&mut self, who: &Expr, branch: &ast::Branch) -> Option<Perform> {
        let Home::Action(action) = self.scope.home else {
            self.sink.push(errors::counter_outside_action(branch.span));
            return None;
        };
        let player = self.player_type();
        self.scope.uses_me = true;
        let args: Vec<Option<Expr>> = self
            .scope
            .params
            .iter()
            .map(|local| {
                (self.local_type(*local) == player).then_some(Expr {
                    kind: ExprKind::Me,
                    ty: player,
                    span: branch.span,
                })
            })
            .collect();
        if !args.iter().any(Option::is_some) {
            self.sink.push(errors::counter_without_player(branch.span));
            return None;
        }
        Some(Perform {
            who: who.clone(),
            must: false,
            actions: vec![(action, args)],
            free: false,
            cost: None,
            beyond_limit: false,
            even: Vec::new(),
            bind: None,
            otherwise: Vec::new(),
        })
    }

    // ---- make and allow -------------------------------------------------------------------------------------------

    pub(super) fn perform(
        &mut self,
        perform: &ast::Perform,
        must: bool,
        bind: Option<crate::program::LocalId>,
        otherwise: Block,
    ) -> Option<Perform> {
        let player = self.player_type();
        let who = self.expect(&perform.who, player);
        let mut actions = Vec::new();
        let mut fault = who.ty == Type::Unknown;
        for parts in &perform.actions {
            match self.performed_action(parts) {
                Some(found) => actions.push(found),
                None => fault = true,
            }
        }
        let goods = self.program.known.goods.map_or(Type::Unknown, Type::Bag);
        let cost = perform.cost.as_ref().map(|cost| {
            let chooser = Some(Chooser { who: who.clone(), from: Stock::Hand { all: true } });
            let outer = std::mem::replace(&mut self.scope.chooser, chooser);
            let found = self.any_bag(cost, goods);
            self.scope.chooser = outer;
            found
        });
        if perform.free
            && let Some(cost) = &cost
        {
            self.sink.push(errors::free_for_a_price(cost.span));
        }
        fault |= cost.as_ref().is_some_and(|c| c.ty == Type::Unknown);
        for name in &perform.even {
            self.even_named(name, &actions);
        }
        if fault || actions.is_empty() {
            return None;
        }
        Some(Perform {
            who,
            must,
            actions,
            free: perform.free,
            cost,
            beyond_limit: perform.beyond_limit,
            even: perform.even.iter().map(|n| n.text.clone()).collect(),
            bind,
            otherwise,
        })
    }

    /// `even NAME`: one of the actions must have a requirement of that name.
    fn even_named(&mut self, name: &ast::Name, actions: &[(ActionId, Vec<Option<Expr>>)]) {
        let outline = std::rc::Rc::clone(&self.outline);
        let mut known = Vec::new();
        for (action, _) in actions {
            let Some(thing) = self.action_things.get(action.index()).and_then(|i| outline.things.get(*i)) else {
                continue;
            };
            let bodies = thing.versions.iter().filter_map(|v| match &v.item.kind {
                ast::ItemKind::Action(action) => Some(&action.body),
                _ => None,
            });
            for stmt in bodies.chain(thing.arounds.iter().map(|a| a.body)).flatten() {
                if let ast::StmtKind::Require { name: Some(name), .. } = &stmt.kind {
                    known.push(name.text.as_str());
                }
            }
        }
        if !known.contains(&name.text.as_str()) && !actions.is_empty() {
            let near = near_names(&name.text, known.iter().copied());
            let fault = errors::no_such_requirement(name.span, &name.text, &near, &known);
            self.sink.push(fault);
        }
    }

    /// The action that the words name, with the arguments that are given.
    fn performed_action(&mut self, parts: &[PerformPart]) -> Option<(ActionId, Vec<Option<Expr>>)> {
        let span = parts_span(parts)?;
        let outline = std::rc::Rc::clone(&self.outline);
        let mut best: Option<(usize, usize, Vec<Option<&PerformPart>>)> = None;
        let mut tie = false;
        for (id, index) in self.action_things.iter().enumerate() {
            let Some(ast::ItemKind::Action(action)) =
                outline.things.get(*index).and_then(|t| t.first()).map(|v| &v.item.kind)
            else {
                continue;
            };
            let Some((words, given)) = matched(&action.phrase, parts) else { continue };
            match &best {
                Some((_, most, _)) if words < *most => {}
                Some((_, most, _)) if words == *most => tie = true,
                Some(_) | None => {
                    best = Some((id, words, given));
                    tie = false;
                }
            }
        }
        let Some((id, _, given)) = best else {
            let words: Vec<&str> = parts
                .iter()
                .filter_map(|p| match p {
                    PerformPart::Word(word) => Some(word.text.as_str()),
                    PerformPart::Arg(_) => None,
                })
                .collect();
            let words = words.join(" ");
            if !self.gaps {
                // Compared with as many words of each action as were written.
                let count = words.split(' ').count();
                let begin = |name: &str| name.split(' ').take(count).collect::<Vec<_>>().join(" ");
                let known: Vec<String> = self.program.actions.iter().map(|a| begin(&a.name)).collect();
                let near = near_names(&words, known.iter().map(String::as_str));
                let fault = errors::unknown_action(span, &words, &near);
                self.unknown(&words, fault);
            }
            return None;
        };
        if tie {
            self.sink.push(errors::several_actions(span));
            return None;
        }
        let action = ActionId(id as u32);
        self.performed.insert(action.0);
        let types = self.action_params.get(id).cloned().unwrap_or_default();
        let mut args = Vec::new();
        let mut fault = false;
        for (part, ty) in given.into_iter().zip(types) {
            let arg = match part {
                None => None,
                Some(PerformPart::Arg(expr)) => Some(self.expect(expr, ty)),
                Some(PerformPart::Word(name)) => {
                    let expr = ast::Expr { kind: ast::ExprKind::Name(name.clone()), span: name.span };
                    Some(self.expect(&expr, ty))
                }
            };
            fault |= arg.as_ref().is_some_and(|a| a.ty == Type::Unknown);
            args.push(arg);
        }
        (!fault).then_some((action, args))
    }

    /// `allow me to …` as a condition: it is done before the statement, and was it done?
    pub(super) fn allowed(&mut self, perform: &ast::Perform, span: Span) -> Expr {
        if self.scope.before.is_none() {
            self.sink.push(errors::allow_as_value(span));
            return unknown(span);
        }
        let done = self.scope.add("done", LocalType::Value(Type::Truth), None, span);
        let Some(perform) = self.perform(perform, false, Some(done), Vec::new()) else { return unknown(span) };
        let stmt = Stmt { kind: StmtKind::Perform(perform), span };
        if let Some(before) = &mut self.scope.before {
            before.push(stmt);
        }
        let value = Expr { kind: ExprKind::Local(done), ty: Type::Truth, span };
        Expr { ty: known(Type::Truth, &[&value]), ..value }
    }
}

/// How many words of the phrase the parts match, and which part stands for each parameter. The parts may stop
/// early; parameters that are left out are chosen.
fn matched<'p>(phrase: &[ast::PhrasePart], parts: &'p [PerformPart]) -> Option<(usize, Vec<Option<&'p PerformPart>>)> {
    let params = phrase.iter().filter(|p| matches!(p, ast::PhrasePart::Param(_))).count();
    let Some((head, phrase)) = phrase.split_first() else {
        return parts.is_empty().then(|| (0, Vec::new()));
    };
    let Some((part, rest)) = parts.split_first() else {
        return Some((0, vec![None; params]));
    };
    match (head, part) {
        (ast::PhrasePart::Word(word), PerformPart::Word(given)) if word.text == given.text => {
            let (words, args) = matched(phrase, rest)?;
            Some((words + 1, args))
        }
        (ast::PhrasePart::Word(_), _) => None,
        (ast::PhrasePart::Param(_), _) => {
            let with = |given, (words, mut args): (usize, Vec<Option<&'p PerformPart>>)| {
                args.insert(0, given);
                (words, args)
            };
            let skipped = matched(phrase, parts).map(|found| with(None, found));
            let taken = matched(phrase, rest).map(|found| with(Some(part), found));
            match (skipped, taken) {
                (Some(a), Some(b)) => Some(if a.0 > b.0 { a } else { b }),
                (found, None) | (None, found) => found,
            }
        }
    }
}

fn parts_span(parts: &[PerformPart]) -> Option<Span> {
    let span = |part: &PerformPart| match part {
        PerformPart::Word(word) => word.span,
        PerformPart::Arg(expr) => expr.span,
    };
    let first = parts.first().map(span)?;
    Some(parts.last().map_or(first, |last| first.to(span(last))))
}
