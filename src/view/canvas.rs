//! A sheet of characters with styles, written anywhere and cut to size when it is rendered.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::palette;
use crate::board::Rgb;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// The ground; the writing on it is black or white.
    pub ground: Option<Rgb>,
    pub bold: bool,
    pub dim: bool,
}

impl Style {
    pub fn on(ground: Rgb) -> Style {
        Style { ground: Some(ground), bold: true, dim: false }
    }

    /// Letters in plain style on a ground, if there is one.
    pub fn ground(ground: Option<Rgb>) -> Style {
        Style { ground, bold: false, dim: false }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Canvas {
    /// By line and column, which may be negative.
    cells: BTreeMap<(i32, i32), (char, Style)>,
}

impl Canvas {
    pub fn write(&mut self, line: i32, column: i32, text: &str, style: Style) {
        for (c, column) in text.chars().zip(column..) {
            self.cells.insert((line, column), (c, style));
        }
    }

    /// Writes a text around a column, shortened to at most `room` characters; an odd one left over stands left.
    pub fn centre(&mut self, line: i32, column: i32, room: usize, text: &str, style: Style) {
        let text: String = text.chars().take(room).collect();
        let length = text.chars().count() as i32;
        self.write(line, column - length / 2, &text, style);
    }

    /// Like [`Canvas::centre`], and blanks a letter that touches the text at either side, so that it can be told
    /// apart without colours.
    pub fn stamp(&mut self, line: i32, column: i32, room: usize, text: &str, style: Style) {
        self.centre(line, column, room, text, style);
        let length = text.chars().count().min(room) as i32;
        let start = column - length / 2;
        for beside in [start - 1, start + length] {
            if let Some((c, _)) = self.cells.get_mut(&(line, beside)).filter(|(c, _)| c.is_alphanumeric()) {
                *c = ' ';
            }
        }
    }

    /// Takes away the lines of frames between two columns of a line, both included.
    pub fn blank_lines(&mut self, line: i32, from: i32, to: i32) {
        for (_, (c, style)) in self.cells.range_mut((line, from)..=(line, to)) {
            if matches!(c, '│' | '╱' | '╲') {
                (*c, *style) = (' ', Style::default());
            }
        }
    }

    /// The sheet's lines, from the first to the last that has something, without the empty columns at the left.
    pub fn render(&self, colour: bool) -> String {
        let ink = |style: &Style, c: char| c != ' ' || (colour && style.ground.is_some());
        let inked = || self.cells.iter().filter(|(_, (c, style))| ink(style, *c)).map(|(at, _)| at);
        let Some(left) = inked().map(|(_, column)| *column).min() else { return String::new() };
        let first = inked().map(|(line, _)| *line).min().unwrap_or(0);
        let last = inked().map(|(line, _)| *line).max().unwrap_or(first);
        let mut text = String::new();
        for line in first..=last {
            let row = || self.cells.range((line, left)..=(line, i32::MAX));
            let end = row().filter(|(_, (c, style))| ink(style, *c)).map(|((_, column), _)| *column).max();
            let mut open = Style::default();
            for column in left..=end.unwrap_or(left - 1) {
                let (c, style) = self.cells.get(&(line, column)).copied().unwrap_or((' ', Style::default()));
                if colour && style != open {
                    text.push_str(&escape(style));
                    open = style;
                }
                text.push(c);
            }
            if open != Style::default() {
                text.push_str("\x1b[0m");
            }
            text.push('\n');
        }
        text
    }
}

fn escape(style: Style) -> String {
    let mut text = String::from("\x1b[0");
    if style.bold {
        text.push_str(";1");
    }
    if style.dim {
        text.push_str(";2");
    }
    if let Some(ground) = style.ground {
        let writing = nearest(palette::readable_on(ground));
        // Writing into a String cannot fail.
        let _ = write!(text, ";38;5;{writing};48;5;{}", nearest(ground));
    }
    text.push('m');
    text
}

/// The nearest of the 256 colours that nearly every terminal has: the cube of 6 x 6 x 6 and the greys. The first
/// sixteen are left out, since people set them to what they like.
fn nearest(rgb: Rgb) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let distance = |a: Rgb| a.iter().zip(rgb).map(|(a, b)| i32::from(a.abs_diff(b)).pow(2)).sum::<i32>();
    let cube = (0..216u8).map(|n| {
        let step = |i: u8| STEPS.get(usize::from(i)).copied().unwrap_or(255);
        (16 + n, [step(n / 36), step(n / 6 % 6), step(n % 6)])
    });
    let greys = (0..24u8).map(|n| (232 + n, [8 + 10 * n; 3]));
    cube.chain(greys).min_by_key(|(_, shade)| distance(*shade)).map_or(231, |(n, _)| n)
}
