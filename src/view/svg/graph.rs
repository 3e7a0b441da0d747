//! A graph: places where the author put them, links as lines.

use std::collections::BTreeSet;

use super::sheet::{self, BARE, CALLED, Sheet, Type};
use crate::board::{Board, Place, PlaceRef, Rgb};
use crate::view::palette;
use crate::view::scene::Scene;

/// How far apart the two nearest places are drawn.
const NEAREST: f32 = 92.0;
const SIZE: (f32, f32) = (74.0, 34.0);
const LINK: Rgb = [0x5b, 0x60, 0x68];

/// The patterns of lines, by the order of the links' names.
const DASHES: [&str; 4] =
    ["", r#" stroke-dasharray="1 6""#, r#" stroke-dasharray="8 5""#, r#" stroke-dasharray="10 4 1 4""#];

type Point = (f32, f32);

pub fn draw(board: &Board, scene: &Scene) -> String {
    let mut sheet = Sheet::new();
    let scale = scale(board);
    let point = |at: PlaceRef| board.place(at).map_or((0.0, 0.0), |place| (place.x * scale, place.y * scale));

    let mut names: Vec<&str> = Vec::new();
    let mut drawn: BTreeSet<(PlaceRef, PlaceRef, &str)> = BTreeSet::new();
    for relation in board.links() {
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
                    let (a, b) = (rim(point(from), point(to)), rim(point(to), point(from)));
                    let arrow = if relation.symmetric { "" } else { r#" marker-end="url(#arrow)""# };
                    sheet.line(a, b, LINK, 2.0, &format!("{dashes}{arrow}"));
                }
            }
        }
    }
    for (kind, places) in board.kinds.iter().enumerate().filter(|(_, kind)| !kind.regions) {
        for (index, place) in places.places.iter().enumerate() {
            let at = PlaceRef { kind, index: index as u16 };
            node(board, scene, &mut sheet, at, place, point(at));
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
