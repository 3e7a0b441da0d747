//! What is said about one place where it is drawn or listed: `terrain meadow, mark start(red), region north`.

use super::cursor::Cursor;
use super::entries::{Entry, Line, Sign, Token};
use super::errors;
use crate::diagnostic::Sink;
use crate::source::{FileId, Span};

/// What a symbol or a listed place is given.
#[derive(Clone, Debug)]
pub enum Given<'a> {
    Value { field: &'a str, field_span: Span, value: &'a str, span: Span },
    Mark { name: &'a str, seat: Option<(&'a str, Span)>, span: Span },
    Region { name: &'a str, part: Option<(&'a str, Span)>, span: Span },
    Fog { name: &'a str, span: Span },
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
        "region" => {
            let (name, part) = name_and_seat(file, cursor, sink)?;
            Some(Given::Region { name: name.text, part, span: name.span(file) })
        }
        "fog" => cursor.word().map(|name| Given::Fog { name: name.text, span: name.span(file) }),
        field => {
            let end = item.start + item.full.len();
            let start = cursor.peek(0).map_or(end, |token| token.start);
            let value = text.get(start..end).unwrap_or("");
            Some(Given::Value { field, field_span: first.span(file), value, span: Span::new(file, start, end) })
        }
    }
}

/// `start` or `start(red)`: a name and the seat, or the one of several regions, that it is of.
#[allow(clippy::type_complexity)]
pub fn name_and_seat<'a>(
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

pub fn point(cursor: &mut Cursor) -> Option<(f32, f32)> {
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
