//! What Rhai reports when a script fails, in our words and with our codes, at the innermost place.

use rhai::{Dynamic, EvalAltResult, Position};

use super::offers::OFFERS;
use super::outline::Outline;
use super::{errors, values};
use crate::diagnostic::Diagnostic;

/// The fault (its span still empty) and where in the script it is.
pub fn fault(error: EvalAltResult, script: &Outline) -> (Diagnostic, Position) {
    let (error, position) = innermost(error);
    (said(error, script), position)
}

/// The fault inside of all calls, and the innermost place that is known.
fn innermost(error: EvalAltResult) -> (EvalAltResult, Position) {
    let (mut error, mut position) = (error, Position::NONE);
    loop {
        let here = error.position();
        if !here.is_none() {
            position = here;
        }
        error = match error {
            EvalAltResult::ErrorInFunctionCall(_, _, inner, _) | EvalAltResult::ErrorInModule(_, inner, _) => *inner,
            other => return (other, position),
        };
    }
}

fn said(error: EvalAltResult, script: &Outline) -> Diagnostic {
    use EvalAltResult as E;
    match error {
        E::ErrorRuntime(value, _) => thrown(value),
        E::ErrorFunctionNotFound(signature, _) => function(&signature, script),
        E::ErrorVariableNotFound(name, _) | E::ErrorForbiddenVariable(name, _) => {
            errors::not_there(format!("nothing here is called `{name}`"))
        }
        E::ErrorPropertyNotFound(name, _) => errors::not_there(format!("there is no `{name}` in the map")),
        E::ErrorIndexNotFound(index, _) => errors::not_there(format!("there is nothing at {}", values::kind(&index))),
        E::ErrorArrayBounds(0, index, _) => {
            errors::not_there(format!("there is no element {index}: the list is empty"))
        }
        E::ErrorArrayBounds(length, index, _) => {
            errors::not_there(format!("there is no element {index}: the last of the list is {}", length - 1))
        }
        E::ErrorStringBounds(length, index, _) => {
            errors::not_there(format!("there is no character {index} in a text of {length}"))
        }
        E::ErrorBitFieldBounds(length, index, _) => errors::not_there(format!("there is no bit {index} of {length}")),
        E::ErrorFor(_) => errors::cannot_compute("`for` goes over lists, maps' keys and ranges, not over this"),
        E::ErrorMismatchDataType(wanted, found, _) | E::ErrorMismatchOutputType(wanted, found, _) => {
            let (wanted, found) = (values::kind_of_type(&wanted), values::kind_of_type(&found));
            errors::cannot_compute(format!("here must stand {wanted}, and it is {found}"))
        }
        E::ErrorIndexingType(what, _) => {
            let what = what.split(' ').next().unwrap_or("");
            errors::cannot_compute(format!("{} has no elements or parts of this kind", values::kind_of_type(what)))
        }
        E::ErrorDotExpr(what, _) if !what.is_empty() => errors::cannot_compute(lowered(&what)),
        E::ErrorArithmetic(what, _) => errors::cannot_compute(lowered(&what)),
        E::ErrorAssignmentToConstant(name, _) => {
            errors::cannot_compute(format!("`{name}` is constant and cannot be changed"))
        }
        E::ErrorNonPureMethodCallOnConstant(name, _) => {
            errors::cannot_compute(format!("`{name}` changes what it is called on, and that is constant"))
        }
        E::ErrorTooManyOperations(_) | E::ErrorTerminated(..) => errors::too_many_steps(),
        E::ErrorTooManyVariables(_) => errors::too_large("the script declares too many variables"),
        E::ErrorStackOverflow(_) => errors::too_large("functions of the script call each other too deeply"),
        E::ErrorDataTooLarge(what, _) => {
            let what = if what.contains("string") { "a text" } else { "a list or a map" };
            errors::too_large(format!("{what} of the script becomes too large"))
        }
        other @ (E::ErrorSystem(..)
        | E::ErrorParsing(..)
        | E::ErrorVariableExists(..)
        | E::ErrorModuleNotFound(..)
        | E::ErrorInFunctionCall(..)
        | E::ErrorInModule(..)
        | E::ErrorUnboundThis(_)
        | E::ErrorDataRace(..)
        | E::ErrorDotExpr(..)
        | E::ErrorTooManyModules(_)
        | E::ErrorCustomSyntax(..)
        | E::LoopBreak(..)
        | E::Return(..)
        | E::Exit(..)) => errors::cannot_compute(lowered(&other.to_string())),
        other => errors::cannot_compute(lowered(&other.to_string())),
    }
}

/// A fault of ours that came through the script, or what the script itself threw.
fn thrown(value: Dynamic) -> Diagnostic {
    match value.clone().try_cast::<Diagnostic>() {
        Some(fault) => fault,
        None => match value.into_immutable_string() {
            Ok(text) => errors::stopped(&text),
            Err(_) => errors::stopped("it gave no reason (`throw \"a reason\"`)"),
        },
    }
}

/// `name (type, type)`: a function, or an operator, that is not there for such values.
fn function(signature: &str, script: &Outline) -> Diagnostic {
    let (name, types) = signature.split_once(" (").unwrap_or((signature, ""));
    let types = types.strip_suffix(')').unwrap_or(types);
    let found: Vec<&str> =
        types.split(", ").filter(|t| !t.is_empty()).map(|t| values::kind_of_type(t.trim())).collect();
    let found = if found.is_empty() { "nothing".to_string() } else { found.join(" and ") };
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        let sign = if name.starts_with("index") { "[ ]" } else { name };
        return errors::cannot_call(&format!("`{sign}`"), &found, None);
    }
    let offer = OFFERS.iter().find(|o| o.name == name);
    if let Some(offer) = offer {
        return errors::cannot_call(&format!("`{name}`"), &found, Some(format!("it is called as `{}`", offer.form)));
    }
    let own = script.functions.iter().find(|f| f.name == name);
    if let Some(own) = own {
        let help = format!("the script's own `{name}` takes {} values", own.parameters);
        return errors::cannot_call(&format!("`{name}`"), &found, Some(help));
    }
    let known = OFFERS.iter().map(|o| o.name).chain(script.functions.iter().map(|f| f.name.as_str()));
    if is_of_rhai(name) {
        return errors::cannot_call(&format!("`{name}`"), &found, None);
    }
    errors::unknown_function(name, known)
}

/// Words of Rhai before which a bracket is no call's.
pub fn is_keyword(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "if",
        "else",
        "switch",
        "do",
        "while",
        "until",
        "loop",
        "for",
        "in",
        "continue",
        "break",
        "return",
        "throw",
        "let",
        "const",
        "fn",
        "private",
        "is_def_fn",
        "is_def_var",
        "type_of",
        "Fn",
        "call",
        "is_shared",
    ];
    WORDS.contains(&name)
}

/// Functions of the packages that scripts have.
pub fn is_of_rhai(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "len",
        "push",
        "pop",
        "shift",
        "insert",
        "remove",
        "contains",
        "keys",
        "values",
        "index_of",
        "sort",
        "order",
        "reverse",
        "filter",
        "map",
        "reduce",
        "find",
        "min",
        "max",
        "abs",
        "split",
        "trim",
        "to_string",
        "is_empty",
        "clear",
        "append",
        "range",
        "set",
        "get",
        "all",
        "bits",
        "bytes",
        "char_at",
        "chars",
        "chop",
        "crop",
        "dedup",
        "drain",
        "ends_with",
        "extract",
        "fill_with",
        "find_map",
        "for_each",
        "index_of",
        "is_even",
        "is_odd",
        "is_zero",
        "make_lower",
        "make_upper",
        "mixin",
        "order_by",
        "order_desc",
        "pad",
        "parse_int",
        "reduce_rev",
        "replace",
        "retain",
        "sign",
        "some",
        "sort_by",
        "sort_desc",
        "splice",
        "split_rev",
        "starts_with",
        "sub_string",
        "to_array",
        "to_chars",
        "to_debug",
        "to_int",
        "to_json",
        "to_lower",
        "to_upper",
        "truncate",
        "zip",
    ];
    NAMES.contains(&name)
}

/// Rhai's own sentence, as ours begin.
fn lowered(sentence: &str) -> String {
    let sentence = sentence.lines().next().unwrap_or("");
    let mut chars = sentence.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => "this cannot be computed".into(),
    }
}
