//! The tree of a rules file as it was written: names are text, nothing is resolved, every node has a span.
//!
//! `X of Y`, `Y.X` and `my X` are one node ([`ExprKind::Of`]): what they mean depends on what `X` is, which the
//! checker knows. A slot that could not be read holds a `Bad` node; later stages stay quiet about it.

use crate::source::Span;

/// An identifier, or a word used as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// A quoted text. Braces hold a parameter, `it`, or another expression's name to be filled in: `"{e} is taken"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub struct File {
    pub items: Vec<Item>,
    /// The names that `Bad` items seem to declare: a stage that misses one of them stays quiet.
    pub broken: Vec<Name>,
}

/// What an item does to the rulesets below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A new thing (or, for `setup` and `turn`, the whole of it).
    Declare,
    /// `change …`: replaces the thing or some of its clauses; `usual` is what was there.
    Change,
    /// `drop …`: takes the thing out.
    Drop,
}

#[derive(Clone, Debug)]
pub struct Item {
    /// The `///` lines above, joined by line feeds.
    pub doc: Option<String>,
    pub mode: Mode,
    pub kind: ItemKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `seats red, blue, white`
    Seats(Vec<Name>),
    /// `option map = printed | shuffled "what it is"`; the first value is the default.
    Option {
        name: Name,
        values: Vec<OptionValue>,
        about: Option<Text>,
    },
    Goods(Goods),
    /// `group building = hut, tower`; with `change`, `change group g { add x, y }` gives the added ones.
    Group {
        name: Name,
        members: Vec<Name>,
    },
    /// `words direction { north, east }`; with `change`, `change words direction { add south }` gives the added ones.
    Words {
        name: Name,
        members: Vec<Name>,
    },
    /// `limit 3 of each coin in purse`
    Limit {
        name: Option<Name>,
        count: Expr,
        group: Name,
        field: Name,
    },
    /// `terrain meadow yields copper`, `… yields any coin`, `… yields copper, tin`
    Terrain {
        name: Name,
        yields: Option<Yields>,
    },
    Piece(Piece),
    /// `cost gate = copper + silver`
    Cost {
        name: Name,
        amount: Option<Expr>,
    },
    Deck(Deck),
    State(State),
    /// `board island for 3..4 where map == wide from "island.board"`
    Board {
        name: Name,
        players: Option<Players>,
        /// A condition on options.
        guard: Option<Expr>,
        file: Text,
    },
    /// `set NAME(params) = …`
    Set {
        name: Name,
        params: Vec<Param>,
        body: Option<Expr>,
    },
    /// `define NAME(params) -> type = …`
    Define {
        name: Name,
        params: Vec<Param>,
        result: Option<TypeExpr>,
        body: Option<Expr>,
    },
    /// `procedure NAME(params) -> type { … }`
    Procedure {
        name: Name,
        params: Vec<Param>,
        result: Option<TypeExpr>,
        body: Block,
    },
    /// `setup { … }` with `part NAME { … }` statements in it.
    Setup(Block),
    /// `turn { phase { … } … }`
    Turn(Vec<Phase>),
    Action(Action),
    Trigger(Trigger),
    /// `before NAME { … }`, `after part NAME { … }`: inserted next to a procedure, trigger, action, set-up part or phase.
    Around {
        when: When,
        target: Target,
        guard: Option<Expr>,
        body: Block,
    },
    Award(Award),
    /// `points p = …`, `hidden points p = …`
    Points {
        hidden: bool,
        player: Name,
        body: Expr,
    },
    /// `end NAME when COND winner WHO`; name optional, `winner nobody` is a draw
    End {
        name: Option<Name>,
        cond: Expr,
        winner: Option<Expr>,
    },
    /// `invariant NAME for r in resource: COND`; name and binders optional
    Invariant {
        name: Option<Name>,
        binders: Vec<(Name, Expr)>,
        cond: Expr,
    },
    /// `script NAME "file.rhai"`
    Script {
        name: Name,
        file: Text,
    },
    Tokens(Tokens),
    /// `cases meeting { find(what: plant), nothing }`
    Cases {
        name: Name,
        cases: Vec<(Name, Vec<Param>)>,
    },
    Track(Track),
    Fog(Fog),
    /// `chronicle { each player has vp1: 0..30; total: 0..12 }`
    Chronicle(Vec<State>),
    /// `at the end { … }`
    AtEnd(Block),
    /// `drop action offer`, `drop trigger x`: kind word and name (an action by its words).
    Dropped {
        kind: Name,
        words: Vec<Name>,
    },
    Bad,
}

#[derive(Clone, Debug)]
pub enum OptionValue {
    Word(Name),
    /// `5..20`; the default is the first number
    Range(i64, i64, Span),
}

/// `goods resource { copper, silver 10 } 19 each in bank drawn unseen, returned to X, reshuffled when empty`
#[derive(Clone, Debug)]
pub struct Goods {
    pub name: Name,
    pub members: Vec<(Name, Option<i64>)>,
    pub each: Option<i64>,
    pub home: Option<Name>,
    pub unseen: bool,
    pub returned_to: Option<Name>,
    pub reshuffled: bool,
}

#[derive(Clone, Debug)]
pub enum Yields {
    Of(Vec<Name>),
    Any(Name),
}

/// `piece gate on edge 15 each, 4 each for 2 at most 3 there neutral`
#[derive(Clone, Debug)]
pub struct Piece {
    pub name: Name,
    pub on: Option<Name>,
    pub counts: Vec<PieceCount>,
    pub at_most: Option<i64>,
    pub at_most_of_owner: Option<i64>,
}

/// `15 each` (of every player), `1` (of nobody), each with `for 2` or `for 3..4` behind it.
#[derive(Clone, Debug)]
pub struct PieceCount {
    pub count: i64,
    pub each: bool,
    pub players: Option<Players>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Players {
    pub low: i64,
    pub high: i64,
    pub span: Span,
}

/// `deck omen { sun 14, … } played to discards, reshuffled when empty`,
/// `cards movement { north, east: meeting } from "movement.toml"`
#[derive(Clone, Debug)]
pub struct Deck {
    pub name: Name,
    /// What each card of a table has.
    pub columns: Vec<Field>,
    /// A card may be a number.
    pub cards: Vec<(Name, Option<i64>)>,
    /// For some numbers of players: which counts differ.
    pub variants: Vec<(Players, Vec<(Name, i64)>)>,
    /// `from "file.toml"` instead of a list
    pub file: Option<Text>,
    pub played_to: Option<Name>,
    pub reshuffled: bool,
}

/// `each player, ability has experience: 0..4`, `this turn each boat has fresh: yes | no`, `this turn played: yes | no`,
/// `state round: 0..99`
#[derive(Clone, Debug)]
pub struct State {
    pub this_turn: bool,
    pub keys: Vec<Name>,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: Name,
    pub ty: TypeExpr,
    pub hidden: bool,
    /// `clamped`: values outside the range are cut to it instead of being a fault
    pub clamped: bool,
    /// `= 4` behind the type
    pub initial: Option<Expr>,
}

/// `name: type`; a procedure's parameter may leave the type out.
#[derive(Clone, Debug)]
pub struct Param {
    pub name: Name,
    pub ty: Option<TypeExpr>,
}

#[derive(Clone, Debug)]
pub struct TypeExpr {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `0..14`
    Range(Box<Expr>, Box<Expr>),
    /// `2..12 or none`: a number or one of the names
    RangeOr(Box<Expr>, Box<Expr>, Vec<Name>),
    /// `resource or general or none`, `hex`, `others` (a player that is not `me`): one or more names
    OneOf(Vec<Name>),
    /// `yes | no`, `won | lost`
    Words(Vec<Name>),
    /// `bag of tradable`
    Bag(Name),
    /// `set of ally`
    Set(Name),
    /// `list of test`, a column of a table
    List(Box<TypeExpr>),
    /// `2 of coin`: a bag of that size
    Sized(Box<Expr>, Name),
    /// `text`, in card tables
    Text,
    Bad,
}

/// A phase: `main { must roll; may build, play; one of a, b; until end turn }`
#[derive(Clone, Debug)]
pub struct Phase {
    pub name: Name,
    /// `dusk after dawn { … }`: next to which phase it is put.
    pub beside: Option<(When, Name)>,
    pub clauses: Vec<PhaseClause>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum PhaseClause {
    /// The phase lasts until each was done once.
    Must(Vec<Name>),
    May(Vec<Name>),
    /// Exactly one of them is done, which ends the phase.
    OneOf(Vec<Name>),
    /// The words that the player says to end the phase.
    Until(Vec<Name>),
    /// Statements done when the phase begins (`do …`).
    Do(Stmt),
}

/// `action build gate on e: edge on call { … }`
#[derive(Clone, Debug)]
pub struct Action {
    pub phrase: Vec<PhrasePart>,
    pub when: ActionTime,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub enum PhrasePart {
    Word(Name),
    Param(Param),
}

#[derive(Clone, Debug)]
pub enum ActionTime {
    /// In the phases that list its first word.
    Group,
    /// `in main`
    InPhases(Vec<Name>),
    OnCall,
    AnyTime,
}

/// `trigger NAME on EVENT where … { … }`
#[derive(Clone, Debug)]
pub struct Trigger {
    pub name: Name,
    /// None under `change`, where the old event stays.
    pub event: Option<Event>,
    pub guard: Option<Expr>,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub enum Event {
    /// `thrown(n)`, `played(sun)`: a name binds, a member compares.
    Emitted {
        name: Name,
        args: Vec<Expr>,
    },
    /// `arrival of boat at e by p as s` (placed or moved)
    Arrival {
        piece: Name,
        at: Option<Name>,
        by: Option<Name>,
    },
    /// `reveal of h by p`, `reveal of stray t by p`
    Reveal {
        /// The kind of tokens.
        tokens: Option<Name>,
        of: Name,
        by: Option<Name>,
    },
    /// `passing fame medal by p`
    Passing {
        track: Name,
        mark: Name,
        by: Option<Name>,
    },
    /// `trigger NAME after X`: next to (or instead of) a procedure, trigger, action, set-up part or phase
    Beside {
        when: When,
        target: Target,
    },
    /// `turn start`, `turn end`
    TurnStart,
    TurnEnd,
}

/// What a block stands beside: `production`, `part founding`, `action build gate`.
#[derive(Clone, Debug)]
pub struct Target {
    /// The word for the kind of thing, if one is written.
    pub kind: Option<Name>,
    /// All words of the name, one blank between them.
    pub name: Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Before,
    After,
    Instead,
}

/// `award longest_wall 2 points { most EXPR; at least 5; a tie keeps the holder, else nobody }`
#[derive(Clone, Debug)]
pub struct Award {
    pub name: Name,
    pub points: Option<i64>,
    pub most: Option<Expr>,
    pub at_least: Option<Expr>,
    pub tie: Option<Tie>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie {
    pub keeps_holder: bool,
    /// Without a holder among the leaders: nobody has it (true), or the holder keeps it even when overtaken (false).
    pub else_nobody: bool,
}

/// `tokens stray { price: bag of resource } on moor 2 there face down from "strays.toml"`
#[derive(Clone, Debug)]
pub struct Tokens {
    pub name: Name,
    pub columns: Vec<Field>,
    /// Faces that are listed here, and how many there are of each.
    pub faces: Vec<(Name, Option<i64>)>,
    pub on: Option<Expr>,
    pub there: Option<i64>,
    pub face_down: bool,
    pub file: Option<Text>,
}

/// `track fame each player 0..24 { medal at 3, 7; star at 9 }`
#[derive(Clone, Debug)]
pub struct Track {
    pub name: Name,
    pub each_player: bool,
    pub low: Expr,
    pub high: Expr,
    pub marks: Vec<(Name, Vec<Expr>)>,
}

/// `fog red 8 hexes, blue 8 hexes of { marsh 2, lake 4 } for 3 players 7 hexes, lake 3`
#[derive(Clone, Debug)]
pub struct Fog {
    pub areas: Vec<(Name, i64)>,
    pub of: Vec<(Name, i64)>,
    pub variants: Vec<FogVariant>,
}

/// For some numbers of players: how many places are under fog, and which counts differ.
pub type FogVariant = (Players, Option<i64>, Vec<(Name, i64)>);

pub type Block = Vec<Stmt>;

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `require COND as NAME "reason"`
    Require {
        cond: Expr,
        name: Option<Name>,
        reason: Option<Text>,
    },
    /// `once a turn as GROUP`, `at most 2 a game`
    Limit {
        count: i64,
        scope: Scope,
        group: Option<Name>,
    },
    /// `suggest 1..2 of paid for 1 of wanted, at most 3 a turn`: what is listed of an action with bags.
    Suggest {
        sizes: Vec<(Name, Expr, Expr)>,
        at_most: Option<(i64, Scope)>,
    },
    Ask(Ask),
    /// `give p 1 r`, `give me exactly 1 wanted`, `give p 1 r from zone`
    Give {
        to: Expr,
        exactly: bool,
        amount: Expr,
        from: Option<Expr>,
    },
    /// `take lost from p` (to its home)
    Take {
        amount: Expr,
        from: Expr,
    },
    /// `take t to my strays as f`: a token goes into a bag of its faces
    TakeToken {
        what: Expr,
        to: Expr,
        bind: Option<Name>,
    },
    /// `pay cost(gate)`, `pay 1 tin to p`
    Pay {
        amount: Expr,
        to: Option<Expr>,
    },
    /// `steal 1 random of v.hand`
    Steal {
        count: Expr,
        from: Expr,
    },
    /// `swap paid of me, wanted of p`
    Swap {
        left: (Expr, Expr),
        right: (Expr, Expr),
    },
    /// `do found(p) as c`
    Do {
        call: Expr,
        bind: Option<Name>,
    },
    /// `make p build gate free otherwise { … }` and `allow p to …`
    Perform {
        must: bool,
        perform: Perform,
        otherwise: Option<Block>,
    },
    /// `place my gate on e as x`
    Place {
        piece: Expr,
        on: Expr,
        bind: Option<Name>,
    },
    Move(Move),
    /// `remove my boat from e`
    Remove {
        piece: Expr,
        from: Option<Expr>,
        /// The face of a token.
        bind: Option<Name>,
    },
    /// `replace my hut on c by my tower`
    Replace {
        piece: Expr,
        on: Expr,
        by: Expr,
    },
    /// `draw omen where level == 2 to my cards as d`
    Draw {
        deck: Name,
        guard: Option<Expr>,
        to: Option<Expr>,
        bind: Option<Name>,
    },
    /// `deal 1 ally to each player` / `deal 3 movement to p.cards`
    Deal {
        count: Expr,
        deck: Name,
        to: Option<Expr>,
    },
    /// `discard c from my cards`
    Discard {
        card: Expr,
        from: Option<Expr>,
    },
    /// `turn over movement as card`
    TurnOver {
        what: Expr,
        bind: Option<Name>,
    },
    /// `shuffle omen`, `shuffle terrain on land`
    Shuffle {
        what: Expr,
        on: Option<Expr>,
    },
    /// `lay number 5 2 6 … along spiral & producing`
    Lay {
        field: Name,
        values: Vec<Expr>,
        along: Expr,
    },
    /// `reveal h`
    Reveal {
        what: Expr,
    },
    /// `look at t by me`
    Look {
        at: Expr,
        by: Option<Expr>,
    },
    /// `roll 2 d6 as n`
    Roll {
        count: i64,
        sides: i64,
        bind: Option<Name>,
    },
    /// `emit thrown(n)`
    Emit {
        event: Name,
        args: Vec<Expr>,
    },
    /// `let x = …`
    Let {
        name: Name,
        value: Expr,
    },
    /// `set X = …`
    Set {
        target: Expr,
        value: Expr,
    },
    /// `add 1 to X`
    Add {
        amount: Expr,
        target: Expr,
    },
    /// `tally owed: player by resource`: local counters, zero at first
    Tally {
        name: Name,
        keys: Vec<Name>,
    },
    For(For),
    /// `repeat 2 { … }`, `repeat up to 12 while C { … }`
    Repeat {
        count: Expr,
        up_to: bool,
        condition: Option<Expr>,
        body: Block,
    },
    /// `if C { … } else if D { … } else { … }`
    If {
        cond: Expr,
        then: Block,
        otherwise: Option<Block>,
    },
    Case {
        subject: Expr,
        arms: Vec<Arm>,
    },
    Return(Option<Expr>),
    Stop,
    EndTurn,
    /// `end game, winner me`
    EndGame {
        winner: Option<Expr>,
    },
    /// `part founding { … }`, in a set-up
    Part {
        name: Name,
        body: Block,
    },
    /// `usual as x`: what was there before the change
    Usual(Option<Name>),
    Bad,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Turn,
    Game,
    Chapter,
}

/// `case card[d] { find(what, hidden) { … } nothing { } }`
#[derive(Clone, Debug)]
pub struct Arm {
    pub name: Name,
    pub binds: Vec<Name>,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct Ask {
    /// The player asked.
    pub who: Expr,
    pub choice: Choice,
    pub prompt: Option<Text>,
    pub otherwise: Option<Block>,
}

#[derive(Clone, Debug)]
pub enum Choice {
    /// `for c: corner in S where … or none`, `for lost: half(n) of p.hand`, `for up to 2 c: corner in S`
    For {
        count: Option<Expr>,
        up_to: bool,
        name: Name,
        ty: Option<TypeExpr>,
        from: Option<Expr>,
        guard: Option<Expr>,
        /// `suggest where …`: what bots choose among.
        suggest: Option<Expr>,
        or_none: bool,
    },
    /// `to { pay where … { … } leave { … } }`
    Branches(Vec<Branch>),
}

#[derive(Clone, Debug)]
pub struct Branch {
    pub name: Name,
    pub guard: Option<Expr>,
    /// `counter once`: the asked player may answer with an offer of its own.
    pub once: bool,
    pub body: Option<Block>,
    pub span: Span,
}

/// `p build gate or build boat free for tin + silver beyond its limit even fresh`
#[derive(Clone, Debug)]
pub struct Perform {
    pub who: Expr,
    /// One or more actions, each by its words; arguments that are given stand in their places.
    pub actions: Vec<Vec<PerformPart>>,
    pub free: bool,
    pub cost: Option<Expr>,
    pub beyond_limit: bool,
    pub even: Vec<Name>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum PerformPart {
    /// A word of the phrase, or an argument that is a plain name.
    Word(Name),
    Arg(Expr),
}

/// `move guard to h`, `move my boat from a to b as m`, `move all r from p.hand to my hand`, `move boat along arrow n times`,
/// `move my figure by d`, `move one (my pawn at a) where not moved to b as m`
#[derive(Clone, Debug)]
pub struct Move {
    pub what: Expr,
    pub one: bool,
    pub all: bool,
    pub from: Option<Expr>,
    pub to: Option<Expr>,
    pub by: Option<Expr>,
    pub along: Option<(Name, Option<Expr>)>,
    pub bind: Option<Name>,
}

/// `for p in players from active at once where … { … }`
#[derive(Clone, Debug)]
pub struct For {
    pub name: Name,
    pub over: Expr,
    pub from: Option<Expr>,
    pub reversed: bool,
    pub at_once: bool,
    pub guard: Option<Expr>,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i64),
    Text(Text),
    Name(Name),
    /// `rate(r)`, `trail(gate of p, through open_to(p))`
    Call {
        name: Name,
        args: Vec<Arg>,
    },
    /// `strays::price(t)`
    ScriptCall {
        script: Name,
        name: Name,
        args: Vec<Expr>,
    },
    /// `X of Y`, `Y.X`, `my X`
    Of {
        left: Box<Expr>,
        right: Box<Expr>,
        form: OfForm,
    },
    /// `card[d]`
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
    },
    /// `boat at e`
    At {
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `my hut in supply`: the pieces not on the board
    InSupply(Box<Expr>),
    /// `3 tin`, `1 wanted`: an amount written before what it counts
    Amount {
        count: Box<Expr>,
        of: Box<Expr>,
    },
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    If {
        cond: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// `some S`, `no S`, `first S`, `any coin`, `all points(p)`
    Prefix {
        op: PrefixOp,
        of: Box<Expr>,
    },
    /// `e: edge in S where C`
    Binder {
        name: Name,
        ty: Option<Name>,
        from: Option<Box<Expr>>,
        guard: Option<Box<Expr>>,
    },
    /// `S where C`: inside `C`, `it` is the element and its fields may be named alone
    Where {
        set: Box<Expr>,
        guard: Box<Expr>,
    },
    /// `(tin, silver)`
    Tuple(Vec<Expr>),
    /// `5..9`
    Range(Box<Expr>, Box<Expr>),
    /// `S "reason"`: what to say of an element that this part of the set leaves out
    Reasoned {
        set: Box<Expr>,
        reason: Text,
    },
    /// `allow me to use lantern` as a condition: was it done?
    Allowed(Box<Perform>),
    Usual,
    Me,
    Active,
    Bad,
}

/// An argument, with the word in front that names its role: `through S`, `joined at S`, `inside S`, `without a`, `by all points`.
#[derive(Clone, Debug)]
pub struct Arg {
    pub role: Option<Name>,
    pub value: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfForm {
    Of,
    Dot,
    My,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefixOp {
    Some,
    No,
    First,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    NotIn,
    /// `S meets T`
    Meets,
    /// `bag disjoint bag`
    Disjoint,
    /// `bag has bag`
    Has,
    /// `phase is main`
    Is,
    /// `S | T`
    Union,
    /// `S & T`
    Intersect,
    /// `S without T`
    Without,
    /// `a near b`
    Near,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}
