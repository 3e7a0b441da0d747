//! From Rhai's positions, a line and a column in characters, to ranges of bytes over the word that stands there.

use std::ops::Range;

use rhai::Position;

use super::outline::is_word;

/// The bytes of the word, text or sign at a position; without a position, or behind the end, the last word.
pub fn range(text: &str, position: Position) -> Range<usize> {
    match position.line().and_then(|line| offset(text, line, position.position().unwrap_or(1))) {
        Some(at) => word_at(text, at),
        None => {
            let end = text.trim_end().len();
            let start = text.get(..end).and_then(|t| t.char_indices().next_back()).map_or(0, |(at, _)| at);
            start..end
        }
    }
}

/// The byte of a character of a line, both counted from 1.
fn offset(text: &str, line: usize, column: usize) -> Option<usize> {
    let mut start = 0;
    for _ in 1..line {
        start += text.get(start..)?.find('\n')? + 1;
    }
    let rest = text.get(start..)?;
    let rest = rest.get(..rest.find('\n').unwrap_or(rest.len()))?;
    rest.char_indices().nth(column.max(1) - 1).map(|(at, _)| start + at)
}

fn word_at(text: &str, at: usize) -> Range<usize> {
    let rest = text.get(at..).unwrap_or("");
    let length = match rest.chars().next() {
        Some(quote @ ('"' | '`' | '\'')) => {
            let line = rest.get(1..).map_or("", |t| t.lines().next().unwrap_or(""));
            line.find(quote).map_or(1, |end| end + 2)
        }
        Some(c) if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
        Some(c) if is_operator(c) => rest.find(|c| !is_operator(c)).unwrap_or(rest.len()),
        Some(c) => c.len_utf8(),
        None => 0,
    };
    at..at + length
}

fn is_operator(c: char) -> bool {
    "+-*/%=<>!&|^".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn under(text: &str, line: u16, column: u16) -> &str {
        text.get(range(text, Position::new(line, column))).unwrap_or("?")
    }

    #[test]
    fn columns_count_characters_and_ranges_cover_words() {
        let text = "fn é() {\n  ö + größe == \"a b\" }\n";
        assert_eq!(under(text, 1, 1), "fn");
        assert_eq!(under(text, 1, 4), "é");
        assert_eq!(under(text, 2, 7), "größe");
        assert_eq!(under(text, 2, 13), "==");
        assert_eq!(under(text, 2, 16), "\"a b\"");
        assert_eq!(under(text, 9, 1), "}");
        assert_eq!(text.get(range(text, Position::NONE)), Some("}"));
        assert_eq!(range("", Position::NONE), 0..0);
    }
}
