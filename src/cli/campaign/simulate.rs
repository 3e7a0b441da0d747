//! `regelwerk campaign simulate`: whole campaigns that bots play among themselves, many of them, without a file.

use std::collections::BTreeMap;

use clap::Args;

use super::super::arguments::{Players, Setting};
use super::super::{Status, opening, output};
use super::{chapter, faults, fits, plain, played_by_bots, usage, words};
use crate::bot;
use crate::diagnostic::Sink;
use crate::engine::Game;
use crate::engine::random::mix;
use crate::pipeline::{ReadyCampaign, ready_campaign};
use crate::source::campaign::Run;
use crate::source::{FileId, Sources, Span};
use crate::table::record;
use crate::table::repl::Chair;

#[derive(Debug, Args)]
pub struct SimulateArguments {
    /// A built-in campaign, or a folder with a `campaign.toml`
    #[arg(value_name = "CAMPAIGN")]
    campaign: String,
    /// How many campaigns
    #[arg(long, value_name = "N")]
    runs: u64,
    /// How many play; by default the most that may
    #[arg(long, value_name = "N")]
    players: Option<usize>,
    /// The seed of all chance; the same seed gives the same campaigns
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Set an option of the chapters that have it; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<Setting>,
    /// Test the invariants at each decision; slower
    #[arg(long)]
    invariants: bool,
}

/// What came of the runs.
#[derive(Default)]
struct Tally {
    finished: u64,
    /// How often each seat won in the end, alone or with others, and how often nobody did.
    wins: BTreeMap<usize, u64>,
    shared: u64,
    nobody: u64,
    /// For each chapter: how often each seat won it, and its turns.
    chapters: Vec<(BTreeMap<usize, u64>, u64)>,
    /// The first run that could not be played to its end, of each kind.
    faults: BTreeMap<String, (u64, u64)>,
}

pub fn run(arguments: &SimulateArguments) -> Result<Status, Status> {
    let (mut sources, mut sink) = (Sources::new(), Sink::new());
    let Some(ready) = ready_campaign(&arguments.campaign, &mut sources, &mut sink) else {
        return Err(faults(&sink.sorted(), &sources));
    };
    let options = words(&arguments.settings);
    fits(&ready, &options)?;
    let count = arguments.players.or(ready.players.last().copied()).unwrap_or(1);
    if !ready.players.contains(&count) {
        let allowed: Vec<String> = ready.players.iter().map(usize::to_string).collect();
        return Err(usage(&format!("the chapters together are for {} players", allowed.join(" or "))));
    }
    let first = ready.chapter(0).ok_or(Status::Faults)?;
    let seats = opening::opening(first, Some(&Players::Count(count)), &[], 1)?.seats;
    let mut run = Run {
        start: Span::default(),
        campaign: plain(&arguments.campaign),
        title: ready.campaign.title.clone(),
        seats: seats.iter().map(|seat| plain(seat)).collect(),
        seed: 0,
        options,
        played: Vec::new(),
    };
    let mut tally = Tally { chapters: vec![Default::default(); ready.campaign.chapters.len()], ..Tally::default() };
    // The code of each chapter serves all runs.
    let mut codes = Vec::new();
    for number in 0..ready.campaign.chapters.len() {
        codes.push(chapter(&ready, &run, number, &sources)?.1);
    }
    for number in 0..arguments.runs {
        run.seed = mix(arguments.seed ^ mix(number));
        match whole(&ready, &run, &codes, arguments.invariants, &mut tally) {
            Ok(()) => tally.finished += 1,
            Err(message) => {
                let fault = tally.faults.entry(message).or_insert((0, number));
                fault.0 += 1;
            }
        }
    }
    output::result(&told(&ready, &run, arguments.runs, &tally));
    Ok(if tally.faults.is_empty() { Status::Done } else { Status::Faults })
}

/// One campaign, from chapter to chapter.
fn whole(
    ready: &ReadyCampaign,
    run: &Run,
    codes: &[std::sync::Arc<crate::engine::Code>],
    invariants: bool,
    tally: &mut Tally,
) -> Result<(), String> {
    let mut chronicle: Option<String> = None;
    let mut last: Option<Game> = None;
    for (number, code) in codes.iter().enumerate() {
        let Some(mut opening) = ready.opening(run, number) else { return Ok(()) };
        let name = ready.campaign.chapters.get(number).map_or("", |c| c.text.as_str());
        if let Some(text) = &chronicle {
            let record = ready.record(code, "", FileId::default(), text);
            opening.record = Some(record.map_err(|found| {
                format!("{name}: {}", found.first().map_or("the record cannot be read", |d| d.message.as_str()))
            })?);
        }
        let bots: Vec<Chair> = run.seats.iter().flat_map(|_| bot::by_name("random")).map(Chair::Bot).collect();
        let game = played_by_bots(code, &opening, bots, invariants).map_err(|message| format!("{name}: {message}"))?;
        if let Some((wins, turns)) = tally.chapters.get_mut(number) {
            if let Some(winner) = game.winner() {
                *wins.entry(winner).or_default() += 1;
            }
            *turns += game.turn();
        }
        chronicle = Some(record::write(&game, "chronicle"));
        last = Some(game);
    }
    let (Some(game), Some(winner)) = (last, &ready.campaign.winner) else { return Ok(()) };
    let winners = record::players(&game, &winner.text);
    match winners.as_slice() {
        [] => tally.nobody += 1,
        [_] => {}
        [..] => tally.shared += 1,
    }
    for seat in winners {
        *tally.wins.entry(seat).or_default() += 1;
    }
    Ok(())
}

fn told(ready: &ReadyCampaign, run: &Run, runs: u64, tally: &Tally) -> String {
    let mut out =
        format!("{}: {runs} campaigns of {} players, {} to the end\n", run.title, run.seats.len(), tally.finished);
    let by_seat = |wins: &BTreeMap<usize, u64>| {
        let parts =
            run.seats.iter().enumerate().map(|(seat, name)| format!("{} {}", name.text, wins.get(&seat).unwrap_or(&0)));
        parts.collect::<Vec<_>>().join(", ")
    };
    for (chapter, (wins, turns)) in ready.campaign.chapters.iter().zip(&tally.chapters) {
        let mean = *turns as f64 / runs.max(1) as f64;
        out.push_str(&format!("{:12} mean {mean:.1} turns; won by {}\n", chapter.text, by_seat(wins)));
    }
    if ready.campaign.winner.is_some() {
        let (shared, nobody) = (tally.shared, tally.nobody);
        out.push_str(&format!("in the end   {}; shared {shared}, nobody {nobody}\n", by_seat(&tally.wins)));
    }
    for (message, (count, first)) in &tally.faults {
        out.push_str(&format!("fault in {count}, first in campaign {first}: {message}\n"));
    }
    out
}
