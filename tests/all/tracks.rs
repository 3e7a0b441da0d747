//! Tracks where several rulesets, scripts and rules that change others' markers meet, and what is done at the end.

use std::path::Path;

use regelwerk::source::Sources;

use crate::common::{faults_of_play, scratch, write};

fn holds(folder: &Path, text: &str) {
    let mut sources = Sources::new();
    let found = faults_of_play(&folder.display().to_string(), &mut sources, "tracks.play", text);
    let told: Vec<String> =
        found.iter().map(|d| format!("{}: {} ({:?})", d.code, d.message, sources.text(d.span))).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

const BELOW: &str = r#"
seats red, blue, white
goods food { berry } 20 each in store
each player has bag_of: bag of food, met: 0..99
state bells: 0..99
track road each player 0..10 { inn at 3, 6;  well at 3 }
track clock 0..6 { noon at 3 }
script wind "wind.rhai"
setup { add 3 to road of first;  set clock = 1 }
turn { day { must walk, blow, swap, tick, back;  until end turn } }
action walk { add 3 to my road }
action blow { do wind::blow() }
action swap to p: others { set road of p = 6;  add 1 to road of (first players where road == 6) }
action tick { add 9 to clock }
action back { set my road = 0 }
trigger rest on passing road inn by p { add 1 to my met;  give p 1 berry }
trigger drink on passing road well by active { add 10 to my met }
trigger ring on passing clock noon by p { add 1 to bells;  add 1 to p.met }
end when some p: player where p.road == 10
points p = p.road
"#;

const WIND: &str = r#"
fn blow() {
    add("road", "white", 4);
    add("road", "blue", 6);
    add("clock", 2);
}
"#;

fn game(name: &str) -> std::path::PathBuf {
    let around = scratch(name);
    let manifest = |name: &str, more: &str| format!("name = \"{name}\"\nlanguage = 1\n{more}\n");
    write(&around.join("below/scenario.toml"), manifest("below", "players = [2, 3]"));
    write(&around.join("below/below.rules"), BELOW);
    write(&around.join("below/wind.rhai"), WIND);
    write(&around.join("above/scenario.toml"), manifest("above", "extends = \"below\""));
    write(
        &around.join("above/above.rules"),
        "change track road each player 0..12 { inn at 5;  ford at 2 }\ntrigger wade on passing road ford by p { add 20 to p.met }\nchange end when some p: player where p.road == 12\n",
    );
    around
}

#[test]
fn a_marker_passes_marks_whoever_moves_it() {
    let folder = game("tracks-below").join("below");
    // In the set-up nobody acts yet: the marker's owner is `me`; `active` is the first seat.
    let head = "scenario below\nplayers red, blue, white\nexpect red.road == 3\nexpect red.met == 11\nexpect red.bag_of of berry == 1\n";
    holds(&folder, head);
    // A mark behind the marker is not passed again before it was set back.
    holds(&folder, &format!("{head}red: back\nexpect red.met == 11\nexpect red.road == 0\n"));
    // What a script does counts when it is done, from the active player on; the clock is the doing of whoever acts.
    let wind = "red: blow\nexpect blue.road == 6\nexpect blue.met == 2\nexpect white.met == 1\nexpect red.met == 12\n";
    holds(&folder, &format!("{head}{wind}expect bells == 1\nexpect clock == 3\n"));
    // Somebody else's marker; an owner that is computed is computed once, before it moves.
    let swap = "red: swap to white\nexpect white.road == 7\nexpect white.met == 2\nexpect red.road == 3\n";
    holds(&folder, &format!("{head}{swap}"));
    // A track stops at its end, and what it stops at is passed only once.
    holds(&folder, &format!("{head}red: tick\nexpect clock == 6\nexpect bells == 1\nexpect red.met == 12\n"));
}

#[test]
fn a_ruleset_on_top_changes_range_and_marks() {
    let folder = game("tracks-above").join("above");
    let text = "scenario above\nplayers red, blue\nexpect red.road == 3\nexpect red.met == 30\nred: walk\nexpect red.road == 6\nexpect red.met == 31\n";
    holds(&folder, text);
    write(
        &folder.join("above.rules"),
        "drop track road\ndrop trigger rest\ndrop trigger drink\ndrop action walk\ndrop action swap\ndrop action back\nchange setup { set clock = 1 }\n\
         change trigger ring { usual;  add 1 to bells }\ndrop points\npoints p = 0\ndrop end\nend when bells > 2 winner active\n\
         change turn { day { must tick;  until end turn } }\ndrop action blow\ndrop script wind\n",
    );
    holds(&folder, "scenario above\nplayers red, blue\nred: tick\nexpect bells == 2\nexpect clock == 6\n");
}

#[test]
fn at_the_end_it_is_known_whose_turn_it_was_and_who_has_what() {
    let folder = scratch("tracks-end").join("end");
    write(&folder.join("scenario.toml"), "name = \"end\"\nlanguage = 1\nplayers = [3]\n");
    let rules = r#"
seats red, blue, white
chronicle { last, first_one, richest: player or none;  each player has marks: 0..9;  ends: 0..9 = 1 }
state heap: 0..9
each player has coins: 0..9
turn { day { must put } }
action put { add 1 to heap;  add 2 to my coins }
action give_up { add 5 to my coins;  end game, winner none }
award wealth 1 points { most p.coins;  a tie leaves nobody }
end when heap == 4   winner red
end late when heap == 6   winner white
trigger noted on over(p) { add 1 to chronicle marks of p }
at the end {
  set chronicle last = active
  set chronicle first_one = winner
  set chronicle richest = holder(wealth)
  for p in players from active { emit over(p);  do note(p) }
}
at the end { add 1 to chronicle ends }
procedure note(p: player) { for q in players where q != p { add 1 to chronicle marks of q } }
"#;
    write(&folder.join("end.rules"), rules.replace("must put", "one of put, give_up"));
    let head = "scenario end\nplayers red, blue, white\nred: put\nblue: put\nwhite: put\n";
    let all = "expect over\nexpect chronicle marks of blue == 3\nexpect chronicle ends == 2\n";
    holds(
        &folder,
        &format!(
            "{head}expect chronicle ends == 1\nred: put\n{all}expect chronicle last == red\nexpect chronicle first_one == red\nexpect chronicle richest == red\n"
        ),
    );
    let later = "given blue.coins = 3\ngiven active = white\ngiven heap = 3\n";
    holds(
        &folder,
        &format!("{head}{later}white: put\n{all}expect chronicle last == white\nexpect chronicle first_one == red\n"),
    );
    // The awards are as they must be, also where a rule ends the game.
    holds(
        &folder,
        &format!(
            "{head}given active = blue\nblue: give_up\n{all}expect winner == none\nexpect chronicle first_one == none\nexpect chronicle richest == blue\nexpect chronicle last == blue\n"
        ),
    );
}
