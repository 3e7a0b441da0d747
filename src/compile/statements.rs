//! Statements, and the units (procedures, actions, triggers) that they make up.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Lower;
use super::environment::{Bind, Environment, Exits, Instance, InstanceKey, Scope, Terms, UnitKey, Val};
use super::functions::KeptKey;
use super::memory::Region;
use super::sets::SetAt;
use crate::engine::code::{Counter, EventKind, ShuffleText, fixed, set_words};
use crate::engine::instr::Op;
use crate::program::{
    Block, Expr, ExprKind, For, Local, LocalId, LocalType, Stmt, StmtKind, TriggerEvent, TriggerId, Type, Unit,
};

/// How many rules may be under way within each other, one begun by the other.
const MAX_DEPTH: usize = 100;

/// How often a rule may come to itself before that is a fault.
const MAX_NESTED: usize = 4;

impl<'p> Lower<'p> {
    /// Words that a local takes.
    fn local_words(&self, local: &Local) -> usize {
        match local.ty {
            LocalType::Value(ty) => match ty {
                Type::Set(d) => set_words(self.size(d)),
                Type::Bag(d) => self.bag_width(d),
                Type::Truth | Type::Number | Type::Member(_) | Type::Nothing | Type::Unknown => 1,
            },
            LocalType::Tally { key, bag } => self.size(key).max(1) * bag.map_or(1, |d| self.bag_width(d)),
        }
    }

    /// The addresses of a unit's locals when it is under way for the depth-th time.
    fn frame(&mut self, unit: UnitKey, locals: &'p [Local], depth: usize) -> Vec<u16> {
        if let Some(frame) = self.frames.get(&(unit, depth)) {
            return frame.clone();
        }
        let frame: Vec<u16> = locals
            .iter()
            .map(|l| self.local_words(l))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|words| self.memory.state(words))
            .collect();
        self.frames.insert((unit, depth), frame.clone());
        frame
    }

    /// What the locals are when each is in its place of the frame.
    fn frame_binds(&self, locals: &[Local], frame: &[u16]) -> Vec<Bind<'p>> {
        locals
            .iter()
            .zip(frame)
            .map(|(local, at)| match local.ty {
                LocalType::Value(Type::Set(_) | Type::Bag(_)) => Bind::Wide(*at),
                LocalType::Value(_) => Bind::Val(Val::At(*at)),
                LocalType::Tally { .. } => Bind::Tally(*at),
            })
            .collect()
    }

    /// Begins work in a unit: its environment, with every local in the frame. Gives the environment to go back to.
    pub fn enter(&mut self, unit: UnitKey, body: &'p Unit, rule: &str) -> (Environment<'p>, Vec<u16>) {
        let depth = self.env.depth(unit);
        let frame = self.frame(unit, &body.locals, depth);
        let binds = self.frame_binds(&body.locals, &frame);
        let mut env = self.env.clone();
        env.scope = Scope { binds, me: self.env.scope.me };
        env.units.push(unit);
        env.exits = Exits { stop: None, unit_end: None, result: None };
        env.rule = rule.to_string();
        (std::mem::replace(&mut self.env, env), frame)
    }

    pub fn unit_of(&self, key: UnitKey) -> (&'p Unit, String) {
        let program = self.program;
        match key {
            UnitKey::Procedure(i) => (&program.procedures[i].unit, format!("procedure {}", program.procedures[i].name)),
            UnitKey::Action(i) => (&program.actions[i].unit, format!("action {}", program.actions[i].name)),
            UnitKey::Trigger(i) => (&program.triggers[i].unit, format!("trigger {}", program.triggers[i].name)),
            UnitKey::Phase(i) => (&program.phases[i].begin, format!("phase {}", program.phases[i].name)),
            UnitKey::PhaseEnd(i) => (&program.phases[i].finish, format!("phase {}", program.phases[i].name)),
            UnitKey::Setup => (&program.setup, "the set-up".to_string()),
            UnitKey::AtEnd => (&program.at_end, "what is done at the end".to_string()),
        }
    }

    /// The code of a unit for these known arguments.
    pub fn instance(&mut self, unit: UnitKey, args: Vec<Option<i64>>, tallies: Vec<u16>, terms: Terms) -> Instance {
        let mut nested: BTreeMap<UnitKey, usize> = BTreeMap::new();
        for u in self.env.units.iter().filter(|u| self.recursive.contains(u)) {
            *nested.entry(*u).or_default() += 1;
        }
        let key = InstanceKey {
            unit,
            me: self.env.scope.me,
            active: self.env.active,
            args: args.clone(),
            tallies: tallies.clone(),
            terms: terms.clone(),
            secret: self.env.secret,
            countering: self.env.countering,
            nested: nested.into_iter().collect(),
        };
        if let Some(found) = self.instances.get(&key) {
            return found.clone();
        }
        let (body, rule) = self.unit_of(unit);
        if self.env.units.len() > MAX_DEPTH {
            self.too_deep(&rule);
        }
        let back = self.memory.state(1);
        let (chunk, label) = self.asm.open(&rule);
        let depth = self.env.depth(unit);
        let (outer, frame) = self.enter(unit, body, &rule);
        let result_type = match unit {
            UnitKey::Procedure(i) => self.program.procedures[i].result,
            UnitKey::Action(_)
            | UnitKey::Trigger(_)
            | UnitKey::Phase(_)
            | UnitKey::PhaseEnd(_)
            | UnitKey::Setup
            | UnitKey::AtEnd => Type::Nothing,
        };
        let words = match result_type {
            Type::Set(d) => set_words(self.size(d)),
            Type::Bag(d) => self.bag_width(d),
            Type::Truth | Type::Number | Type::Member(_) | Type::Nothing | Type::Unknown => 1,
        };
        let result = self.memory.state(words);
        let instance = Instance { chunk, label, back, frame, result };
        self.instances.insert(key, instance.clone());
        let mut tally = tallies.iter();
        for (i, param) in body.params.iter().enumerate() {
            if let LocalType::Tally { .. } = body.locals[param.index()].ty {
                if let Some(at) = tally.next() {
                    self.env.bind(*param, Bind::Tally(*at));
                }
            } else if let Some(Some(known)) = args.get(i) {
                self.env.bind(*param, Bind::Val(Val::Known(*known)));
            }
        }
        if terms.cost.is_none() {
            self.env.cost = None;
        }
        self.env.terms = terms;
        let end = self.asm.label();
        self.env.exits = Exits { stop: None, unit_end: Some(end), result: Some(result) };
        if depth > MAX_NESTED {
            let span = body.body.first().map_or_else(Default::default, |s| s.span);
            self.fault(705, format!("{rule} came to do itself more than {MAX_NESTED} times over"), span);
        } else {
            match unit {
                UnitKey::Trigger(i) => {
                    let trigger = &self.program.triggers[i];
                    if let Some(guard) = &trigger.guard {
                        self.branch(guard, false, end);
                    }
                    self.hit(Counter::Trigger(trigger.name.clone()));
                }
                UnitKey::Action(i) => self.hit(Counter::Action(self.program.actions[i].name.clone())),
                UnitKey::Procedure(_) | UnitKey::Phase(_) | UnitKey::PhaseEnd(_) | UnitKey::Setup | UnitKey::AtEnd => {}
            }
            self.block(&body.body);
        }
        self.asm.place(end);
        self.asm.emit(Op::Return, back, 0, 0);
        self.env = outer;
        self.asm.close();
        instance
    }

    pub fn call(&mut self, instance: &Instance) {
        self.asm.emit_to(Op::Call, 0, 0, instance.back, instance.label);
        self.asm.calls(instance.chunk);
    }

    /// Does a unit with these arguments; gives where its result is.
    pub fn do_unit(&mut self, unit: UnitKey, args: &'p [Expr]) -> u16 {
        let (body, _) = self.unit_of(unit);
        let mut known = Vec::new();
        let mut tallies = Vec::new();
        let mut moves: Vec<(usize, u16, usize)> = Vec::new();
        for (param, arg) in body.params.iter().zip(args) {
            let local = &body.locals[param.index()];
            let mut value = None;
            match local.ty {
                LocalType::Tally { .. } => {
                    if let ExprKind::Local(l) = &arg.kind {
                        tallies.push(self.tally(*l));
                    }
                }
                LocalType::Value(Type::Set(_)) => {
                    let set = self.set(arg);
                    moves.push((param.index(), set.at, set.words));
                }
                LocalType::Value(Type::Bag(_)) => {
                    let bag = self.bag(arg);
                    moves.push((param.index(), bag.at, bag.words));
                }
                LocalType::Value(_) => match self.value(arg) {
                    Val::Known(n) => value = Some(n),
                    Val::At(at) => moves.push((param.index(), at, 1)),
                },
            }
            known.push(value);
        }
        // What an action does through a procedure is done on the action's terms.
        let instance = self.instance(unit, known, tallies, self.env.terms.clone());
        for (local, from, words) in moves {
            self.asm.emit(Op::Copy1.wide(words), instance.frame[local], from, 0);
        }
        self.call(&instance);
        instance.result
    }

    /// Does all rules that wait for what happened; `values` are their arguments.
    pub fn triggers(&mut self, is_it: impl Fn(&TriggerEvent) -> bool, values: &[Val]) {
        let program = self.program;
        for (i, trigger) in program.triggers.iter().enumerate() {
            if !is_it(&trigger.event) {
                continue;
            }
            let id = TriggerId(i as u32);
            let unit = UnitKey::Trigger(id.index());
            let known: Vec<Option<i64>> = trigger
                .unit
                .params
                .iter()
                .enumerate()
                .map(|(k, _)| match values.get(k) {
                    Some(Val::Known(n)) => Some(*n),
                    Some(Val::At(_)) | None => None,
                })
                .collect();
            let instance = self.instance(unit, known, Vec::new(), Terms::default());
            for (param, value) in trigger.unit.params.iter().zip(values) {
                if let Val::At(from) = value {
                    self.asm.emit(Op::Copy1, instance.frame[param.index()], *from, 0);
                }
            }
            self.call(&instance);
        }
    }

    /// The same, where it is this player who acts in them.
    fn triggers_by(&mut self, is_it: impl Fn(&TriggerEvent) -> bool, values: &[Val], by: &'p Expr) {
        if !self.program.triggers.iter().any(|t| is_it(&t.event)) {
            return;
        }
        let by = self.value(by);
        let by = self.steady(by);
        let outer = self.env.scope.me;
        let done = self.asm.label();
        let seats = match by {
            Val::Known(seat) => vec![(None, seat)],
            Val::At(at) => (0..self.players as i64).map(|seat| (Some(at), seat)).collect(),
        };
        for (at, seat) in seats {
            let next = self.asm.label();
            if let Some(at) = at {
                let number = self.number(seat);
                self.branch_to(Op::JumpUnequal, at, number, next);
            }
            self.env.scope.me = Some(Val::Known(seat));
            self.triggers(&is_it, values);
            self.asm.jump(done);
            self.asm.place(next);
        }
        self.asm.place(done);
        self.env.scope.me = outer;
    }

    /// The statements of a block; a choice that was declined leads behind the last.
    pub fn block(&mut self, block: &'p Block) {
        let end = self.asm.label();
        for stmt in block {
            if self.asm.is_full() {
                break;
            }
            let mark = self.asm.mark();
            self.stmt(stmt, end);
            self.asm.release(mark);
        }
        self.asm.place(end);
    }

    // The natural big match: one arm a kind of statement, each a few lines or a call.
    fn stmt(&mut self, stmt: &'p Stmt, block_end: super::assemble::Label) {
        self.asm.stands_for(stmt.span, &self.env.rule);
        match &stmt.kind {
            // Tested before the action began.
            StmtKind::Require { .. } => {}
            StmtKind::Suggest(suggest) => {
                if let Some(limit) = suggest.at_most {
                    self.count_limit(limit);
                }
            }
            StmtKind::Limit(limit) => {
                if !self.env.terms.beyond_limit {
                    self.count_limit(*limit);
                }
            }
            StmtKind::Ask(ask) => self.ask(ask, block_end, stmt.span),
            StmtKind::Transfer { amount, from, to, how, pay } => {
                self.transfer(amount, from, to, *how, *pay, stmt.span);
            }
            StmtKind::Steal { count, from, to } => self.steal(count, from, to, stmt.span),
            StmtKind::Draw { deck, among, to, bind } => self.draw(*deck, among.as_ref(), to, *bind, stmt.span),
            StmtKind::Do { procedure, args, bind } => {
                let unit = UnitKey::Procedure(procedure.index());
                let result = self.do_unit(unit, args);
                if let Some(local) = bind {
                    self.assign_from(*local, result, self.program.procedures[procedure.index()].result);
                }
            }
            StmtKind::Perform(perform) => self.perform(perform, block_end, stmt.span),
            StmtKind::Place { piece, owner, at } => self.place_piece(*piece, owner, at, stmt.span),
            StmtKind::Remove { piece, owner, at } => self.remove_piece(*piece, owner, at, stmt.span),
            StmtKind::Move { piece, owner, from, to } => {
                self.move_piece(*piece, owner, from.as_ref(), to, stmt.span);
            }
            StmtKind::ShuffleField { field, over } => {
                let over = self.set(over);
                let place = self.layout.fields[field.index()].clone();
                if let crate::engine::code::Shape::Rows { words, values, .. } = place.shape {
                    let stream = self.stream("shuffle");
                    self.code.shuffles.push(ShuffleText { address: place.address, words, values, stream });
                    let number = self.code.shuffles.len() as u16 - 1;
                    self.asm.emit(Op::Shuffle, number, over.at, 0);
                    self.asm.wrote(Region::Field(*field, None));
                }
            }
            StmtKind::ShuffleDeck(deck) => self.shuffle_deck(*deck),
            StmtKind::Lay { field, values, path, within } => self.lay(*field, values, path, within.as_ref()),
            StmtKind::Reveal { at } => self.reveal(at),
            StmtKind::DrawFace { tokens, from, at } => self.draw_face(*tokens, from, at, stmt.span),
            StmtKind::TellToken { tokens, what, who, at, face, seers, open } => {
                self.tell_token((*tokens, *what), who.as_ref(), [at, face, seers, open]);
            }
            StmtKind::Revealed { tokens, at } => self.token_revealed(*tokens, at),
            StmtKind::Roll { count, sides, bind } => self.roll(*count, *sides, *bind),
            StmtKind::Emit { event, args, by } => {
                let mut values = Vec::new();
                for arg in args {
                    let value = self.value(arg);
                    values.push(self.steady(value));
                }
                let name = self.program.events[event.index()].name.clone();
                let texts = values
                    .iter()
                    .zip(args)
                    .map(|(v, a)| (*v, a.ty))
                    .collect::<Vec<_>>()
                    .into_iter()
                    .map(|(v, ty)| (self.address(v), ty))
                    .collect();
                self.event(EventKind::Emitted(name), texts);
                let is_it = |t: &TriggerEvent| matches!(t, TriggerEvent::Emitted(e) if e == event);
                match by {
                    None => self.triggers(is_it, &values),
                    Some(by) => self.triggers_by(is_it, &values, by),
                }
            }
            StmtKind::Let { local, value } => self.assign(*local, value),
            StmtKind::Tally(local) => self.clear_tally(*local),
            StmtKind::Set { target, value } => self.set_target(target, value, stmt.span),
            StmtKind::Add { target, amount } => self.add_target(target, amount, stmt.span),
            StmtKind::For(f) => self.for_loop(f),
            StmtKind::Repeat { count, condition, body } => self.repeat(count, condition.as_ref(), body),
            StmtKind::If { cond, then, otherwise } => {
                if let Some(known) = self.known(cond) {
                    self.block(if known != 0 { then } else { otherwise });
                    return;
                }
                let (other, done) = (self.asm.label(), self.asm.label());
                self.branch(cond, false, other);
                self.block(then);
                if !otherwise.is_empty() {
                    self.asm.jump(done);
                }
                self.asm.place(other);
                self.block(otherwise);
                self.asm.place(done);
            }
            StmtKind::Case { subject, arms, otherwise, .. } => {
                if let Some(known) = self.known(subject) {
                    let arm = arms.iter().find(|(member, _)| i64::from(*member) == known);
                    self.block(arm.map_or(otherwise, |(_, body)| body));
                    return;
                }
                let subject = self.value_at(subject);
                let done = self.asm.label();
                for (member, body) in arms {
                    let next = self.asm.label();
                    let member = self.number(i64::from(*member));
                    self.branch_to(Op::JumpUnequal, subject, member, next);
                    self.block(body);
                    self.asm.jump(done);
                    self.asm.place(next);
                }
                self.block(otherwise);
                self.asm.place(done);
            }
            StmtKind::Return(value) => {
                if let (Some(value), Some(result)) = (value, self.env.exits.result) {
                    self.store_value(value, result);
                }
                if let Some(end) = self.env.exits.unit_end {
                    self.asm.jump(end);
                }
            }
            StmtKind::Stop => {
                if let Some(end) = self.env.exits.stop.or(self.env.exits.unit_end) {
                    self.asm.jump(end);
                }
            }
            StmtKind::EndTurn => self.end_turn(),
            StmtKind::Begin(who) => {
                let who = self.value(who);
                let who = self.address(who);
                self.asm.emit(Op::Copy1, fixed::ACTIVE, who, 0);
                self.asm.wrote(Region::Active);
            }
            StmtKind::EndGame { winner } => {
                let winner = match winner {
                    Some(w) => self.value_at(w),
                    None => self.number(-1),
                };
                self.finish_game(winner);
            }
            StmtKind::Part { body, .. } => self.block(body),
            StmtKind::Script { script, function, args } => {
                let to = self.asm.scratch(1);
                self.script_call(script.index(), function, args, to, Type::Nothing, stmt.span);
            }
        }
    }

    /// A value that outlives a choice: it is copied to a word of the state.
    pub fn steady(&mut self, value: Val) -> Val {
        match value {
            Val::Known(_) => value,
            Val::At(at) => {
                let to = self.lasting(1);
                self.asm.emit(Op::Copy1, to, at, 0);
                Val::At(to)
            }
        }
    }

    /// Computes a value of any type and stores it.
    fn store_value(&mut self, value: &'p Expr, to: u16) {
        match value.ty {
            Type::Set(_) => {
                let set = self.set(value);
                self.asm.emit(Op::Copy1.wide(set.words), to, set.at, 0);
            }
            Type::Bag(_) => {
                let bag = self.bag(value);
                self.asm.emit(Op::Copy1.wide(bag.words), to, bag.at, 0);
            }
            Type::Truth | Type::Number | Type::Member(_) | Type::Nothing | Type::Unknown => {
                let at = self.value_at(value);
                self.asm.emit(Op::Copy1, to, at, 0);
            }
        }
    }

    /// Where a local of the unit is kept.
    pub fn local_at(&mut self, local: LocalId) -> u16 {
        match self.env.scope.binds.get(local.index()) {
            Some(Bind::Val(Val::At(at)) | Bind::Wide(at) | Bind::Tally(at)) => *at,
            _ => {
                // A local whose value was known gets a word of its own when it is written.
                let at = self.memory.state(1);
                self.env.bind(local, Bind::Val(Val::At(at)));
                at
            }
        }
    }

    fn assign(&mut self, local: LocalId, value: &'p Expr) {
        let to = self.local_at(local);
        self.store_value(value, to);
    }

    pub fn assign_from(&mut self, local: LocalId, from: u16, ty: Type) {
        let to = self.local_at(local);
        let words = match ty {
            Type::Set(d) => set_words(self.size(d)),
            Type::Bag(d) => self.bag_width(d),
            Type::Truth | Type::Number | Type::Member(_) | Type::Nothing | Type::Unknown => 1,
        };
        self.asm.emit(Op::Copy1.wide(words), to, from, 0);
    }

    fn clear_tally(&mut self, local: LocalId) {
        let at = self.tally(local);
        let Some(unit) = self.env.units.last().copied() else { return };
        let (body, _) = self.unit_of(unit);
        let words = body.locals.get(local.index()).map_or(1, |l| self.local_words(l));
        self.fill(at, words, 0);
    }

    /// Sets words that lie side by side to one value.
    pub fn fill(&mut self, at: u16, words: usize, value: u64) {
        let eight = self.memory.constant(&[value; 8]);
        let mut done = 0;
        while done < words {
            let step = match words - done {
                8.. => 8,
                4.. => 4,
                2.. => 2,
                _ => 1,
            };
            self.asm.emit(Op::Copy1.wide(step), at + done as u16, eight, 0);
            done += step;
        }
    }

    /// Words of the state for the course of a loop or choice.
    pub fn lasting(&mut self, words: usize) -> u16 {
        self.memory.state(words)
    }

    fn for_loop(&mut self, f: &'p For) {
        let (Type::Set(domain) | Type::Member(domain)) = f.over.ty else { return };
        let outer = self.env.exits.clone();
        let done = self.asm.label();
        self.env.exits.stop = Some(done);
        let is_player = self.program.domains[domain.index()].kind == crate::program::DomainKind::Player;
        let over = self.set(&f.over);
        if is_player {
            let over = self.lasting_set(over);
            if f.at_once {
                self.at_once(f, over);
            } else {
                self.player_loop(f, &over, done);
            }
        } else {
            let rest = self.lasting(over.words);
            self.asm.emit(Op::Copy1.wide(over.words), rest, over.at, 0);
            let member = self.local_at(f.local);
            let again = self.asm.label();
            self.asm.place(again);
            if f.reversed {
                self.pop_last(member, rest, over.words, done);
            } else {
                self.branch_to(Op::Pop1.wide(over.words), member, rest, done);
            }
            self.block(&f.body);
            self.asm.jump(again);
        }
        self.asm.place(done);
        self.env.exits = outer;
    }

    /// Takes the greatest member out of a set.
    fn pop_last(&mut self, member: u16, rest: u16, words: usize, done: super::assemble::Label) {
        let (count, one) = (self.asm.scratch(1), self.number(1));
        self.branch_to(Op::JumpEmpty1.wide(words), rest, 0, done);
        self.asm.emit(Op::Count1.wide(words), count, rest, 0);
        self.asm.emit(Op::Subtract, count, count, one);
        self.asm.emit(Op::Nth1.wide(words), member, rest, count);
        self.asm.emit(Op::Delete1.wide(words), rest, member, 0);
    }

    /// A set of players that survives a choice.
    fn lasting_set(&mut self, set: SetAt) -> SetAt {
        if set.known.is_some() {
            return set;
        }
        let at = self.lasting(set.words);
        self.asm.emit(Op::Copy1.wide(set.words), at, set.at, 0);
        SetAt { at, ..set }
    }

    /// The seats in the order of the loop, beginning with one.
    fn seats(&self, f: &For, first: usize) -> Vec<usize> {
        let n = self.players.max(1);
        let mut order: Vec<usize> = (0..self.players).map(|k| (first + k) % n).collect();
        if f.reversed {
            order.reverse();
        }
        order
    }

    fn player_loop(&mut self, f: &'p For, over: &SetAt, done: super::assemble::Label) {
        let from = f.from.as_ref().map_or(Val::Known(0), |e| self.value(e));
        let from = self.steady(from);
        match from {
            Val::Known(first) => {
                let seats = self.seats(f, first.max(0) as usize);
                self.for_seats(f, over, &seats);
            }
            Val::At(at) => {
                for first in 0..self.players {
                    let next = self.asm.label();
                    let number = self.number(first as i64);
                    self.branch_to(Op::JumpUnequal, at, number, next);
                    let seats = self.seats(f, first);
                    self.for_seats(f, over, &seats);
                    self.asm.jump(done);
                    self.asm.place(next);
                }
            }
        }
    }

    fn for_seats(&mut self, f: &'p For, over: &SetAt, seats: &[usize]) {
        for seat in seats {
            let skip = self.asm.label();
            if self.skip_unless_in(over, *seat, skip) {
                continue;
            }
            self.env.bind(f.local, Bind::Val(Val::Known(*seat as i64)));
            self.block(&f.body);
            self.asm.place(skip);
        }
    }

    /// True if the seat is known not to be in the set; else jumps to `skip` when it is not.
    fn skip_unless_in(&mut self, over: &SetAt, seat: usize, skip: super::assemble::Label) -> bool {
        match &over.known {
            Some(known) => known.first().is_none_or(|w| w >> seat & 1 == 0),
            None => {
                let number = self.number(seat as i64);
                self.branch_to(Op::JumpOut1, over.at, number, skip);
                false
            }
        }
    }

    /// Puts the choices of the body to all, then does the rest of the body for each.
    fn at_once(&mut self, f: &'p For, over: SetAt) {
        let last_ask = f.body.iter().rposition(|s| matches!(s.kind, StmtKind::Ask(_)));
        let (asks, effects) = f.body.split_at(last_ask.map_or(0, |i| i + 1));
        // Who declined or had no choice takes no part in the effects.
        let taking_part = self.lasting(1);
        self.asm.emit(Op::Copy1, taking_part, over.at, 0);
        let part = SetAt { at: taking_part, words: 1, known: None };
        let mut scopes = Vec::new();
        let locals = self.assigned(asks);
        for seat in 0..self.players {
            let (skip, declined) = (self.asm.label(), self.asm.label());
            if self.skip_unless_in(&over, seat, skip) {
                scopes.push(self.env.scope.clone());
                continue;
            }
            self.env.bind(f.local, Bind::Val(Val::Known(seat as i64)));
            for (local, words, wide) in &locals {
                let at = self.lasting(*words);
                self.env.bind(*local, if *wide { Bind::Wide(at) } else { Bind::Val(Val::At(at)) });
            }
            self.env.secret = true;
            for stmt in asks {
                let mark = self.asm.mark();
                self.stmt(stmt, declined);
                self.asm.release(mark);
            }
            self.env.secret = false;
            self.asm.jump(skip);
            self.asm.place(declined);
            let number = self.number(seat as i64);
            self.asm.emit(Op::Delete1, taking_part, number, 0);
            self.asm.place(skip);
            scopes.push(self.env.scope.clone());
        }
        for (seat, scope) in scopes.into_iter().enumerate() {
            let skip = self.asm.label();
            if self.skip_unless_in(&over, seat, skip) || self.skip_unless_in(&part, seat, skip) {
                continue;
            }
            self.env.scope = scope;
            for stmt in effects {
                let mark = self.asm.mark();
                self.stmt(stmt, skip);
                self.asm.release(mark);
            }
            self.asm.place(skip);
        }
    }

    /// The locals that statements assign, with their width.
    fn assigned(&self, block: &'p [Stmt]) -> Vec<(LocalId, usize, bool)> {
        let Some(unit) = self.env.units.last().copied() else { return Vec::new() };
        let (body, _) = self.unit_of(unit);
        let mut out = Vec::new();
        let mut note = |local: LocalId| {
            if let Some(decl) = body.locals.get(local.index()) {
                let wide = matches!(decl.ty, LocalType::Value(Type::Set(_) | Type::Bag(_)));
                out.push((local, self.local_words(decl), wide));
            }
        };
        for stmt in block {
            match &stmt.kind {
                StmtKind::Ask(ask) => match &ask.choice {
                    crate::program::Choice::Member { local, .. }
                    | crate::program::Choice::Number { local, .. }
                    | crate::program::Choice::Bag { local, .. }
                    | crate::program::Choice::Kinds { local, .. } => note(*local),
                    crate::program::Choice::Members { local, each, .. } => {
                        note(*local);
                        note(*each);
                    }
                    crate::program::Choice::Branches(_) => {}
                },
                StmtKind::Let { local, .. } => note(*local),
                StmtKind::Perform(perform) => perform.bind.into_iter().for_each(&mut note),
                StmtKind::Do { bind, .. } | StmtKind::Draw { bind, .. } | StmtKind::Roll { bind, .. } => {
                    if let Some(local) = bind {
                        note(*local);
                    }
                }
                _ => {}
            }
        }
        out
    }

    fn repeat(&mut self, count: &'p Expr, condition: Option<&'p Expr>, body: &'p Block) {
        let outer = self.env.exits.clone();
        let (again, done) = (self.asm.label(), self.asm.label());
        self.env.exits.stop = Some(done);
        let count = self.value_at(count);
        let left = self.lasting(1);
        let (zero, one) = (self.number(0), self.number(1));
        self.asm.emit(Op::Copy1, left, count, 0);
        self.asm.place(again);
        self.branch_to(Op::JumpAtMost, left, zero, done);
        if let Some(condition) = condition {
            self.branch(condition, false, done);
        }
        self.asm.emit(Op::Subtract, left, left, one);
        self.block(body);
        self.asm.jump(again);
        self.asm.place(done);
        self.env.exits = outer;
    }

    fn roll(&mut self, count: i64, sides: i64, bind: Option<LocalId>) {
        let sum = match bind {
            Some(local) => self.local_at(local),
            None => self.asm.scratch(1),
        };
        let stream = self.stream("dice");
        self.code.faces = self.code.faces.max(sides);
        let (one, sides, zero) = (self.number(1), self.number(sides), self.number(0));
        self.asm.emit(Op::Copy1, sum, zero, 0);
        let mut values = vec![(sum, Type::Number)];
        for _ in 0..count {
            let die = self.asm.scratch(1);
            self.asm.emit(Op::Random, die, sides, stream);
            self.asm.emit(Op::Add, die, die, one);
            self.asm.emit(Op::Add, sum, sum, die);
            values.push((die, Type::Number));
        }
        self.event(EventKind::Roll, values);
    }

    /// Ends the game with this winner, if it is a seat.
    pub fn finish_game(&mut self, winner: u16) {
        let winner = if self.program.at_end.body.is_empty() { winner } else { self.do_at_end(winner) };
        self.event(EventKind::Over, vec![(winner, self.player_type())]);
        self.asm.emit(Op::Finish, winner, 0, 0);
    }

    /// What is done at the end, before anything is told of it; gives where the winner is then kept.
    fn do_at_end(&mut self, winner: u16) -> u16 {
        self.asm.emit(Op::Copy1, fixed::WINNER, winner, 0);
        let outer = self.env.clone();
        self.env.scope.me = None;
        // One test of the end may serve all seats, so whose turn it is is read when it is over.
        self.env.active = None;
        (self.env.secret, self.env.countering) = (false, false);
        // Whatever finds that the game is over does not depend on what is done then.
        let readers = std::mem::take(&mut self.readers);
        for award in 0..self.program.awards.len() {
            let name = format!("award {}", self.program.awards[award].name);
            let number = self.keep(KeptKey::Award(award), name, 0, true, |l| {
                l.give_award(award);
                Some(0)
            });
            if let Some(number) = number {
                self.ensure(number);
            }
        }
        let instance = self.instance(UnitKey::AtEnd, Vec::new(), Vec::new(), Terms::default());
        self.call(&instance);
        self.readers = readers;
        self.env = outer;
        fixed::WINNER
    }

    pub fn player_type(&self) -> Type {
        self.program.known.player.map_or(Type::Number, Type::Member)
    }

    /// Adds one to a limit's counter of the acting player.
    fn count_limit(&mut self, limit: crate::program::LimitId) {
        let at = self.layout.limits[limit.index()];
        let one = self.number(1);
        match self.env.scope.me.unwrap_or(Val::At(fixed::ACTIVE)) {
            Val::Known(seat) => {
                let at = at + seat.max(0) as u16;
                self.asm.emit(Op::Add, at, at, one);
            }
            Val::At(seat) => {
                let value = self.asm.scratch(1);
                self.asm.emit(Op::Load1, value, at, seat);
                self.asm.emit(Op::Add, value, value, one);
                self.asm.emit(Op::Store1, at, seat, value);
            }
        }
        self.asm.wrote(Region::Limit(limit.index()));
    }

    /// Shares a scope with rules that are compiled later.
    pub fn shared_scope(&self) -> Rc<Scope<'p>> {
        Rc::new(self.env.scope.clone())
    }
}
