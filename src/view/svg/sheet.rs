//! The sheet that shapes are drawn on, and the shapes that all boards share.

use std::fmt::Write as _;

use crate::board::{PlaceRef, Rgb};
use crate::view::palette;
use crate::view::scene::{Piece, Scene};

const MARGIN: f32 = 18.0;
pub const INK: Rgb = [0x2a, 0x2c, 0x30];
pub const PAPER: Rgb = [0xfb, 0xf9, 0xf4];
pub const BARE: Rgb = [0xec, 0xe8, 0xde];
pub const CALLED: Rgb = [0xff, 0xf1, 0x4d];

/// SVG elements in the order of drawing, and how far they reach.
pub struct Sheet {
    body: String,
    least: (f32, f32),
    most: (f32, f32),
}

/// How a text is set: size, weight, colour, opacity.
#[derive(Clone, Copy)]
pub struct Type {
    pub size: f32,
    pub bold: bool,
    pub colour: Rgb,
    pub opacity: f32,
}

impl Type {
    pub fn new(size: f32, colour: Rgb) -> Type {
        Type { size, bold: false, colour, opacity: 1.0 }
    }

    pub fn bold(self) -> Type {
        Type { bold: true, ..self }
    }

    pub fn faint(self) -> Type {
        Type { opacity: 0.6, ..self }
    }
}

impl Sheet {
    pub fn new() -> Sheet {
        Sheet { body: String::new(), least: (f32::MAX, f32::MAX), most: (f32::MIN, f32::MIN) }
    }

    /// The left and right ends of what is drawn so far, and its bottom.
    pub fn room(&self) -> (f32, f32, f32) {
        (self.least.0, self.most.0, self.most.1)
    }

    fn reach(&mut self, x: f32, y: f32) {
        self.least = (self.least.0.min(x), self.least.1.min(y));
        self.most = (self.most.0.max(x), self.most.1.max(y));
    }

    /// A closed shape with rounded joints.
    pub fn polygon(&mut self, points: &[(f32, f32)], fill: Rgb, line: Rgb, width: f32) {
        let mut list = String::new();
        for (x, y) in points {
            self.reach(*x, *y);
            // Writing into a String cannot fail, here and below.
            let _ = write!(list, "{x:.1},{y:.1} ");
        }
        let _ = writeln!(
            self.body,
            r#"<polygon points="{}" fill="{}" stroke="{}" stroke-width="{width}" stroke-linejoin="round"/>"#,
            list.trim_end(),
            hex(fill),
            hex(line)
        );
    }

    pub fn line(&mut self, (x1, y1): (f32, f32), (x2, y2): (f32, f32), colour: Rgb, width: f32, more: &str) {
        self.reach(x1, y1);
        self.reach(x2, y2);
        let _ = writeln!(
            self.body,
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{}" stroke-width="{width}" stroke-linecap="round"{more}/>"#,
            hex(colour)
        );
    }

    pub fn circle(&mut self, (x, y): (f32, f32), radius: f32, fill: Rgb, line: Rgb, width: f32) {
        self.reach(x - radius, y - radius);
        self.reach(x + radius, y + radius);
        let _ = writeln!(
            self.body,
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{}" stroke="{}" stroke-width="{width}"/>"#,
            hex(fill),
            hex(line)
        );
    }

    /// A rectangle with round ends, by its middle.
    pub fn pill(&mut self, (x, y): (f32, f32), (width, height): (f32, f32), round: f32, fill: Rgb, line: Rgb) {
        let (left, top) = (x - width / 2.0, y - height / 2.0);
        self.reach(left, top);
        self.reach(left + width, top + height);
        let _ = writeln!(
            self.body,
            r#"<rect x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" rx="{round:.1}" fill="{}" stroke="{}" stroke-width="1.2"/>"#,
            hex(fill),
            hex(line)
        );
    }

    /// A text around a point.
    pub fn text(&mut self, (x, y): (f32, f32), text: &str, style: Type) {
        let (size, width) = (style.size, width(text, style.size));
        self.reach(x - width / 2.0, y - size / 2.0);
        self.reach(x + width / 2.0, y + size / 2.0);
        let weight = if style.bold { r#" font-weight="bold""# } else { "" };
        let opacity = if style.opacity < 1.0 { format!(r#" opacity="{}""#, style.opacity) } else { String::new() };
        let _ = writeln!(
            self.body,
            r#"<text x="{x:.1}" y="{:.1}" font-size="{size}"{weight}{opacity} fill="{}">{}</text>"#,
            y + size * 0.35,
            hex(style.colour),
            escaped(text)
        );
    }

    /// A text that is set smaller, down to a legible size, and then cut, until it fits into `room`.
    pub fn fitted(&mut self, at: (f32, f32), text: &str, style: Type, room: f32) {
        const LEAST: f32 = 7.0;
        let size = (style.size * room / width(text, style.size).max(1.0)).clamp(LEAST, style.size);
        let letters = (room / width("m", size)) as usize;
        let text: String = text.chars().take(letters.max(1)).collect();
        self.text(at, &text, Type { size, ..style });
    }

    /// A text on a pill as wide as it needs.
    pub fn tag(&mut self, at: (f32, f32), text: &str, size: f32, fill: Rgb) {
        self.pill(at, (width(text, size) + size, size * 1.6), size * 0.8, fill, INK);
        self.text(at, text, Type::new(size, palette::readable_on(fill)).bold());
    }

    /// The pieces of a place that is not drawn as an edge, side by side.
    pub fn pieces(&mut self, scene: &Scene, place: PlaceRef, (x, y): (f32, f32), size: f32) {
        let pieces: Vec<&Piece> = scene.pieces_at(place).collect();
        let step = size * 2.1;
        let left = x - step * (pieces.len() as f32 - 1.0) / 2.0;
        for (i, piece) in pieces.into_iter().enumerate() {
            self.piece(scene, piece, (left + step * i as f32, y), size);
        }
    }

    /// One piece: the first kind of piece is round, the second a house, the third a tower and so on, each with its
    /// letter.
    fn piece(&mut self, scene: &Scene, piece: &Piece, (x, y): (f32, f32), size: f32) {
        let fill = palette::piece_colour(scene, piece);
        let names = scene.all_piece_names();
        let shape = names.iter().position(|name| *name == piece.name).unwrap_or(0);
        let s = size;
        let at = |points: &[(f32, f32)]| points.iter().map(|(px, py)| (x + px * s, y + py * s)).collect::<Vec<_>>();
        match shape % 5 {
            1 => {
                let house = [(-0.85, 0.85), (-0.85, -0.15), (0.0, -1.0), (0.85, -0.15), (0.85, 0.85)];
                self.polygon(&at(&house), fill, INK, 1.8);
            }
            2 => {
                let tower = [
                    (-1.15, 0.95),
                    (-1.15, -0.1),
                    (-0.2, -0.1),
                    (-0.2, -0.75),
                    (0.45, -1.25),
                    (1.15, -0.75),
                    (1.15, 0.95),
                ];
                self.polygon(&at(&tower), fill, INK, 1.8);
            }
            3 => {
                let pawn =
                    [(-0.8, 1.0), (-0.45, -0.3), (-0.45, -0.8), (0.0, -1.15), (0.45, -0.8), (0.45, -0.3), (0.8, 1.0)];
                self.polygon(&at(&pawn), fill, INK, 1.8);
            }
            4 => {
                let diamond = [(0.0, -1.15), (1.0, 0.0), (0.0, 1.15), (-1.0, 0.0)];
                self.polygon(&at(&diamond), fill, INK, 1.8);
            }
            _ => self.circle((x, y), s, fill, INK, 1.8),
        }
        let letter = palette::piece_letter(scene, &piece.name).to_string();
        let lift = if shape % 5 == 0 || shape % 5 == 4 { 0.0 } else { 0.3 * s };
        self.text((x, y + lift), &letter, Type::new(s * 1.05, palette::readable_on(fill)).bold());
    }

    /// The tracks, then names of seats with their colours and of pieces with their letters, under everything drawn so far.
    pub fn legend(&mut self, scene: &Scene) {
        const SIZE: f32 = 13.0;
        super::track::draw(self, scene);
        if scene.pieces.is_empty() {
            return;
        }
        let middle = (self.least.0 + self.most.0) / 2.0;
        let room = self.most.0 - self.least.0;
        let seats = scene.seats.iter().enumerate().map(|(seat, named)| (Some(seat), named.name.clone())).collect();
        let piece = |name: &str| format!("{} {}", palette::piece_letter(scene, name), name.replace('_', " "));
        let pieces = scene.all_piece_names().into_iter().map(|name| (None, piece(name))).collect();
        for items in [seats, pieces] {
            let items: Vec<(Option<usize>, String)> = items;
            let length =
                |(seat, text): &(Option<usize>, String)| width(text, SIZE) + if seat.is_some() { 38.0 } else { 18.0 };
            let mut rest = items.as_slice();
            while !rest.is_empty() {
                let mut total = 0.0;
                let fits = |item: &&(Option<usize>, String)| {
                    total += length(item);
                    total <= room
                };
                let (row, after) = rest.split_at(rest.iter().take_while(fits).count().max(1));
                rest = after;
                let y = self.most.1 + 24.0;
                let mut x = middle - row.iter().map(length).sum::<f32>() / 2.0;
                for item in row {
                    let mut left = x + 9.0;
                    if let Some(seat) = item.0 {
                        self.circle((left + 7.0, y), 7.0, palette::seat_colour(&scene.seats, seat), INK, 1.4);
                        left += 20.0;
                    }
                    self.text((left + width(&item.1, SIZE) / 2.0, y), &item.1, Type::new(SIZE, INK));
                    x += length(item);
                }
            }
        }
    }

    pub fn finish(self) -> String {
        let (left, top) = (self.least.0 - MARGIN, self.least.1 - MARGIN);
        let (width, height) = (self.most.0 + MARGIN - left, self.most.1 + MARGIN - top);
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1} {top:.1} {width:.1} {height:.1}" width="{width:.0}" height="{height:.0}" font-family="DejaVu Sans, Verdana, Arial, sans-serif" text-anchor="middle">
<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="6" markerHeight="6" orient="auto"><path d="M0,1 L9,5 L0,9 z" fill="#5b6068"/></marker></defs>
<rect x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" rx="14" fill="{}"/>
{}</svg>
"##,
            hex(PAPER),
            self.body
        )
    }
}

/// About how wide a text is; fonts differ, and nothing depends on it but the size of tags.
pub fn width(text: &str, size: f32) -> f32 {
    text.chars().count() as f32 * size * 0.62
}

/// A colour a little darker.
pub fn darker(rgb: Rgb) -> Rgb {
    rgb.map(|part| (u16::from(part) * 3 / 4) as u8)
}

fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
