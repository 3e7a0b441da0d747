//! What binds to what.

use super::show::show;
use super::{body, only_item};
use crate::diagnostic::Sink;
use crate::source::Sources;
use crate::syntax::ast::{Choice, ItemKind, PerformPart, StmtKind, TypeKind};
use crate::syntax::parse_expr;

#[track_caller]
fn binds(text: &str, expected: &str) {
    let file = Sources::new().add("test", text);
    let mut sink = Sink::new();
    let expr = parse_expr(file, text, 0, &mut sink);
    assert!(!sink.has_errors(), "{text}: {:#?}", sink.sorted());
    assert_eq!(expr.map(|expr| show(&expr)).unwrap_or_default(), expected, "{text}");
}

#[track_caller]
fn set_is(text: &str, expected: &str) {
    match only_item(&format!("set test = {text}")).kind {
        ItemKind::Set { body: Some(body), .. } => assert_eq!(show(&body), expected, "{text}"),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn ask(text: &str) -> (Option<TypeKind>, String, String, bool) {
    match body(text).remove(0).kind {
        StmtKind::Ask(ask) => match ask.choice {
            Choice::For { ty, from, guard, or_none, .. } => {
                let text = |expr: Option<_>| expr.as_ref().map_or(String::new(), show);
                (ty.map(|ty| ty.kind), text(from), text(guard), or_none)
            }
            Choice::Branches(_) => panic!("branches"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn arithmetic_and_conditions() {
    binds("1 + 2 * 3 - 4", "(- (+ 1 (* 2 3)) 4)");
    binds("-a + b", "(+ (minus a) b)");
    binds("a mod 2 == 0", "(== (mod a 2) 0)");
    binds("a or b and not c", "(or a (and b (not c)))");
    binds("not a in b", "(not (in a b))");
    binds("a not in b", "(not-in a b)");
    binds("size(paid) > 0 and size(wanted) > 0", "(and (> size(paid) 0) (> size(wanted) 0))");
    binds("if a then 1 else if b then 2 else 3 + 4", "(if a 1 (if b 2 (+ 3 4)))");
    binds("usual + (if a in b then 4 else 0)", "(+ usual (if (in a b) 4 0))");
    binds("x in 1..6", "(in x (1..6))");
    binds("phase is main", "(is phase main)");
    binds("x == no", "(== x no)");
    binds("x == no and first == y", "(and (== x no) (== first y))");
}

#[test]
fn ownership_and_amounts() {
    binds("gate of p", "(of gate p)");
    binds("p.hand.size", "(dot size (dot hand p))");
    binds("my gate", "(my gate me)");
    binds("my cards of c > fresh of c", "(> (of (my cards me) c) (of fresh c))");
    binds("3 coin + 2 gem", "(+ (amount 3 coin) (amount 2 gem))");
    binds("n t", "(amount n t)");
    binds("1 l.terrain.yields", "(amount 1 (dot yields (dot terrain l)))");
    binds("1 of (coin, gem)", "(of 1 <coin, gem>)");
    binds("half(size(p.hand)) of p.hand", "(of half(size((dot hand p))) (dot hand p))");
    binds("output(c) of r", "(of output(c) r)");
    binds("owed of owner(c)", "(of owed owner(c))");
    binds(
        "count(tower of p) + 2 * count(gate of p) + awards",
        "(+ (+ count((of tower p)) (* 2 count((of gate p)))) awards)",
    );
    binds("pawn of p at e", "(at (of pawn p) e)");
    binds("my pawn at a", "(at (my pawn me) a)");
    binds("(my pawn at a).fresh", "(dot fresh (at (my pawn me) a))");
    binds("not (my pawn at a).fresh", "(not (dot fresh (at (my pawn me) a)))");
    binds("card[d]", "card[d]");
    binds("my tower in supply == 0", "(== (supply (my tower me)) 0)");
    binds("some event in deck", "(some (supply event))");
    binds("neutral tower", "(of tower neutral)");
    binds("chronicle score of p", "chronicle((of score p))");
    binds("(4, 3, 2, 1) at rank of p by all points", "(at <4, 3, 2, 1> rank(p, by: (all points)))");
    binds("all points(active) >= 10", "(>= (all points(active)) 10)");
    binds("script::price(t, 2)", "script::price(t, 2)");
    binds("allow me to use lamp", "(allow me use lamp)");
}

#[test]
fn sets_and_guards() {
    binds("a without b & c | d", "(| (without a (& b c)) d)");
    binds("edges(a) | edges(ends(b) & c)", "(| edges(a) edges((& ends(b) c)))");
    binds("some a & b where c and d", "(some (where (& a b) (and c d)))");
    binds("no a and b", "(and (no a) b)");
    binds("first meadow", "(first meadow)");
    binds("count(players where owed of r > 0) > 1", "(> count((where players (> (of owed r) 0))) 1)");
    binds("edge where gate == g", "(where edge (== gate g))");
    binds("some c: corner in ends(e) where c not in s", "(some (c: corner in ends(e) where (not-in c s)))");
    binds("corner without tower of others(p)", "(without corner (of tower others(p)))");
    binds("some beasts near e and not tired", "(and (some (near beasts e)) (not tired))");
    binds("my tower meets gates(r)", "(meets (my tower me) gates(r))");
    binds("p.hand has wanted", "(has (dot hand p) wanted)");
    binds("paid disjoint wanted", "(disjoint paid wanted)");
    binds("trail(gate of p, through open(p), joined at j)", "trail((of gate p), through: open(p), joined: j)");
    binds("within(3, a, inside isle)", "within(3, a, inside: isle)");
    binds("reach(me, without a) without edges(b)", "(without reach(me, without: a) edges(b))");
    binds("some (my pawn at a) where not moved", "(some (where (at (my pawn me) a) (not moved)))");
}

#[test]
fn reasons_in_sets() {
    set_is(
        "corners(land) \"no land\" without tower \"taken\" without beside(tower) \"too near\"",
        "(without (without (says corners(land) \"no land\") (says tower \"taken\")) (says beside(tower) \"too near\"))",
    );
    set_is("a \"one\" & b \"two\" | c \"three\"", "(| (& (says a \"one\") (says b \"two\")) (says c \"three\"))");
    set_is(
        "land_edge \"not on land\"  without gate \"taken\"",
        "(without (says land_edge \"not on land\") (says gate \"taken\"))",
    );
    set_is("a of p \"yours\"", "(says (of a p) \"yours\")");
    set_is("usual without pawn", "(without usual pawn)");
    set_is("land where number == 7 \"seven\"", "(says (where land (== number 7)) \"seven\")");
    set_is(
        "e: edge in pawn of p where some c: corner in ends(e) where c not in anchor(p) and count(edges(c) & pawn of p) == 1",
        "(e: edge in (of pawn p) where (some (c: corner in ends(e) where \
         (and (not-in c anchor(p)) (== count((& edges(c) (of pawn p))) 1)))))",
    );
}

#[test]
fn what_is_asked() {
    let one_of = |ty: Option<TypeKind>, name: &str| matches!(ty, Some(TypeKind::OneOf(names)) if names.iter().all(|n| n.text == name));
    let (ty, from, _, _) = ask("ask p for lost: half(size(p.hand)) of p.hand \"Which?\"");
    assert!(ty.is_none());
    assert_eq!(from, "(of half(size((dot hand p))) (dot hand p))");
    let (ty, from, _, none) = ask("ask me for t: coin");
    assert!(one_of(ty, "coin") && from.is_empty() && !none);
    let (ty, from, _, none) = ask("ask me for h: hex in S");
    assert!(one_of(ty, "hex") && from == "S" && !none);
    let (ty, from, _, none) =
        ask("ask me for l: land in border(pawn) & good without klu or none \"Which?\" otherwise { stop }");
    assert!(one_of(ty, "land") && from == "(without (& border(pawn) good) klu)" && none);
    let (ty, from, _, none) = ask("ask me for t: coin or none");
    assert!(one_of(ty, "coin") && from.is_empty() && none);
    let (_, from, guard, none) = ask("ask me for h: hex in S where number == 3 or none");
    assert_eq!((from.as_str(), guard.as_str(), none), ("S", "(== number 3)", true));
    let (ty, from, _, _) = ask("ask me for b: bag of coin in my hand");
    assert!(matches!(ty, Some(TypeKind::Bag(_))) && from == "(my hand me)");
    let (ty, _, _, _) = ask("ask me for paid: 2 of coin");
    assert!(matches!(ty, Some(TypeKind::Sized(..))));
    let (_, from, _, _) = ask("ask p for e: edge in edges(c) \"too far\" & free \"Where?\"");
    assert_eq!(from, "(& (says edges(c) \"too far\") free)");
    match body("ask p for up to 2 c: corner in S").remove(0).kind {
        StmtKind::Ask(ask) => {
            assert!(matches!(ask.choice, Choice::For { up_to: true, count: Some(count), .. } if show(&count) == "2"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_performed() {
    let perform = |text: &str| match body(text).remove(0).kind {
        StmtKind::Perform { perform, otherwise, must } => {
            let actions: Vec<String> = perform
                .actions
                .iter()
                .map(|parts| {
                    let part = |part: &PerformPart| match part {
                        PerformPart::Word(name) => name.text.clone(),
                        PerformPart::Arg(expr) => format!("{{{}}}", show(expr)),
                    };
                    parts.iter().map(part).collect::<Vec<_>>().join(" ")
                })
                .collect();
            let cost = perform.cost.as_ref().map_or(String::new(), show);
            let even: Vec<&str> = perform.even.iter().map(|name| name.text.as_str()).collect();
            format!(
                "{} {} | {} | free {} for {cost} beyond {} even {} otherwise {}",
                if must { "make" } else { "allow" },
                show(&perform.who),
                actions.join(" or "),
                perform.free,
                perform.beyond_limit,
                even.join(" "),
                otherwise.is_some()
            )
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(
        perform("allow me to build gate or build pawn free  otherwise { stop }"),
        "allow me | build gate or build pawn | free true for  beyond false even  otherwise true"
    );
    assert_eq!(
        perform("make me buy card for coin + gem"),
        "make me | buy card | free false for (+ coin gem) beyond false even  otherwise false"
    );
    assert_eq!(
        perform("make me glide from e beyond its limit, even fresh otherwise { remove my pawn from e }"),
        "make me | glide from e | free false for  beyond true even fresh otherwise true"
    );
    assert_eq!(
        perform("make owner(c) move (first S) to ends(e) for 1 of (coin, gem)"),
        "make owner(c) | move {(first S)} to {ends(e)} | free false for (of 1 <coin, gem>) beyond false even  otherwise false"
    );
}

#[test]
fn spans_are_exact() {
    let text = "a  +  my gate of p where  x == (1)  ";
    let file = Sources::new().add("test", text);
    let expr = parse_expr(file, text, 100, &mut Sink::new());
    let span = expr.map(|expr| (expr.span.start, expr.span.end));
    assert_eq!(span, Some((100, 134)));
}
