//! `regelwerk campaign new|play|show`: games one after the other, in which what happened in one counts in the next.
//!
//! A run is one file that a person can read: who plays, what was played, and the chronicle as it stands between two
//! chapters. A chapter under way lies beside it, in a saved game that is written after every move; when the chapter is
//! over, the run's file takes its result and the saved game goes. Each is written to a new file and put in the place of
//! the old one, so that a run can be stopped at any point.

#![allow(clippy::disallowed_methods, reason = "the files of runs are read and written here")]

mod simulate;
mod tell;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};

use super::arguments::{Players, Seat, Setting};
use super::{Status, opening, output, play};
use crate::bot;
use crate::diagnostic::{Diagnostic, Sink};
use crate::engine::{Code, Game};
use crate::pipeline::{ReadyCampaign, ready_campaign};
use crate::source::campaign::{self, Played, Run};
use crate::source::manifest::Word;
use crate::source::{FileId, Sources, Span};
use crate::table::evaluate::Scorer;
use crate::table::opening::Opening;
use crate::table::repl::{Chair, Repl};
use crate::table::sitting::Sitting;
use crate::table::{errors, record, transcript};

#[derive(Debug, Args)]
pub struct CampaignArguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Begin a campaign: writes the file of the run
    New(NewArguments),
    /// Play on where the run stands, chapter after chapter
    Play(PlayArguments),
    /// Tell how a run stands
    Show(ShowArguments),
    /// Let bots play many campaigns and tell how they ended
    Simulate(simulate::SimulateArguments),
}

#[derive(Debug, Args)]
struct NewArguments {
    /// The file of the run, which must not be there yet
    #[arg(value_name = "RUN.toml")]
    run: PathBuf,
    /// A built-in campaign, or a folder with a `campaign.toml`
    #[arg(long, value_name = "CAMPAIGN")]
    from: String,
    /// How many play, or the seats by name: `red,blue,white`
    #[arg(long, value_name = "N|NAMES")]
    players: Option<Players>,
    /// The seed of all chance
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Set an option of the chapters that have it; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<Setting>,
}

#[derive(Debug, Args)]
struct PlayArguments {
    /// The file of the run
    #[arg(value_name = "RUN.toml")]
    run: PathBuf,
    /// Who sits where: `red=human,blue=bot:random`; with bots alone all chapters are played to the end
    #[arg(long, value_name = "SEAT=WHO", value_delimiter = ',')]
    seats: Vec<Seat>,
    /// Set an option from the next chapter on; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<Setting>,
}

#[derive(Debug, Args)]
struct ShowArguments {
    /// The file of the run
    #[arg(value_name = "RUN.toml")]
    run: PathBuf,
}

/// A chapter that bots play among themselves is given up after so many moves.
const MOST_MOVES: usize = 1_000_000;

pub fn run(arguments: &CampaignArguments) -> Status {
    let done = match &arguments.command {
        Command::New(arguments) => new(arguments),
        Command::Play(arguments) => play_on(arguments),
        Command::Show(arguments) => show(arguments),
        Command::Simulate(arguments) => simulate::run(arguments),
    };
    done.unwrap_or_else(|status| status)
}

fn usage(message: &str) -> Status {
    output::remark(&format!("{message}\n"));
    Status::Usage
}

fn faults(found: &[Diagnostic], sources: &Sources) -> Status {
    output::diagnostics(found, sources);
    if found.iter().any(|d| matches!(d.code.0, 401 | 860)) { Status::Usage } else { Status::Faults }
}

// ---- new --------------------------------------------------------------------------------------------------------------

fn new(arguments: &NewArguments) -> Result<Status, Status> {
    let path = &arguments.run;
    ends_in_toml(path)?;
    if path.exists() {
        return Err(usage(&format!("`{}` is there already; `campaign play` goes on with it", path.display())));
    }
    let mut sources = Sources::new();
    let mut sink = Sink::new();
    let Some(ready) = ready_campaign(&arguments.from, &mut sources, &mut sink) else {
        return Err(faults(&sink.sorted(), &sources));
    };
    let first = ready.chapter(0).ok_or(Status::Faults)?;
    let seed = arguments.seed.unwrap_or_else(opening::some_seed);
    let players = arguments.players.clone().or_else(|| ready.players.last().copied().map(Players::Count));
    let seats = opening::opening(first, players.as_ref(), &[], seed)?.seats;
    if !ready.players.contains(&seats.len()) {
        let allowed: Vec<String> = ready.players.iter().map(usize::to_string).collect();
        return Err(usage(&format!("the chapters together are for {} players", allowed.join(" or "))));
    }
    let options = words(&arguments.settings);
    fits(&ready, &options)?;
    let run = Run {
        start: Span::default(),
        campaign: plain(&named(&arguments.from, &ready)),
        title: ready.campaign.title.clone(),
        seats: seats.iter().map(|seat| plain(seat)).collect(),
        seed,
        options,
        played: Vec::new(),
    };
    // All chapters are lowered once, so that nothing stops the run on its way that could be seen now.
    let mut chronicle = None;
    for number in 0..ready.campaign.chapters.len() {
        let code = chapter(&ready, &run, number, &sources)?.1;
        if chronicle.is_none() {
            chronicle = Some(record::write(&Game::new(&code), "chronicle"));
        }
    }
    write(path, &campaign::write_run(&run, &file_name(path), &chronicle.unwrap_or_default()))?;
    output::result(&format!("{} begins; `regelwerk campaign play {}` goes on\n", run.title, path.display()));
    Ok(Status::Done)
}

/// The saved game of a chapter has the same name with another ending.
fn ends_in_toml(path: &Path) -> Result<(), Status> {
    match path.extension().is_some_and(|ending| ending == "toml") {
        true => Ok(()),
        false => Err(usage(&format!("the file of a run ends in `.toml`: `{}`", path.with_extension("toml").display()))),
    }
}

fn plain(text: &str) -> Word {
    Word { text: text.to_owned(), span: Span::default() }
}

fn words(settings: &[Setting]) -> Vec<(Word, Word)> {
    settings.iter().map(|s| (plain(&s.name), plain(&s.value))).collect()
}

/// How the run names its campaign: a folder by its whole path.
fn named(from: &str, ready: &ReadyCampaign) -> String {
    ready.campaign.folder.as_ref().map_or_else(|| from.to_owned(), |folder| folder.display().to_string())
}

/// Are the settings options of some chapter?
fn fits(ready: &ReadyCampaign, settings: &[(Word, Word)]) -> Result<(), Status> {
    for (at, (name, _)) in settings.iter().enumerate() {
        if settings.iter().take(at).any(|(other, _)| other.text == name.text) {
            return Err(usage(&format!("the option `{}` is set twice", name.text)));
        }
    }
    let mut sink = Sink::new();
    ready.settings_fit(settings, &mut sink);
    match sink.sorted().first() {
        Some(fault) => Err(usage(&fault.message)),
        None => Ok(()),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn write(path: &Path, text: &str) -> Result<(), Status> {
    play::save(path, text).map_err(|error| usage(&format!("`{}` cannot be written: {error}", path.display())))
}

// ---- the run ----------------------------------------------------------------------------------------------------------

/// The file of a run, read again after each chapter.
struct Opened {
    run: Run,
    file: FileId,
    text: String,
}

fn open(path: &Path, sources: &mut Sources) -> Result<Opened, Status> {
    ends_in_toml(path)?;
    let text = std::fs::read_to_string(path)
        .map_err(|error| usage(&format!("`{}` cannot be read: {error}", path.display())))?;
    let file = sources.add(path.display().to_string(), text.clone());
    let mut sink = Sink::new();
    let run = campaign::read_run(file, &text, &file_name(path), &mut sink);
    match run.filter(|_| !sink.has_errors()) {
        Some(run) => Ok(Opened { run, file, text }),
        None => Err(faults(&sink.sorted(), sources)),
    }
}

/// Where the campaign of a run is: a path that is not absolute begins where the run's file lies.
fn campaign_of(run: &Run, path: &Path) -> String {
    let name = &run.campaign.text;
    let beside = path.parent().map(|folder| folder.join(name)).filter(|folder| folder.join(campaign::FILE).is_file());
    match beside {
        Some(folder) => format!("{}/", folder.display()),
        None => name.clone(),
    }
}

/// Does what the file says fit the campaign?
fn fit(opened: &Opened, ready: &ReadyCampaign) -> Result<(), Vec<Diagnostic>> {
    let run = &opened.run;
    let mut found = Vec::new();
    let chapters = &ready.campaign.chapters;
    let same = run.played.iter().zip(chapters).all(|(played, chapter)| played.chapter == chapter.text);
    if !same || run.played.len() > chapters.len() {
        let names: Vec<&str> = chapters.iter().map(|c| c.text.as_str()).collect();
        let help = format!("the chapters are {}", names.join(", "));
        found.push(errors::run_does_not_fit(
            run.start,
            "what was played are not the first chapters of the campaign",
            &help,
        ));
    }
    if !ready.players.contains(&run.seats.len()) {
        let allowed: Vec<String> = ready.players.iter().map(usize::to_string).collect();
        let span = run.seats.first().map_or(run.start, |seat| seat.span);
        let message = format!("{} seats cannot play this campaign", run.seats.len());
        found.push(errors::run_does_not_fit(span, &message, &format!("it is for {} players", allowed.join(" or "))));
    } else if let Some(first) = ready.chapter(0) {
        let names = run.seats.iter().map(|seat| seat.text.clone()).collect();
        let seats = crate::table::opening::seats(&first.program, &crate::table::opening::Players::Names(names));
        if let Err(fault) = seats {
            let span = run.seats.first().map_or(run.start, |seat| seat.span);
            found.push(errors::run_does_not_fit(span, &fault.message(), "write each seat's name once"));
        }
    }
    let mut sink = Sink::new();
    ready.settings_fit(&run.options, &mut sink);
    found.extend(sink.sorted());
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// The saved game of the chapter under way, beside the file of the run.
fn saved_game(path: &Path) -> PathBuf {
    path.with_extension("play")
}

fn chapter(ready: &ReadyCampaign, run: &Run, number: usize, sources: &Sources) -> Result<(Opening, Arc<Code>), Status> {
    let (Some(chapter), Some(opening)) = (ready.chapter(number), ready.opening(run, number)) else {
        return Err(Status::Faults);
    };
    let code = opening::code(chapter, &opening, sources)?;
    Ok((opening, code))
}

// ---- play -------------------------------------------------------------------------------------------------------------

fn play_on(arguments: &PlayArguments) -> Result<Status, Status> {
    let path = &arguments.run;
    let mut sources = Sources::new();
    let mut opened = open(path, &mut sources)?;
    let mut sink = Sink::new();
    let from = campaign_of(&opened.run, path);
    let Some(ready) = ready_campaign(&from, &mut sources, &mut sink) else {
        return Err(faults(&sink.sorted(), &sources));
    };
    fit(&opened, &ready).map_err(|found| faults(&found, &sources))?;
    let settings = words(&arguments.settings);
    fits(&ready, &settings)?;
    let names: Vec<String> = opened.run.seats.iter().map(|seat| seat.text.clone()).collect();
    play::chairs(&names, &arguments.seats).map_err(|message| usage(&message))?;
    let count = ready.campaign.chapters.len();
    while opened.run.played.len() < count {
        let number = opened.run.played.len();
        if number == 0 || !saved_game(path).exists() {
            for (name, value) in &settings {
                opened.run.options.retain(|(other, _)| other.text != name.text);
                opened.run.options.push((name.clone(), value.clone()));
            }
        } else if !settings.is_empty() {
            return Err(usage("a chapter is under way, and keeps its options; play it to its end first"));
        }
        let (mut opening, code) = chapter(&ready, &opened.run, number, &sources)?;
        let record = ready.record(&code, &file_name(path), opened.file, &opened.text);
        opening.record = Some(record.map_err(|found| faults(&found, &sources))?);
        let title = ready.chapter(number).map_or("", |chapter| chapter.scenario.manifest.title.as_str());
        output::result(&format!("\nchapter {} of {count}: {title}\n", number + 1));
        let chairs = play::chairs(&names, &arguments.seats).map_err(|message| usage(&message))?;
        let alone = !chairs.iter().any(|chair| matches!(chair, Chair::Person)) && !saved_game(path).exists();
        let game = match alone {
            true => played_by_bots(&code, &opening, chairs, false).map_err(|message| {
                output::remark(&format!("{message}\n"));
                Status::Faults
            })?,
            false => match at_the_prompt(path, &ready, number, opening, &code, chairs, &mut sources)? {
                Some(game) => game,
                // Left in the midst of it: the saved game goes on next time.
                None => return Ok(Status::Done),
            },
        };
        close(path, &mut opened, &ready, game)?;
        opened = open(path, &mut sources)?;
        output::result(&tell::chapter_over(&opened.run, &opened.text, count));
    }
    output::result(&tell::over(&opened.run, &opened.text, &ready.campaign));
    Ok(Status::Done)
}

/// A chapter without anybody who looks on; or why it does not come to its end.
fn played_by_bots(
    code: &Arc<Code>,
    opening: &Opening,
    mut chairs: Vec<Chair>,
    invariants: bool,
) -> Result<Game, String> {
    let mut game = Game::new(code);
    game.machine.recording = false;
    let begun = game.restart_with(opening.seed, |game| {
        if let Some(record) = &opening.record {
            record.write_into(game);
        }
    });
    begun.map_err(|fault| fault.message)?;
    for step in 0..MOST_MOVES {
        let Some(decision) = game.decision() else { return Ok(game) };
        let mut chance = bot::chance_at(opening.seed, step);
        let chosen = match chairs.get_mut(decision.seat) {
            Some(Chair::Bot(bot)) => bot.choose(&mut game, &mut chance),
            Some(Chair::Person) | None => None,
        };
        let Some(chosen) = chosen else {
            return Err(game.menu_fault().map_or_else(|| "nobody can do anything any more".to_owned(), |f| f.message));
        };
        game.apply(&chosen).map_err(|fault| fault.message)?;
        if invariants && !game.invariants_hold() {
            return Err(game.broken_invariants().join("; "));
        }
    }
    Err("this chapter does not come to an end".to_owned())
}

/// A chapter with people in it, from where it was left. None if it is left again before its end.
fn at_the_prompt(
    path: &Path,
    ready: &ReadyCampaign,
    number: usize,
    opening: Opening,
    code: &Arc<Code>,
    chairs: Vec<Chair>,
    sources: &mut Sources,
) -> Result<Option<Game>, Status> {
    let Some(chapter) = ready.chapter(number) else { return Err(Status::Faults) };
    let reader = chapter.reader(code, &opening);
    let save = saved_game(path);
    let sitting = match std::fs::read_to_string(&save) {
        Ok(text) => {
            let file = sources.add(save.display().to_string(), text.clone());
            let mut sink = Sink::new();
            let saved = transcript::parse(file, &text, &mut sink);
            let head = saved.opening(&chapter.program);
            match head {
                _ if sink.has_errors() => return Err(faults(&sink.sorted(), sources)),
                Err(fault) => return Err(faults(&[fault], sources)),
                // What is left of the chapter before, if the program was stopped at its very end.
                Ok(head) if head.seed != opening.seed => start(code, opening, reader)?,
                Ok(head) if head.seats != opening.seats || head.options != opening.options => {
                    let fault = errors::run_does_not_fit(
                        Span::new(file, 0, 0),
                        "this saved game is not the chapter that the run has come to",
                        "move it away to begin the chapter anew",
                    );
                    return Err(faults(&[fault], sources));
                }
                Ok(_) => transcript::resume(&saved, code, opening, Some(reader))
                    .map_err(|fault| faults(&[fault], sources))?,
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => start(code, opening, reader)?,
        Err(error) => return Err(usage(&format!("`{}` cannot be read: {error}", save.display()))),
    };
    let mut repl = Repl::new(sitting, chairs, play::look()).always_in(save.display().to_string());
    play::converse(&mut repl, true);
    Ok(repl.sitting.game.over().then_some(repl.sitting.game))
}

fn start(
    code: &Arc<Code>,
    opening: Opening,
    reader: std::rc::Rc<dyn crate::table::evaluate::Reader>,
) -> Result<Sitting, Status> {
    Sitting::start(code, opening, Some(reader)).map_err(|refusal| {
        output::remark(&format!("{}\n", refusal.message));
        Status::Faults
    })
}

/// Writes the result of a chapter into the file of the run; then its saved game is no longer needed.
fn close(path: &Path, opened: &mut Opened, ready: &ReadyCampaign, mut game: Game) -> Result<(), Status> {
    let number = opened.run.played.len();
    let Some(name) = ready.campaign.chapters.get(number) else { return Err(Status::Faults) };
    let seat = |seat: usize| opened.run.seats.get(seat).map(|w| w.text.clone());
    let scorer = Scorer::new(&game.code.clone());
    let points: Vec<(String, i64)> = (0..opened.run.seats.len())
        .filter_map(|at| {
            let (shown, hidden) = scorer.points(&mut game, at);
            Some((seat(at)?, shown? + hidden.unwrap_or(0)))
        })
        .collect();
    let winner = game.winner().and_then(seat);
    let played = Played { chapter: name.text.clone(), winner, turns: game.turn(), points };
    opened.run.played.push(played);
    let text = campaign::write_run(&opened.run, &file_name(path), &record::write(&game, "chronicle"));
    write(path, &text)?;
    match std::fs::remove_file(saved_game(path)) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(usage(&format!("`{}` cannot be removed: {error}", saved_game(path).display()))),
    }
}

// ---- show -------------------------------------------------------------------------------------------------------------

fn show(arguments: &ShowArguments) -> Result<Status, Status> {
    let path = &arguments.run;
    let mut sources = Sources::new();
    let opened = open(path, &mut sources)?;
    let mut sink = Sink::new();
    let from = campaign_of(&opened.run, path);
    let Some(campaign) = campaign::load(&from, &mut sources, &mut sink).filter(|_| !sink.has_errors()) else {
        return Err(faults(&sink.sorted(), &sources));
    };
    let under_way = saved_game(path).exists();
    output::result(&tell::standing(&opened.run, &opened.text, &campaign, under_way));
    Ok(Status::Done)
}
