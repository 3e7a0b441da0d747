//! Reports for people, drawn by miette: the code, the sentence, the lines with the marked words, the help, and
//! below it the places in other files that belong to the story. Nothing else in the program knows miette.

use std::borrow::Cow;
use std::fmt;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceSpan};

use super::{Diagnostic, Label, MOST_KEPT, Severity};
use crate::source::{SourceFile, Sources, Span};

/// Beyond this many reports nobody reads on; the summary counts them all.
const MOST_REPORTS: usize = 100;
/// A line longer than this is named but not shown.
const LONGEST_LINE: usize = 500;

#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub colour: bool,
    pub width: usize,
}

impl Default for Style {
    fn default() -> Style {
        Style { colour: false, width: 90 }
    }
}

/// The reports one below the other, each ending with an empty line, and the summary; empty for no diagnostics.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, style: Style) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics.iter().take(MOST_REPORTS) {
        text.push_str(&report(diagnostic, sources, style));
        text.push('\n');
    }
    if diagnostics.len() > MOST_REPORTS {
        text.push_str(&format!("… and {} more\n\n", diagnostics.len() - MOST_REPORTS));
    }
    if let Some(summary) = summary(diagnostics) {
        text.push_str(&summary);
        text.push('\n');
    }
    text
}

/// `2 faults, 1 warning`; none where there is nothing to count.
pub fn summary(diagnostics: &[Diagnostic]) -> Option<String> {
    let faults = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    let warnings = diagnostics.len() - faults;
    let counted = |count: usize, noun: &str| match count {
        0 => None,
        1 => Some(format!("1 {noun}")),
        _ => Some(format!("{count} {noun}s")),
    };
    let parts: Vec<String> = [counted(faults, "fault"), counted(warnings, "warning")].into_iter().flatten().collect();
    let at_least = if diagnostics.len() < MOST_KEPT { "" } else { "at least " };
    (!parts.is_empty()).then(|| format!("{at_least}{}", parts.join(", ")))
}

/// One report, without the empty line behind it.
pub fn report(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let theme = if style.colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_width(style.width)
        .with_show_related_as_nested(true)
        .with_context_lines(0)
        .without_syntax_highlighting();
    let shown = Shown::new(diagnostic, sources);
    let mut text = String::new();
    // Writing into a string does not fail, and every span that is passed on fits its file.
    if handler.render_report(&mut text, &shown).is_err() {
        text = format!("{}: {}\n", diagnostic.code, diagnostic.message);
    }
    // miette pads some lines; trailing blanks help nobody and upset text comparisons.
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A diagnostic, or a related place in another file, in the shape that miette reads.
#[derive(Debug)]
struct Shown<'a> {
    code: Option<String>,
    severity: miette::Severity,
    message: Cow<'a, str>,
    help: Option<&'a str>,
    labels: Vec<LabeledSpan>,
    text: Option<Text<'a>>,
    related: Vec<Shown<'a>>,
}

impl<'a> Shown<'a> {
    fn new(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Shown<'a> {
        let own = diagnostic.span.file;
        let here: Vec<&Label> = diagnostic.related.iter().filter(|l| l.span.file == own).collect();
        let elsewhere = diagnostic.related.iter().filter(|l| l.span.file != own);
        let file = sources.file(own);
        let mut message = Cow::Borrowed(diagnostic.message.as_str());
        let mut labels = Vec::new();
        let mut related: Vec<Shown> = Vec::new();
        let mut text = None;
        if can_be_shown(file, diagnostic.span) {
            text = Some(Text { file });
            labels.push(label(file, diagnostic.span, &diagnostic.label, true));
            for other in here {
                if can_be_shown(file, other.span) {
                    labels.push(label(file, other.span, &other.message, false));
                }
            }
        } else {
            message = Cow::Owned(format!("{} [{}]", diagnostic.message, place(file, diagnostic.span)));
            related.extend(here.into_iter().map(|l| Shown::related(l, sources)));
        }
        related.extend(elsewhere.map(|l| Shown::related(l, sources)));
        Shown {
            code: Some(diagnostic.code.to_string()),
            severity: match diagnostic.severity {
                Severity::Error => miette::Severity::Error,
                Severity::Warning => miette::Severity::Warning,
            },
            message,
            help: diagnostic.help.as_deref(),
            labels,
            text,
            related,
        }
    }

    fn related(other: &'a Label, sources: &'a Sources) -> Shown<'a> {
        let file = sources.file(other.span.file);
        let shown = can_be_shown(file, other.span);
        Shown {
            code: None,
            severity: miette::Severity::Advice,
            message: match shown {
                true => Cow::Borrowed(other.message.as_str()),
                false => Cow::Owned(format!("{} [{}]", other.message, place(file, other.span))),
            },
            help: None,
            labels: if shown { vec![label(file, other.span, "", true)] } else { Vec::new() },
            text: shown.then_some(Text { file }),
            related: Vec::new(),
        }
    }
}

fn place(file: &SourceFile, span: Span) -> String {
    match file.text.is_empty() {
        true => file.name.clone(),
        false => {
            let start = file.position(span.start);
            format!("{}:{}:{}", file.name, start.line, start.column)
        }
    }
}

fn can_be_shown(file: &SourceFile, span: Span) -> bool {
    let line = file.line(file.position(span.start).line);
    !line.trim().is_empty()
        && line.len() <= LONGEST_LINE
        && file.text.get(span.start as usize..span.end as usize).is_some()
}

/// A span over several lines is cut to its first: the sentence and the place say enough, and the whole of a rule
/// would bury them.
fn label(file: &SourceFile, span: Span, text: &str, primary: bool) -> LabeledSpan {
    let text = (!text.is_empty()).then(|| text.to_owned());
    let start = span.start as usize;
    let marked = file.text.get(start..span.end as usize).unwrap_or("");
    let length = marked.lines().next().map_or(0, |line| line.trim_end().len());
    match primary {
        true => LabeledSpan::new_primary_with_span(text, (start, length)),
        false => LabeledSpan::new_with_span(text, (start, length)),
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl miette::Diagnostic for Shown<'_> {
    fn code(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.code.as_ref().map(|code| Box::new(code) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.text.as_ref().map(|text| text as &dyn miette::SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty())
            .then(|| Box::new(self.labels.iter().cloned()) as Box<dyn Iterator<Item = LabeledSpan>>)
    }

    fn related<'b>(&'b self) -> Option<Box<dyn Iterator<Item = &'b dyn miette::Diagnostic> + 'b>> {
        if self.related.is_empty() {
            return None;
        }
        Some(Box::new(self.related.iter().map(|shown| shown as &dyn miette::Diagnostic)))
    }
}

/// A file for miette. Its own reader walks the whole text for every mark and counts columns in bytes.
#[derive(Debug)]
struct Text<'a> {
    file: &'a SourceFile,
}

impl miette::SourceCode for Text<'_> {
    fn read_span<'b>(
        &'b self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn miette::SpanContents<'b> + 'b>, MietteError> {
        let first = self.file.position(span.offset() as u32);
        let last = self.file.position((span.offset() + span.len()) as u32);
        let from = first.line.saturating_sub(lines_before).max(1);
        let to = (last.line + lines_after).min(self.file.line_count());
        let start = self.file.line_start(from);
        let end = self.file.line_start(to) + self.file.line(to).len();
        let data = self.file.text.get(start..end).ok_or(MietteError::OutOfBounds)?;
        // miette takes the column of the contents for that of the mark, when it asks without context.
        let column = if lines_before == 0 { first.column - 1 } else { 0 };
        let name = self.file.name.clone();
        let contents = MietteSpanContents::new_named(
            name,
            data.as_bytes(),
            (start, end - start).into(),
            from - 1,
            column,
            to - from + 1,
        );
        Ok(Box::new(contents))
    }
}
