//! The guide, `docs/guide/*.md`: every block of its pages is run, so what the pages show works.
//!
//! Behind the three backquotes stand the language, a tag, and the file that the block stands for:
//!
//! | block | how it is run |
//! | --- | --- |
//! | `rules` | on top of the game of the tutorial, or of `stage` (`tests/stage`); it has no faults |
//! | `board` | by itself |
//! | `play` | as a transcript of the game of the tutorial, or of `stage` |
//! | `rules NAME`, `board NAME FILE` … | the blocks of a page with the same name are one scenario: a game by itself if they bring a `toml` block, else on top of the tutorial's |
//! | `rules wrong`, then `text report` | it has faults, and this is the report |
//! | `toml campaign` | as the `campaign.toml` of a folder |
//! | `console` | lines behind `$ ` are commands, those behind `> ` are typed, all others come out; `…` stands for anything |
//! | `rules step FILE` … | the tutorial: put into the game that it builds, as a reader would |
//!
//! What the tutorial ends with is `examples/honey`, and `BLESS=1` writes it there.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regelwerk::board;
use regelwerk::check::builtins;
use regelwerk::diagnostic::{Diagnostic, Severity, Sink, render};
use regelwerk::pipeline;
use regelwerk::source::{FileId, Sources, campaign};
use regelwerk::syntax::words;

use crate::common::{compare, faults_of_play, files_below, read, repo, scratch, write};
use crate::pages::{Example, examples};

/// The game that the tutorial builds, and that the blocks of the other pages stand on.
const GAME: &str = "honey";
const TUTORIAL: &str = "tutorial";

/// The other game that blocks stand on.
const STAGE: &str = "stage";

#[test]
fn every_block_of_the_guide_works() {
    let mut faults = Vec::new();
    let mut pages = files_below(&repo("docs/guide"));
    // The tutorial first: the other pages stand on the game that it builds.
    pages.sort_by_key(|path| path.file_stem().is_none_or(|name| name != TUTORIAL));
    for path in pages {
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let blocks = examples(&read(&path));
        let found = if name == TUTORIAL { tutorial(&blocks) } else { page(&name, &blocks) };
        faults.extend(found.into_iter().map(|fault| format!("{name}.md: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn the_guide_shows_nothing_that_is_not_run() {
    for path in files_below(&repo("docs/guide")) {
        let mut inside = false;
        for (index, line) in read(&path).lines().enumerate() {
            if line.starts_with("```") {
                inside = !inside;
            }
            assert!(inside || !line.starts_with("    "), "{}:{}: indented code", path.display(), index + 1);
        }
    }
}

/// The tables of `words.md` are those of the program: each word with its form, each function with what it gives.
#[test]
fn the_guide_lists_the_words_of_the_language() {
    let page = read(&repo("docs/guide/words.md"));
    let table = |title: &str| -> Vec<String> {
        let part = page.split("\n## ").find(|part| part.starts_with(title)).unwrap_or_default();
        let rows = part.lines().filter(|line| line.starts_with("| `"));
        // The first column, in which a bar is written with a stroke before it.
        rows.map(|row| row.split("` |").next().unwrap_or("").trim_start_matches("| `").replace("\\|", "|")).collect()
    };
    let forms = |list: &[(&str, &str)]| list.iter().map(|(_, form)| (*form).to_owned()).collect::<Vec<_>>();
    same(&table("Declarations"), &forms(words::ITEMS));
    same(&table("Statements"), &forms(words::STATEMENTS));
    same(&table("Words that cannot be names"), words::RESERVED);
    let functions: Vec<String> = builtins::TABLE.iter().map(|f| format!("| `{}` | {} |", f.form, f.about)).collect();
    let page = read(&repo("docs/guide/functions.md"));
    let is_one = |line: &&str| builtins::TABLE.iter().any(|f| line.starts_with(&format!("| `{}(", f.name)));
    same(&page.lines().filter(is_one).collect::<Vec<_>>(), &functions);
}

/// Says which rows of a table are missing, and which are not right any more.
fn same(listed: &[impl AsRef<str>], wanted: &[impl AsRef<str>]) {
    let without = |these: &[&str], those: &[&str]| -> Vec<String> {
        these.iter().filter(|row| !those.contains(row)).map(|row| (*row).to_owned()).collect()
    };
    let listed: Vec<&str> = listed.iter().map(AsRef::as_ref).collect();
    let wanted: Vec<&str> = wanted.iter().map(AsRef::as_ref).collect();
    let (lacks, idle) = (without(&wanted, &listed), without(&listed, &wanted));
    assert!(
        lacks.is_empty() && idle.is_empty(),
        "the guide lacks the rows {lacks:#?}\nand has these too many {idle:#?}"
    );
    assert_eq!(listed, wanted, "the rows stand in another order");
}

// ---- the tutorial ----

fn tutorial(blocks: &[Example]) -> Vec<String> {
    let around = scratch("guide-tutorial");
    let folder = around.join(GAME);
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut faults = Vec::new();
    let mut wrong = String::new();
    for (number, block) in blocks.iter().enumerate() {
        let found = match (block.language.as_str(), block.tag.as_str()) {
            ("rules", "step") => {
                let file = files.entry(block.path.clone()).or_default();
                *file = merged(file, &block.text);
                Ok(())
            }
            ("toml" | "board" | "rhai", "step") => {
                files.insert(block.path.clone(), block.text.clone());
                Ok(())
            }
            ("play", "step") => {
                files.insert(block.path.clone(), block.text.clone());
                laid_out(&folder, &files);
                sound(&folder, true).and_then(|()| plays(&folder, &block.path, &block.text))
            }
            ("rules", "wrong") => {
                let mut broken = files.clone();
                let file = broken.entry(block.path.clone()).or_default();
                *file = merged(file, &block.text);
                laid_out(&folder, &broken);
                wrong = report(&folder);
                Ok(())
            }
            ("text", "report") => compare_text(&wrong, &block.text),
            ("console", _) => {
                laid_out(&folder, &files);
                console(&block.text, &around)
            }
            _ => Err(format!("a block `{} {}` is none of the tutorial", block.language, block.tag)),
        };
        faults.extend(found.err().map(|fault| format!("block {}: {fault}", number + 1)));
    }
    laid_out(&folder, &files);
    faults.extend(sound(&folder, true).err());
    for (name, text) in &files {
        faults.extend(compare(text, &repo("examples").join(GAME).join(name)).err());
    }
    faults
}

/// Puts the parts of a block into a file: each takes the place of one that begins with the same two words, or comes to
/// the end. Parts are set apart by empty lines.
fn merged(file: &str, block: &str) -> String {
    let mut parts: Vec<String> = chunks(file);
    for part in chunks(block) {
        match parts.iter_mut().find(|known| head(known) == head(&part)) {
            Some(known) => *known = part,
            None => parts.push(part),
        }
    }
    format!("{}\n", parts.join("\n\n"))
}

/// The parts of a text that empty lines set apart; an empty line within braces sets nothing apart.
fn chunks(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match parts.last_mut() {
            Some(part) if open && (!line.is_empty() || depth(part) > 0) => part.push_str(&format!("\n{line}")),
            _ if line.is_empty() => open = false,
            _ => {
                parts.push(line.to_owned());
                open = true;
            }
        }
    }
    parts
}

fn depth(text: &str) -> usize {
    text.matches('{').count().saturating_sub(text.matches('}').count())
}

/// The first two words of a part, comments before it left out.
fn head(part: &str) -> Vec<&str> {
    let first = part.lines().find(|line| !line.starts_with("//")).unwrap_or(part);
    first.split_whitespace().take(2).collect()
}

fn laid_out(folder: &Path, files: &BTreeMap<String, String>) {
    let _ = std::fs::remove_dir_all(folder);
    for (name, text) in files {
        write(&folder.join(name), text);
    }
}

// ---- the other pages ----

fn page(name: &str, blocks: &[Example]) -> Vec<String> {
    let around = scratch(&format!("guide-{name}"));
    for file in files_below(&repo("examples")) {
        write(&around.join(file.strip_prefix(repo("examples")).expect("it lies there")), read(&file));
    }
    for file in files_below(&repo("tests/stage")) {
        write(&around.join(file.strip_prefix(repo("tests")).expect("it lies there")), read(&file));
    }
    let mut faults = Vec::new();
    let mut groups: Vec<(&str, Vec<&Example>)> = Vec::new();
    let mut wrong = String::new();
    for (number, block) in blocks.iter().enumerate() {
        let alone = |tag: &str| around.join(format!("block-{number}{tag}"));
        let found = match (block.language.as_str(), block.tag.as_str()) {
            ("console", _) => console(&block.text, &around),
            ("rules", "wrong") => {
                let folder = alone("-wrong");
                write(&folder.join("scenario.toml"), manifest(GAME));
                write(&folder.join(&block.path), &block.text);
                wrong = report(&folder);
                if wrong.is_empty() { Err("it has no faults".to_owned()) } else { Ok(()) }
            }
            ("text", "report") => compare_text(&wrong, &block.text),
            ("board", "") => {
                let mut sink = Sink::new();
                board::parse(FileId(0), &block.text, &mut sink);
                said(&sink.sorted(), &Sources::new())
            }
            ("play", "") => {
                let game = if block.text.contains("scenario stage") { STAGE } else { GAME };
                plays(&around.join(game), &block.path, &block.text)
            }
            ("toml", "campaign") => {
                let folder = alone("");
                write(&folder.join("campaign.toml"), &block.text);
                let (mut sources, mut sink) = (Sources::new(), Sink::new());
                campaign::load(&format!("{}/", folder.display()), &mut sources, &mut sink);
                said(&sink.sorted(), &sources)
            }
            ("rules" | "toml", "") => scenario(&alone(""), &[block]),
            ("rules" | "board" | "toml" | "rhai" | "play", tag) => {
                match groups.iter_mut().find(|(known, _)| *known == tag) {
                    Some((_, group)) => group.push(block),
                    None => groups.push((tag, vec![block])),
                }
                Ok(())
            }
            (language, tag) => Err(format!("a block `{language} {tag}` cannot be run")),
        };
        faults.extend(found.err().map(|fault| format!("block {}: {fault}", number + 1)));
    }
    for (tag, group) in groups {
        let found = scenario(&around.join(format!("blocks-{tag}")), &group);
        faults.extend(found.err().map(|fault| format!("the blocks `{tag}`: {fault}")));
    }
    faults
}

fn manifest(below: &str) -> String {
    format!("name = \"example\"\nlanguage = 1\nextends = \"{below}\"\n")
}

/// Makes a scenario of blocks and tests it: a game by itself if they bring a manifest, else on top of the tutorial's
/// game or, where that has faults, of the other.
fn scenario(folder: &Path, blocks: &[&Example]) -> Result<(), String> {
    if blocks.iter().any(|block| block.path == "scenario.toml") {
        return scenario_of(folder, blocks, None);
    }
    let other = folder.with_file_name(format!("{}-on-{STAGE}", folder.file_name().unwrap_or_default().display()));
    let first = scenario_of(folder, blocks, Some(GAME));
    match first {
        Ok(()) => Ok(()),
        Err(_) if scenario_of(&other, blocks, Some(STAGE)).is_ok() => Ok(()),
        Err(fault) => Err(fault),
    }
}

/// On top of another game, warnings are let pass: what a block shows need not be used.
fn scenario_of(folder: &Path, blocks: &[&Example], below: Option<&str>) -> Result<(), String> {
    if let Some(below) = below {
        write(&folder.join("scenario.toml"), manifest(below));
    }
    for block in blocks {
        let path = folder.join(&block.path);
        let before = if path.exists() { read(&path) } else { String::new() };
        write(&path, format!("{before}{}", block.text));
    }
    let rules = files_below(folder).iter().any(|file| file.extension().is_some_and(|e| e == "rules"));
    // A manifest that is shown by itself gets the rules of the tutorial's game.
    if !rules && !read(&folder.join("scenario.toml")).contains("extends") {
        for file in ["honey.rules", "meadow.board"] {
            write(&folder.join(file), read(&repo("examples").join(GAME).join(file)));
        }
    }
    sound(folder, below.is_none() && rules)?;
    for block in blocks.iter().filter(|block| block.language == "play") {
        plays(folder, &block.path, &block.text)?;
    }
    Ok(())
}

// ---- running ----

fn check(folder: &Path) -> (Vec<Diagnostic>, Sources) {
    let (mut sources, mut sink) = (Sources::new(), Sink::new());
    pipeline::check(&folder.display().to_string(), &mut sources, &mut sink);
    (sink.sorted(), sources)
}

fn report(folder: &Path) -> String {
    let (found, sources) = check(folder);
    render::render(&found, &sources, render::Style::default())
}

fn sound(folder: &Path, strict: bool) -> Result<(), String> {
    let (mut found, sources) = check(folder);
    found.retain(|fault| strict || fault.severity == Severity::Error);
    said(&found, &sources)
}

fn said(found: &[Diagnostic], sources: &Sources) -> Result<(), String> {
    match (found, sources.files().next()) {
        ([], _) => Ok(()),
        (found, None) => Err(found.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>().join("\n")),
        (found, Some(_)) => Err(render::render(found, sources, render::Style::default())),
    }
}

fn plays(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let mut sources = Sources::new();
    let found = faults_of_play(&folder.display().to_string(), &mut sources, name, text);
    said(&found, &sources)
}

/// Runs the commands of a console block in a folder and compares what comes out.
fn console(text: &str, folder: &Path) -> Result<(), String> {
    let mut runs: Vec<(&str, String, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), line.strip_prefix("> "), runs.last_mut()) {
            (Some(command), _, _) => runs.push((command, String::new(), Vec::new())),
            (None, Some(typed), Some((_, input, _))) => input.push_str(&format!("{typed}\n")),
            (None, None, Some((_, _, expected))) => expected.push(line),
            (None, _, None) => return Err(format!("`{line}` stands before any command")),
        }
    }
    for (command, input, expected) in runs {
        let out = run(command, &input, folder)?;
        let lines: Vec<&str> = out.lines().map(str::trim_end).collect();
        let expected: Vec<&str> = expected.iter().map(|line| line.trim_end()).collect();
        if !expected.is_empty() && !fits(&expected, &lines) {
            return Err(format!("`{command}` gives\n{out}"));
        }
    }
    Ok(())
}

fn run(command: &str, input: &str, folder: &Path) -> Result<String, String> {
    let mut words = command.split_whitespace();
    match words.next() {
        Some("regelwerk") => {}
        // The one thing apart from the program that a reader needs a command for.
        Some("cp") => {
            let (Some("-r"), Some(from), Some(to)) = (words.next(), words.next(), words.next()) else {
                return Err(format!("`{command}` cannot be run"));
            };
            for file in files_below(&folder.join(from)) {
                let name = file.strip_prefix(folder.join(from)).expect("it lies there").to_owned();
                write(&folder.join(to).join(name), std::fs::read(&file).expect("it can be read"));
            }
            return Ok(String::new());
        }
        _ => return Err(format!("`{command}` cannot be run")),
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_regelwerk"))
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    // A program that ends before it has read all is judged by what it wrote.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(format!("{}{}", text(output.stdout), text(output.stderr)))
}

/// Whether the lines are those expected; a line `…` stands for any number of lines, and `…` in a line for any text.
fn fits(expected: &[&str], lines: &[&str]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((&"…", rest)) => (0..=lines.len()).any(|skipped| fits(rest, &lines[skipped..])),
        Some((first, rest)) => lines.split_first().is_some_and(|(line, more)| alike(first, line) && fits(rest, more)),
    }
}

fn alike(expected: &str, line: &str) -> bool {
    match expected.split_once('…') {
        None => expected == line,
        Some((before, after)) => match line.strip_prefix(before) {
            None => false,
            Some(rest) => {
                let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
                ends.into_iter().any(|at| alike(after, &rest[at..]))
            }
        },
    }
}

fn compare_text(found: &str, shown: &str) -> Result<(), String> {
    let plain = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    if plain(found.trim_end()) == plain(shown.trim_end()) { Ok(()) } else { Err(format!("the report is\n{found}")) }
}

/// The pages that exist are those that the guide's first page lists, in its order.
#[test]
fn the_guide_lists_its_pages() {
    let first = read(&repo("docs/guide/README.md"));
    let mut listed: Vec<&str> =
        first.match_indices("](").filter_map(|(at, _)| first[at + 2..].split(')').next()).collect();
    listed.retain(|link| !link.contains('/'));
    listed.sort();
    let mut pages: Vec<String> = files_below(&repo("docs/guide"))
        .iter()
        .filter_map(|path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned()))
        .filter(|name| name != "README.md")
        .collect();
    pages.sort();
    assert_eq!(listed, pages);
}
