//! One sitting: everything between the engine and the people or programs that play.
//!
//! A [`sitting::Sitting`] is a game with its names, its log and what can be taken back. Around it: [`phrase`]
//! (moves as text), [`value`] (values as text and as JSON, and where the state keeps them), [`given`] and
//! [`chance`] (setting a position, forcing what chance does), [`evaluate`] (expressions asked about a game),
//! [`transcript`] (`.play` files), [`record`] (the chronicle's files), [`show`] and [`event`] (what a seat may see), [`picture`] and [`tracks`] (the board), [`protocol`] (JSON lines) and
//! [`repl`] (the prompt, without its terminal). The engine is used by its two verbs alone: what is legal, and
//! apply this. Nothing here touches files, clocks or terminals.

mod cards;
pub mod chance;
pub mod errors;
pub mod evaluate;
pub mod event;
pub mod given;
pub mod opening;
pub mod phrase;
pub mod picture;
pub mod protocol;
pub mod record;
pub mod repl;
pub mod show;
pub mod sitting;
pub mod token;
pub mod tracks;
pub mod transcript;
pub mod value;

use std::ops::Range;

use crate::engine::Fault;
use crate::source::Span;

/// Why something that was typed is not done. The game is as it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: u16,
    pub message: String,
    pub because: Vec<String>,
    pub help: Option<String>,
    /// The part of the typed text that is meant, in bytes.
    pub at: Option<Range<usize>>,
    /// The rule that could not be carried out.
    pub rule: Option<Span>,
    /// All its words are words of the game: it is well formed, but not for now.
    pub known: bool,
}

impl Refusal {
    pub fn new(code: u16, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into(), because: Vec::new(), help: None, at: None, rule: None, known: false }
    }

    pub fn at(mut self, at: Range<usize>) -> Refusal {
        self.at = Some(at);
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Refusal {
        self.help = Some(help.into());
        self
    }

    pub fn because(mut self, because: Vec<String>) -> Refusal {
        self.because = because;
        self
    }

    pub fn known(mut self) -> Refusal {
        self.known = true;
        self
    }

    /// The same refusal for a text that begins `by` bytes further on.
    pub fn shifted(mut self, by: usize) -> Refusal {
        self.at = self.at.map(|at| at.start + by..at.end + by);
        self
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Refusal {
        Refusal { rule: fault.span, ..Refusal::new(fault.code, fault.message) }
    }
}
