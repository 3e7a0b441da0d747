//! The words of the language by what they do: which begin a declaration or a statement and how that reads, and which
//! hold a sentence together. A test keeps these lists and the grammar the same.

/// Words that stand between two parts: a line that ends with one goes on.
pub const INFIX: &[&str] = &[
    "and", "or", "not", "in", "of", "at", "to", "from", "for", "by", "as", "on", "where", "without", "if", "then",
    "has", "is", "meets", "disjoint", "near", "mod",
];

/// Words that begin no item, statement or entry: a line that begins with one continues the line before it.
pub const CONTINUES: &[&str] = &[
    "and",
    "or",
    "not",
    "in",
    "of",
    "to",
    "from",
    "by",
    "as",
    "on",
    "where",
    "without",
    "then",
    "else",
    "otherwise",
    "has",
    "is",
    "meets",
    "disjoint",
    "near",
    "mod",
];

/// Words that do so when another word follows them; before anything else they can be a name in a list.
pub const MAY_CONTINUE: &[&str] =
    &["along", "winner", "yields", "beyond", "even", "played", "returned", "reshuffled", "drawn", "face"];

/// Words that cannot be names.
pub const RESERVED: &[&str] = &[
    "and",
    "or",
    "not",
    "in",
    "of",
    "at",
    "to",
    "from",
    "for",
    "by",
    "as",
    "on",
    "where",
    "without",
    "if",
    "then",
    "else",
    "otherwise",
    "has",
    "is",
    "meets",
    "disjoint",
    "near",
    "mod",
    "me",
    "my",
    "active",
    "usual",
    "allow",
];

/// The words that begin a declaration, and how it reads.
pub const ITEMS: &[(&str, &str)] = &[
    ("action", "action WORDS AND name: TYPE { … }"),
    ("after", "after NAME { … }"),
    ("at", "at the end { … }"),
    ("award", "award NAME 2 points { most …;  at least 3;  a tie keeps the holder }"),
    ("before", "before NAME { … }"),
    ("board", "board NAME from \"FILE.board\""),
    ("cards", "cards NAME { COLUMN: TYPE, … } from \"FILE.toml\""),
    ("cases", "cases NAME { CASE(name: TYPE), … }"),
    ("change", "change DECLARATION"),
    ("chronicle", "chronicle { each player has NAME: TYPE;  NAME: TYPE }"),
    ("cost", "cost NAME = 2 GOODS + GOODS"),
    ("deck", "deck NAME { CARD 14, CARD 2 }"),
    ("define", "define NAME(name: TYPE) = VALUE"),
    ("drop", "drop action WORDS"),
    ("each", "each player has NAME: TYPE, NAME: TYPE"),
    ("end", "end when CONDITION winner PLAYER"),
    ("fog", "fog NAME 8 hexes of { TERRAIN 2, TERRAIN 3 }"),
    ("goods", "goods NAME { MEMBER, MEMBER } 19 each in HOME"),
    ("group", "group NAME = MEMBER, MEMBER"),
    ("hidden", "hidden points p = NUMBER"),
    ("instead", "instead of NAME { … }"),
    ("invariant", "invariant NAME for x in DOMAIN: CONDITION"),
    ("limit", "limit 3 of each GOODS in FIELD"),
    ("option", "option NAME = VALUE | VALUE \"what it is\""),
    ("piece", "piece NAME on PLACE 15 each"),
    ("points", "points p = NUMBER"),
    ("procedure", "procedure NAME(name: TYPE) { … }"),
    ("script", "script NAME \"FILE.rhai\""),
    ("seats", "seats NAME, NAME, NAME"),
    ("set", "set NAME(name: TYPE) = PLACES \"reason\" without PLACES \"reason\""),
    ("setup", "setup { … }"),
    ("state", "state NAME: TYPE"),
    ("terrain", "terrain NAME yields GOODS"),
    ("this", "this turn NAME: TYPE"),
    ("tokens", "tokens NAME { COLUMN: TYPE } on PLACES 2 there face down from \"FILE.toml\""),
    ("track", "track NAME each player 0..24 { MARK at 3, 7 }"),
    ("trigger", "trigger NAME on EVENT where CONDITION { … }"),
    ("turn", "turn { PHASE { must ACTION;  may ACTION, ACTION;  until end turn } }"),
    ("words", "words NAME { WORD, WORD }"),
];

/// The words that begin a statement, and how it reads.
pub const STATEMENTS: &[(&str, &str)] = &[
    ("add", "add AMOUNT to FIELD"),
    ("allow", "allow PLAYER to ACTION otherwise { … }"),
    ("ask", "ask PLAYER for x: TYPE in SET \"question\" otherwise { … }"),
    ("at", "at most 2 a turn"),
    ("case", "case VALUE { WORD { … }  WORD { … } }"),
    ("deal", "deal 1 DECK to PLAYER"),
    ("discard", "discard CARD from FIELD"),
    ("do", "do PROCEDURE(…) as x"),
    ("draw", "draw DECK where CONDITION to FIELD as x"),
    ("emit", "emit EVENT(…)"),
    ("end", "end turn"),
    ("for", "for x in SET where CONDITION { … }"),
    ("give", "give PLAYER AMOUNT"),
    ("if", "if CONDITION { … } else { … }"),
    ("lay", "lay FIELD 5 2 6 along PATH"),
    ("let", "let x = VALUE"),
    ("look", "look at TOKEN by PLAYER"),
    ("make", "make PLAYER ACTION otherwise { … }"),
    ("move", "move PIECE from PLACE to PLACE"),
    ("once", "once a turn"),
    ("part", "part NAME { … }"),
    ("pay", "pay AMOUNT"),
    ("place", "place PIECE on PLACE"),
    ("remove", "remove PIECE from PLACE"),
    ("repeat", "repeat 2 { … }"),
    ("replace", "replace PIECE on PLACE by PIECE"),
    ("require", "require CONDITION \"reason\""),
    ("return", "return VALUE"),
    ("reveal", "reveal PLACE"),
    ("roll", "roll 2 d6 as x"),
    ("set", "set FIELD = VALUE"),
    ("shuffle", "shuffle DECK"),
    ("steal", "steal 1 random of FIELD"),
    ("stop", "stop"),
    ("suggest", "suggest 1..2 of x for 1 of y, at most 3 a turn"),
    ("swap", "swap AMOUNT of PLAYER, AMOUNT of PLAYER"),
    ("take", "take AMOUNT from PLAYER"),
    ("tally", "tally NAME: DOMAIN by DOMAIN"),
    ("turn", "turn over DECK as x"),
    ("usual", "usual"),
];

/// How a declaration that begins with this word reads.
pub fn item_form(word: &str) -> Option<&'static str> {
    ITEMS.iter().find(|(first, _)| *first == word).map(|(_, form)| *form)
}

/// How a statement that begins with this word reads.
pub fn statement_form(word: &str) -> Option<&'static str> {
    STATEMENTS.iter().find(|(first, _)| *first == word).map(|(_, form)| *form)
}

pub fn begins_item(word: &str) -> bool {
    item_form(word).is_some()
}

pub fn begins_statement(word: &str) -> bool {
    statement_form(word).is_some()
}

pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}
