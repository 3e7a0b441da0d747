//! Many games at random, and what they have in common. Threads share the code and nothing else; each keeps one
//! memory for all its games. A game's seed follows from the run's seed and the game's number, and results are
//! gathered by number, so they do not depend on how many threads there were.
//!
//! `play` plays one game, `record` gathers what games gave, `report` puts it into figures, words and JSON.

mod play;
mod record;
mod report;

pub use record::{FaultRecord, GameEnd, Tally};
pub use report::{Report, Spread};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::engine::Code;
use crate::engine::random::number;

/// What is to be played.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub games: u64,
    pub seed: u64,
    pub threads: usize,
    /// A game is given up when it has lasted so many turns.
    pub max_turns: u64,
    /// Test the invariants at each decision.
    pub invariants: bool,
}

impl Plan {
    /// The seed of a game: the same for every number of threads.
    pub fn seed_of(&self, game: u64) -> u64 {
        number(self.seed, 0x9a3e, game)
    }
}

/// How many games a thread takes at once, so that threads rarely meet.
const BATCH: u64 = 16;
/// The most threads that play.
pub const MOST_THREADS: usize = 1024;

/// Plays all the games; gives what they had in common.
pub fn simulate(code: &Arc<Code>, plan: &Plan) -> Tally {
    let next = AtomicU64::new(0);
    // More threads than there is work for would only be started and ended.
    let threads = (plan.threads as u64).min(plan.games.div_ceil(BATCH)).clamp(1, MOST_THREADS as u64);
    let mut total = Tally::new(code);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| work(code, plan, &next))).collect();
        for worker in workers {
            match worker.join() {
                Ok(tally) => total.add(tally),
                // A panic in a game is a bug of this program; it goes on to whoever asked.
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    total.finish();
    total
}

fn work(code: &Arc<Code>, plan: &Plan, next: &AtomicU64) -> Tally {
    let mut tally = Tally::new(code);
    let mut player = play::Player::new(code);
    loop {
        let first = next.fetch_add(BATCH, Ordering::Relaxed);
        if first >= plan.games {
            break;
        }
        for number in first..(first + BATCH).min(plan.games) {
            let record = player.play(plan, number, &mut tally.faults);
            tally.record(record);
        }
    }
    tally.count_hits(player.hits());
    tally
}
