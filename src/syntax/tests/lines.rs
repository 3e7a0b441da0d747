//! Where a line goes on and where it ends; comments and doc lines.

use super::{body, clean, codes, only_item};
use crate::syntax::ast::{ItemKind, StmtKind};

#[test]
fn a_line_end_ends_a_statement() {
    assert_eq!(body("give p 1 r\ngive p 2 s;  give p 3 t;\n\n stop").len(), 4);
    assert_eq!(clean("terrain a\nterrain b;  terrain c").items.len(), 3);
    assert_eq!(body("return\nstop").len(), 2);
}

#[test]
fn lines_that_go_on() {
    assert_eq!(
        clean("set a = b \"reason\"\n   without c\n   \"reason\" // why\n\n  & d\n | e\nset f = g").items.len(),
        2
    );
    assert_eq!(body("require a\n  and b // or so\n\n  or c\n  \"reason\"\nstop").len(), 2);
    assert_eq!(body("let x = a +\n  b -\n  c\nlet y =\n  2").len(), 2);
    assert_eq!(body("pay cost(\n  a,\n\n  b // two\n  + c\n)\nstop").len(), 2);
    assert_eq!(body("if a { stop }\nelse if b { stop }\n// or\nelse { stop }").len(), 1);
    assert_eq!(body("ask p for x: y in z\n  where a\n  \"Which?\"\n  otherwise { stop }\nstop").len(), 2);
    assert_eq!(body("lay number 1 2 3\n  4 5 6\n along path").len(), 1);
    assert_eq!(body("let x = if a\n  then 1\n  else 2").len(), 1);
}

#[test]
fn lists_in_braces() {
    for list in ["{ a 1, b 2, c }", "{\n  a 1,\n  b 2,\n  c,\n}", "{\n  a 1\n  b 2\n  c\n}"] {
        match only_item(&format!("deck d {list}")).kind {
            ItemKind::Deck(deck) => assert_eq!(deck.cards.len(), 3, "{list}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn doc_lines_belong_to_the_item_below() {
    let tree = clean(
        "/// The file.\n\n/// One.\n///  Two.\nterrain a // no doc\n// none\nterrain b\n//// none either\nterrain c",
    );
    let docs: Vec<Option<&str>> = tree.items.iter().map(|item| item.doc.as_deref()).collect();
    assert_eq!(docs, [Some("One.\n Two."), None, None]);
}

#[test]
fn comments_and_quotes_keep_apart() {
    assert_eq!(body("require a \"no // comment\" // a \"comment\nstop").len(), 2);
    match body("require a \"say \\\"no\\\" {x} \\\\\"").remove(0).kind {
        StmtKind::Require { reason: Some(reason), .. } => assert_eq!(reason.text, "say \"no\" {x} \\"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn line_ends_of_other_systems_and_other_letters() {
    assert_eq!(clean("terrain a\r\nterrain straße\r\n\tterrain c\r\n").items.len(), 3);
    assert!(codes("").is_empty());
    assert!(codes("// nothing\n\n").is_empty());
}
