//! A graph: places where the author put them, links as lines.

use std::collections::BTreeSet;

use super::sheet::{self, BARE, CALLED, Sheet, Type};
use crate::board::{Board, Place, PlaceRef, Rgb};
use crate::view::palette;
use crate::view::scene::Scene;

/// How far apart the two nearest places are drawn.
const NEAREST: f32 = 92.0;
const SIZE: (f32, f32) = (74.0, 34.0);
/// How wide hexes are.
const HEX_WIDTH: f32 = 190.0;
const BRIDGE: Rgb = [0xa9, 0x7c, 0x50];
const LINK: Rgb = [0x5b, 0x60, 0x68];

/// The patterns of lines, by the order of the links' names.
const DASHES: [&str; 4] =
    ["", r#" stroke-dasharray="1 6""#, r#" stroke-dasharray="8 5""#, r#" stroke-dasharray="10 4 1 4""#];

type Point = (f32, f32);

pub fn draw(board: &Board, scene: &Scene) -> String {
    let mut sheet = Sheet::new();
    let scale = match board.as_hexes {
        Some(kind) => HEX_WIDTH / board.hex_width(kind),
        None => scale(board),
    };
    let point = |at: PlaceRef| board.place(at).map_or((0.0, 0.0), |place| (place.x * scale, place.y * scale));

    for (index, place) in board.as_hexes.map_or(&[][..], |kind| board.places(kind)).iter().enumerate() {
        let at = PlaceRef { kind: board.as_hexes.unwrap_or(0), index: index as u16 };
        hex(board, scene, &mut sheet, at, place, point(at));
    }
    let mut names: Vec<&str> = Vec::new();
    let mut drawn: BTreeSet<(PlaceRef, PlaceRef, &str)> = BTreeSet::new();
    for relation in board.drawn_links() {
        if !names.contains(&relation.name.as_str()) {
            names.push(&relation.name);
        }
        let pattern = names.iter().position(|name| *name == relation.name).unwrap_or(0);
        let dashes = DASHES.get(pattern % DASHES.len()).copied().unwrap_or("");
        for (index, targets) in relation.table.iter().enumerate() {
            let from = PlaceRef { kind: relation.from, index: index as u16 };
            for target in targets {
                let to = PlaceRef { kind: relation.to, index: *target };
                let seen = relation.symmetric && drawn.contains(&(to, from, relation.name.as_str()));
                if !seen && drawn.insert((from, to, &relation.name)) {
                    let arrow = if relation.symmetric { "" } else { r#" marker-end="url(#arrow)""# };
                    if board.as_hexes.is_some() {
                        let (a, b) = (toward(point(from), point(to), 19.0), toward(point(to), point(from), 19.0));
                        let width = if relation.symmetric { 7.0 } else { 2.2 };
                        let colour = if relation.symmetric { BRIDGE } else { LINK };
                        sheet.line(a, b, colour, width, arrow);
                    } else {
                        let (a, b) = (rim(point(from), point(to)), rim(point(to), point(from)));
                        sheet.line(a, b, LINK, 2.0, &format!("{dashes}{arrow}"));
                    }
                }
            }
        }
    }
    for (kind, places) in board.kinds.iter().enumerate().filter(|(_, kind)| !kind.regions) {
        for (index, place) in places.places.iter().enumerate() {
            let at = PlaceRef { kind, index: index as u16 };
            match board.as_hexes {
                Some(hexes) if hexes == kind => {}
                Some(_) => spot(board, scene, &mut sheet, at, place, point(at)),
                None => node(board, scene, &mut sheet, at, place, point(at)),
            }
        }
    }
    sheet.legend(scene);
    sheet.finish()
}

fn node(board: &Board, scene: &Scene, sheet: &mut Sheet, at: PlaceRef, place: &Place, (x, y): Point) {
    let look = scene.looks.get(&at);
    let fill = look.and_then(|look| look.fill.as_deref()).and_then(|word| board.colour_of(word)).unwrap_or(BARE);
    // The first kind of places is drawn round, the others with ever squarer corners.
    let round = SIZE.1 / 2.0 / (at.kind as f32 + 1.0);
    sheet.pill((x, y), SIZE, round, fill, sheet::darker(fill));
    let ink = palette::readable_on(fill);
    let words = look.map_or(String::new(), |look| {
        let words = look.fill.iter().chain(&look.label).chain(&look.notes);
        words.map(String::as_str).collect::<Vec<_>>().join(" ").replace('_', " ")
    });
    if scene.highlight.contains(&at) {
        sheet.tag((x, y - SIZE.1 * 0.4), &place.id, 11.0, CALLED);
    } else {
        let lift = if words.is_empty() { 0.0 } else { SIZE.1 * 0.2 };
        sheet.text((x, y - lift), &place.id, Type::new(12.0, ink).bold());
    }
    sheet.fitted((x, y + SIZE.1 * 0.24), &words, Type::new(9.5, ink), SIZE.0 - 6.0);
    sheet.pieces(scene, at, (x, y + SIZE.1 * 0.62), 9.0);
}

/// A place that is drawn as a hex.
fn hex(board: &Board, scene: &Scene, sheet: &mut Sheet, at: PlaceRef, place: &Place, (x, y): Point) {
    let look = scene.looks.get(&at);
    let fill = look.and_then(|look| look.fill.as_deref()).and_then(|word| board.colour_of(word)).unwrap_or(BARE);
    let (half, side) = (HEX_WIDTH / 2.0 * 0.97, HEX_WIDTH / 3f32.sqrt() * 0.97);
    let tips =
        [(0.0, -side), (half, -side / 2.0), (half, side / 2.0), (0.0, side), (-half, side / 2.0), (-half, -side / 2.0)];
    sheet.polygon(&tips.map(|(dx, dy)| (x + dx, y + dy)), fill, sheet::darker(fill), 2.0);
    let ink = palette::readable_on(fill);
    if scene.highlight.contains(&at) {
        sheet.tag((x, y - side * 0.45), &place.id, 11.0, CALLED);
    } else {
        sheet.text((x, y - side * 0.45), &place.id, Type::new(10.5, ink).faint());
    }
    if let Some(look) = look {
        let words = look.fill.iter().chain(&look.notes).map(String::as_str).collect::<Vec<_>>().join(" ");
        sheet.fitted((x, y - side * 0.2), &words.replace('_', " "), Type::new(11.5, ink).bold(), half * 1.5);
        if let Some(label) = &look.label {
            sheet.circle((x, y + side * 0.12), 15.0, sheet::PAPER, sheet::darker(fill), 1.2);
            sheet.text((x, y + side * 0.12), label, Type::new(16.0, sheet::INK).bold());
        }
    }
    sheet.pieces(scene, at, (x, y + side * 0.5), 11.0);
}

/// A place between hexes: round, or square for the kinds that come after the next.
fn spot(board: &Board, scene: &Scene, sheet: &mut Sheet, at: PlaceRef, place: &Place, (x, y): Point) {
    let first = board.kinds.iter().enumerate().map(|(kind, _)| kind).find(|kind| Some(*kind) != board.as_hexes);
    let round = if Some(at.kind) == first { 13.0 } else { 4.0 };
    let called = scene.highlight.contains(&at);
    sheet.pill((x, y), (26.0, 26.0), round, if called { CALLED } else { sheet::PAPER }, LINK);
    if called || scene.pieces_at(at).next().is_none() {
        sheet.text((x, y), &place.id, Type::new(9.5, sheet::INK).bold());
    }
    let lift = if called { 13.0 } else { 0.0 };
    sheet.pieces(scene, at, (x, y + lift), 10.0);
}

/// A point on the way from one place to another, so far from the first.
fn toward(from: Point, to: Point, far: f32) -> Point {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let share = (far / dx.hypot(dy).max(0.01)).min(0.45);
    (from.0 + dx * share, from.1 + dy * share)
}

/// Where a line from the middle of a node towards another leaves the node.
fn rim(from: Point, to: Point) -> Point {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let share = (SIZE.0 / 2.0 / dx.abs().max(0.01)).min(SIZE.1 / 2.0 / dy.abs().max(0.01)).min(0.5);
    (from.0 + dx * share, from.1 + dy * share)
}

/// Pixels for one unit of the author's.
fn scale(board: &Board) -> f32 {
    let places: Vec<&Place> = board.kinds.iter().filter(|kind| !kind.regions).flat_map(|kind| &kind.places).collect();
    let mut nearest = f32::MAX;
    for (i, a) in places.iter().enumerate() {
        for b in places.iter().skip(i + 1) {
            let apart = (a.x - b.x).hypot(a.y - b.y);
            if apart > 0.0 {
                nearest = nearest.min(apart);
            }
        }
    }
    if nearest == f32::MAX { 1.0 } else { NEAREST / nearest }
}
