//! `regelwerk simulate`: many games at random, and what they show.

#![allow(clippy::disallowed_methods, reason = "how long the games took is part of the report")]

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::arguments::{Format, Players, Setting};
use super::{Status, opening, output};
use crate::bot;
use crate::sim::{self, Plan, Report};
use crate::source::Sources;

#[derive(Debug, Args)]
pub struct SimulateArguments {
    /// A built-in scenario or a folder
    #[arg(value_name = "SCENARIO")]
    pub scenario: String,
    /// How many games
    #[arg(long, value_name = "N")]
    pub games: u64,
    /// How many play; by default the most that may
    #[arg(long, value_name = "N")]
    pub players: Option<usize>,
    /// The seed of all chance; the same seed gives the same games, on any number of threads
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// How many threads; by default one for each core
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Who plays all seats
    #[arg(long, value_name = "BOT", default_value = "random")]
    pub bot: String,
    /// Set an option of the scenario; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<Setting>,
    /// Give a game up after this many turns
    #[arg(long, value_name = "N", default_value_t = 5000)]
    pub max_turns: u64,
    /// Test the invariants at each decision; slower
    #[arg(long)]
    pub invariants: bool,
    /// Save the longest game as a transcript in this folder
    #[arg(long, value_name = "DIR", hide = true)]
    pub save_longest: Option<PathBuf>,
    /// How to report
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

/// The seed of those who ask for none.
const SEED: u64 = 1;

pub fn run(arguments: &SimulateArguments) -> Status {
    if arguments.save_longest.is_some() {
        return output::not_available("`simulate --save-longest`");
    }
    if let Err(message) = bot::by_name(&arguments.bot) {
        output::remark(&format!("{message}\n"));
        return Status::Usage;
    }
    match report(arguments) {
        Ok(report) => {
            output::result(&match arguments.format {
                Format::Human => report.human(),
                Format::Json => format!("{:#}\n", report.json()),
            });
            if report.has_faults() { Status::Faults } else { Status::Done }
        }
        Err(status) => status,
    }
}

fn report(arguments: &SimulateArguments) -> Result<Report, Status> {
    let mut sources = Sources::new();
    let ready = opening::ready(&arguments.scenario, &mut sources)?;
    let players = arguments.players.map(Players::Count);
    let seed = arguments.seed.unwrap_or(SEED);
    let opening = opening::opening(&ready, players.as_ref(), &arguments.settings, seed)?;
    let code = opening::code(&ready, &opening, &sources)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = Plan {
        games: arguments.games,
        seed,
        threads: arguments.threads.unwrap_or(cores).clamp(1, sim::MOST_THREADS),
        max_turns: arguments.max_turns,
        invariants: arguments.invariants,
    };
    let start = Instant::now();
    let tally = sim::simulate(&code, &plan);
    let seconds = start.elapsed().as_secs_f64();
    Ok(Report::new(opening.scenario, plan, opening.seats, seconds, tally, &code))
}
