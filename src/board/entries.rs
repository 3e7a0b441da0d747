//! The outer shape of a board file: entries that begin at the left edge, each with the indented lines under
//! it, and the words and signs inside them.

use super::errors;
use crate::diagnostic::Sink;
use crate::source::{FileId, Span};

/// A line without its comment, its indentation and the spaces at its end, and the offset where it begins.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// From the left edge, so that columns can be counted.
    pub full: &'a str,
    pub start: usize,
}

#[derive(Clone, Debug)]
pub struct Entry<'a> {
    pub head: Line<'a>,
    pub under: Vec<Line<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sign<'a> {
    Word(&'a str),
    Number(f32),
    Arrow,
    Run,
    Other(char),
}

#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    pub sign: Sign<'a>,
    pub text: &'a str,
    pub start: usize,
    /// Counts the lines of the entry from 0.
    pub line: usize,
}

impl Line<'_> {
    pub fn span(&self, file: FileId) -> Span {
        let indent = self.full.len() - self.full.trim_start().len();
        Span::new(file, self.start + indent, self.start + self.full.len())
    }
}

impl Token<'_> {
    pub fn span(&self, file: FileId) -> Span {
        Span::new(file, self.start, self.start + self.text.len())
    }

    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

impl<'a> Entry<'a> {
    pub fn lines(&self) -> impl Iterator<Item = &Line<'a>> {
        std::iter::once(&self.head).chain(&self.under)
    }

    pub fn tokens(&self) -> Vec<Token<'a>> {
        self.lines().enumerate().flat_map(|(number, line)| tokens(line, number)).collect()
    }
}

/// Splits a file into entries. An indented line with nothing above it is reported.
pub fn entries<'a>(file: FileId, text: &'a str, sink: &mut Sink) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut start = 0;
    for raw in text.split_inclusive('\n') {
        let code = raw.split_once("//").map_or(raw, |(before, _)| before);
        let line = Line { full: code.trim_end(), start };
        start += raw.len();
        if line.full.is_empty() {
            continue;
        }
        if !line.full.starts_with(char::is_whitespace) {
            entries.push(Entry { head: line, under: Vec::new() });
        } else if let Some(entry) = entries.last_mut() {
            entry.under.push(line);
        } else {
            sink.push(errors::belongs_to_nothing(line.span(file)));
        }
    }
    entries
}

fn tokens<'a>(line: &Line<'a>, number: usize) -> Vec<Token<'a>> {
    let mut tokens = Vec::new();
    let mut rest = line.full;
    let mut start = line.start;
    loop {
        let trimmed = rest.trim_start();
        start += rest.len() - trimmed.len();
        let Some(first) = trimmed.chars().next() else { return tokens };
        let length = if is_letter(first) {
            trimmed.find(|c| !is_letter(c) && !c.is_ascii_digit()).unwrap_or(trimmed.len())
        } else if first.is_ascii_digit() {
            number_length(trimmed)
        } else if trimmed.starts_with("->") || trimmed.starts_with("..") {
            2
        } else {
            first.len_utf8()
        };
        let (text, after) = trimmed.split_at(length);
        let sign = match text {
            "->" => Sign::Arrow,
            ".." => Sign::Run,
            word if is_letter(first) => Sign::Word(word),
            digits => digits.parse().map_or(Sign::Other(first), Sign::Number),
        };
        tokens.push(Token { sign, text, start, line: number });
        start += length;
        rest = after;
    }
}

pub fn is_letter(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// The length of a number at the beginning of a text; a dot belongs to it only before a digit.
fn number_length(text: &str) -> usize {
    let digits = |t: &str| t.find(|c: char| !c.is_ascii_digit()).unwrap_or(t.len());
    let whole = digits(text);
    let fraction = text.get(whole..).and_then(|t| t.strip_prefix('.')).map_or(0, digits);
    if fraction > 0 { whole + 1 + fraction } else { whole }
}
