//! Pieces of which one owner may have several on a place. They stand in the slots of the places, a domain of its own
//! for each such kind of piece; rules speak of places, and of single pieces by `pawn at h`, by names that they get and by
//! what they are tested for. Here one becomes the other.

use super::Checker;
use crate::program::{DomainId, DomainKind, Expr, ExprKind, Owner, PieceId, SLOTS, STANDING, Type};

impl Checker<'_> {
    /// The kind of place whose slots a domain holds.
    pub(super) fn base_of(&self, domain: DomainId) -> Option<DomainId> {
        match self.program.domains.get(domain.index()).map(|d| d.kind) {
            Some(DomainKind::Slots { of, .. }) => Some(of),
            Some(_) | None => None,
        }
    }

    /// The places where pieces stand, or the place of one.
    pub(super) fn standing(&self, of: Expr) -> Expr {
        let span = of.span;
        let image = |of: Expr, base| {
            let kind = ExprKind::Image { relation: STANDING.into(), of: Box::new(of) };
            Expr { kind, ty: Type::Set(base), span }
        };
        match of.ty {
            Type::Set(domain) => match self.base_of(domain) {
                Some(base) => image(of, base),
                None => of,
            },
            Type::Member(domain) => match self.base_of(domain) {
                Some(base) => super::expr::first(image(of, base)),
                None => of,
            },
            Type::Truth | Type::Number | Type::Bag(_) | Type::Nothing | Type::Unknown => of,
        }
    }

    /// The slots of places.
    pub(super) fn slots(&self, slots: DomainId, of: Expr) -> Expr {
        let span = of.span;
        Expr { kind: ExprKind::Image { relation: SLOTS.into(), of: Box::new(of) }, ty: Type::Set(slots), span }
    }

    /// Where a piece that comes to a place stands: of a kind that stacks, in the first free slot there.
    pub(super) fn arriving(&self, piece: PieceId, at: Expr) -> Expr {
        let Some(on) = self.program.pieces.get(piece.index()).map(|p| p.on) else { return at };
        let at = self.standing(at);
        if self.base_of(on).is_none() || at.ty == Type::Unknown {
            return at;
        }
        let span = at.span;
        let taken = Expr { kind: ExprKind::Pieces { piece, owner: Owner::Any }, ty: Type::Set(on), span };
        let there = self.slots(on, at);
        super::expr::first(super::expr::joined(ExprKind::Without, there, taken, span))
    }

    /// Where a piece that leaves a place stands: of a kind that stacks, the owner's first there.
    pub(super) fn leaving(&self, piece: PieceId, owner: &Owner, at: Expr) -> Expr {
        let Some(on) = self.program.pieces.get(piece.index()).map(|p| p.on) else { return at };
        if self.base_of(on).is_none() || at.ty == Type::Unknown || at.ty == Type::Member(on) {
            return at;
        }
        let span = at.span;
        let own = Expr { kind: ExprKind::Pieces { piece, owner: owner.clone() }, ty: Type::Set(on), span };
        let there = self.slots(on, at);
        super::expr::first(super::expr::joined(ExprKind::Intersect, own, there, span))
    }
}

/// The pieces of which a set is the places, or the set itself.
pub fn pieces_standing(set: Expr) -> Expr {
    match set.kind {
        ExprKind::Image { relation, of } if relation == STANDING => *of,
        kind => Expr { kind, ..set },
    }
}

/// As [`pieces_standing`], of a set that is only looked at.
pub fn seen_as_pieces(set: &Expr) -> &Expr {
    match &set.kind {
        ExprKind::Image { relation, of } if relation == STANDING => of,
        _ => set,
    }
}
