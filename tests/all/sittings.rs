//! What every scenario gets for free: random games end, a save gives the same game, taking back gives the position
//! before, every listed move can be typed, each seat's view hides what it must.

use std::rc::Rc;
use std::sync::Arc;

use regelwerk::bot::{Bot, RandomBot, chance_at};
use regelwerk::diagnostic::render::{Style, render};
use regelwerk::diagnostic::{Diagnostic, Sink};
use regelwerk::engine::Code;
use regelwerk::pipeline::{self, Ready};
use regelwerk::program::FieldRole;
use regelwerk::sim::{GameEnd, Plan, simulate};
use regelwerk::source::Sources;
use regelwerk::table::evaluate::Reader;
use regelwerk::table::event::Viewer;
use regelwerk::table::opening::{self, Opening, Players};
use regelwerk::table::protocol::answer;
use regelwerk::table::sitting::Sitting;
use regelwerk::table::{phrase, show, transcript};
use serde_json::Value as Json;

use crate::scenarios::games;

struct Set {
    sources: Sources,
    ready: Ready,
}

/// Every scenario that can be played.
fn sets() -> Vec<Set> {
    let mut out = Vec::new();
    for folder in games() {
        let (mut sources, mut sink) = (Sources::new(), Sink::new());
        let ready = pipeline::ready(&folder.display().to_string(), &mut sources, &mut sink);
        match ready {
            Some(ready) => out.push(Set { sources, ready }),
            // An abstract ruleset is there to be extended; what else keeps one from being played is tested elsewhere.
            None => assert!(!sink.sorted().is_empty(), "{} cannot be played", folder.display()),
        }
    }
    out
}

fn told(found: &[Diagnostic], sources: &Sources) -> String {
    render(found, sources, Style::default())
}

/// A table for each number of players, with the default options.
fn tables(set: &Set) -> Vec<(Opening, Arc<Code>, Rc<dyn Reader>)> {
    let program = &set.ready.program;
    let counts = program.players.iter();
    counts
        .map(|count| {
            let seats = opening::seats(program, &Players::Count(*count)).expect("the number is allowed");
            let opening = Opening {
                scenario: set.ready.scenario.id.clone(),
                seats,
                options: Vec::new(),
                seed: 5,
                forced: Vec::new(),
                record: None,
            };
            let code = match set.ready.code(&opening) {
                Ok(code) => code,
                Err(found) => panic!("{}", told(&found, &set.sources)),
            };
            let reader = set.ready.reader(&code, &opening);
            (opening, code, reader)
        })
        .collect()
}

fn sit(table: &(Opening, Arc<Code>, Rc<dyn Reader>)) -> Sitting {
    match Sitting::start(&table.1, table.0.clone(), Some(table.2.clone())) {
        Ok(sitting) => sitting,
        Err(refusal) => panic!("the game does not start: {}", refusal.message),
    }
}

/// Moves at random; false when the game is over.
fn move_on(sitting: &mut Sitting) -> bool {
    let mut chance = chance_at(sitting.opening.seed, sitting.step_count());
    let Some(chosen) = RandomBot.choose(&mut sitting.game, &mut chance) else { return false };
    match sitting.play_move(&chosen) {
        Ok(_) => true,
        Err(refusal) => panic!("a listed move is refused: {}", refusal.message),
    }
}

fn state(sitting: &Sitting) -> Vec<u64> {
    sitting.game.machine.memory[..sitting.game.code.state].to_vec()
}

/// All that there is to see: the state, the open decision, what is legal.
fn seen_by_all(sitting: &mut Sitting) -> Vec<Json> {
    let ask = |sitting: &mut Sitting, command: &str| answer(sitting, &format!("{{\"cmd\":\"{command}\"}}"));
    vec![ask(sitting, "show"), ask(sitting, "legal")]
}

#[test]
fn random_games_end_and_do_not_depend_on_threads() {
    for set in sets() {
        for (opening, code, _) in tables(&set) {
            let plan = Plan { games: 24, seed: 11, threads: 1, max_turns: 5000, invariants: true };
            let alone = simulate(&code, &plan);
            assert!(alone.faults.is_empty(), "{}: {:?}", opening.scenario, alone.faults);
            let ended = |end| matches!(end, GameEnd::Win | GameEnd::Draw);
            assert!(alone.games.iter().all(|g| ended(g.end)), "{}: a game without an end", opening.scenario);
            let together = simulate(&code, &Plan { threads: 2, invariants: false, ..plan });
            assert_eq!(alone.digest(), together.digest());
            assert_eq!(alone.hits, together.hits);
            // Where there is only ever one move, games differ in their chance alone.
            if alone.games.iter().any(|game| game.forced < game.decisions) {
                let other = simulate(&code, &Plan { seed: 12, ..plan });
                assert_ne!(alone.digest(), other.digest(), "{}: two seeds, the same games", opening.scenario);
            }
        }
    }
}

#[test]
fn a_save_gives_the_same_game() {
    for set in sets() {
        for table in tables(&set) {
            let mut sitting = sit(&table);
            for step in 0..2000 {
                let more = move_on(&mut sitting);
                if more && step % 400 != 60 {
                    continue;
                }
                let text = sitting.transcript();
                let mut sink = Sink::new();
                let play = transcript::parse(Default::default(), &text, &mut sink);
                assert!(sink.sorted().is_empty(), "a save can be read:\n{text}");
                let opening = play.opening(&set.ready.program).expect("a save can begin");
                assert_eq!(opening, sitting.opening);
                let again = transcript::resume(&play, &table.1, opening, Some(table.2.clone()));
                let again = again.unwrap_or_else(|fault| panic!("{}", fault.message));
                assert_eq!(state(&again), state(&sitting), "{}", sitting.opening.scenario);
                assert_eq!(again.transcript(), text);
                if !more {
                    break;
                }
            }
        }
    }
}

#[test]
fn what_is_taken_back_can_be_done_again() {
    for set in sets() {
        for table in tables(&set) {
            let mut sitting = sit(&table);
            let mut seen = vec![seen_by_all(&mut sitting)];
            for _ in 0..120 {
                if !move_on(&mut sitting) {
                    break;
                }
                seen.push(seen_by_all(&mut sitting));
            }
            for before in seen.iter().rev().skip(1) {
                sitting.undo().expect("there is something to take back");
                assert_eq!(seen_by_all(&mut sitting), *before);
            }
            assert!(sitting.undo().is_err());
            for after in seen.iter().skip(1) {
                sitting.redo().unwrap_or_else(|refusal| panic!("{}", refusal.message));
                assert_eq!(seen_by_all(&mut sitting), *after);
            }
            assert!(sitting.redo().is_err());
        }
    }
}

#[test]
fn every_listed_move_can_be_typed_and_is_legal() {
    for set in sets() {
        for table in tables(&set) {
            let mut sitting = sit(&table);
            for _ in 0..150 {
                let (moves, _) = sitting.game.moves(400);
                for chosen in &moves {
                    let text = phrase::write(&sitting.game, chosen);
                    let spaced = text.split(' ').collect::<Vec<_>>().join("   ");
                    let read = phrase::read(&mut sitting.game, &spaced);
                    assert_eq!(read.as_ref().ok(), Some(chosen), "`{text}`: {read:?}");
                    assert!(sitting.game.is_legal(chosen), "`{text}` is listed and not legal");
                    assert_eq!(sitting.game.why(chosen), Vec::<String>::new(), "`{text}`");
                }
                if !move_on(&mut sitting) {
                    break;
                }
            }
        }
    }
}

#[test]
fn a_refused_move_changes_nothing() {
    for set in sets() {
        for table in tables(&set) {
            let mut sitting = sit(&table);
            let mut everything: Vec<String> = Vec::new();
            for _ in 0..150 {
                let (moves, _) = sitting.game.moves(50);
                everything.extend(moves.iter().map(|m| phrase::write(&sitting.game, m)));
                everything.sort();
                everything.dedup();
                let before = state(&sitting);
                for text in everything.iter().step_by(7) {
                    match sitting.play(text) {
                        Ok(_) => {
                            sitting.undo().expect("it was just done");
                        }
                        Err(refusal) => assert!(!refusal.message.is_empty()),
                    }
                    assert_eq!(state(&sitting), before, "`{text}`");
                }
                if !move_on(&mut sitting) {
                    break;
                }
            }
        }
    }
}

#[test]
fn each_view_hides_what_it_must() {
    for set in sets() {
        for table in tables(&set) {
            let program = &set.ready.program;
            let hidden: Vec<&str> = program
                .fields
                .iter()
                .filter(|f| {
                    f.hidden && f.role == FieldRole::Declared && f.keys.first().copied() == program.known.player
                })
                .map(|f| f.name.as_str())
                .collect();
            let mut sitting = sit(&table);
            for step in 0..600 {
                if !move_on(&mut sitting) {
                    break;
                }
                if step % 40 != 0 {
                    continue;
                }
                let all = show::state(&mut sitting, Viewer::Everything);
                for (seat, name) in table.0.seats.iter().enumerate() {
                    let seen = show::state(&mut sitting, Viewer::Seat(seat));
                    let own = |state: &Json, owner: &str| state["seats"][owner]["state"].clone();
                    assert_eq!(own(&seen, name), own(&all, name), "one sees one's own");
                    for other in table.0.seats.iter().filter(|other| *other != name) {
                        for field in &hidden {
                            let value = own(&seen, other)[field].clone();
                            let keys: Vec<&str> =
                                value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
                            assert!(matches!(keys.as_slice(), ["size"] | ["hidden"]), "{other}.{field}: {value}");
                        }
                        assert!(seen["seats"][other].get("hidden_points").is_none());
                    }
                    assert_eq!(seen["places"], all["places"], "the board lies open");
                }
            }
        }
    }
}
