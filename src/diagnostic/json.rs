//! Diagnostics for programs: the one document of `check --format json`, and SARIF 2.1.0 for code scanners.
//! Lines and columns count from 1, columns in characters, ends are just behind the last one.

use serde_json::{Value, json};

use super::{Diagnostic, Severity, codes};
use crate::source::{Sources, Span};

/// `{"diagnostics":[…]}`, on one line with its end.
pub fn document(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let list: Vec<Value> = diagnostics.iter().map(|d| diagnostic(d, sources)).collect();
    format!("{}\n", json!({ "diagnostics": list }))
}

fn diagnostic(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let related: Vec<Value> = diagnostic
        .related
        .iter()
        .map(|label| with_place(json!({ "message": label.message }), label.span, sources))
        .collect();
    let head = json!({
        "code": diagnostic.code.to_string(),
        "severity": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "message": diagnostic.message,
    });
    let mut value = with_place(head, diagnostic.span, sources);
    value["help"] = json!(diagnostic.help);
    value["related"] = json!(related);
    value
}

fn with_place(mut value: Value, span: Span, sources: &Sources) -> Value {
    let file = sources.file(span.file);
    let (start, end) = (file.position(span.start), file.position(span.end));
    value["file"] = json!(file.name);
    value["line"] = json!(start.line);
    value["column"] = json!(start.column);
    value["end_line"] = json!(end.line);
    value["end_column"] = json!(end.column);
    value
}

/// A SARIF log with one run; the rules are the codes that occur in it.
pub fn sarif(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut used: Vec<super::Code> = diagnostics.iter().map(|d| d.code).collect();
    used.sort();
    used.dedup();
    let rules: Vec<Value> = used
        .iter()
        .map(|code| {
            json!({
                "id": code.to_string(),
                "shortDescription": { "text": codes::title(*code).unwrap_or("a fault") },
                "help": { "text": format!("regelwerk explain {code}") },
            })
        })
        .collect();
    let results: Vec<Value> = diagnostics.iter().map(|d| result(d, &used, sources)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "regelwerk",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log}\n")
}

fn result(diagnostic: &Diagnostic, used: &[super::Code], sources: &Sources) -> Value {
    let text = match &diagnostic.help {
        Some(help) => format!("{} (help: {help})", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let related: Vec<Value> = diagnostic
        .related
        .iter()
        .enumerate()
        .map(|(id, label)| {
            let mut value = location(label.span, sources);
            value["id"] = json!(id);
            value["message"] = json!({ "text": label.message });
            value
        })
        .collect();
    json!({
        "ruleId": diagnostic.code.to_string(),
        "ruleIndex": used.binary_search(&diagnostic.code).unwrap_or_default(),
        "level": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "message": { "text": text },
        "locations": [location(diagnostic.span, sources)],
        "relatedLocations": related,
    })
}

fn location(span: Span, sources: &Sources) -> Value {
    let file = sources.file(span.file);
    let (start, end) = (file.position(span.start), file.position(span.end));
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&file.name) },
        "region": {
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        },
    } })
}

/// A relative path as a URI reference: whatever is not plain is written as `%` and two digits.
fn uri(name: &str) -> String {
    let mut uri = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => uri.push(char::from(byte)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
