//! Reads the tokens of an entry from left to right.

use super::entries::{Sign, Token};
use crate::source::{FileId, Span};

/// Tokens of an entry, read from left to right.
pub struct Cursor<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(tokens: Vec<Token<'a>>) -> Cursor<'a> {
        Cursor { tokens, at: 0 }
    }

    pub fn peek(&self, ahead: usize) -> Option<&Token<'a>> {
        self.tokens.get(self.at + ahead)
    }

    pub fn is(&self, ahead: usize, text: &str) -> bool {
        self.peek(ahead).is_some_and(|token| token.text == text)
    }

    pub fn next(&mut self) -> Option<Token<'a>> {
        let token = self.tokens.get(self.at).copied()?;
        self.at += 1;
        Some(token)
    }

    /// The token read last.
    pub fn last(&self) -> Option<&Token<'a>> {
        self.tokens.get(self.at.checked_sub(1)?)
    }

    pub fn take(&mut self, text: &str) -> bool {
        let there = self.is(0, text);
        self.at += usize::from(there);
        there
    }

    pub fn word(&mut self) -> Option<Token<'a>> {
        let token = *self.peek(0)?;
        matches!(token.sign, Sign::Word(_)).then(|| self.next()).flatten()
    }

    /// Where the next token stands, or the end of the last one.
    pub fn here(&self, file: FileId) -> Span {
        match (self.peek(0), self.tokens.last()) {
            (Some(token), _) => token.span(file),
            (None, Some(last)) => Span::new(file, last.end(), last.end()),
            (None, None) => Span::new(file, 0, 0),
        }
    }
}
