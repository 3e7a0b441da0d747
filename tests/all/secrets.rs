//! What a seat may not know it cannot tell from what it is shown: of two positions that differ in nothing else, every
//! other seat sees the same, and is offered the same moves.

use regelwerk::diagnostic::Sink;
use regelwerk::pipeline;
use regelwerk::source::Sources;
use regelwerk::table::opening::{self, Opening, Players};
use regelwerk::table::protocol::answer;
use regelwerk::table::sitting::Sitting;
use serde_json::{Value as Json, json};

/// A game of three, of whom the first is to move.
fn sit(scenario: &str) -> Sitting {
    let (mut sources, mut sink) = (Sources::new(), Sink::new());
    let ready = pipeline::ready(scenario, &mut sources, &mut sink).expect("it can be played");
    let seats = opening::seats(&ready.program, &Players::Count(3)).expect("three can play");
    let scenario = scenario.to_owned();
    let opening = Opening { scenario, seats, seed: 5, ..Opening::default() };
    let Ok(code) = ready.code(&opening) else { panic!("it can be lowered") };
    let reader = ready.reader(&code, &opening);
    Sitting::start(&code, opening, Some(reader)).unwrap_or_else(|refusal| panic!("{}", refusal.message))
}

/// What the first seat is shown and offered in a position, and what it is told of the moves made there.
fn shown(scenario: &str, given: &[&str], moves: &[&str]) -> Vec<Json> {
    let mut sitting = sit(scenario);
    let mut ask = |request: Json| answer(&mut sitting, &request.to_string());
    for set in given {
        let done = ask(json!({"cmd": "given", "set": set}));
        assert_eq!(done["ok"], json!(true), "{set}: {done}");
    }
    let mut shown = Vec::new();
    for made in moves.iter().map(Some).chain([None]) {
        shown.push(ask(json!({"cmd": "show", "seat": "red"})));
        shown.push(ask(json!({"cmd": "legal"})));
        if let Some(made) = made {
            let done = ask(json!({"cmd": "do", "move": made}));
            assert_eq!(done["ok"], json!(true), "{made}: {done}");
        }
    }
    shown
}

/// The first seat cannot tell these two positions from each other.
fn alike(scenario: &str, start: &[&str], one: &[&str], other: &[&str], moves: &[&str]) {
    let one = shown(scenario, &[start, one].concat(), moves);
    let other = shown(scenario, &[start, other].concat(), moves);
    assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one, other);
    }
}

#[test]
fn nobody_sees_which_cards_others_hold() {
    let start = ["active = red", "red.role = rider"];
    let one = ["blue.resources = 1 ore", "orange.resources = 1 hide", "blue.ingredients = 1 herb"];
    let other = ["blue.resources = 1 hide", "orange.resources = 1 ore", "blue.ingredients = 1 herb"];
    alike("candamir", &start, &one, &other, &["explore", "none"]);
    let one = ["blue.hand = 1 ore", "orange.hand = 1 wool"];
    let other = ["blue.hand = 1 wool", "orange.hand = 1 ore"];
    alike("catan", &["active = red"], &one, &other, &["roll"]);
}

#[test]
fn nobody_sees_what_lies_face_down() {
    let start = ["active = red", "red.role = rider"];
    let (one, other) = (["tile on (4,1) = grassland_4_cattle"], ["tile on (4,1) = grassland_4_boots"]);
    alike("candamir", &start, &one, &other, &["explore", "s1", "none"]);
    // Whoever looks can tell them apart.
    let told = shown("candamir", &[&start[..], &one].concat(), &["explore", "s4", "none"]);
    let told_other = shown("candamir", &[&start[..], &other].concat(), &["explore", "s4", "none"]);
    assert_ne!(told.last(), None);
    assert_ne!(told, told_other);
}

#[test]
fn nobody_sees_what_others_have_looked_at() {
    let start = ["active = blue", "blue.role = rider"];
    let (one, other) = (["tile on (4,1) = grassland_4_cattle"], ["tile on (4,1) = grassland_4_boots"]);
    alike("candamir", &start, &one, &other, &["explore", "s4", "none"]);
}
