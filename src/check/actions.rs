//! Actions and the turn: phrases with their parameters, bodies with what was changed and added, phases with the
//! actions that they list.

use std::rc::Rc;

use super::outline::Kind;
use super::scope::{Home, Scope};
use super::types::Written;
use super::{Checker, errors};
use crate::diagnostic::near_names;
use crate::program::{
    Action, ActionId, ActionTime, Expr, ExprKind, LocalType, MAX_NUMBERS, ParamDomain, Phase, PhrasePart, Stmt,
    StmtKind, Type, Unit,
};
use crate::syntax::ast::{self, ItemKind, PhaseClause, When};

impl<'a> Checker<'a> {
    /// Enters all actions with the types of their parameters, so that rules can perform them.
    pub(super) fn declare_actions(&mut self) {
        let outline = Rc::clone(&self.outline);
        for (index, thing) in outline.of(Kind::Action) {
            let Some(version) = thing.first() else { continue };
            let ItemKind::Action(action) = &version.item.kind else { continue };
            let types = action
                .phrase
                .iter()
                .filter_map(|part| match part {
                    ast::PhrasePart::Word(_) => None,
                    ast::PhrasePart::Param(param) => {
                        Some(param.ty.as_ref().map_or(Type::Unknown, |ty| self.written_type(ty, false).ty()))
                    }
                })
                .collect();
            self.action_things.push(index);
            self.action_params.push(types);
            let time = match &action.when {
                ast::ActionTime::Group | ast::ActionTime::InPhases(_) => ActionTime::Phases,
                ast::ActionTime::OnCall => ActionTime::OnCall,
                ast::ActionTime::AnyTime => ActionTime::AnyTime,
            };
            self.program.actions.push(Action {
                phrase: Vec::new(),
                name: thing.name.clone(),
                doc: version.item.doc.clone().unwrap_or_default(),
                unit: Unit::default(),
                time,
                span: thing.span,
            });
        }
    }

    pub(super) fn actions(&mut self) {
        let outline = Rc::clone(&self.outline);
        for (id, index) in self.action_things.clone().into_iter().enumerate() {
            let Some(thing) = outline.things.get(index) else { continue };
            let versions: Vec<&'a ast::Action> = thing
                .versions
                .iter()
                .filter_map(|v| match &v.item.kind {
                    ItemKind::Action(action) => Some(action),
                    _ => None,
                })
                .collect();
            let (Some(first), Some(last)) = (versions.first(), versions.last()) else { continue };
            // A change that names no parameters keeps those of the declaration.
            let has_params = |a: &&ast::Action| a.phrase.iter().any(|p| matches!(p, ast::PhrasePart::Param(_)));
            let phrased = if has_params(last) { last } else { first };
            let scope = Scope::new(Home::Action(ActionId(id as u32)));
            let (scope, (phrase, body)) = self.within(scope, |checker| {
                let phrase = checker.phrase(&phrased.phrase);
                let mut body = Vec::new();
                for around in thing.around(When::Before) {
                    checker.around_block(around, &mut body);
                }
                let mut whole = Vec::new();
                checker.forms(thing.forms(), &mut whole);
                if thing.is_surrounded() {
                    // A choice that is declined skips the rest of the action, not what stands behind it.
                    body.push(Stmt {
                        kind: StmtKind::Part { name: thing.name.clone(), body: whole },
                        span: thing.span,
                    });
                } else {
                    body = whole;
                }
                for around in thing.around(When::After) {
                    checker.around_block(around, &mut body);
                }
                (phrase, body)
            });
            if let Some(action) = self.program.actions.get_mut(id) {
                action.phrase = phrase;
                action.unit = Unit { locals: scope.locals, params: scope.params, body };
            }
        }
    }

    fn phrase(&mut self, phrase: &'a [ast::PhrasePart]) -> Vec<PhrasePart> {
        // Domains are found before any parameter is visible: they cannot speak of each other.
        let domains: Vec<Option<(Type, Option<Vec<u32>>, ParamDomain)>> = phrase
            .iter()
            .map(|part| match part {
                ast::PhrasePart::Word(_) => None,
                ast::PhrasePart::Param(param) => self.param_domain(param),
            })
            .collect();
        let mut parts = Vec::new();
        for (part, domain) in phrase.iter().zip(domains) {
            match part {
                ast::PhrasePart::Word(word) => parts.push(PhrasePart::Word(word.text.clone())),
                ast::PhrasePart::Param(param) => {
                    let (ty, among, of) =
                        domain.unwrap_or((Type::Unknown, None, ParamDomain::Number { low: 0, high: 0 }));
                    let local = self.scope.add(&param.name.text, LocalType::Value(ty), among, param.name.span);
                    self.scope.params.push(local);
                    self.bind(&param.name, local);
                    parts.push(PhrasePart::Param { local, of });
                }
            }
        }
        parts
    }

    fn param_domain(&mut self, param: &'a ast::Param) -> Option<(Type, Option<Vec<u32>>, ParamDomain)> {
        let span = param.name.span;
        let Some(written) = &param.ty else {
            self.sink.push(errors::action_needs_types(span, &param.name.text));
            return None;
        };
        let Written { ty, among, or_none, range, others, size } = self.written_type(written, false);
        if or_none {
            self.sink.push(errors::param_or_none(written.span));
        }
        let ty = ty?;
        let of = match ty {
            Type::Member(domain) if others => {
                let me = Expr { kind: ExprKind::Me, ty, span };
                ParamDomain::Members(self.others(me, domain, span))
            }
            Type::Member(domain) => ParamDomain::Members(self.members(domain, among.clone(), span)),
            Type::Bag(domain) => {
                let members = among.clone().unwrap_or_else(|| self.all_members(domain));
                let (low, high) = size.unwrap_or((1, None));
                ParamDomain::Bag { domain, among: members, low, high }
            }
            Type::Number => {
                let (low, high) = range?;
                if high.saturating_sub(low) >= MAX_NUMBERS {
                    self.sink.push(errors::too_many_numbers(written.span, MAX_NUMBERS));
                }
                ParamDomain::Number { low, high }
            }
            Type::Truth | Type::Set(_) => {
                self.sink.push(errors::cannot_be_typed(written.span));
                return None;
            }
            Type::Nothing | Type::Unknown => return None,
        };
        Some((ty, among, of))
    }

    // ---- the turn -----------------------------------------------------------------------------------------------

    /// The phases of all layers: a change adds clauses to a phase of the same name, or a phase where it says.
    pub(super) fn phases(&self) -> Vec<(ast::Name, Vec<&'a PhaseClause>)> {
        let mut phases: Vec<(ast::Name, Vec<&'a PhaseClause>)> = Vec::new();
        for phase in self.written_phases() {
            let clauses = phase.clauses.iter();
            if let Some((_, known)) = phases.iter_mut().find(|(known, _)| known.text == phase.name.text) {
                known.extend(clauses);
                continue;
            }
            let place = phase.beside.as_ref().and_then(|(when, name)| {
                let found = phases.iter().position(|(known, _)| known.text == name.text)?;
                Some(if *when == When::Before { found } else { found + 1 })
            });
            phases.insert(place.unwrap_or(phases.len()), (phase.name.clone(), clauses.collect()));
        }
        phases
    }

    fn written_phases(&self) -> impl Iterator<Item = &'a ast::Phase> {
        let versions: Vec<&'a ItemKind> =
            self.outline.only(Kind::Turn).iter().flat_map(|t| &t.versions).map(|v| &v.item.kind).collect();
        versions.into_iter().flat_map(|kind| match kind {
            ItemKind::Turn(phases) => phases.as_slice(),
            _ => &[],
        })
    }

    /// Phases stand beside others that there are; only a new one says where it stands.
    fn check_places_of_phases(&mut self) {
        let known: Vec<ast::Name> = self.phases().into_iter().map(|(name, _)| name).collect();
        let written: Vec<&'a ast::Phase> = self.written_phases().collect();
        for phase in written {
            let Some((_, beside)) = &phase.beside else { continue };
            if !known.iter().any(|name| name.text == beside.text && name.text != phase.name.text) && !self.gaps {
                let near = near_names(&beside.text, known.iter().map(|n| n.text.as_str()));
                let fault = errors::unknown_phase(beside.span, &beside.text, &near);
                self.sink.push(fault);
            }
        }
    }

    pub(super) fn turn(&mut self) {
        self.check_places_of_phases();
        let outline = Rc::clone(&self.outline);
        for (name, mut clauses) in self.phases() {
            let arounds = outline.parts.get(&name.text).map_or(&[][..], Vec::as_slice);
            let around = |when: When| arounds.iter().filter(move |a| a.when == when);
            let instead = around(When::Instead).next_back();
            if instead.is_some() {
                clauses.clear();
            }
            let mut phase = Phase {
                name: name.text.clone(),
                begin: Unit::default(),
                finish: Unit::default(),
                must: Vec::new(),
                may: Vec::new(),
                one_of: Vec::new(),
                until: None,
                span: name.span,
            };
            let mut begin = Vec::new();
            for clause in clauses {
                match clause {
                    PhaseClause::Must(names) => {
                        for name in names {
                            let actions = self.group(name);
                            if !actions.is_empty() {
                                phase.must.push(actions);
                            }
                        }
                    }
                    PhaseClause::May(names) => phase.may.extend(names.iter().flat_map(|n| self.group(n))),
                    PhaseClause::OneOf(names) => phase.one_of.extend(names.iter().flat_map(|n| self.group(n))),
                    PhaseClause::Until(words) => {
                        let words: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
                        phase.until = Some(words.join(" "));
                    }
                    PhaseClause::Do(stmt) => begin.push(stmt),
                }
            }
            if instead.is_none() {
                phase.may.extend(self.put_into(&name.text));
            }
            let in_order = |actions: &mut Vec<ActionId>| {
                actions.sort();
                actions.dedup();
            };
            in_order(&mut phase.may);
            in_order(&mut phase.one_of);
            let (scope, body) = self.within(Scope::new(Home::Phase), |checker| {
                let mut out = Vec::new();
                for around in around(When::Before).chain(instead) {
                    checker.around_block(around, &mut out);
                }
                for stmt in begin {
                    let block: &'a [ast::Stmt] = std::slice::from_ref(stmt);
                    out.extend(checker.stmts(block));
                }
                out
            });
            phase.begin = Unit { locals: scope.locals, params: scope.params, body };
            let (scope, body) = self.within(Scope::new(Home::Phase), |checker| {
                let mut out = Vec::new();
                for around in around(When::After) {
                    checker.around_block(around, &mut out);
                }
                out
            });
            phase.finish = Unit { locals: scope.locals, params: scope.params, body };
            // A phase that only does something ends when that is done.
            let chooses = !phase.may.is_empty() || phase.begin.body.is_empty();
            let endless = phase.must.is_empty() && phase.one_of.is_empty() && phase.until.is_none();
            if chooses && endless && instead.is_none() && !self.gaps {
                self.sink.push(errors::phase_never_ends(name.span, &name.text));
            }
            self.program.phases.push(phase);
        }
    }

    /// The actions that a word in a phase stands for: those that begin with it, or that are called so.
    fn group(&mut self, name: &ast::Name) -> Vec<ActionId> {
        let outline = Rc::clone(&self.outline);
        let mut found = Vec::new();
        let mut named = false;
        for (id, action) in self.program.actions.iter().enumerate() {
            let listed = self.action_things.get(id).and_then(|i| outline.things.get(*i)).and_then(|t| t.last());
            let time = listed.and_then(|v| match &v.item.kind {
                ItemKind::Action(action) => Some(&action.when),
                _ => None,
            });
            if action.name == name.text || action.group() == name.text {
                named = true;
                if matches!(time, Some(ast::ActionTime::Group)) || action.name == name.text {
                    found.push(ActionId(id as u32));
                }
            }
        }
        let of_dropped = self.outline.dropped.iter().any(|dropped| {
            let word = dropped.name.split(' ').next();
            dropped.kind == Kind::Action && (word == Some(&name.text) || dropped.name == name.text)
        });
        if !named && !of_dropped && !self.gaps {
            let mut known: Vec<&str> = self.program.actions.iter().map(Action::group).collect();
            known.sort_unstable();
            known.dedup();
            let near = near_names(&name.text, known.iter().copied());
            let fault = errors::unknown_group(name.span, &name.text, &near, &known);
            self.sink.push(fault);
        }
        found
    }

    /// Single actions that say themselves in which phase they are (`action … in main`).
    fn put_into(&self, phase: &str) -> Vec<ActionId> {
        let mut found = Vec::new();
        for (id, index) in self.action_things.iter().enumerate() {
            let Some(version) = self.outline.things.get(*index).and_then(|t| t.last()) else { continue };
            if let ItemKind::Action(ast::Action { when: ast::ActionTime::InPhases(names), .. }) = &version.item.kind
                && names.iter().any(|n| n.text == phase)
            {
                found.push(ActionId(id as u32));
            }
        }
        found
    }

    /// Phases that actions put themselves into must exist.
    pub(super) fn check_own_phases(&mut self) {
        let outline = Rc::clone(&self.outline);
        for (_, thing) in outline.of(Kind::Action) {
            let Some(version) = thing.last() else { continue };
            let ItemKind::Action(ast::Action { when: ast::ActionTime::InPhases(names), .. }) = &version.item.kind
            else {
                continue;
            };
            for name in names {
                if !self.program.phases.iter().any(|p| p.name == name.text) && !self.gaps {
                    let known: Vec<&str> = self.program.phases.iter().map(|p| p.name.as_str()).collect();
                    let near = near_names(&name.text, known);
                    let fault = errors::unknown_phase(name.span, &name.text, &near);
                    self.sink.push(fault);
                }
            }
        }
    }
}
