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

#[cfg(test)]
mod tests {
    use super::*;

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
