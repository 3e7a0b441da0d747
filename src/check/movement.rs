//! Statements that move things: goods between players and their homes, cards, pieces on the board, and what is
//! laid out or shuffled.

use super::amounts::PartBag;
use super::names::Entry;
use super::paths::Base;
use super::scope::{Chooser, Stock};
use super::{Checker, errors};
use crate::diagnostic::near_names;
use crate::program::{
    BagPlace, Block, DeckId, DomainId, DomainKind, Expr, ExprKind, Field, FieldType, For, HowMuch, LocalType, Owner,
    PieceId, Stmt, StmtKind, Store, Type,
};
use crate::source::Span;
use crate::syntax::ast;

/// Where something comes from or goes to, and the kinds of which this is so; none: all of it.
type Side = (Store, Option<Vec<u32>>);

fn sides(bags: Vec<PartBag>) -> Vec<Side> {
    bags.into_iter().map(|bag| (Store::Bag(bag.place), bag.kinds)).collect()
}

impl<'a> Checker<'a> {
    // ---- goods and cards ----------------------------------------------------------------------------------------

    /// An amount; where it leaves a choice, `who` chooses, out of `from` if it is given.
    fn amount(&mut self, amount: &ast::Expr, want: Type, chooser: Option<Chooser>) -> Expr {
        let outer = std::mem::replace(&mut self.scope.chooser, chooser);
        let found = self.any_bag(amount, want);
        self.scope.chooser = outer;
        found
    }

    fn goods(&self) -> Option<DomainId> {
        self.program.known.goods
    }

    fn goods_bag(&self) -> Type {
        self.goods().map_or(Type::Unknown, Type::Bag)
    }

    /// A player, or a bag that is named itself.
    fn giver(&mut self, expr: &ast::Expr, amount: &Expr) -> Option<BagPlace> {
        let bags = self.givers(expr, amount)?;
        self.only_bag(bags, expr.span)
    }

    /// As `giver`, for what may lie in several bags of a player, by its kinds.
    fn givers(&mut self, expr: &ast::Expr, amount: &Expr) -> Option<Vec<PartBag>> {
        let player = self.player_type();
        let path = self.path(expr, player);
        if let Base::Value(value) = &path.base
            && path.lane.is_none()
            && !matches!(value.ty, Type::Bag(_))
        {
            let who = (**value).clone();
            let who = self.coerce(who, player);
            if who.ty == Type::Unknown || amount.ty == Type::Unknown {
                return None;
            }
            let Type::Bag(domain) = amount.ty else { return None };
            let kinds = self.kinds_of(amount);
            return self.player_bags(who, domain, kinds.as_deref(), expr.span);
        }
        if amount.ty == Type::Unknown {
            return None;
        }
        let (place, domain) = self.path_bag(path)?;
        if Type::Bag(domain) != amount.ty {
            let (a, b) = (self.type_name(amount.ty), self.type_name(Type::Bag(domain)));
            self.sink.push(errors::wrong_type(amount.span, &a, &b, amount.ty, Type::Bag(domain)));
            return None;
        }
        Some(vec![PartBag { place, kinds: None }])
    }

    /// Moves an amount, part by part where its kinds lie in different bags.
    fn transfers(&mut self, amount: Expr, from: &[Side], to: &[Side], how: HowMuch, pay: bool, out: &mut Block) {
        let span = amount.span;
        for (from, left) in from {
            for (to, right) in to {
                let kinds: Option<Vec<u32>> = match (left, right) {
                    (None, None) => None,
                    (Some(kinds), None) | (None, Some(kinds)) => Some(kinds.clone()),
                    (Some(left), Some(right)) => Some(left.iter().copied().filter(|k| right.contains(k)).collect()),
                };
                let amount = match kinds {
                    None => amount.clone(),
                    Some(kinds) if kinds.is_empty() => continue,
                    Some(kinds) => {
                        let (Type::Bag(domain), ty) = (amount.ty, amount.ty) else { continue };
                        let set = Expr { kind: ExprKind::Members(kinds), ty: Type::Set(domain), span };
                        let kind = ExprKind::BagWithin { bag: Box::new(amount.clone()), set: Box::new(set) };
                        Expr { kind, ty, span }
                    }
                };
                let kind = StmtKind::Transfer { amount, from: from.clone(), to: to.clone(), how, pay };
                out.push(Stmt { kind, span });
            }
        }
    }

    /// Whoever chooses what of an amount is meant: the player named, or who acts.
    fn chooser(&mut self, who: &ast::Expr, span: Span) -> Option<Chooser> {
        let player = self.player_type();
        let who = match &who.kind {
            ast::ExprKind::Me | ast::ExprKind::Active | ast::ExprKind::Name(_) | ast::ExprKind::Call { .. } => {
                who.clone()
            }
            _ => ast::Expr { kind: ast::ExprKind::Me, span },
        };
        // A name that is no player is reported by the statement itself.
        let is_player = match &who.kind {
            ast::ExprKind::Name(name) => self.scope.find(&name.text).is_some_and(|l| self.local_type(l) == player),
            ast::ExprKind::Me => self.scope.home.has_me(),
            _ => true,
        };
        if !is_player {
            return None;
        }
        let who = self.expr(&who, player);
        Some(Chooser { who, from: Stock::Homes })
    }

    fn comes_from_homes(&mut self, amount: &Expr) -> bool {
        match (amount.ty, self.goods()) {
            (Type::Bag(domain), Some(goods)) if domain == goods => true,
            (Type::Unknown, _) => false,
            (ty, _) => {
                let what = self.type_name(ty);
                self.sink.push(errors::no_home(amount.span, &what));
                false
            }
        }
    }

    pub(super) fn give(
        &mut self,
        to: &ast::Expr,
        exactly: bool,
        amount: &ast::Expr,
        from: Option<&ast::Expr>,
        span: Span,
        out: &mut Block,
    ) {
        let mut chooser = self.chooser(to, span);
        let from = match from {
            Some(from) => {
                let Some((place, domain)) = self.bag_place(from) else { return };
                if let Some(chooser) = &mut chooser {
                    chooser.from = Stock::Bag(self.bag_value(&place, domain, from.span));
                }
                Some((place, domain))
            }
            None => None,
        };
        let want = from.as_ref().map_or(self.goods_bag(), |(_, d)| Type::Bag(*d));
        let amount = self.amount(amount, want, chooser);
        let Some(places) = self.givers(to, &amount) else { return };
        let from = match from {
            Some((place, domain)) => {
                let amount_ty = amount.ty;
                if amount_ty != Type::Bag(domain) {
                    let (a, b) = (self.type_name(amount_ty), self.type_name(Type::Bag(domain)));
                    self.sink.push(errors::wrong_type(amount.span, &a, &b, amount_ty, Type::Bag(domain)));
                    return;
                }
                Store::Bag(place)
            }
            None if self.comes_from_homes(&amount) => Store::Homes,
            None => return,
        };
        let how = if exactly { HowMuch::Required } else { HowMuch::Available };
        self.transfers(amount, &[(from, None)], &sides(places), how, false, out);
    }

    pub(super) fn take(&mut self, amount: &ast::Expr, from: &ast::Expr, span: Span, out: &mut Block) {
        let chooser = self.chooser(from, span).map(|c| Chooser { from: Stock::Hand { all: false }, ..c });
        let amount = self.amount(amount, self.goods_bag(), chooser);
        let Some(places) = self.givers(from, &amount) else { return };
        if self.comes_from_homes(&amount) {
            self.transfers(amount, &sides(places), &[(Store::Homes, None)], HowMuch::All, false, out);
        }
    }

    pub(super) fn pay(&mut self, amount: &ast::Expr, to: Option<&ast::Expr>, span: Span, out: &mut Block) {
        if !self.scope.home.has_me() {
            self.sink.push(errors::no_me(span));
            return;
        }
        self.scope.uses_me = true;
        let me = Expr { kind: ExprKind::Me, ty: self.player_type(), span };
        let chooser = Chooser { who: me.clone(), from: Stock::Hand { all: true } };
        let amount = self.amount(amount, self.goods_bag(), Some(chooser));
        if amount.ty == Type::Unknown {
            return;
        }
        let Type::Bag(domain) = amount.ty else { return };
        let kinds = self.kinds_of(&amount);
        let Some(mine) = self.player_bags(me, domain, kinds.as_deref(), amount.span) else { return };
        let to = match to {
            Some(to) => match self.givers(to, &amount) {
                Some(places) => sides(places),
                None => return,
            },
            None if self.comes_from_homes(&amount) => vec![(Store::Homes, None)],
            None => return,
        };
        self.transfers(amount, &sides(mine), &to, HowMuch::Required, true, out);
    }

    pub(super) fn steal(&mut self, count: &ast::Expr, from: &ast::Expr, span: Span, out: &mut Block) {
        let count = self.expect(count, Type::Number);
        let Some((from, _)) = self.bag_place(from) else { return };
        if !self.scope.home.has_me() {
            self.sink.push(errors::no_me(span));
            return;
        }
        self.scope.uses_me = true;
        let player = self.program.known.player;
        let keys = self.program.fields.get(from.field.index()).map(|f| f.keys.clone()).unwrap_or_default();
        let me = Expr { kind: ExprKind::Me, ty: self.player_type(), span };
        if keys.first().copied() != player || keys.len() != 1 {
            self.sink.push(errors::steal_from_what(span));
            return;
        }
        let to = BagPlace { field: from.field, keys: vec![me] };
        out.push(Stmt { kind: StmtKind::Steal { count, from, to }, span });
    }

    pub(super) fn swap(&mut self, left: &(ast::Expr, ast::Expr), right: &(ast::Expr, ast::Expr), out: &mut Block) {
        let goods = self.goods_bag();
        let first = self.amount(&left.0, goods, None);
        let second = self.amount(&right.0, first.ty, None);
        let second = self.coerce(second, first.ty);
        let places = [
            self.givers(&left.1, &first),
            self.givers(&right.1, &first),
            self.givers(&right.1, &second),
            self.givers(&left.1, &second),
        ];
        let [Some(from), Some(to), Some(back_from), Some(back_to)] = places else { return };
        for (amount, from, to) in [(first, from, to), (second, back_from, back_to)] {
            self.transfers(amount, &sides(from), &sides(to), HowMuch::All, false, out);
        }
    }

    fn deck_named(&mut self, name: &ast::Name) -> Option<DeckId> {
        match self.names.get(&name.text) {
            Some(Entry::Deck(deck)) => return Some(deck),
            // Goods that are drawn unseen.
            Some(Entry::Group(_)) => {
                if let Some(deck) = self.program.decks.iter().position(|d| d.name == name.text) {
                    return Some(DeckId(deck as u32));
                }
            }
            Some(_) | None => {}
        }
        if !self.is_lost(&name.text) {
            let decks: Vec<&str> = self.program.decks.iter().map(|d| d.name.as_str()).collect();
            let near = near_names(&name.text, decks);
            let fault = errors::unknown_deck(name.span, &name.text, &near);
            self.unknown(&name.text, fault);
        }
        None
    }

    pub(super) fn draw(
        &mut self,
        deck: &ast::Name,
        guard: Option<&ast::Expr>,
        to: Option<&ast::Expr>,
        bind: Option<&ast::Name>,
        span: Span,
        out: &mut Block,
    ) {
        let found = self.deck_named(deck);
        let domain = found.and_then(|d| self.program.decks.get(d.index())).map(|d| d.domain);
        let among = guard.zip(domain).map(|(guard, domain)| {
            let all = Expr { kind: ExprKind::All(domain), ty: Type::Set(domain), span: deck.span };
            self.filtered(all, None, guard, guard.span)
        });
        let to = match to {
            Some(to) => self.card_bag(to, found),
            None => found
                .and_then(|d| self.program.decks.get(d.index()))
                .map(|d| BagPlace { field: d.discards, keys: Vec::new() }),
        };
        let kinds = found.and_then(|deck| self.drawn_kinds(deck));
        let bind = bind.map(|name| self.new_local(name, domain.map_or(Type::Unknown, Type::Member), kinds));
        if among.as_ref().is_some_and(|among| among.ty == Type::Unknown) {
            return;
        }
        if let (Some(deck), Some(to)) = (found, to) {
            out.push(Stmt { kind: StmtKind::Draw { deck, among, to, bind }, span });
        }
    }

    /// A bag for the cards of a deck: named, or the one of a player.
    fn card_bag(&mut self, to: &ast::Expr, deck: Option<DeckId>) -> Option<BagPlace> {
        let deck = deck?;
        let (domain, span) = (self.program.decks.get(deck.index())?.domain, to.span);
        let one = |kind: u32| {
            let kind = Expr { kind: ExprKind::Member(kind), ty: Type::Member(domain), span };
            (kind, super::expr::number(1, span))
        };
        let any = self.drawn_kinds(deck).unwrap_or_default().into_iter().map(one).collect();
        self.giver(to, &Expr { kind: ExprKind::BagOf(any), ty: Type::Bag(domain), span })
    }

    /// The goods that are drawn from a deck that is one of goods.
    fn drawn_kinds(&self, deck: DeckId) -> Option<Vec<u32>> {
        let deck = self.program.decks.get(deck.index()).filter(|d| Some(d.domain) == self.program.known.goods)?;
        self.program.groups.iter().find(|g| g.name == deck.name).map(|g| g.members.clone())
    }

    pub(super) fn deal(
        &mut self,
        count: &ast::Expr,
        deck: &ast::Name,
        to: Option<&ast::Expr>,
        span: Span,
        out: &mut Block,
    ) {
        let count = self.expect(count, Type::Number);
        let Some(found) = self.deck_named(deck) else { return };
        let domain = self.program.decks.get(found.index()).map(|d| d.domain);
        let draw = |to| Stmt { kind: StmtKind::Draw { deck: found, among: None, to, bind: None }, span };
        let repeat =
            |to, count: Expr| Stmt { kind: StmtKind::Repeat { count, condition: None, body: vec![draw(to)] }, span };
        // `to each player` is read as all of them.
        let each = to.is_none_or(|to| match &to.kind {
            ast::ExprKind::Name(name) => name.text == "player" || name.text == "players",
            ast::ExprKind::Prefix { op: ast::PrefixOp::All, of } => {
                matches!(&of.kind, ast::ExprKind::Name(name) if name.text == "player")
            }
            _ => false,
        });
        if !each {
            if let Some(to) = to
                && let Some(place) = self.card_bag(to, Some(found))
            {
                out.push(repeat(place, count));
            }
            return;
        }
        let (Some(domain), Some(player)) = (domain, self.program.known.player) else { return };
        let ty = Type::Member(player);
        let local = self.scope.add("each", LocalType::Value(ty), None, span);
        let who = Expr { kind: ExprKind::Local(local), ty, span };
        let kinds = self.drawn_kinds(found);
        let Some(place) = self.player_bag(who, domain, kinds.as_deref(), span) else { return };
        let over = self.members(player, None, span);
        let body = vec![repeat(place, count)];
        let each = For { local, over, from: None, reversed: false, at_once: false, body };
        out.push(Stmt { kind: StmtKind::For(each), span });
    }

    pub(super) fn discard(&mut self, card: &ast::Expr, from: Option<&ast::Expr>, span: Span, out: &mut Block) {
        let from = match from {
            Some(from) => self.bag_place(from).map(|(place, domain)| (place, Some(domain))),
            None => None,
        };
        let want = from.as_ref().and_then(|(_, d)| *d).map_or(Type::Unknown, Type::Bag);
        let amount = self.amount(card, want, None);
        let Type::Bag(domain) = amount.ty else { return };
        let amount = match from.as_ref().and_then(|(_, d)| *d) {
            Some(found) => self.coerce(amount, Type::Bag(found)),
            None => amount,
        };
        if amount.ty == Type::Unknown {
            return;
        }
        let kinds = self.kinds_of(&amount);
        let from = match from {
            Some((place, _)) => place,
            None => {
                if !self.scope.home.has_me() {
                    self.sink.push(errors::no_me(span));
                    return;
                }
                self.scope.uses_me = true;
                let me = Expr { kind: ExprKind::Me, ty: self.player_type(), span };
                match self.player_bag(me, domain, kinds.as_deref(), span) {
                    Some(place) => place,
                    None => return,
                }
            }
        };
        let to = match self.program.domains.get(domain.index()).map(|d| d.kind) {
            Some(DomainKind::Cards(deck)) => match self.program.decks.get(deck.index()) {
                Some(deck) => Store::Bag(BagPlace { field: deck.discards, keys: Vec::new() }),
                None => return,
            },
            Some(
                DomainKind::Goods { .. }
                | DomainKind::Player
                | DomainKind::Terrain
                | DomainKind::Phase
                | DomainKind::Words
                | DomainKind::Places
                | DomainKind::Slots { .. },
            )
            | None => Store::Homes,
        };
        let kind = StmtKind::Transfer { amount, from: Store::Bag(from), to, how: HowMuch::All, pay: false };
        out.push(Stmt { kind, span });
    }

    // ---- pieces ---------------------------------------------------------------------------------------------------

    pub(super) fn piece_named(&mut self, name: &ast::Name) -> Option<PieceId> {
        if let Some(Entry::Piece(piece)) = self.names.get(&name.text) {
            return Some(piece);
        }
        if !self.is_lost(&name.text) {
            let pieces: Vec<&str> = self.program.pieces.iter().map(|p| p.name.as_str()).collect();
            let near = near_names(&name.text, pieces);
            let fault = errors::unknown_piece(name.span, &name.text, &near);
            self.unknown(&name.text, fault);
        }
        None
    }

    /// One kind of piece and whose it is: `pawn of p`, `my pawn`, `marker`.
    fn piece(&mut self, expr: &ast::Expr) -> Option<(PieceId, Owner)> {
        let name = match &expr.kind {
            ast::ExprKind::Name(name) => Some(name),
            ast::ExprKind::Of { left, .. } => match &left.kind {
                ast::ExprKind::Name(name) => Some(name),
                _ => None,
            },
            ast::ExprKind::Bad => return None,
            _ => None,
        };
        let Some(name) = name else {
            self.sink.push(errors::not_one_piece(expr.span));
            return None;
        };
        let piece = match self.names.peek(&name.text) {
            Some(Entry::Pieces(_)) => {
                self.sink.push(errors::which_piece(name.span, &name.text));
                return None;
            }
            _ => self.piece_named(name)?,
        };
        let found = self.expr(expr, Type::Unknown);
        match super::stacks::pieces_standing(found).kind {
            ExprKind::Pieces { owner, .. } => Some((piece, owner)),
            _ => None,
        }
    }

    /// Some pieces of one kind and owner, as a set: `my pawn at h`, `my pawn where rested`. A bare kind of piece is not
    /// meant here.
    fn some_pieces(&mut self, expr: &ast::Expr) -> Option<(PieceId, Owner, Expr)> {
        let set = self.any_set(expr);
        let set = super::stacks::pieces_standing(set);
        if set.ty == Type::Unknown {
            return None;
        }
        let Some((piece, owner)) = super::flags::kind_of_pieces(&set) else {
            self.sink.push(errors::not_one_piece(expr.span));
            return None;
        };
        let declared = self.program.pieces.get(piece.index())?;
        if declared.owned && !matches!(owner, Owner::One(_) | Owner::Neutral) {
            let name = declared.name.clone();
            self.sink.push(errors::whose_piece(expr.span, &name, self.scope.home.has_me()));
            return None;
        }
        Some((piece, owner, set))
    }

    /// An owned piece that is placed needs its owner.
    fn placed_piece(&mut self, expr: &ast::Expr) -> Option<(PieceId, Owner, DomainId)> {
        let (piece, owner) = self.piece(expr)?;
        let declared = self.program.pieces.get(piece.index())?;
        let (on, owned, name) = (declared.place, declared.owned, declared.name.clone());
        let missing = match owner {
            Owner::Any => owned,
            Owner::One(_) | Owner::Neutral => false,
            Owner::Among(_) => true,
        };
        if missing {
            self.sink.push(errors::whose_piece(expr.span, &name, self.scope.home.has_me()));
            return None;
        }
        Some((piece, owner, on))
    }

    /// The name that a piece gets when it is placed or moved: it holds the place, which is computed once, before.
    fn named_piece(
        &mut self,
        bind: Option<&ast::Name>,
        piece: PieceId,
        owner: &Owner,
        at: Expr,
        span: Span,
        out: &mut Block,
    ) -> Expr {
        let Some(name) = bind else { return at };
        let ty = at.ty;
        let local = self.new_local(name, ty, None);
        self.scope.name_piece(local, super::scope::Piece { pieces: vec![piece], owner: owner.clone() });
        out.push(Stmt { kind: StmtKind::Let { local, value: at }, span });
        Expr { kind: ExprKind::Local(local), ty, span: name.span }
    }

    pub(super) fn place(
        &mut self,
        piece: &ast::Expr,
        on: &ast::Expr,
        bind: Option<&ast::Name>,
        span: Span,
        out: &mut Block,
    ) {
        let found = self.placed_piece(piece);
        let at = match &found {
            Some((_, _, domain)) => self.place_wanted(on, *domain),
            None => self.expr(on, Type::Unknown),
        };
        match found {
            Some((piece, owner, _)) if at.ty != Type::Unknown => {
                let at = self.arriving(piece, at);
                let at = self.named_piece(bind, piece, &owner, at, span, out);
                out.push(Stmt { kind: StmtKind::Place { piece, owner, at }, span });
            }
            _ => {
                if let Some(bind) = bind {
                    self.new_local(bind, Type::Unknown, None);
                }
            }
        }
    }

    pub(super) fn remove(&mut self, piece: &ast::Expr, from: Option<&ast::Expr>, span: Span, out: &mut Block) {
        if from.is_none() && !matches!(piece.kind, ast::ExprKind::Name(_) | ast::ExprKind::Of { .. }) {
            if let Some((piece, owner, set)) = self.some_pieces(piece) {
                out.push(Stmt { kind: StmtKind::Remove { piece, owner, at: super::expr::first(set) }, span });
            }
            return;
        }
        let Some((id, owner)) = self.piece(piece) else { return };
        let Some(on) = self.program.pieces.get(id.index()).map(|p| p.place) else { return };
        let at = match from {
            Some(from) => self.place_wanted(from, on),
            None => {
                let pieces = self.piece_sets(&[id], &owner, span);
                super::expr::first(super::stacks::pieces_standing(pieces))
            }
        };
        let at = self.leaving(id, &owner, at);
        if at.ty != Type::Unknown {
            out.push(Stmt { kind: StmtKind::Remove { piece: id, owner, at }, span });
        }
    }

    pub(super) fn replace(&mut self, piece: &ast::Expr, on: &ast::Expr, by: &ast::Expr, span: Span, out: &mut Block) {
        let (old, new) = (self.placed_piece(piece), self.placed_piece(by));
        let (Some((old, old_owner, domain)), Some((new, new_owner, new_domain))) = (old, new) else { return };
        if domain != new_domain {
            let (a, b) = (self.type_name(Type::Member(domain)), self.type_name(Type::Member(new_domain)));
            self.sink.push(errors::stand_elsewhere(by.span, &b, piece.span, &a));
            return;
        }
        let at = self.place_wanted(on, domain);
        if at.ty == Type::Unknown {
            return;
        }
        let from = self.leaving(old, &old_owner, at.clone());
        let at = self.arriving(new, at);
        out.push(Stmt { kind: StmtKind::Remove { piece: old, owner: old_owner, at: from }, span });
        out.push(Stmt { kind: StmtKind::Place { piece: new, owner: new_owner, at }, span });
    }

    pub(super) fn move_statement(&mut self, moved: &'a ast::Move, span: Span, out: &mut Block) {
        let named = self.piece_by_name(&moved.what);
        if named.is_none() && !self.is_piece(&moved.what) {
            if let Some(bind) = &moved.bind {
                if !self.incomplete && !self.is_lost_piece(&moved.what) {
                    self.sink.push(errors::goods_have_no_name(bind.span));
                }
                self.new_local(bind, Type::Unknown, None);
            }
            self.move_goods(moved, span, out);
            return;
        }
        if moved.all && named.is_none() {
            self.move_all(moved, span, out);
            return;
        }
        let is_set = !matches!(moved.what.kind, ast::ExprKind::Name(_) | ast::ExprKind::Of { .. });
        let found = if named.is_some() {
            named
        } else if moved.one || is_set {
            self.some_pieces(&moved.what).map(|(piece, owner, set)| (piece, owner, Some(super::expr::first(set))))
        } else {
            self.placed_piece(&moved.what).map(|(piece, owner, _)| (piece, owner, None))
        };
        let Some((piece, owner, picked)) = found else { return };
        let Some(on) = self.program.pieces.get(piece.index()).map(|p| p.place) else { return };
        let from = moved.from.as_ref().map(|from| self.place_wanted(from, on));
        let from = match (picked, from) {
            (Some(picked), None) => Some(picked),
            (Some(_), Some(from)) => {
                self.sink.push(errors::moved_from_twice(from.span, moved.what.span));
                return;
            }
            (None, from) => from.map(|from| self.leaving(piece, &owner, from)),
        };
        if from.as_ref().is_some_and(|f| f.ty == Type::Unknown) {
            return;
        }
        if let Some((link, times)) = &moved.along {
            let here = from.clone().unwrap_or_else(|| super::expr::first(self.piece_sets(&[piece], &owner, span)));
            let here = self.standing(here);
            if !self.relations.iter().any(|r| r.name == link.text && r.from == on && r.to == on) {
                if !self.incomplete {
                    let known: Vec<&str> =
                        self.relations.iter().filter(|r| r.from == on && r.to == on).map(|r| r.name.as_str()).collect();
                    let near = near_names(&link.text, known.iter().copied());
                    let fault = errors::unknown_link(link.span, &link.text, &near, &known);
                    self.sink.push(fault);
                }
                return;
            }
            let image = ExprKind::Image { relation: link.text.clone(), of: Box::new(here) };
            let next = Expr { kind: image, ty: Type::Set(on), span };
            let to = self.arriving(piece, super::expr::first(next));
            let step = Stmt { kind: StmtKind::Move { piece, owner, from: None, to }, span };
            match times {
                Some(times) => {
                    let count = self.expect(times, Type::Number);
                    out.push(Stmt { kind: StmtKind::Repeat { count, condition: None, body: vec![step] }, span });
                }
                None => out.push(step),
            }
            return;
        }
        let to = match (&moved.to, &moved.by) {
            (Some(to), None) => self.place_wanted(to, on),
            (None, Some(by)) => {
                let here = from.clone().unwrap_or_else(|| super::expr::first(self.piece_sets(&[piece], &owner, span)));
                let here = self.standing(here);
                let there = self.step_from(here, on, by, span);
                if there.ty == Type::Unknown { there } else { self.arriving(piece, there) }
            }
            (Some(_), Some(by)) => {
                self.sink.push(errors::move_to_and_by(by.span));
                return;
            }
            (None, None) => {
                self.sink.push(errors::move_where(span));
                return;
            }
        };
        if to.ty != Type::Unknown {
            let to = self.arriving(piece, to);
            let to = self.named_piece(moved.bind.as_ref(), piece, &owner, to, span, out);
            out.push(Stmt { kind: StmtKind::Move { piece, owner, from, to }, span });
        }
    }

    /// One piece by the name that it has got, or a token.
    fn piece_by_name(&mut self, what: &ast::Expr) -> Option<(PieceId, Owner, Option<Expr>)> {
        if let ast::ExprKind::Prefix { .. } = &what.kind {
            let id = self.token_of(what)?;
            let piece = self.tokens(id)?.piece;
            return Some((piece, Owner::Any, Some(self.slot_of(what))));
        }
        let ast::ExprKind::Name(name) = &what.kind else { return None };
        let local = self.scope.find(&name.text)?;
        let known = self.piece_of_local(local)?;
        let [piece] = known.pieces.as_slice() else { return None };
        let place = Expr { kind: ExprKind::Local(local), ty: self.local_type(local), span: what.span };
        Some((*piece, known.owner, Some(place)))
    }

    /// Is what is named a thing whose own declaration has a fault?
    fn is_lost_piece(&self, what: &ast::Expr) -> bool {
        match &what.kind {
            ast::ExprKind::Name(name) => self.is_lost(&name.text),
            ast::ExprKind::Of { left, .. }
            | ast::ExprKind::At { left, .. }
            | ast::ExprKind::Where { set: left, .. } => self.is_lost_piece(left),
            _ => false,
        }
    }

    fn is_piece(&self, what: &ast::Expr) -> bool {
        let name = match &what.kind {
            ast::ExprKind::Name(name) => name,
            ast::ExprKind::Of { left, .. } => match &left.kind {
                ast::ExprKind::Name(name) => name,
                _ => return false,
            },
            ast::ExprKind::At { left, .. } | ast::ExprKind::Where { set: left, .. } => return self.is_piece(left),
            _ => return false,
        };
        self.scope.find(&name.text).is_none()
            && matches!(self.names.peek(&name.text), Some(Entry::Piece(_) | Entry::Pieces(_)))
    }

    /// `move all r from p.hand to my hand`, `move 2 coin from pot to my hand`.
    fn move_goods(&mut self, moved: &'a ast::Move, span: Span, out: &mut Block) {
        let (Some(from), Some(to)) = (&moved.from, &moved.to) else {
            if self.expr(&moved.what, Type::Unknown).ty != Type::Unknown {
                self.sink.push(errors::move_from_and_to(span));
            }
            return;
        };
        let (Some((from, domain)), to) = (self.bag_place(from), self.bag_place(to)) else { return };
        let there = self.bag_value(&from, domain, span);
        let ty = Type::Bag(domain);
        let amount = if moved.all {
            let what = self.set_wanted(&moved.what, Type::Set(domain));
            let what = self.coerce(what, Type::Set(domain));
            if what.ty == Type::Unknown {
                return;
            }
            let (bag, set) = (Box::new(there), Box::new(what));
            Expr { kind: ExprKind::BagWithin { bag, set }, ty, span }
        } else {
            let amount = self.amount(&moved.what, ty, None);
            self.coerce(amount, ty)
        };
        let Some((to, to_domain)) = to else { return };
        if to_domain != domain {
            let (a, b) = (self.type_name(ty), self.type_name(Type::Bag(to_domain)));
            self.sink.push(errors::wrong_type(moved.what.span, &a, &b, ty, Type::Bag(to_domain)));
            return;
        }
        if amount.ty == Type::Unknown {
            return;
        }
        let (from, to) = (Store::Bag(from), Store::Bag(to));
        out.push(Stmt { kind: StmtKind::Transfer { amount, from, to, how: HowMuch::All, pay: false }, span });
    }

    // ---- what lies on the board -------------------------------------------------------------------------------------

    pub(super) fn shuffle(&mut self, what: &ast::Expr, on: Option<&ast::Expr>, span: Span, out: &mut Block) {
        let ast::ExprKind::Name(name) = &what.kind else {
            self.sink.push(errors::shuffle_what(what.span));
            return;
        };
        if let Some(tokens) = self.tokens_named(&name.text) {
            self.shuffle_tokens(tokens, on, span, out);
            return;
        }
        match self.names.get(&name.text) {
            Some(Entry::Group(_)) if self.program.decks.iter().any(|d| d.name == name.text) => {
                if let Some(deck) = self.deck_named(name) {
                    out.push(Stmt { kind: StmtKind::ShuffleDeck(deck), span });
                }
            }
            Some(Entry::Deck(deck)) => {
                if let Some(on) = on {
                    self.sink.push(errors::deck_lies_nowhere(on.span));
                }
                out.push(Stmt { kind: StmtKind::ShuffleDeck(deck), span });
            }
            Some(Entry::Field(field)) => {
                let keys = self.program.fields.get(field.index()).map(|f| f.keys.clone()).unwrap_or_default();
                let [key] = keys.as_slice() else {
                    self.sink.push(errors::shuffle_what(what.span));
                    return;
                };
                let over = match on {
                    Some(on) => self.expect(on, Type::Set(*key)),
                    None => self.members(*key, None, span),
                };
                if over.ty != Type::Unknown {
                    out.push(Stmt { kind: StmtKind::ShuffleField { field, over }, span });
                }
            }
            Some(_) => self.sink.push(errors::shuffle_what(what.span)),
            None if self.is_lost(&name.text) => {}
            None => self.unknown_name(name, Type::Unknown),
        }
    }

    pub(super) fn lay(
        &mut self,
        field: &ast::Name,
        values: &[ast::Expr],
        along: &ast::Expr,
        span: Span,
        out: &mut Block,
    ) {
        let Some(Entry::Field(id)) = self.names.get(&field.text) else {
            if !self.is_lost(&field.text) {
                self.sink.push(errors::lay_what(field.span, &field.text));
            }
            return;
        };
        let Some(declared) = self.program.fields.get(id.index()).cloned() else { return };
        let [key] = declared.keys.as_slice() else {
            self.sink.push(errors::lay_what(field.span, &field.text));
            return;
        };
        let mut found = Vec::new();
        for value in values {
            found.push(self.laid_value(value, &declared));
        }
        let (path, within) = match &along.kind {
            ast::ExprKind::Binary { op: ast::BinaryOp::Intersect, left, right } => {
                (left.as_ref(), Some(right.as_ref()))
            }
            _ => (along, None),
        };
        let name = match &path.kind {
            ast::ExprKind::Name(name) => name,
            _ => {
                self.sink.push(errors::lay_along_what(path.span));
                return;
            }
        };
        let mark = match self.names.get(&name.text) {
            Some(Entry::Mark(mark)) => self.marks.get(mark).filter(|m| m.path).cloned(),
            _ => None,
        };
        let Some(mark) = mark else {
            let lost = self.names.peek(&name.text).is_none() && self.is_lost(&name.text);
            if !self.incomplete && !lost {
                let paths: Vec<&str> = self.marks.iter().filter(|m| m.path).map(|m| m.name.as_str()).collect();
                let near = near_names(&name.text, paths);
                let fault = errors::unknown_path(name.span, &name.text, &near);
                self.sink.push(fault);
            }
            return;
        };
        if mark.domain != *key {
            let (a, b) = (self.type_name(Type::Member(mark.domain)), self.type_name(Type::Member(*key)));
            self.sink.push(errors::path_elsewhere(name.span, &name.text, &a, &field.text, &b));
            return;
        }
        let within = within.map(|set| self.expect(set, Type::Set(*key)));
        let values: Option<Vec<i64>> = found.into_iter().collect();
        if let Some(values) = values
            && within.as_ref().is_none_or(|w| w.ty != Type::Unknown)
        {
            out.push(Stmt { kind: StmtKind::Lay { field: id, values, path: mark.name, within }, span });
        }
    }

    /// A value of a field that is written out: a number in its range, or the number of a member.
    fn laid_value(&mut self, value: &ast::Expr, field: &Field) -> Option<i64> {
        let (name, declared, none) = (field.name.as_str(), field.span, field.none);
        match &field.ty {
            FieldType::Number { low, high } => {
                let number = self.constant(value)?;
                let least = if none == Some(*low) { low.saturating_add(1) } else { *low };
                if !(least..=*high).contains(&number) {
                    self.sink.push(errors::out_of_range(value.span, number, least, *high, name, declared));
                    return None;
                }
                Some(number)
            }
            FieldType::Member { domain, .. } => {
                let found = self.expect(value, Type::Member(*domain));
                match found.kind {
                    ExprKind::Member(member) => Some(i64::from(member)),
                    _ if found.ty == Type::Unknown => None,
                    _ => {
                        self.sink.push(errors::not_constant(value.span));
                        None
                    }
                }
            }
            FieldType::Truth | FieldType::Set(_) | FieldType::Bag { .. } => {
                self.sink.push(errors::lay_what(value.span, name));
                None
            }
        }
    }
}
