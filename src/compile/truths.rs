//! Conditions, compiled to jumps.

use super::Lower;
use super::assemble::Label;
use super::environment::{Bind, Val};
use crate::engine::code::Shape;
use crate::engine::instr::Op;
use crate::program::{Compare, Expr, ExprKind, Type};

impl<'p> Lower<'p> {
    /// Jumps to the label if the condition is `sense`; goes on otherwise.
    pub fn branch(&mut self, e: &'p Expr, sense: bool, label: Label) {
        if let Some(known) = self.known(e) {
            if (known != 0) == sense {
                self.asm.jump(label);
            }
            return;
        }
        match &e.kind {
            ExprKind::Not(inner) => self.branch(inner, !sense, label),
            ExprKind::And(a, b) => self.both(a, b, sense, label),
            ExprKind::Or(a, b) => {
                if sense {
                    self.branch(a, true, label);
                    self.branch(b, true, label);
                } else {
                    let skip = self.asm.label();
                    self.branch(a, true, skip);
                    self.branch(b, false, label);
                    self.asm.place(skip);
                }
            }
            ExprKind::Compare { op, left, right } => self.compare(*op, left, right, sense, label),
            ExprKind::In { member, set } => {
                let member = self.value(member);
                self.branch_in(member, set, sense, label);
            }
            ExprKind::Some(set) => self.branch_some(set, sense, label),
            ExprKind::Meets(a, b) => {
                let (a, b) = (self.set(a), self.set(b));
                let op = if sense { Op::JumpMeets1 } else { Op::JumpApart1 };
                self.branch_to(op.wide(a.words), a.at, b.at, label);
            }
            ExprKind::Has(a, b) => {
                let (a, b) = (self.bag(a), self.bag(b));
                let op = if sense { Op::JumpHas1 } else { Op::JumpLacks1 };
                self.branch_to(op.wide(a.words), a.at, b.at, label);
            }
            ExprKind::BagDisjoint(a, b) => {
                let (a, b) = (self.bag(a), self.bag(b));
                let (left, right) = (self.asm.scratch(1), self.asm.scratch(1));
                self.asm.emit(Op::BagKinds1.wide(a.words), left, a.at, 0);
                self.asm.emit(Op::BagKinds1.wide(b.words), right, b.at, 0);
                let op = if sense { Op::JumpApart1 } else { Op::JumpMeets1 };
                self.branch_to(op, left, right, label);
            }
            ExprKind::If { cond, then, otherwise } => {
                let (other, done) = (self.asm.label(), self.asm.label());
                self.branch(cond, false, other);
                self.branch(then, sense, label);
                self.asm.jump(done);
                self.asm.place(other);
                self.branch(otherwise, sense, label);
                self.asm.place(done);
            }
            ExprKind::Local(local) => {
                if let Some(Bind::Lazy(inner, scope)) = self.env.scope.binds.get(local.index()).cloned() {
                    self.within(&scope, |l| l.branch(inner, sense, label));
                } else {
                    self.branch_value(e, sense, label);
                }
            }
            ExprKind::Field { field, keys } => {
                let place = self.layout.fields[field.index()].clone();
                match place.shape {
                    Shape::Rows { words, .. } => {
                        let region = self.field_region(*field, keys);
                        self.reads(region);
                        let Some((last, outer)) = keys.split_last() else { return };
                        let row = self.rows_at(&place, outer, words);
                        let member = self.value_at(last);
                        let op = if sense { Op::JumpIn1 } else { Op::JumpOut1 };
                        self.branch_to(op.wide(words), row, member, label);
                    }
                    Shape::Word | Shape::Set(_) | Shape::Bag(_) => self.branch_value(e, sense, label),
                }
            }
            ExprKind::Call { function, args } => self.call_branch(*function, args, sense, label),
            _ => self.branch_value(e, sense, label),
        }
    }

    fn branch_value(&mut self, e: &'p Expr, sense: bool, label: Label) {
        let at = self.value_at(e);
        self.branch_to(if sense { Op::JumpNonzero } else { Op::JumpZero }, at, 0, label);
    }

    fn both(&mut self, a: &'p Expr, b: &'p Expr, sense: bool, label: Label) {
        if sense {
            let skip = self.asm.label();
            self.branch(a, false, skip);
            self.branch(b, true, label);
            self.asm.place(skip);
        } else {
            self.branch(a, false, label);
            self.branch(b, false, label);
        }
    }

    fn compare(&mut self, op: Compare, left: &'p Expr, right: &'p Expr, sense: bool, label: Label) {
        match left.ty {
            Type::Set(_) => {
                let (a, b) = (self.set(left), self.set(right));
                let (x, y) = (self.asm.scratch(a.words), self.asm.scratch(a.words));
                self.asm.emit(Op::Without1.wide(a.words), x, a.at, b.at);
                self.asm.emit(Op::Without1.wide(a.words), y, b.at, a.at);
                self.asm.emit(Op::Or1.wide(a.words), x, x, y);
                let equal = (op == Compare::Equal) == sense;
                let op = if equal { Op::JumpEmpty1 } else { Op::JumpSome1 };
                self.branch_to(op.wide(a.words), x, 0, label);
            }
            Type::Bag(_) => {
                let (a, b) = (self.bag(left), self.bag(right));
                if (op == Compare::Equal) == sense {
                    let skip = self.asm.label();
                    self.branch_to(Op::JumpLacks1.wide(a.words), a.at, b.at, skip);
                    self.branch_to(Op::JumpHas1.wide(a.words), b.at, a.at, label);
                    self.asm.place(skip);
                } else {
                    self.branch_to(Op::JumpLacks1.wide(a.words), a.at, b.at, label);
                    self.branch_to(Op::JumpLacks1.wide(a.words), b.at, a.at, label);
                }
            }
            Type::Truth | Type::Number | Type::Member(_) | Type::Nothing | Type::Unknown => {
                let op = if sense { op } else { opposite(op) };
                let (a, b) = (self.value_at(left), self.value_at(right));
                let (op, a, b) = match op {
                    Compare::Equal => (Op::JumpEqual, a, b),
                    Compare::NotEqual => (Op::JumpUnequal, a, b),
                    Compare::Less => (Op::JumpLess, a, b),
                    Compare::LessEqual => (Op::JumpAtMost, a, b),
                    Compare::Greater => (Op::JumpLess, b, a),
                    Compare::GreaterEqual => (Op::JumpAtMost, b, a),
                };
                self.branch_to(op, a, b, label);
            }
        }
    }

    fn branch_some(&mut self, set: &'p Expr, sense: bool, label: Label) {
        match &set.kind {
            ExprKind::Intersect(a, b) => {
                let (a, b) = (self.set(a), self.set(b));
                let op = if sense { Op::JumpMeets1 } else { Op::JumpApart1 };
                self.branch_to(op.wide(a.words), a.at, b.at, label);
            }
            ExprKind::Kinds(bag) => {
                let bag = self.bag(bag);
                let op = if sense { Op::JumpSome1 } else { Op::JumpEmpty1 };
                self.branch_to(op.wide(bag.words), bag.at, 0, label);
            }
            _ => {
                let set = self.set(set);
                match &set.known {
                    Some(known) => {
                        if known.iter().any(|w| *w != 0) == sense {
                            self.asm.jump(label);
                        }
                    }
                    None => {
                        let op = if sense { Op::JumpSome1 } else { Op::JumpEmpty1 };
                        self.branch_to(op.wide(set.words), set.at, 0, label);
                    }
                }
            }
        }
    }

    /// Jumps if the member is (or is not) in the set, testing parts of the set one by one where that is cheaper than
    /// making the whole.
    pub fn branch_in(&mut self, member: Val, set: &'p Expr, sense: bool, label: Label) {
        match &set.kind {
            ExprKind::Reasoned { set, .. } => self.branch_in(member, set, sense, label),
            ExprKind::Intersect(a, b) => {
                if sense {
                    let skip = self.asm.label();
                    self.branch_in(member, a, false, skip);
                    self.branch_in(member, b, true, label);
                    self.asm.place(skip);
                } else {
                    self.branch_in(member, a, false, label);
                    self.branch_in(member, b, false, label);
                }
            }
            ExprKind::Without(a, b) => {
                if sense {
                    let skip = self.asm.label();
                    self.branch_in(member, a, false, skip);
                    self.branch_in(member, b, false, label);
                    self.asm.place(skip);
                } else {
                    self.branch_in(member, a, false, label);
                    self.branch_in(member, b, true, label);
                }
            }
            ExprKind::Union(a, b) => {
                if sense {
                    self.branch_in(member, a, true, label);
                    self.branch_in(member, b, true, label);
                } else {
                    let skip = self.asm.label();
                    self.branch_in(member, a, true, skip);
                    self.branch_in(member, b, false, label);
                    self.asm.place(skip);
                }
            }
            ExprKind::Filter { local, over, cond } => {
                let skip = self.asm.label();
                let no = if sense { skip } else { label };
                self.branch_in(member, over, false, no);
                self.env.bind(*local, Bind::Val(member));
                self.branch(cond, sense, label);
                self.asm.place(skip);
            }
            ExprKind::Kinds(bag) => {
                let bag = self.bag(bag);
                let member = self.address(member);
                let lane = self.asm.scratch(1);
                self.asm.emit(Op::Lane, lane, bag.at, member);
                self.branch_to(if sense { Op::JumpNonzero } else { Op::JumpZero }, lane, 0, label);
            }
            _ => {
                let set = self.set(set);
                if let (Some(known), Val::Known(m)) = (&set.known, member) {
                    let is = m >= 0 && known.get(m as usize / 64).is_some_and(|w| w >> (m % 64) & 1 == 1);
                    if is == sense {
                        self.asm.jump(label);
                    }
                    return;
                }
                let member = self.address(member);
                let op = if sense { Op::JumpIn1 } else { Op::JumpOut1 };
                self.branch_to(op.wide(set.words), set.at, member, label);
            }
        }
    }
}

fn opposite(op: Compare) -> Compare {
    match op {
        Compare::Equal => Compare::NotEqual,
        Compare::NotEqual => Compare::Equal,
        Compare::Less => Compare::GreaterEqual,
        Compare::LessEqual => Compare::Greater,
        Compare::Greater => Compare::LessEqual,
        Compare::GreaterEqual => Compare::Less,
    }
}
