//! The record of a chronicle: a TOML file that a person can read. What the players have stands in tables of their
//! names, `[seats.red]`, what all share beside them; state with more keys is nested by the names of its members. All of
//! it may lie in a table `[chronicle]`, as it does in the file of a campaign, of which the rest is then not looked at.
//! What is not there has its initial value.

use std::fmt::Write as _;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::errors;
use super::value::{self, Cell};
use crate::diagnostic::{Diagnostic, Sink, near_names};
use crate::engine::bags::LANE_MAX;
use crate::engine::{Game, bags};
use crate::program::{DomainId, Field, FieldId, FieldRole, FieldType};
use crate::source::campaign::key;
use crate::source::manifest::parse_toml;
use crate::source::{FileId, Span};

/// The values that a record gives, ready to be written into a game of the code that it was read for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The file, as a transcript names it.
    pub name: String,
    values: Vec<(FieldId, usize, Cell)>,
}

impl Record {
    /// Writes the values; before the set-up is done.
    pub fn write_into(&self, game: &mut Game) {
        for (field, cell, value) in &self.values {
            value::write(game, *field, *cell, value);
        }
    }
}

/// What the rulesets in play keep, by its name.
pub fn kept(game: &Game) -> Vec<(FieldId, &Field)> {
    let fields = game.code.program.fields.iter().enumerate();
    fields.filter(|(_, f)| f.role == FieldRole::Chronicle).map(|(i, f)| (FieldId(i as u32), f)).collect()
}

/// The players that the chronicle keeps under a name: those of a set, or the one.
pub fn players(game: &Game, name: &str) -> Vec<usize> {
    let Some((id, _)) = kept(game).into_iter().find(|(_, field)| field.name == name) else { return Vec::new() };
    match value::read(game, id, 0) {
        Cell::Words(words) => value::set_members(&words).collect(),
        Cell::Scalar(seat) => usize::try_from(seat).into_iter().collect(),
    }
}

fn of_player(game: &Game, field: &Field) -> bool {
    !field.keys.is_empty() && field.keys.first().copied() == game.code.program.known.player
}

// ---- reading ----------------------------------------------------------------------------------------------------------

/// Reads a record for games of this game's code; `name` is what a transcript calls the file. Whatever is wrong goes to
/// the sink, with its place in the file.
pub fn read(game: &Game, name: &str, file: FileId, text: &str, sink: &mut Sink) -> Record {
    let (table, _) = parse_toml(file, text, sink);
    let mut reader = Reader { game, file, sink, record: Record { name: name.to_owned(), values: Vec::new() } };
    match table.get("chronicle").map(|value| value.get_ref()) {
        Some(DeValue::Table(inner)) => reader.whole(inner),
        Some(_) | None => reader.whole(&table),
    }
    reader.record
}

struct Reader<'g, 's> {
    game: &'g Game,
    file: FileId,
    sink: &'s mut Sink,
    record: Record,
}

type Value<'t> = Spanned<DeValue<'t>>;

impl Reader<'_, '_> {
    fn span<T>(&self, at: &Spanned<T>) -> Span {
        let range = at.span();
        Span::new(self.file, range.start, range.end)
    }

    fn whole(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            let name: &str = key.get_ref().as_ref();
            match (name, value.get_ref()) {
                ("seats", DeValue::Table(seats)) => self.seats(seats),
                _ => self.named(name, self.span(key), value, &mut Vec::new(), false),
            }
        }
    }

    fn seats(&mut self, seats: &DeTable<'_>) {
        let Some(players) = self.game.code.program.known.player else { return };
        let names = value::names(self.game, players);
        for (key, value) in seats {
            let name: &str = key.get_ref().as_ref();
            let at = self.span(key);
            match (names.iter().position(|n| n == name), value.get_ref()) {
                (Some(seat), DeValue::Table(own)) => {
                    for (key, value) in own {
                        self.named(key.get_ref().as_ref(), self.span(key), value, &mut vec![seat], true);
                    }
                }
                (Some(_), _) => self.sink.push(errors::record_value(self.span(value), name, "a table of what it has")),
                (None, _) => self.sink.push(errors::record_seat(at, name, &names)),
            }
        }
    }

    /// What stands under a name, of all or of one seat.
    fn named(&mut self, name: &str, at: Span, value: &Value<'_>, keys: &mut Vec<usize>, seat: bool) {
        let fields = kept(self.game);
        let Some((id, field)) = fields.iter().find(|(_, f)| f.name == name).copied() else {
            let all: Vec<&str> = fields.iter().map(|(_, f)| f.name.as_str()).collect();
            let fault = errors::record_name(at, name, &near_names(name, all.iter().copied()), &all);
            self.sink.push(fault);
            return;
        };
        if of_player(self.game, field) != seat {
            self.sink.push(errors::record_whose(at, name, seat));
            return;
        }
        self.nested(id, field, value, keys);
    }

    fn nested(&mut self, id: FieldId, field: &Field, value: &Value<'_>, keys: &mut Vec<usize>) {
        let Some(domain) = field.keys.get(keys.len()).copied() else {
            let place = self.game.code.layout.fields.get(id.index());
            if let (Some(cell), Some(found)) =
                (place.and_then(|p| value::cell_of(p, keys)), self.cell(id, field, value))
            {
                self.record.values.push((id, cell, found));
            }
            return;
        };
        let DeValue::Table(table) = value.get_ref() else {
            let what = format!("a table by {}", value::kind_name(&self.game.code, domain));
            self.sink.push(errors::record_value(self.span(value), &field.name, &what));
            return;
        };
        for (key, value) in table {
            if let Some(member) = self.member(domain, key.get_ref().as_ref(), self.span(key)) {
                keys.push(member);
                self.nested(id, field, value, keys);
                keys.pop();
            }
        }
    }

    fn member(&mut self, domain: DomainId, word: &str, at: Span) -> Option<usize> {
        match value::member(self.game, domain, word) {
            Ok(member) => Some(member),
            Err(wrong) => {
                let fault = Diagnostic { help: wrong.help, ..errors::record_word(at, &wrong.message) };
                self.sink.push(fault);
                None
            }
        }
    }

    fn wrong(&mut self, field: &Field, value: &Value<'_>, what: &str) -> Option<Cell> {
        self.sink.push(errors::record_value(self.span(value), &field.name, what));
        None
    }

    fn cell(&mut self, id: FieldId, field: &Field, value: &Value<'_>) -> Option<Cell> {
        let at = self.span(value);
        let word = match value.get_ref() {
            DeValue::String(word) => Some(word.as_ref().to_owned()),
            _ => None,
        };
        match &field.ty {
            FieldType::Truth => match (value.get_ref(), word.as_deref()) {
                (DeValue::Boolean(truth), _) => Some(Cell::Scalar(i64::from(*truth))),
                (_, Some("yes")) => Some(Cell::Scalar(1)),
                (_, Some("no")) => Some(Cell::Scalar(0)),
                _ => self.wrong(field, value, "true or false"),
            },
            FieldType::Number { low, high } => {
                let least = if field.none.is_some() { low + 1 } else { *low };
                let none = field.none.filter(|_| word.as_deref() == Some("none"));
                match none.or(integer(value)) {
                    Some(n) if Some(n) == none || (least..=*high).contains(&n) => Some(Cell::Scalar(n)),
                    _ => self.wrong(field, value, &format!("a number from {least} to {high}")),
                }
            }
            FieldType::Member { domain, among, or_none } => match word {
                Some(word) if word == "none" && *or_none => Some(Cell::Scalar(-1)),
                Some(word) => {
                    let member = self.member(*domain, &word, at)?;
                    if among.as_ref().is_some_and(|a| !a.contains(&(member as u32))) {
                        return self.wrong(field, value, "one of its own words");
                    }
                    Some(Cell::Scalar(member as i64))
                }
                None => {
                    self.wrong(field, value, &format!("a {} in quotes", value::kind_name(&self.game.code, *domain)))
                }
            },
            FieldType::Set(domain) => {
                let DeValue::Array(members) = value.get_ref() else {
                    return self.wrong(field, value, "a list, as in [\"a\", \"b\"]");
                };
                let mut words = value::read(self.game, id, 0).words();
                words.fill(0);
                for entry in members.iter() {
                    let DeValue::String(word) = entry.get_ref() else {
                        return self.wrong(field, entry, "a list of words in quotes");
                    };
                    let member = self.member(*domain, word.as_ref(), self.span(entry))?;
                    if let Some(word) = words.get_mut(member / 64) {
                        *word |= 1 << (member % 64);
                    }
                }
                Some(Cell::Words(words))
            }
            FieldType::Bag { domain, among } => {
                let DeValue::Table(held) = value.get_ref() else {
                    return self.wrong(field, value, "a table of counts, as in { a = 2 }");
                };
                let mut words = value::read(self.game, id, 0).words();
                words.fill(0);
                for (key, entry) in held {
                    let kind = self.member(*domain, key.get_ref().as_ref(), self.span(key))?;
                    let count = integer(entry).filter(|n| (0..=LANE_MAX).contains(n));
                    let Some(count) = count else {
                        return self.wrong(field, entry, &format!("a number from 0 to {LANE_MAX}"));
                    };
                    if among.as_ref().is_some_and(|a| !a.contains(&(kind as u32))) {
                        return self.wrong(field, entry, "made of other kinds");
                    }
                    if let Some(word) = words.get_mut(kind / 8) {
                        *word |= (count as u64) << (kind % 8 * 8);
                    }
                }
                Some(Cell::Words(words))
            }
        }
    }
}

fn integer(value: &Value<'_>) -> Option<i64> {
    match value.get_ref() {
        DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix()).ok(),
        _ => None,
    }
}

// ---- writing ----------------------------------------------------------------------------------------------------------

/// The chronicle of a game as TOML, in tables below `prefix` (`chronicle`, or empty for a file of its own).
pub fn write(game: &Game, prefix: &str) -> String {
    let (of_seats, of_all): (Vec<_>, Vec<_>) = kept(game).into_iter().partition(|(_, f)| of_player(game, f));
    let mut text = String::new();
    let dot = if prefix.is_empty() { "" } else { "." };
    if !prefix.is_empty() {
        let _ = writeln!(text, "[{prefix}]");
    }
    for (id, field) in &of_all {
        let _ = writeln!(text, "{} = {}", key(&field.name), written(game, *id, field, &mut Vec::new()));
    }
    if let Some(players) = game.code.program.known.player.filter(|_| !of_seats.is_empty()) {
        for (seat, name) in value::names(game, players).iter().enumerate() {
            let _ = writeln!(text, "\n[{prefix}{dot}seats.{}]", key(name));
            for (id, field) in &of_seats {
                let _ = writeln!(text, "{} = {}", key(&field.name), written(game, *id, field, &mut vec![seat]));
            }
        }
    }
    text
}

fn written(game: &Game, id: FieldId, field: &Field, keys: &mut Vec<usize>) -> String {
    let Some(domain) = field.keys.get(keys.len()).copied() else {
        let place = game.code.layout.fields.get(id.index());
        let cell = place.and_then(|place| value::cell_of(place, keys)).unwrap_or(0);
        return written_cell(game, field, &value::read(game, id, cell));
    };
    let mut parts = Vec::new();
    for member in 0..value::size(&game.code, domain) {
        keys.push(member);
        let name = game.member_name(domain, member as i64);
        parts.push(format!("{} = {}", key(&name), written(game, id, field, keys)));
        keys.pop();
    }
    if parts.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", parts.join(", ")) }
}

fn written_cell(game: &Game, field: &Field, cell: &Cell) -> String {
    match (&field.ty, cell) {
        (FieldType::Truth, Cell::Scalar(n)) => (*n != 0).to_string(),
        (FieldType::Number { .. }, Cell::Scalar(n)) if field.none == Some(*n) => "\"none\"".to_owned(),
        (FieldType::Number { .. }, Cell::Scalar(n)) => n.to_string(),
        (FieldType::Member { domain, .. }, Cell::Scalar(n)) => format!("\"{}\"", game.member_name(*domain, *n)),
        (FieldType::Set(domain), Cell::Words(words)) => {
            let members = value::set_members(words).map(|i| format!("\"{}\"", game.member_name(*domain, i as i64)));
            format!("[{}]", members.collect::<Vec<_>>().join(", "))
        }
        (FieldType::Bag { domain, .. }, Cell::Words(words)) => {
            let held = (0..words.len() * 8).map(|k| (k, bags::lane(words, k))).filter(|(_, n)| *n > 0);
            let held = held.map(|(k, n)| format!("{} = {n}", key(&game.member_name(*domain, k as i64))));
            let held: Vec<String> = held.collect();
            if held.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", held.join(", ")) }
        }
        (_, Cell::Scalar(_) | Cell::Words(_)) => "0".to_owned(),
    }
}
