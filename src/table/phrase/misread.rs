//! What is wrong with words that are no move at the open decision, and with a move that is not legal.

use std::collections::BTreeSet;

use super::read::{Fit, fit};
use super::{name, prompt, write};
use crate::diagnostic::near_names;
use crate::engine::code::{Entry, EntryLabel, SiteKind};
use crate::engine::{Game, Move};
use crate::program::{ActionTime, Type};
use crate::table::value::{self, Token, either, with_article};
use crate::table::{Refusal, errors};

pub(super) fn misread(
    game: &mut Game,
    words: &[Token],
    here: &[u16],
    best: Vec<(usize, String, Option<value::Wrong>)>,
) -> Refusal {
    if let Some(refusal) = elsewhere(game, words) {
        return refusal;
    }
    let at = best.first().map_or(0, |b| b.0);
    let menu = menu_names(game, here);
    if at == 0 && best.iter().all(|b| b.2.is_none()) {
        return unknown(game, words, &menu);
    }
    // A word that is a value of another kind says most about what was meant.
    let wrongs: Vec<&value::Wrong> = best.iter().filter_map(|b| b.2.as_ref()).collect();
    let expected: BTreeSet<&str> = best.iter().map(|b| b.1.as_str()).filter(|e| *e != "nothing more").collect();
    let expected: Vec<&str> = expected.into_iter().collect();
    let Some(word) = words.get(at) else {
        let last = words.last().map_or(0..0, Token::range);
        return errors::unfinished(last, &joined(words), &list(&expected));
    };
    match wrongs.as_slice() {
        [wrong] if expected.len() == 1 => errors::wrong_value(word.range(), wrong),
        [] if expected.is_empty() => errors::too_many_words(word.range(), word.text),
        _ => {
            let known = wrongs.iter().any(|w| w.known);
            if at == 0 && !known && menu.iter().any(|m| m.contains(' ') || !m.is_empty()) {
                return unknown(game, words, &menu);
            }
            let near = near_names(word.text, expected.iter().map(|e| e.trim_matches('`')));
            errors::wrong_word(word.range(), word.text, &list(&expected), &near, known)
        }
    }
}

fn joined(words: &[Token]) -> String {
    words.iter().map(|t| t.text).collect::<Vec<_>>().join(" ")
}

/// `a`, `a or b`, `a, b or c`.
fn list(words: &[&str]) -> String {
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => (*only).to_owned(),
        Some((end, rest)) => format!("{} or {end}", rest.join(", ")),
    }
}

/// What can be done at the open decision: the names of its actions and the kinds of its answers.
fn menu_names(game: &mut Game, here: &[u16]) -> Vec<String> {
    let listed: BTreeSet<u16> = game.menu().iter().map(|row| row.entry).collect();
    let mut names = Vec::new();
    for number in here.iter().filter(|n| listed.contains(n)) {
        let Some(entry) = game.code.entries.get(usize::from(*number)) else { continue };
        let name = match &entry.label {
            EntryLabel::Answer => entry.params.first().map(|p| value::type_phrase(game, p.ty)).unwrap_or_default(),
            EntryLabel::Words(_) | EntryLabel::Action(_) => format!("`{}`", name(game, entry)),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A text that is a move, but not at this decision: says when it can be done.
fn elsewhere(game: &mut Game, words: &[Token]) -> Option<Refusal> {
    let prompt = prompt(game);
    let game = &*game;
    let code = &game.code;
    let fits = |(number, entry): &(usize, &Entry)| matches!(fit(game, *number as u16, entry, words), Fit::Whole(_));
    let (_, entry) = code.entries.iter().enumerate().find(fits)?;
    let text = joined(words);
    let open = game.decision().and_then(|d| code.sites.get(usize::from(d.site))).map(|s| &s.kind);
    let phase_of = |site: u16| match code.sites.get(usize::from(site)).map(|s| &s.kind) {
        Some(SiteKind::Phase(phase)) => Some(phase.clone()),
        Some(SiteKind::Ask { .. } | SiteKind::Perform { .. }) | None => None,
    };
    let (what, mut phases, on_call) = match &entry.label {
        EntryLabel::Answer => return Some(errors::nobody_asked(&text)),
        EntryLabel::Words(label) => {
            let same = code.entries.iter().filter(|e| e.label == entry.label);
            (label.clone(), same.filter_map(|e| phase_of(e.site)).collect::<Vec<_>>(), false)
        }
        EntryLabel::Action(id) => {
            let listing = code.program.phases.iter().filter(|phase| {
                phase.must.iter().flatten().chain(&phase.may).chain(&phase.one_of).any(|action| action == id)
            });
            let on_call = code.program.actions.get(id.index()).is_some_and(|a| a.time == ActionTime::OnCall);
            (name(game, entry), listing.map(|p| p.name.clone()).collect(), on_call)
        }
    };
    let mut seen = BTreeSet::new();
    phases.retain(|phase| seen.insert(phase.clone()));
    Some(match open {
        Some(SiteKind::Phase(now)) if !phases.contains(now) => errors::other_phase(&what, &phases, now, on_call),
        Some(SiteKind::Phase(_)) => errors::not_at_this_point(&what),
        Some(SiteKind::Ask { .. } | SiteKind::Perform { .. }) | None => {
            errors::choice_first(&what, &phases, on_call, &prompt)
        }
    })
}

/// A text whose first word nothing begins with.
fn unknown(game: &Game, words: &[Token], menu: &[String]) -> Refusal {
    let text = joined(words);
    let (first, rest) = match words.split_first() {
        Some((first, rest)) => (first.text, rest),
        None => ("", words),
    };
    let mut names: BTreeSet<String> = game.code.entries.iter().map(|e| name(game, e)).collect();
    names.extend(game.code.program.actions.iter().map(|a| a.name.clone()));
    names.retain(|n| !n.is_empty());
    // The whole of a short move, or the first word of a longer one, may be misspelt.
    let starts: BTreeSet<&str> = names.iter().filter_map(|n| n.split(' ').next()).collect();
    let mut near: Vec<String> =
        near_names(&text, names.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
    if near.is_empty() {
        let tail = joined(rest);
        near = near_names(first, starts.iter().copied())
            .into_iter()
            .map(|n| if tail.is_empty() { n.to_owned() } else { format!("{n} {tail}") })
            .collect();
    }
    let known = words.len() == 1 && value::is_known(game, first);
    errors::unknown_move(0..words.last().map_or(0, |t| t.range().end), &text, &near, menu, known)
}

/// Why a move that could be read is not legal; never empty for a move that is not.
pub fn because(game: &mut Game, chosen: &Move) -> Vec<String> {
    let reasons = game.why(chosen);
    if !reasons.is_empty() || game.is_legal(chosen) {
        return reasons;
    }
    let code = game.code.clone();
    let Some(entry) = code.entries.get(usize::from(chosen.entry)) else { return Vec::new() };
    let text = write(game, chosen);
    match &entry.label {
        EntryLabel::Answer => {
            let (moves, more) = game.moves(13);
            let texts: Vec<String> = moves.iter().map(|m| write(game, m)).collect();
            let kind = entry.params.first().map_or(String::new(), |p| match p.ty {
                Type::Member(domain) => with_article(value::kind_name(&code, domain)),
                ty => value::type_phrase(game, ty),
            });
            if more || texts.is_empty() || texts.len() > 12 {
                vec![format!("`{text}` is not {kind} that can be chosen here")]
            } else {
                vec![format!("`{text}` cannot be chosen here, only {}", either(&texts))]
            }
        }
        EntryLabel::Words(_) | EntryLabel::Action(_) => vec![format!("`{text}` cannot be done now")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_prose() {
        assert_eq!(list(&[]), "");
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b", "c"]), "a, b or c");
    }
}
