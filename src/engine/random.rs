//! Chance that is the same on every machine: each stream is counted, and its n-th number is a hash of the seed,
//! the stream and n. So a rule that uses one stream more or less does not shift what another stream gives.

/// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
#[inline]
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The `count`-th number of a stream.
#[inline]
pub fn number(seed: u64, stream: u64, count: u64) -> u64 {
    mix(mix(seed.wrapping_add(stream.wrapping_mul(0xd1b5_4a32_d192_ed03)))
        .wrapping_add(count.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// A number below `bound` (0 if that is 0) out of 64 random bits.
#[inline]
pub fn below(bits: u64, bound: u64) -> u64 {
    ((u128::from(bits) * u128::from(bound)) >> 64) as u64
}

/// A generator for what lies outside of a game, such as the moves of random players.
#[derive(Clone, Debug)]
pub struct Generator {
    seed: u64,
    count: u64,
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator { seed: mix(seed ^ 0x6a09_e667_f3bc_c909), count: 0 }
    }

    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.count += 1;
        mix(self.seed.wrapping_add(self.count.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        below(self.bits(), bound)
    }
}
