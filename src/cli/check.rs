//! `regelwerk check`: reads scenarios and reports what is wrong with them.
#![allow(clippy::disallowed_methods, reason = "the paths that the user names are looked up here")]

use std::path::Path;

use clap::{Args, ValueEnum};

use super::{Status, output};
use crate::diagnostic::{Code, Diagnostic, Severity, Sink, json};
use crate::pipeline;
use crate::source::{Sources, campaign, load};

#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Built-in scenarios, folders, or files in them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    /// How to report
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    pub format: ReportFormat,
    /// Play this many random games and report what they show
    #[arg(long, value_name = "N", hide = true)]
    pub play: Option<u32>,
    /// Let warnings count as faults
    #[arg(long, value_enum, value_name = "WHAT")]
    pub deny: Option<Deny>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    Human,
    Json,
    Sarif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Deny {
    Warnings,
}

pub fn run(arguments: &CheckArguments) -> Status {
    if arguments.play.is_some() {
        return output::not_available("`check --play`");
    }
    let mut sources = Sources::new();
    let mut found = Vec::new();
    for path in &arguments.paths {
        let mut sink = Sink::new();
        let found_at = scenario_of(path);
        let is_campaign = campaign::is_there(&found_at);
        // A folder may hold a ruleset and a campaign, or a campaign alone.
        if !is_campaign || load::is_there(&found_at) {
            pipeline::check(&found_at, &mut sources, &mut sink);
        }
        if is_campaign && !sink.has_errors() {
            pipeline::ready_campaign(&found_at, &mut sources, &mut sink);
        }
        let these = sink.sorted();
        if arguments.format == ReportFormat::Human {
            report(path, &these, &sources, arguments.paths.len() > 1);
        }
        found.extend(these);
    }
    match arguments.format {
        ReportFormat::Human => {}
        ReportFormat::Json => output::result(&json::document(&found, &sources)),
        ReportFormat::Sarif => output::result(&json::sarif(&found, &sources)),
    }
    status(&found, arguments.deny)
}

/// Of several scenarios, each report says whose it is: the files in it are named from their own folder.
fn report(path: &str, found: &[Diagnostic], sources: &Sources, one_of_several: bool) {
    if found.is_empty() {
        return output::result(&format!("{path}: no faults\n"));
    }
    if one_of_several {
        output::remark(&format!("{path}:\n\n"));
    }
    output::diagnostics(found, sources);
}

fn status(found: &[Diagnostic], deny: Option<Deny>) -> Status {
    let counts = |d: &&Diagnostic| match d.severity {
        Severity::Error => true,
        Severity::Warning => deny == Some(Deny::Warnings),
    };
    // A scenario that is not there is a slip on the command line, not a fault of a scenario.
    let worst = found.iter().filter(counts).map(|d| if d.code == Code(401) { Status::Usage } else { Status::Faults });
    worst.max().unwrap_or(Status::Done)
}

/// A file stands for the scenario that it belongs to: the nearest folder above it with a manifest.
fn scenario_of(path: &str) -> String {
    let file = Path::new(path);
    if !file.is_file() {
        return path.to_owned();
    }
    let above = file.ancestors().skip(1).map(|a| if a.as_os_str().is_empty() { Path::new(".") } else { a });
    let mut folders = above.filter(|a| a.join("scenario.toml").is_file() || a.join(campaign::FILE).is_file());
    folders.next().map_or_else(|| path.to_owned(), |folder| folder.to_string_lossy().into_owned())
}
