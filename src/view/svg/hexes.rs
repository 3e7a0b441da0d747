//! A hex board: hexes, then notes of edges, then what stands on edges, corners and hexes.

use super::sheet::{self, BARE, CALLED, INK, Sheet, Type};
use crate::board::{Board, PlaceRef, Rgb};
use crate::view::palette;
use crate::view::scene::Scene;

const HEX: usize = 0;
const CORNER: usize = 1;
const EDGE: usize = 2;

/// Half a side of a hex, and half its width: the units in which places are located.
const UNIT_Y: f32 = 25.0;
const UNIT_X: f32 = UNIT_Y * 1.732;

type Point = (f32, f32);

pub fn draw(board: &Board, scene: &Scene) -> String {
    let mut sheet = Sheet::new();
    for at in all(board, HEX) {
        hex(board, scene, &mut sheet, at);
    }
    for at in all(board, EDGE) {
        notes(board, scene, &mut sheet, at);
    }
    for at in all(board, EDGE) {
        edge(board, scene, &mut sheet, at);
    }
    for at in all(board, CORNER) {
        sheet.pieces(scene, at, point(board, at), 11.0);
    }
    for at in scene.highlight.iter().filter(|at| at.kind != HEX) {
        let owner = scene.pieces_at(*at).next();
        let fill = owner.map_or(CALLED, |piece| palette::piece_colour(scene, piece));
        sheet.tag(point(board, *at), board.id(*at), 11.0, fill);
    }
    sheet.legend(scene);
    sheet.finish()
}

fn all(board: &Board, kind: usize) -> impl Iterator<Item = PlaceRef> {
    (0..board.places(kind).len()).map(move |index| PlaceRef { kind, index: index as u16 })
}

fn point(board: &Board, at: PlaceRef) -> Point {
    board.place(at).map_or((0.0, 0.0), |place| (place.x * UNIT_X, place.y * UNIT_Y))
}

fn colour(board: &Board, word: &str) -> Option<Rgb> {
    board.colour_of(word)
}

fn hex(board: &Board, scene: &Scene, sheet: &mut Sheet, at: PlaceRef) {
    let (x, y) = point(board, at);
    let look = scene.looks.get(&at);
    let fill = look.and_then(|look| look.fill.as_deref()).and_then(|word| colour(board, word)).unwrap_or(BARE);
    let tip = |dx: f32, dy: f32| (x + dx * UNIT_X * 0.97, y + dy * UNIT_Y * 0.97);
    let tips = [tip(0.0, -2.0), tip(1.0, -1.0), tip(1.0, 1.0), tip(0.0, 2.0), tip(-1.0, 1.0), tip(-1.0, -1.0)];
    sheet.polygon(&tips, fill, sheet::darker(fill), 2.0);

    let ink = palette::readable_on(fill);
    let id_at = (x, y - UNIT_Y * 1.35);
    if scene.highlight.contains(&at) {
        sheet.tag(id_at, board.id(at), 11.0, CALLED);
    } else {
        sheet.text(id_at, board.id(at), Type::new(9.5, ink).faint());
    }
    let Some(look) = look else {
        sheet.pieces(scene, at, (x, y + UNIT_Y * 0.5), 11.0);
        return;
    };
    let words = look.fill.iter().chain(&look.notes).map(String::as_str).collect::<Vec<_>>().join(" ").replace('_', " ");
    sheet.fitted((x, y - UNIT_Y * 0.72), &words, Type::new(10.5, ink), UNIT_X * 1.9);
    if let Some(label) = &look.label {
        sheet.circle((x, y + UNIT_Y * 0.12), 13.5, sheet::PAPER, sheet::darker(fill), 1.2);
        sheet.text((x, y + UNIT_Y * 0.12), label, Type::new(15.0, INK).bold());
    }
    sheet.pieces(scene, at, (x, y + UNIT_Y * 1.15), 9.5);
}

/// The words of an edge stand beside it, away from the hex that has a label, tied to both ends.
fn notes(board: &Board, scene: &Scene, sheet: &mut Sheet, at: PlaceRef) {
    let Some(look) = scene.looks.get(&at).filter(|look| !look.notes.is_empty()) else { return };
    let hexes: Vec<PlaceRef> =
        board.related("hexes", at, HEX).iter().map(|index| PlaceRef { kind: HEX, index: *index }).collect();
    let labelled = |hex: &&PlaceRef| scene.looks.get(hex).is_some_and(|look| look.label.is_some());
    let Some(inside) = hexes.iter().find(labelled).or(hexes.first()) else { return };
    let (hex, middle) = (point(board, *inside), point(board, at));
    let away = |share: f32| (middle.0 + (middle.0 - hex.0) * share, middle.1 + (middle.1 - hex.1) * share);
    let text = look.notes.join(" ").replace('_', " ");
    // A long word stands further off an upright edge.
    let upright = (middle.1 - hex.1).abs() < 1.0;
    let spot = away(if upright { 0.35 + sheet::width(&text, 11.0) / UNIT_X / 2.0 } else { 0.55 });
    for end in board.related("ends", at, CORNER) {
        let end = point(board, PlaceRef { kind: CORNER, index: *end });
        sheet.line(end, spot, sheet::darker(sheet::darker(BARE)), 2.2, r#" stroke-dasharray="1 5""#);
    }
    let fill = look.notes.first().and_then(|word| colour(board, word)).unwrap_or(sheet::PAPER);
    sheet.tag(spot, &text, 11.0, fill);
}

fn edge(board: &Board, scene: &Scene, sheet: &mut Sheet, at: PlaceRef) {
    let Some(piece) = scene.pieces_at(at).next() else { return };
    let ends: Vec<Point> = board
        .related("ends", at, CORNER)
        .iter()
        .map(|index| point(board, PlaceRef { kind: CORNER, index: *index }))
        .collect();
    let [a, b] = ends.as_slice() else { return };
    let between = |share: f32| (a.0 + (b.0 - a.0) * share, a.1 + (b.1 - a.1) * share);
    let fill = palette::piece_colour(scene, piece);
    sheet.line(between(0.22), between(0.78), INK, 11.0, "");
    sheet.line(between(0.22), between(0.78), fill, 7.5, "");
    // Letters are needed only where several kinds of pieces, or several pieces, stand on edges.
    let on_edges = || scene.pieces.iter().filter(|piece| piece.place.kind == EDGE);
    let several = on_edges().any(|other| other.name != piece.name) || scene.pieces_at(at).count() > 1;
    if several {
        sheet.pieces(scene, at, between(0.5), 7.0);
    }
}
