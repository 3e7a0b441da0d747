//! One record for everything that can be wrong with a scenario, and the sink that stages fill.
//!
//! Codes: RW01xx syntax, RW02xx names, RW03xx types, RW04xx game structure, RW05xx scripts, RW06xx faults
//! while playing, RW07xx limits, RW08xx transcripts and saves, RW09xx lints (warnings). A code is never
//! reused; each has a page `docs/errors/RWxxxx.md`. Each stage keeps its wording in an `errors.rs` of small
//! constructors, so that all it can say is read on one screen.
//!
//! Below it: [`codes`] (the pages of the codes), [`render`] (for people) and [`json`] (for programs).

pub mod codes;
pub mod json;
pub mod render;

use crate::source::Span;

/// `RW` and four digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u16);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RW{:04}", self.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// A second place in the story, in any file ("first declared here").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// One sentence in the author's words that says what is wrong.
    pub message: String,
    pub span: Span,
    /// What the marked place is, in a few words; empty for none.
    pub label: String,
    pub related: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn error(code: u16, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code: Code(code),
            severity: Severity::Error,
            message: clipped(message.into()),
            span,
            label: String::new(),
            related: Vec::new(),
            help: None,
        }
    }

    pub fn warning(code: u16, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    pub fn related(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.related.push(Label { span, message: message.into() });
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

/// The longest message, in bytes: what an author wrote may stand in it, and that may be anything.
const LONGEST_MESSAGE: usize = 600;

fn clipped(mut message: String) -> String {
    if message.len() > LONGEST_MESSAGE {
        let end = (0..=LONGEST_MESSAGE).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
        message.truncate(end);
        message.push('…');
    }
    message
}

/// The most diagnostics that are kept: a file that is no text of ours at all could give a million.
pub const MOST_KEPT: usize = 1000;

/// Where the stages put what they find. The order of pushing does not matter: [`Sink::sorted`] orders by
/// place.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    found: Vec<Diagnostic>,
    has_errors: bool,
}

impl Sink {
    pub fn new() -> Sink {
        Sink::default()
    }

    /// Takes a diagnostic; beyond [`MOST_KEPT`], only a first error among warnings still finds a place.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        if self.found.len() < MOST_KEPT {
            self.found.push(diagnostic);
        } else if is_error && !self.has_errors {
            self.found.pop();
            self.found.push(diagnostic);
        }
        self.has_errors |= is_error;
    }

    pub fn has_errors(&self) -> bool {
        self.has_errors
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// How many diagnostics there are.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Everything found, by file, place and code, each once.
    pub fn sorted(mut self) -> Vec<Diagnostic> {
        self.found.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
        self.found.dedup_by(|a, b| (a.span, a.code, &a.message) == (b.span, b.code, &b.message));
        self.found
    }
}

/// Longer words are compared with nothing.
const LONGEST_NAME: usize = 64;

/// The candidates that a misspelt word most likely meant: at most three, nearest first, none too far off.
pub fn near_names<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let length = word.chars().count();
    let bound = (length / 3).max(1);
    // Of a single letter every other one is a misspelling; and a very long word takes long to compare.
    if !(2..=LONGEST_NAME).contains(&length) {
        return Vec::new();
    }
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter(|c| c.chars().count().abs_diff(length) <= bound)
        .map(|c| (edit_distance(word, c), c))
        .filter(|(d, c)| *d <= bound && *c != word)
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().take(3).map(|(_, c)| c).collect()
}

/// Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours.
fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for j in 0..=b.len() {
        rows[0][j] = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}
