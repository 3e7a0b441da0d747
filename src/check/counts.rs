//! Counts that do not add up, as far as they are known before a game: what is laid along a path and the places
//! there, what is paid and how much of it there is at all.

use std::collections::BTreeSet;

use super::graph::walk;
use super::{Checker, errors};
use crate::diagnostic::Diagnostic;
use crate::program::{Block, BoardVariant, Compare, Expr, ExprKind, FieldRole, StmtKind};
use crate::source::Span;

impl Checker<'_> {
    pub(super) fn counts(&mut self) {
        let program = &self.program;
        let bodies: Vec<&Block> = std::iter::once(&program.setup.body)
            .chain(program.procedures.iter().map(|p| &p.unit.body))
            .chain(program.actions.iter().map(|a| &a.unit.body))
            .chain(program.triggers.iter().map(|t| &t.unit.body))
            .collect();
        let mut found: Vec<Diagnostic> = Vec::new();
        for body in bodies {
            walk(body, &mut |kind, span| match kind {
                StmtKind::Lay { values, path, within, .. } => {
                    found.extend(self.laid(values.len(), path, within.as_ref(), span));
                }
                StmtKind::Transfer { amount, pay: true, .. } => found.extend(self.paid(amount, span)),
                _ => {}
            });
        }
        for fault in found {
            if self.is_own(fault.span) {
                self.sink.push(fault);
            }
        }
    }

    /// As many values as places, on each board that has the path.
    fn laid(&self, values: usize, path: &str, within: Option<&Expr>, span: Span) -> Option<Diagnostic> {
        for board in &self.program.boards {
            let Some(path) = board.board.paths.iter().find(|p| p.name == path) else { continue };
            let along: BTreeSet<u16> = path.places.iter().copied().collect();
            let places = match within {
                None => along.len(),
                Some(set) => {
                    let Some(set) = self.places(set, board, 0) else { continue };
                    // Where the set reaches beyond the path, what lies on the path depends on the shuffling.
                    if !set.is_subset(&along) {
                        continue;
                    }
                    set.len()
                }
            };
            if places != values {
                return Some(errors::laid_on_too_many(span, values, places, &board.board.name));
            }
        }
        None
    }

    /// The places of a set on a board as it is drawn; None if that depends on more than the drawing.
    fn places(&self, set: &Expr, board: &BoardVariant, depth: usize) -> Option<BTreeSet<u16>> {
        let inner = |set: &Expr| self.places(set, board, depth);
        match &set.kind {
            ExprKind::All(domain) => {
                let kind = board.kinds.iter().position(|k| k == domain)?;
                Some((0..board.board.places(kind).len() as u16).collect())
            }
            ExprKind::Union(a, b) => Some(&inner(a)? | &inner(b)?),
            ExprKind::Intersect(a, b) => Some(&inner(a)? & &inner(b)?),
            ExprKind::Without(a, b) => Some(&inner(a)? - &inner(b)?),
            ExprKind::Reasoned { set, .. } => inner(set),
            ExprKind::Call { function, args } if args.is_empty() && depth < self.program.functions.len() => {
                let body = &self.program.functions.get(function.index())?.body;
                self.places(body, board, depth + 1)
            }
            // The places of a terrain.
            ExprKind::Filter { over, cond, .. } => {
                let ExprKind::Compare { op: Compare::Equal, left, right } = &cond.kind else { return None };
                let (ExprKind::Field { field, .. }, ExprKind::Member(member)) = (&left.kind, &right.kind) else {
                    return None;
                };
                if self.program.fields.get(field.index())?.role != FieldRole::Terrain {
                    return None;
                }
                let over = inner(over)?;
                let lies = |v: &&crate::program::BoardValue| v.field == *field && v.value == i64::from(*member);
                let there = board.values.iter().filter(lies).map(|v| v.place);
                Some(there.filter(|place| over.contains(place)).collect())
            }
            _ => None,
        }
    }

    /// There must be as much in the whole game as is paid at once.
    fn paid(&self, amount: &Expr, span: Span) -> Option<Diagnostic> {
        let ExprKind::BagOf(entries) = &amount.kind else { return None };
        let mut counts: Vec<(u32, i64)> = Vec::new();
        for (kind, count) in entries {
            let (ExprKind::Member(kind), ExprKind::Number(count)) = (&kind.kind, &count.kind) else { return None };
            match counts.iter_mut().find(|(k, _)| k == kind) {
                Some((_, sum)) => *sum = sum.saturating_add(*count),
                None => counts.push((*kind, *count)),
            }
        }
        if Some(amount.ty) != self.program.known.goods.map(crate::program::Type::Bag) {
            return None;
        }
        counts.into_iter().find_map(|(kind, count)| {
            self.program.homes.get(kind as usize).copied().flatten()?;
            let supply = self.program.supplies.get(kind as usize).copied().unwrap_or(0);
            let members = &self.program.domains.get(self.program.known.goods?.index())?.members;
            let name = members.get(kind as usize).map_or("", |m| m.name.as_str());
            (count > supply).then(|| errors::never_affordable(span, count, supply, name))
        })
    }
}
