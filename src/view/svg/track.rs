//! Tracks under a board: a row of spaces with the marks on them, and the markers above.

use super::sheet::{BARE, INK, PAPER, Sheet, Type, width};
use crate::view::palette;
use crate::view::scene::{Row, Scene};

const SPACE: f32 = 24.0;
const LEAST_SPACE: f32 = 9.0;
const TEXT: f32 = 12.0;

/// All tracks, one under the other.
pub fn draw(sheet: &mut Sheet, scene: &Scene) {
    for row in &scene.rows {
        draw_row(sheet, scene, row);
    }
}

fn draw_row(sheet: &mut Sheet, scene: &Scene, row: &Row) {
    let (left, right, bottom) = sheet.room();
    let count = (row.high - row.low + 1).max(1);
    let size = ((right - left) / count as f32).clamp(LEAST_SPACE, SPACE);
    let begin = (left + right - size * count as f32) / 2.0;
    let at = |space: i64| begin + ((space - row.low) as f32 + 0.5) * size;
    // Markers that share a space stand on each other.
    let mut heights: Vec<(i64, usize)> = Vec::new();
    for (_, space) in &row.markers {
        match heights.iter_mut().find(|(known, _)| known == space) {
            Some((_, count)) => *count += 1,
            None => heights.push((*space, 1)),
        }
    }
    let most = heights.iter().map(|(_, count)| *count).max().unwrap_or(0) as f32;
    let title = bottom + 26.0;
    let marks: Vec<String> = row
        .marks
        .iter()
        .map(|(name, at)| {
            let at: Vec<String> = at.iter().map(i64::to_string).collect();
            format!("{} at {}", name.replace('_', " "), at.join(", "))
        })
        .collect();
    let words = match marks.join("; ") {
        marks if marks.is_empty() => row.name.replace('_', " "),
        marks => format!("{}: {marks}", row.name.replace('_', " ")),
    };
    sheet.text(((left + right) / 2.0, title), &words, Type::new(TEXT, INK));
    let radius = size * 0.36;
    let y = title + TEXT + most * radius * 1.5 + size * 0.7;
    for space in row.low..=row.high {
        let here: Vec<&str> =
            row.marks.iter().filter(|(_, at)| at.contains(&space)).map(|(name, _)| name.as_str()).collect();
        let fill = if here.is_empty() { PAPER } else { BARE };
        sheet.pill((at(space), y), (size - 1.0, size - 1.0), 2.0, fill, INK);
        let number = space.to_string();
        // Where there is no room, only the ends and the marks have their numbers.
        let fits = width(&number, size * 0.42) < size || space == row.low || space == row.high || !here.is_empty();
        if fits {
            let style = Type::new(size * 0.42, INK);
            sheet.text((at(space), y), &number, if here.is_empty() { style.faint() } else { style.bold() });
        }
    }
    let mut raised: Vec<(i64, usize)> = Vec::new();
    for (seat, space) in &row.markers {
        let level = match raised.iter_mut().find(|(known, _)| known == space) {
            Some((_, level)) => {
                *level += 1;
                *level
            }
            None => {
                raised.push((*space, 0));
                0
            }
        };
        let fill = seat.map_or(palette::NOBODY, |seat| palette::seat_colour(&scene.seats, seat));
        let lift = size / 2.0 + radius * (1.0 + 1.5 * level as f32);
        sheet.circle((at(*space), y - lift), radius, fill, INK, 1.2);
    }
}
