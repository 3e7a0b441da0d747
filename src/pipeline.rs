//! Strings the stages together: the one file that calls more than one of them. What a command needs of a
//! scenario, it gets here.

use crate::diagnostic::Sink;
use crate::source::Sources;
use crate::source::load::{self, Scenario};

/// Reads and checks a scenario by the name of a built-in one or the path of a folder; all faults go to the sink.
/// None if there is no such scenario to speak of.
pub fn check(name_or_path: &str, sources: &mut Sources, sink: &mut Sink) -> Option<Scenario> {
    load::load(name_or_path, sources, sink)
}
