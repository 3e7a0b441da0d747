//! Pieces of which one owner may have several on a place. They stand in the slots of the places, a domain of its own
//! for each such kind of piece; rules speak of places, and of single pieces by `pawn at h`, by names that they get and by
//! what they are tested for. Here one becomes the other.

use super::Checker;
use super::flags::kind_of_pieces;
use crate::program::{Arith, DomainId, DomainKind, Expr, ExprKind, LocalType, Owner, PieceId, SLOTS, STANDING, Type};

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

    /// How many are in a set. Pieces of several owners that stand together are counted one by one.
    pub(super) fn counted(&mut self, set: Expr) -> Expr {
        let span = set.span;
        let ty = super::expr::known(Type::Number, &[&set]);
        let plain = |set: Expr| Expr { ty, kind: ExprKind::Count(Box::new(set)), span };
        let Some((piece, owner)) = kind_of_pieces(&set) else { return plain(set) };
        let Some(declared) = self.program.pieces.get(piece.index()) else { return plain(set) };
        let shares = declared.owned && declared.at_most > 1 && declared.on == declared.place;
        let (neutral, Some(player)) = (declared.neutral, self.program.known.player) else { return plain(set) };
        let (over, all) = match owner {
            Owner::Any if shares => (Expr { kind: ExprKind::All(player), ty: Type::Set(player), span }, true),
            Owner::Among(who) if shares => (*who, false),
            Owner::Any | Owner::Among(_) | Owner::One(_) | Owner::Neutral => return plain(set),
        };
        let member = Type::Member(player);
        let local = self.scope.add("owner", LocalType::Value(member), None, span);
        let who = Expr { kind: ExprKind::Local(local), ty: member, span };
        let body = Box::new(plain(of_owner(set.clone(), &Owner::One(Box::new(who)))));
        let sum = Expr { kind: ExprKind::Sum { local, over: Box::new(over), body }, ty: Type::Number, span };
        if all && neutral {
            return super::expr::arith(Arith::Add, sum, plain(of_owner(set, &Owner::Neutral)), span);
        }
        sum
    }
}

/// The set with this owner's pieces in place of those that it is made of.
pub fn of_owner(set: Expr, owner: &Owner) -> Expr {
    let inner = |set: Box<Expr>| Box::new(of_owner(*set, owner));
    let kind = match set.kind {
        ExprKind::Pieces { piece, .. } => ExprKind::Pieces { piece, owner: owner.clone() },
        ExprKind::Intersect(a, b) if kind_of_pieces(&a).is_some() => ExprKind::Intersect(inner(a), b),
        ExprKind::Intersect(a, b) => ExprKind::Intersect(a, inner(b)),
        ExprKind::Without(a, b) => ExprKind::Without(inner(a), b),
        ExprKind::Filter { local, over, cond } => ExprKind::Filter { local, over: inner(over), cond },
        ExprKind::Reasoned { set, reason } => ExprKind::Reasoned { set: inner(set), reason },
        kind => kind,
    };
    Expr { kind, ..set }
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
