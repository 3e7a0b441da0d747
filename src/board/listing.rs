//! Lists of places and what is said about them: marks, paths, regions, values, links, colours.

use std::collections::BTreeMap;

use super::colour::{self, colour};
use super::entries::{Entry, Line, Sign, Token};
use super::graph::Link;
use super::{Area, Board, KindIndex, Mark, Path, PlaceRef, Topology, Value, errors};
use crate::diagnostic::Sink;
use crate::source::{FileId, Span};

/// What a symbol or a listed place is given.
#[derive(Clone, Debug)]
pub enum Given<'a> {
    Value { field: &'a str, field_span: Span, value: &'a str, span: Span },
    Mark { name: &'a str, seat: Option<(&'a str, Span)>, span: Span },
    Region { name: &'a str, span: Span },
    Fog { name: &'a str, span: Span },
}

/// A board under construction, and what was said about it so far.
pub struct Reader<'s, 't> {
    pub file: FileId,
    pub board: Board,
    pub sink: &'s mut Sink,
    text: &'t str,
    /// Where a field of a place got its value.
    valued: BTreeMap<(KindIndex, u16, String), Span>,
}

/// Tokens of an entry, read from left to right.
pub struct Cursor<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(tokens: Vec<Token<'a>>) -> Cursor<'a> {
        Cursor { tokens, at: 0 }
    }

    pub fn peek(&self, ahead: usize) -> Option<&Token<'a>> {
        self.tokens.get(self.at + ahead)
    }

    pub fn is(&self, ahead: usize, text: &str) -> bool {
        self.peek(ahead).is_some_and(|token| token.text == text)
    }

    pub fn next(&mut self) -> Option<Token<'a>> {
        let token = self.tokens.get(self.at).copied()?;
        self.at += 1;
        Some(token)
    }

    pub fn take(&mut self, text: &str) -> bool {
        let there = self.is(0, text);
        self.at += usize::from(there);
        there
    }

    pub fn word(&mut self) -> Option<Token<'a>> {
        let token = *self.peek(0)?;
        matches!(token.sign, Sign::Word(_)).then(|| self.next()).flatten()
    }

    /// Where the next token stands, or the end of the last one.
    pub fn here(&self, file: FileId) -> Span {
        match (self.peek(0), self.tokens.last()) {
            (Some(token), _) => token.span(file),
            (None, Some(last)) => Span::new(file, last.end(), last.end()),
            (None, None) => Span::new(file, 0, 0),
        }
    }
}

/// The items of a legend line or of a listed place, separated by commas.
pub fn givens<'a>(file: FileId, text: &'a str, line: Line<'a>, sink: &mut Sink) -> Vec<Given<'a>> {
    let mut given = Vec::new();
    let mut start = line.start;
    for raw in line.full.split(',') {
        let indent = raw.len() - raw.trim_start().len();
        let item = Line { full: raw.trim(), start: start + indent };
        start += raw.len() + 1;
        if item.full == "plain" {
            continue;
        }
        let entry = Entry { head: item, under: Vec::new() };
        let mut cursor = Cursor::new(entry.tokens());
        given.extend(one_given(file, text, item, &mut cursor, sink));
    }
    given
}

fn one_given<'a>(
    file: FileId,
    text: &'a str,
    item: Line<'a>,
    cursor: &mut Cursor<'a>,
    sink: &mut Sink,
) -> Option<Given<'a>> {
    let span = if item.full.is_empty() { Span::new(file, item.start, item.start) } else { item.span(file) };
    let Some(first) = cursor.word().filter(|_| cursor.peek(0).is_some()) else {
        sink.push(errors::expected(span, "a field and its value (`terrain meadow`), or `plain`"));
        return None;
    };
    match first.text {
        "mark" => {
            let (name, seat) = name_and_seat(file, cursor, sink)?;
            Some(Given::Mark { name: name.text, seat, span: name.span(file) })
        }
        "region" => cursor.word().map(|name| Given::Region { name: name.text, span: name.span(file) }),
        "fog" => cursor.word().map(|name| Given::Fog { name: name.text, span: name.span(file) }),
        field => {
            let end = item.start + item.full.len();
            let start = cursor.peek(0).map_or(end, |token| token.start);
            let value = text.get(start..end).unwrap_or("");
            Some(Given::Value { field, field_span: first.span(file), value, span: Span::new(file, start, end) })
        }
    }
}

/// `start` or `start(red)`.
#[allow(clippy::type_complexity)]
fn name_and_seat<'a>(
    file: FileId,
    cursor: &mut Cursor<'a>,
    sink: &mut Sink,
) -> Option<(Token<'a>, Option<(&'a str, Span)>)> {
    let Some(name) = cursor.word() else {
        sink.push(errors::expected(cursor.here(file), "a name"));
        return None;
    };
    if !cursor.take("(") {
        return Some((name, None));
    }
    let seat = cursor.word();
    if seat.is_none() || !cursor.take(")") {
        sink.push(errors::expected(cursor.here(file), "one seat in parentheses, such as `(red)`"));
        return None;
    }
    Some((name, seat.map(|seat| (seat.text, seat.span(file)))))
}

/// A line under `places KIND`: `f0 at (0,0): terrain meadow`. Gives the name, the position and the rest.
#[allow(clippy::type_complexity)]
pub fn spot<'a>(
    file: FileId,
    line: &Line<'a>,
    sink: &mut Sink,
) -> Option<(Token<'a>, Option<(f32, f32)>, Option<Line<'a>>)> {
    let entry = Entry { head: *line, under: Vec::new() };
    let mut cursor = Cursor::new(entry.tokens());
    let Some(name) = cursor.word() else {
        sink.push(errors::expected(cursor.here(file), "the name of a place"));
        return None;
    };
    let mut position = None;
    if cursor.take("at") {
        position = point(&mut cursor);
        if position.is_none() {
            sink.push(errors::expected(cursor.here(file), "a position such as `(2,1.5)`"));
            return Some((name, None, None));
        }
    }
    let colon = cursor.next();
    match colon {
        None => Some((name, position, None)),
        Some(colon) if colon.text == ":" => {
            let full = line.full.get(colon.end() - line.start..).unwrap_or("");
            Some((name, position, Some(Line { full, start: colon.end() })))
        }
        Some(other) => {
            sink.push(errors::expected(other.span(file), "`at`, `:` or the end of the line"));
            Some((name, position, None))
        }
    }
}

fn point(cursor: &mut Cursor) -> Option<(f32, f32)> {
    let mut number = |before: &str| {
        let opened = cursor.take(before);
        let minus = cursor.take("-");
        let Some(Sign::Number(value)) = cursor.peek(0).map(|token| token.sign) else { return None };
        cursor.next();
        opened.then_some(if minus { -value } else { value })
    };
    let (x, y) = (number("(")?, number(",")?);
    (cursor.take(")") && x.abs().max(y.abs()) <= 1000.0).then_some((x, y))
}

impl<'s, 't> Reader<'s, 't> {
    pub fn new(file: FileId, text: &'t str, board: Board, sink: &'s mut Sink) -> Reader<'s, 't> {
        Reader { file, board, sink, text, valued: BTreeMap::new() }
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
            Given::Region { name, span } => add_to(&mut self.board.regions, name, place, span),
            Given::Fog { name, span } => add_to(&mut self.board.fogs, name, place, span),
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
        let Some((kind, places)) = self.listed(cursor) else { return };
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
        let Some((kind, places)) = places else { return };
        self.board.paths.push(Path { name: name.text.to_string(), kind, places, span });
    }

    fn area(&mut self, word: &str, cursor: &mut Cursor) {
        let Some(name) = cursor.word() else {
            self.sink.push(errors::expected(cursor.here(self.file), "a name"));
            return;
        };
        let span = name.span(self.file);
        let known = if word == "fog" { &self.board.fogs } else { &self.board.regions };
        if let Some(before) = known.iter().find(|area| area.name == name.text) {
            self.sink.push(errors::given_twice(span, &format!("the {word} `{}`", name.text), before.span));
        }
        let Some((kind, places)) = self.listed(cursor) else { return };
        let area = Area { name: name.text.to_string(), kind, places, span };
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

    /// `: PLACES` to the end of the entry; the places are of one kind and stand there once each.
    fn listed(&mut self, cursor: &mut Cursor) -> Option<(KindIndex, Vec<u16>)> {
        if !cursor.take(":") {
            self.sink.push(errors::expected(cursor.here(self.file), "`:` and a list of places"));
            return None;
        }
        let places = self.places(cursor);
        if cursor.peek(0).is_some() {
            self.sink.push(errors::expected(cursor.here(self.file), "a place"));
        }
        let (first, _) = places.first()?;
        Some((first.kind, places.iter().map(|(place, _)| place.index).collect()))
    }

    /// Places up to a `:` or the end, with commas between them or not. What is wrong is reported and left out.
    fn places(&mut self, cursor: &mut Cursor) -> Vec<(PlaceRef, Span)> {
        let mut places: Vec<(PlaceRef, Span)> = Vec::new();
        if cursor.peek(0).is_none_or(|token| token.text == ":") {
            self.sink.push(errors::expected(cursor.here(self.file), "a place"));
        }
        let mut wanted = None;
        while cursor.peek(0).is_some_and(|token| token.text != ":") {
            let kind = self.kind_word(cursor);
            let Some((place, span)) = self.place(cursor, kind.or(wanted)) else {
                while cursor.peek(0).is_some_and(|token| token.text != ":" && token.text != ",") {
                    cursor.next();
                }
                cursor.take(",");
                wanted = kind.or(wanted);
                continue;
            };
            wanted = Some(place.kind);
            let run = if cursor.take("..") { self.run(cursor, place, span) } else { vec![(place, span)] };
            for (place, span) in run {
                self.add(&mut places, place, span);
            }
            cursor.take(",");
        }
        places
    }

    fn add(&mut self, places: &mut Vec<(PlaceRef, Span)>, place: PlaceRef, span: Span) {
        let kind_name = |kind: KindIndex| self.board.kinds.get(kind).map_or("place", |kind| kind.name.as_str());
        if let Some((first, first_span)) = places.first().filter(|(first, _)| first.kind != place.kind) {
            let error = errors::mixed_kinds(span, kind_name(place.kind), kind_name(first.kind), *first_span);
            self.sink.push(error);
        } else if let Some((_, first)) = places.iter().find(|(other, _)| *other == place) {
            let error = errors::listed_twice(span, self.board.id(place), *first);
            self.sink.push(error);
        } else {
            places.push((place, span));
        }
    }

    /// A kind's name before a place. A place of the same name as a kind is reported where it is declared.
    fn kind_word(&self, cursor: &mut Cursor) -> Option<KindIndex> {
        let Some(Sign::Word(word)) = cursor.peek(0).map(|token| token.sign) else { return None };
        let kind = self.board.kind(word)?;
        let follows = cursor.peek(1).is_some_and(|t| matches!(t.sign, Sign::Word(_) | Sign::Other('(')));
        follows.then(|| cursor.next())?;
        Some(kind)
    }

    /// One place by any of its names.
    fn place(&mut self, cursor: &mut Cursor, wanted: Option<KindIndex>) -> Option<(PlaceRef, Span)> {
        let (text, span) = self.place_text(cursor)?;
        let found = self.board.candidates(text);
        let fits = |place: &&PlaceRef| wanted.is_none_or(|kind| place.kind == kind);
        let fitting: Vec<PlaceRef> = found.iter().filter(fits).copied().collect();
        match (fitting.as_slice(), found.as_slice()) {
            // A place of another kind than the list's is given back, so that the list can say so.
            ([place], _) | ([], [place]) => return Some((*place, span)),
            ([_, _, ..], _) => self.sink.push(errors::ambiguous_place(span, text)),
            ([], _) => {
                let kind = wanted.and_then(|kind| self.board.kinds.get(kind));
                let error = errors::unknown_place(span, text, kind.map_or("place", |kind| &kind.name));
                self.sink.push(error);
            }
        }
        None
    }

    /// The text of a place: `h3`, `(0,-2)`, either with a direction.
    fn place_text(&mut self, cursor: &mut Cursor) -> Option<(&'t str, Span)> {
        let first = cursor.peek(0).copied();
        let end = match first.map(|token| token.sign) {
            Some(Sign::Word(_)) => cursor.next().map(|token| token.end()),
            Some(Sign::Other('(')) => point(cursor)
                .and_then(|_| cursor.at.checked_sub(1))
                .map(|at| cursor.tokens.get(at).map_or(0, |token| token.end())),
            _ => None,
        };
        let (Some(first), Some(mut end)) = (first, end) else {
            self.sink.push(errors::expected(cursor.here(self.file), "a place"));
            return None;
        };
        if cursor.is(0, ".") {
            cursor.next();
            end = cursor.word().map_or(end + 1, |direction| direction.end());
        }
        Some((self.text.get(first.start..end)?, Span::new(self.file, first.start, end)))
    }

    /// What lies between a place and the one after `..`, both included.
    fn run(&mut self, cursor: &mut Cursor, from: PlaceRef, from_span: Span) -> Vec<(PlaceRef, Span)> {
        let Some((to, to_span)) = self.place(cursor, Some(from.kind)) else { return Vec::new() };
        let span = from_span.to(to_span);
        let with_span = |index: &u16| (PlaceRef { index: *index, ..from }, span);
        if from == to {
            return vec![(from, span)];
        }
        let names: Vec<String> = self.board.directions.iter().map(|d| d.name.clone()).collect();
        for name in names {
            let line = self.board.line(from, &name);
            if let Some(end) = line.iter().position(|index| *index == to.index).filter(|_| to.kind == from.kind) {
                return std::iter::once(&from.index).chain(line.iter().take(end + 1)).map(with_span).collect();
            }
        }
        let numbered = self.board.topology == Topology::Graph && from.index < to.index && from.kind == to.kind;
        if numbered {
            return (from.index..=to.index).map(|index| with_span(&index)).collect();
        }
        let error = errors::not_in_line(span, self.board.id(from), self.board.id(to));
        self.sink.push(error);
        Vec::new()
    }

    /// `: around PLACE from PLACE clockwise`: the rings from the second place's inwards to the first.
    fn rings(&mut self, cursor: &mut Cursor) -> Option<Vec<u16>> {
        cursor.take(":");
        let around = cursor.next()?;
        if self.board.topology != Topology::Hex {
            self.sink.push(errors::wrong_topology(around.span(self.file), "around", "a `board hexes`"));
            return None;
        }
        let (centre, _) = self.place(cursor, Some(0))?;
        if !cursor.take("from") {
            self.sink.push(errors::expected(cursor.here(self.file), "`from` and the hex where the path begins"));
            return None;
        }
        let (start, _) = self.place(cursor, Some(0))?;
        let clockwise = cursor.is(0, "clockwise");
        if (!clockwise && !cursor.is(0, "counterclockwise")) || cursor.peek(1).is_some() {
            self.sink.push(errors::expected(cursor.here(self.file), "`clockwise` or `counterclockwise`"));
            return None;
        }
        let coordinates = |place| self.board.place(place).and_then(|place| place.coordinates);
        let rings = super::hexes::rings(coordinates(centre)?, coordinates(start)?, clockwise);
        let places = self.board.places(0).iter().enumerate();
        let numbers: BTreeMap<_, _> = places.filter_map(|(i, place)| Some((place.coordinates?, i as u16))).collect();
        Some(rings.iter().filter_map(|at| numbers.get(at).copied()).collect())
    }

    /// `link NAME: a - b c, d - e` or `link NAME: a -> b -> c`. A new line begins a new link, like a comma.
    pub fn link(&mut self, entry: &Entry, links: &mut Vec<Link>) {
        let mut cursor = Cursor::new(entry.tokens());
        cursor.next();
        let (Some(name), true) = (cursor.word(), cursor.take(":")) else {
            self.sink.push(errors::expected(entry.head.span(self.file), "`link NAME:` and what is linked"));
            return;
        };
        let mut before: Vec<PlaceRef> = Vec::new();
        let mut group: Vec<PlaceRef> = Vec::new();
        let mut joined = false;
        let mut line = 0;
        while let Some(token) = cursor.peek(0).copied() {
            let joint = matches!(token.sign, Sign::Arrow | Sign::Other('-'));
            let fresh = token.line != line && !joint && !group.is_empty();
            line = token.line;
            if fresh || token.text == "," {
                if token.text == "," {
                    cursor.next();
                }
                (before, group, joined) = (Vec::new(), Vec::new(), false);
            } else if joint {
                cursor.next();
                if group.is_empty() {
                    self.sink.push(errors::expected(token.span(self.file), "a place before this"));
                }
                let arrows = token.sign == Sign::Arrow;
                match links.iter().find(|link| link.name == name.text).map(|link| link.arrows) {
                    Some(known) if known != arrows => {
                        let first = name.span(self.file);
                        self.sink.push(errors::mixed_links(token.span(self.file), name.text, first));
                    }
                    Some(_) => {}
                    None => links.push(Link { name: name.text.to_string(), arrows, joints: Vec::new() }),
                }
                (before, group, joined) = (group, Vec::new(), true);
            } else {
                let Some((place, span)) = self.place(&mut cursor, None) else {
                    cursor.next();
                    continue;
                };
                group.push(place);
                for other in before.iter().filter(|_| joined) {
                    if *other == place {
                        let error = errors::joined_to_itself(span, self.board.id(place));
                        self.sink.push(error);
                    } else if let Some(link) = links.iter_mut().find(|link| link.name == name.text) {
                        link.joints.push((*other, place));
                    }
                }
            }
        }
    }
}

fn add_to(areas: &mut Vec<Area>, name: &str, place: PlaceRef, span: Span) {
    match areas.iter_mut().find(|area| area.name == name) {
        Some(area) => area.places.push(place.index),
        None => areas.push(Area { name: name.to_string(), kind: place.kind, places: vec![place.index], span }),
    }
}
