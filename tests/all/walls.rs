//! The walls around a scenario: nothing outside its folder is read, and sizes are bounded.

use std::path::{Path, PathBuf};

use regelwerk::diagnostic::Sink;
use regelwerk::pipeline;
use regelwerk::source::Sources;
use regelwerk::source::load::load;

use crate::common::{scratch, write};

/// A scenario folder that loads without a fault.
fn small(test: &str) -> PathBuf {
    let folder = scratch(test).join("small");
    write(&folder.join("scenario.toml"), "name = \"small\"\nlanguage = 1\nplayers = [2]\n");
    write(&folder.join("small.rules"), "seats red, blue\n");
    folder
}

/// The codes that loading gives, and the texts that it read.
fn codes(folder: &Path) -> (Vec<String>, Vec<String>) {
    let mut sources = Sources::new();
    let mut sink = Sink::new();
    load(&folder.display().to_string(), &mut sources, &mut sink);
    let texts = sources.files().map(|(_, file)| file.text.clone()).collect();
    (sink.sorted().iter().map(|d| d.code.to_string()).collect(), texts)
}

#[test]
fn a_small_scenario_loads() {
    let folder = small("walls-small");
    write(&folder.join("tests/first.play"), "scenario small\n");
    write(&folder.join(".hidden.rules"), [0xff]);
    write(&folder.join("picture.png"), [0xff]);
    write(&folder.join("campaign.toml"), "");
    write(&folder.join("cards/deck.toml"), "");
    write(&folder.join("odd.rhai"), "");
    let mut sources = Sources::new();
    let mut sink = Sink::new();
    let scenario = load(&folder.display().to_string(), &mut sources, &mut sink).expect("it is there");
    assert!(sink.is_empty(), "{:?}", sink.sorted());
    assert_eq!(scenario.id, "small");
    assert_eq!(scenario.rules.len(), 1);
    assert_eq!(scenario.tables.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["cards/deck.toml"]);
    assert_eq!(scenario.scripts.len(), 1);
    let plays = regelwerk::source::load::transcripts(&scenario, &mut sources, &mut sink);
    assert_eq!(plays.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["tests/first.play"]);
    assert!(sink.is_empty());
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    let folder = small("walls-mark");
    write(&folder.join("scenario.toml"), "\u{feff}name = \"small\"\nlanguage = 1\nplayers = [2]\n");
    assert_eq!(codes(&folder).0, Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = small("walls-links");
    let secret = folder.parent().expect("there is one above").join("secret.txt");
    write(&secret, "a secret");
    write(&folder.parent().expect("there is one above").join("far/far.rules"), "a secret");
    symlink(&secret, folder.join("table.toml")).expect("a link can be made");
    symlink("../far", folder.join("far")).expect("a link can be made");
    symlink("small.rules", folder.join("again.rules")).expect("a link can be made");
    let (codes, texts) = codes(&folder);
    assert_eq!(codes, ["RW0781"], "the link within the folder is fine, the folder is not entered");
    assert!(!texts.iter().any(|text| text.contains("a secret")));
}

#[cfg(unix)]
#[test]
fn a_linked_folder_is_not_extended() {
    let folder = small("walls-base");
    let other = small("walls-base-elsewhere");
    std::os::unix::fs::symlink(&other, folder.parent().expect("there is one above").join("lower")).expect("a link");
    write(&folder.join("scenario.toml"), "name = \"small\"\nlanguage = 1\nextends = \"lower\"\n");
    assert_eq!(codes(&folder).0, ["RW0409"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let folder = small("walls-pipe");
    let made = std::process::Command::new("mkfifo").arg(folder.join("pipe.board")).status();
    if made.is_ok_and(|status| status.success()) {
        assert_eq!(codes(&folder).0, ["RW0415"]);
    }
}

#[test]
fn paths_that_lead_out_are_refused() {
    let folder = small("walls-paths");
    for path in ["../secret.rules", "/etc/secret.rules", "a/../../b.rules", "C:\\\\secret.rules", "./small.rules", ""] {
        let files = format!("name = \"small\"\nlanguage = 1\nplayers = [2]\nfiles = [\"small.rules\", \"{path}\"]\n");
        write(&folder.join("scenario.toml"), files);
        assert_eq!(codes(&folder).0, ["RW0781"], "{path}");
    }
}

#[test]
fn sizes_are_bounded() {
    let folder = small("walls-sizes");
    write(&folder.join("large.rules"), vec![b' '; 1024 * 1024 + 1]);
    assert_eq!(codes(&folder).0, ["RW0782"]);

    let folder = small("walls-numbers");
    for number in 0..255 {
        write(&folder.join(format!("{number}.toml")), "");
    }
    assert_eq!(codes(&folder).0, ["RW0783"]);

    let folder = small("walls-total");
    for number in 0..17 {
        write(&folder.join(format!("{number}.toml")), vec![b' '; 1024 * 1024]);
    }
    let (codes_found, _) = codes(&folder);
    assert!(!codes_found.is_empty() && codes_found.iter().all(|code| code == "RW0784"), "{codes_found:?}");
}

#[test]
fn tables_are_bounded() {
    let rules = "seats red, blue\ndeck pack from \"pack.toml\"\nturn { main { must draw } }\n\
                 action draw in main { draw pack }\nend when turn > 9\n";
    let table = |name: &str, text: String| {
        let folder = small(name);
        write(&folder.join("small.rules"), rules);
        write(&folder.join("pack.toml"), text);
        let mut sink = Sink::new();
        pipeline::check(&folder.display().to_string(), &mut Sources::new(), &mut sink);
        sink.sorted().iter().map(|d| d.code.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(table("walls-few-rows", "[[card]]\n".repeat(9)), [""; 0]);
    assert_eq!(table("walls-rows", "[[card]]\n".repeat(100_000)), ["RW0715"]);
    assert_eq!(table("walls-many-kinds", "[[card]]\n".repeat(999)), ["RW0710"]);
    let nested = format!("[[card]]\nname = {}\n", "[".repeat(500_000));
    assert!(table("walls-nested-cells", nested).iter().all(|code| code == "RW0403" || code == "RW0484"));
    let words = format!("[[card]]\nname = \"{}\"\n", "a.".repeat(400_000));
    assert_eq!(table("walls-long-cells", words), ["RW0485"]);
}

#[test]
fn stacks_of_rulesets_are_bounded() {
    let around = scratch("walls-stack");
    for number in 0..20 {
        let manifest = format!("name = \"r{number}\"\nlanguage = 1\nextends = \"r{}\"\n", number + 1);
        write(&around.join(format!("r{number}/scenario.toml")), manifest);
    }
    assert_eq!(codes(&around.join("r0")).0, ["RW0785"]);
}

#[test]
fn a_folder_that_is_no_scenario_is_said_to_be_none() {
    let folder = scratch("walls-empty");
    assert_eq!(codes(&folder).0, ["RW0402"]);
    assert_eq!(codes(&folder.join("nowhere")).0, ["RW0401"]);
}
