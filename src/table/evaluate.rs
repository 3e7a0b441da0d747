//! Expressions of the language, asked about a game at one moment: `expect EXPR`, `given … = EXPR`, `eval`. The
//! names of the seats are players in them.

use crate::diagnostic::Diagnostic;
use crate::engine::Game;
use crate::program::Type;
use crate::source::Span;

/// Computes an expression without changing the game; gives its type and its words. Spans of faults count from the
/// start of the text, in no file.
pub fn evaluate(_game: &mut Game, text: &str) -> Result<(Type, Vec<u64>), Diagnostic> {
    let span = Span { start: 0, end: text.len() as u32, ..Span::default() };
    Err(Diagnostic::error(699, span, "expressions cannot be evaluated yet"))
}

/// The points of a seat that everybody sees and those that only it sees, where the rules count points.
pub fn points(_game: &mut Game, _seat: usize) -> (Option<i64>, Option<i64>) {
    (None, None)
}
