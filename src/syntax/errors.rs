//! All that reading a rules file can complain about. One small constructor for each fault; the codes are RW01xx for
//! syntax and RW07xx for limits.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// The largest number that a rules file can hold.
pub const MAX_NUMBER: u32 = 1_000_000;
/// The largest rules file, in bytes. Loading a scenario refuses larger ones with a word of its own.
pub const MAX_FILE: usize = 1 << 20;

/// What stands at the place where the grammar could not go on.
pub enum Found<'a> {
    Word(&'a str),
    Text,
    End,
}

/// Something else was expected here.
pub fn unexpected(span: Span, found: &Found<'_>, expected: &str) -> Diagnostic {
    let message = match (found, expected) {
        (Found::Word(word), "") => format!("`{word}` does not fit here"),
        (Found::Word(word), expected) => format!("`{word}` does not fit here: expected {expected}"),
        (Found::Text, "") => "this text does not fit here".to_owned(),
        (Found::Text, expected) => format!("this text does not fit here: expected {expected}"),
        (Found::End, "") => "this ends too early".to_owned(),
        (Found::End, expected) => format!("{expected} is missing here"),
    };
    Diagnostic::error(101, span, message)
}

pub fn open_bracket(span: Span, bracket: &str) -> Diagnostic {
    let closer = closer(bracket);
    Diagnostic::error(102, span, format!("this `{bracket}` is never closed"))
        .label("opened here")
        .help(format!("put a `{closer}` where it should end"))
}

/// A rule's block seems to begin behind this line, which lacks its brace.
pub fn missing_brace(span: Span) -> Diagnostic {
    unexpected(span, &Found::End, "`{`").help("the statements that belong to it stand between braces")
}

pub fn stray_bracket(span: Span, bracket: &str) -> Diagnostic {
    Diagnostic::error(103, span, format!("this `{bracket}` closes nothing"))
        .help("take it out, or open a bracket for it before")
}

pub fn wrong_bracket(span: Span, bracket: &str, open: Span) -> Diagnostic {
    let wanted = if bracket == ")" { "]" } else { ")" };
    Diagnostic::error(103, span, format!("this `{bracket}` closes a bracket of another kind"))
        .related(open, "opened here")
        .help(format!("close it with `{wanted}`"))
}

fn closer(bracket: &str) -> &'static str {
    match bracket {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

pub fn open_quote(span: Span) -> Diagnostic {
    Diagnostic::error(104, span, "this text has no closing quote")
        .help("a text ends with `\"` on the line on which it begins")
}

/// A declaration was expected; the word is none that begins one.
pub fn no_declaration(span: Span, word: &str, near: &[&str]) -> Diagnostic {
    let diagnostic = Diagnostic::error(105, span, format!("no declaration begins with `{word}`"));
    diagnostic.help(near_or(near, "a declaration begins with a word such as `piece`, `set`, `procedure` or `action`"))
}

/// A statement stands where only declarations can.
pub fn statement_outside(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(105, span, format!("`{word}` is a statement and cannot stand outside of all braces"))
        .help("put it into a procedure, an action, a trigger or the set-up")
}

/// A statement was expected; the word is none that begins one.
pub fn no_statement(span: Span, word: &str, near: &[&str], alone: bool) -> Diagnostic {
    let diagnostic = Diagnostic::error(106, span, format!("no statement begins with `{word}`"));
    let help = near_or(near, "a statement begins with a verb such as `require`, `give`, `place` or `do`");
    let stop = if near.is_empty() { ";" } else { "" };
    if alone {
        diagnostic.help(format!("{help}{stop} a procedure is done by `do {word}`"))
    } else {
        diagnostic.help(help)
    }
}

/// A statement was expected; a call or a definition stands without its verb.
pub fn no_verb(span: Span, word: &str, with_verb: &str) -> Diagnostic {
    Diagnostic::error(106, span, format!("no statement begins with `{word}`")).help(format!("write `{with_verb}`"))
}

/// A declaration stands among statements.
pub fn declaration_inside(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(106, span, format!("`{word}` begins a declaration and cannot stand among statements"))
        .help("move it outside of the braces; perhaps a `}` is missing above")
}

fn near_or(near: &[&str], otherwise: &str) -> String {
    if near.is_empty() {
        return otherwise.to_owned();
    }
    let names: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    format!("did you mean {}?", listed(&names))
}

/// A word of the language stands where a name should.
pub fn reserved_name(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(107, span, format!("`{word}` is a word of the language and cannot be a name"))
        .help("choose another name; the words that hold sentences together are kept for that")
}

/// `and` or `or` where a set stands.
pub fn condition_word_in_set(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(101, span, format!("`{word}` joins conditions, and a set stands here"))
        .help("sets are joined by `&` (what is in both), `|` (what is in either) and `without`")
}

/// An operator of another language.
pub fn foreign_operator(span: Span, found: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(108, span, format!("`{found}` means nothing here")).help(instead.to_owned())
}

pub fn chained_comparison(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(109, span, "comparisons cannot be chained")
        .related(first, "the first comparison")
        .help("join two comparisons with `and`: `a < b and b < c`")
}

/// A statement or declaration begins on the same line as the one before.
pub fn no_separator(span: Span, word: &str, kind: &str) -> Diagnostic {
    Diagnostic::error(110, span, format!("before `{word}` a new {kind} begins without a line end"))
        .help("put it on a line of its own, or write `;` before it")
}

pub fn number_too_large(span: Span) -> Diagnostic {
    Diagnostic::error(111, span, format!("this number is larger than {MAX_NUMBER}"))
        .help("numbers in a rules file go up to a million")
}

pub fn side_by_side(span: Span) -> Diagnostic {
    Diagnostic::error(112, span, "two values stand side by side with nothing between them")
        .help("write an operator between them; only a number, a name or a call can count what follows: `3 coin`")
}

/// A character that the language does not use.
pub fn strange_character(span: Span, found: &str) -> Diagnostic {
    let help = match found {
        "“" | "”" | "„" | "‘" | "’" | "'" | "«" | "»" => "texts stand between straight double quotes: `\"`",
        "…" => "write out what is meant here",
        "–" | "—" | "−" => "write the minus sign as `-`",
        "×" => "write times as `*`",
        "#" => "comments begin with `//`",
        _ => "take it out",
    };
    Diagnostic::error(113, span, format!("the character `{found}` means nothing here")).help(help)
}

/// A clause that can stand once stands twice.
pub fn said_twice(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(114, span, "this is given a second time")
        .related(first, "given here first")
        .help("keep one of the two")
}

pub fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(701, span, "brackets are nested too deeply here")
        .help(format!("at most {} can stand inside each other", super::layout::MAX_NESTING))
}

/// A statement that would make the tree too deep, or a file beyond [`MAX_FILE`].
pub fn too_long(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(702, span, format!("this {what} is too long to be read"))
        .help(format!("cut the {what} into several"))
}

/// `a`, `a or b`, `a, b or c`
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
