//! What may be missing because a text could not be read. Where a brace is lost, whole declarations vanish; words that
//! look declared in the text are then not called unknown. And what is unknown is told once, with the other places
//! where it stands.

use std::collections::BTreeSet;

use super::{Checker, Input, errors};
use crate::diagnostic::{Diagnostic, Label};
use crate::source::{FileId, Sources, Span};
use crate::syntax::ast;

/// The most further places that are shown.
const PLACES: usize = 4;

/// Words behind which a declaration has its name.
const DECLARING: &[&str] = &[
    "goods",
    "group",
    "words",
    "terrain",
    "piece",
    "cost",
    "deck",
    "board",
    "fog",
    "set",
    "define",
    "procedure",
    "action",
    "trigger",
    "award",
    "option",
    "script",
    "tokens",
    "track",
    "cards",
    "cases",
    "state",
    "has",
    "part",
    "tally",
    "let",
    "as",
];
/// Words behind which names are listed in braces or up to the line's end.
const LISTING: &[&str] = &["goods", "deck", "seats", "option", "cases", "words"];

/// The names that the texts of the rules seem to declare, whether they could be read or not.
pub fn declared_looking<'a>(input: &Input, sources: &'a Sources) -> BTreeSet<&'a str> {
    let files: BTreeSet<FileId> = input.layers.iter().flat_map(|l| &l.files).filter_map(file_of).collect();
    files.into_iter().flat_map(|file| looking(&sources.file(file).text)).collect()
}

fn file_of(file: &ast::File) -> Option<FileId> {
    file.items.first().map(|item| item.span.file).or(file.broken.first().map(|name| name.span.file))
}

fn looking(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or("");
        let mut before = "";
        let mut listing = false;
        let mut rest = line;
        while let Some(start) = rest.find(is_letter) {
            // `cost(x)` declares nothing.
            if rest.starts_with('(') {
                before = "";
            }
            rest = &rest[start..];
            let end = rest.find(|c: char| !is_letter(c) && !c.is_ascii_digit()).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            listing |= LISTING.contains(&before);
            if listing || DECLARING.contains(&before) || behind.trim_start().starts_with(':') {
                found.insert(word);
            }
            before = word;
            rest = behind;
        }
    }
    found
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Takes the place of another fault about the same name; the first of all places stays the main one.
fn add_place(known: &mut Diagnostic, other: Diagnostic) {
    const FURTHER: &str = "and here";
    let (mut first, second) = if other.span < known.span { (other, known.clone()) } else { (known.clone(), other) };
    let further = first.related.iter().chain(&second.related).filter(|label| label.message == FURTHER);
    let mut places: Vec<Span> = further.map(|label| label.span).chain([second.span]).collect();
    places.sort();
    places.dedup();
    places.retain(|place| *place != first.span);
    places.truncate(PLACES);
    first.related.retain(|label| label.message != FURTHER);
    first.related.extend(places.into_iter().map(|span| Label { span, message: FURTHER.to_owned() }));
    *known = first;
}

impl Checker<'_> {
    /// The name belongs to a declaration that could not be read or had a fault: it is not unknown.
    pub(super) fn is_lost(&self, name: &str) -> bool {
        self.outline.lost(name) || self.lost.contains(name)
    }

    /// Tells that something is unknown, or that a ruleset took it out: at the first place, the others are shown beside
    /// it.
    pub(super) fn unknown(&mut self, name: &str, fault: Diagnostic) {
        let outline = std::rc::Rc::clone(&self.outline);
        let fault = match outline.dropped(name) {
            Some(dropped) => errors::was_dropped(fault, dropped.span),
            None => fault,
        };
        match self.unknown.iter_mut().find(|(known, other)| known == name && other.code == fault.code) {
            Some((_, known)) => add_place(known, fault),
            None => self.unknown.push((name.to_owned(), fault)),
        }
    }

    /// Hands what was unknown to the sink.
    pub(super) fn tell_unknown(&mut self) {
        for (_, fault) in std::mem::take(&mut self.unknown) {
            self.sink.push(fault);
        }
    }

    /// A local with the name of something declared: told once for each such name.
    pub(super) fn hides_once(&mut self, name: &str, at: Span, fault: Diagnostic) {
        if self.hidden_names.insert((name.to_owned(), at)) {
            self.sink.push(fault);
        }
    }
}
