//! How much a name stands for once everything behind it is written out. `a = b + b`, `b = c + c` and so on doubles
//! with each step: forty such lines would stand for more than any machine can hold, and the stages that come later
//! do write out definitions, prices, values of `let` and what an action comes to do. So what is too much is refused
//! here, before anything else looks into it.

use std::collections::BTreeMap;

use super::graph::walk;
use super::hidden::parts;
use super::{Checker, Cost, errors};
use crate::diagnostic::Diagnostic;
use crate::program::{Block, Expr, ExprKind, FunctionId, LocalId, StmtKind};
use crate::source::Span;

/// Parts that a name may stand for. The largest of a game that people play has a few hundred.
const MOST: u64 = 20_000;

/// How many steps from name to name there may be until what stands there is plain.
pub(super) const DEEPEST: usize = 100;

/// What something stands for: its parts, and the steps from name to name until all is plain.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    parts: u64,
    steps: usize,
}

impl Weight {
    fn and(self, other: Weight) -> Weight {
        Weight { parts: self.parts.saturating_add(other.parts), steps: self.steps.max(other.steps) }
    }

    /// The weight of what has this weight and a name.
    fn named(self) -> Weight {
        Weight { steps: self.steps + 1, ..self }
    }

    fn is_heavy(self) -> bool {
        self.parts > MOST || self.steps > DEEPEST
    }
}

/// What functions stand for, by their number.
#[derive(Debug, Default)]
pub struct Weights {
    functions: BTreeMap<usize, Weight>,
}

impl Weights {
    fn of(&self, expr: &Expr, lets: &BTreeMap<LocalId, Weight>) -> Weight {
        let named = match &expr.kind {
            ExprKind::Call { function, .. } => self.functions.get(&function.index()).copied(),
            ExprKind::Local(local) => lets.get(local).copied(),
            _ => None,
        };
        let own = Weight { parts: 1, steps: 0 }.and(named.unwrap_or_default());
        parts(expr).into_iter().fold(own, |sum, part| sum.and(self.of(part, lets)))
    }
}

impl Checker<'_> {
    /// Notes what a function stands for. One that stands for too much is a fault, and its body becomes nothing, so
    /// that whatever uses it is not at fault as well.
    pub(super) fn weigh_function(&mut self, id: FunctionId, name: &str, span: Span, body: &mut Expr) {
        let mut weight = self.weights.of(body, &BTreeMap::new()).named();
        if weight.is_heavy() {
            self.sink.push(errors::stands_for_too_much(span, &format!("`{name}`")));
            weight = Weight::default();
            body.kind = ExprKind::None;
        }
        self.weights.functions.insert(id.index(), weight);
    }

    /// The same for a price.
    pub(super) fn weigh_cost(&mut self, name: &str, body: &mut Expr) {
        if self.weights.of(body, &BTreeMap::new()).is_heavy() {
            self.sink.push(errors::stands_for_too_much(body.span, &format!("the cost of `{name}`")));
            body.kind = ExprKind::BagOf(Vec::new());
        }
    }

    /// Functions, procedures and prices are checked when they are first spoken of, one within the other: whether
    /// there is room for one more.
    pub(super) fn may_go_deeper(&mut self, name: &str, span: Span) -> bool {
        let under_way = self.costs.values().filter(|cost| matches!(cost, Cost::UnderWay)).count();
        let deep = self.under_way.len() + under_way > DEEPEST;
        if deep {
            self.sink.push(errors::stands_for_too_much(span, &format!("`{name}`")));
        }
        !deep
    }

    /// Values of `let` that are made of each other, and actions and procedures that do each other.
    pub(super) fn expansions(&mut self) {
        let program = &self.program;
        let units = program.procedures.iter().map(|p| (&p.name, p.span, &p.unit.body));
        let units: Vec<_> = units.chain(program.actions.iter().map(|a| (&a.name, a.span, &a.unit.body))).collect();
        let others = program.triggers.iter().map(|t| &t.unit.body).chain(program.phases.iter().map(|p| &p.begin.body));
        let mut found = Vec::new();
        for body in units.iter().map(|(_, _, body)| *body).chain(others).chain([&program.setup.body]) {
            self.heavy_lets(body, &mut found);
        }
        let bodies: Vec<&Block> = units.iter().map(|(_, _, body)| *body).collect();
        let mut units_weighed = Units {
            procedures: program.procedures.len(),
            bodies: &bodies,
            done: vec![None; bodies.len()],
            heavy: Vec::new(),
        };
        for node in 0..bodies.len() {
            units_weighed.weigh(node, 0);
        }
        for (name, span, _) in units_weighed.heavy.iter().filter_map(|node| units.get(*node)) {
            found.push(errors::stands_for_too_much(*span, &format!("`{name}`")));
        }
        found.into_iter().for_each(|fault| self.sink.push(fault));
    }

    /// Values of `let` are written out where requirements speak of them.
    fn heavy_lets(&self, body: &Block, found: &mut Vec<Diagnostic>) {
        let mut lets: BTreeMap<LocalId, Weight> = BTreeMap::new();
        walk(body, &mut |kind, span| {
            if let StmtKind::Let { local, value } = kind {
                let weight = self.weights.of(value, &lets);
                if weight.is_heavy() {
                    found.push(errors::stands_for_too_much(span, "this value"));
                }
                lets.insert(*local, if weight.is_heavy() { Weight::default() } else { weight.named() });
            }
        });
    }
}

/// Procedures and actions that do each other, under way. One that does itself again is told elsewhere.
struct Units<'a> {
    /// How many procedures there are; the actions come behind them.
    procedures: usize,
    bodies: &'a [&'a Block],
    done: Vec<Option<Weight>>,
    heavy: Vec<usize>,
}

impl Units<'_> {
    /// How many statements a unit comes to, with those of the procedures that it does and the actions that it has
    /// done.
    fn weigh(&mut self, node: usize, depth: usize) -> Weight {
        if let Some(Some(weight)) = self.done.get(node) {
            return *weight;
        }
        let Some(body) = self.bodies.get(node).copied() else { return Weight::default() };
        self.note(node, Weight::default());
        let mut weight = Weight::default();
        let mut written_out = Vec::new();
        walk(body, &mut |kind, _| {
            weight.parts = weight.parts.saturating_add(1);
            match kind {
                StmtKind::Do { procedure, .. } => written_out.push(procedure.index()),
                // Whether what a rule orders is possible is looked at before it begins.
                StmtKind::Perform(perform) if perform.must => {
                    written_out.extend(perform.actions.iter().map(|(action, _)| self.procedures + action.index()));
                }
                _ => {}
            }
        });
        if depth > DEEPEST {
            weight.steps = DEEPEST + 1;
        } else {
            for next in written_out {
                let inner = self.weigh(next, depth + 1).named();
                weight = weight.and(inner);
            }
        }
        if weight.is_heavy() {
            self.heavy.push(node);
            weight = Weight::default();
        }
        self.note(node, weight);
        weight
    }

    fn note(&mut self, node: usize, weight: Weight) {
        if let Some(known) = self.done.get_mut(node) {
            *known = Some(weight);
        }
    }
}
