//! Runs `tests/cases/<stage>/…`. A case is
//!
//! - a file `NAME.rules`: a whole ruleset, or one on top of another if it says so. Its manifest is made here, with
//!   the keys that lines `//@ key = value` at the file's head give (`//@ extends = "stage"`; `stage` is the small
//!   ruleset in `tests/stage/`);
//! - a folder `NAME/` with a `scenario.toml`: a scenario as it stands;
//! - a folder `NAME/` without one, which holds several that build on each other; `NAME/main/` is the one checked.
//!
//! A comment names the codes that belong to its line: `//~ RW0201`, or `#~ RW0404` in TOML; several codes stand
//! one behind the other, and each `^` behind the `~` means a line further up. Where a comment cannot stand, a file
//! `faults.txt` in the case's folder lists `FILE:LINE CODE`. Whatever is found and not expected, or the other way
//! round, fails. `CASE=TEXT cargo test` runs only the cases whose path contains the text.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use regelwerk::diagnostic::Sink;
use regelwerk::pipeline;
use regelwerk::source::Sources;

use crate::common::{files_below, read, repo, scratch, write};

/// How often a code stands on a line of a file.
type Faults = BTreeMap<(String, usize, String), usize>;

#[test]
fn every_case_has_the_faults_that_it_expects() {
    let only = std::env::var("CASE").unwrap_or_default();
    let mut failed = Vec::new();
    let mut count = 0;
    for case in cases() {
        let name = case.strip_prefix(repo("tests/cases")).expect("a case lies there").display().to_string();
        if !name.contains(&only) {
            continue;
        }
        count += 1;
        if let Err(report) = run(&case) {
            failed.push(format!("{name}\n{report}"));
        }
    }
    assert!(count > 0, "no case is called like that");
    assert!(failed.is_empty(), "{} of {count} cases failed\n\n{}", failed.len(), failed.join("\n"));
}

fn cases() -> Vec<PathBuf> {
    let mut cases = Vec::new();
    for stage in entries(&repo("tests/cases")) {
        cases.extend(entries(&stage).into_iter().filter(|c| c.is_dir() || c.extension().is_some_and(|e| e == "rules")));
    }
    cases
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    found.sort();
    found
}

fn run(case: &Path) -> Result<(), String> {
    let folder = laid_out(case, "case");
    let mut sources = Sources::new();
    let mut sink = Sink::new();
    pipeline::check(&folder.display().to_string(), &mut sources, &mut sink);
    let found = sink.sorted();

    let mut expected = Faults::new();
    for (_, file) in sources.files() {
        expected_in(&file.name, &file.text, &mut expected);
    }
    if case.is_dir() && case.join("faults.txt").exists() {
        expected_in_list(&read(&case.join("faults.txt")), &mut expected)?;
    }
    let mut actual = Faults::new();
    for diagnostic in &found {
        let file = sources.file(diagnostic.span.file);
        let line = file.position(diagnostic.span.start).line;
        *actual.entry((file.name.clone(), line, diagnostic.code.to_string())).or_default() += 1;
    }
    let mut report = String::new();
    for (key @ (file, line, code), count) in &expected {
        let times = actual.get(key).copied().unwrap_or(0);
        if times < *count {
            report.push_str(&format!("  {file}:{line}: {code} is expected and not found\n"));
        }
    }
    for diagnostic in &found {
        let file = sources.file(diagnostic.span.file);
        let place = file.position(diagnostic.span.start);
        let key = (file.name.clone(), place.line, diagnostic.code.to_string());
        if actual.get(&key) > expected.get(&key) {
            let (name, line, code) = &key;
            report.push_str(&format!("  {name}:{line}: {code} is not expected: {}\n", diagnostic.message));
        }
    }
    if report.is_empty() { Ok(()) } else { Err(report) }
}

/// Lays a case out in a scratch folder, with the ruleset `stage` beside it, and gives the folder to check.
pub fn laid_out(case: &Path, purpose: &str) -> PathBuf {
    let name = case.strip_prefix(repo("tests/cases")).expect("a case lies there").display().to_string();
    let around = scratch(&format!("{purpose}-{}", name.replace(['/', '\\', '.'], "-")));
    copy(&repo("tests/stage"), &around.join("stage"));
    let folder = around.join(case.file_stem().expect("a case has a name"));
    if !case.is_dir() {
        let text = read(case);
        write(&folder.join("scenario.toml"), manifest(&text));
        write(&folder.join(case.file_name().expect("a case has a name")), text);
        folder
    } else if case.join("scenario.toml").exists() {
        copy(case, &folder);
        folder
    } else {
        copy(case, &around);
        around.join("main")
    }
}

fn copy(from: &Path, to: &Path) {
    for file in files_below(from) {
        write(&to.join(file.strip_prefix(from).expect("it lies there")), fs::read(&file).expect("it can be read"));
    }
}

/// The manifest of a case that is one rules file.
fn manifest(text: &str) -> String {
    let keys: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//@ ")).collect();
    let mut manifest = String::from("name = \"case\"\nlanguage = 1\n");
    for key in &keys {
        manifest.push_str(&format!("{key}\n"));
    }
    if !keys.iter().any(|key| key.starts_with("players") || key.starts_with("extends")) {
        manifest.push_str("players = [2, 3, 4]\n");
    }
    manifest
}

fn expected_in(file: &str, text: &str, faults: &mut Faults) {
    for (index, line) in text.lines().enumerate() {
        let Some(at) = ["//~", "#~"].iter().find_map(|mark| line.find(mark).map(|at| at + mark.len())) else {
            continue;
        };
        let marks = &line[at..];
        let up = marks.chars().take_while(|c| *c == '^').count();
        for code in marks[up..].split_whitespace() {
            *faults.entry((file.to_owned(), index + 1 - up, code.to_owned())).or_default() += 1;
        }
    }
}

fn expected_in_list(list: &str, faults: &mut Faults) -> Result<(), String> {
    for line in list.lines().filter(|l| !l.trim().is_empty()) {
        let entry = line.split_once(' ').and_then(|(place, code)| {
            let (file, number) = place.rsplit_once(':')?;
            Some((file.to_owned(), number.parse().ok()?, code.trim().to_owned()))
        });
        let entry = entry.ok_or(format!("  faults.txt: `{line}` is not FILE:LINE CODE\n"))?;
        *faults.entry(entry).or_default() += 1;
    }
    Ok(())
}
