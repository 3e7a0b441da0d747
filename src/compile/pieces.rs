//! Pieces on places, and values of fields.

use super::Lower;
use super::environment::Val;
use super::memory::Region;
use super::sets::SetAt;
use crate::engine::code::{EventKind, FieldPlace, Shape};
use crate::engine::instr::Op;
use crate::program::{DomainKind, Expr, FieldId, FieldType, Owner, PieceId, SLOTS, Target, TriggerEvent, Type};
use crate::source::Span;

impl<'p> Lower<'p> {
    /// The seat that owns a piece, None for pieces of nobody.
    fn piece_owner(&mut self, piece: PieceId, owner: &'p Owner) -> Option<Val> {
        if !self.program.pieces[piece.index()].owned {
            return None;
        }
        self.owner_value(owner).or(self.env.scope.me)
    }

    /// The words of an owner's set, and what writes them back if they are a copy.
    fn owned_set(&mut self, piece: PieceId, owner: Option<Val>) -> (SetAt, Option<u16>) {
        let place = self.layout.pieces[piece.index()].clone();
        match owner {
            None => (SetAt { at: place.address, words: place.words, known: None }, None),
            Some(Val::Known(seat)) => {
                let last = place.owners(self.players) as i64 - 1;
                let at = place.address + (seat.clamp(0, last) as usize * place.words) as u16;
                (SetAt { at, words: place.words, known: None }, None)
            }
            Some(Val::At(seat)) => {
                let at = self.asm.scratch(place.words);
                self.asm.emit(Op::Load1.wide(place.words), at, place.address, seat);
                (SetAt { at, words: place.words, known: None }, Some(seat))
            }
        }
    }

    fn write_back(&mut self, piece: PieceId, set: &SetAt, seat: Option<u16>, owner: Option<Val>) {
        if let Some(seat) = seat {
            let address = self.layout.pieces[piece.index()].address;
            self.asm.emit(Op::Store1.wide(set.words), address, seat, set.at);
        }
        let whose = match owner {
            Some(Val::Known(s)) => Some(s.max(0) as usize),
            Some(Val::At(_)) => None,
            None => Some(0),
        };
        self.asm.wrote(Region::Piece(piece, whose));
    }

    /// A player, or nobody.
    fn named_owner(&self, owner: Option<Val>) -> Val {
        match owner {
            Some(Val::Known(seat)) if seat >= self.players as i64 => Val::Known(-1),
            Some(owner) => owner,
            None => Val::Known(-1),
        }
    }

    fn owner_word(&mut self, owner: Option<Val>) -> u16 {
        let owner = self.named_owner(owner);
        self.address(owner)
    }

    /// A fault where a piece is to be put nowhere, or is to be that of no player.
    fn guard_place(
        &mut self,
        piece: PieceId,
        (owner, whose): (Option<Val>, &'p Owner),
        at: Option<(&'p Expr, u16)>,
        span: Span,
    ) {
        let mut doubts = Vec::new();
        match (owner, whose) {
            (Some(Val::Known(seat)), _) if seat < 0 => doubts.push(self.number(seat)),
            (Some(Val::At(seat)), Owner::One(who)) if self.may_be_none(who) => doubts.push(seat),
            (Some(_) | None, _) => {}
        }
        // What stands in slots has a guard of its own: none is a place without a free one.
        if let Some((at, place)) = at
            && !self.stacks(piece)
            && self.may_be_none(at)
        {
            doubts.push(place);
        }
        let program = self.program;
        self.guard_keys(&doubts, &program.pieces[piece.index()].name, span);
    }

    fn stacks(&self, piece: PieceId) -> bool {
        let on = self.program.pieces[piece.index()].on;
        matches!(self.program.domains[on.index()].kind, DomainKind::Slots { .. })
    }

    pub fn place_piece(&mut self, piece: PieceId, whose: &'p Owner, on: &'p Expr, span: Span) {
        let owner = self.piece_owner(piece, whose);
        let at = self.value(on);
        let name = self.program.pieces[piece.index()].name.clone();
        let count = self.layout.pieces[piece.index()].count;
        let place = self.address(at);
        self.guard_place(piece, (owner, whose), Some((on, place)), span);
        let (set, seat) = self.owned_set(piece, owner);
        self.guard_room(piece, &set, seat, place, span);
        let (left, fits, free) = (self.asm.scratch(1), self.asm.label(), self.asm.label());
        let most = self.number(count);
        self.asm.emit(Op::Count1.wide(set.words), left, set.at, 0);
        self.branch_to(Op::JumpLess, left, most, fits);
        self.none_left(&name, span);
        self.asm.place(fits);
        self.branch_to(Op::JumpOut1.wide(set.words), set.at, place, free);
        self.fault(611, format!("there is such a {name} on the place already"), span);
        self.asm.place(free);
        self.asm.emit(Op::Insert1.wide(set.words), set.at, place, 0);
        self.write_back(piece, &set, seat, owner);
        // Of tokens it is told who sees the face.
        if self.program.tokens_of(piece).is_none() {
            self.piece_event(EventKind::Place(name), piece, owner, &[place]);
        }
        self.arrive(piece, owner, at);
    }

    pub fn none_left(&mut self, name: &str, span: Span) {
        self.fault(610, format!("no {name} is left to be placed"), span);
    }

    pub fn no_room(&mut self, most: i64, name: &str, span: Span) {
        self.fault(611, format!("no more than {most} {name} can stand on one place"), span);
    }

    /// A fault where no slot of the place is left for a piece of a kind that stands in slots, or the owner has as many
    /// there as may be.
    fn guard_room(&mut self, piece: PieceId, own: &SetAt, seat: Option<u16>, slot: u16, span: Span) {
        let decl = &self.program.pieces[piece.index()];
        let DomainKind::Slots { count, .. } = self.program.domains[decl.on.index()].kind else {
            self.guard_others(piece, own, seat, slot, span);
            return;
        };
        let (room, full, zero) = (self.asm.label(), self.asm.label(), self.number(0));
        self.branch_to(Op::JumpLess, slot, zero, full);
        if decl.at_most_of_owner < decl.at_most {
            let (place, count, there) = (self.asm.scratch(1), self.number(i64::from(count)), self.asm.scratch(1));
            let most = self.number(decl.at_most_of_owner);
            if let Some((table, words)) = self.relation(SLOTS, decl.place, decl.on) {
                let slots = self.asm.scratch(words);
                self.asm.emit(Op::Divide, place, slot, count);
                self.asm.emit(Op::Load1.wide(words), slots, table, place);
                self.asm.emit(Op::And1.wide(words), slots, slots, own.at);
                self.asm.emit(Op::Count1.wide(words), there, slots, 0);
                self.branch_to(Op::JumpLess, there, most, room);
            }
        } else {
            self.asm.jump(room);
        }
        self.asm.place(full);
        self.no_room(decl.at_most, &decl.name, span);
        self.asm.place(room);
    }

    /// A fault where pieces of as many other owners stand on the place as may stand there at all.
    fn guard_others(&mut self, piece: PieceId, own: &SetAt, seat: Option<u16>, place: u16, span: Span) {
        let (decl, layout) = (&self.program.pieces[piece.index()], self.layout.pieces[piece.index()].clone());
        let owners = layout.owners(self.players);
        if (owners as i64) <= decl.at_most {
            return;
        }
        let (fits, full, count) = (self.asm.label(), self.asm.label(), self.zeroed());
        let one = self.number(1);
        for owner in 0..owners {
            // Its own piece is spoken of where it is put down.
            let set = layout.address + (owner * layout.words) as u16;
            if set == own.at {
                continue;
            }
            let next = self.asm.label();
            if let Some(seat) = seat {
                let number = self.number(owner as i64);
                self.branch_to(Op::JumpEqual, seat, number, next);
            }
            self.branch_to(Op::JumpOut1.wide(layout.words), set, place, next);
            if decl.at_most == 1 {
                self.asm.jump(full);
            } else {
                self.asm.emit(Op::Add, count, count, one);
            }
            self.asm.place(next);
        }
        if decl.at_most == 1 {
            self.asm.jump(fits);
        } else {
            let most = self.number(decl.at_most);
            self.branch_to(Op::JumpLess, count, most, fits);
        }
        self.asm.place(full);
        let text = match decl.at_most {
            1 => format!("there is a {} on the place already", decl.name),
            most => format!("no more than {most} {} can stand on one place", decl.name),
        };
        self.fault(611, text, span);
        self.asm.place(fits);
    }

    pub fn remove_piece(&mut self, piece: PieceId, whose: &'p Owner, at: &'p Expr, span: Span) {
        let owner = self.piece_owner(piece, whose);
        let place = self.value_at(at);
        self.guard_place(piece, (owner, whose), None, span);
        let name = self.program.pieces[piece.index()].name.clone();
        let (set, seat) = self.owned_set(piece, owner);
        let there = self.asm.label();
        self.branch_to(Op::JumpIn1.wide(set.words), set.at, place, there);
        self.fault(612, format!("there is no such {name} to be removed"), span);
        self.asm.place(there);
        self.asm.emit(Op::Delete1.wide(set.words), set.at, place, 0);
        self.write_back(piece, &set, seat, owner);
        self.move_flags(piece, owner, place, None);
        if self.program.tokens_of(piece).is_none() {
            self.piece_event(EventKind::Remove(name), piece, owner, &[place]);
        }
    }

    pub fn move_piece(&mut self, piece: PieceId, whose: &'p Owner, from: Option<&'p Expr>, onto: &'p Expr, span: Span) {
        let owner = self.piece_owner(piece, whose);
        let to_value = self.value(onto);
        let to = self.address(to_value);
        self.guard_place(piece, (owner, whose), Some((onto, to)), span);
        let name = self.program.pieces[piece.index()].name.clone();
        let moved_alone = from.is_none();
        let (set, seat) = self.owned_set(piece, owner);
        let (enters, done) = (self.asm.label(), self.asm.label());
        let from = match from {
            Some(e) => self.value_at(e),
            None => {
                self.branch_to(Op::JumpEmpty1.wide(set.words), set.at, 0, enters);
                let first = self.asm.scratch(1);
                self.asm.emit(Op::First1.wide(set.words), first, set.at, 0);
                first
            }
        };
        let (there, free) = (self.asm.label(), self.asm.label());
        self.branch_to(Op::JumpIn1.wide(set.words), set.at, from, there);
        self.fault(612, format!("there is no such {name} to be moved"), span);
        self.asm.place(there);
        let left = self.asm.scratch(1);
        self.asm.emit(Op::Copy1, left, from, 0);
        self.asm.emit(Op::Delete1.wide(set.words), set.at, from, 0);
        self.guard_room(piece, &set, seat, to, span);
        self.branch_to(Op::JumpOut1.wide(set.words), set.at, to, free);
        self.fault(611, format!("there is such a {name} on the place already"), span);
        self.asm.place(free);
        self.asm.emit(Op::Insert1.wide(set.words), set.at, to, 0);
        self.write_back(piece, &set, seat, owner);
        self.move_flags(piece, owner, left, Some(to));
        self.piece_event(EventKind::Move(name.clone()), piece, owner, &[left, to]);
        if moved_alone {
            // The only one of its kind comes in where it does not stand on the board yet.
            self.asm.jump(done);
            self.asm.place(enters);
            self.guard_room(piece, &set, seat, to, span);
            self.asm.emit(Op::Insert1.wide(set.words), set.at, to, 0);
            self.write_back(piece, &set, seat, owner);
            self.piece_event(EventKind::Place(name), piece, owner, &[to]);
        }
        self.asm.place(done);
        self.arrive(piece, owner, to_value);
    }

    fn piece_event(&mut self, kind: EventKind, piece: PieceId, owner: Option<Val>, places: &[u16]) {
        let on = Type::Member(self.program.pieces[piece.index()].on);
        let owner = self.owner_word(owner);
        let mut values = vec![(owner, self.player_type())];
        values.extend(places.iter().map(|p| (*p, on)));
        self.event(kind, values);
    }

    fn arrive(&mut self, piece: PieceId, owner: Option<Val>, at: Val) {
        let is_it = |t: &TriggerEvent| matches!(t, TriggerEvent::Arrival { piece: p, .. } if *p == piece);
        if !self.program.triggers.iter().any(|t| is_it(&t.event)) {
            return;
        }
        let by = self.env.scope.me.unwrap_or(self.named_owner(owner));
        let decl = &self.program.pieces[piece.index()];
        let at = match (self.program.domains[decl.on.index()].kind, at) {
            (DomainKind::Slots { count, .. }, Val::Known(slot)) => Val::Known(slot.div_euclid(i64::from(count))),
            (DomainKind::Slots { count, .. }, Val::At(slot)) => {
                let (place, count) = (self.asm.scratch(1), self.number(i64::from(count)));
                self.asm.emit(Op::Divide, place, slot, count);
                Val::At(place)
            }
            _ => at,
        };
        let (at, by) = (self.steady(at), self.steady(by));
        // In a set-up nobody acts: whose piece it is stands for who placed it.
        let outer = self.env.scope.me;
        if outer.is_none() && matches!(by, Val::Known(seat) if seat >= 0) {
            self.env.scope.me = Some(by);
        }
        self.triggers(is_it, &[at, by]);
        self.env.scope.me = outer;
    }

    // ---- fields ----

    /// Cuts a number to the field's range, or faults where it does not fit.
    fn fitted(&mut self, field: FieldId, value: Val, span: Span) -> Val {
        let decl = &self.program.fields[field.index()];
        let FieldType::Number { low, high } = decl.ty else { return value };
        if let Val::Known(n) = value
            && (low..=high).contains(&n)
        {
            return value;
        }
        let (low_at, high_at, at) = (self.number(low), self.number(high), self.address(value));
        if decl.clamped {
            let to = self.asm.scratch(1);
            self.asm.emit(Op::Max, to, at, low_at);
            self.asm.emit(Op::Min, to, to, high_at);
            return Val::At(to);
        }
        let (bad, good) = (self.asm.label(), self.asm.label());
        self.branch_to(Op::JumpLess, at, low_at, bad);
        self.branch_to(Op::JumpAtMost, at, high_at, good);
        self.asm.place(bad);
        let name = decl.name.clone();
        self.fault(613, format!("`{name}` would leave its range {low}..{high}"), span);
        self.asm.place(good);
        value
    }

    pub fn write_field(&mut self, field: FieldId, keys: &'p [Expr], value: Val, span: Span) {
        let value = self.fitted(field, value, span);
        let place = self.layout.fields[field.index()].clone();
        match place.shape {
            Shape::Word => {
                let from = self.address(value);
                match self.checked_cell(field, keys, span) {
                    Val::Known(cell) => self.asm.emit(Op::Copy1, place.address + cell as u16, from, 0),
                    Val::At(cell) => self.asm.emit(Op::Store1, place.address, cell, from),
                }
            }
            Shape::Rows { .. } => {
                if let Some((last, outer)) = keys.split_last() {
                    let cell = self.checked_cell(field, outer, span);
                    let member = self.value_at(last);
                    if self.may_be_none(last) {
                        let program = self.program;
                        self.guard_keys(&[member], &program.fields[field.index()].name, span);
                    }
                    self.write_row(&place, cell, member, value);
                }
            }
            Shape::Set(_) | Shape::Bag(_) => {}
        }
        let region = self.field_region(field, keys);
        self.asm.wrote(region);
    }

    /// The cell that is going to be written, and so must be something's.
    fn checked_cell(&mut self, field: FieldId, keys: &'p [Expr], span: Span) -> Val {
        let sizes = self.layout.fields[field.index()].keys.clone();
        let cell = self.cell(keys, &sizes);
        let (doubts, program) = (self.doubts(), self.program);
        self.guard_keys(&doubts, &program.fields[field.index()].name, span);
        cell
    }

    /// Moves a place to the row of a value.
    pub fn write_row(&mut self, place: &FieldPlace, cell: Val, member: u16, value: Val) {
        let Shape::Rows { words, values, low } = place.shape else { return };
        let Val::Known(cell) = cell else {
            self.write_row_of_any(place, cell, member, value);
            return;
        };
        let rows = place.address + (cell as usize * values * words) as u16;
        for v in 0..values {
            self.asm.emit(Op::Delete1.wide(words), rows + (v * words) as u16, member, 0);
        }
        match value {
            Val::Known(n) => {
                if n >= low && n - low < values as i64 {
                    let row = rows + ((n - low) as usize * words) as u16;
                    self.asm.emit(Op::Insert1.wide(words), row, member, 0);
                }
            }
            Val::At(at) => {
                for v in 0..values {
                    let (next, number) = (self.asm.label(), self.number(low + v as i64));
                    self.branch_to(Op::JumpUnequal, at, number, next);
                    self.asm.emit(Op::Insert1.wide(words), rows + (v * words) as u16, member, 0);
                    self.asm.place(next);
                }
            }
        }
    }

    /// As above where the outer keys are known only at run time: each combination has its own code.
    fn write_row_of_any(&mut self, place: &FieldPlace, cell: Val, member: u16, value: Val) {
        let outer: usize = place.keys[..place.keys.len() - 1].iter().product();
        let at = self.address(cell);
        for known in 0..outer {
            let (next, number) = (self.asm.label(), self.number(known as i64));
            self.branch_to(Op::JumpUnequal, at, number, next);
            self.write_row(place, Val::Known(known as i64), member, value);
            self.asm.place(next);
        }
    }

    pub fn set_target(&mut self, target: &'p Target, value: &'p Expr, span: Span) {
        match target {
            Target::Field { field, keys } => match self.program.fields[field.index()].ty {
                FieldType::Set(_) | FieldType::Bag { .. } => {
                    let (from, words) = match value.ty {
                        Type::Bag(_) => {
                            let bag = self.bag(value);
                            (bag.at, bag.words)
                        }
                        _ => {
                            let set = self.set(value);
                            (set.at, set.words)
                        }
                    };
                    self.store_wide(*field, keys, from, words, span);
                }
                FieldType::Truth | FieldType::Number { .. } | FieldType::Member { .. } => {
                    let value = self.value(value);
                    self.write_field(*field, keys, value, span);
                }
            },
            Target::Local(local) => {
                let to = self.local_at(*local);
                match value.ty {
                    Type::Set(_) => {
                        let set = self.set(value);
                        self.asm.emit(Op::Copy1.wide(set.words), to, set.at, 0);
                    }
                    Type::Bag(_) => {
                        let bag = self.bag(value);
                        self.asm.emit(Op::Copy1.wide(bag.words), to, bag.at, 0);
                    }
                    _ => {
                        let at = self.value_at(value);
                        self.asm.emit(Op::Copy1, to, at, 0);
                    }
                }
            }
            Target::Tally { local, key } => {
                let base = self.tally(*local);
                let key = self.checked_key(key, span);
                if let Type::Bag(_) = value.ty {
                    let bag = self.bag(value);
                    self.store_indexed(base, key, bag.at, bag.words);
                } else {
                    let at = self.value_at(value);
                    self.store_indexed(base, key, at, 1);
                }
            }
            Target::Lane { bag, kind } => {
                let kind = self.value_at(kind);
                let value = self.value_at(value);
                self.change_lane(bag, kind, value, true, span);
            }
        }
    }

    fn store_wide(&mut self, field: FieldId, keys: &'p [Expr], from: u16, words: usize, span: Span) {
        let place = self.layout.fields[field.index()].clone();
        let cell = self.checked_cell(field, keys, span);
        self.store_indexed(place.address, cell, from, words);
        let region = self.field_region(field, keys);
        self.asm.wrote(region);
    }

    /// The key of a tally that is going to be written.
    fn checked_key(&mut self, key: &'p Expr, span: Span) -> Val {
        let value = self.value(key);
        if self.may_be_none(key) {
            let at = self.address(value);
            self.guard_keys(&[at], "the tally", span);
        }
        value
    }

    fn store_indexed(&mut self, base: u16, key: Val, from: u16, words: usize) {
        match key {
            Val::Known(k) => {
                let to = base + (k.max(0) as usize * words) as u16;
                self.asm.emit(Op::Copy1.wide(words), to, from, 0);
            }
            Val::At(k) => self.asm.emit(Op::Store1.wide(words), base, k, from),
        }
    }

    pub fn add_target(&mut self, target: &'p Target, amount: &'p Expr, span: Span) {
        match target {
            Target::Field { field, keys } => match self.program.fields[field.index()].ty {
                FieldType::Bag { .. } => {
                    let bag = self.bag(amount);
                    let place = self.layout.fields[field.index()].clone();
                    let cell = self.checked_cell(*field, keys, span);
                    let held = self.indexed(place.address, cell, bag.words);
                    let sum = self.asm.scratch(bag.words);
                    self.asm.emit(Op::BagAdd1.wide(bag.words), sum, held, bag.at);
                    self.guard_full(sum, bag.words, span);
                    self.store_indexed(place.address, cell, sum, bag.words);
                    let region = self.field_region(*field, keys);
                    self.asm.wrote(region);
                }
                FieldType::Set(_) => {
                    let set = self.set(amount);
                    let place = self.layout.fields[field.index()].clone();
                    let cell = self.checked_cell(*field, keys, span);
                    let held = self.indexed(place.address, cell, set.words);
                    let sum = self.asm.scratch(set.words);
                    self.asm.emit(Op::Or1.wide(set.words), sum, held, set.at);
                    self.store_indexed(place.address, cell, sum, set.words);
                    let region = self.field_region(*field, keys);
                    self.asm.wrote(region);
                }
                FieldType::Truth | FieldType::Number { .. } | FieldType::Member { .. } => {
                    let old = self.field_word(*field, keys);
                    let amount = self.value_at(amount);
                    let sum = self.asm.scratch(1);
                    self.asm.emit(Op::Add, sum, old, amount);
                    self.write_field(*field, keys, Val::At(sum), span);
                }
            },
            Target::Local(local) => {
                let to = self.local_at(*local);
                match amount.ty {
                    Type::Bag(_) => {
                        let bag = self.bag(amount);
                        self.asm.emit(Op::BagAdd1.wide(bag.words), to, to, bag.at);
                        self.guard_full(to, bag.words, span);
                    }
                    Type::Set(_) => {
                        let set = self.set(amount);
                        self.asm.emit(Op::Or1.wide(set.words), to, to, set.at);
                    }
                    _ => {
                        let amount = self.value_at(amount);
                        self.asm.emit(Op::Add, to, to, amount);
                    }
                }
            }
            Target::Tally { local, key } => {
                let base = self.tally(*local);
                let key = self.checked_key(key, span);
                if let Type::Bag(_) = amount.ty {
                    let bag = self.bag(amount);
                    let held = self.indexed(base, key, bag.words);
                    let sum = self.asm.scratch(bag.words);
                    self.asm.emit(Op::BagAdd1.wide(bag.words), sum, held, bag.at);
                    self.guard_full(sum, bag.words, span);
                    self.store_indexed(base, key, sum, bag.words);
                } else {
                    let amount = self.value_at(amount);
                    let held = self.indexed(base, key, 1);
                    let sum = self.asm.scratch(1);
                    self.asm.emit(Op::Add, sum, held, amount);
                    self.store_indexed(base, key, sum, 1);
                }
            }
            Target::Lane { bag, kind } => {
                let kind = self.value_at(kind);
                let amount = self.value_at(amount);
                self.change_lane(bag, kind, amount, false, span);
            }
        }
    }

    fn field_word(&mut self, field: FieldId, keys: &'p [Expr]) -> u16 {
        let place = self.layout.fields[field.index()].clone();
        match place.shape {
            Shape::Word => {
                let cell = self.cell(keys, &place.keys);
                self.indexed(place.address, cell, 1)
            }
            Shape::Rows { words, values, low } => {
                let Some((last, outer)) = keys.split_last() else { return self.number(0) };
                let rows = self.rows_at(&place, outer, values * words);
                let member = self.value_at(last);
                let to = self.asm.scratch(1);
                let (count, low) = (self.number(values as i64), self.number(low));
                self.asm.emit(Op::Copy1, to, count, 0);
                self.asm.emit(Op::FindRow1.wide(words), to, rows, member);
                self.asm.emit(Op::Add, to, to, low);
                to
            }
            Shape::Set(_) | Shape::Bag(_) => self.number(0),
        }
    }

    /// The address of an element, copied to scratch if its index is known only at run time.
    fn indexed(&mut self, base: u16, key: Val, words: usize) -> u16 {
        match key {
            Val::Known(k) => base + (k.max(0) as usize * words) as u16,
            Val::At(k) => {
                let to = self.asm.scratch(words);
                self.asm.emit(Op::Load1.wide(words), to, base, k);
                to
            }
        }
    }

    pub fn guard_full(&mut self, bag: u16, words: usize, span: Span) {
        let (full, fine) = (self.asm.label(), self.asm.label());
        self.branch_to(Op::JumpFull1.wide(words), bag, 0, full);
        self.asm.jump(fine);
        self.asm.place(full);
        self.too_many(span);
        self.asm.place(fine);
    }

    /// Adds to, or sets, how many of a kind a bag holds.
    fn change_lane(&mut self, bag: &'p Target, kind: u16, amount: u16, replace: bool, span: Span) {
        let (base, cell, words, field) = match bag {
            Target::Field { field, keys } => {
                let place = self.layout.fields[field.index()].clone();
                let Shape::Bag(words) = place.shape else { return };
                let cell = self.checked_cell(*field, keys, span);
                let region = self.field_region(*field, keys);
                (place.address, cell, words, Some(region))
            }
            Target::Tally { local, key } => {
                let words = self.tally_words(*local);
                let base = self.tally(*local);
                (base, self.checked_key(key, span), words, None)
            }
            Target::Local(local) => (self.local_at(*local), Val::Known(0), self.tally_words(*local), None),
            Target::Lane { .. } => return,
        };
        let held = self.indexed(base, cell, words);
        let amount = if replace {
            let (now, by) = (self.asm.scratch(1), self.asm.scratch(1));
            self.asm.emit(Op::Lane, now, held, kind);
            self.asm.emit(Op::Subtract, by, amount, now);
            by
        } else {
            amount
        };
        self.asm.emit(Op::AddLane, held, kind, amount);
        self.guard_full(held, words, span);
        if let Val::At(_) = cell {
            self.store_indexed(base, cell, held, words);
        }
        if let Some(region) = field {
            self.asm.wrote(region);
        }
    }

    fn tally_words(&self, local: crate::program::LocalId) -> usize {
        let decl = self.current_locals().and_then(|l| l.get(local.index()));
        match decl.map(|l| &l.ty) {
            Some(
                crate::program::LocalType::Tally { bag: Some(d), .. } | crate::program::LocalType::Value(Type::Bag(d)),
            ) => self.bag_width(*d),
            _ => 1,
        }
    }

    /// Lays values along a path, over its places that are in the set.
    pub fn lay(&mut self, field: FieldId, values: &[i64], path: &str, within: Option<&'p Expr>) {
        let Some(board) = self.variant().map(|v| &v.board) else { return };
        let places: Vec<u16> =
            board.paths.iter().filter(|p| p.name == path).flat_map(|p| p.places.iter().copied()).collect();
        let words: Vec<u64> = values.iter().map(|v| *v as u64).collect();
        let table = self.memory.table(&words, 0);
        let within = within.map(|e| self.set(e)).map(|s| self.copy_of(&s));
        let next = self.zeroed();
        let (count, one) = (self.number(values.len() as i64), self.number(1));
        let place = self.layout.fields[field.index()].clone();
        let by_place = self.program.fields[field.index()].keys.last().is_some_and(|d| {
            matches!(self.program.domains[d.index()].kind, DomainKind::Places | DomainKind::Slots { .. })
        });
        if !by_place {
            return;
        }
        let done = self.asm.label();
        for p in places {
            let skip = self.asm.label();
            let member = self.number(i64::from(p));
            if let Some(within) = &within {
                self.branch_to(Op::JumpOut1.wide(within.words), within.at, member, skip);
            }
            self.branch_to(Op::JumpAtMost, count, next, done);
            let value = self.asm.scratch(1);
            self.asm.emit(Op::Load1, value, table, next);
            self.asm.emit(Op::Add, next, next, one);
            match place.shape {
                Shape::Rows { .. } => self.write_row(&place, Val::Known(0), member, Val::At(value)),
                Shape::Word => self.asm.emit(Op::Store1, place.address, member, value),
                Shape::Set(_) | Shape::Bag(_) => {}
            }
            self.asm.place(skip);
        }
        self.asm.place(done);
        self.asm.wrote(Region::Field(field, None));
    }
}
