//! Scripts against a small ruleset that is built by hand: two players, a board of three meadows, coins and stones.

use std::sync::Arc;

use super::*;
use crate::board::{Board, Link, Mark, PlaceRef, Spot};
use crate::compile::{Setup, lower};
use crate::diagnostic::Sink;
use crate::engine::code::{EventKind, fixed};
use crate::engine::machine::Memory;
use crate::program::{
    BoardVariant, Constant, Domain, DomainId, DomainKind, Field, FieldId, FieldRole, FieldType, KnownDomains, Member,
    Piece, PieceCount, Program, Script, Table,
};

const PLAYER: DomainId = DomainId(0);
const GOODS: DomainId = DomainId(1);
const MEADOW: DomainId = DomainId(2);
const MOOD: DomainId = DomainId(3);

fn domain(name: &str, kind: DomainKind, members: &[&str]) -> Domain {
    let member = |m: &&str| Member { name: (*m).to_string(), span: Span::default() };
    Domain { name: name.into(), kind, members: members.iter().map(member).collect(), span: Span::default() }
}

fn field(name: &str, keys: &[DomainId], ty: FieldType) -> Field {
    Field {
        name: name.into(),
        keys: keys.to_vec(),
        ty,
        hidden: false,
        each_turn: false,
        clamped: false,
        none: None,
        at_most: Vec::new(),
        initial: None,
        role: FieldRole::Declared,
        pieces: Vec::new(),
        span: Span::default(),
    }
}

fn piece(name: &str, owned: bool) -> Piece {
    Piece {
        name: name.into(),
        on: MEADOW,
        place: MEADOW,
        owned,
        neutral: false,
        counts: vec![PieceCount { low: 1, high: 9, count: 2 }],
        at_most: 1,
        at_most_of_owner: 1,
        span: Span::default(),
    }
}

fn program(script: &str) -> Program {
    let spot = |name: &str| Spot { name: name.into(), x: 0.0, y: 0.0 };
    let joint = |a, b| (PlaceRef { kind: 0, index: a }, PlaceRef { kind: 0, index: b });
    let link = Link { name: "path".into(), arrows: false, joints: vec![joint(0, 1), joint(1, 2)] };
    let mut board = Board::graph(vec![("meadow".into(), vec![spot("east"), spot("mid"), spot("west")])], &[link]);
    let mark = |seat: &str, place| Mark {
        name: "start".into(),
        seat: Some(seat.into()),
        kind: 0,
        places: vec![place],
        span: Span::default(),
        seat_span: None,
    };
    board.marks = vec![mark("red", 0), mark("blue", 2)];
    let bag = FieldType::Bag { domain: GOODS, among: None };
    let mut clamped = field("strength", &[PLAYER], FieldType::Number { low: 0, high: 4 });
    clamped.clamped = true;
    Program {
        players: vec![2],
        domains: vec![
            domain("player", DomainKind::Player, &["red", "blue"]),
            domain("good", DomainKind::Goods { goods: 2 }, &["coin", "stone", "any"]),
            domain("meadow", DomainKind::Places, &[]),
            domain("mood", DomainKind::Words, &["calm", "wild"]),
        ],
        known: KnownDomains { player: Some(PLAYER), goods: Some(GOODS), terrain: None, phase: None },
        fields: vec![
            Field { role: FieldRole::Home, ..field("bank", &[], bag.clone()) },
            field("purse", &[PLAYER], bag),
            field("glory", &[PLAYER], FieldType::Number { low: 0, high: 9 }),
            clamped,
            field("height", &[MEADOW], FieldType::Number { low: 1, high: 3 }),
            field("mood", &[], FieldType::Member { domain: MOOD, among: None, or_none: false }),
            field("seen", &[PLAYER], FieldType::Set(MEADOW)),
            field("wet", &[PLAYER, MEADOW], FieldType::Truth),
        ],
        pieces: vec![piece("pawn", true), piece("tower", false)],
        homes: vec![Some(FieldId(0)), Some(FieldId(0)), None],
        supplies: vec![10, 3, 0],
        boards: vec![BoardVariant { low: 1, high: 9, when: None, board, kinds: vec![MEADOW], values: Vec::new() }],
        tables: tables(),
        scripts: vec![Script { name: "odd".into(), file: FileId(7), text: script.into(), span: Span::default() }],
        ..Program::default()
    }
}

/// Columns of moods: a bag, a number that may be none, and a list.
fn tables() -> Vec<Table> {
    let table = |name: &str, width, ty, none, values| Table {
        name: name.into(),
        of: MOOD,
        width,
        ty,
        none,
        values,
        span: Span::default(),
    };
    let (word, set) = (Constant::Word, Constant::Set);
    vec![
        table("price", None, Type::Bag(GOODS), None, vec![Constant::Bag(vec![(1, 2)]), Constant::Bag(Vec::new())]),
        table("level", None, Type::Number, Some(0), vec![word(3), word(0)]),
        table("steps", Some(2), Type::Number, None, vec![word(4), word(5), word(6), word(0)]),
        table("steps", None, Type::Set(MEADOW), None, vec![set(vec![0, 1]), set(vec![0])]),
    ]
}

/// A game's memory and the host of its script.
struct Stage {
    code: Code,
    memory: Box<Memory>,
    host: Host,
    events: Vec<u64>,
}

const SCRATCH: u16 = 0x9000;

impl Stage {
    fn new(script: &str) -> Stage {
        let mut sink = Sink::new();
        check_script(FileId(7), script, &mut sink);
        // A misspelt function is told when the script is read; here it is called all the same.
        let other: Vec<_> = sink.sorted().into_iter().filter(|fault| fault.code.0 != 515).collect();
        assert!(other.is_empty(), "{other:?}");
        let setup = Setup { players: 2, ..Setup::default() };
        let code = lower(&Arc::new(program(script)), &setup).expect("the ruleset is sound");
        let mut memory: Box<Memory> = vec![0; MEMORY_WORDS].into_boxed_slice().try_into().expect("the length is right");
        memory[..code.image.len()].copy_from_slice(&code.image);
        let host = Host::new(&code);
        Stage { code, memory, host, events: Vec::new() }
    }

    fn call(&mut self, function: &str, args: &[(u64, Type)], result_type: Type) -> Result<[u64; 8], ScriptFault> {
        let mut call = ScriptCall {
            script: 0,
            function: function.into(),
            args: Vec::new(),
            result: SCRATCH,
            result_type,
            span: Span::default(),
        };
        for (k, (word, ty)) in args.iter().enumerate() {
            let at = SCRATCH + 8 * (k as u16 + 1);
            self.memory[usize::from(at)] = *word;
            call.args.push((at, *ty));
        }
        self.memory[usize::from(SCRATCH)..usize::from(SCRATCH) + 8].fill(0);
        self.host.call(&self.code, &call, &mut self.memory, &mut self.events)?;
        let mut out = [0; 8];
        out.copy_from_slice(&self.memory[usize::from(SCRATCH)..usize::from(SCRATCH) + 8]);
        Ok(out)
    }

    /// Calls `f` for its effect.
    fn act(&mut self) -> Result<(), ScriptFault> {
        self.call("f", &[], Type::Nothing).map(|_| ())
    }

    fn number(&mut self) -> Result<i64, ScriptFault> {
        self.call("f", &[], Type::Number).map(|w| w[0] as i64)
    }

    fn state(&self) -> Vec<u64> {
        self.memory[..self.code.state].to_vec()
    }
}

/// The fault of `f` and the text under its span; the state must be as before.
fn fault_of(body: &str, ty: Type) -> (u16, String, String) {
    let script = format!("fn f() {{ {body} }}");
    let mut stage = Stage::new(&script);
    let before = stage.state();
    let fault = stage.call("f", &[], ty).expect_err(body);
    assert_eq!(stage.state(), before, "{body}");
    assert!(stage.events.is_empty(), "{body}");
    assert_eq!(fault.span.file, FileId(7));
    let under = script.get(fault.span.start as usize..fault.span.end as usize).unwrap_or("?");
    (fault.code, fault.message, under.to_string())
}

fn number_of(body: &str) -> i64 {
    Stage::new(&format!("fn f() {{ {body} }}")).number().unwrap_or_else(|f| panic!("{body}: {f:?}"))
}

#[test]
fn values_go_in_and_come_out() {
    let echo = "fn f(x) { x }";
    let cases = [
        (Type::Number, (-3i64) as u64),
        (Type::Truth, 1),
        (Type::Member(PLAYER), 1),
        (Type::Member(MEADOW), u64::MAX),
        (Type::Set(MEADOW), 0b101),
        (Type::Bag(GOODS), 0x0203),
    ];
    let mut stage = Stage::new(echo);
    for (ty, word) in cases {
        assert_eq!(stage.call("f", &[(word, ty)], ty).map(|w| w[0]), Ok(word), "{ty:?}");
    }
}

#[test]
fn members_sets_and_bags_are_plain_values() {
    let mut stage =
        Stage::new("fn f(p, s, b) { p == \"blue\" && s == [\"east\", \"west\"] && b.stone == 2 && b.coin == 0 }");
    let args = [(1, Type::Member(PLAYER)), (0b101, Type::Set(MEADOW)), (0x0200, Type::Bag(GOODS))];
    assert_eq!(stage.call("f", &args, Type::Truth).map(|w| w[0]), Ok(1));
}

#[test]
fn state_is_read() {
    assert_eq!(number_of("read(\"bank\").coin + read(\"glory\", \"red\") + read(\"height\", \"mid\")"), 11);
    assert_eq!(number_of("members(\"meadow\").len() * 10 + linked(\"path\", \"mid\").len()"), 32);
    assert_eq!(number_of("if places(\"start\", \"blue\") == [\"west\"] && active() == \"red\" { 1 } else { 0 }"), 1);
    assert_eq!(number_of("supply(\"pawn\", \"red\") + 10 * supply(\"tower\") + pieces(\"pawn\").len()"), 22);
    assert_eq!(number_of("if owner(\"pawn\", \"mid\") == () { 1 } else { 0 }"), 1);
}

#[test]
fn columns_of_tables_are_read() {
    for body in [
        "column(\"price\", \"calm\") == #{coin: 0, stone: 2}",
        "column(\"level\", \"calm\") == 3 && column(\"level\", \"wild\") == () && column(\"level\", ()) == ()",
        "column(\"steps\", \"calm\") == [4, 5] && column(\"steps\", \"wild\") == [6]",
    ] {
        assert_eq!(number_of(&format!("if {body} {{ 1 }} else {{ 0 }}")), 1, "{body}");
    }
    assert_eq!(fault_of("column(\"prise\", \"calm\")", Type::Number).0, 520);
    assert_eq!(fault_of("column(\"price\", \"cold\")", Type::Number).0, 512);
}

#[test]
fn state_is_changed_and_read_again() {
    let mut stage = Stage::new(
        r#"
fn f() {
    write("glory", "blue", 7);
    add("glory", "blue", -3);
    add("strength", "red", 100);
    write("height", "mid", 3);
    write("mood", "wild");
    write("seen", "red", ["west"]);
    add("seen", "red", "east");
    write("wet", "blue", "mid", true);
    place("pawn", "blue", "mid");
    shift("pawn", "blue", "mid", "east");
    place("tower", "west");
}
fn sees() {
    read("glory", "blue") == 4 && read("strength", "red") == 4 && read("height", "mid") == 3
        && read("height", "east") == 1 && read("mood") == "wild" && read("seen", "red") == ["east", "west"]
        && read("wet", "blue", "mid") && !read("wet", "red", "mid") && !read("wet", "blue", "east")
        && pieces("pawn", "blue") == ["east"] && owner("pawn", "east") == "blue" && pieces("tower") == ["west"]
        && supply("pawn", "blue") == 1
}
"#,
    );
    stage.code.valid.push(0x2000);
    stage.memory[0x2000] = 5;
    stage.act().expect("it is sound");
    assert_eq!(stage.memory[0x2000], 0, "kept values are to be computed anew");
    assert_eq!(stage.call("sees", &[], Type::Truth).map(|w| w[0]), Ok(1));
}

#[test]
fn goods_move_and_are_never_made() {
    let mut stage = Stage::new(
        r#"
fn f() {
    let came = give("purse", "red", #{coin: 2, stone: 5});
    if came.stone != 3 { throw "three stones are all there are"; }
    take("purse", "red", #{coin: 1});
    pass("purse", "red", "blue", #{stone: 2});
}
fn sees() { read("purse", "red") == #{coin: 1, stone: 1} && read("purse", "blue") == #{coin: 0, stone: 2}
    && read("bank") == #{coin: 9, stone: 0} }
"#,
    );
    stage.act().expect("it is sound");
    assert_eq!(stage.call("sees", &[], Type::Truth).map(|w| w[0]), Ok(1));
    let codes = |body: &str| fault_of(body, Type::Nothing).0;
    assert_eq!(codes("write(\"purse\", \"red\", #{coin: 1})"), 524);
    assert_eq!(codes("add(\"bank\", #{coin: 1})"), 524);
    assert_eq!(codes("take(\"purse\", \"red\", #{coin: 1})"), 525);
    assert_eq!(codes("pass(\"purse\", \"red\", \"blue\", #{coin: 1})"), 525);
}

#[test]
fn events_are_recorded_as_of_rules() {
    let mut stage = Stage::new("fn f() { give(\"purse\", \"blue\", #{coin: 2}); place(\"pawn\", \"blue\", \"mid\"); }");
    let player = Type::Member(PLAYER);
    for (kind, values) in [
        (EventKind::Gain, vec![(0, player), (0, Type::Bag(GOODS))]),
        (EventKind::Place("pawn".into()), vec![(0, player), (0, Type::Member(MEADOW))]),
    ] {
        stage.code.events.push(crate::engine::code::EventText { kind, values });
    }
    stage.host = Host::new(&stage.code);
    stage.act().expect("it is sound");
    let position = |kind: EventKind| stage.code.events.iter().position(|e| e.kind == kind).map_or(0, |p| p as u64);
    let (gain, place) = (position(EventKind::Gain), position(EventKind::Place("pawn".into())));
    assert_eq!(stage.events, [gain, 1, 2, place, 1, 1]);
}

#[test]
fn faults_stand_at_their_place() {
    let cases: &[(&str, Type, u16, &str, &str)] = &[
        ("\"many\"", Type::Number, 511, "f", "a number"),
        ("\"mids\"", Type::Member(MEADOW), 512, "f", "did you mean `mid`"),
        ("[\"mid\", 3]", Type::Set(MEADOW), 511, "f", "the number 3"),
        ("#{coin: 200}", Type::Bag(GOODS), 513, "f", "200"),
        ("#{coin: -1}", Type::Bag(GOODS), 513, "f", "-1"),
        ("#{any: 1}", Type::Bag(GOODS), 513, "f", "any"),
        ("#{cion: 1}", Type::Bag(GOODS), 512, "f", "`coin`"),
        ("let a = 1; a + \"x\" - 2", Type::Number, 514, "-", "a text and a number"),
        ("let at = \"red\"; at.raed()", Type::Number, 515, "raed", "`read`"),
        ("read(\"glory\", \"red\", 1, 2, 3, 4)", Type::Number, 514, "read", "read(state, key…)"),
        ("let list = [1]; list[4]", Type::Number, 516, "4", "element 4"),
        ("let bag = #{coin: 1}; bag.cion", Type::Number, 516, "cion", "cion"),
        ("throw \"no way\"", Type::Number, 517, "throw", "no way"),
        ("1 / 0", Type::Number, 518, "/", "zero"),
        ("9223372036854775807 + 1", Type::Number, 518, "+", "overflow"),
        ("let x = 3; if x { 1 } else { 2 }", Type::Number, 518, "x", "a truth"),
        ("read(\"glori\", \"red\")", Type::Number, 520, "read", "`glory`"),
        ("read(\"glory\")", Type::Number, 520, "read", "a player"),
        ("pieces(\"pwan\")", Type::Number, 520, "pieces", "`pawn`"),
        ("read(\"glory\", 1)", Type::Number, 521, "read", "the name of a player"),
        ("read(\"glory\", \"rde\")", Type::Number, 512, "read", "`red`"),
        ("write(\"glory\", \"red\", 10)", Type::Nothing, 522, "write", "0..9"),
        ("write(\"mood\", ())", Type::Nothing, 522, "write", "none"),
        ("write(\"glory\", \"red\", true)", Type::Nothing, 521, "write", "a number"),
        ("write(\"glory\", \"red\", 1); 1", Type::Number, 523, "write", "`do`"),
        ("random(3)", Type::Number, 523, "random", "`do`"),
        ("for i in 0..3 { place(\"tower\", \"mid\") }", Type::Nothing, 526, "place", "mid"),
        ("for at in members(\"meadow\") { place(\"tower\", at) }", Type::Nothing, 526, "place", "no tower is left"),
        ("remove(\"pawn\", \"red\", \"mid\")", Type::Nothing, 526, "remove", "mid"),
        ("place(\"pawn\", \"mid\")", Type::Nothing, 520, "place", "a player and a meadow"),
        ("loop {}", Type::Number, 720, "", "steps"),
        ("let l = []; l.pad(1000, 1); loop { l.sort(|a, b| 1); }", Type::Number, 720, "", "steps"),
        ("let l = []; l.pad(1000, 1); loop { l == l; }", Type::Number, 720, "", "steps"),
        ("let t = \"x\"; loop { t += t; }", Type::Number, 721, "", "a text"),
        ("let t = [1]; loop { t += t; }", Type::Number, 721, "", "a list"),
        ("f()", Type::Number, 721, "", "too deeply"),
    ];
    for (body, ty, code, under, words) in cases {
        let (found, message, at) = fault_of(body, *ty);
        assert_eq!(found, *code, "{body}: {message}");
        assert!(under.is_empty() || at == *under, "{body}: marks `{at}`: {message}");
        assert!(message.contains(words), "{body}: {message}");
        for foreign in ["ImmutableString", "i64", "Dynamic", "&str"] {
            assert!(!message.contains(foreign), "{body}: {message}");
        }
    }
}

#[test]
fn a_fault_deep_inside_is_shown_there() {
    let script = "fn f() {\n  g()\n}\nfn g() {\n  let a = \"ä\"; a + h([])\n}\nfn h(list) { list[2] }\n";
    let mut stage = Stage::new(script);
    let fault = stage.number().expect_err("the list is empty");
    assert_eq!(script.get(fault.span.start as usize..fault.span.end as usize), Some("2"));
}

#[test]
fn a_script_that_fails_late_has_changed_nothing() {
    let (code, ..) = fault_of("write(\"glory\", \"red\", 5); random(6); throw \"late\"", Type::Nothing);
    assert_eq!(code, 517);
}

#[test]
fn nothing_is_kept_between_calls() {
    let mut stage = Stage::new("fn f() { let x = 1; x += 1; x }");
    assert_eq!(stage.number(), Ok(2));
    assert_eq!(stage.number(), Ok(2));
}

#[test]
fn chance_is_the_games() {
    let roll = |seed: u64| {
        let mut stage = Stage::new(
            "fn f() { for i in 0..3 { add(\"glory\", \"red\", random(3)); } }\nfn g() { read(\"glory\", \"red\") }",
        );
        stage.memory[usize::from(fixed::SEED)] = seed;
        stage.act().expect("it is sound");
        stage.call("g", &[], Type::Number).map(|w| w[0])
    };
    assert_eq!(roll(1), roll(1));
    assert!((2..40).any(|seed| roll(seed) != roll(1)));
    assert_eq!(fault_of("random(0)", Type::Nothing).0, 521);
}

#[test]
fn a_piece_whose_arrival_is_awaited_is_left_to_rules() {
    let mut program = program("fn f() { place(\"tower\", \"mid\") }");
    program.triggers.push(crate::program::Trigger {
        name: "rise".into(),
        event: crate::program::TriggerEvent::Arrival { piece: crate::program::PieceId(1), by: false },
        guard: None,
        unit: crate::program::Unit::default(),
        span: Span::default(),
    });
    let mut stage = Stage::new("fn f() { place(\"tower\", \"mid\") }");
    stage.code.program = Arc::new(program);
    stage.host = Host::new(&stage.code);
    assert_eq!(stage.act().map_err(|f| f.code), Err(527));
}

#[test]
fn a_comparison_that_contradicts_itself_does_no_harm() {
    let list = "let l = []; for i in 0..100 { l.push(i * 37 % 101); }";
    assert_eq!(number_of(&format!("{list} l.sort(|a, b| -1); l.sort(|a, b| 1); l.len()")), 100);
    assert_eq!(number_of(&format!("{list} l.sort(|a, b| a - b); l[0] * 1000 + l[99]")), 100);
    assert_eq!(
        number_of(&format!(
            "{list} let m = l.order(|a, b| a > b); l.sort(); m.reverse(); if m == l {{ 1 }} else {{ 0 }}"
        )),
        1
    );
    assert_eq!(fault_of(&format!("{list} l.sort(|a, b| a / 0); 1"), Type::Number).0, 518);
}

#[test]
fn a_ruleset_without_scripts_has_no_engine() {
    let mut bare = program("");
    bare.scripts.clear();
    let code = lower(&Arc::new(bare), &Setup { players: 2, ..Setup::default() }).expect("the ruleset is sound");
    assert!(Host::new(&code).scripts.is_none());
}

/// The script of a page's example.
fn example(page: &str, tag: &str) -> Option<String> {
    let (_, rest) = page.split_once(&format!("```rhai {tag} odd.rhai\n"))?;
    rest.split_once("```").map(|(text, _)| text.to_string())
}

#[test]
fn the_pages_of_scripts_show_what_they_say() {
    let mut shown = 0;
    for (code, _) in crate::diagnostic::codes::all() {
        let page = crate::diagnostic::codes::explain(code).unwrap_or("");
        let (Some(wrong), Some(right)) = (example(page, "wrong"), example(page, "right")) else { continue };
        let ty = if [511, 523].contains(&code.0) { Type::Number } else { Type::Nothing };
        shown += 1;
        assert!(checked(&right).0.is_empty(), "{code}");
        match code.0 {
            502..=506 | 515 => assert_eq!(checked(&wrong).0.iter().map(|f| f.0).collect::<Vec<_>>(), [code.0]),
            // The rules are at fault.
            510 => assert!(checked(&wrong).0.is_empty()),
            _ => {
                let fault = Stage::new(&wrong).call("reward", &[], ty).expect_err("the wrong example is wrong");
                assert_eq!(fault.code, code.0, "{}", fault.message);
                assert_eq!(Stage::new(&right).call("reward", &[], ty).map(|_| ()), Ok(()), "{code}");
            }
        }
    }
    assert!(shown > 15);
}

/// The guide's tables and the functions that scripts have are the same.
#[test]
fn the_guide_lists_the_functions() {
    let guide = include_str!("../../docs/guide/scripts.md");
    let listed: Vec<&str> = guide.lines().filter(|line| line.starts_with("| `") && line.contains('(')).collect();
    let offered: Vec<String> = OFFERS.iter().map(|o| format!("| `{}` | {} |", o.form, o.about)).collect();
    assert_eq!(listed.into_iter().filter(|line| !line.contains("#{")).collect::<Vec<_>>(), offered);
}

// ---- reading ----

fn checked(text: &str) -> (Vec<(u16, String)>, Vec<(String, usize)>) {
    let mut sink = Sink::new();
    let functions = check_script(FileId(0), text, &mut sink);
    let under = |s: Span| text.get(s.start as usize..s.end as usize).unwrap_or("?").to_string();
    (sink.sorted().into_iter().map(|d| (d.code.0, under(d.span))).collect(), functions)
}

#[test]
fn functions_are_listed() {
    let (faults, functions) = checked("fn b(x, y) { x + y }\nfn a() { 1 }\nfn a(x) { x }\nprivate fn c() { 1 }\n");
    assert!(faults.is_empty(), "{faults:?}");
    let expected = [("a", 0), ("a", 1), ("b", 2)].map(|(n, p)| (n.to_string(), p));
    assert_eq!(functions, expected);
}

#[test]
fn each_function_has_its_say() {
    let text = "fn a() { 1 + }\nfn b() { let = 3; }\nfn c(x) { x + yy }\nfn d() { 1 }\nfn e( { 1 }\n";
    let (faults, functions) = checked(text);
    let codes: Vec<u16> = faults.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [506, 506, 502, 506], "{faults:?}");
    assert_eq!(faults[2].1, "yy");
    assert_eq!(functions.len(), 5, "{functions:?}");
}

#[test]
fn faults_of_reading_have_codes_and_places() {
    let cases: &[(&str, u16, &str)] = &[
        ("fn a() { x }", 502, "x"),
        ("fn a() { eval(\"1\") }", 503, "eval"),
        ("fn a() { print(1) }", 503, "print"),
        ("fn a() { import \"b\" as c; }", 503, "import"),
        ("fn a() { try { 1 } catch { 2 } }", 503, "try"),
        ("let price = 3;\nfn a() { 1 }", 504, "let"),
        ("fn a() { 1 }\nfn a() { 2 }", 505, "a"),
        ("fn a(x, x) { 1 }", 505, "x"),
        ("fn a() { \"open }", 506, "?"),
        ("fn a() { if true { 1 }\nfn b() { 2 }", 506, "a"),
        ("fn a() { 1 ", 506, "?"),
        ("fn a() { 1.5 }", 506, "?"),
        ("fn a() { if 3 { 1 } }", 506, "3"),
        ("fn a() { 1 $ 2 }", 506, "$"),
    ];
    for (text, code, under) in cases {
        let (faults, _) = checked(text);
        assert_eq!(faults.iter().map(|f| f.0).collect::<Vec<_>>(), [*code], "{text}: {faults:?}");
        assert!(*under == "?" || faults[0].1 == *under, "{text}: {faults:?}");
    }
}

#[test]
fn hostile_scripts_end() {
    let deep = |open: &str, close: &str, n: usize| format!("fn a() {{ {}1{} }}", open.repeat(n), close.repeat(n));
    let texts = [
        deep("(", ")", 20_000),
        deep("[", "]", 20_000),
        deep("{", "}", 20_000),
        deep("!", "", 20_000),
        deep("-", "", 20_000),
        deep("1 + ", "", 10_000),
        deep("if true { ", " }", 5_000),
        deep("if false { 1 } else ", "", 2_000),
        deep("while true { ", " }", 4_000),
        deep("`${", "}`", 5_000),
        deep("a.b", "", 10_000),
        deep("|x| ", "", 5_000),
        deep("#{a: ", "}", 5_000),
        deep("switch 1 { 1 => ", " }", 3_000),
        format!("fn a() {{ 1{} }}", "[0]".repeat(10_000)),
        format!("fn a() {{ [1]{} }}", ".len()".repeat(8_000)),
        "x".repeat(100_000),
        "fn ".repeat(10_000),
        "fn a(){".repeat(5_000),
        "fn a(){+}\n".repeat(5_000),
    ];
    for text in texts {
        let mut sink = Sink::new();
        check_script(FileId(0), &text, &mut sink);
        assert!(!sink.is_empty(), "{}", text.get(..60).unwrap_or(&text));
    }
}

/// Soups of words: whatever a stranger writes is read and run without a crash, and in bounded time.
#[test]
fn soups_of_words_do_no_harm() {
    const WORDS: &[&str] = &[
        "fn",
        "f",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "#{",
        ":",
        ",",
        ";",
        "let",
        "const",
        "if",
        "else",
        "while",
        "loop",
        "for",
        "in",
        "break",
        "continue",
        "return",
        "throw",
        "switch",
        "=>",
        "_",
        "x",
        "y",
        "\"red\"",
        "\"glory\"",
        "'c'",
        "`a${x}`",
        "1",
        "-1",
        "9223372036854775807",
        "0..3",
        "+",
        "-",
        "*",
        "/",
        "%",
        "**",
        "==",
        "<",
        "&&",
        "!",
        "=",
        "+=",
        ".",
        "?.",
        "??",
        "|",
        "||",
        "read",
        "write",
        "add",
        "random",
        "give",
        "members",
        "place",
        "\"pawn\"",
        "\"mid\"",
        "true",
        "()",
        "private",
        "this",
        "global",
        "\n",
        "// a",
        "/* b */",
        "\"",
        "é",
        "\0",
        "<<",
        "len",
        "push",
        "sort",
        "map",
        "filter",
        "keys",
        "pad",
        "splice",
        "call",
        "Fn",
        "is_def_fn",
        "type_of",
    ];
    let mut chance = crate::engine::random::Generator::new(11);
    let mut ran = 0;
    for _ in 0..1500 {
        let body: Vec<&str> =
            (0..1 + chance.below(14)).map(|_| WORDS[chance.below(WORDS.len() as u64) as usize]).collect();
        let text = match chance.below(3) {
            0 => body.join(" "),
            _ => format!("fn f() {{ let x = [1, \"a\"]; let y = #{{coin: 1}}; {} }}", body.join(" ")),
        };
        let mut sink = Sink::new();
        let functions = check_script(FileId(7), &text, &mut sink);
        for found in sink.sorted() {
            let range = found.span.start as usize..found.span.end as usize;
            assert!(text.get(range).is_some(), "{text}: {found:?}");
        }
        if checked(&text).0.is_empty() && functions.contains(&("f".to_string(), 0)) {
            ran += 1;
            let _ = Stage::new(&text).call("f", &[], Type::Nothing);
            let _ = Stage::new(&text).call("f", &[], Type::Number);
        }
    }
    assert!(ran > 5, "{ran}");
}

#[test]
fn calls_with_any_values_do_no_harm() {
    const VALUES: &[&str] = &[
        "1",
        "-1",
        "0",
        "9223372036854775807",
        "true",
        "()",
        "\"\"",
        "\"red\"",
        "\"mid\"",
        "\"glory\"",
        "\"purse\"",
        "\"pawn\"",
        "\"seen\"",
        "\"bank\"",
        "\"coin\"",
        "[]",
        "[1, 2, 3]",
        "[\"mid\"]",
        "#{}",
        "#{coin: 1}",
        "#{coin: 127, stone: 127}",
        "'c'",
        "0..3",
        "|x| x",
        "Fn(\"f\")",
        "[[1], [2]]",
        "x",
        "y",
    ];
    const OTHERS: &[&str] = &[
        "len",
        "push",
        "pop",
        "insert",
        "pad",
        "splice",
        "sort",
        "order",
        "map",
        "filter",
        "reduce",
        "index_of",
        "contains",
        "chop",
        "extract",
        "split",
        "drain",
        "retain",
        "dedup",
        "zip",
        "sub_string",
        "crop",
        "replace",
        "keys",
        "values",
        "range",
        "abs",
        "sign",
        "min",
        "max",
        "bits",
        "get_bit",
        "set_bits",
        "chars",
        "to_upper",
        "remove",
        "set",
        "get",
        "fill_with",
        "mixin",
        "is_even",
        "starts_with",
        "index",
        "truncate",
        "rotate",
        "to_chars",
        "make_upper",
        "trim",
    ];
    let mut chance = crate::engine::random::Generator::new(12);
    for _ in 0..1500 {
        let names: Vec<&str> = OFFERS.iter().map(|o| o.name).chain(OTHERS.iter().copied()).collect();
        let mut pick = |from: &[&'static str]| from[chance.below(from.len() as u64) as usize];
        let name = pick(&names);
        let values: Vec<&str> = (0..4).map(|_| pick(VALUES)).collect();
        let count = chance.below(5) as usize;
        let call = format!("{name}({})", values[..count].join(", "));
        let text = format!("fn f() {{ let x = [3, 1, 2]; let y = \"text\"; {call}; x.{call} }}");
        if checked(&text).0.is_empty() {
            let mut stage = Stage::new(&text);
            if let Err(fault) = stage.call("f", &[], Type::Nothing) {
                assert!(fault.message.len() < 500 && !fault.message.contains("rhai::"), "{text}: {}", fault.message);
            }
            let total = |kind: usize| -> i64 {
                let place = &stage.code.layout.fields;
                let words = [place[0].address, place[1].address, place[1].address + 1];
                words.iter().map(|at| crate::engine::bags::lane(&[stage.memory[usize::from(*at)]], kind)).sum()
            };
            assert_eq!((total(0), total(1)), (10, 3), "{text}: goods are conserved");
        }
    }
}
