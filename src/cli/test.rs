//! `regelwerk test`: runs transcripts.

#![allow(clippy::disallowed_methods, reason = "the paths that the user names are looked up here")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::{Status, opening, output};
use crate::diagnostic::{Diagnostic, Sink};
use crate::engine::Code;
use crate::pipeline::Ready;
use crate::source::load;
use crate::source::{FileId, Sources};
use crate::table::errors;
use crate::table::transcript;

#[derive(Debug, Args)]
pub struct TestArguments {
    /// Built-in scenarios, folders, or single transcripts
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    /// Run only the transcripts whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Write what happened into the transcripts where they expect something else
    #[arg(long, hide = true)]
    pub bless: bool,
    /// Drop each rule in turn and report those that no transcript misses
    #[arg(long, hide = true)]
    pub mutate: bool,
}

/// A transcript and where the scenario is that it is played with.
struct Item {
    /// A built-in scenario or a folder; none: the one that the transcript names.
    scenario: Option<String>,
    /// As it is shown.
    name: String,
    source: Source,
}

enum Source {
    /// A file on the disk.
    Path(PathBuf),
    /// `tests/…` of a built-in scenario.
    BuiltIn,
}

pub fn run(arguments: &TestArguments) -> Status {
    if arguments.bless {
        return output::not_available("`test --bless`");
    }
    if arguments.mutate {
        return output::not_available("`test --mutate`");
    }
    let mut tester = Tester::default();
    let mut items = Vec::new();
    for path in &arguments.paths {
        match tester.find(path) {
            Ok(found) => items.extend(found),
            Err(status) => return status,
        }
    }
    if let Some(filter) = &arguments.filter {
        items.retain(|item| item.name.contains(filter.as_str()));
    }
    let mut failed = 0;
    for item in &items {
        let found = tester.test(item);
        let verdict = if found.is_empty() { "ok" } else { "FAILED" };
        output::result(&format!("{verdict:6}  {}\n", item.name));
        if !found.is_empty() {
            failed += 1;
            output::diagnostics(&found, &tester.sources);
        }
    }
    output::result(&format!("{} passed, {failed} failed\n", items.len() - failed));
    if failed > 0 { Status::Faults } else { Status::Done }
}

/// Scenarios and codes that were made once serve all transcripts that need them.
#[derive(Default)]
struct Tester {
    sources: Sources,
    ready: BTreeMap<String, Option<Ready>>,
    codes: BTreeMap<(String, Vec<String>, Vec<(String, String)>), Arc<Code>>,
    built_in: BTreeMap<String, FileId>,
    /// Faults of rules for a number of players that a transcript before told of.
    told: BTreeSet<String>,
}

impl Tester {
    /// The transcripts at a path: a single one, those of a scenario, or all below a folder.
    fn find(&mut self, path: &str) -> Result<Vec<Item>, Status> {
        let file = Path::new(path);
        if file.is_file() {
            return Ok(vec![item(file)]);
        }
        if file.is_dir() {
            let mut plays = Vec::new();
            plays_below(file, 0, &mut plays);
            return Ok(plays.iter().map(|play| item(play)).collect());
        }
        // The name of a built-in scenario, or a slip that the loader knows how to tell of.
        let mut sink = Sink::new();
        let scenario = load::load(path, &mut self.sources, &mut sink);
        let found = scenario.map(|s| (load::transcripts(&s, &mut self.sources, &mut sink), s.id));
        match found {
            Some((plays, id)) => {
                let items = plays.into_iter().map(|(name, file)| {
                    let name = format!("{id}/{name}");
                    self.built_in.insert(name.clone(), file);
                    Item { scenario: Some(path.to_owned()), name, source: Source::BuiltIn }
                });
                Ok(items.collect())
            }
            None => {
                output::diagnostics(&sink.sorted(), &self.sources);
                Err(Status::Usage)
            }
        }
    }

    /// What is wrong with a transcript; nothing if it holds.
    fn test(&mut self, item: &Item) -> Vec<Diagnostic> {
        let file = match &item.source {
            Source::BuiltIn => self.built_in.get(&item.name).copied().unwrap_or_default(),
            Source::Path(path) => match std::fs::read_to_string(path) {
                Ok(text) => self.sources.add(item.name.clone(), text),
                Err(error) => {
                    let file = self.sources.add(item.name.clone(), "");
                    return vec![errors::unreadable(file, &item.name, &error.to_string())];
                }
            },
        };
        let text = self.sources.file(file).text.clone();
        let mut sink = Sink::new();
        let transcript = transcript::parse(file, &text, &mut sink);
        if sink.has_errors() {
            return sink.sorted();
        }
        let beside = match &item.source {
            Source::Path(path) => path.parent(),
            Source::BuiltIn => None,
        };
        let named = || transcript.head.scenario.as_ref().map(|w| opening::beside(&w.text, beside));
        let Some(scenario) = item.scenario.clone().or_else(named) else {
            return vec![errors::no_scenario(crate::source::Span::new(file, 0, 0))];
        };
        if !self.ready.contains_key(&scenario) {
            let ready = opening::ready(&scenario, &mut self.sources).ok();
            self.ready.insert(scenario.clone(), ready);
        }
        let Some(Some(ready)) = self.ready.get(&scenario) else {
            let span = transcript.head.scenario.as_ref().map_or(crate::source::Span::new(file, 0, 0), |w| w.span);
            return vec![errors::faulty_scenario(span, &scenario)];
        };
        let mut opening = match transcript.opening(&ready.program) {
            Ok(opening) => opening,
            Err(fault) => return vec![fault],
        };
        let key = (scenario, opening.seats.clone(), opening.options.clone());
        let code = match self.codes.get(&key) {
            Some(code) => code.clone(),
            None => match ready.code(&opening) {
                Ok(code) => {
                    self.codes.insert(key, code.clone());
                    code
                }
                Err(found) => {
                    let text = |d: &Diagnostic| format!("{} {:?} {}", d.code, d.span, d.message);
                    let fresh: Vec<Diagnostic> = found.into_iter().filter(|d| self.told.insert(text(d))).collect();
                    let span =
                        transcript.head.scenario.as_ref().map_or(crate::source::Span::new(file, 0, 0), |w| w.span);
                    return if fresh.is_empty() { vec![errors::faulty_scenario(span, &key.0)] } else { fresh };
                }
            },
        };
        let folder = match &item.source {
            Source::Path(path) => path.parent(),
            Source::BuiltIn => None,
        };
        match ready.record(&transcript, &code, folder, &mut self.sources) {
            Ok(record) => opening.record = record,
            Err(found) => return found,
        }
        let reader = ready.reader(&code, &opening);
        transcript::run(&transcript, &code, opening, Some(reader)).faults
    }
}

/// A transcript in a scenario's own `tests/` folder is played with that scenario.
fn item(play: &Path) -> Item {
    let above = play.parent().filter(|p| p.file_name().is_some_and(|n| n == "tests")).and_then(Path::parent);
    let above = above.map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p });
    let own = above.filter(|p| p.join("scenario.toml").is_file());
    Item {
        // With a separator it cannot be taken for the name of a built-in scenario.
        scenario: own.map(|p| format!("{}/", p.display())),
        name: play.display().to_string(),
        source: Source::Path(play.to_owned()),
    }
}

/// All transcripts below a folder, sorted; not deeper than anyone nests folders.
fn plays_below(folder: &Path, depth: usize, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if path.is_dir() && depth < 16 && !hidden && !path.is_symlink() {
            plays_below(&path, depth + 1, out);
        } else if path.extension().is_some_and(|e| e == "play") && path.is_file() {
            out.push(path);
        }
    }
}
