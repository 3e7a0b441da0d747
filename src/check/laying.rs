//! Statements about tokens: laying, looking at, turning up, taking and removing them, and shuffling them on their places.

use super::paths::unknown;
use super::{Checker, errors};
use crate::program::{
    Block, Expr, ExprKind, For, LocalType, Owner, Stmt, StmtKind, Target, TokenEvent, TokensId, Type,
};
use crate::source::Span;
use crate::syntax::ast;

impl<'a> Checker<'a> {
    /// The tokens that a statement places: `stray`, `stray where worth > 2`.
    fn placed_tokens<'e>(&self, piece: &'e ast::Expr) -> Option<(TokensId, Option<&'e ast::Expr>)> {
        match &piece.kind {
            ast::ExprKind::Name(name) => Some((self.tokens_named(&name.text)?, None)),
            ast::ExprKind::Where { set, guard } => match &set.kind {
                ast::ExprKind::Name(name) => Some((self.tokens_named(&name.text)?, Some(guard))),
                _ => None,
            },
            _ => None,
        }
    }

    /// `place stray on h as t`: a face is drawn and laid. False if it is no token that is placed.
    pub(super) fn place_token(
        &mut self,
        what: &ast::Expr,
        on: &ast::Expr,
        bind: Option<&ast::Name>,
        span: Span,
        out: &mut Block,
    ) -> bool {
        let Some((id, guard)) = self.placed_tokens(what) else { return false };
        let Some(tokens) = self.tokens(id).cloned() else { return false };
        self.names.used.insert(tokens.name.clone());
        let Some(place) = self.program.pieces.get(tokens.piece.index()).map(|p| p.place) else { return false };
        let at = self.place_wanted(on, place);
        let faces = Type::Set(tokens.faces);
        let left =
            self.program.decks.get(tokens.deck.index()).map(|d| ExprKind::Field { field: d.cards, keys: Vec::new() });
        let left = Expr { kind: left.unwrap_or(ExprKind::None), ty: Type::Bag(tokens.faces), span };
        let from = match guard {
            Some(guard) => {
                let all = Expr { kind: ExprKind::All(tokens.faces), ty: faces, span };
                let set = self.filtered(all, None, guard, span);
                if set.ty == Type::Unknown { unknown(span) } else { within(left, set) }
            }
            None => left,
        };
        let ty = Type::Member(tokens.slots);
        let local = match bind {
            Some(bind) => self.new_local(bind, ty, None),
            None => self.scope.add("token", LocalType::Value(ty), None, span),
        };
        if at.ty == Type::Unknown || from.ty == Type::Unknown {
            return true;
        }
        let value = self.arriving(tokens.piece, at);
        let slot = || Expr { kind: ExprKind::Local(local), ty, span };
        let mut push = |kind| out.push(Stmt { kind, span });
        push(StmtKind::Let { local, value });
        push(StmtKind::DrawFace { tokens: id, from, at: slot() });
        let nobody = self.nobody(span);
        push(self.tell(id, TokenEvent::Place, None, slot(), nobody, span));
        push(StmtKind::Place { piece: tokens.piece, owner: Owner::Any, at: slot() });
        true
    }

    /// What tells of a token; besides those who know its face already, `others` learn it.
    fn tell(&self, id: TokensId, what: TokenEvent, who: Option<Expr>, at: Expr, seers: Expr, span: Span) -> StmtKind {
        let (face, open) = (self.face_of(id, at.clone(), span), self.open(id, at.clone(), span));
        StmtKind::TellToken { tokens: id, what, who, at, face, seers, open }
    }

    fn nobody(&self, span: Span) -> Expr {
        let ty = self.program.known.player.map_or(Type::Unknown, Type::Set);
        Expr { kind: ExprKind::Members(Vec::new()), ty, span }
    }

    /// The token that a statement speaks of, held in a local of its own; None if it is none, or after a fault.
    fn token_named(&mut self, what: &ast::Expr, from: Option<&ast::Expr>, out: &mut Block) -> Option<(TokensId, Expr)> {
        let id = self.token_of(what)?;
        let tokens = self.tokens(id)?.clone();
        let slot = match from {
            Some(from) => {
                let place = self.program.pieces.get(tokens.piece.index())?.place;
                let at = self.place_wanted(from, place);
                self.leaving(tokens.piece, &Owner::Any, at)
            }
            None => {
                let found = self.expr(what, Type::Unknown);
                self.one_slot(found)
            }
        };
        if let ExprKind::Local(_) = slot.kind {
            return Some((id, slot));
        }
        let (ty, span) = (Type::Member(tokens.slots), what.span);
        let local = self.scope.add("token", LocalType::Value(ty), None, span);
        if slot.ty == Type::Unknown {
            return Some((id, slot));
        }
        out.push(Stmt { kind: StmtKind::Let { local, value: slot }, span });
        Some((id, Expr { kind: ExprKind::Local(local), ty, span }))
    }

    /// Gives the face of a token a name, before the token goes.
    fn name_face(&mut self, id: TokensId, slot: &Expr, bind: Option<&ast::Name>, span: Span, out: &mut Block) {
        let Some(bind) = bind else { return };
        let value = self.face_of(id, slot.clone(), span);
        let local = self.new_local(bind, value.ty, None);
        if slot.ty != Type::Unknown {
            out.push(Stmt { kind: StmtKind::Let { local, value }, span });
        }
    }

    /// `remove t as f`: it leaves the game. False if it is no token that is removed.
    pub(super) fn remove_token(
        &mut self,
        what: &ast::Expr,
        from: Option<&ast::Expr>,
        bind: Option<&ast::Name>,
        span: Span,
        out: &mut Block,
    ) -> bool {
        if self.token_of(what).is_none() {
            if let Some(bind) = bind {
                self.sink.push(errors::face_of_no_token(bind.span));
                self.new_local(bind, Type::Unknown, None);
            }
            return false;
        }
        let Some((id, slot)) = self.token_named(what, from, out) else { return true };
        self.name_face(id, &slot, bind, span, out);
        let (Some(piece), true) = (self.tokens(id).map(|t| t.piece), slot.ty != Type::Unknown) else { return true };
        let seers = self.seers(id, slot.clone(), span);
        out.push(Stmt { kind: self.tell(id, TokenEvent::Remove, None, slot.clone(), seers, span), span });
        out.push(Stmt { kind: StmtKind::Remove { piece, owner: Owner::Any, at: slot }, span });
        true
    }

    /// `take t to my strays as f`: its face goes into a bag of such faces.
    pub(super) fn take_token(
        &mut self,
        what: &ast::Expr,
        to: &ast::Expr,
        bind: Option<&ast::Name>,
        span: Span,
        out: &mut Block,
    ) {
        let bag = self.bag_place(to);
        let Some((id, slot)) = self.token_named(what, None, out) else {
            let found = self.expr(what, Type::Unknown);
            if found.ty != Type::Unknown {
                let found = self.type_name(found.ty);
                self.sink.push(errors::not_a_token(what.span, &found));
            }
            if let Some(bind) = bind {
                self.new_local(bind, Type::Unknown, None);
            }
            return;
        };
        self.name_face(id, &slot, bind, span, out);
        let (Some(tokens), Some((bag, domain))) = (self.tokens(id).cloned(), bag) else { return };
        if domain != tokens.faces {
            let (a, b) = (self.type_name(Type::Bag(tokens.faces)), self.type_name(Type::Bag(domain)));
            self.sink.push(errors::wrong_type(to.span, &b, &a, Type::Bag(domain), Type::Bag(tokens.faces)));
            return;
        }
        if slot.ty == Type::Unknown {
            return;
        }
        let field = self.program.fields.get(bag.field.index());
        let hidden = field.is_some_and(|f| f.hidden);
        let player = self.program.known.player;
        let who = bag.keys.first().filter(|k| matches!(k.ty, Type::Member(d) if Some(d) == player)).cloned();
        // Seen by those who see either end of its way.
        let mut seers = self.seers(id, slot.clone(), span);
        let mut tell = self.tell(id, TokenEvent::Take, who.clone(), slot.clone(), seers.clone(), span);
        if let StmtKind::TellToken { seers: told, open, .. } = &mut tell {
            if let Some(who) = who.filter(|_| hidden) {
                let owner = self.set_of_one(who);
                seers = super::expr::joined(ExprKind::Union, seers, owner, span);
            }
            *told = seers;
            if !hidden {
                *open = Expr { kind: ExprKind::Truth(true), ty: Type::Truth, span };
            }
        }
        out.push(Stmt { kind: tell, span });
        let kind = self.face_of(id, slot.clone(), span);
        let target = Target::Lane { bag: Box::new(Target::Field { field: bag.field, keys: bag.keys }), kind };
        out.push(Stmt { kind: StmtKind::Add { target, amount: super::expr::number(1, span) }, span });
        out.push(Stmt { kind: StmtKind::Remove { piece: tokens.piece, owner: Owner::Any, at: slot }, span });
    }

    /// One token or each of a set: what is done with it is given by `each`. False if it is no token.
    fn each_token(
        &mut self,
        what: &ast::Expr,
        span: Span,
        out: &mut Block,
        each: impl FnOnce(&mut Self, TokensId, Expr) -> Block,
    ) -> bool {
        let Some(id) = self.token_of(what) else { return false };
        let found = self.expr(what, Type::Unknown);
        let found = super::stacks::pieces_standing(found);
        let Some(slots) = self.tokens(id).map(|t| t.slots) else { return true };
        match found.ty {
            Type::Unknown => {}
            Type::Set(_) => {
                let (ty, over) = (Type::Member(slots), Expr { ty: Type::Set(slots), ..found });
                let local = self.scope.add("token", LocalType::Value(ty), None, span);
                let body = each(self, id, Expr { kind: ExprKind::Local(local), ty, span });
                let each = For { local, over, from: None, reversed: false, at_once: false, body };
                out.push(Stmt { kind: StmtKind::For(each), span });
            }
            _ => out.extend(each(self, id, found)),
        }
        true
    }

    /// `look at t by me`: one player sees the face.
    pub(super) fn look(&mut self, at: &ast::Expr, by: Option<&ast::Expr>, span: Span, out: &mut Block) {
        let player = self.player_type();
        let by = match by {
            Some(by) => self.expect(by, player),
            None => self.expr(&ast::Expr { kind: ast::ExprKind::Me, span }, player),
        };
        let done = self.each_token(at, span, out, |checker, id, slot| {
            let Some(down) = checker.tokens(id).and_then(|t| t.down) else {
                checker.sink.push(errors::lies_face_up(at.span));
                return Block::new();
            };
            if by.ty == Type::Unknown {
                return Block::new();
            }
            let seer = checker.set_of_one(by.clone());
            let target = Target::Field { field: down.seen, keys: vec![slot.clone()] };
            let add = StmtKind::Add { target, amount: seer.clone() };
            let tell = checker.tell(id, TokenEvent::Look, Some(by), slot, seer, span);
            vec![Stmt { kind: add, span }, Stmt { kind: tell, span }]
        });
        if !done {
            let found = self.expr(at, Type::Unknown);
            if found.ty != Type::Unknown {
                let found = self.type_name(found.ty);
                self.sink.push(errors::not_a_token(at.span, &found));
            }
        }
    }

    /// `reveal t`: the face is turned up for all. False if it is no token.
    pub(super) fn reveal_token(&mut self, what: &ast::Expr, span: Span, out: &mut Block) -> bool {
        self.each_token(what, span, out, |checker, id, slot| {
            let Some(down) = checker.tokens(id).and_then(|t| t.down) else {
                checker.sink.push(errors::lies_face_up(what.span));
                return Block::new();
            };
            let open = checker.open(id, slot.clone(), span);
            let cond = Expr { kind: ExprKind::Not(Box::new(open)), ty: Type::Truth, span };
            let yes = Expr { kind: ExprKind::Truth(true), ty: Type::Truth, span };
            let target = Target::Field { field: down.up, keys: vec![slot.clone()] };
            let nobody = checker.nobody(span);
            let then = vec![
                Stmt { kind: StmtKind::Set { target, value: yes }, span },
                Stmt { kind: checker.tell(id, TokenEvent::Reveal, None, slot.clone(), nobody, span), span },
                Stmt { kind: StmtKind::Revealed { tokens: id, at: slot }, span },
            ];
            vec![Stmt { kind: StmtKind::If { cond, then, otherwise: Block::new() }, span }]
        })
    }

    /// `shuffle stray on S`: the tokens there change places, face down, and nobody knows them any more.
    pub(super) fn shuffle_tokens(&mut self, id: TokensId, on: Option<&ast::Expr>, span: Span, out: &mut Block) {
        let Some(tokens) = self.tokens(id).cloned() else { return };
        self.names.used.insert(tokens.name.clone());
        let Some(place) = self.program.pieces.get(tokens.piece.index()).map(|p| p.place) else { return };
        let ty = Type::Set(tokens.slots);
        let mut over = Expr { kind: ExprKind::Pieces { piece: tokens.piece, owner: Owner::Any }, ty, span };
        if let Some(on) = on {
            let found = self.expr(on, Type::Set(place));
            let found = super::stacks::pieces_standing(found);
            let there = match found.ty {
                Type::Set(domain) if domain == tokens.slots => found,
                Type::Unknown => return,
                _ => {
                    let places = self.coerce(found, Type::Set(place));
                    if places.ty == Type::Unknown {
                        return;
                    }
                    self.slots(tokens.slots, places)
                }
            };
            over = super::expr::joined(ExprKind::Intersect, over, there, span);
        }
        out.push(Stmt { kind: StmtKind::ShuffleField { field: tokens.face, over: over.clone() }, span });
        let none = |ty| Expr { kind: ExprKind::None, ty, span };
        out.push(Stmt {
            kind: StmtKind::TellToken {
                tokens: id,
                what: TokenEvent::Shuffle,
                who: None,
                at: over.clone(),
                face: none(Type::Member(tokens.faces)),
                seers: self.nobody(span),
                open: Expr { kind: ExprKind::Truth(false), ty: Type::Truth, span },
            },
            span,
        });
        let Some(down) = tokens.down else { return };
        let local = self.scope.add("token", LocalType::Value(Type::Member(tokens.slots)), None, span);
        let slot = || vec![Expr { kind: ExprKind::Local(local), ty: Type::Member(tokens.slots), span }];
        let no = Expr { kind: ExprKind::Truth(false), ty: Type::Truth, span };
        let (up, seen) =
            (Target::Field { field: down.up, keys: slot() }, Target::Field { field: down.seen, keys: slot() });
        let body = vec![
            Stmt { kind: StmtKind::Set { target: up, value: no }, span },
            Stmt { kind: StmtKind::Set { target: seen, value: self.nobody(span) }, span },
        ];
        let each = For { local, over, from: None, reversed: false, at_once: false, body };
        out.push(Stmt { kind: StmtKind::For(each), span });
    }
}

/// The part of a bag that is of these members.
fn within(bag: Expr, set: Expr) -> Expr {
    let (ty, span) = (bag.ty, bag.span);
    Expr { kind: ExprKind::BagWithin { bag: Box::new(bag), set: Box::new(set) }, ty, span }
}
