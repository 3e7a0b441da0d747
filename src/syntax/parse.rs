//! From the text of a rules file to its tree. Parsing never fails: what cannot be read is reported and stands in the
//! tree as `Bad`.

use std::borrow::Cow;

use pest::Parser;

use crate::diagnostic::Sink;
use crate::source::{FileId, Span};

use super::ast::{Expr, File, Item, ItemKind, Mode};
use super::diagnose::{Place, explain};
use super::errors;
use super::grammar::{Rule, RulesParser};
use super::layout::{self, Layout, Section};
use super::lex::{Kind, lex};
use super::parts::Builder;

/// Reads a rules file. All of its faults go to the sink, each once.
pub fn parse(file: FileId, text: &str, sink: &mut Sink) -> File {
    let start = Span::new(file, 0, 0);
    if text.len() > errors::MAX_FILE {
        sink.push(errors::too_long(start, "file"));
        return unread(start);
    }
    let Some(layout) = layout::read(file, text, sink) else { return unread(start) };
    let mut tree = File::default();
    let mut told = Vec::new();
    for section in &layout.sections {
        told.append(&mut parse_section(file, &layout, *section, sink, &mut tree));
    }
    for stray in layout.strays {
        let (from, end) = (stray.from, stray.span.end as usize);
        let next = told.partition_point(|at| *at < from);
        if told.get(next).is_none_or(|at| *at >= end) {
            sink.push(errors::stray_bracket(stray.span, "}"));
        }
    }
    tree
}

/// A file of which nothing could be read.
fn unread(span: Span) -> File {
    File { items: vec![bad_item(span)], broken: Vec::new() }
}

fn bad_item(span: Span) -> Item {
    Item { doc: None, mode: Mode::Declare, kind: ItemKind::Bad, span }
}

/// Reads one section into the tree; the offsets of what was wrong in it.
fn parse_section(file: FileId, layout: &Layout, section: Section, sink: &mut Sink, tree: &mut File) -> Vec<usize> {
    let text = layout.text.get(section.start..section.end).unwrap_or("");
    let text = match section.missing {
        0 => Cow::Borrowed(text),
        missing => Cow::Owned(format!("{text}{}", "}".repeat(missing))),
    };
    let pairs = match RulesParser::parse(Rule::file, &text) {
        Ok(pairs) => pairs,
        Err(_) => {
            // The grammar takes any text whose brackets are balanced; this is a fault of ours that still must not hide.
            sink.push(explain(file, &text, section.start, Place::Item));
            tree.items.push(bad_item(Span::new(file, section.start, section.start)));
            return vec![section.start];
        }
    };
    let mut builder = Builder {
        file,
        base: section.start,
        length: layout.text.len(),
        faults: &layout.faults,
        broken: Vec::new(),
        told: Vec::new(),
        outside: false,
        sink,
    };
    for pair in pairs.flat_map(|pair| pair.into_inner()).filter(|pair| pair.as_rule() == Rule::item) {
        let start = section.start + pair.as_span().start();
        let mut item = builder.item(pair);
        item.doc = layout.docs.get(&start).cloned();
        tree.items.push(item);
    }
    tree.broken.append(&mut builder.broken);
    builder.told
}

/// Reads a text that is one expression and stands at an offset of a file; for tests, transcripts and the prompt. None,
/// with a fault in the sink, if it is none.
pub fn parse_expr(file: FileId, text: &str, offset: usize, sink: &mut Sink) -> Option<Expr> {
    let tokens = lex(text);
    let span = Span::new(file, offset, offset + text.len());
    if tokens.len() > layout::MAX_NESTING {
        sink.push(errors::too_long(span, "expression"));
        return None;
    }
    if let Some(open) = tokens.iter().find(|token| token.kind == Kind::OpenText) {
        sink.push(errors::open_quote(Span::new(file, offset + open.start, offset + open.end)));
        return None;
    }
    let Ok(pairs) = RulesParser::parse(Rule::whole_expr, text) else {
        sink.push(explain(file, text, offset, Place::Expression));
        return None;
    };
    let whole = pairs.into_iter().next()?;
    let mut builder = Builder {
        file,
        base: offset,
        length: offset + text.len(),
        faults: &[],
        broken: Vec::new(),
        told: Vec::new(),
        outside: false,
        sink,
    };
    let expr = whole.into_inner().find(|pair| pair.as_rule() == Rule::expr)?;
    Some(builder.expr(expr))
}
