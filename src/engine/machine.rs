//! Executes instructions over the one memory. The handlers are generic over the number of words, so every width
//! is a constant to the compiler; a 16-bit address plus the widest operand stays within the array, so safe code
//! needs no bounds checks here.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use super::bags;
use super::code::{Code, MEMORY_WORDS, fixed};
use super::instr::{Instr, Op};
use super::lines;
use super::random;
use super::trail;
use crate::script::Host;

pub type Memory = [u64; MEMORY_WORDS];

/// The most rows that a menu holds; what is beyond is legal but not listed.
pub const MAX_ROWS: usize = 4096;
/// The most words of parameters that a row fixes before its set.
pub const ROW_PREFIX: usize = 12;
/// Kinds that the widest bag holds.
const BAG_KINDS: u64 = 64;
/// Loop turns and calls that one move may take.
pub const BUDGET: u64 = 20_000_000;
/// What one step of a script costs of that budget.
const SCRIPT_STEP: u64 = 50;
/// How many bags of a choice are counted and listed; a larger choice is sampled.
pub const MAX_BAGS: u64 = 256;
/// Words of event records kept between two moves; what is beyond is not recorded.
const MAX_EVENT_WORDS: usize = 1 << 16;

/// Why execution stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Decide(u16),
    MenuEnd,
    Finished,
    /// Fault number of the code.
    Fault(u16),
    /// The budget of one move is used up.
    Budget,
    /// A script failed; the machine holds the message.
    Script,
    /// A number became too large to be computed with.
    Overflow,
}

/// Moves that differ in their last parameter only.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub entry: u16,
    pub kind: RowKind,
    /// How many moves the row stands for when one is drawn at random; none where nothing of it is drawn.
    pub count: u64,
    /// Values of the parameters before the last, as words.
    pub prefix: [u64; ROW_PREFIX],
    /// The set, or the bag, of the last one.
    pub set: [u64; 8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    Unit,
    /// Words of the set.
    Set(u8),
    /// A bag of words, and the size to choose.
    Bag(u8, u64),
}

const EMPTY_ROW: Row = Row { entry: 0, kind: RowKind::Unit, count: 0, prefix: [0; ROW_PREFIX], set: [0; 8] };

/// Results that chance must give next, for each stream.
pub type Forced = Vec<VecDeque<i64>>;

pub struct Machine {
    pub memory: Box<Memory>,
    rows: Box<[Row]>,
    row_count: usize,
    /// Moves in all rows.
    pub total: u64,
    /// How many moves are listed beside them that are never drawn at random.
    pub undrawn: u64,
    /// Did rows not fit?
    pub more: bool,
    /// The entries of which not all moves are listed that are open now, each with the words of its fixed parameters.
    pub offered: Vec<(u16, Vec<u64>)>,
    /// Records of what happened: the description's number, then its values.
    pub events: Vec<u64>,
    /// Does anybody read the records?
    pub recording: bool,
    /// Numbers of the reasons of failed requirements, with the values in their holes.
    pub whys: Vec<u64>,
    /// How often each counter was hit.
    pub hits: Vec<u64>,
    /// Choices answered without asking.
    pub forced_choices: u64,
    pub forced: Forced,
    pub forcing: bool,
    /// A forced result was not among those that were possible; chance decided instead.
    pub unfit: bool,
    pub host: Host,
    trails: trail::Cache,
    pub script_fault: Option<crate::script::ScriptFault>,
    /// Behind the instruction that stopped, where a bound was hit or a number became too large.
    pub stopped_at: usize,
    budget: u64,
}

impl Machine {
    pub fn new(code: &Code) -> Machine {
        let mut memory = vec![0; MEMORY_WORDS].into_boxed_slice();
        for (to, from) in memory.iter_mut().zip(&code.image) {
            *to = *from;
        }
        // The length is right, so the conversion cannot fail; an empty memory would only fault.
        let memory = memory.try_into().unwrap_or_else(|_| Box::new([0; MEMORY_WORDS]));
        Machine {
            memory,
            rows: vec![EMPTY_ROW; MAX_ROWS].into_boxed_slice(),
            row_count: 0,
            total: 0,
            undrawn: 0,
            more: false,
            offered: Vec::new(),
            events: Vec::with_capacity(256),
            recording: true,
            whys: Vec::new(),
            hits: vec![0; code.counters.len()],
            forced_choices: 0,
            forced: vec![VecDeque::new(); code.streams.len()],
            forcing: false,
            unfit: false,
            host: Host::new(code),
            trails: trail::Cache::new(code.trails.len()),
            script_fault: None,
            stopped_at: 0,
            budget: BUDGET,
        }
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows[..self.row_count]
    }

    /// The memory to write a chosen row's values to, and the rows.
    pub fn memory_and_rows(&mut self) -> (&mut Memory, &[Row]) {
        (&mut self.memory, &self.rows[..self.row_count])
    }

    pub fn clear_rows(&mut self) {
        self.row_count = 0;
        self.total = 0;
        self.undrawn = 0;
        self.more = false;
        self.offered.clear();
    }

    #[cold]
    fn offer(&mut self, code: &Code, entry: u16) {
        let params = code.entries.get(entry as usize).map_or(&[][..], |e| &e.params);
        let fixed = params.iter().filter(|p| p.fixed);
        let words = fixed.flat_map(|p| (0..code.words(p.ty)).map(|k| p.address as usize + k));
        let values = words.map(|at| self.memory.get(at).copied().unwrap_or(0)).collect();
        self.offered.push((entry, values));
    }

    fn push_row(&mut self, code: &Code, entry: u16, kind: RowKind, count: u64) -> Option<&mut Row> {
        if self.row_count >= MAX_ROWS {
            self.more = true;
            return None;
        }
        let row = &mut self.rows[self.row_count];
        self.row_count += 1;
        self.total += count;
        row.entry = entry;
        row.kind = kind;
        row.count = count;
        let params = &code.entries[entry as usize].prefix;
        for (to, address) in row.prefix.iter_mut().zip(params) {
            *to = self.memory[*address as usize];
        }
        Some(row)
    }

    fn row_set<const W: usize>(&mut self, code: &Code, i: Instr, drawn: bool) {
        let set: [u64; W] = words(&self.memory, i.b);
        let count: u32 = set.iter().map(|w| w.count_ones()).sum();
        if count == 0 {
            return;
        }
        let weight = if drawn { u64::from(count) } else { 0 };
        self.undrawn += u64::from(count) - weight;
        if let Some(row) = self.push_row(code, i.a, RowKind::Set(W as u8), weight) {
            row.set[..W].copy_from_slice(&set);
        }
    }

    fn row_bag<const W: usize>(&mut self, code: &Code, i: Instr) {
        let bag: [u64; W] = words(&self.memory, i.b);
        let size = self.memory[i.c as usize];
        let count = count_bags(&bag, size);
        if count == 0 {
            return;
        }
        if let Some(row) = self.push_row(code, i.a, RowKind::Bag(W as u8, size), count) {
            row.set[..W].copy_from_slice(&bag);
        }
    }

    /// The next 64 random bits of a stream.
    #[inline]
    fn draw_bits(&mut self, stream: u16) -> u64 {
        let counter = fixed::STREAMS as usize + stream as usize;
        let count = self.memory[counter];
        self.memory[counter] = count + 1;
        random::number(self.memory[fixed::SEED as usize], u64::from(stream), count)
    }

    fn forced_result(&mut self, stream: u16) -> Option<i64> {
        if !self.forcing {
            return None;
        }
        let result = self.forced.get_mut(stream as usize)?.pop_front();
        self.forcing = self.forced.iter().any(|q| !q.is_empty());
        result
    }

    fn random(&mut self, i: Instr) {
        let bound = self.memory[i.b as usize];
        // The stream is counted where chance does not decide too, so that later results stay the same.
        let bits = self.draw_bits(i.c);
        let value = match self.forced_result(i.c) {
            Some(forced) if forced >= 0 && (forced as u64) < bound => forced as u64,
            Some(forced) => {
                self.unfit = true;
                (forced.max(0) as u64).min(bound.saturating_sub(1))
            }
            None => random::below(bits, bound),
        };
        self.memory[i.a as usize] = value;
    }

    fn random_lane(&mut self, i: Instr, bag_words: usize) {
        let forced = self.forced_result(i.c);
        let bag = &self.memory[i.b as usize..i.b as usize + bag_words];
        let total: u64 = bag.iter().map(|w| bags::size(*w)).sum();
        let mut result = u64::MAX;
        if total > 0 {
            let bits = self.draw_bits(i.c);
            let bag = &self.memory[i.b as usize..i.b as usize + bag_words];
            result = match forced {
                Some(kind) if kind >= 0 && bags::lane(bag, kind as usize) > 0 => kind as u64,
                Some(_) | None => {
                    self.unfit |= forced.is_some();
                    nth_lane(bag, random::below(bits, total))
                }
            };
        }
        self.memory[i.a as usize] = result;
    }

    fn event(&mut self, code: &Code, i: Instr) {
        if !self.recording || self.events.len() >= MAX_EVENT_WORDS {
            return;
        }
        self.events.push(u64::from(i.a));
        for (address, width) in &code.event_words[i.a as usize] {
            for k in 0..*width {
                self.events.push(self.memory[*address as usize + k as usize]);
            }
        }
    }

    fn why(&mut self, code: &Code, i: Instr) {
        self.whys.push(u64::from(i.a));
        for (address, width) in &code.reason_words[i.a as usize] {
            for k in 0..*width {
                self.whys.push(self.memory[*address as usize + k as usize]);
            }
        }
    }

    fn trail(&mut self, code: &Code, i: Instr) {
        let text = &code.trails[i.b as usize];
        let memory = &self.memory;
        let slice = |address: u16, words: usize| &memory[address as usize..address as usize + words];
        let length = self.trails.longest(i.b as usize, &code.graph, text, slice);
        self.memory[i.a as usize] = u64::from(length);
    }

    /// Calls a script; gives why execution stops, if it does. Apart from the loop, which it would make slower.
    #[cold]
    #[inline(never)]
    fn script(&mut self, code: &Code, i: Instr) -> Option<Stop> {
        match self.host.call(code, &code.scripts[i.a as usize], &mut self.memory, &mut self.events) {
            Ok(steps) => {
                let cost = (steps + 1).saturating_mul(SCRIPT_STEP);
                if cost >= self.budget {
                    return Some(Stop::Budget);
                }
                self.budget -= cost;
                None
            }
            Err(fault) => {
                self.script_fault = Some(fault);
                Some(Stop::Script)
            }
        }
    }

    /// Permutes the rows of a field among the members of a set (Fisher and Yates).
    fn shuffle(&mut self, code: &Code, i: Instr) {
        let text = &code.shuffles[i.a as usize];
        let mut places = Vec::new();
        for w in 0..text.words {
            let mut bits = self.memory[i.b as usize + w];
            while bits != 0 {
                places.push(w * 64 + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
        let row = |value: usize| text.address as usize + value * text.words;
        let find = |memory: &Memory, place: usize| {
            (0..text.values).find(|v| memory[row(*v) + place / 64] >> (place % 64) & 1 == 1)
        };
        let mut values: Vec<Option<usize>> = places.iter().map(|p| find(&self.memory, *p)).collect();
        for last in (1..values.len()).rev() {
            let other = random::below(self.draw_bits(text.stream), last as u64 + 1) as usize;
            values.swap(last, other);
        }
        for (place, value) in places.iter().zip(&values) {
            for v in 0..text.values {
                let word = &mut self.memory[row(v) + place / 64];
                let bit = 1 << (place % 64);
                *word = if Some(v) == *value { *word | bit } else { *word & !bit };
            }
        }
    }

    #[cold]
    fn overflow(&mut self, pc: usize) -> Stop {
        self.stopped_at = pc;
        Stop::Overflow
    }

    /// Runs from `pc` until something stops it.
    pub fn run(&mut self, code: &Code, pc: u32) -> Stop {
        self.budget = BUDGET;
        self.execute(code, pc as usize)
    }

    // The natural big match of the engine: one line an instruction.
    fn execute(&mut self, code: &Code, mut pc: usize) -> Stop {
        let instrs = &code.instrs[..];
        loop {
            let Some(&i) = instrs.get(pc) else { return Stop::Finished };
            pc += 1;
            let m = &mut *self.memory;
            macro_rules! jump_if {
                ($condition:expr) => {
                    if $condition {
                        pc = pc.wrapping_add_signed(i.c as i16 as isize);
                    }
                };
            }
            let (a, b, c) = (i.a as usize, i.b as usize, i.c as usize);
            match i.op {
                Op::Jump => {
                    self.budget -= 1;
                    if self.budget == 0 {
                        self.stopped_at = pc;
                        return Stop::Budget;
                    }
                    pc = a | b << 16;
                }
                Op::Call => {
                    self.budget -= 1;
                    if self.budget == 0 {
                        self.stopped_at = pc;
                        return Stop::Budget;
                    }
                    m[c] = pc as u64;
                    pc = a | b << 16;
                }
                Op::Return => pc = m[a] as usize,
                Op::Ensure => {
                    if m[a] & m[b] == 0 {
                        let kept = &code.kept[c];
                        m[kept.back as usize] = pc as u64;
                        pc = kept.entry as usize;
                    }
                }
                Op::JumpValid => jump_if!(m[a] & m[b] == m[b]),
                Op::Validate => m[a] |= m[b],
                Op::Invalidate => m[a] &= !m[b],
                Op::Decide => {
                    m[fixed::SITE as usize] = a as u64;
                    return Stop::Decide(i.a);
                }
                Op::EndMenu => return Stop::MenuEnd,
                Op::Finish => {
                    m[fixed::WINNER as usize] = m[a];
                    m[fixed::OVER as usize] = 1;
                    return Stop::Finished;
                }
                Op::Fault => return Stop::Fault(i.a),
                Op::Hit => {
                    if let Some(hit) = self.hits.get_mut(a) {
                        *hit += 1;
                    }
                }
                Op::Event => self.event(code, i),
                Op::Forced => self.forced_choices += 1,
                Op::Why => self.why(code, i),

                Op::JumpEqual => jump_if!(m[a] == m[b]),
                Op::JumpUnequal => jump_if!(m[a] != m[b]),
                Op::JumpLess => jump_if!((m[a] as i64) < m[b] as i64),
                Op::JumpAtMost => jump_if!(m[a] as i64 <= m[b] as i64),
                Op::JumpZero => jump_if!(m[a] == 0),
                Op::JumpNonzero => jump_if!(m[a] != 0),

                Op::Add => match (m[b] as i64).checked_add(m[c] as i64) {
                    Some(sum) => m[a] = sum as u64,
                    None => return self.overflow(pc),
                },
                Op::Subtract => match (m[b] as i64).checked_sub(m[c] as i64) {
                    Some(difference) => m[a] = difference as u64,
                    None => return self.overflow(pc),
                },
                Op::Multiply => match (m[b] as i64).checked_mul(m[c] as i64) {
                    Some(product) => m[a] = product as u64,
                    None => return self.overflow(pc),
                },
                Op::Divide => m[a] = (m[b] as i64).checked_div_euclid(m[c] as i64).unwrap_or(0) as u64,
                Op::Modulo => m[a] = (m[b] as i64).checked_rem_euclid(m[c] as i64).unwrap_or(0) as u64,
                Op::Min => m[a] = (m[b] as i64).min(m[c] as i64) as u64,
                Op::Max => m[a] = (m[b] as i64).max(m[c] as i64) as u64,

                Op::Copy1 => copy::<1>(m, i),
                Op::Copy2 => copy::<2>(m, i),
                Op::Copy4 => copy::<4>(m, i),
                Op::Copy8 => copy::<8>(m, i),
                Op::Load1 => load::<1>(m, i),
                Op::Load2 => load::<2>(m, i),
                Op::Load4 => load::<4>(m, i),
                Op::Load8 => load::<8>(m, i),
                Op::Store1 => store::<1>(m, i),
                Op::Store2 => store::<2>(m, i),
                Op::Store4 => store::<4>(m, i),
                Op::Store8 => store::<8>(m, i),
                Op::And1 => combine::<1>(m, i, |x, y| x & y),
                Op::And2 => combine::<2>(m, i, |x, y| x & y),
                Op::And4 => combine::<4>(m, i, |x, y| x & y),
                Op::And8 => combine::<8>(m, i, |x, y| x & y),
                Op::Or1 => combine::<1>(m, i, |x, y| x | y),
                Op::Or2 => combine::<2>(m, i, |x, y| x | y),
                Op::Or4 => combine::<4>(m, i, |x, y| x | y),
                Op::Or8 => combine::<8>(m, i, |x, y| x | y),
                Op::Without1 => combine::<1>(m, i, |x, y| x & !y),
                Op::Without2 => combine::<2>(m, i, |x, y| x & !y),
                Op::Without4 => combine::<4>(m, i, |x, y| x & !y),
                Op::Without8 => combine::<8>(m, i, |x, y| x & !y),
                Op::Insert1 => insert::<1>(m, i),
                Op::Insert2 => insert::<2>(m, i),
                Op::Insert4 => insert::<4>(m, i),
                Op::Insert8 => insert::<8>(m, i),
                Op::Delete1 => delete::<1>(m, i),
                Op::Delete2 => delete::<2>(m, i),
                Op::Delete4 => delete::<4>(m, i),
                Op::Delete8 => delete::<8>(m, i),
                Op::Single1 => single::<1>(m, i),
                Op::Single2 => single::<2>(m, i),
                Op::Single4 => single::<4>(m, i),
                Op::Single8 => single::<8>(m, i),
                Op::Count1 => m[a] = count(&words::<1>(m, i.b)),
                Op::Count2 => m[a] = count(&words::<2>(m, i.b)),
                Op::Count4 => m[a] = count(&words::<4>(m, i.b)),
                Op::Count8 => m[a] = count(&words::<8>(m, i.b)),
                Op::First1 => m[a] = nth(&words::<1>(m, i.b), 0),
                Op::First2 => m[a] = nth(&words::<2>(m, i.b), 0),
                Op::First4 => m[a] = nth(&words::<4>(m, i.b), 0),
                Op::First8 => m[a] = nth(&words::<8>(m, i.b), 0),
                Op::Nth1 => m[a] = nth(&words::<1>(m, i.b), m[c]),
                Op::Nth2 => m[a] = nth(&words::<2>(m, i.b), m[c]),
                Op::Nth4 => m[a] = nth(&words::<4>(m, i.b), m[c]),
                Op::Nth8 => m[a] = nth(&words::<8>(m, i.b), m[c]),
                Op::FindRow1 => find_row::<1>(m, i),
                Op::FindRow2 => find_row::<2>(m, i),
                Op::FindRow4 => find_row::<4>(m, i),
                Op::FindRow8 => find_row::<8>(m, i),
                Op::Pop1 => jump_if!(!pop::<1>(m, i)),
                Op::Pop2 => jump_if!(!pop::<2>(m, i)),
                Op::Pop4 => jump_if!(!pop::<4>(m, i)),
                Op::Pop8 => jump_if!(!pop::<8>(m, i)),
                Op::JumpIn1 => jump_if!(member::<1>(m, i)),
                Op::JumpIn2 => jump_if!(member::<2>(m, i)),
                Op::JumpIn4 => jump_if!(member::<4>(m, i)),
                Op::JumpIn8 => jump_if!(member::<8>(m, i)),
                Op::JumpOut1 => jump_if!(!member::<1>(m, i)),
                Op::JumpOut2 => jump_if!(!member::<2>(m, i)),
                Op::JumpOut4 => jump_if!(!member::<4>(m, i)),
                Op::JumpOut8 => jump_if!(!member::<8>(m, i)),
                Op::JumpEmpty1 => jump_if!(words::<1>(m, i.a) == [0; 1]),
                Op::JumpEmpty2 => jump_if!(words::<2>(m, i.a) == [0; 2]),
                Op::JumpEmpty4 => jump_if!(words::<4>(m, i.a) == [0; 4]),
                Op::JumpEmpty8 => jump_if!(words::<8>(m, i.a) == [0; 8]),
                Op::JumpSome1 => jump_if!(words::<1>(m, i.a) != [0; 1]),
                Op::JumpSome2 => jump_if!(words::<2>(m, i.a) != [0; 2]),
                Op::JumpSome4 => jump_if!(words::<4>(m, i.a) != [0; 4]),
                Op::JumpSome8 => jump_if!(words::<8>(m, i.a) != [0; 8]),
                Op::JumpMeets1 => jump_if!(meets::<1>(m, i)),
                Op::JumpMeets2 => jump_if!(meets::<2>(m, i)),
                Op::JumpMeets4 => jump_if!(meets::<4>(m, i)),
                Op::JumpMeets8 => jump_if!(meets::<8>(m, i)),
                Op::JumpApart1 => jump_if!(!meets::<1>(m, i)),
                Op::JumpApart2 => jump_if!(!meets::<2>(m, i)),
                Op::JumpApart4 => jump_if!(!meets::<4>(m, i)),
                Op::JumpApart8 => jump_if!(!meets::<8>(m, i)),
                Op::Image11 => image::<1, 1>(m, i),
                Op::Image12 => image::<1, 2>(m, i),
                Op::Image14 => image::<1, 4>(m, i),
                Op::Image18 => image::<1, 8>(m, i),
                Op::Image21 => image::<2, 1>(m, i),
                Op::Image22 => image::<2, 2>(m, i),
                Op::Image24 => image::<2, 4>(m, i),
                Op::Image28 => image::<2, 8>(m, i),
                Op::Image41 => image::<4, 1>(m, i),
                Op::Image42 => image::<4, 2>(m, i),
                Op::Image44 => image::<4, 4>(m, i),
                Op::Image48 => image::<4, 8>(m, i),
                Op::Image81 => image::<8, 1>(m, i),
                Op::Image82 => image::<8, 2>(m, i),
                Op::Image84 => image::<8, 4>(m, i),
                Op::Image88 => image::<8, 8>(m, i),

                Op::Lane => {
                    // No kind (-1) is in no bag.
                    let kind = m[c];
                    m[a] = if kind < BAG_KINDS {
                        m[i.b.wrapping_add(kind as u16 / 8) as usize] >> (kind % 8 * 8) & 0xff
                    } else {
                        0
                    };
                }
                Op::AddLane => {
                    let kind = m[b];
                    if kind < BAG_KINDS {
                        let (word, shift) = (i.a.wrapping_add(kind as u16 / 8) as usize, kind % 8 * 8);
                        let sum = ((m[word] >> shift & 0xff) as i64).wrapping_add(m[c] as i64);
                        // What does not fit makes the lane full and leaves its neighbours alone.
                        let sum = if (0..=bags::LANE_MAX).contains(&sum) { sum as u64 } else { 0xff };
                        m[word] = m[word] & !(0xff << shift) | sum << shift;
                    }
                }
                Op::BagOf1 => bag_of::<1>(m, i),
                Op::BagOf2 => bag_of::<2>(m, i),
                Op::BagOf4 => bag_of::<4>(m, i),
                Op::BagOf8 => bag_of::<8>(m, i),
                Op::BagAdd1 => combine::<1>(m, i, u64::wrapping_add),
                Op::BagAdd2 => combine::<2>(m, i, u64::wrapping_add),
                Op::BagAdd4 => combine::<4>(m, i, u64::wrapping_add),
                Op::BagAdd8 => combine::<8>(m, i, u64::wrapping_add),
                Op::BagSubtract1 => combine::<1>(m, i, bags::subtract),
                Op::BagSubtract2 => combine::<2>(m, i, bags::subtract),
                Op::BagSubtract4 => combine::<4>(m, i, bags::subtract),
                Op::BagSubtract8 => combine::<8>(m, i, bags::subtract),
                Op::BagMin1 => combine::<1>(m, i, bags::min),
                Op::BagMin2 => combine::<2>(m, i, bags::min),
                Op::BagMin4 => combine::<4>(m, i, bags::min),
                Op::BagMin8 => combine::<8>(m, i, bags::min),
                Op::BagTimes1 => bag_times::<1>(m, i),
                Op::BagTimes2 => bag_times::<2>(m, i),
                Op::BagTimes4 => bag_times::<4>(m, i),
                Op::BagTimes8 => bag_times::<8>(m, i),
                Op::BagWithin1 => bag_within::<1>(m, i),
                Op::BagWithin2 => bag_within::<2>(m, i),
                Op::BagWithin4 => bag_within::<4>(m, i),
                Op::BagWithin8 => bag_within::<8>(m, i),
                Op::BagSize1 => m[a] = words::<1>(m, i.b).iter().map(|w| bags::size(*w)).sum(),
                Op::BagSize2 => m[a] = words::<2>(m, i.b).iter().map(|w| bags::size(*w)).sum(),
                Op::BagSize4 => m[a] = words::<4>(m, i.b).iter().map(|w| bags::size(*w)).sum(),
                Op::BagSize8 => m[a] = words::<8>(m, i.b).iter().map(|w| bags::size(*w)).sum(),
                Op::BagKinds1 => bag_kinds::<1>(m, i),
                Op::BagKinds2 => bag_kinds::<2>(m, i),
                Op::BagKinds4 => bag_kinds::<4>(m, i),
                Op::BagKinds8 => bag_kinds::<8>(m, i),
                Op::BagAbove1 => bag_above::<1>(m, i),
                Op::BagAbove2 => bag_above::<2>(m, i),
                Op::BagAbove4 => bag_above::<4>(m, i),
                Op::BagAbove8 => bag_above::<8>(m, i),
                Op::FirstBag1 => first_bag::<1>(m, i),
                Op::FirstBag2 => first_bag::<2>(m, i),
                Op::FirstBag4 => first_bag::<4>(m, i),
                Op::FirstBag8 => first_bag::<8>(m, i),
                Op::NextBag1 => jump_if!(!next_bag::<1>(m, i)),
                Op::NextBag2 => jump_if!(!next_bag::<2>(m, i)),
                Op::NextBag4 => jump_if!(!next_bag::<4>(m, i)),
                Op::NextBag8 => jump_if!(!next_bag::<8>(m, i)),
                Op::JumpHas1 => jump_if!(has::<1>(m, i)),
                Op::JumpHas2 => jump_if!(has::<2>(m, i)),
                Op::JumpHas4 => jump_if!(has::<4>(m, i)),
                Op::JumpHas8 => jump_if!(has::<8>(m, i)),
                Op::JumpLacks1 => jump_if!(!has::<1>(m, i)),
                Op::JumpLacks2 => jump_if!(!has::<2>(m, i)),
                Op::JumpLacks4 => jump_if!(!has::<4>(m, i)),
                Op::JumpLacks8 => jump_if!(!has::<8>(m, i)),
                Op::JumpFull1 => jump_if!(words::<1>(m, i.a).iter().any(|w| w & bags::HIGH != 0)),
                Op::JumpFull2 => jump_if!(words::<2>(m, i.a).iter().any(|w| w & bags::HIGH != 0)),
                Op::JumpFull4 => jump_if!(words::<4>(m, i.a).iter().any(|w| w & bags::HIGH != 0)),
                Op::JumpFull8 => jump_if!(words::<8>(m, i.a).iter().any(|w| w & bags::HIGH != 0)),

                Op::Random => self.random(i),
                Op::RandomLane1 => self.random_lane(i, 1),
                Op::RandomLane2 => self.random_lane(i, 2),
                Op::RandomLane4 => self.random_lane(i, 4),
                Op::RandomLane8 => self.random_lane(i, 8),
                Op::Trail => self.trail(code, i),
                Op::Line1 => line::<1>(m, code, i),
                Op::Line2 => line::<2>(m, code, i),
                Op::Line4 => line::<4>(m, code, i),
                Op::Line8 => line::<8>(m, code, i),
                Op::Shuffle => self.shuffle(code, i),
                Op::Script => {
                    if let Some(stop) = self.script(code, i) {
                        self.stopped_at = pc;
                        return stop;
                    }
                }

                Op::RowUnit => {
                    self.push_row(code, i.a, RowKind::Unit, 1);
                }
                Op::RowSet1 => self.row_set::<1>(code, i, true),
                Op::RowRest1 => self.row_set::<1>(code, i, false),
                Op::RowSet2 => self.row_set::<2>(code, i, true),
                Op::RowRest2 => self.row_set::<2>(code, i, false),
                Op::RowSet4 => self.row_set::<4>(code, i, true),
                Op::RowRest4 => self.row_set::<4>(code, i, false),
                Op::RowSet8 => self.row_set::<8>(code, i, true),
                Op::RowRest8 => self.row_set::<8>(code, i, false),
                Op::RowBag1 => self.row_bag::<1>(code, i),
                Op::RowBag2 => self.row_bag::<2>(code, i),
                Op::RowBag4 => self.row_bag::<4>(code, i),
                Op::RowBag8 => self.row_bag::<8>(code, i),
                Op::More => self.more = true,
                Op::Offered => self.offer(code, i.a),
            }
        }
    }
}

#[inline(always)]
fn words<const W: usize>(m: &Memory, at: u16) -> [u64; W] {
    let mut out = [0; W];
    for (k, word) in out.iter_mut().enumerate() {
        *word = m[at as usize + k];
    }
    out
}

#[inline(always)]
fn put<const W: usize>(m: &mut Memory, at: u16, value: [u64; W]) {
    for (k, word) in value.iter().enumerate() {
        m[at as usize + k] = *word;
    }
}

#[inline(always)]
fn copy<const W: usize>(m: &mut Memory, i: Instr) {
    let value: [u64; W] = words(m, i.b);
    put(m, i.a, value);
}

#[inline(always)]
fn load<const W: usize>(m: &mut Memory, i: Instr) {
    let at = i.b.wrapping_add((m[i.c as usize] as u16).wrapping_mul(W as u16));
    let value: [u64; W] = words(m, at);
    put(m, i.a, value);
}

#[inline(always)]
fn store<const W: usize>(m: &mut Memory, i: Instr) {
    let at = i.a.wrapping_add((m[i.b as usize] as u16).wrapping_mul(W as u16));
    let value: [u64; W] = words(m, i.c);
    put(m, at, value);
}

#[inline(always)]
fn combine<const W: usize>(m: &mut Memory, i: Instr, with: impl Fn(u64, u64) -> u64) {
    for k in 0..W {
        m[i.a as usize + k] = with(m[i.b as usize + k], m[i.c as usize + k]);
    }
}

#[inline(always)]
fn insert<const W: usize>(m: &mut Memory, i: Instr) {
    let index = m[i.b as usize] as usize;
    if index < W * 64 {
        m[i.a as usize + index / 64] |= 1 << (index % 64);
    }
}

#[inline(always)]
fn delete<const W: usize>(m: &mut Memory, i: Instr) {
    let index = m[i.b as usize] as usize;
    if index < W * 64 {
        m[i.a as usize + index / 64] &= !(1 << (index % 64));
    }
}

#[inline(always)]
fn single<const W: usize>(m: &mut Memory, i: Instr) {
    let index = m[i.b as usize] as usize;
    let mut value = [0; W];
    if index < W * 64 {
        value[index / 64] = 1 << (index % 64);
    }
    put(m, i.a, value);
}

#[inline(always)]
fn count<const W: usize>(set: &[u64; W]) -> u64 {
    set.iter().map(|w| u64::from(w.count_ones())).sum()
}

#[inline(always)]
fn nth<const W: usize>(set: &[u64; W], n: u64) -> u64 {
    nth_bit(set, n).map_or(u64::MAX, |i| i as u64)
}

/// The n-th member (from 0) of a set.
#[inline]
pub fn nth_bit(set: &[u64], mut n: u64) -> Option<usize> {
    for (k, word) in set.iter().enumerate() {
        let here = u64::from(word.count_ones());
        if n < here {
            let mut bits = *word;
            for _ in 0..n {
                bits &= bits - 1;
            }
            return Some(k * 64 + bits.trailing_zeros() as usize);
        }
        n -= here;
    }
    None
}

#[inline(always)]
fn pop<const W: usize>(m: &mut Memory, i: Instr) -> bool {
    for k in 0..W {
        let word = m[i.b as usize + k];
        if word != 0 {
            m[i.b as usize + k] = word & (word - 1);
            m[i.a as usize] = (k * 64) as u64 + u64::from(word.trailing_zeros());
            return true;
        }
    }
    false
}

#[inline(always)]
fn member<const W: usize>(m: &Memory, i: Instr) -> bool {
    let index = m[i.b as usize] as usize;
    index < W * 64 && m[i.a as usize + index / 64] >> (index % 64) & 1 == 1
}

#[inline(always)]
fn find_row<const W: usize>(m: &mut Memory, i: Instr) {
    let (rows, index) = (m[i.a as usize] as u16, m[i.c as usize] as usize);
    let mut found = u64::MAX;
    if index < W * 64 {
        for row in 0..rows {
            let word = i.b.wrapping_add(row * W as u16) as usize + index / 64;
            if m[word] >> (index % 64) & 1 == 1 {
                found = u64::from(row);
                break;
            }
        }
    }
    m[i.a as usize] = found;
}

#[inline(always)]
fn meets<const W: usize>(m: &Memory, i: Instr) -> bool {
    (0..W).any(|k| m[i.a as usize + k] & m[i.b as usize + k] != 0)
}

#[inline(always)]
fn image<const W: usize, const V: usize>(m: &mut Memory, i: Instr) {
    let set: [u64; W] = words(m, i.b);
    let mut out = [0; V];
    for (k, word) in set.iter().enumerate() {
        let mut bits = *word;
        while bits != 0 {
            let row = i.c.wrapping_add(((k * 64) as u16 + bits.trailing_zeros() as u16).wrapping_mul(V as u16));
            for (v, to) in out.iter_mut().enumerate() {
                *to |= m[row as usize + v];
            }
            bits &= bits - 1;
        }
    }
    put(m, i.a, out);
}

#[inline(always)]
fn line<const W: usize>(m: &mut Memory, code: &Code, i: Instr) {
    let set: [u64; W] = words(m, i.a);
    if let Some(text) = code.lines.get(i.c as usize) {
        put(m, i.a, lines::in_line(text, &set, m[i.b as usize]));
    }
}

#[inline(always)]
fn bag_of<const W: usize>(m: &mut Memory, i: Instr) {
    let count = (m[i.b as usize] as i64).clamp(0, bags::LANE_MAX) as u64;
    let kind = m[i.c as usize] as usize;
    let mut value = [0; W];
    if kind < W * 8 {
        value[kind / 8] = count << (kind % 8 * 8);
    }
    put(m, i.a, value);
}

#[inline(always)]
fn bag_times<const W: usize>(m: &mut Memory, i: Instr) {
    let times = (m[i.c as usize] as i64).clamp(0, bags::LANE_MAX) as u64;
    for k in 0..W {
        let from = m[i.b as usize + k];
        // As with a number of one kind, more than fit are as many as fit.
        m[i.a as usize + k] = (0..64)
            .step_by(8)
            .fold(0, |to, shift| to | ((from >> shift & 0xff) * times).min(bags::LANE_MAX as u64) << shift);
    }
}

#[inline(always)]
fn bag_within<const W: usize>(m: &mut Memory, i: Instr) {
    let set = m[i.c as usize];
    for k in 0..W {
        m[i.a as usize + k] = bags::within(m[i.b as usize + k], set >> (k * 8));
    }
}

#[inline(always)]
fn bag_kinds<const W: usize>(m: &mut Memory, i: Instr) {
    let bag: [u64; W] = words(m, i.b);
    m[i.a as usize] = bag.iter().enumerate().fold(0, |acc, (k, w)| acc | bags::kinds(*w) << (k * 8));
}

#[inline(always)]
fn bag_above<const W: usize>(m: &mut Memory, i: Instr) {
    let (left, right): ([u64; W], [u64; W]) = (words(m, i.b), words(m, i.c));
    m[i.a as usize] = (0..W).fold(0, |acc, k| acc | bags::above(left[k], right[k]) << (k * 8));
}

#[inline(never)]
fn first_bag<const W: usize>(m: &mut Memory, i: Instr) {
    let (held, size): ([u64; W], u64) = (words(m, i.b), m[i.c as usize]);
    let mut out = [0; W];
    bags::fill(&mut out, &held, 0, size);
    put(m, i.a, out);
}

#[inline(never)]
fn next_bag<const W: usize>(m: &mut Memory, i: Instr) -> bool {
    let (mut bag, held): ([u64; W], [u64; W]) = (words(m, i.a), words(m, i.b));
    let found = bags::advance(&mut bag, &held);
    if found {
        put(m, i.a, bag);
    }
    found
}

#[inline(always)]
fn has<const W: usize>(m: &Memory, i: Instr) -> bool {
    (0..W).all(|k| bags::has(m[i.a as usize + k], m[i.b as usize + k]))
}

/// The kind of the n-th thing in a bag.
fn nth_lane(bag: &[u64], mut n: u64) -> u64 {
    for kind in 0..bag.len() * 8 {
        let here = bags::lane(bag, kind) as u64;
        if n < here {
            return kind as u64;
        }
        n -= here;
    }
    u64::MAX
}

/// How many different bags of a size are in a bag, at most [`MAX_BAGS`].
pub fn count_bags(bag: &[u64], size: u64) -> u64 {
    if size as i64 > bag.iter().map(|w| bags::size(*w) as i64).sum() {
        return 0;
    }
    // ways[n]: how many bags of size n there are of the kinds so far; sizes over 128 need no exact count.
    let size = size.min(128) as usize;
    let mut ways = [0u64; 129];
    ways[0] = 1;
    for kind in 0..bag.len() * 8 {
        let most = bags::lane(bag, kind) as usize;
        if most == 0 {
            continue;
        }
        for n in (1..=size).rev() {
            let sum: u64 = (n.saturating_sub(most)..n).map(|k| ways[k]).sum();
            ways[n] = (ways[n] + sum).min(MAX_BAGS);
        }
    }
    ways[size]
}
