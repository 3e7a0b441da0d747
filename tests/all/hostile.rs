//! Scenarios that mean no good, or are a slip that looks like it: each is refused or stopped, with a code, and soon.
//! The commands are run as a user would run them, so that a hang or a crash of the whole program shows too.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use regelwerk::diagnostic::codes;

use crate::common::{read, repo, scratch, write};

/// A second is what it may take; a build without optimisation on a busy machine gets more.
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 1 });

const MANIFEST: &str = "name = \"hostile\"\nlanguage = 1\nplayers = [2]\n";

/// A game with room for something bad; its only action does `DEED`.
const GAME: &str = "seats red, blue\neach player has luck: 0..9\nturn { day { must go } }\n\
                    end when turn > 100   winner active\naction go { DEED }\n";

const NOTHING: &str = "add 0 to my luck";
const TWO_HEXES: &str =
    "board hexes\nm = terrain meadow\nt = terrain tower\ndrawing\n  m t\nmark west: h1\nmark east: h2\n";

fn game(deed: &str) -> String {
    GAME.replace("DEED", deed)
}

/// The game with some more declarations.
fn with(deed: &str, more: &str) -> String {
    format!("{}{more}", game(deed))
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
    let place = folder.display();
    assert_eq!(ran.status.code(), Some(1), "{arguments:?} {place}: {shown}");
    assert!(said.contains(code), "{arguments:?} {place} does not say {code}: {shown}");
    assert!(took < LIMIT, "{arguments:?} {place} took {took:?}");
}

const CHECK: &[&str] = &["check"];
const TEST: &[&str] = &["test"];
const PLAY: &[&str] = &["simulate", "--games", "1", "--players", "2", "--threads", "1"];

/// A ruleset that consists of one file.
fn one(name: &str, rules: &str) -> PathBuf {
    hostile(name, &[("main.rules", rules)])
}

/// `count` declarations, each made of the next one.
fn chain(count: usize, link: impl Fn(String, String) -> String) -> String {
    (0..count).map(|n| link(format!("n{n}"), format!("n{}", n + 1))).collect()
}

// ---- scripts ----

#[test]
fn an_endless_script_is_stopped() {
    let rules = with("do odd::run()", "script odd \"odd.rhai\"\n");
    let bodies = [
        ("loop", "loop {}", "RW0720"),
        ("array", "let a = []; loop { a.push(1); }", "RW0721"),
        ("text", "let t = \"x\"; loop { t += t; }", "RW0721"),
        ("map", "let m = #{}; let n = 0; loop { m[n.to_string()] = n; n += 1; }", "RW0720"),
        ("nested", "let a = [1]; loop { a = [a, a]; }", "RW0721"),
        ("itself", "run()", "RW0721"),
    ];
    for (name, body, code) in bodies {
        let script = format!("fn run() {{ {body} }}\n");
        let folder = hostile(&format!("script-{name}"), &[("main.rules", &rules), ("odd.rhai", &script)]);
        stops(PLAY, &folder, code);
    }
    let both = "fn run() { other() }\nfn other() { run() }\n";
    stops(PLAY, &hostile("script-both", &[("main.rules", &rules), ("odd.rhai", both)]), "RW0721");
    let deep = format!("fn run() {{ {}1{} }}\n", "(".repeat(30_000), ")".repeat(30_000));
    stops(CHECK, &hostile("script-deep", &[("main.rules", &rules), ("odd.rhai", &deep)]), "RW072");
}

// ---- texts ----

#[test]
fn a_million_nested_brackets_are_refused() {
    for (name, open, close) in [("round", "(", ")"), ("curly", "{", "}"), ("square", "[", "]")] {
        let text = format!("define deep = {}1{}\n", open.repeat(500_000), close.repeat(500_000));
        stops(CHECK, &one(&format!("brackets-{name}"), &text), "RW0701");
    }
    let text = format!("{MANIFEST}title = {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    stops(CHECK, &hostile("brackets-toml", &[("main.rules", &game(NOTHING)), ("scenario.toml", &text)]), "RW0403");
}

#[test]
fn what_is_nested_without_brackets_is_refused() {
    let board = "board two from \"two.board\"\nterrain meadow\nterrain tower\npiece pawn on hex 3 each\n";
    let long = [
        ("sum", game(&format!("set my luck = min(3, {})", vec!["turn"; 20_000].join(" + ")))),
        ("or", game(&format!("require {} \"no\"", vec!["turn > 0"; 20_000].join(" or ")))),
        ("not", game(&format!("require {}turn > 0 \"no\"", "not ".repeat(20_000)))),
        ("minus", game(&format!("set my luck = {}3", "-".repeat(20_000)))),
        ("else", game(&format!("{}{{ add 1 to my luck }}", "if turn > 9 { } else ".repeat(20_000)))),
        ("then", game(&format!("set my luck = {}3", "if turn > 9 then 1 else ".repeat(20_000)))),
        ("without", with(NOTHING, &format!("{board}set odd = hex{}\n", " without pawn".repeat(20_000)))),
        ("words", format!("{}\n", "a ".repeat(200_000))),
        ("signs", format!("{}\n", "@".repeat(200_000))),
    ];
    for (name, rules) in long {
        let folder = hostile(&format!("long-{name}"), &[("main.rules", &rules), ("two.board", TWO_HEXES)]);
        stops(CHECK, &folder, "RW0702");
    }
}

#[test]
fn files_that_are_no_text_are_refused() {
    let folder = hostile("utf8", &[]);
    write(&folder.join("main.rules"), [b's', b'e', b'a', b't', b's', 0xff, 0xfe]);
    stops(CHECK, &folder, "RW0416");
    stops(CHECK, &one("nul", &game(NOTHING).replace("luck", "lu\0ck")), "RW0113");
    stops(CHECK, &one("empty", ""), "RW0420");
    stops(CHECK, &hostile("empty-manifest", &[("main.rules", &game(NOTHING)), ("scenario.toml", "")]), "RW0405");
    for (name, path, code) in
        [("rules", "main.rules", "RW0414"), ("manifest", "scenario.toml", "RW0415"), ("board", "far.board", "RW0433")]
    {
        let folder = one(&format!("folder-{name}"), &with(NOTHING, "board far from \"far.board\"\n"));
        let _ = std::fs::remove_file(folder.join(path));
        std::fs::create_dir(folder.join(path)).expect("it can be made");
        stops(CHECK, &folder, code);
    }
}

#[test]
fn a_path_out_of_the_folder_is_refused() {
    let folder = one("path", &game(NOTHING));
    for name in ["secret.rules", "secret.board", "secret.rhai", "secret.toml", "secret/scenario.toml"] {
        write(&folder.with_file_name(name), "a secret");
    }
    for path in ["../secret.rules", "/etc/passwd", "sub/../../secret.rules"] {
        write(&folder.join("scenario.toml"), format!("{MANIFEST}files = [\"main.rules\", \"{path}\"]\n"));
        stops(CHECK, &folder, "RW0781");
    }
    write(&folder.join("scenario.toml"), MANIFEST);
    for line in
        ["board far from \"../secret.board\"", "script far \"../secret.rhai\"", "board far from \"/etc/passwd\""]
    {
        write(&folder.join("main.rules"), with(NOTHING, &format!("{line}\n")));
        stops(CHECK, &folder, "RW0433");
    }
    write(&folder.join("main.rules"), game(NOTHING));
    for base in ["..", "/etc", "../path", "../../secret", "a/b"] {
        write(&folder.join("scenario.toml"), format!("{MANIFEST}extends = \"{base}\"\n"));
        stops(CHECK, &folder, "RW04");
    }
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere() {
    let folder = hostile("links", &[]);
    write(&folder.with_file_name("secret.rules"), "a secret");
    for (name, target, code) in [("main.rules", "../secret.rules", "RW0781"), ("main.rules", "main.rules", "RW04")] {
        let _ = std::fs::remove_file(folder.join(name));
        std::os::unix::fs::symlink(target, folder.join(name)).expect("a link can be made");
        stops(CHECK, &folder, code);
    }
}

// ---- sizes ----

#[test]
fn huge_numbers_are_refused() {
    let most = "1000000000000000000000000000000";
    let rules = [
        ("goods", with(NOTHING, &format!("goods coin {{ copper }} {most} each in bank\n"))),
        ("times", game(&format!("repeat {most} {{ add 1 to my luck }}"))),
        ("range", with(NOTHING, &format!("each player has gold: 0..{most}\n"))),
        ("die", game(&format!("roll 1 d{most} as n"))),
    ];
    for (name, rules) in rules {
        stops(CHECK, &one(&format!("number-{name}"), &rules), "RW0111");
    }
    for (name, rules) in [("faces", game("roll 1 d1000000 as n")), ("dice", game("roll 1000000 d6 as n"))] {
        stops(CHECK, &one(&format!("number-{name}"), &rules), "RW0303");
    }
    let rules = game(NOTHING).replace("action go {", "action go n: 1..1000000 {");
    stops(CHECK, &one("number-moves", &rules), "RW0315");
    let many = format!("{}[100000000]\n", MANIFEST.trim_end().trim_end_matches("[2]"));
    stops(CHECK, &hostile("players", &[("main.rules", &game(NOTHING)), ("scenario.toml", &many)]), "RW0407");
}

#[test]
fn huge_games_are_refused() {
    let names = |count: usize| (0..count).map(|n| format!("g{n}")).collect::<Vec<_>>().join(", ");
    let board = "board two from \"two.board\"\nterrain meadow\nterrain tower\n";
    let refused = [
        ("goods", "RW0303", with(NOTHING, &format!("goods many {{ {} }}  1 each in bank\n", names(50_000)))),
        (
            "kinds",
            "RW0710",
            with(
                NOTHING,
                &format!("goods many {{ {} }}  1 each in bank\neach player has b: bag of many\n", names(900)),
            ),
        ),
        ("deck", "RW0707", with(NOTHING, "deck many { sun 1000000 }\neach player has cards: bag of many\n")),
        ("supply", "RW0707", with(NOTHING, "goods many { sun }  1000000 each in bank\n")),
        (
            "pairs",
            "RW0708",
            with(NOTHING, &format!("deck many {{ {} }}\neach many, many has b: 0..1000000\n", names(900))),
        ),
        ("stack", "RW0710", with(NOTHING, &format!("{board}piece pawn on hex 1000000 each at most 1000000 there\n"))),
        (
            "fields",
            "RW0708",
            with(NOTHING, &(0..8_000).map(|n| format!("each player has s{n}: 0..9\n")).collect::<String>()),
        ),
    ];
    for (name, code, rules) in refused {
        stops(CHECK, &hostile(&format!("huge-{name}"), &[("main.rules", &rules), ("two.board", TWO_HEXES)]), code);
    }
    // A great many options are read all the same.
    let options: String = (0..2_000).map(|n| format!("option o{n} = a{n} | b{n}\n")).collect();
    stops(&["check", "--deny", "warnings"], &one("options", &with(NOTHING, &options)), "RW0901");
}

#[test]
fn huge_files_are_refused() {
    let rows = "[[card]]\nname = \"a\"\n".repeat(60_000);
    stops(CHECK, &hostile("table", &[("main.rules", &game(NOTHING)), ("cards.toml", &rows)]), "RW0782");
    let rules = with(NOTHING, "board wide from \"wide.board\"\n");
    let hexes = format!("board hexes\nm = plain\ndrawing\n{}", format!("   {}\n", "m ".repeat(900)).repeat(300));
    let graph = format!("board graph\nplaces field\n{}", (0..50_000).map(|n| format!("  f{n}\n")).collect::<String>());
    let boards = [
        ("hexes", hexes.as_str(), "RW0467"),
        ("grid", "board grid 1000000 by 1000000\n", "RW0750"),
        ("graph", &graph, "RW0750"),
    ];
    for (name, board, code) in boards {
        stops(CHECK, &hostile(&format!("board-{name}"), &[("main.rules", &rules), ("wide.board", board)]), code);
    }
}

#[test]
fn huge_transcripts_are_refused() {
    let head = "scenario hostile\nplayers red, blue\nseed 1\n";
    let plays = [
        ("lines", format!("{head}{}", "red: go\n".repeat(1_000_000)), "RW0786"),
        ("wrong", format!("{head}{}", "red: gone\n".repeat(50_000)), "RW0801"),
        ("brackets", format!("{head}expect {}1{}\n", "(".repeat(100_000), ")".repeat(100_000)), "RW070"),
        ("sum", format!("{head}expect {} > 0\n", vec!["turn"; 100_000].join(" + ")), "RW0702"),
        ("dice", format!("{head}dice 999999999999999999999999\nred: go\n"), "RW0835"),
        ("given", format!("{head}given red.luck = 999999999999999999999999\n"), "RW0832"),
        ("nul", format!("{head}red: g\0o\n"), "RW0801"),
        ("players", "scenario hostile\nplayers 1000000000\nred: go\n".to_owned(), "RW0823"),
    ];
    for (name, play, code) in plays {
        let files = [("main.rules", game(NOTHING)), ("tests/a.play", play)];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        stops(TEST, &hostile(&format!("play-{name}"), &files), code);
    }
    let folder = one("play-utf8", &game(NOTHING));
    write(&folder.join("tests/a.play"), [b'r', 0xff]);
    stops(TEST, &folder, "RW0821");
    // An expression that is short and stands for a great deal.
    let links = chain(11, |this, next| format!("define {this} = {next} + {next}\n"));
    let rules = with("require n5 > 0 \"no\"", &format!("{links}define n11 = turn\n"));
    let play = format!("{head}expect {} > 0\n", vec!["n0"; 30].join(" + "));
    stops(TEST, &hostile("play-sums", &[("main.rules", &rules), ("tests/a.play", &play)]), "RW0709");
}

// ---- rules without measure ----

#[test]
fn rules_that_set_themselves_off_are_stopped() {
    let emits = with("emit tick(1)", "trigger again on tick(n) { emit tick(n) }\n");
    stops(CHECK, &one("trigger", &emits), "RW0424");
    let circle = with("emit tick", "trigger one on tick { emit tock }\ntrigger two on tock { emit tick }\n");
    stops(CHECK, &one("circle", &circle), "RW0424");
    stops(CHECK, &one("procedure", &with("do one", "procedure one { do two }\nprocedure two { do one }\n")), "RW0424");
    stops(CHECK, &one("itself", &with("do one", "procedure one { do one }\n")), "RW0424");
    let defines = with("set my luck = one", "define one = two + 1\ndefine two = one + 1\n");
    stops(CHECK, &one("defines", &defines), "RW0424");
    let makes = with("make me walk", "action walk on call { make me run }\naction run on call { make me walk }\n");
    stops(CHECK, &one("makes", &makes), "RW0424");
    // What arrives is moved on, for ever: only play shows it.
    let moves = with(
        "do start",
        "piece pawn on hex 1 each\nterrain meadow\nterrain tower\nboard two from \"two.board\"\n\
         procedure start { for h in west where no my pawn { place my pawn on h } }\n\
         trigger back on arrival of pawn at h by p where h in west { for e in east { move pawn of p to e } }\n\
         trigger forth on arrival of pawn at h by p where h in east { for w in west { move pawn of p to w } }\n",
    );
    stops(PLAY, &hostile("arrival", &[("main.rules", &moves), ("two.board", TWO_HEXES)]), "RW0705");
}

#[test]
fn loops_without_measure_are_stopped() {
    let deed = (0..8).fold(NOTHING.to_owned(), |deed, _| format!("repeat 1000000 {{ {deed} }}"));
    stops(PLAY, &one("loops", &game(&deed)), "RW0706");
    let emits = chain(40, |this, next| format!("trigger {this} on e{this} {{ emit e{next}; emit e{next} }}\n"));
    stops(
        PLAY,
        &one("emits", &with("emit en0", &format!("{emits}trigger last on en40 {{ add 0 to luck of active }}\n"))),
        "RW0706",
    );
    let four = "action go a: 1..1000 b: 1..1000 c: 1..1000 d: 1..1000 { require a + b + c + d < 4 \"no\" }";
    stops(PLAY, &one("moves", &GAME.replace("action go { DEED }", four)), "RW0706");
}

#[test]
fn names_that_double_are_refused() {
    let board = "board two from \"two.board\"\nterrain meadow\nterrain tower\npiece pawn on hex 3 each\n";
    let ends = |links: String, last: &str| format!("{links}{last}\n");
    let doubled = [
        (
            "defines",
            with(
                "set my luck = min(n0, 3)",
                &ends(chain(40, |a, b| format!("define {a} = {b} + {b}\n")), "define n40 = turn"),
            ),
        ),
        (
            "functions",
            with(
                "set my luck = min(n0(me), 3)",
                &ends(
                    chain(40, |a, b| format!("define {a}(p: player) = if {b}(p) > 0 then {b}(p) else 1\n")),
                    "define n40(p: player) = luck of p",
                ),
            ),
        ),
        (
            "sets",
            with(
                "require some n0 \"no\"",
                &format!(
                    "{board}{}",
                    ends(chain(40, |a, b| format!("set {a} = {b} & ({b} | pawn)\n")), "set n40 = hex")
                ),
            ),
        ),
        (
            "procedures",
            with(
                "do n0",
                &ends(
                    chain(40, |a, b| format!("procedure {a} {{ do {b}; do {b} }}\n")),
                    "procedure n40 { add 0 to my luck }",
                ),
            ),
        ),
        (
            "orders",
            with(
                "make me n0",
                &ends(
                    chain(40, |a, b| format!("action {a} on call {{ make me {b}; make me {b} }}\n")),
                    "action n40 on call { add 0 to my luck }",
                ),
            ),
        ),
        (
            "prices",
            with(
                "pay cost(n0)",
                &format!(
                    "goods coin {{ copper }} 9 each in bank\neach player has purse: bag of coin\n{}",
                    ends(chain(40, |a, b| format!("cost {a} = cost({b}) + cost({b})\n")), "cost n40 = copper")
                ),
            ),
        ),
        (
            "lets",
            game(&format!(
                "let n0 = turn; {}require n40 > 3 \"no\"",
                chain(40, |a, b| format!("let {b} = {a} + {a}; "))
            )),
        ),
    ];
    for (name, rules) in doubled {
        stops(
            CHECK,
            &hostile(&format!("double-{name}"), &[("main.rules", &rules), ("two.board", TWO_HEXES)]),
            "RW0718",
        );
    }
}

#[test]
fn names_behind_names_end_somewhere() {
    let ends = |links: String, last: &str| format!("{links}{last}\n");
    let many = 1_500;
    let long = [
        (
            "defines",
            with(
                "set my luck = min(n0, 3)",
                &ends(chain(many, |a, b| format!("define {a} = {b} + 1\n")), "define n1500 = turn"),
            ),
        ),
        (
            "procedures",
            with(
                "do n0",
                &ends(
                    chain(many, |a, b| format!("procedure {a} {{ do {b} }}\n")),
                    "procedure n1500 { add 0 to my luck }",
                ),
            ),
        ),
        (
            "orders",
            with(
                "make me n0",
                &ends(
                    chain(many, |a, b| format!("action {a} on call {{ make me {b} }}\n")),
                    "action n1500 on call { add 0 to my luck }",
                ),
            ),
        ),
        (
            "offers",
            with(
                "allow me to n0",
                &ends(
                    chain(many, |a, b| format!("action {a} on call {{ allow me to {b} }}\n")),
                    "action n1500 on call { add 0 to my luck }",
                ),
            ),
        ),
        (
            "triggers",
            with(
                "emit en0",
                &ends(
                    chain(many, |a, b| format!("trigger {a} on e{a} {{ emit e{b} }}\n")),
                    "trigger last on en1500 { add 0 to luck of active }",
                ),
            ),
        ),
    ];
    for (name, rules) in long {
        // What a rule offers or sets off is not written out, and still it is under way within that rule.
        let code = if matches!(name, "offers" | "triggers") { "RW0719" } else { "RW0718" };
        stops(CHECK, &one(&format!("chain-{name}"), &rules), code);
    }
}

#[test]
fn what_only_play_shows_is_stopped() {
    let bags = "goods coin { copper 100 } in bank\nstate pile: bag of coin\n";
    stops(PLAY, &one("bag", &with("set pile = 100 copper;  add pile to pile", bags)), "RW0704");
    stops(PLAY, &one("numbers", &game("ask me for n: 0..turn * 2000 \"How many?\"")), "RW0711");
    let script = format!("fn run() {{ 1 }}\n{}", "// long\n".repeat(12_000));
    let rules = with("do odd::run()", "script odd \"odd.rhai\"\n");
    stops(CHECK, &hostile("script-long", &[("main.rules", &rules), ("odd.rhai", &script)]), "RW0722");
}

/// Each bound has a code of its own, and each of these codes a test.
#[test]
fn every_bound_is_tested() {
    let tests: String =
        ["hostile", "walls", "boards"].iter().map(|name| read(&repo(&format!("tests/all/{name}.rs")))).collect();
    let bounds = codes::all().map(|(code, _)| code.to_string()).filter(|code| code.starts_with("RW07"));
    let untested: Vec<String> = bounds.filter(|code| !tests.contains(code.as_str())).collect();
    assert!(untested.is_empty(), "no test reaches these bounds: {untested:?}");
}
