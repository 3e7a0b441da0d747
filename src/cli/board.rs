//! `regelwerk board`: draws a scenario's board.

use std::path::PathBuf;

use clap::Args;

use super::{Status, output};

#[derive(Debug, Args)]
pub struct BoardArguments {
    /// A built-in scenario or a folder
    #[arg(value_name = "SCENARIO")]
    pub scenario: String,
    /// For how many players; by default the most that may
    #[arg(long, value_name = "N")]
    pub players: Option<usize>,
    /// The seed by which a board is shuffled
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Write an SVG picture to this file instead
    #[arg(long, value_name = "FILE", conflicts_with = "png")]
    pub svg: Option<PathBuf>,
    /// Write a PNG picture to this file instead
    #[arg(long, value_name = "FILE", hide = true)]
    pub png: Option<PathBuf>,
}

pub fn run(_arguments: &BoardArguments) -> Status {
    output::not_available("`board`")
}
