//! Tokens as people see and name them: which face a viewer knows, what `stray 2 on h3` means, and the faces that
//! `given stray on h3 = gem, sand` lays.

use std::ops::Range;

use super::event::Viewer;
use super::value::{self, Cell, Token, Wrong};
use super::{Refusal, errors, show};
use crate::engine::{Game, bags};
use crate::program::{DomainId, DomainKind, Tokens};

/// The slots in which tokens of a kind lie.
pub fn laid(game: &Game, tokens: &Tokens) -> Vec<usize> {
    show::piece_places(game, tokens.piece, 0)
}

/// The players who have looked at the token in a slot, and whether it lies face up.
pub fn seen(game: &Game, tokens: &Tokens, slot: usize) -> (Vec<usize>, bool) {
    let Some(down) = tokens.down else { return (Vec::new(), true) };
    let seen = value::set_members(&value::read(game, down.seen, slot).words()).collect();
    (seen, value::read(game, down.up, slot) == Cell::Scalar(1))
}

/// The face of the token in a slot, if the viewer knows it.
pub fn face(game: &Game, tokens: &Tokens, slot: usize, viewer: Viewer) -> Option<String> {
    let (seen, up) = seen(game, tokens, slot);
    let seers: Vec<i64> = seen.iter().map(|seat| *seat as i64).collect();
    let face = match value::read(game, tokens.face, slot) {
        Cell::Scalar(face) if face >= 0 => face,
        Cell::Scalar(_) | Cell::Words(_) => return None,
    };
    (up || viewer.is_among(&seers)).then(|| game.member_name(tokens.faces, face))
}

/// Reads a token: `stray 2 on h3`, or `stray on h3` and `h3` where only one is meant. None: such values are no tokens.
pub fn read(game: &Game, slots: DomainId, words: &[Token]) -> Option<Result<(usize, usize), (usize, Wrong)>> {
    let tokens = game.code.program.tokens_in(slots)?;
    let (of, count) = place_of(game, slots)?;
    let text = |at: usize| words.get(at).map_or("", |word| word.text);
    let mut at = usize::from(text(0) == tokens.name);
    let number = text(at).parse::<usize>().ok().filter(|_| at > 0);
    at += usize::from(number.is_some());
    at += usize::from(text(at) == "on");
    if at == words.len() {
        return Some(Err((at, Wrong { message: String::new(), help: None, known: false })));
    }
    let place = match value::member(game, of, text(at)) {
        Ok(place) => place,
        Err(wrong) => return Some(Err((at, wrong))),
    };
    let here: Vec<usize> = laid(game, tokens).into_iter().filter(|slot| slot / count == place).collect();
    let wrong = |message: String, help: Option<String>| Some(Err((at, Wrong { message, help, known: true })));
    match (number, here.as_slice()) {
        (Some(number), _) if !(1..=count).contains(&number) => {
            wrong(format!("no more than {count} `{}` can lie on one place", tokens.name), None)
        }
        (Some(number), _) => Some(Ok((place * count + number - 1, at + 1))),
        (None, [only]) => Some(Ok((*only, at + 1))),
        (None, []) => Some(Ok((place * count, at + 1))),
        (None, several) => {
            let names: Vec<String> = several.iter().map(|slot| game.member_name(slots, *slot as i64)).collect();
            let help = Some(format!("say which: {}", value::either(&names)));
            wrong(format!("several `{}` lie on `{}`", tokens.name, text(at)), help)
        }
    }
}

fn place_of(game: &Game, slots: DomainId) -> Option<(DomainId, usize)> {
    match game.code.program.domains.get(slots.index())?.kind {
        DomainKind::Slots { of, count } => Some((of, count.max(1) as usize)),
        _ => None,
    }
}

/// The tokens and the place that `stray on h3` names, as what is given; None if that is no such text.
pub fn target<'t>(game: &Game, text: &'t str) -> Option<(usize, Token<'t>)> {
    let words = value::tokens(text);
    let [name, on, place] = words.as_slice() else { return None };
    let tokens = game.code.program.tokens.iter().position(|t| t.name == name.text)?;
    (on.text == "on").then_some((tokens, *place))
}

/// Lays these faces on a place, face down where they are laid so, instead of what lies there.
pub fn give(
    game: &mut Game,
    number: usize,
    place: Token,
    faces: &[(String, Range<usize>)],
    whole: Range<usize>,
) -> Result<(), Refusal> {
    let program = game.code.program.clone();
    let code = game.code.clone();
    let (Some(tokens), Some((of, count))) =
        (program.tokens.get(number), program.tokens.get(number).and_then(|t| place_of(game, t.slots)))
    else {
        return Err(errors::unknown_target(place.range(), place.text, &[]));
    };
    let at = value::member(game, of, place.text).map_err(|wrong| errors::wrong_given_value(place.range(), &wrong))?;
    if faces.len() > count {
        return Err(errors::too_many_pieces(whole, &tokens.name, count as i64, faces.len()));
    }
    let (Some(cards), Some(pieces)) =
        (program.decks.get(tokens.deck.index()).map(|d| d.cards), code.layout.pieces.get(tokens.piece.index()))
    else {
        return Ok(());
    };
    let mut left = value::read(game, cards, 0).words();
    let add = |left: &mut Vec<u64>, face: usize, by: i64| {
        if let Some(word) = left.get_mut(face / 8) {
            *word = word.wrapping_add((by as u64).wrapping_shl((face % 8 * 8) as u32));
        }
    };
    for slot in at * count..(at + 1) * count {
        if let Cell::Scalar(face) = value::read(game, tokens.face, slot)
            && let Ok(face) = usize::try_from(face)
        {
            add(&mut left, face, 1);
        }
        set_bit(game, usize::from(pieces.address), slot, false);
        value::write(game, tokens.face, slot, &Cell::Scalar(-1));
        if let Some(down) = tokens.down {
            value::write(game, down.seen, slot, &Cell::Words(vec![0]));
            value::write(game, down.up, slot, &Cell::Scalar(0));
        }
    }
    for (index, (name, range)) in faces.iter().enumerate() {
        let face = value::member(game, tokens.faces, name)
            .map_err(|wrong| errors::wrong_given_value(range.clone(), &wrong))?;
        let there = bags::lane(&left, face);
        if there == 0 {
            return Err(errors::home_too_poor(range.clone(), &tokens.name, name, there, 1));
        }
        add(&mut left, face, -1);
        set_bit(game, usize::from(pieces.address), at * count + index, true);
        value::write(game, tokens.face, at * count + index, &Cell::Scalar(face as i64));
    }
    value::write(game, cards, 0, &Cell::Words(left));
    Ok(())
}

fn set_bit(game: &mut Game, base: usize, slot: usize, on: bool) {
    if let Some(word) = game.machine.memory.get_mut(base + slot / 64) {
        let bit = 1u64 << (slot % 64);
        *word = if on { *word | bit } else { *word & !bit };
    }
}
