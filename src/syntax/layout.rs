//! What stands before the grammar: comments and the line ends that end nothing become blanks (at the same offsets),
//! brackets are balanced, and a text that is nested too deeply is refused before anything recursive sees it.
//!
//! A line goes on when it ends with an operator or a comma, or when the next line begins with a word or mark that
//! cannot begin anything (`and`, `without`, `"…"`, `else` …), or inside round or square brackets.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::Sink;
use crate::source::{FileId, Span};

use super::errors;
use super::lex::{Kind, Token, lex};
use super::words;

/// How many brackets can stand inside each other.
pub const MAX_NESTING: usize = 256;
/// How many words and marks can lead down to a place: a bound for everything that walks the tree.
pub const MAX_PATH: usize = 600;

pub struct Layout {
    /// The text as the grammar sees it, as long as the file's.
    pub text: String,
    /// The pieces to be parsed one by one; more than one only where braces were left open.
    pub sections: Vec<Section>,
    /// The `///` lines before an item, by the item's offset.
    pub docs: BTreeMap<usize, String>,
    /// The offsets of what was reported here, ascending. Nothing more is said about a statement that holds one.
    pub faults: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
pub struct Section {
    pub start: usize,
    pub end: usize,
    /// How many closing braces are missing at its end.
    pub missing: usize,
}

/// Reads the layout of a text; None if it is too deeply nested to be read at all.
pub fn read(file: FileId, text: &str, sink: &mut Sink) -> Option<Layout> {
    let mut reader = Reader {
        file,
        text,
        tokens: lex(text),
        out: text.as_bytes().to_vec(),
        faults: Vec::new(),
        unpaired: BTreeSet::new(),
        sink,
    };
    reader.strip();
    let docs = reader.docs();
    reader.tokens.retain(|token| !matches!(token.kind, Kind::Comment | Kind::OpenText));
    let open = reader.balance()?;
    let sections = if open { reader.split() } else { vec![Section { start: 0, end: text.len(), missing: 0 }] };
    reader.join_lines()?;
    let Reader { out, mut faults, .. } = reader;
    faults.sort_unstable();
    // Only whole characters were replaced by blanks, so the bytes are still text.
    let text = String::from_utf8(out).unwrap_or_default();
    Some(Layout { text, sections, docs, faults })
}

struct Reader<'t, 's> {
    file: FileId,
    text: &'t str,
    tokens: Vec<Token>,
    out: Vec<u8>,
    faults: Vec<usize>,
    /// Offsets of round and square brackets that have no partner.
    unpaired: BTreeSet<usize>,
    sink: &'s mut Sink,
}

impl<'t> Reader<'t, '_> {
    fn word(&self, token: Token) -> &'t str {
        self.text.get(token.start..token.end).unwrap_or("")
    }

    fn span(&self, token: Token) -> Span {
        Span::new(self.file, token.start, token.end)
    }

    fn blank(&mut self, token: Token) {
        if let Some(bytes) = self.out.get_mut(token.start..token.end) {
            bytes.fill(b' ');
        }
    }

    /// Blanks comments and what an open quote leaves behind, and reports the latter.
    fn strip(&mut self) {
        for at in 0..self.tokens.len() {
            let Some(token) = self.tokens.get(at).copied() else { return };
            match token.kind {
                Kind::Comment | Kind::Doc => self.blank(token),
                Kind::OpenText => {
                    self.blank(token);
                    self.faults.push(token.start);
                    self.sink.push(errors::open_quote(self.span(token)));
                }
                Kind::Word | Kind::Number | Kind::Text | Kind::Mark | Kind::Strange | Kind::Newline => {}
            }
        }
    }

    /// The `///` lines that stand directly above something, by the offset of that something.
    fn docs(&self) -> BTreeMap<usize, String> {
        let mut docs = BTreeMap::new();
        let mut lines: Vec<&str> = Vec::new();
        let mut line_ends = 0;
        for token in &self.tokens {
            match token.kind {
                Kind::Doc => {
                    if line_ends > 1 {
                        lines.clear();
                    }
                    let line = self.word(*token).trim_start_matches('/');
                    lines.push(line.strip_prefix(' ').unwrap_or(line).trim_end());
                    line_ends = 0;
                }
                Kind::Newline => line_ends += 1,
                Kind::Comment => line_ends = 0,
                Kind::Word | Kind::Number | Kind::Text | Kind::OpenText | Kind::Mark | Kind::Strange => {
                    if !lines.is_empty() && line_ends == 1 {
                        docs.insert(token.start, lines.join("\n"));
                    }
                    lines.clear();
                }
            }
        }
        docs
    }

    /// Pairs brackets, reports those without a partner (but for open braces) and blanks closers that close nothing.
    /// Answers whether a brace was left open; None if the nesting is too deep.
    fn balance(&mut self) -> Option<bool> {
        let mut stack: Vec<(usize, Token)> = Vec::new();
        let following = self.following();
        let mut at = 0;
        while let Some(token) = self.tokens.get(at).copied() {
            let mark = if token.kind == Kind::Mark { self.word(token) } else { "" };
            let top = stack.last().map(|(_, open)| self.word(*open));
            let round = matches!(top, Some("(" | "["));
            if round && token.kind == Kind::Newline && self.begins_anew(at, &following) {
                at = self.give_up(&mut stack);
                continue;
            }
            match mark {
                "(" | "[" if !self.unpaired.contains(&token.start) => stack.push((at, token)),
                ")" | "]" => match top {
                    Some("(") if mark == ")" => drop(stack.pop()),
                    Some("[") if mark == "]" => drop(stack.pop()),
                    Some("(" | "[") => {
                        let open = stack.pop().map_or(token, |(_, open)| open);
                        self.faults.extend([open.start, token.start]);
                        let (open, close) = (self.span(open), self.span(token));
                        self.sink.push(errors::wrong_bracket(close, mark, open));
                    }
                    _ => {
                        self.faults.push(token.start);
                        self.sink.push(errors::stray_bracket(self.span(token), mark));
                    }
                },
                "{" | "}" | ";" if round => {
                    at = self.give_up(&mut stack);
                    continue;
                }
                "{" => stack.push((at, token)),
                "}" if stack.is_empty() => {
                    self.blank(token);
                    self.faults.push(token.start);
                    self.sink.push(errors::stray_bracket(self.span(token), "}"));
                    if let Some(token) = self.tokens.get_mut(at) {
                        token.kind = Kind::Comment;
                    }
                }
                "}" => drop(stack.pop()),
                _ => {}
            }
            if stack.len() > MAX_NESTING {
                self.sink.push(errors::too_deep(self.span(token)));
                return None;
            }
            at += 1;
            if at == self.tokens.len() && stack.last().is_some_and(|(_, open)| self.word(*open) != "{") {
                at = self.give_up(&mut stack);
            }
        }
        self.tokens.retain(|token| token.kind != Kind::Comment);
        Some(!stack.is_empty())
    }

    /// Reports the round and square brackets on top of the stack as never closed, one a line, and says where to read on
    /// as if they were not brackets.
    fn give_up(&mut self, stack: &mut Vec<(usize, Token)>) -> usize {
        let braces = stack.iter().rposition(|(_, open)| self.word(*open) == "{").map_or(0, |at| at + 1);
        let open = stack.split_off(braces);
        let mut reported_to = 0;
        for (_, token) in &open {
            self.unpaired.insert(token.start);
            self.faults.push(token.start);
            if token.start >= reported_to {
                let mark = self.word(*token).to_owned();
                self.sink.push(errors::open_bracket(self.span(*token), &mark));
                let rest = self.text.get(token.start..).unwrap_or("");
                reported_to = token.start + rest.find('\n').unwrap_or(rest.len());
            }
        }
        open.first().map_or(self.tokens.len(), |(at, _)| at + 1)
    }

    /// Finds out which braces were left open, by how the lines are indented, and cuts the text where the next item
    /// begins, so that an open brace costs one item.
    fn split(&mut self) -> Vec<Section> {
        let mut sections = Vec::new();
        let mut start = 0;
        // Open braces, each with the indentation of its line.
        let mut stack: Vec<(Token, usize)> = Vec::new();
        let mut depth = 0;
        let mut line_start = true;
        let mut indent = 0;
        let mut unclosed = Vec::new();
        let mut stray = Vec::new();
        for token in &self.tokens {
            if line_start && token.kind != Kind::Newline {
                indent = self.indent(*token);
            }
            let mark = if token.kind == Kind::Mark { self.word(*token) } else { "" };
            if line_start
                && indent == 0
                && depth > 0
                && token.kind == Kind::Word
                && words::begins_item(self.word(*token))
            {
                unclosed.extend(stack.drain(..).map(|(open, _)| open));
                sections.push(Section { start, end: token.start, missing: depth });
                (start, depth) = (token.start, 0);
            }
            match mark {
                "{" => {
                    stack.push((*token, indent));
                    depth += 1;
                }
                "}" => {
                    while line_start && stack.len() > 1 && stack.last().is_some_and(|(_, outer)| *outer > indent) {
                        unclosed.extend(stack.pop().map(|(open, _)| open));
                    }
                    stack.pop();
                    if depth == 0 {
                        stray.push(*token);
                    }
                    depth -= usize::from(depth > 0);
                }
                _ => {}
            }
            line_start = token.kind == Kind::Newline;
        }
        unclosed.extend(stack.drain(..).map(|(open, _)| open));
        sections.push(Section { start, end: self.text.len(), missing: depth });
        for close in stray {
            self.blank(close);
            self.faults.push(close.start);
            self.sink.push(errors::stray_bracket(self.span(close), "}"));
        }
        for open in unclosed {
            self.faults.push(open.start);
            self.sink.push(errors::open_bracket(self.span(open), "{"));
        }
        sections
    }

    fn indent(&self, token: Token) -> usize {
        let before = self.text.get(..token.start).unwrap_or("");
        before.len() - before.rfind('\n').map_or(0, |at| at + 1)
    }

    /// Blanks the line ends that end nothing. None if a place lies too deep in its statement.
    fn join_lines(&mut self) -> Option<()> {
        let following = self.following();
        // For each open bracket, how many words and marks of the current statement or entry stand before it.
        let mut path: Vec<usize> = vec![0];
        let mut depth = 0;
        let mut round: Vec<bool> = Vec::new();
        for at in 0..self.tokens.len() {
            let Some(token) = self.tokens.get(at).copied() else { break };
            if token.kind == Kind::Newline {
                let inside = round.last().copied().unwrap_or(false);
                if inside || self.continues(at, &following) {
                    self.blank(token);
                } else {
                    depth -= path.last_mut().map(std::mem::take).unwrap_or(0);
                }
                continue;
            }
            let weight = if self.recurs(token) { 2 } else { 1 };
            depth += weight;
            if let Some(here) = path.last_mut() {
                *here += weight;
            }
            if depth > MAX_PATH {
                self.sink.push(errors::too_long(self.span(token), "statement"));
                return None;
            }
            let mark = if token.kind == Kind::Mark { self.word(token) } else { "" };
            let paired = !self.unpaired.contains(&token.start);
            match mark {
                "{" | "(" | "[" if paired => {
                    path.push(0);
                    round.push(mark != "{");
                }
                "}" | ")" | "]" if !round.is_empty() && round.last().copied() == Some(mark != "}") => {
                    depth -= path.pop().unwrap_or(0);
                    round.pop();
                }
                "," | ";" => depth -= path.last_mut().map(std::mem::take).unwrap_or(0),
                _ => {}
            }
        }
        Some(())
    }

    /// Words and marks that nest the tree without a bracket.
    fn recurs(&self, token: Token) -> bool {
        match token.kind {
            Kind::Word => matches!(
                self.word(token),
                "not" | "some" | "no" | "first" | "any" | "all" | "if" | "else" | "where" | "of" | "allow" | "neutral"
            ),
            Kind::Mark => matches!(self.word(token), "-" | "(" | "[" | "{"),
            Kind::Number | Kind::Text | Kind::OpenText | Kind::Strange | Kind::Newline | Kind::Comment | Kind::Doc => {
                false
            }
        }
    }

    /// For each token the index of the next one that is no line end.
    fn following(&self) -> Vec<usize> {
        let mut following = vec![self.tokens.len(); self.tokens.len()];
        let mut next = self.tokens.len();
        for (at, token) in self.tokens.iter().enumerate().rev() {
            if let Some(entry) = following.get_mut(at) {
                *entry = next;
            }
            if token.kind != Kind::Newline {
                next = at;
            }
        }
        following
    }

    /// The next two tokens behind this one that are no line ends; the second on the line of the first.
    fn next_two(&self, at: usize, following: &[usize]) -> (Option<Token>, Option<Token>) {
        let next = following.get(at).copied().unwrap_or(self.tokens.len());
        (self.tokens.get(next).copied(), self.tokens.get(next + 1).copied())
    }

    /// Whether the line that ends at this token goes on behind it.
    fn continues(&self, at: usize, following: &[usize]) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        if before.is_some_and(|token| self.leads_on(*token)) {
            return !self.begins_anew(at, following);
        }
        let (first, second) = self.next_two(at, following);
        let Some(first) = first else { return false };
        if first.kind == Kind::Word && words::MAY_CONTINUE.contains(&self.word(first)) {
            return second.is_some_and(|token| token.kind == Kind::Word);
        }
        self.follows(first)
    }

    /// Whether what follows is so clearly a new statement or item that the line before it was only left unfinished.
    fn begins_anew(&self, at: usize, following: &[usize]) -> bool {
        let (Some(first), Some(second)) = self.next_two(at, following) else { return false };
        let word = self.word(first);
        let begins = words::begins_item(word) || words::begins_statement(word);
        let goes_on = match second.kind {
            Kind::Word => !words::INFIX.contains(&self.word(second)),
            Kind::Number => true,
            Kind::Text | Kind::OpenText | Kind::Mark | Kind::Strange | Kind::Newline | Kind::Comment | Kind::Doc => {
                false
            }
        };
        begins && goes_on && !words::is_reserved(word)
    }

    fn leads_on(&self, token: Token) -> bool {
        match token.kind {
            Kind::Word => words::INFIX.contains(&self.word(token)),
            Kind::Mark => matches!(
                self.word(token),
                "," | "="
                    | "|"
                    | "&"
                    | "+"
                    | "-"
                    | "*"
                    | "/"
                    | "=="
                    | "!="
                    | "<"
                    | ">"
                    | "<="
                    | ">="
                    | "->"
                    | ".."
                    | ":"
            ),
            // A blanked line end has already been joined to what stands before it.
            Kind::Newline => self.out.get(token.start) == Some(&b' '),
            Kind::Number | Kind::Text | Kind::OpenText | Kind::Strange | Kind::Comment | Kind::Doc => false,
        }
    }

    fn follows(&self, token: Token) -> bool {
        match token.kind {
            Kind::Word => words::CONTINUES.contains(&self.word(token)),
            Kind::Number | Kind::Text => true,
            Kind::Mark => !matches!(self.word(token), "{" | "}" | "(" | "[" | ";"),
            Kind::OpenText | Kind::Strange | Kind::Newline | Kind::Comment | Kind::Doc => false,
        }
    }
}
