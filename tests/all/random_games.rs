//! What holds in every position of random games of every scenario: kept values are what they would be if computed
//! anew, what is listed and what `why` has nothing against are the same moves, invariants hold, and a game is the same
//! from the same seed.

use std::sync::Arc;

use regelwerk::diagnostic::Sink;
use regelwerk::engine::random::Generator;
use regelwerk::engine::{Code, Game, Move, Value};
use regelwerk::pipeline;
use regelwerk::program::Type;
use regelwerk::source::Sources;
use regelwerk::table::opening::Opening;

use crate::scenarios::games;

/// Decisions of one game that are looked at.
const DECISIONS: usize = 400;
/// More combinations of parameters than this are not all tried.
const COMBINATIONS: usize = 6_000;

/// The code of each scenario for each number of players, with options as they are by default.
fn codes() -> Vec<(String, Arc<Code>)> {
    let mut out = Vec::new();
    for folder in games() {
        let (mut sources, mut sink) = (Sources::new(), Sink::new());
        let Some(ready) = pipeline::ready(&folder.display().to_string(), &mut sources, &mut sink) else { continue };
        for players in &ready.program.players {
            let seats = ready.program.known.player.map_or(Vec::new(), |d| {
                ready.program.domains[d.index()].members.iter().take(*players).map(|m| m.name.clone()).collect()
            });
            let opening = Opening { seats, ..Opening::default() };
            let code = ready.code(&opening).expect("a clean scenario can be lowered");
            out.push((format!("{} for {players}", folder.display()), code));
        }
    }
    assert!(!out.is_empty());
    out
}

#[test]
fn kept_values_are_never_stale() {
    for (name, code) in codes() {
        for seed in 0..2 {
            let mut game = Game::start(&code, seed).expect("it starts");
            let mut chance = Generator::new(seed);
            for step in 0..DECISIONS {
                if game.over() {
                    break;
                }
                game.count_moves();
                let stale = game.stale_values();
                assert!(stale.is_empty(), "{name}, seed {seed}, decision {step}: stale {stale:?}");
                assert!(game.invariants_hold(), "{name}, seed {seed}: {:?}", game.broken_invariants());
                let moved = game.random_move(&mut chance);
                assert!(moved.is_ok(), "{name}, seed {seed}, decision {step}: {moved:?}");
            }
        }
    }
}

/// All values of a parameter, if they are few single words.
fn values(code: &Code, ty: Type) -> Option<i64> {
    match ty {
        Type::Member(domain) => code.layout.sizes.get(domain.index()).map(|n| *n as i64),
        Type::Truth | Type::Number | Type::Set(_) | Type::Bag(_) | Type::Nothing | Type::Unknown => None,
    }
}

#[test]
fn what_is_listed_is_what_nothing_speaks_against() {
    for (name, code) in codes() {
        let mut game = Game::start(&code, 7).expect("it starts");
        let mut chance = Generator::new(7);
        for step in 0..DECISIONS {
            let Some(decision) = game.decision() else { break };
            if step % 16 == 0 {
                for entry in code.sites[decision.site as usize].entries.clone() {
                    compare(&name, &code, &mut game, entry);
                }
            }
            game.random_move(&mut chance).expect("a listed move can be done");
        }
    }
}

fn compare(name: &str, code: &Code, game: &mut Game, number: u16) {
    let entry = &code.entries[number as usize];
    if entry.why.is_none() || entry.params.iter().any(|p| p.fixed) {
        return;
    }
    let Some(sizes) = entry.params.iter().map(|p| values(code, p.ty)).collect::<Option<Vec<i64>>>() else { return };
    let total: i64 = sizes.iter().product();
    if total as usize > COMBINATIONS {
        return;
    }
    let before = game.moves(COMBINATIONS);
    // Under a condition of the phase (done once already) nothing is listed; then there is nothing to compare.
    let any = game.menu().iter().any(|row| row.entry == number);
    for n in 0..total {
        let mut rest = n;
        let values = sizes
            .iter()
            .map(|size| {
                let value = rest % size;
                rest /= size;
                Value::Scalar(value)
            })
            .collect();
        let chosen = Move { entry: number, values };
        let (listed, against) = (game.listed(&chosen), game.why(&chosen));
        if listed || any {
            assert_eq!(listed, against.is_empty(), "{name}: {:?} {chosen:?}: {against:?}", entry.label);
        }
    }
    assert!(game.moves(COMBINATIONS) == before, "{name}: asking changed what is legal");
}

#[test]
fn the_same_seed_gives_the_same_game() {
    for (name, code) in codes() {
        let play = || {
            let mut game = Game::start(&code, 11).expect("it starts");
            let mut chance = Generator::new(11);
            let mut prints = Vec::new();
            while !game.over() && prints.len() < DECISIONS {
                prints.push(game.random_move(&mut chance).expect("a listed move can be done"));
            }
            (prints, game.snapshot())
        };
        assert!(play() == play(), "{name}");
    }
}
