//! Expressions of the language evaluated from outside at a decision: in transcripts, by people, by programs. They are
//! compiled like those of rules, but keep nothing, so they also check what rules keep.

use std::sync::Arc;

use super::Lower;
use super::assemble::{Assembler, Owners};
use super::environment::{Bind, Environment, Scope, Val};
use super::functions::Keeping;
use super::memory::{CONSTANTS, Memory};
use crate::engine::code::Code;
use crate::engine::game::{Fault, Game};
use crate::engine::instr::Op;
use crate::program::{Expr, ExprKind, Local, LocalType, Program, Type};

/// An expression ready to be evaluated.
pub struct Fragment {
    code: Code,
    result: u16,
    words: usize,
    pub ty: Type,
    /// Of a field's number that may be none: the value that stands for none.
    none: Option<i64>,
}

/// Compiles a checked expression for a game of this code; `locals` are those that it binds itself, `program` is the
/// code's own or one that begins like it and has more functions. None if it is too large.
pub fn expression(code: &Code, program: &Arc<Program>, locals: &[Local], expr: &Expr) -> Option<Fragment> {
    let mut memory = Memory::new(code.streams.len());
    memory.continue_behind(code.constants_end);
    let mut small = super::empty_code(program, code.players, code.board, code.streams.clone());
    small.layout = code.layout.clone();
    small.graph = code.graph.clone();
    let mut lower = Lower {
        loose: Default::default(),
        doubts: Vec::new(),
        costs: Vec::new(),
        collecting: Vec::new(),
        program,
        players: code.players,
        options: code.options.clone(),
        board: code.board,
        asm: Assembler::default(),
        memory,
        layout: code.layout.clone(),
        code: small,
        owners: Owners::default(),
        env: Environment::default(),
        instances: Default::default(),
        frames: Default::default(),
        keeping: Keeping::off(),
        readers: Vec::new(),
        recursive: Default::default(),
        turn_ends: Vec::new(),
        may_end_turn: false,
        makes_goods: false,
        tables: Default::default(),
        lookups: Default::default(),
        yields: None,
        faults: Vec::new(),
    };
    lower.asm.open("expression");
    let binds = locals
        .iter()
        .map(|local| match local.ty {
            LocalType::Value(Type::Set(_) | Type::Bag(_)) => Bind::Wide(lower.asm.scratch(8)),
            LocalType::Value(_) => Bind::Val(Val::At(lower.asm.scratch(1))),
            LocalType::Tally { .. } => Bind::Unset,
        })
        .collect();
    lower.env.scope = Scope { binds, me: None };
    let (result, words) = lower.anything(expr);
    lower.asm.emit(Op::EndMenu, 0, 0, 0);
    lower.asm.close();
    if lower.memory.overflow {
        return None;
    }
    let owners = std::mem::take(&mut lower.owners);
    let asm = std::mem::take(&mut lower.asm);
    let (memory, small) = (&mut lower.memory, &mut lower.code);
    asm.finish(small, &owners, &[], |mask| memory.constant(&[mask])).ok()?;
    let image = std::mem::take(&mut lower.memory.image);
    let mut small = lower.code;
    small.image = image;
    small.constants_end = lower.memory.constants_end();
    let field = if let ExprKind::Field { field, .. } = &expr.kind { program.fields.get(field.index()) } else { None };
    let none = field.and_then(|field| field.none);
    Some(Fragment { code: small, result, words, ty: expr.ty, none })
}

impl<'p> Lower<'p> {
    /// Computes a value of any type; its address and words.
    fn anything(&mut self, expr: &'p Expr) -> (u16, usize) {
        match expr.ty {
            Type::Set(_) => {
                let set = self.set(expr);
                (set.at, set.words)
            }
            Type::Bag(_) => {
                let bag = self.bag(expr);
                (bag.at, bag.words)
            }
            Type::Truth | Type::Number | Type::Member(_) | Type::Nothing | Type::Unknown => (self.value_at(expr), 1),
        }
    }
}

impl Fragment {
    /// Do these words stand for none, where a number was asked for?
    pub fn is_none(&self, words: &[u64]) -> bool {
        self.none.is_some_and(|none| words.first() == Some(&(none as u64)))
    }

    /// The value's words in the game as it stands. Nothing of the game's state changes.
    pub fn evaluate(&self, game: &mut Game) -> Result<Vec<u64>, Fault> {
        let from = usize::from(game.code.constants_end);
        let to = usize::from(self.code.constants_end);
        debug_assert!(from >= CONSTANTS as usize && to >= from);
        game.machine.memory[from..to].copy_from_slice(&self.code.image[from..to]);
        let state = game.machine.memory[..game.code.state].to_vec();
        let done = game.run_code_aside(&self.code, 0);
        let at = self.result as usize;
        let words = game.machine.memory[at..at + self.words].to_vec();
        game.machine.memory[..state.len()].copy_from_slice(&state);
        done.map(|()| words)
    }
}
