//! Scenarios that mean no good, or are a slip that looks like it: each is refused or stopped, with a code, and soon.
//! The commands are run as a user would run them, so a hang or a crash of the whole program would show too.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::{scratch, write};

/// A second is what it may take; a build without optimisation on a busy machine gets more.
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 8 } else { 1 });

const MANIFEST: &str = "name = \"hostile\"\nlanguage = 1\nplayers = [2]\n";

/// A game with room for something bad; its only action does `DEED`.
const GAME: &str = "seats red, blue\neach player has luck: 0..9\nturn { day { must go } }\n\
                    end when turn > 100   winner active\naction go { DEED }\n";

fn game(deed: &str) -> String {
    GAME.replace("DEED", deed)
}

/// Lays a scenario out: its manifest and some more files.
fn hostile(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = scratch(&format!("hostile-{name}")).join("hostile");
    write(&folder.join("scenario.toml"), MANIFEST);
    for (path, text) in files {
        write(&folder.join(path), text);
    }
    folder
}

/// Runs a command about a scenario and expects it to end in time, with status 1 and this code.
fn stops(arguments: &[&str], folder: &Path, code: &str) {
    let begun = Instant::now();
    let ran = Command::new(env!("CARGO_BIN_EXE_regelwerk")).args(arguments).arg(folder).output().expect("it runs");
    let took = begun.elapsed();
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    let shown: String = said.chars().take(2000).collect();
    assert_eq!(ran.status.code(), Some(1), "{arguments:?}: {shown}");
    assert!(said.contains(code), "{arguments:?} does not say {code}: {shown}");
    assert!(took < LIMIT, "{arguments:?} took {took:?}");
}

const CHECK: &[&str] = &["check"];
const PLAY: &[&str] = &["simulate", "--games", "1", "--players", "2", "--threads", "1"];

#[test]
fn an_endless_script_is_stopped() {
    let rules = game("do odd::run()") + "script odd \"odd.rhai\"\n";
    for body in ["loop {}", "let a = []; loop { a.push(1); }", "let t = \"x\"; loop { t += t; }", "run()"] {
        let script = format!("fn run() {{ {body} }}\n");
        let folder = hostile("script", &[("main.rules", &rules), ("odd.rhai", &script)]);
        stops(PLAY, &folder, "RW072");
    }
}

#[test]
fn a_million_nested_brackets_are_refused() {
    for (open, close) in [("(", ")"), ("{", "}"), ("[", "]")] {
        let text = format!("define deep = {}1{}\n", open.repeat(500_000), close.repeat(500_000));
        let folder = hostile("brackets", &[("main.rules", &text)]);
        stops(CHECK, &folder, "RW0701");
    }
    let text = format!("fn run() {{ {}1{} }}\n", "(".repeat(30_000), ")".repeat(30_000));
    let rules = game("do odd::run()") + "script odd \"odd.rhai\"\n";
    stops(CHECK, &hostile("script-brackets", &[("main.rules", &rules), ("odd.rhai", &text)]), "RW072");
    let text = format!("{MANIFEST}title = {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    stops(CHECK, &hostile("toml-brackets", &[("main.rules", &game("stop")), ("scenario.toml", &text)]), "RW0403");
}

#[test]
fn a_path_out_of_the_folder_is_refused() {
    let folder = hostile("path", &[("main.rules", &game("stop"))]);
    write(&folder.with_file_name("secret.rules"), "a secret");
    write(&folder.with_file_name("secret.board"), "a secret");
    for path in ["../secret.rules", "/etc/passwd", "sub/../../secret.rules"] {
        write(&folder.join("scenario.toml"), format!("{MANIFEST}files = [\"main.rules\", \"{path}\"]\n"));
        stops(CHECK, &folder, "RW0781");
    }
    write(&folder.join("scenario.toml"), MANIFEST);
    for line in ["board far from \"../secret.board\"", "script far \"../secret.rhai\"", "board far from \"/etc/passwd\""] {
        write(&folder.join("main.rules"), format!("{}{line}\n", game("stop")));
        stops(CHECK, &folder, "RW0433");
    }
    for base in ["..", "/etc", "../secret"] {
        write(&folder.join("scenario.toml"), format!("{MANIFEST}extends = \"{base}\"\n"));
        stops(CHECK, &folder, "RW04");
    }
}

#[test]
fn huge_tables_and_numbers_are_refused() {
    let rows = "[[card]]\nname = \"a\"\n".repeat(60_000);
    stops(CHECK, &hostile("table", &[("main.rules", &game("stop")), ("cards.toml", &rows)]), "RW0782");
    let goods: Vec<String> = (0..50_000).map(|n| format!("g{n}")).collect();
    let rules = game("stop") + &format!("goods many {{ {} }}  1 each in bank\n", goods.join(", "));
    stops(CHECK, &hostile("goods", &[("main.rules", &rules)]), "RW0303");
    let board = format!("board hexes\nm = plain\ndrawing\n{}", format!("   {}\n", "m ".repeat(900)).repeat(300));
    let rules = game("stop") + "board wide from \"wide.board\"\n";
    stops(CHECK, &hostile("board", &[("main.rules", &rules), ("wide.board", &board)]), "RW0750");
    let rules = game("stop") + "deck many { sun 1000000 }\neach player has cards: bag of many\n";
    stops(PLAY, &hostile("deck", &[("main.rules", &rules)]), "RW07");
    let rules = game("stop") + "each player, many has a: 0..1000000\ngoods many { "
        + &goods.iter().take(900).cloned().collect::<Vec<_>>().join(", ")
        + " }  1 each in bank\neach many, many has b: 0..1000000\n";
    stops(PLAY, &hostile("state", &[("main.rules", &rules)]), "RW07");
}

#[test]
fn rules_that_set_themselves_off_are_stopped() {
    let emits = game("emit tick(1)") + "trigger again on tick(n) { emit tick(n) }\n";
    stops(CHECK, &hostile("trigger", &[("main.rules", &emits)]), "RW0424");
    let circle = game("emit tick") + "trigger one on tick { emit tock }\ntrigger two on tock { emit tick }\n";
    stops(CHECK, &hostile("circle", &[("main.rules", &circle)]), "RW0424");
    let procedure = game("do one") + "procedure one { do two }\nprocedure two { do one }\n";
    stops(CHECK, &hostile("procedure", &[("main.rules", &procedure)]), "RW0424");
    // What arrives is moved on, for ever: only play shows it.
    let moves = game("place my pawn on h1  otherwise { stop }").replace("place my pawn on h1  otherwise { stop }", "do start")
        + "piece pawn on hex 1 each\nboard two from \"two.board\"\n\
           procedure start { for h in west where no my pawn { place my pawn on h } }\n\
           trigger back on arrival of pawn at h by p where h in west { for e in east { move pawn of p to e } }\n\
           trigger forth on arrival of pawn at h by p where h in east { for w in west { move pawn of p to w } }\n";
    let board = "board hexes\nm = plain\ndrawing\n  m m\nmark west: h1\nmark east: h2\n";
    stops(PLAY, &hostile("arrival", &[("main.rules", &moves), ("two.board", board)]), "RW07");
}

#[test]
fn loops_without_measure_are_stopped() {
    let mut deed = "add 0 to my luck".to_owned();
    for _ in 0..8 {
        deed = format!("repeat 1000000 {{ {deed} }}");
    }
    stops(PLAY, &hostile("loops", &[("main.rules", &game(&deed))]), "RW0706");
    let mut rules = game("do p0");
    for n in 0..40 {
        rules += &format!("procedure p{n} {{ do p{m}; do p{m} }}\n", m = n + 1);
    }
    rules += "procedure p40 { add 0 to my luck }\n";
    stops(PLAY, &hostile("calls", &[("main.rules", &rules)]), "RW07");
}
