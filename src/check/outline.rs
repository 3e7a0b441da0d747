//! The declarations of all layers, each thing once: what declared it, what changed it, what was put before and
//! after it, and whether it was dropped. Nothing is resolved here; a thing is found by its kind and its name.

use std::collections::{BTreeMap, BTreeSet};

use super::{Input, errors};
use crate::diagnostic::{Sink, near_names};
use crate::source::Span;
use crate::syntax::ast::{self, Item, ItemKind, Mode, When};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Seats,
    Option,
    Goods,
    Group,
    Words,
    Tokens,
    Cases,
    Limit,
    Terrain,
    Piece,
    Cost,
    Deck,
    Field,
    Track,
    Chronicle,
    Fog,
    Board,
    Function,
    Procedure,
    Setup,
    Turn,
    Action,
    Trigger,
    Award,
    Points,
    HiddenPoints,
    End,
    AtEnd,
    Invariant,
    Script,
}

impl Kind {
    /// How an author calls such a thing.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Seats => "seats",
            Kind::Option => "option",
            Kind::Goods => "goods",
            Kind::Group => "group",
            Kind::Words => "words",
            Kind::Tokens => "tokens",
            Kind::Cases => "cases",
            Kind::Limit => "limit",
            Kind::Terrain => "terrain",
            Kind::Piece => "piece",
            Kind::Cost => "cost",
            Kind::Deck => "deck",
            Kind::Field => "state",
            Kind::Track => "track",
            Kind::Chronicle => "chronicle",
            Kind::Fog => "fog",
            Kind::Board => "board",
            Kind::Function => "set or definition",
            Kind::Procedure => "procedure",
            Kind::Setup => "set-up",
            Kind::Turn => "turn",
            Kind::Action => "action",
            Kind::Trigger => "trigger",
            Kind::Award => "award",
            Kind::Points => "points",
            Kind::HiddenPoints => "hidden points",
            Kind::End => "end",
            Kind::AtEnd => "what is done at the end",
            Kind::Invariant => "invariant",
            Kind::Script => "script",
        }
    }

    /// The kind that `drop WORD …` means.
    fn of_word(word: &str) -> Option<Kind> {
        Some(match word {
            "option" => Kind::Option,
            "group" => Kind::Group,
            "words" => Kind::Words,
            "tokens" => Kind::Tokens,
            "cases" => Kind::Cases,
            "limit" => Kind::Limit,
            "terrain" => Kind::Terrain,
            "piece" => Kind::Piece,
            "cost" => Kind::Cost,
            "deck" | "cards" => Kind::Deck,
            "set" | "define" => Kind::Function,
            "procedure" => Kind::Procedure,
            "action" => Kind::Action,
            "trigger" => Kind::Trigger,
            "award" => Kind::Award,
            "end" => Kind::End,
            "invariant" => Kind::Invariant,
            "script" => Kind::Script,
            "points" => Kind::Points,
            "hidden" => Kind::HiddenPoints,
            "goods" => Kind::Goods,
            "state" => Kind::Field,
            "track" => Kind::Track,
            "chronicle" => Kind::Chronicle,
            "fog" => Kind::Fog,
            "setup" => Kind::Setup,
            "turn" => Kind::Turn,
            "board" => Kind::Board,
            _ => return None,
        })
    }
}

/// One form of a thing: the declaration, or a change on top of it.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    pub item: &'a Item,
    /// The field that is meant, of an item that declares several.
    pub field: Option<&'a ast::Field>,
    pub layer: usize,
}

/// A block that stands before or after a thing, or instead of it.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    pub when: When,
    pub guard: Option<&'a ast::Expr>,
    pub body: &'a ast::Block,
    pub span: Span,
    pub layer: usize,
}

/// One form of what is done: a body, or what is done instead of the one below where its guard holds.
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    pub guard: Option<&'a ast::Expr>,
    pub body: &'a ast::Block,
    pub span: Span,
}

/// Something that a ruleset took out.
#[derive(Clone, Debug)]
pub struct Dropped {
    pub kind: Kind,
    pub name: String,
    /// Where it says `drop`.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Thing<'a> {
    pub kind: Kind,
    pub name: String,
    /// Where it is named first.
    pub span: Span,
    /// From the declaration up to the last change.
    pub versions: Vec<Version<'a>>,
    pub arounds: Vec<Around<'a>>,
    /// An option that was dropped: rules still speak of it, and it always has its default.
    pub fixed: bool,
}

impl<'a> Thing<'a> {
    /// The declaration itself.
    pub fn first(&self) -> Option<Version<'a>> {
        self.versions.first().copied()
    }

    pub fn last(&self) -> Option<Version<'a>> {
        self.versions.last().copied()
    }

    /// The bodies from the declaration up to what counts: versions and what stands instead, those of each ruleset
    /// behind those of the rulesets below it.
    pub fn forms(&self) -> Vec<Form<'a>> {
        let bodies = self.versions.iter().filter_map(|version| {
            let body = match &version.item.kind {
                ItemKind::Procedure { body, .. } => body,
                ItemKind::Action(action) => &action.body,
                ItemKind::Trigger(trigger) => &trigger.body,
                ItemKind::Setup(body) => body,
                _ => return None,
            };
            Some((version.layer, Form { guard: None, body, span: version.item.span }))
        });
        let mut forms: Vec<(usize, Form<'a>)> = bodies.collect();
        forms.extend(insteads(&self.arounds));
        forms.sort_by_key(|(layer, _)| *layer);
        forms.into_iter().map(|(_, form)| form).collect()
    }

    /// The blocks before or after it, those of base rulesets first.
    pub fn around(&self, when: When) -> impl Iterator<Item = &Around<'a>> {
        self.arounds.iter().filter(move |around| around.when == when)
    }

    /// Something stands before or after it.
    pub fn is_surrounded(&self) -> bool {
        self.arounds.iter().any(|around| around.when != When::Instead)
    }
}

/// What is done instead, with the layers of the rulesets that say so.
pub fn insteads<'a>(arounds: &[Around<'a>]) -> impl Iterator<Item = (usize, Form<'a>)> {
    let insteads = arounds.iter().filter(|around| around.when == When::Instead);
    insteads.map(|around| (around.layer, Form { guard: around.guard, body: around.body, span: around.span }))
}

#[derive(Debug, Default)]
pub struct Outline<'a> {
    /// In order of declaration, base rulesets first.
    pub things: Vec<Thing<'a>>,
    index: BTreeMap<(Kind, String), usize>,
    /// What stands around the named parts of the set-up and the phases.
    pub parts: BTreeMap<String, Vec<Around<'a>>>,
    pub dropped: Vec<Dropped>,
    /// Names that items which could not be read, or cannot be played yet, seem to declare.
    pub broken: BTreeSet<&'a str>,
}

impl<'a> Outline<'a> {
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = (usize, &Thing<'a>)> {
        self.things.iter().enumerate().filter(move |(_, t)| t.kind == kind)
    }

    pub fn find(&self, kind: Kind, name: &str) -> Option<usize> {
        self.index.get(&(kind, name.to_owned())).copied()
    }

    /// The only thing of a kind that has no name of its own.
    pub fn only(&self, kind: Kind) -> Option<&Thing<'a>> {
        self.find(kind, "").and_then(|i| self.things.get(i))
    }

    /// The name seems to be declared by an item that could not be read.
    pub fn lost(&self, name: &str) -> bool {
        self.broken.contains(name)
    }

    /// Where something of this name was taken out.
    pub fn dropped(&self, name: &str) -> Option<&Dropped> {
        self.dropped.iter().rev().find(|dropped| dropped.name == name)
    }

    fn names(&self, kind: Kind) -> Vec<&str> {
        self.of(kind).map(|(_, t)| t.name.as_str()).collect()
    }
}

/// The words of an action's phrase without its parameters.
pub fn action_name(action: &ast::Action) -> String {
    let words = action.phrase.iter().filter_map(|part| match part {
        ast::PhrasePart::Word(word) => Some(word.text.as_str()),
        ast::PhrasePart::Param(_) => None,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Collects the items of all layers, those of base rulesets first. `lost`: names that stand in parts which could not
/// be read.
pub fn collect<'a>(input: &'a Input, lost: &BTreeSet<String>, sink: &mut Sink) -> Outline<'a> {
    let mut collector =
        Collector { outline: Outline::default(), lost, sink, invariants: 0, at_ends: 0, late: Vec::new() };
    for (layer, part) in input.layers.iter().enumerate() {
        for file in &part.files {
            collector.outline.broken.extend(file.broken.iter().map(|n| n.text.as_str()));
        }
        // What a layer takes out goes first, so that it can declare something else of that name.
        for item in part.files.iter().flat_map(|f| &f.items) {
            if let ItemKind::Dropped { kind, words } = &item.kind {
                collector.drop(kind, words, item.span, layer);
            }
        }
        for item in part.files.iter().flat_map(|f| &f.items) {
            collector.item(item, layer);
        }
        collector.attach();
    }
    let mut outline = collector.outline;
    // Dropped things leave holes; what remains is numbered anew.
    outline.things.retain(|t| !t.versions.is_empty());
    outline.index = outline.things.iter().enumerate().map(|(i, t)| ((t.kind, t.name.clone()), i)).collect();
    outline
}

struct Collector<'a, 's> {
    outline: Outline<'a>,
    lost: &'s BTreeSet<String>,
    sink: &'s mut Sink,
    invariants: usize,
    at_ends: usize,
    /// `before`, `after` and `instead of` of the layer: they may stand above what they name.
    late: Vec<(&'a ast::Target, Around<'a>)>,
}

impl<'a> Collector<'a, '_> {
    fn item(&mut self, item: &'a Item, layer: usize) {
        let at = |name: &'a ast::Name| (name.text.clone(), name.span);
        let alone = (String::new(), item.span);
        let (kind, (name, span)) = match &item.kind {
            ItemKind::Seats(_) => (Kind::Seats, alone),
            ItemKind::Option { name, .. } => (Kind::Option, at(name)),
            ItemKind::Goods(goods) => (Kind::Goods, at(&goods.name)),
            ItemKind::Group { name, .. } => (Kind::Group, at(name)),
            ItemKind::Words { name, .. } => (Kind::Words, at(name)),
            ItemKind::Limit { name, field, .. } => (Kind::Limit, name.as_ref().map_or_else(|| at(field), at)),
            ItemKind::Terrain { name, .. } => (Kind::Terrain, at(name)),
            ItemKind::Piece(piece) => (Kind::Piece, at(&piece.name)),
            ItemKind::Cost { name, .. } => (Kind::Cost, at(name)),
            ItemKind::Deck(deck) => (Kind::Deck, at(&deck.name)),
            ItemKind::State(state) => {
                for field in &state.fields {
                    let version = Version { item, field: Some(field), layer };
                    self.add(Kind::Field, field.name.text.clone(), field.name.span, version);
                }
                return;
            }
            ItemKind::Board { name, .. } => (Kind::Board, at(name)),
            ItemKind::Set { name, .. } | ItemKind::Define { name, .. } => (Kind::Function, at(name)),
            ItemKind::Procedure { name, .. } => (Kind::Procedure, at(name)),
            ItemKind::Setup(_) => (Kind::Setup, alone),
            ItemKind::Turn(_) => (Kind::Turn, alone),
            ItemKind::Action(action) => {
                let span = action.phrase.first().map_or(item.span, |p| match p {
                    ast::PhrasePart::Word(word) => word.span,
                    ast::PhrasePart::Param(param) => param.name.span,
                });
                (Kind::Action, (action_name(action), span))
            }
            ItemKind::Trigger(ast::Trigger {
                event: Some(ast::Event::Beside { when, target }), guard, body, ..
            }) => {
                let around = Around { when: *when, guard: guard.as_ref(), body, span: item.span, layer };
                self.late.push((target, around));
                return;
            }
            ItemKind::Trigger(trigger) => (Kind::Trigger, at(&trigger.name)),
            ItemKind::Around { when, target, guard, body } => {
                let around = Around { when: *when, guard: guard.as_ref(), body, span: item.span, layer };
                self.late.push((target, around));
                return;
            }
            ItemKind::Award(award) => (Kind::Award, at(&award.name)),
            ItemKind::Points { hidden: false, .. } => (Kind::Points, alone),
            ItemKind::Points { hidden: true, .. } => (Kind::HiddenPoints, alone),
            ItemKind::End { name, .. } => (Kind::End, name.as_ref().map_or(alone, at)),
            ItemKind::Invariant { name, .. } => match name {
                Some(name) => (Kind::Invariant, at(name)),
                None => {
                    self.invariants += 1;
                    (Kind::Invariant, (format!("invariant {}", self.invariants), item.span))
                }
            },
            ItemKind::Script { name, .. } => (Kind::Script, at(name)),
            ItemKind::Tokens(tokens) => (Kind::Tokens, at(&tokens.name)),
            ItemKind::Cases { name, .. } => (Kind::Cases, at(name)),
            ItemKind::Track(track) => (Kind::Track, at(&track.name)),
            ItemKind::Fog(fog) => {
                for (name, _) in &fog.areas {
                    let version = Version { item, field: None, layer };
                    self.add(Kind::Fog, name.text.clone(), name.span, version);
                }
                return;
            }
            ItemKind::Chronicle(states) => {
                for field in states.iter().flat_map(|s| &s.fields) {
                    let version = Version { item, field: Some(field), layer };
                    self.add(Kind::Chronicle, field.name.text.clone(), field.name.span, version);
                }
                return;
            }
            // Every ruleset adds its own.
            ItemKind::AtEnd(_) => {
                self.at_ends += 1;
                (Kind::AtEnd, (format!("{}", self.at_ends), item.span))
            }
            ItemKind::Dropped { .. } | ItemKind::Bad => return,
        };
        self.add(kind, name, span, Version { item, field: None, layer });
    }

    fn is_lost(&self, name: &str) -> bool {
        // An action has several words.
        self.outline.lost(name) || name.split(' ').any(|word| self.lost.contains(word))
    }

    fn add(&mut self, kind: Kind, name: String, span: Span, version: Version<'a>) {
        let known = self.outline.index.get(&(kind, name.clone())).copied();
        let known = known.and_then(|i| self.outline.things.get_mut(i)).filter(|t| !t.versions.is_empty());
        match (version.item.mode, known) {
            (Mode::Declare, Some(thing)) => {
                let lower = thing.first().is_some_and(|v| v.layer < version.layer);
                self.sink.push(errors::declared_twice(span, &shown(kind, &name), thing.span, lower));
            }
            (Mode::Declare, None) => {
                let thing = Thing {
                    kind,
                    name: name.clone(),
                    span,
                    versions: vec![version],
                    arounds: Vec::new(),
                    fixed: false,
                };
                self.outline.index.insert((kind, name), self.outline.things.len());
                self.outline.things.push(thing);
            }
            (Mode::Change, Some(thing)) => thing.versions.push(version),
            (Mode::Change, None) => {
                if !self.is_lost(&name) {
                    let near = near_names(&name, self.outline.names(kind));
                    self.sink.push(errors::nothing_to_change(span, &shown(kind, &name), &near));
                }
            }
            (Mode::Drop, _) => {}
        }
    }

    fn drop(&mut self, kind: &'a ast::Name, words: &'a [ast::Name], span: Span, layer: usize) {
        let Some(found) = Kind::of_word(&kind.text) else {
            self.sink.push(errors::cannot_be_dropped(kind.span, &kind.text));
            return;
        };
        let words = if found == Kind::HiddenPoints { &[] } else { words };
        let name = words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ");
        let below = |version: Version<'a>| version.layer < layer;
        let known = match (found, self.actions_named(&name).as_slice()) {
            (Kind::Action, [only]) => Some(*only),
            _ => self.outline.find(found, &name),
        };
        let is_below = |i: &usize| self.outline.things.get(*i).and_then(Thing::first).is_some_and(below);
        match known.filter(is_below) {
            Some(index) if found == Kind::Option => {
                if let Some(thing) = self.outline.things.get_mut(index) {
                    thing.fixed = true;
                }
            }
            Some(index) => {
                let name = self.outline.things.get(index).map_or(name, |t| t.name.clone());
                if let Some(thing) = self.outline.things.get_mut(index) {
                    thing.versions.clear();
                    thing.arounds.clear();
                }
                self.outline.index.remove(&(found, name.clone()));
                self.outline.dropped.push(Dropped { kind: found, name, span });
            }
            None if self.is_lost(&name) => {}
            None => {
                let near = near_names(&name, self.outline.names(found));
                self.sink.push(errors::nothing_to_change(span, &shown(found, &name), &near));
            }
        }
    }

    /// Finds what each `before`, `after` and `instead of` of the layer names.
    fn attach(&mut self) {
        for (target, around) in std::mem::take(&mut self.late) {
            let name = &target.name.text;
            let kinds: &[Kind] = match target.kind.as_ref().map(|kind| kind.text.as_str()) {
                Some("procedure") => &[Kind::Procedure],
                Some("trigger") => &[Kind::Trigger],
                Some("action") => &[Kind::Action],
                Some("part" | "phase") => &[],
                Some(_) | None => &[Kind::Procedure, Kind::Trigger, Kind::Action],
            };
            let part = kinds.is_empty() || target.kind.is_none();
            let mut found = kinds.iter().find_map(|kind| self.outline.find(*kind, name));
            // An action is named by as many words as tell it apart.
            if found.is_none() && kinds.contains(&Kind::Action) && !(part && self.has_part(name)) {
                match self.actions_named(name).as_slice() {
                    [only] => found = Some(*only),
                    [] => {}
                    [..] => {
                        self.sink.push(errors::several_actions(target.name.span));
                        continue;
                    }
                }
            }
            if let Some(thing) = found.and_then(|i| self.outline.things.get_mut(i)) {
                thing.arounds.push(around);
            } else if part && self.has_part(name) {
                self.outline.parts.entry(name.clone()).or_default().push(around);
            } else if !self.is_lost(name) {
                let mut near = Vec::new();
                for kind in kinds {
                    near.extend(self.outline.names(*kind));
                }
                let parts = if part { self.part_names() } else { Vec::new() };
                near.extend(parts.iter().map(String::as_str));
                let near = near_names(name, near);
                self.sink.push(errors::nothing_to_stand_beside(target.name.span, name, &near));
            }
        }
    }

    /// The action of this name, or those whose names begin with it.
    fn actions_named(&self, name: &str) -> Vec<usize> {
        if let Some(exact) = self.outline.find(Kind::Action, name) {
            return vec![exact];
        }
        let begins = |t: &Thing| t.name.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
        let actions = self.outline.of(Kind::Action).filter(|(_, t)| !t.versions.is_empty() && begins(t));
        actions.map(|(i, _)| i).collect()
    }

    fn has_part(&self, name: &str) -> bool {
        self.part_names().iter().any(|p| p == name)
    }

    /// The named parts of the set-up and the phases of the turn.
    fn part_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for version in self.outline.only(Kind::Setup).iter().flat_map(|t| &t.versions) {
            if let ItemKind::Setup(body) = &version.item.kind {
                parts_of(body, &mut names);
            }
        }
        for version in self.outline.only(Kind::Turn).iter().flat_map(|t| &t.versions) {
            if let ItemKind::Turn(phases) = &version.item.kind {
                names.extend(phases.iter().map(|p| p.name.text.clone()));
            }
        }
        names
    }
}

fn parts_of(block: &ast::Block, names: &mut Vec<String>) {
    for stmt in block {
        match &stmt.kind {
            ast::StmtKind::Part { name, body } => {
                names.push(name.text.clone());
                parts_of(body, names);
            }
            ast::StmtKind::If { then, otherwise, .. } => {
                parts_of(then, names);
                if let Some(otherwise) = otherwise {
                    parts_of(otherwise, names);
                }
            }
            ast::StmtKind::For(each) => parts_of(&each.body, names),
            ast::StmtKind::Repeat { body, .. } => parts_of(body, names),
            // Parts stand only where a set-up always comes by.
            _ => {}
        }
    }
}

fn shown(kind: Kind, name: &str) -> String {
    if name.is_empty() { format!("the {}", kind.word()) } else { format!("{} `{name}`", kind.word()) }
}
