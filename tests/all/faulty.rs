//! Rules that cannot be carried out: each transcript in `tests/faulty/plays/` ends in a fault, and the fault names
//! the rule's line, which carries the code in a comment.

use regelwerk::source::Sources;

use crate::common::{faults_of_play, files_below, read, repo};

#[test]
fn every_fault_in_play_names_its_rule_and_line() {
    let scenario = repo("tests/faulty").display().to_string();
    let mut failed = Vec::new();
    for play in files_below(&repo("tests/faulty/plays")) {
        let name = play.file_name().expect("it is a file").to_string_lossy().into_owned();
        let text = read(&play);
        let mut sources = Sources::new();
        let faults = faults_of_play(&scenario, &mut sources, &name, &text);
        let [fault] = faults.as_slice() else {
            let found: Vec<String> = faults.iter().map(|f| format!("{} {}", f.code, f.message)).collect();
            failed.push(format!("{name}: one fault is expected, not {found:?}"));
            continue;
        };
        let last = text.trim_end().lines().count();
        let line = sources.file(fault.span.file).position(fault.span.start).line;
        if line != last {
            failed.push(format!("{name}: the fault comes at line {line}, not in the last: {}", fault.message));
        }
        let marked = fault.related.iter().any(|label| {
            let file = sources.file(label.span.file);
            let line = file.position(label.span.start).line;
            let text = file.text.lines().nth(line - 1).unwrap_or_default();
            text.split_once("//~").is_some_and(|(_, codes)| codes.contains(&fault.code.to_string()))
        });
        if !marked {
            let rules: Vec<&str> = fault.related.iter().map(|label| sources.text(label.span)).collect();
            failed.push(format!("{name}: {} {} names {rules:?}", fault.code, fault.message));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
