//! The state of a game as JSON, for one viewer. One rule decides what may be seen ([`may_see`]); what may not is
//! given as far as it may: of a hidden hand its size.

use serde_json::{Map, Value as Json, json};

use super::event::Viewer;
use super::phrase;
use super::sitting::Sitting;
use super::token;
use super::tracks;
use super::value::{self, Cell};
use crate::engine::code::fixed;
use crate::engine::{Game, bags};
use crate::program::{DomainKind, Field, FieldId, FieldRole, FieldType, PieceId, Tokens};

/// May the viewer see this value? Hidden values are seen by the player of the first key; a hidden record of the turn
/// that has no key belongs to the active player, and so does one that tells which hidden cards were moved.
pub fn may_see(game: &Game, field: &Field, keys: &[usize], viewer: Viewer) -> bool {
    let owned = field.keys.first().copied() == game.code.program.known.player && !field.keys.is_empty();
    let seat = if owned { keys.first().copied().unwrap_or(0) } else { game.active() };
    let covered = field.hidden || (field.each_turn && !owned && tells_of_hidden_cards(game, field));
    !covered || viewer.is_among(&[seat as i64])
}

fn tells_of_hidden_cards(game: &Game, field: &Field) -> bool {
    let FieldType::Bag { domain, .. } = field.ty else { return false };
    let program = &game.code.program;
    let cards = program.domains.get(domain.index()).is_some_and(|d| matches!(d.kind, DomainKind::Cards(_)));
    let same = |f: &Field| f.hidden && matches!(f.ty, FieldType::Bag { domain: d, .. } if d == domain);
    cards && program.fields.iter().any(same)
}

/// What the contract calls the state.
pub fn state(sitting: &mut Sitting, viewer: Viewer) -> Json {
    let points: Vec<_> = (0..sitting.opening.seats.len()).map(|seat| sitting.points(seat)).collect();
    let game = &sitting.game;
    let program = game.code.program.clone();
    let phase = usize::try_from(game.word(fixed::PHASE)).ok().and_then(|i| program.phases.get(i));
    let phase = phase.filter(|_| game.turn() > 0).map(|p| p.name.clone());
    let players = program.known.player;
    let seats: Vec<String> = match players {
        Some(players) => value::names(game, players),
        None => Vec::new(),
    };
    let mut all = Map::new();
    for (seat, name) in seats.iter().enumerate() {
        let seen = points.get(seat).copied().unwrap_or_default();
        let mut object = Map::new();
        if let Some(points) = seen.0 {
            object.insert("points".into(), json!(points));
        }
        if let Some(hidden) = seen.1.filter(|_| viewer.is_among(&[seat as i64])) {
            object.insert("hidden_points".into(), json!(hidden));
        }
        object.insert("state".into(), Json::Object(seat_state(game, seat, viewer)));
        object.insert("pieces".into(), Json::Object(pieces(game, Some(seat), viewer)));
        all.insert(name.clone(), Json::Object(object));
    }
    let over = game.over().then(|| json!({ "winner": game.winner().and_then(|w| seats.get(w).cloned()) }));
    json!({
        "turn": game.turn(),
        "phase": phase,
        "active": seats.get(game.active()),
        "seats": all,
        "shared": {
            "state": shared_state(game, viewer),
            "pieces": pieces(game, None, viewer),
            "decks": decks(game),
        },
        "places": places(game, viewer),
        "tracks": tracks::json(game, &seats),
        "awards": awards(game, &seats),
        "chronicle": chronicle(game, viewer),
        "over": over,
    })
}

/// The open decision, or null.
pub fn decision(game: &mut Game, seats: &[String]) -> Json {
    match game.decision() {
        Some(decision) => json!({ "seat": seats.get(decision.seat), "prompt": phrase::prompt(game) }),
        None => Json::Null,
    }
}

fn seat_state(game: &Game, seat: usize, viewer: Viewer) -> Map<String, Json> {
    let program = &game.code.program;
    let mut out = Map::new();
    for (id, field) in fields(game) {
        let belongs = matches!(field.role, FieldRole::Declared | FieldRole::Discards(_) | FieldRole::Home);
        if belongs && !field.keys.is_empty() && field.keys.first().copied() == program.known.player {
            out.insert(field.name.clone(), nested(game, id, field, &mut vec![seat], viewer));
        }
    }
    out
}

fn shared_state(game: &Game, viewer: Viewer) -> Map<String, Json> {
    let program = &game.code.program;
    let mut out = Map::new();
    for (id, field) in fields(game) {
        let first = field.keys.first().copied();
        let of_place = field.keys.len() == 1 && first.is_some_and(|k| value::place_kind(&game.code, k).is_some());
        let of_seat = first.is_some() && first == program.known.player;
        match field.role {
            FieldRole::Deck(_)
            | FieldRole::Discards(_)
            | FieldRole::Terrain
            | FieldRole::OfPiece(_)
            | FieldRole::Chronicle => {}
            FieldRole::Declared | FieldRole::Home if of_place || of_seat => {}
            // Nobody sees what is still to be drawn.
            FieldRole::Home if program.decks.iter().any(|deck| deck.cards == id) => {}
            FieldRole::Declared | FieldRole::Home => {
                out.insert(field.name.clone(), nested(game, id, field, &mut Vec::new(), viewer));
            }
        }
    }
    out
}

/// What outlives the game, under its names; an empty object where a ruleset keeps nothing.
fn chronicle(game: &Game, viewer: Viewer) -> Map<String, Json> {
    let kept = fields(game).filter(|(_, field)| field.role == FieldRole::Chronicle);
    kept.map(|(id, field)| (field.name.clone(), nested(game, id, field, &mut Vec::new(), viewer))).collect()
}

fn fields(game: &Game) -> impl Iterator<Item = (FieldId, &Field)> {
    game.code.program.fields.iter().enumerate().map(|(i, field)| (FieldId(i as u32), field))
}

/// The values of a field from these keys on: objects by the names of the keys that are still open.
fn nested(game: &Game, id: FieldId, field: &Field, keys: &mut Vec<usize>, viewer: Viewer) -> Json {
    let Some(domain) = field.keys.get(keys.len()).copied() else {
        let place = game.code.layout.fields.get(id.index());
        let Some(cell) = place.and_then(|place| value::cell_of(place, keys)) else { return Json::Null };
        let cell = value::read(game, id, cell);
        return match may_see(game, field, keys, viewer) {
            true => value::field_json(game, field, &cell),
            false => value::covered_json(&field.ty, &cell),
        };
    };
    let mut out = Map::new();
    for index in 0..value::size(&game.code, domain) {
        keys.push(index);
        out.insert(game.member_name(domain, index as i64), nested(game, id, field, keys, viewer));
        keys.pop();
    }
    Json::Object(out)
}

fn pieces(game: &Game, seat: Option<usize>, viewer: Viewer) -> Map<String, Json> {
    let code = &game.code;
    let mut out = Map::new();
    for (index, piece) in code.program.pieces.iter().enumerate() {
        let Some(place) = code.layout.pieces.get(index) else { continue };
        // What nobody owns is shown with what is shared, also of pieces that players own.
        let owner = match (seat, place.owned, place.neutral) {
            (Some(seat), true, _) => seat,
            (None, true, true) => code.players,
            (None, false, _) => 0,
            (Some(_), false, _) | (None, true, false) => continue,
        };
        let on = piece_places(game, PieceId(index as u32), owner);
        let ids: Vec<String> = on.iter().map(|i| game.member_name(piece.on, *i as i64)).collect();
        let mut object = Map::new();
        if seat.is_some() || place.count > 1 {
            object.insert("supply".into(), json!(place.count - ids.len() as i64));
        }
        object.insert("on".into(), json!(ids));
        let tokens = code.program.tokens_of(PieceId(index as u32));
        if let Some(tokens) = tokens {
            object.extend(faces(game, tokens, &on, &ids, viewer));
        }
        // What lies in the fields of tokens themselves is told above, as far as it may be.
        let is_own = |id: &FieldId| {
            tokens.is_some_and(|t| t.face == *id || t.down.is_some_and(|down| down.seen == *id || down.up == *id))
        };
        let of_piece = |f: &Field| f.pieces.contains(&PieceId(index as u32));
        for (id, field) in fields(game).filter(|(id, f)| of_piece(f) && !is_own(id)) {
            let place = &code.layout.fields[id.index()];
            let one = |keys: &[usize]| {
                let cell = value::cell_of(place, keys).map(|cell| value::read(game, id, cell));
                cell.map_or(Json::Null, |cell| value::field_json(game, field, &cell))
            };
            let values = on.iter().zip(&ids).map(|(at, name)| {
                let own: Vec<usize> = seat.into_iter().chain([*at]).collect();
                let all = place.keys_before(own.len()).into_iter().map(|outer| {
                    let named = outer.iter().zip(&field.keys).map(|(i, d)| game.member_name(*d, *i as i64));
                    (named.collect::<Vec<_>>().join(" "), one(&[&outer[..], &own[..]].concat()))
                });
                let value = if place.keys.len() == own.len() { one(&own) } else { Json::Object(all.collect()) };
                (name.clone(), value)
            });
            object.insert(field.name.clone(), Json::Object(values.collect()));
        }
        out.insert(piece.name.clone(), Json::Object(object));
    }
    out
}

/// The faces of tokens, `?` for what the viewer does not know; of those that lie face down also who has looked.
fn faces(game: &Game, tokens: &Tokens, on: &[usize], ids: &[String], viewer: Viewer) -> Map<String, Json> {
    let players = game.code.program.known.player;
    let mut out = Map::new();
    let named = || on.iter().zip(ids);
    let face = |slot: &usize| token::face(game, tokens, *slot, viewer).unwrap_or_else(|| "?".into());
    out.insert("face".into(), named().map(|(slot, id)| (id.clone(), json!(face(slot)))).collect());
    if tokens.down.is_some() {
        let seen = |slot: &usize| {
            let (seen, up) = token::seen(game, tokens, *slot);
            let all = (0..game.code.players).collect();
            let seers: Vec<usize> = if up { all } else { seen };
            let name = |seat: &usize| players.map_or(String::new(), |p| game.member_name(p, *seat as i64));
            json!(seers.iter().map(name).collect::<Vec<_>>())
        };
        out.insert("seen".into(), named().map(|(slot, id)| (id.clone(), seen(slot))).collect());
    }
    out
}

fn is_of_piece(field: &Field) -> bool {
    matches!(field.role, FieldRole::OfPiece(_))
}

/// The places on which a seat's pieces of a kind stand (of nobody's pieces: whatever the seat).
pub fn piece_places(game: &Game, id: PieceId, seat: usize) -> Vec<usize> {
    let Some(place) = game.code.layout.pieces.get(id.index()) else { return Vec::new() };
    let base = usize::from(place.address) + if place.owned { seat * place.words } else { 0 };
    let words: Vec<u64> =
        (base..base + place.words).map(|at| game.machine.memory.get(at).copied().unwrap_or(0)).collect();
    value::set_members(&words).collect()
}

fn decks(game: &Game) -> Map<String, Json> {
    let mut out = Map::new();
    for deck in &game.code.program.decks {
        let mut object = Map::new();
        let bag_size = |cell: &Cell| cell.words().iter().map(|w| bags::size(*w)).sum::<u64>();
        object.insert("left".into(), json!(bag_size(&value::read(game, deck.cards, 0))));
        let discards = value::read(game, deck.discards, 0);
        if let Some(field) = game.code.program.fields.get(deck.discards.index())
            && deck.discards != deck.cards
        {
            object.insert("discards".into(), value::field_json(game, field, &discards));
        }
        out.insert(deck.name.clone(), Json::Object(object));
    }
    out
}

fn places(game: &Game, viewer: Viewer) -> Map<String, Json> {
    let code = &game.code;
    let mut out = Map::new();
    let Some(variant) = code.board.and_then(|b| code.program.boards.get(b)) else { return out };
    for (kind, domain) in variant.board.kinds.iter().zip(&variant.kinds) {
        let of_kind: Vec<(FieldId, &Field)> =
            fields(game).filter(|(_, field)| field.keys.as_slice() == [*domain] && !is_of_piece(field)).collect();
        if of_kind.is_empty() {
            continue;
        }
        for (index, place) in kind.places.iter().enumerate() {
            let values = of_kind
                .iter()
                .map(|(id, field)| (field.name.clone(), nested(game, *id, field, &mut vec![index], viewer)));
            out.insert(place.id.clone(), Json::Object(values.collect()));
        }
    }
    out
}

fn awards(game: &Game, seats: &[String]) -> Map<String, Json> {
    let mut out = Map::new();
    for (award, address) in game.code.program.awards.iter().zip(&game.code.layout.awards) {
        let holder = usize::try_from(game.word(*address)).ok().and_then(|seat| seats.get(seat));
        out.insert(award.name.clone(), json!(holder));
    }
    out
}
