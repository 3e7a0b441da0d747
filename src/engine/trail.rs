//! The longest trail: the most edges that one walk can use without using any twice. A walk goes on from edge to
//! edge at the corner that they share, if that corner may be passed.

/// The most edges of a board that a trail is measured on.
pub const MAX_EDGES: usize = 512;
/// The most steps one measurement may take; beyond, the longest found so far counts.
const BUDGET: u32 = 2_000_000;

/// Corners at the two ends of each edge, and the edges at each corner.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub ends: Vec<[u16; 2]>,
    pub edges: Vec<Vec<u16>>,
}

/// One kind of edges on the walk, as words of bits.
pub struct Lines<'a> {
    pub sets: &'a [&'a [u64]],
    /// Corners where the walk may go on.
    pub through: Option<&'a [u64]>,
    /// Corners where it may change from one set to another; None: everywhere.
    pub joined: Option<&'a [u64]>,
}

fn has(set: &[u64], index: u16) -> bool {
    set.get(index as usize / 64).is_some_and(|w| w >> (index % 64) & 1 == 1)
}

impl Lines<'_> {
    fn kind(&self, edge: u16) -> Option<usize> {
        self.sets.iter().position(|s| has(s, edge))
    }

    fn passes(&self, corner: u16, from: usize, to: usize) -> bool {
        self.through.is_none_or(|t| has(t, corner)) && (from == to || self.joined.is_none_or(|j| has(j, corner)))
    }
}

/// Remembers the last few measurements of each description by their inputs: a board changes in few places
/// between two measurements, and many ask the same again.
pub struct Cache {
    slots: Vec<Vec<(Vec<u64>, u32)>>,
    key: Vec<u64>,
    turn: usize,
}

/// Measurements remembered for each description.
const REMEMBERED: usize = 4;

impl Cache {
    pub fn new(descriptions: usize) -> Cache {
        Cache { slots: vec![Vec::with_capacity(REMEMBERED); descriptions], key: Vec::new(), turn: 0 }
    }

    /// The length for what `text` describes; `read` gives the words at an address.
    pub fn longest<'m>(
        &mut self,
        number: usize,
        graph: &Graph,
        text: &super::code::TrailText,
        read: impl Fn(u16, usize) -> &'m [u64],
    ) -> u32 {
        self.key.clear();
        self.key.push(
            (text.sets.len() as u64) << 2 | u64::from(text.through.is_some()) << 1 | u64::from(text.joined.is_some()),
        );
        for set in &text.sets {
            self.key.extend_from_slice(read(*set, text.words));
        }
        for corners in [text.through, text.joined].into_iter().flatten() {
            self.key.extend_from_slice(read(corners, text.corner_words));
        }
        if self.slots.len() <= number {
            self.slots.resize(number + 1, Vec::with_capacity(REMEMBERED));
        }
        let slots = &mut self.slots[number];
        if let Some((_, length)) = slots.iter().find(|(key, _)| *key == self.key) {
            return *length;
        }
        let mut sets: [&[u64]; 8] = [&[]; 8];
        for (to, set) in sets.iter_mut().zip(&text.sets) {
            *to = read(*set, text.words);
        }
        let lines = Lines {
            sets: &sets[..text.sets.len().min(8)],
            through: text.through.map(|a| read(a, text.corner_words)),
            joined: text.joined.map(|a| read(a, text.corner_words)),
        };
        let length = longest(graph, &lines);
        if slots.len() < REMEMBERED {
            slots.push((self.key.clone(), length));
        } else {
            let slot = &mut slots[self.turn % REMEMBERED];
            self.turn += 1;
            slot.0.clone_from(&self.key);
            slot.1 = length;
        }
        length
    }
}

struct Walk<'a> {
    graph: &'a Graph,
    lines: &'a Lines<'a>,
    used: [u64; MAX_EDGES / 64],
    best: u32,
    total: u32,
    budget: u32,
}

/// The length of the longest trail, in edges.
///
/// A trail that cannot be extended starts where the walk is blocked or at an odd corner; where every edge of a
/// component has two passable neighbours (rings) any start serves, so all edges are tried, ends first.
pub fn longest(graph: &Graph, lines: &Lines) -> u32 {
    let mut members: Vec<u16> = Vec::new();
    let mut walk = Walk { graph, lines, used: [0; MAX_EDGES / 64], best: 0, total: 0, budget: BUDGET };
    let words = lines.sets.iter().map(|s| s.len()).max().unwrap_or(0);
    for w in 0..words {
        let mut bits = lines.sets.iter().fold(0, |acc, s| acc | s.get(w).copied().unwrap_or(0));
        walk.total += bits.count_ones();
        while bits != 0 {
            members.push((w * 64) as u16 + bits.trailing_zeros() as u16);
            bits &= bits - 1;
        }
    }
    members.retain(|e| (*e as usize) < graph.ends.len().min(MAX_EDGES));
    for edge in members {
        let Some(kind) = lines.kind(edge) else { continue };
        for side in 0..2 {
            if walk.best == walk.total {
                return walk.best;
            }
            let ends = graph.ends[edge as usize];
            // Begin at ends[side] and leave over the other end. A start from which the trail could be prolonged
            // backwards is found from elsewhere as well, unless everything is rings.
            walk.mark(edge, true);
            walk.step(ends[1 - side], kind, 1);
            walk.mark(edge, false);
        }
    }
    walk.best
}

impl Walk<'_> {
    fn mark(&mut self, edge: u16, on: bool) {
        let bit = 1 << (edge % 64);
        let word = &mut self.used[edge as usize / 64];
        *word = if on { *word | bit } else { *word & !bit };
    }

    fn step(&mut self, corner: u16, kind: usize, length: u32) {
        self.best = self.best.max(length);
        if self.best == self.total || self.budget == 0 {
            return;
        }
        self.budget -= 1;
        let graph = self.graph;
        for &next in &graph.edges[corner as usize] {
            if next as usize >= MAX_EDGES || has(&self.used, next) {
                continue;
            }
            let Some(next_kind) = self.lines.kind(next) else { continue };
            if !self.lines.passes(corner, kind, next_kind) {
                continue;
            }
            let ends = graph.ends[next as usize];
            let far = if ends[0] == corner { ends[1] } else { ends[0] };
            self.mark(next, true);
            self.step(far, next_kind, length + 1);
            self.mark(next, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of six corners with a tail of two at corner 0: edges 0..6 the ring, 6 and 7 the tail.
    fn ring() -> Graph {
        let mut ends: Vec<[u16; 2]> = (0..6).map(|i| [i, (i + 1) % 6]).collect();
        ends.push([0, 6]);
        ends.push([6, 7]);
        let mut edges = vec![Vec::new(); 8];
        for (e, pair) in ends.iter().enumerate() {
            for c in pair {
                edges[*c as usize].push(e as u16);
            }
        }
        Graph { ends, edges }
    }

    fn length(set: u64, through: u64) -> u32 {
        longest(&ring(), &Lines { sets: &[&[set]], through: Some(&[through]), joined: None })
    }

    #[test]
    fn a_ring_counts_whole_and_a_tail_adds() {
        assert_eq!(length(0b0011_1111, u64::MAX), 6);
        assert_eq!(length(0b1111_1111, u64::MAX), 8);
        assert_eq!(length(0b0000_0111, u64::MAX), 3);
        assert_eq!(length(0, u64::MAX), 0);
    }

    #[test]
    fn a_closed_corner_ends_the_trail_but_may_be_its_end() {
        assert_eq!(length(0b0000_1111, !(1 << 2)), 2);
        assert_eq!(length(0b0011_1111, !1), 6);
        assert_eq!(length(0b1111_1111, !1), 6);
    }
}
