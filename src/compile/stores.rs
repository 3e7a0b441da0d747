//! Goods and cards on their way between bags.

use super::Lower;
use super::bags::BagAt;
use super::environment::Val;
use super::memory::Region;
use super::sets::SetAt;
use crate::engine::bags::LANE_MAX;
use crate::engine::code::{EventKind, Shape};
use crate::engine::instr::Op;
use crate::program::{BagPlace, DeckId, Expr, FieldId, FieldRole, HowMuch, LocalId, Store, Type};
use crate::source::Span;

/// A bag of the state that is written.
#[derive(Clone, Copy, Debug)]
struct Held {
    field: FieldId,
    base: u16,
    cell: Val,
    bag: BagAt,
    /// Whose it is, if a player's.
    seat: Option<Val>,
}

impl<'p> Lower<'p> {
    /// A bag that is going to be written, and so must be somebody's.
    fn held(&mut self, place: &'p BagPlace, span: Span) -> Held {
        let held = self.held_if_any(place);
        let doubts = self.doubts();
        let program = self.program;
        self.guard_keys(&doubts, &program.fields[place.field.index()].name, span);
        held
    }

    fn held_if_any(&mut self, place: &'p BagPlace) -> Held {
        let layout = self.layout.fields[place.field.index()].clone();
        let words = match layout.shape {
            Shape::Bag(words) => words,
            Shape::Word | Shape::Set(_) | Shape::Rows { .. } => 1,
        };
        let cell = self.cell(&place.keys, &layout.keys);
        let doubts = self.doubts();
        let decl = &self.program.fields[place.field.index()];
        let of_player = decl.keys.first().is_some_and(|d| Some(*d) == self.program.known.player);
        let seat = if of_player { place.keys.first().map(|k| self.value(k)) } else { None };
        let bag = match cell {
            Val::Known(c) => BagAt { at: layout.address + (c as usize * words) as u16, words },
            Val::At(c) => {
                let bag = self.temporary_bag(words);
                self.asm.emit(Op::Load1.wide(words), bag.at, layout.address, c);
                bag
            }
        };
        self.doubts = doubts;
        Held { field: place.field, base: layout.address, cell, bag, seat }
    }

    fn home(&mut self, field: FieldId) -> Held {
        let layout = &self.layout.fields[field.index()];
        let words = match layout.shape {
            Shape::Bag(words) => words,
            Shape::Word | Shape::Set(_) | Shape::Rows { .. } => 1,
        };
        Held { field, base: layout.address, cell: Val::Known(0), bag: BagAt { at: layout.address, words }, seat: None }
    }

    fn wrote_held(&mut self, held: &Held) {
        if let Val::At(cell) = held.cell {
            self.asm.emit(Op::Store1.wide(held.bag.words), held.base, cell, held.bag.at);
        }
        let whose = match held.seat {
            Some(Val::Known(s)) => Some(s.max(0) as usize),
            Some(Val::At(_)) | None => None,
        };
        self.asm.wrote(Region::Field(held.field, whose));
    }

    /// The homes of all goods, each with the set of goods that live there.
    fn homes(&self) -> Vec<(FieldId, u64)> {
        let mut out: Vec<(FieldId, u64)> = Vec::new();
        for (kind, home) in self.program.homes.iter().enumerate() {
            let Some(home) = home else { continue };
            match out.iter_mut().find(|(f, _)| f == home) {
                Some((_, set)) => *set |= 1 << (kind % 64),
                None => out.push((*home, 1 << (kind % 64))),
            }
        }
        out
    }

    /// Where goods go that are given back: home, but those that are drawn unseen to the pile of those that were.
    fn returns(&self) -> Vec<(FieldId, u64)> {
        let pile = |home: FieldId| self.program.decks.iter().find(|d| d.cards == home).map_or(home, |d| d.discards);
        self.homes().into_iter().map(|(home, goods)| (pile(home), goods)).collect()
    }

    /// Moves a bag of goods or cards.
    pub fn transfer(&mut self, amount: &'p Expr, from: &'p Store, to: &'p Store, how: HowMuch, pay: bool, span: Span) {
        let amount = match (&self.env.cost, pay) {
            (_, true) if self.env.terms.free => return,
            (Some((cost, scope)), true) => {
                let (cost, scope) = (*cost, scope.clone());
                self.within(&scope, |l| l.bag(cost))
            }
            _ => self.bag(amount),
        };
        let homes = self.homes();
        let nothing = self.asm.label();
        if how == HowMuch::Available {
            self.branch_to(Op::JumpEmpty1.wide(amount.words), amount.at, 0, nothing);
        }
        match (from, to) {
            (Store::Homes, Store::Bag(place)) => {
                let target = self.held(place, span);
                let amount = self.fitting(&target, amount, how, span);
                for (home, goods) in &homes {
                    let part = self.part(amount, *goods, homes.len());
                    let source = self.home(*home);
                    let moved = self.take_out(source, part, how, span);
                    self.put_in(&target, moved, span);
                    self.bag_event(EventKind::Gain, None, target.seat, moved, place.field);
                }
                self.wrote_held(&target);
            }
            (Store::Bag(place), Store::Homes) => {
                let source = self.held(place, span);
                let moved = self.take_out(source, amount, how, span);
                let returns = self.returns();
                for (pile, goods) in &returns {
                    let part = self.part(moved, *goods, returns.len());
                    let target = self.home(*pile);
                    self.put_in(&target, part, span);
                    self.wrote_held(&target);
                }
                self.bag_event(EventKind::Lose, source.seat, None, moved, place.field);
            }
            (Store::Bag(a), Store::Bag(b)) => {
                let target = self.held(b, span);
                let amount = self.fitting(&target, amount, how, span);
                let source = self.held(a, span);
                let moved = self.take_out(source, amount, how, span);
                let target = self.held(b, span);
                self.put_in(&target, moved, span);
                self.wrote_held(&target);
                let kind = match (source.seat.is_some(), target.seat.is_some()) {
                    (true, true) => EventKind::Pass,
                    (true, false) => match &self.program.fields[b.field.index()] {
                        open if open.role == FieldRole::Declared => EventKind::Put(open.name.clone()),
                        _ => EventKind::Lose,
                    },
                    (false, _) => EventKind::Gain,
                };
                self.bag_event(kind, source.seat, target.seat, moved, a.field);
            }
            (Store::Homes, Store::Homes) => {}
        }
        self.asm.place(nothing);
    }

    /// The part of an amount that lives in one of several homes.
    fn part(&mut self, amount: BagAt, goods: u64, homes: usize) -> BagAt {
        if homes <= 1 {
            return amount;
        }
        let set = self.memory.constant(&[goods]);
        let to = self.temporary_bag(amount.words);
        self.asm.emit(Op::BagWithin1.wide(amount.words), to.at, amount.at, set);
        to
    }

    /// Takes an amount out of a bag; gives what was taken.
    fn take_out(&mut self, source: Held, amount: BagAt, how: HowMuch, span: Span) -> BagAt {
        let moved = match how {
            HowMuch::Available => self.combine_bags(Op::BagMin1, amount, source.bag),
            HowMuch::Required | HowMuch::All => {
                let enough = self.asm.label();
                self.branch_to(Op::JumpHas1.wide(amount.words), source.bag.at, amount.at, enough);
                let name = self.program.fields[source.field.index()].name.clone();
                self.fault(614, format!("`{name}` does not hold what is to be taken from it"), span);
                self.asm.place(enough);
                // The amount may lie in the very bag that it is taken from.
                if amount.at == source.bag.at {
                    let copy = self.temporary_bag(amount.words);
                    self.asm.emit(Op::Copy1.wide(amount.words), copy.at, amount.at, 0);
                    copy
                } else {
                    amount
                }
            }
        };
        self.asm.emit(Op::BagSubtract1.wide(moved.words), source.bag.at, source.bag.at, moved.at);
        self.wrote_held(&source);
        moved
    }

    /// What still fits into a bag with a limit; None for a bag without one.
    pub fn room(&mut self, place: &'p BagPlace) -> Option<BagAt> {
        let held = self.held_if_any(place);
        self.room_of(&held)
    }

    fn room_of(&mut self, held: &Held) -> Option<BagAt> {
        let at_most = &self.program.fields[held.field.index()].at_most;
        if at_most.is_empty() {
            return None;
        }
        let mut limits = vec![LANE_MAX as u64 * 0x0101_0101_0101_0101; held.bag.words];
        for (kind, count) in at_most {
            let (word, shift) = (*kind as usize / 8, kind % 8 * 8);
            if let Some(word) = limits.get_mut(word) {
                *word = *word & !(0xff << shift) | (count.clamp(&0, &LANE_MAX).unsigned_abs()) << shift;
            }
        }
        let limits = BagAt { at: self.memory.constant(&limits), words: held.bag.words };
        Some(self.combine_bags(Op::BagSubtract1, limits, held.bag))
    }

    /// What of an amount is moved at all: what does not fit into the target stays where it is, and is a fault where all of
    /// it was required.
    fn fitting(&mut self, target: &Held, amount: BagAt, how: HowMuch, span: Span) -> BagAt {
        let Some(room) = self.room_of(target) else { return amount };
        if how == HowMuch::Required {
            let fits = self.asm.label();
            self.branch_to(Op::JumpHas1.wide(amount.words), room.at, amount.at, fits);
            let name = self.program.fields[target.field.index()].name.clone();
            self.fault(616, format!("`{name}` has no room for all that is to come into it"), span);
            self.asm.place(fits);
            return amount;
        }
        self.combine_bags(Op::BagMin1, amount, room)
    }

    fn put_in(&mut self, target: &Held, moved: BagAt, span: Span) {
        self.asm.emit(Op::BagAdd1.wide(moved.words), target.bag.at, target.bag.at, moved.at);
        self.guard_made(target, span);
    }

    /// What only moves never comes to more than there was at first; rules that make goods or cards out of nothing can
    /// bring more together than a bag holds.
    fn guard_made(&mut self, target: &Held, span: Span) {
        if self.makes_goods {
            self.guard_full(target.bag.at, target.bag.words, span);
        }
    }

    fn bag_type(&self, field: FieldId) -> Type {
        match self.program.fields[field.index()].ty {
            crate::program::FieldType::Bag { domain, .. } => Type::Bag(domain),
            _ => Type::Number,
        }
    }

    fn bag_event(&mut self, kind: EventKind, from: Option<Val>, to: Option<Val>, moved: BagAt, field: FieldId) {
        let mut values = Vec::new();
        for seat in [from, to].into_iter().flatten() {
            let at = self.address(seat);
            values.push((at, self.player_type()));
        }
        if values.is_empty() {
            return;
        }
        values.push((moved.at, self.bag_type(field)));
        self.event(kind, values);
    }

    pub fn steal(&mut self, count: &'p Expr, from: &'p BagPlace, to: &'p BagPlace, span: Span) {
        let count = self.value(count);
        // A few are taken one after the other, more in a loop.
        let (times, looped) = match count {
            Val::Known(n @ ..=16) => (n, None),
            Val::Known(_) | Val::At(_) => (1, Some(self.asm.label())),
        };
        let done = self.asm.label();
        let stream = self.stream("steal");
        let (minus, one, zero) = (self.number(-1), self.number(1), self.number(0));
        if let Some(again) = looped {
            let (left, count) = (self.asm.scratch(1), self.address(count));
            self.asm.emit(Op::Copy1, left, count, 0);
            self.asm.place(again);
            self.branch_to(Op::JumpAtMost, left, zero, done);
            self.asm.emit(Op::Subtract, left, left, one);
        }
        for _ in 0..times {
            let source = self.held(from, span);
            let kind = self.asm.scratch(1);
            let stealable = self.of_which_one_fits(source.bag, to);
            let op = Op::RandomLane1.wide(source.bag.words);
            self.asm.emit(op, kind, stealable.at, stream);
            self.branch_to(Op::JumpLess, kind, zero, done);
            self.asm.emit(Op::AddLane, source.bag.at, kind, minus);
            self.wrote_held(&source);
            let target = self.held(to, span);
            self.asm.emit(Op::AddLane, target.bag.at, kind, one);
            self.guard_made(&target, span);
            self.wrote_held(&target);
            let ty = match self.bag_type(from.field) {
                Type::Bag(d) => Type::Member(d),
                other => other,
            };
            let mut values = Vec::new();
            for seat in [source.seat, target.seat] {
                let at = self.address(seat.unwrap_or(Val::Known(-1)));
                values.push((at, self.player_type()));
            }
            values.push((kind, ty));
            self.event(EventKind::Steal(ty), values);
        }
        if let Some(again) = looped {
            self.asm.jump(again);
        }
        self.asm.place(done);
    }

    pub fn draw(&mut self, deck: DeckId, among: Option<&'p Expr>, to: &'p BagPlace, bind: Option<LocalId>, span: Span) {
        let decl = &self.program.decks[deck.index()];
        let (kind, last) = match bind {
            Some(local) => (self.local_at(local), self.asm.label()),
            None => (self.asm.scratch(1), self.asm.label()),
        };
        let cards = self.home(decl.cards);
        let among = among.map(|set| self.set(set));
        let pool = match &among {
            Some(_) => self.temporary_bag(cards.bag.words),
            None => cards.bag,
        };
        self.restrict(pool, cards.bag, among.as_ref());
        if decl.reshuffled {
            let full = self.asm.label();
            self.branch_to(Op::JumpSome1.wide(pool.words), pool.at, 0, full);
            self.shuffle_back(deck, among.as_ref());
            self.restrict(pool, cards.bag, among.as_ref());
            self.asm.place(full);
        }
        let op = Op::RandomLane1.wide(cards.bag.words);
        let stream = self.stream(&decl.name);
        let (minus, one, zero) = (self.number(-1), self.number(1), self.number(0));
        let drawable = self.of_which_one_fits(pool, to);
        self.asm.emit(op, kind, drawable.at, stream);
        self.branch_to(Op::JumpLess, kind, zero, last);
        self.asm.emit(Op::AddLane, cards.bag.at, kind, minus);
        self.wrote_held(&cards);
        let target = self.held(to, span);
        self.asm.emit(Op::AddLane, target.bag.at, kind, one);
        self.guard_made(&target, span);
        self.wrote_held(&target);
        let seat = self.address(target.seat.unwrap_or(Val::Known(-1)));
        // What comes into a bag that all can see is told to all.
        let open = self.number(i64::from(!self.program.fields[to.field.index()].hidden));
        let values = vec![(seat, self.player_type()), (kind, Type::Member(decl.domain)), (open, Type::Truth)];
        self.event(EventKind::Draw(decl.name.clone()), values);
        self.asm.place(last);
    }

    /// The part of a bag of whose kinds one more fits where it is to go.
    fn of_which_one_fits(&mut self, bag: BagAt, to: &'p BagPlace) -> BagAt {
        let Some(room) = self.room(to) else { return bag };
        let kinds = self.asm.scratch(1);
        self.asm.emit(Op::BagKinds1.wide(room.words), kinds, room.at, 0);
        let fitting = self.temporary_bag(bag.words);
        self.asm.emit(Op::BagWithin1.wide(bag.words), fitting.at, bag.at, kinds);
        fitting
    }

    /// Computes the part of a bag that is of these members, where they are given.
    fn restrict(&mut self, to: BagAt, bag: BagAt, among: Option<&SetAt>) {
        if let Some(set) = among {
            self.asm.emit(Op::BagWithin1.wide(bag.words), to.at, bag.at, set.at);
        }
    }

    /// Puts the discards back into the deck.
    pub fn shuffle_deck(&mut self, deck: DeckId) {
        self.shuffle_back(deck, None);
    }

    /// Puts the discards, or those of them that are among these, back into the deck.
    fn shuffle_back(&mut self, deck: DeckId, among: Option<&SetAt>) {
        let decl = &self.program.decks[deck.index()];
        if decl.cards == decl.discards {
            return;
        }
        let (cards, discards) = (self.home(decl.cards), self.home(decl.discards));
        let words = cards.bag.words;
        let back = match among {
            Some(_) => self.temporary_bag(words),
            None => discards.bag,
        };
        self.restrict(back, discards.bag, among);
        self.asm.emit(Op::BagAdd1.wide(words), cards.bag.at, cards.bag.at, back.at);
        self.asm.emit(Op::BagSubtract1.wide(words), discards.bag.at, discards.bag.at, back.at);
        self.wrote_held(&cards);
        self.wrote_held(&discards);
    }
}
