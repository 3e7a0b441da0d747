//! The drawing of a hex board or a grid: from symbols at columns and rows to coordinates.

use std::collections::BTreeMap;

use super::entries::Line;
use super::errors;
use crate::diagnostic::Sink;
use crate::source::{FileId, Span};

/// What stands for a gap in a drawing.
pub const GAP: &str = ".";

/// Coordinates beyond this are refused, so that no sum of them overflows and no ring round one is endless.
pub const FARTHEST: i32 = 200;

/// A symbol of the drawing. Gaps are kept, since they show how wide a hex is drawn.
#[derive(Clone, Debug)]
pub struct Drawn<'a> {
    pub symbol: &'a str,
    /// The digits behind the symbol; may be empty.
    pub number: &'a str,
    pub start: usize,
    column: i32,
}

impl Drawn<'_> {
    pub fn span(&self, file: FileId) -> Span {
        Span::new(file, self.start, self.start + self.symbol.len() + self.number.len())
    }

    pub fn number_span(&self, file: FileId) -> Span {
        let start = self.start + self.symbol.len();
        Span::new(file, start, start + self.number.len())
    }
}

/// The rows of a drawing. A word that is no symbol but is made of one-letter symbols alone counts as that
/// many symbols without spaces between them.
pub fn rows<'a>(
    file: FileId,
    lines: &[Line<'a>],
    is_symbol: impl Fn(&str) -> bool,
    sink: &mut Sink,
) -> Vec<Vec<Drawn<'a>>> {
    let known = |symbol: &str| symbol == GAP || is_symbol(symbol);
    let mut rows = Vec::new();
    for line in lines {
        if let Some(tab) = line.full.find('\t') {
            sink.push(errors::tab(Span::new(file, line.start + tab, line.start + tab + 1)));
        }
        let mut row = Vec::new();
        for (offset, word) in words(line.full) {
            let column = line.full.get(..offset).map_or(0, |before| before.chars().count()) as i32;
            let digits = word.len() - word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let (symbol, number) = word.split_at(word.len() - digits);
            let start = line.start + offset;
            if !known(symbol) && number.is_empty() && pieces(word).all(|(_, piece)| known(piece)) {
                row.extend(pieces(word).zip(column..).map(|((at, symbol), column)| Drawn {
                    symbol,
                    number: "",
                    start: start + at,
                    column,
                }));
            } else {
                row.push(Drawn { symbol, number, start, column });
            }
        }
        rows.push(row);
    }
    rows
}

/// The words of a line and where they begin.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    line.split(char::is_whitespace).filter_map(move |word| {
        let at = from;
        // All white space that gets here is either one byte long or reported as a tab; a rarer one is only
        // ever the separator itself, so its length is read off the text.
        let after = line.get(at + word.len()..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        from += word.len() + after;
        (!word.is_empty()).then_some((at, word))
    })
}

/// The characters of a word as texts.
fn pieces(word: &str) -> impl Iterator<Item = (usize, &str)> {
    word.char_indices().filter_map(|(at, c)| Some((at, word.get(at..at + c.len_utf8())?)))
}

/// Columns and rows of the cells, from 1: what counts is the order in a row, not the exact column.
pub fn cells<'a>(rows: &[Vec<Drawn<'a>>]) -> Vec<((i32, i32), Drawn<'a>)> {
    let mut cells = Vec::new();
    for (row, symbols) in rows.iter().enumerate() {
        for (column, drawn) in symbols.iter().enumerate().filter(|(_, drawn)| drawn.symbol != GAP) {
            cells.push(((column as i32 + 1, row as i32 + 1), drawn.clone()));
        }
    }
    cells
}

/// Axial coordinates of the hexes, so that the first one drawn gets those of `origin`.
///
/// The width of a hex is the commonest distance of two neighbours in a row. Each row must be shifted by half
/// of it; a symbol may stand a quarter of it off.
pub fn axial<'a>(
    file: FileId,
    rows: &[Vec<Drawn<'a>>],
    origin: (i32, i32),
    sink: &mut Sink,
) -> Vec<((i32, i32), Drawn<'a>)> {
    let width = width(rows);
    let mut hexes: Vec<((i32, i32), Drawn)> = Vec::new();
    let Some(left) = rows.iter().flatten().next().map(|drawn| drawn.column) else { return hexes };
    for (number, row) in rows.iter().enumerate() {
        let r = number as i32;
        let mut last = None;
        for drawn in row {
            // Twice the distance, so that half a hex is a whole number also where `width` is odd.
            let shifted = 2 * (drawn.column - left) - width * r;
            let q = (shifted + width).div_euclid(2 * width);
            let off = (shifted - 2 * width * q).abs();
            if 2 * off > width || last == Some(q) {
                sink.push(errors::misaligned(drawn.span(file), drawn.symbol));
                break;
            }
            last = Some(q);
            if drawn.symbol != GAP {
                hexes.push(((q, r), drawn.clone()));
            }
        }
    }
    let Some((first, _)) = hexes.first() else { return hexes };
    let (dq, dr) = (origin.0 - first.0, origin.1 - first.1);
    for ((q, r), drawn) in &mut hexes {
        *q = q.saturating_add(dq);
        *r = r.saturating_add(dr);
        if q.saturating_abs().max(r.saturating_abs()) > FARTHEST {
            sink.push(errors::too_far(drawn.span(file)));
            return Vec::new();
        }
    }
    hexes
}

/// The width of a hex in characters: the commonest distance within rows, the smallest of several. Where no row
/// has two symbols, twice the commonest shift between rows.
fn width(rows: &[Vec<Drawn>]) -> i32 {
    let within = rows.iter().flat_map(|row| row.windows(2)).filter_map(|pair| match pair {
        [a, b] => Some(b.column - a.column),
        _ => None,
    });
    let firsts: Vec<i32> = rows.iter().filter_map(|row| row.first()).map(|drawn| drawn.column).collect();
    let between = firsts.windows(2).filter_map(|pair| match pair {
        [a, b] => Some(2 * (b - a).abs()),
        _ => None,
    });
    commonest(within).or_else(|| commonest(between)).unwrap_or(4)
}

fn commonest(distances: impl Iterator<Item = i32>) -> Option<i32> {
    let mut counts: BTreeMap<i32, i32> = BTreeMap::new();
    for distance in distances.filter(|distance| *distance > 0) {
        *counts.entry(distance).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(distance, count)| (*count, -distance)).map(|(distance, _)| distance)
}
