//! `regelwerk play`: a sitting at the prompt, or over JSON lines.

use std::path::PathBuf;

use clap::Args;

use super::arguments::{Players, Seat, Setting};
use super::{Status, output};

#[derive(Debug, Args)]
pub struct PlayArguments {
    /// A built-in scenario or a folder
    #[arg(value_name = "SCENARIO")]
    pub scenario: String,
    /// How many play, or the seats by name: `red,blue,white`
    #[arg(long, value_name = "N|NAMES")]
    pub players: Option<Players>,
    /// Who sits where: `red=human,blue=bot:random`; by default the first seat is yours and bots have the others
    #[arg(long, value_name = "SEAT=WHO", value_delimiter = ',')]
    pub seats: Vec<Seat>,
    /// The seed of all chance; the same seed and moves give the same game
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Set an option of the scenario; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<Setting>,
    /// Go on with a game that was saved
    #[arg(long, value_name = "FILE.play")]
    pub resume: Option<PathBuf>,
    /// Reload the rules whenever a file changes
    #[arg(long, hide = true)]
    pub watch: bool,
    /// Talk to a program: one request a line in, one answer a line out
    #[arg(long)]
    pub json: bool,
}

pub fn run(_arguments: &PlayArguments) -> Status {
    output::not_available("`play`")
}
