//! A square grid.

use super::sheet::{self, BARE, CALLED, INK, Sheet, Type};
use crate::board::{Board, PlaceRef};
use crate::view::palette;
use crate::view::scene::Scene;

const SIDE: f32 = 56.0;

pub fn draw(board: &Board, scene: &Scene) -> String {
    let mut sheet = Sheet::new();
    for (index, place) in board.places(0).iter().enumerate() {
        let at = PlaceRef { kind: 0, index: index as u16 };
        let (x, y) = (place.x * SIDE, place.y * SIDE);
        let look = scene.looks.get(&at);
        let fill = look.and_then(|look| look.fill.as_deref()).and_then(|word| board.colour_of(word)).unwrap_or(BARE);
        let half = SIDE / 2.0;
        let corners = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)];
        sheet.polygon(&corners, fill, sheet::darker(fill), 1.4);
        let ink = palette::readable_on(fill);
        let spoken = |words: &mut dyn Iterator<Item = &String>| {
            words.map(String::as_str).collect::<Vec<_>>().join(" ").replace('_', " ")
        };
        // What is noted stands on a line of its own, and moves the number down.
        let words = look.map_or(String::new(), |look| spoken(&mut look.fill.iter()));
        let notes = look.map_or(String::new(), |look| spoken(&mut look.notes.iter()));
        let bare = words.is_empty() && notes.is_empty();
        let lines: Vec<&String> = [&words, &notes].into_iter().filter(|line| !line.is_empty()).collect();
        for (line, at) in lines.iter().zip([SIDE * 0.36, SIDE * 0.2]) {
            sheet.fitted((x, y - at), line, Type::new(10.0, ink), SIDE - 4.0);
        }
        let down = if lines.len() > 1 { SIDE * 0.13 } else { 0.0 };
        let mut low = if bare { 0.0 } else { SIDE * 0.08 + down };
        if let Some(label) = look.and_then(|look| look.label.as_deref()) {
            sheet.fitted((x, y - SIDE * 0.12 + down), label, Type::new(13.0, ink).bold(), SIDE - 4.0);
            low = SIDE * 0.24 + down / 2.0;
        }
        let pieces = scene.pieces_at(at).count().max(1) as f32;
        let most = if low > SIDE * 0.2 { SIDE * 0.17 } else { SIDE * 0.3 };
        sheet.pieces(scene, at, (x, y + low), most.min(SIDE * 0.46 / pieces));
        if scene.highlight.contains(&at) {
            sheet.tag((x, y + SIDE * 0.36), &place.id, 10.0, CALLED);
        }
    }
    rulers(board, &mut sheet);
    sheet.legend(scene);
    sheet.finish()
}

/// The numbers of columns and rows along the rim.
fn rulers(board: &Board, sheet: &mut Sheet) {
    let mut columns: Vec<i32> = board.places(0).iter().filter_map(|place| Some(place.coordinates?.0)).collect();
    let mut rows: Vec<i32> = board.places(0).iter().filter_map(|place| Some(place.coordinates?.1)).collect();
    for numbers in [&mut columns, &mut rows] {
        numbers.sort();
        numbers.dedup();
    }
    let style = Type::new(11.0, INK).faint();
    let first = |numbers: &[i32]| numbers.first().copied().unwrap_or(1) as f32;
    let (left, top) = ((first(&columns) - 0.75) * SIDE, (first(&rows) - 0.75) * SIDE);
    for column in columns {
        sheet.text((column as f32 * SIDE, top), &column.to_string(), style);
    }
    for row in rows {
        sheet.text((left, row as f32 * SIDE), &row.to_string(), style);
    }
}
