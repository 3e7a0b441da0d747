//! Several pieces that a statement moves together: `move all my pawn from a to b`, `move all (pawn at S) where tired to b`.
//! They go one after the other, each as an event of its own; where they go to is computed once, before.

use super::expr::joined;
use super::flags::kind_of_pieces;
use super::stacks::{of_owner, pieces_standing};
use super::{Checker, errors};
use crate::program::{Block, Expr, ExprKind, For, LocalType, Owner, PieceId, Stmt, StmtKind, Type};
use crate::source::Span;
use crate::syntax::ast;

impl<'a> Checker<'a> {
    pub(super) fn move_all(&mut self, moved: &'a ast::Move, span: Span, out: &mut Block) {
        if let Some(bind) = &moved.bind {
            self.sink.push(errors::all_have_no_name(bind.span));
            self.new_local(bind, Type::Unknown, None);
        }
        if let Some((link, _)) = &moved.along {
            self.sink.push(errors::all_along(link.span));
            return;
        }
        let set = self.any_set(&moved.what);
        let set = pieces_standing(set);
        if set.ty == Type::Unknown {
            return;
        }
        let Some((piece, owner)) = kind_of_pieces(&set) else {
            self.sink.push(errors::not_one_piece(moved.what.span));
            return;
        };
        let Some(declared) = self.program.pieces.get(piece.index()).cloned() else { return };
        let set = match &moved.from {
            Some(from) => {
                let from = self.place_wanted(from, declared.place);
                if from.ty == Type::Unknown {
                    return;
                }
                let there = self.set_of_one(from);
                let there = if declared.on == declared.place { there } else { self.slots(declared.on, there) };
                joined(ExprKind::Intersect, set, there, span)
            }
            None => set,
        };
        let Some(to) = &moved.to else {
            self.sink.push(errors::move_where(span));
            return;
        };
        let to = self.place_wanted(to, declared.place);
        if to.ty == Type::Unknown {
            return;
        }
        let to = self.standing(to);
        let (ty, at) = (to.ty, to.span);
        let local = self.scope.add("to", LocalType::Value(ty), None, at);
        out.push(Stmt { kind: StmtKind::Let { local, value: to }, span });
        let to = Expr { kind: ExprKind::Local(local), ty, span: at };
        let player = self.program.known.player.filter(|_| declared.owned);
        let owners = match (&owner, player) {
            (Owner::Any, Some(player)) => Some(Expr { kind: ExprKind::All(player), ty: Type::Set(player), span }),
            (Owner::Among(who), Some(_)) => Some((**who).clone()),
            (Owner::Any | Owner::Among(_), None) | (Owner::One(_) | Owner::Neutral, _) => None,
        };
        let Some(owners) = owners else {
            let each = self.each_moved(piece, &owner, set, to, span);
            out.push(each);
            return;
        };
        let ty = self.player_type();
        let local = self.scope.add("owner", LocalType::Value(ty), None, span);
        let who = Owner::One(Box::new(Expr { kind: ExprKind::Local(local), ty, span }));
        let each = self.each_moved(piece, &who, of_owner(set, &who), to, span);
        let each = For { local, over: owners, from: None, reversed: false, at_once: false, body: vec![each] };
        out.push(Stmt { kind: StmtKind::For(each), span });
    }

    /// Moves the pieces of one owner.
    fn each_moved(&mut self, piece: PieceId, owner: &Owner, set: Expr, to: Expr, span: Span) -> Stmt {
        let ty = match set.ty {
            Type::Set(domain) => Type::Member(domain),
            other => other,
        };
        let local = self.scope.add("piece", LocalType::Value(ty), None, span);
        let from = Some(Expr { kind: ExprKind::Local(local), ty, span });
        let to = self.arriving(piece, to);
        let step = Stmt { kind: StmtKind::Move { piece, owner: owner.clone(), from, to }, span };
        let each = For { local, over: set, from: None, reversed: false, at_once: false, body: vec![step] };
        Stmt { kind: StmtKind::For(each), span }
    }
}
