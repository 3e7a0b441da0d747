//! What is hidden must not decide what somebody may do: a requirement (and its reason) that reads what its actor
//! may not see would tell. How much is in a bag is open to all, and so is whether there is anything in it.

use super::{Checker, errors};
use crate::program::{Expr, ExprKind, FieldRole, LocalId, ReasonPart};

impl Checker<'_> {
    /// Reports what an expression of an action reads that its actor may not see.
    pub(super) fn open_to_me(&mut self, expr: &Expr) {
        if let Some(found) = self.hidden_in(expr, &|_| false, 0) {
            let field = self.program.fields.get(found.index());
            let (name, at) = field.map_or((String::new(), expr.span), |f| (f.name.clone(), f.span));
            self.sink.push(errors::reads_hidden(expr.span, &name, at));
        }
    }

    /// The first hidden field that is read; `mine` tells the locals that stand for the actor.
    fn hidden_in(&self, expr: &Expr, mine: &dyn Fn(LocalId) -> bool, depth: usize) -> Option<crate::program::FieldId> {
        let is_me = |e: &Expr| match &e.kind {
            ExprKind::Me => true,
            ExprKind::Local(local) => mine(*local),
            _ => false,
        };
        match &expr.kind {
            ExprKind::Field { field, keys } => {
                let declared = self.program.fields.get(field.index())?;
                let seen = match declared.role {
                    FieldRole::Deck(_) => false,
                    FieldRole::Declared
                    | FieldRole::Home
                    | FieldRole::Discards(_)
                    | FieldRole::Terrain
                    | FieldRole::OfPiece(_) => !declared.hidden || keys.first().is_some_and(is_me),
                };
                if !seen {
                    return Some(*field);
                }
                keys.iter().find_map(|k| self.hidden_in(k, mine, depth))
            }
            // Sizes are open.
            ExprKind::Size(bag) | ExprKind::Some(bag) if self.is_bag(bag) => None,
            ExprKind::Call { function, args } => {
                let called = self.program.functions.get(function.index())?;
                let own = |local: LocalId| {
                    let at = called.params.iter().position(|p| *p == local);
                    at.and_then(|i| args.get(i)).is_some_and(is_me)
                };
                // Functions do not recurse, so the depth is bounded by their number.
                let inside = if depth < self.program.functions.len() {
                    self.hidden_in(&called.body, &own, depth + 1)
                } else {
                    None
                };
                inside.or_else(|| args.iter().find_map(|a| self.hidden_in(a, mine, depth)))
            }
            _ => parts(expr).into_iter().find_map(|p| self.hidden_in(p, mine, depth)),
        }
    }

    fn is_bag(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Field { .. } => true,
            ExprKind::Kinds(of) => self.is_bag(of),
            _ => false,
        }
    }
}

/// The expressions that an expression is made of.
pub fn parts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Number(_)
        | ExprKind::Truth(_)
        | ExprKind::Member(_)
        | ExprKind::None
        | ExprKind::Local(_)
        | ExprKind::Me
        | ExprKind::Active
        | ExprKind::Phase
        | ExprKind::Turn
        | ExprKind::Option(_)
        | ExprKind::Holder(_)
        | ExprKind::All(_)
        | ExprKind::Members(_) => Vec::new(),
        ExprKind::Tally { key: of, .. }
        | ExprKind::AwardPoints(of)
        | ExprKind::Count(of)
        | ExprKind::Size(of)
        | ExprKind::Not(of)
        | ExprKind::Some(of)
        | ExprKind::First(of)
        | ExprKind::Owner { at: of, .. }
        | ExprKind::Next { player: of }
        | ExprKind::Owners { at: of, .. }
        | ExprKind::Image { of, .. }
        | ExprKind::Yields(of)
        | ExprKind::Kinds(of) => vec![of],
        ExprKind::Field { keys: all, .. }
        | ExprKind::Call { args: all, .. }
        | ExprKind::Script { args: all, .. }
        | ExprKind::SetOf(all) => all.iter().collect(),
        ExprKind::If { cond, then, otherwise } => vec![cond, then, otherwise],
        ExprKind::Arith { left: a, right: b, .. }
        | ExprKind::Compare { left: a, right: b, .. }
        | ExprKind::Sum { over: a, body: b, .. }
        | ExprKind::Lane { bag: a, kind: b }
        | ExprKind::Rank { of: a, by: b, .. }
        | ExprKind::Line { length: a, set: b, .. }
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::In { member: a, set: b }
        | ExprKind::Meets(a, b)
        | ExprKind::Has(a, b)
        | ExprKind::BagDisjoint(a, b)
        | ExprKind::Union(a, b)
        | ExprKind::Intersect(a, b)
        | ExprKind::Without(a, b)
        | ExprKind::Filter { over: a, cond: b, .. }
        | ExprKind::BagAdd(a, b)
        | ExprKind::BagSubtract(a, b)
        | ExprKind::BagTimes { count: a, bag: b }
        | ExprKind::BagWithin { bag: a, set: b } => vec![a, b],
        ExprKind::InSupply { owner, .. } | ExprKind::Pieces { owner, .. } => match owner {
            crate::program::Owner::Any | crate::program::Owner::Neutral => Vec::new(),
            crate::program::Owner::One(of) | crate::program::Owner::Among(of) => vec![of],
        },
        ExprKind::Distance { from: a, to: b, inside, .. } | ExprKind::Within { steps: a, from: b, inside, .. } => {
            [a.as_ref(), b.as_ref()].into_iter().chain(inside.as_deref()).collect()
        }
        ExprKind::Trail { sets, through, joined } => {
            sets.iter().chain(through.as_deref()).chain(joined.as_deref()).collect()
        }
        ExprKind::Mark { seat, .. } => seat.as_deref().into_iter().collect(),
        ExprKind::Reasoned { set, reason } => {
            let values = reason.parts.iter().filter_map(|p| match p {
                ReasonPart::Value(value) => Some(value),
                ReasonPart::Text(_) | ReasonPart::It => None,
            });
            std::iter::once(set.as_ref()).chain(values).collect()
        }
        ExprKind::BagOf(entries) => entries.iter().flat_map(|(a, b)| [a, b]).collect(),
        ExprKind::Lookup { of, place, .. } => std::iter::once(of.as_ref()).chain(place.as_deref()).collect(),
    }
}
