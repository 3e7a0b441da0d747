//! A hex board in characters. Each row of hexes takes four lines, and a hex twelve columns (eight where there is
//! little room):
//!
//! ```text
//!        ·            the upper corners of a zigzag
//!    .-' h1 '-.       its edges; the id of the hex
//!  ·   meadow   ·     the lower corners; what the hex is
//!  |     10     |     the upright edges; its number
//!  ·    guard   ·     the upper corners of the next zigzag; what stands on the hex
//!    '-.     .-'
//!        ·
//! ```

use super::canvas::{Canvas, Style};
use super::palette;
use super::scene::{Look, Scene};
use crate::board::{Board, Direction, Place, PlaceRef, Rgb};

const HEX: usize = 0;
const CORNER: usize = 1;
const EDGE: usize = 2;

/// Lines from one row of hexes to the next.
const ROW: i32 = 4;

/// Ids of places that a move can name.
const CALLED: Style = Style { ground: Some([0xff, 0xff, 0x5f]), bold: true, dim: false };
const FAINT: Style = Style { ground: None, bold: false, dim: true };

struct Drawing<'a> {
    board: &'a Board,
    scene: &'a Scene,
    canvas: Canvas,
    /// Half the width of a hex in columns.
    half: i32,
}

pub fn draw(board: &Board, scene: &Scene, width: usize) -> Canvas {
    let across = |wanted: fn(f32, f32) -> f32| board.places(CORNER).iter().map(|corner| corner.x).reduce(wanted);
    let halves = across(f32::max).unwrap_or(0.0) - across(f32::min).unwrap_or(0.0);
    let half = if halves as usize * 6 < width { 6 } else { 4 };
    let mut drawing = Drawing { board, scene, canvas: Canvas::default(), half };
    for (index, place) in places(board, HEX) {
        drawing.hex(index, place);
    }
    // Notes come before edges and corners, which are then drawn over ends that are too long.
    for (index, _) in places(board, EDGE) {
        drawing.notes(index);
    }
    for (index, place) in places(board, EDGE) {
        drawing.edge(index, place);
    }
    for (index, place) in places(board, CORNER) {
        drawing.corner(index, place);
    }
    drawing.canvas
}

fn places(board: &Board, kind: usize) -> impl Iterator<Item = (PlaceRef, &Place)> {
    board.places(kind).iter().enumerate().map(move |(i, place)| (PlaceRef { kind, index: i as u16 }, place))
}

/// The line of the middle of a hex in a row.
fn middle_line(row: i32) -> i32 {
    ROW * row + 3
}

impl Drawing<'_> {
    fn look(&self, place: PlaceRef) -> Option<&Look> {
        self.scene.looks.get(&place)
    }

    fn fill_colour(&self, place: PlaceRef) -> Option<Rgb> {
        self.look(place)?.fill.as_deref().and_then(|word| self.board.colour_of(word))
    }

    /// Half of the room that a hex has beside its upper and lower corner.
    fn tip(&self) -> i32 {
        if self.half == 6 { 2 } else { 1 }
    }

    fn hex(&mut self, at: PlaceRef, place: &Place) {
        let Some((_, row)) = place.coordinates else { return };
        let (line, column) = (middle_line(row), place.x as i32 * self.half);
        let ground = self.fill_colour(at);
        let style = Style::ground(ground);
        let room = 2 * self.half - 1;
        for (offset, reach) in
            [(-2, self.tip()), (-1, self.half - 1), (0, self.half - 1), (1, self.half - 1), (2, self.tip())]
        {
            let blank = " ".repeat((2 * reach + 1) as usize);
            self.canvas.write(line + offset, column - reach, &blank, style);
        }
        let called = self.scene.highlight.contains(&at);
        // Between two called ids of edges the id of a hex would run into them, and nobody asks for it then.
        let shown = called || !self.upper_edge_is_called(at);
        let id_style = if called { CALLED } else { Style { dim: ground.is_none(), ..style } };
        if shown {
            self.canvas.centre(line - 2, column, 2 * self.tip() as usize + 1, &place.id, id_style);
        }

        let bold = Style { bold: true, ..style };
        if let Some(look) = self.look(at).cloned() {
            let words = look.fill.into_iter().chain(look.notes).collect::<Vec<_>>().join(" ").replace('_', " ");
            self.canvas.centre(line - 1, column, room as usize, &words, style);
            self.canvas.centre(line, column, room as usize, look.label.as_deref().unwrap_or(""), bold);
        }
        self.pieces_on_hex(at, line + 1, column, room);
    }

    fn upper_edge_is_called(&self, hex: PlaceRef) -> bool {
        let edge = |direction| self.board.toward(direction, hex, EDGE).map(|index| PlaceRef { kind: EDGE, index });
        ["nw", "ne"].into_iter().filter_map(edge).any(|edge| self.scene.highlight.contains(&edge))
    }

    /// A lone piece by its name, several by their letters.
    fn pieces_on_hex(&mut self, at: PlaceRef, line: i32, column: i32, room: i32) {
        let scene = self.scene;
        let pieces: Vec<_> = scene.pieces_at(at).collect();
        if let [piece] = pieces.as_slice() {
            let style = Style::on(palette::piece_colour(scene, piece));
            let name = piece.name.replace('_', " ");
            let name = piece.seat.map_or(name.clone(), |seat| format!("{} {name}", palette::seat_letter(scene, seat)));
            self.canvas.centre(line, column, room as usize, &format!(" {name} "), style);
            return;
        }
        let mut from = column - (3 * pieces.len() as i32 - 1) / 2;
        for piece in pieces.iter().take(room as usize / 3) {
            self.canvas.write(
                line,
                from,
                &palette::token(scene, piece),
                Style::on(palette::piece_colour(scene, piece)),
            );
            from += 3;
        }
    }

    /// The characters at a corner or edge: a called id, or pieces, or nothing.
    fn put(&mut self, at: PlaceRef, line: i32, column: i32) -> bool {
        let scene = self.scene;
        let owner = scene.pieces_at(at).next();
        if scene.highlight.contains(&at) {
            let style = owner.map_or(CALLED, |piece| Style::on(palette::piece_colour(scene, piece)));
            self.canvas.stamp(line, column, 4, self.board.id(at), style);
            return true;
        }
        let Some(piece) = owner else { return false };
        let more = scene.pieces_at(at).count() > 1;
        let token = palette::token(scene, piece) + if more { "+" } else { "" };
        self.canvas.stamp(line, column, 3, &token, Style::on(palette::piece_colour(scene, piece)));
        true
    }

    fn corner(&mut self, at: PlaceRef, place: &Place) {
        let height = place.y as i32 + 2;
        let line = ROW * height.div_euclid(3) + 2 * height.rem_euclid(3);
        let column = place.x as i32 * self.half;
        if !self.put(at, line, column) {
            self.canvas.write(line, column, "·", FAINT);
        }
    }

    fn edge(&mut self, at: PlaceRef, place: &Place) {
        let upright = place.x.fract() == 0.0;
        let column = (place.x * self.half as f32).floor() as i32;
        let noted = self.look(at).is_some_and(|look| !look.notes.is_empty());
        let style = Style { bold: noted, dim: !noted, ground: None };
        if upright {
            let line = middle_line(place.y as i32 / 3);
            if !self.put(at, line, column) {
                self.canvas.write(line, column, if noted { "║" } else { "│" }, style);
            }
            return;
        }
        let line = ROW * (place.y + 2.0).div_euclid(3.0) as i32 + 1;
        let ends = self.board.related("ends", at, CORNER);
        let heights: Vec<f32> = ends
            .iter()
            .filter_map(|end| self.board.place(PlaceRef { kind: CORNER, index: *end }))
            .map(|corner| corner.y)
            .collect();
        // Ends are in the order of their numbers, so the left one comes first.
        let rising = matches!(heights.as_slice(), [left, right] if left > right);
        // Two characters cannot stand in the middle of three columns; they keep away from the hex below.
        if self.put(at, line, if rising { column } else { column + 1 }) {
            return;
        }
        self.canvas.write(line, column, if rising { "╱" } else { "╲" }, style);
    }

    /// The words of an edge stand in the hex beyond it, or where one would be.
    fn notes(&mut self, at: PlaceRef) {
        let Some(notes) = self.look(at).map(|look| look.notes.join(" ")).filter(|notes| !notes.is_empty()) else {
            return;
        };
        let sides: Vec<(&Direction, usize)> = self
            .board
            .directions
            .iter()
            .filter(|d| d.from == HEX && d.to == EDGE)
            .filter_map(|d| Some((d, d.table.iter().position(|edge| *edge == Some(at.index))?)))
            .collect();
        // Of two hexes the note belongs to the one with a label and is written in the other.
        let labelled =
            |hex: usize| self.look(PlaceRef { kind: HEX, index: hex as u16 }).is_some_and(|look| look.label.is_some());
        let side = sides.iter().find(|(_, hex)| labelled(*hex)).or(sides.first());
        let Some((direction, hex)) = side else { return };
        let Some(place) = self.board.places(HEX).get(*hex) else { return };
        let (dx, row, line, left) = match direction.name.as_str() {
            "e" => (2, 0, 0, true),
            "ne" => (1, -1, 1, true),
            "nw" => (-1, -1, 1, false),
            "w" => (-2, 0, 0, false),
            "sw" => (-1, 1, -1, false),
            _ => (1, 1, -1, true),
        };
        let line = middle_line(place.y as i32 / 3 + row) + line;
        let column = (place.x as i32 + dx) * self.half;
        let notes: String = notes.replace('_', " ").chars().take(2 * self.half as usize - 3).collect();
        let length = notes.chars().count() as i32;
        let column = if left { column - self.half + 2 } else { column + self.half - 1 - length };
        let beyond = sides.iter().find(|(_, other)| other != hex).map(|(_, other)| *other as u16);
        let beyond = beyond.and_then(|index| self.fill_colour(PlaceRef { kind: HEX, index }));
        let own = self.look(at).and_then(|look| look.notes.first()).and_then(|word| self.board.colour_of(word));
        let ground = own.or(beyond);
        self.canvas.write(line, column, &notes, Style { bold: true, ..Style::ground(ground) });
    }
}
