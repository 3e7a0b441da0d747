//! Revealing what lies under fog: it is drawn from the area's deck, and becomes the terrain of the place.

use super::Lower;
use super::environment::Val;
use super::memory::Region;
use crate::engine::code::{EventKind, Shape};
use crate::engine::instr::Op;
use crate::program::{Expr, Fog, TriggerEvent, Type};

impl<'p> Lower<'p> {
    /// Draws for the place, whichever area it is in; where nothing is covered nothing happens.
    pub fn reveal(&mut self, at: &'p Expr) {
        let place = self.value(at);
        let place = self.steady(place);
        let member = self.address(place);
        let done = self.asm.label();
        let program = self.program;
        for fog in &program.fogs {
            self.reveal_in(fog, place, member, done);
        }
        self.asm.place(done);
    }

    fn reveal_in(&mut self, fog: &'p Fog, place: Val, member: u16, done: super::assemble::Label) {
        let covered: Vec<u16> = self.variant().map_or(Vec::new(), |variant| {
            let areas = variant.board.fogs.iter().filter(|area| area.name == fog.name);
            areas.flat_map(|area| area.places.iter().copied()).collect()
        });
        let field = self.layout.fields[fog.terrain.index()].clone();
        let Shape::Rows { words, values, .. } = field.shape else { return };
        if covered.is_empty() {
            return;
        }
        let next = self.asm.label();
        let mut area = vec![0u64; words];
        for index in covered {
            if let Some(word) = area.get_mut(usize::from(index) / 64) {
                *word |= 1 << (index % 64);
            }
        }
        let area = self.memory.constant(&area);
        self.branch_to(Op::JumpOut1.wide(words), area, member, next);
        for value in 0..values {
            let row = field.address + (value * words) as u16;
            self.branch_to(Op::JumpIn1.wide(words), row, member, done);
        }
        let deck = &self.program.decks[fog.deck.index()];
        let cards = self.layout.fields[deck.cards.index()].clone();
        let Shape::Bag(lanes) = cards.shape else { return };
        let kind = self.asm.scratch(1);
        let op = Op::RandomLane1.wide(lanes);
        let (stream, zero, minus) = (self.stream(&deck.name), self.number(0), self.number(-1));
        self.asm.emit(op, kind, cards.address, stream);
        self.branch_to(Op::JumpLess, kind, zero, done);
        self.asm.emit(Op::AddLane, cards.address, kind, minus);
        self.asm.wrote(Region::Field(deck.cards, None));
        self.write_row(&field, Val::Known(0), member, Val::At(kind));
        self.asm.wrote(Region::Field(fog.terrain, None));
        let values = vec![(member, Type::Member(fog.on)), (kind, Type::Member(deck.domain))];
        self.event(EventKind::Reveal(fog.name.clone()), values);
        let by = self.env.scope.me.unwrap_or(Val::Known(-1));
        let by = self.steady(by);
        self.triggers(|t| matches!(t, TriggerEvent::Reveal { on, .. } if *on == fog.on), &[place, by]);
        self.asm.jump(done);
        self.asm.place(next);
    }
}
