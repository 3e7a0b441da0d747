//! All that can be said about a scenario's folder and its manifest.

use super::Span;
use crate::diagnostic::{Diagnostic, near_names};

/// The help line for a misspelt word, or `otherwise` where nothing is near.
fn near_or(word: &str, known: &[&str], otherwise: impl Into<String>) -> String {
    match near_names(word, known.iter().copied()).as_slice() {
        [] => otherwise.into(),
        near => format!("did you mean {}?", either(near)),
    }
}

/// `a`, `a or b`, `a, b or c`, each between backquotes.
fn either(words: &[&str]) -> String {
    listed(words, "or")
}

fn listed(words: &[&str], last: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
    }
}

// ---- where the scenario is -------------------------------------------------------------------------------

pub fn unknown_scenario(span: Span, name: &str, built_in: &[&str]) -> Diagnostic {
    let help = near_or(
        name,
        built_in,
        "`regelwerk list` shows the built-in ones; a folder of your own is written with its path",
    );
    Diagnostic::error(401, span, format!("there is no scenario and no folder called `{name}`")).help(help)
}

pub fn no_such_folder(span: Span, path: &str) -> Diagnostic {
    Diagnostic::error(401, span, format!("there is no folder `{path}`"))
        .help("a scenario is a folder with a file `scenario.toml` in it")
}

pub fn not_a_folder(span: Span, path: &str) -> Diagnostic {
    Diagnostic::error(401, span, format!("`{path}` is a file, not a folder"))
        .help("name the folder that holds `scenario.toml`")
}

pub fn no_manifest(span: Span, folder: &str) -> Diagnostic {
    Diagnostic::error(402, span, format!("`{folder}` has no file `scenario.toml`")).help(
        "a scenario is a folder with a file `scenario.toml`, which says at least `name`, `language = 1` and `players`",
    )
}

// ---- the manifest ----------------------------------------------------------------------------------------

/// A file that is no TOML; what the reader of TOML says of it, in words for people.
pub fn not_toml(span: Span, message: &str) -> Diagnostic {
    let (what, help) = match message.lines().next().unwrap_or("").split(',').next().unwrap_or("") {
        "invalid basic string" | "invalid literal string" | "invalid multi-line basic string" => {
            ("a text has no closing quote", "a text stands between two `\"` on one line")
        }
        "string values must be quoted" => (
            "a value is missing or cannot be read",
            "a value is a text in quotes `\"`, a number, `true` or `false`, or a list in `[ ]`",
        ),
        "unclosed array" => {
            ("a list has no closing `]`", "a list stands in square brackets, its values behind commas: `[3, 4]`")
        }
        "unclosed array table" | "unclosed table" => {
            ("a heading has no closing bracket", "a heading stands in brackets on a line of its own")
        }
        "key with no value" => ("there is no value behind this key", "write `key = value`"),
        "duplicate key" => ("this key is given twice in one place", "take one of the two lines out"),
        "unexpected key or value" => ("something stands behind the value", "put each key on a line of its own"),
        "unquoted keys cannot be empty" => ("there is no key before `=`", "write `key = value`"),
        _ => {
            let message = message.lines().collect::<Vec<_>>().join(", ");
            return Diagnostic::error(403, span, format!("this is not TOML: {message}"));
        }
    };
    Diagnostic::error(403, span, format!("this is not TOML: {what}")).help(help)
}

pub fn unknown_key(span: Span, key: &str, known: &[&str]) -> Diagnostic {
    let help = near_or(key, known, format!("the keys are {}", listed(known, "and")));
    Diagnostic::error(404, span, format!("`scenario.toml` knows no key `{key}`")).help(help)
}

pub fn missing_key(span: Span, key: &str, help: &str) -> Diagnostic {
    Diagnostic::error(405, span, format!("`scenario.toml` does not say `{key}`")).help(help)
}

pub fn wrong_type(span: Span, key: &str, expected: &str, found: &str) -> Diagnostic {
    Diagnostic::error(406, span, format!("`{key}` is {expected}")).label(format!("this is {found}"))
}

pub fn bad_name(span: Span, key: &str, name: &str) -> Diagnostic {
    Diagnostic::error(407, span, format!("`{key}` cannot be \"{name}\""))
        .help("use small letters, digits, `-` and `_`, at most 64 of them")
}

pub fn bad_text(span: Span, key: &str, most: usize) -> Diagnostic {
    Diagnostic::error(407, span, format!("`{key}` is one line of 1 to {most} characters"))
}

pub fn bad_player_count(span: Span, most: i64) -> Diagnostic {
    Diagnostic::error(407, span, format!("a game has 1 to {most} players"))
}

pub fn repeated_player_count(span: Span, first: Span, count: i64) -> Diagnostic {
    Diagnostic::error(407, span, format!("`players` lists {count} twice")).related(first, "first listed here")
}

pub fn no_player_counts(span: Span) -> Diagnostic {
    Diagnostic::error(407, span, "`players` lists no number of players")
        .help("list every number that can play: `players = [3, 4]`")
}

pub fn unknown_language(span: Span, found: i64, newest: i64) -> Diagnostic {
    Diagnostic::error(408, span, format!("this program reads language {newest}, not {found}"))
        .help(format!("write `language = {newest}`, or use a newer program"))
}

// ---- what it extends -------------------------------------------------------------------------------------

pub fn unknown_base(span: Span, name: &str, known: &[&str]) -> Diagnostic {
    let help = near_or(name, known, "`extends` names a built-in ruleset or a folder beside this one");
    Diagnostic::error(409, span, format!("there is no ruleset `{name}` to extend")).help(help)
}

pub fn extends_in_a_circle(span: Span, names: &[&str]) -> Diagnostic {
    let message = match names {
        [only] => format!("`{only}` extends itself"),
        _ => format!("rulesets extend each other in a circle: {}", names.join(" extends ")),
    };
    Diagnostic::error(410, span, message).help("a ruleset stands on one that does not need it")
}

pub fn extends_too_deep(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error(785, span, format!("rulesets are stacked more than {most} high"))
}

pub fn abstract_is_not_played(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(411, span, format!("`{name}` is abstract: it is there to be extended, not to be played"))
        .help("play a ruleset that extends it, or take `abstract = true` out")
}

// ---- its files -------------------------------------------------------------------------------------------

pub fn no_such_file(span: Span, name: &str, known: &[&str]) -> Diagnostic {
    let otherwise = match known {
        [] => "the folder has no `*.rules` file".to_owned(),
        _ => format!("the folder has {}", listed(known, "and")),
    };
    Diagnostic::error(412, span, format!("there is no file `{name}` in this folder"))
        .help(near_or(name, known, otherwise))
}

pub fn not_a_rules_file(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(412, span, format!("`{name}` is not a rules file"))
        .help("`files` lists the files that end in `.rules`; others are named where a rule uses them")
}

pub fn file_listed_twice(span: Span, first: Span, name: &str) -> Diagnostic {
    Diagnostic::error(413, span, format!("`files` lists `{name}` twice")).related(first, "first listed here")
}

pub fn no_rules(span: Span) -> Diagnostic {
    Diagnostic::error(414, span, "this scenario has no rules")
        .help("write them in a file that ends in `.rules`, beside `scenario.toml`")
}

pub fn unreadable(span: Span, name: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(415, span, format!("`{name}` cannot be read: {reason}"))
}

pub fn not_utf8(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(416, span, format!("`{name}` is not UTF-8 text"))
        .label("here is the first byte that does not fit")
        .help("save the file as UTF-8")
}

pub fn not_listed(span: Span, name: &str) -> Diagnostic {
    Diagnostic::warning(951, span, format!("`{name}` is in the folder but not in `files`, so it is not read"))
        .help("list it, or leave `files` out: then all rules files are read, sorted by name")
}

// ---- the walls -------------------------------------------------------------------------------------------

pub fn leads_out(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(781, span, format!("`{name}` leads out of the scenario's folder"))
        .help("a scenario reads only what lies in its own folder and in what it extends; copy the file into it")
}

pub fn file_too_large(span: Span, name: &str, most: u64) -> Diagnostic {
    Diagnostic::error(782, span, format!("`{name}` is larger than {} KiB", most / 1024))
}

pub fn too_many_files(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error(783, span, format!("the scenario's folder holds more than {most} files"))
}

pub fn too_many_entries(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error(783, span, format!("the scenario's folder holds more than {most} entries"))
}

pub fn too_much_text(span: Span, most: u64) -> Diagnostic {
    Diagnostic::error(784, span, format!("the scenario's files together are larger than {} MiB", most / (1024 * 1024)))
}

// ---- campaigns -------------------------------------------------------------------------------------------

pub fn unknown_campaign(span: Span, name: &str, built_in: &[&str]) -> Diagnostic {
    let help = near_or(name, built_in, "a campaign is a folder with a file `campaign.toml`, or one that is built in");
    Diagnostic::error(860, span, format!("there is no campaign called `{name}`")).help(help)
}

pub fn campaign_key(span: Span, file: &str, key: &str, known: &[&str]) -> Diagnostic {
    let help = near_or(key, known, format!("the keys are {}", listed(known, "and")));
    Diagnostic::error(861, span, format!("`{file}` knows no key `{key}` here")).help(help)
}

pub fn campaign_lacks(span: Span, file: &str, key: &str, help: &str) -> Diagnostic {
    Diagnostic::error(861, span, format!("`{file}` does not say `{key}`")).help(help)
}

pub fn campaign_value(span: Span, key: &str, expected: &str, found: &str) -> Diagnostic {
    Diagnostic::error(861, span, format!("`{key}` is {expected}")).label(format!("this is {found}"))
}

pub fn campaign_length(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error(861, span, format!("a campaign has 1 to {most} chapters"))
}
