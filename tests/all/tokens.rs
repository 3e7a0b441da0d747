//! Tokens that lie face down: who sees what, in the state and in what is told.

use regelwerk::diagnostic::Sink;
use regelwerk::pipeline;
use regelwerk::source::Sources;
use regelwerk::table::event::{self, Viewer};
use regelwerk::table::opening::{self, Opening, Players};
use regelwerk::table::protocol::answer;
use regelwerk::table::sitting::Sitting;
use serde_json::{Value as Json, json};

use crate::common::repo;

fn sit() -> Sitting {
    let (mut sources, mut sink) = (Sources::new(), Sink::new());
    let folder = repo("examples/cellars").display().to_string();
    let ready = pipeline::ready(&folder, &mut sources, &mut sink).expect("the example can be played");
    let seats = opening::seats(&ready.program, &Players::Count(2)).expect("two can play");
    let opening = Opening { scenario: "cellars".into(), seats, seed: 3, ..Opening::default() };
    let Ok(code) = ready.code(&opening) else { panic!("it can be lowered") };
    let reader = ready.reader(&code, &opening);
    Sitting::start(&code, opening, Some(reader)).unwrap_or_else(|refusal| panic!("{}", refusal.message))
}

fn ask(sitting: &mut Sitting, request: Json) -> Json {
    answer(sitting, &request.to_string())
}

fn state(sitting: &mut Sitting, seat: &str) -> Json {
    ask(sitting, json!({"cmd": "show", "seat": seat}))["state"]["shared"]["pieces"]["cask"].clone()
}

fn told(sitting: &Sitting, viewer: Viewer) -> Vec<String> {
    event::tell(&sitting.game, viewer).into_iter().map(|told| told.text).collect()
}

/// A game in which `c1` holds water and a tokay, and nothing lies elsewhere.
fn two_casks() -> Sitting {
    let mut sitting = sit();
    for place in 1..=6 {
        ask(&mut sitting, json!({"cmd": "given", "set": format!("cask on c{place} = none")}));
    }
    let given = ask(&mut sitting, json!({"cmd": "given", "set": "cask on c1 = water, tokay"}));
    assert_eq!(given["ok"], json!(true), "{given}");
    sitting
}

#[test]
fn a_look_is_for_one_seat() {
    let mut sitting = two_casks();
    let unknown = json!({"cask 1 on c1": "?", "cask 2 on c1": "?"});
    assert_eq!(state(&mut sitting, "red")["face"], unknown);
    let done = ask(&mut sitting, json!({"cmd": "do", "move": "pry cask 2 on c1"}));
    assert_eq!(done["ok"], json!(true), "{done}");
    assert_eq!(told(&sitting, Viewer::Seat(0)), ["red looks at cask on c1: tokay"]);
    assert_eq!(told(&sitting, Viewer::Seat(1)), ["red looks at cask on c1"]);
    assert_eq!(told(&sitting, Viewer::Public), ["red looks at cask on c1"]);
    assert_eq!(state(&mut sitting, "red")["face"], json!({"cask 1 on c1": "?", "cask 2 on c1": "tokay"}));
    assert_eq!(state(&mut sitting, "blue")["face"], unknown);
    // That somebody has looked is no secret.
    assert_eq!(state(&mut sitting, "blue")["seen"], json!({"cask 1 on c1": [], "cask 2 on c1": ["red"]}));

    // It is taken into a hand that the others do not see.
    ask(&mut sitting, json!({"cmd": "do", "move": "buy"}));
    assert!(told(&sitting, Viewer::Seat(0)).contains(&"red takes cask from c1: tokay".to_string()));
    assert!(told(&sitting, Viewer::Seat(1)).contains(&"red takes cask from c1".to_string()));
    let shown = ask(&mut sitting, json!({"cmd": "show", "seat": "blue"}));
    assert!(!shown.to_string().contains("tokay"), "{shown}");
}

#[test]
fn what_moves_is_still_known_and_what_is_shuffled_is_not() {
    let mut sitting = two_casks();
    for done in ["pry cask 1 on c1", "leave", "roll cask 1 on c1 to c2"] {
        let answer = ask(&mut sitting, json!({"cmd": "do", "move": done}));
        assert_eq!(answer["ok"], json!(true), "{answer}");
    }
    assert_eq!(state(&mut sitting, "red")["face"]["cask 1 on c2"], json!("water"));
    assert_eq!(state(&mut sitting, "blue")["face"]["cask 1 on c2"], json!("?"));
    // Who may pour water out knows it; the others are told no more than that they have not looked.
    let why = ask(&mut sitting, json!({"cmd": "why", "move": "pour cask 1 on c2"}));
    assert_eq!(why["legal"], json!(true), "{why}");
    for done in ["roll cask on c1 to c2", "shuffle c2"] {
        let answer = ask(&mut sitting, json!({"cmd": "do", "move": done}));
        assert_eq!(answer["ok"], json!(true), "{answer}");
    }
    let why = ask(&mut sitting, json!({"cmd": "why", "move": "pour cask 1 on c2"}));
    assert_eq!(why["because"], json!(["you have not looked"]), "{why}");
    assert_eq!(state(&mut sitting, "red")["face"], json!({"cask 1 on c2": "?", "cask 2 on c2": "?"}));
    assert_eq!(state(&mut sitting, "red")["seen"], json!({"cask 1 on c2": [], "cask 2 on c2": []}));
}

#[test]
fn a_saved_game_lays_the_same_faces() {
    let faces =
        |sitting: &mut Sitting| ask(sitting, json!({"cmd": "show"}))["state"]["shared"]["pieces"]["cask"].clone();
    let (mut one, mut other) = (sit(), sit());
    for done in ["shuffle c1", "shuffle c2"] {
        ask(&mut one, json!({"cmd": "do", "move": done}));
        ask(&mut other, json!({"cmd": "do", "move": done}));
    }
    assert_eq!(faces(&mut one), faces(&mut other));
    assert!(!faces(&mut one).to_string().contains('?'));
}
