//! What a board says apart from its drawing: marks, paths, regions, fog, values, colours.

use std::collections::BTreeMap;

use super::colour::{self, colour};
use super::cursor::Cursor;
use super::entries::{Entry, Token};
use super::items::{Given, name_and_seat};
use super::{Area, Board, KindIndex, Mark, Path, PlaceRef, Value, errors};
use crate::diagnostic::Sink;
use crate::source::{FileId, Span};

/// A board under construction, and what was said about it so far.
pub struct Reader<'s, 't> {
    pub file: FileId,
    pub board: Board,
    pub sink: &'s mut Sink,
    pub text: &'t str,
    /// The drawing had a fault: places may be missing, and nothing is to be said of that.
    pub torn: bool,
    /// Where a field of a place got its value.
    valued: BTreeMap<(KindIndex, u16, String), Span>,
}

impl<'s, 't> Reader<'s, 't> {
    pub fn new(file: FileId, text: &'t str, board: Board, sink: &'s mut Sink) -> Reader<'s, 't> {
        Reader { file, board, sink, text, torn: false, valued: BTreeMap::new() }
    }

    pub fn give(&mut self, place: PlaceRef, given: &Given) {
        match *given {
            Given::Value { field, field_span, value, span } => {
                let key = (place.kind, place.index, field.to_string());
                if let Some(first) = self.valued.get(&key) {
                    let error = errors::second_value(span, field, self.board.id(place), *first);
                    self.sink.push(error);
                    return;
                }
                self.valued.insert(key, span);
                let (field, value) = (field.to_string(), value.to_string());
                let (kind, place) = (place.kind, place.index);
                self.board.values.push(Value { kind, place, field, field_span, value, span });
            }
            Given::Mark { name, seat, span } => {
                let known = |mark: &&mut Mark| mark.name == name && mark.seat.as_deref() == seat.map(|s| s.0);
                match self.board.marks.iter_mut().find(known) {
                    Some(mark) => mark.places.push(place.index),
                    None => self.board.marks.push(Mark {
                        name: name.to_string(),
                        seat: seat.map(|(seat, _)| seat.to_string()),
                        kind: place.kind,
                        places: vec![place.index],
                        span,
                        seat_span: seat.map(|(_, span)| span),
                    }),
                }
            }
            Given::Region { name, part, span } => {
                add_to(&mut self.board.regions, name, part.map(|(part, _)| part), place, span);
            }
            Given::Fog { name, span } => add_to(&mut self.board.fogs, name, None, place, span),
        }
    }

    /// `colours meadow green, gate #a0a0a0`
    pub fn colours(&mut self, entry: &Entry) {
        let mut cursor = Cursor::new(entry.tokens());
        cursor.next();
        while cursor.peek(0).is_some() {
            let Some(word) = cursor.word() else {
                self.sink.push(errors::expected(cursor.here(self.file), "a word and its colour"));
                return;
            };
            // `#a0a0a0` falls into several tokens, which stand without a space between them.
            let Some(first) = cursor.next().filter(|token| token.text != ",") else {
                self.sink.push(errors::expected(cursor.here(self.file), "a colour"));
                return;
            };
            let mut end = first.end();
            while let Some(more) = cursor.peek(0).filter(|token| token.start == end && token.text != ",") {
                end = more.end();
                cursor.next();
            }
            let span = Span::new(self.file, first.start, end);
            let written = self.text.get(first.start..end).unwrap_or("");
            match colour(written) {
                Some(rgb) => self.board.colours.push((word.text.to_string(), rgb)),
                None => self.sink.push(errors::unknown_colour(span, written, colour::words())),
            }
            cursor.take(",");
        }
    }

    /// `mark`, `path`, `region`, `fog` or `FIELD at`.
    pub fn list(&mut self, entry: &Entry) {
        let mut cursor = Cursor::new(entry.tokens());
        let Some(word) = cursor.next() else { return };
        match word.text {
            "mark" => self.mark(&mut cursor),
            "path" => self.path(&mut cursor),
            "region" | "fog" => self.area(word.text, &mut cursor),
            _ => self.field(entry, word, &mut cursor),
        }
    }

    fn mark(&mut self, cursor: &mut Cursor) {
        let Some((name, seat)) = name_and_seat(self.file, cursor, self.sink) else { return };
        let span = name.span(self.file);
        let known = |mark: &&Mark| mark.name == name.text && mark.seat.as_deref() == seat.map(|s| s.0);
        if let Some(before) = self.board.marks.iter().find(known) {
            self.sink.push(errors::given_twice(span, &format!("the mark `{}`", name.text), before.span));
        }
        let Some((kind, places)) = self.listed(cursor) else {
            self.board.lost.push(name.text.to_string());
            return;
        };
        let (name, seat, seat_span) = (name.text.to_string(), seat.map(|s| s.0.to_string()), seat.map(|s| s.1));
        self.board.marks.push(Mark { name, seat, kind, places, span, seat_span });
    }

    fn path(&mut self, cursor: &mut Cursor) {
        let Some(name) = cursor.word() else {
            self.sink.push(errors::expected(cursor.here(self.file), "the name of the path"));
            return;
        };
        let span = name.span(self.file);
        if let Some(before) = self.board.paths.iter().find(|path| path.name == name.text) {
            self.sink.push(errors::given_twice(span, &format!("the path `{}`", name.text), before.span));
        }
        let rings = cursor.is(0, ":") && cursor.is(1, "around");
        let places = if rings { self.rings(cursor).map(|places| (0, places)) } else { self.listed(cursor) };
        let Some((kind, places)) = places else {
            self.board.lost.push(name.text.to_string());
            return;
        };
        self.board.paths.push(Path { name: name.text.to_string(), kind, places, span });
    }

    fn area(&mut self, word: &str, cursor: &mut Cursor) {
        let Some((name, part)) = name_and_seat(self.file, cursor, self.sink) else { return };
        let span = name.span(self.file);
        let part = part.map(|(part, _)| part.to_string());
        let known = if word == "fog" { &self.board.fogs } else { &self.board.regions };
        if let Some(before) = known.iter().find(|area| area.name == name.text && area.part == part) {
            let shown = part.as_ref().map_or(String::new(), |part| format!("({part})"));
            self.sink.push(errors::given_twice(span, &format!("the {word} `{}{shown}`", name.text), before.span));
        }
        let Some((kind, places)) = self.listed(cursor) else {
            self.board.lost.push(name.text.to_string());
            return;
        };
        let area = Area { name: name.text.to_string(), part, kind, places, span };
        if word == "fog" { self.board.fogs.push(area) } else { self.board.regions.push(area) }
    }

    /// `FIELD at PLACES: VALUE`, any number of times on lines of their own.
    fn field(&mut self, entry: &Entry, field: Token, cursor: &mut Cursor) {
        cursor.take("at");
        while cursor.peek(0).is_some() {
            let places = self.places(cursor);
            let Some(colon) = cursor.next().filter(|token| token.text == ":") else {
                self.sink.push(errors::expected(cursor.here(self.file), "`:` and a value"));
                return;
            };
            while cursor.peek(0).is_some_and(|token| token.line == colon.line) {
                cursor.next();
            }
            let line = entry.lines().nth(colon.line);
            let end = line.map_or(colon.end(), |line| line.start + line.full.len());
            let raw = self.text.get(colon.end()..end).unwrap_or("");
            let start = end - raw.trim_start().len();
            let span = Span::new(self.file, start, end);
            if raw.trim().is_empty() {
                self.sink.push(errors::expected(colon.span(self.file), "a value after the `:`"));
                continue;
            }
            let field_span = field.span(self.file);
            for (place, _) in places {
                self.give(place, &Given::Value { field: field.text, field_span, value: raw.trim(), span });
            }
        }
    }
}

fn add_to(areas: &mut Vec<Area>, name: &str, part: Option<&str>, place: PlaceRef, span: Span) {
    match areas.iter_mut().find(|area| area.name == name && area.part.as_deref() == part) {
        Some(area) => area.places.push(place.index),
        None => {
            let part = part.map(str::to_string);
            areas.push(Area { name: name.to_string(), part, kind: place.kind, places: vec![place.index], span });
        }
    }
}
