//! What rules mean where files are silent: each file of `tests/meaning/` is about one such matter. It says in words
//! what holds, and shows it with a ruleset and transcripts:
//!
//! | block | |
//! | --- | --- |
//! | `rules main`, `board main FILE` … | files of the game; those of `base`, where there are any, are a ruleset below it |
//! | `play main` | a transcript that holds |
//! | `play main CODE` | one that ends in this fault and has no other |
//! | `faults main` | what the game itself has to be told, each as `FILE:LINE CODE` |

use std::path::Path;

use regelwerk::diagnostic::{Sink, render};
use regelwerk::pipeline;
use regelwerk::source::Sources;

use crate::common::{faults_of_play, files_below, read, repo, scratch, write};
use crate::pages::{Example, examples};

const BELOW: &str = "base";

#[test]
fn rules_mean_what_the_design_says() {
    let mut wrong = Vec::new();
    let files = files_below(&repo("tests/meaning"));
    assert!(files.len() > 10, "the matters are there");
    for path in files {
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let blocks = examples(&read(&path));
        wrong.extend(matter(&name, &blocks).into_iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn matter(name: &str, blocks: &[Example]) -> Vec<String> {
    let around = scratch(&format!("meaning-{name}"));
    let layered = blocks.iter().any(|block| block.tag == BELOW);
    for folder in ["main", BELOW] {
        let rest = if layered && folder == "main" { "extends = \"base\"" } else { "players = [2, 3]" };
        write(&around.join(folder).join("scenario.toml"), format!("name = \"{folder}\"\nlanguage = 1\n{rest}\n"));
    }
    for block in blocks.iter().filter(|block| !["play", "faults"].contains(&block.language.as_str())) {
        let file = if block.language == "rules" { "game.rules" } else { &block.path };
        write(&around.join(&block.tag).join(file), &block.text);
    }
    let game = around.join("main");
    let expected: String = blocks.iter().filter(|block| block.language == "faults").map(|b| b.text.as_str()).collect();
    let mut wrong = Vec::new();
    let (found, report) = faults(&game);
    if found != expected {
        wrong.push(format!("its faults are\n{found}{report}"));
    }
    if !expected.is_empty() {
        return wrong;
    }
    for (number, block) in blocks.iter().filter(|block| block.language == "play").enumerate() {
        let code = block.path.strip_prefix("RW").map(|_| block.path.as_str());
        let mut sources = Sources::new();
        let found = faults_of_play(&game.display().to_string(), &mut sources, "example.play", &block.text);
        let as_it_should = match code {
            None => found.is_empty(),
            Some(code) => found.len() == 1 && found.iter().all(|fault| fault.code.to_string() == code),
        };
        if !as_it_should {
            let report = render::render(&found, &sources, render::Style::default());
            wrong.push(format!("transcript {}: expected {}\n{report}", number + 1, code.unwrap_or("no faults")));
        }
    }
    wrong
}

/// The faults of a game, each as `FILE:LINE CODE`, and the whole report.
fn faults(game: &Path) -> (String, String) {
    let (mut sources, mut sink) = (Sources::new(), Sink::new());
    pipeline::check(&game.display().to_string(), &mut sources, &mut sink);
    let found = sink.sorted();
    let lines = found.iter().map(|fault| {
        let file = sources.file(fault.span.file);
        format!("{}:{} {}\n", file.name, file.position(fault.span.start).line, fault.code)
    });
    (
        lines.collect(),
        if found.is_empty() { String::new() } else { render::render(&found, &sources, render::Style::default()) },
    )
}
