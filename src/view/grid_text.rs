//! A square grid in characters: a table with the columns and rows at its rim.

use std::collections::BTreeSet;

use super::canvas::{Canvas, Style};
use super::palette;
use super::scene::Scene;
use crate::board::{Board, PlaceRef};

const CALLED: Style = Style { ground: Some([0xff, 0xff, 0x5f]), bold: true, dim: false };
const FAINT: Style = Style { ground: None, bold: false, dim: true };

pub fn draw(board: &Board, scene: &Scene, width: usize) -> Canvas {
    let mut canvas = Canvas::default();
    let places = board.places(0);
    let columns = places.iter().filter_map(|place| place.coordinates).map(|(column, _)| column).max().unwrap_or(0);
    // Words need more room than letters, and a second line; what is noted beside them a third.
    let words = scene.looks.values().any(|look| look.fill.is_some() || look.label.is_some() || !look.notes.is_empty());
    let most = (width as i32 - 4) / columns.max(1) - 1;
    let inner = if words { most.clamp(3, 9) } else { most.clamp(3, 5) };
    let noted = scene.looks.values().any(|look| !look.notes.is_empty());
    let height = 2 + i32::from(words) + i32::from(noted);
    // A row without any cell takes a single line.
    let filled: BTreeSet<i32> = places.iter().filter_map(|place| place.coordinates).map(|(_, row)| row).collect();
    let top_of = |row: i32| {
        let above = filled.range(..row).count() as i32;
        1 + above * height + (row - 1 - above)
    };
    let corner = |column: i32, row: i32| (top_of(row), 4 + (column - 1) * (inner + 1));

    for (i, place) in places.iter().enumerate() {
        let Some((column, row)) = place.coordinates else { continue };
        let at = PlaceRef { kind: 0, index: i as u16 };
        let (top, left) = corner(column, row);
        frame(board, &mut canvas, (column, row), (top, left), (height, inner));
        canvas.centre(0, left + 1 + inner / 2, inner as usize, &column.to_string(), FAINT);
        canvas.write(top + 1, 0, &format!("{row:>3}"), FAINT);

        let look = scene.looks.get(&at).cloned().unwrap_or_default();
        let ground = look.fill.as_deref().and_then(|word| board.colour_of(word));
        let style = Style::ground(ground);
        for line in 1..height {
            canvas.write(top + line, left + 1, &" ".repeat(inner as usize), style);
        }
        let middle = left + 1 + inner / 2;
        if words {
            let mut write = |line: i32, words: Vec<String>| {
                canvas.centre(line, middle, inner as usize, &words.join(" ").replace('_', " "), style);
            };
            write(top + 1, look.label.into_iter().chain(look.fill).collect());
            if noted {
                write(top + 2, look.notes);
            }
        }
        let line = top + height - 1;
        let pieces: Vec<_> = scene.pieces_at(at).collect();
        if scene.highlight.contains(&at) {
            let style = pieces.first().map_or(CALLED, |piece| Style::on(palette::piece_colour(scene, piece)));
            canvas.centre(line, middle, inner as usize, &place.id, style);
        } else if pieces.is_empty() {
            if !words {
                canvas.write(line, middle, "·", FAINT);
            }
        } else {
            // Where there are many, each gets less room: at last one letter, in its colour.
            let room = (inner as usize / pieces.len().max(1)).clamp(1, 3);
            let shown = (inner as usize / room).min(pieces.len());
            let mut from = middle - (room * shown) as i32 / 2;
            for piece in pieces.iter().take(shown) {
                let token: String = palette::token(scene, piece).chars().take(room).collect();
                canvas.write(line, from, &format!("{token:^room$}"), Style::on(palette::piece_colour(scene, piece)));
                from += room as i32;
            }
        }
    }
    canvas
}

/// The lines round a cell. Where lines of several cells meet, the sign depends on which of the four cells there are.
fn frame(
    board: &Board,
    canvas: &mut Canvas,
    (column, row): (i32, i32),
    (top, left): (i32, i32),
    (height, inner): (i32, i32),
) {
    let there = |dx: i32, dy: i32| {
        let wanted = Some((column + dx, row + dy));
        board.places(0).iter().any(|place| place.coordinates == wanted)
    };
    let bar = "─".repeat(inner as usize);
    for line in [top, top + height] {
        canvas.write(line, left + 1, &bar, FAINT);
    }
    for side in [left, left + inner + 1] {
        for line in 1..height {
            canvas.write(top + line, side, "│", FAINT);
        }
    }
    for (dx, dy) in [(-1, -1), (0, -1), (-1, 0), (0, 0)] {
        let sign = crossing(there(dx, dy), there(dx + 1, dy), there(dx, dy + 1), there(dx + 1, dy + 1));
        canvas.write(top + (dy + 1) * height, left + (dx + 1) * (inner + 1), sign, FAINT);
    }
}

/// The sign where four cells meet, by which of them there are: upper left and right, lower left and right.
fn crossing(upper_left: bool, upper_right: bool, lower_left: bool, lower_right: bool) -> &'static str {
    let up = upper_left || upper_right;
    let down = lower_left || lower_right;
    let left = upper_left || lower_left;
    let right = upper_right || lower_right;
    match (up, down, left, right) {
        (true, true, true, true) => "┼",
        (true, true, true, false) => "┤",
        (true, true, false, _) => "├",
        (true, false, true, true) => "┴",
        (true, false, true, false) => "┘",
        (true, false, false, _) => "└",
        (false, _, true, true) => "┬",
        (false, _, true, false) => "┐",
        (false, _, false, _) => "┌",
    }
}
