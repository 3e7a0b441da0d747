//! What names stand for while a rule is compiled: locals, `me`, the active player, and which rules are under way.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::assemble::{ChunkId, Label};
use crate::program::{ActionId, Block, Choice, Expr, LocalId, Perform, Program, StmtKind, TriggerEvent};

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

/// The units that a block does directly.
fn uses(program: &Program, block: &Block) -> BTreeSet<UnitKey> {
    let mut out = BTreeSet::new();
    let arrivals = |piece: crate::program::PieceId, out: &mut BTreeSet<UnitKey>| {
        for (i, t) in program.triggers.iter().enumerate() {
            if matches!(t.event, TriggerEvent::Arrival { piece: p, .. } if p == piece) {
                out.insert(UnitKey::Trigger(i));
            }
        }
    };
    let perform = |p: &Perform, out: &mut BTreeSet<UnitKey>| {
        out.extend(p.actions.iter().map(|(a, _): &(ActionId, _)| UnitKey::Action(a.index())));
        out.extend(uses(program, &p.otherwise));
    };
    for stmt in block {
        match &stmt.kind {
            StmtKind::Do { procedure, .. } => {
                out.insert(UnitKey::Procedure(procedure.index()));
            }
            StmtKind::Emit { event, .. } => {
                for (i, t) in program.triggers.iter().enumerate() {
                    if matches!(t.event, TriggerEvent::Emitted(e) if e == *event) {
                        out.insert(UnitKey::Trigger(i));
                    }
                }
            }
            StmtKind::Place { piece, .. } | StmtKind::Move { piece, .. } => arrivals(*piece, &mut out),
            StmtKind::Perform(p) => perform(p, &mut out),
            StmtKind::Ask(ask) => {
                out.extend(uses(program, &ask.otherwise));
                if let Choice::Branches(branches) = &ask.choice {
                    for b in branches {
                        out.extend(uses(program, &b.body));
                        if let Some(p) = &b.counter {
                            perform(p, &mut out);
                        }
                    }
                }
            }
            StmtKind::For(f) => out.extend(uses(program, &f.body)),
            StmtKind::Repeat { body, .. } | StmtKind::Part { body, .. } => out.extend(uses(program, body)),
            StmtKind::If { then, otherwise, .. } => {
                out.extend(uses(program, then));
                out.extend(uses(program, otherwise));
            }
            StmtKind::Case { arms, .. } => {
                for (_, body) in arms {
                    out.extend(uses(program, body));
                }
            }
            StmtKind::Require { .. }
            | StmtKind::Limit(_)
            | StmtKind::Suggest(_)
            | StmtKind::Transfer { .. }
            | StmtKind::Steal { .. }
            | StmtKind::Draw { .. }
            | StmtKind::Remove { .. }
            | StmtKind::ShuffleField { .. }
            | StmtKind::ShuffleDeck(_)
            | StmtKind::Lay { .. }
            | StmtKind::Roll { .. }
            | StmtKind::Let { .. }
            | StmtKind::Tally(_)
            | StmtKind::Set { .. }
            | StmtKind::Add { .. }
            | StmtKind::Return(_)
            | StmtKind::Stop
            | StmtKind::EndTurn
            | StmtKind::EndGame { .. }
            | StmtKind::Script { .. } => {}
        }
    }
    out
}
