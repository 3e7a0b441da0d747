//! Every construct of the language reads without a fault, and what it says arrives in the tree.

use super::clean;
use crate::syntax::ast::{Event, ItemKind, Mode, PhaseClause, StmtKind, Tie, TypeKind, When};

const ALL: &str = include_str!("constructs.rules");

#[test]
fn every_construct_reads() {
    let tree = clean(ALL);
    let lines = ALL.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    assert_eq!(tree.items.len(), lines.count());
    assert!(tree.items.iter().all(|item| !matches!(item.kind, ItemKind::Bad)));
    assert_eq!(tree.items.iter().filter(|item| item.mode == Mode::Change).count(), 11);
    assert_eq!(tree.items.iter().filter(|item| item.mode == Mode::Drop).count(), 2);
    // Read again from its lines, each item is the same slice of the file.
    for item in &tree.items {
        let slice = ALL.get(item.span.start as usize..item.span.end as usize).unwrap_or("");
        assert_eq!(clean(slice).items.len(), 1, "{slice}");
    }
}

#[test]
fn numbers_of_items_arrive() {
    for item in clean(ALL).items {
        match item.kind {
            ItemKind::Piece(piece) if piece.name.text == "pawn" && item.mode == Mode::Declare => {
                let counts: Vec<_> =
                    piece.counts.iter().map(|c| (c.count, c.each, c.players.map(|p| (p.low, p.high)))).collect();
                assert_eq!(counts, [(3, true, None), (4, true, Some((2, 2))), (5, true, Some((3, 4)))]);
            }
            ItemKind::Piece(piece) if piece.name.text == "tower" => {
                assert_eq!((piece.at_most, piece.at_most_of_owner), (Some(3), Some(1)));
            }
            ItemKind::Goods(goods) if goods.name.text == "coin" && item.mode == Mode::Declare => {
                assert!(goods.unseen && goods.reshuffled && goods.each == Some(20));
                assert_eq!(goods.returned_to.map(|name| name.text).as_deref(), Some("heap"));
                assert_eq!(goods.members.last().and_then(|(_, count)| *count), Some(10));
            }
            ItemKind::Award(award) => {
                let tie = |keeps_holder, else_nobody| award.tie == Some(Tie { keeps_holder, else_nobody });
                match award.name.text.as_str() {
                    "longest" if item.mode == Mode::Declare => assert!(tie(true, true) && award.points == Some(2)),
                    "longest" => assert!(award.tie.is_none() && award.at_least.is_none() && award.points.is_none()),
                    "largest" => assert!(tie(true, false)),
                    _ => assert!(tie(false, true)),
                }
            }
            ItemKind::State(state) if state.this_turn && state.keys.is_empty() => {
                let names: Vec<&str> = state.fields.iter().map(|field| field.name.text.as_str()).collect();
                assert_eq!(names, ["fresh", "moved", "seen"]);
                assert!(
                    matches!(state.fields.first().map(|f| &f.ty.kind), Some(TypeKind::Words(words)) if words.len() == 2)
                );
            }
            ItemKind::Fog(fog) => {
                assert_eq!((fog.areas.len(), fog.of.len(), fog.variants.len()), (2, 3, 2));
            }
            ItemKind::Turn(phases) => {
                let words: Vec<String> = phases
                    .iter()
                    .flat_map(|phase| &phase.clauses)
                    .map(|clause| match clause {
                        PhaseClause::Must(words) | PhaseClause::May(words) => names(words),
                        PhaseClause::OneOf(words) => format!("one of {}", names(words)),
                        PhaseClause::Until(words) => format!("until {}", names(words)),
                        PhaseClause::Do(stmt) => format!("{}", matches!(stmt.kind, StmtKind::Do { .. })),
                    })
                    .collect();
                assert_eq!(words, ["roll", "play/pour tea", "one of wander/work", "true", "until end/turn"]);
            }
            _ => {}
        }
    }
}

fn names(words: &[crate::syntax::ast::Name]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join("/")
}

#[test]
fn events_arrive() {
    let mut events = Vec::new();
    for item in clean(ALL).items {
        if let ItemKind::Trigger(trigger) = item.kind {
            events.push(match trigger.event {
                None => "none".to_owned(),
                Some(Event::Emitted { name, args }) => format!("{} {}", name.text, args.len()),
                Some(Event::Arrival { piece, at, by }) => {
                    format!("arrival {} {} {}", piece.text, at.unwrap_or_else(|| piece.clone()).text, by.is_some())
                }
                Some(Event::Reveal { tokens, of, by }) => {
                    let tokens = tokens.map_or(String::new(), |name| format!("{} ", name.text));
                    format!("reveal {tokens}{} {}", of.text, by.is_some())
                }
                Some(Event::Passing { track, mark, .. }) => format!("passing {} {}", track.text, mark.text),
                Some(Event::Beside { when: When::After, target }) => format!("after {}", target.name.text),
                Some(Event::Beside { when: When::Before, target }) => format!("before {}", target.name.text),
                Some(Event::Beside { when: When::Instead, target }) => format!("instead {}", target.name.text),
                Some(Event::TurnStart) => "start".to_owned(),
                Some(Event::TurnEnd) => "end".to_owned(),
            });
        }
    }
    let expected = [
        "thrown 1",
        "arrival pawn e true",
        "reveal h true",
        "reveal castle t true",
        "passing gold chit",
        "start",
        "end",
        "after one",
        "instead found",
        "none",
    ];
    assert_eq!(events, expected);
}
