//! Colours and letters by which seats and pieces are told apart, and the legend that explains them.

use super::canvas::{Canvas, Style};
use super::scene::{Piece, Scene, Seat};
use crate::board::{Rgb, colour};

const BLACK: Rgb = [0x1c, 0x1c, 0x1c];
const WHITE: Rgb = [0xff, 0xff, 0xff];

/// What seats get whose colour is no colour.
const BY_POSITION: [&str; 8] = ["red", "blue", "amber", "green", "violet", "teal", "pink", "brown"];

/// The colour of things that belong to nobody.
pub const NOBODY: Rgb = [0x45, 0x45, 0x4b];

pub fn seat_colour(seats: &[Seat], seat: usize) -> Rgb {
    let own = seats.get(seat).and_then(|seat| colour(&seat.colour));
    let spare = BY_POSITION.get(seat % BY_POSITION.len()).and_then(|word| colour(word));
    own.or(spare).unwrap_or(NOBODY)
}

pub fn piece_colour(scene: &Scene, piece: &Piece) -> Rgb {
    piece.seat.map_or(NOBODY, |seat| seat_colour(&scene.seats, seat))
}

/// Black or white, whichever is easier to read on a colour.
pub fn readable_on(ground: Rgb) -> Rgb {
    if brightness(ground) > 140 { BLACK } else { WHITE }
}

/// From 0 to 255, weighted as the eye does (ITU-R BT.601).
fn brightness([red, green, blue]: Rgb) -> u32 {
    (299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue)) / 1000
}

/// A letter for each name that none before it has: the first free one of the name, else of the alphabet.
pub fn letters(names: &[&str], upper: bool) -> Vec<char> {
    let mut taken: Vec<char> = Vec::new();
    for name in names {
        let cased = |c: char| if upper { c.to_uppercase().next().unwrap_or(c) } else { c };
        let free = |c: &char| c.is_alphanumeric() && !taken.contains(c);
        let letter = name.chars().map(cased).find(free).or_else(|| ('a'..='z').map(cased).find(free)).unwrap_or('?');
        taken.push(letter);
    }
    taken
}

pub fn seat_letter(scene: &Scene, seat: usize) -> char {
    let names: Vec<&str> = scene.seats.iter().map(|seat| seat.name.as_str()).collect();
    letters(&names, true).get(seat).copied().unwrap_or('?')
}

pub fn piece_letter(scene: &Scene, name: &str) -> char {
    let names = scene.all_piece_names();
    let at = names.iter().position(|known| *known == name);
    at.and_then(|at| letters(&names, false).get(at).copied()).unwrap_or('?')
}

/// A piece in two characters, the owner's letter and its own; in one if it is nobody's.
pub fn token(scene: &Scene, piece: &Piece) -> String {
    let letter = piece_letter(scene, &piece.name);
    piece.seat.map_or_else(|| letter.to_string(), |seat| format!("{}{letter}", seat_letter(scene, seat)))
}

/// What the letters mean, a line or more for seats and one or more for pieces; nothing as long as there are no
/// pieces.
pub fn legend(scene: &Scene, width: usize) -> Canvas {
    let mut canvas = Canvas::default();
    if scene.pieces.is_empty() {
        return canvas;
    }
    let seats = scene.seats.iter().enumerate().map(|(seat, named)| {
        let style = Style::on(seat_colour(&scene.seats, seat));
        (format!(" {} ", seat_letter(scene, seat)), style, named.name.as_str())
    });
    let next = write_items(&mut canvas, 0, width, seats);
    let pieces = scene
        .all_piece_names()
        .into_iter()
        .map(|name| (piece_letter(scene, name).to_string(), Style { bold: true, ..Style::default() }, name));
    write_items(&mut canvas, next, width, pieces);
    canvas
}

/// Writes letters and what they mean, and gives the line after them.
fn write_items<'a>(
    canvas: &mut Canvas,
    line: i32,
    width: usize,
    items: impl Iterator<Item = (String, Style, &'a str)>,
) -> i32 {
    let (mut line, mut column) = (line, 0);
    for (letter, style, name) in items {
        let name = name.replace('_', " ");
        let length = (letter.chars().count() + 1 + name.chars().count()) as i32;
        if column > 0 && column + length > width as i32 {
            (line, column) = (line + 1, 0);
        }
        canvas.write(line, column, &letter, style);
        canvas.write(line, column + letter.chars().count() as i32 + 1, &name, Style::default());
        column += length + 3;
    }
    line + 1
}
