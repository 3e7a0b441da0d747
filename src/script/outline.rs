//! The functions of a script as they stand in its text, found without parsing it: so that a fault in one function
//! does not hide the others, and so that a fault of a whole function has a place.

use std::ops::Range;

/// A function's definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    /// Bytes of the name.
    pub name_at: Range<usize>,
    pub parameters: usize,
    /// Only other functions of the script call it.
    pub private: bool,
    /// Bytes of the whole.
    pub range: Range<usize>,
}

/// What stands at the top level of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    pub functions: Vec<Definition>,
    /// The first words of statements outside of functions.
    pub stray: Vec<Range<usize>>,
}

impl Outline {
    pub fn function(&self, name: &str, parameters: usize) -> Option<&Definition> {
        self.functions.iter().find(|f| f.name == name && f.parameters == parameters)
    }
}

/// Reads a script's outline. A `fn` at the left edge begins a function even where a bracket before it is open.
pub fn outline(text: &str) -> Outline {
    let tokens = tokens(text);
    let mut found = Outline::default();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let Some(head) = begins(&tokens, at, text) else {
            if text.get(token.clone()) != Some(";") {
                found.stray.push(token.clone());
            }
            at = skip_statement(&tokens, at, text);
            continue;
        };
        let end = end_of(&tokens, head.body, text);
        let last = end.checked_sub(1).and_then(|e| tokens.get(e)).map_or(token.end, |t| t.end);
        found.functions.push(Definition { range: token.start..last, ..head.definition });
        at = end.max(at + 1);
    }
    found
}

struct Head {
    definition: Definition,
    /// The token behind the parameters.
    body: usize,
}

fn begins(tokens: &[Range<usize>], at: usize, text: &str) -> Option<Head> {
    let word = |i: usize| tokens.get(i).and_then(|t| text.get(t.clone()));
    let private = word(at) == Some("private");
    let keyword = at + usize::from(private);
    if word(keyword) != Some("fn") {
        return None;
    }
    let name_at = tokens.get(keyword + 1)?.clone();
    let name = text.get(name_at.clone())?;
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    let (mut parameters, mut body) = (0, keyword + 2);
    if word(body) == Some("(") {
        body += 1;
        while let Some(token) = word(body) {
            match token {
                ")" => {
                    body += 1;
                    break;
                }
                "{" | "}" | "fn" => break,
                "," => {}
                _ => parameters += 1,
            }
            body += 1;
        }
    }
    let definition = Definition { name: name.to_string(), name_at, parameters, private, range: 0..0 };
    Some(Head { definition, body })
}

/// Behind the block that begins at a token, or at the next function at the left edge if that comes first.
fn end_of(tokens: &[Range<usize>], from: usize, text: &str) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match text.get(token.clone()) {
            Some("{") => depth += 1,
            Some("}") if depth <= 1 => return at + 1,
            Some("}") => depth -= 1,
            Some("fn" | "private") if is_at_left_edge(text, token.start) => return at,
            Some(_) | None => {}
        }
    }
    tokens.len()
}

fn skip_statement(tokens: &[Range<usize>], from: usize, text: &str) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match text.get(token.clone()) {
            Some("{" | "(" | "[") => depth += 1,
            Some("}" | ")" | "]") => depth = depth.saturating_sub(1),
            Some(";") if depth == 0 => return at + 1,
            Some("fn" | "private") if at > from && (depth == 0 || is_at_left_edge(text, token.start)) => return at,
            Some(_) | None => {}
        }
    }
    tokens.len()
}

pub fn is_at_left_edge(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n')
}

/// Words, numbers, texts and single signs, without blanks and comments.
pub fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(first) = rest.chars().next()
    {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment_length(rest)
        } else {
            let length = match first {
                '"' | '`' | '\'' => text_length(rest, first),
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            if !first.is_whitespace() {
                tokens.push(at..at + length);
            }
            length
        };
        at += length.max(1);
    }
    tokens
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Comments of this kind nest.
fn comment_length(rest: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    let bytes = rest.as_bytes();
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => {
                depth += 1;
                at += 2;
            }
            Some(b"*/") => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            Some(_) | None => at += 1,
        }
    }
    bytes.len()
}

/// A text in quotes ends at the line's end at the latest, one in backquotes may go on.
fn text_length(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == '\n' && quote != '`' {
            return at;
        }
        if c == quote && !escaped {
            return at + c.len_utf8();
        }
        escaped = c == '\\' && !escaped && quote != '`';
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_in_any_layout() {
        let text = "// fn not(a) {}\nfn first(a, b) { if a { \"}\" } else { b } }\nprivate fn second() { 1 }\n";
        let found = outline(text);
        let heads: Vec<(&str, usize, bool)> =
            found.functions.iter().map(|f| (f.name.as_str(), f.parameters, f.private)).collect();
        assert_eq!(heads, [("first", 2, false), ("second", 0, true)]);
        assert!(found.stray.is_empty());
        assert_eq!(text.get(found.functions[0].range.clone()).map(|t| t.ends_with("} }")), Some(true));
    }

    #[test]
    fn an_open_block_does_not_swallow_the_next_function() {
        let found = outline("fn first(a) {\n  if a {\n    1\n}\nfn second(a) { 2 }\n");
        assert_eq!(found.functions.len(), 2);
        assert_eq!(found.functions[1].name, "second");
    }

    #[test]
    fn what_stands_outside_of_functions_is_stray() {
        let text = "let price = 3;\nfn first() { 1 }\nfirst();\n";
        let stray: Vec<&str> = outline(text).stray.into_iter().filter_map(|r| text.get(r)).collect();
        assert_eq!(stray, ["let", "first"]);
    }

    #[test]
    fn any_text_has_an_outline() {
        for text in ["", "fn", "fn (", "fn a(", "private", "/* /*", "\"", "`${", "fn a(b { }", "é fn ü(x) {}", "}}}"]
        {
            outline(text);
        }
    }
}
