//! Amounts of goods and cards: `3 coin`, `rate(g) of g`, `1 of (coin, gem)`, and the bag of a player that they go
//! into. An amount that leaves a choice open asks for it before the statement in which it stands.

use super::names::Entry;
use super::paths::unknown;
use super::scope::{Chooser, Home, Stock};
use super::{Checker, errors};
use crate::program::{
    Arith, Ask, BagPlace, BagSize, Choice, Compare, DomainId, Expr, ExprKind, FieldId, FieldType, LocalType, Owner,
    Stmt, StmtKind, Type,
};
use crate::source::Span;
use crate::syntax::ast;

impl<'a> Checker<'a> {
    /// So many of what stands behind the number.
    pub(super) fn amount_of(&mut self, count: Expr, of: &ast::Expr, want: Type, span: Span) -> Expr {
        let count = self.coerce(count, Type::Number);
        let hint = match want {
            Type::Bag(domain) | Type::Set(domain) => Type::Member(domain),
            Type::Truth | Type::Number | Type::Member(_) | Type::Nothing | Type::Unknown => Type::Unknown,
        };
        let of = match &of.kind {
            ast::ExprKind::Tuple(parts) => self.listed(parts, hint, of.span),
            _ => self.expr(of, hint),
        };
        match of.ty {
            Type::Member(domain) if self.can_be_counted(domain) => {
                let ty = super::expr::known(Type::Bag(domain), &[&count]);
                Expr { kind: ExprKind::BagOf(vec![(of, count)]), ty, span }
            }
            Type::Bag(domain) => {
                let (count, bag) = (Box::new(count), Box::new(of));
                Expr { kind: ExprKind::BagTimes { count, bag }, ty: Type::Bag(domain), span }
            }
            Type::Set(domain) if self.can_be_counted(domain) => self.chosen(count, of, domain, span),
            Type::Unknown => unknown(span),
            ty @ (Type::Truth | Type::Number | Type::Member(_) | Type::Set(_) | Type::Nothing) => {
                let what = self.type_name(ty);
                self.sink.push(errors::cannot_count(of.span, &what));
                unknown(span)
            }
        }
    }

    /// `(coin, gem)`: the set of these.
    fn listed(&mut self, parts: &[ast::Expr], hint: Type, span: Span) -> Expr {
        let mut members = Vec::new();
        let mut ty = Type::Unknown;
        for part in parts {
            let hint = if ty == Type::Unknown { hint } else { ty };
            let member = self.expr(part, hint);
            if ty == Type::Unknown {
                ty = member.ty;
            }
            let member = self.coerce(member, ty);
            if member.ty != Type::Unknown {
                members.push(member);
            }
        }
        let Type::Member(domain) = ty else { return unknown(span) };
        let known: Option<Vec<u32>> = members
            .iter()
            .map(|m| match m.kind {
                ExprKind::Member(member) => Some(member),
                _ => None,
            })
            .collect();
        let kind = match known {
            Some(known) => ExprKind::Members(known),
            None => ExprKind::SetOf(members),
        };
        Expr { kind, ty: Type::Set(domain), span }
    }

    /// So many of a set: whoever gives or gets it chooses, before the statement.
    fn chosen(&mut self, count: Expr, of: Expr, domain: DomainId, span: Span) -> Expr {
        let ty = Type::Bag(domain);
        let chooser = self.scope.chooser.clone();
        let (Some(Chooser { who, from }), Some(_)) = (chooser, &self.scope.before) else {
            self.sink.push(errors::nobody_chooses(span));
            return unknown(span);
        };
        if count.ty == Type::Unknown {
            return unknown(span);
        }
        let among = self.kinds_of(&of).or_else(|| self.countable(domain));
        // What is given or taken may run short, what is paid may not.
        let (stock, short) = match from {
            Stock::Bag(bag) => (Some(bag), true),
            Stock::Homes => {
                let home = self.one_home(among.as_deref(), span);
                (home.map(|home| self.that_fits_a_player(home, &who, domain)), true)
            }
            Stock::Hand { all } => {
                let Some(place) = self.player_bag(who.clone(), domain, among.as_deref(), span) else {
                    return unknown(span);
                };
                (Some(self.bag_value(&place, domain, span)), !all)
            }
        };
        let local = self.scope.add("choice", LocalType::Value(ty), among.clone(), span);
        let mut before = Vec::new();
        let choice = match stock {
            Some(bag) => {
                let from = Expr { kind: ExprKind::BagWithin { bag: Box::new(bag), set: Box::new(of) }, ty, span };
                let there = Expr { kind: ExprKind::Size(Box::new(from.clone())), ty: Type::Number, span };
                let size = if short {
                    super::expr::arith(Arith::Min, count, there, span)
                } else {
                    if let Home::Action(_) | Home::Procedure = self.scope.home {
                        let cond = super::expr::compare(Compare::GreaterEqual, there, count.clone(), span);
                        before.push(Stmt { kind: StmtKind::Require { cond, name: None, reason: None }, span });
                    }
                    count
                };
                Choice::Bag { local, size: BagSize::just(size), from }
            }
            None => {
                let among = among.unwrap_or_else(|| self.all_members(domain));
                Choice::Kinds { local, size: BagSize::just(count), domain, among }
            }
        };
        before.push(Stmt { kind: StmtKind::Ask(Ask { who, choice, prompt: None, otherwise: Vec::new() }), span });
        if let Some(all) = &mut self.scope.before {
            all.extend(before);
        }
        Expr { kind: ExprKind::Local(local), ty, span }
    }

    /// An expression that must be a bag, of whatever.
    pub(super) fn any_bag(&mut self, expr: &ast::Expr, want: Type) -> Expr {
        let found = self.expr(expr, want);
        let span = found.span;
        match found.ty {
            Type::Bag(_) | Type::Unknown => found,
            Type::Member(domain) if self.can_be_counted(domain) => self.coerce(found, Type::Bag(domain)),
            ty @ (Type::Truth | Type::Number | Type::Member(_) | Type::Set(_) | Type::Nothing) => {
                let what = self.type_name(ty);
                self.sink.push(errors::not_a_bag(span, &what));
                unknown(span)
            }
        }
    }

    /// `my pawn in supply`, `some card in deck`.
    pub(super) fn in_supply(&mut self, of: &ast::Expr, span: Span) -> Expr {
        if let ast::ExprKind::Prefix { op, of } = &of.kind {
            // The prefix binds more loosely than the words behind it.
            let inner = ast::Expr { kind: ast::ExprKind::InSupply(of.clone()), span };
            let prefix = ast::ExprKind::Prefix { op: *op, of: Box::new(inner) };
            return self.expr(&ast::Expr { kind: prefix, span }, Type::Unknown);
        }
        // What still lies under fog is drawn like cards.
        let deck = match &of.kind {
            ast::ExprKind::Name(name) => match self.names.peek(&name.text) {
                Some(Entry::Deck(deck)) => Some(deck),
                Some(Entry::Fog(fog)) => self.program.fogs.get(fog).map(|fog| fog.deck),
                Some(Entry::Piece(piece)) => self.program.tokens_of(piece).map(|tokens| tokens.deck),
                Some(Entry::Group(_)) => {
                    let deck = self.program.decks.iter().position(|d| d.name == name.text);
                    deck.map(|deck| crate::program::DeckId(deck as u32))
                }
                Some(_) | None => None,
            },
            _ => None,
        };
        if let ast::ExprKind::Name(name) = &of.kind
            && let Some(deck) = deck.and_then(|deck| self.program.decks.get(deck.index()))
        {
            let (ty, field) = (Type::Bag(deck.domain), deck.cards);
            self.names.get(&name.text);
            return Expr { kind: ExprKind::Field { field, keys: Vec::new() }, ty, span };
        }
        let pieces = self.expr(of, Type::Unknown);
        let pieces = super::stacks::pieces_standing(pieces);
        match pieces.kind {
            ExprKind::Pieces { piece, owner } => {
                let owned = self.program.pieces.get(piece.index()).is_some_and(|p| p.owned);
                if owned && matches!(owner, Owner::Any) {
                    self.sink.push(errors::whose_supply(span));
                    return unknown(span);
                }
                Expr { kind: ExprKind::InSupply { piece, owner }, ty: Type::Number, span }
            }
            _ if pieces.ty == Type::Unknown => unknown(span),
            _ => {
                self.sink.push(errors::no_supply(of.span));
                unknown(span)
            }
        }
    }

    /// The bag in which all of these goods lie at home, if there is only one.
    fn one_home(&self, kinds: Option<&[u32]>, span: Span) -> Option<Expr> {
        let goods = self.program.known.goods?;
        let homes = self.program.homes.iter().enumerate();
        let mut homes: Vec<FieldId> = homes
            .filter(|(i, _)| kinds.is_none_or(|k| k.contains(&(*i as u32))))
            .filter_map(|(_, home)| *home)
            .collect();
        homes.sort();
        homes.dedup();
        let [home] = homes.as_slice() else { return None };
        Some(Expr { kind: ExprKind::Field { field: *home, keys: Vec::new() }, ty: Type::Bag(goods), span })
    }

    /// The bag of a player that goods or cards of these kinds go into or come from: the one that can hold them.
    pub(super) fn player_bag(
        &mut self,
        who: Expr,
        domain: DomainId,
        kinds: Option<&[u32]>,
        span: Span,
    ) -> Option<BagPlace> {
        let bags = self.player_bags(who, domain, kinds, span)?;
        self.only_bag(bags, span)
    }

    /// The one bag, where several are no answer.
    pub(super) fn only_bag(&mut self, mut bags: Vec<PartBag>, span: Span) -> Option<BagPlace> {
        if bags.len() > 1 {
            let fields: Vec<FieldId> = bags.iter().map(|bag| bag.place.field).collect();
            self.tell_several(&fields, span);
            return None;
        }
        bags.pop().map(|bag| bag.place)
    }

    /// The bags of a player that goods or cards of these kinds go into or come from: the one that can hold them all, or
    /// several each of which holds kinds of its own.
    pub(super) fn player_bags(
        &mut self,
        who: Expr,
        domain: DomainId,
        kinds: Option<&[u32]>,
        span: Span,
    ) -> Option<Vec<PartBag>> {
        let player = self.program.known.player?;
        let fields: Vec<(FieldId, Option<&Vec<u32>>)> = self
            .program
            .fields
            .iter()
            .enumerate()
            .filter_map(|(i, field)| match &field.ty {
                FieldType::Bag { domain: d, among } if *d == domain && field.keys == [player] => {
                    Some((FieldId(i as u32), among.as_ref()))
                }
                _ => None,
            })
            .collect();
        let fits = |among: &Option<&Vec<u32>>| match (among, &kinds) {
            (None, _) => true,
            (Some(among), Some(kinds)) => kinds.iter().all(|k| among.contains(k)),
            (Some(_), None) => false,
        };
        let fitting: Vec<FieldId> = fields.iter().filter(|(_, among)| fits(among)).map(|(id, _)| *id).collect();
        let field = match (fitting.as_slice(), fields.as_slice()) {
            ([only], _) | ([], [(only, _)]) => *only,
            ([], []) if self.gaps || !self.lost.is_empty() => return None,
            ([], []) => {
                let what = self.type_name(Type::Bag(domain));
                self.sink.push(errors::no_bag_for(span, &what));
                return None;
            }
            _ => {
                let all = kinds.map(<[u32]>::to_vec).or_else(|| self.countable(domain));
                let parts = if fitting.is_empty() { apart(&fields, all.as_deref()) } else { None };
                let Some(parts) = parts else {
                    let fields: Vec<FieldId> = fields.iter().map(|(field, _)| *field).collect();
                    self.tell_several(&fields, span);
                    return None;
                };
                parts.iter().for_each(|(field, _)| self.note_use(*field));
                let bag =
                    |(field, kinds)| PartBag { place: BagPlace { field, keys: vec![who.clone()] }, kinds: Some(kinds) };
                return Some(parts.into_iter().map(bag).collect());
            }
        };
        self.note_use(field);
        Some(vec![PartBag { place: BagPlace { field, keys: vec![who] }, kinds: None }])
    }

    fn tell_several(&mut self, fields: &[FieldId], span: Span) {
        let names = fields.iter().filter_map(|id| self.program.fields.get(id.index())).map(|f| f.name.as_str());
        let fault = errors::several_bags_for(span, &names.collect::<Vec<_>>());
        self.sink.push(fault);
    }

    /// A field that no rule names is used all the same if it is found by what it holds.
    fn note_use(&mut self, field: FieldId) {
        if let Some(field) = self.program.fields.get(field.index()) {
            self.names.used.insert(field.name.clone());
        }
    }

    /// What a player holds of the goods of a domain, for a choice among them.
    pub(super) fn bag_value(&self, place: &BagPlace, domain: DomainId, span: Span) -> Expr {
        Expr { kind: ExprKind::Field { field: place.field, keys: place.keys.clone() }, ty: Type::Bag(domain), span }
    }
}

/// A bag, and the kinds that go into it or come from it; none where all of an amount do.
#[derive(Clone, Debug)]
pub struct PartBag {
    pub place: BagPlace,
    pub kinds: Option<Vec<u32>>,
}

/// The fields that share the kinds among them: each kind lies in one of them.
fn apart(fields: &[(FieldId, Option<&Vec<u32>>)], kinds: Option<&[u32]>) -> Option<Vec<(FieldId, Vec<u32>)>> {
    let mut parts: Vec<(FieldId, Vec<u32>)> = Vec::new();
    for (field, among) in fields {
        let held = (*among)?.iter().copied().filter(|kind| kinds.is_none_or(|kinds| kinds.contains(kind)));
        let held: Vec<u32> = held.collect();
        if held.iter().any(|kind| parts.iter().any(|(_, other)| other.contains(kind))) {
            return None;
        }
        if !held.is_empty() {
            parts.push((*field, held));
        }
    }
    let all = kinds.is_none_or(|kinds| kinds.iter().all(|kind| parts.iter().any(|(_, held)| held.contains(kind))));
    (all && !parts.is_empty()).then_some(parts)
}

/// The kind and the count of an amount of one kind; the amount itself if it is of several.
pub fn single(amount: Expr) -> Result<(Expr, Expr), Expr> {
    match amount.kind {
        ExprKind::BagOf(mut entries) if entries.len() == 1 => match entries.pop() {
            Some(entry) => Ok(entry),
            None => Err(unknown(amount.span)),
        },
        kind => Err(Expr { kind, ty: amount.ty, span: amount.span }),
    }
}
