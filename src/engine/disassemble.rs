//! Prints code for people: each instruction with its address, and its operands by what they are — state by the name of
//! the field, piece or award, constants by their value, scratch as `s0`, `s1` …, numbers of descriptions by what they
//! describe. Entries, kept values, sites, turns and the like stand as labels in front of their first instruction.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::code::{CONSTANTS, Code, Counter, EntryLabel, KEPT, SCRATCH, Shape, TextPart, fixed};
use super::instr::{Instr, Op, Operand};

/// The whole code as text, one instruction a line.
pub fn disassemble(code: &Code) -> String {
    let labels = labels(code);
    let names = names(code);
    let mut out = String::new();
    for (at, instr) in code.instrs.iter().enumerate() {
        for label in labels.get(&at).into_iter().flatten() {
            // Writing to a text cannot fail.
            let _ = writeln!(out, "{label}:");
        }
        let _ = writeln!(out, "{at:>6}  {}", line(code, &names, at, *instr).trim_end());
    }
    out
}

/// What begins at an address of code.
fn labels(code: &Code) -> BTreeMap<usize, Vec<String>> {
    let mut labels: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut mark = |at: u32, label: String| labels.entry(at as usize).or_default().push(label);
    // A value that is computed in place left an empty piece of code behind.
    for (at, name) in code.chunks.iter().filter(|(_, name)| !name.starts_with("(not kept)")) {
        mark(*at, name.clone());
    }
    mark(code.start, "start".into());
    mark(code.invariants, "invariants".into());
    for (seat, at) in code.turns.iter().enumerate() {
        mark(*at, format!("turn of {}", seat_name(code, seat)));
    }
    for (seat, phases) in code.phases.iter().enumerate() {
        for (phase, at) in phases.iter().enumerate() {
            let name = code.program.phases.get(phase).map_or("?", |p| p.name.as_str());
            mark(*at, format!("phase {name} of {}", seat_name(code, seat)));
        }
    }
    for (seat, at) in code.settle.iter().enumerate() {
        mark(*at, format!("settle for {}", seat_name(code, seat)));
    }
    for (number, site) in code.sites.iter().enumerate() {
        mark(site.menu, format!("menu of site {number}"));
    }
    for (number, entry) in code.entries.iter().enumerate() {
        let what = match &entry.label {
            EntryLabel::Action(id) => code.program.actions.get(id.index()).map_or("?", |a| a.name.as_str()),
            EntryLabel::Answer => "answer",
            EntryLabel::Words(words) => words,
        };
        mark(entry.resume, format!("entry {number}, {what}"));
        if let Some(why) = entry.why {
            mark(why, format!("why not entry {number}, {what}"));
        }
    }
    for kept in &code.kept {
        mark(kept.entry, format!("keep {}", kept.name));
    }
    labels.values_mut().for_each(|names| {
        names.sort();
        names.dedup();
    });
    labels
}

fn seat_name(code: &Code, seat: usize) -> String {
    let players = code.program.known.player.and_then(|d| code.program.domains.get(d.index()));
    players.and_then(|d| d.members.get(seat)).map_or_else(|| format!("seat {seat}"), |m| m.name.clone())
}

/// Names of the words of state and of kept values that have one; of a run of words the first is given.
type Names = BTreeMap<u16, (String, usize)>;

fn names(code: &Code) -> Names {
    let mut names = Names::new();
    let fixed_words = [
        (fixed::SITE, "site"),
        (fixed::ACTIVE, "active"),
        (fixed::PHASE, "phase"),
        (fixed::TURN, "turn"),
        (fixed::OVER, "over"),
        (fixed::WINNER, "winner"),
        (fixed::SEED, "seed"),
    ];
    for (at, name) in fixed_words {
        names.insert(at, (name.into(), 1));
    }
    for (stream, name) in code.streams.iter().enumerate() {
        names.insert(fixed::STREAMS + stream as u16, (format!("stream {name}"), 1));
    }
    for (field, place) in code.program.fields.iter().zip(&code.layout.fields) {
        let (count, words) = match place.shape {
            Shape::Word => (place.cells(), 1),
            Shape::Set(words) | Shape::Bag(words) => (place.cells(), words),
            Shape::Rows { words, values, .. } => {
                let outer = place.keys.split_last().map_or(1, |(_, outer)| outer.iter().product::<usize>());
                (outer * values, words)
            }
        };
        runs(&mut names, place.address, &field.name, count, words);
    }
    for (piece, place) in code.program.pieces.iter().zip(&code.layout.pieces) {
        runs(&mut names, place.address, &piece.name, if place.owned { code.players } else { 1 }, place.words);
    }
    for (award, at) in code.program.awards.iter().zip(&code.layout.awards) {
        names.insert(*at, (award.name.clone(), 1));
    }
    for (limit, at) in code.program.limits.iter().zip(&code.layout.limits) {
        runs(&mut names, *at, &format!("limit {}", limit.name), code.players, 1);
    }
    for (number, at) in code.valid.iter().enumerate() {
        names.insert(*at, (format!("valid{number}"), 1));
    }
    for kept in &code.kept {
        if kept.words > 0 {
            names.insert(kept.address, (format!("kept {}", kept.name), kept.words as usize));
        }
        names.insert(kept.back, (format!("back of {}", kept.name), 1));
    }
    names
}

/// Values side by side: the name alone for one, `name[i]` for several.
fn runs(names: &mut Names, address: u16, name: &str, count: usize, words: usize) {
    for i in 0..count {
        let shown = if count == 1 { name.to_string() } else { format!("{name}[{i}]") };
        names.insert(address.saturating_add((i * words) as u16), (shown, words));
    }
}

fn line(code: &Code, names: &Names, at: usize, i: Instr) -> String {
    let mut shown = Vec::new();
    let absolute = matches!(i.op, Op::Jump | Op::Call);
    for (place, (value, kind)) in [i.a, i.b, i.c].into_iter().zip(i.op.operands()).enumerate() {
        match kind {
            Operand::Address => shown.push(address(code, names, i.op, place, value)),
            Operand::Number => shown.push(described(code, i.op, value)),
            Operand::Jump if absolute && place == 0 => shown.push(format!("-> {}", target(i))),
            Operand::Jump if absolute => {}
            Operand::Jump => shown.push(format!("-> {}", at as i64 + 1 + i64::from(value as i16))),
            Operand::Unused => {}
        }
    }
    format!("{:<14}{}", i.op.name(), shown.join(", "))
}

fn target(i: Instr) -> usize {
    usize::from(i.a) | usize::from(i.b) << 16
}

fn address(code: &Code, names: &Names, op: Op, place: usize, at: u16) -> String {
    if at >= SCRATCH {
        return format!("s{}", at - SCRATCH);
    }
    if at >= CONSTANTS {
        let is_table = match op.name().get(..4) {
            Some("Imag") => place == 2,
            Some("Load" | "Find") => place == 1,
            Some(_) | None => false,
        };
        return if is_table { format!("table@{at:#x}") } else { constant(code, op, place, at) };
    }
    let named = names.range(..=at).next_back();
    if let Some((first, (name, words))) = named
        && usize::from(at - first) < *words
    {
        return if at == *first { name.clone() } else { format!("{name}+{}", at - first) };
    }
    if at >= KEPT { format!("k{}", at - KEPT) } else { format!("m{at}") }
}

/// A constant's words; numbers in decimal, what looks like bits in hexadecimal.
fn constant(code: &Code, op: Op, place: usize, at: u16) -> String {
    let words: Vec<String> = (0..width(op, place))
        .map(|k| match code.image.get(usize::from(at) + k) {
            Some(word) if (-9999..=9999).contains(&(*word as i64)) => (*word as i64).to_string(),
            Some(word) => format!("{word:#x}"),
            None => "?".into(),
        })
        .collect();
    match &words[..] {
        [one] => format!("#{one}"),
        several => format!("#({})", several.join(" ")),
    }
}

/// How many words an operand has: as many as the name of the instruction says, where it is no index or count.
fn width(op: Op, place: usize) -> usize {
    let name = op.name();
    let words = name.chars().last().and_then(|c| c.to_digit(10)).unwrap_or(1) as usize;
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let one_word = match stem {
        "Load" | "Nth" | "BagTimes" | "BagWithin" | "FindRow" | "RowBag" => place != 1,
        "Store" => place == 1,
        "Insert" | "Delete" | "Single" | "JumpIn" | "JumpOut" => place == 1,
        "Count" | "First" | "BagSize" | "BagKinds" | "RandomLane" | "Pop" => place == 0,
        "BagOf" => place != 0,
        "BagAbove" => place == 0,
        _ => false,
    };
    if one_word { 1 } else { words }
}

/// What the number of a description, a site, a stream and so on stands for.
fn described(code: &Code, op: Op, number: u16) -> String {
    let at = usize::from(number);
    let found = match op {
        Op::Decide => code.sites.get(at).map(|_| format!("site {number}")),
        Op::Fault => code.faults.get(at).map(|f| format!("RW{:04} \"{}\"", f.code, f.message)),
        Op::Hit => code.counters.get(at).map(|c| match c {
            Counter::Action(name) => format!("action {name}"),
            Counter::Trigger(name) => format!("trigger {name}"),
        }),
        Op::Event => code.events.get(at).map(|e| format!("{:?}", e.kind)),
        Op::Why => code.reasons.get(at).map(|r| {
            let parts = r.parts.iter().map(|p| match p {
                TextPart::Text(text) => text.as_str(),
                TextPart::Value(..) => "{}",
            });
            format!("\"{}\"", parts.collect::<String>())
        }),
        Op::Script => code.scripts.get(at).map(|s| format!("{}/{}", s.function, s.args.len())),
        Op::Ensure => code.kept.get(at).map(|k| format!("keep {}", k.name)),
        Op::Random | Op::RandomLane1 | Op::RandomLane2 | Op::RandomLane4 | Op::RandomLane8 => {
            code.streams.get(at).map(|s| format!("from {s}"))
        }
        Op::Trail => Some(format!("trail {number}")),
        Op::Shuffle => Some(format!("shuffle {number}")),
        _ => Some(format!("entry {number}")),
    };
    found.unwrap_or_else(|| format!("?{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::bare::Bare;
    use crate::engine::code::Kept;

    #[test]
    fn a_small_code_is_readable() {
        let mut bare = Bare::new(2, 40);
        let (five, mask) = (bare.constant(&[5]), bare.constant(&[1 << 60]));
        let mut code = bare.code;
        let (back, address, valid) = (KEPT, KEPT + 1, KEPT + 2);
        code.kept.push(Kept { name: "towers".into(), entry: 3, back, address, words: 1, valid, bit: 0 });
        code.valid.push(valid);
        code.streams.push("dice".into());
        code.invariants = 6;
        code.instrs = vec![
            Instr { op: Op::Ensure, a: valid, b: mask, c: 0 },
            Instr { op: Op::JumpLess, a: fixed::TURN, b: five, c: (-2i16) as u16 },
            Instr { op: Op::Jump, a: 6, b: 0, c: 0 },
            Instr { op: Op::Insert1, a: 20, b: SCRATCH + 3, c: 0 },
            Instr { op: Op::Random, a: SCRATCH, b: five, c: 0 },
            Instr { op: Op::Return, a: KEPT, b: 0, c: 0 },
            Instr { op: Op::EndMenu, a: 0, b: 0, c: 0 },
        ];
        let expected = "\
start:
     0  Ensure        valid0, #0x1000000000000000, keep towers
     1  JumpLess      turn, #5, -> 0
     2  Jump          -> 6
keep towers:
     3  Insert1       m20, s3
     4  Random        s0, #5, from dice
     5  Return        back of towers
invariants:
     6  EndMenu
";
        assert_eq!(disassemble(&code), expected);
    }
}
