//! What the faults say, how many there are, and that hostile texts are refused quickly.

use std::time::Instant;

use super::{clean, codes, read};
use crate::syntax::ast::{ItemKind, StmtKind};

/// The code and the message of the only fault of a text.
#[track_caller]
fn fault(text: &str) -> String {
    let (_, mut faults) = read(text);
    assert_eq!(faults.len(), 1, "{text}\n{faults:#?}");
    let fault = faults.remove(0);
    format!("{} {}", fault.code, fault.message)
}

#[test]
fn messages() {
    assert_eq!(fault("setup { give p }"), "RW0101 a value is missing here");
    assert_eq!(fault("peice gate on edge"), "RW0105 no declaration begins with `peice`");
    assert_eq!(fault("give p 1 r"), "RW0105 `give` is a statement and cannot stand outside of all braces");
    assert_eq!(fault("setup { giv p 1 r }"), "RW0106 no statement begins with `giv`");
    assert_eq!(fault("setup { piece gate }"), "RW0106 `piece` begins a declaration and cannot stand among statements");
    assert_eq!(fault("terrain of"), "RW0107 `of` is a word of the language and cannot be a name");
    assert_eq!(fault("setup { if a = b { stop } }"), "RW0108 `=` means nothing here");
    assert_eq!(fault("setup { let a == b }"), "RW0108 `==` means nothing here");
    assert_eq!(fault("define a = b && c"), "RW0108 `&&` means nothing here");
    assert_eq!(fault("define a = b < c < d"), "RW0109 comparisons cannot be chained");
    assert_eq!(fault("setup { stop stop }"), "RW0110 before `stop` a new statement begins without a line end");
    assert_eq!(
        fault("setup { pay cost(a) place b on c }"),
        "RW0110 before `place` a new statement begins without a line end"
    );
    assert_eq!(fault("terrain a terrain b"), "RW0110 before `terrain` a new declaration begins without a line end");
    assert_eq!(fault("deck a { b 99999999999999999999 }"), "RW0111 this number is larger than 1000000");
    assert_eq!(fault("define a = b of c d"), "RW0112 two values stand side by side with nothing between them");
    assert_eq!(fault("setup { require a “why” }"), "RW0113 the character `“` means nothing here");
}

#[test]
fn quotes_and_brackets() {
    assert_eq!(codes("setup {\n  require a \"no {e} here\n  stop\n}"), ["RW0104 2:13"]);
    assert_eq!(codes("action a { require b \"it is {it} }\nterrain c"), ["RW0104 1:22"]);
    assert_eq!(codes("board a from \"a.board\nterrain b"), ["RW0104 1:14"]);
    assert_eq!(codes("setup {\n  pay cost(a\n  stop\n}\nterrain b"), ["RW0102 2:11"]);
    assert_eq!(codes("define a = (b + c\nterrain d\nterrain e"), ["RW0102 1:12"]);
    assert_eq!(codes("setup {\n  pay cost(a))\n  pay (b]\n}\nterrain b"), ["RW0103 2:14", "RW0103 3:9"]);
    assert_eq!(codes("setup { stop } }\nterrain b"), ["RW0103 1:16"]);
}

#[test]
fn an_open_brace_costs_one_item() {
    let text = "procedure a {\n  if b {\n    stop\n}\n\nprocedure c {\n  stop\n\nterrain d\n";
    assert_eq!(codes(text), ["RW0102 2:8", "RW0102 6:13"]);
    let (tree, _) = read(text);
    let names: Vec<bool> = tree.items.iter().map(|item| matches!(item.kind, ItemKind::Bad)).collect();
    assert_eq!(names, [false, false, false]);
}

#[test]
fn each_statement_and_item_has_its_own_fault() {
    let text = "terain a\nprocedure b {\n  giv p 1 r\n  if x = y { stop }\n  if z {\n    take 1 r, p\n    stop\n  }\n}\n\
                piece c on 3\nturn { main { mst roll } }\naction d e: { stop }\n";
    assert_eq!(
        codes(text),
        ["RW0105 1:1", "RW0106 3:3", "RW0108 4:8", "RW0101 6:13", "RW0101 10:12", "RW0106 11:15", "RW0101 12:13"]
    );
    let (tree, _) = read(text);
    match &tree.items[1].kind {
        ItemKind::Procedure { body, .. } => {
            assert_eq!(body.len(), 3);
            assert!(matches!(body[0].kind, StmtKind::Bad) && matches!(body[2].kind, StmtKind::If { .. }));
        }
        other => panic!("{other:?}"),
    }
    let broken: Vec<&str> = tree.broken.iter().map(|name| name.text.as_str()).collect();
    // Whatever stands in a broken slot may be what it would have declared.
    assert!(["a", "c", "d", "e"].iter().all(|name| broken.contains(name)), "{broken:?}");
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("x(", ")"), ("not ", ""), ("- ", ""), ("if a then ", "")]
    {
        let text =
            format!("define a = {}b{}", open.repeat(1_000_000 / open.len()), close.repeat(1_000_000 / open.len()));
        let text = text.get(..1 << 20).unwrap_or(&text);
        let start = Instant::now();
        let found = codes(text);
        assert!(found.iter().any(|code| code.starts_with("RW07")), "{open}: {found:?}");
        assert!(start.elapsed().as_millis() < 2000, "{open}");
    }
    let lists = format!("cards a {{ b: {}c }} from \"a.toml\"", "list of ".repeat(100_000));
    assert!(!codes(&lists).is_empty());
    assert!(codes(&"x".repeat((1 << 20) + 1)).iter().all(|code| code.starts_with("RW0702")));
    assert!(codes(&format!("define a = {}b{}", "(".repeat(190), ")".repeat(190))).is_empty());
    assert!(codes(&format!("define a = {}b", "not ".repeat(250))).is_empty());
    assert!(codes(&format!("define a = b{}", " + b".repeat(250))).is_empty());
    let stair = format!("setup {{ {} stop {} }}", "if a { ".repeat(100), "}".repeat(100));
    assert!(codes(&stair).is_empty());
}

#[test]
fn broken_nests_take_linear_time() {
    let start = Instant::now();
    for inner in ["if a { ", "ask p to { x where y { ", "for x in (y & (z)) { ", "case a { b { "] {
        let depth = 120;
        let closers = "}".repeat(depth * inner.matches('{').count());
        for text in [
            format!("setup {{ {} $ {closers} }}", inner.repeat(depth)),
            format!("setup {{ {}stop{} }}", inner.repeat(depth), closers.replace('}', "} $ ")),
        ] {
            assert!(!codes(&text).is_empty());
        }
    }
    for inner in
        ["some (", "allow (", "rank of (", "a(b, through (", "x at (", "if (", "first (", "1 (", "my (", "a: b in ("]
    {
        let text = format!("define a = {}$", inner.repeat(200));
        assert!(!codes(&text).is_empty());
        let text = format!("define a = {}${}", inner.repeat(100), ")".repeat(200));
        assert!(!codes(&text).is_empty());
    }
    assert!(start.elapsed().as_millis() < 5000 * SLOW, "{:?}", start.elapsed());
}

/// By how much an unoptimized build on a busy machine may be slower. What these tests look for is far slower still.
const SLOW: u128 = if cfg!(debug_assertions) { 10 } else { 1 };

#[test]
fn hostile_texts_take_linear_time() {
    let start = Instant::now();
    for text in [
        "\n".repeat(1 << 20),
        format!("define a = ({}", "\n".repeat(1 << 19)),
        "\"}".repeat(1 << 18),
        format!("\"{}", "}".repeat(1 << 19)),
        "\"\n$\n".repeat(1 << 16),
        "(\n".repeat(1 << 18),
        "(;\n".repeat(1 << 16),
        "}\n".repeat(1 << 16),
        "a{\n".repeat(1 << 18),
        "///\n".repeat(1 << 18),
        format!("deck d {{ {} }}", "a 1, ".repeat(1 << 16)),
        format!("setup {{ {} }}", "x\n".repeat(1 << 16)),
        "a:b ".repeat(1 << 18),
        "some ".repeat(1 << 17),
    ] {
        let before = Instant::now();
        codes(&text);
        assert!(before.elapsed().as_millis() < 3000 * SLOW, "{:?} {:?}", text.get(..10), before.elapsed());
    }
    println!("hostile texts: {:?}", start.elapsed());
}

#[test]
fn a_thousand_lines_are_read_at_once() {
    let block = "/// Build.\naction build gate on e: edge {\n  require e in free_edge & reach(me) and some my tower  \"nothing leads to {e}\"\n\
                 \x20 if a == 1 or b { give p 3 coin + rate(g) of g from bank } else { ask p for c: corner in S where x \"Where?\" }\n\
                 \x20 for p in players from active where size(p.hand) > 7 { take half(size(p.hand)) of p.hand from p }\n\
                 \x20 place my gate on e\n  pay cost(gate)\n}\nset a(p) = corners(land) \"no land\"\n   without tower \"taken\"\n";
    let text = block.repeat(100);
    assert!(codes(&text).is_empty());
    let start = Instant::now();
    let (tree, _) = read(&text);
    let took = start.elapsed();
    assert_eq!(tree.items.len(), 200);
    println!("1,000 lines: {took:?}");
    assert!(took.as_millis() < 200 * SLOW, "{took:?}");
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

#[test]
fn no_text_makes_the_parser_fail() {
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(150);
    let whole = include_str!("constructs.rules");
    let lines: Vec<&str> = whole.lines().collect();
    let signs =
        ["{", "}", "(", ")", "[", "]", "\"", ";", "\n", "//", "///", "=", "é", "…", " where ", " if ", " x", "1", ","];
    let mut dice = Dice(7);
    for _ in 0..rounds {
        let from = dice.below(lines.len());
        let mut text = lines.iter().skip(from).take(1 + dice.below(40)).copied().collect::<Vec<_>>().join("\n");
        for _ in 0..1 + dice.below(6) {
            let mut at = dice.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            if dice.below(2) == 0 {
                text.insert_str(at, signs[dice.below(signs.len())]);
            } else {
                let end = (at..text.len()).skip(1 + dice.below(8)).find(|end| text.is_char_boundary(*end));
                text.replace_range(at..end.unwrap_or(text.len()), "");
            }
        }
        let (tree, faults) = read(&text);
        for fault in &faults {
            let inside = text.get(fault.span.start as usize..fault.span.end as usize).is_some();
            assert!(inside, "{text}\n{fault:?}");
        }
        for item in &tree.items {
            let bad = matches!(item.kind, ItemKind::Bad);
            assert!(item.span.start < item.span.end, "{text}\n{item:?}");
            assert!(!bad || !faults.is_empty(), "{text}");
        }
    }
}

/// Each token of a good text is left out in turn: that is one fault, seldom two.
#[test]
fn one_mistake_is_one_fault() {
    let whole = include_str!("mistakes.rules");
    clean(whole);
    let mut counts = [0; 4];
    for token in crate::syntax::lex::lex(whole) {
        let mut text = whole.to_owned();
        text.replace_range(token.start..token.end, "");
        let (_, faults) = read(&text);
        counts[faults.len().min(3)] += 1;
        if faults.len() > 1 && std::env::var("SHOW").is_ok() {
            println!("without {:?} in line {}", &whole[token.start..token.end], whole[..token.start].lines().count());
            faults.iter().for_each(|fault| println!("    {} {}", fault.code, fault.message));
        }
    }
    assert_eq!(counts[3], 0, "{counts:?}");
    assert!(counts[2] * 50 < counts[1], "{counts:?}");
}
