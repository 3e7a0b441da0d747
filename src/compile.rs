//! Lowering: a typed program, a number of players and option values become code for the engine.
//!
//! Rules are compiled once for each acting player: `me`, the active player, options and seats in loops are constants
//! here, so loops over players unroll and addresses are known. A rule that is done from several places with the same
//! constants is compiled once (an *instance*); the locals of a rule have fixed addresses in the state, since rules do
//! not recurse beyond a small bound, so a rule that waits for a choice needs no stack. Sets and numbers of the rules
//! that depend on slowly changing state are kept and computed anew only after what they read was written.
//!
//! `memory` and `assemble` know addresses and labels, `environment` what a name stands for; `values`, `truths`,
//! `sets` and `bags` compile expressions, `functions` the kept ones; `statements`, `stores`, `pieces`, `choices`,
//! `actions` and `reasons` compile rules; `turn` strings them to a game.

mod actions;
mod answers;
mod assemble;
mod bags;
mod choices;
mod doubts;
mod environment;
mod flags;
mod fog;
mod fragment;
mod functions;
mod lookups;
mod memory;
mod pieces;
mod reasons;
mod sets;
mod statements;
mod stores;
mod tokens;
mod truths;
mod turn;
mod values;
mod ways;

pub use fragment::{Fragment, expression};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::engine::bags::LANE_MAX;
use crate::engine::code::{Code, Counter, EventKind, EventText, FaultText, Layout, ReasonText, Shape, TextPart, fixed};
use crate::engine::game::BAG_WORDS;
use crate::engine::instr::Op;
use crate::engine::machine::ROW_PREFIX;
use crate::engine::trail::Graph;
use crate::program::{
    BoardVariant, DomainKind, Field, FieldRole, FieldType, OptionValues, Program, Scope, TableId, Type,
};
use crate::source::Span;
use assemble::{Assembler, Label, Owners};
use environment::{Environment, Instance, InstanceKey, UnitKey};
use functions::Keeping;
use memory::{Memory, Region};

/// For what a program is lowered.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    pub players: usize,
    /// By name; what is not named has its default. A word is given by its index.
    pub options: BTreeMap<String, i64>,
}

/// Lowers a program. Faults are those that show only for a number of players or for option values: no board for so
/// many, counts too large, code too large.
pub fn lower(program: &Arc<Program>, setup: &Setup) -> Result<Code, Vec<Diagnostic>> {
    let mut lower = Lower::new(program, setup)?;
    lower.game();
    lower.finish()
}

/// The lowering under way.
struct Lower<'p> {
    program: &'p Program,
    players: usize,
    options: Vec<i64>,
    board: Option<usize>,
    asm: Assembler,
    memory: Memory,
    layout: Layout,
    code: Code,
    owners: Owners,
    env: Environment<'p>,
    instances: BTreeMap<InstanceKey, Instance>,
    /// Addresses of the locals of each unit, by how often it is nested in itself.
    frames: BTreeMap<(UnitKey, usize), Vec<u16>>,
    keeping: Keeping,
    /// Reads of the kept values that are being compiled, innermost last.
    readers: Vec<BTreeSet<Region>>,
    /// Units that can come to do themselves again.
    recursive: BTreeSet<UnitKey>,
    /// Of each unit looked at so far, the locals that may be none.
    loose: BTreeMap<UnitKey, BTreeSet<crate::program::LocalId>>,
    /// The words of those keys of the last cell that may be none.
    doubts: Vec<u16>,
    /// The procedures whose requirements are being gathered, outermost first.
    collecting: Vec<UnitKey>,
    /// Prices in place of what actions cost, by number.
    costs: Vec<(&'p crate::program::Expr, std::rc::Rc<environment::Scope<'p>>)>,
    /// Where the turn of each seat ends.
    turn_ends: Vec<Label>,
    /// Does any rule say `end turn`?
    may_end_turn: bool,
    /// Does any rule write into a bag of the state, so that there may be more of a kind than at first?
    makes_goods: bool,
    /// Tables of relations, by name and the domains that they lead from and to.
    tables: BTreeMap<(String, usize, usize), (u16, usize)>,
    /// Addresses of the tables of constants that some rule reads.
    lookups: BTreeMap<TableId, u16>,
    yields: Option<u16>,
    faults: Vec<Diagnostic>,
}

impl<'p> Lower<'p> {
    fn new(shared: &'p Arc<Program>, setup: &Setup) -> Result<Lower<'p>, Vec<Diagnostic>> {
        let program: &'p Program = shared;
        let players = setup.players;
        let options = option_values(program, setup);
        let fits = |b: &BoardVariant| {
            let when = b.when.as_ref().is_none_or(|cond| values::of_options(cond, &options) != Some(0));
            b.low <= players && players <= b.high && when
        };
        let board = program.boards.iter().rposition(fits);
        let mut faults = Vec::new();
        if board.is_none() && !program.boards.is_empty() {
            faults.push(Diagnostic::error(480, Span::default(), format!("there is no board for {players} players")));
        }
        let variant = board.and_then(|b| program.boards.get(b));
        let sizes = domain_sizes(program, players, variant);
        let streams = stream_names(program);
        let mut memory = Memory::new(streams.len());
        let fields = (0..program.fields.len())
            .map(|i| memory::place_field(program, crate::program::FieldId(i as u32), &sizes, &mut memory))
            .collect();
        let pieces = (0..program.pieces.len())
            .map(|i| memory::place_piece(program, crate::program::PieceId(i as u32), &sizes, players, &mut memory))
            .collect();
        let awards = program.awards.iter().map(|_| memory.state(1)).collect();
        let limits = program.limits.iter().map(|_| memory.state(players)).collect();
        for (kind, supply) in program.supplies.iter().enumerate() {
            if *supply > LANE_MAX {
                let (name, span) = goods_name(program, kind);
                faults.push(
                    Diagnostic::error(
                        707,
                        span,
                        format!("there are {supply} {name}, and a game can hold at most {LANE_MAX}"),
                    )
                    .help(format!("give {name} a count of {LANE_MAX} or less")),
                );
            }
        }
        for deck in &program.decks {
            let domain = &program.domains[deck.domain.index()];
            for (member, count) in domain.members.iter().zip(&deck.counts) {
                if *count > LANE_MAX {
                    let name = &member.name;
                    faults.push(
                        Diagnostic::error(
                            707,
                            member.span,
                            format!("there are {count} {name}, and a game can hold at most {LANE_MAX}"),
                        )
                        .help(format!("give {name} a count of {LANE_MAX} or less")),
                    );
                }
            }
        }
        for field in &program.fields {
            if let FieldType::Bag { domain, .. } = field.ty
                && !matches!(field.role, FieldRole::Discards(_))
                && sizes[domain.index()] > BAG_WORDS * 8
            {
                let (kinds, most) = (sizes[domain.index()], BAG_WORDS * 8);
                faults.push(
                    Diagnostic::error(
                        710,
                        field.span,
                        format!("`{}` would hold {kinds} kinds, and a bag holds at most {most}", field.name),
                    )
                    .help("put kinds that the rules never tell apart together, or split them over several decks"),
                );
            }
        }
        for (domain, size) in program.domains.iter().zip(&sizes) {
            if matches!(domain.kind, DomainKind::Slots { .. }) && *size > crate::board::MAX_PLACES {
                let (name, most) = (&domain.name, crate::board::MAX_PLACES);
                faults.push(
                    Diagnostic::error(710, domain.span, format!("the places have room for {size} `{name}`"))
                        .help(format!("the most is {most}: let fewer stand together, or draw a smaller board")),
                );
            }
        }
        if memory.overflow {
            faults.push(too_large());
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let layout = Layout { fields, pieces, awards, limits, sizes };
        let code = empty_code(shared, players, board, streams);
        Ok(Lower {
            program,
            players,
            options,
            board,
            asm: Assembler::default(),
            memory,
            layout,
            code,
            owners: Owners::default(),
            env: Environment::default(),
            instances: BTreeMap::new(),
            frames: BTreeMap::new(),
            keeping: Keeping::default(),
            readers: Vec::new(),
            recursive: environment::recursive_units(program),
            loose: BTreeMap::new(),
            doubts: Vec::new(),
            costs: Vec::new(),
            collecting: Vec::new(),
            turn_ends: Vec::new(),
            may_end_turn: environment::bodies(program).any(ends_turn),
            makes_goods: environment::bodies(program).any(|block| makes_goods(program, block)),
            tables: BTreeMap::new(),
            lookups: BTreeMap::new(),
            yields: None,
            faults,
        })
    }

    fn finish(mut self) -> Result<Code, Vec<Diagnostic>> {
        self.describe_script_events();
        self.code.options = self.options.clone();
        self.code.graph = self.graph();
        let reads: Vec<Vec<Region>> = self.keeping.reads.iter().map(|r| r.iter().copied().collect()).collect();
        let (asm, memory, code) = (&self.asm, &mut self.memory, &mut self.code);
        let placed = asm.finish(code, &self.owners, &reads, |mask| memory.constant(&[mask]));
        let code = &self.code;
        let numbered = [
            code.sites.len(),
            code.entries.len(),
            code.kept.len(),
            code.reasons.len(),
            code.events.len(),
            code.faults.len(),
            code.trails.len(),
            code.shuffles.len(),
            code.scripts.len(),
            code.lines.len(),
            code.counters.len(),
        ];
        // Instructions hold these numbers in 16 bits.
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        if placed.is_err() || self.memory.overflow || numbered.iter().any(|n| *n > usize::from(u16::MAX)) {
            self.faults.push(too_large());
        }
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        self.layout_words();
        if self.code.entries.iter().any(|entry| entry.prefix.len() > ROW_PREFIX) {
            let fault = Diagnostic::error(708, Span::default(), "an action has too many parameters to be listed")
                .help("choose some of them inside the action, with `ask`");
            return Err(vec![fault]);
        }
        self.initial_image();
        Ok(self.code)
    }

    /// Widths of the values in descriptions, for the machine.
    fn layout_words(&mut self) {
        self.code.layout = self.layout.clone();
        let code = &self.code;
        let events =
            code.events.iter().map(|e| e.values.iter().map(|(a, ty)| (*a, code.words(*ty) as u16)).collect()).collect();
        let reasons = code
            .reasons
            .iter()
            .map(|r| {
                let value = |p: &TextPart| match p {
                    TextPart::Value(a, ty) => Some((*a, code.words(*ty) as u16)),
                    TextPart::Text(_) => None,
                };
                r.parts.iter().filter_map(value).collect()
            })
            .collect();
        self.code.event_words = events;
        self.code.reason_words = reasons;
        for entry in &mut self.code.entries {
            let fixed = entry.params.len().saturating_sub(1);
            let params = if entry.last_is_fixed { &entry.params[..] } else { &entry.params[..fixed] };
            entry.prefix = params
                .iter()
                .flat_map(|p| {
                    let words = match p.ty {
                        Type::Bag(d) => crate::engine::code::bag_words(self.code.layout.sizes[d.index()]),
                        Type::Set(d) => crate::engine::code::set_words(self.code.layout.sizes[d.index()]),
                        Type::Truth | Type::Number | Type::Member(_) | Type::Nothing | Type::Unknown => 1,
                    };
                    (0..words as u16).map(move |k| p.address + k)
                })
                .collect();
        }
    }

    /// The state at the start: everything at home, fields at their initial values, the drawing's values laid.
    fn initial_image(&mut self) {
        let program = self.program;
        let mut image = std::mem::take(&mut self.memory.image);
        for (id, field) in program.fields.iter().enumerate() {
            let place = self.code.layout.fields[id].clone();
            let initial = self.initial_value(field);
            let at = place.address as usize;
            match place.shape {
                Shape::Word => image[at..at + place.cells()].fill(initial as u64),
                Shape::Rows { words, values, low } => {
                    let members = place.keys.last().copied().unwrap_or(0);
                    let outer = place.keys[..place.keys.len() - 1].iter().product::<usize>();
                    let row = initial - low;
                    if row >= 0 && (row as usize) < values {
                        for o in 0..outer {
                            let from = at + (o * values + row as usize) * words;
                            image[from..from + words].copy_from_slice(&sets::all(members)[..words]);
                        }
                    }
                }
                Shape::Set(_) => {}
                Shape::Bag(words) => {
                    let counts: Vec<(usize, i64)> = match field.role {
                        FieldRole::Home => program
                            .homes
                            .iter()
                            .enumerate()
                            .filter(|(_, home)| home.is_some_and(|h| h.index() == id))
                            .map(|(kind, _)| (kind, program.supplies.get(kind).copied().unwrap_or(0)))
                            .collect(),
                        FieldRole::Deck(deck) => {
                            program.decks[deck.index()].counts_for(self.players).into_iter().enumerate().collect()
                        }
                        FieldRole::Declared
                        | FieldRole::Discards(_)
                        | FieldRole::Terrain
                        | FieldRole::OfPiece(_)
                        | FieldRole::Chronicle => Vec::new(),
                    };
                    for (kind, count) in counts {
                        if kind / 8 < words {
                            image[at + kind / 8] += (count as u64) << (kind % 8 * 8);
                        }
                    }
                }
            }
        }
        if let Some(variant) = self.variant() {
            for value in &variant.values {
                let place = &self.code.layout.fields[value.field.index()];
                write_place(&mut image, place, value.place as usize, value.value);
            }
        }
        for award in &self.code.layout.awards {
            image[*award as usize] = u64::MAX;
        }
        image[fixed::WINNER as usize] = u64::MAX;
        image[fixed::PHASE as usize] = u64::MAX;
        self.code.state = self.memory.state_words();
        self.code.constants_end = self.memory.constants_end();
        self.code.image = image;
    }

    /// What a field is at first: what its declaration says, else the least number, the first of its words, none, no.
    fn initial_value(&mut self, field: &'p Field) -> i64 {
        if let Some(initial) = &field.initial {
            return self.constant_value(initial);
        }
        match &field.ty {
            FieldType::Number { low, .. } => *low,
            FieldType::Member { domain, among, or_none: false }
                if self.program.domains.get(domain.index()).is_some_and(|d| d.kind == DomainKind::Words) =>
            {
                among.as_ref().and_then(|a| a.first()).map_or(0, |first| i64::from(*first))
            }
            FieldType::Member { .. } => -1,
            FieldType::Truth | FieldType::Set(_) | FieldType::Bag { .. } => 0,
        }
    }

    fn variant(&self) -> Option<&'p BoardVariant> {
        self.board.and_then(|b| self.program.boards.get(b))
    }

    /// Edges and corners for measuring trails.
    fn graph(&self) -> Graph {
        let Some(board) = self.variant().map(|v| &v.board) else { return Graph::default() };
        let find = |name: &str| board.relations.iter().find(|r| r.name == name);
        let Some(ends) = find("ends") else { return Graph::default() };
        let pairs =
            ends.table.iter().map(|e| [e.first().copied().unwrap_or(0), e.last().copied().unwrap_or(0)]).collect();
        let back = board.relations.iter().find(|r| r.from == ends.to && r.to == ends.from);
        Graph { ends: pairs, edges: back.map(|r| r.table.clone()).unwrap_or_default() }
    }

    fn event(&mut self, kind: EventKind, values: Vec<(u16, Type)>) {
        let chunk = self.asm.current();
        self.code.events.push(EventText { kind, values });
        self.owners.events.push(chunk);
        let number = self.code.events.len() as u16 - 1;
        self.asm.emit(Op::Event, number, 0, 0);
    }

    fn reason(&mut self, text: ReasonText) {
        let chunk = self.asm.current();
        self.code.reasons.push(text);
        self.owners.reasons.push(chunk);
        let number = self.code.reasons.len() as u16 - 1;
        self.asm.emit(Op::Why, number, 0, 0);
    }

    /// Stops with a fault of the rules when reached.
    fn fault(&mut self, code: u16, message: impl Into<String>, span: Span) {
        let fault = FaultText { code, message: message.into(), span, rule: self.env.rule.clone() };
        let number = match self.code.faults.iter().position(|f| {
            (f.code, &f.message, f.span, &f.rule) == (fault.code, &fault.message, fault.span, &fault.rule)
        }) {
            Some(n) => n,
            None => {
                self.code.faults.push(fault);
                self.code.faults.len() - 1
            }
        };
        self.asm.emit(Op::Fault, number as u16, 0, 0);
    }

    fn hit(&mut self, counter: Counter) {
        let number = match self.code.counters.iter().position(|c| *c == counter) {
            Some(n) => n,
            None => {
                self.code.counters.push(counter);
                self.code.counters.len() - 1
            }
        };
        self.asm.emit(Op::Hit, number as u16, 0, 0);
    }

    fn stream(&self, name: &str) -> u16 {
        self.code.streams.iter().position(|s| s == name).unwrap_or(0) as u16
    }

    fn number(&mut self, value: i64) -> u16 {
        self.memory.constant(&[value as u64])
    }

    /// Notes that the value being kept depends on this part of the state.
    fn reads(&mut self, region: Region) {
        for reader in &mut self.readers {
            reader.insert(region);
        }
    }

    fn branch_to(&mut self, op: Op, a: u16, b: u16, label: Label) {
        self.asm.emit_to(op, a, b, 0, label);
    }
}

impl Lower<'_> {
    /// Rules that begin each other go too deep: the rest is not written.
    fn too_deep(&mut self, rule: &str) {
        self.asm.give_up();
        if self.faults.is_empty() {
            let message = format!("{rule} is begun by a rule that is begun by a rule, more than 100 times over");
            let fault = Diagnostic::error(719, Span::default(), message)
                .help("let a rule do itself what it now leaves to others");
            self.faults.push(fault);
        }
    }
}

fn too_large() -> Diagnostic {
    Diagnostic::error(708, Span::default(), "the ruleset is too large for the engine")
        .help("fewer places, fewer players, or fewer rules that do each other would help")
}

/// Writes one value of a field keyed by a place alone.
fn write_place(image: &mut [u64], field: &crate::engine::code::FieldPlace, place: usize, value: i64) {
    let at = field.address as usize;
    match field.shape {
        Shape::Word => image[at + place] = value as u64,
        Shape::Rows { words, values, low } => {
            for row in 0..values {
                let word = &mut image[at + row * words + place / 64];
                let bit = 1 << (place % 64);
                *word = if row as i64 == value - low { *word | bit } else { *word & !bit };
            }
        }
        Shape::Set(_) | Shape::Bag(_) => {}
    }
}

fn goods_name(program: &Program, kind: usize) -> (String, Span) {
    program
        .known
        .goods
        .and_then(|d| program.domains.get(d.index()))
        .and_then(|d| d.members.get(kind))
        .map_or_else(|| ("goods".into(), Span::default()), |m| (m.name.clone(), m.span))
}

/// The number of members of each domain for so many players on this board.
fn domain_sizes(program: &Program, players: usize, variant: Option<&BoardVariant>) -> Vec<usize> {
    let places = |id: usize| {
        let variant = variant?;
        let kind = variant.kinds.iter().position(|d| d.index() == id)?;
        variant.board.kinds.get(kind).map(|k| k.places.len())
    };
    program
        .domains
        .iter()
        .enumerate()
        .map(|(id, domain)| match domain.kind {
            DomainKind::Player => players,
            DomainKind::Places => places(id).unwrap_or(0),
            DomainKind::Slots { of, count } => places(of.index()).unwrap_or(0) * count as usize,
            DomainKind::Goods { .. }
            | DomainKind::Cards(_)
            | DomainKind::Terrain
            | DomainKind::Phase
            | DomainKind::Words => domain.members.len(),
        })
        .collect()
}

/// Streams of chance: dice, theft, shuffles, one for each deck, scripts.
fn stream_names(program: &Program) -> Vec<String> {
    let fixed = ["dice", "steal", "shuffle", "script"].map(String::from);
    fixed.into_iter().chain(program.decks.iter().map(|d| d.name.clone())).collect()
}

fn option_values(program: &Program, setup: &Setup) -> Vec<i64> {
    program
        .options
        .iter()
        .map(|o| {
            setup.options.get(&o.name).copied().unwrap_or(match o.values {
                OptionValues::Words(_) => 0,
                OptionValues::Truth { default } => i64::from(default),
                OptionValues::Range { low, .. } => low,
            })
        })
        .collect()
}

fn empty_code(program: &Arc<Program>, players: usize, board: Option<usize>, streams: Vec<String>) -> Code {
    Code {
        program: program.clone(),
        players,
        options: Vec::new(),
        board,
        instrs: Vec::new(),
        faces: 0,
        chunks: Vec::new(),
        sources: Vec::new(),
        rules: Vec::new(),
        image: Vec::new(),
        state: 0,
        constants_end: 0,
        valid: Vec::new(),
        start: 0,
        turns: Vec::new(),
        phases: Vec::new(),
        settle: Vec::new(),
        halt: 0,
        invariants: 0,
        sites: Vec::new(),
        entries: Vec::new(),
        kept: Vec::new(),
        reasons: Vec::new(),
        events: Vec::new(),
        event_words: Vec::new(),
        reason_words: Vec::new(),
        faults: Vec::new(),
        trails: Vec::new(),
        lines: Vec::new(),
        shuffles: Vec::new(),
        scripts: Vec::new(),
        streams,
        counters: Vec::new(),
        layout: Layout::default(),
        graph: Graph::default(),
    }
}

/// Limits of a scope are set back when it ends; a chapter is a game here.
fn resets_each_turn(scope: Scope) -> bool {
    match scope {
        Scope::Turn => true,
        Scope::Game | Scope::Chapter => false,
    }
}

/// Does a block write into a bag of the state?
fn makes_goods(program: &Program, block: &crate::program::Block) -> bool {
    use crate::program::{StmtKind, Target};
    let is_bag = |target: &Target| match target {
        Target::Field { field, .. } => matches!(program.fields[field.index()].ty, FieldType::Bag { .. }),
        Target::Lane { bag, .. } => matches!(**bag, Target::Field { .. }),
        Target::Local(_) | Target::Tally { .. } => false,
    };
    let mut found = false;
    environment::walk(block, &mut |stmt| {
        if let StmtKind::Set { target, .. } | StmtKind::Add { target, .. } = &stmt.kind {
            found |= is_bag(target);
        }
    });
    found
}

/// Does a block say `end turn`?
fn ends_turn(block: &crate::program::Block) -> bool {
    let mut found = false;
    environment::walk(block, &mut |stmt| found |= matches!(stmt.kind, crate::program::StmtKind::EndTurn));
    found
}
