//! One game: a memory, and what may be done with it. A move that is refused or runs into a fault changes nothing.

use std::sync::Arc;

use super::bags;
use super::code::{Code, Entry, EntryLabel, ParamPlace, TextPart, fixed};
use super::machine::{Machine, Row, RowKind, Stop, nth_bit};
use super::random::Generator;
use crate::program::{DomainKind, Type};
use crate::source::Span;

/// Words of the widest bag.
pub const BAG_WORDS: usize = 8;

/// A parameter's value: a number, a truth or a member (by index, -1 for none), or a bag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Scalar(i64),
    Bag([u64; BAG_WORDS]),
}

/// One move at the open decision: an entry of its site, and the values of all its parameters in the entry's order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    pub entry: u16,
    pub values: Vec<Value>,
}

/// The open decision: a site of the code and the seat that chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    pub site: u16,
    pub seat: usize,
}

/// A rule could not be carried out, or chance or a script failed. The game is as it was before the move.
#[derive(Clone, Debug)]
pub struct Fault {
    pub code: u16,
    pub message: String,
    pub span: Option<Span>,
}

/// A copy of a game's state.
#[derive(Clone, PartialEq, Eq)]
pub struct Snapshot {
    words: Vec<u64>,
    forced: super::machine::Forced,
    forcing: bool,
}

pub struct Game {
    pub code: Arc<Code>,
    pub machine: Machine,
    undo: Vec<u64>,
    menu_ready: bool,
    /// What stopped the listing of the moves.
    menu_fault: Option<Fault>,
}

impl Game {
    /// A game at its first decision.
    pub fn start(code: &Arc<Code>, seed: u64) -> Result<Game, Fault> {
        let mut game = Game::new(code);
        game.restart(seed)?;
        Ok(game)
    }

    /// A game that has not begun: `restart` begins it. Results of chance that are forced now wait for the set-up.
    pub fn new(code: &Arc<Code>) -> Game {
        Game {
            code: code.clone(),
            machine: Machine::new(code),
            undo: Vec::with_capacity(code.state),
            menu_ready: false,
            menu_fault: None,
        }
    }

    /// The same memory set back to the start of another game.
    pub fn restart(&mut self, seed: u64) -> Result<(), Fault> {
        self.restart_with(seed, |_| {})
    }

    /// The same with some of the state changed before the set-up is done.
    pub fn restart_with(&mut self, seed: u64, prepare: impl FnOnce(&mut Game)) -> Result<(), Fault> {
        let state = self.code.state;
        self.machine.memory[..state].copy_from_slice(&self.code.image[..state]);
        self.machine.memory[fixed::SEED as usize] = seed;
        prepare(self);
        self.forget_kept();
        self.machine.events.clear();
        self.menu_ready = false;
        self.resume(self.code.start)
    }

    /// The choice that waits for an answer; None when the game is over.
    pub fn decision(&self) -> Option<Decision> {
        if self.over() {
            return None;
        }
        let site = self.word(fixed::SITE) as u16;
        let place = self.code.sites.get(site as usize)?;
        Some(Decision { site, seat: self.word(place.seat) as usize })
    }

    pub fn over(&self) -> bool {
        self.word(fixed::OVER) != 0
    }

    /// The winner's seat, once the game is over and someone has won.
    pub fn winner(&self) -> Option<usize> {
        let seat = self.word(fixed::WINNER) as i64;
        (self.over() && seat >= 0).then_some(seat as usize)
    }

    pub fn active(&self) -> usize {
        self.word(fixed::ACTIVE) as usize
    }

    /// Turns begun so far; 0 in the set-up.
    pub fn turn(&self) -> u64 {
        self.word(fixed::TURN)
    }

    pub fn word(&self, address: u16) -> u64 {
        self.machine.memory[address as usize]
    }

    /// Makes the menu of the open decision. Rows are grouped by entry, in the order of the rules. It is empty where the
    /// listing ran into a fault, which [`Game::menu_fault`] gives and every move then meets.
    pub fn menu(&mut self) -> &[Row] {
        if !self.menu_ready {
            self.machine.clear_rows();
            if let Some(decision) = self.decision() {
                let menu = self.code.sites[decision.site as usize].menu;
                let code = self.code.clone();
                self.menu_fault = match self.machine.run(&code, menu) {
                    Stop::MenuEnd => None,
                    stop @ (Stop::Decide(_)
                    | Stop::Finished
                    | Stop::Fault(_)
                    | Stop::Budget
                    | Stop::Overflow
                    | Stop::Script) => {
                        self.machine.clear_rows();
                        Some(fault(&code, &mut self.machine, stop))
                    }
                };
            } else {
                self.menu_fault = None;
            }
            self.menu_ready = true;
        }
        self.machine.rows()
    }

    /// Lists the moves anew.
    pub fn list_again(&mut self) {
        self.menu_ready = false;
        self.menu();
    }

    /// What stopped the listing of the moves at the open decision, if something did.
    pub fn menu_fault(&mut self) -> Option<Fault> {
        self.menu();
        self.menu_fault.clone()
    }

    /// How many moves the menu lists.
    pub fn count_moves(&mut self) -> u64 {
        self.menu();
        self.machine.total + self.machine.undrawn
    }

    /// The moves that the menu lists, at most `limit`, and whether there are more that are legal.
    pub fn moves(&mut self, limit: usize) -> (Vec<Move>, bool) {
        self.menu();
        let mut out = Vec::new();
        let mut more = self.machine.more;
        for row in self.machine.rows() {
            let complete = self.code.entries.get(row.entry as usize).is_none_or(|e| e.complete);
            more |= !complete;
            let values = prefix_values(&self.code, row);
            let mut push = |last: Option<Value>| {
                if out.len() < limit {
                    let mut values = values.clone();
                    values.extend(last);
                    out.push(Move { entry: row.entry, values });
                } else {
                    more = true;
                }
            };
            match row.kind {
                RowKind::Unit => push(None),
                RowKind::Set(words) => {
                    let count: u32 = row.set.iter().take(usize::from(words)).map(|w| w.count_ones()).sum();
                    for n in 0..u64::from(count) {
                        push(nth_bit(&row.set, n).map(|i| Value::Scalar(i as i64)));
                    }
                }
                RowKind::Bag(words, size) => {
                    let listed = list_bags(&row.set[..words as usize], size, super::machine::MAX_BAGS as usize + 1);
                    for (k, bag) in listed.iter().enumerate() {
                        if k < super::machine::MAX_BAGS as usize {
                            push(Some(Value::Bag(*bag)));
                        }
                    }
                    more |= listed.len() > super::machine::MAX_BAGS as usize;
                }
            }
        }
        (out, more)
    }

    /// Is this move legal at the open decision?
    pub fn is_legal(&mut self, chosen: &Move) -> bool {
        let Some(decision) = self.decision() else { return false };
        if !self.code.sites[decision.site as usize].entries.contains(&chosen.entry) {
            return false;
        }
        let code = self.code.clone();
        let Some(entry) = code.entries.get(chosen.entry as usize) else { return false };
        if entry.seat.is_some_and(|seat| seat != decision.seat) || self.menu_fault().is_some() {
            return false;
        }
        if !fits(&code, entry, chosen) {
            return false;
        }
        if !entry.complete && !self.offers(&code, entry, chosen) {
            return false;
        }
        if entry.why.is_some() && (!entry.complete || self.machine.more) {
            return self.why(chosen).is_empty();
        }
        self.listed(chosen)
    }

    /// Is an entry of which not all moves are listed open now, with these values of what the rule has fixed?
    fn offers(&self, code: &Code, entry: &Entry, chosen: &Move) -> bool {
        let fixed = entry.params.iter().zip(&chosen.values).filter(|(param, _)| param.fixed);
        let mut words: Vec<u64> = Vec::new();
        for (param, value) in fixed {
            match value {
                Value::Scalar(n) => words.push(*n as u64),
                Value::Bag(bag) => words.extend(bag.iter().take(code.words(param.ty))),
            }
        }
        self.machine.offered.iter().any(|(number, values)| *number == chosen.entry && *values == words)
    }

    /// Is this move one of those that the menu lists?
    pub fn listed(&mut self, chosen: &Move) -> bool {
        self.menu();
        let code = self.code.clone();
        self.machine.rows().iter().any(|row| {
            if row.entry != chosen.entry {
                return false;
            }
            let fixed = prefix_values(&code, row);
            if chosen.values.get(..fixed.len()) != Some(&fixed[..]) {
                return false;
            }
            match (row.kind, chosen.values.get(fixed.len())) {
                (RowKind::Unit, None) => true,
                (RowKind::Set(_), Some(Value::Scalar(i))) => {
                    *i >= 0 && row.set.get(*i as usize / 64).is_some_and(|w| w >> (i % 64) & 1 == 1)
                }
                (RowKind::Bag(words, size), Some(Value::Bag(bag))) => {
                    let total: u64 = bag.iter().map(|w| bags::size(*w)).sum();
                    total == size
                        && (0..BAG_WORDS).all(|k| {
                            let held = if k < words as usize { row.set[k] } else { 0 };
                            bags::has(held, bag[k])
                        })
                }
                (RowKind::Unit | RowKind::Set(_) | RowKind::Bag(..), _) => false,
            }
        })
    }

    /// The reasons why the requirements of a move's entry are not met, in the author's order; empty if all are. A fault
    /// that asking runs into is the last reason.
    pub fn why(&mut self, chosen: &Move) -> Vec<String> {
        let code = self.code.clone();
        let Some(entry) = code.entries.get(chosen.entry as usize) else { return Vec::new() };
        let Some(why) = entry.why else { return Vec::new() };
        let saved = self.save_state();
        self.put_values(&code, chosen);
        self.machine.whys.clear();
        let stop = self.machine.run(&code, why);
        let whys = std::mem::take(&mut self.machine.whys);
        self.load_state(&saved);
        let mut reasons = self.read_reasons(&whys);
        if stop != Stop::MenuEnd {
            reasons.push(fault(&code, &mut self.machine, stop).message);
        }
        reasons
    }

    /// The reasons of all invariants that do not hold; a fault in testing them is one.
    pub fn broken_invariants(&mut self) -> Vec<String> {
        let code = self.code.clone();
        self.machine.whys.clear();
        let stop = self.machine.run(&code, code.invariants);
        let whys = std::mem::take(&mut self.machine.whys);
        let mut reasons = self.read_reasons(&whys);
        self.machine.whys = whys;
        self.machine.whys.clear();
        if stop != Stop::MenuEnd {
            reasons.push(fault(&code, &mut self.machine, stop).message);
        }
        reasons
    }

    /// The reasons of the invariants that do not hold, and where the first of them stands; none if all hold. A fault that
    /// testing them runs into is that fault.
    pub fn test_invariants(&mut self) -> Result<Option<(Vec<String>, Span)>, Fault> {
        if self.invariants_hold() {
            return Ok(None);
        }
        let code = self.code.clone();
        self.machine.whys.clear();
        let stop = self.machine.run(&code, code.invariants);
        let whys = std::mem::take(&mut self.machine.whys);
        let broken = whys.first().and_then(|number| code.reasons.get(*number as usize));
        match (stop, broken) {
            (_, Some(first)) => Ok(Some((self.read_reasons(&whys), first.span))),
            (Stop::MenuEnd, None) => Ok(None),
            (stop, None) => Err(fault(&code, &mut self.machine, stop)),
        }
    }

    /// Do all invariants hold? As [`Game::broken_invariants`], without making texts.
    pub fn invariants_hold(&mut self) -> bool {
        self.machine.whys.clear();
        let stop = self.machine.run(&self.code, self.code.invariants);
        stop == Stop::MenuEnd && self.machine.whys.is_empty()
    }

    fn read_reasons(&self, whys: &[u64]) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let mut at = 0;
        while let Some(number) = whys.get(at) {
            at += 1;
            let Some(reason) = self.code.reasons.get(*number as usize) else { break };
            let widths = &self.code.reason_words[*number as usize];
            let mut values = widths.iter();
            let mut text = String::new();
            for part in &reason.parts {
                match part {
                    TextPart::Text(t) => text.push_str(t),
                    TextPart::Value(_, ty) => {
                        let words = values.next().map_or(1, |(_, w)| *w as usize);
                        text.push_str(&self.value_text(*ty, whys.get(at..at + words).unwrap_or(&[])));
                        at += words;
                    }
                }
            }
            if !out.contains(&text) {
                out.push(text);
            }
        }
        out
    }

    /// A value as people write it.
    pub fn value_text(&self, ty: Type, words: &[u64]) -> String {
        let first = words.first().copied().unwrap_or(0) as i64;
        match ty {
            Type::Truth => if first != 0 { "yes" } else { "no" }.into(),
            Type::Number => first.to_string(),
            Type::Member(domain) => self.member_name(domain, first),
            Type::Set(domain) => {
                let names: Vec<String> = (0..words.len() * 64)
                    .filter(|i| words[i / 64] >> (i % 64) & 1 == 1)
                    .map(|i| self.member_name(domain, i as i64))
                    .collect();
                if names.is_empty() { "none".into() } else { names.join(", ") }
            }
            Type::Bag(domain) => {
                let parts: Vec<String> = (0..words.len() * 8)
                    .map(|k| (k, bags::lane(words, k)))
                    .filter(|(_, n)| *n > 0)
                    .map(|(k, n)| format!("{n} {}", self.member_name(domain, k as i64)))
                    .collect();
                if parts.is_empty() { "nothing".into() } else { parts.join(" + ") }
            }
            Type::Nothing => "none".into(),
            Type::Unknown => String::new(),
        }
    }

    /// The name of a member: a place's id, or the word of the rules.
    pub fn member_name(&self, domain: crate::program::DomainId, index: i64) -> String {
        if index < 0 {
            return "none".into();
        }
        let program = &self.code.program;
        let Some(decl) = program.domains.get(domain.index()) else { return index.to_string() };
        if let DomainKind::Slots { .. } = decl.kind {
            let place = self.place_name(domain, index);
            return program.token_name(domain, index as usize, &place).unwrap_or(place);
        }
        if decl.kind == DomainKind::Places {
            if let Some(variant) = self.code.board.and_then(|b| program.boards.get(b))
                && let Some(kind) = variant.kinds.iter().position(|d| *d == domain)
                && let Some(place) = variant.board.kinds.get(kind).and_then(|k| k.places.get(index as usize))
            {
                return place.id.clone();
            }
            return index.to_string();
        }
        decl.members.get(index as usize).map_or_else(|| index.to_string(), |m| m.name.clone())
    }

    /// The place of what stands in a slot; of any other domain the member's name.
    pub fn place_name(&self, domain: crate::program::DomainId, index: i64) -> String {
        match self.code.program.domains.get(domain.index()).map(|d| d.kind) {
            Some(DomainKind::Slots { of, count }) if index >= 0 => {
                self.member_name(of, index / i64::from(count.max(1)))
            }
            _ => self.member_name(domain, index),
        }
    }

    /// Does a legal move. A refused or faulty one changes nothing.
    pub fn apply(&mut self, chosen: &Move) -> Result<(), Fault> {
        if let Some(fault) = self.menu_fault() {
            return Err(fault);
        }
        if !self.is_legal(chosen) {
            let because = self.why(chosen).join("; ");
            let message = if because.is_empty() { "this cannot be done now".into() } else { because };
            return Err(Fault { code: 601, message, span: None });
        }
        let code = self.code.clone();
        let saved = self.snapshot();
        self.put_values(&code, chosen);
        let resume = code.entries[chosen.entry as usize].resume;
        self.machine.events.clear();
        self.resume(resume).inspect_err(|_| self.restore(&saved))
    }

    /// Does a random one of the listed moves, each equally likely; a choice of a bag is drawn piece by piece.
    /// Nothing is rolled back on a fault. Gives the move's fingerprint.
    pub fn random_move(&mut self, chance: &mut Generator) -> Result<u64, Fault> {
        let Game { code, machine, menu_ready, menu_fault, .. } = self;
        let code: &Code = code;
        let site = machine.memory[fixed::SITE as usize] as usize;
        let Some(place) = code.sites.get(site) else { return Err(stuck()) };
        if *menu_ready && let Some(fault) = menu_fault.take() {
            *menu_ready = false;
            return Err(fault);
        }
        if !*menu_ready {
            machine.clear_rows();
            match machine.run(code, place.menu) {
                Stop::MenuEnd => {}
                stop @ (Stop::Decide(_)
                | Stop::Finished
                | Stop::Fault(_)
                | Stop::Budget
                | Stop::Overflow
                | Stop::Script) => {
                    return Err(fault(code, machine, stop));
                }
            }
        }
        let mut n = match machine.total {
            0 => return Err(stuck()),
            1 => 0,
            total => chance.below(total),
        };
        let mut at = 0;
        for (k, row) in machine.rows().iter().enumerate() {
            if n < row.count {
                at = k;
                break;
            }
            n -= row.count;
        }
        let (memory, rows) = machine.memory_and_rows();
        let Some(row) = rows.get(at) else { return Err(stuck()) };
        let entry = &code.entries[row.entry as usize];
        let mut print = Fingerprint(u64::from(row.entry));
        for (address, value) in entry.prefix.iter().zip(&row.prefix) {
            memory[*address as usize] = *value;
            print.add(*value);
        }
        if let Some(last) = entry.params.last() {
            match row.kind {
                RowKind::Unit => {}
                RowKind::Set(words) => {
                    let value = nth_bit(&row.set[..words as usize], n).unwrap_or(0) as u64;
                    memory[last.address as usize] = value;
                    print.add(value);
                }
                RowKind::Bag(words, size) => {
                    let bag = draw_bag(&row.set[..words as usize], size, chance);
                    for (k, word) in bag.iter().enumerate().take(words as usize) {
                        memory[last.address as usize + k] = *word;
                        print.add(*word);
                    }
                }
            }
        }
        machine.events.clear();
        *menu_ready = false;
        match machine.run(code, entry.resume) {
            Stop::Decide(_) | Stop::Finished => Ok(print.0),
            stop @ (Stop::MenuEnd | Stop::Fault(_) | Stop::Budget | Stop::Overflow | Stop::Script) => {
                Err(fault(code, machine, stop))
            }
        }
    }

    /// A move drawn as [`Game::random_move`] draws it, without doing it.
    pub fn random_choice(&mut self, chance: &mut Generator) -> Option<Move> {
        self.menu();
        if self.machine.total == 0 {
            return None;
        }
        let mut n = chance.below(self.machine.total);
        let rows = self.machine.rows();
        let row = rows.iter().find(|row| {
            let here = n < row.count;
            if !here {
                n -= row.count;
            }
            here
        })?;
        let mut values = prefix_values(&self.code, row);
        match row.kind {
            RowKind::Unit => {}
            RowKind::Set(_) => values.push(Value::Scalar(nth_bit(&row.set, n)? as i64)),
            RowKind::Bag(words, size) => {
                values.push(Value::Bag(draw_bag(&row.set[..words as usize], size, chance)));
            }
        }
        Some(Move { entry: row.entry, values })
    }

    fn put_values(&mut self, code: &Code, chosen: &Move) {
        let entry = &code.entries[chosen.entry as usize];
        for (param, value) in entry.params.iter().zip(&chosen.values) {
            let at = param.address as usize;
            match value {
                Value::Scalar(n) => self.machine.memory[at] = *n as u64,
                Value::Bag(bag) => {
                    let words = code.words(param.ty).min(BAG_WORDS);
                    self.machine.memory[at..at + words].copy_from_slice(&bag[..words]);
                }
            }
        }
    }

    fn resume(&mut self, at: u32) -> Result<(), Fault> {
        self.menu_ready = false;
        let code = self.code.clone();
        match self.machine.run(&code, at) {
            Stop::Decide(_) | Stop::Finished => Ok(()),
            stop @ (Stop::MenuEnd | Stop::Fault(_) | Stop::Budget | Stop::Overflow | Stop::Script) => {
                Err(fault(&code, &mut self.machine, stop))
            }
        }
    }

    /// Runs a piece of code that ends in `EndMenu`, such as settling.
    pub fn run_aside(&mut self, at: u32) -> Result<(), Fault> {
        let code = self.code.clone();
        self.run_code_aside(&code, at)
    }

    /// The same for code of its own over this game's memory.
    pub fn run_code_aside(&mut self, code: &Code, at: u32) -> Result<(), Fault> {
        match self.machine.run(code, at) {
            Stop::MenuEnd | Stop::Finished | Stop::Decide(_) => Ok(()),
            stop @ (Stop::Fault(_) | Stop::Budget | Stop::Overflow | Stop::Script) => {
                Err(fault(code, &mut self.machine, stop))
            }
        }
    }

    /// Ends whatever rule is under way and begins a seat's turn.
    pub fn begin_turn(&mut self, seat: usize) -> Result<(), Fault> {
        match self.code.turns.get(seat).copied() {
            Some(at) => self.resume(at),
            None => Ok(()),
        }
    }

    /// Ends whatever rule is under way and begins a phase of the active seat's turn. False if it has no beginning.
    pub fn begin_phase(&mut self, phase: usize) -> Result<bool, Fault> {
        match self.code.phases.get(self.active()).and_then(|phases| phases.get(phase)).copied() {
            Some(at) => self.resume(at).map(|()| true),
            None => Ok(false),
        }
    }

    /// Computes every kept value that counts as valid anew and gives the names of those that came out otherwise: there
    /// must be none, or a write forgot what depends on it.
    pub fn stale_values(&mut self) -> Vec<String> {
        let code = self.code.clone();
        let valid: Vec<(u16, u64)> = code.valid.iter().map(|a| (*a, self.word(*a))).collect();
        let is_valid = |kept: &super::code::Kept| {
            kept.words > 0 && valid.iter().any(|(a, w)| *a == kept.valid && w >> kept.bit & 1 == 1)
        };
        let words = |game: &Game, kept: &super::code::Kept| {
            let at = kept.address as usize;
            game.machine.memory[at..at + kept.words as usize].to_vec()
        };
        let kept: Vec<(&super::code::Kept, Vec<u64>)> =
            code.kept.iter().filter(|k| is_valid(k)).map(|k| (k, words(self, k))).collect();
        self.forget_kept();
        let mut stale = Vec::new();
        for (kept, before) in kept {
            self.machine.memory[kept.back as usize] = u64::from(code.halt);
            self.machine.run(&code, kept.entry);
            if words(self, kept) != before {
                stale.push(kept.name.clone());
            }
        }
        stale
    }

    /// To be called after words of the state were written from outside.
    pub fn forget_kept(&mut self) {
        for address in &self.code.valid {
            self.machine.memory[*address as usize] = 0;
        }
        self.menu_ready = false;
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            words: self.machine.memory[..self.code.state].to_vec(),
            forced: self.machine.forced.clone(),
            forcing: self.machine.forcing,
        }
    }

    pub fn restore(&mut self, saved: &Snapshot) {
        self.machine.memory[..self.code.state].copy_from_slice(&saved.words);
        self.machine.forced.clone_from(&saved.forced);
        self.machine.forcing = saved.forcing;
        self.forget_kept();
    }

    fn save_state(&mut self) -> Vec<u64> {
        let mut saved = std::mem::take(&mut self.undo);
        saved.clear();
        saved.extend_from_slice(&self.machine.memory[..self.code.state]);
        saved
    }

    fn load_state(&mut self, saved: &Vec<u64>) {
        self.machine.memory[..self.code.state].copy_from_slice(saved);
        self.undo.clone_from(saved);
        self.forget_kept();
    }

    /// Is the label of an entry this action?
    pub fn entry_action(&self, entry: u16) -> Option<crate::program::ActionId> {
        match self.code.entries.get(entry as usize)?.label {
            EntryLabel::Action(action) => Some(action),
            EntryLabel::Answer | EntryLabel::Words(_) => None,
        }
    }
}

/// Is there a value of the right kind for each parameter?
fn fits(code: &Code, entry: &Entry, chosen: &Move) -> bool {
    let one = |(param, value): (&ParamPlace, &Value)| match (param.ty, value) {
        (Type::Bag(domain), Value::Bag(bag)) => {
            let kinds = code.layout.sizes.get(domain.index()).copied().unwrap_or(0);
            let over = |k: usize| bags::lane(bag, k) > if k < kinds { bags::LANE_MAX } else { 0 };
            !(0..BAG_WORDS * 8).any(over)
        }
        (Type::Member(domain), Value::Scalar(n)) => {
            let size = code.layout.sizes.get(domain.index()).copied().unwrap_or(0);
            usize::try_from(*n).is_ok_and(|n| n < size)
        }
        (Type::Bag(_), Value::Scalar(_)) | (_, Value::Bag(_)) => false,
        (Type::Truth | Type::Number | Type::Set(_) | Type::Nothing | Type::Unknown, Value::Scalar(_)) => true,
    };
    entry.params.len() == chosen.values.len() && entry.params.iter().zip(&chosen.values).all(one)
}

/// A hash of one move, made up value by value.
struct Fingerprint(u64);

impl Fingerprint {
    fn add(&mut self, value: u64) {
        self.0 = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(value);
    }
}

fn stuck() -> Fault {
    Fault { code: 602, message: "nobody can move: no choice is left at this point of the rules".into(), span: None }
}

fn in_rule(message: &str, rule: &str) -> String {
    if rule.is_empty() { message.into() } else { format!("{message} (in {rule})") }
}

/// A fault with the rule and the line for which the machine was at work when it stopped.
fn at_line(code: &Code, machine: &Machine, fault: Fault) -> Fault {
    match code.line_of(machine.stopped_at) {
        Some((span, rule)) => Fault { message: in_rule(&fault.message, rule), span: Some(span), ..fault },
        None => fault,
    }
}

fn fault(code: &Code, machine: &mut Machine, stop: Stop) -> Fault {
    match stop {
        Stop::Fault(number) => match code.faults.get(number as usize) {
            Some(text) => Fault { code: text.code, message: in_rule(&text.message, &text.rule), span: Some(text.span) },
            None => Fault { code: 699, message: "an unknown fault; please report it".into(), span: None },
        },
        Stop::Budget => {
            let message = "a move took too many steps and was stopped".into();
            at_line(code, machine, Fault { code: 706, message, span: None })
        }
        Stop::Overflow => {
            let message = "a number became too large to be computed with".into();
            at_line(code, machine, Fault { code: 617, message, span: None })
        }
        Stop::Script => match machine.script_fault.take() {
            Some(f) => Fault { code: f.code, message: f.message, span: Some(f.span) },
            None => Fault { code: 699, message: "a script failed without a word; please report it".into(), span: None },
        },
        Stop::Decide(_) | Stop::MenuEnd | Stop::Finished => {
            Fault { code: 699, message: "the rules stopped where they should not; please report it".into(), span: None }
        }
    }
}

/// The values of a row's parameters but the last.
fn prefix_values(code: &Code, row: &Row) -> Vec<Value> {
    let entry = &code.entries[row.entry as usize];
    let count = match row.kind {
        RowKind::Unit => entry.params.len(),
        RowKind::Set(_) | RowKind::Bag(..) => entry.params.len().saturating_sub(1),
    };
    let mut at = 0;
    let mut out = Vec::with_capacity(count + 1);
    for param in &entry.params[..count] {
        let words = code.words(param.ty);
        if matches!(param.ty, Type::Bag(_)) {
            let mut bag = [0; BAG_WORDS];
            for (k, to) in bag.iter_mut().take(words).enumerate() {
                *to = row.prefix.get(at + k).copied().unwrap_or(0);
            }
            out.push(Value::Bag(bag));
        } else {
            out.push(Value::Scalar(row.prefix.get(at).copied().unwrap_or(0) as i64));
        }
        at += words;
    }
    out
}

/// A bag of a size drawn thing by thing out of another.
fn draw_bag(from: &[u64], size: u64, chance: &mut Generator) -> [u64; BAG_WORDS] {
    let mut rest = [0; BAG_WORDS];
    rest[..from.len().min(BAG_WORDS)].copy_from_slice(&from[..from.len().min(BAG_WORDS)]);
    let mut left: u64 = rest.iter().map(|w| bags::size(*w)).sum();
    let mut out = [0; BAG_WORDS];
    for _ in 0..size.min(left) {
        let mut n = chance.below(left);
        for kind in 0..BAG_WORDS * 8 {
            let here = bags::lane(&rest, kind) as u64;
            if n < here {
                rest[kind / 8] -= 1 << (kind % 8 * 8);
                out[kind / 8] += 1 << (kind % 8 * 8);
                break;
            }
            n -= here;
        }
        left -= 1;
    }
    out
}

/// The different bags of a size out of another, at most `limit`, those with much of the first kinds first.
pub fn list_bags(from: &[u64], size: u64, limit: usize) -> Vec<[u64; BAG_WORDS]> {
    fn walk(
        from: &[u64],
        kind: usize,
        left: u64,
        bag: &mut [u64; BAG_WORDS],
        out: &mut Vec<[u64; BAG_WORDS]>,
        limit: usize,
    ) {
        if out.len() >= limit {
            return;
        }
        if left == 0 {
            out.push(*bag);
            return;
        }
        let rest: u64 = (kind..from.len() * 8).map(|k| bags::lane(from, k) as u64).sum();
        if rest < left {
            return;
        }
        let most = (bags::lane(from, kind) as u64).min(left);
        for n in (0..=most).rev() {
            bag[kind / 8] += n << (kind % 8 * 8);
            walk(from, kind + 1, left - n, bag, out, limit);
            bag[kind / 8] -= n << (kind % 8 * 8);
        }
    }
    let mut out = Vec::new();
    let from = &from[..from.len().min(BAG_WORDS)];
    walk(from, 0, size, &mut [0; BAG_WORDS], &mut out, limit);
    out
}
