//! Regelwerk: a rules language, an interpreter and a toolkit for board games written as text.
//!
//! The modules follow the way that a scenario goes, and each knows only the ones before it:
//! `source` and `diagnostic` (files, spans, faults), `syntax` (text to AST), `board` (drawings to places
//! and their neighbours), `check` (AST to a typed program), `compile` (program to code for a number of
//! players), `compare` (how two rulesets differ), `engine` (code over one flat memory), `script` (the bridge to Rhai), `table` (one sitting),
//! `view` (what a person sees), `bot` and `sim` (many games), `cli` (the commands).

pub mod board;
pub mod bot;
pub mod check;
pub mod cli;
pub mod compare;
pub mod compile;
pub mod diagnostic;
pub mod engine;
pub mod pipeline;
pub mod program;
pub mod script;
pub mod sim;
pub mod source;
pub mod syntax;
pub mod table;
pub mod view;
