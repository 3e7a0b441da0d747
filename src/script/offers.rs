//! The functions that a script can call, in one table, and those of them that only look at the game. Those that
//! change it are in `changes`.

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::rc::Rc;

use rhai::{Array, Dynamic, Engine, EvalAltResult, ImmutableString, NativeCallContext, Position};

use super::session::{Session, type_of};
use super::values::{self, Misfit};
use super::{changes, columns, errors};
use crate::diagnostic::Diagnostic;
use crate::engine::code::fixed;
use crate::program::OptionValues;

/// A session as the tag of a call.
pub type Shared = Rc<RefCell<Session>>;

/// A function of the game for scripts.
pub struct Offer {
    pub name: &'static str,
    /// How many arguments it takes.
    pub arguments: RangeInclusive<usize>,
    /// Can it be called only where a rule does the script for its effect?
    pub changes: bool,
    /// How it is called, and what it does.
    pub form: &'static str,
    pub about: &'static str,
    call: fn(&mut Session, &[Dynamic]) -> Result<Dynamic, Misfit>,
}

macro_rules! offers {
    ($($name:ident($low:literal..=$high:literal) $changes:literal, $call:path, $form:literal, $about:literal;)*) => {
        &[$(Offer {
            name: stringify!($name),
            arguments: $low..=$high,
            changes: $changes,
            form: $form,
            about: $about,
            call: $call,
        }),*]
    };
}

/// The one table: what the engine registers, what near names are taken from, what the guide lists.
pub const OFFERS: &[Offer] = offers! {
    read(1..=4) false, read, "read(state, key…)", "the value of a declared state";
    column(2..=2) false, columns::column, "column(column, card)", "what a column of a table holds for a card; a list as a list";
    pieces(1..=2) false, pieces, "pieces(piece, player)", "the places where a player's pieces stand, or all";
    owner(2..=2) false, owner, "owner(piece, place)", "whose piece stands on the place, or ()";
    supply(1..=2) false, supply, "supply(piece, player)", "how many pieces are not on the board";
    members(1..=1) false, members, "members(domain)", "the names of all players, places of a kind, goods …";
    places(1..=2) false, places, "places(mark, player)", "the places of a mark, a path or a region of the board";
    linked(2..=2) false, linked, "linked(relation, place)", "the places to which the board joins a place";
    active(0..=0) false, active, "active()", "the player whose turn it is";
    turn(0..=0) false, turn, "turn()", "the number of the turn, 0 in the set-up";
    phase(0..=0) false, phase, "phase()", "the phase of the turn, or ()";
    option(1..=1) false, option, "option(name)", "the value of an option";
    holder(1..=1) false, holder, "holder(award)", "who holds the award, or ()";
    random(1..=1) true, random, "random(count)", "a number from 0 below the count, from the game's chance";
    write(2..=5) true, changes::write, "write(state, key…, value)", "sets a declared state";
    add(2..=5) true, changes::add, "add(state, key…, amount)", "adds a number, members of a set, or a bag";
    give(2..=5) true, changes::give, "give(state, key…, bag)", "goods from their homes, as far as these go; gives what came";
    take(2..=5) true, changes::take, "take(state, key…, bag)", "goods back to their homes, all of them";
    pass(4..=4) true, changes::pass, "pass(state, from, to, bag)", "goods or cards from one holder to another, all of them";
    place(2..=3) true, changes::place, "place(piece, player, place)", "puts a piece on the board";
    remove(2..=3) true, changes::remove, "remove(piece, player, place)", "takes a piece off the board";
    shift(3..=4) true, changes::shift, "shift(piece, player, from, to)", "moves a piece on the board";
};

/// Gives the functions to an engine.
pub fn register(engine: &mut Engine) {
    for offer in OFFERS {
        for count in offer.arguments.clone() {
            type A = Dynamic;
            type Context<'a> = NativeCallContext<'a>;
            match count {
                0 => engine.register_fn(offer.name, |c: Context| call(&c, offer, &[])),
                1 => engine.register_fn(offer.name, |c: Context, a: A| call(&c, offer, &[a])),
                2 => engine.register_fn(offer.name, |c: Context, a: A, b: A| call(&c, offer, &[a, b])),
                3 => engine.register_fn(offer.name, |c: Context, a: A, b: A, d: A| call(&c, offer, &[a, b, d])),
                4 => {
                    engine.register_fn(offer.name, |c: Context, a: A, b: A, d: A, e: A| call(&c, offer, &[a, b, d, e]))
                }
                _ => engine.register_fn(offer.name, |c: Context, a: A, b: A, d: A, e: A, f: A| {
                    call(&c, offer, &[a, b, d, e, f])
                }),
            };
        }
    }
}

fn call(context: &NativeCallContext, offer: &Offer, arguments: &[Dynamic]) -> Result<Dynamic, Box<EvalAltResult>> {
    let Some(shared) = context.tag().and_then(Dynamic::read_lock::<Shared>).map(|s| Rc::clone(&s)) else {
        return Err(raise(errors::cannot_compute("the game is not at hand here")));
    };
    let Ok(mut session) = shared.try_borrow_mut() else {
        return Err(raise(errors::cannot_compute("the game is busy with this very call")));
    };
    if offer.changes && !session.may_change {
        return Err(raise(errors::changes_nothing(offer.name)));
    }
    (offer.call)(&mut session, arguments).map_err(|misfit| {
        raise(match misfit {
            Misfit::Kind(wanted, found) => errors::wrong_argument(offer.name, &wanted, &found),
            Misfit::Other(fault) => fault,
        })
    })
}

/// A fault of ours on its way through Rhai, which puts the place to it.
fn raise(fault: Diagnostic) -> Box<EvalAltResult> {
    EvalAltResult::ErrorRuntime(Dynamic::from(fault), Position::NONE).into()
}

/// The text that an argument must be, such as the name of a state.
pub fn text(arguments: &[Dynamic], at: usize, what: &str) -> Result<ImmutableString, Misfit> {
    let value = arguments.get(at).cloned().unwrap_or_default();
    let kind = values::kind(&value);
    value.into_immutable_string().map_err(|_| Misfit::Kind(format!("the name of {what}"), kind))
}

fn read(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let name = text(arguments, 0, "a state")?;
    let keys = arguments.get(1..).unwrap_or(&[]);
    let model = Rc::clone(&session.model);
    let (_, field, place) = model.field(&name, keys.len())?;
    let keys = session.keys(field, keys)?;
    let (at, count) = session.wide(place, &keys);
    let words = if count > 0 { session.many(at, count) } else { [session.scalar(place, &keys) as u64; values::WIDEST] };
    Ok(values::to_script(&model, type_of(field), words.get(..count.max(1)).unwrap_or(&words)))
}

/// The seats of which a script speaks: the named player, or all.
fn seats(session: &Session, player: Option<&Dynamic>, owned: bool) -> Result<Vec<usize>, Misfit> {
    let model = &session.model;
    match (player, model.program.known.player) {
        (Some(player), Some(domain)) if owned => Ok(vec![values::some_member(model, domain, player)?]),
        (Some(_), _) => Err(Misfit::Kind("nothing more (the piece has no owner)".into(), "a player".into())),
        (None, _) => Ok((0..if owned { model.players } else { 1 }).collect()),
    }
}

fn pieces(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let name = text(arguments, 0, "a piece")?;
    let model = Rc::clone(&session.model);
    let (_, piece, place) = model.piece(&name)?;
    let mut all = [0; values::WIDEST];
    let owners = match arguments.get(1) {
        Some(_) => seats(session, arguments.get(1), place.owned)?,
        None => (0..place.owners(model.players)).collect(),
    };
    for seat in owners {
        let set = session.many(place.address as usize + seat * place.words, place.words);
        all.iter_mut().zip(set).for_each(|(to, word)| *to |= word);
    }
    Ok(values::list(model.names(piece.on)?, &all).into())
}

fn owner(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let name = text(arguments, 0, "a piece")?;
    let model = Rc::clone(&session.model);
    let (_, piece, place) = model.piece(&name)?;
    let at = values::some_member(&model, piece.place, arguments.get(1).unwrap_or(&Dynamic::UNIT))?;
    let slots = model.slots(piece.on);
    let stands = |seat: &usize| {
        let word = |slot: usize| session.word(place.address as usize + seat * place.words + slot / 64);
        (at * slots..(at + 1) * slots).any(|slot| word(slot) >> (slot % 64) & 1 == 1)
    };
    let seat = (0..if place.owned { model.players } else { 0 }).find(stands);
    Ok(seat_name(session, seat.map_or(-1, |s| s as i64)))
}

fn supply(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let name = text(arguments, 0, "a piece")?;
    let model = Rc::clone(&session.model);
    let (_, _, place) = model.piece(&name)?;
    let mut left = 0;
    for seat in seats(session, arguments.get(1), place.owned)? {
        let set = session.many(place.address as usize + seat * place.words, place.words);
        left += place.count - set.iter().map(|w| i64::from(w.count_ones())).sum::<i64>();
    }
    Ok(left.into())
}

fn members(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let name = text(arguments, 0, "a domain")?;
    let known = || session.model.domains.iter();
    match known().find(|d| d.what == *name) {
        Some(names) => Ok(names.all().into()),
        None => match session.model.group(&name) {
            Some(members) => Ok(members.into()),
            None => {
                let groups = session.model.program.groups.iter().map(|group| group.name.as_str());
                Err(errors::no_such_thing("domain", &name, known().map(|d| &*d.what).chain(groups)).into())
            }
        },
    }
}

fn places(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let name = text(arguments, 0, "a mark, a path or a region")?;
    let seat = match arguments.get(1) {
        Some(_) => Some(text(arguments, 1, "a player")?),
        None => None,
    };
    let Some(board) = session.model.board() else {
        return Err(errors::no_such_thing("board with", &name, []).into());
    };
    let of_seat = |of: &Option<String>| seat.is_none() || of.as_deref() == seat.as_deref();
    let marks = board.marks.iter().filter(|m| of_seat(&m.seat)).map(|m| (&m.name, m.kind, &m.places));
    let paths = board.paths.iter().filter(|_| seat.is_none()).map(|p| (&p.name, p.kind, &p.places));
    let areas = board.regions.iter().chain(&board.fogs).filter(|_| seat.is_none());
    let areas = areas.map(|a| (&a.name, a.kind, &a.places));
    let mut found = Array::new();
    let mut known = false;
    for (_, kind, places) in marks.chain(paths).chain(areas).filter(|(n, _, _)| **n == *name) {
        known = true;
        let ids = places.iter().filter_map(|p| board.places(kind).get(usize::from(*p)));
        for place in ids.map(|p| ImmutableString::from(p.id.as_str())) {
            found.push(place.into());
        }
    }
    if !known && board.marks.iter().all(|m| m.name != *name) {
        let names = board.marks.iter().map(|m| &*m.name).chain(board.paths.iter().map(|p| &*p.name));
        let names = names.chain(board.regions.iter().map(|r| &*r.name));
        return Err(errors::no_such_thing("mark, path or region", &name, names).into());
    }
    Ok(found.into())
}

fn linked(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let relation = text(arguments, 0, "a relation of the board")?;
    let place = text(arguments, 1, "a place")?;
    let model = &session.model;
    let Some(board) = model.board() else {
        return Err(errors::no_such_thing("board with", &relation, []).into());
    };
    let from = (0..board.kinds.len()).find_map(|kind| {
        let names = model.names(model.kind_domain(kind)?).ok()?;
        names.find(&place).ok().map(|index| (kind, index))
    });
    let Some((kind, index)) = from else {
        let known = board.kinds.iter().flat_map(|k| k.places.iter().map(|p| p.id.as_str()));
        return Err(errors::unknown_member(&place, "place", known).into());
    };
    let ours: Vec<_> = board.relations.iter().filter(|r| r.from == kind).collect();
    if ours.iter().all(|r| r.name != *relation) {
        return Err(errors::no_such_thing("relation", &relation, ours.iter().map(|r| &*r.name)).into());
    }
    let mut found = Array::new();
    for relation in ours.iter().filter(|r| r.name == *relation) {
        let targets = relation.table.get(index).map_or(&[][..], Vec::as_slice);
        for to in targets.iter().filter_map(|t| board.places(relation.to).get(usize::from(*t))) {
            found.push(ImmutableString::from(to.id.as_str()).into());
        }
    }
    Ok(found.into())
}

fn seat_name(session: &Session, seat: i64) -> Dynamic {
    let player = session.model.program.known.player;
    player.and_then(|d| session.model.names(d).ok()).map_or(Dynamic::UNIT, |names| names.name(seat))
}

fn active(session: &mut Session, _: &[Dynamic]) -> Result<Dynamic, Misfit> {
    Ok(seat_name(session, session.word(fixed::ACTIVE as usize) as i64))
}

fn turn(session: &mut Session, _: &[Dynamic]) -> Result<Dynamic, Misfit> {
    Ok((session.word(fixed::TURN as usize) as i64).into())
}

fn phase(session: &mut Session, _: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let number = session.word(fixed::PHASE as usize) as usize;
    let name = session.model.program.phases.get(number).map(|p| ImmutableString::from(p.name.as_str()));
    Ok(name.map_or(Dynamic::UNIT, Dynamic::from))
}

fn option(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let name = text(arguments, 0, "an option")?;
    let options = &session.model.program.options;
    let found = options.iter().zip(&session.model.options).find(|(o, _)| o.name == *name);
    let Some((option, value)) = found else {
        return Err(errors::no_such_thing("option", &name, options.iter().map(|o| &*o.name)).into());
    };
    Ok(match option.values {
        OptionValues::Words(domain) => session.model.names(domain)?.name(*value),
        OptionValues::Truth { .. } => (*value != 0).into(),
        OptionValues::Range { .. } => (*value).into(),
    })
}

fn holder(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let name = text(arguments, 0, "an award")?;
    let awards = &session.model.program.awards;
    let place = awards.iter().position(|a| a.name == *name).and_then(|id| session.model.layout.awards.get(id));
    match place {
        Some(place) => Ok(seat_name(session, session.word(*place as usize) as i64)),
        None => Err(errors::no_such_thing("award", &name, awards.iter().map(|a| &*a.name)).into()),
    }
}

fn random(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let value = arguments.first().cloned().unwrap_or_default();
    let bound = values::number(&value)?;
    if bound < 1 {
        return Err(Misfit::Kind("a number of at least 1".into(), values::kind(&value)));
    }
    Ok((session.draw(bound as u64) as i64).into())
}
