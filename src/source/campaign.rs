//! Campaigns: `campaign.toml` names the games that are played one after the other, and the file of a run says how far
//! one has come: who plays, what was played, and (in its tables `chronicle`, which are read elsewhere) what is carried
//! on. Like a scenario, a campaign is found by the name of a built-in one or by the path of its folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::folder::{AtFault, Folder};
use super::load::COMMAND_LINE;
use super::manifest::{Word, integer, kind, parse_toml};
use super::{FileId, Sources, Span, embedded, errors};
use crate::diagnostic::Sink;

pub const FILE: &str = "campaign.toml";
const KEYS: &[&str] = &["name", "title", "ruleset", "chapters", "options", "winner"];
const RUN_KEYS: &[&str] = &["campaign", "title", "seats", "seed", "options", "played", "chronicle"];
const PLAYED_KEYS: &[&str] = &["chapter", "winner", "turns", "points"];
/// The most chapters of a campaign.
const CHAPTERS: usize = 100;

/// `campaign.toml`.
#[derive(Clone, Debug)]
pub struct Campaign {
    pub file: FileId,
    pub name: String,
    pub title: String,
    /// The ruleset that says what the chronicle keeps, if it is not the first chapter's own.
    pub ruleset: Option<Word>,
    pub chapters: Vec<Word>,
    /// Options with which the chapters that have them are played.
    pub options: Vec<(Word, Word)>,
    /// What of the chronicle names who has won in the end.
    pub winner: Option<Word>,
    /// The folder on the disk; none for a built-in campaign.
    pub folder: Option<PathBuf>,
}

/// Does the word or path stand for a campaign?
pub fn is_there(name_or_path: &str) -> bool {
    match find(name_or_path) {
        Ok(folder) => folder.has_campaign(),
        Err(_) => false,
    }
}

fn find(name_or_path: &str) -> Result<Folder, AtFault> {
    let is_path = name_or_path.contains(['/', std::path::MAIN_SEPARATOR]) || matches!(name_or_path, "." | "..");
    if !is_path && embedded::has_campaign(name_or_path) {
        return Ok(Folder::BuiltIn(name_or_path.to_owned()));
    }
    Folder::at(Path::new(name_or_path))
}

/// Reads a campaign; what is wrong with it goes to the sink.
pub fn load(name_or_path: &str, sources: &mut Sources, sink: &mut Sink) -> Option<Campaign> {
    let at = sources.add(COMMAND_LINE, name_or_path);
    let asked = Span::new(at, 0, name_or_path.len());
    let built_in: Vec<&str> = embedded::campaigns().collect();
    let Some(folder) = find(name_or_path).ok().filter(Folder::has_campaign) else {
        sink.push(errors::unknown_campaign(asked, name_or_path, &built_in));
        return None;
    };
    let text = match folder.read(FILE) {
        Ok(text) => text,
        Err(_) => {
            sink.push(errors::unreadable(asked, FILE, "it is no plain text, too large, or you may not read it"));
            return None;
        }
    };
    let file = sources.add(FILE, text.clone());
    let folder = match folder {
        Folder::BuiltIn(_) => None,
        Folder::Disk(path) => Some(path),
    };
    let (table, complete) = parse_toml(file, &text, sink);
    let mut reader = Reader { file, sink, complete, what: FILE };
    reader.unknown_keys(&table, KEYS);
    let name = reader.word(&table, "name").map(|word| word.text).unwrap_or_default();
    let title = reader.word(&table, "title").map_or_else(|| name.clone(), |word| word.text);
    reader.needed(&table, "name", "write `name = \"…\"`");
    reader.needed(&table, "chapters", "list what is played, in order: `chapters = [\"first\", \"second\"]`");
    let chapters = reader.words(&table, "chapters");
    if chapters.as_ref().is_some_and(|c| c.is_empty() || c.len() > CHAPTERS)
        && let Some(value) = table.get("chapters")
    {
        let span = reader.span(value);
        reader.sink.push(errors::campaign_length(span, CHAPTERS));
    }
    Some(Campaign {
        file,
        name,
        title,
        ruleset: reader.word(&table, "ruleset"),
        chapters: chapters.unwrap_or_default(),
        options: reader.options(&table),
        winner: reader.word(&table, "winner"),
        folder,
    })
}

impl Campaign {
    /// What a chapter or the ruleset is found by: a folder in that of the campaign or beside it, or a built-in scenario.
    pub fn scenario(&self, name: &str) -> Option<String> {
        let holds = |folder: Option<&Path>| {
            let path = folder?.join(name);
            Folder::Disk(path.clone()).has_manifest().then(|| format!("{}/", path.display()))
        };
        let plain = super::folder::stays_inside(name);
        let own = self.folder.as_deref().filter(|_| plain);
        holds(own)
            .or_else(|| holds(own.and_then(Path::parent)))
            .or_else(|| embedded::is_built_in(name).then(|| name.to_owned()))
    }

    /// The names of the scenarios that lie in the campaign's folder and beside it, and of the built-in ones.
    pub fn known(&self) -> Vec<String> {
        let own = self.folder.as_deref();
        let mut all: Vec<String> = Vec::new();
        for folder in [own, own.and_then(Path::parent)].into_iter().flatten() {
            // Any name in the folder has all others beside it.
            all.extend(Folder::Disk(folder.join("…")).neighbours());
        }
        all.extend(embedded::names().map(str::to_owned));
        all
    }
}

// ---- runs -------------------------------------------------------------------------------------------------------------

/// The file of a run, without the chronicle.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where it stands, to point at.
    pub start: Span,
    /// The name of a built-in campaign or the path of a folder, from the run's file on if it is not absolute.
    pub campaign: Word,
    pub title: String,
    pub seats: Vec<Word>,
    pub seed: u64,
    pub options: Vec<(Word, Word)>,
    pub played: Vec<Played>,
}

/// A chapter that is over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    pub chapter: String,
    pub winner: Option<String>,
    pub turns: u64,
    pub points: Vec<(String, i64)>,
}

/// Reads the file of a run. None if what is needed to go on with it is missing or wrong.
pub fn read_run(file: FileId, text: &str, shown: &str, sink: &mut Sink) -> Option<Run> {
    let (table, complete) = parse_toml(file, text, sink);
    let mut reader = Reader { file, sink, complete, what: shown };
    reader.unknown_keys(&table, RUN_KEYS);
    for (key, help) in [
        ("campaign", "it names the campaign: `campaign = \"…\"`"),
        ("seats", "it names who plays: `seats = [\"red\", \"blue\"]`"),
        ("seed", "chance needs a number to begin with: `seed = 1`"),
    ] {
        reader.needed(&table, key, help);
    }
    let seed = table.get("seed").and_then(|value| match integer(value.get_ref()).and_then(|n| u64::try_from(n).ok()) {
        Some(seed) => Some(seed),
        None => {
            reader.wrong("seed", "a whole number", value);
            None
        }
    });
    let campaign = reader.word(&table, "campaign");
    let title = reader.word(&table, "title").map(|word| word.text).unwrap_or_default();
    let seats = reader.words(&table, "seats");
    let options = reader.options(&table);
    let mut played = reader.played(&table);
    // Tables are read in the order of the alphabet, and shown in that of the seats.
    let place = |name: &str| seats.iter().flatten().position(|seat| seat.text == name);
    for one in played.iter_mut().flatten() {
        one.points.sort_by_key(|(seat, _)| place(seat));
    }
    let start = Span::new(file, 0, 0);
    Some(Run { start, campaign: campaign?, title, seats: seats?, seed: seed?, options, played: played? })
}

/// The file of a run, with its chronicle as TOML behind it.
pub fn write_run(run: &Run, file_name: &str, chronicle: &str) -> String {
    let list = |words: &[Word]| words.iter().map(|w| quoted(&w.text)).collect::<Vec<_>>().join(", ");
    let mut text = String::new();
    let names: Vec<&str> = run.seats.iter().map(|w| w.text.as_str()).collect();
    let _ = writeln!(text, "# {}, for {}.", run.title.replace(char::is_control, " "), names.join(", "));
    let _ = writeln!(
        text,
        "# `regelwerk campaign play {file_name}` goes on, `… campaign show {file_name}` tells how it stands.\n"
    );
    let _ = writeln!(text, "campaign = {}", quoted(&run.campaign.text));
    let _ = writeln!(text, "title    = {}", quoted(&run.title));
    let _ = writeln!(text, "seats    = [{}]", list(&run.seats));
    let _ = writeln!(text, "seed     = {}", run.seed);
    if !run.options.is_empty() {
        let _ = writeln!(text, "\n[options]");
        for (name, value) in &run.options {
            let _ = writeln!(text, "{} = {}", key(&name.text), quoted(&value.text));
        }
    }
    for played in &run.played {
        let _ = writeln!(text, "\n[[played]]\nchapter = {}", quoted(&played.chapter));
        let _ = writeln!(text, "winner  = {}", quoted(played.winner.as_deref().unwrap_or("none")));
        let _ = writeln!(text, "turns   = {}", played.turns);
        if !played.points.is_empty() {
            let points: Vec<String> = played.points.iter().map(|(seat, n)| format!("{} = {n}", key(seat))).collect();
            let _ = writeln!(text, "points  = {{ {} }}", points.join(", "));
        }
    }
    let _ = write!(text, "\n{chronicle}");
    text
}

/// A text between quotation marks.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, " "))
}

/// A key, bare where TOML allows it.
pub fn key(text: &str) -> String {
    let bare = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { text.to_owned() } else { quoted(text) }
}

// ---- reading tables ---------------------------------------------------------------------------------------------------

struct Reader<'s> {
    file: FileId,
    sink: &'s mut Sink,
    /// The whole file is TOML: else what seems to be missing may only be unreadable.
    complete: bool,
    /// The file's name, for messages.
    what: &'s str,
}

type Value<'t> = Spanned<DeValue<'t>>;

impl Reader<'_> {
    fn span<T>(&self, at: &Spanned<T>) -> Span {
        Span::new(self.file, at.span().start, at.span().end)
    }

    fn unknown_keys(&mut self, table: &DeTable<'_>, known: &[&str]) {
        for key in table.keys().filter(|_| self.complete) {
            let name: &str = key.get_ref().as_ref();
            if !known.contains(&name) {
                self.sink.push(errors::campaign_key(self.span(key), self.what, name, known));
            }
        }
    }

    fn needed(&mut self, table: &DeTable<'_>, key: &str, help: &str) {
        if self.complete && !table.contains_key(key) {
            self.sink.push(errors::campaign_lacks(Span::new(self.file, 0, 0), self.what, key, help));
        }
    }

    fn wrong(&mut self, key: &str, expected: &str, value: &Value<'_>) {
        if self.complete {
            self.sink.push(errors::campaign_value(self.span(value), key, expected, kind(value.get_ref())));
        }
    }

    fn text(&mut self, key: &str, value: &Value<'_>, expected: &str) -> Option<Word> {
        match value.get_ref().as_str().filter(|text| !text.trim().is_empty()) {
            Some(text) => Some(Word { text: text.to_owned(), span: self.span(value) }),
            None => {
                self.wrong(key, expected, value);
                None
            }
        }
    }

    fn word(&mut self, table: &DeTable<'_>, key: &str) -> Option<Word> {
        let value = table.get(key)?;
        self.text(key, value, "a text between quotes")
    }

    fn words(&mut self, table: &DeTable<'_>, key: &str) -> Option<Vec<Word>> {
        const EXPECTED: &str = "a list of names, each between quotes";
        let value = table.get(key)?;
        let Some(list) = value.get_ref().as_array() else {
            self.wrong(key, EXPECTED, value);
            return None;
        };
        list.iter().map(|item| self.text(key, item, EXPECTED)).collect()
    }

    /// Values may stand bare: `rounds = 3`, `open = true`.
    fn options(&mut self, table: &DeTable<'_>) -> Vec<(Word, Word)> {
        let Some(value) = table.get("options") else { return Vec::new() };
        let DeValue::Table(options) = value.get_ref() else {
            self.wrong("options", "a table: `[options]`, and below it a line for each", value);
            return Vec::new();
        };
        let mut out = Vec::new();
        for (name, value) in options {
            let text = match value.get_ref() {
                DeValue::String(text) => text.as_ref().to_owned(),
                DeValue::Boolean(yes) => if *yes { "yes" } else { "no" }.to_owned(),
                DeValue::Integer(_) => integer(value.get_ref()).map(|n| n.to_string()).unwrap_or_default(),
                DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
                    self.wrong(name.get_ref(), "a word between quotes, a number, `true` or `false`", value);
                    continue;
                }
            };
            let name = Word { text: name.get_ref().as_ref().to_owned(), span: self.span(name) };
            out.push((name, Word { text, span: self.span(value) }));
        }
        out
    }

    fn played(&mut self, table: &DeTable<'_>) -> Option<Vec<Played>> {
        let Some(value) = table.get("played") else { return Some(Vec::new()) };
        let Some(list) = value.get_ref().as_array() else {
            self.wrong("played", "a list of tables, each headed `[[played]]`", value);
            return None;
        };
        let mut out = Vec::new();
        for item in list.iter() {
            let DeValue::Table(one) = item.get_ref() else {
                self.wrong("played", "a list of tables, each headed `[[played]]`", item);
                return None;
            };
            self.unknown_keys(one, PLAYED_KEYS);
            let chapter = self.word(one, "chapter").map(|word| word.text);
            let winner = self.word(one, "winner").map(|word| word.text).filter(|winner| winner != "none");
            let turns = one.get("turns").and_then(|value| integer(value.get_ref()));
            let points = match one.get("points").map(|value| value.get_ref()) {
                Some(DeValue::Table(points)) => points
                    .iter()
                    .filter_map(|(seat, n)| Some((seat.get_ref().as_ref().to_owned(), integer(n.get_ref())?)))
                    .collect(),
                Some(_) | None => Vec::new(),
            };
            let turns = turns.and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
            out.push(Played { chapter: chapter.unwrap_or_default(), winner, turns, points });
        }
        Some(out)
    }
}
