//! One random game. The loop over its decisions allocates nothing.

use std::sync::Arc;

use super::Plan;
use super::record::{FaultRecord, GameEnd, GameRecord};
use crate::engine::random::{Generator, mix};
use crate::engine::{Code, Fault, Game};
use crate::table::evaluate::Scorer;

/// Games without turns end too: so many decisions are allowed for each turn.
const DECISIONS_PER_TURN: u64 = 2_000;

/// The memory of one thread.
pub struct Player {
    code: Arc<Code>,
    scorer: Scorer,
    game: Option<Game>,
}

impl Player {
    pub fn new(code: &Arc<Code>) -> Player {
        Player { code: code.clone(), scorer: Scorer::new(code), game: None }
    }

    /// How often each of the code's counters was hit.
    pub fn hits(&self) -> &[u64] {
        self.game.as_ref().map_or(&[], |game| &game.machine.hits)
    }

    pub fn play(&mut self, plan: &Plan, number: u64, faults: &mut Vec<FaultRecord>) -> GameRecord {
        let seed = plan.seed_of(number);
        let mut record = GameRecord { number, end: GameEnd::Fault, ..GameRecord::default() };
        let mut fail = |fault: Fault, record: &mut GameRecord| {
            record.end = if fault.code == 602 { GameEnd::Stuck } else { GameEnd::Fault };
            faults.push(FaultRecord {
                code: fault.code,
                message: fault.message,
                span: fault.span,
                games: 1,
                first: number,
            });
        };
        let begun = match &mut self.game {
            Some(game) => game.restart(seed),
            None => match Game::start(&self.code, seed) {
                Ok(mut game) => {
                    game.machine.recording = false;
                    self.game = Some(game);
                    Ok(())
                }
                Err(fault) => Err(fault),
            },
        };
        if let Err(fault) = begun {
            fail(fault, &mut record);
            return record;
        }
        let Some(game) = &mut self.game else { return record };
        let forced_before = game.machine.forced_choices;
        let mut chance = Generator::new(seed);
        let (mut asked, mut alone, mut digest) = (0u64, 0u64, 0u64);
        let most = plan.max_turns.saturating_mul(DECISIONS_PER_TURN).max(DECISIONS_PER_TURN);
        let end = loop {
            if game.over() {
                break if game.winner().is_some() { GameEnd::Win } else { GameEnd::Draw };
            }
            if game.turn() > plan.max_turns || asked >= most {
                break GameEnd::Limit;
            }
            if plan.invariants {
                let found = match game.test_invariants() {
                    Ok(None) => None,
                    Ok(Some((broken, span))) => {
                        let message = format!("an invariant is broken: {}", broken.join("; "));
                        Some(Fault { code: 603, message, span: Some(span) })
                    }
                    Err(fault) => Some(fault),
                };
                if let Some(fault) = found {
                    fail(fault, &mut record);
                    break record.end;
                }
            }
            match game.random_move(&mut chance) {
                Ok(print) => digest = mix(digest ^ print).wrapping_add(print),
                Err(fault) => {
                    fail(fault, &mut record);
                    break record.end;
                }
            }
            asked += 1;
            alone += u64::from(game.machine.total == 1);
        };
        let unasked = game.machine.forced_choices - forced_before;
        record.end = end;
        record.turns = game.turn();
        record.decisions = asked + unasked;
        record.forced = alone + unasked;
        record.winner = game.winner();
        record.digest = digest;
        for seat in 0..self.code.players {
            let (shown, hidden) = self.scorer.points(game, seat);
            record.points.extend(shown.map(|shown| shown + hidden.unwrap_or(0)));
        }
        record
    }
}
