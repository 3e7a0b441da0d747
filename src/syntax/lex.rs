//! The words and marks of a rules file, just well enough to see its lines, brackets and quotes. The grammar reads the
//! text itself again; what is found here only tells which line ends count and what was never closed.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    Number,
    Text,
    /// A quote that its line does not close; the token ends where the quoted text probably should.
    OpenText,
    /// One of the signs of the language, or two that belong together (`==`, `..`, `->`).
    Mark,
    /// A brace that was forgotten and put in.
    AddedOpen,
    AddedClose,
    /// A character that means nothing.
    Strange,
    Newline,
    Comment,
    /// A `///` line.
    Doc,
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

const DOUBLE: &[&str] = &["==", "!=", "<=", ">=", "->", "..", "::", "&&", "||", "+=", "-=", "*=", "/=", "=>", ":="];
const SINGLE: &str = "{}()[]=|&+-*/.,:;<>";

/// Splits a text into tokens; blanks are left out, everything else is in one of them.
pub fn lex(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(first) = rest.chars().next() else { break };
        if matches!(first, ' ' | '\t' | '\r') {
            at += 1;
            continue;
        }
        let (kind, length) = one(rest, first);
        tokens.push(Token { kind, start: at, end: at + length });
        at += length;
    }
    tokens
}

fn one(rest: &str, first: char) -> (Kind, usize) {
    if first == '\n' {
        return (Kind::Newline, 1);
    }
    if rest.starts_with("//") {
        let length = rest.find('\n').unwrap_or(rest.len());
        let doc = rest.starts_with("///") && !rest.starts_with("////");
        return (if doc { Kind::Doc } else { Kind::Comment }, length);
    }
    if first == '"' {
        return quoted(rest);
    }
    if is_letter(first) || first.is_ascii_digit() {
        let length = rest.find(|c: char| !is_letter(c) && !c.is_ascii_digit()).unwrap_or(rest.len());
        return (if first.is_ascii_digit() { Kind::Number } else { Kind::Word }, length);
    }
    if DOUBLE.iter().any(|mark| rest.starts_with(mark)) {
        return (Kind::Mark, 2);
    }
    if SINGLE.contains(first) { (Kind::Mark, 1) } else { (Kind::Strange, first.len_utf8()) }
}

/// Whether a character can begin a word.
pub fn is_letter(c: char) -> bool {
    c == '_' || c.is_ascii_alphabetic() || (!c.is_ascii() && c.is_alphabetic())
}

fn quoted(rest: &str) -> (Kind, usize) {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return (Kind::OpenText, open_length(rest.get(..at).unwrap_or(rest))),
            '"' if !escaped => return (Kind::Text, at + 1),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    (Kind::OpenText, open_length(rest))
}

/// How much of a line is quoted text when the quote was forgotten: all but the closing braces and the like that end
/// the line without having been opened in the text. A comment behind some space is none of it either.
fn open_length(line: &str) -> usize {
    let text = line.find("  //").and_then(|at| line.get(..at)).unwrap_or(line).trim_end();
    let excess = |close: char, open: char| text.matches(close).count().saturating_sub(text.matches(open).count());
    let (mut braces, mut brackets) = (excess('}', '{'), excess(')', '('));
    let mut length = text.len();
    // Blanks and semicolons are left out only where a bracket before them is.
    for (at, c) in text.char_indices().rev() {
        match c {
            '}' if braces > 0 => (braces, length) = (braces - 1, at),
            ')' if brackets > 0 => (brackets, length) = (brackets - 1, at),
            ' ' | '\t' | '\r' | ';' => {}
            _ => break,
        }
    }
    text.get(..length).unwrap_or(text).trim_end().len()
}
