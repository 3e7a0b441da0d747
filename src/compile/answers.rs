//! Answers that are more than one member: several members one after another, a number of a range, a bag of a size.

use super::Lower;
use super::assemble::Label;
use super::bags::BagAt;
use super::environment::Val;
use super::sets::SetAt;
use crate::engine::code::{EntryLabel, ParamPlace, ReasonText, TextPart};
use crate::engine::instr::Op;
use crate::program::{Ask, BagSize, Expr, LocalId, MAX_NUMBERS, Type};
use crate::source::Span;

/// Bags that a choice with a test goes through when moves are listed; one beyond them is legal but not listed.
const MAX_TESTED_BAGS: i64 = 4096;

/// The words of the least and of the greatest size.
type Sizes = (u16, u16);

impl<'p> Lower<'p> {
    // ---- members, one after another ---------------------------------------------------------------------------------

    pub fn ask_members(
        &mut self,
        ask: &'p Ask,
        who: Val,
        (local, each, count, up_to, from): (LocalId, LocalId, &'p Expr, bool, &'p Expr),
        block_end: Label,
        span: Span,
    ) {
        let (Type::Set(domain) | Type::Member(domain)) = from.ty else { return };
        let who = self.steady(who);
        let count = self.value_at(count);
        let left = self.lasting(1);
        self.asm.emit(Op::Copy1, left, count, 0);
        let (answer, one) = (self.local_at(each), self.local_at(local));
        let (zero, unit) = (self.number(0), self.number(1));
        let words = self.set(from).words;
        let taken = SetAt { at: one, words, known: None };
        self.fill(taken.at, words, 0);
        let (again, decide, picked, finished, no_choice, chosen) = (
            self.asm.label(),
            self.asm.label(),
            self.asm.label(),
            self.asm.label(),
            self.asm.label(),
            self.asm.label(),
        );
        self.asm.place(again);
        self.branch_to(Op::JumpAtMost, left, zero, finished);
        let rest = self.not_taken(from, &taken);
        if up_to {
            self.branch_ending(finished);
            self.branch_to(Op::JumpEmpty1.wide(words), rest.at, 0, finished);
        } else {
            let there = self.asm.scratch(1);
            self.asm.emit(Op::Count1.wide(words), there, rest.at, 0);
            self.branch_to(Op::JumpLess, there, left, no_choice);
            self.any_time_possible(who, decide);
            self.branch_to(Op::JumpUnequal, there, left, decide);
            // Just as many are there as are wanted.
            self.asm.emit(Op::Or1.wide(words), taken.at, taken.at, rest.at);
            self.asm.emit(Op::Forced, 0, 0, 0);
            self.asm.jump(chosen);
        }
        self.asm.place(decide);
        let site = self.site(who, self.ask_kind(), span);
        self.decide_on(site, again);
        let param = ParamPlace { address: answer, ty: Type::Member(domain), fixed: false, index: 0 };
        let why = self.why_not_taken(from, answer, &taken, param.ty);
        let entry = self.entry(site, EntryLabel::Answer, vec![param], false, picked, Some(why), true);
        let none = up_to.then(|| self.words_entry(site, "none", finished));
        let any_time = self.any_time_entries(site, who, again);
        self.menu(site, ask.prompt.as_ref(), |l| {
            let rest = l.not_taken(from, &taken);
            l.asm.emit(Op::RowSet1.wide(words), entry, rest.at, 0);
            if let Some(none) = none {
                l.asm.emit(Op::RowUnit, none, 0, 0);
            }
            l.list_any_time(&any_time);
        });
        self.asm.place(picked);
        self.asm.emit(Op::Insert1.wide(words), taken.at, answer, 0);
        self.asm.emit(Op::Subtract, left, left, unit);
        self.asm.jump(again);
        self.asm.place(finished);
        if up_to {
            self.branch_to(Op::JumpSome1.wide(words), taken.at, 0, chosen);
        } else {
            self.asm.jump(chosen);
        }
        self.declined(no_choice, &ask.otherwise, block_end);
        self.asm.place(chosen);
    }

    /// The members that were not chosen before.
    fn not_taken(&mut self, from: &'p Expr, taken: &SetAt) -> SetAt {
        let set = self.set(from);
        let rest = self.copy_of(&set);
        self.asm.emit(Op::Without1.wide(taken.words), rest.at, rest.at, taken.at);
        rest
    }

    fn why_not_taken(&mut self, from: &'p Expr, answer: u16, taken: &SetAt, ty: Type) -> Label {
        let (_, label) = self.asm.open("why answer");
        let fine = self.asm.label();
        self.branch_to(Op::JumpOut1.wide(taken.words), taken.at, answer, fine);
        let parts = vec![TextPart::Value(answer, ty), TextPart::Text(" is chosen already".into())];
        self.reason(ReasonText { parts, span: from.span });
        self.asm.place(fine);
        self.why_answer(from, answer, ty);
        self.asm.emit(Op::EndMenu, 0, 0, 0);
        self.asm.close();
        label
    }

    // ---- numbers ------------------------------------------------------------------------------------------------------

    pub fn ask_number(
        &mut self,
        ask: &'p Ask,
        who: Val,
        (local, low, high, guard, or_none): (LocalId, &'p Expr, &'p Expr, Option<&'p Expr>, bool),
        again: Label,
        block_end: Label,
        span: Span,
    ) {
        let answer = self.local_at(local);
        let (least, most) = (self.lasting(1), self.lasting(1));
        for (to, end) in [(least, low), (most, high)] {
            let at = self.value_at(end);
            self.asm.emit(Op::Copy1, to, at, 0);
        }
        let (no_choice, chosen, decide) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.guard_range(least, most, span);
        // How many fit, and the last that does.
        let (count, last, one) = (self.zeroed(), self.zeroed(), self.number(1));
        self.each_number(answer, least, most, guard, |l| {
            l.asm.emit(Op::Add, count, count, one);
            l.asm.emit(Op::Copy1, last, answer, 0);
        });
        self.branch_to(Op::JumpZero, count, 0, no_choice);
        if or_none {
            self.branch_ending(no_choice);
        } else {
            self.any_time_possible(who, decide);
            self.branch_to(Op::JumpUnequal, count, one, decide);
            self.asm.emit(Op::Copy1, answer, last, 0);
            self.asm.emit(Op::Forced, 0, 0, 0);
            self.asm.jump(chosen);
        }
        self.asm.place(decide);
        let site = self.site(who, self.ask_kind(), span);
        self.decide_on(site, again);
        let param = ParamPlace { address: answer, ty: Type::Number, fixed: false, index: 0 };
        let why = self.why_number(answer, (least, most), guard, span);
        let entry = self.entry(site, EntryLabel::Answer, vec![param], true, chosen, Some(why), true);
        let none = or_none.then(|| self.words_entry(site, "none", no_choice));
        let any_time = self.any_time_entries(site, who, again);
        self.menu(site, ask.prompt.as_ref(), |l| {
            l.each_number(answer, least, most, guard, |l| l.asm.emit(Op::RowUnit, entry, 0, 0));
            if let Some(none) = none {
                l.asm.emit(Op::RowUnit, none, 0, 0);
            }
            l.list_any_time(&any_time);
        });
        self.declined(no_choice, &ask.otherwise, block_end);
        self.asm.place(chosen);
    }

    /// A fault where the range has more numbers than anybody can choose from.
    fn guard_range(&mut self, least: u16, most: u16, span: Span) {
        let (size, fits, limit) = (self.asm.scratch(1), self.asm.label(), self.number(MAX_NUMBERS));
        self.asm.emit(Op::Subtract, size, most, least);
        self.branch_to(Op::JumpLess, size, limit, fits);
        self.fault(711, format!("a choice of more than {MAX_NUMBERS} numbers was put to a player"), span);
        self.asm.place(fits);
    }

    /// Does something for each number of the range that fits, with the number at `answer`.
    fn each_number(&mut self, answer: u16, least: u16, most: u16, guard: Option<&'p Expr>, f: impl FnOnce(&mut Self)) {
        let (next, one) = (self.asm.scratch(1), self.number(1));
        let (again, skip, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.asm.emit(Op::Copy1, next, least, 0);
        self.asm.place(again);
        self.branch_to(Op::JumpLess, most, next, done);
        self.asm.emit(Op::Copy1, answer, next, 0);
        if let Some(guard) = guard {
            self.branch(guard, false, skip);
        }
        f(self);
        self.asm.place(skip);
        self.asm.emit(Op::Add, next, next, one);
        self.asm.jump(again);
        self.asm.place(done);
    }

    fn why_number(&mut self, answer: u16, (least, most): Sizes, guard: Option<&'p Expr>, span: Span) -> Label {
        let (_, label) = self.asm.open("why number");
        let (bad, fine, end) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.branch_to(Op::JumpLess, answer, least, bad);
        self.branch_to(Op::JumpAtMost, answer, most, fine);
        self.asm.place(bad);
        let parts = vec![
            TextPart::Value(answer, Type::Number),
            TextPart::Text(" is not between ".into()),
            TextPart::Value(least, Type::Number),
            TextPart::Text(" and ".into()),
            TextPart::Value(most, Type::Number),
        ];
        self.reason(ReasonText { parts, span });
        self.asm.jump(end);
        self.asm.place(fine);
        self.why_guard(guard, answer, Type::Number, end);
        self.asm.place(end);
        self.asm.emit(Op::EndMenu, 0, 0, 0);
        self.asm.close();
        label
    }

    /// Reports that the answer does not pass its test.
    fn why_guard(&mut self, guard: Option<&'p Expr>, answer: u16, ty: Type, fine: Label) {
        let Some(guard) = guard else { return };
        self.branch(guard, true, fine);
        let parts = vec![TextPart::Value(answer, ty), TextPart::Text(" cannot be chosen here".into())];
        self.reason(ReasonText { parts, span: guard.span });
    }

    // ---- bags -----------------------------------------------------------------------------------------------------------

    /// The sizes that a bag may have, in words that outlive the choice.
    pub fn bag_sizes(&mut self, size: &'p BagSize) -> Sizes {
        let mut steady = |e: &'p Expr| {
            let (from, to) = (self.value_at(e), self.lasting(1));
            self.asm.emit(Op::Copy1, to, from, 0);
            to
        };
        let least = steady(&size.least);
        let most = size.most.as_ref().map_or(least, steady);
        (least, most)
    }

    pub fn ask_bag(
        &mut self,
        ask: &'p Ask,
        who: Val,
        (local, size, ty): (LocalId, &'p BagSize, Type),
        ((least, most), held): (Sizes, BagAt),
        again: Label,
        block_end: Label,
        span: Span,
    ) {
        let answer = BagAt { at: self.local_at(local), words: held.words };
        let words = held.words;
        let (no_choice, chosen, several) = (self.asm.label(), self.asm.label(), self.asm.label());
        let (total, one, zero) = (self.asm.scratch(1), self.number(1), self.number(0));
        self.asm.emit(Op::BagSize1.wide(words), total, held.at, 0);
        self.branch_to(Op::JumpLess, total, least, no_choice);
        self.branch_to(Op::JumpLess, most, least, no_choice);
        let guard = size.guard.as_ref();
        match (guard, size.or_none) {
            (None, true) => {
                self.branch_ending(no_choice);
                self.asm.jump(several);
            }
            (None, false) => {
                self.any_time_possible(who, several);
                let (all, only) = (self.asm.label(), self.asm.label());
                self.branch_to(Op::JumpEqual, total, least, all);
                if size.most.is_some() {
                    self.branch_to(Op::JumpLess, least, most, several);
                }
                // Of one kind only, or nothing: there is one bag of that size.
                let (kinds, count) = (self.asm.scratch(1), self.asm.scratch(1));
                self.asm.emit(Op::BagKinds1.wide(words), kinds, held.at, 0);
                self.asm.emit(Op::Count1, count, kinds, 0);
                self.branch_to(Op::JumpEqual, count, one, only);
                self.branch_to(Op::JumpLess, zero, least, several);
                self.asm.place(only);
                let kind = self.asm.scratch(1);
                self.asm.emit(Op::First1, kind, kinds, 0);
                self.asm.emit(Op::BagOf1.wide(words), answer.at, least, kind);
                self.asm.emit(Op::Forced, 0, 0, 0);
                self.asm.jump(chosen);
                self.asm.place(all);
                self.asm.emit(Op::Copy1.wide(words), answer.at, held.at, 0);
                self.asm.emit(Op::Forced, 0, 0, 0);
                self.asm.jump(chosen);
            }
            (Some(guard), or_none) => {
                let (count, last) = (self.zeroed(), self.temporary_bag(words));
                self.each_bag(answer, held, (least, most), guard, |l| {
                    l.asm.emit(Op::Add, count, count, one);
                    l.asm.emit(Op::Copy1.wide(words), last.at, answer.at, 0);
                });
                self.branch_to(Op::JumpZero, count, 0, no_choice);
                if or_none {
                    self.branch_ending(no_choice);
                } else {
                    self.any_time_possible(who, several);
                    self.branch_to(Op::JumpUnequal, count, one, several);
                    self.asm.emit(Op::Copy1.wide(words), answer.at, last.at, 0);
                    self.asm.emit(Op::Forced, 0, 0, 0);
                    self.asm.jump(chosen);
                }
            }
        }
        self.asm.place(several);
        let site = self.site(who, self.ask_kind(), span);
        self.decide_on(site, again);
        let param = ParamPlace { address: answer.at, ty, fixed: false, index: 0 };
        let why = self.why_bag(answer, held, (least, most), guard, (ty, span));
        let entry = self.entry(site, EntryLabel::Answer, vec![param], guard.is_some(), chosen, Some(why), true);
        let none = size.or_none.then(|| self.words_entry(site, "none", no_choice));
        let any_time = self.any_time_entries(site, who, again);
        let ranges = size.most.is_some();
        self.menu(site, ask.prompt.as_ref(), |l| {
            match guard {
                Some(guard) => {
                    l.each_bag(answer, held, (least, most), guard, |l| l.asm.emit(Op::RowUnit, entry, 0, 0));
                }
                None if ranges => l.each_size(held, (least, most), |l, size| {
                    l.asm.emit(Op::RowBag1.wide(words), entry, held.at, size);
                }),
                None => l.asm.emit(Op::RowBag1.wide(words), entry, held.at, least),
            }
            if let Some(none) = none {
                l.asm.emit(Op::RowUnit, none, 0, 0);
            }
            l.list_any_time(&any_time);
        });
        self.declined(no_choice, &ask.otherwise, block_end);
        self.asm.place(chosen);
    }

    /// Does something for each size of which the bag holds so much.
    fn each_size(&mut self, held: BagAt, (least, most): Sizes, f: impl FnOnce(&mut Self, u16)) {
        let (size, total, one, zero) = (self.asm.scratch(1), self.asm.scratch(1), self.number(1), self.number(0));
        let (again, done) = (self.asm.label(), self.asm.label());
        self.asm.emit(Op::BagSize1.wide(held.words), total, held.at, 0);
        self.asm.emit(Op::Min, total, total, most);
        self.asm.emit(Op::Max, size, least, zero);
        self.asm.place(again);
        self.branch_to(Op::JumpLess, total, size, done);
        f(self, size);
        self.asm.emit(Op::Add, size, size, one);
        self.asm.jump(again);
        self.asm.place(done);
    }

    /// Does something for each bag that passes the test, with the bag at `answer`. Behind so many that are tested
    /// the list only says that there are more.
    fn each_bag(&mut self, answer: BagAt, held: BagAt, sizes: Sizes, guard: &'p Expr, f: impl FnOnce(&mut Self)) {
        let (tested, limit, one) = (self.zeroed(), self.number(MAX_TESTED_BAGS), self.number(1));
        let done = self.asm.label();
        self.each_size(held, sizes, |l, size| {
            let (again, skip, next_size, over) = (l.asm.label(), l.asm.label(), l.asm.label(), l.asm.label());
            l.asm.emit(Op::FirstBag1.wide(held.words), answer.at, held.at, size);
            l.asm.place(again);
            l.branch_to(Op::JumpAtMost, limit, tested, over);
            l.asm.emit(Op::Add, tested, tested, one);
            l.branch(guard, false, skip);
            f(l);
            l.asm.place(skip);
            l.branch_to(Op::NextBag1.wide(held.words), answer.at, held.at, next_size);
            l.asm.jump(again);
            l.asm.place(over);
            l.asm.emit(Op::More, 0, 0, 0);
            l.asm.jump(done);
            l.asm.place(next_size);
        });
        self.asm.place(done);
    }

    fn why_bag(
        &mut self,
        answer: BagAt,
        held: BagAt,
        (least, most): Sizes,
        guard: Option<&'p Expr>,
        (ty, span): (Type, Span),
    ) -> Label {
        let (_, label) = self.asm.open("why bag");
        let (small, right, there, end) = (self.asm.label(), self.asm.label(), self.asm.label(), self.asm.label());
        let size = self.asm.scratch(1);
        self.asm.emit(Op::BagSize1.wide(answer.words), size, answer.at, 0);
        self.branch_to(Op::JumpLess, size, least, small);
        self.branch_to(Op::JumpAtMost, size, most, right);
        self.asm.place(small);
        let number = |at| TextPart::Value(at, Type::Number);
        let text = |text: &str| TextPart::Text(text.into());
        let mut parts = vec![TextPart::Value(answer.at, ty), text(" is not a choice of "), number(least)];
        if least != most {
            parts.extend([text(" to "), number(most)]);
        }
        self.reason(ReasonText { parts, span });
        self.asm.jump(end);
        self.asm.place(right);
        self.branch_to(Op::JumpHas1.wide(held.words), held.at, answer.at, there);
        let missing = self.combine_bags(Op::BagSubtract1, answer, held);
        let parts = vec![TextPart::Value(missing.at, ty), text(" more than there is to choose from")];
        self.reason(ReasonText { parts, span });
        self.asm.jump(end);
        self.asm.place(there);
        self.why_guard(guard, answer.at, ty, end);
        self.asm.place(end);
        self.asm.emit(Op::EndMenu, 0, 0, 0);
        self.asm.close();
        label
    }
}
