//! State of single pieces: it goes where the piece goes, and is as at first once the piece has left the board.

use super::Lower;
use super::environment::Val;
use super::memory::Region;
use crate::engine::code::{FieldPlace, Shape};
use crate::engine::instr::Op;
use crate::program::{FieldId, FieldType, PieceId};

impl<'p> Lower<'p> {
    /// Moves what belongs to the piece from one place to another, or forgets it.
    pub fn move_flags(&mut self, piece: PieceId, owner: Option<Val>, from: u16, to: Option<u16>) {
        let program = self.program;
        if let Some(Val::Known(seat)) = owner
            && seat >= self.players as i64
        {
            // Pieces of nobody among those of players have no state of their own.
            return;
        }
        let done = self.asm.label();
        if let Some(to) = to
            && program.fields.iter().any(|field| field.pieces.contains(&piece))
        {
            // A piece that stays where it is keeps what it has.
            self.branch_to(Op::JumpEqual, from, to, done);
        }
        for (id, field) in program.fields.iter().enumerate() {
            if !field.pieces.contains(&piece) {
                continue;
            }
            let place = self.layout.fields[id].clone();
            let initial = field.initial.as_ref().map(|e| self.constant_value(e)).unwrap_or(match field.ty {
                FieldType::Number { low, .. } => low,
                FieldType::Member { .. } => -1,
                FieldType::Truth | FieldType::Set(_) | FieldType::Bag { .. } => 0,
            });
            if place.keys.len() > 1 + usize::from(owner.is_some()) {
                self.move_of_each(&place, owner, (from, to), initial);
                self.asm.wrote(Region::Field(FieldId(id as u32), None));
                continue;
            }
            match place.shape {
                Shape::Rows { .. } => self.move_in_rows(&place, owner, from, to, initial),
                Shape::Word => self.move_words(&place, 1, owner, (from, to), initial),
                Shape::Set(words) | Shape::Bag(words) => self.move_words(&place, words, owner, (from, to), 0),
            }
            let whose = match owner {
                Some(Val::Known(seat)) => Some(seat.max(0) as usize),
                Some(Val::At(_)) | None => None,
            };
            self.asm.wrote(Region::Field(FieldId(id as u32), whose));
        }
        self.asm.place(done);
    }

    fn move_in_rows(&mut self, place: &FieldPlace, owner: Option<Val>, from: u16, to: Option<u16>, initial: i64) {
        let Shape::Rows { words, values, low } = place.shape else { return };
        let seat = match owner {
            Some(Val::At(at)) => {
                for known in 0..self.players as i64 {
                    let (next, number) = (self.asm.label(), self.number(known));
                    self.branch_to(Op::JumpUnequal, at, number, next);
                    self.move_in_rows(place, Some(Val::Known(known)), from, to, initial);
                    self.asm.place(next);
                }
                return;
            }
            Some(Val::Known(seat)) => seat.max(0) as usize,
            None => 0,
        };
        let rows = place.address + (seat * values * words) as u16;
        if let Some(to) = to {
            for value in 0..values {
                self.asm.emit(Op::Delete1.wide(words), rows + (value * words) as u16, to, 0);
            }
        }
        for value in 0..values {
            let row = rows + (value * words) as u16;
            let next = self.asm.label();
            self.branch_to(Op::JumpOut1.wide(words), row, from, next);
            self.asm.emit(Op::Delete1.wide(words), row, from, 0);
            if let Some(to) = to {
                self.asm.emit(Op::Insert1.wide(words), row, to, 0);
            }
            self.asm.place(next);
        }
        if initial >= low && initial - low < values as i64 {
            let row = rows + ((initial - low) as usize * words) as u16;
            self.asm.emit(Op::Insert1.wide(words), row, from, 0);
        }
    }

    fn move_words(
        &mut self,
        place: &FieldPlace,
        words: usize,
        owner: Option<Val>,
        (from, to): (u16, Option<u16>),
        initial: i64,
    ) {
        let places = place.keys.last().copied().unwrap_or(0) as i64;
        let first = match owner {
            Some(Val::At(at)) => {
                let (to, size) = (self.asm.scratch(1), self.number(places));
                self.asm.emit(Op::Multiply, to, at, size);
                to
            }
            Some(Val::Known(seat)) => self.number(seat.max(0) * places),
            None => self.number(0),
        };
        let index = self.asm.scratch(1);
        if let Some(to) = to {
            let held = self.asm.scratch(words);
            self.asm.emit(Op::Add, index, first, from);
            self.asm.emit(Op::Load1.wide(words), held, place.address, index);
            self.asm.emit(Op::Add, index, first, to);
            self.asm.emit(Op::Store1.wide(words), place.address, index, held);
        }
        let fresh = self.memory.constant(&vec![initial as u64; words]);
        self.asm.emit(Op::Add, index, first, from);
        self.asm.emit(Op::Store1.wide(words), place.address, index, fresh);
    }

    /// As the others, of state that is declared for more than the piece: one after the other for each of what stands before
    /// the piece among the keys.
    fn move_of_each(&mut self, place: &FieldPlace, owner: Option<Val>, (from, to): (u16, Option<u16>), initial: i64) {
        let behind = 1 + usize::from(owner.is_some());
        let count: usize = place.keys.iter().rev().skip(behind).product();
        let places = place.keys.last().copied().unwrap_or(0);
        let owners = if owner.is_some() { place.keys.iter().rev().nth(1).copied().unwrap_or(1) } else { 1 };
        let (next, unit, index) = (self.zeroed(), self.asm.scratch(1), self.asm.scratch(1));
        let (count, owners, one) = (self.number(count as i64), self.number(owners as i64), self.number(1));
        let seat = self.address(owner.unwrap_or(Val::Known(0)));
        let (again, done) = (self.asm.label(), self.asm.label());
        self.asm.place(again);
        self.branch_to(Op::JumpAtMost, count, next, done);
        self.asm.emit(Op::Multiply, unit, next, owners);
        self.asm.emit(Op::Add, unit, unit, seat);
        match place.shape {
            Shape::Rows { words, values, low } => {
                let size = self.number(values as i64);
                self.asm.emit(Op::Multiply, index, unit, size);
                let row = self.asm.scratch(words);
                for value in 0..values {
                    let stays = self.asm.label();
                    self.asm.emit(Op::Load1.wide(words), row, place.address, index);
                    if let Some(to) = to {
                        self.asm.emit(Op::Delete1.wide(words), row, to, 0);
                    }
                    self.branch_to(Op::JumpOut1.wide(words), row, from, stays);
                    self.asm.emit(Op::Delete1.wide(words), row, from, 0);
                    if let Some(to) = to {
                        self.asm.emit(Op::Insert1.wide(words), row, to, 0);
                    }
                    self.asm.place(stays);
                    if low + value as i64 == initial {
                        self.asm.emit(Op::Insert1.wide(words), row, from, 0);
                    }
                    self.asm.emit(Op::Store1.wide(words), place.address, index, row);
                    self.asm.emit(Op::Add, index, index, one);
                }
            }
            Shape::Word | Shape::Set(_) | Shape::Bag(_) => {
                let (words, first) = match place.shape {
                    Shape::Set(words) | Shape::Bag(words) => (words, 0),
                    Shape::Word | Shape::Rows { .. } => (1, initial),
                };
                let size = self.number(places as i64);
                self.asm.emit(Op::Multiply, unit, unit, size);
                let held = self.asm.scratch(words);
                self.asm.emit(Op::Add, index, unit, from);
                self.asm.emit(Op::Load1.wide(words), held, place.address, index);
                let fresh = self.memory.constant(&vec![first as u64; words]);
                self.asm.emit(Op::Store1.wide(words), place.address, index, fresh);
                if let Some(to) = to {
                    self.asm.emit(Op::Add, index, unit, to);
                    self.asm.emit(Op::Store1.wide(words), place.address, index, held);
                }
            }
        }
        self.asm.emit(Op::Add, next, next, one);
        self.asm.jump(again);
        self.asm.place(done);
    }
}
