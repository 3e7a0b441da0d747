//! What each name means. Members, fields, pieces, decks, groups, sets, options and procedures share one name
//! space; only enumerated words (`printed | shuffled`) and phases may repeat, and are told apart by the place in
//! which they stand.

use std::collections::{BTreeMap, BTreeSet};

use super::scope::Home;
use super::{Checker, errors};
use crate::diagnostic::near_names;
use crate::program::{AwardId, DeckId, DomainId, DomainKind, FieldId, OptionId, PieceId, ScriptId, Type};
use crate::source::Span;
use crate::syntax::ast;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    Option(OptionId),
    Field(FieldId),
    Piece(PieceId),
    /// A group of pieces, by its number in [`Checker::piece_groups`].
    Pieces(usize),
    /// A group of members, by its number in the program's groups.
    Group(usize),
    Member(DomainId, u32),
    /// A kind of place.
    Places(DomainId),
    Deck(DeckId),
    /// Numbers in [`Checker::functions`] and [`Checker::procedures`].
    Function(usize),
    Procedure(usize),
    Award(AwardId),
    Script(ScriptId),
    /// A mark, region or path of the boards, by its number in [`Checker::marks`].
    Mark(usize),
    /// An area under fog, by its number in the program's fogs.
    Fog(usize),
}

impl Entry {
    /// What such a thing is called, with its article.
    pub fn word(self) -> &'static str {
        match self {
            Entry::Option(_) => "an option",
            Entry::Field(_) => "a part of the state",
            Entry::Piece(_) => "a piece",
            Entry::Pieces(_) => "a group of pieces",
            Entry::Group(_) => "a group",
            Entry::Member(..) => "a member of a group",
            Entry::Places(_) => "a kind of place",
            Entry::Deck(_) => "a deck",
            Entry::Function(_) => "a set or definition",
            Entry::Procedure(_) => "a procedure",
            Entry::Award(_) => "an award",
            Entry::Script(_) => "a script",
            Entry::Mark(_) => "a mark, region or path of a board",
            Entry::Fog(_) => "an area under fog",
        }
    }
}

#[derive(Debug, Default)]
pub struct Names {
    entries: BTreeMap<String, (Entry, Span)>,
    words: BTreeMap<String, Vec<(DomainId, u32)>>,
    /// Names that two things have, with the first of them.
    clashes: BTreeMap<String, (Entry, Span)>,
    /// Names that some rule speaks of.
    pub used: BTreeSet<String>,
}

impl Names {
    /// What the name means, without noting that it was used.
    pub fn peek(&self, name: &str) -> Option<Entry> {
        self.entries.get(name).map(|(entry, _)| *entry)
    }

    pub fn span(&self, name: &str) -> Option<Span> {
        self.entries.get(name).map(|(_, span)| *span)
    }

    pub fn get(&mut self, name: &str) -> Option<Entry> {
        let entry = self.peek(name);
        if entry.is_some() {
            self.used.insert(name.to_owned());
        }
        entry
    }

    /// Gives a name this meaning, whatever it meant before.
    pub fn call(&mut self, name: &str, entry: Entry) {
        self.entries.insert(name.to_owned(), (entry, Span::default()));
    }

    pub fn words(&self, name: &str) -> &[(DomainId, u32)] {
        self.words.get(name).map_or(&[], Vec::as_slice)
    }

    pub fn all(&self) -> impl Iterator<Item = (&str, Entry)> {
        self.entries.iter().map(|(name, (entry, _))| (name.as_str(), *entry))
    }
}

impl Checker<'_> {
    /// Enters a name; a second meaning for it is a fault.
    pub(super) fn enter(&mut self, name: &str, span: Span, entry: Entry) {
        if let Some((known, first)) = self.names.entries.remove(name) {
            // Which of the two is meant elsewhere is open, so the name says nothing from here on.
            let (new, old) = (self.entry_word(entry), self.entry_word(known));
            self.sink.push(errors::name_taken(span, name, new, old, first));
            self.names.clashes.insert(name.to_owned(), (known, first));
            self.lost.insert(name.to_owned());
            return;
        }
        if let Some((known, first)) = self.names.clashes.get(name).copied() {
            let (new, old) = (self.entry_word(entry), self.entry_word(known));
            self.sink.push(errors::name_taken(span, name, new, old, first));
            return;
        }
        if super::builtins::find(name).is_some() || super::builtins::RESERVED.contains(&name) {
            self.sink.push(errors::name_of_language(span, name));
            self.lost.insert(name.to_owned());
            return;
        }
        self.names.entries.insert(name.to_owned(), (entry, span));
    }

    /// What such a thing is called, members by what they are members of.
    pub(super) fn entry_word(&self, entry: Entry) -> &'static str {
        let Entry::Member(domain, _) = entry else { return entry.word() };
        match self.program.domains.get(domain.index()).map(|d| d.kind) {
            Some(DomainKind::Goods { .. }) => "one of the goods",
            Some(DomainKind::Cards(_)) => "a card",
            Some(DomainKind::Terrain) => "a terrain",
            Some(DomainKind::Player) => "a seat",
            Some(DomainKind::Slots { .. }) => "a piece",
            Some(DomainKind::Phase | DomainKind::Words | DomainKind::Places) | None => entry.word(),
        }
    }

    pub(super) fn enter_word(&mut self, name: &str, domain: DomainId, member: u32) {
        let words = self.names.words.entry(name.to_owned()).or_default();
        if !words.contains(&(domain, member)) {
            words.push((domain, member));
        }
    }

    /// The member of a domain that has this name.
    pub(super) fn member_named(&self, domain: DomainId, name: &str) -> Option<u32> {
        let members = &self.program.domains.get(domain.index())?.members;
        members.iter().position(|m| m.name == name).map(|i| i as u32)
    }

    /// Says that a name means nothing, with near ones among those that fit here.
    pub(super) fn unknown_name(&mut self, name: &ast::Name, want: Type) {
        if self.incomplete || self.is_lost(&name.text) {
            return;
        }
        if let Some(word) = self.word_of_phrase(&name.text) {
            let fault = errors::word_of_phrase(word, &name.text, name.span);
            self.unknown(&name.text, fault);
            return;
        }
        let mut candidates: Vec<&str> = self.scope.names().collect();
        candidates.extend(self.columns_of_it());
        match want {
            Type::Member(domain) | Type::Set(domain) | Type::Bag(domain) => {
                if let Some(domain) = self.program.domains.get(domain.index()) {
                    candidates.extend(domain.members.iter().map(|m| m.name.as_str()));
                }
            }
            Type::Truth | Type::Number | Type::Nothing | Type::Unknown => {}
        }
        let mut near = near_names(&name.text, candidates.iter().copied());
        if near.is_empty() {
            candidates.extend(self.names.entries.keys().map(String::as_str));
            candidates.extend(self.names.words.keys().map(String::as_str));
            candidates.extend(["players", "others"]);
            near = near_names(&name.text, candidates);
        }
        let fault = errors::unknown_name(name.span, &name.text, &near);
        self.unknown(&name.text, fault);
    }

    /// Where the phrase of the action that is being checked has this word; most likely it lacks its kind.
    fn word_of_phrase(&self, name: &str) -> Option<Span> {
        let Home::Action(action) = self.scope.home else { return None };
        let thing = self.outline.things.get(*self.action_things.get(action.index())?)?;
        let ast::ItemKind::Action(action) = &thing.first()?.item.kind else { return None };
        action.phrase.iter().find_map(|part| match part {
            ast::PhrasePart::Word(word) if word.text == name => Some(word.span),
            ast::PhrasePart::Word(_) | ast::PhrasePart::Param(_) => None,
        })
    }

    /// Says that no function, mark or relation has this name.
    pub(super) fn unknown_call(&mut self, name: &ast::Name) {
        if self.incomplete || self.is_lost(&name.text) {
            return;
        }
        let mut candidates: Vec<&str> = super::builtins::TABLE.iter().map(|b| b.name).collect();
        candidates.extend(self.relations.iter().map(|r| r.name.as_str()));
        candidates.extend(self.names.all().filter_map(|(name, entry)| match entry {
            Entry::Function(_) | Entry::Mark(_) => Some(name),
            Entry::Option(_)
            | Entry::Field(_)
            | Entry::Piece(_)
            | Entry::Pieces(_)
            | Entry::Group(_)
            | Entry::Member(..)
            | Entry::Places(_)
            | Entry::Deck(_)
            | Entry::Procedure(_)
            | Entry::Award(_)
            | Entry::Fog(_)
            | Entry::Script(_) => None,
        }));
        let near = near_names(&name.text, candidates);
        let fault = errors::unknown_function(name.span, &name.text, &near);
        self.unknown(&name.text, fault);
    }

    /// A domain's name as a kind of thing: `corner`, `player`, `resource`.
    pub(super) fn domain_name(&self, domain: DomainId) -> &str {
        self.program.domains.get(domain.index()).map_or("", |d| d.name.as_str())
    }

    /// A type in the author's words, with its article.
    pub(super) fn type_name(&self, ty: Type) -> String {
        let singular = |domain: DomainId| {
            let name = self.domain_name(domain);
            match self.program.domains.get(domain.index()).map(|d| d.kind) {
                Some(DomainKind::Goods { .. }) => "a good".to_owned(),
                Some(DomainKind::Cards(_)) => format!("a card of `{name}`"),
                Some(DomainKind::Words) if name == super::tables::TEXT => "a text".to_owned(),
                Some(DomainKind::Words) => format!("one of `{name}`"),
                Some(DomainKind::Terrain) => "a terrain".to_owned(),
                Some(DomainKind::Player) => "a player".to_owned(),
                Some(DomainKind::Phase) => "a phase".to_owned(),
                Some(DomainKind::Slots { .. }) => format!("one of the pieces `{name}`"),
                Some(DomainKind::Places) | None => with_article(name),
            }
        };
        let plural = |domain: DomainId| {
            let name = self.domain_name(domain);
            match self.program.domains.get(domain.index()).map(|d| d.kind) {
                Some(DomainKind::Goods { .. }) => "goods".to_owned(),
                Some(DomainKind::Cards(_)) => format!("cards of `{name}`"),
                Some(DomainKind::Words) => format!("words of `{name}`"),
                Some(DomainKind::Terrain) => "terrains".to_owned(),
                Some(DomainKind::Player) => "players".to_owned(),
                Some(DomainKind::Phase) => "phases".to_owned(),
                Some(DomainKind::Slots { .. }) => format!("the pieces `{name}`"),
                Some(DomainKind::Places) | None => match name {
                    "hex" => "hexes".to_owned(),
                    "corner" | "edge" | "cell" => format!("{name}s"),
                    _ => format!("places of the kind `{name}`"),
                },
            }
        };
        match ty {
            Type::Truth => "yes or no".to_owned(),
            Type::Number => "a number".to_owned(),
            Type::Member(domain) => singular(domain),
            Type::Set(domain) => format!("a set of {}", plural(domain)),
            Type::Bag(domain) => format!("a bag of {}", plural(domain)),
            Type::Nothing => "nothing".to_owned(),
            Type::Unknown => "something unknown".to_owned(),
        }
    }
}

fn with_article(name: &str) -> String {
    let vowel = name.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {name}", if vowel { "an" } else { "a" })
}
