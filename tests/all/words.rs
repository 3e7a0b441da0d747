//! No word of any one game stands in the engine or the grammar: the words are taken from the scenarios' own
//! declarations, and looked for in every file under `src/`, `grammar/` and `stdlib/`,
//! comments included.

use std::collections::BTreeMap;

use regelwerk::check::builtins;
use regelwerk::diagnostic::Sink;
use regelwerk::source::load::load;
use regelwerk::source::{Sources, embedded};
use regelwerk::syntax::ast::{File, ItemKind, PhrasePart};
use regelwerk::syntax::{parse, words};

use crate::common::{files_below, read, repo};

/// Words that games declare and that are plain English all the same, each with the reason why it may stand there. Words
/// of the language itself, which a phrase may be made of (`look at`, `draw`), are none of a game and not listed here.
const PLAIN: &[(&str, &str)] = &[
    ("build", "what a compiler does, and `build.rs`"),
    ("buy", "a verb of no one game"),
    ("character", "what a text is made of"),
    ("cube", "the colours that terminals have"),
    ("fields", "what records and domains have"),
    ("figure", "a number in a report"),
    ("gold", "a colour"),
    ("hide", "a verb"),
    ("lea", "an author whose work is named"),
    ("legend", "what the symbols of a drawing mean"),
    ("mine", "what belongs to me"),
    ("movement", "what pieces do, and the name of a file"),
    ("offer", "an action whose second part is another player's answer; the protocol of offers is general"),
    ("play", "a command, and what one does with games"),
    ("resource", "what a program uses up"),
    ("rest", "what is left"),
    ("trade", "a verb of no one game"),
    ("use", "a keyword of Rust"),
    ("work", "what a program does"),
];

#[test]
fn no_word_of_one_game_stands_in_the_engine() {
    let words = declared_words();
    assert!(words.len() > 10, "the scenarios declare something");
    let mut found = Vec::new();
    for folder in ["src", "grammar", "stdlib"] {
        for path in files_below(&repo(folder)) {
            let name = path.strip_prefix(repo("")).expect("it lies there").display().to_string();
            for (index, line) in read(&path).lines().enumerate() {
                let spoken = spoken(line);
                for (word, scenario) in &words {
                    if spoken.contains(&format!(" {word} ")) || spoken.contains(&format!(" {word}s ")) {
                        found.push(format!("{name}:{}: `{word}` of {scenario}", index + 1));
                    }
                }
            }
        }
    }
    assert!(found.is_empty(), "{} places name a word of one game:\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_excepted_words_are_in_use() {
    let mut declared = all_declared_words();
    declared.retain(|word, _| !is_of_the_language(word));
    let idle: Vec<&str> = PLAIN.iter().map(|(word, _)| *word).filter(|w| !declared.contains_key(*w)).collect();
    assert!(idle.is_empty(), "no scenario declares these words any more: {idle:?}");
}

fn declared_words() -> BTreeMap<String, &'static str> {
    let mut declared = all_declared_words();
    declared.retain(|word, _| PLAIN.iter().all(|(plain, _)| word != plain) && !is_of_the_language(word));
    declared
}

/// Whether a word begins a statement or a declaration or holds a sentence together.
fn is_of_the_language(word: &str) -> bool {
    let begins = words::ITEMS.iter().chain(words::STATEMENTS).any(|(first, _)| *first == word);
    let lists = [words::INFIX, words::CONTINUES, words::MAY_CONTINUE, words::RESERVED];
    begins || lists.iter().any(|list| list.contains(&word))
}

/// A function that only one game uses is that game's own, and belongs into its rules.
#[test]
fn every_built_in_function_has_an_example() {
    let examples: Vec<String> = files_below(&repo("examples"))
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rules" || e == "toml"))
        .map(|path| {
            read(path).lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
        })
        .collect();
    let calls = |text: &str, name: &str| {
        text.match_indices(&format!("{name}(")).any(|(at, _)| {
            !text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == ':')
        })
    };
    let idle: Vec<&str> =
        builtins::TABLE.iter().map(|f| f.name).filter(|name| !examples.iter().any(|text| calls(text, name))).collect();
    assert!(idle.is_empty(), "no example uses these functions: {idle:?}");
}

/// The words that scenarios declare, as they are spoken, with one scenario that does; and the scenarios' own names.
fn all_declared_words() -> BTreeMap<String, &'static str> {
    let mut words = BTreeMap::new();
    for scenario in embedded::names() {
        let mut sources = Sources::new();
        let mut sink = Sink::new();
        let loaded = load(scenario, &mut sources, &mut sink).expect("a built-in scenario loads");
        words.insert(spoken(scenario).trim().to_owned(), scenario);
        for file in loaded.rules {
            let tree = parse(file, &sources.file(file).text, &mut sink);
            words.extend(declared(&tree).iter().map(|word| (spoken(word).trim().to_owned(), scenario)));
        }
        // Cards and tokens whose rows stand in tables.
        for (_, table) in loaded.tables {
            let rows = sources.file(table).text.lines();
            let names = rows.filter_map(|row| row.trim_start().strip_prefix("name")?.trim_start().strip_prefix('='));
            // A number with letters before it is no word.
            let worded = names.filter(|name| !name.contains(|c: char| c.is_ascii_digit()));
            words.extend(worded.map(|name| (spoken(name).trim().to_owned(), scenario)));
        }
    }
    words
}

/// Goods, terrain, pieces, decks and their cards, tokens, awards, and the words of actions.
fn declared(file: &File) -> Vec<String> {
    let mut words = Vec::new();
    for item in &file.items {
        match &item.kind {
            ItemKind::Goods(goods) => {
                words.push(goods.name.text.clone());
                words.extend(goods.members.iter().map(|(name, _)| name.text.clone()));
            }
            ItemKind::Terrain { name, .. } => words.push(name.text.clone()),
            ItemKind::Piece(piece) => words.push(piece.name.text.clone()),
            ItemKind::Deck(deck) => {
                words.push(deck.name.text.clone());
                let number = |name: &str| name.parse::<i64>().is_ok();
                words.extend(deck.cards.iter().map(|(name, _)| name.text.clone()).filter(|name| !number(name)));
            }
            ItemKind::Tokens(tokens) => words.push(tokens.name.text.clone()),
            ItemKind::Award(award) => words.push(award.name.text.clone()),
            ItemKind::Action(action) => words.extend(action.phrase.iter().filter_map(|part| match part {
                PhrasePart::Word(word) => Some(word.text.clone()),
                PhrasePart::Param(_) => None,
            })),
            ItemKind::Seats(_)
            | ItemKind::Option { .. }
            | ItemKind::Group { .. }
            | ItemKind::Words { .. }
            | ItemKind::Limit { .. }
            | ItemKind::Cost { .. }
            | ItemKind::State(_)
            | ItemKind::Board { .. }
            | ItemKind::Set { .. }
            | ItemKind::Define { .. }
            | ItemKind::Procedure { .. }
            | ItemKind::Setup(_)
            | ItemKind::Turn(_)
            | ItemKind::Trigger(_)
            | ItemKind::Around { .. }
            | ItemKind::Points { .. }
            | ItemKind::End { .. }
            | ItemKind::Invariant { .. }
            | ItemKind::Script { .. }
            | ItemKind::Cases { .. }
            | ItemKind::Track(_)
            | ItemKind::Fog(_)
            | ItemKind::Chronicle(_)
            | ItemKind::AtEnd(_)
            | ItemKind::Dropped { .. }
            | ItemKind::Bad => {}
        }
    }
    words
}

/// A text as its words, in small letters with one blank before and behind each: `LongestRoad` and `longest_road` are
/// both ` longest road `.
fn spoken(text: &str) -> String {
    let mut spoken = String::from(" ");
    let mut after_small = false;
    for c in text.chars() {
        let begins_word = !c.is_alphanumeric() || (c.is_uppercase() && after_small);
        if begins_word && !spoken.ends_with(' ') {
            spoken.push(' ');
        }
        if c.is_alphanumeric() {
            spoken.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase();
    }
    if !spoken.ends_with(' ') {
        spoken.push(' ');
    }
    spoken
}
