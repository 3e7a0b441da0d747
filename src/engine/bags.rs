//! Arithmetic on bags: words of eight lanes of 8 bits, each lane at most 127, so that the top bit of a lane is
//! free to catch borrows (SIMD within a register; Warren, Hacker's Delight, 2-18).

pub const HIGH: u64 = 0x8080_8080_8080_8080;
const LOW: u64 = 0x0101_0101_0101_0101;
/// The most that a lane holds.
pub const LANE_MAX: i64 = 127;

/// The top bit of each lane in which `a >= b`.
#[inline]
fn at_least(a: u64, b: u64) -> u64 {
    ((a | HIGH) - b) & HIGH
}

/// Is every lane of `a` at least that of `b`?
#[inline]
pub fn has(a: u64, b: u64) -> bool {
    at_least(a, b) == HIGH
}

/// 0xff in each lane whose top bit is set.
#[inline]
fn spread(high: u64) -> u64 {
    (high >> 7).wrapping_mul(0xff)
}

#[inline]
pub fn min(a: u64, b: u64) -> u64 {
    let mask = spread(at_least(a, b));
    (b & mask) | (a & !mask)
}

/// `a - b`, zero where `b` is larger.
#[inline]
pub fn subtract(a: u64, b: u64) -> u64 {
    a - min(a, b)
}

/// The sum of the lanes.
#[inline]
pub fn size(a: u64) -> u64 {
    // Pairs of lanes first, since eight lanes of 127 do not fit in 8 bits.
    let pairs = (a & 0x00ff_00ff_00ff_00ff) + ((a >> 8) & 0x00ff_00ff_00ff_00ff);
    pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48
}

/// Gathers the top bit of each lane into the low eight bits.
#[inline]
fn gather(high: u64) -> u64 {
    ((high >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56
}

/// One bit for each lane that is not zero.
#[inline]
pub fn kinds(a: u64) -> u64 {
    gather(at_least(a, LOW))
}

/// One bit for each lane in which `a > b`.
#[inline]
pub fn above(a: u64, b: u64) -> u64 {
    gather(!at_least(b, a) & HIGH)
}

/// Only the lanes whose bit is set in the low eight bits of `set`.
#[inline]
pub fn within(a: u64, set: u64) -> u64 {
    let bits = (set & 0xff).wrapping_mul(LOW) & 0x8040_2010_0804_0201;
    a & spread(at_least(bits, LOW) | (bits & HIGH))
}

#[inline]
pub fn lane(words: &[u64], kind: usize) -> i64 {
    words.get(kind / 8).map_or(0, |w| ((w >> (kind % 8 * 8)) & 0xff) as i64)
}

/// Puts so many things of `held` into the empty lanes of a bag from this kind on, as many of the first kinds as there are.
pub fn fill(bag: &mut [u64], held: &[u64], from: usize, mut size: u64) {
    for kind in from..held.len() * 8 {
        let here = (lane(held, kind) as u64).min(size);
        if let Some(word) = bag.get_mut(kind / 8) {
            *word += here << (kind % 8 * 8);
        }
        size -= here;
    }
}

/// Makes a bag out of `held` the next of its size: one thing fewer of the last kind for which there is room behind it.
/// False if it was the last.
pub fn advance(bag: &mut [u64], held: &[u64]) -> bool {
    let (mut chosen, mut room) = (0, 0);
    for kind in (0..held.len() * 8).rev() {
        let (here, most) = (lane(bag, kind) as u64, lane(held, kind) as u64);
        if here > 0 && room > 0 {
            for word in bag.iter_mut().skip(kind / 8 + 1) {
                *word = 0;
            }
            if let Some(word) = bag.get_mut(kind / 8) {
                let below = (1u64 << (kind % 8 * 8)) - 1;
                let own = (here - 1) << (kind % 8 * 8);
                *word = *word & below | own;
            }
            fill(bag, held, kind + 1, chosen + 1);
            return true;
        }
        chosen += here;
        room += most.saturating_sub(here);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bags_follow_each_other_in_the_order_in_which_they_are_listed() {
        let held = [word([2, 0, 1, 3, 0, 0, 0, 1]), word([0, 2, 0, 0, 0, 0, 0, 0])];
        for size in 0..=9 {
            let listed = crate::engine::game::list_bags(&held, size, usize::MAX);
            let mut bag = [0; 2];
            fill(&mut bag, &held, 0, size);
            let mut made = vec![bag];
            while advance(&mut bag, &held) {
                made.push(bag);
            }
            assert!(made.iter().map(|b| &b[..]).eq(listed.iter().map(|b| &b[..2])), "size {size}");
        }
    }

    fn word(lanes: [u8; 8]) -> u64 {
        u64::from_le_bytes(lanes)
    }

    #[test]
    fn lanes_do_not_touch_each_other() {
        let a = word([1, 127, 0, 5, 9, 0, 127, 3]);
        let b = word([2, 0, 0, 5, 8, 127, 126, 4]);
        assert_eq!(min(a, b), word([1, 0, 0, 5, 8, 0, 126, 3]));
        assert_eq!(subtract(a, b), word([0, 127, 0, 0, 1, 0, 1, 0]));
        assert_eq!(kinds(a), 0b1101_1011);
        assert_eq!(above(a, b), 0b0101_0010);
        assert_eq!(size(a), 272);
        assert_eq!(size(word([127; 8])), 1016);
        assert!(!has(a, b));
        assert!(has(a, min(a, b)));
        for set in 0..=255u64 {
            let mut lanes = a.to_le_bytes();
            for (i, l) in lanes.iter_mut().enumerate() {
                if set >> i & 1 == 0 {
                    *l = 0;
                }
            }
            assert_eq!(within(a, set), word(lanes), "{set:b}");
        }
    }
}
