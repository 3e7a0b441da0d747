//! A campaign with all its chapters checked: do they fit together, so that what one writes into the chronicle the next
//! can read?

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Ready, checked, ready};
use crate::diagnostic::{Diagnostic, Severity, Sink, near_names};
use crate::engine::{Code, Game};
use crate::program::{Field, FieldRole, FieldType, Program};
use crate::source::campaign::{self, Campaign, Run};
use crate::source::manifest::Word;
use crate::source::{FileId, Sources, Span};
use crate::table::errors;
use crate::table::opening::{self, Opening, OpeningFault};
use crate::table::record::{self, Record};

/// A campaign that can be played.
pub struct ReadyCampaign {
    pub campaign: Campaign,
    /// The numbers of players that all chapters allow.
    pub players: Vec<usize>,
    /// By the names that the campaign gives them.
    chapters: BTreeMap<String, Ready>,
}

/// Reads and checks a campaign and its chapters. None if there are faults, which are then in the sink.
pub fn ready_campaign(name_or_path: &str, sources: &mut Sources, sink: &mut Sink) -> Option<ReadyCampaign> {
    let campaign = campaign::load(name_or_path, sources, sink)?;
    let mut chapters: BTreeMap<String, Ready> = BTreeMap::new();
    let mut players: Option<Vec<usize>> = None;
    for word in &campaign.chapters {
        if chapters.contains_key(&word.text) {
            continue;
        }
        let Some(path) = found(&campaign, word, sink) else { continue };
        let mut own = Sink::new();
        let chapter = ready(&path, sources, &mut own);
        own.sorted().into_iter().filter(|d| d.severity == Severity::Error).for_each(|d| sink.push(d));
        let Some(chapter) = chapter else {
            sink.push(errors::faulty_chapter(word.span, &word.text));
            continue;
        };
        let allowed = chapter.program.players.clone();
        let common: Vec<usize> = match &players {
            Some(before) => before.iter().copied().filter(|n| allowed.contains(n)).collect(),
            None => allowed.clone(),
        };
        if common.is_empty() {
            sink.push(errors::chapter_players(word.span, &word.text, &allowed));
        } else {
            players = Some(common);
        }
        chapters.insert(word.text.clone(), chapter);
    }
    let first = campaign.chapters.first().cloned();
    if let Some(keeper) = campaign.ruleset.clone().or(first) {
        keep_the_same(&campaign, &keeper, &chapters, sources, sink);
    }
    let ready = ReadyCampaign { campaign, players: players.unwrap_or_default(), chapters };
    let campaign = &ready.campaign;
    let settings = campaign.options.clone();
    ready.settings_fit(&settings, sink);
    (!sink.has_errors()).then_some(ready)
}

fn found(campaign: &Campaign, word: &Word, sink: &mut Sink) -> Option<String> {
    let path = campaign.scenario(&word.text);
    if path.is_none() {
        let known = campaign.known();
        let near = near_names(&word.text, known.iter().map(String::as_str));
        sink.push(errors::unknown_chapter(word.span, &word.text, &near));
    }
    path
}

/// What a program's chronicle keeps: each name with how it is kept, and where that is said.
fn kept(program: &Program) -> BTreeMap<String, (String, Span)> {
    let name = |domain: crate::program::DomainId| program.domains.get(domain.index()).map_or("", |d| d.name.as_str());
    let form = |field: &Field| {
        let keys: Vec<&str> = field.keys.iter().map(|key| name(*key)).collect();
        let of = if keys.is_empty() { String::new() } else { format!("each {} has ", keys.join(", ")) };
        let ty = match &field.ty {
            FieldType::Truth => "yes | no".to_owned(),
            FieldType::Number { low, high } => match field.none {
                Some(none) => format!("{}..{high} or none", none + 1),
                None => format!("{low}..{high}"),
            },
            FieldType::Member { domain, or_none, .. } => {
                format!("{}{}", name(*domain), if *or_none { " or none" } else { "" })
            }
            FieldType::Set(domain) => format!("set of {}", name(*domain)),
            FieldType::Bag { domain, .. } => format!("bag of {}", name(*domain)),
        };
        format!("{of}{}: {ty}", field.name)
    };
    let fields = program.fields.iter().filter(|f| f.role == FieldRole::Chronicle);
    fields.map(|f| (f.name.clone(), (form(f), f.span))).collect()
}

/// Each chapter keeps what the ruleset of the campaign keeps, no more and no less, and in the same way.
fn keep_the_same(
    campaign: &Campaign,
    keeper: &Word,
    chapters: &BTreeMap<String, Ready>,
    sources: &mut Sources,
    sink: &mut Sink,
) {
    let program: Arc<Program> = match chapters.get(&keeper.text) {
        Some(ready) => ready.program.clone(),
        None => {
            let Some(path) = found(campaign, keeper, sink) else { return };
            let mut own = Sink::new();
            let program = checked(&path, sources, &mut own).map(|(_, _, program)| Arc::new(program));
            let faulty = own.has_errors();
            own.sorted().into_iter().filter(|d| d.severity == Severity::Error).for_each(|d| sink.push(d));
            match program.filter(|_| !faulty) {
                Some(program) => program,
                None => return,
            }
        }
    };
    let wanted = kept(&program);
    for (at, word) in campaign.chapters.iter().enumerate() {
        // A chapter that is played again was looked at before.
        if campaign.chapters.iter().take(at).any(|before| before.text == word.text) {
            continue;
        }
        let Some(chapter) = chapters.get(&word.text) else { continue };
        let found = kept(&chapter.program);
        for (name, (form, span)) in &found {
            match wanted.get(name) {
                None => sink.push(errors::chapter_keeps_more(word.span, &word.text, name, &keeper.text, *span)),
                Some((other, first)) if other != form => {
                    sink.push(errors::chapter_keeps_otherwise(word.span, &word.text, form, other, *span, *first));
                }
                Some(_) => {}
            }
        }
        for name in wanted.keys().filter(|name| !found.contains_key(*name)) {
            sink.push(errors::chapter_keeps_less(word.span, &word.text, name, &keeper.text));
        }
    }
    if let Some(winner) = &campaign.winner {
        let field = program.fields.iter().find(|f| f.role == FieldRole::Chronicle && f.name == winner.text);
        let players = program.known.player;
        let fits = field.is_some_and(|f| {
            let of_players = match &f.ty {
                FieldType::Set(domain) | FieldType::Member { domain, .. } => Some(*domain) == players,
                FieldType::Truth | FieldType::Number { .. } | FieldType::Bag { .. } => false,
            };
            f.keys.is_empty() && of_players
        });
        if !fits {
            sink.push(errors::campaign_winner(winner.span, &winner.text));
        }
    }
}

impl ReadyCampaign {
    /// The chapter of this number, from 0.
    pub fn chapter(&self, number: usize) -> Option<&Ready> {
        self.chapters.get(&self.campaign.chapters.get(number)?.text)
    }

    /// Says which of the settings no chapter has, or has not with this value.
    pub fn settings_fit(&self, settings: &[(Word, Word)], sink: &mut Sink) {
        for (name, value) in settings {
            let setting = [(name.text.clone(), value.text.clone())];
            let faults: Vec<(OpeningFault, bool)> = self
                .chapters
                .values()
                .filter_map(|ready| opening::options(&ready.program, &setting).err())
                .map(|fault| {
                    let unknown = matches!(fault, OpeningFault::UnknownOption { .. });
                    (fault, unknown)
                })
                .collect();
            let wrong = faults.iter().find(|(_, unknown)| !unknown);
            let nowhere = faults.len() == self.chapters.len();
            if let Some((fault, unknown)) = wrong.or(faults.first().filter(|_| nowhere)) {
                let span = if *unknown { name.span } else { value.span };
                sink.push(errors::campaign_option(span, &fault.message()));
            }
        }
    }

    /// The opening of a chapter of a run: those of the settings that it has, the run's own before the campaign's.
    pub fn opening(&self, run: &Run, number: usize) -> Option<Opening> {
        let ready = self.chapter(number)?;
        let mut options: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in self.campaign.options.iter().chain(&run.options) {
            if ready.program.options.iter().any(|o| o.name == name.text && !o.fixed) {
                options.insert(name.text.clone(), value.text.clone());
            }
        }
        Some(Opening {
            scenario: ready.scenario.id.clone(),
            seats: run.seats.iter().map(|w| w.text.clone()).collect(),
            options: options.into_iter().collect(),
            seed: chapter_seed(run.seed, number),
            forced: Vec::new(),
            record: None,
        })
    }

    /// What the chronicle in the file of a run holds, for a chapter's code.
    pub fn record(&self, code: &Arc<Code>, name: &str, file: FileId, text: &str) -> Result<Record, Vec<Diagnostic>> {
        let mut sink = Sink::new();
        let record = record::read(&Game::new(code), name, file, text, &mut sink);
        if sink.has_errors() { Err(sink.sorted()) } else { Ok(record) }
    }
}

/// Chance begins anew in each chapter, short enough to be typed.
fn chapter_seed(seed: u64, number: usize) -> u64 {
    crate::engine::random::mix(seed.wrapping_mul(1_000).wrapping_add(number as u64 + 1)) % 1_000_000
}
