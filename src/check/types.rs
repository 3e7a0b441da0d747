//! Types as they are written: `2..12 or none`, `bag of tradable`, `others`, `yes | no`.

use super::names::Entry;
use super::{Checker, errors};
use crate::diagnostic::near_names;
use crate::program::{Domain, DomainId, DomainKind, FieldType, Member, Type};
use crate::source::Span;
use crate::syntax::ast::{self, TypeKind};

/// A written type, resolved.
#[derive(Clone, Debug, Default)]
pub struct Written {
    pub ty: Option<Type>,
    /// Of the members only these.
    pub among: Option<Vec<u32>>,
    pub or_none: bool,
    pub range: Option<(i64, i64)>,
    /// A player, but not the one who acts.
    pub others: bool,
    /// A bag of that size.
    pub size: Option<(i64, Option<i64>)>,
}

impl Written {
    fn plain(ty: Type) -> Written {
        Written { ty: Some(ty), ..Written::default() }
    }

    pub fn ty(&self) -> Type {
        self.ty.unwrap_or(Type::Unknown)
    }
}

impl Checker<'_> {
    /// `new_words`: words after a group of goods that nobody declared become members of the goods.
    pub(super) fn written_type(&mut self, written: &ast::TypeExpr, new_words: bool) -> Written {
        match &written.kind {
            TypeKind::Range(low, high) => {
                let (Some(low), Some(high)) = (self.constant(low), self.constant(high)) else {
                    return Written::plain(Type::Unknown);
                };
                if low > high {
                    self.sink.push(errors::range_backwards(written.span, low, high));
                    return Written::plain(Type::Unknown);
                }
                Written { range: Some((low, high)), ..Written::plain(Type::Number) }
            }
            TypeKind::RangeOr(low, high, names) => {
                let (Some(low), Some(high)) = (self.constant(low), self.constant(high)) else {
                    return Written::plain(Type::Unknown);
                };
                if low > high {
                    self.sink.push(errors::range_backwards(written.span, low, high));
                    return Written::plain(Type::Unknown);
                }
                if let Some(other) = names.iter().find(|n| n.text != "none") {
                    self.sink.push(errors::number_or_word(other.span, &other.text));
                }
                Written { range: Some((low, high)), or_none: true, ..Written::plain(Type::Number) }
            }
            TypeKind::OneOf(names) => self.one_of(names, new_words),
            TypeKind::Words(names) => {
                let texts: Vec<&str> = names.iter().map(|n| n.text.as_str()).collect();
                if let ["yes", "no"] | ["no", "yes"] = texts.as_slice() {
                    return Written::plain(Type::Truth);
                }
                Written::plain(Type::Member(self.words_domain(names)))
            }
            TypeKind::Bag(name) => match self.held_type(name) {
                Some((domain, among)) if self.can_be_counted(domain) => {
                    Written { among: among.or_else(|| self.countable(domain)), ..Written::plain(Type::Bag(domain)) }
                }
                Some((domain, _)) => {
                    let what = self.type_name(Type::Member(domain));
                    self.sink.push(errors::cannot_lie_in_bags(name.span, &what));
                    Written::plain(Type::Unknown)
                }
                None => Written::plain(Type::Unknown),
            },
            TypeKind::Sized(size, name) => {
                let size = self.constant(size);
                match self.held_type(name) {
                    Some((domain, among)) if self.can_be_counted(domain) => Written {
                        among: among.or_else(|| self.countable(domain)),
                        size: size.map(|n| (n, Some(n))),
                        ..Written::plain(Type::Bag(domain))
                    },
                    Some((domain, _)) => {
                        let what = self.type_name(Type::Member(domain));
                        self.sink.push(errors::cannot_lie_in_bags(name.span, &what));
                        Written::plain(Type::Unknown)
                    }
                    None => Written::plain(Type::Unknown),
                }
            }
            TypeKind::Set(name) => match self.held_type(name) {
                Some((domain, among)) => Written { among, ..Written::plain(Type::Set(domain)) },
                None => Written::plain(Type::Unknown),
            },
            TypeKind::List(_) | TypeKind::Text => {
                self.sink.push(errors::only_in_tables(written.span));
                Written::plain(Type::Unknown)
            }
            TypeKind::Bad => Written::plain(Type::Unknown),
        }
    }

    fn one_of(&mut self, names: &[ast::Name], new_words: bool) -> Written {
        let or_none = names.iter().any(|n| n.text == "none");
        let named: Vec<&ast::Name> = names.iter().filter(|n| n.text != "none").collect();
        if let [only] = named.as_slice()
            && only.text == "others"
            && let Some(player) = self.program.known.player
        {
            return Written { others: true, or_none, ..Written::plain(Type::Member(player)) };
        }
        let mut domain: Option<DomainId> = None;
        let mut among: Option<Vec<u32>> = Some(Vec::new());
        let mut unknown = Vec::new();
        for name in &named {
            let Some((found, members)) = self.find_member_type(&name.text) else {
                unknown.push(*name);
                continue;
            };
            match domain {
                Some(first) if first != found => {
                    let (first, found) = (self.type_name(Type::Member(first)), self.type_name(Type::Member(found)));
                    self.sink.push(errors::mixed_kinds(name.span, &first, &found));
                    return Written::plain(Type::Unknown);
                }
                Some(_) | None => domain = Some(found),
            }
            match (&mut among, members) {
                (Some(all), Some(more)) => all.extend(more),
                (among, None) => *among = None,
                (None, Some(_)) => {}
            }
        }
        // Beside a name that was lost, another may have been a new word of what was lost.
        if unknown.iter().any(|name| self.is_lost(&name.text)) {
            self.lost.extend(unknown.iter().map(|name| name.text.clone()));
            return Written::plain(Type::Unknown);
        }
        for name in unknown {
            let goods = domain.filter(|d| Some(*d) == self.program.known.goods && new_words);
            let near = self.near_type_names(&name.text);
            match goods {
                Some(goods) if near.is_empty() => {
                    let member = self.add_goods_word(goods, name);
                    if let Some(all) = &mut among {
                        all.push(member);
                    }
                }
                Some(_) | None => {
                    self.unknown_type(name, &near);
                    return Written::plain(Type::Unknown);
                }
            }
        }
        let Some(domain) = domain else { return Written::plain(Type::Unknown) };
        Written { among, or_none, ..Written::plain(Type::Member(domain)) }
    }

    /// A word that a field adds to the goods (`coin or general`).
    fn add_goods_word(&mut self, goods: DomainId, name: &ast::Name) -> u32 {
        if let Some(member) = self.member_named(goods, &name.text) {
            return member;
        }
        let Some(domain) = self.program.domains.get_mut(goods.index()) else { return 0 };
        let member = domain.members.len() as u32;
        domain.members.push(Member { name: name.text.clone(), span: name.span });
        self.enter(&name.text, name.span, Entry::Member(goods, member));
        member
    }

    /// The domain of words written `calm | wild`; the same words in the same order are the same domain.
    pub(super) fn words_domain(&mut self, words: &[ast::Name]) -> DomainId {
        let name = words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" | ");
        let known = self.program.domains.iter().position(|d| d.kind == DomainKind::Words && d.name == name);
        if let Some(known) = known {
            return DomainId(known as u32);
        }
        for (i, word) in words.iter().enumerate() {
            if let Some(first) = words.iter().take(i).find(|w| w.text == word.text) {
                self.sink.push(errors::listed_twice(word.span, &word.text, first.span));
            }
        }
        let members = words.iter().map(|w| Member { name: w.text.clone(), span: w.span }).collect();
        let span = words.first().map_or(Span::default(), |w| w.span);
        let domain = self.add_domain(Domain { name, kind: DomainKind::Words, members, span });
        for (i, word) in words.iter().enumerate() {
            self.enter_word(&word.text, domain, i as u32);
        }
        domain
    }

    pub(super) fn add_domain(&mut self, domain: Domain) -> DomainId {
        self.program.domains.push(domain);
        DomainId(self.program.domains.len() as u32 - 1)
    }

    /// What a name stands for as a kind of thing: a domain and, of a group, its members. A fault if it is none.
    pub(super) fn member_type(&mut self, name: &ast::Name) -> Option<(DomainId, Option<Vec<u32>>)> {
        let found = self.find_member_type(&name.text);
        if found.is_none() {
            let near = self.near_type_names(&name.text);
            self.unknown_type(name, &near);
        }
        found
    }

    /// What lies in bags and sets of this name: of tokens their faces.
    fn held_type(&mut self, name: &ast::Name) -> Option<(DomainId, Option<Vec<u32>>)> {
        match self.faces_named(&name.text) {
            Some(faces) => {
                self.names.get(&name.text);
                Some((faces, None))
            }
            None => self.member_type(name),
        }
    }

    fn unknown_type(&mut self, name: &ast::Name, near: &[String]) {
        if self.incomplete || self.is_lost(&name.text) {
            return;
        }
        let near: Vec<&str> = near.iter().map(String::as_str).collect();
        let fault = match self.names.peek(&name.text) {
            Some(entry) => errors::not_a_kind(name.span, &name.text, entry.word()),
            None => errors::unknown_kind(name.span, &name.text, &near),
        };
        self.unknown(&name.text, fault);
    }

    fn near_type_names(&self, word: &str) -> Vec<String> {
        let mut known: Vec<&str> = vec!["player", "others", "terrain"];
        known.extend(self.names.all().filter_map(|(name, entry)| match entry {
            Entry::Group(_) | Entry::Places(_) | Entry::Deck(_) => Some(name),
            Entry::Option(_)
            | Entry::Field(_)
            | Entry::Piece(_)
            | Entry::Pieces(_)
            | Entry::Member(..)
            | Entry::Function(_)
            | Entry::Procedure(_)
            | Entry::Award(_)
            | Entry::Script(_)
            | Entry::Mark(_)
            | Entry::Fog(_) => None,
        }));
        near_names(word, known).into_iter().map(str::to_owned).collect()
    }

    fn find_member_type(&mut self, name: &str) -> Option<(DomainId, Option<Vec<u32>>)> {
        let known = self.program.known;
        match name {
            "player" => return known.player.map(|d| (d, None)),
            "phase" => return known.phase.map(|d| (d, None)),
            "terrain" if known.terrain.is_some() => return known.terrain.map(|d| (d, None)),
            _ => {}
        }
        match self.names.get(name)? {
            Entry::Places(domain) => Some((domain, None)),
            Entry::Deck(deck) => self.program.decks.get(deck.index()).map(|d| (d.domain, None)),
            Entry::Group(group) => self.group_members(group),
            Entry::Member(domain, member) => Some((domain, Some(vec![member]))),
            Entry::Piece(piece) => self.program.tokens_of(piece).map(|tokens| (tokens.slots, None)),
            Entry::Option(_)
            | Entry::Field(_)
            | Entry::Pieces(_)
            | Entry::Function(_)
            | Entry::Procedure(_)
            | Entry::Award(_)
            | Entry::Script(_)
            | Entry::Mark(_)
            | Entry::Fog(_) => None,
        }
    }

    /// Whether members of the domain can lie in bags.
    pub(super) fn can_be_counted(&self, domain: DomainId) -> bool {
        match self.program.domains.get(domain.index()).map(|d| d.kind) {
            Some(DomainKind::Goods { .. } | DomainKind::Cards(_)) => true,
            Some(
                DomainKind::Player
                | DomainKind::Terrain
                | DomainKind::Phase
                | DomainKind::Words
                | DomainKind::Places
                | DomainKind::Slots { .. },
            )
            | None => false,
        }
    }

    /// The members of a domain that can lie in bags, if not all can.
    pub(super) fn countable(&self, domain: DomainId) -> Option<Vec<u32>> {
        match self.program.domains.get(domain.index()).map(|d| d.kind) {
            Some(DomainKind::Goods { goods }) => Some((0..goods).collect()),
            Some(
                DomainKind::Cards(_)
                | DomainKind::Player
                | DomainKind::Terrain
                | DomainKind::Phase
                | DomainKind::Words
                | DomainKind::Places
                | DomainKind::Slots { .. },
            )
            | None => None,
        }
    }

    /// A number that is known when the scenario is loaded.
    pub(super) fn constant(&mut self, expr: &ast::Expr) -> Option<i64> {
        let value = constant(expr);
        if value.is_none() && !matches!(expr.kind, ast::ExprKind::Bad) {
            self.sink.push(errors::not_constant(expr.span));
        }
        value
    }
}

/// The value of an expression of numbers alone.
pub fn constant(expr: &ast::Expr) -> Option<i64> {
    match &expr.kind {
        ast::ExprKind::Int(value) => Some(*value),
        ast::ExprKind::Negate(inner) => constant(inner)?.checked_neg(),
        _ => None,
    }
}

/// The type of a field of this written type; a number that may be none has one value more, below the others.
pub fn field_type(written: &Written) -> Option<(FieldType, Option<i64>)> {
    Some(match written.ty? {
        Type::Truth => (FieldType::Truth, None),
        Type::Number => {
            let (low, high) = written.range?;
            let none = written.or_none.then(|| low.saturating_sub(1));
            (FieldType::Number { low: none.unwrap_or(low), high }, none)
        }
        Type::Member(domain) => {
            (FieldType::Member { domain, among: written.among.clone(), or_none: written.or_none }, None)
        }
        Type::Set(domain) => (FieldType::Set(domain), None),
        Type::Bag(domain) => (FieldType::Bag { domain, among: written.among.clone() }, None),
        Type::Nothing | Type::Unknown => return None,
    })
}
