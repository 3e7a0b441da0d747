//! Reads a script when its ruleset is loaded: its faults of syntax with their places, and which functions it has.
//! Rhai stops at its first fault; the function in which that stands is blanked out and the rest is read again, so
//! each function has its say.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use rhai::{FnAccess, LexError, ParseError, ParseErrorType};

use super::outline::{Definition, Outline, is_at_left_edge, outline, tokens};
use super::{errors, positions, sandbox, trouble};
use crate::diagnostic::{Diagnostic, Sink};
use crate::source::{FileId, Span};

/// So many functions of a script can have a fault each.
const MOST_FAULTS: usize = 40;

/// Reports what is wrong with a script's text. Gives the functions that rules may call, sorted by name, each with the
/// number of its parameters; a function with a fault is among them, so that its calls are not reported too.
pub fn check_script(file: FileId, text: &str, sink: &mut Sink) -> Vec<(String, usize)> {
    if text.len() > sandbox::TEXT_BYTES {
        sink.push(errors::script_too_long(Span::new(file, 0, 0), sandbox::TEXT_BYTES));
        return Vec::new();
    }
    let found = outline(text);
    for range in &found.stray {
        sink.push(errors::stray_statement(span(file, range.clone())));
    }
    let mut doubles = Vec::new();
    for (at, function) in found.functions.iter().enumerate() {
        let same = |f: &&Definition| f.name == function.name && f.parameters == function.parameters;
        if let Some(first) = found.functions.iter().take(at).find(same) {
            let (own, first) = (span(file, function.name_at.clone()), span(file, first.name_at.clone()));
            sink.push(errors::defined_twice(own, &function.name, Some(first)));
            doubles.push(function.range.clone());
        }
    }
    let mut functions = Vec::new();
    let engine = sandbox::engine(&Rc::new(Cell::new(0)));
    let stray = found.stray.iter().map(|s| s.start..statement_end(&found, s.end, text.len()));
    let mut rest = blanked(text, stray.chain(doubles));
    for _ in 0..MOST_FAULTS {
        match engine.compile(&rest) {
            Ok(ast) => {
                let open = ast.iter_functions().filter(|f| matches!(f.access, FnAccess::Public));
                functions.extend(open.map(|f| (f.name.to_string(), f.params.len())));
                break;
            }
            Err(error) => {
                let Some(broken) = report(file, &rest, &found, &error, sink) else { break };
                rest = blanked(&rest, [broken].into_iter());
            }
        }
    }
    unknown_calls(file, &rest, &found, sink);
    let named = found.functions.iter().filter(|f| !f.private).map(|f| (f.name.clone(), f.parameters));
    functions.extend(named);
    functions.sort();
    functions.dedup();
    functions
}

/// Reports calls of functions that are not there, since Rhai itself looks only when it comes to them. A function of
/// Rhai's own is known by the lists in `trouble`.
fn unknown_calls(file: FileId, text: &str, found: &Outline, sink: &mut Sink) {
    let tokens = tokens(text);
    let word = |at: usize| tokens.get(at).and_then(|token| text.get(token.clone())).unwrap_or("");
    for (at, token) in tokens.iter().enumerate() {
        let name = word(at);
        let called = word(at + 1) == "(" && name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let before = at.checked_sub(1).map_or("", word);
        let known = super::offers::OFFERS.iter().map(|offer| offer.name);
        let known = known.chain(found.functions.iter().map(|function| function.name.as_str()));
        if called
            && !matches!(before, "." | "fn" | ":")
            && !known.clone().any(|known| known == name)
            && !trouble::is_of_rhai(name)
            && !trouble::is_keyword(name)
            && !sandbox::WITHHELD.contains(&name)
        {
            sink.push(Diagnostic { span: span(file, token.clone()), ..errors::unknown_function(name, known) });
        }
    }
}

fn span(file: FileId, range: Range<usize>) -> Span {
    Span::new(file, range.start, range.end)
}

/// A stray statement reaches to the next function at most.
fn statement_end(found: &Outline, from: usize, end: usize) -> usize {
    found.functions.iter().map(|f| f.range.start).filter(|start| *start >= from).min().unwrap_or(end)
}

/// The text with blanks in place of some parts, byte for byte, so that all other places stay where they are.
fn blanked(text: &str, parts: impl Iterator<Item = Range<usize>>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for byte in parts.flatten() {
        if let Some(byte) = bytes.get_mut(byte)
            && *byte != b'\n'
        {
            *byte = b' ';
        }
    }
    // The parts are whole characters, so what is left is text.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Reports a fault; gives the bytes of the function that it spoils.
fn report(file: FileId, text: &str, found: &Outline, error: &ParseError, sink: &mut Sink) -> Option<Range<usize>> {
    let mut range = positions::range(text, error.position());
    let mut at = range.start;
    // What is open at the next function, or at the end, was opened in the function before.
    let unclosed = matches!(error.err_type(), ParseErrorType::WrongFnDefinition) && is_at_left_edge(text, at)
        || matches!(error.err_type(), ParseErrorType::UnexpectedEOF)
        || at >= text.trim_end().len();
    if unclosed {
        at = text.get(..at).map_or(0, |t| t.trim_end().len().saturating_sub(1));
    }
    let broken = found.functions.iter().find(|f| f.range.contains(&at));
    if let Some(broken) = broken
        && matches!(error.err_type(), ParseErrorType::WrongFnDefinition)
        && unclosed
    {
        range = broken.name_at.clone();
        sink.push(errors::syntax(span(file, range), format!("the function `{}` is not closed", broken.name)));
        return Some(broken.range.clone());
    }
    sink.push(diagnostic(span(file, range), text, error));
    broken.map(|f| f.range.clone())
}

fn diagnostic(span: Span, text: &str, error: &ParseError) -> Diagnostic {
    use ParseErrorType as P;
    match error.err_type() {
        P::BadInput(LexError::ImproperSymbol(word, _)) if sandbox::WITHHELD.contains(&word.as_str()) => {
            errors::withheld(span, word)
        }
        P::Reserved(word) => errors::withheld(span, word),
        P::VariableUndefined(name) => {
            let words: Vec<&str> = tokens(text).into_iter().filter_map(|t| text.get(t)).collect();
            errors::unknown_variable(span, name, &words)
        }
        P::FnDuplicatedDefinition(name, _) => errors::defined_twice(span, name, None),
        P::FnDuplicatedParam(_, name) => errors::defined_twice(span, name, None),
        P::ExprTooDeep => errors::script_too_complex(span, "this is nested too deeply"),
        P::TooManyFunctions => errors::script_too_complex(span, "it has too many functions"),
        P::LiteralTooLarge(..) => errors::script_too_complex(span, "this is too long"),
        other => errors::syntax(span, said(other)),
    }
}

/// A fault of syntax in plain words.
fn said(error: &ParseErrorType) -> String {
    use ParseErrorType as P;
    match error {
        P::UnexpectedEOF => "the script ends in the midst of something: a bracket or a text is not closed".into(),
        P::BadInput(LexError::UnexpectedInput(sign)) => format!("`{sign}` does not fit here"),
        P::BadInput(LexError::UnterminatedString) => "this text has no closing quote".into(),
        P::BadInput(LexError::MalformedNumber(number)) => format!("`{number}` is no number; numbers here are whole"),
        P::BadInput(LexError::MalformedIdentifier(name)) => format!("`{name}` cannot be a name"),
        P::BadInput(LexError::MalformedEscapeSequence(sign)) => format!("`{sign}` means nothing in a text"),
        P::BadInput(LexError::MalformedChar(sign)) => format!("'{sign}' is not one character; texts stand in \"…\""),
        P::UnknownOperator(sign) => format!("there is no sign `{sign}`"),
        P::MissingToken(sign, _) => format!("`{sign}` is missing before this"),
        P::ExprExpected(_) => "a value is missing here".into(),
        P::PropertyExpected => "a name is missing here".into(),
        P::VariableExpected => "the name of a variable is missing here".into(),
        P::FnMissingName => "the function has no name".into(),
        P::FnMissingParams(name) => format!("`{name}` needs its parameters in brackets, or `()`"),
        P::FnMissingBody(name) => format!("`{name}` has no block `{{ … }}`"),
        P::WrongFnDefinition => "a function cannot stand inside another block; perhaps a `}` is missing".into(),
        P::AssignmentToConstant(name) => format!("`{name}` is constant and cannot be set"),
        P::MismatchedType(wanted, found) => {
            let wanted = wanted.replace("a boolean expression", "a truth").replace("a boolean", "a truth");
            format!("here must stand {wanted}, not {found}")
        }
        P::LoopBreak => "`break` and `continue` belong into a loop".into(),
        other => lowered(&other.to_string()),
    }
}

/// Rhai's own sentence, as ours begin.
fn lowered(sentence: &str) -> String {
    let mut chars = sentence.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => "this cannot be read".into(),
    }
}
