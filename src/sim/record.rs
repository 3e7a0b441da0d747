//! What single games gave, gathered so that the order in which they were played does not show.

use std::sync::Arc;

use crate::engine::Code;
use crate::engine::random::mix;
use crate::source::Span;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum GameEnd {
    #[default]
    Win,
    /// The rules ended the game and nobody won.
    Draw,
    /// The greatest number of turns was reached.
    Limit,
    /// A rule could not be carried out, or an invariant was broken.
    Fault,
    /// Nobody could do anything.
    Stuck,
}

impl GameEnd {
    pub const ALL: [GameEnd; 5] = [GameEnd::Win, GameEnd::Draw, GameEnd::Limit, GameEnd::Fault, GameEnd::Stuck];

    pub fn name(self) -> &'static str {
        match self {
            GameEnd::Win => "win",
            GameEnd::Draw => "draw",
            GameEnd::Limit => "limit",
            GameEnd::Fault => "fault",
            GameEnd::Stuck => "stuck",
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct GameRecord {
    pub number: u64,
    pub end: GameEnd,
    pub turns: u64,
    pub decisions: u64,
    pub forced: u64,
    pub winner: Option<usize>,
    /// By seat, the hidden ones included; empty where the rules count no points.
    pub points: Vec<i64>,
    pub digest: u64,
}

/// A fault that games ran into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRecord {
    pub code: u16,
    pub message: String,
    pub span: Option<Span>,
    pub games: u64,
    /// The number of the first game that had it.
    pub first: u64,
}

/// All games of a run.
#[derive(Clone, Debug)]
pub struct Tally {
    pub games: Vec<GameRecord>,
    pub faults: Vec<FaultRecord>,
    /// How often each of the code's counters was hit.
    pub hits: Vec<u64>,
}

impl Tally {
    pub fn new(code: &Arc<Code>) -> Tally {
        Tally { games: Vec::new(), faults: Vec::new(), hits: vec![0; code.counters.len()] }
    }

    pub fn record(&mut self, game: GameRecord) {
        self.games.push(game);
    }

    pub fn count_hits(&mut self, hits: &[u64]) {
        for (sum, hits) in self.hits.iter_mut().zip(hits) {
            *sum += hits;
        }
    }

    pub fn add(&mut self, other: Tally) {
        self.games.extend(other.games);
        self.faults.extend(other.faults);
        self.count_hits(&other.hits);
    }

    /// Puts games in the order of their numbers, and the same faults together.
    pub fn finish(&mut self) {
        self.games.sort_by_key(|game| game.number);
        self.faults.sort_by_key(|fault| fault.first);
        let mut kept: Vec<FaultRecord> = Vec::new();
        for fault in self.faults.drain(..) {
            match kept.iter_mut().find(|k| (k.code, &k.message) == (fault.code, &fault.message)) {
                Some(known) => known.games += fault.games,
                None => kept.push(fault),
            }
        }
        self.faults = kept;
    }

    /// A hash over all moves of all games in order.
    pub fn digest(&self) -> u64 {
        self.games.iter().fold(0, |digest, game| mix(digest ^ game.digest).wrapping_add(game.number))
    }
}
