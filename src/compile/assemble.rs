//! Chunks of instructions with labels, and what turns them into one code: labels become addresses, writes become
//! exactly the invalidations that the kept values need, and each chunk's scratch words are laid above those of the
//! chunks that it calls, so that a caller's temporaries survive.

use std::collections::BTreeMap;

use super::memory::{Region, SCRATCH};
use crate::engine::code::{Code, Kept, SourceOf};
use crate::engine::instr::{Instr, Op, Operand};
use crate::source::Span;

/// How many jumps to jumps are followed; a circle of them is a loop.
const MAX_JUMPS: usize = 8;

/// How many instructions may be written.
const MAX_WRITTEN: usize = 2_000_000;

/// Words of scratch of one chunk: what has an address behind [`SCRATCH`].
const MAX_SCRATCH: u16 = u16::MAX - SCRATCH;

/// A position in some chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub usize);

/// The number of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId(pub usize);

#[derive(Clone, Copy, Debug)]
enum Item {
    Instr(Instr),
    /// A jump whose distance, or whose full address, is the label's.
    To(Instr, Label),
    Place(Label),
    /// State of this region was written; `seat` holds whose, where that is known only at run time.
    Wrote(usize),
}

#[derive(Clone, Debug, Default)]
pub struct Chunk {
    items: Vec<Item>,
    /// Words of scratch that it uses.
    pub scratch: u16,
    /// Chunks that run while its temporaries are in use.
    calls: Vec<ChunkId>,
    pub name: String,
    /// From which item on it stands for which part of which rule.
    sources: Vec<(usize, Span, u32)>,
}

/// All chunks, and the one that is being written.
#[derive(Debug, Default)]
pub struct Assembler {
    pub chunks: Vec<Chunk>,
    open: Vec<(ChunkId, u16)>,
    labels: usize,
    regions: Vec<Region>,
    /// Next free word of scratch in the open chunk.
    free: u16,
    /// How many instructions there are in all.
    written: usize,
    /// Some chunk would need more scratch than there is, or the rules go too deep.
    spilt: bool,
    /// The names of the rules that code stands for.
    rules: Vec<String>,
}

/// The code would be larger than a jump can reach.
pub struct TooLarge;

impl Assembler {
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// Begins a new chunk inside which code is written until [`Assembler::close`]; its first instruction is the label's.
    pub fn open(&mut self, name: impl Into<String>) -> (ChunkId, Label) {
        let id = ChunkId(self.chunks.len());
        self.chunks.push(Chunk { name: name.into(), ..Chunk::default() });
        self.open.push((id, self.free));
        self.free = 0;
        let label = self.label();
        self.place(label);
        (id, label)
    }

    pub fn close(&mut self) {
        if let Some((_, free)) = self.open.pop() {
            self.free = free;
        }
    }

    pub fn current(&self) -> ChunkId {
        self.open.last().map_or(ChunkId(0), |(id, _)| *id)
    }

    fn items(&mut self) -> &mut Vec<Item> {
        let id = self.current();
        &mut self.chunks[id.0].items
    }

    /// Notes which part of which rule the code from here on stands for.
    pub fn stands_for(&mut self, span: Span, rule: &str) {
        let known = self.rules.last().is_some_and(|r| r == rule).then(|| self.rules.len() - 1);
        let number = match known.or_else(|| self.rules.iter().position(|r| r == rule)) {
            Some(number) => number,
            None => {
                self.rules.push(rule.to_string());
                self.rules.len() - 1
            }
        };
        let id = self.current();
        let chunk = &mut self.chunks[id.0];
        let from = chunk.items.len();
        match chunk.sources.last_mut() {
            Some(last) if last.0 == from => *last = (from, span, number as u32),
            Some((_, before, rule)) if *before == span && *rule == number as u32 => {}
            Some(_) | None => chunk.sources.push((from, span, number as u32)),
        }
    }

    /// How many instructions the open chunk has so far.
    pub fn length(&mut self) -> usize {
        self.items().iter().filter(|i| !matches!(i, Item::Place(_))).count()
    }

    /// There is more than a game may have: nothing of it will run, so the rest need not be written.
    pub fn is_full(&self) -> bool {
        self.spilt || self.written > MAX_WRITTEN
    }

    /// Nothing of this will run.
    pub fn give_up(&mut self) {
        self.spilt = true;
    }

    pub fn emit(&mut self, op: Op, a: u16, b: u16, c: u16) {
        self.written += 1;
        self.items().push(Item::Instr(Instr { op, a, b, c }));
    }

    /// A jump, or a call, to a label.
    pub fn emit_to(&mut self, op: Op, a: u16, b: u16, c: u16, label: Label) {
        self.written += 1;
        self.items().push(Item::To(Instr { op, a, b, c }, label));
    }

    pub fn jump(&mut self, label: Label) {
        self.emit_to(Op::Jump, 0, 0, 0, label);
    }

    pub fn place(&mut self, label: Label) {
        // A jump to the next instruction is none.
        if matches!(self.items().last(), Some(Item::To(i, to)) if i.op == Op::Jump && *to == label) {
            self.items().pop();
        }
        self.items().push(Item::Place(label));
    }

    pub fn calls(&mut self, chunk: ChunkId) {
        let id = self.current();
        let calls = &mut self.chunks[id.0].calls;
        if !calls.contains(&chunk) {
            calls.push(chunk);
        }
    }

    pub fn wrote(&mut self, region: Region) {
        let number = match self.regions.iter().position(|r| *r == region) {
            Some(n) => n,
            None => {
                self.regions.push(region);
                self.regions.len() - 1
            }
        };
        self.items().push(Item::Wrote(number));
    }

    /// Words of scratch in the open chunk.
    pub fn scratch(&mut self, words: usize) -> u16 {
        let at = self.free;
        let next = u16::try_from(words).ok().and_then(|words| at.checked_add(words)).filter(|n| *n <= MAX_SCRATCH);
        self.spilt |= next.is_none();
        self.free = next.unwrap_or(at);
        let (id, free) = (self.current(), self.free);
        let chunk = &mut self.chunks[id.0];
        chunk.scratch = chunk.scratch.max(free);
        SCRATCH + at
    }

    pub fn mark(&self) -> u16 {
        self.free
    }

    pub fn release(&mut self, mark: u16) {
        self.free = mark;
    }

    /// First word of scratch of each chunk, relative to [`SCRATCH`].
    fn bases(&self) -> Vec<u16> {
        fn height(chunks: &[Chunk], id: usize, known: &mut [Option<u16>]) -> u16 {
            if let Some(h) = known[id] {
                return h;
            }
            known[id] = Some(0);
            let base = chunks[id]
                .calls
                .iter()
                .map(|c| height(chunks, c.0, known).saturating_add(chunks[c.0].scratch))
                .max()
                .unwrap_or(0);
            known[id] = Some(base);
            base
        }
        let mut known = vec![None; self.chunks.len()];
        (0..self.chunks.len()).map(|id| height(&self.chunks, id, &mut known)).collect()
    }

    /// Puts the chunks behind each other. `masks` says for each region which valid words lose which bits; `constant`
    /// gives the address of a constant. Entries, sites and kept values of `code` hold label numbers and get addresses.
    pub fn finish(
        &self,
        code: &mut Code,
        owners: &Owners,
        reads: &[Vec<Region>],
        mut constant: impl FnMut(u64) -> u16,
    ) -> Result<(), TooLarge> {
        if self.is_full() {
            return Err(TooLarge);
        }
        let masks: Vec<Vec<(u16, u16)>> = self
            .regions
            .iter()
            .map(|written| {
                let mut words: BTreeMap<u16, u64> = BTreeMap::new();
                for (kept, read) in code.kept.iter().zip(reads) {
                    if read.iter().any(|r| r.overlaps(written)) {
                        *words.entry(kept.valid).or_default() |= 1 << kept.bit;
                    }
                }
                words.into_iter().map(|(word, mask)| (word, constant(mask))).collect()
            })
            .collect();
        let bases = self.bases();
        let mut addresses: Vec<u32> = vec![0; self.labels];
        let mut jumps: BTreeMap<u32, Label> = BTreeMap::new();
        let mut at = 0u32;
        for chunk in &self.chunks {
            for item in &chunk.items {
                match item {
                    Item::Instr(_) => at += 1,
                    Item::To(i, label) => {
                        if i.op == Op::Jump {
                            jumps.insert(at, *label);
                        }
                        at += 1;
                    }
                    Item::Place(label) => addresses[label.0] = at,
                    Item::Wrote(region) => at += masks[*region].len() as u32,
                }
            }
        }
        code.instrs.reserve(at as usize);
        code.rules.clone_from(&self.rules);
        for (chunk, base) in self.chunks.iter().zip(&bases) {
            code.chunks.push((code.instrs.len() as u32, chunk.name.clone()));
            code.sources.push(SourceOf { from: code.instrs.len() as u32, span: None, rule: 0 });
            let mut sources = chunk.sources.iter().peekable();
            for (index, item) in chunk.items.iter().enumerate() {
                while let Some((_, span, rule)) = sources.next_if(|(from, ..)| *from <= index) {
                    let from = code.instrs.len() as u32;
                    code.sources.push(SourceOf { from, span: Some(*span), rule: *rule });
                }
                match item {
                    Item::Instr(i) => code.instrs.push(relocate(*i, *base)),
                    Item::To(i, label) => {
                        let mut target = addresses[label.0];
                        if i.op == Op::Jump {
                            // A jump to a jump goes where that one leads.
                            let mut steps = 0;
                            while let (Some(next), true) = (jumps.get(&target), steps < MAX_JUMPS) {
                                target = addresses[next.0];
                                steps += 1;
                            }
                        }
                        let mut i = relocate(*i, *base);
                        if matches!(i.op, Op::Jump | Op::Call) {
                            i.a = target as u16;
                            i.b = (target >> 16) as u16;
                        } else {
                            let distance = i64::from(target) - (code.instrs.len() as i64 + 1);
                            i.c = i16::try_from(distance).map_err(|_| TooLarge)? as u16;
                        }
                        code.instrs.push(i);
                    }
                    Item::Place(_) => {}
                    Item::Wrote(region) => {
                        for (word, mask) in &masks[*region] {
                            code.instrs.push(Instr { op: Op::Invalidate, a: *word, b: *mask, c: 0 });
                        }
                    }
                }
            }
        }
        let fix = |label: &mut u32| *label = addresses.get(*label as usize).copied().unwrap_or(0);
        fix(&mut code.start);
        fix(&mut code.invariants);
        fix(&mut code.halt);
        code.turns.iter_mut().for_each(fix);
        code.settle.iter_mut().for_each(fix);
        code.phases.iter_mut().flatten().for_each(fix);
        code.sites.iter_mut().for_each(|s| fix(&mut s.menu));
        code.kept.iter_mut().for_each(|k: &mut Kept| fix(&mut k.entry));
        for entry in &mut code.entries {
            fix(&mut entry.resume);
            if let Some(why) = &mut entry.why {
                fix(why);
            }
        }
        let moved = |address: &mut u16, chunk: ChunkId| {
            if *address >= SCRATCH {
                *address += bases[chunk.0];
            }
        };
        for (text, chunk) in code.events.iter_mut().zip(&owners.events) {
            text.values.iter_mut().for_each(|(a, _)| moved(a, *chunk));
        }
        for (text, chunk) in code.reasons.iter_mut().zip(&owners.reasons) {
            for part in &mut text.parts {
                if let crate::engine::code::TextPart::Value(a, _) = part {
                    moved(a, *chunk);
                }
            }
        }
        for (text, chunk) in code.trails.iter_mut().zip(&owners.trails) {
            text.sets.iter_mut().for_each(|a| moved(a, *chunk));
            text.through.iter_mut().for_each(|a| moved(a, *chunk));
            text.joined.iter_mut().for_each(|a| moved(a, *chunk));
        }
        for (call, chunk) in code.scripts.iter_mut().zip(&owners.scripts) {
            call.args.iter_mut().for_each(|(a, _)| moved(a, *chunk));
            moved(&mut call.result, *chunk);
        }
        let highest = bases.iter().zip(&self.chunks).map(|(b, c)| u32::from(*b) + u32::from(c.scratch)).max();
        if u32::from(SCRATCH) + highest.unwrap_or(0) > 0xffff {
            return Err(TooLarge);
        }
        Ok(())
    }
}

/// In which chunk each description was made, so that its scratch addresses move with it.
#[derive(Debug, Default)]
pub struct Owners {
    pub events: Vec<ChunkId>,
    pub reasons: Vec<ChunkId>,
    pub trails: Vec<ChunkId>,
    pub scripts: Vec<ChunkId>,
}

fn relocate(mut i: Instr, base: u16) -> Instr {
    let kinds = i.op.operands();
    for (value, kind) in [&mut i.a, &mut i.b, &mut i.c].into_iter().zip(kinds) {
        if kind == Operand::Address && *value >= SCRATCH {
            *value += base;
        }
    }
    i
}
