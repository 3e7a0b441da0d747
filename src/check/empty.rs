//! Sets that hold nothing whatever happens: `dry & marsh`, where `dry` leaves the marsh out. Only what the way in which a
//! set is written shows is seen; what depends on the state is not looked at.

use std::cell::Cell;

use crate::program::{Expr, ExprKind, Owner, Program};

/// How far named sets are followed into each other.
const DEPTH: usize = 24;

/// How many comparisons of sets are made before it is let be.
const STEPS: u32 = 10_000;

/// Whether the set never has a member.
pub fn is_empty(program: &Program, set: &Expr) -> bool {
    Search { program, steps: Cell::new(STEPS) }.empty(set, DEPTH)
}

struct Search<'a> {
    program: &'a Program,
    /// How many more comparisons there may be.
    steps: Cell<u32>,
}

impl<'a> Search<'a> {
    /// The depth of the next step, if there may be one.
    fn step(&self, depth: usize) -> Option<usize> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        depth.checked_sub(1)
    }

    fn empty(&self, set: &'a Expr, depth: usize) -> bool {
        let Some(depth) = self.step(depth) else { return false };
        match &self.inner(set).kind {
            ExprKind::Members(members) => members.is_empty(),
            ExprKind::Intersect(a, b) => self.empty(a, depth) || self.empty(b, depth) || self.apart(a, b, depth),
            ExprKind::Without(a, b) => self.empty(a, depth) || self.within(a, b, depth),
            ExprKind::Union(a, b) => self.empty(a, depth) && self.empty(b, depth),
            ExprKind::Filter { over, .. } => self.empty(over, depth),
            _ => false,
        }
    }

    /// What a named set without parameters stands for, and what stands behind a reason.
    fn inner(&self, set: &'a Expr) -> &'a Expr {
        let mut set = set;
        for _ in 0..DEPTH {
            set = match &set.kind {
                ExprKind::Reasoned { set, .. } => set,
                ExprKind::Call { function, args } if args.is_empty() => {
                    match self.program.functions.get(function.index()) {
                        Some(function) => &function.body,
                        None => return set,
                    }
                }
                _ => return set,
            };
        }
        set
    }

    /// Whether the sets have no member in common.
    fn apart(&self, a: &'a Expr, b: &'a Expr, depth: usize) -> bool {
        let Some(depth) = self.step(depth) else { return false };
        let (a, b) = (self.inner(a), self.inner(b));
        let one_way = |a: &'a Expr, b: &'a Expr| match &a.kind {
            ExprKind::Without(all, taken) => self.within(b, taken, depth) || self.apart(all, b, depth),
            ExprKind::Intersect(x, y) => self.apart(x, b, depth) || self.apart(y, b, depth),
            ExprKind::Union(x, y) => self.apart(x, b, depth) && self.apart(y, b, depth),
            _ => false,
        };
        match (&a.kind, &b.kind) {
            (ExprKind::Members(a), ExprKind::Members(b)) => a.iter().all(|member| !b.contains(member)),
            (ExprKind::Filter { cond: a, .. }, ExprKind::Filter { cond: b, .. }) if other_value(a, b) => true,
            _ => one_way(a, b) || one_way(b, a),
        }
    }

    /// Whether all of `a` is in `b`.
    fn within(&self, a: &'a Expr, b: &'a Expr, depth: usize) -> bool {
        let Some(depth) = self.step(depth) else { return false };
        let (a, b) = (self.inner(a), self.inner(b));
        if same(a, b) {
            return true;
        }
        let by_part = match &a.kind {
            ExprKind::Intersect(x, y) => self.within(x, b, depth) || self.within(y, b, depth),
            ExprKind::Without(x, _) => self.within(x, b, depth),
            ExprKind::Filter { over, .. } => self.within(over, b, depth),
            ExprKind::Union(x, y) => self.within(x, b, depth) && self.within(y, b, depth),
            _ => false,
        };
        by_part
            || match &b.kind {
                ExprKind::All(_) => true,
                ExprKind::Union(x, y) => self.within(a, x, depth) || self.within(a, y, depth),
                _ => false,
            }
    }
}

/// `it.f == x` and `it.f == y` of two different members.
fn other_value(a: &Expr, b: &Expr) -> bool {
    match (tested(a), tested(b)) {
        (Some((a_field, a_member)), Some((b_field, b_member))) => a_field == b_field && a_member != b_member,
        _ => false,
    }
}

/// The field and the member of `it.f == x`.
fn tested(cond: &Expr) -> Option<(crate::program::FieldId, u32)> {
    let ExprKind::Compare { op: crate::program::Compare::Equal, left, right } = &cond.kind else { return None };
    let ExprKind::Field { field, keys } = &left.kind else { return None };
    let (ExprKind::Member(member), [Expr { kind: ExprKind::Local(_), .. }]) = (&right.kind, keys.as_slice()) else {
        return None;
    };
    Some((*field, *member))
}

/// Whether two sets are written alike.
fn same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::All(a), ExprKind::All(b)) => a == b,
        (ExprKind::Members(a), ExprKind::Members(b)) => a == b,
        (ExprKind::Pieces { piece: a, owner: Owner::Any }, ExprKind::Pieces { piece: b, owner: Owner::Any }) => a == b,
        (ExprKind::Filter { cond: a, .. }, ExprKind::Filter { cond: b, .. }) => {
            tested(a).is_some() && tested(a) == tested(b)
        }
        _ => false,
    }
}
