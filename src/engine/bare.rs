//! For tests: a code without rules, to which a test adds constants and instructions by hand.

use std::sync::Arc;

use super::code::{CONSTANTS, Code, Layout, SCRATCH};
use super::instr::{Instr, Op};
use super::machine::{Machine, Stop};
use super::trail::Graph;
use crate::program::Program;

pub struct Bare {
    pub code: Code,
    next: usize,
}

impl Bare {
    /// A code of an empty program, with so many words of state.
    pub fn new(players: usize, state: usize) -> Bare {
        Bare::of(Program::default(), players, state)
    }

    pub fn of(program: Program, players: usize, state: usize) -> Bare {
        let code = Code {
            program: Arc::new(program),
            players,
            options: Vec::new(),
            board: None,
            instrs: Vec::new(),
            faces: 0,
            chunks: Vec::new(),
            sources: Vec::new(),
            rules: Vec::new(),
            image: vec![0; usize::from(SCRATCH)],
            state,
            valid: Vec::new(),
            start: 0,
            turns: Vec::new(),
            phases: Vec::new(),
            settle: Vec::new(),
            halt: 0,
            invariants: 0,
            sites: Vec::new(),
            entries: Vec::new(),
            kept: Vec::new(),
            reasons: Vec::new(),
            events: Vec::new(),
            event_words: Vec::new(),
            reason_words: Vec::new(),
            faults: Vec::new(),
            trails: Vec::new(),
            lines: Vec::new(),
            shuffles: Vec::new(),
            scripts: Vec::new(),
            streams: Vec::new(),
            counters: Vec::new(),
            layout: Layout::default(),
            graph: Graph::default(),
            constants_end: CONSTANTS,
        };
        Bare { code, next: usize::from(CONSTANTS) }
    }

    /// The address of these words among the constants.
    pub fn constant(&mut self, words: &[u64]) -> u16 {
        let at = self.next;
        self.next += words.len();
        self.code.constants_end = self.next as u16;
        self.code.image[at..self.next].copy_from_slice(words);
        at as u16
    }

    pub fn emit(&mut self, op: Op, a: u16, b: u16, c: u16) {
        self.code.instrs.push(Instr { op, a, b, c });
    }

    /// Runs what was emitted, from the first instruction, on a fresh machine.
    pub fn run(&self) -> (Machine, Stop) {
        let mut machine = Machine::new(&self.code);
        let stop = machine.run(&self.code, 0);
        (machine, stop)
    }
}
