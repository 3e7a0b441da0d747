//! What is hidden must not decide what somebody may do: a requirement (and its reason) that reads what its actor
//! may not see would tell. How much is in a bag is open to all, and so is whether there is anything in it. The face
//! of a token that lies face down may be read behind the test `me in t.seen`.

use super::{Checker, errors};
use crate::program::{Expr, ExprKind, FieldRole, LocalId, Reason, ReasonPart};
use crate::source::Span;

impl Checker<'_> {
    /// Reports what a reason of an action reads that its actor may not see.
    pub(super) fn tells_nothing(&mut self, value: &Expr) {
        if let Some(found) = self.hidden_in(value, &|_| false, &[], 0) {
            self.tells_hidden(found, value.span);
        }
    }

    fn tells_hidden(&mut self, found: crate::program::FieldId, span: Span) {
        let tokens = self.program.tokens.iter().find(|t| t.face == found).map(|t| t.name.clone());
        let field = self.program.fields.get(found.index());
        let (name, at) = field.map_or((String::new(), span), |f| (f.name.clone(), f.span));
        let fault = match tokens {
            Some(tokens) => errors::reads_face(span, &tokens, at),
            None => errors::reads_hidden(span, &name, at),
        };
        self.sink.push(fault);
    }

    /// Reports what a requirement of an action reads that its actor may not see. Where the actor may only read it since
    /// it was required before that a token was seen, it holds by itself for one that was not: of all requirements that
    /// do not hold the reasons are told.
    pub(super) fn open_to_me(&mut self, cond: Expr) -> Expr {
        let seen = self.scope.seen_tokens().to_vec();
        let known: Vec<LocalId> = seen.iter().map(|(local, _)| *local).collect();
        if let Some(found) = self.hidden_in(&cond, &|_| false, &known, 0) {
            self.tells_hidden(found, cond.span);
            return cond;
        }
        let depends = self.hidden_in(&cond, &|_| false, &[], 0).is_some();
        // What is required behind this may read what it has tested.
        let mut tested = Vec::new();
        self.seen_by_me(&cond, &mut tested);
        tested.into_iter().for_each(|(local, test)| self.scope.see_token(local, test));
        if !depends {
            return cond;
        }
        seen.into_iter().fold(cond, |cond, (_, test)| {
            let (span, ty) = (cond.span, cond.ty);
            let unseen = Expr { kind: ExprKind::Not(Box::new(test)), ty, span };
            Expr { kind: ExprKind::Or(Box::new(unseen), Box::new(cond)), ty, span }
        })
    }

    /// The tokens of which a condition says that the actor has seen them.
    fn seen_by_me(&self, cond: &Expr, out: &mut Vec<(LocalId, Expr)>) {
        match &cond.kind {
            ExprKind::And(a, b) => {
                self.seen_by_me(a, out);
                self.seen_by_me(b, out);
            }
            ExprKind::In { member, set } if matches!(member.kind, ExprKind::Me) => {
                if let ExprKind::If { otherwise, .. } = &set.kind
                    && let ExprKind::Field { field, keys } = &otherwise.kind
                    && self.program.tokens.iter().any(|t| t.down.is_some_and(|down| down.seen == *field))
                    && let Some(ExprKind::Local(local)) = keys.first().map(|k| &k.kind)
                {
                    out.push((*local, cond.clone()));
                }
            }
            _ => {}
        }
    }

    /// The first hidden field that is read; `mine` tells the locals that stand for the actor, `known` are the tokens that
    /// the actor has seen.
    fn hidden_in(
        &self,
        expr: &Expr,
        mine: &dyn Fn(LocalId) -> bool,
        known: &[LocalId],
        depth: usize,
    ) -> Option<crate::program::FieldId> {
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
                    | FieldRole::Chronicle
                    | FieldRole::OfPiece(_) => !declared.hidden || keys.first().is_some_and(is_me),
                };
                let is_seen = |key: &Expr| matches!(&key.kind, ExprKind::Local(local) if known.contains(local));
                let lies_down = self.program.tokens.iter().any(|t| t.face == *field && t.down.is_some());
                if !seen || lies_down && !keys.first().is_some_and(is_seen) {
                    return Some(*field);
                }
                keys.iter().find_map(|k| self.hidden_in(k, mine, known, depth))
            }
            ExprKind::And(a, b) => self.hidden_in(a, mine, known, depth).or_else(|| {
                let mut tested = Vec::new();
                self.seen_by_me(a, &mut tested);
                let seen: Vec<LocalId> = known.iter().copied().chain(tested.into_iter().map(|(l, _)| l)).collect();
                self.hidden_in(b, mine, &seen, depth)
            }),
            // Sizes are open.
            ExprKind::Size(bag) | ExprKind::Some(bag) if self.is_bag(bag) => None,
            ExprKind::Call { function, args } => {
                let called = self.program.functions.get(function.index())?;
                let own = |local: LocalId| {
                    let at = called.params.iter().position(|p| *p == local);
                    at.and_then(|i| args.get(i)).is_some_and(is_me)
                };
                // Functions do not recurse, so the depth is bounded by their number.
                let is_known = |arg: &Expr| matches!(&arg.kind, ExprKind::Local(local) if known.contains(local));
                let params = called.params.iter().zip(args);
                let inner: Vec<LocalId> = params.filter(|(_, arg)| is_known(arg)).map(|(param, _)| *param).collect();
                let inside = if depth < self.program.functions.len() {
                    self.hidden_in(&called.body, &own, &inner, depth + 1)
                } else {
                    None
                };
                inside.or_else(|| args.iter().find_map(|a| self.hidden_in(a, mine, known, depth)))
            }
            _ => parts(expr).into_iter().find_map(|p| self.hidden_in(p, mine, known, depth)),
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

/// The values that are put into a text.
fn values_in(reason: &Reason) -> impl Iterator<Item = &Expr> {
    reason.parts.iter().filter_map(|part| match part {
        ReasonPart::Value(value) => Some(value),
        ReasonPart::Text(_) | ReasonPart::It => None,
    })
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
        | ExprKind::Winner
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
        ExprKind::Reasoned { set, reason } => std::iter::once(set.as_ref()).chain(values_in(reason)).collect(),
        ExprKind::BagOf(entries) => entries.iter().flat_map(|(a, b)| [a, b]).collect(),
        ExprKind::Lookup { of, place, .. } => std::iter::once(of.as_ref()).chain(place.as_deref()).collect(),
    }
}
