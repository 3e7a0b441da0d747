//! A few whole reports as people see them, at a fixed width and without colour, and the same as JSON and SARIF.
//! Each is a case of `tests/cases/` and a file of `tests/reports/`.

use regelwerk::diagnostic::{Diagnostic, Sink, json, render};
use regelwerk::pipeline;
use regelwerk::source::Sources;
use regelwerk::source::load::COMMAND_LINE;

use crate::cases::laid_out;
use crate::common::{compare, repo};

/// The report of a case, and the name of the file that holds it.
const REPORTS: &[(&str, &str)] = &[
    ("source/manifest", "manifest"),
    ("source/circle", "circle"),
    ("source/unknown-base", "unknown-base"),
    ("syntax/several.rules", "syntax"),
    ("board/hill", "board"),
    ("check/dropped", "dropped"),
];

#[test]
fn whole_reports_look_as_they_did() {
    let mut differences = Vec::new();
    for (case, name) in REPORTS {
        let (found, sources) = check(&laid_out(&repo("tests/cases").join(case), "report").display().to_string());
        let text = render::render(&found, &sources, render::Style::default());
        differences.extend(compare(&text, &repo("tests/reports").join(format!("{name}.txt"))).err());
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn json_has_the_fields_of_the_contract() {
    let (found, sources) = check(&repo("tests/cases/source/manifest").display().to_string());
    let document: serde_json::Value = serde_json::from_str(&json::document(&found, &sources)).expect("it is JSON");
    let list = document["diagnostics"].as_array().expect("a list");
    assert_eq!(list.len(), found.len());
    for entry in list {
        for field in ["code", "severity", "message", "file"] {
            assert!(entry[field].is_string(), "{field} of {entry}");
        }
        for field in ["line", "column", "end_line", "end_column"] {
            assert!(entry[field].as_u64().is_some_and(|n| n >= 1), "{field} of {entry}");
        }
        assert!(entry["help"].is_string() || entry["help"].is_null());
        assert!(entry["related"].is_array());
    }
}

#[test]
fn columns_count_characters() {
    let mut sources = Sources::new();
    let file = sources.add("umlaut.rules", "größe = weiß\n");
    let span = regelwerk::source::Span::new(file, "größe = ".len(), "größe = weiß".len());
    let found = [Diagnostic::error(1, span, "a word")];
    let document: serde_json::Value = serde_json::from_str(&json::document(&found, &sources)).expect("it is JSON");
    assert_eq!(
        (&document["diagnostics"][0]["column"], &document["diagnostics"][0]["end_column"]),
        (&9.into(), &13.into())
    );
    let text = render::render(&found, &sources, render::Style::default());
    assert!(text.contains("umlaut.rules:1:9"), "{text}");
}

#[test]
fn sarif_names_each_rule_once() {
    let (found, sources) = check(&repo("tests/cases/source/manifest").display().to_string());
    let log: serde_json::Value = serde_json::from_str(&json::sarif(&found, &sources)).expect("it is JSON");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("a list of rules");
    for result in run["results"].as_array().expect("a list of results") {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(result["ruleId"], rules[index]["id"]);
    }
}

#[test]
fn a_report_never_fails_to_be_drawn() {
    // Empty texts, marks at the end, over several lines, beyond the end, within a character.
    for (text, start, end) in
        [("", 0, 0), ("a\n", 2, 2), ("a\nb\nc", 0, 5), ("a", 0, 9), ("ä", 1, 2), ("\n\n", 1, 1), ("a\r\nb", 0, 4)]
    {
        let mut sources = Sources::new();
        let file = sources.add("some.rules", text);
        let span = regelwerk::source::Span::new(file, start, end);
        let report = render::report(
            &Diagnostic::error(1, span, "the sentence").related(span, "the other half"),
            &sources,
            render::Style::default(),
        );
        assert!(report.contains("the sentence") && report.contains("the other half"), "{text:?} {report}");
        assert!(report.contains("some.rules"), "{text:?} {report}");
        assert!(!report.contains("Failed"), "{text:?} {report}");
    }
}

fn check(scenario: &str) -> (Vec<Diagnostic>, Sources) {
    let mut sources = Sources::new();
    let mut sink = Sink::new();
    pipeline::check(scenario, &mut sources, &mut sink);
    let found = sink.sorted();
    assert!(found.iter().all(|d| sources.file(d.span.file).name != COMMAND_LINE), "the case is not there");
    (found, sources)
}
