//! A lowered ruleset: instructions for one number of players and one choice of options, the image of memory at
//! the start of a game, and the descriptions that instructions and the world outside refer to by number.

use std::sync::Arc;

use super::instr::Instr;
use super::lines::LineText;
use super::trail::Graph;
use crate::board::Board;
use crate::program::{ActionId, Program, Type};
use crate::source::Span;

/// Words of memory that a 16-bit address reaches, and room behind for the widest operand.
pub const MEMORY_WORDS: usize = 65_536 + 16;

/// First words of the regions of memory behind the state, which begins at 0: kept values, constants with tables, and
/// scratch.
pub const KEPT: u16 = 0x2000;
pub const CONSTANTS: u16 = 0x3000;
pub const SCRATCH: u16 = 0x8000;

/// Fixed addresses at the head of the state.
pub mod fixed {
    /// The site of the decision that is open.
    pub const SITE: u16 = 0;
    pub const ACTIVE: u16 = 1;
    pub const PHASE: u16 = 2;
    /// Turns begun so far.
    pub const TURN: u16 = 3;
    /// 0 while the game goes on, 1 when it is over.
    pub const OVER: u16 = 4;
    /// The winner's seat when the game is over; -1 for nobody.
    pub const WINNER: u16 = 5;
    pub const SEED: u16 = 6;
    /// Not 0 once a rule has said that the turn ends: the rest is finished, then the turn is over.
    pub const ENDING: u16 = 7;
    /// Counters of the streams of chance follow.
    pub const STREAMS: u16 = 8;
}

/// What code stands for from an instruction on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceOf {
    pub from: u32,
    /// None: for nothing that somebody wrote.
    pub span: Option<Span>,
    /// Index into `rules`.
    pub rule: u32,
}

/// Everything that a game needs and that does not change in it.
#[derive(Clone, Debug)]
pub struct Code {
    pub program: Arc<Program>,
    pub players: usize,
    /// The value of each option: a number, a truth, or the index of a word.
    pub options: Vec<i64>,
    /// Index into `program.boards`, if the ruleset has a board.
    pub board: Option<usize>,
    /// The most faces of any die that a rule rolls; 0 where none is rolled.
    pub faces: i64,
    pub instrs: Vec<Instr>,
    /// Where each piece of code begins and what it is for, in order.
    pub chunks: Vec<(u32, String)>,
    /// From which instruction on code stands for which part of the rules, in order.
    pub sources: Vec<SourceOf>,
    /// What `sources` calls the rules.
    pub rules: Vec<String>,
    /// Words `0..state` are the state (copied for undo); kept values, constants, tables and scratch follow.
    pub image: Vec<u64>,
    pub state: usize,
    /// The first word behind the constants; what is compiled for a game later lays its own from here.
    pub constants_end: u16,
    /// Addresses of the words that say which kept values are valid.
    pub valid: Vec<u16>,
    /// Where the set-up begins.
    pub start: u32,
    /// For each seat, where its turn begins (after the set-up).
    pub turns: Vec<u32>,
    /// For each seat and phase, where the phase begins.
    pub phases: Vec<Vec<u32>>,
    /// Where awards are settled and the end is tested for each active seat; ends in `EndMenu`.
    pub settle: Vec<u32>,
    /// An instruction that only ends what runs.
    pub halt: u32,
    /// Where all invariants are tested; a broken one is reported by `Why`.
    pub invariants: u32,
    pub sites: Vec<Site>,
    pub entries: Vec<Entry>,
    pub kept: Vec<Kept>,
    pub reasons: Vec<ReasonText>,
    pub events: Vec<EventText>,
    /// For each description of `events` and `reasons`: address and number of words of each value.
    pub event_words: Vec<Vec<(u16, u16)>>,
    pub reason_words: Vec<Vec<(u16, u16)>>,
    pub faults: Vec<FaultText>,
    pub trails: Vec<TrailText>,
    pub lines: Vec<LineText>,
    pub shuffles: Vec<ShuffleText>,
    pub scripts: Vec<ScriptCall>,
    pub streams: Vec<String>,
    /// Names of what `Hit` counts.
    pub counters: Vec<Counter>,
    pub layout: Layout,
    pub graph: Graph,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counter {
    Action(String),
    Trigger(String),
}

/// Where the state keeps things.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// By `FieldId`.
    pub fields: Vec<FieldPlace>,
    /// By `PieceId`: the address of the first owner's set (or the only one); each owner's follows.
    pub pieces: Vec<PiecePlace>,
    /// By `AwardId`: the holder's seat or -1.
    pub awards: Vec<u16>,
    /// By `LimitId`: counters for each seat.
    pub limits: Vec<u16>,
    /// Sizes of the domains, by `DomainId`.
    pub sizes: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct FieldPlace {
    pub address: u16,
    pub shape: Shape,
    /// Sizes of the keys' domains.
    pub keys: Vec<usize>,
}

impl FieldPlace {
    /// The number of values: the product of the sizes of the keys.
    pub fn cells(&self) -> usize {
        self.keys.iter().product()
    }

    /// Every combination of the keys in front of the last so many, in order.
    pub fn keys_before(&self, last: usize) -> Vec<Vec<usize>> {
        let before = self.keys.get(..self.keys.len().saturating_sub(last)).unwrap_or(&[]);
        before.iter().fold(vec![Vec::new()], |all, size| {
            all.iter().flat_map(|keys| (0..*size).map(|key| [&keys[..], &[key]].concat())).collect()
        })
    }
}

/// How a field's values lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One word a value.
    Word,
    /// Words of bits (`Set`) or lanes (`Bag`), so many for each value.
    Set(usize),
    Bag(usize),
    /// Keyed by a place last: for each of `values` values (numbered from `low`) a set of `words` words of the places that have
    /// it; a place in none of them has none (or `low - 1`).
    Rows {
        words: usize,
        values: usize,
        low: i64,
    },
}

#[derive(Clone, Debug)]
pub struct PiecePlace {
    pub address: u16,
    pub words: usize,
    pub owned: bool,
    /// Behind the sets of the players there is one for pieces that are nobody's.
    pub neutral: bool,
    /// How many each owner has (or there are).
    pub count: i64,
}

impl PiecePlace {
    /// How many sets of places there are, one for each owner.
    pub fn owners(&self, players: usize) -> usize {
        if self.owned { players + usize::from(self.neutral) } else { 1 }
    }
}

/// A place in the rules where someone chooses.
#[derive(Clone, Debug)]
pub struct Site {
    /// Holds the seat that chooses.
    pub seat: u16,
    /// Code that lists the moves.
    pub menu: u32,
    pub prompt: Option<u16>,
    pub entries: Vec<u16>,
    pub kind: SiteKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// The actions of a phase.
    Phase(String),
    /// A choice inside a rule; `secret` while others have not chosen yet.
    Ask { secret: bool },
    /// Actions offered or ordered from inside a rule.
    Perform { must: bool },
}

/// A kind of move at a site.
#[derive(Clone, Debug)]
pub struct Entry {
    pub site: u16,
    pub label: EntryLabel,
    /// In the order of the loops that list them; the last one is the set of the row.
    pub params: Vec<ParamPlace>,
    /// The words of all parameters but the last, as a row keeps them.
    pub prefix: Vec<u16>,
    /// Is the last parameter fixed by the row as well (the row is one move)?
    pub last_is_fixed: bool,
    /// Where the rule goes on when this is chosen.
    pub resume: u32,
    /// Code that tests the requirements one by one for given parameters, reporting by `Why`.
    pub why: Option<u32>,
    /// Is everything that is legal listed?
    pub complete: bool,
    /// What is said in place of the action's first word: a branch that answers with the action.
    pub word: Option<String>,
    /// Whose it is, at a site where several seats may be asked.
    pub seat: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryLabel {
    Action(ActionId),
    /// The answer to an `ask`: its only parameter.
    Answer,
    /// A branch, `none`, or the words that end a phase.
    Words(String),
}

#[derive(Clone, Debug)]
pub struct ParamPlace {
    pub address: u16,
    pub ty: Type,
    /// Fixed by the rule, not chosen.
    pub fixed: bool,
    /// For an action: which of its parameters.
    pub index: usize,
}

/// A value that is computed when needed and kept until what it reads changes.
#[derive(Clone, Debug)]
pub struct Kept {
    pub name: String,
    pub entry: u32,
    /// Where its return address is.
    pub back: u16,
    pub address: u16,
    pub words: u16,
    pub valid: u16,
    pub bit: u8,
}

/// A text whose holes are addresses of values.
#[derive(Clone, Debug, Default)]
pub struct ReasonText {
    pub parts: Vec<TextPart>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TextPart {
    Text(String),
    Value(u16, Type),
}

/// What `Event` records: a kind and the values at these addresses.
#[derive(Clone, Debug)]
pub struct EventText {
    pub kind: EventKind,
    pub values: Vec<(u16, Type)>,
}

/// The kinds of record; each says what its values are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// seat, bag: from its home
    Gain,
    /// seat, bag: to its home
    Lose,
    /// Seat, bag: into a bag of this name that is nobody's.
    Put(String),
    /// from seat, to seat, bag
    Pass,
    /// from seat, to seat, member: at random, seen by the two
    Steal(Type),
    /// seat, card: seen by the seat
    Draw(String),
    /// seat, card
    Discard(String),
    /// sum, then each die
    Roll,
    /// owner or -1, place; the piece's name
    Place(String),
    Remove(String),
    /// owner or -1, place left, place reached
    Move(String),
    /// place, terrain; the area's name
    Reveal(String),
    /// seat or -1, slot or slots, face, the players who see the face, whether all do; the tokens' name
    Token(crate::program::TokenEvent, String),
    /// seat or -1
    Award(String),
    /// an event that rules emit, with its arguments
    Emitted(String),
    /// seat: begins a turn
    Turn,
    /// winner or -1
    Over,
}

#[derive(Clone, Debug)]
pub struct FaultText {
    pub code: u16,
    pub message: String,
    pub span: Span,
    pub rule: String,
}

#[derive(Clone, Debug)]
pub struct TrailText {
    pub sets: Vec<u16>,
    pub words: usize,
    pub through: Option<u16>,
    pub joined: Option<u16>,
    pub corner_words: usize,
}

/// Which values `Shuffle` permutes: rows of a field.
#[derive(Clone, Debug)]
pub struct ShuffleText {
    pub address: u16,
    pub words: usize,
    pub values: usize,
    pub stream: u16,
}

#[derive(Clone, Debug)]
pub struct ScriptCall {
    pub script: usize,
    pub function: String,
    pub args: Vec<(u16, Type)>,
    pub result: u16,
    pub result_type: Type,
    pub span: Span,
}

impl Code {
    /// The part of the rules, and the rule's name, that the instruction before this one stands for.
    pub fn line_of(&self, behind: usize) -> Option<(Span, &str)> {
        let before = self.sources.partition_point(|s| (s.from as usize) < behind);
        let source = self.sources.get(before.checked_sub(1)?)?;
        Some((source.span?, self.rules.get(source.rule as usize)?))
    }

    pub fn board(&self) -> Option<&Board> {
        self.board.and_then(|i| self.program.boards.get(i)).map(|b| &b.board)
    }
}

impl Code {
    /// Words that a value of the type takes in memory.
    pub fn words(&self, ty: Type) -> usize {
        match ty {
            Type::Set(domain) => set_words(self.layout.sizes.get(domain.index()).copied().unwrap_or(0)),
            Type::Bag(domain) => bag_words(self.layout.sizes.get(domain.index()).copied().unwrap_or(0)),
            Type::Truth | Type::Number | Type::Member(_) | Type::Nothing | Type::Unknown => 1,
        }
    }
}

/// Words of a set over a domain of so many members: 1, 2, 4 or 8.
pub fn set_words(members: usize) -> usize {
    match members {
        0..=64 => 1,
        65..=128 => 2,
        129..=256 => 4,
        _ => 8,
    }
}

/// Words of a bag over a domain of so many members: 1, 2, 4 or 8.
pub fn bag_words(members: usize) -> usize {
    match members {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        _ => 8,
    }
}
