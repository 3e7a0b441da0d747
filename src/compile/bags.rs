//! Bags: how many of each kind, eight kinds a word.

use super::Lower;
use super::environment::{Bind, Val};
use crate::engine::bags::LANE_MAX;
use crate::engine::code::bag_words;
use crate::engine::instr::Op;
use crate::program::{DomainId, Expr, ExprKind, FieldId, Type};
use crate::source::Span;

/// A bag in memory; it may be the state's own words, not to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BagAt {
    pub at: u16,
    pub words: usize,
}

impl<'p> Lower<'p> {
    pub fn bag_width(&self, domain: DomainId) -> usize {
        bag_words(self.size(domain))
    }

    pub fn temporary_bag(&mut self, words: usize) -> BagAt {
        BagAt { at: self.asm.scratch(words), words }
    }

    pub fn empty_bag(&mut self, words: usize) -> BagAt {
        BagAt { at: self.memory.constant(&vec![0; words]), words }
    }

    /// Computes a bag.
    pub fn bag(&mut self, e: &'p Expr) -> BagAt {
        let domain = match e.ty {
            Type::Bag(domain) => domain,
            // A single good stands for one of it.
            Type::Member(domain) => {
                let words = self.bag_width(domain);
                let kind = self.value(e);
                return self.bag_of(words, Val::Known(1), kind);
            }
            Type::Truth | Type::Number | Type::Set(_) | Type::Nothing | Type::Unknown => return self.empty_bag(1),
        };
        let words = self.bag_width(domain);
        match &e.kind {
            ExprKind::BagOf(list) => {
                let mut out: Option<BagAt> = None;
                let mut constant = vec![0u64; words];
                let mut rest = Vec::new();
                for (kind, count) in list {
                    match (self.known(count), self.known(kind)) {
                        (Some(n), Some(k)) if k >= 0 && (k as usize) < words * 8 => {
                            let (at, shift) = (k as usize / 8, k % 8 * 8);
                            let sum = (constant[at] >> shift & 0xff) as i64 + n.clamp(0, LANE_MAX);
                            if sum > LANE_MAX {
                                self.too_many(e.span);
                            }
                            constant[at] = constant[at] & !(0xff << shift) | (sum.min(LANE_MAX) as u64) << shift;
                        }
                        _ => rest.push((kind, count)),
                    }
                }
                if constant.iter().any(|w| *w != 0) || rest.is_empty() {
                    out = Some(BagAt { at: self.memory.constant(&constant), words });
                }
                for (kind, count) in rest {
                    let (count, kind) = (self.value(count), self.value(kind));
                    let one = self.bag_of(words, count, kind);
                    out = Some(match out {
                        None => one,
                        Some(before) => self.sum_of_bags(before, one, e.span),
                    });
                }
                out.unwrap_or_else(|| self.empty_bag(words))
            }
            ExprKind::BagAdd(a, b) => {
                let (a, b) = (self.bag(a), self.bag(b));
                self.sum_of_bags(a, b, e.span)
            }
            ExprKind::BagSubtract(a, b) => {
                let (a, b) = (self.bag(a), self.bag(b));
                self.combine_bags(Op::BagSubtract1, a, b)
            }
            ExprKind::BagTimes { count, bag } => {
                let count = self.value_at(count);
                let bag = self.bag(bag);
                let to = self.temporary_bag(words);
                self.asm.emit(Op::BagTimes1.wide(words), to.at, bag.at, count);
                to
            }
            ExprKind::BagWithin { bag, set } => {
                let bag = self.bag(bag);
                let set = self.set(set);
                let to = self.temporary_bag(words);
                self.asm.emit(Op::BagWithin1.wide(words), to.at, bag.at, set.at);
                to
            }
            ExprKind::Field { field, keys } => self.bag_field(*field, keys),
            ExprKind::Tally { local, key } => {
                let base = self.tally(*local);
                let key = self.value(key);
                self.indexed_bag(base, words, key)
            }
            ExprKind::Local(local) => match self.env.scope.binds.get(local.index()).cloned() {
                Some(Bind::Wide(at)) => BagAt { at, words },
                Some(Bind::Set(known)) => BagAt { at: self.memory.constant(&known), words },
                Some(Bind::Lazy(inner, scope)) => self.within(&scope, |l| l.bag(inner)),
                Some(Bind::Val(_) | Bind::Unset | Bind::Tally(_)) | None => self.empty_bag(words),
            },
            ExprKind::If { cond, then, otherwise } => {
                if let Some(c) = self.known(cond) {
                    return self.bag(if c != 0 { then } else { otherwise });
                }
                let to = self.temporary_bag(words);
                let (other, done) = (self.asm.label(), self.asm.label());
                self.branch(cond, false, other);
                let value = self.bag(then);
                self.asm.emit(Op::Copy1.wide(words), to.at, value.at, 0);
                self.asm.jump(done);
                self.asm.place(other);
                let value = self.bag(otherwise);
                self.asm.emit(Op::Copy1.wide(words), to.at, value.at, 0);
                self.asm.place(done);
                to
            }
            ExprKind::Call { function, args } => self.call_bag(*function, args),
            ExprKind::Lookup { table, of, place } => {
                if let Some(known) = self.known_lookup(*table, of, place.as_deref()) {
                    let known = known.words(words);
                    return BagAt { at: self.memory.constant(&known), words };
                }
                let to = self.temporary_bag(words);
                self.lookup(*table, of, place.as_deref(), to.at, words);
                to
            }
            ExprKind::Script { script, function, args } => {
                let to = self.temporary_bag(words);
                self.script_call(script.index(), function, args, to.at, e.ty, e.span);
                to
            }
            _ => self.empty_bag(words),
        }
    }

    fn indexed_bag(&mut self, base: u16, words: usize, key: Val) -> BagAt {
        match key {
            Val::Known(k) => BagAt { at: base + k.max(0) as u16 * words as u16, words },
            Val::At(k) => {
                let to = self.temporary_bag(words);
                self.asm.emit(Op::Load1.wide(words), to.at, base, k);
                to
            }
        }
    }

    fn bag_field(&mut self, field: FieldId, keys: &'p [Expr]) -> BagAt {
        let region = self.field_region(field, keys);
        self.reads(region);
        self.note_bag_read(field);
        let place = self.layout.fields[field.index()].clone();
        let words = match place.shape {
            crate::engine::code::Shape::Bag(words) => words,
            _ => 1,
        };
        let cell = self.cell(keys, &place.keys);
        self.bag_in_cell(place.address, words, cell)
    }

    /// The bag in the cell that was computed last.
    pub fn bag_in_cell(&mut self, base: u16, words: usize, cell: Val) -> BagAt {
        let doubts = self.doubts();
        match cell {
            Val::Known(_) if !doubts.is_empty() => self.empty_bag(words),
            Val::Known(cell) => BagAt { at: base + (cell.max(0) as usize * words) as u16, words },
            Val::At(cell) => {
                let (to, nothing) = (self.temporary_bag(words), self.empty_bag(words));
                self.load_or(to.at, words, (base, cell), &doubts, nothing.at);
                to
            }
        }
    }

    pub fn bag_of(&mut self, words: usize, count: Val, kind: Val) -> BagAt {
        if let (Val::Known(n), Val::Known(k)) = (count, kind) {
            let mut constant = vec![0u64; words];
            if k >= 0 && (k as usize) < words * 8 {
                constant[k as usize / 8] = (n.clamp(0, 127) as u64) << (k % 8 * 8);
            }
            return BagAt { at: self.memory.constant(&constant), words };
        }
        let (count, kind) = (self.address(count), self.address(kind));
        let to = self.temporary_bag(words);
        self.asm.emit(Op::BagOf1.wide(words), to.at, count, kind);
        to
    }

    /// Stops: more of one kind come together than a bag holds.
    pub fn too_many(&mut self, span: Span) {
        self.fault(704, "more than 127 of one kind would come together", span);
    }

    /// Two bags together; a fault where more of one kind come together than a bag holds.
    pub fn sum_of_bags(&mut self, a: BagAt, b: BagAt, span: Span) -> BagAt {
        let sum = self.combine_bags(Op::BagAdd1, a, b);
        self.guard_full(sum.at, sum.words, span);
        sum
    }

    pub fn combine_bags(&mut self, op: Op, a: BagAt, b: BagAt) -> BagAt {
        let words = a.words.max(b.words);
        let to = self.temporary_bag(words);
        self.asm.emit(op.wide(words), to.at, a.at, b.at);
        to
    }
}
