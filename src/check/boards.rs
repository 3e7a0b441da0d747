//! Boards: their kinds of place become domains, their relations and marks get names, and the values that they
//! give to places are checked against the state that the rules declare.

use super::fog::FogArea;
use super::names::Entry;
use super::outline::{Kind, Outline};
use super::scope::{Home, Scope};
use super::{BoardItem, Checker, MarkName, Relation, errors};
use crate::board::Board;
use crate::diagnostic::near_names;
use crate::program::{
    BoardValue, BoardVariant, Domain, DomainId, DomainKind, Expr, ExprKind, FieldId, FieldType, Type,
};
use crate::source::Span;
use crate::syntax::ast::ItemKind;

impl<'a> Checker<'a> {
    pub(super) fn board_kinds(&mut self, outline: &Outline<'a>) {
        let input = self.input;
        let given = input.layers.iter().any(|l| !l.boards.is_empty());
        if self.gaps && given && outline.of(Kind::Board).next().is_none() {
            self.incomplete = true;
        }
        let most = input.players.iter().copied().max().unwrap_or(0);
        // Of the boards that fit, one of a ruleset on top counts, and one with a condition before one without.
        let mut things: Vec<_> = outline.of(Kind::Board).filter_map(|(_, t)| Some((t, t.last()?))).collect();
        things.sort_by_key(|(_, version)| (version.layer, is_guarded(&version.item.kind)));
        for (thing, version) in things {
            let ItemKind::Board { players, guard, file, .. } = &version.item.kind else { continue };
            let boards = input.layers.get(version.layer).map_or(&[][..], |l| l.boards.as_slice());
            let Some((_, board)) = boards.iter().find(|(name, _)| *name == file.text) else {
                let names: Vec<&str> = boards.iter().map(|(n, _)| n.as_str()).collect();
                self.sink.push(errors::no_such_file(file.span, &file.text, &names));
                self.incomplete = true;
                continue;
            };
            let Some(board) = board else {
                self.incomplete = true;
                continue;
            };
            let kinds: Vec<DomainId> = board.kinds.iter().map(|k| self.kind_domain(&k.name, thing.span)).collect();
            self.relations_of(board, &kinds);
            self.lost.extend(board.lost.iter().cloned());
            self.marks_of(board, &kinds);
            let (low, high) = players
                .map_or((0, most), |p| (usize::try_from(p.low).unwrap_or(0), usize::try_from(p.high).unwrap_or(0)));
            for fog in &board.fogs {
                let Some(domain) = kinds.get(fog.kind).copied() else { continue };
                let (name, places, span) = (fog.name.clone(), fog.places.len(), fog.span);
                self.fog_areas.push(FogArea { name, domain, places, low, high, span });
            }
            let mut board_named = board.clone();
            board_named.name.clone_from(&thing.name);
            self.program.boards.push(BoardVariant {
                low,
                high,
                when: None,
                board: board_named,
                kinds,
                values: Vec::new(),
            });
            self.board_items.push(BoardItem { board, span: thing.span, layer: version.layer, guard: guard.as_ref() });
        }
        self.one_board_each();
    }

    /// Every number of players has one board in a ruleset, if there are boards at all. Those that stand under a
    /// condition are let pass.
    fn one_board_each(&mut self) {
        if self.incomplete || self.program.boards.is_empty() {
            return;
        }
        for players in &self.input.players {
            let fits = |index: usize| {
                self.program.boards.get(index).is_some_and(|board| (board.low..=board.high).contains(players))
            };
            let fitting = self.board_items.iter().enumerate().filter(|(i, _)| fits(*i)).map(|(_, item)| item);
            let Some(top) = fitting.clone().map(|item| item.layer).max() else {
                let span = self.board_items.first().map_or(Span::default(), |item| item.span);
                self.sink.push(errors::no_board_for(span, *players));
                continue;
            };
            let mut plain = fitting.filter(|item| item.layer == top && item.guard.is_none());
            if let (Some(first), Some(second)) = (plain.next(), plain.next()) {
                let fault = errors::two_boards_for(second.span, first.span, *players);
                self.sink.push(fault);
            }
        }
    }

    /// The conditions under which boards are used, once options are known.
    pub(super) fn board_guards(&mut self) {
        for index in 0..self.board_items.len() {
            let Some(guard) = self.board_items.get(index).and_then(|item| item.guard) else { continue };
            let (_, cond) = self.within(Scope::new(Home::Table), |checker| checker.truth(guard));
            if cond.ty != Type::Unknown && !is_of_options(&cond) {
                self.sink.push(errors::board_by_options(guard.span));
            } else if let Some(variant) = self.program.boards.get_mut(index) {
                variant.when = Some(cond);
            }
        }
    }

    /// The domain of a kind of place; boards share them by name.
    fn kind_domain(&mut self, name: &str, span: Span) -> DomainId {
        if let Some(Entry::Places(domain)) = self.names.peek(name) {
            return domain;
        }
        let kind = DomainKind::Places;
        let domain = self.add_domain(Domain { name: name.to_owned(), kind, members: Vec::new(), span });
        self.enter(name, span, Entry::Places(domain));
        domain
    }

    fn relations_of(&mut self, board: &Board, kinds: &[DomainId]) {
        for relation in &board.relations {
            let (Some(from), Some(to)) = (kinds.get(relation.from), kinds.get(relation.to)) else { continue };
            let found = Relation { name: relation.name.clone(), from: *from, to: *to };
            if !self.relations.contains(&found) {
                self.relations.push(found);
            }
        }
    }

    fn marks_of(&mut self, board: &Board, kinds: &[DomainId]) {
        let marks = board.marks.iter().map(|m| (&m.name, m.kind, m.seat.is_some(), false, m.span));
        let paths = board.paths.iter().map(|p| (&p.name, p.kind, false, true, p.span));
        let regions = board.regions.iter().map(|r| (&r.name, r.kind, false, false, r.span));
        for (name, kind, of_seat, path, span) in marks.chain(paths).chain(regions) {
            let Some(domain) = kinds.get(kind).copied() else { continue };
            match self.names.peek(name) {
                Some(Entry::Mark(known)) => {
                    let same = self.marks.get(known).is_some_and(|m| m.domain == domain && m.of_seat == of_seat);
                    if !same {
                        let first = self.names.span(name).unwrap_or(span);
                        self.sink.push(errors::mark_differs(span, name, first));
                    }
                }
                Some(_) | None => {
                    self.enter(name, span, Entry::Mark(self.marks.len()));
                    self.marks.push(MarkName { name: name.clone(), domain, of_seat, path });
                }
            }
        }
        for mark in &board.marks {
            let (Some(seat), Some(player)) = (&mark.seat, self.program.known.player) else { continue };
            // Where seats are missing, that is what is said.
            let seats = self.program.domains.get(player.index()).map_or(0, |d| d.members.len());
            let enough = self.input.players.iter().all(|count| *count <= seats);
            if self.member_named(player, seat).is_none() && !self.is_lost(seat) && enough {
                let seats = self.program.domains.get(player.index()).map_or(&[][..], |d| d.members.as_slice());
                let near = near_names(seat, seats.iter().map(|m| m.name.as_str()));
                let fault = errors::unknown_seat(mark.seat_span.unwrap_or(mark.span), seat, &near);
                self.unknown(seat, fault);
            }
        }
    }

    /// The kinds of place to which boards give this value, and whether every place of the kind has it. Without
    /// any, the first kind of the first board.
    pub(super) fn kinds_with(&self, field: &str) -> Vec<(DomainId, bool)> {
        let mut found: Vec<(DomainId, bool)> = Vec::new();
        for variant in &self.program.boards {
            for (kind, domain) in variant.kinds.iter().enumerate() {
                let given = variant.board.values.iter().filter(|v| v.kind == kind && v.field == field).count();
                let complete = given >= variant.board.places(kind).len();
                match found.iter_mut().find(|(d, _)| d == domain) {
                    Some((_, all)) => *all &= complete,
                    None if given > 0 => found.push((*domain, complete)),
                    None => {}
                }
            }
        }
        if found.is_empty()
            && let Some(domain) = self.program.boards.first().and_then(|b| b.kinds.first())
        {
            found.push((*domain, false));
        }
        found
    }

    /// What the boards say of single places, as values of the state.
    pub(super) fn board_values(&mut self) {
        for index in 0..self.program.boards.len() {
            let Some((board, _)) = self.board_items.get(index).map(|item| (item.board, item.span)) else { continue };
            let kinds = self.program.boards.get(index).map(|b| b.kinds.clone()).unwrap_or_default();
            let mut values = Vec::new();
            for value in &board.values {
                let Some(domain) = kinds.get(value.kind).copied() else { continue };
                let Some(field) = self.board_field(value, domain) else {
                    // Behind a slip stands perhaps the name of a mark or a region.
                    self.lost.insert(value.value.clone());
                    continue;
                };
                if let Some(number) = self.board_value(field, &value.value, value.span) {
                    values.push(BoardValue { field, place: value.place, value: number });
                }
            }
            if let Some(variant) = self.program.boards.get_mut(index) {
                variant.values = values;
            }
        }
    }

    fn board_field(&mut self, value: &crate::board::Value, domain: DomainId) -> Option<FieldId> {
        let (name, span) = (value.field.as_str(), value.field_span);
        if name == "terrain"
            && let Some((_, field)) = self.terrain_fields.iter().find(|(d, _)| *d == domain)
        {
            return Some(*field);
        }
        if let Some(Entry::Field(field)) = self.names.get(name)
            && self.program.fields.get(field.index()).is_some_and(|f| f.keys == [domain])
        {
            return Some(field);
        }
        if self.is_lost(name) {
            return None;
        }
        if let Some(Entry::Field(field)) = self.names.peek(name)
            && let Some(declared) = self.program.fields.get(field.index()).map(|f| f.span)
        {
            let fault = errors::board_field_elsewhere(value.span, name, self.domain_name(domain), declared);
            self.sink.push(fault);
            return None;
        }
        let fields = self.program.fields.iter().filter(|f| f.keys == [domain]).map(|f| f.name.as_str());
        let near = near_names(name, fields);
        let fault = errors::unknown_board_field(span, name, self.domain_name(domain), &near);
        self.unknown(name, fault);
        None
    }

    /// A value as the board writes it: a number, a word, `yes`, `none`.
    fn board_value(&mut self, field: FieldId, written: &str, span: Span) -> Option<i64> {
        let declared = self.program.fields.get(field.index())?.clone();
        match &declared.ty {
            FieldType::Number { low, high } => {
                if written == "none" {
                    if declared.none.is_none() {
                        self.sink.push(errors::never_none(span, Some(declared.span)));
                    }
                    return declared.none;
                }
                let least = if declared.none == Some(*low) { low.saturating_add(1) } else { *low };
                match written.parse::<i64>() {
                    Ok(number) if (least..=*high).contains(&number) => Some(number),
                    Ok(number) => {
                        let fault = errors::out_of_range(span, number, least, *high, &declared.name, declared.span);
                        self.sink.push(fault);
                        None
                    }
                    Err(_) => {
                        self.sink.push(errors::board_needs_number(span, written, &declared.name, declared.span));
                        None
                    }
                }
            }
            FieldType::Truth => match written {
                "yes" => Some(1),
                "no" => Some(0),
                _ => {
                    self.sink.push(errors::board_needs_truth(span, written, &declared.name, declared.span));
                    None
                }
            },
            FieldType::Member { domain, among, or_none } => {
                if written == "none" && *or_none {
                    return None;
                }
                let member = self.member_named(*domain, written);
                if let Some(member) = member.filter(|m| among.as_ref().is_none_or(|a| a.contains(m))) {
                    self.names.used.insert(written.to_owned());
                    return Some(i64::from(member));
                }
                if self.is_lost(written) {
                    return None;
                }
                let members = self.program.domains.get(domain.index()).map_or(&[][..], |d| d.members.as_slice());
                let fits = |i: usize| among.as_ref().is_none_or(|a| a.contains(&(i as u32)));
                let known: Vec<&str> =
                    members.iter().enumerate().filter(|(i, _)| fits(*i)).map(|(_, m)| m.name.as_str()).collect();
                let near = near_names(written, known.iter().copied());
                let fault = errors::unknown_board_value(span, written, &declared.name, declared.span, &near, &known);
                self.unknown(written, fault);
                None
            }
            FieldType::Set(_) | FieldType::Bag { .. } => {
                self.sink.push(errors::board_cannot_give(span, &declared.name, declared.span));
                None
            }
        }
    }
}

fn is_guarded(kind: &ItemKind) -> bool {
    matches!(kind, ItemKind::Board { guard: Some(_), .. })
}

/// Can the condition be told before a game begins?
fn is_of_options(cond: &Expr) -> bool {
    match &cond.kind {
        ExprKind::Option(_) | ExprKind::Number(_) | ExprKind::Truth(_) | ExprKind::Member(_) => true,
        ExprKind::Compare { left, right, .. } | ExprKind::And(left, right) | ExprKind::Or(left, right) => {
            is_of_options(left) && is_of_options(right)
        }
        ExprKind::Not(of) => is_of_options(of),
        _ => false,
    }
}
