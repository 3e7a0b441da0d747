//! The command line: one file for each command under `cli/`. Here are the commands' names and what they have in
//! common: the exit status, the forms of arguments, and the two streams.
//!
//! Results go to standard output, diagnostics to standard error. The exit status is 0 (done), 1 (the scenario or
//! a test has faults) or 2 (wrong usage). Colour is used on a terminal unless `NO_COLOR` is set.

pub mod arguments;
pub mod board;
pub mod campaign;
pub mod check;
pub mod diff;
pub mod explain;
pub mod list;
pub mod opening;
pub mod output;
pub mod play;
pub mod simulate;
pub mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Done,
    /// The scenario or a test has faults.
    Faults,
    /// The command line asks for what is not there.
    Usage,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(match status {
            Status::Done => 0,
            Status::Faults => 1,
            Status::Usage => 2,
        })
    }
}

/// Board games written as text, playable the moment they are saved.
#[derive(Debug, Parser)]
#[command(name = "regelwerk", version, max_term_width = 100, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read scenarios and say what is wrong with them
    Check(check::CheckArguments),
    /// Play a scenario at the prompt
    Play(play::PlayArguments),
    /// Play several games one after the other that hand on a record: a campaign
    Campaign(campaign::CampaignArguments),
    /// Run the transcripts of scenarios
    Test(test::TestArguments),
    /// Play many games at random and show what they have in common
    Simulate(simulate::SimulateArguments),
    /// Draw a scenario's board
    Board(board::BoardArguments),
    /// Tell how one scenario differs from another, rule by rule
    Diff(diff::DiffArguments),
    /// List the built-in scenarios
    List,
    /// Tell all about the code of a fault, as in `explain RW0401`
    Explain(explain::ExplainArguments),
}

/// Runs the command that the process arguments name.
pub fn main() -> ExitCode {
    output::confess_bugs();
    let status = match Arguments::parse().command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Campaign(arguments) => campaign::run(&arguments),
        Command::Test(arguments) => test::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Board(arguments) => board::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::List => list::run(),
        Command::Explain(arguments) => explain::run(&arguments),
    };
    status.into()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_argument_structs_are_consistent() {
        super::Arguments::command().debug_assert();
    }
}
