//! Keys that may be none: the place of no piece, the owner of nothing. What is read there is nothing (none, no, empty, the
//! least number); to write there is a fault, since it could only hit something else.

use std::collections::BTreeSet;

use super::Lower;
use super::environment::{Bind, UnitKey, Val, walk};
use crate::engine::instr::Op;
use crate::program::{Expr, ExprKind, FieldType, LocalId, StmtKind, Target};
use crate::source::Span;

impl<'p> Lower<'p> {
    /// Can the value of a member be none? Said of what is asked for, gone through or chosen as a parameter: never.
    pub fn may_be_none(&mut self, e: &'p Expr) -> bool {
        match &e.kind {
            ExprKind::Me | ExprKind::Active | ExprKind::Member(_) | ExprKind::Next { .. } => false,
            ExprKind::Local(local) => match self.env.scope.binds.get(local.index()).cloned() {
                Some(Bind::Val(Val::Known(n))) => n < 0,
                Some(Bind::Lazy(inner, scope)) => self.within(&scope, |l| l.may_be_none(inner)),
                Some(Bind::Val(Val::At(_))) => self.is_loose(*local),
                Some(Bind::Unset | Bind::Wide(_) | Bind::Set(_) | Bind::Tally(_)) | None => true,
            },
            ExprKind::Field { field, .. } => match &self.program.fields[field.index()].ty {
                FieldType::Member { or_none, domain, .. } => {
                    *or_none || self.program.domains[domain.index()].kind != crate::program::DomainKind::Words
                }
                FieldType::Truth | FieldType::Number { .. } | FieldType::Set(_) | FieldType::Bag { .. } => false,
            },
            ExprKind::If { then, otherwise, .. } => self.may_be_none(then) || self.may_be_none(otherwise),
            _ => true,
        }
    }

    /// Is the local of the unit under way one that statements give values, or that comes from whoever does the unit?
    fn is_loose(&mut self, local: LocalId) -> bool {
        let Some(unit) = self.env.units.last().copied() else { return true };
        if let Some(known) = self.loose.get(&unit) {
            return known.contains(&local);
        }
        let (body, _) = self.unit_of(unit);
        let mut loose: BTreeSet<LocalId> = match unit {
            // What an action is done with was chosen.
            UnitKey::Action(_) => BTreeSet::new(),
            UnitKey::Procedure(_)
            | UnitKey::Trigger(_)
            | UnitKey::Phase(_)
            | UnitKey::PhaseEnd(_)
            | UnitKey::Setup
            | UnitKey::AtEnd => body.params.iter().copied().collect(),
        };
        walk(&body.body, &mut |stmt| match &stmt.kind {
            StmtKind::Let { local, .. } => {
                loose.insert(*local);
            }
            StmtKind::Set { target: Target::Local(local), .. } => {
                loose.insert(*local);
            }
            StmtKind::Do { bind, .. } | StmtKind::Draw { bind, .. } => loose.extend(bind.iter().copied()),
            // Where there was nothing to choose, the rule does not go on with the answer.
            _ => {}
        });
        let found = loose.contains(&local);
        self.loose.insert(unit, loose);
        found
    }

    /// A fault where one of these keys is none, before something is written there.
    pub fn guard_keys(&mut self, doubts: &[u16], what: &str, span: Span) {
        if doubts.is_empty() {
            return;
        }
        let (none, fine, zero) = (self.asm.label(), self.asm.label(), self.number(0));
        for doubt in doubts {
            self.branch_to(Op::JumpLess, *doubt, zero, none);
        }
        self.asm.jump(fine);
        self.asm.place(none);
        self.fault(618, format!("`{what}` was to be changed for something that is none"), span);
        self.asm.place(fine);
    }

    /// Loads one of several groups of words, or what stands for nothing where one of the keys is none.
    pub fn load_or(&mut self, to: u16, words: usize, (base, cell): (u16, u16), doubts: &[u16], nothing: u16) {
        if doubts.is_empty() {
            self.asm.emit(Op::Load1.wide(words), to, base, cell);
            return;
        }
        let (done, zero) = (self.asm.label(), self.number(0));
        self.asm.emit(Op::Copy1.wide(words), to, nothing, 0);
        for doubt in doubts {
            self.branch_to(Op::JumpLess, *doubt, zero, done);
        }
        self.asm.emit(Op::Load1.wide(words), to, base, cell);
        self.asm.place(done);
    }
}
