//! `regelwerk test`: runs transcripts.

use clap::Args;

use super::{Status, output};

#[derive(Debug, Args)]
pub struct TestArguments {
    /// Built-in scenarios, folders, or single transcripts
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    /// Run only the transcripts whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Write what happened into the transcripts where they expect something else
    #[arg(long, hide = true)]
    pub bless: bool,
    /// Drop each rule in turn and report those that no transcript misses
    #[arg(long, hide = true)]
    pub mutate: bool,
}

pub fn run(_arguments: &TestArguments) -> Status {
    output::not_available("`test`")
}
