//! Tests of the parser: how expressions bind, how lines and recovery work, and what the faults say. Whole files with
//! the faults that they must give lie in `tests/cases/syntax/`.

mod constructs;
mod expressions;
mod faults;
mod lines;
mod show;
mod words;

use super::ast::{File, Item, ItemKind, Stmt};
use crate::diagnostic::{Diagnostic, Sink};
use crate::source::Sources;

/// A text read alone: its tree and its faults in order.
fn read(text: &str) -> (File, Vec<Diagnostic>) {
    let file = Sources::new().add("test.rules", text);
    let mut sink = Sink::new();
    let tree = super::parse(file, text, &mut sink);
    (tree, sink.sorted())
}

/// A text that must read without a fault.
fn clean(text: &str) -> File {
    let (tree, faults) = read(text);
    assert!(faults.is_empty(), "{text}\n{faults:#?}");
    tree
}

fn only_item(text: &str) -> Item {
    let mut tree = clean(text);
    assert_eq!(tree.items.len(), 1, "{text}");
    tree.items.remove(0)
}

/// The statements of a procedure with this body.
fn body(text: &str) -> Vec<Stmt> {
    match only_item(&format!("procedure test {{\n{text}\n}}")).kind {
        ItemKind::Procedure { body, .. } => body,
        other => panic!("{other:?}"),
    }
}

/// The faults of a text, each as `CODE line:column`.
fn codes(text: &str) -> Vec<String> {
    let mut sources = Sources::new();
    let file = sources.add("test.rules", text);
    let (_, faults) = read(text);
    let show = |fault: &Diagnostic| {
        let place = sources.file(file).position(fault.span.start);
        format!("{} {}:{}", fault.code, place.line, place.column)
    };
    faults.iter().map(show).collect()
}

/// Prints what is found in the files that an environment variable names, for trying things out.
#[test]
fn try_files() {
    let Ok(paths) = std::env::var("RULES_FILES") else { return };
    for path in paths.split(':') {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut sources = Sources::new();
        let file = sources.add(path, text.clone());
        let (tree, faults) = read(&text);
        println!("{path}: {} items", tree.items.len());
        for fault in faults {
            let at = sources.file(file).position(fault.span.start);
            println!("  {}:{} {} {} | {:?}", at.line, at.column, fault.code, fault.message, fault.help);
        }
    }
}
