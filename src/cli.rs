//! The command line: one file for each command under `cli/`.

use std::process::ExitCode;

/// Runs the command named by the process arguments; the exit status is 0 (done), 1 (faults) or 2 (usage).
pub fn main() -> ExitCode {
    ExitCode::from(2)
}
