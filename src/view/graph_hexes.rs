//! A graph whose one kind of places is drawn as hexes, in characters: the hexes as on a hex board, the other places
//! where they lie between them, and links as arrows where there is room. The pattern is that of `hex_text`, whose
//! lines a hex shares with those beside it.

use super::canvas::{Canvas, Style};
use super::palette;
use super::scene::Scene;
use crate::board::{Board, KindIndex, Place, PlaceRef};

const CALLED: Style = Style { ground: Some([0xff, 0xff, 0x5f]), bold: true, dim: false };
const FAINT: Style = Style { ground: None, bold: false, dim: true };

/// Widest and narrowest half of a hex in columns.
const WIDEST: i32 = 9;
const NARROWEST: i32 = 4;
/// The longest name of a piece that is written between hexes.
const ROOM: usize = 4;

struct Drawing<'a> {
    board: &'a Board,
    scene: &'a Scene,
    canvas: Canvas,
    measure: Measure,
}

/// From the author's units to lines and columns.
struct Measure {
    /// Half the width of a hex, and half its side, in the author's units.
    half: f32,
    step: f32,
    /// The height of the middle of some hex.
    middle: f32,
    columns: i32,
}

pub fn draw(board: &Board, scene: &Scene, kind: KindIndex, width: usize) -> Canvas {
    let measure = Measure::new(board, kind, width);
    let mut drawing = Drawing { board, scene, canvas: Canvas::default(), measure };
    for (at, place) in places(board).filter(|(at, _)| at.kind == kind) {
        drawing.hex(at, place);
    }
    for (_, place) in places(board).filter(|(at, _)| at.kind == kind) {
        drawing.rim(place);
    }
    drawing.links(kind);
    for (at, place) in places(board).filter(|(at, _)| at.kind != kind) {
        drawing.spot(at, place);
    }
    drawing.canvas
}

fn places(board: &Board) -> impl Iterator<Item = (PlaceRef, &Place)> {
    board.kinds.iter().enumerate().flat_map(|(kind, places)| {
        places.places.iter().enumerate().map(move |(i, place)| (PlaceRef { kind, index: i as u16 }, place))
    })
}

impl Measure {
    fn new(board: &Board, kind: KindIndex, width: usize) -> Measure {
        let half = board.hex_width(kind) / 2.0;
        let across = |wanted: fn(f32, f32) -> f32| places(board).map(|(_, place)| place.x).reduce(wanted);
        let halves = (across(f32::max).unwrap_or(0.0) - across(f32::min).unwrap_or(0.0)) / half + 2.0;
        let columns = (width as f32 / halves) as i32;
        let middle = board.places(kind).first().map_or(0.0, |place| place.y);
        Measure { half, step: half / 3f32.sqrt(), middle, columns: columns.clamp(NARROWEST, WIDEST) }
    }

    fn column(&self, x: f32) -> i32 {
        (x / self.half * self.columns as f32).round() as i32
    }

    /// Three half sides are four lines: two from the tip of a hex to its shoulder, two from there to the other one.
    fn line(&self, y: f32) -> i32 {
        let height = (y - self.middle) / self.step + 2.0;
        let (rows, rest) = (height.div_euclid(3.0), height.rem_euclid(3.0));
        let lines = if rest <= 1.0 { 2.0 * rest } else { rest + 1.0 };
        (4.0 * rows + lines).round() as i32
    }
}

impl Drawing<'_> {
    fn hex(&mut self, at: PlaceRef, place: &Place) {
        let (line, column) = (self.measure.line(place.y), self.measure.column(place.x));
        let half = self.measure.columns;
        let look = self.scene.looks.get(&at).cloned().unwrap_or_default();
        let style = Style::ground(look.fill.as_deref().and_then(|word| self.board.colour_of(word)));
        let room = (2 * half - 1) as usize;
        for (offset, reach) in [(-2, half / 2 - 1), (-1, half - 1), (0, half - 1), (1, half - 1), (2, half / 2 - 1)] {
            let blank = " ".repeat((2 * reach + 1).max(1) as usize);
            self.canvas.write(line + offset, column - reach, &blank, style);
        }
        let called = self.scene.highlight.contains(&at);
        let id_style = if called { CALLED } else { Style { bold: true, ..style } };
        self.canvas.centre(line - 1, column, room, &place.id, id_style);
        let words = look.fill.into_iter().chain(look.label).chain(look.notes).collect::<Vec<_>>();
        self.canvas.centre(line, column, room, &words.join(" ").replace('_', " "), style);
        self.pieces(at, line + 1, column, room);
    }

    /// A lone piece by its name, several by their letters.
    fn pieces(&mut self, at: PlaceRef, line: i32, column: i32, room: usize) {
        let scene = self.scene;
        let pieces: Vec<_> = scene.pieces_at(at).collect();
        if let [piece] = pieces.as_slice() {
            let owner = piece.seat.map(|seat| format!("{} ", palette::seat_letter(scene, seat))).unwrap_or_default();
            let name = format!(" {owner}{} ", piece.name.replace('_', " "));
            self.canvas.centre(line, column, room, &name, Style::on(palette::piece_colour(scene, piece)));
            return;
        }
        let mut from = column - (3 * pieces.len() as i32 - 1) / 2;
        for piece in pieces.iter().take(room / 3) {
            let style = Style::on(palette::piece_colour(scene, piece));
            self.canvas.write(line, from, &palette::token(scene, piece), style);
            from += 3;
        }
    }

    /// The sides of a hex.
    fn rim(&mut self, place: &Place) {
        let (line, column) = (self.measure.line(place.y), self.measure.column(place.x));
        let half = self.measure.columns;
        for side in [-1, 1] {
            for offset in -1..=1 {
                self.canvas.write(line + offset, column + side * half, "│", FAINT);
            }
            let (upper, lower) = if side < 0 { ("╱", "╲") } else { ("╲", "╱") };
            self.canvas.write(line - 2, column + side * (half / 2), upper, FAINT);
            self.canvas.write(line + 2, column + side * (half / 2), lower, FAINT);
        }
    }

    /// Arrows between places that are no hexes, in the middle of their way unless something lies there.
    fn links(&mut self, hexes: KindIndex) {
        for relation in self.board.drawn_links().filter(|relation| !relation.symmetric) {
            if relation.from == hexes || relation.to == hexes {
                continue;
            }
            for (from, targets) in relation.table.iter().enumerate() {
                for to in targets {
                    let ends = (
                        self.board.places(relation.from).get(from),
                        self.board.places(relation.to).get(usize::from(*to)),
                    );
                    let (Some(a), Some(b)) = ends else { continue };
                    let line = self.measure.line((a.y + b.y) / 2.0);
                    let column = self.measure.column((a.x + b.x) / 2.0);
                    let near = |v: f32| if v.abs() < self.measure.step / 2.0 { 0 } else { v.signum() as i32 };
                    let arrow = match (near(b.x - a.x), near(b.y - a.y)) {
                        (1, -1) => "↗",
                        (1, 0) => "→",
                        (1, _) => "↘",
                        (0, -1) => "↑",
                        (0, _) => "↓",
                        (_, -1) => "↖",
                        (_, 0) => "←",
                        (_, _) => "↙",
                    };
                    self.put(line, column, arrow, Style { bold: true, ..Style::default() });
                }
            }
        }
    }

    /// A place between hexes: its pieces, or else its id; a called id always.
    fn spot(&mut self, at: PlaceRef, place: &Place) {
        let scene = self.scene;
        let (line, column) = (self.measure.line(place.y), self.measure.column(place.x));
        let called = scene.highlight.contains(&at);
        let Some(piece) = scene.pieces_at(at).next() else {
            let style = if called { CALLED } else { FAINT };
            self.put(line, column, &place.id, style);
            return;
        };
        let style = Style::on(palette::piece_colour(scene, piece));
        let more = scene.pieces_at(at).count() > 1;
        let name = piece.name.replace('_', " ");
        let token = match (called, piece.seat, more) {
            (true, _, _) => place.id.clone(),
            (false, None, false) if name.chars().count() <= ROOM => format!(" {name} "),
            (false, _, true) => format!(" {}+ ", palette::token(scene, piece)),
            (false, _, false) => format!(" {} ", palette::token(scene, piece)),
        };
        self.put(line, column, &token, style);
    }

    /// Writes around a column, and takes away the sides of hexes that would touch it.
    fn put(&mut self, line: i32, column: i32, text: &str, style: Style) {
        let length = text.chars().count() as i32;
        let start = column - length / 2;
        self.canvas.blank_lines(line, start - 1, start + length);
        self.canvas.write(line, start, text, style);
    }
}
