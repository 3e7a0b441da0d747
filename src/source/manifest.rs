//! `scenario.toml`: what it may say, read with the place of every word. Reading never fails: what is missing or
//! wrong is a fault in the sink, and a harmless value stands in for it.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::{FileId, Span, errors};
use crate::diagnostic::{Sink, near_names};

/// The language that this program reads.
pub const LANGUAGE: i64 = 1;
/// The most players that a game may have.
pub const PLAYERS: i64 = 8;

const KEYS: &[&str] = &["name", "title", "version", "language", "extends", "abstract", "players", "files"];
const TITLE_CHARS: usize = 120;
const NAME_CHARS: usize = 64;

/// A word of the manifest and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Manifest {
    pub file: FileId,
    pub name: String,
    pub title: String,
    pub version: String,
    /// The ruleset that this one stands on.
    pub extends: Option<Word>,
    /// There to be extended, not to be played.
    pub is_abstract: bool,
    /// The allowed numbers of players, ascending; empty where the manifest does not say and what it extends decides.
    pub players: Vec<usize>,
    /// Where `players` stands, or the manifest's start.
    pub players_span: Span,
    /// Nothing is wrong with what it says of other files and rulesets.
    pub names_all: bool,
    /// The rules files in their order, where the author gives one.
    pub files: Option<Vec<Word>>,
    /// Where `files` stands, or the manifest's start.
    pub files_span: Span,
}

/// Reads the manifest; whatever is wrong with it goes to the sink.
pub fn read(file: FileId, text: &str, sink: &mut Sink) -> Manifest {
    let (table, faults) = recovered(file, text, sink);
    let complete = faults.is_empty();
    let mut reader = Reader { file, text, sink, complete, faults };
    let start = Span::new(file, 0, 0);
    reader.unknown_keys(&table);
    let name = reader.name(&table, "name");
    if name.is_none() {
        reader.missing(&table, "name", "write `name = \"…\"`: the word by which other rulesets know this one");
    }
    reader.language(&table);
    let name = name.map(|word| word.text).unwrap_or_default();
    let extends = reader.name(&table, "extends");
    let is_abstract = reader.switch(&table, "abstract");
    let players = reader.players(&table);
    // Where the key that names other files is misspelt, what stands in them is missed.
    let misspelt = |key: &Spanned<DeString<'_>>| {
        let key: &str = key.get_ref().as_ref();
        !KEYS.contains(&key) && (is_near(key, "extends") || is_near(key, "files"))
    };
    let unsound = |key: &str, found: bool| table.contains_key(key) && !found;
    let names_all = complete && !table.keys().any(misspelt) && !unsound("extends", extends.is_some());
    if players.is_none() && !table.contains_key("extends") && !is_abstract {
        reader.missing(&table, "players", "list every number that can play: `players = [3, 4]`");
    }
    let (players, players_span) = players.unwrap_or((Vec::new(), start));
    Manifest {
        file,
        title: reader.line(&table, "title").unwrap_or_else(|| name.clone()),
        version: reader.line(&table, "version").unwrap_or_else(|| "0".to_owned()),
        name,
        extends,
        is_abstract,
        players,
        players_span,
        names_all,
        files: reader.files(&table),
        files_span: table.get("files").map_or(start, |value| reader.span(value)),
    }
}

/// Parses a TOML file with the place of every key and value; what is not TOML goes to the sink. The flag says
/// whether the whole file could be read: if not, what seems missing may only be unreadable.
pub fn parse_toml<'t>(file: FileId, text: &'t str, sink: &mut Sink) -> (DeTable<'t>, bool) {
    let (table, faults) = recovered(file, text, sink);
    (table, faults.is_empty())
}

/// What could be read, and where the faults are: one for each line, since the others on it follow from the first.
fn recovered<'t>(file: FileId, text: &'t str, sink: &mut Sink) -> (DeTable<'t>, Vec<usize>) {
    let (table, faults) = DeTable::parse_recoverable(text);
    let mut lines: Vec<usize> = Vec::new();
    for fault in faults {
        let range = fault.span().unwrap_or(0..0);
        // A point between two characters cannot be seen: it is widened to the character before or after it.
        let range = if range.is_empty() { visible(text, range.start) } else { range };
        let line = line_of(text, range.start);
        if !lines.contains(&line) {
            lines.push(line);
            sink.push(errors::not_toml(Span::new(file, range.start, range.end), fault.message()));
        }
    }
    (table.into_inner(), lines)
}

fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).map_or(0, |before| before.matches('\n').count())
}

fn visible(text: &str, at: usize) -> Range<usize> {
    let after = text.get(at..).and_then(|t| t.chars().next()).filter(|c| *c != '\n' && *c != '\r');
    let before = text.get(..at).and_then(|t| t.chars().next_back()).filter(|c| *c != '\n' && *c != '\r');
    match (after, before) {
        (Some(c), _) => at..at + c.len_utf8(),
        (None, Some(c)) => at - c.len_utf8()..at,
        (None, None) => at..at,
    }
}

struct Reader<'s> {
    file: FileId,
    text: &'s str,
    sink: &'s mut Sink,
    complete: bool,
    /// The lines that are no TOML.
    faults: Vec<usize>,
}

type Value<'t> = Spanned<DeValue<'t>>;

impl Reader<'_> {
    fn span<T>(&self, spanned: &Spanned<T>) -> Span {
        Span::new(self.file, spanned.span().start, spanned.span().end)
    }

    fn unknown_keys(&mut self, table: &DeTable<'_>) {
        for key in table.keys() {
            let on_bad_line = self.faults.contains(&line_of(self.text, key.span().start));
            if !KEYS.contains(&key.get_ref().as_ref()) && !on_bad_line {
                self.sink.push(errors::unknown_key(self.span(key), key.get_ref(), KEYS));
            }
        }
    }

    /// Says that a key is missing, unless it is there with a wrong value or stands where the file is broken.
    fn missing(&mut self, table: &DeTable<'_>, key: &str, help: &str) {
        let misspelt = |known: &Spanned<DeString<'_>>| is_near(known.get_ref().as_ref(), key);
        if self.complete && !table.contains_key(key) && !table.keys().any(misspelt) {
            self.sink.push(errors::missing_key(Span::new(self.file, 0, 0), key, help));
        }
    }

    /// Says that a value is of another kind, unless the file is broken: then it may be half of what was meant.
    fn wrong_type(&mut self, key: &str, expected: &str, value: &Value<'_>) {
        if self.complete {
            self.sink.push(errors::wrong_type(self.span(value), key, expected, kind(value.get_ref())));
        }
    }

    fn text<'t, 'v>(&mut self, table: &'v DeTable<'t>, key: &str) -> Option<&'v Value<'t>> {
        let value = table.get(key)?;
        if value.get_ref().as_str().is_none() {
            self.wrong_type(key, "a text between quotes", value);
            return None;
        }
        Some(value)
    }

    fn line(&mut self, table: &DeTable<'_>, key: &str) -> Option<String> {
        let value = self.text(table, key)?;
        let text = value.get_ref().as_str().unwrap_or_default();
        if self.faults.contains(&line_of(self.text, value.span().start)) {
            return None;
        }
        if text.trim().is_empty() || text.chars().count() > TITLE_CHARS || text.contains(char::is_control) {
            self.sink.push(errors::bad_text(self.span(value), key, TITLE_CHARS));
            return None;
        }
        Some(text.to_owned())
    }

    fn name(&mut self, table: &DeTable<'_>, key: &str) -> Option<Word> {
        let value = self.text(table, key)?;
        let text = value.get_ref().as_str().unwrap_or_default();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        if text.is_empty() || text.len() > NAME_CHARS || !text.chars().all(plain) {
            if !self.faults.contains(&line_of(self.text, value.span().start)) {
                self.sink.push(errors::bad_name(self.span(value), key, text));
            }
            return None;
        }
        Some(Word { text: text.to_owned(), span: self.span(value) })
    }

    fn switch(&mut self, table: &DeTable<'_>, key: &str) -> bool {
        let Some(value) = table.get(key) else { return false };
        match value.get_ref().as_bool() {
            Some(on) => on,
            None => {
                self.wrong_type(key, "`true` or `false`", value);
                false
            }
        }
    }

    fn language(&mut self, table: &DeTable<'_>) {
        let Some(value) = table.get("language") else {
            let help = format!("write `language = {LANGUAGE}`, so that a later program knows how to read the rules");
            return self.missing(table, "language", &help);
        };
        match integer(value.get_ref()) {
            Some(LANGUAGE) => {}
            Some(other) => self.sink.push(errors::unknown_language(self.span(value), other, LANGUAGE)),
            None => self.wrong_type("language", "a whole number", value),
        }
    }

    fn players(&mut self, table: &DeTable<'_>) -> Option<(Vec<usize>, Span)> {
        const EXPECTED: &str = "a list of whole numbers, as in `players = [3, 4]`";
        let value = table.get("players")?;
        let span = self.span(value);
        let Some(list) = value.get_ref().as_array() else {
            self.wrong_type("players", EXPECTED, value);
            return None;
        };
        let mut counts: Vec<(i64, Span)> = Vec::new();
        let mut faulty = false;
        for item in list.iter() {
            let at = self.span(item);
            let Some(count) = integer(item.get_ref()) else {
                self.wrong_type("players", EXPECTED, item);
                faulty = true;
                continue;
            };
            if !(1..=PLAYERS).contains(&count) {
                self.sink.push(errors::bad_player_count(at, PLAYERS));
                faulty = true;
            } else if let Some((_, first)) = counts.iter().find(|(known, _)| *known == count) {
                self.sink.push(errors::repeated_player_count(at, *first, count));
            } else {
                counts.push((count, at));
            }
        }
        if counts.is_empty() {
            if !faulty {
                self.sink.push(errors::no_player_counts(span));
            }
            return None;
        }
        let mut counts: Vec<usize> = counts.iter().map(|(count, _)| *count as usize).collect();
        counts.sort();
        Some((counts, span))
    }

    fn files(&mut self, table: &DeTable<'_>) -> Option<Vec<Word>> {
        const EXPECTED: &str = "a list of file names, as in `files = [\"board.rules\", \"turn.rules\"]`";
        let value = table.get("files")?;
        let Some(list) = value.get_ref().as_array() else {
            self.wrong_type("files", EXPECTED, value);
            return None;
        };
        let mut files = Vec::new();
        for item in list.iter() {
            match item.get_ref().as_str() {
                Some(name) => files.push(Word { text: name.to_owned(), span: self.span(item) }),
                None => self.wrong_type("files", EXPECTED, item),
            }
        }
        Some(files)
    }
}

/// Whether an unknown key is rather a misspelling of this one.
fn is_near(unknown: &str, key: &str) -> bool {
    !near_names(unknown, [key]).is_empty()
}

/// A TOML integer that fits; TOML's larger ones are no number of anything here.
pub fn integer(value: &DeValue<'_>) -> Option<i64> {
    let number = value.as_integer()?;
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// What a value is, in an author's words.
pub fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a number with a decimal point",
        DeValue::Boolean(_) => "`true` or `false`",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
