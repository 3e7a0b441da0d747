//! Choices: `ask` in its forms, and actions done from inside a rule (`make`, `allow`).

use super::expr::known;
use super::paths::{Base, unknown};
use super::scope::{Chooser, Home, Stock};
use super::sets::narrowed;
use super::{Checker, errors};
use crate::diagnostic::near_names;
use crate::program::{
    ActionId, Ask, Block, Branch, Choice, DomainId, Expr, ExprKind, LocalType, Perform, Stmt, StmtKind, Type,
};
use crate::source::Span;
use crate::syntax::ast::{self, PerformPart};

impl<'a> Checker<'a> {
    pub(super) fn ask(&mut self, ask: &'a ast::Ask, span: Span, out: &mut Block) {
        let player = self.player_type();
        let who = self.expect(&ask.who, player);
        let prompt = ask.prompt.as_ref().map(|p| self.reason(p, None));
        let otherwise = ask.otherwise.as_ref().map_or_else(Vec::new, |o| self.block(o));
        let choice = match &ask.choice {
            ast::Choice::For { count, up_to, name, ty, from, guard, or_none } => {
                let from = Offer { ty: ty.as_ref(), from: from.as_ref(), guard: guard.as_ref() };
                match (count, up_to) {
                    (_, true) => {
                        self.sink.push(errors::not_yet(span, "choosing up to a number of things"));
                        self.new_local(name, Type::Unknown, None);
                        return;
                    }
                    (Some(count), false) => {
                        let size = self.expect(count, Type::Number);
                        self.bag_choice(name, size, &from, *or_none, span)
                    }
                    (None, false) => match self.counted(&from) {
                        Some((size, bag)) => {
                            self.bag_choice(name, size, &Offer { from: Some(bag), ..from }, *or_none, span)
                        }
                        None => self.member_choice(name, &from, *or_none, span),
                    },
                }
            }
            ast::Choice::Branches(branches) => self.branches(branches, &who),
        };
        if let Some(choice) = choice
            && who.ty != Type::Unknown
        {
            out.push(Stmt { kind: StmtKind::Ask(Ask { who, choice, prompt, otherwise }), span });
        }
    }

    /// `for lost: half(n) of p.hand` puts the size before the bag.
    fn counted(&mut self, offer: &Offer<'a>) -> Option<(Expr, &'a ast::Expr)> {
        if offer.ty.is_some() {
            return None;
        }
        match offer.from.map(|f| &f.kind)? {
            ast::ExprKind::Of { left, right, form: ast::OfForm::Of } => match self.path(left, Type::Unknown).base {
                Base::Value(size) if size.ty == Type::Number => Some((*size, right)),
                Base::Value(_) | Base::Field { .. } | Base::Tally { .. } => None,
            },
            ast::ExprKind::Amount { count, of } => Some((self.expect(count, Type::Number), of)),
            _ => None,
        }
    }

    /// One member of a set.
    fn member_choice(&mut self, name: &'a ast::Name, offer: &Offer<'a>, or_none: bool, span: Span) -> Option<Choice> {
        let written = offer.ty.map(|ty| self.written_type(ty, false));
        let typed = match &written {
            Some(written) => match written.ty() {
                Type::Member(domain) if written.others => {
                    let me = self.expr(&ast::Expr { kind: ast::ExprKind::Me, span: name.span }, Type::Member(domain));
                    Some(self.others(me, domain, name.span))
                }
                Type::Member(domain) => Some(self.members(domain, written.among.clone(), name.span)),
                Type::Bag(domain) => {
                    // `for paid: 2 of coin` is a bag of that size.
                    let (size, _) = written.size?;
                    let among = written.among.clone().or_else(|| self.countable(domain));
                    let local = self.new_local(name, Type::Bag(domain), among.clone());
                    let size = super::expr::number(size, name.span);
                    return match (offer.from, among) {
                        (Some(from), _) => {
                            let from = self.expect(from, Type::Bag(domain));
                            (from.ty != Type::Unknown).then_some(Choice::Bag { local, size, from })
                        }
                        (None, Some(among)) => Some(Choice::Kinds { local, size, domain, among }),
                        (None, None) => {
                            let among = self.all_members(domain);
                            Some(Choice::Kinds { local, size, domain, among })
                        }
                    };
                }
                Type::Unknown => {
                    self.new_local(name, Type::Unknown, None);
                    return None;
                }
                Type::Truth | Type::Number | Type::Set(_) | Type::Nothing => {
                    self.sink.push(errors::not_yet(offer.ty.map_or(span, |t| t.span), "asking for a number"));
                    self.new_local(name, Type::Unknown, None);
                    return None;
                }
            },
            None => None,
        };
        let want = typed.as_ref().map_or(Type::Unknown, |t| t.ty);
        let from = offer.from.map(|from| {
            let found = self.set_wanted(from, want);
            self.coerce(found, want)
        });
        let mut over = match (typed, from) {
            (Some(typed), Some(from)) => self.narrowed_to(from, typed),
            (Some(typed), None) => typed,
            (None, Some(from)) => from,
            (None, None) => unknown(span),
        };
        if let Some(guard) = offer.guard {
            over = self.filtered(over, Some(name), guard, guard.span);
        }
        let among = self.kinds_of(&over);
        let ty = match over.ty {
            Type::Set(domain) => Type::Member(domain),
            _ => Type::Unknown,
        };
        let local = self.new_local(name, ty, among);
        if over.ty == Type::Unknown {
            return None;
        }
        self.stands_for_piece(local, &over);
        if super::empty::is_empty(&self.program, &over) {
            self.sink.push(errors::nothing_to_choose(over.span));
        }
        Some(Choice::Member { local, from: over, or_none })
    }

    /// Leaves out the words behind the goods, where a bag already gives only goods.
    fn narrowed_to(&self, from: Expr, typed: Expr) -> Expr {
        let all = match (&typed.kind, self.kinds_of(&from)) {
            (ExprKind::Members(members), Some(kinds)) => kinds.iter().all(|k| members.contains(k)),
            _ => false,
        };
        if all { from } else { narrowed(from, typed) }
    }

    pub(super) fn all_members(&self, domain: DomainId) -> Vec<u32> {
        let count = self.program.domains.get(domain.index()).map_or(0, |d| d.members.len());
        (0..count as u32).collect()
    }

    /// A bag of a size, out of another or of some kinds.
    fn bag_choice(
        &mut self,
        name: &'a ast::Name,
        size: Expr,
        offer: &Offer<'a>,
        or_none: bool,
        span: Span,
    ) -> Option<Choice> {
        if or_none {
            self.sink.push(errors::not_yet(span, "declining to choose a bag"));
        }
        if let Some(guard) = offer.guard {
            self.sink.push(errors::not_yet(guard.span, "a test of a chosen bag"));
        }
        let typed = match offer.ty {
            Some(ty) => {
                let written = self.written_type(ty, false);
                match written.ty() {
                    Type::Member(domain) if self.can_be_counted(domain) => {
                        Some((domain, written.among.or_else(|| self.countable(domain))))
                    }
                    Type::Unknown => {
                        self.new_local(name, Type::Unknown, None);
                        return None;
                    }
                    other => {
                        let what = self.type_name(other);
                        let fault = match other {
                            Type::Member(_) => errors::not_yet(span, "choosing several at once"),
                            _ => errors::cannot_count(ty.span, &what),
                        };
                        self.sink.push(fault);
                        self.new_local(name, Type::Unknown, None);
                        return None;
                    }
                }
            }
            None => None,
        };
        let want = typed.as_ref().map_or(Type::Unknown, |(d, _)| Type::Bag(*d));
        let from = offer.from.map(|from| self.expr(from, want));
        let (choice_ty, among) = match (&from, &typed) {
            (Some(from), _) => (from.ty, self.kinds_of(from)),
            (None, Some((domain, among))) => (Type::Bag(*domain), among.clone()),
            (None, None) => (Type::Unknown, None),
        };
        let domain = match choice_ty {
            Type::Bag(domain) | Type::Set(domain) if self.can_be_counted(domain) => domain,
            Type::Unknown => {
                self.new_local(name, Type::Unknown, None);
                return None;
            }
            ty => {
                let what = self.type_name(ty);
                self.sink.push(errors::cannot_count(offer.from.map_or(span, |f| f.span), &what));
                self.new_local(name, Type::Unknown, None);
                return None;
            }
        };
        let ty = Type::Bag(domain);
        let among = among.or_else(|| self.countable(domain));
        let local = self.new_local(name, ty, among.clone());
        if size.ty == Type::Unknown {
            return None;
        }
        Some(match from {
            Some(from) if from.ty == ty => {
                let from = match typed.and_then(|(_, among)| among) {
                    Some(members) => {
                        let set = Expr { kind: ExprKind::Members(members), ty: Type::Set(domain), span };
                        match self.kinds_of(&from) {
                            Some(kinds) if self.kinds_of(&set).is_some_and(|m| kinds.iter().all(|k| m.contains(k))) => {
                                from
                            }
                            _ => {
                                Expr { kind: ExprKind::BagWithin { bag: Box::new(from), set: Box::new(set) }, ty, span }
                            }
                        }
                    }
                    None => from,
                };
                Choice::Bag { local, size, from }
            }
            Some(_) | None => {
                let among = among.unwrap_or_else(|| self.all_members(domain));
                Choice::Kinds { local, size, domain, among }
            }
        })
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

/// What is put to choice: a type, a set or bag, a test.
struct Offer<'a> {
    ty: Option<&'a ast::TypeExpr>,
    from: Option<&'a ast::Expr>,
    guard: Option<&'a ast::Expr>,
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
