//! The command line as a user meets it: what goes to which stream, and the exit status.

use std::process::Command;

use crate::common::{repo, scratch, write};

struct Ran {
    status: i32,
    out: String,
    err: String,
}

fn regelwerk(arguments: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_regelwerk")).args(arguments).output().expect("the program runs");
    Ran {
        status: output.status.code().expect("the program was not killed"),
        out: String::from_utf8(output.stdout).expect("results are UTF-8"),
        err: String::from_utf8(output.stderr).expect("reports are UTF-8"),
    }
}

#[test]
fn help_offers_what_this_version_has() {
    let help = regelwerk(&["--help"]);
    assert_eq!(help.status, 0);
    for command in ["check", "play", "test", "simulate", "board", "diff", "list", "explain", "campaign"] {
        assert!(help.out.contains(&format!("\n  {command} ")), "{command} is missing:\n{}", help.out);
    }
    for command in ["new", "fmt", "doc"] {
        assert!(!help.out.contains(&format!("\n  {command} ")), "{command} is offered:\n{}", help.out);
        assert_eq!(regelwerk(&[command]).status, 2);
    }
}

#[test]
fn wrong_usage_ends_with_two() {
    for arguments in
        [vec![], vec!["check"], vec!["chek", "x"], vec!["check", "x", "--format", "xml"], vec!["explain", "RW9999"]]
    {
        let ran = regelwerk(&arguments);
        assert_eq!(ran.status, 2, "{arguments:?}");
        assert!(!ran.err.is_empty() && ran.out.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_scenario_that_is_not_there_is_wrong_usage() {
    let ran = regelwerk(&["check", "no-such-game"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("RW0401"), "{}", ran.err);
}

#[test]
fn faults_go_to_standard_error_and_end_with_one() {
    let case = repo("tests/cases/source/manifest").display().to_string();
    let ran = regelwerk(&["check", &case]);
    assert_eq!(ran.status, 1);
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("RW0404") && ran.err.contains(" faults"), "{}", ran.err);
    assert!(!ran.err.contains('\u{1b}'), "colour without a terminal");
}

#[test]
fn json_is_one_document_on_standard_output() {
    let case = repo("tests/cases/source/manifest").display().to_string();
    for format in ["json", "sarif"] {
        let ran = regelwerk(&["check", &case, "--format", format]);
        assert_eq!(ran.status, 1);
        assert_eq!(ran.err, "");
        serde_json::from_str::<serde_json::Value>(&ran.out).expect("one JSON document");
    }
}

#[test]
fn warnings_can_be_denied() {
    let case = repo("tests/cases/source/unlisted").display().to_string();
    assert_eq!(regelwerk(&["check", &case]).status, 0);
    assert_eq!(regelwerk(&["check", &case, "--deny", "warnings"]).status, 1);
}

#[test]
fn a_file_stands_for_its_scenario() {
    let folder = scratch("a-file-stands-for-its-scenario");
    write(&folder.join("scenario.toml"), "name = \"small\"\nlanguage = 2\nplayers = [2]\n");
    write(&folder.join("boards/small.board"), "");
    let ran = regelwerk(&["check", &folder.join("boards/small.board").display().to_string()]);
    assert!(ran.err.contains("RW0408"), "{}", ran.err);
}

#[test]
fn explain_prints_the_page() {
    for code in ["RW0404", "rw0404", "404"] {
        let ran = regelwerk(&["explain", code]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""));
        assert!(ran.out.starts_with("# RW0404: "), "{}", ran.out);
    }
}

#[test]
fn list_shows_every_built_in_scenario() {
    let ran = regelwerk(&["list"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    for name in regelwerk::source::embedded::names() {
        assert!(ran.out.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name} is missing");
    }
}

#[test]
fn two_rulesets_are_compared_rule_by_rule() {
    let base = "players = [2]\nfiles = [\"a.rules\"]\nlanguage = 1\n";
    let folder = scratch("compared");
    write(&folder.join("low/scenario.toml"), format!("name = \"low\"\n{base}"));
    write(
        &folder.join("low/a.rules"),
        "seats red, blue\neach player has coins: 0..9, spare: 0..3 // not used\nturn { play { may take; until done } }\n\
         action take {\n  require my coins < 9\n  add 1 to my coins   // one\n}\n\
         action take back { require my coins > 0; add -1 to my coins }\n\
         points p = coins of p + spare of p\nend when points(active) >= 5\n",
    );
    write(&folder.join("high/scenario.toml"), format!("name = \"high\"\nextends = \"low\"\n{base}"));
    write(
        &folder.join("high/a.rules"),
        "drop action take back\n\nchange points p = usual * 2\nbefore take { add 1 to my tries }\n\
         each player has tries: 0..99 clamped\n",
    );
    let path = |name: &str| folder.join(name).display().to_string();
    let ran = regelwerk(&["diff", &path("high"), &path("low"), "--play", "5"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let expected = "high (high) differs from low (low): 1 new, 2 changed, 1 gone\n\n\
        changed  action take   a.rules:4\n  + before take { add 1 to my tries }\n\n\
        changed  points   a.rules:3\n  + change points p = usual * 2\n\n\
        new      state tries   a.rules:5\n  + tries: 0..99\n\n\
        gone     action take back   a.rules:1\n";
    assert!(ran.out.starts_with(expected), "{}", ran.out);
    assert!(ran.out.lines().any(|line| line.split_whitespace().eq(["ended", "by", "win", "5", "5"])), "{}", ran.out);
    assert!(regelwerk(&["diff", &path("low"), &path("low")]).out.ends_with("differs from low (low) in no rule\n"));
    assert_eq!(regelwerk(&["diff", "no-such-game", "catan"]).status, 2);
}

#[test]
fn nobody_is_called_by_a_word_of_the_language() {
    for name in ["none", "me", "if", "players", "active", "nobody"] {
        let own = repo("examples/pot").display().to_string();
        let ran = regelwerk(&["play", &own, "--players", &format!("red,{name}")]);
        assert_eq!(ran.status, 2, "{name}: {}", ran.err);
        assert!(ran.err.contains("RW0823"), "{name}: {}", ran.err);
    }
}

#[test]
fn a_face_that_no_die_has_is_refused_where_it_is_forced() {
    let folder = scratch("face");
    let text = "scenario pot\nplayers red, blue\ndice 2 3\ndice 7 1\nred: throw dice\n";
    let play = folder.join("face.play");
    write(&play, text.replace("scenario pot", &format!("scenario {}/", repo("examples/pot").display())));
    let ran = regelwerk(&["test", &play.display().to_string()]);
    assert_eq!(ran.status, 1);
    assert!(
        ran.err.contains("RW0835") && ran.err.contains("from 1 to 6") && ran.err.contains("face.play:4"),
        "{}",
        ran.err
    );
}

#[test]
fn a_saved_game_names_the_folder_that_it_was_played_from() {
    let around = scratch("saved");
    for (name, text) in [
        ("scenario.toml", include_str!("../../examples/pot/scenario.toml")),
        ("pot.rules", include_str!("../../examples/pot/pot.rules")),
    ] {
        write(&around.join("my-pot").join(name), text);
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_regelwerk"))
        .args(["play", "./my-pot", "--players", "2", "--seed", "3", "--json"])
        .current_dir(&around)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = child.stdin.take().expect("it reads requests");
    std::io::Write::write_all(&mut input, b"{\"cmd\":\"save\"}\n").expect("it takes a request");
    drop(input);
    let answer = String::from_utf8(child.wait_with_output().expect("it ends").stdout).expect("answers are UTF-8");
    assert!(answer.contains("scenario ./my-pot"), "{answer}");
    // The file can be tested from elsewhere, as long as it lies beside the folder.
    write(&around.join("saved.play"), "scenario ./my-pot\nplayers red, blue\nseed 3\n");
    let ran = regelwerk(&["test", &around.join("saved.play").display().to_string()]);
    assert_eq!(ran.status, 0, "{}", ran.err);
}

#[test]
fn faults_for_a_number_of_players_are_told_once() {
    let around = scratch("once");
    write(&around.join("scenario.toml"), "name = \"once\"\nlanguage = 1\nplayers = [2]\n");
    let rules = "seats red, blue\ngoods bead { jet 200 } in chest\neach player has pouch: bag of bead\nturn { main { may take;  until end turn } }\naction take bead { give me 1 jet }\nend when size(pouch of active) > 3 winner active\n";
    write(&around.join("once.rules"), rules);
    for name in ["a", "b", "c"] {
        write(&around.join("tests").join(format!("{name}.play")), "scenario once\nplayers red, blue\n");
    }
    let ran = regelwerk(&["test", &around.display().to_string()]);
    assert_eq!(ran.status, 1);
    assert_eq!(ran.err.matches("RW0707").count(), 1, "{}", ran.err);
}

#[test]
fn tables_are_compared_row_by_row() {
    let folder = scratch("compared-tables");
    let table = |name: &str, rows: &str| {
        write(&folder.join(name).join("scenario.toml"), format!("name = \"{name}\"\nlanguage = 1\nplayers = [2]\n"));
        let rules = "seats red, blue\ncards pack { worth: 1..9 } from \"pack.toml\"\nturn { play { must draw } }\n\
                     action draw { draw pack }\nend when turn > 9\n";
        write(&folder.join(name).join("a.rules"), rules);
        write(&folder.join(name).join("pack.toml"), rows);
        folder.join(name).display().to_string()
    };
    let low = table("low", "[[card]]\nname = \"a\"\nworth = 2\n[[card]]\nname = \"b\"\nworth = 3\n");
    let high = table("high", "# A comment.\n[[card]]\nname = \"a\"\nworth = 2\n\n[[card]]\nname = \"b\"\nworth = 4\n");
    let ran = regelwerk(&["diff", &high, &low]);
    let expected = "high (high) differs from low (low): 1 changed\n\nchanged  deck pack   pack.toml:6\n  \
        - name = \"b\"\n  - worth = 3\n  + name = \"b\"\n  + worth = 4\n";
    assert_eq!((ran.status, ran.err.as_str(), ran.out.as_str()), (0, "", expected));
}
