//! The checker: from the trees of a ruleset and those it builds on to the typed program, or to faults.
//!
//! It goes in this order: an outline of all things with their changes (`outline`), declarations (`declare`,
//! `boards`), then the bodies. Sets, definitions and procedures are checked when something first needs them,
//! since that tells the types that they leave out (`rules`); triggers when some rule emits their event. A fault
//! gives [`Type::Unknown`], which fits everything, so that no fault follows from another. The wording is in
//! `errors`, the built-in functions in `builtins`, what is merely odd in `lints`.

mod actions;
mod amounts;
mod asked;
mod boards;
pub mod builtins;
mod calls;
mod cases;
mod choices;
mod chronicle;
mod columns;
mod constants;
mod contents;
mod counts;
mod declare;
mod directions;
mod empty;
mod errors;
mod expansion;
mod expr;
mod flags;
mod fog;
mod fragment;
mod gaps;
mod graph;
mod hidden;
mod laying;
mod limits;
mod lints;
mod movement;
mod names;
mod outline;
mod paths;
mod ranks;
mod reasons;
mod rows;
mod rules;
mod scope;
mod scoring;
mod sets;
mod stacks;
mod statements;
mod tables;
mod together;
mod tokens;
mod tracks;
mod types;
mod vocabulary;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::board::Board;
use crate::diagnostic::Sink;
use crate::program::{DomainId, EventId, FieldId, FunctionId, LimitId, PieceId, Program, Type};
use crate::source::{FileId, Sources, Span};
use crate::syntax::ast;
pub use contents::{Content, TakenOut, contents};
pub use fragment::{SittingWords, expression};

/// Has the word a meaning in the language, so that nobody can be called by it?
pub fn is_taken(word: &str) -> bool {
    builtins::RESERVED.contains(&word) || crate::syntax::words::is_reserved(word)
}
use names::Names;
use outline::Outline;
use scope::Scope;

/// Everything that a scenario consists of, read but not yet understood.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub name: String,
    pub title: String,
    /// The allowed numbers of players, ascending.
    pub players: Vec<usize>,
    /// It is there to be extended: it may lack a turn or an end.
    pub is_abstract: bool,
    /// The ruleset at the bottom first, the scenario itself last.
    pub layers: Vec<Layer>,
    /// All files were there and could be read: only then is it fair to ask for names.
    pub complete: bool,
}

/// One ruleset of the stack. Boards, scripts and tables carry the name by which a rules file names their file.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    pub name: String,
    pub files: Vec<ast::File>,
    /// None: the file is there but could not be read, which was said.
    pub boards: Vec<(String, Option<Board>)>,
    pub scripts: Vec<(String, FileId)>,
    pub tables: Vec<(String, FileId)>,
}

/// Checks a ruleset with everything that it builds on. The program is only good to play if the sink holds no
/// errors.
pub fn check(input: &Input, sources: &Sources, sink: &mut Sink) -> Program {
    let mut checker = Checker::new(input, sources, sink);
    checker.declare();
    checker.bodies();
    checker.tell_unknown();
    checker.lints();
    checker.program
}

/// A named relation of the boards between two kinds of place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Relation {
    name: String,
    from: DomainId,
    to: DomainId,
}

/// A mark, region or path of the boards.
#[derive(Clone, Debug)]
struct MarkName {
    name: String,
    domain: DomainId,
    of_seat: bool,
    path: bool,
}

/// A board as it was declared.
#[derive(Clone, Copy, Debug)]
struct BoardItem<'a> {
    board: &'a Board,
    span: Span,
    layer: usize,
    guard: Option<&'a ast::Expr>,
}

#[derive(Clone, Debug)]
struct PieceGroup {
    pieces: Vec<PieceId>,
}

#[derive(Clone, Debug)]
struct EventInfo {
    id: EventId,
    /// What its first `emit` gives it.
    args: Vec<Type>,
    first: Span,
    handled: bool,
}

/// The price of a thing that has one, as it was written and as a bag.
#[derive(Clone, Debug)]
enum Cost {
    Unchecked,
    UnderWay,
    Checked(crate::program::Expr),
}

struct Checker<'a> {
    input: &'a Input,
    sources: &'a Sources,
    sink: &'a mut Sink,
    program: Program,
    outline: Rc<Outline<'a>>,
    names: Names,
    /// The unit that is being checked.
    scope: Scope<'a>,
    relations: Vec<Relation>,
    marks: Vec<MarkName>,
    piece_groups: Vec<PieceGroup>,
    functions: Vec<rules::FunctionInfo>,
    procedures: Vec<rules::ProcedureInfo>,
    /// Functions of each script that rules can call, with the number of their parameters.
    script_functions: Vec<Vec<(String, usize)>>,
    costs: BTreeMap<String, Cost>,
    weights: expansion::Weights,
    events: BTreeMap<String, EventInfo>,
    /// The kinds of place that have a terrain, and the field that holds it.
    terrain_fields: Vec<(DomainId, FieldId)>,
    /// Areas of the boards that lie under fog, and the sets that their names stand for.
    fog_areas: Vec<fog::FogArea>,
    fog_sets: BTreeMap<usize, FunctionId>,
    /// The sets that names of terrain stand for, each made when first used.
    terrain_sets: BTreeMap<(u32, DomainId), FunctionId>,
    /// The functions that lead from a kind of place in the directions of some words; None after a fault.
    steps: BTreeMap<(DomainId, DomainId), Option<FunctionId>>,
    /// What is behind each variant, in the order of the program's boards.
    board_items: Vec<BoardItem<'a>>,
    limits: BTreeMap<String, LimitId>,
    /// Functions and procedures that are being checked, to see circles.
    under_way: Vec<String>,
    /// A board could not be read: what a name means may stand there, so unknown ones are let pass.
    incomplete: bool,
    /// Actions that some rule performs.
    performed: BTreeSet<u32>,
    /// Triggers by their number in the outline.
    triggers_found: BTreeMap<usize, crate::program::Trigger>,
    /// The thing of each action in the outline, and the types of its parameters.
    action_things: Vec<usize>,
    action_params: Vec<Vec<Type>>,
    /// Unknown names, each with what is said of it and of all the places where it stands.
    unknown: Vec<(String, crate::diagnostic::Diagnostic)>,
    /// Names of declarations that some local has as well.
    hidden_names: BTreeSet<(String, Span)>,
    /// Something could not be read, so that declarations may be missing.
    gaps: bool,
    /// Names of declarations that had a fault or seem to be in a part that could not be read: they are not unknown.
    lost: BTreeSet<String>,
    /// Initial values of fields, checked once all names are known.
    initials: Vec<(FieldId, &'a ast::Expr, Type)>,
    /// The tables of cards and other faces.
    face_tables: Vec<tables::FaceTable<'a>>,
    cases: Vec<cases::Cases>,
    /// The domain of the places in lists, once there are lists.
    list_places: Option<DomainId>,
    points: Option<usize>,
    hidden_points: Option<usize>,
    /// What the chronicle keeps, by name, and the names of what it would keep but for a fault.
    chronicle: BTreeMap<String, FieldId>,
    chronicle_lost: BTreeSet<String>,
    /// The functions that give the n-th of so many numbers.
    nths: BTreeMap<usize, FunctionId>,
}

impl<'a> Checker<'a> {
    fn new(input: &'a Input, sources: &'a Sources, sink: &'a mut Sink) -> Checker<'a> {
        let gaps = sink.has_errors();
        let looking = if gaps { gaps::declared_looking(input, sources) } else { BTreeSet::new() };
        let lost: BTreeSet<String> = looking.into_iter().map(str::to_owned).collect();
        let outline = Rc::new(outline::collect(input, &lost, sink));
        Checker {
            input,
            sources,
            sink,
            program: Program { name: input.name.clone(), title: input.title.clone(), ..Program::default() },
            outline,
            names: Names::default(),
            scope: Scope::default(),
            relations: Vec::new(),
            marks: Vec::new(),
            piece_groups: Vec::new(),
            functions: Vec::new(),
            procedures: Vec::new(),
            script_functions: Vec::new(),
            costs: BTreeMap::new(),
            weights: expansion::Weights::default(),
            events: BTreeMap::new(),
            terrain_fields: Vec::new(),
            fog_areas: Vec::new(),
            fog_sets: BTreeMap::new(),
            terrain_sets: BTreeMap::new(),
            steps: BTreeMap::new(),
            board_items: Vec::new(),
            limits: BTreeMap::new(),
            under_way: Vec::new(),
            incomplete: !input.complete,
            performed: BTreeSet::new(),
            triggers_found: BTreeMap::new(),
            action_things: Vec::new(),
            action_params: Vec::new(),
            lost,
            gaps,
            unknown: Vec::new(),
            hidden_names: BTreeSet::new(),
            initials: Vec::new(),
            face_tables: Vec::new(),
            cases: Vec::new(),
            list_places: None,
            points: None,
            hidden_points: None,
            chronicle: BTreeMap::new(),
            chronicle_lost: BTreeSet::new(),
            nths: BTreeMap::new(),
        }
    }
}
