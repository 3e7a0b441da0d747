//! From words to a move: each entry of the open decision is tried, in all the forms in which it may be typed.

use super::misread::misread;
use super::{DECLINING, Part, forms};
use crate::engine::code::{Entry, EntryLabel};
use crate::engine::game::BAG_WORDS;
use crate::engine::{Game, Move, Value};
use crate::program::Type;
use crate::table::value::{self, Token, tokens};
use crate::table::{Refusal, errors};

/// How far a text fits an entry.
pub(super) enum Fit {
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

pub(super) fn fit(game: &Game, number: u16, entry: &Entry, words: &[Token]) -> Fit {
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
