//! The functions by which a script changes declared state, with the checks that rules make: ranges, supplies, places
//! that are taken; goods and cards move and are never made. Each tests everything before it writes.

use std::rc::Rc;

use rhai::Dynamic;

use super::errors;
use super::model::Model;
use super::offers::text;
use super::session::{Session, type_of};
use super::values::{self, Misfit, WIDEST};
use crate::engine::bags;
use crate::engine::code::{EventKind, FieldPlace, PiecePlace, Shape};
use crate::program::{DomainId, ExprKind, Field, FieldType, PieceId, Type};

/// The name, the keys and the last argument of a call.
fn split(arguments: &[Dynamic]) -> Result<(rhai::ImmutableString, &[Dynamic], &Dynamic), Misfit> {
    let name = text(arguments, 0, "a state")?;
    match arguments.get(1..).and_then(<[Dynamic]>::split_last) {
        Some((last, keys)) => Ok((name, keys, last)),
        None => Err(Misfit::Kind("a value".into(), "nothing".into())),
    }
}

pub fn write(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let (name, keys, value) = split(arguments)?;
    let model = Rc::clone(&session.model);
    let (_, field, place) = model.field(&name, keys.len())?;
    let keys = session.keys(field, keys)?;
    let (words, count) = values::from_script(&model, type_of(field), value)?;
    let first = words.first().copied().unwrap_or(0) as i64;
    match &field.ty {
        FieldType::Truth => session.put_scalar(place, &keys, first),
        FieldType::Number { .. } => session.put_scalar(place, &keys, Session::fitted(field, first)?),
        FieldType::Member { domain, among, or_none } => {
            let fits = match usize::try_from(first) {
                Ok(member) => among.as_ref().is_none_or(|a| a.contains(&(member as u32))),
                Err(_) => *or_none,
            };
            if !fits {
                let shown = usize::try_from(first).map_or("none", |m| model.names(*domain).map_or("", |n| n.text(m)));
                return Err(errors::not_among(&name, shown).into());
            }
            session.put_scalar(place, &keys, first);
        }
        FieldType::Set(_) => {
            let (at, _) = session.wide(place, &keys);
            session.put_many(at, words.get(..count).unwrap_or(&[]));
        }
        FieldType::Bag { domain, among } => {
            let (at, count) = session.wide(place, &keys);
            let old = session.many(at, count);
            check_lanes(&model, field, *domain, among.as_deref(), &old, &words)?;
            session.put_many(at, words.get(..count).unwrap_or(&[]));
        }
    }
    Ok(Dynamic::UNIT)
}

/// May a bag of the field become another without anything moving?
fn check_lanes(
    model: &Model,
    field: &Field,
    domain: DomainId,
    among: Option<&[u32]>,
    old: &[u64],
    new: &[u64],
) -> Result<(), Misfit> {
    let names = model.names(domain)?;
    for kind in 0..names.lanes {
        let (before, after) = (bags::lane(old, kind), bags::lane(new, kind));
        if before != after && model.is_conserved(domain, kind) {
            return Err(errors::out_of_nothing(&field.name, names.text(kind)).into());
        }
        if after > 0 && among.is_some_and(|a| !a.contains(&(kind as u32))) {
            return Err(errors::not_among(&field.name, names.text(kind)).into());
        }
        Session::count_fits(names.text(kind), after)?;
    }
    Ok(())
}

pub fn add(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let (name, keys, amount) = split(arguments)?;
    let model = Rc::clone(&session.model);
    let (_, field, place) = model.field(&name, keys.len())?;
    let keys = session.keys(field, keys)?;
    match &field.ty {
        FieldType::Number { .. } => {
            let sum = session.scalar(place, &keys).saturating_add(values::number(amount)?);
            session.put_scalar(place, &keys, Session::fitted(field, sum)?);
        }
        FieldType::Set(domain) => {
            let more = values::set(&model, *domain, amount)?;
            let (at, count) = session.wide(place, &keys);
            for (k, word) in more.iter().enumerate().take(count) {
                session.put(at + k, session.word(at + k) | word);
            }
        }
        FieldType::Bag { domain, among } => {
            let more = values::bag(&model, *domain, amount)?;
            let (at, count) = session.wide(place, &keys);
            let old = session.many(at, count);
            let sum = sum(&model, *domain, &old, &more)?;
            check_lanes(&model, field, *domain, among.as_deref(), &old, &sum)?;
            session.put_many(at, sum.get(..count).unwrap_or(&[]));
        }
        FieldType::Truth | FieldType::Member { .. } => {
            return Err(Misfit::Kind("a state of numbers, sets or bags".into(), format!("`{name}`")));
        }
    }
    Ok(Dynamic::UNIT)
}

/// Two bags together, if each kind fits.
fn sum(model: &Model, domain: DomainId, a: &[u64], b: &[u64]) -> Result<[u64; WIDEST], Misfit> {
    let names = model.names(domain)?;
    for kind in 0..names.lanes {
        Session::count_fits(names.text(kind), bags::lane(a, kind) + bags::lane(b, kind))?;
    }
    let mut sum = [0; WIDEST];
    for (to, (a, b)) in sum.iter_mut().zip(a.iter().zip(b)) {
        *to = a + b;
    }
    Ok(sum)
}

/// A bag in the state: its field, where it lies, and the player of its first key.
struct Held {
    at: usize,
    words: usize,
    domain: DomainId,
    among: Option<Vec<u32>>,
    at_most: Vec<(u32, i64)>,
    seat: Option<usize>,
}

impl Held {
    /// How many more of a kind the bag's limit lets in.
    fn room(&self, session: &Session, kind: usize) -> i64 {
        let limit = self.at_most.iter().rfind(|(limited, _)| *limited as usize == kind);
        limit.map_or(bags::LANE_MAX, |(_, most)| (most - lane(session, self.at, kind)).max(0))
    }
}

fn held(session: &Session, field: &Field, place: &FieldPlace, keys: &[Dynamic]) -> Result<Held, Misfit> {
    let FieldType::Bag { domain, among } = &field.ty else {
        return Err(Misfit::Kind("the name of a state that holds a bag".into(), format!("`{}`", field.name)));
    };
    let members = session.keys(field, keys)?;
    let (at, words) = session.wide(place, &members);
    let player = session.model.program.known.player;
    let seat = if player.is_some() && field.keys.first() == player.as_ref() { members.first().copied() } else { None };
    let at_most = field.at_most.clone();
    Ok(Held { at, words, domain: *domain, among: among.clone(), at_most, seat })
}

/// Where each kind of an amount is at home.
fn homes(model: &Model, name: &str, domain: DomainId, amount: &[u64]) -> Result<Vec<(usize, usize)>, Misfit> {
    let names = model.names(domain)?;
    let mut homes = Vec::new();
    for kind in (0..names.lanes).filter(|k| bags::lane(amount, *k) > 0) {
        let home = if Some(domain) == model.program.known.goods { model.program.homes.get(kind) } else { None };
        let place = home.copied().flatten().and_then(|f| model.layout.fields.get(f.index()));
        let Some(place) = place else { return Err(errors::out_of_nothing(name, names.text(kind)).into()) };
        homes.push((kind, place.address as usize));
    }
    Ok(homes)
}

/// Goods that are drawn unseen go to the pile of those that were.
fn returns(model: &Model, homes: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let at = |field: crate::program::FieldId| model.layout.fields.get(field.index()).map(|f| usize::from(f.address));
    let pile = |home: usize| {
        let deck = model.program.decks.iter().find(|deck| at(deck.cards) == Some(home));
        deck.and_then(|deck| at(deck.discards)).unwrap_or(home)
    };
    homes.into_iter().map(|(kind, home)| (kind, pile(home))).collect()
}

fn move_lane(session: &mut Session, kind: usize, count: i64, from: usize, to: usize) {
    let shift = kind % 8 * 8;
    let amount = (count as u64) << shift;
    session.put(from + kind / 8, session.word(from + kind / 8).wrapping_sub(amount));
    session.put(to + kind / 8, session.word(to + kind / 8).wrapping_add(amount));
}

fn lane(session: &Session, at: usize, kind: usize) -> i64 {
    bags::lane(&[session.word(at + kind / 8)], kind % 8)
}

/// Tests that a kind may come into a bag.
fn admits(session: &Session, name: &str, to: &Held, kind: usize, count: i64) -> Result<(), Misfit> {
    let model = &session.model;
    let shown = model.names(to.domain)?.text(kind);
    if count > 0 && to.among.as_ref().is_some_and(|a| !a.contains(&(kind as u32))) {
        return Err(errors::not_among(name, shown).into());
    }
    Ok(Session::count_fits(shown, lane(session, to.at, kind) + count)?)
}

pub fn give(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let (name, keys, amount) = split(arguments)?;
    let model = Rc::clone(&session.model);
    let (_, field, place) = model.field(&name, keys.len())?;
    let to = held(session, field, place, keys)?;
    let wanted = values::bag(&model, to.domain, amount)?;
    let mut moved = [0; WIDEST];
    let mut moves = Vec::new();
    for (kind, home) in homes(&model, &name, to.domain, &wanted)? {
        let count = bags::lane(&wanted, kind).min(lane(session, home, kind)).min(to.room(session, kind));
        if home != to.at {
            admits(session, &name, &to, kind, count)?;
        }
        if let Some(word) = moved.get_mut(kind / 8) {
            *word |= (count as u64) << (kind % 8 * 8);
        }
        moves.push((kind, count, home));
    }
    for (kind, count, home) in moves {
        move_lane(session, kind, count, home, to.at);
    }
    record_bag(session, EventKind::Gain, &[to.seat], to.domain, &moved);
    Ok(values::map(model.names(to.domain)?, &moved).into())
}

pub fn take(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let (name, keys, amount) = split(arguments)?;
    let model = Rc::clone(&session.model);
    let (_, field, place) = model.field(&name, keys.len())?;
    let from = held(session, field, place, keys)?;
    let wanted = values::bag(&model, from.domain, amount)?;
    let homes = returns(&model, homes(&model, &name, from.domain, &wanted)?);
    enough(session, &name, &from, &wanted)?;
    for (kind, home) in &homes {
        let count = bags::lane(&wanted, *kind);
        if *home != from.at {
            let shown = model.names(from.domain)?.text(*kind);
            Session::count_fits(shown, lane(session, *home, *kind) + count)?;
        }
    }
    for (kind, home) in homes {
        move_lane(session, kind, bags::lane(&wanted, kind), from.at, home);
    }
    record_bag(session, EventKind::Lose, &[from.seat], from.domain, &wanted);
    Ok(Dynamic::UNIT)
}

fn enough(session: &Session, name: &str, from: &Held, wanted: &[u64]) -> Result<(), Misfit> {
    let names = session.model.names(from.domain)?;
    match (0..names.lanes).find(|k| bags::lane(wanted, *k) > lane(session, from.at, *k)) {
        Some(kind) => Err(errors::too_few(name, names.text(kind)).into()),
        None => Ok(()),
    }
}

pub fn pass(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let name = text(arguments, 0, "a state")?;
    let model = Rc::clone(&session.model);
    let (_, field, place) = model.field(&name, 1)?;
    let from = held(session, field, place, arguments.get(1..2).unwrap_or(&[]))?;
    let to = held(session, field, place, arguments.get(2..3).unwrap_or(&[]))?;
    let amount = values::bag(&model, from.domain, arguments.get(3).unwrap_or(&Dynamic::UNIT))?;
    enough(session, &name, &from, &amount)?;
    let kinds: Vec<usize> = (0..from.words * 8).filter(|k| bags::lane(&amount, *k) > 0).collect();
    let mut moved = [0; WIDEST];
    for kind in kinds {
        let count = bags::lane(&amount, kind);
        let count = if from.at == to.at { count } else { count.min(to.room(session, kind)) };
        if from.at != to.at {
            admits(session, &name, &to, kind, count)?;
        }
        if let Some(word) = moved.get_mut(kind / 8) {
            *word |= (count as u64) << (kind % 8 * 8);
        }
    }
    for kind in (0..from.words * 8).filter(|k| bags::lane(&moved, *k) > 0) {
        move_lane(session, kind, bags::lane(&moved, kind), from.at, to.at);
    }
    record_bag(session, EventKind::Pass, &[from.seat, to.seat], from.domain, &moved);
    Ok(Dynamic::UNIT)
}

fn record_bag(session: &mut Session, kind: EventKind, seats: &[Option<usize>], domain: DomainId, bag: &[u64]) {
    let player = player_type(&session.model);
    let seats: Vec<[u64; 1]> = seats.iter().flatten().map(|s| [*s as u64]).collect();
    if seats.is_empty() || bag.iter().all(|w| *w == 0) {
        return;
    }
    let mut values: Vec<(Type, &[u64])> = seats.iter().map(|s| (player, &s[..])).collect();
    values.push((Type::Bag(domain), bag));
    session.record(&kind, &values);
}

fn player_type(model: &Model) -> Type {
    model.program.known.player.map_or(Type::Number, Type::Member)
}

// ---- pieces ----

/// A piece of one owner, or of nobody, and the places that a call names.
struct Standing<'m> {
    name: rhai::ImmutableString,
    id: usize,
    place: &'m PiecePlace,
    on: DomainId,
    at_most: i64,
    /// How many pieces can stand on a place, where they stand in slots.
    slots: usize,
    /// The owner's seat; None for pieces of nobody.
    seat: Option<usize>,
    places: Vec<usize>,
}

fn standing<'m>(model: &'m Model, arguments: &[Dynamic], places: usize) -> Result<Standing<'m>, Misfit> {
    let name = text(arguments, 0, "a piece")?;
    let (id, piece, place) = model.piece(&name)?;
    let owners = usize::from(place.owned);
    if arguments.len() != 1 + owners + places {
        let on = model.names(piece.place)?.what.as_str();
        let wanted: Vec<&str> = std::iter::repeat_n("player", owners).chain(std::iter::repeat_n(on, places)).collect();
        return Err(errors::wrong_keys(&name, &wanted).into());
    }
    let seat = match (model.program.known.player, arguments.get(1)) {
        (Some(domain), Some(player)) if place.owned => Some(values::some_member(model, domain, player)?),
        (Some(_) | None, _) => None,
    };
    let named = arguments.get(1 + owners..).unwrap_or(&[]);
    let places = named.iter().map(|p| values::some_member(model, piece.place, p)).collect::<Result<_, _>>()?;
    let slots = model.slots(piece.on);
    Ok(Standing { name, id, place, on: piece.place, at_most: piece.at_most, slots, seat, places })
}

impl Standing<'_> {
    fn address(&self, seat: usize, slot: usize) -> usize {
        self.place.address as usize + seat * self.place.words + slot / 64
    }

    /// Does a seat's piece stand in a slot? Where pieces stand on places themselves, a place is its only slot.
    fn stands(&self, session: &Session, seat: usize, slot: usize) -> bool {
        session.word(self.address(seat, slot)) >> (slot % 64) & 1 == 1
    }

    /// The first slot of a place in which a piece of one's own stands.
    fn own(&self, session: &Session, place: usize) -> Option<usize> {
        let seat = self.seat.unwrap_or(0);
        (place * self.slots..(place + 1) * self.slots).find(|slot| self.stands(session, seat, *slot))
    }

    /// The first slot of a place in which a further piece can stand.
    fn free(&self, session: &Session, model: &Model, place: usize) -> Option<usize> {
        let taken = |slot: &usize| match self.slots {
            1 => self.stands(session, self.seat.unwrap_or(0), *slot),
            _ => (0..self.place.owners(model.players)).any(|seat| self.stands(session, seat, *slot)),
        };
        (place * self.slots..(place + 1) * self.slots).find(|slot| !taken(slot))
    }

    fn set(&self, session: &mut Session, slot: usize, on: bool) {
        let at = self.address(self.seat.unwrap_or(0), slot);
        let bit = 1 << (slot % 64);
        let word = session.word(at);
        session.put(at, if on { word | bit } else { word & !bit });
    }

    fn refused(&self, model: &Model, place: usize, why: &str) -> Misfit {
        let at = model.domains.get(self.on.index()).map_or("", |n| n.text(place));
        errors::piece_refused(format!("{why} on {at}")).into()
    }

    /// The slot for one more on a place, if it may stand there.
    fn admitted(&self, session: &Session, model: &Model, place: usize) -> Result<usize, Misfit> {
        if model.is_awaited(self.id) {
            return Err(errors::arrival_awaited(&self.name).into());
        }
        let Some(slot) = self.free(session, model, place) else {
            let why = match self.slots {
                1 => format!("there is such a {} already", self.name),
                _ => format!("no further {} can stand", self.name),
            };
            return Err(self.refused(model, place, &why));
        };
        let owners = self.place.owners(model.players);
        let slots = place * self.slots..(place + 1) * self.slots;
        let there = slots.map(|slot| (0..owners).filter(|seat| self.stands(session, *seat, slot)).count() as i64);
        if self.at_most > 0 && there.sum::<i64>() >= self.at_most {
            return Err(self.refused(model, place, &format!("no further {} can stand", self.name)));
        }
        Ok(slot)
    }

    /// What belongs to the piece goes with it to another slot, or is as at first once it has left.
    fn carry(&self, session: &mut Session, model: &Model, from: usize, to: Option<usize>) {
        let own = |field: &Field| field.pieces.contains(&PieceId(self.id as u32));
        for (field, place) in model.program.fields.iter().zip(&model.layout.fields).filter(|(field, _)| own(field)) {
            for outer in place.keys_before(1 + usize::from(self.seat.is_some())) {
                let keys = |slot: usize| outer.iter().copied().chain(self.seat).chain([slot]).collect::<Vec<usize>>();
                match place.shape {
                    Shape::Set(_) | Shape::Bag(_) => {
                        let (left, words) = session.wide(place, &keys(from));
                        let held = session.many(left, words);
                        if let Some(to) = to {
                            let (reached, _) = session.wide(place, &keys(to));
                            session.put_many(reached, held.get(..words).unwrap_or(&[]));
                        }
                        session.put_many(left, [0; WIDEST].get(..words).unwrap_or(&[]));
                    }
                    Shape::Word | Shape::Rows { .. } => {
                        let value = session.scalar(place, &keys(from));
                        if let Some(to) = to {
                            session.put_scalar(place, &keys(to), value);
                        }
                        session.put_scalar(place, &keys(from), at_first(field));
                    }
                }
            }
        }
    }

    fn record(&self, session: &mut Session, kind: EventKind) {
        let owner = [self.seat.map_or(u64::MAX, |s| s as u64)];
        let places: Vec<[u64; 1]> = self.places.iter().map(|p| [*p as u64]).collect();
        let mut values: Vec<(Type, &[u64])> = vec![(player_type(&session.model), &owner)];
        values.extend(places.iter().map(|p| (Type::Member(self.on), &p[..])));
        session.record(&kind, &values);
    }
}

pub fn place(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let model = Rc::clone(&session.model);
    let standing = standing(&model, arguments, 1)?;
    let Some(at) = standing.places.first().copied() else { return Ok(Dynamic::UNIT) };
    let base = standing.place.address as usize + standing.seat.unwrap_or(0) * standing.place.words;
    let set = session.many(base, standing.place.words);
    if set.iter().map(|w| i64::from(w.count_ones())).sum::<i64>() >= standing.place.count {
        return Err(errors::piece_refused(format!("no {} is left to be placed", standing.name)).into());
    }
    if model.program.tokens_of(PieceId(standing.id as u32)).is_some() {
        return Err(errors::faces_are_drawn(&standing.name).into());
    }
    let slot = standing.admitted(session, &model, at)?;
    standing.set(session, slot, true);
    standing.record(session, EventKind::Place(standing.name.to_string()));
    Ok(Dynamic::UNIT)
}

pub fn remove(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let model = Rc::clone(&session.model);
    let standing = standing(&model, arguments, 1)?;
    let Some(at) = standing.places.first().copied() else { return Ok(Dynamic::UNIT) };
    let Some(slot) = standing.own(session, at) else {
        return Err(standing.refused(&model, at, &format!("there is no such {}", standing.name)));
    };
    standing.set(session, slot, false);
    standing.carry(session, &model, slot, None);
    standing.record(session, EventKind::Remove(standing.name.to_string()));
    Ok(Dynamic::UNIT)
}

pub fn shift(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let model = Rc::clone(&session.model);
    let standing = standing(&model, arguments, 2)?;
    let [from, to] = standing.places[..] else { return Ok(Dynamic::UNIT) };
    let Some(left) = standing.own(session, from) else {
        return Err(standing.refused(&model, from, &format!("there is no such {}", standing.name)));
    };
    if from == to {
        return Err(standing.refused(&model, to, &format!("there is such a {} already", standing.name)));
    }
    let reached = standing.admitted(session, &model, to)?;
    standing.set(session, left, false);
    standing.set(session, reached, true);
    standing.carry(session, &model, left, Some(reached));
    standing.record(session, EventKind::Move(standing.name.to_string()));
    Ok(Dynamic::UNIT)
}

/// The value that state has at first, as far as it is written as a number or a word.
fn at_first(field: &Field) -> i64 {
    match (field.initial.as_ref().map(|e| &e.kind), &field.ty) {
        (Some(ExprKind::Number(n)), _) => *n,
        (Some(ExprKind::Truth(truth)), _) => i64::from(*truth),
        (Some(ExprKind::Member(member)), _) => i64::from(*member),
        (Some(_) | None, FieldType::Number { low, .. }) => *low,
        (Some(_) | None, FieldType::Member { .. }) => -1,
        (Some(_) | None, FieldType::Truth | FieldType::Set(_) | FieldType::Bag { .. }) => 0,
    }
}
