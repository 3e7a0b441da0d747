//! The typed program: what `check` makes of the trees of a ruleset and those it builds on, and what `compile`
//! lowers. Every name is resolved to an id, every expression has a type, sugar is gone (guards of loops are
//! filters, implicit players are explicit, bodies of changed things stand where they are used). It does not
//! depend on the number of players or on option values; `compile` gets those.
//!
//! Members of a domain are numbered from 0. All goods of a ruleset are one domain, so a member of two groups has
//! one number; words that a field adds to goods (`coin or general`) follow behind the goods.

use crate::board::Board;
use crate::source::Span;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Index into [`Program::domains`].
    DomainId,
    FieldId,
    PieceId,
    FunctionId,
    ProcedureId,
    ActionId,
    TriggerId,
    AwardId,
    OptionId,
    PhaseId,
    EventId,
    DeckId,
    ScriptId,
    /// Index into the `locals` of the unit in which it stands.
    LocalId,
    /// Index into [`Program::limits`].
    LimitId,
    /// Index into [`Program::tokens`].
    TokensId,
    /// Index into [`Program::tables`].
    TableId,
}

/// A checked ruleset with everything that it builds on.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub name: String,
    pub title: String,
    /// Allowed numbers of players, ascending.
    pub players: Vec<usize>,
    pub domains: Vec<Domain>,
    /// The domains that the engine itself speaks of.
    pub known: KnownDomains,
    pub options: Vec<OptionDecl>,
    pub fields: Vec<Field>,
    pub pieces: Vec<Piece>,
    pub decks: Vec<Deck>,
    pub fogs: Vec<Fog>,
    pub tokens: Vec<Tokens>,
    pub tracks: Vec<Track>,
    /// Named sets of members of one domain: the author's groups of goods and each `goods` name itself.
    pub groups: Vec<Group>,
    /// For each member of the goods domain that is a good: the field (a bag without keys) where it is at home.
    pub homes: Vec<Option<FieldId>>,
    /// For each member of the goods domain: how many there are in the whole game (what its home holds at first).
    pub supplies: Vec<i64>,
    pub boards: Vec<BoardVariant>,
    /// Terrain member -> goods that it yields.
    pub yields: Vec<Vec<u32>>,
    pub functions: Vec<Function>,
    pub procedures: Vec<Procedure>,
    /// The set-up as one unit, parts included.
    pub setup: Unit,
    pub phases: Vec<Phase>,
    pub actions: Vec<Action>,
    pub triggers: Vec<Trigger>,
    pub events: Vec<Event>,
    pub awards: Vec<Award>,
    /// Functions of one player that give a number: what everyone sees, and what only its owner sees.
    pub points: Option<FunctionId>,
    pub hidden_points: Option<FunctionId>,
    /// Tested in this order.
    pub ends: Vec<End>,
    /// Done once when the game is over; nobody acts in it and nothing is chosen.
    pub at_end: Unit,
    pub invariants: Vec<Invariant>,
    pub limits: Vec<Limit>,
    pub scripts: Vec<Script>,
    pub tables: Vec<Table>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct KnownDomains {
    pub player: Option<DomainId>,
    pub goods: Option<DomainId>,
    pub terrain: Option<DomainId>,
    pub phase: Option<DomainId>,
}

#[derive(Clone, Debug)]
pub struct Domain {
    pub name: String,
    pub kind: DomainKind,
    pub members: Vec<Member>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainKind {
    /// The seats; in a game of n players the first n are its members.
    Player,
    /// Goods, then the words that fields add to them; the first `goods` members can lie in bags.
    Goods {
        goods: u32,
    },
    /// The kinds of card in a deck.
    Cards(DeckId),
    Terrain,
    Phase,
    /// Enumerated words of a field, a procedure's result, an option, …
    Words,
    /// Places of the board of one kind (`hex`, `corner`, `cell`, …); the members are the board's, the list is empty.
    Places,
    /// So many slots on each place of a kind, in which pieces stand that can stand on each other; those of a place follow
    /// each other.
    Slots {
        of: DomainId,
        count: u32,
    },
}

/// Relations that no board has: from places to their slots, and from slots to their places.
pub const SLOTS: &str = "(slots)";
pub const STANDING: &str = "(standing)";
/// The relation along which steps go where the author names no other.
pub const NEIGHBOURS: &str = "neighbours";
/// A relation that every board has: from places to those that touch them.
pub const NEAR: &str = "(near)";

#[derive(Clone, Debug)]
pub struct Member {
    pub name: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct OptionDecl {
    pub name: String,
    pub about: String,
    pub values: OptionValues,
    /// A ruleset on top took the choice away: it always has its default.
    pub fixed: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum OptionValues {
    /// A domain of words, the first is the default. `yes | no` is a truth: member 0 of the list is the default.
    Words(DomainId),
    Truth {
        default: bool,
    },
    Range {
        low: i64,
        high: i64,
    },
}

/// A named piece of state: one value for each combination of its keys.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub keys: Vec<DomainId>,
    pub ty: FieldType,
    /// Seen by the player of the first key only.
    pub hidden: bool,
    /// Set back to its initial value when a turn begins.
    pub each_turn: bool,
    pub clamped: bool,
    /// Of a number that may be none: the value that stands for none, which is then the low end of its range. The
    /// rules read and write that value; only what people see tells it from a number.
    pub none: Option<i64>,
    /// Of a bag with a limit: the most of each of these members that it holds. What does not fit stays where it is.
    pub at_most: Vec<(u32, i64)>,
    /// None: the least value of a range, none, no, empty. Homes of goods and decks start full.
    pub initial: Option<Expr>,
    pub role: FieldRole,
    /// Of state of single pieces: the kinds of piece that have it.
    pub pieces: Vec<PieceId>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldRole {
    Declared,
    /// A home of goods, such as a bank.
    Home,
    /// The undrawn cards of a deck, as a bag; their order is decided when they are drawn.
    Deck(DeckId),
    Discards(DeckId),
    /// The terrain of a place, read from the drawing.
    Terrain,
    /// State of single pieces of this kind (or of these kinds, the first of which this is), keyed by whatever else it is
    /// declared for, the owner (unless nobody's) and the place. It moves with the piece, and is as at first for one that
    /// is placed anew.
    OfPiece(PieceId),
    /// Outlives the game: a record gives its values, where there is one. Its name is one of the chronicle's own.
    Chronicle,
}

#[derive(Clone, Debug)]
pub enum FieldType {
    Truth,
    Number {
        low: i64,
        high: i64,
    },
    /// A member of the domain, of these members if a list is given.
    Member {
        domain: DomainId,
        among: Option<Vec<u32>>,
        or_none: bool,
    },
    Set(DomainId),
    Bag {
        domain: DomainId,
        among: Option<Vec<u32>>,
    },
}

/// What each member of a domain has and never changes, such as a column of a table of cards.
#[derive(Clone, Debug)]
pub struct Table {
    /// The column's name.
    pub name: String,
    /// Whose constants they are.
    pub of: DomainId,
    /// How many values each member has, where it has several: in a list, or where a word says which column is meant.
    pub width: Option<usize>,
    pub ty: Type,
    /// Of a number that may be none: the value that stands for none.
    pub none: Option<i64>,
    /// The values of the first member, then those of the second, and so on. Where one is missing it is none, 0, no or empty.
    pub values: Vec<Constant>,
    pub span: Span,
}

/// A value that is known when the ruleset is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    /// A number, a truth, or the index of a member (-1 for none).
    Word(i64),
    Set(Vec<u32>),
    /// Kinds, and how many of each.
    Bag(Vec<(u32, i64)>),
}

impl Constant {
    /// As so many words of a game's memory.
    pub fn words(&self, width: usize) -> Vec<u64> {
        let mut words = vec![0; width];
        match self {
            Constant::Word(word) => words.iter_mut().take(1).for_each(|w| *w = *word as u64),
            Constant::Set(members) => {
                for member in members {
                    if let Some(word) = words.get_mut(*member as usize / 64) {
                        *word |= 1 << (member % 64);
                    }
                }
            }
            // Eight kinds a word, as bags lie in memory.
            Constant::Bag(kinds) => {
                for (kind, count) in kinds {
                    if let Some(word) = words.get_mut(*kind as usize / 8) {
                        *word |= count.clamp(&0, &127).unsigned_abs() << (kind % 8 * 8);
                    }
                }
            }
        }
        words
    }
}

impl Table {
    /// What stands where there is no value.
    pub fn missing(&self) -> Constant {
        match self.ty {
            Type::Set(_) => Constant::Set(Vec::new()),
            Type::Bag(_) => Constant::Bag(Vec::new()),
            Type::Member(_) => Constant::Word(-1),
            Type::Number => Constant::Word(self.none.unwrap_or(0)),
            Type::Truth | Type::Nothing | Type::Unknown => Constant::Word(0),
        }
    }

    /// The value at these indices, of which any may be that of none.
    pub fn at(&self, member: i64, place: i64) -> Constant {
        let width = self.width.unwrap_or(1);
        let index = usize::try_from(member).ok().zip(usize::try_from(place).ok());
        let index = index.filter(|(_, place)| *place < width);
        let found = index.and_then(|(member, place)| self.values.get(member.checked_mul(width)? + place));
        found.cloned().unwrap_or_else(|| self.missing())
    }
}

#[derive(Clone, Debug)]
pub struct Group {
    pub name: String,
    pub domain: DomainId,
    pub members: Vec<u32>,
}

#[derive(Clone, Debug)]
pub struct Piece {
    pub name: String,
    /// The kind of place on which it stands; of a kind of which an owner may have several on a place, their slots.
    pub on: DomainId,
    /// The kind of place in any case.
    pub place: DomainId,
    /// Owned by players (each has `count` of them) or by nobody.
    pub owned: bool,
    /// Some rule places owned pieces that are nobody's; there are as many as one player has.
    pub neutral: bool,
    pub counts: Vec<PieceCount>,
    /// How many may stand on one place, of anyone and of one owner.
    pub at_most: i64,
    pub at_most_of_owner: i64,
    pub span: Span,
}

/// The count for these numbers of players; the last that fits holds.
#[derive(Clone, Copy, Debug)]
pub struct PieceCount {
    pub low: usize,
    pub high: usize,
    pub count: i64,
}

#[derive(Clone, Debug)]
pub struct Deck {
    pub name: String,
    /// What is drawn: cards of its own, or terrain that lies under fog.
    pub domain: DomainId,
    pub counts: Vec<i64>,
    /// Counts that differ for some numbers of players; the last that fits holds.
    pub variants: Vec<DeckVariant>,
    pub cards: FieldId,
    pub discards: FieldId,
    pub reshuffled: bool,
}

#[derive(Clone, Debug)]
pub struct DeckVariant {
    pub low: usize,
    pub high: usize,
    pub counts: Vec<(u32, i64)>,
}

impl Deck {
    /// How many of each card there are in a game of so many players.
    pub fn counts_for(&self, players: usize) -> Vec<i64> {
        let mut counts = self.counts.clone();
        for variant in self.variants.iter().filter(|v| v.low <= players && players <= v.high) {
            for (card, count) in &variant.counts {
                if let Some(slot) = counts.get_mut(*card as usize) {
                    *slot = *count;
                }
            }
        }
        counts
    }
}

/// Places of a board whose terrain is unknown until it is revealed; what lies there is drawn from a deck of its own.
#[derive(Clone, Debug)]
pub struct Fog {
    /// That of the board's area and of the deck.
    pub name: String,
    pub on: DomainId,
    /// The terrain of the places.
    pub terrain: FieldId,
    pub deck: DeckId,
}

/// Pieces of nobody's that each have a face. They lie in slots of their places, and their faces are drawn from a deck
/// of their own when they are laid.
#[derive(Clone, Debug)]
pub struct Tokens {
    pub name: String,
    pub piece: PieceId,
    /// The domain of the slots, which is that of single tokens.
    pub slots: DomainId,
    /// The faces that are not laid yet; nothing comes back.
    pub deck: DeckId,
    pub faces: DomainId,
    /// The face of the token in each slot.
    pub face: FieldId,
    /// None: they lie face up.
    pub down: Option<FaceDown>,
}

/// What is known of tokens that are laid face down, for each slot.
#[derive(Clone, Copy, Debug)]
pub struct FaceDown {
    /// The players who have seen the face.
    pub seen: FieldId,
    /// Whether it was turned up for all.
    pub up: FieldId,
}

/// What happens to a token, as it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenEvent {
    Place,
    Look,
    Reveal,
    Take,
    Remove,
    /// Several change places.
    Shuffle,
}

impl Program {
    /// The tokens whose slots a domain holds.
    pub fn tokens_in(&self, slots: DomainId) -> Option<&Tokens> {
        self.tokens.iter().find(|tokens| tokens.slots == slots)
    }

    /// The tokens that are pieces of this kind.
    pub fn tokens_of(&self, piece: PieceId) -> Option<&Tokens> {
        self.tokens.iter().find(|tokens| tokens.piece == piece)
    }

    /// A single token by its place: `h3`, or `stray 2 on h3` where several can lie there. None for slots of other pieces.
    pub fn token_name(&self, slots: DomainId, slot: usize, place: &str) -> Option<String> {
        let tokens = self.tokens_in(slots)?;
        match self.domains.get(slots.index())?.kind {
            DomainKind::Slots { count, .. } if count > 1 => {
                Some(format!("{} {} on {place}", tokens.name, slot % count as usize + 1))
            }
            _ => Some(place.to_owned()),
        }
    }
}

/// A row of spaces on which a marker stands, of all or of each player: a field, and what happens along it.
#[derive(Clone, Debug)]
pub struct Track {
    pub name: String,
    /// A number that is clamped, without keys or with the player as its key.
    pub field: FieldId,
    pub low: i64,
    pub high: i64,
    pub marks: Vec<Mark>,
    /// Emitted when the marker moved, with the player whose doing it is.
    pub moved: EventId,
    /// Emits what a move from a number on the way passes: its parameters are that player and the number before.
    pub passes: ProcedureId,
}

#[derive(Clone, Debug)]
pub struct Mark {
    pub name: String,
    /// The spaces on which it is, ascending.
    pub at: Vec<i64>,
    /// Emitted for each of them that a change upwards reaches or passes.
    pub event: EventId,
    pub span: Span,
}

/// A board for some numbers of players and option values. Of several that fit, the last counts.
#[derive(Clone, Debug)]
pub struct BoardVariant {
    pub low: usize,
    pub high: usize,
    /// A condition on options.
    pub when: Option<Expr>,
    pub board: Board,
    /// `kinds[i]` is the domain of the board's i-th kind of place.
    pub kinds: Vec<DomainId>,
    /// The drawing's values, resolved.
    pub values: Vec<BoardValue>,
}

#[derive(Clone, Copy, Debug)]
pub struct BoardValue {
    pub field: FieldId,
    pub place: u16,
    /// A number, or the index of a member.
    pub value: i64,
}

/// What a rule's code works on; `me` and `active` are not locals.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    pub locals: Vec<Local>,
    /// The first locals are the parameters, in order.
    pub params: Vec<LocalId>,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub ty: LocalType,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalType {
    Value(Type),
    /// One number (or, with `bag`, one bag of that domain) for each member of `key`; zero at first. A parameter
    /// of this type is the caller's tally itself.
    Tally {
        key: DomainId,
        bag: Option<DomainId>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Truth,
    Number,
    /// A member of the domain, or none.
    Member(DomainId),
    Set(DomainId),
    /// How many of each member of the domain (goods, or the cards of a deck).
    Bag(DomainId),
    Nothing,
    /// A fault was reported; everything fits it.
    Unknown,
}

/// A `set`, `define` or `points`: computes, changes nothing.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub params: Vec<LocalId>,
    pub locals: Vec<Local>,
    pub body: Expr,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: String,
    pub unit: Unit,
    pub result: Type,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Phase {
    pub name: String,
    /// Statements done when the phase begins, and when it ends by itself or by its words.
    pub begin: Unit,
    pub finish: Unit,
    /// Every list holds actions; a phase with `must` lasts until one of each entry was done.
    pub must: Vec<Vec<ActionId>>,
    pub may: Vec<ActionId>,
    /// Exactly one of them is done, which ends the phase.
    pub one_of: Vec<ActionId>,
    /// The words that end the phase, such as `end turn`; None: it ends by its `must` and `one_of`.
    pub until: Option<String>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Action {
    /// Words and parameters as they are typed, in order.
    pub phrase: Vec<PhrasePart>,
    /// The words joined by blanks, without the parameters: the action's name in logs and counters.
    pub name: String,
    pub doc: String,
    pub unit: Unit,
    pub time: ActionTime,
    pub span: Span,
}

/// Words that lead over to a value and are no part of a move's name.
const LINKING: [&str; 10] = ["at", "by", "for", "from", "in", "into", "of", "on", "to", "with"];

/// The words in front of a move's first value, without one that only leads over to it.
pub fn short_name(lead: String) -> String {
    let short = lead.rsplit_once(' ').filter(|(_, last)| LINKING.contains(last)).map(|(front, _)| front.to_owned());
    short.unwrap_or(lead)
}

impl Action {
    /// The group that the phases list: the first word of the phrase.
    pub fn group(&self) -> &str {
        self.name.split(' ').next().unwrap_or("")
    }

    /// The action's name for people: its words before the first parameter, without one that only leads over to it.
    pub fn title(&self) -> String {
        let words = self.phrase.iter().map_while(|part| match part {
            PhrasePart::Word(word) => Some(word.as_str()),
            PhrasePart::Param { .. } => None,
        });
        short_name(words.collect::<Vec<_>>().join(" "))
    }
}

#[derive(Clone, Debug)]
pub enum PhrasePart {
    Word(String),
    /// `of` are the values that may be chosen.
    Param {
        local: LocalId,
        of: ParamDomain,
    },
}

#[derive(Clone, Debug)]
pub enum ParamDomain {
    /// A member of the set, which may speak of `me`, of options and of state, not of other parameters.
    Members(Expr),
    /// A bag over these members with so many in it (any size from 1 where the author gave none).
    Bag {
        domain: DomainId,
        among: Vec<u32>,
        low: i64,
        high: Option<i64>,
    },
    Number {
        low: i64,
        high: i64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionTime {
    /// Where phases list it.
    Phases,
    /// Only through `make` and `allow`.
    OnCall,
    /// At each decision of its owner.
    AnyTime,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub name: String,
    pub args: Vec<Type>,
}

#[derive(Clone, Debug)]
pub struct Trigger {
    pub name: String,
    pub event: TriggerEvent,
    /// Arguments of the event are the unit's parameters; the guard reads them.
    pub guard: Option<Expr>,
    pub unit: Unit,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TriggerEvent {
    Emitted(EventId),
    /// Placed or moved: parameters are the place and, if bound, the player who did it.
    Arrival {
        piece: PieceId,
        by: bool,
    },
    /// What lay under fog, or face down in a slot, is seen: parameters are the place or slot and, if bound, the player
    /// who did it.
    Reveal {
        on: DomainId,
        by: bool,
    },
    TurnStart,
    TurnEnd,
}

#[derive(Clone, Debug)]
pub struct Award {
    pub name: String,
    pub points: i64,
    /// A function of one player that gives a number.
    pub most: FunctionId,
    pub at_least: i64,
    pub tie: Tie,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The holder keeps it until another leads alone, even behind several others, as long as it has enough.
    Holder,
    /// A holder among the leaders keeps it; leaders without the holder: nobody has it.
    HolderElseNobody,
    /// Nobody has it whenever several lead.
    Nobody,
}

#[derive(Clone, Debug)]
pub struct End {
    /// Empty for the one that has no name.
    pub name: String,
    pub cond: Expr,
    /// None: the active player. An expression may give none: nobody wins.
    pub winner: Option<Expr>,
    pub locals: Vec<Local>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Invariant {
    pub name: String,
    pub cond: Expr,
    pub locals: Vec<Local>,
    pub span: Span,
}

/// `once a turn as helper`: so many times a scope for each player, over all rules with the same name.
#[derive(Clone, Debug)]
pub struct Limit {
    pub name: String,
    pub count: i64,
    pub scope: Scope,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Turn,
    Game,
    Chapter,
}

#[derive(Clone, Debug)]
pub struct Script {
    pub name: String,
    pub file: crate::source::FileId,
    pub text: String,
    pub span: Span,
}

pub type Block = Vec<Stmt>;

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// A text with holes: pieces of text and expressions whose values are put between them.
#[derive(Clone, Debug)]
pub struct Reason {
    pub parts: Vec<ReasonPart>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ReasonPart {
    Text(String),
    Value(Expr),
    /// `{it}`: the element that is tested.
    It,
}

/// A bag that can be given to and taken from: a field with its keys.
#[derive(Clone, Debug)]
pub struct BagPlace {
    pub field: FieldId,
    pub keys: Vec<Expr>,
}

/// One side of a movement of goods or cards.
#[derive(Clone, Debug)]
pub enum Store {
    Bag(BagPlace),
    /// Each good from or to its own home.
    Homes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HowMuch {
    /// As much as there is; the rest stays.
    Available,
    /// All of it, tested as a requirement before anything changes (`pay`, `give exactly`).
    Required,
    /// All of it; less is a fault (`take`).
    All,
}

/// What can be written to.
#[derive(Clone, Debug)]
pub enum Target {
    Field {
        field: FieldId,
        keys: Vec<Expr>,
    },
    Local(LocalId),
    /// A tally's number, or its bag.
    Tally {
        local: LocalId,
        key: Expr,
    },
    /// How many of `kind` are in the bag (a field's or a tally's).
    Lane {
        bag: Box<Target>,
        kind: Expr,
    },
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    /// In an action (or a procedure that an action does): tested before anything changes.
    Require {
        cond: Expr,
        name: Option<String>,
        reason: Option<Reason>,
    },
    Limit(LimitId),
    Suggest(Suggest),
    Ask(Ask),
    /// Moves a bag of goods or cards.
    Transfer {
        amount: Expr,
        from: Store,
        to: Store,
        how: HowMuch,
        pay: bool,
    },
    /// Takes `count` at random from a bag to another.
    Steal {
        count: Expr,
        from: BagPlace,
        to: BagPlace,
    },
    /// Draws a card, of these if a set is given, reshuffling the discards first where the deck says so. With no card left
    /// nothing is drawn and `bind` is none.
    Draw {
        deck: DeckId,
        among: Option<Expr>,
        to: BagPlace,
        bind: Option<LocalId>,
    },
    Do {
        procedure: ProcedureId,
        args: Vec<Expr>,
        bind: Option<LocalId>,
    },
    Perform(Perform),
    Place {
        piece: PieceId,
        owner: Owner,
        at: Expr,
    },
    Remove {
        piece: PieceId,
        owner: Owner,
        at: Expr,
    },
    /// `from` None: the only one on the board.
    Move {
        piece: PieceId,
        owner: Owner,
        from: Option<Expr>,
        to: Expr,
    },
    ShuffleField {
        field: FieldId,
        over: Expr,
    },
    /// Puts discards back and forgets what anyone knew of the order.
    ShuffleDeck(DeckId),
    /// Values in order along the named path of the board, of its places within the set.
    Lay {
        field: FieldId,
        values: Vec<i64>,
        path: String,
        within: Option<Expr>,
    },
    /// Draws what lies under fog at the place; nothing where none lies.
    Reveal {
        at: Expr,
    },
    /// Draws the face of the token that is laid in the slot, out of this part of what is left.
    DrawFace {
        tokens: TokensId,
        from: Expr,
        at: Expr,
    },
    /// Tells what happens to a token: `seers` learn its face, or all where it is `open`.
    TellToken {
        tokens: TokensId,
        what: TokenEvent,
        who: Option<Expr>,
        at: Expr,
        face: Expr,
        seers: Expr,
        open: Expr,
    },
    /// The face of the token was turned up: what waits for that is done.
    Revealed {
        tokens: TokensId,
        at: Expr,
    },
    Roll {
        count: i64,
        sides: i64,
        bind: Option<LocalId>,
    },
    Emit {
        event: EventId,
        args: Vec<Expr>,
        /// Who is `me` in the rules that wait for it, if not whoever acts.
        by: Option<Expr>,
    },
    Let {
        local: LocalId,
        value: Expr,
    },
    /// Sets the tally to zero everywhere.
    Tally(LocalId),
    Set {
        target: Target,
        value: Expr,
    },
    /// Adds a number, or a bag, to the target.
    Add {
        target: Target,
        amount: Expr,
    },
    For(For),
    Repeat {
        count: Expr,
        condition: Option<Expr>,
        body: Block,
    },
    If {
        cond: Expr,
        then: Block,
        otherwise: Block,
    },
    /// The arm whose member the subject is, else what is done otherwise.
    Case {
        subject: Expr,
        arms: Vec<(u32, Block)>,
        otherwise: Block,
        /// There is an arm for every member.
        complete: bool,
    },
    Return(Option<Expr>),
    /// Leaves the innermost loop or, outside of loops, the unit.
    Stop,
    EndTurn,
    /// In the set-up: the first turn is this player's.
    Begin(Expr),
    EndGame {
        winner: Option<Expr>,
    },
    /// A named part of a set-up, or a block that a change inserted.
    Part {
        name: String,
        body: Block,
    },
    /// `effect::name(args)` done for its effect.
    Script {
        script: ScriptId,
        function: String,
        args: Vec<Expr>,
    },
}

#[derive(Clone, Debug)]
pub struct For {
    pub local: LocalId,
    /// A set; guards are filters in it. Its members are visited in order.
    pub over: Expr,
    /// Players only: the one to begin with.
    pub from: Option<Expr>,
    pub reversed: bool,
    /// Every choice of the body is put to all before any effect.
    pub at_once: bool,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct Ask {
    pub who: Expr,
    pub choice: Choice,
    pub prompt: Option<Reason>,
    pub otherwise: Block,
}

#[derive(Clone, Debug)]
pub enum Choice {
    /// One member of the set, or none if it may be declined.
    Member {
        local: LocalId,
        from: Expr,
        or_none: bool,
        /// Those of `from` that bots choose among, if any is there; people choose among all.
        suggested: Option<Expr>,
    },
    /// Several members of the set, one after another: so many, or up to so many. `each` is the one that is asked for,
    /// `local` the set of those that were chosen.
    Members {
        local: LocalId,
        each: LocalId,
        count: Expr,
        up_to: bool,
        from: Expr,
    },
    /// A number from `low` to `high` for which the guard holds.
    Number {
        local: LocalId,
        low: Expr,
        high: Expr,
        guard: Option<Expr>,
        or_none: bool,
    },
    /// A bag of that size out of another.
    Bag {
        local: LocalId,
        size: BagSize,
        from: Expr,
    },
    /// A bag of that size of these members, each as often as wished.
    Kinds {
        local: LocalId,
        size: BagSize,
        domain: DomainId,
        among: Vec<u32>,
    },
    Branches(Vec<Branch>),
}

/// The most numbers that one choice may range over.
pub const MAX_NUMBERS: i64 = 1000;

/// What bags a choice of one allows.
#[derive(Clone, Debug)]
pub struct BagSize {
    pub least: Expr,
    /// None: all are of the least size.
    pub most: Option<Expr>,
    /// Tests the chosen bag.
    pub guard: Option<Expr>,
    pub or_none: bool,
}

impl BagSize {
    pub fn just(size: Expr) -> BagSize {
        BagSize { least: size, most: None, guard: None, or_none: false }
    }
}

#[derive(Clone, Debug)]
pub struct Branch {
    pub name: String,
    pub guard: Option<Expr>,
    pub body: Block,
    /// `counter once`: the asked player makes this action in turn, addressed to the asker; not within a counter.
    pub counter: Option<Perform>,
    pub span: Span,
}

/// An action done from inside a rule.
#[derive(Clone, Debug)]
pub struct Perform {
    pub who: Expr,
    pub must: bool,
    /// Alternatives; an argument that is given is fixed, the others are chosen.
    pub actions: Vec<(ActionId, Vec<Option<Expr>>)>,
    pub free: bool,
    /// Paid in place of what the action asks.
    pub cost: Option<Expr>,
    pub beyond_limit: bool,
    pub even: Vec<String>,
    /// Was it done?
    pub bind: Option<LocalId>,
    pub otherwise: Block,
}

/// What is listed (not what is legal) of an action with bags.
#[derive(Clone, Debug)]
pub struct Suggest {
    /// Parameter, least and greatest size.
    pub sizes: Vec<(LocalId, i64, i64)>,
    /// Listed until it was done so many times in the scope.
    pub at_most: Option<LimitId>,
}

#[derive(Clone, Debug)]
pub enum Owner {
    /// Pieces of nobody, or of whoever.
    Any,
    /// Of pieces that players own: those that are nobody's.
    Neutral,
    One(Box<Expr>),
    /// Those of a set of players.
    Among(Box<Expr>),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Type,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Number(i64),
    Truth(bool),
    /// A member of the type's domain.
    Member(u32),
    None,
    Local(LocalId),
    /// A tally's number or bag.
    Tally {
        local: LocalId,
        key: Box<Expr>,
    },
    Me,
    Active,
    /// The phase in which the active player is.
    Phase,
    /// The number of the turn, from 1.
    Turn,
    /// Who has won, or none; only at the end.
    Winner,
    Field {
        field: FieldId,
        keys: Vec<Expr>,
    },
    Option(OptionId),
    Holder(AwardId),
    /// The points of all awards that the player holds.
    AwardPoints(Box<Expr>),
    Call {
        function: FunctionId,
        args: Vec<Expr>,
    },
    Script {
        script: ScriptId,
        function: String,
        args: Vec<Expr>,
    },
    If {
        cond: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },

    /// What the table holds for a member; `place` says which of several values is meant.
    Lookup {
        table: TableId,
        of: Box<Expr>,
        place: Option<Box<Expr>>,
    },

    // Numbers.
    Arith {
        op: Arith,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Count(Box<Expr>),
    Sum {
        local: LocalId,
        over: Box<Expr>,
        body: Box<Expr>,
    },
    Size(Box<Expr>),
    /// The place of the player in a dense ranking, from 1: `by` is computed for each seat as `local`, most is first.
    Rank {
        local: LocalId,
        of: Box<Expr>,
        by: Box<Expr>,
    },
    /// How many of the member are in the bag.
    Lane {
        bag: Box<Expr>,
        kind: Box<Expr>,
    },
    /// How many of the owner's (or nobody's) pieces are not on the board.
    InSupply {
        piece: PieceId,
        owner: Owner,
    },
    /// The longest way along these sets of edges that uses none twice, passing from one edge to the next at places
    /// in `through` and between different sets only at places in `joined`.
    Trail {
        sets: Vec<Expr>,
        through: Option<Box<Expr>>,
        joined: Option<Box<Expr>>,
    },

    // Truths.
    Compare {
        op: Compare,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    In {
        member: Box<Expr>,
        set: Box<Expr>,
    },
    Some(Box<Expr>),
    Meets(Box<Expr>, Box<Expr>),
    Has(Box<Expr>, Box<Expr>),
    BagDisjoint(Box<Expr>, Box<Expr>),

    // Members.
    First(Box<Expr>),
    /// The owner of the one piece of these kinds on the place, or none.
    Owner {
        pieces: Vec<PieceId>,
        at: Box<Expr>,
    },
    /// The n-th (from 0) seat after this one, round the table.
    Next {
        player: Box<Expr>,
    },

    // Sets.
    All(DomainId),
    Members(Vec<u32>),
    /// Members computed one by one; none is left out.
    SetOf(Vec<Expr>),
    Pieces {
        piece: PieceId,
        owner: Owner,
    },
    /// The owners of pieces of these kinds on any of the places.
    Owners {
        pieces: Vec<PieceId>,
        at: Box<Expr>,
    },
    Union(Box<Expr>, Box<Expr>),
    Intersect(Box<Expr>, Box<Expr>),
    Without(Box<Expr>, Box<Expr>),
    Filter {
        local: LocalId,
        over: Box<Expr>,
        cond: Box<Expr>,
    },
    /// Everything that the board's relation links to a member of the set (or to the one member).
    Image {
        relation: String,
        of: Box<Expr>,
    },
    /// The places of a path, a region or a mark of the board; a mark may be of a seat.
    Mark {
        name: String,
        seat: Option<Box<Expr>>,
    },
    /// The goods that a terrain yields.
    Yields(Box<Expr>),
    /// The members that the bag holds at least one of.
    Kinds(Box<Expr>),
    Reasoned {
        set: Box<Expr>,
        reason: Reason,
    },
    /// How many steps along the relation lead from the nearest of `from` to one of `to`, all but the first place
    /// within `inside`; as many as there are places if no way leads there.
    Distance {
        from: Box<Expr>,
        to: Box<Expr>,
        inside: Option<Box<Expr>>,
        along: String,
    },
    /// The places that so many steps along the relation lead to at most, those of `from` included; all steps end
    /// within `inside`.
    Within {
        steps: Box<Expr>,
        from: Box<Expr>,
        inside: Option<Box<Expr>>,
        along: String,
    },
    /// The members of the set that lie in a straight line of at least `length` of them, in one of the board's
    /// directions (with `along`, of those that this relation follows).
    Line {
        length: Box<Expr>,
        set: Box<Expr>,
        along: Option<String>,
    },

    // Bags.
    /// Kinds, and how many of each.
    BagOf(Vec<(Expr, Expr)>),
    BagAdd(Box<Expr>, Box<Expr>),
    BagSubtract(Box<Expr>, Box<Expr>),
    BagTimes {
        count: Box<Expr>,
        bag: Box<Expr>,
    },
    /// The part of the bag that is of these members.
    BagWithin {
        bag: Box<Expr>,
        set: Box<Expr>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arith {
    Add,
    Subtract,
    Multiply,
    /// Rounds down; dividing by zero gives zero.
    Divide,
    Modulo,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}
