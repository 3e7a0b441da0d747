//! `regelwerk list`: the built-in scenarios, one a line.

use super::{Status, output};
use crate::diagnostic::Sink;
use crate::source::load::{self, Scenario};
use crate::source::{Sources, campaign, embedded};

pub fn run() -> Status {
    let mut sources = Sources::new();
    let mut sink = Sink::new();
    let scenarios: Vec<Scenario> = embedded::names().filter_map(|n| load::load(n, &mut sources, &mut sink)).collect();
    let width = scenarios.iter().map(|s| s.id.chars().count()).max().unwrap_or(0);
    let lines: Vec<String> = scenarios.iter().map(|s| line(s, width)).collect();
    output::result(&lines.concat());
    for name in embedded::campaigns() {
        if let Some(campaign) = campaign::load(name, &mut sources, &mut sink) {
            let chapters: Vec<&str> = campaign.chapters.iter().map(|c| c.text.as_str()).collect();
            output::result(&format!("{name:width$}  {}, a campaign: {}\n", campaign.title, chapters.join(", ")));
        }
    }
    let found = sink.sorted();
    output::diagnostics(&found, &sources);
    if found.is_empty() { Status::Done } else { Status::Faults }
}

fn line(scenario: &Scenario, width: usize) -> String {
    let mut line = format!("{:width$}  {}", scenario.id, scenario.manifest.title);
    match scenario.players() {
        _ if scenario.manifest.is_abstract => line.push_str(", to be extended"),
        [] => {}
        [1] => line.push_str(", 1 player"),
        [counts @ .., most] => {
            let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
            let or = if counts.is_empty() { "" } else { " or " };
            line.push_str(&format!(", {}{or}{most} players", counts.join(", ")));
        }
    }
    if let Some(base) = &scenario.base {
        line.push_str(&format!(", extends {}", base.id));
    }
    line.push('\n');
    line
}
