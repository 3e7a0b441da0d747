//! State of single pieces: it goes where the piece goes, and is as at first once the piece has left the board.

use super::Lower;
use super::environment::Val;
use super::memory::Region;
use crate::engine::code::{FieldPlace, Shape};
use crate::engine::instr::Op;
use crate::program::{FieldId, FieldRole, FieldType, PieceId};

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
        for (id, field) in program.fields.iter().enumerate() {
            if field.role != FieldRole::OfPiece(piece) {
                continue;
            }
            let place = self.layout.fields[id].clone();
            let initial = field.initial.as_ref().map(|e| self.constant_value(e)).unwrap_or(match field.ty {
                FieldType::Number { low, .. } => low,
                FieldType::Member { .. } => -1,
                FieldType::Truth | FieldType::Set(_) | FieldType::Bag { .. } => 0,
            });
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
}
