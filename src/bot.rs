//! Players that are not people. A bot sees a game through what is legal and gives one of the moves; chance is handed
//! to it, so the same seed gives the same play.

use crate::diagnostic::near_names;
use crate::engine::random::Generator;
use crate::engine::{Game, Move};

pub trait Bot {
    /// The bot's move at the open decision; none if nothing can be done.
    fn choose(&mut self, game: &mut Game, chance: &mut Generator) -> Option<Move>;
}

/// Takes each of the listed moves with the same chance.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomBot;

impl Bot for RandomBot {
    fn choose(&mut self, game: &mut Game, chance: &mut Generator) -> Option<Move> {
        game.random_choice(chance)
    }
}

/// The names by which bots are called.
pub const NAMES: [&str; 1] = ["random"];

/// The bot of this name, or a sentence that says what there is.
pub fn by_name(name: &str) -> Result<Box<dyn Bot>, String> {
    if name == "random" {
        return Ok(Box::new(RandomBot));
    }
    let help = match near_names(name, NAMES).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there is {}", NAMES.join(", ")),
    };
    Err(format!("there is no bot called `{name}`; {help}"))
}

/// Chance for the bots at one point of a sitting: after taking a move back, the same comes again.
pub fn chance_at(seed: u64, step: usize) -> Generator {
    Generator::new(crate::engine::random::number(seed, 0xb07, step as u64))
}
