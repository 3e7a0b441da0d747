//! `regelwerk explain CODE`: the page of a code.

use clap::Args;

use super::{Status, output};
use crate::diagnostic::codes;

#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// A code as reports show it, as RW0401
    #[arg(value_name = "CODE")]
    pub code: String,
}

pub fn run(arguments: &ExplainArguments) -> Status {
    match codes::parse(&arguments.code).and_then(codes::explain) {
        Some(page) => {
            output::result(page);
            Status::Done
        }
        None => {
            output::remark(&format!("there is no code `{}`; the codes are:\n", arguments.code));
            let lines: Vec<String> = codes::all().map(|(code, title)| format!("  {code}  {title}\n")).collect();
            output::remark(&lines.concat());
            Status::Usage
        }
    }
}
