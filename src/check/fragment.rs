//! An expression that stands in no rule: what a transcript expects, what a person or a program asks. It is checked
//! with everything that the ruleset declares, and with the words of the sitting: the names of the seats, and places.

use std::sync::Arc;

use super::names::Entry;
use super::scope::{Home, Scope};
use super::{Checker, Input};
use crate::diagnostic::Sink;
use crate::program::{DomainId, Expr, Local, Program, Type};
use crate::source::Sources;
use crate::syntax::ast;

/// Words that mean something in one sitting only.
#[derive(Clone, Debug, Default)]
pub struct SittingWords {
    /// The names of the seats, in order.
    pub seats: Vec<String>,
    /// A word and the members that it can mean; the place in which it stands tells which.
    pub members: Vec<(String, DomainId, u32)>,
}

/// Checks an expression. The program that is given with it begins like the ruleset's and may have more functions;
/// None if there was a fault, which is then in the sink.
pub fn expression(
    input: &Input,
    sources: &Sources,
    words: &SittingWords,
    tree: &ast::Expr,
    sink: &mut Sink,
) -> Option<(Arc<Program>, Vec<Local>, Expr)> {
    // Faults of the rules were told when the scenario was read.
    let mut told = Sink::new();
    let mut checker = Checker::new(input, sources, &mut told);
    checker.declare();
    checker.bodies();
    if let Some(players) = checker.program.known.player {
        for (index, seat) in words.seats.iter().enumerate() {
            checker.names.call(seat, Entry::Member(players, index as u32));
            let member = checker.program.domains.get_mut(players.index()).and_then(|d| d.members.get_mut(index));
            if let Some(member) = member {
                member.name.clone_from(seat);
            }
        }
    }
    for (word, domain, member) in &words.members {
        checker.enter_word(word, *domain, *member);
    }
    checker.unknown.clear();
    *checker.sink = Sink::new();
    let (scope, expr) = checker.within(Scope::new(Home::End), |checker| checker.expr(tree, Type::Unknown));
    checker.tell_unknown();
    let program = Arc::new(std::mem::take(&mut checker.program));
    let locals = scope.locals;
    let faulty = told.has_errors() || expr.ty == Type::Unknown;
    told.sorted().into_iter().for_each(|found| sink.push(found));
    (!faulty).then_some((program, locals, expr))
}
