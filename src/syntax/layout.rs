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

mod brackets;
mod indents;
mod lines;

/// How many brackets can stand inside each other.
pub const MAX_NESTING: usize = 200;
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
    /// Closing braces too many.
    pub strays: Vec<Stray>,
}

/// A brace that closes nothing, to be reported if nothing between the offset and it turns out to be wrong.
#[derive(Clone, Copy, Debug)]
pub struct Stray {
    pub from: usize,
    pub span: Span,
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
        strays: Vec::new(),
        unpaired: BTreeSet::new(),
        sink,
    };
    reader.strip();
    let docs = reader.docs();
    reader.tokens.retain(|token| !matches!(token.kind, Kind::Comment | Kind::OpenText));
    let open = reader.balance()?;
    let sections =
        if open { reader.close_open_braces() } else { vec![Section { start: 0, end: text.len(), missing: 0 }] };
    reader.join_lines()?;
    let Reader { out, mut faults, strays, .. } = reader;
    faults.sort_unstable();
    // Only whole characters were replaced by blanks, so the bytes are still text.
    let text = String::from_utf8(out).unwrap_or_default();
    Some(Layout { text, sections, docs, faults, strays })
}

struct Reader<'t, 's> {
    file: FileId,
    text: &'t str,
    tokens: Vec<Token>,
    out: Vec<u8>,
    faults: Vec<usize>,
    strays: Vec<Stray>,
    /// Offsets of round and square brackets that have no partner.
    unpaired: BTreeSet<usize>,
    sink: &'s mut Sink,
}

impl<'t> Reader<'t, '_> {
    fn word(&self, token: Token) -> &'t str {
        self.text.get(token.start..token.end).unwrap_or("")
    }

    /// A token's text if it is a mark, or the brace that it stands for.
    fn mark(&self, token: Token) -> &'t str {
        match token.kind {
            Kind::Mark => self.word(token),
            Kind::AddedOpen => "{",
            Kind::AddedClose => "}",
            Kind::Word
            | Kind::Number
            | Kind::Text
            | Kind::OpenText
            | Kind::Strange
            | Kind::Newline
            | Kind::Comment
            | Kind::Doc => "",
        }
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
                Kind::Word
                | Kind::Number
                | Kind::Text
                | Kind::Mark
                | Kind::AddedOpen
                | Kind::AddedClose
                | Kind::Strange
                | Kind::Newline => {}
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
                Kind::Word
                | Kind::Number
                | Kind::Text
                | Kind::OpenText
                | Kind::Mark
                | Kind::AddedOpen
                | Kind::AddedClose
                | Kind::Strange => {
                    if !lines.is_empty() && line_ends == 1 {
                        docs.insert(token.start, lines.join("\n"));
                    }
                    lines.clear();
                }
            }
        }
        docs
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
}
