//! Uses of the author's sets and definitions: kept where their value depends on slowly changing state and known
//! arguments only, compiled in place otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Lower;
use super::assemble::{ChunkId, Label};
use super::bags::BagAt;
use super::environment::{Bind, Scope, Val};
use super::memory::Region;
use super::sets::SetAt;
use crate::engine::code::{EventKind, EventText, Kept};
use crate::engine::instr::Op;
use crate::program::{
    DomainId, DomainKind, Expr, ExprKind, FieldId, Function, FunctionId, LocalId, Owner, PieceId, Type,
};

/// A value with fewer instructions than this costs less to compute than to look up.
const WORTH_KEEPING: usize = 3;

/// What identifies a kept value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeptKey {
    Function {
        function: FunctionId,
        args: Vec<i64>,
        me: Option<i64>,
        active: Option<usize>,
    },
    /// All pieces of a kind, of whoever.
    Pieces(PieceId),
    /// An award was given as it must be, for a number.
    Award(usize),
    /// This end was tested, with that seat active if it matters.
    End {
        index: usize,
        active: Option<usize>,
    },
}

#[derive(Clone, Copy, Debug)]
enum Decision {
    Kept(usize),
    InPlace,
}

/// The kept values so far.
#[derive(Debug, Default)]
pub struct Keeping {
    decisions: BTreeMap<KeptKey, Decision>,
    /// What each kept value reads, by its number.
    pub reads: Vec<BTreeSet<Region>>,
    chunks: Vec<ChunkId>,
    valid: Option<(u16, u8)>,
    /// Is the value being tried reading goods in hands or homes? For each that is being compiled.
    quick: Vec<bool>,
    /// Nothing is kept.
    off: bool,
}

impl Keeping {
    /// Where nothing may be kept.
    pub fn off() -> Keeping {
        Keeping { off: true, ..Keeping::default() }
    }
}

impl<'p> Lower<'p> {
    /// A bag of goods changes at almost every move, so what reads it is not kept.
    pub fn note_bag_read(&mut self, field: FieldId) {
        let decl = &self.program.fields[field.index()];
        let goods = match decl.ty {
            crate::program::FieldType::Bag { domain, .. } => {
                matches!(self.program.domains[domain.index()].kind, DomainKind::Goods { .. })
            }
            _ => false,
        };
        if goods || decl.each_turn {
            for quick in &mut self.keeping.quick {
                *quick = true;
            }
        }
    }

    /// A script may read any state, so a value that calls one is not kept; what must be kept depends on everything.
    pub fn note_script_call(&mut self) {
        for quick in &mut self.keeping.quick {
            *quick = true;
        }
        let fields = (0..self.program.fields.len()).map(|f| Region::Field(FieldId(f as u32), None));
        let pieces = (0..self.program.pieces.len()).map(|p| Region::Piece(PieceId(p as u32), None));
        let awards = (0..self.program.awards.len()).map(Region::Award);
        let limits = (0..self.program.limits.len()).map(Region::Limit);
        let others = [Region::Active, Region::Phase, Region::Turn];
        let all: Vec<Region> = fields.chain(pieces).chain(awards).chain(limits).chain(others).collect();
        for region in all {
            self.reads(region);
        }
    }

    /// Descriptions of the events that a script can cause when a rule does it for its effect.
    pub fn describe_script_events(&mut self) {
        if self.code.scripts.iter().all(|call| call.result_type != Type::Nothing) {
            return;
        }
        let (program, player) = (self.program, self.player_type());
        let mut describe = |kind: EventKind, types: &[Type]| {
            let values: Vec<(u16, Type)> = types.iter().map(|ty| (0, *ty)).collect();
            self.code.events.push(EventText { kind, values });
            self.owners.events.push(ChunkId(0));
        };
        for piece in &program.pieces {
            let on = Type::Member(piece.on);
            describe(EventKind::Place(piece.name.clone()), &[player, on]);
            describe(EventKind::Remove(piece.name.clone()), &[player, on]);
            describe(EventKind::Move(piece.name.clone()), &[player, on, on]);
        }
        let mut bags: Vec<DomainId> = Vec::new();
        for field in &program.fields {
            if let crate::program::FieldType::Bag { domain, .. } = field.ty
                && !bags.contains(&domain)
            {
                bags.push(domain);
            }
        }
        for domain in bags {
            let bag = Type::Bag(domain);
            describe(EventKind::Gain, &[player, bag]);
            describe(EventKind::Lose, &[player, bag]);
            describe(EventKind::Pass, &[player, player, bag]);
        }
    }

    /// The next free bit that says whether a kept value is valid.
    fn valid_bit(&mut self) -> (u16, u8) {
        let (word, bit) = match self.keeping.valid {
            Some((word, bit)) if bit < 63 => (word, bit + 1),
            Some(_) | None => {
                let word = self.memory.kept(1);
                self.code.valid.push(word);
                (word, 0)
            }
        };
        self.keeping.valid = Some((word, bit));
        (word, bit)
    }

    /// Compiles what computes a kept value: `compute` leaves it in `words` words at the address that it gives.
    /// None if the value is better computed in place.
    pub fn keep(
        &mut self,
        key: KeptKey,
        name: String,
        words: usize,
        always: bool,
        compute: impl FnOnce(&mut Self) -> Option<u16>,
    ) -> Option<usize> {
        if self.keeping.off {
            return None;
        }
        match self.keeping.decisions.get(&key) {
            Some(Decision::Kept(number)) => return Some(*number),
            Some(Decision::InPlace) => return None,
            None => {}
        }
        let back = self.memory.kept(1);
        let (chunk, label) = self.asm.open(format!("keep {name}"));
        self.readers.push(BTreeSet::new());
        self.keeping.quick.push(false);
        let rule = std::mem::replace(&mut self.env.rule, name.clone());
        let result = compute(self);
        self.env.rule = rule;
        let quick = self.keeping.quick.pop().unwrap_or(false);
        let reads = self.readers.pop().unwrap_or_default();
        let length = self.asm.length();
        let worth = always || (!quick && length >= WORTH_KEEPING);
        let (Some(result), true) = (result, worth) else {
            self.asm.close();
            self.asm.chunks[chunk.0] = super::assemble::Chunk::default();
            self.asm.chunks[chunk.0].name = format!("(not kept) {name}");
            self.keeping.decisions.insert(key, Decision::InPlace);
            return None;
        };
        let (valid, bit) = self.valid_bit();
        let address = self.memory.kept(words);
        if words > 0 {
            self.asm.emit(Op::Copy1.wide(words), address, result, 0);
        }
        let mask = self.memory.constant(&[1 << bit]);
        self.asm.emit(Op::Validate, valid, mask, 0);
        self.asm.emit(Op::Return, back, 0, 0);
        self.asm.close();
        let number = self.code.kept.len();
        self.code.kept.push(Kept { name, entry: label.0 as u32, back, address, words: words as u16, valid, bit });
        self.keeping.reads.push(reads);
        self.keeping.chunks.push(chunk);
        self.keeping.decisions.insert(key, Decision::Kept(number));
        Some(number)
    }

    /// Makes sure that a kept value is there and gives its address.
    pub fn ensure(&mut self, number: usize) -> u16 {
        let (valid, bit, address) = {
            let kept = &self.code.kept[number];
            (kept.valid, kept.bit, kept.address)
        };
        let mask = self.memory.constant(&[1 << bit]);
        self.asm.emit(Op::Ensure, valid, mask, number as u16);
        let chunk = self.keeping.chunks[number];
        self.asm.calls(chunk);
        let reads: Vec<Region> = self.keeping.reads[number].iter().copied().collect();
        for region in reads {
            self.reads(region);
        }
        address
    }

    /// The scope of a function with its arguments, computed where they are not known.
    fn function_scope(&mut self, function: &'p Function, args: &'p [Expr]) -> Scope<'p> {
        let mut scope = Scope { binds: vec![Bind::Unset; function.locals.len()], me: self.env.scope.me };
        for (param, arg) in function.params.iter().zip(args) {
            scope.binds[param.index()] = match arg.ty {
                Type::Set(_) => {
                    let set = self.set(arg);
                    match set.known {
                        Some(known) => Bind::Set(Rc::new(known)),
                        None => Bind::Wide(set.at),
                    }
                }
                Type::Bag(_) => Bind::Wide(self.bag(arg).at),
                Type::Truth | Type::Number | Type::Member(_) | Type::Nothing | Type::Unknown => {
                    if let ExprKind::Local(l) = &arg.kind
                        && let Some(Bind::Tally(at)) = self.env.scope.binds.get(l.index())
                    {
                        Bind::Tally(*at)
                    } else {
                        Bind::Val(self.value(arg))
                    }
                }
            };
        }
        scope
    }

    /// The key under which a call is kept, if all its arguments are known.
    fn call_key(&mut self, id: FunctionId, function: &'p Function, scope: &Scope<'p>) -> Option<KeptKey> {
        let mut args = Vec::new();
        for param in &function.params {
            match scope.binds.get(param.index()) {
                Some(Bind::Val(Val::Known(n))) => args.push(*n),
                _ => return None,
            }
        }
        let (uses_me, uses_active) = self.speaks_of(&function.body);
        let me = match (uses_me, scope.me) {
            (false, _) => None,
            (true, Some(Val::Known(n))) => Some(n),
            (true, _) => return None,
        };
        let active = if uses_active { self.env.active } else { None };
        Some(KeptKey::Function { function: id, args, me, active })
    }

    fn kept_call(&mut self, id: FunctionId, scope: &Scope<'p>, words: usize) -> Option<usize> {
        let function = &self.program.functions[id.index()];
        let key = self.call_key(id, function, scope)?;
        let name = match &key {
            KeptKey::Function { args, .. } if !args.is_empty() => {
                let list: Vec<String> = args.iter().map(i64::to_string).collect();
                format!("{}({})", function.name, list.join(", "))
            }
            _ => function.name.clone(),
        };
        self.keep(key, name, words, false, |l| {
            l.within(scope, |l| match function.body.ty {
                Type::Set(_) => {
                    let set = l.set(&function.body);
                    set.known.is_none().then_some(set.at)
                }
                Type::Truth | Type::Number | Type::Member(_) => match l.value(&function.body) {
                    Val::At(at) => Some(at),
                    Val::Known(_) => None,
                },
                Type::Bag(_) | Type::Nothing | Type::Unknown => None,
            })
        })
    }

    pub fn call_set(&mut self, id: FunctionId, args: &'p [Expr], words: usize) -> SetAt {
        let function = &self.program.functions[id.index()];
        let scope = self.function_scope(function, args);
        if let Some(number) = self.kept_call(id, &scope, words) {
            return SetAt { at: self.ensure(number), words, known: None };
        }
        self.within(&scope, |l| l.set(&function.body))
    }

    pub fn call_value(&mut self, id: FunctionId, args: &'p [Expr]) -> Val {
        let function = &self.program.functions[id.index()];
        let scope = self.function_scope(function, args);
        self.call_value_in(id, &scope)
    }

    fn call_value_in(&mut self, id: FunctionId, scope: &Scope<'p>) -> Val {
        let function = &self.program.functions[id.index()];
        if let Some(number) = self.kept_call(id, scope, 1) {
            return Val::At(self.ensure(number));
        }
        self.within(scope, |l| l.value(&function.body))
    }

    /// The value of a function of one player for a seat.
    pub fn call_for_seat(&mut self, id: FunctionId, seat: usize) -> Val {
        let function = &self.program.functions[id.index()];
        let mut scope = Scope { binds: vec![Bind::Unset; function.locals.len()], me: self.env.scope.me };
        if let Some(param) = function.params.first() {
            scope.binds[param.index()] = Bind::Val(Val::Known(seat as i64));
        }
        self.call_value_in(id, &scope)
    }

    pub fn call_branch(&mut self, id: FunctionId, args: &'p [Expr], sense: bool, label: Label) {
        let function = &self.program.functions[id.index()];
        let scope = self.function_scope(function, args);
        if let Some(number) = self.kept_call(id, &scope, 1) {
            let at = self.ensure(number);
            self.branch_to(if sense { Op::JumpNonzero } else { Op::JumpZero }, at, 0, label);
            return;
        }
        self.within(&scope, |l| l.branch(&function.body, sense, label));
    }

    pub fn call_bag(&mut self, id: FunctionId, args: &'p [Expr]) -> BagAt {
        let function = &self.program.functions[id.index()];
        let scope = self.function_scope(function, args);
        self.within(&scope, |l| l.bag(&function.body))
    }

    /// All pieces of a kind that players own, and those of the kind that are nobody's.
    pub fn all_pieces(&mut self, piece: PieceId) -> SetAt {
        let place = self.layout.pieces[piece.index()].clone();
        let name = self.program.pieces[piece.index()].name.clone();
        let number =
            self.keep(KeptKey::Pieces(piece), name, place.words, true, |l| Some(l.union_of_pieces(piece, place.words)));
        let at = match number {
            Some(number) => self.ensure(number),
            None => self.union_of_pieces(piece, place.words),
        };
        SetAt { at, words: place.words, known: None }
    }

    fn union_of_pieces(&mut self, piece: PieceId, words: usize) -> u16 {
        let first = self.pieces_of(piece, 0);
        let owners = self.layout.pieces[piece.index()].owners(self.players);
        if owners == 1 {
            return first.at;
        }
        let to = self.asm.scratch(words);
        for seat in 1..owners {
            let next = self.pieces_of(piece, seat);
            let left = if seat == 1 { first.at } else { to };
            self.asm.emit(Op::Or1.wide(words), to, left, next.at);
        }
        to
    }

    /// Does an expression mention the local, directly or through one that is computed where it is used?
    pub fn mentions(&self, e: &Expr, local: LocalId) -> bool {
        mentioned(e, &self.env.scope, local)
    }

    /// Does it speak of `me`, and of the active player?
    pub fn speaks_of(&self, e: &Expr) -> (bool, bool) {
        let (mut me, mut active) = (false, false);
        walk(e, &mut |e| match &e.kind {
            ExprKind::Me => me = true,
            ExprKind::Active => active = true,
            ExprKind::Call { function, .. } => {
                let inner = self.speaks_of(&self.program.functions[function.index()].body);
                me |= inner.0;
                active |= inner.1;
            }
            _ => {}
        });
        (me, active)
    }
}

fn mentioned(e: &Expr, scope: &Scope, local: LocalId) -> bool {
    let mut found = false;
    walk(e, &mut |e| {
        if let ExprKind::Local(l) | ExprKind::Tally { local: l, .. } = &e.kind {
            found |= *l == local;
            if let Some(Bind::Lazy(inner, inner_scope)) = scope.binds.get(l.index()) {
                found |= mentioned(inner, inner_scope, local);
            }
        }
    });
    found
}

/// Visits an expression and all within it.
pub fn walk(e: &Expr, visit: &mut impl FnMut(&Expr)) {
    // One generic instance for the recursion, so that closures of closures do not grow the type.
    fn inner(e: &Expr, visit: &mut dyn FnMut(&Expr)) {
        visit(e);
        let owner = |o: &Owner, visit: &mut dyn FnMut(&Expr)| match o {
            Owner::Any | Owner::Neutral => {}
            Owner::One(e) | Owner::Among(e) => inner(e, visit),
        };
        match &e.kind {
            ExprKind::Number(_)
            | ExprKind::Truth(_)
            | ExprKind::Member(_)
            | ExprKind::None
            | ExprKind::Local(_)
            | ExprKind::Me
            | ExprKind::Active
            | ExprKind::Phase
            | ExprKind::Turn
            | ExprKind::Winner
            | ExprKind::Option(_)
            | ExprKind::Holder(_)
            | ExprKind::All(_)
            | ExprKind::Members(_) => {}
            ExprKind::Tally { key: a, .. }
            | ExprKind::AwardPoints(a)
            | ExprKind::Count(a)
            | ExprKind::Size(a)
            | ExprKind::Not(a)
            | ExprKind::Some(a)
            | ExprKind::First(a)
            | ExprKind::Owner { at: a, .. }
            | ExprKind::Next { player: a }
            | ExprKind::Owners { at: a, .. }
            | ExprKind::Image { of: a, .. }
            | ExprKind::Yields(a)
            | ExprKind::Kinds(a)
            | ExprKind::Reasoned { set: a, .. } => inner(a, visit),
            ExprKind::Field { keys: list, .. }
            | ExprKind::Call { args: list, .. }
            | ExprKind::Script { args: list, .. }
            | ExprKind::SetOf(list) => list.iter().for_each(|e| inner(e, visit)),
            ExprKind::If { cond, then, otherwise } => {
                inner(cond, visit);
                inner(then, visit);
                inner(otherwise, visit);
            }
            ExprKind::Arith { left: a, right: b, .. }
            | ExprKind::Compare { left: a, right: b, .. }
            | ExprKind::Sum { over: a, body: b, .. }
            | ExprKind::Lane { bag: a, kind: b }
            | ExprKind::Rank { of: a, by: b, .. }
            | ExprKind::Line { length: a, set: b, .. }
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::In { member: a, set: b }
            | ExprKind::Meets(a, b)
            | ExprKind::Has(a, b)
            | ExprKind::BagDisjoint(a, b)
            | ExprKind::Union(a, b)
            | ExprKind::Intersect(a, b)
            | ExprKind::Without(a, b)
            | ExprKind::Filter { over: a, cond: b, .. }
            | ExprKind::BagAdd(a, b)
            | ExprKind::BagSubtract(a, b)
            | ExprKind::BagTimes { count: a, bag: b }
            | ExprKind::BagWithin { bag: a, set: b } => {
                inner(a, visit);
                inner(b, visit);
            }
            ExprKind::InSupply { owner: o, .. } | ExprKind::Pieces { owner: o, .. } => owner(o, visit),
            ExprKind::Distance { from: a, to: b, inside, .. } | ExprKind::Within { steps: a, from: b, inside, .. } => {
                inner(a, visit);
                inner(b, visit);
                inside.iter().for_each(|e| inner(e, visit));
            }
            ExprKind::Trail { sets, through, joined } => {
                sets.iter().for_each(|e| inner(e, visit));
                through.iter().for_each(|e| inner(e, visit));
                joined.iter().for_each(|e| inner(e, visit));
            }
            ExprKind::Mark { seat, .. } => seat.iter().for_each(|e| inner(e, visit)),
            ExprKind::Lookup { of, place, .. } => {
                inner(of, visit);
                place.iter().for_each(|e| inner(e, visit));
            }
            ExprKind::BagOf(list) => list.iter().for_each(|(a, b)| {
                inner(a, visit);
                inner(b, visit);
            }),
        }
    }
    inner(e, visit);
}
