//! Sorts the entries of a board file by what they are about.

use std::collections::BTreeMap;

use super::entries::{Entry, Line, Sign, Token};
use super::items::{self, Given};
use super::{Topology, drawing, errors};
use crate::diagnostic::Sink;
use crate::source::{FileId, Span};

const ENTRIES: [&str; 11] =
    ["board", "origin", "numbers", "drawing", "colours", "places", "link", "mark", "path", "region", "fog"];

/// What a symbol means, and where that is said.
pub struct Meaning<'a> {
    pub span: Span,
    pub given: Vec<Given<'a>>,
    pub drawn: bool,
}

/// The entries of a file by what they are about.
#[derive(Default)]
pub struct Outline<'a> {
    pub board: Option<(Entry<'a>, Topology)>,
    pub origin: Option<(Span, (i32, i32))>,
    pub numbers: Option<(Span, &'a str, Span)>,
    pub drawing: Option<Entry<'a>>,
    pub legend: BTreeMap<&'a str, Meaning<'a>>,
    pub places: Vec<Entry<'a>>,
    pub links: Vec<Entry<'a>>,
    pub colours: Vec<Entry<'a>>,
    /// `mark`, `path`, `region`, `fog`, `FIELD at`.
    pub lists: Vec<Entry<'a>>,
    /// An entry was not understood: it may have been the drawing, or the places.
    pub lost: bool,
}

/// Sorts the entries and reads those that the places depend on.
pub fn outline<'a>(file: FileId, text: &'a str, all: Vec<Entry<'a>>, sink: &mut Sink) -> Outline<'a> {
    let mut outline = Outline::default();
    for entry in all {
        if let Some((symbol, meaning)) = symbol_of(&entry) {
            let span = entry.head.span(file);
            let symbol_span = Span::new(file, entry.head.start, entry.head.start + symbol.len());
            let numbered = symbol.contains(|c: char| c.is_ascii_digit());
            if numbered || symbol == drawing::GAP || ENTRIES.contains(&symbol) {
                sink.push(errors::bad_symbol(symbol_span, symbol));
                continue;
            }
            let mut given = items::givens(file, text, meaning, sink);
            for line in &entry.under {
                given.extend(items::givens(file, text, *line, sink));
            }
            if let Some(first) = outline.legend.get(symbol) {
                sink.push(errors::given_twice(symbol_span, &format!("the symbol `{symbol}`"), first.span));
            } else {
                outline.legend.insert(symbol, Meaning { span, given, drawn: false });
            }
            continue;
        }
        let tokens = entry.tokens();
        let Some(first) = tokens.first() else { continue };
        let span = first.span(file);
        let word = first.text;
        match word {
            "board" => {
                if let Some((before, _)) = &outline.board {
                    sink.push(errors::given_twice(span, "the kind of board", before.head.span(file)));
                } else if let Some(topology) = topology(file, &tokens, sink) {
                    outline.board = Some((entry, topology));
                }
            }
            "origin" => match (outline.origin, coordinates(file, &tokens, sink)) {
                (Some((before, _)), _) => sink.push(errors::given_twice(span, "the origin", before)),
                (None, origin) => outline.origin = origin.map(|origin| (span, origin)),
            },
            "numbers" => match (outline.numbers, tokens.get(1).map(|t| t.text), tokens.get(2)) {
                (Some((before, ..)), ..) => sink.push(errors::given_twice(span, "the field of numbers", before)),
                (None, Some("are"), Some(field)) if matches!(field.sign, Sign::Word(_)) => {
                    outline.numbers = Some((span, field.text, field.span(file)));
                }
                (None, ..) => sink.push(errors::expected(entry.head.span(file), "`numbers are FIELD`")),
            },
            "drawing" => match &outline.drawing {
                Some(before) => sink.push(errors::given_twice(span, "the drawing", before.head.span(file))),
                None => outline.drawing = Some(entry),
            },
            "places" => outline.places.push(entry),
            "link" => outline.links.push(entry),
            "colours" => outline.colours.push(entry),
            "mark" | "path" | "region" | "fog" => outline.lists.push(entry),
            _ if tokens.get(1).is_some_and(|t| t.text == "at") => outline.lists.push(entry),
            _ => {
                outline.lost = true;
                sink.push(errors::unknown_entry(span, word, &ENTRIES));
            }
        }
    }
    outline
}

/// The symbol and the rest of the line, if the entry is the meaning of a symbol.
fn symbol_of<'a>(entry: &Entry<'a>) -> Option<(&'a str, Line<'a>)> {
    let (before, after) = entry.head.full.split_once('=')?;
    let symbol = before.trim();
    let fits = !symbol.is_empty() && !symbol.contains(char::is_whitespace);
    fits.then_some((symbol, Line { full: after, start: entry.head.start + before.len() + 1 }))
}

fn topology(file: FileId, tokens: &[Token], sink: &mut Sink) -> Option<Topology> {
    match tokens.get(1).map(|token| token.text) {
        Some("hexes") => Some(Topology::Hex),
        Some("grid") => Some(Topology::Grid),
        Some("graph") => Some(Topology::Graph),
        _ => {
            let place = tokens.get(1).or(tokens.first());
            let span = place.map_or_else(Span::default, |token| token.span(file));
            sink.push(errors::expected(span, "`hexes`, `grid` or `graph`"));
            None
        }
    }
}

/// The coordinates in `origin (0,-2)`.
fn coordinates(file: FileId, tokens: &[Token], sink: &mut Sink) -> Option<(i32, i32)> {
    let text: String = tokens.iter().skip(1).map(|token| token.text).collect();
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).and_then(|t| t.split_once(','));
    let read = inner.and_then(|(a, b)| Some((a.parse::<i32>().ok()?, b.parse::<i32>().ok()?)));
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return None };
    let span = first.span(file).to(last.span(file));
    match read {
        None => sink.push(errors::expected(span, "the coordinates of the first hex, such as `origin (0,-2)`")),
        Some((a, b)) if a.abs().max(b.abs()) > drawing::FARTHEST => sink.push(errors::too_far(span)),
        Some(origin) => return Some(origin),
    }
    None
}
