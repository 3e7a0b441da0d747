//! `regelwerk board`: draws a scenario's board.

#![allow(clippy::disallowed_methods, reason = "pictures are written here")]

use std::path::PathBuf;

use clap::Args;

use super::arguments::{Players, Setting};
use super::{Status, opening, output};
use crate::engine::Game;
use crate::source::Sources;
use crate::table::event::Viewer;
use crate::table::{picture, value};
use crate::view::{draw_svg, draw_text};

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
    /// Set an option of the scenario; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<Setting>,
    /// Write an SVG picture to this file instead
    #[arg(long, value_name = "FILE", conflicts_with = "png")]
    pub svg: Option<PathBuf>,
    /// Write a PNG picture to this file instead
    #[arg(long, value_name = "FILE", hide = true)]
    pub png: Option<PathBuf>,
}

/// The seed of those who ask for none.
const SEED: u64 = 1;

pub fn run(arguments: &BoardArguments) -> Status {
    if arguments.png.is_some() {
        return output::not_available("`board --png`");
    }
    draw(arguments).unwrap_or_else(|status| status)
}

fn draw(arguments: &BoardArguments) -> Result<Status, Status> {
    let mut sources = Sources::new();
    let ready = opening::ready(&arguments.scenario, &mut sources)?;
    let players = arguments.players.map(Players::Count);
    let seed = arguments.seed.unwrap_or(SEED);
    let opening = opening::opening(&ready, players.as_ref(), &arguments.settings, seed)?;
    let code = opening::code(&ready, &opening, &sources)?;
    // The board is drawn as the set-up leaves it where somebody has to choose first.
    let mut game = Game::start(&code, seed).map_err(|fault| {
        output::remark(&format!("{}\n", fault.message));
        Status::Faults
    })?;
    let Some(board) = value::board(&code) else {
        output::remark("this game has no board\n");
        return Err(Status::Usage);
    };
    let scene = picture::scene(&mut game, Viewer::Public, false);
    match &arguments.svg {
        None => {
            let width = std::env::var("COLUMNS").ok().and_then(|w| w.parse().ok()).unwrap_or(100);
            output::result(&draw_text(board, &scene, output::colour_on_results(), width));
        }
        Some(path) => {
            if let Err(error) = std::fs::write(path, draw_svg(board, &scene)) {
                output::remark(&format!("`{}` cannot be written: {error}\n", path.display()));
                return Err(Status::Usage);
            }
        }
    }
    Ok(Status::Done)
}
