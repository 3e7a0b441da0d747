//! Each instruction against a plain model, at every width, on random operands; the last check is that none is left out.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::board::Board;
use crate::engine::bare::Bare;
use crate::engine::code::{
    Counter, Entry, EntryLabel, EventKind, EventText, Kept, ParamPlace, ReasonText, ShuffleText, TrailText,
};
use crate::engine::game::list_bags;
use crate::engine::lines::LineText;
use crate::engine::random::Generator;
use crate::engine::trail::Graph;
use crate::program::{DomainId, Type};

const A: u16 = 100;
const B: u16 = 120;
const C: u16 = 140;
/// Room for tables: 512 rows of 8 words.
const TABLE: u16 = 1000;
/// How often each instruction is tried at each width.
const ROUNDS: usize = 25;
const SET_WIDTHS: [usize; 4] = [1, 2, 4, 8];
const BAG_WIDTHS: [usize; 4] = [1, 2, 4, 8];

/// A machine that runs one instruction at a time.
struct Bench {
    code: Code,
    machine: Machine,
    chance: Generator,
    used: BTreeSet<&'static str>,
}

impl Bench {
    fn new(code: Code) -> Bench {
        let machine = Machine::new(&code);
        Bench { code, machine, chance: Generator::new(3), used: BTreeSet::new() }
    }

    /// Runs an instruction between two ends; was the end reached to which it jumps?
    fn run(&mut self, op: Op, a: u16, b: u16, c: u16) -> bool {
        let jumps = op.operands()[2] == crate::engine::instr::Operand::Jump;
        self.used.insert(op.name());
        let stop = Instr { op: Op::Decide, a: 0, b: 0, c: 0 };
        let end = Instr { op: Op::EndMenu, ..stop };
        self.code.instrs = vec![Instr { op, a, b, c: if jumps { 1 } else { c } }, stop, end];
        match self.machine.run(&self.code, 0) {
            Stop::MenuEnd => true,
            Stop::Decide(_) => false,
            other => panic!("{op:?} stopped with {other:?}"),
        }
    }

    fn program(&mut self, instrs: &[(Op, u16, u16, u16)]) -> Stop {
        self.used.extend(instrs.iter().map(|(op, ..)| op.name()));
        self.code.instrs = instrs.iter().map(|(op, a, b, c)| Instr { op: *op, a: *a, b: *b, c: *c }).collect();
        self.machine.run(&self.code, 0)
    }

    fn get(&self, at: u16) -> i64 {
        self.machine.memory[at as usize] as i64
    }

    fn put(&mut self, at: u16, value: i64) {
        self.machine.memory[at as usize] = value as u64;
    }

    fn slice(&self, at: u16, words: usize) -> Vec<u64> {
        self.machine.memory[at as usize..at as usize + words].to_vec()
    }

    fn put_slice(&mut self, at: u16, words: &[u64]) {
        self.machine.memory[at as usize..at as usize + words.len()].copy_from_slice(words);
    }

    fn set(&self, at: u16, words: usize) -> BTreeSet<usize> {
        members(&self.slice(at, words))
    }

    /// A random set, often thin or empty, at an address.
    fn random_set(&mut self, at: u16, words: usize) -> BTreeSet<usize> {
        let thin = self.chance.below(4);
        let set: Vec<u64> = (0..words)
            .map(|_| match thin {
                0 => 0,
                1 => self.chance.bits() & self.chance.bits() & self.chance.bits(),
                2 => 1 << self.chance.below(64),
                _ => self.chance.bits(),
            })
            .collect();
        self.put_slice(at, &set);
        members(&set)
    }

    fn bag(&self, at: u16, words: usize) -> Vec<i64> {
        let bag = self.slice(at, words);
        (0..words * 8).map(|k| bags::lane(&bag, k)).collect()
    }

    fn put_bag(&mut self, at: u16, lanes: &[i64]) {
        for (k, word) in lanes.chunks(8).enumerate() {
            let word = word.iter().enumerate().fold(0u64, |acc, (i, n)| acc | (*n as u64) << (i * 8));
            self.put(at + k as u16, word as i64);
        }
    }

    fn random_bag(&mut self, at: u16, words: usize, most: u64) -> Vec<i64> {
        let lanes: Vec<i64> = (0..words * 8).map(|_| self.chance.below(most + 1) as i64).collect();
        self.put_bag(at, &lanes);
        lanes
    }

    fn index(&mut self, words: usize) -> i64 {
        self.chance.below(words as u64 * 64 + 4) as i64 - 2
    }
}

fn members(set: &[u64]) -> BTreeSet<usize> {
    (0..set.len() * 64).filter(|i| set[i / 64] >> (i % 64) & 1 == 1).collect()
}

fn bare() -> Code {
    Bare::new(2, 4000).code
}

#[test]
fn each_instruction_does_what_its_line_says() {
    let mut bench = Bench::new(bare());
    numbers(&mut bench);
    for words in SET_WIDTHS {
        for _ in 0..ROUNDS {
            copies(&mut bench, words);
            sets(&mut bench, words);
            set_members(&mut bench, words);
            set_jumps(&mut bench, words);
            images(&mut bench, words);
        }
    }
    for words in BAG_WIDTHS {
        for _ in 0..ROUNDS {
            bag_arithmetic(&mut bench, words);
            bag_jumps(&mut bench, words);
        }
        draws(&mut bench, words);
    }
    control(&mut bench);
    kept_values(&mut bench);
    records(&mut bench);
    chance(&mut bench);
    shuffles(&mut bench);
    trails(&mut bench);
    straight_lines(&mut bench);
    rows(&mut bench);
    // The bridge to scripts has tests of its own.
    let left: Vec<&str> = Op::ALL.iter().map(|op| op.name()).filter(|n| !bench.used.contains(n)).collect();
    assert_eq!(left, ["Script"]);
}

fn numbers(bench: &mut Bench) {
    let interesting = [0, 1, -1, 2, 7, -7, 100, i64::MAX, i64::MIN];
    for x in interesting {
        for y in interesting {
            bench.put(B, x);
            bench.put(C, y);
            let divided = if y == 0 { 0 } else { x.checked_div_euclid(y).unwrap_or(0) };
            let rest = if y == 0 { 0 } else { x.checked_rem_euclid(y).unwrap_or(0) };
            for (op, expected) in
                [(Op::Add, x.checked_add(y)), (Op::Subtract, x.checked_sub(y)), (Op::Multiply, x.checked_mul(y))]
            {
                match expected {
                    Some(expected) => {
                        bench.run(op, A, B, C);
                        assert_eq!(bench.get(A), expected, "{op:?} {x} {y}");
                    }
                    None => assert_eq!(bench.program(&[(op, A, B, C)]), Stop::Overflow, "{op:?} {x} {y}"),
                }
            }
            for (op, expected) in [(Op::Divide, divided), (Op::Modulo, rest), (Op::Min, x.min(y)), (Op::Max, x.max(y))]
            {
                bench.run(op, A, B, C);
                assert_eq!(bench.get(A), expected, "{op:?} {x} {y}");
            }
            for (op, expected) in [
                (Op::JumpEqual, x == y),
                (Op::JumpUnequal, x != y),
                (Op::JumpLess, x < y),
                (Op::JumpAtMost, x <= y),
                (Op::JumpZero, x == 0),
                (Op::JumpNonzero, x != 0),
                (Op::JumpValid, x & y == y),
            ] {
                assert_eq!(bench.run(op, B, C, 0), expected, "{op:?} {x} {y}");
            }
        }
    }
}

fn copies(bench: &mut Bench, words: usize) {
    for at in 0..4 {
        bench.random_set(TABLE + (at * words) as u16, words);
    }
    bench.run(Op::Copy1.wide(words), A, TABLE, 0);
    assert_eq!(bench.slice(A, words), bench.slice(TABLE, words));
    let group = bench.chance.below(4) as u16;
    bench.put(C, i64::from(group));
    bench.run(Op::Load1.wide(words), A, TABLE, C);
    assert_eq!(bench.slice(A, words), bench.slice(TABLE + group * words as u16, words));
    bench.random_set(B, words);
    let before = bench.slice(TABLE, words * 4);
    bench.run(Op::Store1.wide(words), TABLE, C, B);
    let mut expected = before;
    let at = group as usize * words;
    expected[at..at + words].copy_from_slice(&bench.slice(B, words));
    assert_eq!(bench.slice(TABLE, words * 4), expected);
}

fn sets(bench: &mut Bench, words: usize) {
    let (x, y) = (bench.random_set(B, words), bench.random_set(C, words));
    bench.run(Op::And1.wide(words), A, B, C);
    assert_eq!(bench.set(A, words), &x & &y);
    bench.run(Op::Or1.wide(words), A, B, C);
    assert_eq!(bench.set(A, words), &x | &y);
    bench.run(Op::Without1.wide(words), A, B, C);
    assert_eq!(bench.set(A, words), &x - &y);
    bench.run(Op::Without1.wide(words), B, B, C);
    assert_eq!(bench.set(B, words), &x - &y, "in place");
}

fn set_members(bench: &mut Bench, words: usize) {
    let set = bench.random_set(A, words);
    let index = bench.index(words);
    bench.put(B, index);
    let one: BTreeSet<usize> = usize::try_from(index).ok().filter(|i| *i < words * 64).into_iter().collect();
    bench.run(Op::Insert1.wide(words), A, B, 0);
    assert_eq!(bench.set(A, words), &set | &one);
    bench.run(Op::Delete1.wide(words), A, B, 0);
    assert_eq!(bench.set(A, words), &set - &one);
    bench.run(Op::Single1.wide(words), A, B, 0);
    assert_eq!(bench.set(A, words), one);

    let set = bench.random_set(B, words);
    bench.run(Op::Count1.wide(words), A, B, 0);
    assert_eq!(bench.get(A), set.len() as i64);
    let member = |n: usize| set.iter().nth(n).map_or(-1, |i| *i as i64);
    bench.run(Op::First1.wide(words), A, B, 0);
    assert_eq!(bench.get(A), member(0));
    let n = bench.chance.below(set.len() as u64 + 2) as usize;
    bench.put(C, n as i64);
    bench.run(Op::Nth1.wide(words), A, B, C);
    assert_eq!(bench.get(A), member(n));

    for row in 0..5 {
        bench.random_set(TABLE + (row * words) as u16, words);
    }
    bench.put(A, 5);
    bench.put(C, index);
    let has = |row: &usize| bench.set(TABLE + (row * words) as u16, words).is_superset(&one) && !one.is_empty();
    let expected = (0..5).find(has).map_or(-1, |row| row as i64);
    bench.run(Op::FindRow1.wide(words), A, TABLE, C);
    assert_eq!(bench.get(A), expected);

    let mut rest = bench.random_set(B, words);
    bench.put(A, -5);
    let empty = bench.run(Op::Pop1.wide(words), A, B, 0);
    match rest.pop_first() {
        Some(first) => assert_eq!((empty, bench.get(A)), (false, first as i64)),
        None => assert_eq!((empty, bench.get(A)), (true, -5)),
    }
    assert_eq!(bench.set(B, words), rest);
}

fn set_jumps(bench: &mut Bench, words: usize) {
    let (x, y) = (bench.random_set(A, words), bench.random_set(B, words));
    assert_eq!(bench.run(Op::JumpMeets1.wide(words), A, B, 0), !x.is_disjoint(&y));
    assert_eq!(bench.run(Op::JumpApart1.wide(words), A, B, 0), x.is_disjoint(&y));
    assert_eq!(bench.run(Op::JumpEmpty1.wide(words), A, 0, 0), x.is_empty());
    assert_eq!(bench.run(Op::JumpSome1.wide(words), A, 0, 0), !x.is_empty());
    let index = bench.index(words);
    bench.put(C, index);
    let inside = usize::try_from(index).is_ok_and(|i| x.contains(&i));
    assert_eq!(bench.run(Op::JumpIn1.wide(words), A, C, 0), inside);
    assert_eq!(bench.run(Op::JumpOut1.wide(words), A, C, 0), !inside);
}

fn images(bench: &mut Bench, words: usize) {
    for to in SET_WIDTHS {
        for row in 0..words * 64 {
            let row = TABLE + (row * to) as u16;
            bench.put_slice(row, &vec![0; to]);
            let at = bench.chance.below(to as u64) as u16;
            let word = 1i64 << bench.chance.below(64);
            bench.put(row + at, word);
        }
        let set = bench.random_set(B, words);
        let rows = set.iter().map(|m| bench.set(TABLE + (m * to) as u16, to));
        let expected: BTreeSet<usize> = rows.flatten().collect();
        bench.run(Op::image(words, to), A, B, TABLE);
        assert_eq!(bench.set(A, to), expected, "{words} to {to}");
    }
}

fn bag_arithmetic(bench: &mut Bench, words: usize) {
    let pairs = |x: &[i64], y: &[i64], f: fn(i64, i64) -> i64| -> Vec<i64> {
        x.iter().zip(y).map(|(x, y)| f(*x, *y)).collect()
    };
    let (x, y) = (bench.random_bag(B, words, 63), bench.random_bag(C, words, 64));
    bench.run(Op::BagAdd1.wide(words), A, B, C);
    assert_eq!(bench.bag(A, words), pairs(&x, &y, |x, y| x + y));
    let (x, y) = (bench.random_bag(B, words, 127), bench.random_bag(C, words, 127));
    bench.run(Op::BagSubtract1.wide(words), A, B, C);
    assert_eq!(bench.bag(A, words), pairs(&x, &y, |x, y| (x - y).max(0)));
    bench.run(Op::BagMin1.wide(words), A, B, C);
    assert_eq!(bench.bag(A, words), pairs(&x, &y, i64::min));
    bench.run(Op::BagSize1.wide(words), A, B, 0);
    assert_eq!(bench.get(A), x.iter().sum::<i64>());
    let above: BTreeSet<usize> = (0..words * 8).filter(|k| x[*k] > y[*k]).collect();
    bench.run(Op::BagAbove1.wide(words), A, B, C);
    assert_eq!(bench.set(A, 1), above);

    bench.random_bag(B, words, 2);
    bench.put(C, 2);
    let held = bench.slice(B, words);
    let listed = list_bags(&held, 2, usize::MAX);
    if let Some((first, rest)) = listed.split_first() {
        bench.run(Op::FirstBag1.wide(words), A, B, C);
        assert_eq!(bench.slice(A, words), first[..words]);
        for next in rest {
            assert!(!bench.run(Op::NextBag1.wide(words), A, B, 0));
            assert_eq!(bench.slice(A, words), next[..words]);
        }
        assert!(bench.run(Op::NextBag1.wide(words), A, B, 0));
    }

    let x = bench.random_bag(B, words, 2);
    bench.run(Op::BagKinds1.wide(words), A, B, 0);
    assert_eq!(bench.set(A, 1), (0..words * 8).filter(|k| x[*k] > 0).collect());
    let times = bench.chance.below(64) as i64;
    bench.put(C, times);
    bench.run(Op::BagTimes1.wide(words), A, B, C);
    assert_eq!(bench.bag(A, words), x.iter().map(|n| n * times).collect::<Vec<_>>());
    let set = bench.random_set(C, 1);
    bench.run(Op::BagWithin1.wide(words), A, B, C);
    let within: Vec<i64> = x.iter().enumerate().map(|(k, n)| if set.contains(&k) { *n } else { 0 }).collect();
    assert_eq!(bench.bag(A, words), within);

    let (kind, count) = (bench.chance.below(words as u64 * 8) as usize, bench.chance.below(128) as i64);
    bench.put(B, count);
    bench.put(C, kind as i64);
    bench.run(Op::BagOf1.wide(words), A, B, C);
    let only: Vec<i64> = (0..words * 8).map(|k| if k == kind { count } else { 0 }).collect();
    assert_eq!(bench.bag(A, words), only);

    let mut x = bench.random_bag(B, words, 100);
    bench.run(Op::Lane, A, B, C);
    assert_eq!(bench.get(A), x[kind]);
    let by = bench.chance.below(128) as i64 - x[kind];
    bench.put(A, by);
    bench.run(Op::AddLane, B, C, A);
    x[kind] += by;
    assert_eq!(bench.bag(B, words), x);
}

fn bag_jumps(bench: &mut Bench, words: usize) {
    let mut x = bench.random_bag(A, words, 127);
    let mut y: Vec<i64> = x.iter().map(|n| bench.chance.below(*n as u64 + 1) as i64).collect();
    if bench.chance.below(2) == 0 {
        let kind = bench.chance.below(words as u64 * 8) as usize;
        y[kind] = (x[kind] + 1).min(127);
    }
    bench.put_bag(B, &y);
    let has = x.iter().zip(&y).all(|(x, y)| x >= y);
    assert_eq!(bench.run(Op::JumpHas1.wide(words), A, B, 0), has);
    assert_eq!(bench.run(Op::JumpLacks1.wide(words), A, B, 0), !has);
    assert!(!bench.run(Op::JumpFull1.wide(words), A, 0, 0));
    let kind = bench.chance.below(words as u64 * 8) as usize;
    x[kind] = 128 + bench.chance.below(127) as i64;
    bench.put_bag(A, &x);
    assert!(bench.run(Op::JumpFull1.wide(words), A, 0, 0));
}

/// `RandomLane` draws each kind in proportion, what is forced where the bag has it, and -1 from an empty bag.
fn draws(bench: &mut Bench, words: usize) {
    let op = Op::RandomLane1.wide(words);
    bench.code.streams = vec!["first".into(), "second".into()];
    bench.machine.forced = vec![VecDeque::new(); 2];
    let mut lanes = vec![0; words * 8];
    lanes[1] = 3;
    lanes[words * 8 - 1] = 1;
    bench.put_bag(B, &lanes);
    let counter = fixed::STREAMS + 1;
    let before = (bench.get(counter), bench.get(fixed::STREAMS));
    let mut drawn: BTreeMap<i64, usize> = BTreeMap::new();
    for _ in 0..4000 {
        bench.run(op, A, B, 1);
        *drawn.entry(bench.get(A)).or_default() += 1;
    }
    assert_eq!((bench.get(counter), bench.get(fixed::STREAMS)), (before.0 + 4000, before.1), "one stream is counted");
    assert_eq!(drawn.keys().copied().collect::<Vec<_>>(), [1, words as i64 * 8 - 1]);
    assert!((2800..3200).contains(&drawn[&1]), "{drawn:?}");
    assert_eq!(bench.bag(B, words), lanes, "the bag stays");

    bench.machine.forcing = true;
    bench.machine.forced[1] = VecDeque::from([words as i64 * 8 - 1, 0, 1]);
    let forced: Vec<i64> = (0..3)
        .map(|_| {
            bench.run(op, A, B, 1);
            bench.get(A)
        })
        .collect();
    assert_eq!(forced[0], words as i64 * 8 - 1);
    assert!([1, words as i64 * 8 - 1].contains(&forced[1]), "what is not there cannot be forced");
    assert_eq!(forced[2], 1);
    assert!(!bench.machine.forcing);

    bench.put_bag(B, &vec![0; words * 8]);
    bench.run(op, A, B, 1);
    assert_eq!(bench.get(A), -1);
}

fn control(bench: &mut Bench) {
    bench.put(B, 41);
    bench.put(C, 1);
    // 0 calls 3, which adds and returns to 1, which jumps over 2.
    let add = [
        (Op::Call, 3, 0, 150),
        (Op::Jump, 5, 0, 0),
        (Op::Fault, 9, 0, 0),
        (Op::Add, A, B, C),
        (Op::Return, 150, 0, 0),
        (Op::EndMenu, 0, 0, 0),
    ];
    assert_eq!(bench.program(&add), Stop::MenuEnd);
    assert_eq!(bench.get(A), 42);
    assert_eq!(bench.program(&[(Op::Fault, 9, 0, 0)]), Stop::Fault(9));
    assert_eq!(bench.program(&[(Op::Decide, 7, 0, 0)]), Stop::Decide(7));
    assert_eq!(bench.get(fixed::SITE), 7);
    assert_eq!(bench.program(&[(Op::Jump, 0, 0, 0)]), Stop::Budget);
    bench.put(A, 1);
    assert_eq!(bench.program(&[(Op::Finish, A, 0, 0)]), Stop::Finished);
    assert_eq!((bench.get(fixed::OVER), bench.get(fixed::WINNER)), (1, 1));
    // Behind the last instruction nothing is left to do.
    assert_eq!(bench.program(&[(Op::JumpZero, A, 0, 100), (Op::Forced, 0, 0, 0)]), Stop::Finished);
}

fn kept_values(bench: &mut Bench) {
    let (valid, mask, back, kept) = (160, 161, 162, 163);
    let text = Kept { name: "sum".into(), entry: 3, back, address: kept, words: 1, valid, bit: 2 };
    bench.code.kept = vec![text];
    for (at, value) in [(valid, 0b11), (mask, 0b100), (kept, 0), (B, 20), (C, 22)] {
        bench.put(at, value);
    }
    let code = [
        (Op::Ensure, valid, mask, 0),
        (Op::Ensure, valid, mask, 0),
        (Op::EndMenu, 0, 0, 0),
        (Op::Add, kept, B, C),
        (Op::Hit, 0, 0, 0),
        (Op::Validate, valid, mask, 0),
        (Op::Return, back, 0, 0),
    ];
    bench.machine.hits = vec![0];
    assert_eq!(bench.program(&code), Stop::MenuEnd);
    assert_eq!((bench.get(kept), bench.get(valid), bench.machine.hits[0]), (42, 0b111, 1), "computed once");
    bench.run(Op::Invalidate, valid, mask, 0);
    assert_eq!(bench.get(valid), 0b11);
    bench.program(&code);
    assert_eq!(bench.machine.hits[0], 2, "computed anew");
}

fn records(bench: &mut Bench) {
    let number = Type::Number;
    bench.code.events = vec![EventText { kind: EventKind::Turn, values: vec![(B, number)] }];
    bench.code.event_words = vec![vec![(B, 2)]];
    bench.code.reasons = vec![ReasonText::default(); 2];
    bench.code.reason_words = vec![Vec::new(), vec![(C, 1)]];
    bench.code.counters = vec![Counter::Action("act".into())];
    bench.machine.hits = vec![0];
    bench.machine.forced_choices = 0;
    for (at, value) in [(B, 5), (B + 1, 6), (C, 7)] {
        bench.put(at, value);
    }
    bench.machine.events.clear();
    bench.run(Op::Event, 0, 0, 0);
    assert_eq!(bench.machine.events, [0, 5, 6]);
    bench.run(Op::Why, 1, 0, 0);
    assert_eq!(bench.machine.whys, [1, 7]);
    bench.run(Op::Hit, 0, 0, 0);
    bench.run(Op::Hit, 9, 0, 0);
    assert_eq!(bench.machine.hits, [1]);
    bench.run(Op::Forced, 0, 0, 0);
    assert_eq!(bench.machine.forced_choices, 1);
    for _ in 0..MAX_EVENT_WORDS {
        bench.run(Op::Event, 0, 0, 0);
    }
    assert!(bench.machine.events.len() < MAX_EVENT_WORDS + 3, "records are bounded");
}

/// `Random` stays below its bound, is counted for each stream, and gives first what is forced.
fn chance(bench: &mut Bench) {
    bench.code.streams = vec!["first".into(), "second".into()];
    bench.machine.forced = vec![VecDeque::new(); 2];
    bench.put(B, 6);
    let mut seen = [0; 6];
    for _ in 0..6000 {
        bench.run(Op::Random, A, B, 0);
        seen[bench.get(A) as usize] += 1;
    }
    assert!(seen.iter().all(|n| (850..1150).contains(n)), "{seen:?}");

    let mut following = |forced: &[i64]| {
        bench.put(fixed::STREAMS, 0);
        bench.machine.forced[0] = forced.iter().copied().collect();
        bench.machine.forcing = !forced.is_empty();
        let mut next = || {
            bench.run(Op::Random, A, B, 0);
            bench.get(A)
        };
        [next(), next(), next(), next()]
    };
    let free = following(&[]);
    let forced = following(&[3, 99]);
    assert_eq!(forced[..2], [3, 5], "what is too large is the largest");
    assert_eq!(forced[2..], free[2..], "later results stay the same");
    assert!(!bench.machine.forcing);
    bench.put(B, 0);
    bench.run(Op::Random, A, B, 0);
    assert_eq!(bench.get(A), 0);
}

fn shuffles(bench: &mut Bench) {
    let (words, values) = (2, 5);
    bench.code.shuffles = vec![ShuffleText { address: TABLE, words, values, stream: 1 }];
    let mut orders = BTreeSet::new();
    for _ in 0..50 {
        bench.put_slice(TABLE, &vec![0; words * values]);
        // Places in no row have no value; such a place takes part too.
        let at: Vec<Option<usize>> =
            (0..100).map(|_| bench.chance.below(6) as usize).map(|v| (v < 5).then_some(v)).collect();
        for (place, value) in at.iter().enumerate() {
            if let Some(v) = value {
                bench.machine.memory[TABLE as usize + v * words + place / 64] |= 1 << (place % 64);
            }
        }
        let set = bench.random_set(B, words);
        bench.run(Op::Shuffle, 0, B, 0);
        let rows: Vec<BTreeSet<usize>> = (0..values).map(|v| bench.set(TABLE + (v * words) as u16, words)).collect();
        let after = |place: usize| rows.iter().position(|row| row.contains(&place));
        let (mut before_values, mut after_values) = (Vec::new(), Vec::new());
        for place in 0..128 {
            assert!(rows.iter().filter(|row| row.contains(&place)).count() <= 1, "one value a place");
            let before = at.get(place).copied().flatten();
            if set.contains(&place) {
                before_values.push(before);
                after_values.push(after(place));
            } else {
                assert_eq!(after(place), before, "others stay");
            }
        }
        orders.insert(after_values.clone());
        before_values.sort();
        after_values.sort();
        assert_eq!(after_values, before_values, "the same values");
    }
    assert!(orders.len() > 20);
}

fn trails(bench: &mut Bench) {
    let ends: Vec<[u16; 2]> = (0..6).map(|i| [i, (i + 1) % 7]).collect();
    let mut edges = vec![Vec::new(); 7];
    for (edge, pair) in ends.iter().enumerate() {
        pair.iter().for_each(|c| edges[*c as usize].push(edge as u16));
    }
    bench.code.graph = Graph { ends, edges };
    bench.code.trails = vec![TrailText { sets: vec![B], words: 1, through: Some(C), joined: None, corner_words: 1 }];
    bench.machine.trails = trail::Cache::new(1);
    for (set, through, expected) in [(0b11_1111, -1, 6), (0b10_1111, -1, 4), (0b11_1111, !0b100, 4), (0, -1, 0)] {
        bench.put(B, set);
        bench.put(C, through);
        for _ in 0..2 {
            bench.run(Op::Trail, A, 0, 0);
            assert_eq!(bench.get(A), expected, "{set:b}");
        }
    }
}

fn straight_lines(bench: &mut Bench) {
    // Boards of one row: a line is so many numbers behind each other.
    for words in SET_WIDTHS {
        let cells: Vec<(i32, i32)> = (0..words as i32 * 64).map(|column| (column, 0)).collect();
        bench.code.lines = vec![LineText::new(&Board::grid(&cells), 0, None)];
        for length in 1..5 {
            bench.put(B, length as i64);
            let set: Vec<bool> = cells.iter().map(|_| bench.chance.below(3) > 0).collect();
            for word in 0..words {
                let bits = (0..64).filter(|bit| set[word * 64 + bit]).fold(0u64, |acc, bit| acc | 1 << bit);
                bench.put(A + word as u16, bits as i64);
            }
            bench.run(Op::Line1.wide(words), A, B, 0);
            for cell in 0..set.len() {
                let run = |step: i64| {
                    (1..)
                        .take_while(|n| {
                            usize::try_from(cell as i64 + n * step).is_ok_and(|at| set.get(at) == Some(&true))
                        })
                        .count()
                };
                let expected = set[cell] && 1 + run(1) + run(-1) >= length;
                let found = bench.get(A + (cell / 64) as u16) as u64 >> (cell % 64) & 1 == 1;
                assert_eq!(found, expected, "cell {cell} in lines of {length}");
            }
        }
    }
}

fn rows(bench: &mut Bench) {
    let parameter = |address| ParamPlace { address, ty: Type::Set(DomainId(0)), fixed: false, index: 0 };
    let entry = Entry {
        site: 0,
        label: EntryLabel::Answer,
        params: vec![parameter(170), parameter(171)],
        prefix: vec![170],
        last_is_fixed: false,
        resume: 0,
        why: None,
        complete: true,
        word: None,
        seat: None,
    };
    bench.code.entries = vec![entry];
    bench.put(170, 77);
    for words in SET_WIDTHS {
        bench.machine.clear_rows();
        let set = bench.random_set(B, words);
        bench.run(Op::RowSet1.wide(words), 0, B, 0);
        let rows = bench.machine.rows();
        assert_eq!(rows.len(), usize::from(!set.is_empty()));
        assert_eq!(bench.machine.total, set.len() as u64);
        if let Some(row) = rows.first() {
            assert_eq!((row.kind, row.prefix[0]), (RowKind::Set(words as u8), 77));
            assert_eq!(members(&row.set[..words]), set);
            assert!((0..row.count).all(|n| nth_bit(&row.set, n).is_some_and(|i| set.contains(&i))));
        }
    }
    // What is only listed is drawn by nobody.
    for words in SET_WIDTHS {
        bench.machine.clear_rows();
        let set = bench.random_set(B, words);
        bench.run(Op::RowRest1.wide(words), 0, B, 0);
        assert_eq!((bench.machine.total, bench.machine.undrawn), (0, set.len() as u64));
        if let Some(row) = bench.machine.rows().first() {
            assert_eq!((row.kind, row.count), (RowKind::Set(words as u8), 0));
            assert_eq!(members(&row.set[..words]), set);
        }
    }
    for words in BAG_WIDTHS {
        bench.machine.clear_rows();
        let lanes = bench.random_bag(B, words, 2);
        bench.put(C, 2);
        bench.run(Op::RowBag1.wide(words), 0, B, C);
        let bag = bench.slice(B, words);
        let expected = count_bags(&bag, 2);
        assert_eq!(bench.machine.total, expected, "{lanes:?}");
        assert_eq!(bench.machine.rows().len(), usize::from(expected > 0));
    }
    // An offered entry is noted with what the rules have fixed of it.
    bench.machine.clear_rows();
    bench.code.entries[0].params[0].fixed = true;
    bench.code.entries[0].params[0].ty = Type::Number;
    bench.run(Op::Offered, 0, 0, 0);
    assert_eq!(bench.machine.offered, [(0, vec![77])]);
    bench.machine.clear_rows();
    assert!(bench.machine.offered.is_empty());
    bench.run(Op::More, 0, 0, 0);
    assert!(bench.machine.rows().is_empty() && bench.machine.more);
    bench.machine.clear_rows();
    for _ in 0..MAX_ROWS + 1 {
        bench.run(Op::RowUnit, 0, 0, 0);
    }
    assert_eq!((bench.machine.rows().len(), bench.machine.more), (MAX_ROWS, true));
    bench.machine.clear_rows();
    assert!(bench.machine.rows().is_empty() && !bench.machine.more);
}

#[test]
fn bags_of_a_size_are_counted_as_they_are_listed() {
    let mut chance = Generator::new(9);
    for _ in 0..600 {
        let words = [1, 2, 4][chance.below(3) as usize];
        let kinds = 1 + chance.below(words * 8) as usize;
        let mut bag = vec![0u64; words as usize];
        for _ in 0..kinds {
            let (kind, count) = (chance.below(words * 8) as usize, chance.below(6));
            bag[kind / 8] = bag[kind / 8] & !(0xff << (kind % 8 * 8)) | count << (kind % 8 * 8);
        }
        let size = chance.below(8);
        let listed = list_bags(&bag, size, MAX_BAGS as usize);
        assert_eq!(count_bags(&bag, size), listed.len() as u64, "{size} of {bag:x?}");
        let distinct: BTreeSet<_> = listed.iter().collect();
        assert_eq!(distinct.len(), listed.len());
        for one in &listed {
            assert_eq!(one.iter().map(|w| bags::size(*w)).sum::<u64>(), size);
            assert!(bag.iter().zip(one).all(|(held, part)| bags::has(*held, *part)));
        }
    }
}

#[test]
fn a_seed_gives_the_same_game_and_streams_do_not_disturb_each_other() {
    let roll = |extra: usize| {
        let mut bench = Bench::new(bare());
        bench.code.streams = vec!["first".into(), "second".into()];
        bench.put(fixed::SEED, 12);
        bench.put(B, 1000);
        for _ in 0..extra {
            bench.run(Op::Random, A, B, 1);
        }
        (0..8)
            .map(|_| {
                bench.run(Op::Random, A, B, 0);
                bench.get(A)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(roll(0), roll(0));
    assert_eq!(roll(0), roll(5));
}

#[test]
fn operands_at_the_end_of_memory_do_no_harm() {
    let mut bench = Bench::new(bare());
    for op in Op::ALL {
        let harmless = [Op::Jump, Op::Call, Op::Return, Op::Ensure, Op::Decide, Op::Finish, Op::Fault];
        let described = [Op::Event, Op::Why, Op::Trail, Op::Shuffle, Op::Script];
        let is_row = op.name().starts_with("Row");
        if harmless.contains(op) || described.contains(op) || is_row {
            continue;
        }
        let is_draw = op.name().starts_with("Random");
        bench.run(*op, u16::MAX, u16::MAX, if is_draw { 0 } else { u16::MAX });
    }
}
