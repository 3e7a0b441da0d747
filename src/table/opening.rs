//! What must be said before a game can begin: who plays, with which options and which seed. Names of seats and
//! values of options come as text and are matched with the program here.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::record::Record;
use super::value::either;
use crate::diagnostic::near_names;
use crate::program::{OptionDecl, OptionValues, Program};

/// The seats of a game, before the ruleset is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Players {
    /// As many as may play.
    #[default]
    Most,
    Count(usize),
    Names(Vec<String>),
}

/// A game about to begin. Two openings with the same seats and options have the same code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    pub scenario: String,
    pub seats: Vec<String>,
    /// Options that were set, as they are written.
    pub options: Vec<(String, String)>,
    pub seed: u64,
    /// What the chronicle holds at first, where a record says so.
    pub record: Option<Record>,
    /// Results that chance gives before all others, the set-up's included.
    pub forced: Vec<Forced>,
}

/// Results of chance that were chosen beforehand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Forced {
    /// The faces of dice, from 1.
    Dice(Vec<i64>),
    /// The name of a deck and cards of it, or `steal` and goods.
    Draw(String),
}

impl std::fmt::Display for Forced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Forced::Dice(faces) => {
                let faces: Vec<String> = faces.iter().map(i64::to_string).collect();
                write!(f, "dice     {}", faces.join(" "))
            }
            Forced::Draw(text) => write!(f, "draw     {text}"),
        }
    }
}

/// What is wrong with an opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningFault {
    WrongCount { found: usize, allowed: Vec<usize> },
    BadName(String),
    UnknownOption { name: String, near: Vec<String>, all: Vec<String> },
    BadValue { name: String, value: String, expected: String },
}

impl OpeningFault {
    /// One sentence for those who have no file to point into.
    pub fn message(&self) -> String {
        match self {
            OpeningFault::WrongCount { found, allowed } => {
                let allowed: Vec<String> = allowed.iter().map(usize::to_string).collect();
                format!("{found} cannot play this; it is for {} players", allowed.join(" or "))
            }
            OpeningFault::BadName(name) => format!(
                "RW0823: `{name}` cannot be the name of a seat: names are made of letters, digits and `_`, begin with a letter, mean nothing else, and each is there once"
            ),
            OpeningFault::UnknownOption { name, near, all } => {
                let more = match (near.as_slice(), all.as_slice()) {
                    ([], []) => "it has none".to_owned(),
                    ([], all) => format!("its options are {}", all.join(", ")),
                    (near, _) => format!("did you mean {}?", either(near)),
                };
                format!("this scenario has no option `{name}`; {more}")
            }
            OpeningFault::BadValue { name, value, expected } => {
                format!("the option `{name}` cannot be `{value}`; it is {expected}")
            }
        }
    }
}

/// The names of the seats: those that are given, or the first of the ruleset's own.
pub fn seats(program: &Program, players: &Players) -> Result<Vec<String>, OpeningFault> {
    let count = match players {
        Players::Most => program.players.last().copied().unwrap_or(1),
        Players::Count(count) => *count,
        Players::Names(names) => names.len(),
    };
    if !program.players.contains(&count) {
        return Err(OpeningFault::WrongCount { found: count, allowed: program.players.clone() });
    }
    if let Players::Names(names) = players {
        for (at, name) in names.iter().enumerate() {
            let plain =
                name.starts_with(|c: char| c.is_alphabetic()) && name.chars().all(|c| c.is_alphanumeric() || c == '_');
            if !plain || crate::check::is_taken(name) || names.iter().take(at).any(|other| other == name) {
                return Err(OpeningFault::BadName(name.clone()));
            }
        }
        return Ok(names.clone());
    }
    let own = program.known.player.and_then(|p| program.domains.get(p.index()));
    Ok((0..count)
        .map(|i| own.and_then(|d| d.members.get(i)).map_or_else(|| format!("player{}", i + 1), |m| m.name.clone()))
        .collect())
}

/// The values of options for the compiler.
pub fn options(program: &Program, settings: &[(String, String)]) -> Result<BTreeMap<String, i64>, OpeningFault> {
    let mut out = BTreeMap::new();
    for (name, value) in settings {
        let Some(option) = program.options.iter().find(|o| o.name == *name && !o.fixed) else {
            let all: Vec<String> = program.options.iter().filter(|o| !o.fixed).map(|o| o.name.clone()).collect();
            let near = near_names(name, all.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
            return Err(OpeningFault::UnknownOption { name: name.clone(), near, all });
        };
        let (found, expected) = option_value(program, option, value);
        match found {
            Some(found) => out.insert(name.clone(), found),
            None => return Err(OpeningFault::BadValue { name: name.clone(), value: value.clone(), expected }),
        };
    }
    Ok(out)
}

/// The value that a word stands for, and what the option can be.
fn option_value(program: &Program, option: &OptionDecl, word: &str) -> (Option<i64>, String) {
    match option.values {
        OptionValues::Words(domain) => {
            let words: Vec<&str> = program
                .domains
                .get(domain.index())
                .map(|d| d.members.iter().map(|m| m.name.as_str()).collect())
                .unwrap_or_default();
            (words.iter().position(|w| *w == word).map(|i| i as i64), either(&words))
        }
        OptionValues::Truth { .. } => {
            let value = match word {
                "yes" => Some(1),
                "no" => Some(0),
                _ => None,
            };
            (value, "`yes` or `no`".into())
        }
        OptionValues::Range { low, high } => {
            let value = word.parse().ok().filter(|n| (low..=high).contains(n));
            (value, format!("a number from {low} to {high}"))
        }
    }
}

/// The program with these names for its seats, so that rules, reasons and marks of the board speak of them. Names
/// that the ruleset itself gives to seats keep their marks; new names take those of the seat in their place.
pub fn with_seats(program: &Arc<Program>, seats: &[String]) -> Arc<Program> {
    let Some(players) = program.known.player else { return program.clone() };
    let own: Vec<String> = program
        .domains
        .get(players.index())
        .map(|d| d.members.iter().map(|m| m.name.clone()).collect())
        .unwrap_or_default();
    if own.iter().zip(seats).all(|(a, b)| a == b) && seats.len() <= own.len() {
        return program.clone();
    }
    let mut renamed = Program::clone(program);
    if let Some(domain) = renamed.domains.get_mut(players.index()) {
        let mut names: Vec<String> = seats.to_vec();
        names.extend(own.iter().filter(|name| !seats.contains(name)).cloned());
        for (member, name) in domain.members.iter_mut().zip(names) {
            member.name = name;
        }
    }
    if !seats.iter().all(|seat| own.contains(seat)) {
        for mark in renamed.boards.iter_mut().flat_map(|b| &mut b.board.marks) {
            let at = mark.seat.as_ref().and_then(|seat| own.iter().position(|o| o == seat));
            if let Some(new) = at.and_then(|at| seats.get(at)) {
                mark.seat = Some(new.clone());
            }
        }
    }
    Arc::new(renamed)
}
