//! Campaigns from the command line: a run is begun, stopped at any point, gone on with, played by bots to its end; what a
//! chapter writes the next one reads; every way in which it can be wrong is told, and nothing is written then.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::{files_below, read, repo, scratch, write};

fn campaign(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_regelwerk"))
        .arg("campaign")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    child.stdin.take().expect("it has an input").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn works(folder: &Path, arguments: &[&str], input: &str) -> String {
    let output = campaign(folder, arguments, input);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output));
    text(&output)
}

fn fails(folder: &Path, arguments: &[&str], status: i32, say: &str) {
    let output = campaign(folder, arguments, "");
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", text(&output));
    assert!(text(&output).contains(say), "{arguments:?} does not say {say:?}:\n{}", text(&output));
}

/// The example in a scratch folder.
fn season(name: &str) -> std::path::PathBuf {
    let folder = scratch(name);
    for file in files_below(&repo("examples/season")) {
        write(
            &folder.join("season").join(file.strip_prefix(repo("examples/season")).expect("it lies there")),
            read(&file),
        );
    }
    folder
}

const BOTS: &str = "ann=bot:random,bob=bot:random,cleo=bot:random";

#[test]
fn bots_play_a_campaign_to_its_end() {
    let folder = season("campaign-bots");
    for seed in ["1", "2", "3", "4", "5"] {
        let run = format!("run{seed}.toml");
        works(&folder, &["new", &run, "--from", "season/", "--players", "ann,bob,cleo", "--seed", seed], "");
        let told = works(&folder, &["play", &run, "--seats", BOTS], "");
        assert!(told.contains("A season of archers is over: "), "{told}");
        assert!(!told.contains("over: nobody"), "{told}");
        let file: toml::Table = read(&folder.join(&run)).parse().expect("it is TOML");
        assert_eq!(file["chronicle"]["shootings"].as_integer(), Some(3));
        assert_eq!(file["played"].as_array().map(Vec::len), Some(3));
        // Wins and totals are those of the chapters.
        for seat in ["ann", "bob", "cleo"] {
            let played = file["played"].as_array().expect("a list");
            let wins = played.iter().filter(|p| p["winner"].as_str() == Some(seat)).count() as i64;
            let total: i64 = played.iter().map(|p| p["points"][seat].as_integer().expect("a number")).sum();
            assert_eq!(file["chronicle"]["seats"][seat]["wins"].as_integer(), Some(wins));
            assert_eq!(file["chronicle"]["seats"][seat]["total"].as_integer(), Some(total));
        }
        assert!(!folder.join(format!("run{seed}.play")).exists());
        let shown = works(&folder, &["show", &run], "");
        assert!(shown.contains("  3  final  ") && shown.contains(" won; points: ann "), "{shown}");
    }
    // The same seed gives the same run, a started one is not begun again, and one that is over says so.
    works(&folder, &["new", "again.toml", "--from", "season/", "--players", "ann,bob,cleo", "--seed", "3"], "");
    works(&folder, &["play", "again.toml", "--seats", BOTS], "");
    let same = |name: &str| read(&folder.join(name)).lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(same("run3.toml"), same("again.toml"));
    fails(&folder, &["new", "again.toml", "--from", "season/"], 2, "is there already");
    assert!(works(&folder, &["play", "again.toml"], "").contains("is over"));
}

#[test]
fn every_campaign_checks_clean_and_can_be_played() {
    let mut files = files_below(&repo("scenarios"));
    files.extend(files_below(&repo("examples")));
    let folders: Vec<&Path> =
        files.iter().filter(|f| f.ends_with("campaign.toml")).filter_map(|f| f.parent()).collect();
    assert!(folders.len() > 1, "the example and a built-in one");
    for folder in folders {
        let path = format!("{}/", folder.display());
        let checked = Command::new(env!("CARGO_BIN_EXE_regelwerk")).args(["check", &path]).output().expect("it runs");
        assert!(checked.status.success(), "{}", text(&checked));
        let told = works(&repo(""), &["simulate", &path, "--runs", "1", "--seed", "5", "--invariants"], "");
        assert!(told.contains("1 to the end") && told.contains("nobody 0"), "{told}");
    }
}

#[test]
fn a_game_at_the_prompt_begins_with_a_record() {
    let folder = season("campaign-record");
    let play = |record: &str| {
        let mut arguments = vec!["play", "season/final/", "--players", "red,blue", "--seats", "red=human,blue=human"];
        arguments.extend(["--seed", "1", "--chronicle", record]);
        let mut ran = Command::new(env!("CARGO_BIN_EXE_regelwerk"));
        ran.args(arguments).current_dir(&folder).stdin(Stdio::null());
        text(&ran.output().expect("it runs"))
    };
    let ran = |told: &str, say: &str| assert!(told.contains(say), "{told}");
    ran(&play("nothing.toml"), "cannot be read");
    write(&folder.join("wrong.toml"), "[seats.red]\nwins = 99\n");
    ran(&play("wrong.toml"), "RW0853");
    ran(&play("season/final/tests/before-the-final.toml"), "red is to choose");
}

#[test]
fn many_campaigns_are_played_at_once() {
    let folder = season("campaign-many");
    let told = works(&folder, &["simulate", "season/", "--runs", "40", "--players", "3", "--invariants"], "");
    assert!(told.starts_with("A season of archers: 40 campaigns of 3 players, 40 to the end\n"), "{told}");
    assert!(told.contains("nobody 0"), "{told}");
    assert_eq!(told, works(&folder, &["simulate", "season/", "--runs", "40", "--players", "3"], ""));
    fails(&folder, &["simulate", "season/", "--runs", "1", "--players", "7"], 2, "players");
}

#[test]
fn a_run_stopped_anywhere_goes_on_as_if_it_had_not_been() {
    let folder = season("campaign-stopped");
    let seats = "ann=human,bob=human";
    let new = |run: &str| works(&folder, &["new", run, "--from", "season/", "--players", "ann,bob", "--seed", "8"], "");
    new("whole.toml");
    works(&folder, &["play", "whole.toml", "--seats", seats], &"shoot\n".repeat(26));
    new("pieces.toml");
    for moves in [0, 1, 3, 5, 1, 9, 6, 0, 1] {
        works(&folder, &["play", "pieces.toml", "--seats", seats], &"shoot\n".repeat(moves));
    }
    let same = |name: &str| read(&folder.join(name)).lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(same("whole.toml"), same("pieces.toml"));
    assert!(read(&folder.join("whole.toml")).contains("champions = [\""));

    // What is taken back stays taken back; a copy that the player saves does not lead the run away.
    new("undo.toml");
    works(&folder, &["play", "undo.toml", "--seats", seats], "shoot\nshoot\nundo\nsave copy.play\n");
    assert_eq!(read(&folder.join("undo.play")), read(&folder.join("copy.play")).replace("copy", "undo"));
    assert_eq!(read(&folder.join("undo.play")).matches("shoot").count(), 1);
    works(&folder, &["play", "undo.toml", "--seats", seats], "shoot\n");
    assert_eq!(read(&folder.join("undo.play")).matches("shoot").count(), 2);
    assert_eq!(read(&folder.join("copy.play")).matches("shoot").count(), 1);

    // A saved game of the chapter before is what a crash at its very end leaves: the next chapter begins anew.
    let old = read(&folder.join("undo.play"));
    works(&folder, &["play", "undo.toml", "--seats", seats], &"shoot\n".repeat(8));
    assert!(!folder.join("undo.play").exists());
    write(&folder.join("undo.play"), old);
    let told = works(&folder, &["play", "undo.toml", "--seats", seats], "shoot\n");
    assert!(told.contains("chapter 2 of 3"), "{told}");
    assert_eq!(read(&folder.join("undo.play")).matches("shoot").count(), 1);
}

#[test]
fn what_is_wrong_with_a_campaign_is_told() {
    let folder = season("campaign-wrong");
    let file = folder.join("season/campaign.toml");
    let whole = read(&file);
    let new = ["new", "run.toml", "--from", "season/"];
    let wrong = |text: &str, say: &str| {
        write(&file, text);
        fails(&folder, &new, 1, say);
        assert!(!folder.join("run.toml").exists());
    };
    wrong("name = \"x\"\n", "RW0861");
    wrong("name = \"x\"\nchapters = []\n", "a campaign has 1 to 100 chapters");
    wrong("name = \"x\"\nchapters = \"heat\"\n", "`chapters` is a list of names");
    wrong(&whole.replace("title ", "titel "), "did you mean `title`?");
    wrong(&whole.replace("\"heat\", \"heat\"", "\"heat\", \"haet\""), "did you mean `heat`?");
    wrong(&whole.replace("\"champions\"", "\"wins\""), "RW0863");
    wrong(&whole.replace("\"champions\" ", "\"champion\" "), "RW0863");
    wrong(&format!("{whole}\n[options]\nwind = 3\n"), "has no option `wind`");
    wrong(&whole.replace("ruleset  = \"archers\"", "ruleset  = \"bowmen\""), "RW0862");
    wrong(&whole.replace("name     =", "name     "), "RW0403");
    write(&file, &whole);
    let heat = folder.join("season/heat/heat.rules");
    let rules = read(&heat);
    let wrong = |text: &str, say: &str| {
        write(&heat, text);
        fails(&folder, &new, 1, say);
    };
    wrong(
        &format!("{rules}\nchronicle {{ rain: yes | no }}\n"),
        "keeps `rain` in its chronicle, and `archers` does not",
    );
    wrong(&format!("{rules}\ndrop chronicle shootings\n"), "RW0");
    wrong("setup { nothing }", "RW0862");
    write(&heat, &rules);
    fails(&folder, &["new", "run.toml", "--from", "saeson/"], 2, "RW0860");
    fails(&folder, &["new", "run.toml", "--from", "season/", "--players", "7"], 2, "players");
    fails(&folder, &["new", "run.toml", "--from", "season/", "--set", "wind=3"], 2, "has no option `wind`");
    fails(&folder, &["new", "run", "--from", "season/"], 2, "the file of a run ends in `.toml`: `run.toml`");
    fails(&folder, &["play", "run.toml"], 2, "cannot be read");
    fails(&folder, &["show", "run.toml"], 2, "cannot be read");
}

#[test]
fn what_is_wrong_with_a_run_is_told() {
    let folder = season("campaign-run");
    works(&folder, &["new", "run.toml", "--from", "season/", "--players", "ann,bob", "--seed", "8"], "");
    let file = folder.join("run.toml");
    let whole = read(&file);
    let wrong = |text: &str, say: &str| {
        write(&file, text);
        fails(&folder, &["play", "run.toml"], 1, say);
        assert_eq!(read(&file), text);
    };
    wrong(&whole.replace("seed     = 8", ""), "does not say `seed`");
    wrong(&whole.replace("seed     = 8", "seed = \"x\""), "`seed` is a whole number");
    wrong(&whole.replace("seats    =", "seets    ="), "did you mean `seats`?");
    wrong(&whole.replace("[\"ann\", \"bob\"]", "[\"ann\"]"), "1 seats cannot play this campaign");
    wrong(&whole.replace("[\"ann\", \"bob\"]", "[\"ann\", \"ann\"]"), "RW0864");
    wrong(&whole.replace("wins = 0", "wins = 10"), "RW0853");
    wrong(&whole.replace("wins = 0", "wims = 1"), "did you mean `wins`?");
    wrong(&whole.replace("seats.bob", "seats.rob"), "`rob` does not play in this game");
    wrong(&whole.replace("[chronicle]", "[[played]]\nchapter = \"final\"\n\n[chronicle]"), "RW0864");
    wrong(&format!("[options]\nwind = 3\n{whole}"), "RW08");
    // A record is also a chronicle for a transcript, and what a person writes into it counts.
    write(&file, whole.replacen("wins = 0", "wins = 2", 1));
    let told = works(&folder, &["play", "run.toml", "--seats", "ann=human,bob=human"], "shoot\n");
    assert!(told.contains("tiny_target"), "{told}");
    write(&folder.join("run.play"), read(&folder.join("run.play")).replace("ann, bob", "bob, ann"));
    fails(&folder, &["play", "run.toml"], 1, "RW0864");
    write(&folder.join("run.play"), "scenario heat\nplayers ann, bob\nseed 1x\n");
    fails(&folder, &["play", "run.toml"], 1, "RW08");
}
