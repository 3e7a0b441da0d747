//! Sets: rows of bits, computed by set algebra wherever the condition allows it.

use super::Lower;
use super::environment::{Bind, Val};
use super::memory::Region;
use crate::engine::code::{Shape, set_words};
use crate::engine::instr::Op;
use crate::engine::lines::LineText;
use crate::program::{
    Compare, DomainId, DomainKind, Expr, ExprKind, LocalId, NEAR, Owner, PieceId, SLOTS, STANDING, Type,
};

/// A set in memory, and what is in it if that is known now. It may be the state's own words, not to be written.
#[derive(Clone, Debug)]
pub struct SetAt {
    pub at: u16,
    pub words: usize,
    pub known: Option<Vec<u64>>,
}

/// The words of a set of all of so many members.
pub fn all(members: usize) -> Vec<u64> {
    let mut out = vec![0; set_words(members)];
    for i in 0..members.min(512) {
        out[i / 64] |= 1 << (i % 64);
    }
    out
}

impl<'p> Lower<'p> {
    pub fn size(&self, domain: DomainId) -> usize {
        self.layout.sizes.get(domain.index()).copied().unwrap_or(0)
    }

    pub fn known_set(&mut self, words: Vec<u64>) -> SetAt {
        let at = self.memory.constant(&words);
        SetAt { at, words: words.len(), known: Some(words) }
    }

    fn members_set(&mut self, domain: DomainId, members: impl IntoIterator<Item = usize>) -> SetAt {
        let mut words = vec![0; set_words(self.size(domain))];
        for m in members {
            if let Some(w) = words.get_mut(m / 64) {
                *w |= 1 << (m % 64);
            }
        }
        self.known_set(words)
    }

    fn temporary(&mut self, words: usize) -> SetAt {
        SetAt { at: self.asm.scratch(words), words, known: None }
    }

    /// An empty set in scratch, to be filled.
    fn empty(&mut self, words: usize) -> SetAt {
        let zero = self.memory.constant(&vec![0; words]);
        let to = self.temporary(words);
        self.asm.emit(Op::Copy1.wide(words), to.at, zero, 0);
        to
    }

    pub fn copy_of(&mut self, set: &SetAt) -> SetAt {
        let to = self.temporary(set.words);
        self.asm.emit(Op::Copy1.wide(set.words), to.at, set.at, 0);
        to
    }

    pub fn intersect(&mut self, a: &SetAt, b: &SetAt) -> SetAt {
        match (&a.known, &b.known) {
            (Some(x), Some(y)) => self.known_set(x.iter().zip(y).map(|(x, y)| x & y).collect()),
            (Some(x), None) if x.iter().all(|w| *w == 0) => a.clone(),
            (None, Some(y)) if y.iter().all(|w| *w == 0) => b.clone(),
            (Some(_) | None, _) => self.combine(Op::And1, a, b),
        }
    }

    fn union(&mut self, a: &SetAt, b: &SetAt) -> SetAt {
        match (&a.known, &b.known) {
            (Some(x), Some(y)) => self.known_set(x.iter().zip(y).map(|(x, y)| x | y).collect()),
            (Some(x), None) if x.iter().all(|w| *w == 0) => b.clone(),
            (None, Some(y)) if y.iter().all(|w| *w == 0) => a.clone(),
            (Some(_) | None, _) => self.combine(Op::Or1, a, b),
        }
    }

    pub fn without(&mut self, a: &SetAt, b: &SetAt) -> SetAt {
        match (&a.known, &b.known) {
            (Some(x), Some(y)) => self.known_set(x.iter().zip(y).map(|(x, y)| x & !y).collect()),
            (Some(x), None) if x.iter().all(|w| *w == 0) => a.clone(),
            (None, Some(y)) if y.iter().all(|w| *w == 0) => a.clone(),
            (Some(_) | None, _) => self.combine(Op::Without1, a, b),
        }
    }

    fn combine(&mut self, op: Op, a: &SetAt, b: &SetAt) -> SetAt {
        let to = self.temporary(a.words);
        self.asm.emit(op.wide(a.words), to.at, a.at, b.at);
        to
    }

    /// A player's pieces: the state's own words.
    pub fn pieces_of(&mut self, piece: PieceId, seat: usize) -> SetAt {
        self.reads(Region::Piece(piece, Some(seat)));
        let place = &self.layout.pieces[piece.index()];
        let seat = if place.owned { seat } else { 0 };
        SetAt { at: place.address + (seat * place.words) as u16, words: place.words, known: None }
    }

    pub fn piece_set(&mut self, piece: PieceId, owner: &'p Owner) -> SetAt {
        let place = self.layout.pieces[piece.index()].clone();
        if !place.owned {
            return self.pieces_of(piece, 0);
        }
        match owner {
            Owner::Any => self.all_pieces(piece),
            // The set of those that are nobody's lies behind those of the players.
            Owner::Neutral => self.pieces_of(piece, self.players),
            Owner::One(player) => match self.value(player) {
                Val::Known(seat) if seat < 0 => self.known_set(vec![0; place.words]),
                Val::Known(seat) => self.pieces_of(piece, seat.min(self.players as i64 - 1) as usize),
                Val::At(seat) => {
                    self.reads(Region::Piece(piece, None));
                    let doubts = if self.may_be_none(player) { vec![seat] } else { Vec::new() };
                    let (to, nothing) = (self.temporary(place.words), self.memory.constant(&vec![0; place.words]));
                    self.load_or(to.at, place.words, (place.address, seat), &doubts, nothing);
                    to
                }
            },
            Owner::Among(players) => {
                let among = self.set(players);
                let mut out: Option<SetAt> = None;
                for seat in 0..self.players {
                    let here = match &among.known {
                        Some(known) if known[0] >> seat & 1 == 0 => continue,
                        Some(_) => self.pieces_of(piece, seat),
                        None => {
                            let pieces = self.pieces_of(piece, seat);
                            let some = self.empty(place.words);
                            let skip = self.asm.label();
                            let number = self.number(seat as i64);
                            self.branch_to(Op::JumpOut1, among.at, number, skip);
                            self.asm.emit(Op::Copy1.wide(place.words), some.at, pieces.at, 0);
                            self.asm.place(skip);
                            some
                        }
                    };
                    out = Some(match out {
                        None => here,
                        Some(before) => self.union(&before, &here),
                    });
                }
                out.unwrap_or_else(|| self.known_set(vec![0; place.words]))
            }
        }
    }

    /// Computes a set.
    pub fn set(&mut self, e: &'p Expr) -> SetAt {
        let Type::Set(domain) = e.ty else {
            // A single member stands for the set of it alone.
            if let Type::Member(domain) = e.ty {
                let member = self.value(e);
                return self.single(domain, member);
            }
            return self.known_set(vec![0]);
        };
        let words = set_words(self.size(domain));
        match &e.kind {
            ExprKind::All(d) => {
                let members = self.size(*d);
                self.known_set(all(members))
            }
            ExprKind::Members(list) => self.members_set(domain, list.iter().map(|m| *m as usize)),
            ExprKind::SetOf(list) => {
                let values: Vec<Val> = list.iter().map(|e| self.value(e)).collect();
                let mut out = self.members_set(
                    domain,
                    values.iter().filter_map(|v| match v {
                        Val::Known(m) if *m >= 0 => Some(*m as usize),
                        Val::Known(_) | Val::At(_) => None,
                    }),
                );
                for value in values {
                    if let Val::At(at) = value {
                        if out.known.is_some() {
                            out = self.copy_of(&out);
                        }
                        self.asm.emit(Op::Insert1.wide(words), out.at, at, 0);
                    }
                }
                out
            }
            ExprKind::Pieces { piece, owner } => self.piece_set(*piece, owner),
            ExprKind::Owners { pieces, at } => self.owners(pieces, at),
            ExprKind::Union(a, b) => {
                let (a, b) = (self.set(a), self.set(b));
                self.union(&a, &b)
            }
            ExprKind::Intersect(a, b) => {
                let (a, b) = (self.set(a), self.set(b));
                self.intersect(&a, &b)
            }
            ExprKind::Without(a, b) => {
                let (a, b) = (self.set(a), self.set(b));
                self.without(&a, &b)
            }
            ExprKind::Filter { local, over, cond } => {
                let over = self.set(over);
                self.filter(*local, domain, over, cond)
            }
            ExprKind::Image { relation, of } => self.image(relation, of, domain),
            ExprKind::Mark { name, seat } => self.marked(name, seat.as_deref(), domain),
            ExprKind::Yields(terrain) => self.yields_of(terrain, domain),
            ExprKind::Kinds(bag) => {
                let bag = self.bag(bag);
                let to = self.temporary(1);
                self.asm.emit(Op::BagKinds1.wide(bag.words), to.at, bag.at, 0);
                to
            }
            ExprKind::Reasoned { set, .. } => self.set(set),
            ExprKind::Line { length, set, along } => {
                let length = self.value_at(length);
                let set = self.set(set);
                let line = self.copy_of(&set);
                let number = self.line_text(domain, along.as_deref());
                self.asm.emit(Op::Line1.wide(words), line.at, length, number);
                line
            }
            ExprKind::Within { steps, from, inside, along } => self.reach(steps, from, inside.as_deref(), along),
            ExprKind::Call { function, args } => self.call_set(*function, args, words),
            ExprKind::If { cond, then, otherwise } => {
                if let Some(c) = self.known(cond) {
                    return self.set(if c != 0 { then } else { otherwise });
                }
                let to = self.temporary(words);
                let (other, done) = (self.asm.label(), self.asm.label());
                self.branch(cond, false, other);
                let value = self.set(then);
                self.asm.emit(Op::Copy1.wide(words), to.at, value.at, 0);
                self.asm.jump(done);
                self.asm.place(other);
                let value = self.set(otherwise);
                self.asm.emit(Op::Copy1.wide(words), to.at, value.at, 0);
                self.asm.place(done);
                to
            }
            ExprKind::Local(local) => match self.env.scope.binds.get(local.index()).cloned() {
                Some(Bind::Wide(at)) => SetAt { at, words, known: None },
                Some(Bind::Set(known)) => self.known_set(known.to_vec()),
                Some(Bind::Lazy(inner, scope)) => self.within(&scope, |l| l.set(inner)),
                Some(Bind::Val(value)) => self.single(domain, value),
                Some(Bind::Unset | Bind::Tally(_)) | None => self.known_set(vec![0; words]),
            },
            ExprKind::Field { field, keys } => {
                let region = self.field_region(*field, keys);
                self.reads(region);
                let place = self.layout.fields[field.index()].clone();
                let cell = self.cell(keys, &place.keys);
                let doubts = self.doubts();
                match cell {
                    Val::Known(_) if !doubts.is_empty() => self.known_set(vec![0; words]),
                    Val::Known(cell) => {
                        SetAt { at: place.address + (cell as usize * words) as u16, words, known: None }
                    }
                    Val::At(cell) => {
                        let (to, nothing) = (self.temporary(words), self.memory.constant(&vec![0; words]));
                        self.load_or(to.at, words, (place.address, cell), &doubts, nothing);
                        to
                    }
                }
            }
            ExprKind::Lookup { table, of, place } => {
                if let Some(known) = self.known_lookup(*table, of, place.as_deref()) {
                    let known = known.words(words);
                    return self.known_set(known);
                }
                let to = self.temporary(words);
                self.lookup(*table, of, place.as_deref(), to.at, words);
                to
            }
            ExprKind::Script { script, function, args } => {
                let to = self.temporary(words);
                self.script_call(script.index(), function, args, to.at, e.ty, e.span);
                to
            }
            _ => self.known_set(vec![0; words]),
        }
    }

    pub fn single(&mut self, domain: DomainId, member: Val) -> SetAt {
        let words = set_words(self.size(domain));
        match member {
            Val::Known(m) => self.members_set(domain, (m >= 0).then_some(m as usize)),
            Val::At(at) => {
                let to = self.temporary(words);
                self.asm.emit(Op::Single1.wide(words), to.at, at, 0);
                to
            }
        }
    }

    fn owners(&mut self, pieces: &'p [PieceId], at: &'p Expr) -> SetAt {
        let places = self.set(at);
        let to = self.empty(1);
        for seat in 0..self.players {
            let number = self.number(seat as i64);
            let (found, next) = (self.asm.label(), self.asm.label());
            let owned: Vec<PieceId> = pieces.iter().copied().filter(|p| self.program.pieces[p.index()].owned).collect();
            for (i, piece) in owned.iter().enumerate() {
                let set = self.places_of(*piece, seat);
                if i + 1 == owned.len() {
                    self.branch_to(Op::JumpApart1.wide(set.words), set.at, places.at, next);
                } else {
                    self.branch_to(Op::JumpMeets1.wide(set.words), set.at, places.at, found);
                }
            }
            self.asm.place(found);
            if !owned.is_empty() {
                self.asm.emit(Op::Insert1, to.at, number, 0);
            }
            self.asm.place(next);
        }
        to
    }

    /// The members of a set for which the condition holds.
    pub fn filter(&mut self, local: LocalId, domain: DomainId, over: SetAt, cond: &'p Expr) -> SetAt {
        if let Some(known) = self.known_over(local, cond, domain) {
            let known = self.known_set(known);
            return self.intersect(&over, &known);
        }
        if let Some(algebra) = self.as_set(local, domain, cond) {
            return self.intersect(&over, &algebra);
        }
        if let ExprKind::And(a, b) = &cond.kind {
            let first = self.filter(local, domain, over, a);
            return self.filter(local, domain, first, b);
        }
        let out = self.empty(over.words);
        self.loop_over(local, domain, over, |l, member| {
            let skip = l.asm.label();
            l.branch(cond, false, skip);
            let member = l.address(member);
            l.asm.emit(Op::Insert1.wide(out.words), out.at, member, 0);
            l.asm.place(skip);
        });
        out
    }

    /// The members for which the condition holds, if that is known now for every member.
    fn known_over(&mut self, local: LocalId, cond: &'p Expr, domain: DomainId) -> Option<Vec<u64>> {
        let members = self.size(domain);
        if members > 64 {
            return None;
        }
        let mut out = vec![0; set_words(members)];
        for m in 0..members {
            self.env.bind(local, Bind::Val(Val::Known(m as i64)));
            if self.known(cond)? != 0 {
                out[m / 64] |= 1 << (m % 64);
            }
        }
        Some(out)
    }

    /// Does something for each member of the set that the expression gives.
    pub fn each_member(&mut self, local: LocalId, over: &'p Expr, body: impl FnMut(&mut Self, Val)) {
        let (Type::Set(domain) | Type::Member(domain)) = over.ty else { return };
        let over = self.set(over);
        self.loop_over(local, domain, over, body);
    }

    /// Does something for each member: players and known small sets one by one, others in a loop in scratch.
    pub fn loop_over(&mut self, local: LocalId, domain: DomainId, over: SetAt, mut body: impl FnMut(&mut Self, Val)) {
        let is_player = self.program.domains[domain.index()].kind == DomainKind::Player;
        if is_player {
            for seat in 0..self.size(domain) {
                let skip = self.asm.label();
                match &over.known {
                    Some(known) if known[0] >> seat & 1 == 0 => continue,
                    Some(_) => {}
                    None => {
                        let number = self.number(seat as i64);
                        self.branch_to(Op::JumpOut1, over.at, number, skip);
                    }
                }
                self.env.bind(local, Bind::Val(Val::Known(seat as i64)));
                body(self, Val::Known(seat as i64));
                self.asm.place(skip);
            }
            return;
        }
        let rest = self.copy_of(&over);
        let member = self.asm.scratch(1);
        self.env.bind(local, Bind::Val(Val::At(member)));
        let (again, done) = (self.asm.label(), self.asm.label());
        self.asm.place(again);
        self.branch_to(Op::Pop1.wide(rest.words), member, rest.at, done);
        body(self, Val::At(member));
        self.asm.jump(again);
        self.asm.place(done);
    }

    /// The set of members for which the condition holds, by set algebra; None if it takes a loop.
    pub fn as_set(&mut self, local: LocalId, domain: DomainId, cond: &'p Expr) -> Option<SetAt> {
        let mentions = |l: &Self, e: &'p Expr| l.mentions(e, local);
        if !mentions(self, cond) {
            return None;
        }
        let everything = |l: &mut Self| {
            let members = l.size(domain);
            l.known_set(all(members))
        };
        match &cond.kind {
            ExprKind::In { member, set } if self.is_local(member, local) && !mentions(self, set) => Some(self.set(set)),
            ExprKind::Not(inner) => {
                let inner = self.as_set(local, domain, inner)?;
                let all = everything(self);
                Some(self.without(&all, &inner))
            }
            ExprKind::And(a, b) => {
                let a = self.as_set(local, domain, a)?;
                let b = self.as_set(local, domain, b)?;
                Some(self.intersect(&a, &b))
            }
            ExprKind::Or(a, b) => {
                let a = self.as_set(local, domain, a)?;
                let b = self.as_set(local, domain, b)?;
                Some(self.union(&a, &b))
            }
            ExprKind::Has(bag, amount) if !mentions(self, bag) => {
                let ExprKind::BagOf(list) = &amount.kind else { return None };
                let [(kind, count)] = &list[..] else { return None };
                if !self.is_local(kind, local) || mentions(self, count) {
                    return None;
                }
                let count = self.known(count).filter(|n| *n > 0)?;
                let bag = self.bag(bag);
                Some(self.lanes_above(bag, count - 1))
            }
            ExprKind::Compare { op, left, right } => self.compare_as_set(local, domain, *op, left, right),
            ExprKind::Field { field, keys } => {
                let (last, outer) = keys.split_last()?;
                if !self.is_local(last, local) || outer.iter().any(|k| mentions(self, k)) {
                    return None;
                }
                let place = self.layout.fields[field.index()].clone();
                let Shape::Rows { words, .. } = place.shape else { return None };
                let region = self.field_region(*field, keys);
                self.reads(region);
                let at = self.rows_at(&place, outer, words);
                Some(SetAt { at, words, known: None })
            }
            _ => None,
        }
    }

    /// The kinds of which the bag holds more than so many.
    fn lanes_above(&mut self, bag: super::bags::BagAt, count: i64) -> SetAt {
        let to = self.temporary(1);
        if count == 0 {
            self.asm.emit(Op::BagKinds1.wide(bag.words), to.at, bag.at, 0);
        } else {
            let lane = count.clamp(0, 127) as u64;
            let splat = self.memory.constant(&vec![lane.wrapping_mul(0x0101_0101_0101_0101); bag.words]);
            self.asm.emit(Op::BagAbove1.wide(bag.words), to.at, bag.at, splat);
        }
        to
    }

    fn compare_as_set(
        &mut self,
        local: LocalId,
        domain: DomainId,
        op: Compare,
        left: &'p Expr,
        right: &'p Expr,
    ) -> Option<SetAt> {
        let (left, right, op) = if self.mentions(left, local) { (left, right, op) } else { (right, left, flipped(op)) };
        let members = self.size(domain);
        if matches!(left.kind, ExprKind::Lane { .. } | ExprKind::Sum { .. } | ExprKind::Arith { .. })
            && let Some(set) = self.lanes_as_set(local, domain, op, left, right)
        {
            return Some(set);
        }
        if self.mentions(right, local) {
            return None;
        }
        if self.is_local(left, local) {
            let value = self.value(right);
            let one = self.single(domain, value);
            return match op {
                Compare::Equal => Some(one),
                Compare::NotEqual => {
                    let all = self.known_set(all(members));
                    Some(self.without(&all, &one))
                }
                Compare::Less | Compare::LessEqual | Compare::Greater | Compare::GreaterEqual => None,
            };
        }
        if let ExprKind::Lookup { table, of, place: None } = &left.kind {
            return if self.is_local(of, local) { self.column_as_set(*table, domain, op, right) } else { None };
        }
        let ExprKind::Field { field, keys } = &left.kind else { return None };
        let (last, outer) = keys.split_last()?;
        if !self.is_local(last, local) || outer.iter().any(|k| self.mentions(k, local)) {
            return None;
        }
        let place = self.layout.fields[field.index()].clone();
        let Shape::Rows { words, values, low } = place.shape else { return None };
        if !matches!(op, Compare::Equal | Compare::NotEqual) {
            return None;
        }
        let region = self.field_region(*field, keys);
        self.reads(region);
        let rows = self.rows_at(&place, outer, values * words);
        let row = match self.value(right) {
            Val::Known(value) => {
                let row = value - low;
                if row < 0 || row >= values as i64 {
                    // The value of places that are in no row.
                    let mut some = self.known_set(vec![0; words]);
                    for v in 0..values {
                        let here = SetAt { at: rows + (v * words) as u16, words, known: None };
                        some = self.union(&some, &here);
                    }
                    let all = self.known_set(all(members));
                    let none = self.without(&all, &some);
                    return Some(match op {
                        Compare::Equal if row == -1 => none,
                        Compare::Equal => self.known_set(vec![0; words]),
                        _ if row == -1 => some,
                        _ => all,
                    });
                }
                SetAt { at: rows + (row as usize * words) as u16, words, known: None }
            }
            Val::At(value) => {
                let index = if low == 0 {
                    value
                } else {
                    let (index, low) = (self.asm.scratch(1), self.number(low));
                    self.asm.emit(Op::Subtract, index, value, low);
                    index
                };
                // A value outside of the rows belongs to the places in none of them.
                let to = self.empty(words);
                let (inside, done) = (self.asm.label(), self.asm.label());
                let (zero, last) = (self.number(0), self.number(values as i64 - 1));
                let outside = self.asm.label();
                self.branch_to(Op::JumpLess, index, zero, outside);
                self.branch_to(Op::JumpAtMost, index, last, inside);
                self.asm.place(outside);
                for v in 0..values {
                    self.asm.emit(Op::Or1.wide(words), to.at, to.at, rows + (v * words) as u16);
                }
                let every = self.known_set(all(members));
                self.asm.emit(Op::Without1.wide(words), to.at, every.at, to.at);
                self.asm.jump(done);
                self.asm.place(inside);
                self.asm.emit(Op::Load1.wide(words), to.at, rows, index);
                self.asm.place(done);
                to
            }
        };
        Some(match op {
            Compare::Equal => row,
            _ => {
                let all = self.known_set(all(members));
                self.without(&all, &row)
            }
        })
    }

    /// A number that depends on a kind, for all kinds at once: a bag whose lanes are the numbers. None if it is none of
    /// the forms that bags can tell.
    fn as_lanes(&mut self, local: LocalId, words: usize, e: &'p Expr) -> Option<super::bags::BagAt> {
        if !self.mentions(e, local) {
            let lane = self.known(e).filter(|n| (0..=127).contains(n))? as u64;
            let at = self.memory.constant(&vec![lane.wrapping_mul(0x0101_0101_0101_0101); words]);
            return Some(super::bags::BagAt { at, words });
        }
        match &e.kind {
            ExprKind::Lane { bag, kind } if self.is_local(kind, local) && !self.mentions(bag, local) => {
                Some(self.bag(bag)).filter(|b| b.words == words)
            }
            ExprKind::Arith { op: crate::program::Arith::Add, left, right } => {
                let left = self.as_lanes(local, words, left)?;
                let right = self.as_lanes(local, words, right)?;
                let sum = self.combine_bags(Op::BagAdd1, left, right);
                self.guard_full(sum.at, words, e.span);
                Some(sum)
            }
            ExprKind::Sum { local: player, over, body } => {
                let Type::Set(domain) = over.ty else { return None };
                let ExprKind::All(_) = &over.kind else { return None };
                if self.program.domains[domain.index()].kind != DomainKind::Player {
                    return None;
                }
                let mut sum: Option<super::bags::BagAt> = None;
                for seat in 0..self.players {
                    self.env.bind(*player, Bind::Val(Val::Known(seat as i64)));
                    let lanes = self.as_lanes(local, words, body)?;
                    sum = Some(match sum {
                        None => lanes,
                        Some(before) => self.combine_bags(Op::BagAdd1, before, lanes),
                    });
                }
                let sum = sum?;
                self.guard_full(sum.at, words, e.span);
                Some(sum)
            }
            _ => None,
        }
    }

    /// Compares two numbers for every kind of a bag at once.
    fn lanes_as_set(
        &mut self,
        local: LocalId,
        domain: DomainId,
        op: Compare,
        left: &'p Expr,
        right: &'p Expr,
    ) -> Option<SetAt> {
        if !matches!(self.program.domains[domain.index()].kind, DomainKind::Goods { .. } | DomainKind::Cards(_))
            || matches!(op, Compare::Equal | Compare::NotEqual)
        {
            return None;
        }
        let words = self.bag_width(domain);
        let left = self.as_lanes(local, words, left)?;
        let right = self.as_lanes(local, words, right)?;
        // `a >= b` is what is left without `b > a`.
        let (first, second, rest) = match op {
            Compare::Greater => (left, right, false),
            Compare::Less => (right, left, false),
            Compare::GreaterEqual => (right, left, true),
            Compare::LessEqual | Compare::Equal | Compare::NotEqual => (left, right, true),
        };
        let zero = self.empty_bag(words);
        let to = self.temporary(1);
        if second == zero {
            self.asm.emit(Op::BagKinds1.wide(words), to.at, first.at, 0);
        } else {
            self.asm.emit(Op::BagAbove1.wide(words), to.at, first.at, second.at);
        }
        if !rest {
            return Some(to);
        }
        let members = self.size(domain);
        let all = self.known_set(all(members));
        Some(self.without(&all, &to))
    }

    fn is_local(&self, e: &Expr, local: LocalId) -> bool {
        matches!(&e.kind, ExprKind::Local(l) if *l == local)
    }

    /// The address of a relation's table of sets, and the words of a row.
    pub fn relation(&mut self, name: &str, from: DomainId, to: DomainId) -> Option<(u16, usize)> {
        let key = (name.to_string(), from.index(), to.index());
        if let Some(found) = self.tables.get(&key) {
            return Some(*found);
        }
        let targets = self.related(name, from, to)?;
        let words = set_words(self.size(to));
        let mut table = vec![0u64; targets.len() * words];
        for (i, targets) in targets.iter().enumerate() {
            for t in targets {
                table[i * words + *t as usize / 64] |= 1 << (t % 64);
            }
        }
        // The row before the first is that of no place (-1): nothing.
        let at = self.memory.table(&table, words);
        self.tables.insert(key, (at, words));
        Some((at, words))
    }

    /// For each member of a domain those of another that a relation leads to: one of the board, or that between places
    /// and their slots.
    fn related(&self, name: &str, from: DomainId, to: DomainId) -> Option<Vec<Vec<u16>>> {
        let slots = |domain: DomainId| match self.program.domains.get(domain.index())?.kind {
            DomainKind::Slots { count, .. } => Some(count as u16),
            _ => None,
        };
        match name {
            SLOTS => {
                let count = slots(to)?;
                Some((0..self.size(from) as u16).map(|place| (place * count..(place + 1) * count).collect()).collect())
            }
            STANDING => {
                let count = slots(from)?;
                Some((0..self.size(from) as u16).map(|slot| vec![slot / count]).collect())
            }
            _ => {
                let variant = self.variant()?;
                let from_kind = variant.kinds.iter().position(|d| *d == from)?;
                let to_kind = variant.kinds.iter().position(|d| *d == to)?;
                let board = &variant.board;
                if name == NEAR {
                    return board.near(from_kind, to_kind);
                }
                if let Some(found) = board.relation(name, from_kind, to_kind) {
                    return Some(found.table.clone());
                }
                let is_it = |d: &&crate::board::Direction| d.name == name && d.from == from_kind && d.to == to_kind;
                let direction = board.directions.iter().find(is_it)?;
                Some(direction.table.iter().map(|target| target.iter().copied().collect()).collect())
            }
        }
    }

    /// The places on which a player's pieces stand, also of a kind that stands in slots.
    pub fn places_of(&mut self, piece: PieceId, seat: usize) -> SetAt {
        let pieces = self.pieces_of(piece, seat);
        let decl = &self.program.pieces[piece.index()];
        if decl.on == decl.place {
            return pieces;
        }
        let Some((table, words)) = self.relation(STANDING, decl.on, decl.place) else { return pieces };
        let out = self.temporary(words);
        self.asm.emit(Op::image(pieces.words, words), out.at, pieces.at, table);
        out
    }

    fn image(&mut self, relation: &str, of: &'p Expr, to: DomainId) -> SetAt {
        let words = set_words(self.size(to));
        let (Type::Set(from) | Type::Member(from)) = of.ty else { return self.known_set(vec![0; words]) };
        let Some((table, words)) = self.relation(relation, from, to) else {
            return self.known_set(vec![0; words]);
        };
        if let Type::Member(_) = of.ty {
            return match self.value(of) {
                Val::Known(m) if m >= 0 => {
                    let at = table as usize + m as usize * words;
                    let row = (0..words).map(|k| self.memory.image.get(at + k).copied().unwrap_or(0)).collect();
                    self.known_set(row)
                }
                Val::Known(_) => self.known_set(vec![0; words]),
                Val::At(at) => {
                    let to = self.temporary(words);
                    self.asm.emit(Op::Load1.wide(words), to.at, table, at);
                    to
                }
            };
        }
        let set = self.set(of);
        if let Some(known) = &set.known {
            let mut out = vec![0; words];
            for m in 0..known.len() * 64 {
                if known[m / 64] >> (m % 64) & 1 == 1 {
                    let at = table as usize + m * words;
                    for (k, w) in out.iter_mut().enumerate() {
                        *w |= self.memory.image.get(at + k).copied().unwrap_or(0);
                    }
                }
            }
            return self.known_set(out);
        }
        let out = self.temporary(words);
        self.asm.emit(Op::image(set.words, words), out.at, set.at, table);
        out
    }

    /// The number of the description of a kind of place's lines.
    fn line_text(&mut self, domain: DomainId, along: Option<&str>) -> u16 {
        let text = self.variant().and_then(|v| {
            let kind = v.kinds.iter().position(|d| *d == domain)?;
            Some(LineText::new(&v.board, kind, along))
        });
        self.code.lines.push(text.unwrap_or_default());
        self.code.lines.len() as u16 - 1
    }

    /// The places of a mark, path or region.
    fn marked(&mut self, name: &str, seat: Option<&'p Expr>, domain: DomainId) -> SetAt {
        let words = set_words(self.size(domain));
        let Some(board) = self.variant().map(|v| &v.board) else { return self.known_set(vec![0; words]) };
        let places = |owner: Option<&str>| -> Vec<usize> {
            let marks = board
                .marks
                .iter()
                .filter(|m| m.name == name && (owner.is_none() || m.seat.as_deref() == owner))
                .flat_map(|m| m.places.iter());
            let paths = board.paths.iter().filter(|p| p.name == name).flat_map(|p| p.places.iter());
            let regions =
                board.regions.iter().chain(&board.fogs).filter(|p| p.name == name).flat_map(|p| p.places.iter());
            marks.chain(paths).chain(regions).map(|p| *p as usize).collect()
        };
        let Some(seat) = seat else {
            let all = places(None);
            return self.members_set(domain, all);
        };
        let seats: Vec<String> = self
            .program
            .known
            .player
            .map(|d| self.program.domains[d.index()].members.iter().map(|m| m.name.clone()).collect())
            .unwrap_or_default();
        match self.value(seat) {
            Val::Known(p) => {
                let of_seat = seats.get(p.max(0) as usize).map(|s| places(Some(s))).unwrap_or_default();
                self.members_set(domain, of_seat)
            }
            Val::At(p) => {
                let mut table = Vec::new();
                for s in seats.iter().take(self.players) {
                    let set = self.members_set(domain, places(Some(s)));
                    table.extend(set.known.unwrap_or_default());
                }
                let at = self.memory.table(&table, words);
                let to = self.temporary(words);
                self.asm.emit(Op::Load1.wide(words), to.at, at, p);
                to
            }
        }
    }

    fn yields_of(&mut self, terrain: &'p Expr, domain: DomainId) -> SetAt {
        let rows: Vec<u64> =
            self.program.yields.iter().map(|goods| goods.iter().fold(0, |acc, g| acc | 1 << (g % 64))).collect();
        match self.value(terrain) {
            Val::Known(t) => {
                let row = rows.get(t.max(0) as usize).copied().filter(|_| t >= 0).unwrap_or(0);
                let mut words = vec![0; set_words(self.size(domain))];
                words[0] = row;
                self.known_set(words)
            }
            Val::At(t) => {
                let table = match self.yields {
                    Some(at) => at,
                    None => {
                        let at = self.memory.table(&rows, 1);
                        self.yields = Some(at);
                        at
                    }
                };
                let to = self.temporary(1);
                self.asm.emit(Op::Load1, to.at, table, t);
                to
            }
        }
    }
}

fn flipped(op: Compare) -> Compare {
    match op {
        Compare::Equal | Compare::NotEqual => op,
        Compare::Less => Compare::Greater,
        Compare::LessEqual => Compare::GreaterEqual,
        Compare::Greater => Compare::Less,
        Compare::GreaterEqual => Compare::LessEqual,
    }
}
