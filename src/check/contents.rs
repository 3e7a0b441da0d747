//! What a ruleset consists of, thing by thing, with the places in its files that say so: the declaration, the changes
//! of rulesets on top, and what stands before, after and instead. It is what two rulesets are compared by.

use super::outline::{Around, Kind, Thing, collect};
use super::{BTreeSet, Input};
use crate::diagnostic::Sink;
use crate::source::Span;
use crate::syntax::ast::{ItemKind, When};

/// A named thing of a ruleset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// As an author calls such a thing: `action`, `piece`, …
    pub kind: &'static str,
    /// Empty for things of which there is one, such as the set-up.
    pub name: String,
    /// The declaration first; then what changes it, base rulesets first.
    pub parts: Vec<Span>,
    /// The files that it is read from: a drawing, a script, a table.
    pub files: Vec<String>,
}

/// Something that a ruleset takes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenOut {
    pub kind: &'static str,
    pub name: String,
    pub span: Span,
}

/// Lists the things of a ruleset with all that it builds on, in order of declaration, and what its rulesets took out.
pub fn contents(input: &Input) -> (Vec<Content>, Vec<TakenOut>) {
    // Faults are told by `check`; what could be read is listed.
    let mut sink = Sink::new();
    let outline = collect(input, &BTreeSet::new(), &mut sink);
    let mut contents: Vec<Content> = outline.things.iter().map(content).collect();
    for (name, arounds) in &outline.parts {
        let parts = arounds.iter().map(|around| around.span).collect();
        contents.push(Content { kind: "part or phase", name: name.clone(), parts, files: Vec::new() });
    }
    let dropped = outline.dropped.iter();
    let dropped = dropped.map(|d| TakenOut { kind: d.kind.word(), name: d.name.clone(), span: d.span });
    let fixed = outline.things.iter().filter(|thing| thing.fixed);
    let fixed = fixed.map(|thing| TakenOut { kind: thing.kind.word(), name: thing.name.clone(), span: thing.span });
    (contents, dropped.chain(fixed).collect())
}

fn content(thing: &Thing) -> Content {
    let mut parts: Vec<(usize, Span)> = thing
        .versions
        .iter()
        .map(|version| {
            let field = version.field.map(|field| field.name.span.to(field.ty.span));
            (version.layer, field.unwrap_or(version.item.span))
        })
        .collect();
    // What a ruleset puts before or after comes behind its changes.
    let around = |when| thing.arounds.iter().filter(move |a: &&Around| a.when == when);
    for when in [When::Before, When::Instead, When::After] {
        parts.extend(around(when).map(|a| (a.layer, a.span)));
    }
    parts.sort_by_key(|(layer, _)| *layer);
    // An invariant without a name is numbered as it comes, which says nothing.
    let named = thing.kind != Kind::Invariant || !thing.name.starts_with("invariant ");
    let name = if named { thing.name.clone() } else { String::new() };
    let files = thing.versions.iter().filter_map(|version| match &version.item.kind {
        ItemKind::Board { file, .. } | ItemKind::Script { file, .. } => Some(file.text.clone()),
        ItemKind::Deck(deck) => deck.file.as_ref().map(|file| file.text.clone()),
        ItemKind::Tokens(tokens) => tokens.file.as_ref().map(|file| file.text.clone()),
        _ => None,
    });
    Content {
        kind: thing.kind.word(),
        name,
        parts: parts.into_iter().map(|(_, span)| span).collect(),
        files: files.collect(),
    }
}
