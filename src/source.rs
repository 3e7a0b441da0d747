//! Files and spans. A [`Sources`] owns every text that a scenario was read from; a [`Span`] is a byte range
//! in one of them. Nothing here interprets a text.
//!
//! Below it: [`embedded`] (the texts in the binary), [`folder`] (where a scenario's files lie, and the walls
//! around them), [`manifest`] (`scenario.toml`), [`campaign`] (`campaign.toml`), [`load`] (a scenario with what it extends) and [`errors`]
//! (all that these can say).

pub mod campaign;
pub mod embedded;
pub mod errors;
pub mod folder;
pub mod load;
pub mod manifest;

/// The number of a file in its [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub u32);

/// A range of bytes `start..end` in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both; spans of different files give `self`.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One text with the name that diagnostics show for it.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path relative to the scenario's folder, with `/` between parts; files of an extended ruleset carry
    /// that ruleset's name in front (`base/base.rules`).
    pub name: String,
    pub text: String,
    line_starts: Vec<u32>,
}

/// A position counted from 1; columns are in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// All the texts of one run, in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
    /// A text that stands in no file: spans in a file that is not here are spans in it.
    aside: String,
}

impl Sources {
    pub fn new() -> Sources {
        Sources::default()
    }

    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        self.files.push(SourceFile { name: name.into(), text, line_starts });
        FileId(self.files.len() as u32 - 1)
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// The same files, with a text beside them that stands in no file.
    pub fn beside(&self, text: &str) -> Sources {
        Sources { files: self.files.clone(), aside: text.to_owned() }
    }

    /// The text under a span; empty where the span does not fit its file.
    pub fn text(&self, span: Span) -> &str {
        let text = self.files.get(span.file.0 as usize).map_or(&self.aside, |file| &file.text);
        text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

impl SourceFile {
    /// Line and column of a byte offset; an offset past the end is taken as the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_starts.partition_point(|s| *s as usize <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let column = self.text.get(start..offset).map_or(0, |t| t.chars().count()) + 1;
        Position { line: line + 1, column }
    }

    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// The byte offset at which a line counted from 1 starts; the text's end for a line that is not there.
    pub fn line_start(&self, line: usize) -> usize {
        line.checked_sub(1).and_then(|l| self.line_starts.get(l)).map_or(self.text.len(), |s| *s as usize)
    }

    /// The text of a line counted from 1, without its end.
    pub fn line(&self, line: usize) -> &str {
        let Some(start) = line.checked_sub(1).and_then(|l| self.line_starts.get(l)) else { return "" };
        self.text.get(*start as usize..).and_then(|t| t.lines().next()).unwrap_or("")
    }
}
