//! Play for programs and at the prompt: shapes of the answers, and that nothing that is sent can end a session.

use std::rc::Rc;
use std::sync::Arc;

use regelwerk::bot::RandomBot;
use regelwerk::diagnostic::Sink;
use regelwerk::engine::Code;
use regelwerk::engine::random::Generator;
use regelwerk::pipeline;
use regelwerk::source::Sources;
use regelwerk::table::evaluate::Reader;
use regelwerk::table::opening::{self, Opening, Players};
use regelwerk::table::protocol::answer;
use regelwerk::table::repl::{Chair, Deed, Look, Repl};
use regelwerk::table::sitting::Sitting;
use serde_json::{Value as Json, json};

fn table() -> (Opening, Arc<Code>, Rc<dyn Reader>) {
    let (mut sources, mut sink) = (Sources::new(), Sink::new());
    let ready = pipeline::ready("catan", &mut sources, &mut sink).expect("the base game can be played");
    let seats = opening::seats(&ready.program, &Players::Count(3)).expect("three can play");
    let opening =
        Opening { scenario: "catan".into(), seats, options: Vec::new(), seed: 3, forced: Vec::new(), record: None };
    let Ok(code) = ready.code(&opening) else { panic!("it can be lowered") };
    let reader = ready.reader(&code, &opening);
    (opening, code, reader)
}

fn sit() -> Sitting {
    let (opening, code, reader) = table();
    Sitting::start(&code, opening, Some(reader)).unwrap_or_else(|refusal| panic!("{}", refusal.message))
}

fn ask(sitting: &mut Sitting, request: Json) -> Json {
    answer(sitting, &request.to_string())
}

#[test]
fn answers_have_the_shapes_of_the_contract() {
    let mut sitting = sit();
    let legal = ask(&mut sitting, json!({"cmd": "legal"}));
    assert_eq!(legal["decision"], json!({"seat": "red", "prompt": "Where is your settlement?"}));
    assert_eq!(legal["moves"].as_array().map(Vec::len), Some(54));
    assert_eq!(legal["more"], json!(false));

    let done = ask(&mut sitting, json!({"cmd": "do", "move": "c1"}));
    assert_eq!(done["ok"], json!(true));
    assert_eq!(done["over"], Json::Null);
    let event = json!({"event": "place", "seat": "red", "piece": "settlement", "on": "c1",
        "text": "red places settlement on c1"});
    assert_eq!(done["events"], json!([event]));

    assert_eq!(ask(&mut sitting, json!({"cmd": "given", "set": "red.hand = 1 brick + 2 ore"}))["ok"], json!(true));
    let state = ask(&mut sitting, json!({"cmd": "show", "seat": "blue"}))["state"].clone();
    assert_eq!(state["turn"], json!(1));
    assert_eq!(state["phase"], json!("production"));
    assert_eq!(state["active"], json!("red"));
    assert_eq!(state["seats"]["red"]["points"], json!(1));
    assert_eq!(state["seats"]["red"]["state"], json!({"hand": {"size": 3}, "cards": {"size": 0}, "knights": 0}));
    assert_eq!(state["seats"]["red"]["pieces"]["settlement"], json!({"supply": 4, "on": ["c1"]}));
    assert_eq!(state["shared"]["pieces"]["robber"], json!({"on": ["h10"]}));
    assert_eq!(state["shared"]["decks"]["development"]["left"], json!(25));
    assert_eq!(state["shared"]["state"]["bank"]["ore"], json!(17));
    assert_eq!(state["places"]["h1"], json!({"terrain": "mountains", "number": 10}));
    assert_eq!(state["awards"], json!({"longest_road": null, "largest_army": null}));
    let state = ask(&mut sitting, json!({"cmd": "show"}))["state"].clone();
    assert_eq!(state["seats"]["red"]["state"]["hand"], json!({"brick": 1, "ore": 2}));

    assert_eq!(ask(&mut sitting, json!({"cmd": "dice", "values": [4, 4]}))["ok"], json!(true));
    let roll = ask(&mut sitting, json!({"cmd": "do", "move": "roll"}));
    assert_eq!(roll["events"][0]["dice"], json!([4, 4]));
    assert_eq!(ask(&mut sitting, json!({"cmd": "eval", "expr": "red.points"})), json!({"ok": true, "value": 1}));
    let why = ask(&mut sitting, json!({"cmd": "why", "move": "build road on e40"}));
    assert_eq!((&why["ok"], &why["legal"]), (&json!(true), &json!(false)));
    assert!(why["because"].as_array().is_some_and(|b| !b.is_empty()));

    let board = ask(&mut sitting, json!({"cmd": "board"}));
    assert_eq!(board["places"][0]["id"], json!("h1"));
    let save = ask(&mut sitting, json!({"cmd": "save"}));
    assert!(save["transcript"].as_str().is_some_and(|t| t.starts_with("scenario catan\n")));
}

#[test]
fn one_undo_takes_back_one_move_with_its_chance() {
    let mut sitting = sit();
    ask(&mut sitting, json!({"cmd": "given", "set": "active = red"}));
    let first = ask(&mut sitting, json!({"cmd": "do", "move": "roll"}));
    let after = ask(&mut sitting, json!({"cmd": "show"}));
    assert_eq!(ask(&mut sitting, json!({"cmd": "undo"}))["decision"]["prompt"], json!("production"));
    assert_eq!(ask(&mut sitting, json!({"cmd": "do", "move": "roll"})), first);
    assert_eq!(ask(&mut sitting, json!({"cmd": "show"})), after);
    ask(&mut sitting, json!({"cmd": "undo"}));
    ask(&mut sitting, json!({"cmd": "dice", "values": [1, 2]}));
    ask(&mut sitting, json!({"cmd": "do", "move": "roll"}));
    // The forced faces wait again.
    ask(&mut sitting, json!({"cmd": "undo"}));
    let again = ask(&mut sitting, json!({"cmd": "do", "move": "roll"}));
    assert_eq!(again["events"][0]["dice"], json!([1, 2]));
}

/// A result that cannot be stands in the way of the move that asks for it; taking it back clears the way.
#[test]
fn a_forced_result_that_cannot_be_is_taken_back() {
    let mut sitting = sit();
    let before = ask(&mut sitting, json!({"cmd": "show"}));
    assert_eq!(ask(&mut sitting, json!({"cmd": "dice", "values": [7, 7]}))["code"], json!("RW0835"));
    ask(&mut sitting, json!({"cmd": "dice", "values": [6, 6]}));
    assert_eq!(ask(&mut sitting, json!({"cmd": "undo"}))["ok"], json!(true));
    assert_eq!(ask(&mut sitting, json!({"cmd": "undo"}))["code"], json!("RW0807"));
    assert_eq!(ask(&mut sitting, json!({"cmd": "show"})), before);
    ask(&mut sitting, json!({"cmd": "given", "set": "active = red"}));
    assert_eq!(ask(&mut sitting, json!({"cmd": "do", "move": "roll"}))["ok"], json!(true));
}

#[test]
fn a_number_that_is_none_is_null() {
    let mut sitting = sit();
    assert_eq!(ask(&mut sitting, json!({"cmd": "eval", "expr": "h1.number"}))["value"], json!(10));
    let none = ask(&mut sitting, json!({"cmd": "eval", "expr": "h10.number"}));
    assert_eq!((&none["ok"], &none["value"]), (&json!(true), &Json::Null));
}

#[test]
fn faults_are_answers() {
    let mut sitting = sit();
    let before = ask(&mut sitting, json!({"cmd": "show"}));
    for (request, code) in [
        (r#"{"cmd":"do","move":"c99"}"#, "RW0802"),
        (r#"{"cmd":"do","move":"frobnicate"}"#, "RW0802"),
        (r#"{"cmd":"do","move":"roll"}"#, "RW0803"),
        (r#"{"cmd":"do","move":"roll","seat":"blue"}"#, "RW0805"),
        (r#"{"cmd":"show","seat":"green"}"#, "RW0806"),
        (r#"{"cmd":"undo"}"#, "RW0807"),
        (r#"{"cmd":"given","set":"red.hand = 30 ore"}"#, "RW0833"),
        (r#"{"cmd":"given","set":"red.hat = 30 ore"}"#, "RW0831"),
        (r#"{"cmd":"given","set":"red.knights = 99"}"#, "RW0832"),
        (r#"{"cmd":"dice","values":[0]}"#, "RW0835"),
        (r#"{"cmd":"draw","what":"development kniht"}"#, "RW0832"),
        (r#"{"cmd":"eval","expr":"red.pints"}"#, "RW0201"),
        (r#"{"cmd":"eval","expr":"1 +"}"#, "RW0101"),
        (r#"{"cmd":"eval","expr":"hand"}"#, "RW0306"),
        (r#"{"cmd":"dance"}"#, "RW0842"),
        (r#"{"cmd":"do"}"#, "RW0843"),
        (r#"{"cmd":"do","move":7}"#, "RW0843"),
        (r#"{"cmd":7}"#, "RW0843"),
        ("[]", "RW0841"),
        ("{", "RW0841"),
    ] {
        let found = answer(&mut sitting, request);
        assert_eq!(found["ok"], json!(false), "{request}: {found}");
        assert_eq!(found["code"], json!(code), "{request}: {found}");
        assert!(found["message"].as_str().is_some_and(|m| !m.is_empty()) && found["because"].is_array());
    }
    assert_eq!(ask(&mut sitting, json!({"cmd": "show"})), before, "no fault changes the game");
}

/// Requests made of pieces of right ones, and of bytes.
#[test]
fn no_request_ends_the_session() {
    let pieces = [
        "{\"cmd\":\"",
        "do",
        "given",
        "eval",
        "draw",
        "why",
        "show",
        "\",\"",
        "move",
        "set",
        "expr",
        "what",
        "seat",
        "\":\"",
        "\"}",
        "red",
        "red.hand",
        " = ",
        "3 ore",
        "(0,",
        "-2).NE",
        "h12",
        ".",
        "NE",
        " of ",
        "(",
        ")",
        "+",
        "==",
        "c1",
        "c2",
        "e1",
        "roll",
        "play knight",
        "offer 1 ore for 1 wool to blue",
        "active",
        "phase",
        "main",
        "ü",
        "\\u0000",
        "999999999999999999999",
        "none",
        "nothing",
        ",",
        "road",
        "robber",
        "count(",
        "where",
        "\"",
        "{",
        "}",
        "[",
        "undo",
        "redo",
        "dice",
        "values\":[4,4]",
    ];
    let mut chance = Generator::new(99);
    let mut sitting = sit();
    for _ in 0..4000 {
        let mut line = String::new();
        if chance.below(4) > 0 {
            let command = ["do", "given", "eval", "draw", "why"][chance.below(5) as usize];
            let field = ["move", "set", "expr", "what", "move"]
                [["do", "given", "eval", "draw", "why"].iter().position(|c| *c == command).unwrap_or(0)];
            let text: String = (0..chance.below(6))
                .map(|_| pieces[chance.below(pieces.len() as u64) as usize])
                .collect::<Vec<_>>()
                .join(" ");
            line = json!({"cmd": command, field: text}).to_string();
        } else {
            for _ in 0..chance.below(12) {
                line.push_str(pieces[chance.below(pieces.len() as u64) as usize]);
            }
        }
        let found = answer(&mut sitting, &line);
        assert!(found["ok"].is_boolean(), "{line}: {found}");
        if sitting.game.over() || chance.below(50) == 0 {
            ask(&mut sitting, json!({"cmd": "undo"}));
        }
    }
}

fn repl(full: bool) -> Repl {
    let chairs = vec![Chair::Person, Chair::Bot(Box::new(RandomBot)), Chair::Bot(Box::new(RandomBot))];
    Repl::new(sit(), chairs, Look { full, colour: false, width: 100 })
}

#[test]
fn the_prompt_takes_moves_numbers_and_commands() {
    let mut repl = repl(true);
    let begin = repl.begin().text;
    assert!(begin.contains("Where is your settlement?") && begin.contains("1) c1"), "{begin}");
    assert_eq!(repl.prompt(), "red> ");
    assert!(repl.feed("c99").text.contains("`c99` is no corner"));
    assert!(repl.feed("why c99").text.contains("`c99` is no corner"));
    let first = repl.feed("2").text;
    assert!(first.starts_with("red: c2\n  red places settlement on c2\n"), "{first}");
    assert!(repl.feed("why c2").text.contains("nobody is asked for `c2` now"));
    let road = repl.feed("  e1 ").text;
    assert!(road.contains("blue: ") && road.contains("orange: "), "bots move by themselves: {road}");
    assert!(repl.feed("undo").text.starts_with("taken back: red:     e1\n"));
    assert!(repl.feed("redo").text.starts_with("red: e1\n"));
    assert!(repl.feed("help").text.contains("why MOVE"));
    assert!(repl.feed("log").text.starts_with("red:     c2\nred:     e1\n"));
    assert_eq!(repl.feed("eval red.points").text, "1\n");
    assert!(repl.feed("show").text.contains("points"));
    assert!(repl.feed("board").text.contains("h10"));
    let save = repl.feed("save game.play");
    assert!(matches!(save.deed, Some(Deed::Save { path, .. }) if path == "game.play"));
    assert_eq!(repl.feed("quit").deed, Some(Deed::Quit));
    assert_eq!(repl.feed("").text, "");
}

#[test]
fn a_pipe_gets_no_pictures() {
    let mut repl = repl(false);
    assert_eq!(repl.begin().text, "red is to choose: Where is your settlement?\n");
    assert_eq!(
        repl.feed("c2").text,
        "red: c2\n  red places settlement on c2\nred is to choose: Which way does its road lead?\n"
    );
}
