//! How one ruleset differs from another, rule by rule: what is new, what is changed and how, what is gone. Things are
//! matched by what they are and how they are called, and compared by their text without comments and layout. A ruleset
//! on top of the other differs by exactly what its files say.

use std::collections::BTreeMap;

use crate::check::{Content, TakenOut};
use crate::source::{Sources, Span};

/// One of the two rulesets.
pub struct Side<'a> {
    pub title: String,
    pub players: Vec<usize>,
    pub contents: Vec<Content>,
    pub taken_out: Vec<TakenOut>,
    /// The texts of boards, scripts and tables by the names under which rules speak of them; of two, the last counts.
    pub files: BTreeMap<String, &'a str>,
    pub sources: &'a Sources,
}

/// A difference between two rulesets in one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// `action build tower`
    pub what: String,
    pub change: Change,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Only the first ruleset has it.
    New { lines: Vec<String>, place: String },
    /// Only the second has it; where the first says `drop`, if it does.
    Gone { place: Option<String> },
    /// Both have it: the lines that only the second has, and those that only the first has, each with its place.
    Changed { without: Vec<Stretch>, with: Vec<Stretch>, files: Vec<String> },
}

/// Some lines of a rules file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub lines: Vec<String>,
    pub place: String,
}

/// Tells how `new` differs from `old`, in the order of `new`, what is gone last.
pub fn compare(new: &Side, old: &Side) -> Vec<Difference> {
    let mut matched = vec![false; old.contents.len()];
    let mut differences = Vec::new();
    for content in &new.contents {
        let parts = stretchs(content, new.sources);
        // Of several without a name, the one of the same text is the same.
        let same = |(at, other): &(usize, &Content)| {
            let alike = other.kind == content.kind && other.name == content.name && !matched[*at];
            alike
                && (!content.name.is_empty()
                    || content.kind != "invariant"
                    || said(&stretchs(other, old.sources)) == said(&parts))
        };
        let what = what(content.kind, &content.name);
        let Some((at, other)) = old.contents.iter().enumerate().find(same) else {
            let (lines, place) = parts.into_iter().next().map_or_else(Default::default, |p| (p.lines, p.place));
            differences.push(Difference { what, change: Change::New { lines, place } });
            continue;
        };
        matched[at] = true;
        let (before, after) = (stretchs(other, old.sources), parts);
        let only = |these: &[Stretch], those: &[Stretch]| -> Vec<Stretch> {
            these.iter().filter(|p| !those.iter().any(|q| q.lines == p.lines)).cloned().collect()
        };
        let (mut without, mut with) = (only(&before, &after), only(&after, &before));
        let differs = |file: &&String| new.files.get(*file) != old.files.get(*file);
        let mut files: Vec<String> = content.files.iter().filter(differs).cloned().collect();
        // Of a table the rows are told that differ, if both sides have it.
        files.retain(|file| match (old.files.get(file), new.files.get(file)) {
            (Some(before), Some(after)) if file.ends_with(".toml") => {
                let (before, after) = (rows(file, before), rows(file, after));
                without.extend(other_rows(&before, &after));
                with.extend(other_rows(&after, &before));
                false
            }
            _ => true,
        });
        if !(without.is_empty() && with.is_empty() && files.is_empty()) {
            differences.push(Difference { what, change: Change::Changed { without, with, files } });
        }
    }
    for (content, matched) in old.contents.iter().zip(matched) {
        let is_it = |gone: &&TakenOut| gone.kind == content.kind && gone.name == content.name;
        let gone = new.taken_out.iter().find(is_it);
        let place = gone.map(|gone| place(gone.span, new.sources));
        if !matched || gone.is_some_and(|_| content.kind == "option") && !old.taken_out.iter().any(|g| is_it(&g)) {
            differences.push(Difference { what: what(content.kind, &content.name), change: Change::Gone { place } });
        }
    }
    differences
}

fn what(kind: &str, name: &str) -> String {
    if name.is_empty() { kind.to_owned() } else { format!("{kind} {name}") }
}

fn stretchs(content: &Content, sources: &Sources) -> Vec<Stretch> {
    let stretch = |span: &Span| Stretch { lines: lines(sources.text(*span)), place: place(*span, sources) };
    content.parts.iter().map(stretch).collect()
}

/// The rows of a table, each from its heading on, without comments and empty lines.
fn rows(file: &str, text: &str) -> Vec<Stretch> {
    let mut rows: Vec<Stretch> = Vec::new();
    for (number, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match rows.last_mut() {
            Some(row) if !line.starts_with("[[") => row.lines.push(line.to_owned()),
            Some(_) | None => rows.push(Stretch { lines: vec![line.to_owned()], place: format!("{file}:{number}") }),
        }
    }
    rows
}

/// The rows that only these have; of one that both have by its name, the name and the lines that differ.
fn other_rows(these: &[Stretch], those: &[Stretch]) -> Vec<Stretch> {
    let other = these.iter().filter(|row| !those.iter().any(|known| known.lines == row.lines));
    let shortened = |row: &Stretch| {
        let Some(name) = name_line(row) else { return row.clone() };
        let Some(known) = those.iter().find(|known| name_line(known) == Some(name)) else { return row.clone() };
        let kept = |line: &&String| *line == name || !known.lines.contains(line);
        Stretch { lines: row.lines.iter().filter(kept).cloned().collect(), place: row.place.clone() }
    };
    other.map(shortened).collect()
}

fn name_line(row: &Stretch) -> Option<&String> {
    row.lines.iter().find(|line| line.starts_with("name"))
}

fn said(stretchs: &[Stretch]) -> Vec<&[String]> {
    stretchs.iter().map(|stretch| stretch.lines.as_slice()).collect()
}

fn place(span: Span, sources: &Sources) -> String {
    let file = sources.file(span.file);
    format!("{}:{}", file.name, file.position(span.start).line)
}

/// The lines of a stretch without comments, empty lines and the indentation that all have in common.
fn lines(text: &str) -> Vec<String> {
    let bare = text.lines().map(|line| uncommented(line).trim_end()).filter(|line| !line.trim().is_empty());
    let bare: Vec<&str> = bare.collect();
    let indent = |line: &&str| line.len() - line.trim_start().len();
    // The first line begins where the stretch does.
    let common = bare.iter().skip(1).map(indent).min().unwrap_or(0);
    let cut = |(at, line): (usize, &&str)| line.get(if at == 0 { 0 } else { common }..).unwrap_or("").to_owned();
    let mut lines: Vec<String> = bare.iter().enumerate().map(cut).collect();
    for line in &mut lines {
        let (front, rest) = line.split_at(line.len() - line.trim_start().len());
        *line = format!("{front}{}", rest.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    lines
}

fn uncommented(line: &str) -> &str {
    let mut quoted = false;
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        match letter {
            '"' if before != '\\' => quoted = !quoted,
            '/' if before == '/' && !quoted => return line.get(..at - 1).unwrap_or(line),
            _ => {}
        }
        before = letter;
    }
    line
}

/// How many lines of something new are shown.
const SHOWN: usize = 12;

/// The differences for people.
pub fn told(new: &Side, old: &Side, differences: &[Difference]) -> String {
    let count = |is: fn(&Change) -> bool| differences.iter().filter(|d| is(&d.change)).count();
    let counts = [
        (count(|c| matches!(c, Change::New { .. })), "new"),
        (count(|c| matches!(c, Change::Changed { .. })), "changed"),
        (count(|c| matches!(c, Change::Gone { .. })), "gone"),
    ];
    let counts: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let how = if counts.is_empty() { " in no rule".to_owned() } else { format!(": {}", counts.join(", ")) };
    let mut text = format!("{} differs from {}{how}\n", new.title, old.title);
    if new.players != old.players {
        text.push_str(&format!("for {} players instead of {}\n", listed(&new.players), listed(&old.players)));
    }
    for difference in differences {
        text.push('\n');
        match &difference.change {
            Change::New { lines, place } => {
                text.push_str(&format!("new      {}   {place}\n", difference.what));
                show(&mut text, '+', lines);
            }
            Change::Gone { place } => {
                let place = place.as_ref().map_or(String::new(), |place| format!("   {place}"));
                text.push_str(&format!("gone     {}{place}\n", difference.what));
            }
            Change::Changed { without, with, files } => {
                let place = with.last().map_or(String::new(), |stretch| format!("   {}", stretch.place));
                text.push_str(&format!("changed  {}{place}\n", difference.what));
                without.iter().for_each(|stretch| show(&mut text, '-', &stretch.lines));
                with.iter().for_each(|stretch| show(&mut text, '+', &stretch.lines));
                files.iter().for_each(|file| text.push_str(&format!("  ! the file \"{file}\" is another\n")));
            }
        }
    }
    text
}

fn listed(players: &[usize]) -> String {
    players.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

fn show(text: &mut String, sign: char, lines: &[String]) {
    for line in lines.iter().take(SHOWN) {
        text.push_str(&format!("  {sign} {line}\n"));
    }
    if lines.len() > SHOWN {
        text.push_str(&format!("  {sign} … {} more lines\n", lines.len() - SHOWN));
    }
}
