//! Lists of places, by any of their names and in runs.

use std::collections::BTreeMap;

use super::cursor::Cursor;
use super::entries::Sign;
use super::items::point;
use super::listing::Reader;
use super::{KindIndex, PlaceRef, Topology, errors};
use crate::source::Span;

impl<'t> Reader<'_, 't> {
    /// `: PLACES` to the end of the entry; the places are of one kind and stand there once each.
    pub fn listed(&mut self, cursor: &mut Cursor) -> Option<(KindIndex, Vec<u16>)> {
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
    pub fn places(&mut self, cursor: &mut Cursor) -> Vec<(PlaceRef, Span)> {
        let mut places: Vec<(PlaceRef, Span)> = Vec::new();
        if cursor.peek(0).is_none_or(|token| token.text == ":") {
            self.sink.push(errors::expected(cursor.here(self.file), "a place"));
        }
        let mut wanted = None;
        while cursor.peek(0).is_some_and(|token| token.text != ":") {
            let kind = self.kind_word(cursor);
            let found = self.place(cursor, kind.or(wanted));
            // The word before a place says what it is.
            let other = found.filter(|(place, _)| kind.is_some_and(|kind| kind != place.kind));
            if let (Some((_, span)), Some(kind)) = (other, kind.and_then(|kind| self.board.kinds.get(kind))) {
                let text = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
                self.sink.push(errors::unknown_place(span, text, &kind.name));
            }
            let Some((place, span)) = found.filter(|_| other.is_none()) else {
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
    pub fn place(&mut self, cursor: &mut Cursor, wanted: Option<KindIndex>) -> Option<(PlaceRef, Span)> {
        let (text, span) = self.place_text(cursor)?;
        let found = self.board.candidates(text);
        let fits = |place: &&PlaceRef| wanted.is_none_or(|kind| place.kind == kind);
        let fitting: Vec<PlaceRef> = found.iter().filter(fits).copied().collect();
        match (fitting.as_slice(), found.as_slice()) {
            // A place of another kind than the list's is given back, so that the list can say so.
            ([place], _) | ([], [place]) => return Some((*place, span)),
            ([_, _, ..], _) => self.sink.push(errors::ambiguous_place(span, text)),
            ([], _) if self.torn => {}
            ([], _) => {
                let kind = wanted.and_then(|kind| self.board.kinds.get(kind));
                // Of `(3,0).E` it may be the hex that is missing.
                let base =
                    text.rsplit_once('.').map(|(base, _)| base).filter(|base| self.board.candidates(base).is_empty());
                let error = match (base, self.board.kinds.first()) {
                    (Some(base), Some(first)) => errors::beside_nothing(span, base, &first.name),
                    _ => errors::unknown_place(span, text, kind.map_or("place", |kind| &kind.name)),
                };
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
            Some(Sign::Other('(')) => point(cursor).and_then(|_| cursor.last()).map(|token| token.end()),
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
    pub fn rings(&mut self, cursor: &mut Cursor) -> Option<Vec<u16>> {
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
}
