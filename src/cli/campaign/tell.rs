//! How a run stands, in words.

use std::fmt::Write as _;

use toml::{Table, Value};

use crate::source::campaign::{Campaign, Played, Run};

/// Who won a chapter, and the points.
fn result(played: &Played) -> String {
    let mut text = match &played.winner {
        Some(winner) => format!("{winner} won"),
        None => "nobody won".to_owned(),
    };
    let points: Vec<String> = played.points.iter().map(|(seat, n)| format!("{seat} {n}")).collect();
    if !points.is_empty() {
        let _ = write!(text, "; points: {}", points.join(", "));
    }
    text
}

fn value(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Boolean(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Array(list) if list.is_empty() => "none".to_owned(),
        Value::Array(list) => list.iter().map(self::value).collect::<Vec<_>>().join(" "),
        Value::Table(table) if table.is_empty() => "nothing".to_owned(),
        Value::Table(table) => {
            let parts: Vec<String> = table.iter().map(|(key, value)| format!("{key} {}", self::value(value))).collect();
            format!("({})", parts.join(", "))
        }
        Value::Integer(_) | Value::Float(_) | Value::Datetime(_) => value.to_string(),
    }
}

fn line(table: &Table) -> String {
    let parts = table.iter().filter(|(key, _)| *key != "seats");
    let parts: Vec<String> =
        parts.map(|(key, value)| format!("{} {}", key.replace('_', " "), self::value(value))).collect();
    parts.join(", ")
}

/// The chronicle of the file, a line for all and one for each seat.
fn chronicle(run: &Run, text: &str) -> String {
    let Ok(file) = text.parse::<Table>() else { return String::new() };
    let Some(Value::Table(kept)) = file.get("chronicle") else { return String::new() };
    let mut out = String::new();
    let shared = line(kept);
    if !shared.is_empty() {
        let _ = writeln!(out, "chronicle: {shared}");
    }
    let width = run.seats.iter().map(|seat| seat.text.chars().count()).max().unwrap_or(0);
    for seat in &run.seats {
        let own = kept.get("seats").and_then(|seats| seats.get(&seat.text)).and_then(Value::as_table);
        if let Some(own) = own {
            let _ = writeln!(out, "  {:width$}  {}", seat.text, line(own));
        }
    }
    out
}

/// What is said when a chapter has ended.
pub fn chapter_over(run: &Run, text: &str, count: usize) -> String {
    let Some(last) = run.played.last() else { return String::new() };
    format!("chapter {} of {count} is over: {}\n{}", run.played.len(), result(last), chronicle(run, text))
}

/// What is said when all chapters have been played.
pub fn over(run: &Run, text: &str, campaign: &Campaign) -> String {
    let winners = campaign.winner.as_ref().and_then(|name| {
        let file = text.parse::<Table>().ok()?;
        file.get("chronicle")?.get(&name.text).cloned()
    });
    let who = match winners {
        Some(Value::Array(list)) if !list.is_empty() => list.iter().map(value).collect::<Vec<_>>().join(" and "),
        Some(Value::String(word)) if word != "none" => word,
        Some(_) => "nobody".to_owned(),
        None => return format!("{} is over\n", run.title),
    };
    let verb = if who.contains(" and ") { "win" } else { "wins" };
    format!("{} is over: {who} {verb}\n", run.title)
}

/// Everything: the chapters with their results, the next one, the chronicle.
pub fn standing(run: &Run, text: &str, campaign: &Campaign, under_way: bool) -> String {
    let names: Vec<&str> = run.seats.iter().map(|seat| seat.text.as_str()).collect();
    let mut out = format!("{}, for {}\n", run.title, names.join(", "));
    let width = campaign.chapters.iter().map(|c| c.text.chars().count()).max().unwrap_or(0);
    for (number, chapter) in campaign.chapters.iter().enumerate() {
        let state = match run.played.get(number) {
            Some(played) => result(played),
            None if number == run.played.len() && under_way => "under way".to_owned(),
            None if number == run.played.len() => "next".to_owned(),
            None => String::new(),
        };
        let _ = writeln!(out, "{}", format!("  {}  {:width$}  {state}", number + 1, chapter.text).trim_end());
    }
    out.push_str(&chronicle(run, text));
    if run.played.len() >= campaign.chapters.len() {
        out.push_str(&over(run, text, campaign));
    }
    out
}
