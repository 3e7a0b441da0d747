//! Expressions that give a number, a truth as a number, or a member.

use super::Lower;
use super::environment::{Bind, Val};
use super::memory::Region;
use crate::engine::code::{Shape, fixed};
use crate::engine::instr::Op;
use crate::program::{Arith, Compare, Constant, DomainKind, Expr, ExprKind, FieldId, FieldType, Owner, Type};

impl<'p> Lower<'p> {
    /// The value as far as it is known without running anything.
    pub fn known(&mut self, e: &'p Expr) -> Option<i64> {
        match &e.kind {
            ExprKind::Number(n) => Some(*n),
            ExprKind::Truth(t) => Some(i64::from(*t)),
            ExprKind::Member(m) => Some(i64::from(*m)),
            ExprKind::None => Some(-1),
            ExprKind::Local(local) => match self.env.scope.binds.get(local.index()).cloned() {
                Some(Bind::Val(Val::Known(n))) => Some(n),
                Some(Bind::Lazy(inner, scope)) => self.within(&scope, |l| l.known(inner)),
                _ => None,
            },
            ExprKind::Me => match self.env.scope.me {
                Some(Val::Known(n)) => Some(n),
                Some(Val::At(_)) | None => None,
            },
            ExprKind::Active => self.env.active.map(|a| a as i64),
            ExprKind::Option(option) => self.options.get(option.index()).copied(),
            ExprKind::If { cond, then, otherwise } => {
                let chosen = if self.known(cond)? != 0 { then } else { otherwise };
                self.known(chosen)
            }
            ExprKind::Arith { op, left, right } => arith(*op, self.known(left)?, self.known(right)?),
            ExprKind::Compare { op, left, right } if is_scalar(left.ty) => {
                Some(i64::from(compare(*op, self.known(left)?, self.known(right)?)))
            }
            ExprKind::And(a, b) => match (self.known(a), self.known(b)) {
                (Some(0), _) | (_, Some(0)) => Some(0),
                (Some(_), Some(_)) => Some(1),
                _ => None,
            },
            ExprKind::Or(a, b) => match (self.known(a), self.known(b)) {
                (Some(0), Some(0)) => Some(0),
                (Some(x), _) if x != 0 => Some(1),
                (_, Some(x)) if x != 0 => Some(1),
                _ => None,
            },
            ExprKind::Not(a) => Some(i64::from(self.known(a)? == 0)),
            ExprKind::Lookup { table, of, place } if is_scalar(e.ty) => {
                match self.known_lookup(*table, of, place.as_deref())? {
                    Constant::Word(word) => Some(word),
                    Constant::Set(_) | Constant::Bag(_) => None,
                }
            }
            ExprKind::Next { player } => Some((self.known(player)? + 1).rem_euclid(self.players.max(1) as i64)),
            ExprKind::Call { function, args } if is_scalar(e.ty) => {
                let f = &self.program.functions[function.index()];
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.known(arg)?);
                }
                let mut scope = super::environment::Scope { binds: Vec::new(), me: self.env.scope.me };
                scope.binds.resize(f.locals.len(), Bind::Unset);
                for (param, value) in f.params.iter().zip(values) {
                    scope.binds[param.index()] = Bind::Val(Val::Known(value));
                }
                let body = &f.body;
                self.within(&std::rc::Rc::new(scope), |l| l.known(body))
            }
            _ => None,
        }
    }

    /// The value of an expression that needs no state, such as an initial value; 0 if it does need some.
    pub fn constant_value(&mut self, e: &'p Expr) -> i64 {
        self.known(e).unwrap_or(0)
    }

    /// Compiles in another scope.
    pub fn within<T>(&mut self, scope: &super::environment::Scope<'p>, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.env.scope, scope.clone());
        let out = f(self);
        self.env.scope = outer;
        out
    }

    pub fn address(&mut self, value: Val) -> u16 {
        match value {
            Val::Known(n) => self.number(n),
            Val::At(at) => at,
        }
    }

    /// The address of the expression's value.
    pub fn value_at(&mut self, e: &'p Expr) -> u16 {
        let value = self.value(e);
        self.address(value)
    }

    /// Computes the value; where it is in memory it may be the state's own word, not to be written.
    pub fn value(&mut self, e: &'p Expr) -> Val {
        if let Some(n) = self.known(e) {
            return Val::Known(n);
        }
        match &e.kind {
            ExprKind::Local(local) => match self.env.scope.binds.get(local.index()).cloned() {
                Some(Bind::Val(v)) => v,
                Some(Bind::Lazy(inner, scope)) => self.within(&scope, |l| l.value(inner)),
                _ => Val::Known(0),
            },
            ExprKind::Tally { local, key } => {
                let base = self.tally(*local);
                match self.value(key) {
                    Val::Known(k) => Val::At(base + k.max(0) as u16),
                    Val::At(k) => {
                        let to = self.asm.scratch(1);
                        self.asm.emit(Op::Load1, to, base, k);
                        Val::At(to)
                    }
                }
            }
            ExprKind::Me => self.env.scope.me.unwrap_or(Val::At(fixed::ACTIVE)),
            ExprKind::Active => {
                self.reads(Region::Active);
                Val::At(fixed::ACTIVE)
            }
            ExprKind::Phase => {
                self.reads(Region::Phase);
                Val::At(fixed::PHASE)
            }
            ExprKind::Turn => {
                self.reads(Region::Turn);
                Val::At(fixed::TURN)
            }
            ExprKind::Winner => Val::At(fixed::WINNER),
            ExprKind::Field { field, keys } => self.field_value(*field, keys),
            ExprKind::Holder(award) => {
                self.reads(Region::Award(award.index()));
                Val::At(self.layout.awards[award.index()])
            }
            ExprKind::AwardPoints(player) => {
                let player = self.value(player);
                let player = self.address(player);
                let sum = self.zeroed();
                for (i, award) in self.program.awards.iter().enumerate() {
                    self.reads(Region::Award(i));
                    let skip = self.asm.label();
                    self.branch_to(Op::JumpUnequal, self.layout.awards[i], player, skip);
                    let points = self.number(award.points);
                    self.asm.emit(Op::Add, sum, sum, points);
                    self.asm.place(skip);
                }
                Val::At(sum)
            }
            ExprKind::Call { function, args } => self.call_value(*function, args),
            ExprKind::Script { script, function, args } => {
                let to = self.asm.scratch(1);
                self.script_call(script.index(), function, args, to, e.ty, e.span);
                Val::At(to)
            }
            ExprKind::Lookup { table, of, place } => {
                let to = self.asm.scratch(1);
                self.lookup(*table, of, place.as_deref(), to, 1);
                Val::At(to)
            }
            ExprKind::If { cond, then, otherwise } => {
                if let Some(c) = self.known(cond) {
                    return self.value(if c != 0 { then } else { otherwise });
                }
                let to = self.asm.scratch(1);
                let (other, done) = (self.asm.label(), self.asm.label());
                self.branch(cond, false, other);
                let v = self.value_at(then);
                self.asm.emit(Op::Copy1, to, v, 0);
                self.asm.jump(done);
                self.asm.place(other);
                let v = self.value_at(otherwise);
                self.asm.emit(Op::Copy1, to, v, 0);
                self.asm.place(done);
                Val::At(to)
            }
            ExprKind::Arith { op, left, right } => {
                let left = self.value_at(left);
                let right = self.value_at(right);
                let to = self.asm.scratch(1);
                let op = match op {
                    Arith::Add => Op::Add,
                    Arith::Subtract => Op::Subtract,
                    Arith::Multiply => Op::Multiply,
                    Arith::Divide => Op::Divide,
                    Arith::Modulo => Op::Modulo,
                    Arith::Min => Op::Min,
                    Arith::Max => Op::Max,
                };
                self.asm.stands_for(e.span, &self.env.rule);
                self.asm.emit(op, to, left, right);
                Val::At(to)
            }
            ExprKind::Count(set) => {
                let set = self.set(set);
                if let Some(known) = &set.known {
                    return Val::Known(known.iter().map(|w| i64::from(w.count_ones())).sum());
                }
                let to = self.asm.scratch(1);
                self.asm.emit(Op::Count1.wide(set.words), to, set.at, 0);
                Val::At(to)
            }
            ExprKind::Sum { local, over, body } => {
                let sum = self.zeroed();
                self.each_member(*local, over, |l, _| {
                    let v = l.value_at(body);
                    l.asm.emit(Op::Add, sum, sum, v);
                });
                Val::At(sum)
            }
            ExprKind::Size(bag) => {
                let bag = self.bag(bag);
                let to = self.asm.scratch(1);
                self.asm.emit(Op::BagSize1.wide(bag.words), to, bag.at, 0);
                Val::At(to)
            }
            ExprKind::Rank { local, of, by } => self.rank(*local, of, by),
            ExprKind::Lane { bag, kind } => {
                let bag = self.bag(bag);
                let kind = self.value_at(kind);
                let to = self.asm.scratch(1);
                self.asm.emit(Op::Lane, to, bag.at, kind);
                Val::At(to)
            }
            ExprKind::InSupply { piece, owner } => {
                let count = self.layout.pieces[piece.index()].count;
                let set = self.piece_set(*piece, owner);
                let count = self.number(count);
                let to = self.asm.scratch(1);
                self.asm.emit(Op::Count1.wide(set.words), to, set.at, 0);
                self.asm.emit(Op::Subtract, to, count, to);
                Val::At(to)
            }
            ExprKind::Distance { from, to, inside, along } => self.distance(from, to, inside.as_deref(), along),
            ExprKind::Trail { sets, through, joined } => self.trail_value(sets, through.as_deref(), joined.as_deref()),
            ExprKind::First(set) => {
                let set = self.set(set);
                if let Some(known) = &set.known {
                    return Val::Known(crate::engine::machine::nth_bit(known, 0).map_or(-1, |i| i as i64));
                }
                let to = self.asm.scratch(1);
                self.asm.emit(Op::First1.wide(set.words), to, set.at, 0);
                Val::At(to)
            }
            ExprKind::Owner { pieces, at } => {
                let at = self.value_at(at);
                let to = self.asm.scratch(1);
                let none = self.number(-1);
                self.asm.emit(Op::Copy1, to, none, 0);
                let done = self.asm.label();
                let (players, zero) = (self.number(self.players as i64), self.number(0));
                for piece in pieces.iter().filter(|p| self.program.pieces[p.index()].owned) {
                    let decl = &self.program.pieces[piece.index()];
                    if decl.on != decl.place {
                        // Pieces in slots are looked for on the place seat by seat.
                        for seat in 0..self.players {
                            let (next, number) = (self.asm.label(), self.number(seat as i64));
                            let places = self.places_of(*piece, seat);
                            self.branch_to(Op::JumpOut1.wide(places.words), places.at, at, next);
                            self.asm.emit(Op::Copy1, to, number, 0);
                            self.asm.jump(done);
                            self.asm.place(next);
                        }
                        continue;
                    }
                    self.reads(Region::Piece(*piece, None));
                    let place = self.layout.pieces[piece.index()].clone();
                    // The owners' sets lie side by side: the row in which the place is says whose it is.
                    self.asm.emit(Op::Copy1, to, players, 0);
                    self.asm.emit(Op::FindRow1.wide(place.words), to, place.address, at);
                    self.branch_to(Op::JumpAtMost, zero, to, done);
                }
                self.asm.place(done);
                Val::At(to)
            }
            ExprKind::Next { player } => {
                let player = self.value_at(player);
                let (one, all) = (self.number(1), self.number(self.players as i64));
                let to = self.asm.scratch(1);
                self.asm.emit(Op::Add, to, player, one);
                self.asm.emit(Op::Modulo, to, to, all);
                Val::At(to)
            }
            ExprKind::Compare { .. }
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Not(_)
            | ExprKind::In { .. }
            | ExprKind::Some(_)
            | ExprKind::Meets(..)
            | ExprKind::Has(..)
            | ExprKind::BagDisjoint(..) => {
                let to = self.asm.scratch(1);
                let (yes, no) = (self.number(1), self.number(0));
                let done = self.asm.label();
                self.asm.emit(Op::Copy1, to, yes, 0);
                self.branch(e, true, done);
                self.asm.emit(Op::Copy1, to, no, 0);
                self.asm.place(done);
                Val::At(to)
            }
            ExprKind::Number(_) | ExprKind::Truth(_) | ExprKind::Member(_) | ExprKind::None | ExprKind::Option(_) => {
                Val::Known(0)
            }
            ExprKind::All(_)
            | ExprKind::Members(_)
            | ExprKind::SetOf(_)
            | ExprKind::Pieces { .. }
            | ExprKind::Owners { .. }
            | ExprKind::Union(..)
            | ExprKind::Intersect(..)
            | ExprKind::Without(..)
            | ExprKind::Filter { .. }
            | ExprKind::Image { .. }
            | ExprKind::Mark { .. }
            | ExprKind::Yields(_)
            | ExprKind::Kinds(_)
            | ExprKind::Reasoned { .. }
            | ExprKind::Line { .. }
            | ExprKind::Within { .. }
            | ExprKind::BagOf(_)
            | ExprKind::BagAdd(..)
            | ExprKind::BagSubtract(..)
            | ExprKind::BagTimes { .. }
            | ExprKind::BagWithin { .. } => {
                debug_assert!(false, "a set or bag is no value: {:?}", e.kind);
                Val::Known(0)
            }
        }
    }

    /// One more than the number of different values that are greater than the player's own.
    fn rank(&mut self, local: crate::program::LocalId, of: &'p Expr, by: &'p Expr) -> Val {
        let of = self.value(of);
        let values = self.asm.scratch(self.players.max(1));
        let outer = self.env.scope.clone();
        for seat in 0..self.players {
            self.env.bind(local, Bind::Val(Val::Known(seat as i64)));
            let value = self.value_at(by);
            self.asm.emit(Op::Copy1, values + seat as u16, value, 0);
        }
        self.env.scope = outer;
        let own = match of {
            Val::Known(seat) => values + seat.clamp(0, self.players.max(1) as i64 - 1) as u16,
            Val::At(seat) => {
                let own = self.asm.scratch(1);
                self.asm.emit(Op::Load1, own, values, seat);
                own
            }
        };
        let (rank, one) = (self.asm.scratch(1), self.number(1));
        self.asm.emit(Op::Copy1, rank, one, 0);
        for seat in 0..self.players as u16 {
            let next = self.asm.label();
            self.branch_to(Op::JumpAtMost, values + seat, own, next);
            // Players who are equal share a rank, and the next rank follows at once.
            for earlier in 0..seat {
                self.branch_to(Op::JumpEqual, values + seat, values + earlier, next);
            }
            self.asm.emit(Op::Add, rank, rank, one);
            self.asm.place(next);
        }
        Val::At(rank)
    }

    /// A word of scratch set to zero.
    pub fn zeroed(&mut self) -> u16 {
        let to = self.asm.scratch(1);
        let zero = self.number(0);
        self.asm.emit(Op::Copy1, to, zero, 0);
        to
    }

    /// First word of a tally.
    pub fn tally(&mut self, local: crate::program::LocalId) -> u16 {
        match self.env.scope.binds.get(local.index()) {
            Some(Bind::Tally(at)) => *at,
            _ => 0,
        }
    }

    /// Whose part of a field the keys name, for what is read and written.
    pub fn field_region(&mut self, field: FieldId, keys: &'p [Expr]) -> Region {
        let decl = &self.program.fields[field.index()];
        let by_player = decl.keys.first().is_some_and(|d| self.program.domains[d.index()].kind == DomainKind::Player);
        let seat = if by_player { keys.first().and_then(|k| self.known(k)) } else { None };
        Region::Field(field, seat.map(|s| s.max(0) as usize))
    }

    /// The number of the cell that these keys (all, or all but the last) name, counted over their domains.
    /// Which of them may be none is in `doubts` then.
    pub fn cell(&mut self, keys: &'p [Expr], sizes: &[usize]) -> Val {
        let mut index = Val::Known(0);
        let mut doubts = Vec::new();
        for (expr, size) in keys.iter().zip(sizes) {
            let key = self.value(expr);
            match key {
                Val::Known(k) if k < 0 => doubts.push(self.number(k)),
                Val::At(at) if self.may_be_none(expr) => doubts.push(at),
                Val::Known(_) | Val::At(_) => {}
            }
            index = match (index, key) {
                (Val::Known(i), Val::Known(k)) => Val::Known(i * *size as i64 + k.clamp(0, (*size as i64 - 1).max(0))),
                (Val::Known(0), Val::At(k)) => Val::At(k),
                (index, key) => {
                    let (index, key, size) = (self.address(index), self.address(key), self.number(*size as i64));
                    let to = self.asm.scratch(1);
                    self.asm.emit(Op::Multiply, to, index, size);
                    self.asm.emit(Op::Add, to, to, key);
                    Val::At(to)
                }
            };
        }
        self.doubts = doubts;
        index
    }

    /// The words of keys of the last cell that may be none.
    pub fn doubts(&mut self) -> Vec<u16> {
        std::mem::take(&mut self.doubts)
    }

    fn field_value(&mut self, field: FieldId, keys: &'p [Expr]) -> Val {
        let region = self.field_region(field, keys);
        self.reads(region);
        let place = self.layout.fields[field.index()].clone();
        match place.shape {
            Shape::Word => {
                let cell = self.cell(keys, &place.keys);
                let (doubts, nothing) = (self.doubts(), self.nothing(field));
                match cell {
                    Val::Known(_) if !doubts.is_empty() => Val::Known(nothing),
                    Val::Known(cell) => Val::At(place.address + cell as u16),
                    Val::At(cell) => {
                        let (to, nothing) = (self.asm.scratch(1), self.number(nothing));
                        self.load_or(to, 1, (place.address, cell), &doubts, nothing);
                        Val::At(to)
                    }
                }
            }
            Shape::Rows { words, values, low } => {
                let Some((last, outer)) = keys.split_last() else { return Val::Known(0) };
                let rows = self.rows_at(&place, outer, values * words);
                let member = self.value_at(last);
                let to = self.asm.scratch(1);
                let count = self.number(values as i64);
                self.asm.emit(Op::Copy1, to, count, 0);
                self.asm.emit(Op::FindRow1.wide(words), to, rows, member);
                if low != 0 {
                    let low = self.number(low);
                    self.asm.emit(Op::Add, to, to, low);
                }
                if let FieldType::Number { .. } = self.program.fields[field.index()].ty
                    && self.may_be_none(last)
                {
                    let nothing = self.nothing(field);
                    let nothing = self.number(nothing);
                    self.asm.emit(Op::Max, to, to, nothing);
                }
                Val::At(to)
            }
            Shape::Set(_) | Shape::Bag(_) => Val::Known(0),
        }
    }

    /// What a field is for a key that is none.
    fn nothing(&self, field: FieldId) -> i64 {
        match self.program.fields[field.index()].ty {
            FieldType::Number { low, .. } => low,
            FieldType::Member { .. } => -1,
            FieldType::Truth | FieldType::Set(_) | FieldType::Bag { .. } => 0,
        }
    }

    /// The address of the rows that the outer keys name; copied to scratch where those are known only at run time.
    pub fn rows_at(&mut self, place: &crate::engine::code::FieldPlace, outer: &'p [Expr], words: usize) -> u16 {
        match self.cell(outer, &place.keys) {
            Val::Known(_) if !self.doubts.is_empty() => self.memory.constant(&vec![0; words]),
            Val::Known(cell) => place.address + (cell as usize * words) as u16,
            Val::At(cell) => {
                // Rows are loaded word by word, since a row count is no power of two.
                let (to, doubts) = (self.asm.scratch(words), self.doubts());
                let (index, size) = (self.asm.scratch(1), self.number(words as i64));
                let done = self.asm.label();
                if !doubts.is_empty() {
                    let zero = self.number(0);
                    self.fill(to, words, 0);
                    for doubt in doubts {
                        self.branch_to(Op::JumpLess, doubt, zero, done);
                    }
                }
                self.asm.emit(Op::Multiply, index, cell, size);
                for k in 0..words as u16 {
                    self.asm.emit(Op::Load1, to + k, place.address + k, index);
                }
                self.asm.place(done);
                to
            }
        }
    }

    /// The seat of an owner that is one player; behind the last for a piece that is nobody's.
    pub fn owner_value(&mut self, owner: &'p Owner) -> Option<Val> {
        match owner {
            Owner::One(player) => Some(self.value(player)),
            Owner::Neutral => Some(Val::Known(self.players as i64)),
            Owner::Any | Owner::Among(_) => None,
        }
    }

    fn trail_value(&mut self, sets: &'p [Expr], through: Option<&'p Expr>, joined: Option<&'p Expr>) -> Val {
        let places: Vec<super::sets::SetAt> = sets.iter().map(|s| self.set(s)).collect();
        let words = places.first().map_or(1, |s| s.words);
        let through = through.map(|s| self.set(s));
        let joined = joined.map(|s| self.set(s));
        let corner_words = through.as_ref().or(joined.as_ref()).map_or(1, |s| s.words);
        let chunk = self.asm.current();
        self.code.trails.push(crate::engine::code::TrailText {
            sets: places.iter().map(|s| s.at).collect(),
            words,
            through: through.map(|s| s.at),
            joined: joined.map(|s| s.at),
            corner_words,
        });
        self.owners.trails.push(chunk);
        let number = self.code.trails.len() as u16 - 1;
        let to = self.asm.scratch(1);
        self.asm.emit(Op::Trail, to, number, 0);
        Val::At(to)
    }

    /// Calls a script's function; the result is stored at `to`.
    pub fn script_call(
        &mut self,
        script: usize,
        function: &str,
        args: &'p [Expr],
        to: u16,
        ty: Type,
        span: crate::source::Span,
    ) {
        if ty != Type::Nothing {
            self.note_script_call();
        }
        let mut values = Vec::new();
        for arg in args {
            let at = match arg.ty {
                Type::Set(_) => self.set(arg).at,
                Type::Bag(_) => self.bag(arg).at,
                Type::Truth | Type::Number | Type::Member(_) | Type::Nothing | Type::Unknown => self.value_at(arg),
            };
            values.push((at, arg.ty));
        }
        let chunk = self.asm.current();
        self.code.scripts.push(crate::engine::code::ScriptCall {
            script,
            function: function.to_string(),
            args: values,
            result: to,
            result_type: ty,
            span,
        });
        self.owners.scripts.push(chunk);
        let number = self.code.scripts.len() as u16 - 1;
        self.asm.emit(Op::Script, number, 0, 0);
    }
}

/// The value of an expression of options and constants alone.
pub fn of_options(e: &Expr, options: &[i64]) -> Option<i64> {
    let value = |e: &Expr| of_options(e, options);
    match &e.kind {
        ExprKind::Number(n) => Some(*n),
        ExprKind::Truth(t) => Some(i64::from(*t)),
        ExprKind::Member(m) => Some(i64::from(*m)),
        ExprKind::Option(option) => options.get(option.index()).copied(),
        ExprKind::Compare { op, left, right } => Some(i64::from(compare(*op, value(left)?, value(right)?))),
        ExprKind::And(a, b) => Some(i64::from(value(a)? != 0 && value(b)? != 0)),
        ExprKind::Or(a, b) => Some(i64::from(value(a)? != 0 || value(b)? != 0)),
        ExprKind::Not(a) => Some(i64::from(value(a)? == 0)),
        _ => None,
    }
}

/// Is a value of this type one word?
pub fn is_scalar(ty: Type) -> bool {
    match ty {
        Type::Truth | Type::Number | Type::Member(_) | Type::Unknown => true,
        Type::Set(_) | Type::Bag(_) | Type::Nothing => false,
    }
}

/// None where the result would be too large: then the game computes it, and says so if it comes to that.
fn arith(op: Arith, a: i64, b: i64) -> Option<i64> {
    match op {
        Arith::Add => a.checked_add(b),
        Arith::Subtract => a.checked_sub(b),
        Arith::Multiply => a.checked_mul(b),
        Arith::Divide => Some(a.checked_div_euclid(b).unwrap_or(0)),
        Arith::Modulo => Some(a.checked_rem_euclid(b).unwrap_or(0)),
        Arith::Min => Some(a.min(b)),
        Arith::Max => Some(a.max(b)),
    }
}

pub fn compare(op: Compare, a: i64, b: i64) -> bool {
    match op {
        Compare::Equal => a == b,
        Compare::NotEqual => a != b,
        Compare::Less => a < b,
        Compare::LessEqual => a <= b,
        Compare::Greater => a > b,
        Compare::GreaterEqual => a >= b,
    }
}
