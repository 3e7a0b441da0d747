//! State of single pieces: `each boat has laden: yes | no`. Its keys are the piece's owner (unless it is nobody's) and
//! the place where it stands; it moves with the piece and is as at first for a piece that is placed anew. A piece
//! is named by a set of pieces at a place (`(my boat at e).laden`), by the name that it got when it was placed or
//! moved (`as b`), or as the element that is being looked at (`my boat where laden`).

use super::expr::first;
use super::paths::{Base, Path};
use super::scope::Piece;
use super::stacks::seen_as_pieces;
use super::{Checker, errors};
use crate::program::{DomainId, Expr, ExprKind, FieldRole, LocalId, Owner, PieceId, Type};
use crate::source::Span;

impl Checker<'_> {
    /// The keys of state of a piece.
    pub(super) fn piece_keys(&self, piece: PieceId) -> Vec<DomainId> {
        let Some(declared) = self.program.pieces.get(piece.index()) else { return Vec::new() };
        self.program.known.player.filter(|_| declared.owned).into_iter().chain([declared.on]).collect()
    }

    /// The piece whose state a path is.
    pub(super) fn piece_of_path(&self, path: &Path) -> Option<PieceId> {
        let Base::Field { field, .. } = &path.base else { return None };
        match self.program.fields.get(field.index()).map(|f| f.role) {
            Some(FieldRole::OfPiece(piece)) => Some(piece),
            _ => None,
        }
    }

    /// Gives a path of a piece's state its keys by a set of pieces; None if the set is of something else.
    pub(super) fn attach_piece(&mut self, path: &mut Path, pieces: &Expr) -> Option<()> {
        let piece = self.piece_of_path(path)?;
        let (owner, place) = one_piece(pieces, piece)?;
        let owner = self.owner_of(piece, owner, &place, path.span)?;
        self.fill_piece(path, owner, place);
        Some(())
    }

    /// Gives a path of a piece's state its keys by the local that stands for one.
    pub(super) fn attach_local(&mut self, path: &mut Path, local: LocalId, span: Span) -> Option<()> {
        let piece = self.piece_of_path(path)?;
        let known = self.piece_of_local(local).filter(|p| p.piece == piece)?;
        let place = Expr { kind: ExprKind::Local(local), ty: self.local_type(local), span };
        let owner = self.owner_of(piece, known.owner, &place, span)?;
        self.fill_piece(path, owner, place);
        Some(())
    }

    fn fill_piece(&self, path: &mut Path, owner: Option<Expr>, place: Expr) {
        if let Base::Field { keys, .. } = &mut path.base {
            for (slot, key) in keys.iter_mut().zip(owner.into_iter().chain([place])) {
                *slot = Some(key);
            }
        }
    }

    /// Whose piece it is; None within for pieces of nobody. Where only the place is known, the one who has one there.
    fn owner_of(&mut self, piece: PieceId, owner: Owner, place: &Expr, span: Span) -> Option<Option<Expr>> {
        let declared = self.program.pieces.get(piece.index())?;
        if !declared.owned {
            return Some(None);
        }
        match owner {
            Owner::One(who) => Some(Some(*who)),
            Owner::Any | Owner::Among(_) if declared.at_most == 1 => {
                let kind = ExprKind::Owner { pieces: vec![piece], at: Box::new(place.clone()) };
                Some(Some(Expr { kind, ty: self.player_type(), span }))
            }
            // Pieces of nobody among those of players have no state of their own.
            Owner::Any | Owner::Among(_) | Owner::Neutral => {
                let name = declared.name.clone();
                self.sink.push(errors::whose_piece(span, &name, self.scope.home.has_me()));
                None
            }
        }
    }

    /// Notes that a local is the place of a piece, if the set that it is taken from is one of pieces.
    pub(super) fn stands_for_piece(&mut self, local: LocalId, over: &Expr) {
        if let Some((piece, owner)) = kind_of_pieces(over) {
            self.scope.name_piece(local, Piece { piece, owner });
        }
    }

    /// The keys that the element being tested gives, for state of a piece that is named without them.
    pub(super) fn piece_that_is_tested(&mut self, path: &mut Path) -> bool {
        let Some(piece) = self.piece_of_path(path) else { return false };
        let Some(on) = self.program.pieces.get(piece.index()).map(|p| p.on) else { return false };
        let Some(Expr { kind: ExprKind::Local(local), .. }) = self.scope.it_of(on, path.span) else { return false };
        self.attach_local(path, local, path.span).is_some()
    }
}

/// The kind and the owner of a set that is made of one kind of pieces.
pub(super) fn kind_of_pieces(set: &Expr) -> Option<(PieceId, Owner)> {
    match &seen_as_pieces(set).kind {
        ExprKind::Pieces { piece, owner } => Some((*piece, owner.clone())),
        ExprKind::Intersect(a, b) => kind_of_pieces(a).or_else(|| kind_of_pieces(b)),
        ExprKind::Without(a, _) | ExprKind::Filter { over: a, .. } | ExprKind::Reasoned { set: a, .. } => {
            kind_of_pieces(a)
        }
        _ => None,
    }
}

/// Whose the first piece of the set is, and where it stands.
fn one_piece(set: &Expr, piece: PieceId) -> Option<(Owner, Expr)> {
    let (_, owner) = kind_of_pieces(set).filter(|(kind, _)| *kind == piece)?;
    let place = match &set.kind {
        ExprKind::Intersect(a, b) => match (&a.kind, sole(b)) {
            // `boat at e`: the place is written there.
            (ExprKind::Pieces { .. }, Some(place)) => place,
            _ => first(set.clone()),
        },
        _ => first(set.clone()),
    };
    Some((owner, place))
}

/// The only member of a set that is written as one member.
fn sole(set: &Expr) -> Option<Expr> {
    let Type::Set(domain) = set.ty else { return None };
    match &set.kind {
        ExprKind::SetOf(members) => match members.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        },
        ExprKind::Members(members) => match members.as_slice() {
            [only] => Some(Expr { kind: ExprKind::Member(*only), ty: Type::Member(domain), span: set.span }),
            _ => None,
        },
        _ => None,
    }
}
