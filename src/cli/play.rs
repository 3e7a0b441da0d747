//! `regelwerk play`: a sitting at the prompt, or over JSON lines.

#![allow(clippy::disallowed_methods, reason = "saved games are read and written here")]

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use rustyline::error::ReadlineError;

use super::arguments::{Players, Seat, SeatPlayer, Setting};
use super::{Status, opening, output};
use crate::bot;
use crate::diagnostic::{Sink, near_names};
use crate::engine::{Code, Game};
use crate::source::Sources;
use crate::table::record::{self, Record};
use crate::table::repl::{Chair, Deed, Look, Repl, Reply};
use crate::table::sitting::Sitting;
use crate::table::transcript;
use crate::table::{self, protocol};

#[derive(Debug, Args)]
pub struct PlayArguments {
    /// A built-in scenario or a folder
    #[arg(value_name = "SCENARIO")]
    pub scenario: String,
    /// How many play, or the seats by name: `red,blue,white`
    #[arg(long, value_name = "N|NAMES")]
    pub players: Option<Players>,
    /// Who sits where: `red=human,blue=bot:random`; by default the first seat is yours and bots have the others
    #[arg(long, value_name = "SEAT=WHO", value_delimiter = ',')]
    pub seats: Vec<Seat>,
    /// The seed of all chance; the same seed and moves give the same game
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Set an option of the scenario; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<Setting>,
    /// Go on with a game that was saved
    #[arg(long, value_name = "FILE.play")]
    pub resume: Option<PathBuf>,
    /// Begin with what the chronicle holds in this record, or in the file of a campaign's run
    #[arg(long, value_name = "FILE.toml", conflicts_with = "resume")]
    pub chronicle: Option<PathBuf>,
    /// Reload the rules whenever a file changes
    #[arg(long, hide = true)]
    pub watch: bool,
    /// Talk to a program: one request a line in, one answer a line out
    #[arg(long)]
    pub json: bool,
}

pub fn run(arguments: &PlayArguments) -> Status {
    if arguments.watch {
        return output::not_available("`play --watch`");
    }
    match sit_down(arguments) {
        Ok(sitting) if arguments.json => serve(sitting),
        Ok(sitting) => match chairs(&sitting.opening.seats, &arguments.seats) {
            Ok(chairs) => {
                let mut repl = Repl::new(sitting, chairs, look());
                if let Some(file) = &arguments.resume {
                    repl = repl.kept_in(file.display().to_string());
                }
                converse(&mut repl, false);
                Status::Done
            }
            Err(message) => {
                output::remark(&format!("{message}\n"));
                Status::Usage
            }
        },
        Err(status) => status,
    }
}

fn sit_down(arguments: &PlayArguments) -> Result<Sitting, Status> {
    let mut sources = Sources::new();
    let ready = opening::ready(&arguments.scenario, &mut sources)?;
    if let Some(path) = &arguments.resume {
        return resume(arguments, path, &ready, &mut sources);
    }
    let seed = arguments.seed.unwrap_or_else(opening::some_seed);
    let mut opening = opening::opening(&ready, arguments.players.as_ref(), &arguments.settings, seed)?;
    opening.scenario = opening::lasting_name(&arguments.scenario, &ready);
    let code = opening::code(&ready, &opening, &sources)?;
    if let Some(path) = &arguments.chronicle {
        opening.record = Some(recorded(path, &code, &mut sources)?);
    }
    let reader = ready.reader(&code, &opening);
    Sitting::start(&code, opening, Some(reader)).map_err(|refusal| {
        output::remark(&format!("{}\n", refusal.message));
        Status::Faults
    })
}

/// What the chronicle holds in a file.
fn recorded(path: &Path, code: &Arc<Code>, sources: &mut Sources) -> Result<Record, Status> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        output::remark(&format!("`{}` cannot be read: {error}\n", path.display()));
        Status::Usage
    })?;
    let name = path.display().to_string();
    let file = sources.add(name.clone(), text.clone());
    let mut sink = Sink::new();
    let record = record::read(&Game::new(code), &name, file, &text, &mut sink);
    if sink.has_errors() {
        output::diagnostics(&sink.sorted(), sources);
        return Err(Status::Faults);
    }
    Ok(record)
}

/// Players, options and the seed are those of the saved game.
fn resume(
    arguments: &PlayArguments,
    path: &Path,
    ready: &crate::pipeline::Ready,
    sources: &mut Sources,
) -> Result<Sitting, Status> {
    if arguments.players.is_some() || !arguments.settings.is_empty() || arguments.seed.is_some() {
        output::remark("with `--resume`, the saved game says who plays, with which options and which seed\n");
        return Err(Status::Usage);
    }
    let text = std::fs::read_to_string(path).map_err(|error| {
        output::remark(&format!("`{}` cannot be read: {error}\n", path.display()));
        Status::Usage
    })?;
    let file = sources.add(path.display().to_string(), text.clone());
    let mut sink = Sink::new();
    let transcript = transcript::parse(file, &text, &mut sink);
    let faults = |found: Vec<crate::diagnostic::Diagnostic>, sources: &Sources| {
        output::diagnostics(&found, sources);
        Status::Faults
    };
    if sink.has_errors() {
        return Err(faults(sink.sorted(), sources));
    }
    let mut opening = transcript.opening(&ready.program).map_err(|fault| faults(vec![fault], sources))?;
    let code = opening::code(ready, &opening, sources)?;
    let record = ready.record(&transcript, &code, path.parent(), sources);
    opening.record = record.map_err(|found| faults(found, sources))?;
    let reader = ready.reader(&code, &opening);
    transcript::resume(&transcript, &code, opening, Some(reader)).map_err(|fault| faults(vec![fault], sources))
}

/// Who sits where: whom the arguments name, then a person in the first seat, and bots in the others.
pub fn chairs(names: &[String], seats: &[Seat]) -> Result<Vec<Chair>, String> {
    if let Some(seat) = seats.iter().find(|seat| !names.contains(&seat.name)) {
        let near = near_names(&seat.name, names.iter().map(String::as_str));
        return Err(table::errors::unknown_seat(&seat.name, &near, names).message);
    }
    let sits = |(at, name): (usize, &String)| match seats.iter().rev().find(|s| s.name == *name).map(|s| &s.player) {
        Some(SeatPlayer::Human) => Ok(Chair::Person),
        Some(SeatPlayer::Bot(bot)) => bot::by_name(bot).map(Chair::Bot),
        None if at == 0 && seats.iter().all(|s| s.player != SeatPlayer::Human) => Ok(Chair::Person),
        None => bot::by_name("random").map(Chair::Bot),
    };
    names.iter().enumerate().map(sits).collect()
}

/// A person at a terminal gets the board and the list of moves.
fn at_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

pub fn look() -> Look {
    let width = std::env::var("COLUMNS").ok().and_then(|w| w.parse().ok()).unwrap_or(100);
    Look { full: at_terminal(), colour: at_terminal() && output::colour_on_results(), width }
}

// ---- programs ---------------------------------------------------------------------------------------------

/// One request a line in, one answer a line out, until the input ends.
fn serve(mut sitting: Sitting) -> Status {
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return Status::Done,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        if text.trim().is_empty() {
            continue;
        }
        output::result(&format!("{}\n", protocol::answer(&mut sitting, text.trim())));
    }
}

// ---- people -----------------------------------------------------------------------------------------------

/// Plays at the prompt until whoever plays leaves, or the game is over, if it is to stop then.
pub fn converse(repl: &mut Repl, until_over: bool) {
    let editor = if at_terminal() { rustyline::DefaultEditor::new().ok() } else { None };
    match editor {
        Some(editor) => talk(repl, editor, until_over),
        None => listen(repl, until_over),
    }
}

/// At a terminal, with history and line editing.
fn talk(repl: &mut Repl, mut editor: rustyline::DefaultEditor, until_over: bool) {
    fit(repl, &mut editor);
    output::result(&repl.begin().text);
    while !(until_over && repl.sitting.game.over()) {
        fit(repl, &mut editor);
        match editor.readline(&repl.prompt()) {
            Ok(line) => {
                if !line.trim().is_empty() {
                    let _ = editor.add_history_entry(line.trim());
                }
                if !perform(repl.feed(&line)) {
                    return;
                }
            }
            Err(ReadlineError::Interrupted) => output::result("`quit` ends the game\n"),
            Err(_) => return,
        }
    }
}

fn fit(repl: &mut Repl, editor: &mut rustyline::DefaultEditor) {
    if let Some((columns, _)) = editor.dimensions().filter(|(columns, _)| *columns > 0) {
        repl.set_width(usize::from(columns));
    }
}

/// From a pipe: the same lines, without prompts.
fn listen(repl: &mut Repl, until_over: bool) {
    output::result(&repl.begin().text);
    if until_over && repl.sitting.game.over() {
        return;
    }
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        if !perform(repl.feed(&line)) || (until_over && repl.sitting.game.over()) {
            return;
        }
    }
}

/// Shows a reply and does what it asks for; false if it was the last one.
fn perform(reply: Reply) -> bool {
    output::result(&reply.text);
    match reply.deed {
        None => true,
        Some(Deed::Quit) => false,
        Some(Deed::Save { path, text, said }) => {
            match save(Path::new(&path), &text) {
                Ok(()) if !said => {}
                Ok(()) => output::result(&format!("saved in {path}\n")),
                Err(error) => output::result(&format!("`{path}` cannot be written: {error}\n")),
            }
            true
        }
    }
}

/// Writes a new file beside the old one and puts it in its place, so that a crash leaves one of them whole.
pub fn save(path: &Path, text: &str) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    let mut file = std::fs::File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&beside, path)
}
