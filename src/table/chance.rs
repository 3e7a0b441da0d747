//! Forcing what chance does next: the faces of dice, and what is drawn from a deck or taken by theft. Each kind of
//! chance has a queue of its own, in which results wait until they are asked for.

use super::value::{self, tokens};
use super::{Refusal, errors};
use crate::diagnostic::near_names;
use crate::engine::Game;
use crate::program::DomainId;

const DICE: &str = "dice";
const STEAL: &str = "steal";
/// Streams of chance from which nothing is drawn by name.
const UNNAMED: [&str; 3] = [DICE, "shuffle", "script"];
/// No die has more faces.
const MOST_FACES: i64 = 1000;

fn stream(game: &Game, name: &str) -> Option<usize> {
    game.code.streams.iter().position(|s| s == name)
}

/// Makes these faces the next that are thrown.
pub fn dice(game: &mut Game, faces: &[i64]) -> Result<(), Refusal> {
    let Some(stream) = stream(game, DICE) else { return Err(errors::no_dice(0..0)) };
    if faces.is_empty() {
        return Err(errors::nothing_forced(DICE));
    }
    let most = game.code.faces;
    if most == 0 {
        return Err(errors::no_dice(0..0));
    }
    if let Some(bad) = faces.iter().find(|face| !(1..=most).contains(*face)) {
        return Err(errors::bad_face(0..0, &bad.to_string(), most));
    }
    push(game, stream, faces.iter().map(|face| face - 1));
    Ok(())
}

/// The faces in a text, each a number.
pub fn faces(text: &str) -> Result<Vec<i64>, Refusal> {
    let words = tokens(text);
    if words.is_empty() {
        return Err(errors::nothing_forced(DICE));
    }
    let face = |word: &value::Token| {
        let face = word.text.parse::<i64>().ok().filter(|face| (1..=MOST_FACES).contains(face));
        face.ok_or_else(|| errors::bad_face(word.range(), word.text, MOST_FACES))
    };
    words.iter().map(face).collect()
}

/// Makes these the next that are drawn: `DECK CARD …` or `steal GOOD …`. Gives the stream and how many there are.
pub fn draw(game: &mut Game, text: &str) -> Result<(usize, usize), Refusal> {
    let words = tokens(text);
    let Some((name, results)) = words.split_first() else { return Err(errors::nothing_forced("draw")) };
    let found = stream(game, name.text).filter(|_| !UNNAMED.contains(&name.text));
    let domain = found.and_then(|_| drawn(game, name.text));
    let (Some(stream), Some(domain)) = (found, domain) else {
        let all: Vec<String> = game.code.streams.iter().filter(|s| !UNNAMED.contains(&s.as_str())).cloned().collect();
        let near = near_names(name.text, all.iter().map(String::as_str));
        return Err(errors::no_such_stream(name.range(), name.text, &near, &all));
    };
    let mut kinds = Vec::new();
    for word in results.iter().filter(|w| w.text != ",") {
        let kind =
            value::member(game, domain, word.text).map_err(|wrong| errors::wrong_given_value(word.range(), &wrong))?;
        kinds.push(kind as i64);
    }
    if kinds.is_empty() {
        return Err(errors::nothing_forced(&format!("draw {}", name.text)));
    }
    let count = kinds.len();
    push(game, stream, kinds.into_iter());
    Ok((stream, count))
}

/// What a stream gives: cards of its deck, or goods.
fn drawn(game: &Game, stream: &str) -> Option<DomainId> {
    let program = &game.code.program;
    if stream == STEAL {
        return program.known.goods;
    }
    program.decks.iter().find(|deck| deck.name == stream).map(|deck| deck.domain)
}

fn push(game: &mut Game, stream: usize, results: impl Iterator<Item = i64>) {
    if let Some(queue) = game.machine.forced.get_mut(stream) {
        queue.extend(results);
    }
    game.machine.forcing = game.machine.forced.iter().any(|q| !q.is_empty());
}

/// The stream of the dice, for those who count what was used.
pub fn dice_stream(game: &Game) -> Option<usize> {
    stream(game, DICE)
}

/// How many forced results wait in each stream.
pub fn waiting(game: &Game) -> Vec<usize> {
    game.machine.forced.iter().map(|queue| queue.len()).collect()
}
