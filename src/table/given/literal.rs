//! Values behind the `=`: literals of the wanted type, or else expressions of the language.

use super::target::Part;
use crate::engine::{Game, Value};
use crate::program::{DomainId, Type};
use crate::table::evaluate::Evaluator;
use crate::table::value::{self, Token, tokens};
use crate::table::{Refusal, errors};

/// One value, as a literal or as an expression of the language.
pub(super) fn scalar(game: &mut Game, evaluator: &Evaluator, ty: Type, right: Part) -> Result<i64, Refusal> {
    let words = tokens(right.text);
    let literal = value::value(game, ty, &words);
    match literal {
        Ok((Value::Scalar(n), used)) if used == words.len() => Ok(n),
        Err((_, wrong)) if words.len() == 1 => Err(errors::wrong_given_value(right.range(), &wrong)),
        Ok(_) | Err(_) => Ok(expression(game, evaluator, ty, right)?.first().copied().unwrap_or(0) as i64),
    }
}

pub(super) fn bag_of(
    game: &mut Game,
    evaluator: &Evaluator,
    domain: DomainId,
    right: Part,
) -> Result<Vec<u64>, Refusal> {
    let words = tokens(right.text);
    let width = game.code.words(Type::Bag(domain));
    if let [Token { text: "none" | "0", .. }] = words.as_slice() {
        return Ok(vec![0; width]);
    }
    match value::bag(game, domain, &words) {
        Ok((bag, used)) if used == words.len() => Ok(bag.iter().take(width).copied().collect()),
        Ok(_) => expression(game, evaluator, Type::Bag(domain), right),
        Err((at, wrong)) => expression(game, evaluator, Type::Bag(domain), right).map_err(|refusal| {
            match words.get(at).filter(|w| !wrong.message.is_empty() && w.text.chars().all(char::is_alphanumeric)) {
                Some(word) => errors::wrong_given_value(word.range(), &wrong).shifted(right.start),
                None => refusal,
            }
        }),
    }
}

/// Members in the order in which they are written, as often as they are; an expression gives each once.
pub(super) fn places_of(
    game: &mut Game,
    evaluator: &Evaluator,
    domain: DomainId,
    right: Part,
) -> Result<Vec<usize>, Refusal> {
    let words = tokens(right.text);
    let listed: Option<Vec<usize>> = words
        .iter()
        .enumerate()
        .filter(|(at, word)| at % 2 == 0 || word.text != ",")
        .map(|(_, word)| value::member(game, domain, word.text).ok())
        .collect();
    match listed {
        Some(listed) => Ok(listed),
        None => Ok(value::set_members(&set_of(game, evaluator, domain, right)?).collect()),
    }
}

/// `a, b, c`, `none`, or an expression for a set or for one member.
pub(super) fn set_of(
    game: &mut Game,
    evaluator: &Evaluator,
    domain: DomainId,
    right: Part,
) -> Result<Vec<u64>, Refusal> {
    let words = tokens(right.text);
    let width = game.code.words(Type::Set(domain));
    let mut set = vec![0u64; width];
    if let [Token { text: "none" | "nothing", .. }] = words.as_slice() {
        return Ok(set);
    }
    let mut fault = None;
    for (at, word) in words.iter().enumerate() {
        if at % 2 == 1 {
            if word.text != "," {
                fault = Some(errors::value_does_not_fit(word.range(), word.text, "a comma").shifted(right.start));
                break;
            }
            continue;
        }
        match value::member(game, domain, word.text) {
            Ok(index) => {
                if let Some(w) = set.get_mut(index / 64) {
                    *w |= 1 << (index % 64);
                }
            }
            Err(wrong) => {
                fault = Some(errors::wrong_given_value(word.range(), &wrong).shifted(right.start));
                break;
            }
        }
    }
    match fault {
        None => Ok(set),
        // A list of names with one wrong among them is no expression.
        Some(fault) if words.len() == 1 || words.iter().any(|w| w.text == ",") => Err(fault),
        Some(_) => expression(game, evaluator, Type::Set(domain), right),
    }
}

pub(super) fn expression(
    game: &mut Game,
    evaluator: &Evaluator,
    wanted: Type,
    right: Part,
) -> Result<Vec<u64>, Refusal> {
    let (ty, words) =
        evaluator.evaluate(game, right.text).map_err(|found| errors::from_diagnostic(&found).shifted(right.start))?;
    match (wanted, ty) {
        (wanted, ty) if wanted == ty => Ok(words),
        // One member stands for the set of it alone.
        (Type::Set(domain), Type::Member(of)) if domain == of => {
            let mut set = vec![0u64; game.code.words(wanted)];
            let index = words.first().copied().unwrap_or(u64::MAX);
            if let Some(word) = set.get_mut((index / 64) as usize) {
                *word |= 1 << (index % 64);
            }
            Ok(set)
        }
        _ => {
            let expected = value::type_phrase(game, wanted);
            Err(errors::value_does_not_fit(right.range(), right.text, &expected))
        }
    }
}
