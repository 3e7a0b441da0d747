//! Declarations: from the outline to domains, groups, fields, pieces, decks and options, in the order in which
//! they need each other. Bodies come later.

use std::rc::Rc;

use super::names::Entry;
use super::outline::{Kind, Thing};
use super::paths::unknown;
use super::rules::{FunctionInfo, Param, ProcedureInfo, State};
use super::tables::Faces;
use super::types::field_type;
use super::{Checker, Cost, PieceGroup, errors};
use crate::program::{
    Deck, DeckId, DeckVariant, Domain, DomainId, DomainKind, Field, FieldId, FieldRole, FieldType, Function,
    FunctionId, Group, LocalType, Member, OptionDecl, OptionId, OptionValues, Piece, PieceCount, PieceId, Procedure,
    ProcedureId, Script, ScriptId, Type, Unit,
};
use crate::source::Span;
use crate::syntax::ast::{self, ItemKind, OptionValue, Yields};

/// The most members that a domain may have.
pub(super) const MOST_MEMBERS: usize = 1000;

impl<'a> Checker<'a> {
    pub(super) fn declare(&mut self) {
        let outline = Rc::clone(&self.outline);
        self.seats(&outline);
        self.board_kinds(&outline);
        self.declare_goods(&outline);
        self.note_lost(&outline, Kind::Goods);
        self.terrain(&outline);
        self.note_lost(&outline, Kind::Terrain);
        self.declare_words(&outline);
        self.note_lost(&outline, Kind::Words);
        self.options(&outline);
        self.note_lost(&outline, Kind::Option);
        self.decks(&outline);
        self.note_lost(&outline, Kind::Deck);
        self.declare_fogs();
        self.pieces(&outline);
        self.note_lost(&outline, Kind::Piece);
        self.declare_tokens();
        self.note_lost(&outline, Kind::Tokens);
        self.phase_names();
        self.groups(&outline);
        self.note_lost(&outline, Kind::Group);
        self.declare_cases(&outline);
        self.note_lost(&outline, Kind::Cases);
        self.column_types();
        self.fields(&outline);
        self.note_lost(&outline, Kind::Field);
        self.declare_tracks(&outline);
        self.note_lost(&outline, Kind::Track);
        self.declare_chronicle(&outline);
        self.close_goods(&outline);
        self.declare_yields(&outline);
        self.bag_limits(&outline);
        self.declare_awards();
        self.declare_functions(&outline);
        self.declare_procedures(&outline);
        self.declare_scripts(&outline);
        self.declare_actions();
        for (_, thing) in outline.of(Kind::Cost) {
            self.costs.insert(thing.name.clone(), Cost::Unchecked);
        }
        self.cells();
        self.board_guards();
        self.board_values();
        self.structure(&outline);
    }

    /// Notes the names of things that had a fault and so mean nothing: that was said already.
    fn note_lost(&mut self, outline: &super::Outline<'a>, kind: Kind) {
        for (_, thing) in outline.of(kind) {
            if self.names.peek(&thing.name).is_none() {
                self.lost.insert(thing.name.clone());
            }
        }
    }

    fn seats(&mut self, outline: &super::Outline<'a>) {
        let thing = outline.only(Kind::Seats);
        let names = thing.and_then(Thing::last).map_or(&[][..], |v| match &v.item.kind {
            ItemKind::Seats(names) => names.as_slice(),
            _ => &[],
        });
        let members = names.iter().map(|n| Member { name: n.text.clone(), span: n.span }).collect();
        let span = thing.map_or(Span::default(), |t| t.span);
        let domain = self.add_domain(Domain { name: "player".into(), kind: DomainKind::Player, members, span });
        self.program.known.player = Some(domain);
        for (i, name) in names.iter().enumerate() {
            self.enter(&name.text, name.span, Entry::Member(domain, i as u32));
        }
        self.program.players = self.input.players.clone();
    }

    fn declare_goods(&mut self, outline: &super::Outline<'a>) {
        if outline.of(Kind::Goods).next().is_none() {
            return;
        }
        let span = outline.of(Kind::Goods).next().map_or(Span::default(), |(_, t)| t.span);
        let goods = DomainKind::Goods { goods: 0 };
        let domain = self.add_domain(Domain { name: "goods".into(), kind: goods, members: Vec::new(), span });
        self.program.known.goods = Some(domain);
        for (_, thing) in outline.of(Kind::Goods) {
            self.goods_thing(thing, domain);
        }
        self.test_unseen_homes(outline);
        if let Some(domain) = self.program.domains.get_mut(domain.index()) {
            domain.kind = DomainKind::Goods { goods: domain.members.len() as u32 };
        }
    }

    /// The goods of one declaration with what was added, and the field where they are at home.
    fn goods_thing(&mut self, thing: &Thing<'a>, domain: DomainId) {
        let mut members: Vec<u32> = Vec::new();
        let (mut each, mut home) = (None, None);
        let (mut unseen, mut returned_to, mut reshuffled) = (false, None, false);
        for version in &thing.versions {
            let ItemKind::Goods(goods) = &version.item.kind else { continue };
            unseen |= goods.unseen;
            returned_to = goods.returned_to.as_ref().or(returned_to);
            reshuffled |= goods.reshuffled;
            each = goods.each.or(each);
            home = goods.home.as_ref().or(home);
            for (name, count) in &goods.members {
                let known = self.member_named(domain, &name.text).filter(|m| members.contains(m));
                let member = match known {
                    Some(member) if version.item.mode == ast::Mode::Change => member,
                    Some(member) => {
                        let first = self.member_span(domain, member);
                        self.sink.push(errors::listed_twice(name.span, &name.text, first));
                        continue;
                    }
                    None => {
                        let member = self.add_member(domain, name);
                        members.push(member);
                        self.program.supplies.push(0);
                        member
                    }
                };
                if let Some(supply) = self.program.supplies.get_mut(member as usize) {
                    *supply = count.unwrap_or(-1);
                }
            }
        }
        let mut said = false;
        for member in &members {
            if let Some(supply) = self.program.supplies.get_mut(*member as usize)
                && *supply < 0
            {
                *supply = each.unwrap_or(0);
                if each.is_none() && home.is_some() && !said {
                    said = true;
                    let at = self.member_span(domain, *member);
                    self.sink.push(errors::how_many(at, &thing.name));
                }
            }
        }
        let home = home.map(|home| self.home(home, domain, &members));
        for member in &members {
            let homes = &mut self.program.homes;
            homes.resize((*member as usize + 1).max(homes.len()), None);
            if let Some(slot) = homes.get_mut(*member as usize) {
                *slot = home;
            }
        }
        if unseen || returned_to.is_some() || reshuffled {
            self.drawn_unseen(thing, home.filter(|_| unseen), returned_to, reshuffled);
        }
        self.enter_group(&thing.name, thing.span, domain, members);
    }

    /// Goods that are drawn unseen are a deck whose cards lie where the goods are at home, and whose discards are what was
    /// returned.
    fn drawn_unseen(
        &mut self,
        thing: &Thing<'a>,
        home: Option<FieldId>,
        returned_to: Option<&ast::Name>,
        reshuffled: bool,
    ) {
        let Some(domain) = self.program.known.goods else { return };
        let Some(cards) = home else {
            self.sink.push(errors::unseen_without_home(thing.span, &thing.name));
            return;
        };
        if reshuffled && returned_to.is_none() {
            self.sink.push(errors::reshuffled_from_what(thing.span, &thing.name));
        }
        let id = DeckId(self.program.decks.len() as u32);
        let discards = match returned_to {
            Some(pile) => {
                let ty = FieldType::Bag { domain, among: None };
                self.add_field(&pile.text, pile.span, Vec::new(), ty, FieldRole::Discards(id))
            }
            None => cards,
        };
        let (name, counts, variants) = (thing.name.clone(), Vec::new(), Vec::new());
        self.program.decks.push(Deck { name, domain, counts, variants, cards, discards, reshuffled });
    }

    /// Where goods are drawn from unseen, nothing else lies.
    fn test_unseen_homes(&mut self, outline: &super::Outline<'a>) {
        for (_, thing) in outline.of(Kind::Goods) {
            let Some(deck) = self.program.decks.iter().find(|d| d.name == thing.name) else { continue };
            let own = self.program.groups.iter().find(|g| g.name == thing.name).map_or(0, |g| g.members.len());
            let there = self.program.homes.iter().filter(|home| **home == Some(deck.cards)).count();
            if there > own {
                let home = self.program.fields.get(deck.cards.index()).map_or("", |f| f.name.as_str()).to_owned();
                self.sink.push(errors::unseen_among_others(thing.span, &thing.name, &home));
            }
        }
    }

    /// The field of a home of goods; several goods may share one.
    fn home(&mut self, name: &ast::Name, domain: DomainId, members: &[u32]) -> FieldId {
        let known = self.program.fields.iter_mut().enumerate();
        for (i, field) in known {
            if field.role == FieldRole::Home && field.name == name.text {
                if let FieldType::Bag { among: Some(among), .. } = &mut field.ty {
                    among.extend(members);
                }
                return FieldId(i as u32);
            }
        }
        let ty = FieldType::Bag { domain, among: Some(members.to_vec()) };
        self.add_field(&name.text, name.span, Vec::new(), ty, FieldRole::Home)
    }

    pub(super) fn add_field(
        &mut self,
        name: &str,
        span: Span,
        keys: Vec<DomainId>,
        ty: FieldType,
        role: FieldRole,
    ) -> FieldId {
        let id = FieldId(self.program.fields.len() as u32);
        let field = Field {
            name: name.to_owned(),
            keys,
            ty,
            hidden: false,
            each_turn: false,
            clamped: false,
            none: None,
            at_most: Vec::new(),
            initial: None,
            role,
            pieces: Vec::new(),
            span,
        };
        self.program.fields.push(field);
        match role {
            // The name of a deck is that of its cards.
            FieldRole::Deck(_) => {}
            // That of the chronicle is found behind its word alone.
            FieldRole::Chronicle => {}
            FieldRole::Declared
            | FieldRole::Home
            | FieldRole::Discards(_)
            | FieldRole::Terrain
            | FieldRole::OfPiece(_) => {
                self.enter(name, span, Entry::Field(id));
            }
        }
        id
    }

    pub(super) fn add_member(&mut self, domain: DomainId, name: &ast::Name) -> u32 {
        let Some(found) = self.program.domains.get_mut(domain.index()) else { return 0 };
        let member = found.members.len() as u32;
        if found.members.len() == MOST_MEMBERS {
            self.sink.push(errors::too_many_members(name.span, MOST_MEMBERS));
        }
        // Beyond the bound nothing is kept but the name, so that it is not unknown as well.
        if found.members.len() <= MOST_MEMBERS {
            found.members.push(Member { name: name.text.clone(), span: name.span });
        }
        if super::fog::number_of_card(&name.text).is_none() {
            self.enter(&name.text, name.span, Entry::Member(domain, member));
        }
        member
    }

    pub(super) fn member_span(&self, domain: DomainId, member: u32) -> Span {
        let members = self.program.domains.get(domain.index()).map_or(&[][..], |d| d.members.as_slice());
        members.get(member as usize).map_or(Span::default(), |m| m.span)
    }

    pub(super) fn enter_group(&mut self, name: &str, span: Span, domain: DomainId, members: Vec<u32>) {
        let group = self.program.groups.len();
        self.enter(name, span, Entry::Group(group));
        self.program.groups.push(Group { name: name.to_owned(), domain, members });
    }

    fn terrain(&mut self, outline: &super::Outline<'a>) {
        let things: Vec<&Thing> = outline.of(Kind::Terrain).map(|(_, t)| t).collect();
        let Some(first) = things.first() else { return };
        let domain =
            Domain { name: "terrain".into(), kind: DomainKind::Terrain, members: Vec::new(), span: first.span };
        let domain = self.add_domain(domain);
        self.program.known.terrain = Some(domain);
        for thing in &things {
            self.add_member(domain, &ast::Name { text: thing.name.clone(), span: thing.span });
        }
        for (place, complete) in self.kinds_with("terrain") {
            let ty = FieldType::Member { domain, among: None, or_none: !complete };
            let id = FieldId(self.program.fields.len() as u32);
            if self.terrain_fields.is_empty() {
                self.add_field("terrain", first.span, vec![place], ty, FieldRole::Terrain);
            } else {
                let field = Field {
                    name: "terrain".into(),
                    keys: vec![place],
                    ty,
                    hidden: false,
                    each_turn: false,
                    clamped: false,
                    none: None,
                    at_most: Vec::new(),
                    initial: None,
                    role: FieldRole::Terrain,
                    pieces: Vec::new(),
                    span: first.span,
                };
                self.program.fields.push(field);
            }
            self.terrain_fields.push((place, id));
        }
    }

    fn options(&mut self, outline: &super::Outline<'a>) {
        for (_, thing) in outline.of(Kind::Option) {
            let mut values: Vec<&OptionValue> = Vec::new();
            let mut about = String::new();
            for version in &thing.versions {
                let ItemKind::Option { values: more, about: text, .. } = &version.item.kind else { continue };
                if let Some(text) = text {
                    about.clone_from(&text.text);
                }
                let word = |v: &OptionValue| match v {
                    OptionValue::Word(word) => Some(word.text.clone()),
                    OptionValue::Range(..) => None,
                };
                let is_known = |v: &&OptionValue| values.iter().any(|known| word(known) == word(v));
                // A change that lists only known values puts them first, others are added at the end.
                if version.item.mode == ast::Mode::Change && more.iter().all(|v| is_known(&v)) {
                    let rest: Vec<&OptionValue> =
                        values.iter().copied().filter(|k| !more.iter().any(|v| word(v) == word(k))).collect();
                    values = more.iter().chain(rest).collect();
                } else {
                    let new: Vec<&OptionValue> = more.iter().filter(|v| !is_known(v)).collect();
                    values.extend(new);
                }
            }
            let Some(values) = self.option_values(&values) else {
                self.lost.insert(thing.name.clone());
                continue;
            };
            let id = OptionId(self.program.options.len() as u32);
            self.enter(&thing.name, thing.span, Entry::Option(id));
            let (name, fixed) = (thing.name.clone(), thing.fixed);
            self.program.options.push(OptionDecl { name, about, values, fixed, span: thing.span });
        }
    }

    fn option_values(&mut self, values: &[&OptionValue]) -> Option<OptionValues> {
        let mut words: Vec<ast::Name> = Vec::new();
        for value in values {
            match value {
                OptionValue::Word(word) => words.push(word.clone()),
                OptionValue::Range(low, high, span) => {
                    if values.len() > 1 {
                        self.sink.push(errors::option_mixes(*span));
                        return None;
                    }
                    if low > high {
                        self.sink.push(errors::range_backwards(*span, *low, *high));
                        return None;
                    }
                    return Some(OptionValues::Range { low: *low, high: *high });
                }
            }
        }
        let texts: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
        match texts.as_slice() {
            [] => None,
            ["yes", "no"] => Some(OptionValues::Truth { default: true }),
            ["no", "yes"] => Some(OptionValues::Truth { default: false }),
            _ => Some(OptionValues::Words(self.words_domain(&words))),
        }
    }

    fn decks(&mut self, outline: &super::Outline<'a>) {
        for (_, thing) in outline.of(Kind::Deck) {
            let id = DeckId(self.program.decks.len() as u32);
            let kind = DomainKind::Cards(id);
            let domain =
                self.add_domain(Domain { name: thing.name.clone(), kind, members: Vec::new(), span: thing.span });
            self.enter(&thing.name, thing.span, Entry::Deck(id));
            let mut variants: Vec<DeckVariant> = Vec::new();
            let (mut played_to, mut reshuffled) = (None, false);
            let mut faces = Vec::new();
            for version in &thing.versions {
                let ItemKind::Deck(deck) = &version.item.kind else { continue };
                played_to = deck.played_to.as_ref().or(played_to);
                reshuffled |= deck.reshuffled;
                faces.push(Faces {
                    change: version.item.mode == ast::Mode::Change,
                    layer: version.layer,
                    listed: &deck.cards,
                    columns: &deck.columns,
                    file: deck.file.as_ref(),
                    row: "card",
                });
            }
            let counts = self.faces(domain, &faces);
            for version in &thing.versions {
                let ItemKind::Deck(deck) = &version.item.kind else { continue };
                for (players, cards) in &deck.variants {
                    variants.push(self.deck_variant(domain, players, cards));
                }
            }
            let bag = || FieldType::Bag { domain, among: None };
            let cards = self.add_field(&thing.name, thing.span, Vec::new(), bag(), FieldRole::Deck(id));
            let (pile, span) = match played_to {
                Some(name) => (name.text.clone(), name.span),
                None => (format!("{}_discards", thing.name), thing.span),
            };
            let discards = self.add_field(&pile, span, Vec::new(), bag(), FieldRole::Discards(id));
            let deck = Deck { name: thing.name.clone(), domain, counts, variants, cards, discards, reshuffled };
            self.program.decks.push(deck);
        }
    }

    fn deck_variant(&mut self, domain: DomainId, players: &ast::Players, cards: &[(ast::Name, i64)]) -> DeckVariant {
        let mut counts = Vec::new();
        for (name, count) in cards {
            match self.member_named(domain, &name.text) {
                Some(member) => counts.push((member, *count)),
                None => self.unknown_name(name, Type::Member(domain)),
            }
        }
        let bound = |n: i64| usize::try_from(n).unwrap_or(0);
        DeckVariant { low: bound(players.low), high: bound(players.high), counts }
    }

    fn pieces(&mut self, outline: &super::Outline<'a>) {
        for (_, thing) in outline.of(Kind::Piece) {
            let (mut on, mut counts, mut at_most, mut of_owner) = (None, &[][..], None, None);
            for version in &thing.versions {
                let ItemKind::Piece(piece) = &version.item.kind else { continue };
                on = piece.on.as_ref().or(on);
                if !piece.counts.is_empty() {
                    counts = piece.counts.as_slice();
                }
                at_most = piece.at_most.or(at_most);
                of_owner = piece.at_most_of_owner.or(of_owner);
            }
            let Some(on) = on else {
                self.sink.push(errors::piece_stands_where(thing.span, &thing.name));
                self.lost.insert(thing.name.clone());
                continue;
            };
            let Some(domain) = self.place_kind(on) else {
                self.lost.insert(thing.name.clone());
                continue;
            };
            let owned = counts.iter().any(|c| c.each);
            if let Some(other) = counts.iter().find(|c| c.each != owned) {
                self.sink.push(errors::owned_or_not(other.span, &thing.name));
            }
            if counts.is_empty() {
                self.sink.push(errors::how_many(thing.span, &thing.name));
            }
            let most = self.input.players.iter().copied().max().unwrap_or(0);
            let counts = counts
                .iter()
                .map(|c| PieceCount {
                    low: c.players.map_or(0, |p| usize::try_from(p.low).unwrap_or(0)),
                    high: c.players.map_or(most, |p| usize::try_from(p.high).unwrap_or(most)),
                    count: c.count,
                })
                .collect();
            let at_most = at_most.unwrap_or(1);
            let of_owner = of_owner.unwrap_or(at_most).min(at_most);
            // Several of one owner on a place are told apart by the slots that they stand in.
            let on = match u32::try_from(at_most) {
                Ok(count) if of_owner > 1 => self.add_domain(Domain {
                    name: thing.name.clone(),
                    kind: DomainKind::Slots { of: domain, count },
                    members: Vec::new(),
                    span: thing.span,
                }),
                Ok(_) | Err(_) => domain,
            };
            let id = PieceId(self.program.pieces.len() as u32);
            self.enter(&thing.name, thing.span, Entry::Piece(id));
            self.program.pieces.push(Piece {
                name: thing.name.clone(),
                on,
                place: domain,
                owned,
                neutral: false,
                counts,
                at_most,
                at_most_of_owner: of_owner,
                span: thing.span,
            });
        }
    }

    /// The kind of place that a name stands for.
    pub(super) fn place_kind(&mut self, name: &ast::Name) -> Option<DomainId> {
        let (domain, _) = self.member_type(name)?;
        match self.program.domains.get(domain.index()).map(|d| d.kind) {
            Some(DomainKind::Places) => Some(domain),
            Some(_) | None => {
                let what = self.type_name(Type::Member(domain));
                self.sink.push(errors::no_place(name.span, &what));
                None
            }
        }
    }

    fn phase_names(&mut self) {
        let phases = self.phases();
        let members: Vec<Member> = phases.iter().map(|(n, _)| Member { name: n.text.clone(), span: n.span }).collect();
        let span = members.first().map_or(Span::default(), |m| m.span);
        let domain = self.add_domain(Domain { name: "phase".into(), kind: DomainKind::Phase, members, span });
        self.program.known.phase = Some(domain);
        for (i, (name, _)) in phases.iter().enumerate() {
            self.enter_word(&name.text, domain, i as u32);
        }
    }

    fn groups(&mut self, outline: &super::Outline<'a>) {
        for (_, thing) in outline.of(Kind::Group) {
            let names: Vec<&ast::Name> = thing
                .versions
                .iter()
                .flat_map(|v| match &v.item.kind {
                    ItemKind::Group { members, .. } => members.as_slice(),
                    _ => &[],
                })
                .collect();
            self.group_of(thing, &names);
        }
    }

    fn group_of(&mut self, thing: &Thing<'a>, names: &[&ast::Name]) {
        let mut pieces: Vec<(PieceId, Span)> = Vec::new();
        let mut members: Vec<(DomainId, u32, Span)> = Vec::new();
        for name in names {
            match self.names.get(&name.text) {
                Some(Entry::Piece(piece)) => pieces.push((piece, name.span)),
                Some(Entry::Pieces(group)) => {
                    let all = self.piece_groups.get(group).map(|g| g.pieces.clone()).unwrap_or_default();
                    pieces.extend(all.into_iter().map(|p| (p, name.span)));
                }
                Some(Entry::Member(domain, member)) => members.push((domain, member, name.span)),
                Some(Entry::Group(group)) => {
                    if let Some(group) = self.program.groups.get(group) {
                        members.extend(group.members.iter().map(|m| (group.domain, *m, name.span)));
                    }
                }
                Some(
                    entry @ (Entry::Option(_)
                    | Entry::Field(_)
                    | Entry::Places(_)
                    | Entry::Deck(_)
                    | Entry::Function(_)
                    | Entry::Procedure(_)
                    | Entry::Award(_)
                    | Entry::Script(_)
                    | Entry::Mark(_)
                    | Entry::Fog(_)),
                ) => self.sink.push(errors::cannot_be_grouped(name.span, &name.text, entry.word())),
                None => match *self.names.words(&name.text) {
                    [(domain, member)] => members.push((domain, member, name.span)),
                    [..] => self.unknown_name(name, Type::Unknown),
                },
            }
        }
        if let (Some((piece, _)), None) = (pieces.first(), members.first()) {
            let on = self.program.pieces.get(piece.index()).map_or(DomainId(0), |p| p.place);
            for (other, span) in &pieces {
                let other_on = self.program.pieces.get(other.index()).map_or(on, |p| p.place);
                if other_on != on {
                    let (a, b) = (self.type_name(Type::Member(other_on)), self.type_name(Type::Member(on)));
                    self.sink.push(errors::mixed_kinds(*span, &b, &a));
                }
            }
            let mut pieces: Vec<PieceId> = pieces.into_iter().map(|(p, _)| p).collect();
            pieces.retain(|p| self.program.pieces.get(p.index()).is_some_and(|p| p.place == on));
            pieces.dedup();
            let group = self.piece_groups.len();
            self.enter(&thing.name, thing.span, Entry::Pieces(group));
            self.piece_groups.push(PieceGroup { pieces });
            return;
        }
        let Some((domain, _, _)) = members.first().copied() else {
            self.lost.insert(thing.name.clone());
            return;
        };
        if let Some((_, span)) = pieces.first() {
            let what = self.type_name(Type::Member(domain));
            self.sink.push(errors::mixed_kinds(*span, &what, "a piece"));
        }
        let mut all = Vec::new();
        for (other, member, span) in members {
            if other != domain {
                let (a, b) = (self.type_name(Type::Member(domain)), self.type_name(Type::Member(other)));
                self.sink.push(errors::mixed_kinds(span, &a, &b));
            } else if !all.contains(&member) {
                all.push(member);
            }
        }
        self.enter_group(&thing.name, thing.span, domain, all);
    }

    fn fields(&mut self, outline: &super::Outline<'a>) {
        for (_, thing) in outline.of(Kind::Field) {
            let Some(version) = thing.last() else { continue };
            let (ItemKind::State(state), Some(field)) = (&version.item.kind, version.field) else { continue };
            let mut keys = Vec::new();
            let mut pieces: Vec<PieceId> = Vec::new();
            let mut fault = false;
            for key in &state.keys {
                let named = match self.names.peek(&key.text) {
                    Some(Entry::Piece(piece)) => vec![piece],
                    Some(Entry::Pieces(group)) => {
                        self.piece_groups.get(group).map(|g| g.pieces.clone()).unwrap_or_default()
                    }
                    Some(_) | None => Vec::new(),
                };
                if !named.is_empty() {
                    self.names.get(&key.text);
                    fault |= !self.can_have_state(key, &named, !pieces.is_empty());
                    pieces = named;
                    continue;
                }
                if matches!(self.names.peek(&key.text), Some(Entry::Member(..))) {
                    self.sink.push(errors::not_a_kind(key.span, &key.text, "a single thing"));
                    fault = true;
                    continue;
                }
                match self.member_type(key) {
                    Some((domain, _)) => keys.push(domain),
                    None => fault = true,
                }
            }
            let role = match pieces.first() {
                Some(first) => {
                    keys.extend(self.piece_keys(*first));
                    FieldRole::OfPiece(*first)
                }
                None => FieldRole::Declared,
            };
            let written = self.written_type(&field.ty, true);
            let found = field_type(&written);
            if fault || found.is_none() {
                self.lost.insert(field.name.text.clone());
                continue;
            }
            let Some((ty, none)) = found else { continue };
            let id = self.add_field(&field.name.text, field.name.span, keys, ty, role);
            if field.hidden
                && self.program.fields.last().is_some_and(|f| f.keys.first().copied() != self.program.known.player)
            {
                self.sink.push(errors::hidden_from_whom(field.name.span, &field.name.text));
            }
            if let Some(declared) = self.program.fields.get_mut(id.index()) {
                declared.hidden = field.hidden;
                declared.clamped = field.clamped;
                declared.each_turn = state.this_turn;
                declared.none = none;
                declared.pieces = pieces;
            }
            if let Some(initial) = &field.initial {
                self.initials.push((id, initial, written.ty()));
            }
        }
    }

    /// Now that fields have added their words to the goods, all lists get their length.
    fn close_goods(&mut self, _outline: &super::Outline<'a>) {
        let Some(goods) = self.program.known.goods else { return };
        let count = self.program.domains.get(goods.index()).map_or(0, |d| d.members.len());
        self.program.homes.resize(count, None);
        self.program.supplies.resize(count, 0);
    }

    fn declare_yields(&mut self, outline: &super::Outline<'a>) {
        for (_, thing) in outline.of(Kind::Terrain) {
            let last = thing.versions.iter().rev().find_map(|v| match &v.item.kind {
                ItemKind::Terrain { yields, .. } => yields.as_ref(),
                _ => None,
            });
            let mut goods = Vec::new();
            match last {
                None => {}
                Some(Yields::Of(names)) => {
                    for name in names {
                        self.yielded(name, &mut goods);
                    }
                }
                Some(Yields::Any(name)) => self.yielded(name, &mut goods),
            }
            goods.dedup();
            self.program.yields.push(goods);
        }
    }

    fn yielded(&mut self, name: &ast::Name, goods: &mut Vec<u32>) {
        match self.names.get(&name.text) {
            Some(Entry::Member(domain, member)) if Some(domain) == self.program.known.goods => goods.push(member),
            Some(Entry::Group(group)) => match self.program.groups.get(group) {
                Some(group) if Some(group.domain) == self.program.known.goods => goods.extend(&group.members),
                _ => self.sink.push(errors::not_goods(name.span, &name.text)),
            },
            Some(_) => self.sink.push(errors::not_goods(name.span, &name.text)),
            None if self.is_lost(&name.text) => {}
            None => {
                let goods = self.program.known.goods.map_or(Type::Unknown, Type::Member);
                self.unknown_name(name, goods);
            }
        }
    }

    fn declare_functions(&mut self, outline: &super::Outline<'a>) {
        let things = outline.things.iter().enumerate();
        for (index, thing) in things {
            let params = match (thing.kind, thing.versions.iter().find_map(|v| params_of(&v.item.kind))) {
                (Kind::Function, Some(params)) => self.params(params),
                (Kind::Function, None) => Vec::new(),
                (Kind::Points | Kind::HiddenPoints, _) => {
                    let Some(ItemKind::Points { player, .. }) = thing.first().map(|v| &v.item.kind) else { continue };
                    let ty = LocalType::Value(self.player_type());
                    vec![Param { name: player.clone(), ty: Some(ty), among: None }]
                }
                _ => continue,
            };
            let mut ids = Vec::new();
            for (i, version) in thing.versions.iter().enumerate() {
                ids.push(FunctionId(self.program.functions.len() as u32));
                let last = i + 1 == thing.versions.len();
                let name = match thing.kind {
                    Kind::Points => "points",
                    Kind::HiddenPoints => "hidden points",
                    _ => thing.name.as_str(),
                };
                let name = if last { name.to_owned() } else { format!("{name} (usual)") };
                self.program.functions.push(Function {
                    name,
                    params: Vec::new(),
                    locals: Vec::new(),
                    body: unknown(version.item.span),
                    span: thing.span,
                });
            }
            let number = self.functions.len();
            match thing.kind {
                Kind::Points => self.points = Some(number),
                Kind::HiddenPoints => self.hidden_points = Some(number),
                _ => self.enter(&thing.name, thing.span, Entry::Function(number)),
            }
            self.functions.push(FunctionInfo {
                thing: index,
                ids,
                params,
                result: Type::Unknown,
                state: State::Unchecked,
                uses_me: false,
            });
        }
    }

    fn declare_procedures(&mut self, outline: &super::Outline<'a>) {
        for (index, thing) in outline.of(Kind::Procedure) {
            let params = thing.versions.iter().find_map(|v| params_of(&v.item.kind)).unwrap_or_default();
            let params = self.params(params);
            let result = thing.versions.iter().find_map(|v| match &v.item.kind {
                ItemKind::Procedure { result, .. } => result.as_ref(),
                _ => None,
            });
            let result = result.map_or(Type::Nothing, |ty| self.written_type(ty, false).ty());
            let count = thing.forms().len() + usize::from(thing.is_surrounded());
            let mut ids = Vec::new();
            for i in 0..count {
                ids.push(ProcedureId(self.program.procedures.len() as u32));
                let name = if i + 1 == count { thing.name.clone() } else { format!("{} (usual)", thing.name) };
                self.program.procedures.push(Procedure { name, unit: Unit::default(), result, span: thing.span });
            }
            self.enter(&thing.name, thing.span, Entry::Procedure(self.procedures.len()));
            self.procedures.push(ProcedureInfo {
                thing: index,
                ids,
                params,
                result,
                state: State::Unchecked,
                uses_me: false,
            });
        }
    }

    fn declare_scripts(&mut self, outline: &super::Outline<'a>) {
        for (_, thing) in outline.of(Kind::Script) {
            let Some(version) = thing.last() else { continue };
            let ItemKind::Script { file, .. } = &version.item.kind else { continue };
            let scripts = self.input.layers.get(version.layer).map_or(&[][..], |l| l.scripts.as_slice());
            let Some((_, id)) = scripts.iter().find(|(name, _)| *name == file.text) else {
                let names: Vec<&str> = scripts.iter().map(|(n, _)| n.as_str()).collect();
                self.sink.push(errors::no_such_file(file.span, &file.text, &names));
                self.lost.insert(thing.name.clone());
                continue;
            };
            let script = ScriptId(self.program.scripts.len() as u32);
            self.enter(&thing.name, thing.span, Entry::Script(script));
            let text = self.sources.file(*id).text.clone();
            self.script_functions.push(crate::script::check_script(*id, &text, self.sink));
            self.program.scripts.push(Script { name: thing.name.clone(), file: *id, text, span: thing.span });
        }
    }

    /// What every game needs.
    fn structure(&mut self, outline: &super::Outline<'a>) {
        let seats = self.program.known.player.and_then(|d| self.program.domains.get(d.index()));
        let (count, span) = seats.map_or((0, Span::default()), |d| (d.members.len(), d.span));
        let most = self.input.players.iter().copied().max().unwrap_or(0);
        if self.gaps || self.input.is_abstract || !self.input.complete {
            return;
        }
        let whole = self.whole_span(outline);
        if count == 0 {
            self.sink.push(errors::no_seats(whole));
        } else if count < most {
            self.sink.push(errors::too_few_seats(span, count, most));
        }
        if outline.only(Kind::Turn).is_none() {
            self.sink.push(errors::no_turn(whole));
        }
        if outline.of(Kind::End).next().is_none() && !ends_itself(outline) {
            self.sink.push(errors::no_end(whole));
        }
    }

    /// Where to point for what is missing from the whole: the first thing of the last layer.
    fn whole_span(&self, outline: &super::Outline<'a>) -> Span {
        let last = self.input.layers.last().and_then(|l| l.files.first()).and_then(|f| f.items.first());
        let first = outline.things.first().map(|t| t.span);
        last.map(|item| Span { end: item.span.start, ..item.span }).or(first).unwrap_or_default()
    }
}

fn params_of(kind: &ItemKind) -> Option<&[ast::Param]> {
    let params = match kind {
        ItemKind::Set { params, .. } | ItemKind::Define { params, .. } | ItemKind::Procedure { params, .. } => params,
        _ => return None,
    };
    (!params.is_empty()).then_some(params.as_slice())
}

/// Does some rule say `end game`?
fn ends_itself(outline: &super::Outline) -> bool {
    let bodies = outline.things.iter().flat_map(|t| {
        let own = t.versions.iter().filter_map(|v| match &v.item.kind {
            ItemKind::Procedure { body, .. } => Some(body),
            ItemKind::Action(action) => Some(&action.body),
            ItemKind::Trigger(trigger) => Some(&trigger.body),
            _ => None,
        });
        own.chain(t.arounds.iter().map(|a| a.body)).collect::<Vec<_>>()
    });
    bodies.into_iter().any(ends_game)
}

fn ends_game(block: &ast::Block) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        ast::StmtKind::EndGame { .. } => true,
        ast::StmtKind::If { then, otherwise, .. } => ends_game(then) || otherwise.as_ref().is_some_and(ends_game),
        ast::StmtKind::For(each) => ends_game(&each.body),
        ast::StmtKind::Repeat { body, .. } | ast::StmtKind::Part { body, .. } => ends_game(body),
        ast::StmtKind::Case { arms, .. } => arms.iter().any(|a| ends_game(&a.body)),
        ast::StmtKind::Ask(ask) => {
            let branch = match &ask.choice {
                ast::Choice::Branches(branches) => branches.iter().any(|b| b.body.as_ref().is_some_and(ends_game)),
                ast::Choice::For { .. } => false,
            };
            branch || ask.otherwise.as_ref().is_some_and(ends_game)
        }
        ast::StmtKind::Perform { otherwise, .. } => otherwise.as_ref().is_some_and(ends_game),
        _ => false,
    })
}
