//! Steps from place to place: how many lead somewhere, and where so many lead. Both go round by round over sets, one
//! step of all places at once.

use super::Lower;
use super::environment::Val;
use super::sets::SetAt;
use crate::engine::instr::Op;
use crate::program::{Expr, Type};

impl<'p> Lower<'p> {
    /// How many steps lead from one of the places to one of the others.
    pub fn distance(&mut self, from: &'p Expr, to: &'p Expr, inside: Option<&'p Expr>, along: &str) -> Val {
        let far = match from.ty {
            Type::Set(domain) => self.size(domain) as i64,
            Type::Truth | Type::Number | Type::Member(_) | Type::Bag(_) | Type::Nothing | Type::Unknown => 0,
        };
        let Some(way) = self.way(from, inside, along) else { return Val::Known(far) };
        let aim = self.set(to);
        let (count, far, zero, one) = (self.asm.scratch(1), self.number(far), self.number(0), self.number(1));
        let (again, done, lost) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.asm.emit(Op::Copy1, count, zero, 0);
        self.asm.place(again);
        self.branch_to(Op::JumpMeets1.wide(way.words), way.reached, aim.at, done);
        self.asm.emit(Op::Add, count, count, one);
        self.step_on(&way, lost);
        self.asm.jump(again);
        self.asm.place(lost);
        self.asm.emit(Op::Copy1, count, far, 0);
        self.asm.place(done);
        Val::At(count)
    }

    /// The places that at most so many steps lead to.
    pub fn reach(&mut self, steps: &'p Expr, from: &'p Expr, inside: Option<&'p Expr>, along: &str) -> SetAt {
        let steps = self.value(steps);
        let Some(way) = self.way(from, inside, along) else { return self.set(from) };
        let steps = self.address(steps);
        let (left, minus, zero) = (self.asm.scratch(1), self.number(-1), self.number(0));
        let (again, done) = (self.asm.label(), self.asm.label());
        self.asm.emit(Op::Copy1, left, steps, 0);
        self.asm.place(again);
        self.branch_to(Op::JumpAtMost, left, zero, done);
        self.asm.emit(Op::Add, left, left, minus);
        self.step_on(&way, done);
        self.asm.jump(again);
        self.asm.place(done);
        SetAt { at: way.reached, words: way.words, known: None }
    }

    /// What a search needs; none where no step leads anywhere.
    fn way(&mut self, from: &'p Expr, inside: Option<&'p Expr>, along: &str) -> Option<Way> {
        let Type::Set(domain) = from.ty else { return None };
        let (table, words) = self.relation(along, domain, domain)?;
        let start = self.set(from);
        let reached = self.copy_of(&start).at;
        let inside = inside.map(|inside| self.set(inside).at);
        let next = self.asm.scratch(words);
        Some(Way { reached, next, inside, table, words })
    }

    /// One step on from all places that were reached; where none is new, the search ends.
    fn step_on(&mut self, way: &Way, end: super::assemble::Label) {
        let words = way.words;
        self.asm.emit(Op::image(words, words), way.next, way.reached, way.table);
        if let Some(inside) = way.inside {
            self.asm.emit(Op::And1.wide(words), way.next, way.next, inside);
        }
        self.asm.emit(Op::Without1.wide(words), way.next, way.next, way.reached);
        self.branch_to(Op::JumpEmpty1.wide(words), way.next, 0, end);
        self.asm.emit(Op::Or1.wide(words), way.reached, way.reached, way.next);
    }
}

/// The addresses of a search: the places reached so far, those of the next step, where steps may end, where they lead.
struct Way {
    reached: u16,
    next: u16,
    inside: Option<u16>,
    table: u16,
    words: usize,
}
