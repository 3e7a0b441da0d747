//! Moves as text. The phrase of an action is the move: `raise tower on m3` is what is typed, listed, logged and
//! saved. The answer to a choice is the member or bag alone, or the words of a branch.
//!
//! Reading is generous about white space and exact about words. What cannot be read is told apart: words that are
//! no move of this game at all, a move that belongs to another moment, a value that does not exist.

use std::collections::BTreeSet;

use super::value::{self, Token, either, tokens, with_article};
use super::{Refusal, errors};
use crate::diagnostic::near_names;
use crate::engine::code::{Entry, EntryLabel, SiteKind, TextPart};
use crate::engine::game::BAG_WORDS;
use crate::engine::{Game, Move, Value};
use crate::program::{Action, ActionTime, PhrasePart, Type};

/// Words that lead over to a value and are no part of a move's name.
const LINKING: [&str; 10] = ["at", "by", "for", "from", "in", "into", "of", "on", "to", "with"];

/// What a player may type to decline, whatever the rules call it.
const DECLINING: [&str; 2] = ["pass", "none"];

/// A part of the text of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Word(String),
    /// Position in the entry's parameters.
    Param(usize),
}

// ---- writing ----------------------------------------------------------------------------------------------

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
    shortened(lead(game, entry))
}

/// What people call an action: the words in front of its first parameter.
pub fn action_name(action: &Action) -> String {
    let words = action.phrase.iter().map_while(|part| match part {
        PhrasePart::Word(word) => Some(word.as_str()),
        PhrasePart::Param { .. } => None,
    });
    shortened(words.collect::<Vec<_>>().join(" "))
}

fn shortened(lead: String) -> String {
    let short = lead.rsplit_once(' ').filter(|(_, last)| LINKING.contains(last)).map(|(front, _)| front.to_owned());
    short.unwrap_or(lead)
}

/// What the open decision asks, in words.
pub fn prompt(game: &Game) -> String {
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
            let names: BTreeSet<String> = entries(game, &site.entries)
                .filter(|e| matches!(e.label, EntryLabel::Action(_)))
                .map(|e| name(game, e))
                .collect();
            let names: Vec<String> = names.into_iter().collect();
            format!("{} {}", if *must { "you must" } else { "you may" }, either(&names).replace('`', ""))
        }
    }
}

fn entries<'g>(game: &'g Game, numbers: &'g [u16]) -> impl Iterator<Item = &'g Entry> {
    numbers.iter().filter_map(|n| game.code.entries.get(usize::from(*n)))
}

// ---- reading ----------------------------------------------------------------------------------------------

/// How far a text fits an entry.
enum Fit {
    Whole(Vec<Value>),
    /// The word that does not fit, or the end of the text; what would fit there; why it does not.
    Until {
        at: usize,
        expected: String,
        wrong: Option<value::Wrong>,
    },
}

/// The move that a text means at the open decision; it need not be legal.
pub fn read(game: &mut Game, text: &str) -> Result<Move, Refusal> {
    let words = tokens(text);
    let Some(decision) = game.decision() else { return Err(errors::game_over()) };
    if words.is_empty() {
        return Err(errors::no_words());
    }
    let code = game.code.clone();
    // What a rule has fixed is written when the moves are listed.
    game.menu();
    let here = code.sites.get(usize::from(decision.site)).map_or(&[] as &[u16], |site| &site.entries);

    let mut whole: Vec<Move> = Vec::new();
    let mut best: Vec<(usize, String, Option<value::Wrong>)> = Vec::new();
    for number in here {
        let Some(entry) = code.entries.get(usize::from(*number)) else { continue };
        if entry.seat.is_some_and(|seat| seat != decision.seat) {
            continue;
        }
        match fit(game, *number, entry, &words) {
            Fit::Whole(values) => whole.push(Move { entry: *number, values }),
            Fit::Until { at, expected, wrong } => {
                let reached = best.first().map_or(0, |b| b.0);
                if at > reached {
                    best.clear();
                }
                if at >= reached {
                    best.push((at, expected, wrong));
                }
            }
        }
    }
    if let [only] = whole.as_slice() {
        return Ok(only.clone());
    }
    if let Some(first) = whole.first().cloned() {
        // Several entries can have one text, such as an action that two rules offer; the one that can be done is meant.
        return Ok(whole.into_iter().find(|m| game.is_legal(m)).unwrap_or(first));
    }
    Err(misread(game, &words, here, best))
}

fn fit(game: &Game, number: u16, entry: &Entry, words: &[Token]) -> Fit {
    if let EntryLabel::Words(label) = &entry.label
        && DECLINING.contains(&label.as_str())
        && let [word] = words
        && DECLINING.contains(&word.text)
    {
        return Fit::Whole(Vec::new());
    }
    let mut furthest = Fit::Until { at: 0, expected: String::new(), wrong: None };
    for form in forms(game, entry) {
        let fit = fit_form(game, number, entry, &form, words);
        match (&fit, &furthest) {
            (Fit::Whole(_), _) => return fit,
            (Fit::Until { at, .. }, Fit::Until { at: reached, expected, .. }) => {
                if at > reached || expected.is_empty() {
                    furthest = fit;
                }
            }
            (Fit::Until { .. }, Fit::Whole(_)) => {}
        }
    }
    furthest
}

fn fit_form(game: &Game, number: u16, entry: &Entry, form: &[Part], words: &[Token]) -> Fit {
    let mut values: Vec<Option<Value>> = vec![None; entry.params.len()];
    let mut at = 0;
    for part in form {
        match part {
            Part::Word(word) => {
                if words.get(at).is_none_or(|t| t.text != word) {
                    return Fit::Until { at, expected: format!("`{word}`"), wrong: None };
                }
                at += 1;
            }
            Part::Param(index) => {
                let Some(param) = entry.params.get(*index) else { continue };
                match value::value(game, param.ty, words.get(at..).unwrap_or(&[])) {
                    Ok((found, used)) => {
                        if let Some(to) = values.get_mut(*index) {
                            *to = Some(found);
                        }
                        at += used;
                    }
                    Err((offset, wrong)) => {
                        let wrong = (at + offset < words.len()).then_some(wrong);
                        return Fit::Until { at: at + offset, expected: value::type_phrase(game, param.ty), wrong };
                    }
                }
            }
        }
    }
    if at < words.len() {
        return Fit::Until { at, expected: "nothing more".into(), wrong: None };
    }
    let mut filled = Vec::new();
    for (index, (typed, param)) in values.into_iter().zip(&entry.params).enumerate() {
        let own = || fixed_value(game, number, entry, index);
        match typed {
            // What a rule has fixed may be typed, but not otherwise than it is.
            Some(typed) if param.fixed && typed != own() => {
                let text = game.value_text(param.ty, &value::words_of(&own(), &game.code, param.ty));
                return Fit::Until { at: words.len() - 1, expected: format!("`{text}`"), wrong: None };
            }
            Some(typed) => filled.push(typed),
            None => filled.push(own()),
        }
    }
    Fit::Whole(filled)
}

/// The value that a rule has given to a parameter: as the entry's moves have it, or else as it was written last.
fn fixed_value(game: &Game, number: u16, entry: &Entry, index: usize) -> Value {
    let row = game.machine.rows().iter().find(|row| row.entry == number);
    let before = entry.params.get(..index).unwrap_or(&[]);
    let offset: usize = before.iter().map(|p| game.code.words(p.ty)).sum();
    let Some(param) = entry.params.get(index) else { return Value::Scalar(-1) };
    let word = |k: usize| match row.and_then(|row| row.prefix.get(offset + k)) {
        Some(word) => *word,
        None => game.word(param.address.wrapping_add(k as u16)),
    };
    match param.ty {
        Type::Bag(_) => {
            let mut bag = [0; BAG_WORDS];
            bag.iter_mut().enumerate().take(game.code.words(param.ty)).for_each(|(k, to)| *to = word(k));
            Value::Bag(bag)
        }
        Type::Truth | Type::Number | Type::Member(_) | Type::Set(_) | Type::Nothing | Type::Unknown => {
            Value::Scalar(word(0) as i64)
        }
    }
}

// ---- what is wrong with a text ----------------------------------------------------------------------------

fn misread(
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
fn elsewhere(game: &Game, words: &[Token]) -> Option<Refusal> {
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
            errors::choice_first(&what, &phases, on_call, &prompt(game))
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
