//! `given TARGET = VALUE` sets up a position, for tests and for trying things out. What is given moves from and to
//! its home, so totals stay what they were; no trigger fires; awards are settled quietly; and a position that an
//! invariant forbids is refused, as is one that needs more than there is. A refusal changes nothing.
//!
//! Targets: `active`, `phase`, `PIECE` (of nobody), `SEAT.PIECE`, `neutral.PIECE`, `FIELD`, `OWNER.FIELD`, `FIELD of OWNER`, and
//! `OWNER.FIELD of OTHER` for a field with two keys; owners are seats, places or members.

mod literal;
mod target;

use std::ops::Range;

use super::evaluate::Evaluator;
use super::token;
use super::value::{self, Cell};
use super::{Refusal, errors};
use crate::diagnostic::near_names;
use crate::engine::code::PiecePlace;
use crate::engine::{Game, bags};
use crate::program::{DomainId, DomainKind, FieldId, FieldRole, FieldType, PieceId, Type};
use literal::{bag_of, places_of, scalar, set_of};
use target::{Part, Target, equals, target};

/// Sets what the text says, or says why not; then nothing is changed.
pub fn given(game: &mut Game, evaluator: &Evaluator, text: &str) -> Result<(), Refusal> {
    let saved = game.snapshot();
    let result = change(game, evaluator, text);
    game.machine.events.clear();
    if result.is_err() {
        game.restore(&saved);
    }
    result
}

fn change(game: &mut Game, evaluator: &Evaluator, text: &str) -> Result<(), Refusal> {
    let Some(at) = equals(text) else { return Err(errors::not_an_assignment().at(0..text.len())) };
    let (left, right) = (Part::new(text, 0..at), Part::new(text, at + 1..text.len()));
    if left.text.is_empty() || right.text.is_empty() {
        return Err(errors::not_an_assignment().at(0..text.len()));
    }
    if let Some((tokens, place)) = token::target(game, left.text) {
        let words = value::tokens(right.text);
        let none = words.len() == 1 && words.first().is_some_and(|word| word.text == "none");
        let shifted = |range: Range<usize>| right.start + range.start..right.start + range.end;
        let faces: Vec<(String, Range<usize>)> = words
            .iter()
            .filter(|word| word.text != "," && !none)
            .map(|word| (word.text.to_owned(), shifted(word.range())))
            .collect();
        let place = value::Token { start: left.start + place.start, ..place };
        token::give(game, tokens, place, &faces, right.range())?;
        game.forget_kept();
        return settle(game);
    }
    let target = target(left);
    match (target.name.text, target.owners.as_slice()) {
        ("active", []) => {
            let seat = seat(game, right)?;
            game.begin_turn(seat)?;
        }
        ("phase", []) => {
            end_setup(game)?;
            phase(game, right)?;
        }
        _ => assign(game, evaluator, &target, right)?,
    }
    game.forget_kept();
    settle(game)
}

/// Awards are given anew, and what must hold is tested.
fn settle(game: &mut Game) -> Result<(), Refusal> {
    if game.turn() > 0 {
        let settle = game.code.settle.get(game.active()).copied();
        if let Some(at) = settle {
            game.run_aside(at)?;
            game.forget_kept();
        }
    }
    let broken = game.broken_invariants();
    game.forget_kept();
    if broken.is_empty() { Ok(()) } else { Err(errors::breaks_invariant(&broken)) }
}

// ---- turns and phases -------------------------------------------------------------------------------------

fn seat(game: &Game, name: Part) -> Result<usize, Refusal> {
    let Some(players) = game.code.program.known.player else {
        return Err(errors::unknown_owner(name.range(), name.text, "seat"));
    };
    value::member(game, players, name.text).map_err(|wrong| errors::wrong_given_value(name.range(), &wrong))
}

/// A seat has something of its own only when the set-up is over: it ends here, and the first turn begins.
fn end_setup(game: &mut Game) -> Result<(), Refusal> {
    if game.turn() == 0 && !game.over() {
        game.begin_turn(0)?;
    }
    Ok(())
}

fn phase(game: &mut Game, name: Part) -> Result<(), Refusal> {
    let code = game.code.clone();
    let phases: Vec<&str> = code.program.phases.iter().map(|p| p.name.as_str()).collect();
    let Some(index) = phases.iter().position(|p| *p == name.text) else {
        let near = near_names(name.text, phases.iter().copied());
        return Err(errors::no_such_phase(name.range(), name.text, &near, &phases));
    };
    if game.begin_phase(index)? { Ok(()) } else { Err(errors::phase_cannot_begin(name.range(), name.text)) }
}

// ---- pieces and fields ------------------------------------------------------------------------------------

fn assign(game: &mut Game, evaluator: &Evaluator, target: &Target, right: Part) -> Result<(), Refusal> {
    let program = game.code.program.clone();
    let name = target.name.text;
    let piece = program.pieces.iter().position(|p| p.name == name);
    let field = program.fields.iter().position(|f| f.name == name && f.role != FieldRole::Chronicle);
    if let Some(piece) = piece {
        let piece = PieceId(piece as u32);
        return pieces(game, evaluator, piece, target, right);
    }
    if let Some(field) = field {
        return state(game, evaluator, FieldId(field as u32), target, right);
    }
    let names = program.fields.iter().map(|f| f.name.as_str()).chain(program.pieces.iter().map(|p| p.name.as_str()));
    let near = near_names(name, names.chain(["active", "phase"]));
    Err(errors::unknown_target(target.name.range(), name, &near))
}

fn pieces(game: &mut Game, evaluator: &Evaluator, id: PieceId, target: &Target, right: Part) -> Result<(), Refusal> {
    let code = game.code.clone();
    let (Some(piece), Some(place)) = (code.program.pieces.get(id.index()), code.layout.pieces.get(id.index())) else {
        return Err(errors::unknown_target(target.name.range(), target.name.text, &[]));
    };
    let owner = match (piece.owned, target.owners.as_slice()) {
        (true, [owner]) if place.neutral && owner.text == "neutral" => code.players,
        (true, [owner]) => {
            end_setup(game)?;
            seat(game, *owner)?
        }
        (false, []) => 0,
        (true, _) => return Err(errors::wrong_keys(target.name.range(), &piece.name, &format!("SEAT.{}", piece.name))),
        (false, _) => return Err(errors::wrong_keys(target.name.range(), &piece.name, &piece.name)),
    };
    if code.program.tokens_of(id).is_some() {
        let form = format!("{} on PLACE", piece.name);
        return Err(errors::wrong_keys(target.name.range(), &piece.name, &form));
    }
    let slots = value::slots(&code, piece.on);
    let set = if slots > 1 {
        let places = places_of(game, evaluator, piece.place, right)?;
        in_slots(game, place, owner, slots, &places)
    } else {
        set_of(game, evaluator, piece.on, right)?
    };
    let wanted: usize = set.iter().map(|w| w.count_ones() as usize).sum();
    if wanted as i64 > place.count {
        return Err(errors::too_many_pieces(right.range(), &piece.name, place.count, wanted));
    }
    let base = usize::from(place.address);
    let owners = place.owners(code.players);
    let memory = &mut game.machine.memory[..];
    for k in 0..place.words {
        if let Some(to) = memory.get_mut(base + owner * place.words + k) {
            *to = set.get(k).copied().unwrap_or(0);
        }
    }
    for at in value::set_members(&set) {
        let holds = |seat: &usize| {
            let word = memory.get(base + seat * place.words + at / 64).copied().unwrap_or(0);
            word >> (at % 64) & 1 == 1
        };
        // Of slots that are left out, more pieces than there are slots were wanted.
        if (0..owners).filter(holds).count() as i64 > if slots > 1 { 1 } else { piece.at_most } {
            let there = game.member_name(piece.on, at as i64);
            return Err(errors::place_is_taken(right.range(), &there, &piece.name));
        }
    }
    Ok(())
}

/// The slots in which an owner's pieces stand that come to these places, beside those of others; of a place that is
/// named too often, the last slot.
fn in_slots(game: &Game, place: &PiecePlace, owner: usize, slots: usize, places: &[usize]) -> Vec<u64> {
    let base = usize::from(place.address);
    let taken = |slot: usize| {
        let others = (0..place.owners(game.code.players)).filter(|seat| *seat != owner);
        others.into_iter().any(|seat| {
            let word = game.machine.memory.get(base + seat * place.words + slot / 64).copied().unwrap_or(0);
            word >> (slot % 64) & 1 == 1
        })
    };
    let mut set = vec![0u64; place.words];
    for at in places {
        let free = |slot: &usize| !taken(*slot) && set.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 == 0);
        let slot = (at * slots..(at + 1) * slots).find(free).unwrap_or((at + 1) * slots - 1);
        if let Some(word) = set.get_mut(slot / 64) {
            *word |= 1 << (slot % 64);
        }
    }
    set
}

fn state(game: &mut Game, evaluator: &Evaluator, id: FieldId, target: &Target, right: Part) -> Result<(), Refusal> {
    let code = game.code.clone();
    let (Some(field), Some(place)) = (code.program.fields.get(id.index()), code.layout.fields.get(id.index())) else {
        return Err(errors::unknown_target(target.name.range(), target.name.text, &[]));
    };
    if matches!(field.role, FieldRole::Home | FieldRole::Deck(_)) {
        return Err(errors::home_is_not_set(target.name.range(), &field.name));
    }
    if field.keys.len() != target.owners.len() {
        let kinds: Vec<&str> = field.keys.iter().map(|k| value::kind_name(&code, *k)).collect();
        let form = match kinds.as_slice() {
            [] => field.name.clone(),
            [only] => format!("{}.{}", only.to_uppercase(), field.name),
            [first, rest @ ..] => {
                format!("{}.{} of {}", first.to_uppercase(), field.name, rest.join(", ").to_uppercase())
            }
        };
        return Err(errors::wrong_keys(target.name.range(), &field.name, &form));
    }
    if field.keys.iter().any(|k| Some(*k) == code.program.known.player) {
        end_setup(game)?;
    }
    let mut keys = Vec::new();
    for (owner, domain) in target.owners.iter().zip(&field.keys) {
        let kind = value::kind_name(&code, *domain);
        let index = value::member(game, *domain, owner.text)
            .map_err(|_| errors::unknown_owner(owner.range(), owner.text, kind))?;
        keys.push(index);
    }
    let Some(cell) = value::cell_of(place, &keys) else {
        return Err(errors::unknown_target(target.name.range(), &field.name, &[]));
    };
    let wanted = match &field.ty {
        FieldType::Truth => Cell::Scalar(scalar(game, evaluator, Type::Truth, right)?),
        FieldType::Number { low, high } => Cell::Scalar(match field.none {
            Some(none) if right.text == "none" => none,
            Some(_) | None => {
                let number = scalar(game, evaluator, Type::Number, right)?;
                let least = if field.none.is_some() { low + 1 } else { *low };
                if !(least..=*high).contains(&number) {
                    return Err(errors::out_of_range(right.range(), &field.name, least, *high));
                }
                number
            }
        }),
        FieldType::Member { domain, among, or_none } => Cell::Scalar(if right.text == "none" && *or_none {
            -1
        } else {
            let member = scalar(game, evaluator, Type::Member(*domain), right)?;
            if among.as_ref().is_some_and(|a| !a.iter().any(|m| i64::from(*m) == member)) {
                return Err(errors::not_among(right.range(), &field.name, right.text));
            }
            member
        }),
        FieldType::Set(domain) => Cell::Words(set_of(game, evaluator, *domain, right)?),
        FieldType::Bag { domain, among } => {
            let bag = bag_of(game, evaluator, *domain, right)?;
            if let Some(among) = among
                && let Some(kind) =
                    (0..bag.len() * 8).find(|k| bags::lane(&bag, *k) > 0 && !among.iter().any(|m| *m as usize == *k))
            {
                let name = game.member_name(*domain, kind as i64);
                return Err(errors::not_among(right.range(), &field.name, &name));
            }
            // A record of one turn holds nothing; what any other bag holds comes from somewhere.
            if !field.each_turn {
                let before = value::read(game, id, cell).words();
                move_homes(game, *domain, &before, &bag, right.range())?;
            }
            Cell::Words(bag)
        }
    };
    value::write(game, id, cell, &wanted);
    Ok(())
}

/// Takes what a bag gains from where it is at home, and returns there what the bag loses.
fn move_homes(
    game: &mut Game,
    domain: DomainId,
    before: &[u64],
    after: &[u64],
    at: Range<usize>,
) -> Result<(), Refusal> {
    let program = game.code.program.clone();
    let Some(decl) = program.domains.get(domain.index()) else { return Ok(()) };
    for kind in 0..after.len().max(before.len()) * 8 {
        let more = bags::lane(after, kind) - bags::lane(before, kind);
        if more == 0 {
            continue;
        }
        let home = match decl.kind {
            DomainKind::Goods { .. } => program.homes.get(kind).copied().flatten(),
            DomainKind::Cards(deck) => program.decks.get(deck.index()).map(|d| d.cards),
            DomainKind::Player
            | DomainKind::Terrain
            | DomainKind::Phase
            | DomainKind::Words
            | DomainKind::Places
            | DomainKind::Slots { .. } => None,
        };
        let Some(home) = home else { continue };
        let mut held = value::read(game, home, 0).words();
        let has = bags::lane(&held, kind);
        if more > has || has - more > bags::LANE_MAX {
            let name = program.fields.get(home.index()).map_or("", |f| f.name.as_str());
            return Err(errors::home_too_poor(at, name, &game.member_name(domain, kind as i64), has, more));
        }
        if let Some(word) = held.get_mut(kind / 8) {
            let shift = kind % 8 * 8;
            *word = *word & !(0xff << shift) | ((has - more) as u64) << shift;
        }
        value::write(game, home, 0, &Cell::Words(held));
    }
    Ok(())
}
