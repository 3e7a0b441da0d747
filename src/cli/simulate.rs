//! `regelwerk simulate`: many games at random, and what they show.

use std::path::PathBuf;

use clap::Args;

use super::arguments::{Format, Setting};
use super::{Status, output};

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
    #[arg(long, value_name = "N")]
    pub max_turns: Option<u64>,
    /// Save the longest game as a transcript in this folder
    #[arg(long, value_name = "DIR")]
    pub save_longest: Option<PathBuf>,
    /// How to report
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

pub fn run(_arguments: &SimulateArguments) -> Status {
    output::not_available("`simulate`")
}
