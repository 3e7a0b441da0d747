//! The instructions. Operands `a`, `b`, `c` are addresses of words in the one memory unless said otherwise;
//! constants lie in memory as well, so there are no immediate operands. In the tables below `[x]` is the word at
//! `x`; a *set* is 1, 2, 4 or 8 words of bits and a *bag* 1, 2, 4 or 8 words of 8 lanes of 8 bits, each lane at most
//! 127. The digit behind a name is the number of words. `c` is a jump distance where the line says `-> c`
//! (relative to the instruction behind).

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// What an instruction does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Op { $($(#[$doc])* $name),* }

        impl Op {
            pub const ALL: &[Op] = &[$(Op::$name),*];

            pub fn name(self) -> &'static str {
                match self { $(Op::$name => stringify!($name)),* }
            }
        }
    };
}

operations! {
    /// Continue at `a + (b << 16)`.
    Jump,
    /// [c] = address of the next instruction; continue at `a + (b << 16)`.
    Call,
    /// Continue at [a].
    Return,
    /// Unless [a] has a bit of [b]: compute the kept value number `c` and come back.
    Ensure,
    /// [a] has all bits of [b] -> c
    JumpValid,
    /// [a] |= [b]
    Validate,
    /// [a] &= ![b]
    Invalidate,
    /// Suspend at site `a`.
    Decide,
    /// The menu is complete.
    EndMenu,
    /// The game is over; the winner is [a], or nobody if that is no seat.
    Finish,
    /// Fault number `a`.
    Fault,
    /// Count number `a` (rules reached, for statistics).
    Hit,
    /// Record what description `a` says.
    Event,
    /// A choice with one option was answered without asking.
    Forced,
    /// A requirement failed, with reason number `a`.
    Why,

    /// [a] == [b] -> c
    JumpEqual,
    /// [a] != [b] -> c
    JumpUnequal,
    /// [a] < [b] (signed) -> c
    JumpLess,
    /// [a] <= [b] (signed) -> c
    JumpAtMost,
    /// [a] == 0 -> c
    JumpZero,
    /// [a] != 0 -> c
    JumpNonzero,

    /// [a] = [b] + [c]; like the next two it stops where the result does not fit in a word
    Add,
    /// [a] = [b] - [c]
    Subtract,
    /// [a] = [b] * [c]
    Multiply,
    /// [a] = [b] / [c] rounded down; 0 if [c] is 0
    Divide,
    /// [a] = [b] mod [c], never negative; 0 if [c] is 0
    Modulo,
    /// [a] = the smaller
    Min,
    /// [a] = the larger
    Max,

    /// words at a = words at b
    Copy1, Copy2, Copy4, Copy8,
    /// words at a = the [c]-th group of words from b
    Load1, Load2, Load4, Load8,
    /// the [b]-th group of words from a = words at c
    Store1, Store2, Store4, Store8,

    /// a = b & c
    And1, And2, And4, And8,
    /// a = b | c
    Or1, Or2, Or4, Or8,
    /// a = b & !c
    Without1, Without2, Without4, Without8,
    /// member [b] joins set a
    Insert1, Insert2, Insert4, Insert8,
    /// member [b] leaves set a
    Delete1, Delete2, Delete4, Delete8,
    /// a = the set of [b] alone
    Single1, Single2, Single4, Single8,
    /// [a] = how many are in set b
    Count1, Count2, Count4, Count8,
    /// [a] = least member of set b, -1 if none
    First1, First2, First4, First8,
    /// [a] = the [c]-th member of set b from 0, -1 if there are not so many
    Nth1, Nth2, Nth4, Nth8,
    /// [a] = which of [a] sets lying from b on has member [c] (the first from 0), -1 if none
    FindRow1, FindRow2, FindRow4, FindRow8,
    /// set b empty -> c; else its least member leaves it for [a]
    Pop1, Pop2, Pop4, Pop8,
    /// [b] in set a -> c
    JumpIn1, JumpIn2, JumpIn4, JumpIn8,
    /// [b] not in set a -> c
    JumpOut1, JumpOut2, JumpOut4, JumpOut8,
    /// a empty -> c
    JumpEmpty1, JumpEmpty2, JumpEmpty4, JumpEmpty8,
    /// a not empty -> c
    JumpSome1, JumpSome2, JumpSome4, JumpSome8,
    /// a & b not empty -> c
    JumpMeets1, JumpMeets2, JumpMeets4, JumpMeets8,
    /// a & b empty -> c
    JumpApart1, JumpApart2, JumpApart4, JumpApart8,
    /// a = union of row m of table c over the members m of set b; digits: words of b, words of a row
    Image11, Image12, Image14, Image18,
    Image21, Image22, Image24, Image28,
    Image41, Image42, Image44, Image48,
    Image81, Image82, Image84, Image88,

    /// [a] = lane [c] of bag b
    Lane,
    /// lane [b] of bag a += [c]
    AddLane,
    /// a = [b] of lane [c] and nothing else
    BagOf1, BagOf2, BagOf4, BagOf8,
    /// a = b + c, lane by lane
    BagAdd1, BagAdd2, BagAdd4, BagAdd8,
    /// a = b - c, lane by lane; lanes that would be negative are 0
    BagSubtract1, BagSubtract2, BagSubtract4, BagSubtract8,
    /// a = the smaller, lane by lane
    BagMin1, BagMin2, BagMin4, BagMin8,
    /// a = bag b times [c]
    BagTimes1, BagTimes2, BagTimes4, BagTimes8,
    /// a = bag b, of it only the lanes in set [c] (one word)
    BagWithin1, BagWithin2, BagWithin4, BagWithin8,
    /// [a] = the sum of the lanes of b
    BagSize1, BagSize2, BagSize4, BagSize8,
    /// set a (one word) = lanes of b that are not zero
    BagKinds1, BagKinds2, BagKinds4, BagKinds8,
    /// set a (one word) = lanes where b > c
    BagAbove1, BagAbove2, BagAbove4, BagAbove8,
    /// a = the first bag of size [c] out of bag b, one with much of the first kinds; b holds as many
    FirstBag1, FirstBag2, FirstBag4, FirstBag8,
    /// a = the bag of the same size out of bag b that follows it; if there is none -> c
    NextBag1, NextBag2, NextBag4, NextBag8,
    /// every lane of a at least that of b -> c
    JumpHas1, JumpHas2, JumpHas4, JumpHas8,
    /// some lane of a less than that of b -> c
    JumpLacks1, JumpLacks2, JumpLacks4, JumpLacks8,
    /// a lane of a is above 127, or words behind hold one -> c
    JumpFull1, JumpFull2, JumpFull4, JumpFull8,

    /// [a] = a number from 0 below [b], from stream number `c`
    Random,
    /// [a] = a lane of bag b drawn in proportion to what it holds, -1 if the bag is empty, from stream number `c`
    RandomLane1, RandomLane2, RandomLane4, RandomLane8,
    /// [a] = the longest trail that description `b` says
    Trail,
    /// a = those of its own members that lie in a line of [b] of them, as description `c` says
    Line1, Line2, Line4, Line8,
    /// Permute the values of description `a` among the members of set b
    Shuffle,
    /// Call of a script by description `a`
    Script,

    /// One move of entry `a`
    RowUnit,
    /// A move of entry `a` for each member of set b
    RowSet1, RowSet2, RowSet4, RowSet8,
    /// A move of entry `a` for each member of set b, none of which is drawn at random
    RowRest1, RowRest2, RowRest4, RowRest8,
    /// A move of entry `a` for each bag of size [c] out of bag b
    RowBag1, RowBag2, RowBag4, RowBag8,
    /// There are legal moves that are not listed
    More,
    /// Entry `a`, of which not all moves are listed, is offered with the values that its fixed parameters have now
    Offered,
}

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The address of a word, or of the first of several.
    Address,
    /// The number of a description, stream, site, entry …
    Number,
    /// A distance or a part of an address of code.
    Jump,
    Unused,
}

impl Op {
    /// What `a`, `b` and `c` are.
    pub fn operands(self) -> [Operand; 3] {
        use Operand::{Address as A, Jump as J, Number as N, Unused as U};
        let name = self.name();
        match self {
            Op::Jump => [J, J, U],
            Op::Call => [J, J, A],
            Op::Return => [A, U, U],
            Op::Ensure => [A, A, N],
            Op::Validate | Op::Invalidate => [A, A, U],
            Op::Decide | Op::Fault | Op::Hit | Op::Event | Op::Why | Op::Script => [N, U, U],
            Op::EndMenu | Op::Forced | Op::More => [U, U, U],
            Op::Finish => [A, U, U],
            Op::Random | Op::RandomLane1 | Op::RandomLane2 | Op::RandomLane4 | Op::RandomLane8 => [A, A, N],
            Op::Trail => [A, N, U],
            Op::Line1 | Op::Line2 | Op::Line4 | Op::Line8 => [A, A, N],
            Op::Shuffle => [N, A, U],
            Op::RowUnit | Op::Offered => [N, U, U],
            Op::RowBag1 | Op::RowBag2 | Op::RowBag4 | Op::RowBag8 => [N, A, A],
            Op::JumpZero | Op::JumpNonzero => [A, U, J],
            _ if name.starts_with("RowSet") || name.starts_with("RowRest") => [N, A, U],
            _ if name.starts_with("JumpEmpty") || name.starts_with("JumpSome") || name.starts_with("JumpFull") => {
                [A, U, J]
            }
            _ if name.starts_with("Jump") || name.starts_with("Pop") || name.starts_with("NextBag") => [A, A, J],
            _ if ["Copy", "Insert", "Delete", "Single", "Count", "First", "BagSize", "BagKinds"]
                .iter()
                .any(|p| name.starts_with(p)) =>
            {
                [A, A, U]
            }
            _ => [A, A, A],
        }
    }

    /// The variant of an operation for a number of words; the operation itself must be the one for 1.
    pub fn wide(self, words: usize) -> Op {
        let step = match words {
            0 | 1 => 0,
            2 => 1,
            3 | 4 => 2,
            _ => 3,
        };
        Op::ALL.get(self as usize + step).copied().unwrap_or(self)
    }

    /// The image of sets of `from` words under a table of rows of `to` words.
    pub fn image(from: usize, to: usize) -> Op {
        let step = |words: usize| match words {
            0 | 1 => 0,
            2 => 1,
            3 | 4 => 2,
            _ => 3,
        };
        Op::ALL.get(Op::Image11 as usize + step(from) * 4 + step(to)).copied().unwrap_or(Op::Image11)
    }
}

/// One instruction: eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instr {
    pub op: Op,
    pub a: u16,
    pub b: u16,
    pub c: u16,
}
