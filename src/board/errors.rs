//! All that the reader of board files can say: RW0150–RW0159 about the writing, RW0450–RW0469 about the board,
//! RW0750 about its size, RW0950 as a warning.

use super::MAX_PLACES;
use super::drawing::FARTHEST;
use crate::diagnostic::{Diagnostic, near_names};
use crate::source::Span;

/// `did you mean `a` or `b`?`, if anything is near.
fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = near_names(word, known);
    (!near.is_empty()).then(|| format!("did you mean {}?", alternatives(&near)))
}

fn alternatives(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => format!("`{one}`"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|word| format!("`{word}`")).collect();
            format!("{} or `{last}`", first.join(", "))
        }
    }
}

pub fn unknown_entry(span: Span, word: &str, known: &[&str]) -> Diagnostic {
    let help = nearest(word, known.iter().copied()).unwrap_or_else(|| {
        format!("an entry begins with {}, or is a symbol's meaning (`m = field value`)", alternatives(known))
    });
    Diagnostic::error(150, span, format!("a board has no entry `{word}`")).help(help)
}

pub fn belongs_to_nothing(span: Span) -> Diagnostic {
    Diagnostic::error(151, span, "this indented line belongs to no entry")
        .help("an entry begins at the left edge; indented lines under it belong to it")
}

pub fn expected(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(152, span, format!("expected {what} here"))
}

pub fn tab(span: Span) -> Diagnostic {
    Diagnostic::error(153, span, "a tab stands in the drawing")
        .help("use spaces: a tab is as wide as each editor likes")
}

pub fn bad_symbol(span: Span, symbol: &str) -> Diagnostic {
    Diagnostic::error(154, span, format!("`{symbol}` cannot be a symbol"))
        .help("a symbol is letters or signs without digits, and no word with which an entry begins")
}

pub fn no_header(span: Span) -> Diagnostic {
    Diagnostic::error(450, span, "the file does not say what board it holds")
        .help("begin with `board hexes`, `board grid` or `board graph`")
}

pub fn given_twice(span: Span, what: &str, first: Span) -> Diagnostic {
    Diagnostic::error(451, span, format!("{what} is given a second time")).related(first, "first given here")
}

pub fn unknown_symbol(span: Span, symbol: &str, known: &[&str]) -> Diagnostic {
    let help = nearest(symbol, known.iter().copied())
        .unwrap_or_else(|| format!("say what it means with a line `{symbol} = field value` or `{symbol} = plain`"));
    Diagnostic::error(452, span, format!("the symbol `{symbol}` has no meaning")).help(help)
}

pub fn unknown_place(span: Span, text: &str, what: &str) -> Diagnostic {
    let fault = Diagnostic::error(453, span, format!("the board has no {what} `{text}`"));
    match (what, text.split_once('.')) {
        ("corner", Some(_)) => fault.help("the corners of a hex lie to its N, NE, SE, S, SW and NW"),
        ("edge", Some(_)) => fault.help("the edges of a hex lie to its NE, E, SE, SW, W and NW"),
        _ => fault,
    }
}

/// A corner or edge of a hex that is not there.
pub fn beside_nothing(span: Span, base: &str, what: &str) -> Diagnostic {
    Diagnostic::error(453, span, format!("the board has no {what} `{base}`"))
        .help("`regelwerk board` draws the board with its places")
}

pub fn ambiguous_place(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(454, span, format!("`{text}` may be a corner or an edge"))
        .help(format!("write `corner {text}` or `edge {text}`"))
}

pub fn misaligned(span: Span, symbol: &str) -> Diagnostic {
    Diagnostic::error(455, span, format!("`{symbol}` stands between two places of the drawing"))
        .help("each row is shifted by half a hex against the rows above and below it; `.` draws a gap")
}

pub fn no_places(span: Span, help: &str) -> Diagnostic {
    Diagnostic::error(456, span, "the board has no places").help(help)
}

pub fn number_without_field(span: Span, number: &str) -> Diagnostic {
    Diagnostic::error(457, span, format!("nothing says what the number {number} means"))
        .help("add a line such as `numbers are number`, which names the field that they fill")
}

pub fn listed_twice(span: Span, id: &str, first: Span) -> Diagnostic {
    Diagnostic::error(458, span, format!("{id} is listed a second time")).related(first, "first listed here")
}

pub fn second_value(span: Span, field: &str, id: &str, first: Span) -> Diagnostic {
    Diagnostic::error(459, span, format!("`{field}` of {id} is given a second time")).related(first, "first given here")
}

pub fn mixed_kinds(span: Span, kind: &str, first: &str, first_span: Span) -> Diagnostic {
    Diagnostic::error(460, span, format!("a {kind} stands in a list of places of the kind `{first}`"))
        .related(first_span, format!("the list begins with a {first} here"))
}

pub fn unknown_colour<'a>(span: Span, word: &str, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let help = nearest(word, known).unwrap_or_else(|| "write any colour as `#rrggbb`".into());
    Diagnostic::error(461, span, format!("there is no colour `{word}`")).help(help)
}

pub fn joined_to_itself(span: Span, id: &str) -> Diagnostic {
    Diagnostic::error(462, span, format!("{id} is linked to itself"))
}

pub fn mixed_links(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::error(463, span, format!("links `{name}` lead one way here and both ways elsewhere"))
        .related(first, "the first of them")
        .help("`->` leads one way, `-` both ways; give the others a name of their own")
}

pub fn wrong_topology(span: Span, word: &str, where_it_belongs: &str) -> Diagnostic {
    Diagnostic::error(464, span, format!("`{word}` belongs to {where_it_belongs}"))
}

pub fn not_in_line(span: Span, from: &str, to: &str) -> Diagnostic {
    Diagnostic::error(465, span, format!("{from} and {to} do not lie on a line"))
        .help("`..` stands for all places between two ends of a row; list the others one by one")
}

pub fn name_of_kind(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(466, span, format!("`{word}` cannot be the name of a place"))
        .help("it is the name of a kind of places")
}

pub fn too_far(span: Span) -> Diagnostic {
    Diagnostic::error(467, span, "this coordinate is too large")
        .help(format!("coordinates run from -{FARTHEST} to {FARTHEST}"))
}

pub fn too_many_places(span: Span, kind: &str, count: usize) -> Diagnostic {
    Diagnostic::error(750, span, format!("the board has {count} places of the kind `{kind}`"))
        .help(format!("at most {MAX_PLACES} of a kind are possible"))
}

pub fn symbol_not_drawn(span: Span, symbol: &str) -> Diagnostic {
    Diagnostic::warning(950, span, format!("the symbol `{symbol}` is never drawn")).help("draw it, or delete this line")
}
