//! The reader of board files. The format, for authors:
//!
//! Every entry begins at the left edge; indented lines under it belong to it. `//` begins a comment. The order
//! of the entries is free; it is usual to say first what board it is:
//!
//! ```text
//! board hexes                      // or: board grid, board graph
//! origin (0,-2)                    // the coordinates of the first hex drawn; without this line (0,0)
//! numbers are height               // the field that is filled by numbers behind symbols
//!
//! m = terrain meadow               // what a symbol means: fields and values,
//! g = terrain gate, mark start(red), region border      // marks, regions and fog,
//! o = plain                        // or nothing but a place
//! colours meadow green, gate #a0a0a0
//!
//! drawing                          // each row shifted by half a hex; `.` is a gap
//!       m3    g     .
//!    m2    m5    m1    o
//!       m4    .     m
//! ```
//!
//! On a grid the rows are not shifted, and where all symbols are single characters the spaces between them may
//! be left out; `board grid 7 by 6` needs no drawing at all. Places of a graph are listed instead, with their
//! links; `->` leads one way, `-` both ways, and several names stand for each of them:
//!
//! ```text
//! board graph
//! places field
//!    f0 at (0,0): terrain meadow, height 3
//!    f1 at (2,0)
//! places tower
//!    t1 at (1,1.5): mark start(red)
//! link arrow:  f0 -> f1 -> f0
//! link bridge: t1 - f0 f1
//! ```
//!
//! `places field as hexes` draws these places as hexes that touch each other, two of them as far apart as the nearest two;
//! `link border hidden: …` is not drawn.
//!
//! These entries fit every board. A place is written `h3`, `c5`, `e7` (hexes, corners and edges, numbered row by
//! row), `s4` (cells), `(0,-2)` (a hex q to the east, r to the south-east; a cell by column and row from 1),
//! `(0,-2).SE` (a corner or edge of a hex) or by its own name. Where a direction could mean a corner or an edge,
//! `corner` or `edge` stands before it once in a list. `..` stands for all places between two of a row.
//!
//! ```text
//! toll at                          // values of single places: FIELD at PLACES: VALUE
//!    edge (0,-2).NW: double
//!    edge (1,-2).NE, (2,-1).NE: single
//! mark start(red): corner (0,-2).SE, (-2,0).SE
//! mark well: h4
//! path race: h1 h2 h5 h8
//! path spiral: around (0,0) from (0,-2) counterclockwise      // ring by ring inwards, hexes only
//! region plain: (0,0)..(3,0), (0,1)
//! region shire(north): (0,2), (1,2)                           // one of several regions of a kind
//! fog north: (2,-3)..(5,-3)
//! ```

use std::collections::BTreeMap;

use super::drawing::{self, Drawn};
use super::entries::{self, Entry, Line};
use super::graph::{Link, Spot};
use super::items::{self, Given};
use super::listing::Reader;
use super::outline::{Outline, outline};
use super::{Board, MAX_PLACES, PlaceRef, Topology, errors};
use crate::diagnostic::Sink;
use crate::source::{FileId, Span};

/// Reads a board file. Gives a board whenever its places could be made out, also if there were faults.
pub fn parse(file: FileId, text: &str, sink: &mut Sink) -> Option<Board> {
    let all = entries::entries(file, text, sink);
    let start = Span::new(file, 0, text.lines().next().map_or(0, str::len));
    let has_head = all.iter().any(|entry| entry.tokens().first().is_some_and(|token| token.text == "board"));
    let outline = outline(file, text, all, sink);
    let Some((head, topology)) = &outline.board else {
        if !has_head {
            sink.push(errors::no_header(start));
        }
        return None;
    };
    match topology {
        Topology::Hex | Topology::Grid => drawn(file, text, *topology, head.head.span(file), outline, sink),
        Topology::Graph => listed(file, text, head.head.span(file), outline, sink),
    }
}

/// A board of hexes or cells.
fn drawn(
    file: FileId,
    text: &str,
    topology: Topology,
    head: Span,
    mut outline: Outline,
    sink: &mut Sink,
) -> Option<Board> {
    for entry in outline.places.iter().chain(&outline.links) {
        let word = entry.tokens().first().map_or("", |token| token.text);
        sink.push(errors::wrong_topology(entry.head.span(file), word, "a `board graph`"));
    }
    let lines = outline.drawing.as_ref().map_or(&[] as &[Line], |entry| &entry.under);
    let rows = drawing::rows(file, lines, |symbol| outline.legend.contains_key(symbol), sink);
    let before = sink.len();
    let located = match topology {
        Topology::Hex => {
            let origin = outline.origin.map_or((0, 0), |(_, origin)| origin);
            drawing::axial(file, &rows, origin, sink)
        }
        Topology::Grid | Topology::Graph => {
            if let Some((span, _)) = outline.origin {
                sink.push(errors::wrong_topology(span, "origin", "a `board hexes`; columns and rows begin with 1"));
            }
            drawing::cells(&rows)
        }
    };
    let torn = sink.len() > before;
    let mut coordinates: Vec<(i32, i32)> = located.iter().map(|(at, _)| *at).collect();
    let counted = outline.board.as_ref().and_then(|(entry, _)| size(file, entry, topology, sink));
    if let Some((columns, rows)) = counted.filter(|_| outline.drawing.is_none()) {
        coordinates.extend((1..=rows).flat_map(|row| (1..=columns).map(move |column| (column, row))));
    }
    // Then what is wrong with the drawing or the size has been said.
    let sized = outline.board.as_ref().is_some_and(|(entry, _)| entry.tokens().len() > 2);
    if coordinates.is_empty() && (sized || !rows.is_empty() || outline.lost) {
        return None;
    }
    if coordinates.is_empty() {
        sink.push(errors::no_places(head, "draw it in indented lines under a line `drawing`"));
        return None;
    }
    let kind = if topology == Topology::Hex { "hex" } else { "cell" };
    if coordinates.len() > MAX_PLACES {
        sink.push(errors::too_many_places(head, kind, coordinates.len()));
        return None;
    }
    let board = if topology == Topology::Hex { Board::hexes(&coordinates) } else { Board::grid(&coordinates) };
    if let Some(kind) = board.kinds.iter().find(|kind| kind.places.len() > MAX_PLACES) {
        sink.push(errors::too_many_places(head, &kind.name, kind.places.len()));
        return None;
    }

    let mut reader = Reader::new(file, text, board, sink);
    reader.torn = torn;
    for ((column, row), drawn) in &located {
        let place = reader.board.places(0).iter().position(|place| place.coordinates == Some((*column, *row)));
        if let Some(index) = place {
            fill(&mut reader, &mut outline, drawn, PlaceRef { kind: 0, index: index as u16 });
        }
    }
    for (symbol, meaning) in &outline.legend {
        if !meaning.drawn {
            reader.sink.push(errors::symbol_not_drawn(meaning.span, symbol));
        }
    }
    Some(finish(reader, &outline))
}

/// The numbers in `board grid 7 by 6`.
fn size(file: FileId, entry: &Entry, topology: Topology, sink: &mut Sink) -> Option<(i32, i32)> {
    let tokens = entry.tokens();
    let (first, last) = (tokens.get(2)?, tokens.last()?);
    let span = first.span(file).to(last.span(file));
    let numbers = tokens.get(2..)?.iter().map(|token| token.text).collect::<Vec<_>>();
    let read = match numbers.as_slice() {
        [columns, "by", rows] if topology == Topology::Grid => columns.parse::<i32>().ok().zip(rows.parse().ok()),
        _ => None,
    };
    let Some((columns, rows)) = read.filter(|(columns, rows)| *columns > 0 && *rows > 0) else {
        sink.push(errors::expected(span, "nothing more, or the size of a grid such as `board grid 7 by 6`"));
        return None;
    };
    let count = columns.saturating_mul(rows) as usize;
    if count > MAX_PLACES {
        sink.push(errors::too_many_places(span, "cell", count));
        return None;
    }
    Some((columns, rows))
}

/// Gives a drawn place what its symbol and the number behind it mean.
fn fill(reader: &mut Reader, outline: &mut Outline, drawn: &Drawn, place: PlaceRef) {
    let file = reader.file;
    if outline.legend.contains_key(drawn.symbol) {
        if let Some(meaning) = outline.legend.get_mut(drawn.symbol) {
            meaning.drawn = true;
            for given in &meaning.given {
                reader.give(place, given);
            }
        }
    } else {
        let known: Vec<&str> = outline.legend.keys().copied().collect();
        reader.sink.push(errors::unknown_symbol(drawn.span(file), drawn.symbol, &known));
    }
    if !drawn.number.is_empty() {
        let span = drawn.number_span(file);
        match outline.numbers {
            Some((_, field, field_span)) => {
                reader.give(place, &Given::Value { field, field_span, value: drawn.number, span });
            }
            None => reader.sink.push(errors::number_without_field(span, drawn.number)),
        }
    }
}

/// A graph.
fn listed(file: FileId, text: &str, head: Span, outline: Outline, sink: &mut Sink) -> Option<Board> {
    let drawing = outline.drawing.as_ref().map(|entry| (entry.head.span(file), "drawing"));
    let origin = outline.origin.map(|(span, _)| (span, "origin"));
    let numbers = outline.numbers.map(|(span, ..)| (span, "numbers"));
    let legend = outline.legend.iter().map(|(symbol, meaning)| (meaning.span, *symbol));
    for (span, word) in drawing.into_iter().chain(origin).chain(numbers).chain(legend) {
        sink.push(errors::wrong_topology(span, word, "a board that is drawn; a graph lists its places"));
    }

    let mut kinds: Vec<(String, Vec<Spot>)> = Vec::new();
    let mut as_hexes = None;
    let mut given: Vec<(PlaceRef, Given)> = Vec::new();
    let mut names: BTreeMap<&str, (PlaceRef, Span)> = BTreeMap::new();
    for entry in &outline.places {
        let tokens = entry.tokens();
        let head = entry.head.span(file);
        let more: Vec<&str> =
            tokens.iter().skip(2).take_while(|token| token.line == 0).map(|token| token.text).collect();
        let (Some(kind), [] | ["as", "hexes"]) = (tokens.get(1), more.as_slice()) else {
            sink.push(errors::expected(head, "`places KIND` or `places KIND as hexes` and under it one place a line"));
            continue;
        };
        let at = kinds.iter().position(|(name, _)| name == kind.text).unwrap_or_else(|| {
            kinds.push((kind.text.to_string(), Vec::new()));
            kinds.len() - 1
        });
        if !more.is_empty() {
            as_hexes = Some(at);
        }
        for line in &entry.under {
            let Some((name, spot, rest)) = items::spot(file, line, sink) else { continue };
            let Some((_, spots)) = kinds.get_mut(at) else { continue };
            let place = PlaceRef { kind: at, index: spots.len() as u16 };
            if let Some((_, first)) = names.get(name.text) {
                sink.push(errors::listed_twice(name.span(file), name.text, *first));
                continue;
            }
            if spots.len() == MAX_PLACES {
                sink.push(errors::too_many_places(head, kind.text, spots.len() + 1));
                return None;
            }
            names.insert(name.text, (place, name.span(file)));
            let (x, y) = spot.unwrap_or((spots.len() as f32, at as f32));
            spots.push(Spot { name: name.text.to_string(), x, y });
            if let Some(rest) = rest {
                given.extend(items::givens(file, text, rest, sink).into_iter().map(|given| (place, given)));
            }
        }
    }
    if names.is_empty() && outline.lost {
        return None;
    }
    if names.is_empty() {
        sink.push(errors::no_places(head, "list them in indented lines under a line `places KIND`"));
        return None;
    }
    for (name, (_, span)) in &names {
        if kinds.iter().any(|(kind, _)| kind == name) {
            sink.push(errors::name_of_kind(*span, name));
        }
    }

    // Links are read against a board that has places only; then the board is built once more with them.
    let bare = Board::graph(kinds.clone(), &[]);
    let mut links: Vec<Link> = Vec::new();
    let mut reader = Reader::new(file, text, bare, sink);
    for entry in &outline.links {
        reader.link(entry, &mut links);
    }
    let undrawn = std::mem::take(&mut reader.board.undrawn);
    reader.board = Board { as_hexes, undrawn, ..Board::graph(kinds, &links) };
    for (place, given) in &given {
        reader.give(*place, given);
    }
    Some(finish(reader, &outline))
}

/// Reads what fits every board, once its places are known.
fn finish(mut reader: Reader, outline: &Outline) -> Board {
    for entry in &outline.colours {
        reader.colours(entry);
    }
    for entry in &outline.lists {
        reader.list(entry);
    }
    reader.parts();
    reader.board
}
