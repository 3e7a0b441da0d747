//! State of single pieces: `each boat has laden: yes | no`. Its keys are the piece's owner (unless it is nobody's) and
//! the place where it stands; it moves with the piece and is as at first for a piece that is placed anew. A piece
//! is named by a set of pieces at a place (`(my boat at e).laden`), by the name that it got when it was placed or
//! moved (`as b`), or as the element that is being looked at (`my boat where laden`).

use super::expr::first;
use super::paths::{Base, Path};
use super::scope::Piece;
use super::stacks::seen_as_pieces;
use super::{Checker, errors};
use crate::program::{DomainId, Expr, ExprKind, LocalId, Owner, PieceId, Type};
use crate::source::Span;
use crate::syntax::ast;

impl Checker<'_> {
    /// The keys of state of a piece.
    pub(super) fn piece_keys(&self, piece: PieceId) -> Vec<DomainId> {
        let Some(declared) = self.program.pieces.get(piece.index()) else { return Vec::new() };
        self.program.known.player.filter(|_| declared.owned).into_iter().chain([declared.on]).collect()
    }

    /// Can these pieces have state in common? They stand on the same places, each alone there, and all of them or none
    /// belong to players.
    pub(super) fn can_have_state(&mut self, key: &ast::Name, pieces: &[PieceId], several: bool) -> bool {
        if several {
            self.sink.push(errors::state_of_two_pieces(key.span));
            return false;
        }
        let declared: Vec<_> = pieces.iter().filter_map(|p| self.program.pieces.get(p.index())).collect();
        let alike = declared.windows(2).all(|pair| match pair {
            [a, b] => a.owned == b.owned && a.place == b.place && a.on == a.place && b.on == b.place,
            _ => true,
        });
        if !alike {
            self.sink.push(errors::state_of_unlike_pieces(key.span, &key.text));
        }
        alike
    }

    /// The kinds of piece whose state a path is.
    pub(super) fn pieces_of_path(&self, path: &Path) -> Option<&[PieceId]> {
        let Base::Field { field, .. } = &path.base else { return None };
        let pieces = &self.program.fields.get(field.index())?.pieces;
        (!pieces.is_empty()).then_some(pieces)
    }

    /// Gives a path of a piece's state its keys by a set of pieces; None if the set is of something else.
    pub(super) fn attach_piece(&mut self, path: &mut Path, pieces: &Expr) -> Option<()> {
        let known = self.pieces_of_path(path)?;
        let (kinds, owner, place) = one_piece(pieces, known)?;
        let owner = self.owner_of(&kinds, owner, &place, path.span)?;
        self.fill_piece(path, owner, place);
        Some(())
    }

    /// Gives a path of a piece's state its keys by the local that stands for one.
    pub(super) fn attach_local(&mut self, path: &mut Path, local: LocalId, span: Span) -> Option<()> {
        let kinds = self.pieces_of_path(path)?;
        let known = self.piece_of_local(local).filter(|p| p.pieces.iter().all(|p| kinds.contains(p)))?;
        let place = Expr { kind: ExprKind::Local(local), ty: self.local_type(local), span };
        let owner = self.owner_of(&known.pieces, known.owner, &place, span)?;
        self.fill_piece(path, owner, place);
        Some(())
    }

    fn fill_piece(&self, path: &mut Path, owner: Option<Expr>, place: Expr) {
        if let Base::Field { keys, .. } = &mut path.base {
            // The piece stands behind whatever else the state is declared for.
            for (slot, key) in keys.iter_mut().rev().zip([Some(place), owner].into_iter().flatten()) {
                *slot = Some(key);
            }
        }
    }

    /// Whose piece it is; None within for pieces of nobody. Where only the place is known, the one who has one there.
    fn owner_of(&mut self, pieces: &[PieceId], owner: Owner, place: &Expr, span: Span) -> Option<Option<Expr>> {
        let declared = self.program.pieces.get(pieces.first()?.index())?;
        if !declared.owned {
            return Some(None);
        }
        match owner {
            Owner::One(who) => Some(Some(*who)),
            Owner::Any | Owner::Among(_) if declared.at_most == 1 => {
                let kind = ExprKind::Owner { pieces: pieces.to_vec(), at: Box::new(place.clone()) };
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
        // Of pieces that stack only the slots tell one from the other.
        let on = |piece: &PieceId| self.program.pieces.get(piece.index()).map(|p| Type::Set(p.on));
        if let Some((pieces, owner)) = kinds_of_pieces(over)
            && pieces.iter().all(|piece| on(piece) == Some(over.ty))
        {
            self.scope.name_piece(local, Piece { pieces, owner });
        }
    }

    /// The keys that the element being tested gives, for state of a piece that is named without them.
    pub(super) fn piece_that_is_tested(&mut self, path: &mut Path) -> bool {
        let first = self.pieces_of_path(path).and_then(|pieces| self.program.pieces.get(pieces.first()?.index()));
        let Some(on) = first.map(|p| p.on) else { return false };
        let Some(Expr { kind: ExprKind::Local(local), .. }) = self.scope.it_of(on, path.span) else { return false };
        self.attach_local(path, local, path.span).is_some()
    }
}

/// The kind and the owner of a set that is made of one kind of pieces.
pub(super) fn kind_of_pieces(set: &Expr) -> Option<(PieceId, Owner)> {
    let (pieces, owner) = kinds_of_pieces(set)?;
    match pieces.as_slice() {
        [only] => Some((*only, owner)),
        _ => None,
    }
}

/// The kinds and the owner of a set that is made of pieces of one owner.
pub(super) fn kinds_of_pieces(set: &Expr) -> Option<(Vec<PieceId>, Owner)> {
    match &seen_as_pieces(set).kind {
        ExprKind::Pieces { piece, owner } => Some((vec![*piece], owner.clone())),
        ExprKind::Union(a, b) => {
            let ((mut pieces, owner), (others, other)) = (kinds_of_pieces(a)?, kinds_of_pieces(b)?);
            pieces.extend(others);
            same_owner(&owner, &other).then_some((pieces, owner))
        }
        ExprKind::Intersect(a, b) => kinds_of_pieces(a).or_else(|| kinds_of_pieces(b)),
        ExprKind::Without(a, _) | ExprKind::Filter { over: a, .. } | ExprKind::Reasoned { set: a, .. } => {
            kinds_of_pieces(a)
        }
        _ => None,
    }
}

/// Is it the same owner, written at the same place of the rules?
fn same_owner(a: &Owner, b: &Owner) -> bool {
    match (a, b) {
        (Owner::Any, Owner::Any) | (Owner::Neutral, Owner::Neutral) => true,
        (Owner::One(a), Owner::One(b)) | (Owner::Among(a), Owner::Among(b)) => a.span == b.span,
        (Owner::Any | Owner::Neutral | Owner::One(_) | Owner::Among(_), _) => false,
    }
}

/// Of what kinds and whose the first piece of the set is, and where it stands.
fn one_piece(set: &Expr, known: &[PieceId]) -> Option<(Vec<PieceId>, Owner, Expr)> {
    let (kinds, owner) = kinds_of_pieces(set).filter(|(kinds, _)| kinds.iter().all(|kind| known.contains(kind)))?;
    let place = match &set.kind {
        ExprKind::Intersect(a, b) => match (&a.kind, sole(b)) {
            // `boat at e`: the place is written there.
            (ExprKind::Pieces { .. } | ExprKind::Union(..), Some(place)) => place,
            _ => first(set.clone()),
        },
        _ => first(set.clone()),
    };
    Some((kinds, owner, place))
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
