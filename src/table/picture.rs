//! What lies on the board of a game, for one viewer, as `view` draws it.

use std::collections::BTreeSet;

use super::event::Viewer;
use super::show;
use super::token;
use super::value::{self, Cell};
use crate::board::{Board, PlaceRef};
use crate::engine::machine::RowKind;
use crate::engine::{Game, bags};
use crate::program::{DomainId, FieldId, PieceId, Type};
use crate::view::{Piece, Scene};

/// The scene of a game; `highlight` shows the ids of the places that the open decision can name.
pub fn scene(game: &mut Game, viewer: Viewer, highlight: bool) -> Scene {
    let program = game.code.program.clone();
    let code = game.code.clone();
    let Some(variant) = code.board.and_then(|b| program.boards.get(b)) else { return Scene::default() };
    let mut scene = Scene::default();
    for (kind, (places, domain)) in variant.board.kinds.iter().zip(&variant.kinds).enumerate() {
        for (number, field) in program.fields.iter().enumerate() {
            if field.keys.as_slice() != [*domain] {
                continue;
            }
            for index in 0..places.places.len() {
                if !show::may_see(game, field, &[index], viewer) {
                    continue;
                }
                let cell = value::read(game, FieldId(number as u32), index);
                let word = match (field.none, &cell) {
                    (Some(none), Cell::Scalar(n)) if *n == none => continue,
                    (_, cell) => game.value_text(value::type_of(&field.ty), &cell.words()),
                };
                scene.look(&variant.board, PlaceRef { kind, index: index as u16 }, &field.name, &word);
            }
        }
        for (number, piece) in program.pieces.iter().enumerate() {
            if piece.place != *domain {
                continue;
            }
            let slots = value::slots(&code, piece.on);
            let owners = code.layout.pieces.get(number).map_or(0, |place| place.owners(code.players));
            for seat in 0..owners {
                let tokens = program.tokens_of(PieceId(number as u32));
                for index in show::piece_places(game, PieceId(number as u32), seat) {
                    let face = tokens.and_then(|tokens| token::face(game, tokens, index, viewer));
                    scene.pieces.push(Piece {
                        place: PlaceRef { kind, index: (index / slots) as u16 },
                        name: face.unwrap_or_else(|| piece.name.clone()),
                        seat: (piece.owned && seat < code.players).then_some(seat),
                    });
                }
            }
        }
    }
    for area in variant
        .board
        .marks
        .iter()
        .map(|m| (&m.name, m.kind, &m.places))
        .chain(variant.board.regions.iter().map(|r| (&r.name, r.kind, &r.places)))
    {
        // What the author gave a colour is to be seen.
        let (name, kind, places) = area;
        if variant.board.colour_of(name).is_some() {
            for index in places {
                let look = scene.looks.entry(PlaceRef { kind, index: *index }).or_default();
                if look.fill.as_ref() != Some(name) {
                    look.notes.push(name.clone());
                }
            }
        }
    }
    cover(game, &variant.board, &variant.kinds, &mut scene);
    scene.rows = super::tracks::rows(game);
    scene.piece_names = program.pieces.iter().map(|p| p.name.clone()).collect();
    if highlight {
        scene.highlight = named_places(game);
    }
    let seats = program.known.player.map(|p| value::names(game, p)).unwrap_or_default();
    scene.with_seats(seats.iter().map(String::as_str))
}

/// Shows the fog on places that nobody has seen yet.
fn cover(game: &Game, board: &Board, kinds: &[DomainId], scene: &mut Scene) {
    for fog in &game.code.program.fogs {
        let Some(kind) = kinds.iter().position(|domain| *domain == fog.on) else { continue };
        for area in board.fogs.iter().filter(|area| area.name == fog.name) {
            for index in &area.places {
                if value::read(game, fog.terrain, usize::from(*index)).words().first().is_some_and(|w| *w as i64 == -1)
                {
                    scene.look(board, PlaceRef { kind, index: *index }, &fog.name, &fog.name);
                }
            }
        }
    }
}

/// The places that moves at the open decision name last, which is where they happen.
fn named_places(game: &mut Game) -> BTreeSet<PlaceRef> {
    let code = game.code.clone();
    let mut out = BTreeSet::new();
    for row in game.menu() {
        let last = code.entries.get(usize::from(row.entry)).and_then(|e| e.params.last());
        let (RowKind::Set(words), Some(param)) = (row.kind, last) else { continue };
        let Type::Member(domain) = param.ty else { continue };
        let Some(kind) = value::place_kind(&code, domain) else { continue };
        let set = row.set.get(..usize::from(words)).unwrap_or(&[]);
        out.extend(value::set_members(set).map(|index| PlaceRef { kind, index: index as u16 }));
    }
    out
}

/// A bag in few words, for a hand beside the board.
pub fn bag_words(game: &Game, cell: &Cell, ty: Type) -> String {
    let words = cell.words();
    if words.iter().map(|w| bags::size(*w)).sum::<u64>() == 0 { "-".into() } else { game.value_text(ty, &words) }
}
