//! Transcripts: `.play` files, each at once a save, a replay, a bug report and a test. [`parse()`] takes a file
//! apart line by line (what a move or an expression means depends on the ruleset, so lines are all the grammar that
//! there is), [`run()`] plays it; every fault points into the file.
//!
//! A line is a head line (`scenario`, `players`, `option`, `seed`, `chronicle`), a move (`SEAT: MOVE`), `given`,
//! `dice`, `draw` or `expect`; `#` begins a comment.

mod parse;
mod run;

pub use parse::parse;
pub use run::{Run, resume, run};

use super::opening::{Opening, OpeningFault, Players};
use super::{errors, opening};
use crate::diagnostic::Diagnostic;
use crate::program::Program;
use crate::source::{FileId, Span};

/// A piece of a file's text and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Transcript {
    pub file: FileId,
    pub head: Head,
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, Default)]
pub struct Head {
    pub scenario: Option<Words>,
    pub players: Option<(Vec<Words>, Span)>,
    pub options: Vec<(Words, Words)>,
    pub seed: Option<(u64, Span)>,
    pub chronicle: Option<Words>,
}

#[derive(Clone, Debug)]
pub struct Line {
    pub kind: LineKind,
    /// The line without blanks at its ends and without its comment.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum LineKind {
    Move { seat: Words, text: Words },
    Given(Words),
    Dice(Words),
    Draw(Words),
    Expect(Words),
    ExpectLegal(Words),
    ExpectIllegal { text: Words, reason: Option<Words> },
    ExpectMoves(u64),
}

/// The seed of a transcript that names none.
pub const SEED: u64 = 1;

impl Transcript {
    /// The opening that the head asks for, or what is wrong with it.
    pub fn opening(&self, program: &Program) -> Result<Opening, Diagnostic> {
        let start = Span::new(self.file, 0, 0);
        let players = match &self.head.players {
            None => Players::Most,
            Some((names, _)) => match names.as_slice() {
                [only] if only.text.parse::<usize>().is_ok() => Players::Count(only.text.parse().unwrap_or_default()),
                names => Players::Names(names.iter().map(|n| n.text.clone()).collect()),
            },
        };
        let players_span = self.head.players.as_ref().map_or(start, |(_, span)| *span);
        let seats = opening::seats(program, &players).map_err(|fault| self.head_fault(&fault, players_span))?;
        let mut options = Vec::new();
        for (name, value) in &self.head.options {
            let setting = (name.text.clone(), value.text.clone());
            let fault = opening::options(program, std::slice::from_ref(&setting)).err();
            if let Some(fault) = fault {
                let span = match &fault {
                    OpeningFault::BadValue { .. } => value.span,
                    OpeningFault::WrongCount { .. } | OpeningFault::BadName(_) | OpeningFault::UnknownOption { .. } => {
                        name.span
                    }
                };
                return Err(self.head_fault(&fault, span));
            }
            options.push(setting);
        }
        let scenario = self.head.scenario.as_ref().map_or_else(|| program.name.clone(), |w| w.text.clone());
        let seed = self.head.seed.map_or(SEED, |(seed, _)| seed);
        Ok(Opening { scenario, seats, options, seed, forced: Vec::new(), record: None })
    }

    fn head_fault(&self, fault: &OpeningFault, span: Span) -> Diagnostic {
        match fault {
            OpeningFault::WrongCount { found, allowed } => errors::wrong_player_count(span, *found, allowed),
            OpeningFault::BadName(name) => {
                let names = self.head.players.iter().flat_map(|(names, _)| names);
                let at = names.rev().find(|n| n.text == *name).map_or(span, |n| n.span);
                errors::bad_seat_name(at, name)
            }
            OpeningFault::UnknownOption { name, near, all } => {
                let near: Vec<&str> = near.iter().map(String::as_str).collect();
                let all: Vec<&str> = all.iter().map(String::as_str).collect();
                errors::unknown_option(span, name, &near, &all)
            }
            OpeningFault::BadValue { name, value, expected } => errors::bad_option_value(span, name, value, expected),
        }
    }
}
