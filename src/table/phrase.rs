//! Moves as text. The phrase of an action is the move: `raise tower on m3` is what is typed, listed, logged and
//! saved. The answer to a choice is the member or bag alone, or the words of a branch.
//!
//! Reading is generous about white space and exact about words. What cannot be read is told apart: words that are
//! no move of this game at all, a move that belongs to another moment, a value that does not exist.

mod misread;
mod read;

pub use misread::because;
pub use read::read;

use std::collections::BTreeSet;

use super::value::{self, either};
use crate::engine::code::{Entry, EntryLabel, SiteKind, TextPart};
use crate::engine::{Game, Move};
use crate::program::{self, PhrasePart};

/// What a player may type to decline, whatever the rules call it.
const DECLINING: [&str; 2] = ["pass", "none"];

/// A part of the text of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Word(String),
    /// Position in the entry's parameters.
    Param(usize),
}

/// The text of a move: its shortest form that reads back as the same move.
pub fn write(game: &Game, chosen: &Move) -> String {
    let Some(entry) = game.code.entries.get(usize::from(chosen.entry)) else { return String::new() };
    let forms = forms(game, entry);
    let alone = !game.code.sites.get(usize::from(entry.site)).is_some_and(|site| {
        let others = site.entries.iter().filter(|other| **other != chosen.entry);
        others
            .filter_map(|other| game.code.entries.get(usize::from(*other)))
            .any(|e| e.label == entry.label && e.seat == entry.seat)
    });
    let form = if alone { forms.last() } else { forms.first() };
    let words: Vec<String> = form
        .into_iter()
        .flatten()
        .map(|part| match part {
            Part::Word(word) => word.clone(),
            Part::Param(at) => value_text(game, entry, chosen, *at),
        })
        .collect();
    words.join(" ")
}

fn value_text(game: &Game, entry: &Entry, chosen: &Move, at: usize) -> String {
    match (entry.params.get(at), chosen.values.get(at)) {
        (Some(param), Some(value)) => game.value_text(param.ty, &value::words_of(value, &game.code, param.ty)),
        (None, _) | (_, None) => String::new(),
    }
}

/// The parts of an entry's text in all the ways in which it may be typed, the fullest first: what a rule has fixed
/// may be left out, with or without the words in front of it.
fn forms(game: &Game, entry: &Entry) -> Vec<Vec<Part>> {
    let full = full_form(game, entry);
    let is_fixed = |part: &Part| match part {
        Part::Param(at) => entry.params.get(*at).is_some_and(|p| p.fixed),
        Part::Word(_) => false,
    };
    let mut forms = vec![full.clone()];
    if full.iter().any(is_fixed) {
        forms.push(full.iter().filter(|part| !is_fixed(part)).cloned().collect());
        let mut shortest: Vec<Part> = Vec::new();
        for part in &full {
            if !is_fixed(part) {
                shortest.push(part.clone());
                continue;
            }
            // The words between the parameter before and this one go with it, but never the action's own.
            let after_param = shortest.iter().any(|p| matches!(p, Part::Param(_)));
            let least = if after_param { 1 } else { 2 };
            while shortest.len() >= least && matches!(shortest.last(), Some(Part::Word(_))) {
                shortest.pop();
                if !after_param {
                    break;
                }
            }
        }
        forms.push(shortest);
    }
    forms.dedup();
    forms
}

fn full_form(game: &Game, entry: &Entry) -> Vec<Part> {
    let all_params = || (0..entry.params.len()).map(Part::Param);
    match &entry.label {
        EntryLabel::Answer => all_params().collect(),
        EntryLabel::Words(words) => {
            words.split_whitespace().map(|w| Part::Word(w.into())).chain(all_params()).collect()
        }
        EntryLabel::Action(action) => {
            let Some(action) = game.code.program.actions.get(action.index()) else { return Vec::new() };
            let mut parts = Vec::new();
            for part in &action.phrase {
                match part {
                    PhrasePart::Word(_) if parts.is_empty() && entry.word.is_some() => {
                        parts.extend(entry.word.clone().map(Part::Word));
                    }
                    PhrasePart::Word(word) => parts.push(Part::Word(word.clone())),
                    PhrasePart::Param { local, .. } => {
                        let index = action.unit.params.iter().position(|p| p == local);
                        let at = index.and_then(|i| entry.params.iter().position(|p| p.index == i));
                        parts.extend(at.map(Part::Param));
                    }
                }
            }
            parts
        }
    }
}

/// The words in front of an entry's first value.
pub fn lead(game: &Game, entry: &Entry) -> String {
    let words = full_form(game, entry).into_iter().map_while(|part| match part {
        Part::Word(word) => Some(word),
        Part::Param(_) => None,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What people call that kind of move: `raise tower` for `raise tower on m3`.
pub fn name(game: &Game, entry: &Entry) -> String {
    program::short_name(lead(game, entry))
}

/// What the open decision asks, in words.
pub fn prompt(game: &mut Game) -> String {
    // The values in the text are computed with the menu, and whatever ran since has written over them.
    game.list_again();
    let Some(decision) = game.decision() else { return "the game is over".into() };
    let Some(site) = game.code.sites.get(usize::from(decision.site)) else { return String::new() };
    if let Some(reason) = site.prompt.and_then(|p| game.code.reasons.get(usize::from(p))) {
        let mut text = String::new();
        for part in &reason.parts {
            match part {
                TextPart::Text(t) => text.push_str(t),
                TextPart::Value(address, ty) => {
                    let words: Vec<u64> =
                        (0..game.code.words(*ty) as u16).map(|k| game.word(address.wrapping_add(k))).collect();
                    text.push_str(&game.value_text(*ty, &words));
                }
            }
        }
        return text;
    }
    match &site.kind {
        SiteKind::Phase(phase) => phase.clone(),
        SiteKind::Ask { .. } => {
            let mine = |e: &&Entry| e.seat.is_none_or(|seat| seat == decision.seat);
            let mut kinds: Vec<String> = Vec::new();
            for entry in entries(game, &site.entries).filter(mine) {
                let kind = match &entry.label {
                    EntryLabel::Answer => {
                        entry.params.first().map_or_else(String::new, |p| value::type_phrase(game, p.ty))
                    }
                    EntryLabel::Words(_) | EntryLabel::Action(_) => name(game, entry),
                };
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            format!("choose {}", either(&kinds).replace('`', ""))
        }
        SiteKind::Perform { must } => {
            // What may be done at any time is not what is asked for, unless it is all that there is.
            let any_time = |e: &&Entry| match &e.label {
                EntryLabel::Action(action) => {
                    let action = game.code.program.actions.get(action.index());
                    action.is_some_and(|a| a.time == program::ActionTime::AnyTime)
                }
                EntryLabel::Answer | EntryLabel::Words(_) => false,
            };
            let actions = || entries(game, &site.entries).filter(|e| matches!(e.label, EntryLabel::Action(_)));
            let asked: Vec<&Entry> = actions().filter(|e| !any_time(e)).collect();
            let asked = if asked.is_empty() { actions().collect() } else { asked };
            let names: BTreeSet<String> = asked.into_iter().map(|e| name(game, e)).collect();
            let names: Vec<String> = names.into_iter().collect();
            format!("{} {}", if *must { "you must" } else { "you may" }, either(&names).replace('`', ""))
        }
    }
}

fn entries<'g>(game: &'g Game, numbers: &'g [u16]) -> impl Iterator<Item = &'g Entry> {
    numbers.iter().filter_map(|n| game.code.entries.get(usize::from(*n)))
}
