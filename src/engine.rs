//! The engine: code over one flat memory. It offers two verbs to the rest of the world, *what is legal* and
//! *apply this*; everything else (text, bots, simulation, transcripts, JSON) is built on [`Game`].
//!
//! `instr` lists the instructions, `machine` executes them, `code` is a lowered ruleset with the descriptions
//! that its instructions point to, `game` is one game with its memory, `bags` and `random` and `trail` hold the
//! arithmetic that the instructions share. No file, clock or ambient chance is reached from here.

pub mod bags;
#[cfg(test)]
pub mod bare;
pub mod code;
pub mod disassemble;
pub mod game;
pub mod instr;
pub mod lines;
pub mod machine;
pub mod random;
pub mod trail;

pub use code::Code;
pub use game::{Decision, Fault, Game, Move, Value};
