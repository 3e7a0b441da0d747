//! What names stand for while a rule is compiled: locals, `me`, the active player, and which rules are under way.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::assemble::{ChunkId, Label};
use crate::program::{
    ActionId, ActionTime, Block, Choice, Expr, ExprKind, LocalId, Perform, Program, Stmt, StmtKind, TriggerEvent,
};

/// A number, truth or member: known now, or in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Val {
    Known(i64),
    At(u16),
}

/// What a local is.
#[derive(Clone, Debug)]
pub enum Bind<'p> {
    /// Not assigned in this context.
    Unset,
    Val(Val),
    /// A set or bag at an address.
    Wide(u16),
    /// A set known now.
    Set(Rc<Vec<u64>>),
    /// First word of a tally.
    Tally(u16),
    /// Computed where it is used, in the environment in which it was written.
    Lazy(&'p Expr, Rc<Scope<'p>>),
}

/// The locals of one unit or function.
#[derive(Clone, Debug, Default)]
pub struct Scope<'p> {
    pub binds: Vec<Bind<'p>>,
    pub me: Option<Val>,
}

impl<'p> Scope<'p> {
    /// Does the expression come to the same in both? Said only where that is plain to see.
    pub fn agrees(&self, other: &Scope<'p>, e: &Expr) -> bool {
        let mut same = self.me == other.me;
        super::functions::walk(e, &mut |e| {
            if let ExprKind::Local(local) | ExprKind::Tally { local, .. } = &e.kind {
                same &= match (self.binds.get(local.index()), other.binds.get(local.index())) {
                    (Some(Bind::Val(a)), Some(Bind::Val(b))) => a == b,
                    (Some(Bind::Wide(a)), Some(Bind::Wide(b))) | (Some(Bind::Tally(a)), Some(Bind::Tally(b))) => a == b,
                    (Some(Bind::Set(a)), Some(Bind::Set(b))) => a == b,
                    (Some(Bind::Lazy(a, x)), Some(Bind::Lazy(b, y))) => std::ptr::eq(*a, *b) && Rc::ptr_eq(x, y),
                    (Some(Bind::Unset) | None, Some(Bind::Unset) | None) => true,
                    (_, _) => false,
                };
            }
        });
        same
    }
}

/// A rule that has code of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnitKey {
    Procedure(usize),
    Action(usize),
    Trigger(usize),
    Phase(usize),
    /// What is done when a phase ends.
    PhaseEnd(usize),
    Setup,
    /// What is done when the game is over.
    AtEnd,
}

/// The terms on which an action is done from inside a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Terms {
    pub free: bool,
    pub beyond_limit: bool,
    pub even: Vec<String>,
    /// Identifies the cost that stands in place of the action's own.
    pub cost: Option<usize>,
}

/// What makes two uses of a rule the same code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstanceKey {
    pub unit: UnitKey,
    pub me: Option<Val>,
    pub active: Option<usize>,
    /// Known arguments; addresses of tallies.
    pub args: Vec<Option<i64>>,
    pub tallies: Vec<u16>,
    pub terms: Terms,
    pub secret: bool,
    pub countering: bool,
    /// How often each rule that can come to itself is under way.
    pub nested: Vec<(UnitKey, usize)>,
}

#[derive(Clone, Debug)]
pub struct Instance {
    pub chunk: ChunkId,
    pub label: Label,
    /// Where its return address is.
    pub back: u16,
    /// Where the parameters and the result are.
    pub frame: Vec<u16>,
    pub result: u16,
}

/// Where `stop` and the end of a block lead.
#[derive(Clone, Debug)]
pub struct Exits {
    /// Where `stop` leads: behind the innermost loop, or out of the unit.
    pub stop: Option<Label>,
    pub unit_end: Option<Label>,
    pub result: Option<u16>,
}

#[derive(Clone, Debug)]
pub struct Environment<'p> {
    pub scope: Scope<'p>,
    /// The active player, where known.
    pub active: Option<usize>,
    /// Units under way, outermost first.
    pub units: Vec<UnitKey>,
    pub exits: Exits,
    /// The rule's name, for faults.
    pub rule: String,
    pub terms: Terms,
    /// The cost in place of the action's own, and its environment.
    pub cost: Option<(&'p Expr, Rc<Scope<'p>>)>,
    /// A choice here is one of several made at once.
    pub secret: bool,
    /// Within a counter-offer no counter is offered.
    pub countering: bool,
}

impl Default for Environment<'_> {
    fn default() -> Self {
        Environment {
            scope: Scope::default(),
            active: None,
            units: Vec::new(),
            exits: Exits { stop: None, unit_end: None, result: None },
            rule: String::new(),
            terms: Terms::default(),
            cost: None,
            secret: false,
            countering: false,
        }
    }
}

impl<'p> Environment<'p> {
    pub fn bind(&mut self, local: LocalId, bind: Bind<'p>) {
        let at = local.index();
        if self.scope.binds.len() <= at {
            self.scope.binds.resize(at + 1, Bind::Unset);
        }
        self.scope.binds[at] = bind;
    }

    pub fn depth(&self, unit: UnitKey) -> usize {
        self.units.iter().filter(|u| **u == unit).count()
    }
}

/// The units that can come to do themselves again, directly or through others.
pub fn recursive_units(program: &Program) -> BTreeSet<UnitKey> {
    let mut links: BTreeMap<UnitKey, BTreeSet<UnitKey>> = BTreeMap::new();
    for (i, p) in program.procedures.iter().enumerate() {
        links.entry(UnitKey::Procedure(i)).or_default().extend(uses(program, &p.unit.body));
    }
    for (i, a) in program.actions.iter().enumerate() {
        links.entry(UnitKey::Action(i)).or_default().extend(uses(program, &a.unit.body));
    }
    for (i, t) in program.triggers.iter().enumerate() {
        links.entry(UnitKey::Trigger(i)).or_default().extend(uses(program, &t.unit.body));
    }
    in_circles(links)
}

/// What lies on some circle. What leads to nothing, or to nothing but such, lies on none; neither does what nothing
/// leads to. When all of that is taken out, few are left, and only for these is it looked where they lead.
fn in_circles(mut links: BTreeMap<UnitKey, BTreeSet<UnitKey>>) -> BTreeSet<UnitKey> {
    for _ in 0..2 {
        links = without_ends(&links);
        links = turned(&links);
    }
    let reaches = |from: UnitKey| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<UnitKey> = links.get(&from).into_iter().flatten().copied().collect();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                open.extend(links.get(&next).into_iter().flatten().copied());
            }
        }
        seen.contains(&from)
    };
    links.keys().copied().filter(|u| reaches(*u)).collect()
}

/// The links without those that lead, in the end, to something that leads nowhere.
fn without_ends(links: &BTreeMap<UnitKey, BTreeSet<UnitKey>>) -> BTreeMap<UnitKey, BTreeSet<UnitKey>> {
    let back = turned(links);
    let mut left: BTreeMap<UnitKey, usize> = links.iter().map(|(unit, to)| (*unit, to.len())).collect();
    let mut ends: Vec<UnitKey> = left.iter().filter(|(_, count)| **count == 0).map(|(unit, _)| *unit).collect();
    let mut gone = BTreeSet::new();
    while let Some(end) = ends.pop() {
        gone.insert(end);
        for from in back.get(&end).into_iter().flatten() {
            if let Some(count) = left.get_mut(from) {
                *count -= 1;
                if *count == 0 {
                    ends.push(*from);
                }
            }
        }
    }
    let kept = links.iter().filter(|(unit, _)| !gone.contains(*unit));
    kept.map(|(unit, to)| (*unit, to.difference(&gone).copied().collect())).collect()
}

/// The links the other way round.
fn turned(links: &BTreeMap<UnitKey, BTreeSet<UnitKey>>) -> BTreeMap<UnitKey, BTreeSet<UnitKey>> {
    let mut turned: BTreeMap<UnitKey, BTreeSet<UnitKey>> = links.keys().map(|unit| (*unit, BTreeSet::new())).collect();
    for (from, to) in links {
        for to in to {
            turned.entry(*to).or_default().insert(*from);
        }
    }
    turned
}

/// Visits the statements of a block and all within them, counter-offers included.
pub fn walk<'p>(block: &'p Block, visit: &mut dyn FnMut(&'p Stmt)) {
    for stmt in block {
        visit(stmt);
        match &stmt.kind {
            StmtKind::Perform(p) => walk(&p.otherwise, visit),
            StmtKind::Ask(ask) => {
                walk(&ask.otherwise, visit);
                if let Choice::Branches(branches) = &ask.choice {
                    for branch in branches {
                        walk(&branch.body, visit);
                        branch.counter.iter().for_each(|p| walk(&p.otherwise, visit));
                    }
                }
            }
            StmtKind::For(f) => walk(&f.body, visit),
            StmtKind::Repeat { body, .. } | StmtKind::Part { body, .. } => walk(body, visit),
            StmtKind::If { then, otherwise, .. } => {
                walk(then, visit);
                walk(otherwise, visit);
            }
            StmtKind::Case { arms, otherwise, .. } => {
                arms.iter().for_each(|(_, body)| walk(body, visit));
                walk(otherwise, visit);
            }
            _ => {}
        }
    }
}

/// All blocks of a program that are code of their own.
pub fn bodies(program: &Program) -> impl Iterator<Item = &Block> {
    let procedures = program.procedures.iter().map(|p| &p.unit.body);
    let actions = program.actions.iter().map(|a| &a.unit.body);
    let triggers = program.triggers.iter().map(|t| &t.unit.body);
    let phases = program.phases.iter().flat_map(|p| [&p.begin.body, &p.finish.body]);
    procedures.chain(actions).chain(triggers).chain(phases).chain([&program.setup.body, &program.at_end.body])
}

/// The units that a block does directly.
fn uses(program: &Program, block: &Block) -> BTreeSet<UnitKey> {
    let mut out = BTreeSet::new();
    let triggers = |is_it: &dyn Fn(&TriggerEvent) -> bool| -> Vec<UnitKey> {
        let all = program.triggers.iter().enumerate();
        all.filter(|(_, t)| is_it(&t.event)).map(|(i, _)| UnitKey::Trigger(i)).collect()
    };
    let actions = |p: &Perform| -> Vec<UnitKey> {
        p.actions.iter().map(|(a, _): &(ActionId, _)| UnitKey::Action(a.index())).collect()
    };
    walk(block, &mut |stmt| match &stmt.kind {
        StmtKind::Do { procedure, .. } => {
            out.insert(UnitKey::Procedure(procedure.index()));
        }
        StmtKind::Emit { event, .. } => {
            out.extend(triggers(&|t| matches!(t, TriggerEvent::Emitted(e) if e == event)));
        }
        StmtKind::Place { piece, .. } | StmtKind::Move { piece, .. } => {
            out.extend(triggers(&|t| matches!(t, TriggerEvent::Arrival { piece: p, .. } if p == piece)));
        }
        StmtKind::Reveal { .. } | StmtKind::Revealed { .. } => {
            out.extend(triggers(&|t| matches!(t, TriggerEvent::Reveal { .. })))
        }
        StmtKind::Perform(p) => out.extend(actions(p)),
        StmtKind::Ask(ask) => {
            // Whoever is asked may do first what can be done at any time.
            let any_time = program.actions.iter().enumerate().filter(|(_, a)| a.time == ActionTime::AnyTime);
            out.extend(any_time.map(|(i, _)| UnitKey::Action(i)));
            if let Choice::Branches(branches) = &ask.choice {
                out.extend(branches.iter().filter_map(|b| b.counter.as_ref()).flat_map(actions));
            }
        }
        _ => {}
    });
    out
}
