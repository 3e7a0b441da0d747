//! A game with the names of those who play it, everything that was done in it, and the way back. What was done is
//! kept as text, since a save is a transcript: the opening and the steps, played again from the start.

use std::rc::Rc;
use std::sync::Arc;

use super::evaluate::{Evaluator, Reader, Scorer};
use super::opening::{Forced, Opening};
use super::{Refusal, chance, errors, event, given, phrase};
use crate::diagnostic::{Diagnostic, near_names};
use crate::engine::game::Snapshot;
use crate::engine::{Code, Game, Move};
use crate::program::Type;

/// Something that was done to a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Move { seat: String, text: String },
    Given(String),
    Dice(Vec<i64>),
    Draw(String),
}

impl Step {
    /// Moves and positions are taken back one by one; forced results go with the move behind them.
    fn is_forcing(&self) -> bool {
        match self {
            Step::Move { .. } | Step::Given(_) => false,
            Step::Dice(_) | Step::Draw(_) => true,
        }
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::Move { seat, text } => write!(f, "{:<8} {text}", format!("{seat}:")),
            Step::Given(text) => write!(f, "given    {text}"),
            Step::Dice(faces) => {
                let faces: Vec<String> = faces.iter().map(i64::to_string).collect();
                write!(f, "dice     {}", faces.join(" "))
            }
            Step::Draw(text) => write!(f, "draw     {text}"),
        }
    }
}

/// Lets results of chance wait until they are asked for.
pub(super) fn force(game: &mut Game, forced: &Forced) -> Result<(), Refusal> {
    match forced {
        Forced::Dice(faces) => chance::dice(game, faces),
        Forced::Draw(text) => chance::draw(game, text).map(|_| ()),
    }
}

struct Taken {
    step: Step,
    /// The game before it.
    before: Snapshot,
}

pub struct Sitting {
    pub game: Game,
    pub opening: Opening,
    pub evaluator: Evaluator,
    pub scorer: Scorer,
    taken: Vec<Taken>,
    /// Steps that were taken back, the next one to be done again last.
    undone: Vec<Step>,
}

impl Sitting {
    /// Sits down at a new game. The reader understands expressions that are asked about it.
    pub fn start(code: &Arc<Code>, opening: Opening, reader: Option<Rc<dyn Reader>>) -> Result<Sitting, Refusal> {
        let mut game = Game::new(code);
        for forced in &opening.forced {
            force(&mut game, forced)?;
        }
        game.restart_with(opening.seed, |game| {
            if let Some(record) = &opening.record {
                record.write_into(game);
            }
        })?;
        let (evaluator, scorer) = (Evaluator::new(reader), Scorer::new(code));
        Ok(Sitting { game, opening, evaluator, scorer, taken: Vec::new(), undone: Vec::new() })
    }

    pub fn seat_name(&self, seat: usize) -> &str {
        self.opening.seats.get(seat).map_or("", String::as_str)
    }

    pub fn seat_named(&self, name: &str) -> Result<usize, Refusal> {
        self.opening.seats.iter().position(|s| s == name).ok_or_else(|| {
            let near = near_names(name, self.opening.seats.iter().map(String::as_str));
            errors::unknown_seat(name, &near, &self.opening.seats)
        })
    }

    /// The name of the seat that chooses now.
    pub fn mover(&self) -> Option<&str> {
        self.game.decision().map(|d| self.seat_name(d.seat))
    }

    /// Does what a text says; the records of what happened are then in the game's machine.
    pub fn play(&mut self, text: &str) -> Result<Step, Refusal> {
        if let Some(fault) = self.game.menu_fault() {
            return Err(fault.into());
        }
        let chosen = phrase::read(&mut self.game, text)?;
        self.play_move(&chosen)
    }

    pub fn play_move(&mut self, chosen: &Move) -> Result<Step, Refusal> {
        let seat = self.mover().ok_or_else(errors::game_over)?.to_owned();
        let text = phrase::write(&self.game, chosen);
        if let Some(fault) = self.game.menu_fault() {
            return Err(fault.into());
        }
        if !self.game.is_legal(chosen) {
            let because = phrase::because(&mut self.game, chosen);
            return Err(errors::illegal(&text, because));
        }
        let before = self.game.snapshot();
        self.game.machine.unfit = false;
        self.game.apply(chosen)?;
        if std::mem::take(&mut self.game.machine.unfit) {
            self.game.restore(&before);
            self.game.machine.events.clear();
            return Err(errors::forced_cannot_be());
        }
        Ok(self.record(Step::Move { seat, text }, before))
    }

    pub fn given(&mut self, text: &str) -> Result<Step, Refusal> {
        let before = self.game.snapshot();
        given::given(&mut self.game, &self.evaluator, text)?;
        Ok(self.record(Step::Given(text.trim().to_owned()), before))
    }

    pub fn dice(&mut self, faces: &[i64]) -> Result<Step, Refusal> {
        let before = self.game.snapshot();
        chance::dice(&mut self.game, faces)?;
        Ok(self.record(Step::Dice(faces.to_vec()), before))
    }

    pub fn draw(&mut self, text: &str) -> Result<Step, Refusal> {
        let before = self.game.snapshot();
        chance::draw(&mut self.game, text)?;
        Ok(self.record(Step::Draw(text.trim().to_owned()), before))
    }

    fn record(&mut self, step: Step, before: Snapshot) -> Step {
        self.undone.clear();
        self.taken.push(Taken { step: step.clone(), before });
        step
    }

    /// Takes back the last move or position, with the results that were forced after it; where there is none, the
    /// results alone, so that one that cannot be does not bar the game. Gives what was taken back last.
    pub fn undo(&mut self) -> Result<Step, Refusal> {
        let mut last = None;
        while let Some(taken) = self.taken.pop() {
            self.game.restore(&taken.before);
            self.undone.push(taken.step.clone());
            let unit = !taken.step.is_forcing();
            last = Some(taken.step);
            if unit {
                break;
            }
        }
        self.game.machine.events.clear();
        last.ok_or_else(errors::nothing_to_undo)
    }

    /// Does again what was taken back last. Gives it.
    pub fn redo(&mut self) -> Result<Step, Refusal> {
        let mut last = None;
        while let Some(step) = self.undone.pop() {
            let rest = std::mem::take(&mut self.undone);
            let done = match &step {
                Step::Move { text, .. } => self.play(text),
                Step::Given(text) => self.given(text),
                Step::Dice(faces) => self.dice(faces),
                Step::Draw(text) => self.draw(text),
            };
            self.undone = rest;
            done?;
            let unit = !step.is_forcing();
            last = Some(step);
            // Results that were forced at the very end come back with the last move.
            if unit && !self.undone.iter().all(Step::is_forcing) {
                break;
            }
        }
        last.ok_or_else(errors::nothing_to_redo)
    }

    /// The moves so far, each with the name of its seat.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = &Step> {
        self.taken.iter().map(|t| &t.step)
    }

    pub fn step_count(&self) -> usize {
        self.taken.len()
    }

    /// The sitting so far as a transcript; played again it gives the same game.
    pub fn transcript(&self) -> String {
        let mut text = format!("scenario {}\nplayers  {}\n", self.opening.scenario, self.opening.seats.join(", "));
        for (name, value) in &self.opening.options {
            text.push_str(&format!("option   {name} = {value}\n"));
        }
        text.push_str(&format!("seed     {}\n", self.opening.seed));
        if let Some(record) = &self.opening.record {
            text.push_str(&format!("chronicle {}\n", record.name));
        }
        text.push('\n');
        for forced in &self.opening.forced {
            text.push_str(&format!("{forced}\n"));
        }
        for step in self.steps() {
            text.push_str(&format!("{step}\n"));
        }
        text
    }

    /// Computes an expression of the language; gives its type and its words.
    pub fn evaluate(&mut self, text: &str) -> Result<(Type, Vec<u64>), Diagnostic> {
        self.evaluator.evaluate(&mut self.game, text)
    }

    /// The points of a seat, as everybody sees them and as it sees the rest.
    pub fn points(&mut self, seat: usize) -> (Option<i64>, Option<i64>) {
        self.scorer.points(&mut self.game, seat)
    }

    /// What the last step caused, as the viewer may see it.
    pub fn events(&self, viewer: event::Viewer) -> Vec<event::Told> {
        event::tell(&self.game, viewer)
    }
}
