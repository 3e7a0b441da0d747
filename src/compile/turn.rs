//! The course of a game: set-up, turns and phases of every seat, awards, the end, invariants.

use super::Lower;
use super::actions::{ActionUse, Listing};
use super::environment::{Bind, Scope, UnitKey, Val, walk};
use super::functions::KeptKey;
use super::memory::Region;
use crate::engine::code::{EventKind, ReasonText, Shape, SiteKind, TextPart, fixed};
use crate::engine::instr::Op;
use crate::program::{ActionId, Block, FieldId, Local, LocalType, StmtKind, Tie, TriggerEvent, Type};

impl<'p> Lower<'p> {
    /// Compiles everything.
    pub fn game(&mut self) {
        let program = self.program;
        let starts: Vec<_> = (0..self.players).map(|_| self.asm.label()).collect();
        let ends: Vec<_> = (0..self.players).map(|_| self.asm.label()).collect();
        self.turn_ends = ends.clone();
        self.code.turns = starts.iter().map(|l| l.0 as u32).collect();
        let (_, start) = self.asm.open("set-up");
        self.code.start = start.0 as u32;
        let (outer, _) = self.enter(UnitKey::Setup, &program.setup, "the set-up");
        let end = self.asm.label();
        self.env.exits.unit_end = Some(end);
        self.block(&program.setup.body);
        self.asm.place(end);
        self.env = outer;
        match starts.first() {
            Some(first) => {
                if begins(&program.setup.body) {
                    for (seat, start) in starts.iter().enumerate().skip(1) {
                        let seat = self.number(seat as i64);
                        self.branch_to(Op::JumpEqual, fixed::ACTIVE, seat, *start);
                    }
                }
                self.asm.jump(*first);
            }
            None => self.asm.emit(Op::EndMenu, 0, 0, 0),
        }
        self.asm.close();
        let flags: Vec<Vec<u16>> =
            program.phases.iter().map(|p| p.must.iter().map(|_| self.memory.state(1)).collect()).collect();
        for seat in 0..self.players {
            self.turn(seat, &starts, &flags);
        }
        for seat in 0..self.players {
            let (_, label) = self.asm.open(format!("settle for {seat}"));
            self.env.active = Some(seat);
            self.settle_here();
            self.env.active = None;
            self.asm.emit(Op::EndMenu, 0, 0, 0);
            self.asm.close();
            self.code.settle.push(label.0 as u32);
        }
        self.invariants();
    }

    fn turn(&mut self, seat: usize, starts: &[super::assemble::Label], flags: &[Vec<u16>]) {
        let program = self.program;
        self.asm.open(format!("turn of {seat}"));
        self.asm.place(starts[seat]);
        self.env.active = Some(seat);
        self.env.scope = Scope { binds: Vec::new(), me: Some(Val::Known(seat as i64)) };
        let (number, one, none) = (self.number(seat as i64), self.number(1), self.number(-1));
        self.asm.emit(Op::Copy1, fixed::ACTIVE, number, 0);
        self.asm.emit(Op::Add, fixed::TURN, fixed::TURN, one);
        self.asm.emit(Op::Copy1, fixed::PHASE, none, 0);
        if self.may_end_turn {
            let zero = self.number(0);
            self.asm.emit(Op::Copy1, fixed::ENDING, zero, 0);
        }
        for region in [Region::Active, Region::Turn, Region::Phase] {
            self.asm.wrote(region);
        }
        self.reset_turn_state();
        self.event(EventKind::Turn, vec![(number, self.player_type())]);
        self.settle_here();
        self.triggers(|t| matches!(t, TriggerEvent::TurnStart), &[]);
        let labels: Vec<_> = program.phases.iter().map(|_| self.asm.label()).collect();
        let end = self.turn_ends[seat];
        for (k, phase) in program.phases.iter().enumerate() {
            let next = labels.get(k + 1).copied().unwrap_or(end);
            self.asm.place(labels[k]);
            let mark = self.asm.mark();
            let index = self.number(k as i64);
            self.asm.emit(Op::Copy1, fixed::PHASE, index, 0);
            self.asm.wrote(Region::Phase);
            let zero = self.number(0);
            for flag in &flags[k] {
                self.asm.emit(Op::Copy1, *flag, zero, 0);
            }
            if !phase.begin.body.is_empty() {
                let instance = self.instance(UnitKey::Phase(k), Vec::new(), Vec::new(), Default::default());
                self.call(&instance);
            }
            let leave = self.asm.label();
            let offers = !(phase.must.is_empty() && phase.may.is_empty() && phase.one_of.is_empty());
            if !offers && phase.until.is_none() {
                // No choice settles what the phase did.
                self.settle_here();
            } else {
                self.phase(seat, k, &flags[k], if phase.finish.body.is_empty() { next } else { leave });
            }
            if !phase.finish.body.is_empty() {
                self.asm.place(leave);
                let instance = self.instance(UnitKey::PhaseEnd(k), Vec::new(), Vec::new(), Default::default());
                self.call(&instance);
            }
            self.asm.release(mark);
        }
        self.asm.place(end);
        self.settle_here();
        self.triggers(|t| matches!(t, TriggerEvent::TurnEnd), &[]);
        self.asm.jump(starts[(seat + 1) % self.players]);
        self.asm.close();
        self.code.phases.push(labels.iter().map(|l| l.0 as u32).collect());
        self.env.active = None;
        self.env.scope = Scope::default();
    }

    fn phase(&mut self, seat: usize, k: usize, flags: &[u16], next: super::assemble::Label) {
        let phase = &self.program.phases[k];
        // One thing that must be done, and nothing else, needs no note of whether it was.
        let (must, one_of) = match (&phase.must[..], phase.may.is_empty() && phase.one_of.is_empty()) {
            ([only], true) if phase.until.is_none() => (&[][..], only),
            (must, _) => (must, &phase.one_of),
        };
        let flags = if must.is_empty() { &[] } else { flags };
        let again = self.asm.label();
        self.asm.place(again);
        self.branch_ending(self.turn_ends[seat]);
        if !flags.is_empty() && phase.until.is_none() {
            let still = self.asm.label();
            for flag in flags {
                self.branch_to(Op::JumpZero, *flag, 0, still);
            }
            // No choice of this phase follows that would settle what the last action did.
            self.settle_here();
            self.asm.jump(next);
            self.asm.place(still);
        }
        let who = Val::Known(seat as i64);
        let site = self.site(who, SiteKind::Phase(phase.name.clone()), phase.span);
        self.decide(site);
        // Each entry with the flag that must still be unset for it to be listed, and the one that must be set.
        let mut entries: Vec<(ActionUse<'p>, u16, Option<u16>, Option<u16>)> = Vec::new();
        let musts: Vec<(ActionId, u16)> =
            must.iter().zip(flags).flat_map(|(group, flag)| group.iter().map(|a| (*a, *flag))).collect();
        let mut offer = |l: &mut Self, action: ActionId, flag: Option<u16>, then: super::assemble::Label| {
            if entries.iter().any(|(u, _, f, _)| u.action == action && *f == flag) {
                return;
            }
            // What must be done and may be done again is offered as the former first.
            let owed = if flag.is_none() { musts.iter().find(|(m, _)| *m == action).map(|(_, f)| *f) } else { None };
            let chosen = ActionUse::plain(action, seat as i64);
            let resume = l.asm.label();
            let entry = l.action_entry(&chosen, site, resume);
            l.asm.place(resume);
            l.do_action(&chosen);
            if let Some(flag) = flag {
                let one = l.number(1);
                l.asm.emit(Op::Copy1, flag, one, 0);
            }
            if then == next {
                l.settle_here();
            }
            l.asm.jump(then);
            entries.push((chosen, entry, flag, owed));
        };
        for (group, flag) in must.iter().zip(flags) {
            for action in group {
                offer(self, *action, Some(*flag), again);
            }
        }
        for action in &phase.may {
            offer(self, *action, None, again);
        }
        for action in one_of {
            offer(self, *action, None, next);
        }
        let any_time = self.any_time_entries(site, who, again);
        let words = phase.until.clone().or_else(|| {
            // Without anything that ends it the phase is left by saying so.
            (must.is_empty() && one_of.is_empty()).then(|| "done".to_string())
        });
        let leave = words.map(|w| self.words_entry(site, &w, next));
        self.menu(site, None, |l| {
            for (chosen, entry, flag, owed) in &entries {
                let skip = l.asm.label();
                if let Some(owed) = owed {
                    l.branch_to(Op::JumpZero, *owed, 0, skip);
                }
                if let Some(flag) = flag {
                    l.branch_to(Op::JumpNonzero, *flag, 0, skip);
                }
                l.list_action(chosen, Listing::Rows(*entry));
                l.asm.place(skip);
            }
            l.list_any_time(&any_time);
            if let Some(leave) = leave {
                let not_yet = l.asm.label();
                for flag in flags {
                    l.branch_to(Op::JumpZero, *flag, 0, not_yet);
                }
                l.asm.emit(Op::RowUnit, leave, 0, 0);
                l.asm.place(not_yet);
            }
        });
    }

    /// Sets back what lasts a turn.
    fn reset_turn_state(&mut self) {
        for (i, field) in self.program.fields.iter().enumerate() {
            if !field.each_turn {
                continue;
            }
            let place = self.layout.fields[i].clone();
            let initial = self.initial_value(field);
            let (value, words) = match place.shape {
                Shape::Word => (initial as u64, place.cells()),
                Shape::Set(w) | Shape::Bag(w) => (0, place.cells() * w),
                Shape::Rows { words, values, low } => {
                    let outer: usize = place.keys[..place.keys.len() - 1].iter().product();
                    let row = initial - low;
                    let all = super::sets::all(place.keys.last().copied().unwrap_or(0));
                    for cell in 0..outer * values {
                        let full = (cell % values) as i64 == row;
                        let content = if full { all.clone() } else { vec![0; words] };
                        let from = self.memory.constant(&content);
                        self.asm.emit(Op::Copy1.wide(words), place.address + (cell * words) as u16, from, 0);
                    }
                    (0, 0)
                }
            };
            self.fill(place.address, words, value);
            self.asm.wrote(Region::Field(FieldId(i as u32), None));
        }
        for (i, limit) in self.program.limits.iter().enumerate() {
            if super::resets_each_turn(limit.scope) {
                self.fill(self.layout.limits[i], self.players, 0);
                self.asm.wrote(Region::Limit(i));
            }
        }
    }

    /// `end turn` inside a rule: what is under way is finished, without what is optional, before the turn is over.
    pub fn end_turn(&mut self) {
        let one = self.number(1);
        self.asm.emit(Op::Copy1, fixed::ENDING, one, 0);
    }

    /// Jumps if the turn is about to end; costs nothing in a game whose rules never say so.
    pub fn branch_ending(&mut self, label: super::assemble::Label) {
        if self.may_end_turn {
            self.branch_to(Op::JumpNonzero, fixed::ENDING, 0, label);
        }
    }

    /// Gives awards as they must be given and tests the end for the active player; costs a look each where nothing
    /// that they depend on has changed.
    pub fn settle_here(&mut self) {
        self.settle_and(None);
    }

    /// Settles and, where there was something to settle, goes on at `again`: what was tested before may hold no more.
    pub fn settle_and(&mut self, again: Option<super::assemble::Label>) {
        let Some(active) = self.env.active else { return };
        let mark = self.asm.mark();
        let mut settled = Vec::new();
        for award in 0..self.program.awards.len() {
            let name = format!("award {}", self.program.awards[award].name);
            settled.extend(self.keep(KeptKey::Award(award), name, 0, true, |l| {
                l.give_award(award);
                Some(0)
            }));
        }
        for (index, end) in self.program.ends.iter().enumerate() {
            // An end that does not depend on whose turn it is was tested for all at once.
            let for_all = end.winner.is_some()
                && !self.speaks_of(&end.cond).1
                && !end.winner.as_ref().is_some_and(|w| self.speaks_of(w).1);
            let key = KeptKey::End { index, active: (!for_all).then_some(active) };
            let number = self.keep(key, format!("end {} for {active}", end.name), 0, true, |l| {
                let outer = l.env.clone();
                l.env.scope = l.scratch_scope(&end.locals);
                l.env.active = Some(active);
                let goes_on = l.asm.label();
                l.branch(&end.cond, false, goes_on);
                let winner = match &end.winner {
                    Some(winner) => l.value_at(winner),
                    None => l.number(active as i64),
                };
                l.finish_game(winner);
                l.asm.place(goes_on);
                l.env = outer;
                Some(0)
            });
            settled.extend(number);
        }
        // One look for all of them where their bits lie in one word.
        let done = self.asm.label();
        let words: Vec<u16> = settled.iter().map(|n| self.code.kept[*n].valid).collect();
        if let [word, _, ..] = words[..]
            && words.iter().all(|w| *w == word)
        {
            let bits = settled.iter().fold(0, |acc, n| acc | 1 << self.code.kept[*n].bit);
            let mask = self.memory.constant(&[bits]);
            self.branch_to(Op::JumpValid, word, mask, done);
        } else if again.is_some() {
            let work = self.asm.label();
            for number in &settled {
                let kept = &self.code.kept[*number];
                let (word, mask, valid) = (kept.valid, 1 << kept.bit, self.asm.label());
                let mask = self.memory.constant(&[mask]);
                self.branch_to(Op::JumpValid, word, mask, valid);
                self.asm.jump(work);
                self.asm.place(valid);
            }
            self.asm.jump(done);
            self.asm.place(work);
        }
        for number in settled {
            self.ensure(number);
        }
        if let Some(again) = again {
            self.asm.jump(again);
        }
        self.asm.place(done);
        self.asm.release(mark);
    }

    /// A scope whose locals lie in scratch.
    fn scratch_scope(&mut self, locals: &'p [Local]) -> Scope<'p> {
        let binds = locals
            .iter()
            .map(|local| match local.ty {
                LocalType::Value(ty) => {
                    let words = match ty {
                        Type::Set(d) => crate::engine::code::set_words(self.size(d)),
                        Type::Bag(d) => self.bag_width(d),
                        Type::Truth | Type::Number | Type::Member(_) | Type::Nothing | Type::Unknown => 1,
                    };
                    let at = self.asm.scratch(words);
                    if super::values::is_scalar(ty) { Bind::Val(Val::At(at)) } else { Bind::Wide(at) }
                }
                LocalType::Tally { .. } => Bind::Unset,
            })
            .collect();
        Scope { binds, me: None }
    }

    /// Whoever has most has the award: the holder as long as nobody has more, else who alone has most. Where several others
    /// lead, the award says whether the holder keeps it or nobody has it.
    pub fn give_award(&mut self, number: usize) {
        let award = &self.program.awards[number];
        let holder = self.layout.awards[number];
        let outer = self.env.clone();
        self.env.scope = Scope::default();
        self.env.active = None;
        let values: Vec<u16> = (0..self.players)
            .map(|seat| {
                let value = self.call_for_seat(award.most, seat);
                self.address(value)
            })
            .collect();
        let (best, leader, leaders) = (self.asm.scratch(1), self.asm.scratch(1), self.zeroed());
        let (least, none, one) = (self.number(award.at_least), self.number(-1), self.number(1));
        let (give, done) = (self.asm.label(), self.asm.label());
        // One less than needed, so that a leader has enough.
        let below = self.number(award.at_least - 1);
        let _ = least;
        self.asm.emit(Op::Copy1, best, below, 0);
        for value in &values {
            self.asm.emit(Op::Max, best, best, *value);
        }
        self.asm.emit(Op::Copy1, leader, none, 0);
        for (seat, value) in values.iter().enumerate() {
            let (next, seat) = (self.asm.label(), self.number(seat as i64));
            self.branch_to(Op::JumpUnequal, *value, best, next);
            self.branch_to(Op::JumpAtMost, best, below, next);
            self.asm.emit(Op::Add, leaders, leaders, one);
            if award.tie != Tie::Nobody {
                // A holder among the leaders keeps it.
                self.branch_to(Op::JumpEqual, holder, seat, done);
            }
            self.asm.emit(Op::Copy1, leader, seat, 0);
            self.asm.place(next);
        }
        self.branch_to(Op::JumpAtMost, leaders, one, give);
        if award.tie == Tie::Holder {
            for (seat, value) in values.iter().enumerate() {
                let (next, seat) = (self.asm.label(), self.number(seat as i64));
                self.branch_to(Op::JumpUnequal, holder, seat, next);
                self.branch_to(Op::JumpLess, below, *value, done);
                self.asm.place(next);
            }
        }
        self.asm.emit(Op::Copy1, leader, none, 0);
        self.asm.place(give);
        self.branch_to(Op::JumpEqual, holder, leader, done);
        self.asm.emit(Op::Copy1, holder, leader, 0);
        self.asm.wrote(Region::Award(number));
        self.event(EventKind::Award(award.name.clone()), vec![(holder, self.player_type())]);
        self.asm.place(done);
        self.env = outer;
    }

    fn invariants(&mut self) {
        let (_, label) = self.asm.open("invariants");
        self.code.invariants = label.0 as u32;
        for invariant in &self.program.invariants {
            let mark = self.asm.mark();
            self.env.rule = format!("invariant {}", invariant.name).trim_end().to_string();
            self.asm.stands_for(invariant.span, &self.env.rule);
            self.env.scope = self.scratch_scope(&invariant.locals);
            let fine = self.asm.label();
            self.branch(&invariant.cond, true, fine);
            let text = format!("the invariant {} does not hold", invariant.name);
            self.reason(ReasonText { parts: vec![TextPart::Text(text)], span: invariant.span });
            self.asm.place(fine);
            self.asm.release(mark);
        }
        self.env.rule.clear();
        self.env.scope = Scope::default();
        let halt = self.asm.label();
        self.code.halt = halt.0 as u32;
        self.asm.place(halt);
        self.asm.emit(Op::EndMenu, 0, 0, 0);
        self.asm.close();
    }

    /// The declarations of the locals of the unit under way.
    pub fn current_locals(&self) -> Option<&'p [Local]> {
        let program = self.program;
        let unit = match self.env.units.last()? {
            UnitKey::Procedure(i) => &program.procedures.get(*i)?.unit,
            UnitKey::Action(i) => &program.actions.get(*i)?.unit,
            UnitKey::Trigger(i) => &program.triggers.get(*i)?.unit,
            UnitKey::Phase(i) => &program.phases.get(*i)?.begin,
            UnitKey::PhaseEnd(i) => &program.phases.get(*i)?.finish,
            UnitKey::Setup => &program.setup,
            UnitKey::AtEnd => &program.at_end,
        };
        Some(&unit.locals)
    }
}

/// Does a set-up say who begins?
fn begins(block: &Block) -> bool {
    let mut found = false;
    walk(block, &mut |stmt| found |= matches!(stmt.kind, StmtKind::Begin(_)));
    found
}
