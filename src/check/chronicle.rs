//! The chronicle: state that outlives a game. Its fields have a name space of their own (`chronicle wins of p`), are
//! what they are declared to be at first unless a record is given, and are otherwise fields like all others. Here is
//! also what is done when a game is over.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::outline::Kind;
use super::paths::{Base, Path, unknown};
use super::scope::{Home, Scope};
use super::types::field_type;
use super::{Checker, Outline, errors};
use crate::diagnostic::near_names;
use crate::program::{Block, DomainKind, Expr, ExprKind, Field, FieldId, FieldRole, StmtKind, TriggerEvent, Unit};
use crate::source::Span;
use crate::syntax::ast::{self, ItemKind};

impl<'a> Checker<'a> {
    pub(super) fn declare_chronicle(&mut self, outline: &Outline<'a>) {
        for (_, thing) in outline.of(Kind::Chronicle) {
            let Some(version) = thing.last() else { continue };
            let (ItemKind::Chronicle(states), Some(field)) = (&version.item.kind, version.field) else { continue };
            let Some(state) = states.iter().find(|s| s.fields.iter().any(|f| f.name.span == field.name.span)) else {
                continue;
            };
            self.chronicle_lost.insert(thing.name.clone());
            let Some(keys) = self.chronicle_keys(&state.keys) else { continue };
            let written = self.written_type(&field.ty, false);
            let Some((ty, none)) = field_type(&written) else { continue };
            if field.hidden && (keys.is_empty() || keys.first().copied() != self.program.known.player) {
                self.sink.push(errors::hidden_from_whom(field.name.span, &field.name.text));
            }
            let id = FieldId(self.program.fields.len() as u32);
            self.program.fields.push(Field {
                name: field.name.text.clone(),
                keys,
                ty,
                hidden: field.hidden,
                each_turn: false,
                clamped: field.clamped,
                none,
                at_most: Vec::new(),
                initial: None,
                pieces: Vec::new(),
                role: FieldRole::Chronicle,
                span: field.name.span,
            });
            if let Some(initial) = &field.initial {
                self.initials.push((id, initial, written.ty()));
            }
            self.chronicle_lost.remove(&thing.name);
            self.chronicle.insert(thing.name.clone(), id);
        }
    }

    /// A record is kept for players and for what has names in every game; places belong to one board.
    fn chronicle_keys(&mut self, keys: &[ast::Name]) -> Option<Vec<crate::program::DomainId>> {
        let mut out = Vec::new();
        for key in keys {
            let (domain, _) = self.member_type(key)?;
            let of_board = self
                .program
                .domains
                .get(domain.index())
                .is_some_and(|d| matches!(d.kind, DomainKind::Places | DomainKind::Slots { .. }));
            if of_board {
                self.sink.push(errors::chronicle_of_places(key.span));
                return None;
            }
            out.push(domain);
        }
        Some(out)
    }

    /// `chronicle wins of p`: what stands behind the word, with its keys.
    pub(super) fn chronicle_path(&mut self, expr: &ast::Expr, span: Span) -> Path {
        match &expr.kind {
            ast::ExprKind::Name(name) => self.chronicle_name(name),
            ast::ExprKind::Of { left, right, form } => {
                let path = self.chronicle_path(left, span);
                self.attach(path, right, *form, span, None)
            }
            ast::ExprKind::Index { base, index } => {
                let path = self.chronicle_path(base, span);
                self.attach(path, index, ast::OfForm::Of, span, None)
            }
            _ => {
                self.sink.push(errors::chronicle_of_what(span));
                Path { base: Base::Value(Box::new(unknown(span))), lane: None, span }
            }
        }
    }

    fn chronicle_name(&mut self, name: &ast::Name) -> Path {
        let span = name.span;
        if let Some(field) = self.chronicle.get(&name.text).copied() {
            let keys = self.program.fields.get(field.index()).map_or(0, |f| f.keys.len());
            return Path { base: Base::Field { field, keys: vec![None; keys] }, lane: None, span };
        }
        if !self.chronicle_lost.contains(&name.text) && !self.is_lost(&name.text) && !self.incomplete {
            let known: Vec<&str> = self.chronicle.keys().map(String::as_str).collect();
            let near = near_names(&name.text, known.iter().copied());
            let other = self.names.peek(&name.text).map(super::names::Entry::word);
            let fault = errors::not_in_chronicle(span, &name.text, &near, &known, other);
            match other {
                // The name means something, only not here.
                Some(_) => self.sink.push(fault),
                None => self.unknown(&name.text, fault),
            }
        }
        Path { base: Base::Value(Box::new(unknown(span))), lane: None, span }
    }

    /// `winner`, once the game is over.
    pub(super) fn winner_of_game(&mut self, span: Span) -> Expr {
        if self.scope.home != Home::End {
            self.sink.push(errors::winner_too_early(span));
            return unknown(span);
        }
        Expr { kind: ExprKind::Winner, ty: self.player_type(), span }
    }

    // ---- at the end --------------------------------------------------------------------------------------------------

    /// What all rulesets do at the end, those below first.
    pub(super) fn at_the_end(&mut self) {
        let outline = Rc::clone(&self.outline);
        let bodies: Vec<&'a ast::Block> = outline
            .of(Kind::AtEnd)
            .filter_map(|(_, thing)| match &thing.last()?.item.kind {
                ItemKind::AtEnd(body) => Some(body),
                _ => None,
            })
            .collect();
        let (scope, body) = self.within(Scope::new(Home::End), |checker| {
            bodies.iter().flat_map(|body| checker.block(body)).collect::<Block>()
        });
        self.program.at_end = Unit { locals: scope.locals, params: scope.params, body };
    }

    /// At the end nothing is chosen any more, nor does the game go on: the first thing that would do so, also in what
    /// is done from there.
    pub(super) fn nothing_is_chosen_at_the_end(&mut self) {
        let program = &self.program;
        let mut open: Vec<(&Block, Option<Span>)> = vec![(&program.at_end.body, None)];
        let mut seen: BTreeSet<(bool, usize)> = BTreeSet::new();
        let mut found: Option<(Span, &'static str, Option<Span>)> = None;
        while let Some((block, from)) = open.pop() {
            super::graph::walk(block, &mut |kind, span| {
                let at = from.unwrap_or(span);
                let what = match kind {
                    StmtKind::Ask(_) => Some("nobody can be asked"),
                    StmtKind::Perform(_) => Some("no action can be done"),
                    StmtKind::EndTurn => Some("no turn can end"),
                    StmtKind::EndGame { .. } => Some("the game cannot end again"),
                    StmtKind::Do { procedure, .. } => {
                        if seen.insert((false, procedure.index()))
                            && let Some(procedure) = program.procedures.get(procedure.index())
                        {
                            open.push((&procedure.unit.body, Some(at)));
                        }
                        None
                    }
                    _ => {
                        for (i, trigger) in program.triggers.iter().enumerate() {
                            if waits_for(&trigger.event, kind) && seen.insert((true, i)) {
                                open.push((&trigger.unit.body, Some(at)));
                            }
                        }
                        None
                    }
                };
                if let Some(what) = what
                    && found.is_none()
                {
                    found = Some((at, what, from.map(|_| span)));
                }
            });
        }
        if let Some((span, what, inner)) = found {
            self.sink.push(errors::at_the_end_nothing(span, what, inner));
        }
    }
}

/// Is the trigger done after such a statement?
fn waits_for(event: &TriggerEvent, kind: &StmtKind) -> bool {
    match (event, kind) {
        (TriggerEvent::Emitted(event), StmtKind::Emit { event: emitted, .. }) => event == emitted,
        (
            TriggerEvent::Arrival { piece, .. },
            StmtKind::Place { piece: placed, .. } | StmtKind::Move { piece: placed, .. },
        ) => piece == placed,
        (TriggerEvent::Reveal { .. }, StmtKind::Reveal { .. }) => true,
        _ => false,
    }
}

impl Checker<'_> {
    /// The bags of the chronicle are records: nothing moves into them or out of them.
    pub(super) fn is_record(&self, field: FieldId) -> bool {
        self.program.fields.get(field.index()).is_some_and(|f| f.role == FieldRole::Chronicle)
    }
}
