//! Strings the stages together: the one file that calls more than one of them. What a command needs of a
//! scenario, it gets here.

use std::collections::BTreeMap;
mod campaign;

pub use campaign::{ReadyCampaign, ready_campaign};

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use crate::board;
use crate::check::{self, Layer, SittingWords};
use crate::compare::Side;
use crate::compile::{self, Setup};
use crate::diagnostic::{Code as FaultCode, Diagnostic, Severity, Sink};
use crate::engine::{Code, Game};
use crate::program::Program;
use crate::source::load::{self, Scenario};
use crate::source::{FileId, Sources};
use crate::syntax;
use crate::table;
use crate::table::evaluate::places::{self, Worded};
use crate::table::evaluate::{self, Checked, NOWHERE, Reader};
use crate::table::opening::{self, Opening};
use crate::table::record::{self, Record};
use crate::table::transcript::Transcript;

/// A scenario with all its texts read, and nothing of them understood yet.
pub struct Reading {
    pub scenario: Scenario,
    /// The ruleset at the bottom first, the scenario itself last.
    pub layers: Vec<Layer>,
    /// All files were there and could be read: only then is it fair to ask for names.
    pub complete: bool,
}

/// Reads and checks a scenario by the name of a built-in one or the path of a folder; all faults go to the sink.
/// None if there is no such scenario to speak of. The program is good to play if the sink holds no errors.
pub fn check(name_or_path: &str, sources: &mut Sources, sink: &mut Sink) -> Option<(Scenario, Program)> {
    let (scenario, _, program) = checked(name_or_path, sources, sink)?;
    if !sink.has_errors() && !scenario.manifest.is_abstract {
        return Some((scenario, lowers(program, sink)));
    }
    Some((scenario, program))
}

/// Lowers a program for every number of players, for the faults that show only then.
fn lowers(program: Program, sink: &mut Sink) -> Program {
    let program = Arc::new(program);
    for players in &program.players {
        let setup = Setup { players: *players, options: Default::default() };
        if let Err(found) = compile::lower(&program, &setup) {
            found.into_iter().for_each(|fault| sink.push(fault));
        }
    }
    Arc::unwrap_or_clone(program)
}

fn checked(name_or_path: &str, sources: &mut Sources, sink: &mut Sink) -> Option<(Scenario, check::Input, Program)> {
    let Reading { scenario, layers, complete } = read(name_or_path, sources, sink)?;
    let input = check::Input {
        name: scenario.id.clone(),
        title: scenario.manifest.title.clone(),
        players: scenario.players().to_vec(),
        is_abstract: scenario.manifest.is_abstract,
        layers,
        complete,
    };
    let program = check::check(&input, sources, sink);
    Some((scenario, input, program))
}

/// A scenario without faults, ready to be lowered for those who play it.
pub struct Ready {
    pub scenario: Scenario,
    pub program: Arc<Program>,
    texts: Rc<Texts>,
}

/// What expressions are read with.
struct Texts {
    input: check::Input,
    sources: Sources,
}

/// Reads and checks a scenario that is to be played. None if it has faults, which are then in the sink.
pub fn ready(name_or_path: &str, sources: &mut Sources, sink: &mut Sink) -> Option<Ready> {
    let (scenario, input, program) = checked(name_or_path, sources, sink)?;
    let playable = scenario.check_playable(sink) && !sink.has_errors();
    let texts = Rc::new(Texts { input, sources: sources.clone() });
    playable.then(|| Ready { scenario, program: Arc::new(program), texts })
}

impl Ready {
    /// Lowers the program for the seats and options of an opening.
    pub fn code(&self, opening: &Opening) -> Result<Arc<Code>, Vec<Diagnostic>> {
        let named = opening::with_seats(&self.program, &opening.seats);
        // What is wrong with options was said when the opening was made.
        let options = opening::options(&named, &opening.options).unwrap_or_default();
        compile::lower(&named, &Setup { players: opening.seats.len(), options }).map(Arc::new)
    }

    /// The record that a transcript names, read for this code; `folder` is where the transcript lies, if on the disk.
    pub fn record(
        &self,
        transcript: &Transcript,
        code: &Arc<Code>,
        folder: Option<&Path>,
        sources: &mut Sources,
    ) -> Result<Option<Record>, Vec<Diagnostic>> {
        let Some(name) = &transcript.head.chronicle else { return Ok(None) };
        let file = load::beside(&self.scenario, folder, &name.text, sources)
            .map_err(|why| vec![table::errors::no_record(name.span, &name.text, why)])?;
        let text = sources.file(file).text.clone();
        let mut sink = Sink::new();
        let record = record::read(&Game::new(code), &name.text, file, &text, &mut sink);
        if sink.has_errors() { Err(sink.sorted()) } else { Ok(Some(record)) }
    }

    /// What reads expressions that are asked about a game of this code.
    pub fn reader(&self, code: &Arc<Code>, opening: &Opening) -> Rc<dyn Reader> {
        Rc::new(ExpressionReader { texts: self.texts.clone(), code: code.clone(), seats: opening.seats.clone() })
    }
}

/// A scenario that was read and has no faults; it may be one that is only there to be extended.
pub struct Whole {
    scenario: Scenario,
    input: check::Input,
}

/// Reads and checks a scenario. None if it is not there or has faults, which are then in the sink.
pub fn whole(name_or_path: &str, sources: &mut Sources, sink: &mut Sink) -> Option<Whole> {
    let (scenario, input, _) = checked(name_or_path, sources, sink)?;
    (!sink.has_errors()).then_some(Whole { scenario, input })
}

/// A scenario as one side of a comparison.
pub fn side<'a>(whole: &Whole, sources: &'a Sources) -> Side<'a> {
    let (contents, taken_out) = check::contents(&whole.input);
    let mut files = BTreeMap::new();
    for layer in whole.scenario.layers() {
        for (name, file) in layer.boards.iter().chain(&layer.scripts).chain(&layer.tables) {
            files.insert(name.clone(), sources.file(*file).text.as_str());
        }
    }
    let title = format!("{} ({})", whole.input.name, whole.input.title);
    Side { title, players: whole.input.players.clone(), contents, taken_out, files, sources }
}

struct ExpressionReader {
    texts: Rc<Texts>,
    code: Arc<Code>,
    seats: Vec<String>,
}

impl Reader for ExpressionReader {
    fn read(&self, text: &str) -> Result<Checked, Diagnostic> {
        let variant = self.code.board.and_then(|b| self.code.program.boards.get(b));
        let worded = match variant {
            Some(variant) => places::words(&variant.board, &variant.kinds, text),
            None => Worded { text: text.to_owned(), ..Worded::default() },
        };
        let sources = self.texts.sources.beside(&worded.text);
        let mut sink = Sink::new();
        let words = SittingWords { seats: self.seats.clone(), members: worded.members.clone() };
        let checked = syntax::parse_expr(NOWHERE, &worded.text, 0, &mut sink)
            .filter(|_| !sink.has_errors())
            .and_then(|tree| check::expression(&self.texts.input, &sources, &words, &tree, &mut sink));
        match checked {
            Some((program, locals, expr)) => Ok(Checked { program, locals, expr }),
            None => {
                let mut found = sink.sorted().into_iter().next().unwrap_or_else(|| evaluate::unreadable(text));
                found.message = worded.restore(&found.message);
                found.help = found.help.map(|help| worded.restore(&help));
                Err(found)
            }
        }
    }
}

/// Loads a scenario and reads its rules and boards.
pub fn read(name_or_path: &str, sources: &mut Sources, sink: &mut Sink) -> Option<Reading> {
    let mut loading = Sink::new();
    let scenario = load::load(name_or_path, sources, &mut loading);
    let loading = loading.sorted();
    let all_read = loading.iter().all(|found| found.severity == Severity::Warning || is_of_one_key(found.code));
    loading.into_iter().for_each(|found| sink.push(found));
    let scenario = scenario?;
    let complete = all_read && scenario.layers().iter().all(|ruleset| ruleset.manifest.names_all);
    let layers = scenario.layers().into_iter().map(|ruleset| layer(ruleset, sources, sink)).collect();
    Some(Reading { scenario, layers, complete })
}

/// Faults of a manifest that keep no file from being read: an unknown key, a missing one, a wrong value.
fn is_of_one_key(code: FaultCode) -> bool {
    matches!(code.0, 404..=408)
}

fn layer(ruleset: &Scenario, sources: &Sources, sink: &mut Sink) -> Layer {
    let text = |file: FileId| sources.file(file).text.as_str();
    Layer {
        name: ruleset.id.clone(),
        files: ruleset.rules.iter().map(|file| syntax::parse(*file, text(*file), sink)).collect(),
        boards: ruleset
            .boards
            .iter()
            .map(|(name, file)| (name.clone(), board::parse(*file, text(*file), sink)))
            .collect(),
        scripts: ruleset.scripts.clone(),
        tables: ruleset.tables.clone(),
    }
}
