//! `regelwerk diff`: how one scenario differs from another, rule by rule and, if asked, in what happens when it is played.

use clap::Args;
use serde_json::Value as Json;

use super::arguments::Players;
use super::{Status, opening, output};
use crate::compare;
use crate::diagnostic::Sink;
use crate::pipeline;
use crate::sim::{self, Plan, Report};
use crate::source::Sources;

#[derive(Debug, Args)]
pub struct DiffArguments {
    /// The scenario that is told of: a built-in one or a folder
    #[arg(value_name = "A")]
    pub new: String,
    /// The scenario that it is compared with
    #[arg(value_name = "B")]
    pub old: String,
    /// Play this many random games of each as well, and compare them
    #[arg(long, value_name = "N")]
    pub play: Option<u64>,
}

/// The seed of the games that are compared.
const SEED: u64 = 1;
const MAX_TURNS: u64 = 5000;

pub fn run(arguments: &DiffArguments) -> Status {
    compared(arguments).unwrap_or_else(|status| status)
}

fn compared(arguments: &DiffArguments) -> Result<Status, Status> {
    let text = differences(arguments)?;
    output::result(&text);
    if let Some(games) = arguments.play {
        let new = figures(&arguments.new, games)?;
        let old = figures(&arguments.old, games)?;
        output::result(&table(&new, &old));
    }
    Ok(Status::Done)
}

fn differences(arguments: &DiffArguments) -> Result<String, Status> {
    let (mut new_sources, mut old_sources) = (Sources::new(), Sources::new());
    let new = whole(&arguments.new, &mut new_sources)?;
    let old = whole(&arguments.old, &mut old_sources)?;
    let new = pipeline::side(&new, &new_sources);
    let old = pipeline::side(&old, &old_sources);
    Ok(compare::told(&new, &old, &compare::compare(&new, &old)))
}

/// Reads a scenario that has no faults.
fn whole(name: &str, sources: &mut Sources) -> Result<pipeline::Whole, Status> {
    let mut sink = Sink::new();
    let whole = pipeline::whole(name, sources, &mut sink);
    let found = sink.sorted();
    match whole {
        Some(whole) => Ok(whole),
        None => {
            output::diagnostics(&found, sources);
            Err(if found.iter().any(|d| d.code == crate::diagnostic::Code(401)) {
                Status::Usage
            } else {
                Status::Faults
            })
        }
    }
}

/// What random games of a scenario with the most players show.
fn figures(name: &str, games: u64) -> Result<Json, Status> {
    let mut sources = Sources::new();
    let ready = opening::ready(name, &mut sources)?;
    let players: Option<&Players> = None;
    let opening = opening::opening(&ready, players, &[], SEED)?;
    let code = opening::code(&ready, &opening, &sources)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).clamp(1, sim::MOST_THREADS);
    let plan = Plan { games, seed: SEED, threads, max_turns: MAX_TURNS, invariants: false };
    let tally = sim::simulate(&code, &plan);
    // How long it took is no part of what is compared.
    Ok(Report::new(opening.scenario, plan, opening.seats, 0.0, tally, &code).json())
}

/// The figures of both side by side.
fn table(new: &Json, old: &Json) -> String {
    let mut rows: Vec<[String; 3]> = vec![[String::new(), shown(new.get("scenario")), shown(old.get("scenario"))]];
    let mut row = |name: &str, of: &dyn Fn(&Json) -> String| rows.push([name.to_owned(), of(new), of(old)]);
    row("games", &|side| shown(side.get("games")));
    row("players", &|side| shown(side.get("players")));
    for (name, key) in [("turns", "turns"), ("decisions", "decisions_per_game")] {
        for figure in ["mean", "p50", "max"] {
            let title = if figure == "p50" { "median" } else { figure };
            row(&format!("{name}, {title}"), &|side| shown(side.get(key).and_then(|spread| spread.get(figure))));
        }
    }
    let mut ends: Vec<&String> =
        [new, old].iter().filter_map(|s| s.get("ended")?.as_object()).flat_map(|o| o.keys()).collect();
    ends.sort();
    ends.dedup();
    for end in ends {
        let count = |side: &Json| side.get("ended").and_then(|e| e.get(end)).and_then(Json::as_u64).unwrap_or(0);
        if count(new) + count(old) > 0 {
            row(&format!("ended by {}", end.replace('_', " ")), &|side| count(side).to_string());
        }
    }
    row("faults", &|side| side.get("faults").and_then(Json::as_array).map_or(0, Vec::len).to_string());
    let width = |column: usize| rows.iter().filter_map(|r| r.get(column)).map(|c| c.chars().count()).max().unwrap_or(0);
    let (first, second, third) = (width(0), width(1), width(2));
    let line = |[name, new, old]: &[String; 3]| format!("{name:first$}  {new:>second$}  {old:>third$}\n");
    format!("\n{}", rows.iter().map(line).collect::<String>())
}

fn shown(value: Option<&Json>) -> String {
    match value {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Number(number)) => number.to_string(),
        Some(_) | None => "-".to_owned(),
    }
}
