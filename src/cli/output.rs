//! The two streams and their colour. A reader that has gone away (`regelwerk list | head -1`) is no fault.
#![allow(clippy::disallowed_methods, reason = "the command line asks its environment about colour")]

use std::io::{IsTerminal, Write};

use super::Status;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::render::{self, Style};
use crate::source::Sources;

/// Writes a result to standard output.
pub fn result(text: &str) {
    let mut stream = std::io::stdout().lock();
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
}

/// Writes a remark to standard error.
pub fn remark(text: &str) {
    let mut stream = std::io::stderr().lock();
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
}

/// Writes reports and their summary to standard error; nothing where there is none.
pub fn diagnostics(found: &[Diagnostic], sources: &Sources) {
    let style = Style { colour: colour(std::io::stderr().is_terminal()), ..Style::default() };
    remark(&render::render(found, sources, style));
}

/// Answers for a part of the contract that this version does not have yet.
pub fn not_available(what: &str) -> Status {
    remark(&format!("{what} is not available in this version\n"));
    Status::Usage
}

/// May results be coloured?
pub fn colour_on_results() -> bool {
    colour(std::io::stdout().is_terminal())
}

fn colour(is_terminal: bool) -> bool {
    let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    is_terminal && !forbidden && !dumb
}

/// A panic is a fault of this program, never of a scenario: it says so.
pub fn confess_bugs() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        remark("This is a bug in regelwerk, not in your scenario. Please report it, with the command and the files.\n");
        usual(info);
    }));
}
