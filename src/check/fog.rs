//! Fog: places whose terrain nobody knows until a rule reveals it. What may lie under each area is a deck of terrain,
//! so that it is drawn, forced and counted as cards are; the name of the area stands for its places that are still
//! covered.

use std::rc::Rc;

use super::names::Entry;
use super::outline::Kind;
use super::{Checker, errors};
use crate::diagnostic::near_names;
use crate::program::{
    Block, Compare, Deck, DeckId, DeckVariant, DomainId, Expr, ExprKind, FieldRole, FieldType, Fog, For, Function,
    FunctionId, Local, LocalId, LocalType, Stmt, StmtKind, Type,
};
use crate::source::Span;
use crate::syntax::ast::{self, ItemKind};

/// An area of a board that lies under fog.
#[derive(Clone, Debug)]
pub struct FogArea {
    pub name: String,
    pub domain: DomainId,
    /// How many places it has, for these numbers of players.
    pub places: usize,
    pub low: usize,
    pub high: usize,
    pub span: Span,
}

impl<'a> Checker<'a> {
    /// Each area that the rules name, with what lies under it.
    pub(super) fn declare_fogs(&mut self) {
        let outline = Rc::clone(&self.outline);
        for (_, thing) in outline.of(Kind::Fog) {
            let Some(ItemKind::Fog(fog)) = thing.last().map(|v| &v.item.kind) else { continue };
            let declared = fog.areas.iter().find(|(name, _)| name.text == thing.name).map(|(_, count)| *count);
            let area = self.fog_areas.iter().find(|area| area.name == thing.name).cloned();
            let Some(area) = area else {
                if !self.incomplete {
                    let areas: Vec<&str> = self.fog_areas.iter().map(|a| a.name.as_str()).collect();
                    let near = near_names(&thing.name, areas);
                    let fault = errors::no_such_fog(thing.span, &thing.name, &near);
                    self.sink.push(fault);
                }
                self.lost.insert(thing.name.clone());
                continue;
            };
            let terrain = self.terrain_fields.iter().find(|(place, _)| *place == area.domain).map(|(_, f)| *f);
            let (Some(domain), Some(terrain)) = (self.program.known.terrain, terrain) else {
                self.sink.push(errors::no_terrain_anywhere(thing.span));
                continue;
            };
            let deck = self.fog_deck(&thing.name, thing.span, domain, fog);
            self.fog_counts(thing.span, &thing.name, declared.unwrap_or(0), fog, deck);
            self.enter(&thing.name, thing.span, Entry::Fog(self.program.fogs.len()));
            self.program.fogs.push(Fog { name: thing.name.clone(), on: area.domain, terrain, deck });
        }
        for area in self.fog_areas.clone() {
            if outline.find(Kind::Fog, &area.name).is_none() && !self.is_lost(&area.name) && !self.gaps {
                self.sink.push(errors::fog_without_content(area.span, &area.name));
            }
        }
    }

    /// The stack of what lies under one area.
    fn fog_deck(&mut self, name: &str, span: Span, domain: DomainId, fog: &ast::Fog) -> DeckId {
        let size = self.program.domains.get(domain.index()).map_or(0, |d| d.members.len());
        let mut counts = vec![0; size];
        for (member, count) in &fog.of {
            if let Some(found) = self.terrain_named(member, domain)
                && let Some(slot) = counts.get_mut(found as usize)
            {
                *slot += *count;
            }
        }
        let mut variants = Vec::new();
        for (players, _, members) in &fog.variants {
            let mut differing = Vec::new();
            for (member, count) in members {
                if let Some(found) = self.terrain_named(member, domain) {
                    differing.push((found, *count));
                }
            }
            variants.push(DeckVariant {
                low: usize::try_from(players.low).unwrap_or(0),
                high: usize::try_from(players.high).unwrap_or(0),
                counts: differing,
            });
        }
        let id = DeckId(self.program.decks.len() as u32);
        let ty = FieldType::Bag { domain, among: None };
        let cards = self.add_field(name, span, Vec::new(), ty, FieldRole::Deck(id));
        // What is drawn lies on the board: nothing comes back.
        let deck = Deck { name: name.to_owned(), domain, counts, variants, cards, discards: cards, reshuffled: false };
        self.program.decks.push(deck);
        id
    }

    fn terrain_named(&mut self, name: &ast::Name, domain: DomainId) -> Option<u32> {
        let member = self.member_named(domain, &name.text);
        if member.is_some() {
            self.names.get(&name.text);
        } else if !self.is_lost(&name.text) {
            self.unknown_name(name, Type::Member(domain));
        }
        member
    }

    /// As many things as places, for each number of players.
    fn fog_counts(&mut self, span: Span, name: &str, declared: i64, fog: &ast::Fog, deck: DeckId) {
        let Some(deck) = self.program.decks.get(deck.index()).cloned() else { return };
        for players in self.input.players.clone() {
            let fits = |p: &ast::Players| (p.low..=p.high).contains(&(players as i64));
            let count = fog.variants.iter().rev().filter(|(p, ..)| fits(p)).find_map(|(_, count, _)| *count);
            let count = count.unwrap_or(declared);
            let things: i64 = deck.counts_for(players).iter().sum();
            if things != count {
                self.sink.push(errors::fog_does_not_add_up(span, name, count, things, players));
                return;
            }
            let area = self
                .fog_areas
                .iter()
                .find(|a| a.name == name && a.low <= players && players <= a.high && a.places as i64 != count);
            if let Some(area) = area {
                let fault = errors::fog_of_another_size(span, name, count, area.places, players, area.span);
                self.sink.push(fault);
                return;
            }
        }
    }

    /// The places of an area that are still covered; a hidden function, so that it is kept like any named set.
    pub(super) fn covered(&mut self, fog: usize, span: Span) -> Expr {
        let Some(found) = self.program.fogs.get(fog).cloned() else { return super::paths::unknown(span) };
        let ty = Type::Set(found.on);
        if let Some(function) = self.fog_sets.get(&fog) {
            return Expr { kind: ExprKind::Call { function: *function, args: Vec::new() }, ty, span };
        }
        let terrain = self.program.known.terrain.map_or(Type::Unknown, Type::Member);
        let at = self.names.span(&found.name).unwrap_or(span);
        let local = LocalId(0);
        let it = Expr { kind: ExprKind::Local(local), ty: Type::Member(found.on), span: at };
        let left = Expr { kind: ExprKind::Field { field: found.terrain, keys: vec![it] }, ty: terrain, span: at };
        let right = Expr { kind: ExprKind::None, ty: terrain, span: at };
        let cond = super::expr::compare(Compare::Equal, left, right, at);
        let over = Expr { kind: ExprKind::Mark { name: found.name.clone(), seat: None }, ty, span: at };
        let kind = ExprKind::Filter { local, over: Box::new(over), cond: Box::new(cond) };
        let locals = vec![Local { name: "it".into(), ty: LocalType::Value(Type::Member(found.on)), span: at }];
        let body = Expr { kind, ty, span: at };
        let function = FunctionId(self.program.functions.len() as u32);
        self.program.functions.push(Function { name: found.name, params: Vec::new(), locals, body, span: at });
        self.fog_sets.insert(fog, function);
        Expr { kind: ExprKind::Call { function, args: Vec::new() }, ty, span }
    }

    /// `reveal h`, `reveal hexes(c) & haze`: one place, or each of a set.
    pub(super) fn reveal(&mut self, what: &ast::Expr, span: Span, out: &mut Block) {
        let Some(on) = self.program.fogs.first().map(|fog| fog.on) else {
            self.expr(what, Type::Unknown);
            if !self.incomplete && self.outline.of(Kind::Fog).next().is_none() {
                self.sink.push(errors::nothing_to_reveal(span));
            }
            return;
        };
        let over = self.expr(what, Type::Member(on));
        match over.ty {
            Type::Member(domain) if domain == on => out.push(Stmt { kind: StmtKind::Reveal { at: over }, span }),
            Type::Set(domain) if domain == on => {
                let ty = Type::Member(domain);
                let local = self.scope.add("revealed", LocalType::Value(ty), None, span);
                let at = Expr { kind: ExprKind::Local(local), ty, span };
                let body = vec![Stmt { kind: StmtKind::Reveal { at }, span }];
                let each = For { local, over, from: None, reversed: false, at_once: false, body };
                out.push(Stmt { kind: StmtKind::For(each), span });
            }
            Type::Unknown => {}
            ty => {
                let (found, want) = (self.type_name(ty), self.type_name(Type::Member(on)));
                self.sink.push(errors::wrong_type(what.span, &found, &want, ty, Type::Member(on)));
            }
        }
    }

    /// The terrain field under a fog, for those who need a place's kind.
    pub(super) fn fog_place(&self) -> Option<DomainId> {
        self.program.fogs.first().map(|fog| fog.on)
    }
}

/// A card whose name is a number can stand for the number.
pub fn number_of_card(name: &str) -> Option<i64> {
    name.parse().ok()
}

impl Checker<'_> {
    /// The number on a card of a deck of numbers.
    pub(super) fn card_as_number(&self, card: &Expr, domain: DomainId) -> Option<Expr> {
        let members = &self.program.domains.get(domain.index())?.members;
        let numbers: Vec<i64> = members.iter().map(|m| number_of_card(&m.name)).collect::<Option<_>>()?;
        let span = card.span;
        let mut numbers = numbers.into_iter().enumerate().rev();
        let (_, last) = numbers.next()?;
        let mut value = super::expr::number(last, span);
        for (member, number) in numbers {
            let one = Expr { kind: ExprKind::Member(member as u32), ty: card.ty, span };
            let cond = super::expr::compare(Compare::Equal, card.clone(), one, span);
            let (then, otherwise) = (Box::new(super::expr::number(number, span)), Box::new(value));
            let kind = ExprKind::If { cond: Box::new(cond), then, otherwise };
            value = Expr { kind, ty: Type::Number, span };
        }
        Some(value)
    }
}
