//! The longest trail: the most edges that one walk can use without using any twice. A walk goes on from edge to
//! edge at the corner that they share, if that corner may be passed.
//!
//! A corner that may not be passed is an end of its own for each edge there, and one where the walk may not change
//! between sets is one corner for each set; what is left is a plain graph, and each of its components is a case:
//!
//! - With no or two corners of odd degree there is a walk over all of its edges (Euler 1736).
//! - In a tree it is the longest path between two leaves.
//! - Else a trail that cannot be prolonged begins and ends at two different odd corners, since all edges there are used
//!   up; so the search begins at odd corners only, all but one of them. At each of the other odd corners an edge is left
//!   over, and an edge has two ends: with 2k odd corners at least k - 1 edges are, and finding that few ends the search.

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

/// Remembers the last few measurements of each description by their inputs: a board changes in few places
/// between two measurements, and many ask the same again.
pub struct Cache {
    slots: Vec<Vec<(Vec<u64>, u32)>>,
    key: Vec<u64>,
    turn: usize,
    measure: Measure,
}

/// Measurements remembered for each description.
const REMEMBERED: usize = 4;

impl Cache {
    pub fn new(descriptions: usize) -> Cache {
        Cache {
            slots: vec![Vec::with_capacity(REMEMBERED); descriptions],
            key: Vec::new(),
            turn: 0,
            measure: Measure::default(),
        }
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
        let length = self.measure.longest(graph, &lines);
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

/// One measurement; kept only so that its lists need not be made anew.
#[derive(Default)]
pub struct Measure {
    /// Which corner of the plain graph a corner is for a set of edges, with the number of the measurement that said so.
    corners: Vec<(u32, u16)>,
    turn: u32,
    /// The two ends of each edge, as corners of the plain graph.
    ends: Vec<[u16; 2]>,
    /// Where the joints of each corner begin among all joints; one more than there are corners.
    first: Vec<u16>,
    /// Edge and far end.
    joints: Vec<(u16, u16)>,
    /// The corners of the component at hand, each after its parent.
    component: Vec<u16>,
    /// By corner: its parent, and the longest way down from it.
    tree: Vec<(u16, u32)>,
    used: [u64; MAX_EDGES / 64],
    best: u32,
    bound: u32,
    budget: u32,
}

/// The parent of a corner that was not reached yet, and of one at which a component begins.
const UNSEEN: u16 = u16::MAX;
const ROOT: u16 = u16::MAX - 1;

impl Measure {
    /// The length of the longest trail, in edges.
    pub fn longest(&mut self, graph: &Graph, lines: &Lines) -> u32 {
        self.split(graph, lines);
        self.join();
        self.best = 0;
        self.budget = BUDGET;
        self.tree.clear();
        self.tree.resize(self.first.len().saturating_sub(1), (UNSEEN, 0));
        for corner in 0..self.tree.len() {
            if self.tree.get(corner).is_some_and(|t| t.0 == UNSEEN) {
                self.component(corner as u16);
            }
        }
        self.best
    }

    /// Makes the plain graph's edges.
    fn split(&mut self, graph: &Graph, lines: &Lines) {
        self.ends.clear();
        self.turn += 1;
        let row = lines.sets.len() + 1;
        let size = graph.edges.len() * row;
        if self.corners.len() < size {
            self.corners.resize(size, (0, 0));
        }
        let mut count = 0;
        let words = lines.sets.iter().map(|s| s.len()).max().unwrap_or(0);
        for w in 0..words {
            // An edge in several sets counts for the first of them.
            let mut earlier = 0;
            for (kind, set) in lines.sets.iter().enumerate() {
                let mut bits = set.get(w).copied().unwrap_or(0) & !earlier;
                earlier |= bits;
                while bits != 0 {
                    let edge = w * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let Some(ends) = graph.ends.get(edge).filter(|_| self.ends.len() < MAX_EDGES) else { continue };
                    let plain = ends.map(|corner| self.corner(lines, row, corner, kind, &mut count));
                    self.ends.push(plain);
                }
            }
        }
        self.first.clear();
        self.first.resize(usize::from(count) + 1, 0);
    }

    /// The plain graph's corner for an end of an edge.
    #[inline]
    fn corner(&mut self, lines: &Lines, row: usize, corner: u16, kind: usize, count: &mut u16) -> u16 {
        let fresh = *count;
        if lines.through.is_some_and(|t| !has(t, corner)) {
            *count += 1;
            return fresh;
        }
        let all = lines.joined.is_none_or(|j| has(j, corner));
        let at = usize::from(corner) * row + if all { row - 1 } else { kind };
        match self.corners.get_mut(at) {
            Some((turn, known)) if *turn == self.turn => *known,
            Some(slot) => {
                *slot = (self.turn, fresh);
                *count += 1;
                fresh
            }
            None => {
                *count += 1;
                fresh
            }
        }
    }

    /// Lists the joints of each corner.
    fn join(&mut self) {
        for corner in self.ends.iter().flatten() {
            if let Some(degree) = self.first.get_mut(usize::from(*corner)) {
                *degree += 1;
            }
        }
        let mut sum = 0;
        for first in &mut self.first {
            sum += *first;
            *first = sum;
        }
        self.joints.clear();
        self.joints.resize(self.ends.len() * 2, (0, 0));
        for (edge, [a, b]) in self.ends.iter().enumerate() {
            for (near, far) in [(*a, *b), (*b, *a)] {
                if let Some(first) = self.first.get_mut(usize::from(near)) {
                    *first -= 1;
                    if let Some(joint) = self.joints.get_mut(usize::from(*first)) {
                        *joint = (edge as u16, far);
                    }
                }
            }
        }
    }

    fn joints(&self, corner: u16) -> std::ops::Range<usize> {
        let first = |c: usize| self.first.get(c).copied().unwrap_or(0).into();
        first(corner.into())..first(usize::from(corner) + 1)
    }

    /// Measures the component of a corner.
    fn component(&mut self, root: u16) {
        self.component.clear();
        self.component.push(root);
        self.reach(root, ROOT);
        let (mut degrees, mut odd, mut at) = (0, 0, 0);
        while let Some(&corner) = self.component.get(at) {
            at += 1;
            let joints = self.joints(corner);
            degrees += joints.len() as u32;
            odd += joints.len() as u32 % 2;
            for joint in joints {
                let Some(&(_, far)) = self.joints.get(joint) else { continue };
                if self.tree.get(usize::from(far)).is_some_and(|t| t.0 == UNSEEN) {
                    self.reach(far, corner);
                    self.component.push(far);
                }
            }
        }
        let edges = degrees / 2;
        self.bound = edges - (odd / 2).saturating_sub(1);
        if self.bound <= self.best {
            return;
        }
        if odd <= 2 {
            self.best = edges;
        } else if edges + 1 == self.component.len() as u32 {
            self.longest_path();
        } else {
            self.search(odd);
        }
    }

    fn reach(&mut self, corner: u16, parent: u16) {
        if let Some(known) = self.tree.get_mut(usize::from(corner)) {
            *known = (parent, 0);
        }
    }

    /// In a tree: from the leaves up, the two longest ways down at each corner.
    fn longest_path(&mut self) {
        for corner in self.component.iter().rev() {
            let Some(&(parent, down)) = self.tree.get(usize::from(*corner)) else { continue };
            if let Some((_, above)) = self.tree.get_mut(usize::from(parent)) {
                self.best = self.best.max(*above + down + 1);
                *above = (*above).max(down + 1);
            }
        }
    }

    /// Tries all walks from all odd corners but one.
    fn search(&mut self, odd: u32) {
        self.used = [0; MAX_EDGES / 64];
        let mut left = odd;
        for at in 0..self.component.len() {
            let Some(&corner) = self.component.get(at) else { return };
            if self.joints(corner).len() % 2 == 1 {
                left -= 1;
                if left > 0 {
                    self.step(corner, 0);
                }
            }
            if self.best >= self.bound {
                return;
            }
        }
    }

    fn step(&mut self, corner: u16, length: u32) {
        self.best = self.best.max(length);
        if self.budget == 0 {
            return;
        }
        self.budget -= 1;
        for at in self.joints(corner) {
            let Some(&(edge, far)) = self.joints.get(at) else { return };
            let bit = 1 << (edge % 64);
            let word = usize::from(edge) / 64 % self.used.len();
            if self.used[word] & bit == 0 {
                self.used[word] |= bit;
                self.step(far, length + 1);
                self.used[word] &= !bit;
                if self.best >= self.bound {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::engine::random::Generator;

    /// A ring of six corners with a tail of two at corner 0: edges 0..6 the ring, 6 and 7 the tail.
    fn ring() -> Graph {
        let mut ends: Vec<[u16; 2]> = (0..6).map(|i| [i, (i + 1) % 6]).collect();
        ends.push([0, 6]);
        ends.push([6, 7]);
        graph(8, ends)
    }

    fn graph(corners: usize, ends: Vec<[u16; 2]>) -> Graph {
        let mut edges = vec![Vec::new(); corners];
        for (e, pair) in ends.iter().enumerate() {
            for c in pair {
                edges[*c as usize].push(e as u16);
            }
        }
        Graph { ends, edges }
    }

    fn length(set: u64, through: u64) -> u32 {
        let lines = Lines { sets: &[&[set]], through: Some(&[through]), joined: None };
        Measure::default().longest(&ring(), &lines)
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

    /// All walks from all edges, straight from what a trail is.
    fn tried(graph: &Graph, lines: &Lines) -> u32 {
        fn step(graph: &Graph, lines: &Lines, used: &mut Vec<u16>, corner: u16, kind: usize) -> u32 {
            let mut best = used.len() as u32;
            for (edge, ends) in graph.ends.iter().enumerate() {
                let edge = edge as u16;
                let Some(next) = lines.sets.iter().position(|s| has(s, edge)) else { continue };
                let passes = lines.through.is_none_or(|t| has(t, corner))
                    && (kind == next || lines.joined.is_none_or(|j| has(j, corner)));
                if used.contains(&edge) || !ends.contains(&corner) || !passes {
                    continue;
                }
                used.push(edge);
                let far = if ends[0] == corner { ends[1] } else { ends[0] };
                best = best.max(step(graph, lines, used, far, next));
                used.pop();
            }
            best
        }
        let mut best = 0;
        for (edge, ends) in graph.ends.iter().enumerate() {
            let Some(kind) = lines.sets.iter().position(|s| has(s, edge as u16)) else { continue };
            for corner in ends {
                best = best.max(step(graph, lines, &mut vec![edge as u16], *corner, kind));
            }
        }
        best
    }

    #[test]
    fn random_graphs_are_measured_as_by_trying_all() {
        let mut chance = Generator::new(5);
        let mut measure = Measure::default();
        for round in 0..1000 {
            let corners = 2 + chance.below(8);
            let ends = (0..chance.below(10)).map(|_| [(); 2].map(|()| chance.below(corners) as u16)).collect();
            let graph = graph(corners as usize, ends);
            let sets = [[chance.bits() | chance.bits()], [chance.bits()]];
            let (through, joined) = ([chance.bits() | chance.bits()], [chance.bits()]);
            let lines = Lines {
                sets: if round % 2 == 0 { &[&sets[0]] } else { &[&sets[0], &sets[1]] },
                through: (round % 3 > 0).then_some(&through),
                joined: (round % 5 > 0).then_some(&joined),
            };
            assert_eq!(
                measure.longest(&graph, &lines),
                tried(&graph, &lines),
                "{graph:?} {:?}",
                (sets, through, joined)
            );
        }
    }

    /// A board of hexes, and a network of a player grown on it edge by edge.
    fn hexes() -> Graph {
        let range = -2i32..=2;
        let places: Vec<(i32, i32)> = range
            .clone()
            .flat_map(|q| range.clone().map(move |r| (q, r)))
            .filter(|(q, r)| (q + r).abs() <= 2)
            .collect();
        let board = Board::hexes(&places);
        let find = |name: &str| board.relations.iter().find(|r| r.name == name).expect("hexes have it");
        let ends = find("ends");
        let pairs = ends.table.iter().map(|e| [e[0], e[1]]).collect();
        graph(board.places(ends.to).len(), pairs)
    }

    fn network(graph: &Graph, chance: &mut Generator, size: usize) -> [u64; 2] {
        let mut set = [0u64; 2];
        let mut members: Vec<u16> = Vec::new();
        let mut add = |edge: u16, members: &mut Vec<u16>| {
            if set[edge as usize / 64] >> (edge % 64) & 1 == 0 {
                set[edge as usize / 64] |= 1 << (edge % 64);
                members.push(edge);
            }
        };
        for _ in 0..2 {
            add(chance.below(graph.ends.len() as u64) as u16, &mut members);
        }
        while members.len() < size {
            let from = members[chance.below(members.len() as u64) as usize];
            let corner = graph.ends[from as usize][chance.below(2) as usize];
            let around = &graph.edges[corner as usize];
            add(around[chance.below(around.len() as u64) as usize], &mut members);
        }
        set
    }

    #[test]
    fn networks_on_hexes_are_measured_as_by_trying_all() {
        let graph = hexes();
        let mut chance = Generator::new(6);
        let mut measure = Measure::default();
        for round in 0..100 {
            let set = network(&graph, &mut chance, 5 + round % 8);
            let through = [chance.bits() | chance.bits() | chance.bits()];
            let lines = Lines { sets: &[&set], through: (round % 2 > 0).then_some(&through), joined: None };
            assert_eq!(measure.longest(&graph, &lines), tried(&graph, &lines));
        }
    }

    /// `cargo test --release -- --ignored --nocapture trails_take` prints how long one measurement takes.
    #[test]
    #[ignore = "measures time"]
    #[allow(clippy::disallowed_methods, reason = "it measures time")]
    fn trails_take_little_time() {
        let graph = hexes();
        let mut chance = Generator::new(7);
        let networks: Vec<[u64; 2]> = (0..2000).map(|_| network(&graph, &mut chance, 15)).collect();
        let mut measure = Measure::default();
        for (name, through) in [("open", None), ("with closed corners", Some([u64::MAX - 0x1111_1111]))] {
            let start = std::time::Instant::now();
            let mut sum = 0;
            for _ in 0..20 {
                for set in &networks {
                    let through = through.as_ref().map(|t| &t[..]);
                    sum += measure.longest(&graph, &Lines { sets: &[set], through, joined: None });
                }
            }
            println!("{name}: {:?} each, {sum} edges in all", start.elapsed() / 40_000);
        }
    }
}
