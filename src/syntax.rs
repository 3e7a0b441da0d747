//! Text to AST: the pest grammars under `grammar/` and the builder of the tree.
//!
//! `lex` and `layout` look at lines, brackets and quotes before the grammar does; `grammar` is the parser made by pest;
//! `parse` and the files beside it build the tree; `diagnose` finds the words for what the grammar could not read.

pub mod ast;
mod diagnose;
mod errors;
mod expressions;
mod fields;
mod grammar;
mod items;
mod layout;
mod lex;
mod names;
mod parse;
mod parts;
mod rules;
mod statements;
pub mod words;

pub use parse::{parse, parse_expr};

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests look at files and clocks")]
mod tests;
