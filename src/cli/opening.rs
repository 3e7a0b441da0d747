//! From the arguments of a command to a game about to begin: the scenario is read and checked, seats and options are
//! matched with it, and the code is made. What fails is reported here.
#![allow(clippy::disallowed_methods, reason = "a game without a seed takes one from the clock")]

use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::arguments::{Players, Setting};
use super::{Status, output};
use crate::diagnostic::{Code as FaultCode, Diagnostic, Sink};
use crate::engine::Code;
use crate::pipeline::{self, Ready};
use crate::source::Sources;
use crate::table::opening::{self, Opening};

/// Reads and checks a scenario, and reports what is wrong with it.
pub fn ready(name_or_path: &str, sources: &mut Sources) -> Result<Ready, Status> {
    let mut sink = Sink::new();
    let ready = pipeline::ready(name_or_path, sources, &mut sink);
    let missing = |found: &[Diagnostic]| found.iter().any(|d| d.code == FaultCode(401));
    match ready {
        // Warnings do not keep anybody from playing; `check` shows them.
        Some(ready) => Ok(ready),
        None => {
            let found = sink.sorted();
            output::diagnostics(&found, sources);
            Err(if missing(&found) { Status::Usage } else { Status::Faults })
        }
    }
}

/// Matches what the arguments say with the scenario.
pub fn opening(ready: &Ready, players: Option<&Players>, settings: &[Setting], seed: u64) -> Result<Opening, Status> {
    let players = match players {
        None => opening::Players::Most,
        Some(Players::Count(count)) => opening::Players::Count(*count),
        Some(Players::Names(names)) => opening::Players::Names(names.clone()),
    };
    if let Some(twice) = settings.iter().enumerate().find(|(at, s)| settings.iter().take(*at).any(|o| o.name == s.name))
    {
        output::remark(&format!("the option `{}` is set twice\n", twice.1.name));
        return Err(Status::Usage);
    }
    let options: Vec<(String, String)> = settings.iter().map(|s| (s.name.clone(), s.value.clone())).collect();
    let seats = opening::seats(&ready.program, &players);
    let faulty = opening::options(&ready.program, &options).err();
    match (seats, faulty) {
        (Ok(seats), None) => {
            Ok(Opening { scenario: ready.scenario.id.clone(), seats, options, seed, forced: Vec::new(), record: None })
        }
        (Err(fault), _) | (Ok(_), Some(fault)) => {
            output::remark(&format!("{}\n", fault.message()));
            Err(Status::Usage)
        }
    }
}

/// What a saved game calls the scenario that was named on the command line: a folder keeps its path.
pub fn lasting_name(named: &str, ready: &Ready) -> String {
    match &ready.scenario.folder {
        None => ready.scenario.id.clone(),
        Some(_) if named.contains(['/', '\\']) => named.trim_end_matches(['/', '\\']).to_owned(),
        Some(_) => format!("./{named}"),
    }
}

/// The scenario that a file names by a path: beside the file, if it lies there, else from here.
pub fn beside(named: &str, folder: Option<&Path>) -> String {
    let there = folder.map(|folder| folder.join(named)).filter(|path| path.join("scenario.toml").is_file());
    match there {
        Some(path) if named.contains(['/', '\\']) => format!("{}/", path.display()),
        Some(_) | None => named.to_owned(),
    }
}

pub fn code(ready: &Ready, opening: &Opening, sources: &Sources) -> Result<Arc<Code>, Status> {
    ready.code(opening).map_err(|found| {
        output::diagnostics(&found, sources);
        Status::Faults
    })
}

/// A seed for those who ask for none: short enough to be typed again.
pub fn some_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64);
    crate::engine::random::mix(now) % 1_000_000
}
