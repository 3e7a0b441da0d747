//! Straight lines: the places of a set that lie in a row, step by step in one of the board's directions. A step is
//! a shift of the whole set: places are numbered so that all that lie in a direction do so by one of few
//! distances, and for each distance it is known from which places it leads.

use crate::board::{Board, Direction, KindIndex};

/// The steps of each axis of a board: of two opposite directions only one is here.
#[derive(Clone, Debug, Default)]
pub struct LineText {
    pub axes: Vec<Vec<Step>>,
}

/// The places that have a neighbour so many numbers further on, and those neighbours.
#[derive(Clone, Debug)]
pub struct Step {
    by: i32,
    from: [u64; 8],
    to: [u64; 8],
}

impl LineText {
    /// The axes of a kind of place. With a relation, only its directions count.
    pub fn new(board: &Board, kind: KindIndex, along: Option<&str>) -> LineText {
        let relation = along.and_then(|name| board.relation(name, kind, kind));
        let fits = |d: &Direction| {
            let within = |(place, target): (usize, &Option<u16>)| match (relation, target) {
                (Some(relation), Some(target)) => relation.table.get(place).is_some_and(|row| row.contains(target)),
                (Some(_) | None, _) => true,
            };
            d.from == kind && d.to == kind && d.table.iter().enumerate().all(within)
        };
        let mut kept: Vec<&Direction> = Vec::new();
        for direction in board.directions.iter().filter(|d| fits(d)) {
            if !kept.iter().any(|known| opposite(known, direction)) {
                kept.push(direction);
            }
        }
        LineText { axes: kept.into_iter().map(steps).collect() }
    }
}

fn opposite(one: &Direction, other: &Direction) -> bool {
    let leads_back = |(place, target): (usize, &Option<u16>)| match target {
        Some(target) => other.table.get(usize::from(*target)).copied().flatten() == Some(place as u16),
        None => true,
    };
    one.table.iter().enumerate().all(leads_back)
        && one.table.iter().flatten().count() == other.table.iter().flatten().count()
}

fn steps(direction: &Direction) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (place, target) in direction.table.iter().enumerate() {
        let Some(target) = target.map(usize::from) else { continue };
        let by = target as i32 - place as i32;
        let at = steps.iter().position(|s| s.by == by).unwrap_or_else(|| {
            steps.push(Step { by, from: [0; 8], to: [0; 8] });
            steps.len() - 1
        });
        if let (Some(step), true) = (steps.get_mut(at), place < 512 && target < 512) {
            step.from[place / 64] |= 1 << (place % 64);
            step.to[target / 64] |= 1 << (target % 64);
        }
    }
    steps
}

/// The members of a set that lie in a straight line of at least so many of them.
#[inline]
pub fn in_line<const W: usize>(text: &LineText, set: &[u64; W], length: u64) -> [u64; W] {
    if length <= 1 {
        return *set;
    }
    let mut found = [0; W];
    if set.iter().map(|w| u64::from(w.count_ones())).sum::<u64>() < length {
        return found;
    }
    for axis in &text.axes {
        // The places at which a line of the set ends that is long enough.
        let mut ends = *set;
        for _ in 1..length {
            let next = forward(axis, &ends);
            for k in 0..W {
                ends[k] = next[k] & set[k];
            }
            if ends == [0; W] {
                break;
            }
        }
        if ends == [0; W] {
            continue;
        }
        for _ in 1..length {
            for k in 0..W {
                found[k] |= ends[k];
            }
            ends = backward(axis, &ends);
        }
        for k in 0..W {
            found[k] |= ends[k];
        }
    }
    found
}

#[inline]
fn forward<const W: usize>(axis: &[Step], set: &[u64; W]) -> [u64; W] {
    let mut out = [0; W];
    for step in axis {
        shift_into(&mut out, set, &step.from, step.by);
    }
    out
}

#[inline]
fn backward<const W: usize>(axis: &[Step], set: &[u64; W]) -> [u64; W] {
    let mut out = [0; W];
    for step in axis {
        shift_into(&mut out, set, &step.to, -step.by);
    }
    out
}

/// Adds those members of a set that are in `mask`, with their numbers raised by `by`.
#[inline]
fn shift_into<const W: usize>(out: &mut [u64; W], set: &[u64; W], mask: &[u64; 8], by: i32) {
    let (words, bits) = (by.unsigned_abs() as usize / 64, by.unsigned_abs() % 64);
    for k in 0..W {
        let word = set[k] & mask[k];
        if by >= 0 {
            if k + words < W {
                out[k + words] |= word << bits;
            }
            if bits > 0 && k + words + 1 < W {
                out[k + words + 1] |= word >> (64 - bits);
            }
        } else {
            if k >= words {
                out[k - words] |= word >> bits;
            }
            if bits > 0 && k > words {
                out[k - words - 1] |= word << (64 - bits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines found place by place, the slow way.
    fn by_hand(board: &Board, set: &[u64; 4], length: usize) -> [u64; 4] {
        let has = |i: u16| set[usize::from(i) / 64] >> (i % 64) & 1 == 1;
        let mut found = [0; 4];
        for direction in &board.directions {
            for start in 0..board.places(0).len() as u16 {
                let mut line = vec![start];
                while let Some(next) = direction.table[usize::from(line[line.len() - 1])] {
                    line.push(next);
                }
                line.truncate(length);
                if line.len() == length && line.iter().all(|i| has(*i)) {
                    line.iter().for_each(|i| found[usize::from(*i) / 64] |= 1 << (i % 64));
                }
            }
        }
        found
    }

    #[test]
    fn lines_are_those_that_are_found_place_by_place() {
        let mut chance = crate::engine::random::Generator::new(5);
        // A board with holes, so that one direction has steps of several lengths, and more than one word of cells.
        let cells: Vec<(i32, i32)> =
            (0..13).flat_map(|x| (0..13).map(move |y| (x, y))).filter(|(x, y)| (x * 7 + y * 5) % 11 != 0).collect();
        let board = Board::grid(&cells);
        let text = LineText::new(&board, 0, None);
        assert_eq!(text.axes.len(), 4);
        for _ in 0..200 {
            let mut set = [0u64; 4];
            for i in 0..board.places(0).len() {
                if chance.below(100) < 60 {
                    set[i / 64] |= 1 << (i % 64);
                }
            }
            for length in 2..6 {
                assert_eq!(in_line(&text, &set, length), by_hand(&board, &set, length as usize));
            }
        }
    }

    #[test]
    fn a_relation_tells_which_directions_count() {
        let cells: Vec<(i32, i32)> = (0..9).map(|i| (i % 3, i / 3)).collect();
        let board = Board::grid(&cells);
        let count = |along| LineText::new(&board, 0, along).axes.len();
        assert_eq!((count(None), count(Some("neighbours")), count(Some("diagonals"))), (4, 2, 2));
        let diagonal = [0b100_010_001];
        assert_eq!(in_line(&LineText::new(&board, 0, None), &diagonal, 3), diagonal);
        assert_eq!(in_line(&LineText::new(&board, 0, Some("neighbours")), &diagonal, 3), [0]);
    }
}
