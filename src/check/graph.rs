//! Circles that only the whole program shows: a procedure that makes an action, which does the procedure; an
//! event whose trigger emits it again. What comes back to itself could go on for ever.

use super::{Checker, errors};
use crate::program::{Block, Choice, Perform, StmtKind, TriggerEvent};
use crate::source::Span;

/// What leads to what: procedures first, then actions, then triggers.
struct Graph {
    edges: Vec<Vec<(usize, Span)>>,
}

impl Checker<'_> {
    pub(super) fn circles(&mut self) {
        let program = &self.program;
        let procedures = program.procedures.len();
        let actions = program.actions.len();
        let mut graph = Graph { edges: Vec::new() };
        let bodies = program
            .procedures
            .iter()
            .map(|p| &p.unit.body)
            .chain(program.actions.iter().map(|a| &a.unit.body))
            .chain(program.triggers.iter().map(|t| &t.unit.body));
        for body in bodies {
            let mut found = Vec::new();
            walk(body, &mut |kind, span| match kind {
                StmtKind::Do { procedure, .. } => found.push((procedure.index(), span)),
                StmtKind::Perform(perform) => {
                    found.extend(performed(perform).map(|action| (procedures + action, span)));
                }
                StmtKind::Emit { event, .. } => {
                    for (i, trigger) in program.triggers.iter().enumerate() {
                        if matches!(trigger.event, TriggerEvent::Emitted(e) if e == *event) {
                            found.push((procedures + actions + i, span));
                        }
                    }
                }
                StmtKind::Reveal { .. } | StmtKind::Revealed { .. } => {
                    for (i, trigger) in program.triggers.iter().enumerate() {
                        if matches!(trigger.event, TriggerEvent::Reveal { .. }) {
                            found.push((procedures + actions + i, span));
                        }
                    }
                }
                _ => {}
            });
            graph.edges.push(found);
        }
        let name = |node: usize| {
            if let Some(procedure) = program.procedures.get(node) {
                procedure.name.clone()
            } else if let Some(action) = program.actions.get(node - procedures) {
                action.name.clone()
            } else {
                program.triggers.get(node - procedures - actions).map_or(String::new(), |t| t.name.clone())
            }
        };
        let faults: Vec<(Span, Vec<String>)> =
            graph.circles().into_iter().map(|(span, nodes)| (span, nodes.into_iter().map(name).collect())).collect();
        for (span, names) in faults {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            self.sink.push(errors::circle(span, "do each other", &names));
        }
    }
}

fn performed(perform: &Perform) -> impl Iterator<Item = usize> {
    perform.actions.iter().map(|(action, _)| action.index())
}

/// Visits every statement. A counter is left out: it is not offered within a counter.
pub fn walk(block: &Block, visit: &mut impl FnMut(&StmtKind, Span)) {
    for stmt in block {
        visit(&stmt.kind, stmt.span);
        match &stmt.kind {
            StmtKind::Ask(ask) => {
                if let Choice::Branches(branches) = &ask.choice {
                    branches.iter().for_each(|b| walk(&b.body, visit));
                }
                walk(&ask.otherwise, visit);
            }
            StmtKind::Perform(perform) => walk(&perform.otherwise, visit),
            StmtKind::For(each) => walk(&each.body, visit),
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

impl Graph {
    /// One circle for each edge that closes one, in the order of a search from the first node on.
    fn circles(&self) -> Vec<(Span, Vec<usize>)> {
        let mut found = Vec::new();
        let mut done = vec![false; self.edges.len()];
        for start in 0..self.edges.len() {
            let mut stack: Vec<(usize, usize)> = vec![(start, 0)];
            while let Some((node, next)) = stack.last().copied() {
                if done.get(node).copied().unwrap_or(true) {
                    stack.pop();
                    continue;
                }
                let Some((to, span)) = self.edges.get(node).and_then(|e| e.get(next)).copied() else {
                    if let Some(flag) = done.get_mut(node) {
                        *flag = true;
                    }
                    stack.pop();
                    continue;
                };
                if let Some(top) = stack.last_mut() {
                    top.1 += 1;
                }
                match stack.iter().position(|(n, _)| *n == to) {
                    Some(from) => {
                        let mut nodes: Vec<usize> = stack.iter().skip(from).map(|(n, _)| *n).collect();
                        nodes.push(to);
                        found.push((span, nodes));
                    }
                    None => stack.push((to, 0)),
                }
            }
        }
        found
    }
}
