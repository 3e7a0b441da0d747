//! All that the bridge to scripts can say: RW0502–RW0506 when a script is read, RW0510–RW0518 when one is called,
//! RW0520–RW0527 about what it asks of the game, RW0720–RW0722 about its bounds.
//!
//! Functions that a script calls do not know where they are called; they give a fault without a place, and the
//! place is put in when the fault has come out of the script.

use crate::diagnostic::{Diagnostic, near_names};
use crate::source::Span;

/// `did you mean `a` or `b`?`, if anything is near.
fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near: Vec<String> = near_names(word, known).iter().map(|n| format!("`{n}`")).collect();
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")))
}

fn helped(diagnostic: Diagnostic, help: Option<String>) -> Diagnostic {
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

fn nowhere() -> Span {
    Span::default()
}

// ---- reading a script ----

pub fn syntax(span: Span, what: impl Into<String>) -> Diagnostic {
    Diagnostic::error(506, span, what)
}

pub fn unknown_variable(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    let fault = Diagnostic::error(502, span, format!("nothing here is called `{name}`"));
    let help = nearest(name, near.iter().copied());
    helped(
        fault,
        help.or_else(|| {
            Some("a function, also `|x| …`, sees its own parameters and what it declares with `let`".into())
        }),
    )
}

pub fn withheld(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(503, span, format!("scripts of a game cannot use `{word}`"))
        .help("a script computes, and changes the game only through the functions that the game gives it")
}

pub fn stray_statement(span: Span) -> Diagnostic {
    Diagnostic::error(504, span, "this stands outside of any function and would never be run")
        .help("a script keeps nothing between two calls: put a value that several functions need into a function")
}

pub fn defined_twice(span: Span, name: &str, first: Option<Span>) -> Diagnostic {
    let fault = Diagnostic::error(505, span, format!("`{name}` is defined a second time"));
    match first {
        Some(first) => fault.related(first, "first defined here"),
        None => fault,
    }
}

pub fn script_too_long(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error(722, span, format!("the script has more than {most} bytes"))
        .help("a script is for the odd case; say with rules what rules can say")
}

pub fn script_too_complex(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(721, span, format!("the script goes beyond its bounds: {what}"))
        .help("cut it into smaller functions")
}

// ---- running one ----

/// A call of a function that the script does not have, or not for so many values. `functions` are those that it has,
/// each with the number of its parameters.
pub fn no_such_function(span: Span, name: &str, values: usize, functions: &[(String, usize)]) -> Diagnostic {
    let counts: Vec<String> = functions.iter().filter(|(n, _)| n == name).map(|(_, c)| c.to_string()).collect();
    if counts.is_empty() {
        let fault = Diagnostic::error(510, span, format!("the script has no function `{name}` that rules can call"));
        return helped(fault, nearest(name, functions.iter().map(|(n, _)| n.as_str())));
    }
    let takes = counts.join(" or ");
    Diagnostic::error(510, span, format!("`{name}` of the script takes {takes} values, and {values} stand here"))
}

pub fn wrong_result(span: Span, function: &str, wanted: &str, found: &str) -> Diagnostic {
    Diagnostic::error(511, span, format!("the rules need {wanted} from `{function}`, and it gave {found}"))
}

pub fn unknown_member<'a>(word: &str, domain: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    let fault = Diagnostic::error(512, nowhere(), format!("there is no {domain} `{word}`"));
    helped(fault, nearest(word, known))
}

pub fn bad_count(kind: &str, count: i64, most: i64) -> Diagnostic {
    Diagnostic::error(513, nowhere(), format!("a bag cannot hold {count} of {kind}, only 0 to {most}"))
}

pub fn cannot_call(call: &str, found: &str, help: Option<String>) -> Diagnostic {
    helped(Diagnostic::error(514, nowhere(), format!("{call} cannot be used with {found}")), help)
}

pub fn unknown_function<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    let fault = Diagnostic::error(515, nowhere(), format!("there is no function `{name}`"));
    fault.help(
        nearest(name, known).unwrap_or_else(|| "write it in the script, or look for a slip in its spelling".into()),
    )
}

pub fn not_there(what: impl Into<String>) -> Diagnostic {
    Diagnostic::error(516, nowhere(), what)
}

pub fn stopped(text: &str) -> Diagnostic {
    Diagnostic::error(517, nowhere(), format!("the script stopped: {text}"))
}

pub fn cannot_compute(what: impl Into<String>) -> Diagnostic {
    Diagnostic::error(518, nowhere(), what)
}

// ---- what a script asks of the game ----

pub fn no_such_thing<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    let fault = Diagnostic::error(520, nowhere(), format!("the rules declare no {what} `{name}`"));
    helped(fault, nearest(name, known))
}

pub fn wrong_keys(name: &str, keys: &[&str]) -> Diagnostic {
    let wanted = match keys {
        [] => "nothing more".to_string(),
        keys => keys.iter().map(|k| format!("a {k}")).collect::<Vec<_>>().join(" and "),
    };
    Diagnostic::error(520, nowhere(), format!("`{name}` needs {wanted} behind its name"))
}

pub fn wrong_argument(function: &str, wanted: &str, found: &str) -> Diagnostic {
    Diagnostic::error(521, nowhere(), format!("`{function}` needs {wanted} here, and got {found}"))
}

pub fn out_of_range(name: &str, value: i64, low: i64, high: i64) -> Diagnostic {
    Diagnostic::error(522, nowhere(), format!("`{name}` would be {value}, and its range is {low}..{high}"))
}

pub fn not_among(name: &str, value: &str) -> Diagnostic {
    Diagnostic::error(522, nowhere(), format!("`{name}` cannot be {value}"))
}

pub fn changes_nothing(function: &str) -> Diagnostic {
    Diagnostic::error(523, nowhere(), format!("`{function}` changes the game, and the rules only asked for a value"))
        .help("call the function with `do` in a rule; then it may change the game")
}

pub fn out_of_nothing(name: &str, kind: &str) -> Diagnostic {
    Diagnostic::error(524, nowhere(), format!("this would make {kind} in `{name}` out of nothing, or lose some"))
        .help("goods move: use `give`, `take` or `pass`; cards are moved by rules")
}

pub fn too_few(name: &str, kind: &str) -> Diagnostic {
    Diagnostic::error(525, nowhere(), format!("`{name}` does not hold so many of {kind}"))
}

pub fn piece_refused(what: impl Into<String>) -> Diagnostic {
    Diagnostic::error(526, nowhere(), what)
}

pub fn faces_are_drawn(tokens: &str) -> Diagnostic {
    Diagnostic::error(
        527,
        nowhere(),
        format!("the face of a `{tokens}` is drawn by a rule, so a script cannot place one"),
    )
    .help("let the script say where, and let a rule place it")
}

pub fn arrival_awaited(piece: &str) -> Diagnostic {
    Diagnostic::error(
        527,
        nowhere(),
        format!("a rule waits for each arrival of `{piece}`, so a script cannot place it"),
    )
    .help("let the script say where, and let a rule place it")
}

// ---- bounds ----

pub fn too_many_steps() -> Diagnostic {
    Diagnostic::error(720, nowhere(), "the script took too many steps and was stopped")
        .help("look for a loop that does not end")
}

pub fn too_large(what: impl Into<String>) -> Diagnostic {
    Diagnostic::error(721, nowhere(), what)
}
