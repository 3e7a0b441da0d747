//! Where things lie: the state field by field, then kept values, constants and tables; scratch has the top.
//! Bases are fixed, so an address is final the moment it is given out.

use std::collections::BTreeMap;

pub use crate::engine::code::{CONSTANTS, KEPT, SCRATCH};
use crate::engine::code::{FieldPlace, PiecePlace, Shape, bag_words, fixed, set_words};
use crate::program::{DomainKind, FieldId, FieldType, PieceId, Program};

/// The most values of a place's field that are kept as one set a value; a wider range is one word a place.
const MAX_ROWS: i64 = 32;

/// A part of the state that is read and written as a whole, of one seat where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Region {
    Field(FieldId, Option<usize>),
    Piece(PieceId, Option<usize>),
    Award(usize),
    Limit(usize),
    Active,
    Phase,
    Turn,
}

impl Region {
    pub fn overlaps(&self, other: &Region) -> bool {
        let same_seat = |a: Option<usize>, b: Option<usize>| a.is_none() || b.is_none() || a == b;
        match (self, other) {
            (Region::Field(f, a), Region::Field(g, b)) => f == g && same_seat(*a, *b),
            (Region::Piece(f, a), Region::Piece(g, b)) => f == g && same_seat(*a, *b),
            (
                Region::Field(..)
                | Region::Piece(..)
                | Region::Award(_)
                | Region::Limit(_)
                | Region::Active
                | Region::Phase
                | Region::Turn,
                _,
            ) => self == other,
        }
    }
}

/// Gives out words of the regions and fills the image.
#[derive(Debug)]
pub struct Memory {
    pub image: Vec<u64>,
    state: usize,
    kept: usize,
    constants: usize,
    interned: BTreeMap<Vec<u64>, u16>,
    pub overflow: bool,
}

impl Memory {
    pub fn new(streams: usize) -> Memory {
        Memory {
            image: vec![0; SCRATCH as usize],
            state: fixed::STREAMS as usize + streams,
            kept: KEPT as usize,
            constants: CONSTANTS as usize,
            interned: BTreeMap::new(),
            overflow: false,
        }
    }

    pub fn constants_end(&self) -> u16 {
        self.constants as u16
    }

    /// Lays constants behind those of other code.
    pub fn continue_behind(&mut self, end: u16) {
        self.constants = end as usize;
    }

    pub fn state_words(&self) -> usize {
        self.state
    }

    fn take(next: &mut usize, words: usize, end: u16, overflow: &mut bool) -> u16 {
        let at = *next;
        if at + words > end as usize {
            *overflow = true;
            return at as u16;
        }
        *next += words;
        at as u16
    }

    pub fn state(&mut self, words: usize) -> u16 {
        Self::take(&mut self.state, words, KEPT, &mut self.overflow)
    }

    pub fn kept(&mut self, words: usize) -> u16 {
        Self::take(&mut self.kept, words, CONSTANTS, &mut self.overflow)
    }

    /// The address of these words, shared by all who ask for the same.
    pub fn constant(&mut self, words: &[u64]) -> u16 {
        if let Some(at) = self.interned.get(words) {
            return *at;
        }
        let at = self.table(words, 0);
        self.interned.insert(words.to_vec(), at);
        at
    }

    /// A table of its own, with `before` zero words in front.
    pub fn table(&mut self, words: &[u64], before: usize) -> u16 {
        let at = Self::take(&mut self.constants, words.len() + before, SCRATCH, &mut self.overflow);
        if !self.overflow {
            let from = at as usize + before;
            self.image[from..from + words.len()].copy_from_slice(words);
        }
        at + before as u16
    }
}

/// Lays out a field, whose keys' domains have these sizes.
pub fn place_field(program: &Program, id: FieldId, sizes: &[usize], memory: &mut Memory) -> FieldPlace {
    let field = &program.fields[id.index()];
    let keys: Vec<usize> = field.keys.iter().map(|d| sizes[d.index()]).collect();
    let by_place = field
        .keys
        .last()
        .is_some_and(|d| matches!(program.domains[d.index()].kind, DomainKind::Places | DomainKind::Slots { .. }));
    let rows = |values: i64, low: i64| {
        (by_place && values <= MAX_ROWS).then(|| Shape::Rows {
            words: set_words(keys.last().copied().unwrap_or(0)),
            values: values as usize,
            low,
        })
    };
    let shape = match &field.ty {
        FieldType::Truth => rows(1, 1).unwrap_or(Shape::Word),
        FieldType::Number { low, high } => rows(high - low + 1, *low).unwrap_or(Shape::Word),
        FieldType::Member { domain, .. } => rows(sizes[domain.index()] as i64, 0).unwrap_or(Shape::Word),
        FieldType::Set(domain) => Shape::Set(set_words(sizes[domain.index()])),
        FieldType::Bag { domain, .. } => Shape::Bag(bag_words(sizes[domain.index()])),
    };
    let cells: usize = keys.iter().product();
    let words = match shape {
        Shape::Word => cells,
        Shape::Set(w) | Shape::Bag(w) => cells * w,
        Shape::Rows { words, values, .. } => keys[..keys.len() - 1].iter().product::<usize>() * values * words,
    };
    FieldPlace { address: memory.state(words), shape, keys }
}

/// Lays out a piece: a set of places for each owner.
pub fn place_piece(program: &Program, id: PieceId, sizes: &[usize], players: usize, memory: &mut Memory) -> PiecePlace {
    let piece = &program.pieces[id.index()];
    let words = set_words(sizes[piece.on.index()]);
    let count = piece.counts.iter().rev().find(|c| c.low <= players && players <= c.high).map_or(0, |c| c.count);
    let mut place = PiecePlace { address: 0, words, owned: piece.owned, neutral: piece.neutral, count };
    place.address = memory.state(place.owners(players) * words);
    place
}
