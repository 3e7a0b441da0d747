//! Tokens: drawing the face of one that is laid, telling of it to those who may know, and what waits for its being
//! turned up.

use super::Lower;
use super::environment::Val;
use super::memory::Region;
use crate::engine::code::{EventKind, Shape};
use crate::engine::instr::Op;
use crate::program::{DomainKind, Expr, TokenEvent, TokensId, TriggerEvent, Type};
use crate::source::Span;

impl<'p> Lower<'p> {
    /// Draws one of the faces in a bag, which is what is left or a part of it, and makes it that of the slot.
    pub fn draw_face(&mut self, id: TokensId, from: &'p Expr, at: &'p Expr, span: Span) {
        let tokens = &self.program.tokens[id.index()];
        let deck = &self.program.decks[tokens.deck.index()];
        let DomainKind::Slots { count, .. } = self.program.domains[tokens.slots.index()].kind else { return };
        let slot = self.value_at(at);
        let (zero, minus) = (self.number(0), self.number(-1));
        let room = self.asm.label();
        self.branch_to(Op::JumpAtMost, zero, slot, room);
        self.no_room(i64::from(count), &tokens.name, span);
        self.asm.place(room);
        let bag = self.bag(from);
        let op = Op::RandomLane1.wide(bag.words);
        let (kind, stream, drawn) = (self.asm.scratch(1), self.stream(&deck.name), self.asm.label());
        self.asm.emit(op, kind, bag.at, stream);
        self.branch_to(Op::JumpAtMost, zero, kind, drawn);
        self.none_left(&tokens.name, span);
        self.asm.place(drawn);
        let cards = self.layout.fields[deck.cards.index()].clone();
        self.asm.emit(Op::AddLane, cards.address, kind, minus);
        self.asm.wrote(Region::Field(deck.cards, None));
        self.write_field(tokens.face, std::slice::from_ref(at), Val::At(kind), span);
    }

    /// Records what happens to a token: who does it, where, its face, who sees the face, and whether all do.
    pub fn tell_token(
        &mut self,
        (id, what): (TokensId, TokenEvent),
        who: Option<&'p Expr>,
        [at, face, seers, open]: [&'p Expr; 4],
    ) {
        let who = who.map_or(Val::Known(-1), |who| self.value(who));
        let who = self.address(who);
        let place = match at.ty {
            Type::Set(_) => self.set(at).at,
            _ => self.value_at(at),
        };
        let (face_at, seers_at, open_at) = (self.value_at(face), self.set(seers).at, self.value_at(open));
        let values = vec![
            (who, self.player_type()),
            (place, at.ty),
            (face_at, face.ty),
            (seers_at, seers.ty),
            (open_at, open.ty),
        ];
        let name = self.program.tokens[id.index()].name.clone();
        self.event(EventKind::Token(what, name), values);
    }

    /// Does what waits for a token to be turned up.
    pub fn token_revealed(&mut self, id: TokensId, at: &'p Expr) {
        let slots = self.program.tokens[id.index()].slots;
        let (slot, by) = (self.value(at), self.env.scope.me.unwrap_or(Val::Known(-1)));
        let (slot, by) = (self.steady(slot), self.steady(by));
        self.triggers(|t| matches!(t, TriggerEvent::Reveal { on, .. } if *on == slots), &[slot, by]);
    }

    /// Where the faces of tokens that are not laid yet lie, if a piece is one of them.
    pub fn faces_left(&self, piece: crate::program::PieceId) -> Option<(u16, usize, Region)> {
        let tokens = self.program.tokens_of(piece)?;
        let cards = self.program.decks.get(tokens.deck.index())?.cards;
        let place = self.layout.fields.get(cards.index())?;
        match place.shape {
            Shape::Bag(words) => Some((place.address, words, Region::Field(cards, None))),
            Shape::Word | Shape::Set(_) | Shape::Rows { .. } => None,
        }
    }
}
