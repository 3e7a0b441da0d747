//! Keywords are whole words, and the lists of words agree with the grammar.

use super::{clean, codes};
use crate::syntax::words::{CONTINUES, INFIX, ITEMS, RESERVED, STATEMENTS};

const GRAMMAR: &str = include_str!("../../../grammar/rules.pest");

/// The quoted words of a rule of the grammar.
fn words_of(rule: &str) -> Vec<&'static str> {
    let start = GRAMMAR.find(&format!("\n{rule} ")).unwrap_or(0);
    let text = GRAMMAR.get(start..).unwrap_or("");
    let text = text.split("!word_char").next().unwrap_or("");
    let mut words: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
    words.sort_unstable();
    words
}

fn sorted(words: &[&'static str]) -> Vec<&'static str> {
    let mut words = words.to_vec();
    words.sort_unstable();
    words
}

#[test]
fn lists_agree_with_the_grammar() {
    assert_eq!(words_of("reserved"), sorted(RESERVED));
    let mut verbs: Vec<&str> = STATEMENTS.iter().map(|(word, _)| *word).collect();
    // These are reserved, and need not be kept from amounts a second time.
    verbs.retain(|word| !RESERVED.contains(word));
    assert_eq!(words_of("verb"), sorted(&verbs));
    for word in INFIX.iter().chain(CONTINUES) {
        assert!(RESERVED.contains(word), "{word}");
    }
}

#[test]
fn every_first_word_begins_its_form() {
    for (word, _) in ITEMS {
        let found = codes(&format!("{word} $"));
        assert!(!found.iter().any(|code| code.starts_with("RW0105")), "{word}: {found:?}");
    }
    for (word, _) in STATEMENTS {
        let found = codes(&format!("setup {{ {word} $ }}"));
        assert!(!found.iter().any(|code| code.starts_with("RW0106")), "{word}: {found:?}");
    }
}

#[test]
fn names_that_begin_like_keywords() {
    clean(
        "terrain forecourt\nterrain inland\nterrain of_old\nset notary = forecourt without inland & mehr\nset ifs = order",
    );
    clean(
        "setup { place topper on ontario as asset;  give megan 1 fortune;  do dodo;  let lettuce = android or orchid }",
    );
    clean("set x = somewhere | nowhere | firstborn | anything | allspice\ndefine y = myth + usually + minus_one");
}

#[test]
fn keywords_as_names_where_nothing_is_ambiguous() {
    clean("terrain gate yields start\npiece piece on number 3 each\ncost free = 2 piece + place");
    clean(
        "each player has turn: yes | no, set: bag of goods, limit: 0..3, deck: 0..4\ndefine points_of(end) = end + turn",
    );
    clean("setup { place piece of p on start(p);  let move = 3;  set first.roll = move;  give p move coin }");
    clean("setup { ask p to { move { stop } pay where turn { stop } give once draw { } } }");
    clean("action ask for in of x: place { stop }\nturn { turn { must roll;  may end, set;  until end turn } }");
}
