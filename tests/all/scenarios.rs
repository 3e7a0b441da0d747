//! What holds for every scenario, the built-in ones and the examples: it checks clean, warnings included, and its
//! transcripts hold. A new game or example is tested here without being named.

use std::path::PathBuf;
use std::process::Command;

use regelwerk::diagnostic::{Sink, render};
use regelwerk::pipeline;
use regelwerk::source::{Sources, embedded};

use crate::common::{files_below, repo};

/// The folders of all scenarios.
pub fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        ["scenarios", "examples", "tests/stage", "tests/overlay", "tests/upper", "tests/faulty"]
            .iter()
            .flat_map(|folder| files_below(&repo(folder)))
            .filter(|file| file.ends_with("scenario.toml"))
            .filter_map(|file| file.parent().map(PathBuf::from))
            .collect();
    folders.sort();
    folders
}

/// The folders of those that can be played to their end: not of the one whose rules run into faults.
pub fn games() -> Vec<PathBuf> {
    folders().into_iter().filter(|folder| !folder.ends_with("tests/faulty")).collect()
}

#[test]
fn every_scenario_checks_clean() {
    let mut reports = Vec::new();
    for folder in folders() {
        let (mut sources, mut sink) = (Sources::new(), Sink::new());
        pipeline::check(&folder.display().to_string(), &mut sources, &mut sink);
        let found = sink.sorted();
        if !found.is_empty() {
            let report = render::render(&found, &sources, render::Style::default());
            reports.push(format!("{}\n{report}", folder.display()));
        }
    }
    assert!(reports.is_empty(), "{}", reports.join("\n"));
}

#[test]
fn every_transcript_holds() {
    let mut failed = Vec::new();
    for folder in folders().into_iter().chain([repo("tests/terms")]).filter(|folder| folder.join("tests").is_dir()) {
        let ran = Command::new(env!("CARGO_BIN_EXE_regelwerk")).arg("test").arg(&folder).output().expect("it runs");
        if !ran.status.success() {
            let lines = String::from_utf8_lossy(&ran.stdout).into_owned();
            let lines: Vec<&str> = lines.lines().filter(|line| !line.starts_with("ok ")).collect();
            failed.push(format!(
                "{}\n{}\n{}",
                folder.display(),
                lines.join("\n"),
                String::from_utf8_lossy(&ran.stderr)
            ));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn the_binary_carries_what_lies_in_the_folder() {
    for name in embedded::names() {
        for (path, text) in embedded::files(name) {
            let file = repo("scenarios").join(name).join(path);
            assert_eq!(text, std::fs::read_to_string(&file).expect("the file is there"), "{}", file.display());
        }
    }
    let on_disk = folders().into_iter().filter(|folder| folder.parent() == Some(&repo("scenarios"))).count();
    assert_eq!(embedded::names().count(), on_disk);
}
