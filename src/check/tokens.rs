//! Tokens: pieces of nobody's that lie on places and have a face, up or down. A kind of tokens is a piece in slots of its
//! places, a deck of the faces that are not laid yet, and state of each slot: the face, who has seen it, and whether
//! it lies face up. A single token is its slot.

use std::rc::Rc;

use super::names::Entry;
use super::outline::Kind;
use super::paths::unknown;
use super::tables::Faces;
use super::{Checker, errors};
use crate::program::{
    Deck, DeckId, Domain, DomainId, DomainKind, Expr, ExprKind, FaceDown, Field, FieldId, FieldRole, FieldType,
    LocalId, Owner, Piece, PieceCount, PieceId, Tokens, TokensId, Type,
};
use crate::source::Span;
use crate::syntax::ast::{self, ItemKind};

impl<'a> Checker<'a> {
    pub(super) fn declare_tokens(&mut self) {
        let outline = Rc::clone(&self.outline);
        for (_, thing) in outline.of(Kind::Tokens) {
            let (mut on, mut there, mut face_down) = (None, None, false);
            for version in &thing.versions {
                let ItemKind::Tokens(tokens) = &version.item.kind else { continue };
                on = tokens.on.as_ref().or(on);
                there = tokens.there.or(there);
                face_down |= tokens.face_down;
            }
            let place = match on {
                Some(ast::Expr { kind: ast::ExprKind::Name(name), .. }) => self.place_kind(name),
                Some(other) => {
                    self.sink.push(errors::tokens_lie_where(other.span, &thing.name));
                    None
                }
                None => {
                    self.sink.push(errors::tokens_lie_where(thing.span, &thing.name));
                    None
                }
            };
            let Some(place) = place else {
                self.lost.insert(thing.name.clone());
                continue;
            };
            self.token_kind(thing, place, there.unwrap_or(1), face_down);
        }
    }

    fn token_kind(&mut self, thing: &super::outline::Thing<'a>, place: DomainId, there: i64, face_down: bool) {
        let (name, span) = (thing.name.clone(), thing.span);
        let Some(count) = u32::try_from(there).ok().filter(|n| (1..=64).contains(n)) else {
            self.sink.push(errors::tokens_on_a_place(span, &name, there));
            self.lost.insert(name);
            return;
        };
        let (deck, faces, total) = self.token_faces(thing);
        let slots = self.add_domain(Domain {
            name: name.clone(),
            kind: DomainKind::Slots { of: place, count },
            members: Vec::new(),
            span,
        });
        let piece = PieceId(self.program.pieces.len() as u32);
        self.enter(&name, span, Entry::Piece(piece));
        self.enter(&format!("{name}_face"), span, Entry::Deck(deck));
        self.program.pieces.push(Piece {
            name: name.clone(),
            on: slots,
            place,
            owned: false,
            neutral: false,
            counts: vec![PieceCount { low: 0, high: usize::MAX, count: total }],
            at_most: there,
            at_most_of_owner: there,
            span,
        });
        let face = FieldType::Member { domain: faces, among: None, or_none: true };
        let face = self.slot_field(&format!("{name}_face"), span, slots, piece, face);
        let down = self.program.known.player.filter(|_| face_down).map(|player| FaceDown {
            seen: self.slot_field(&format!("{name}_seen"), span, slots, piece, FieldType::Set(player)),
            up: self.slot_field(&format!("{name}_up"), span, slots, piece, FieldType::Truth),
        });
        self.program.tokens.push(Tokens { name, piece, slots, deck, faces, face, down });
    }

    /// The faces of a kind of tokens as a deck, and how many tokens there are.
    fn token_faces(&mut self, thing: &super::outline::Thing<'a>) -> (DeckId, DomainId, i64) {
        let id = DeckId(self.program.decks.len() as u32);
        let name = thing.name.clone();
        let kind = DomainKind::Cards(id);
        let domain = self.add_domain(Domain { name: name.clone(), kind, members: Vec::new(), span: thing.span });
        let mut versions = Vec::new();
        for version in &thing.versions {
            let ItemKind::Tokens(tokens) = &version.item.kind else { continue };
            versions.push(Faces {
                change: version.item.mode == ast::Mode::Change,
                layer: version.layer,
                listed: &tokens.faces,
                columns: &tokens.columns,
                file: tokens.file.as_ref(),
                row: "token",
            });
        }
        let counts = self.faces(domain, &versions);
        let total = counts.iter().sum();
        if counts.is_empty() && !self.gaps && versions.iter().all(|v| v.file.is_none()) {
            self.sink.push(errors::tokens_without_faces(thing.span, &name));
        }
        let bag = FieldType::Bag { domain, among: None };
        let cards = self.add_field(&name, thing.span, Vec::new(), bag, FieldRole::Deck(id));
        let (variants, discards) = (Vec::new(), cards);
        self.program.decks.push(Deck { name, domain, counts, variants, cards, discards, reshuffled: false });
        (id, domain, total)
    }

    /// State of the tokens in each slot, which has no name of its own.
    fn slot_field(&mut self, name: &str, span: Span, slots: DomainId, piece: PieceId, ty: FieldType) -> FieldId {
        let id = FieldId(self.program.fields.len() as u32);
        self.program.fields.push(Field {
            name: name.to_owned(),
            keys: vec![slots],
            ty,
            hidden: false,
            each_turn: false,
            clamped: false,
            none: None,
            at_most: Vec::new(),
            initial: None,
            role: FieldRole::OfPiece(piece),
            pieces: vec![piece],
            span,
        });
        id
    }

    // ---- what is a token ------------------------------------------------------------------------------------------

    /// The kind of tokens of this name.
    pub(super) fn tokens_named(&self, name: &str) -> Option<TokensId> {
        let Some(Entry::Piece(piece)) = self.names.peek(name).filter(|_| self.scope.find(name).is_none()) else {
            return None;
        };
        self.program.tokens.iter().position(|t| t.piece == piece).map(|i| TokensId(i as u32))
    }

    /// The kind of tokens whose slots a domain holds.
    pub(super) fn tokens_in(&self, slots: DomainId) -> Option<TokensId> {
        self.program.tokens.iter().position(|t| t.slots == slots).map(|i| TokensId(i as u32))
    }

    pub(super) fn tokens(&self, id: TokensId) -> Option<&Tokens> {
        self.program.tokens.get(id.index())
    }

    /// The kind of tokens to which a token belongs that an expression speaks of, as far as its form tells.
    pub(super) fn token_of(&self, expr: &ast::Expr) -> Option<TokensId> {
        match &expr.kind {
            ast::ExprKind::Name(name) if name.text == "it" => {
                self.program.tokens.iter().position(|t| self.scope.it_is(t.slots)).map(|i| TokensId(i as u32))
            }
            ast::ExprKind::Name(name) => match self.scope.find(&name.text) {
                Some(local) => match self.local_type(local) {
                    Type::Member(domain) | Type::Set(domain) => self.tokens_in(domain),
                    Type::Truth | Type::Number | Type::Bag(_) | Type::Nothing | Type::Unknown => None,
                },
                None => self.tokens_named(&name.text),
            },
            ast::ExprKind::At { left, .. } => self.token_of(left),
            ast::ExprKind::Where { set, .. } => self.token_of(set),
            ast::ExprKind::Binder { ty: Some(ty), .. } => self.tokens_named(&ty.text),
            ast::ExprKind::Prefix { op: ast::PrefixOp::First, of } => self.token_of(of),
            _ => None,
        }
    }

    /// One token, or the first of a set of them.
    pub(super) fn slot_of(&mut self, expr: &ast::Expr) -> Expr {
        let found = self.expr(expr, Type::Unknown);
        self.one_slot(found)
    }

    pub(super) fn one_slot(&self, found: Expr) -> Expr {
        let found = super::stacks::pieces_standing(found);
        match (&found.kind, found.ty) {
            (ExprKind::Pieces { piece, .. }, Type::Set(_)) => {
                match self.program.pieces.get(piece.index()).map(|p| p.on) {
                    Some(on) => super::expr::first(Expr { ty: Type::Set(on), ..found }),
                    None => found,
                }
            }
            (_, Type::Set(_)) => super::expr::first(found),
            _ => found,
        }
    }

    /// The piece that a local stands for: of a token its type tells.
    pub(super) fn piece_of_local(&self, local: LocalId) -> Option<super::scope::Piece> {
        if let Some(known) = self.scope.piece(local) {
            return Some(known.clone());
        }
        let Type::Member(domain) = self.local_type(local) else { return None };
        let piece = self.program.tokens_in(domain)?.piece;
        Some(super::scope::Piece { pieces: vec![piece], owner: Owner::Any })
    }

    // ---- what a token has -----------------------------------------------------------------------------------------

    pub(super) fn is_attribute(&self, tokens: TokensId, name: &str) -> bool {
        let faces = self.tokens(tokens).map(|t| t.faces);
        matches!(name, "face" | "seen") || faces.is_some_and(|faces| self.column_of(faces, name).is_some())
    }

    /// `t.face`, `t.seen`, and the columns of the face.
    pub(super) fn attribute_of(&mut self, id: TokensId, name: &ast::Name, of: &ast::Expr, span: Span) -> Expr {
        let slot = self.slot_of(of);
        self.attribute(id, name, slot, span)
    }

    fn attribute(&mut self, id: TokensId, name: &ast::Name, slot: Expr, span: Span) -> Expr {
        if slot.ty == Type::Unknown {
            return unknown(span);
        }
        match name.text.as_str() {
            "seen" => self.seers(id, slot, span),
            "face" => self.face_of(id, slot, span),
            _ => {
                let face = self.face_of(id, slot, span);
                self.column(&face, name, span).unwrap_or_else(|| unknown(span))
            }
        }
    }

    /// `face`, `seen` or a column of the token that is being tested.
    pub(super) fn attribute_of_it(&mut self, name: &ast::Name) -> Option<Expr> {
        let (id, slot) = self.token_tested(&name.text, name.span)?;
        Some(self.attribute(id, name, slot, name.span))
    }

    pub(super) fn is_attribute_of_it(&self, name: &str) -> bool {
        self.token_tested(name, Span::default()).is_some()
    }

    /// `t in stray at h`: a token in a set of tokens, or its place in a set of places.
    pub(super) fn contains_token(&mut self, token: Expr, slots: DomainId, right: &ast::Expr, span: Span) -> Expr {
        let set = self.set_wanted(right, Type::Unknown);
        let set = super::stacks::pieces_standing(set);
        let (member, set) = match set.ty {
            Type::Set(domain) if domain == slots => (token, set),
            Type::Unknown => return unknown(span),
            _ => {
                let place = self.standing(token);
                let want = match place.ty {
                    Type::Member(domain) => Type::Set(domain),
                    other => other,
                };
                let set = self.standing(set);
                (place, self.coerce(set, want))
            }
        };
        let ty = super::expr::known(Type::Truth, &[&member, &set]);
        Expr { kind: ExprKind::In { member: Box::new(member), set: Box::new(set) }, ty, span }
    }

    /// The face of the token that is being tested, whose column this name is.
    pub(super) fn face_tested(&self, column: &str, span: Span) -> Option<Expr> {
        let (_, slot) = self.token_tested(column, span)?;
        Some(self.face_in(slot))
    }

    /// The face of the token in a slot of whatever kind.
    pub(super) fn face_in(&self, slot: Expr) -> Expr {
        let span = slot.span;
        match slot.ty {
            Type::Member(domain) => match self.tokens_in(domain) {
                Some(id) => self.face_of(id, slot, span),
                None => slot,
            },
            _ => slot,
        }
    }

    fn token_tested(&self, name: &str, span: Span) -> Option<(TokensId, Expr)> {
        self.program.tokens.iter().enumerate().find_map(|(i, tokens)| {
            let id = TokensId(i as u32);
            let it = self.scope.it_of(tokens.slots, span)?;
            self.is_attribute(id, name).then_some((id, it))
        })
    }

    pub(super) fn face_of(&self, id: TokensId, slot: Expr, span: Span) -> Expr {
        let Some(tokens) = self.tokens(id) else { return unknown(span) };
        let kind = ExprKind::Field { field: tokens.face, keys: vec![slot] };
        Expr { kind, ty: Type::Member(tokens.faces), span }
    }

    /// The players who know the face of a token: all, once it lies face up.
    pub(super) fn seers(&self, id: TokensId, slot: Expr, span: Span) -> Expr {
        let Some(player) = self.program.known.player else { return unknown(span) };
        let ty = Type::Set(player);
        let all = Expr { kind: ExprKind::All(player), ty, span };
        let Some(down) = self.tokens(id).and_then(|t| t.down) else { return all };
        let open = self.open(id, slot.clone(), span);
        let seen = Expr { kind: ExprKind::Field { field: down.seen, keys: vec![slot] }, ty, span };
        let (cond, then, otherwise) = (Box::new(open), Box::new(all), Box::new(seen));
        Expr { kind: ExprKind::If { cond, then, otherwise }, ty, span }
    }

    /// Whether a token lies face up.
    pub(super) fn open(&self, id: TokensId, slot: Expr, span: Span) -> Expr {
        let ty = Type::Truth;
        match self.tokens(id).and_then(|t| t.down) {
            Some(down) => Expr { kind: ExprKind::Field { field: down.up, keys: vec![slot] }, ty, span },
            None => Expr { kind: ExprKind::Truth(true), ty, span },
        }
    }

    /// The domain of the faces, where a name of tokens stands for what can lie in bags.
    pub(super) fn faces_named(&self, name: &str) -> Option<DomainId> {
        let id = self.tokens_named(name)?;
        self.tokens(id).map(|t| t.faces)
    }
}
