//! Broken variants of the base game: the lists in `tests/cases/broken/`. Each is a few lines changed in a file of the
//! game, and what the program has to say of it: these faults and no others, each on its line and in these words.
//!
//! ```text
//! ## A piece is misspelt
//! @ catan.rules                      the file; those that follow are new if the game has none of that name
//! - place my road on e               this text, which stands once in the file,
//! + place my raod on e               becomes this; without a `-` before it, the text goes to the end of the file
//! ~ RW0201 `raod`: nothing is …      what is found on the line above: the code, the place marked, the message
//!     help: did you mean `road`?     and what else is said of it
//! = }                                a text that is left as it is, where a `~` follows
//! ```
//!
//! The faults of a transcript count if the scenario itself has none. `BLESS=1` writes the words behind the codes, and
//! never the codes; `CASE=TEXT` runs only the variants whose heading contains the text.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use regelwerk::diagnostic::{Diagnostic, Sink};
use regelwerk::pipeline;
use regelwerk::source::{Sources, Span};

use crate::common::{faults_of_play, files_below, read, repo, scratch, write};

/// Where the lists stand, and the game that they break.
const LISTS: &str = "tests/cases/broken";
const GAME: &str = "scenarios/catan";

/// Marks the line of an expected fault until all of the file has been changed: U+E000 and on.
const FIRST_MARK: u32 = 0xE000;

/// One broken variant.
struct Variant {
    title: String,
    files: BTreeMap<String, String>,
    /// For each expected fault: its code and the line of the list that expects it.
    expected: Vec<(String, usize)>,
}

/// A fault as a list tells it.
struct Told {
    code: String,
    file: String,
    line: usize,
    words: Vec<String>,
}

#[test]
fn broken_variants_are_told_in_the_right_words() {
    let only = std::env::var("CASE").unwrap_or_default();
    let bless = std::env::var_os("BLESS").is_some();
    let mut failed = Vec::new();
    let mut count = 0;
    for path in files_below(&repo(LISTS)) {
        let list = read(&path);
        let (head, variants) = parts(&list);
        let mut text = head;
        for (title, lines) in variants {
            let blessed = if title.contains(&only) {
                count += 1;
                run(&title, &lines, bless).unwrap_or_else(|report| {
                    failed.push(format!("{} ({}):\n{report}", title, path.display()));
                    lines.clone()
                })
            } else {
                lines.clone()
            };
            text.push_str(&format!("## {title}\n"));
            blessed.iter().for_each(|line| text.push_str(&format!("{line}\n")));
        }
        if bless {
            write(&path, text);
        }
    }
    assert!(failed.is_empty(), "{} of {count} variants failed\n\n{}", failed.len(), failed.join("\n"));
    assert!(!only.is_empty() || count >= 60, "only {count} variants are left");
}

/// What stands before the first heading, and the variants: each with its heading and its lines.
fn parts(list: &str) -> (String, Vec<(String, Vec<String>)>) {
    let mut head = String::new();
    let mut variants: Vec<(String, Vec<String>)> = Vec::new();
    for line in list.lines() {
        match (line.strip_prefix("## "), variants.last_mut()) {
            (Some(title), _) => variants.push((title.to_owned(), Vec::new())),
            (None, Some((_, lines))) => lines.push(line.to_owned()),
            (None, None) => head.push_str(&format!("{line}\n")),
        }
    }
    (head, variants)
}

/// Runs a variant; gives its lines with the words that were found.
fn run(title: &str, lines: &[String], bless: bool) -> Result<Vec<String>, String> {
    let mut variant = changed(title, lines)?;
    let begun = Instant::now();
    let mut told = faults(&mut variant);
    let took = begun.elapsed();
    let mut report = String::new();
    let mut blessed = lines.to_vec();
    // From the last to the first, since lines may be put in.
    for (code, at) in variant.expected.iter().rev() {
        let (file, line) = place(&variant, *at);
        let words = &lines[at + 1..];
        let said = words.iter().take_while(|line| line.starts_with("    ")).count();
        match told.iter().rposition(|t| t.code == *code && t.file == file && t.line == line) {
            None => report.push_str(&format!("  {file}:{line}: {code} is expected and not found\n")),
            Some(found) => {
                let found = told.remove(found);
                if !bless && lines[*at..=at + said] != found.words {
                    report.push_str(&format!("  other words:\n{}\n", found.words.join("\n")));
                }
                blessed.splice(at..&(at + 1 + said), found.words);
            }
        }
    }
    for Told { file, line, words, .. } in told {
        report.push_str(&format!("  {file}:{line}: not expected:\n{}\n", words.join("\n")));
    }
    if took.as_secs() >= 5 {
        report.push_str(&format!("  it took {took:?}\n"));
    }
    if report.is_empty() { Ok(blessed) } else { Err(report) }
}

/// Makes the changes.
fn changed(title: &str, lines: &[String]) -> Result<Variant, String> {
    let mut variant = Variant { title: title.to_owned(), files: BTreeMap::new(), expected: Vec::new() };
    for path in files_below(&repo(GAME)) {
        let name = path.strip_prefix(repo(GAME)).expect("it lies there").display().to_string();
        // Transcripts take part where a variant speaks of them.
        if !name.ends_with(".play") || lines.iter().any(|line| line.strip_prefix("@ ") == Some(&name)) {
            variant.files.insert(name, read(&path));
        }
    }
    let mut file = String::new();
    let mut at = 0;
    while at < lines.len() {
        let marked = |from: usize, sign: &str, expected: &mut Vec<(String, usize)>| {
            let mut text = Vec::new();
            let mut at = from;
            while let Some(line) = lines.get(at) {
                if let Some(more) = line.strip_prefix(sign) {
                    text.push(more.strip_prefix(' ').unwrap_or(more).to_owned());
                } else if let Some(fault) = line.strip_prefix("~ ") {
                    let code = fault.split_whitespace().next().unwrap_or_default().to_owned();
                    let mark = char::from_u32(FIRST_MARK + expected.len() as u32).expect("a private character");
                    if let Some(line) = text.last_mut() {
                        line.insert(0, mark);
                    }
                    expected.push((code, at));
                } else if !line.starts_with("    ") {
                    break;
                }
                at += 1;
            }
            (text.join("\n"), at)
        };
        let line = &lines[at];
        if let Some(name) = line.strip_prefix("@ ") {
            file = name.to_owned();
            at += 1;
        } else if line.trim().is_empty() || line.starts_with("//") {
            at += 1;
        } else if line.starts_with('-') {
            let (old, behind) = marked(at, "-", &mut variant.expected);
            let (new, behind) = marked(behind, "+", &mut variant.expected);
            replace(&mut variant, &file, &old, &new)?;
            at = behind;
        } else if line.starts_with('+') {
            let (new, behind) = marked(at, "+", &mut variant.expected);
            let text = variant.files.entry(file.clone()).or_default();
            text.push_str(&format!("{new}\n"));
            at = behind;
        } else if line.starts_with('=') {
            let (new, behind) = marked(at, "=", &mut variant.expected);
            let old: String = new.chars().filter(|c| !is_mark(*c)).collect();
            replace(&mut variant, &file, &old, &new)?;
            at = behind;
        } else {
            return Err(format!("  the line `{line}` is none of a list\n"));
        }
    }
    Ok(variant)
}

fn replace(variant: &mut Variant, file: &str, old: &str, new: &str) -> Result<(), String> {
    let text = variant.files.get_mut(file).ok_or(format!("  the game has no file `{file}`\n"))?;
    match text.matches(old).count() {
        1 => *text = text.replacen(old, new, 1),
        n => return Err(format!("  `{old}` stands {n} times in {file}\n")),
    }
    Ok(())
}

fn is_mark(c: char) -> bool {
    (FIRST_MARK..FIRST_MARK + 0x100).contains(&u32::from(c))
}

/// The file and line of the fault that a line of the list expects.
fn place(variant: &Variant, at: usize) -> (String, usize) {
    let number = variant.expected.iter().position(|(_, line)| *line == at).expect("it is one of them") as u32;
    let mark = char::from_u32(FIRST_MARK + number).expect("a private character");
    let found = variant.files.iter().find_map(|(name, text)| {
        let line = text.lines().position(|line| line.contains(mark))?;
        Some((name.clone(), line + 1))
    });
    found.unwrap_or_default()
}

/// Lays the variant out, checks it, and runs its transcripts if nothing was found.
fn faults(variant: &mut Variant) -> Vec<Told> {
    let folder =
        scratch(&format!("broken-{}", variant.title.replace(|c: char| !c.is_alphanumeric(), "-"))).join("catan");
    for (name, text) in &variant.files {
        let plain: String = text.chars().filter(|c| !is_mark(*c)).collect();
        write(&folder.join(name), plain);
    }
    let mut sources = Sources::new();
    let mut sink = Sink::new();
    let name = folder.display().to_string();
    pipeline::check(&name, &mut sources, &mut sink);
    let mut found = sink.clone().sorted();
    if !sink.has_errors() {
        for play in variant.files.keys().filter(|name| name.ends_with(".play")) {
            found.extend(faults_of_play(&name, &mut sources, play, &read(&folder.join(play))));
        }
    }
    let _ = std::fs::remove_dir_all(Path::new(&folder));
    found.iter().map(|fault| told(fault, &sources)).collect()
}

/// The fault in the words of a list.
fn told(fault: &Diagnostic, sources: &Sources) -> Told {
    let file = sources.file(fault.span.file);
    let mut words = vec![format!("~ {} {}: {}", fault.code, marked(fault.span, sources), fault.message)];
    if !fault.label.is_empty() {
        words.push(format!("    label: {}", fault.label));
    }
    for label in &fault.related {
        words.push(format!("    {}: {}", label.message, marked(label.span, sources)));
    }
    words.extend(fault.help.iter().map(|help| format!("    help: {help}")));
    Told { code: fault.code.to_string(), file: file.name.clone(), line: file.position(fault.span.start).line, words }
}

/// The text that a span marks, on one line and not too long.
fn marked(span: Span, sources: &Sources) -> String {
    let text = sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(60) {
        None => format!("«{text}»"),
        Some((at, _)) => format!("«{} …»", &text[..at]),
    }
}
