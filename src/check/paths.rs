//! `X of Y`, `Y.X`, `my X`: what they mean depends on what `X` is. State takes its keys one by one, in any
//! order that their kinds allow; a bag gives how many of a kind are in it; a piece takes its owner; a number
//! makes an amount.

use super::names::Entry;
use super::scope::Home;
use super::{Checker, errors};
use crate::program::{
    BagPlace, DomainId, Expr, ExprKind, FieldId, FieldType, LocalId, LocalType, Owner, PieceId, Target, Type,
};
use crate::source::Span;
use crate::syntax::ast::{self, OfForm};

/// Something with keys, some of which may still be missing.
#[derive(Clone, Debug)]
pub struct Path {
    pub base: Base,
    /// How many of this kind are in the bag.
    pub lane: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Base {
    Field { field: FieldId, keys: Vec<Option<Expr>> },
    Tally { local: LocalId, key: Option<Box<Expr>> },
    Value(Box<Expr>),
}

impl Path {
    fn value(expr: Expr) -> Path {
        Path { span: expr.span, base: Base::Value(Box::new(expr)), lane: None }
    }
}

impl<'a> Checker<'a> {
    pub(super) fn path(&mut self, expr: &ast::Expr, want: Type) -> Path {
        match &expr.kind {
            ast::ExprKind::Name(name) => self.name_path(name, want),
            ast::ExprKind::Of { left, right, form } => self.of(left, right, *form, want, expr.span),
            ast::ExprKind::Index { base, index } if self.names_list(base) => {
                let entry = match self.list(base) {
                    Ok(list) => self.list_entry(list, index, expr.span),
                    Err(value) => self.column_by_word(&value, index, expr.span).unwrap_or_else(|| unknown(expr.span)),
                };
                Path::value(entry)
            }
            ast::ExprKind::Index { base, index } => {
                let mut path = self.path(base, Type::Unknown);
                if self.token_of(base).is_some() {
                    // What a token has is what its face has.
                    let slot = self.finish(path);
                    let slot = self.one_slot(slot);
                    path = Path::value(self.face_in(slot));
                }
                if let Type::Member(domain) = self.base_type(&path)
                    && self.has_columns(domain)
                    && self.missing(&path).is_empty()
                {
                    let of = self.finish(path);
                    match self.column_by_word(&of, index, expr.span) {
                        Some(column) => return Path::value(column),
                        None => path = Path::value(of),
                    }
                }
                self.attach(path, index, OfForm::Of, expr.span, None)
            }
            ast::ExprKind::Call { name, args } if name.text == "chronicle" => match args.as_slice() {
                [kept] => self.chronicle_path(&kept.value, expr.span),
                [..] => Path::value(self.expr(expr, want)),
            },
            _ => Path::value(self.expr(expr, want)),
        }
    }

    fn name_path(&mut self, name: &ast::Name, want: Type) -> Path {
        if let Some(local) = self.scope.find(&name.text) {
            if let Some(LocalType::Tally { .. }) = self.scope.local(local).map(|l| &l.ty) {
                return Path { base: Base::Tally { local, key: None }, lane: None, span: name.span };
            }
        } else if self.member_wanted(&name.text, want).is_none() {
            // What is being tested has its own columns before all else of the name.
            if self.names.peek(&name.text).is_some()
                && let Some(column) = self.column_of_innermost(name)
            {
                return Path::value(column);
            }
            if let Some(path) = self.field_path(name) {
                return path;
            }
        }
        if self.names.peek(&name.text).is_none()
            && self.scope.find(&name.text).is_none()
            && self.member_wanted(&name.text, want).is_none()
            && let Some(column) = self.attribute_of_it(name).or_else(|| self.column_of_it(name))
        {
            return Path::value(column);
        }
        Path::value(self.name_value(name, want))
    }

    /// A part of the state by its name, all of its keys still missing.
    fn field_path(&mut self, name: &ast::Name) -> Option<Path> {
        let Some(Entry::Field(field)) = self.names.peek(&name.text) else { return None };
        self.names.get(&name.text);
        let keys = self.program.fields.get(field.index()).map_or(0, |f| f.keys.len());
        Some(Path { base: Base::Field { field, keys: vec![None; keys] }, lane: None, span: name.span })
    }

    fn of(&mut self, left: &ast::Expr, right: &ast::Expr, form: OfForm, want: Type, span: Span) -> Path {
        if let ast::ExprKind::Name(name) = &left.kind
            && self.scope.find(&name.text).is_none()
        {
            if let Some(tokens) = self.token_of(right)
                && self.is_attribute(tokens, &name.text)
            {
                return Path::value(self.attribute_of(tokens, name, right, span));
            }
            if let Some(tokens) = self.token_of(right)
                && self.means_nothing(&name.text)
            {
                self.expr(right, Type::Unknown);
                self.no_attribute(tokens, name);
                return Path::value(unknown(span));
            }
            let pieces = match self.names.peek(&name.text) {
                Some(Entry::Piece(piece)) => Some(vec![piece]),
                Some(Entry::Pieces(group)) => self.piece_groups.get(group).map(|g| g.pieces.clone()),
                Some(Entry::Function(_)) if form != OfForm::Of => {
                    let fault = errors::function_takes_brackets(span, &name.text);
                    self.sink.push(fault);
                    self.expr(right, Type::Unknown);
                    return Path::value(unknown(span));
                }
                _ => None,
            };
            if let Some(pieces) = pieces {
                self.names.get(&name.text);
                return Path::value(self.pieces_of(&pieces, name, right, span));
            }
            match name.text.as_str() {
                "yields" => return Path::value(self.yields(right, span)),
                "points" => return Path::value(self.points(std::slice::from_ref(right), span, false)),
                _ => {}
            }
        }
        let column = match &left.kind {
            ast::ExprKind::Name(name) if self.scope.find(&name.text).is_none() && self.is_column(&name.text) => {
                Some(name)
            }
            _ => None,
        };
        if let Some(name) = column
            && !matches!(self.names.peek(&name.text), Some(Entry::Field(_)))
        {
            let domains = self.domains_with(&name.text);
            let of = self.key(right, &domains, None);
            return Path::value(self.column(&of, name, span).unwrap_or_else(|| {
                if let Type::Member(domain) = of.ty
                    && self.has_columns(domain)
                {
                    self.no_column(domain, name);
                } else if of.ty != Type::Unknown {
                    let what = self.type_name(of.ty);
                    self.sink.push(errors::column_of_what(right.span, &name.text, &what));
                }
                unknown(span)
            }));
        }
        if let ast::ExprKind::Name(name) = &left.kind
            && column.is_none()
            && !self.face_tables.is_empty()
            && self.means_nothing(&name.text)
        {
            match self.expr(right, Type::Unknown).ty {
                Type::Member(domain) if self.has_columns(domain) => self.no_column(domain, name),
                _ => self.unknown_name(name, Type::Unknown),
            }
            return Path::value(unknown(span));
        }
        // `2 of (a, b)`: the left side is a number, whatever is wanted of the whole.
        let path = match column.and_then(|name| self.field_path(name)) {
            Some(path) => path,
            None => self.path(left, Type::Unknown),
        };
        if let Base::Value(value) = &path.base
            && value.ty == Type::Number
            && path.lane.is_none()
        {
            let count = (**value).clone();
            return Path::value(self.amount_of(count, right, want, span));
        }
        self.attach(path, right, form, span, column)
    }

    /// The places where pieces of an owner stand.
    fn pieces_of(&mut self, pieces: &[PieceId], name: &ast::Name, right: &ast::Expr, span: Span) -> Expr {
        let player = self.player_type();
        if let ast::ExprKind::Name(word) = &right.kind
            && word.text == "neutral"
        {
            return self.neutral(pieces, span);
        }
        let who = self.expr(right, player);
        let owner = match (who.ty, player) {
            (Type::Unknown, _) => return unknown(span),
            (ty, want) if ty == want => Owner::One(Box::new(who)),
            (Type::Set(domain), Type::Member(player)) if domain == player => Owner::Among(Box::new(who)),
            (ty, _) => {
                let found = self.type_name(ty);
                self.sink.push(errors::not_an_owner(right.span, &name.text, &found));
                return unknown(span);
            }
        };
        if self.some_are_nobodys(pieces, span) {
            return unknown(span);
        }
        self.piece_sets(pieces, &owner, span)
    }

    /// `neutral pawn`: pieces of a kind that players own, and of no player. There are such once a rule says so.
    fn neutral(&mut self, pieces: &[PieceId], span: Span) -> Expr {
        if self.some_are_nobodys(pieces, span) {
            return unknown(span);
        }
        for piece in pieces {
            if let Some(piece) = self.program.pieces.get_mut(piece.index()) {
                piece.neutral = true;
            }
        }
        self.piece_sets(pieces, &Owner::Neutral, span)
    }

    /// Reports a piece that nobody owns, where an owner is named.
    fn some_are_nobodys(&mut self, pieces: &[PieceId], span: Span) -> bool {
        let nobodys = pieces.iter().find(|p| self.program.pieces.get(p.index()).is_some_and(|p| !p.owned));
        let Some(piece) = nobodys else { return false };
        let (piece, declared) =
            self.program.pieces.get(piece.index()).map_or(("", span), |p| (p.name.as_str(), p.span));
        let fault = errors::piece_of_nobody(span, piece, declared);
        self.sink.push(fault);
        true
    }

    /// The union of the places where pieces of these kinds and this owner stand.
    pub(super) fn piece_sets(&mut self, pieces: &[PieceId], owner: &Owner, span: Span) -> Expr {
        let sets = pieces.iter().filter_map(|piece| {
            let on = self.program.pieces.get(piece.index())?.on;
            let kind = ExprKind::Pieces { piece: *piece, owner: owner.clone() };
            Some(self.standing(Expr { kind, ty: Type::Set(on), span }))
        });
        sets.reduce(|a, b| Expr { ty: a.ty, kind: ExprKind::Union(Box::new(a), Box::new(b)), span })
            .unwrap_or_else(|| unknown(span))
    }

    fn yields(&mut self, of: &ast::Expr, span: Span) -> Expr {
        let (Some(terrain), Some(goods)) = (self.program.known.terrain, self.program.known.goods) else {
            if !self.gaps {
                self.sink.push(errors::nothing_yields(span));
            }
            return unknown(span);
        };
        let of = self.expect(of, Type::Member(terrain));
        if of.ty == Type::Unknown {
            return of;
        }
        Expr { kind: ExprKind::Yields(Box::new(of)), ty: Type::Set(goods), span }
    }

    /// Gives a path its next key, or the kind that is counted in its bag.
    /// `column`: the same name as that of the path is also one of a column.
    pub(super) fn attach(
        &mut self,
        mut path: Path,
        right: &ast::Expr,
        form: OfForm,
        span: Span,
        column: Option<&ast::Name>,
    ) -> Path {
        path.span = span;
        if let ast::ExprKind::Name(name) = &right.kind
            && let Some(local) = self.scope.find(&name.text)
            && self.attach_local(&mut path, local, right.span).is_some()
        {
            return path;
        }
        let missing = self.missing(&path);
        let bag = self.bag_domain(&path).filter(|_| path.lane.is_none());
        let key = self.key(right, &missing, bag);
        if key.ty == Type::Unknown || matches!(&path.base, Base::Value(v) if v.ty == Type::Unknown) {
            return Path::value(unknown(span));
        }
        if let Some(column) = column.and_then(|name| self.column(&key, name, span)) {
            return Path::value(column);
        }
        if self.attach_piece(&mut path, &key).is_some() {
            return path;
        }
        let key = if missing.iter().any(|d| matches!(key.ty, Type::Member(k) if self.base_of(k) == Some(*d))) {
            self.standing(key)
        } else {
            self.only_place(key, right, &missing)
        };
        match key.ty {
            Type::Member(domain) if missing.contains(&domain) => {
                match &mut path.base {
                    Base::Field { field, keys } => {
                        let domains = self.program.fields.get(field.index()).map(|f| f.keys.as_slice());
                        let slot = domains
                            .and_then(|d| d.iter().zip(keys.iter()).position(|(d, k)| *d == domain && k.is_none()));
                        if let Some(slot) = slot.and_then(|i| keys.get_mut(i)) {
                            *slot = Some(key);
                        }
                    }
                    Base::Tally { key: slot, .. } => *slot = Some(Box::new(key)),
                    Base::Value(_) => {}
                }
                path
            }
            Type::Member(domain) if bag == Some(domain) => Path { lane: Some(key), ..path },
            Type::Set(domain) if bag == Some(domain) => {
                let bag = self.finish(path);
                Path::value(Expr {
                    ty: bag.ty,
                    kind: ExprKind::BagWithin { bag: Box::new(bag), set: Box::new(key) },
                    span,
                })
            }
            ty => {
                let what = self.sources.text(path.start_span(&self.program, right)).to_owned();
                let found = self.type_name(ty);
                let mut keys: Vec<String> = missing.iter().map(|d| self.type_name(Type::Member(*d))).collect();
                keys.extend(bag.map(|d| self.type_name(Type::Member(d))));
                let fault = errors::does_not_take(right.span, &what, &found, &keys, form == OfForm::My);
                self.sink.push(fault);
                Path::value(unknown(span))
            }
        }
    }

    /// `pawn.terrain`: where a place is needed, a set of pieces stands for the first of their places.
    fn only_place(&mut self, key: Expr, right: &ast::Expr, missing: &[DomainId]) -> Expr {
        let Type::Set(domain) = key.ty else { return key };
        let is_piece = super::expr::is_pieces(&key) && matches!(right.kind, ast::ExprKind::Name(_));
        if missing.contains(&domain) && is_piece {
            let span = key.span;
            return Expr { kind: ExprKind::First(Box::new(key)), ty: Type::Member(domain), span };
        }
        key
    }

    /// A key by its name among the members of the domains that fit, or any expression.
    pub(super) fn key(&mut self, right: &ast::Expr, missing: &[DomainId], bag: Option<DomainId>) -> Expr {
        let domains = missing.iter().copied().chain(bag);
        if let ast::ExprKind::Name(name) = &right.kind
            && self.scope.find(&name.text).is_none()
        {
            for domain in domains {
                if let Some(member) = self.member_named(domain, &name.text) {
                    self.names.get(&name.text);
                    return Expr { kind: ExprKind::Member(member), ty: Type::Member(domain), span: name.span };
                }
            }
        }
        let want = missing.first().copied().or(bag).map_or(Type::Unknown, Type::Member);
        self.expr(right, want)
    }

    /// The domains of the keys that are missing.
    pub(super) fn missing(&self, path: &Path) -> Vec<DomainId> {
        match &path.base {
            Base::Field { field, keys } => {
                let domains = self.program.fields.get(field.index()).map_or(&[][..], |f| f.keys.as_slice());
                domains.iter().zip(keys).filter(|(_, key)| key.is_none()).map(|(domain, _)| *domain).collect()
            }
            Base::Tally { local, key: None } => match self.scope.local(*local).map(|l| &l.ty) {
                Some(LocalType::Tally { key, .. }) => vec![*key],
                Some(LocalType::Value(_)) | None => Vec::new(),
            },
            Base::Tally { .. } | Base::Value(_) => Vec::new(),
        }
    }

    /// The type that a path has once all of its keys are there, without its lane.
    pub(super) fn base_type(&self, path: &Path) -> Type {
        match &path.base {
            Base::Field { field, .. } => match self.program.fields.get(field.index()).map(|f| &f.ty) {
                Some(FieldType::Truth) => Type::Truth,
                Some(FieldType::Number { .. }) => Type::Number,
                Some(FieldType::Member { domain, .. }) => Type::Member(*domain),
                Some(FieldType::Set(domain)) => Type::Set(*domain),
                Some(FieldType::Bag { domain, .. }) => Type::Bag(*domain),
                None => Type::Unknown,
            },
            Base::Tally { local, .. } => match self.scope.local(*local).map(|l| &l.ty) {
                Some(LocalType::Tally { bag: Some(domain), .. }) => Type::Bag(*domain),
                Some(LocalType::Tally { bag: None, .. }) => Type::Number,
                Some(LocalType::Value(_)) | None => Type::Unknown,
            },
            Base::Value(value) => value.ty,
        }
    }

    fn bag_domain(&self, path: &Path) -> Option<DomainId> {
        match self.base_type(path) {
            Type::Bag(domain) => Some(domain),
            Type::Truth | Type::Number | Type::Member(_) | Type::Set(_) | Type::Nothing | Type::Unknown => None,
        }
    }

    /// Keys that were left out are the element that is being tested (`players where size(hand) == 0`); without
    /// one it is a fault.
    pub(super) fn fill(&mut self, path: &mut Path) -> bool {
        let mut missing = self.missing(path);
        if !missing.is_empty() && self.piece_that_is_tested(path) {
            missing = self.missing(path);
        }
        if missing.is_empty() {
            return true;
        }
        let Some(found) = missing.iter().map(|d| self.scope.it_of(*d, path.span)).collect::<Option<Vec<_>>>() else {
            let what = self.sources.text(path.span).to_owned();
            let player = self.program.known.player;
            let fault = if missing.first().copied() == player {
                errors::whose(path.span, &what, self.scope.home.has_me())
            } else {
                let kind = missing.first().map_or("", |d| self.domain_name(*d)).to_owned();
                errors::of_which(path.span, &what, &kind)
            };
            self.sink.push(fault);
            return false;
        };
        let mut found = found.into_iter();
        match &mut path.base {
            Base::Field { keys, .. } => {
                for key in keys.iter_mut().filter(|k| k.is_none()) {
                    *key = found.next();
                }
            }
            Base::Tally { key, .. } => *key = found.next().map(Box::new),
            Base::Value(_) => {}
        }
        true
    }

    /// The value of a path.
    pub(super) fn finish(&mut self, mut path: Path) -> Expr {
        if !self.fill(&mut path) {
            return unknown(path.span);
        }
        let (span, ty) = (path.span, self.base_type(&path));
        let base = match path.base {
            Base::Field { field, keys } => {
                let keys = keys.into_iter().flatten().collect();
                Expr { kind: ExprKind::Field { field, keys }, ty, span }
            }
            Base::Tally { local, key } => match key {
                Some(key) => Expr { kind: ExprKind::Tally { local, key }, ty, span },
                None => unknown(span),
            },
            Base::Value(value) => *value,
        };
        match path.lane {
            Some(kind) => {
                Expr { kind: ExprKind::Lane { bag: Box::new(base), kind: Box::new(kind) }, ty: Type::Number, span }
            }
            None => base,
        }
    }

    /// What a path names, to be written to; None after a fault.
    pub(super) fn target(&mut self, path: Path) -> Option<(Target, Type)> {
        let mut path = path;
        if !self.fill(&mut path) {
            return None;
        }
        let ty = self.base_type(&path);
        let base = match path.base {
            Base::Field { field, keys } => {
                if !self.may_be_written(field, path.span) {
                    return None;
                }
                Target::Field { field, keys: keys.into_iter().flatten().collect() }
            }
            Base::Tally { local, key } => Target::Tally { local, key: *key? },
            Base::Value(value) => match value.kind {
                ExprKind::Local(local) if !self.scope.params.contains(&local) => Target::Local(local),
                _ if value.ty == Type::Unknown => return None,
                _ => {
                    let what = self.sources.text(path.span).to_owned();
                    self.sink.push(errors::not_to_be_set(path.span, &what));
                    return None;
                }
            },
        };
        Some(match path.lane {
            Some(kind) => (Target::Lane { bag: Box::new(base), kind }, Type::Number),
            None => (base, ty),
        })
    }

    fn may_be_written(&mut self, field: FieldId, span: Span) -> bool {
        if self.scope.home == Home::Function || self.scope.home == Home::Table {
            let what = self.sources.text(span).to_owned();
            self.sink.push(errors::not_to_be_set(span, &what));
            return false;
        }
        self.program.fields.get(field.index()).is_some()
    }

    /// A bag that goods can be moved into or out of; None after a fault.
    pub(super) fn bag_place(&mut self, expr: &ast::Expr) -> Option<(BagPlace, DomainId)> {
        let path = self.path(expr, Type::Unknown);
        self.path_bag(path)
    }

    pub(super) fn path_bag(&mut self, mut path: Path) -> Option<(BagPlace, DomainId)> {
        if !self.fill(&mut path) {
            return None;
        }
        let ty = self.base_type(&path);
        match (path.base, ty) {
            (Base::Field { field, .. }, Type::Bag(_)) if self.is_record(field) => {
                self.sink.push(errors::chronicle_is_no_store(path.span));
                None
            }
            (Base::Field { field, keys }, Type::Bag(domain)) if path.lane.is_none() => {
                Some((BagPlace { field, keys: keys.into_iter().flatten().collect() }, domain))
            }
            (_, Type::Unknown) => None,
            (_, ty) => {
                let found = self.type_name(if path.lane.is_some() { Type::Number } else { ty });
                self.sink.push(errors::not_a_store(path.span, &found));
                None
            }
        }
    }

    pub(super) fn player_type(&self) -> Type {
        self.program.known.player.map_or(Type::Unknown, Type::Member)
    }
}

impl Path {
    /// Where the name of the thing stands that takes the keys, for a message.
    fn start_span(&self, program: &crate::program::Program, right: &ast::Expr) -> Span {
        match &self.base {
            Base::Value(value) if value.span.end < right.span.start || value.span.start > right.span.end => value.span,
            Base::Field { field, .. } => program.fields.get(field.index()).map_or(self.span, |f| f.span),
            Base::Tally { .. } | Base::Value(_) => self.span,
        }
    }
}

/// What stands for a value after a fault; it fits everywhere.
pub fn unknown(span: Span) -> Expr {
    Expr { kind: ExprKind::None, ty: Type::Unknown, span }
}
