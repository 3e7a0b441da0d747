//! The pages of the codes, `docs/errors/RWxxxx.md`: there is one for each code that the stages use, and none
//! besides; each has its parts and its examples; the index lists them all.

use std::collections::{BTreeMap, BTreeSet};

use regelwerk::board;
use regelwerk::diagnostic::{Sink, codes};
use regelwerk::pipeline;
use regelwerk::source::{FileId, Sources};

use crate::common::{compare, faults_of_play, files_below, read, repo, scratch, write};

/// Codes that no example of a few lines can show, each with the reason. Their pages say it in words.
const WITHOUT_EXAMPLE: &[(&str, &str)] = &[
    ("RW0401", "it is about the command line"),
    ("RW0402", "it is about a file that is not there"),
    ("RW0414", "it is about files that are not there"),
    ("RW0415", "it depends on the file system"),
    ("RW0416", "a page is UTF-8 itself"),
    ("RW0480", "the checker says it before, unless the manifest is wrong"),
    ("RW0501", "it is about a script as well"),
    ("RW0527", "it takes a script, a piece and a rule that waits for it"),
    ("RW0602", "it comes up in play"),
    ("RW0603", "it comes up in simulation"),
    ("RW0719", "its example would be a hundred rules long"),
    ("RW0786", "it is about a huge file"),
    ("RW0610", "it comes up in play"),
    ("RW0611", "it comes up in play"),
    ("RW0612", "it comes up in play"),
    ("RW0613", "it comes up in play"),
    ("RW0614", "it comes up in play"),
    ("RW0616", "it comes up in play"),
    ("RW0617", "it comes up in play"),
    ("RW0618", "it comes up in play"),
    ("RW0699", "no scenario can cause it"),
    ("RW0701", "the brackets would be too many"),
    ("RW0702", "the statement would be too long"),
    ("RW0703", "the file would be too long"),
    ("RW0704", "it comes up in play"),
    ("RW0705", "it comes up when a game is begun"),
    ("RW0706", "it comes up in play"),
    ("RW0708", "the rules would be too long"),
    ("RW0710", "the kinds would be too many"),
    ("RW0710", "the board would be too large"),
    ("RW0709", "the expression would be too long"),
    ("RW0711", "it comes up in play"),
    ("RW0715", "the table would be too long"),
    ("RW0722", "the script would be too long"),
    ("RW0782", "the file would be too long"),
    ("RW0783", "the files would be too many"),
    ("RW0784", "the files would be too long"),
    ("RW0785", "the rulesets would be too many"),
    ("RW0804", "it comes up at the end of a game"),
    ("RW0807", "it is about the prompt"),
    ("RW0834", "what breaks an invariant is refused in other ways first"),
    ("RW0860", "it is about the command line"),
    ("RW0861", "it is about a campaign"),
    ("RW0862", "it is about a campaign"),
    ("RW0863", "it is about a campaign"),
    ("RW0864", "it is about the file of a campaign's run"),
    ("RW0852", "it is about a record as well"),
    ("RW0853", "it is about a record as well"),
    ("RW0841", "it is about the protocol"),
    ("RW0842", "it is about the protocol"),
    ("RW0843", "it is about the protocol"),
];

/// Codes that several files give, each with the reason.
const SHARED: &[(&str, &str)] = &[
    ("RW0601", "the engine refuses a move, and the table tells why"),
    ("RW0699", "a fault of this program can show anywhere"),
];

/// How the stages write a code.
const CONSTRUCTORS: &[&str] = &["error(", "warning(", "fault(", "Refusal::new(", "code: ", "at_line(code, machine, "];

#[test]
fn the_pages_and_the_codes_in_use_agree() {
    let used = codes_in_use();
    let pages: BTreeSet<String> = codes::all().map(|(code, _)| code.to_string()).collect();
    let without: Vec<String> =
        used.iter().filter(|(c, _)| !pages.contains(*c)).map(|(c, at)| format!("{c} ({})", list(at))).collect();
    let idle: Vec<&String> = pages.iter().filter(|code| !used.contains_key(*code)).collect();
    assert!(without.is_empty(), "codes without a page in docs/errors/: {}", without.join(", "));
    assert!(idle.is_empty(), "pages whose code nothing uses: {idle:?}");
}

#[test]
fn a_code_belongs_to_one_file() {
    let shared: Vec<String> = codes_in_use()
        .into_iter()
        .filter(|(code, files)| files.len() > 1 && SHARED.iter().all(|(shared, _)| shared != code))
        .map(|(code, files)| format!("{code}: {}", list(&files)))
        .collect();
    assert!(shared.is_empty(), "codes that two files give a meaning: {}", shared.join("; "));
}

#[test]
fn every_page_has_its_parts_and_examples() {
    let mut faults = Vec::new();
    for (code, title) in codes::all() {
        let page = codes::explain(code).expect("a listed code has a page");
        let code = code.to_string();
        let mut lacks = |what: &str| faults.push(format!("{code} lacks {what}"));
        if !page.starts_with(&format!("# {code}: {title}\n")) {
            lacks("the heading `# CODE: title`");
        }
        if title.ends_with('.') || title.is_empty() {
            lacks("a title that is a few words without a full stop");
        }
        for part in ["\n## What it means\n", "\n## Why\n"] {
            if !page.contains(part) {
                lacks(part.trim());
            }
        }
        if WITHOUT_EXAMPLE.iter().all(|(known, _)| *known != code) {
            let examples = examples(page);
            for tag in ["wrong", "right"] {
                if !examples.iter().any(|e| e.tag == tag) {
                    lacks(&format!("an example tagged `{tag}`"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_index_of_the_pages_is_up_to_date() {
    let mut index =
        String::from("# The codes\n\nEach fault and warning has a code; `regelwerk explain CODE` prints its page.\n\n");
    index.push_str("| code | |\n| --- | --- |\n");
    for (code, title) in codes::all() {
        index.push_str(&format!("| [{code}]({code}.md) | {title} |\n"));
    }
    compare(&index, &repo("docs/errors/README.md")).unwrap_or_else(|difference| panic!("{difference}"));
}

/// The languages of the examples that are run. A page is run if all of its examples are in one of these; when the
/// program has learned to read another, add it here.
const RUN: &[&str] = &["toml", "board", "rules", "play"];

/// Pages that are not run, each with the reason.
const NOT_RUN: &[(&str, &str)] = &[
    ("RW0411", "it comes up when a game is begun, not when it is checked"),
    ("RW0427", "the grammar asks for the braces before it comes to that"),
];

#[test]
fn the_examples_do_what_they_say() {
    let mut faults = Vec::new();
    let mut count = 0;
    for (code, _) in codes::all() {
        let examples = examples(codes::explain(code).expect("a listed code has a page"));
        let code = code.to_string();
        let excepted = NOT_RUN.iter().any(|(known, _)| *known == code);
        if examples.is_empty() || excepted || examples.iter().any(|e| !RUN.contains(&e.language.as_str())) {
            continue;
        }
        count += 1;
        let wrong = codes_of(&examples, &code, "wrong");
        if !wrong.contains(&code) {
            faults.push(format!("{code}: the wrong example gives {wrong:?}"));
        }
        // What an example shows need not be used.
        let mut right = codes_of(&examples, &code, "right");
        right.retain(|found| found != "RW0901" || *found == code);
        if !right.is_empty() {
            faults.push(format!("{code}: the right example gives {right:?}"));
        }
    }
    assert!(count > 0, "no example was run");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Makes a scenario of the examples with a tag and checks it. Where they bring no manifest, they stand on top of the
/// ruleset `stage` (`tests/stage/`), which also lies beside them; a game by itself that brings no rules gets those of
/// `stage`, as `game.rules`.
fn codes_of(examples: &[Example], name: &str, tag: &str) -> Vec<String> {
    let around = scratch(&format!("page-{name}-{tag}"));
    for file in files_below(&repo("tests/stage")) {
        write(&around.join(file.strip_prefix(repo("tests")).expect("it lies there")), read(&file));
    }
    let folder = around.join("example");
    let mine: Vec<&Example> = examples.iter().filter(|e| e.tag == tag).collect();
    if let [Example { language, text, .. }] = mine.as_slice() {
        match language.as_str() {
            "board" => return codes_of_board(text),
            "play" => return codes_of_play(text),
            _ => {}
        }
    }
    let manifest = mine.iter().find(|e| e.path == "scenario.toml").map(|e| e.text.as_str());
    let manifest = manifest.unwrap_or("name = \"example\"\nlanguage = 1\nextends = \"stage\"\n");
    write(&folder.join("scenario.toml"), manifest);
    if !manifest.contains("extends") && !mine.iter().any(|e| e.path.ends_with(".rules")) {
        write(&folder.join("game.rules"), read(&repo("tests/stage/stage.rules")));
        write(&folder.join("valley.board"), read(&repo("tests/stage/valley.board")));
    }
    for example in mine {
        // A path with a folder in front is another ruleset, beside this one.
        let beside = example.path.ends_with("/scenario.toml");
        write(&if beside { around.join(&example.path) } else { folder.join(&example.path) }, &example.text);
    }
    let mut sources = Sources::new();
    let mut sink = Sink::new();
    pipeline::check(&folder.display().to_string(), &mut sources, &mut sink);
    sink.sorted().iter().map(|d| d.code.to_string()).collect()
}

/// A board alone is read as such, since no rule names it.
fn codes_of_board(text: &str) -> Vec<String> {
    let mut sink = Sink::new();
    board::parse(FileId(0), text, &mut sink);
    sink.sorted().iter().map(|d| d.code.to_string()).collect()
}

/// A transcript alone is one of the game `stage`.
fn codes_of_play(text: &str) -> Vec<String> {
    let stage = repo("tests/stage").display().to_string();
    let found = faults_of_play(&stage, &mut Sources::new(), "example.play", text);
    found.iter().map(|d| d.code.to_string()).collect()
}

/// A fenced block of a page. Behind the three backquotes stand the language, the tag and, if it is not the usual
/// one, the path of the file that it stands for.
pub struct Example {
    pub language: String,
    /// `wrong` or `right`.
    pub tag: String,
    pub path: String,
    pub text: String,
}

pub fn examples(page: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut open: Option<Example> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(head)) => {
                let mut words = head.split_whitespace().map(str::to_owned);
                let language = words.next().unwrap_or_default();
                let tag = words.next().unwrap_or_default();
                let path = words.next().unwrap_or_else(|| usual_path(&language));
                open = Some(Example { language, tag, path, text: String::new() });
            }
            (Some(_), Some(_)) => examples.extend(open.take()),
            (Some(example), None) => example.text.push_str(&format!("{line}\n")),
            (None, None) => {}
        }
    }
    examples
}

fn usual_path(language: &str) -> String {
    match language {
        "toml" => "scenario.toml".to_owned(),
        "play" => "tests/example.play".to_owned(),
        other => format!("example.{other}"),
    }
}

/// Every code that the sources construct, with the files that do.
fn codes_in_use() -> BTreeMap<String, BTreeSet<String>> {
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files_below(&repo("src")).into_iter().filter(|f| f.extension().is_some_and(|e| e == "rs")) {
        let text = read(&file);
        let name = file.strip_prefix(repo("src")).expect("it lies there").display().to_string();
        for constructor in CONSTRUCTORS {
            for (at, _) in text.match_indices(constructor) {
                let argument = text[at + constructor.len()..].trim_start();
                let number: String = argument.chars().take_while(char::is_ascii_digit).collect();
                // Codes have three digits or more; a shorter number is something else.
                if number.len() >= 3
                    && let Ok(number) = number.parse::<u16>()
                {
                    used.entry(format!("RW{number:04}")).or_default().insert(name.clone());
                }
            }
        }
    }
    used
}

fn list(files: &BTreeSet<String>) -> String {
    files.iter().cloned().collect::<Vec<_>>().join(", ")
}
