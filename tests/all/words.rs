//! No word of any one game stands in the engine or the grammar: the words are taken from the scenarios' own
//! declarations, and looked for in every file under `src/` and `grammar/`, comments included.

use std::collections::BTreeMap;

use regelwerk::diagnostic::Sink;
use regelwerk::source::load::load;
use regelwerk::source::{Sources, embedded};
use regelwerk::syntax::ast::{File, ItemKind, PhrasePart};
use regelwerk::syntax::parse;

use crate::common::{files_below, read, repo};

/// Words that games declare and that are plain English all the same, each with the reason why it may stand there.
const PLAIN: &[(&str, &str)] = &[
    ("ask", "a statement"),
    ("build", "what a compiler does, and `build.rs`"),
    ("buy", "a verb of no one game"),
    ("character", "what a text is made of"),
    ("cube", "the colours that terminals have"),
    ("fields", "what records and domains have"),
    ("figure", "a number in a report"),
    ("for", "a keyword"),
    ("from", "a keyword"),
    ("gold", "a colour"),
    ("hide", "a verb"),
    ("lea", "an author whose work is named"),
    ("legend", "what the symbols of a drawing mean"),
    ("mine", "what belongs to me"),
    ("move", "a statement"),
    ("movement", "what pieces do, and the name of a file"),
    ("offer", "an action whose second part is another player's answer; the protocol of offers is general"),
    ("on", "a keyword"),
    ("play", "a command, and what one does with games"),
    ("resource", "what a program uses up"),
    ("rest", "what is left"),
    ("roll", "a statement"),
    ("to", "a keyword"),
    ("trade", "a verb of no one game"),
    ("use", "a keyword of Rust"),
    ("work", "what a program does"),
];

#[test]
fn no_word_of_one_game_stands_in_the_engine() {
    let words = declared_words();
    assert!(words.len() > 10, "the scenarios declare something");
    let mut found = Vec::new();
    for folder in ["src", "grammar"] {
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
    let declared = all_declared_words();
    let idle: Vec<&str> = PLAIN.iter().map(|(word, _)| *word).filter(|w| !declared.contains_key(*w)).collect();
    assert!(idle.is_empty(), "no scenario declares these words any more: {idle:?}");
}

fn declared_words() -> BTreeMap<String, &'static str> {
    let mut words = all_declared_words();
    words.retain(|word, _| PLAIN.iter().all(|(plain, _)| word != plain));
    words
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
