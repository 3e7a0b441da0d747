//! Playing a transcript. An expectation that fails does not end it; a move that cannot be done does, since what
//! comes behind would only fail with it.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use super::{Line, LineKind, Transcript, Words};
use crate::diagnostic::Diagnostic;
use crate::engine::{Code, Game};
use crate::program::Type;
use crate::source::Span;
use crate::table::evaluate::{NOWHERE, Reader};
use crate::table::opening::{Forced, Opening};
use crate::table::sitting::{self, Sitting};
use crate::table::value;
use crate::table::{Refusal, chance, errors, phrase};

/// What came of a transcript.
pub struct Run {
    /// The game at the end, or where a move failed; none if it could not begin.
    pub sitting: Option<Sitting>,
    pub faults: Vec<Diagnostic>,
}

/// Plays a transcript and tests what it expects; forced results must be used up by its end.
pub fn run(transcript: &Transcript, code: &Arc<Code>, opening: Opening, reader: Option<Rc<dyn Reader>>) -> Run {
    let mut runner = match start(transcript, code, opening, reader) {
        Ok(runner) => runner,
        Err(fault) => return Run { sitting: None, faults: vec![*fault] },
    };
    let mut complete = true;
    for line in transcript.lines.iter().skip(forcing(transcript).count()) {
        if !runner.line(line) {
            complete = false;
            break;
        }
    }
    if complete {
        // A line says several results; it is reported once.
        let left: BTreeSet<Span> = runner.forced.iter().flatten().copied().collect();
        runner.faults.extend(left.into_iter().map(errors::left_over));
    }
    Run { sitting: Some(runner.sitting), faults: runner.faults }
}

/// Plays a saved game, to go on with it. Forced results may be left; expectations are not looked at.
pub fn resume(
    transcript: &Transcript,
    code: &Arc<Code>,
    opening: Opening,
    reader: Option<Rc<dyn Reader>>,
) -> Result<Sitting, Diagnostic> {
    let mut runner = start(transcript, code, opening, reader).map_err(|fault| *fault)?;
    for line in transcript.lines.iter().skip(forcing(transcript).count()) {
        let plays = match &line.kind {
            LineKind::Move { .. } | LineKind::Given(_) | LineKind::Dice(_) | LineKind::Draw(_) => true,
            LineKind::Expect(_)
            | LineKind::ExpectLegal(_)
            | LineKind::ExpectIllegal { .. }
            | LineKind::ExpectMoves(_) => false,
        };
        if plays {
            runner.line(line);
        }
        if let Some(fault) = runner.faults.pop() {
            return Err(fault);
        }
    }
    Ok(runner.sitting)
}

fn start(
    transcript: &Transcript,
    code: &Arc<Code>,
    mut opening: Opening,
    reader: Option<Rc<dyn Reader>>,
) -> Result<Runner, Box<Diagnostic>> {
    let head = transcript.head.scenario.as_ref().map_or(Span::new(transcript.file, 0, 0), |w| w.span);
    // What stands directly under the head waits for the set-up; each line is tried alone, to find the one at fault.
    let mut waiting = vec![VecDeque::new(); code.streams.len()];
    for line in forcing(transcript) {
        let (forced, text) = match &line.kind {
            LineKind::Dice(text) => (chance::faces(&text.text).map(Forced::Dice), text),
            LineKind::Draw(text) => (Ok(Forced::Draw(text.text.clone())), text),
            _ => continue,
        };
        let mut trial = Game::new(code);
        let forced = forced.and_then(|forced| sitting::force(&mut trial, &forced).map(|()| forced));
        opening.forced.push(forced.map_err(|refusal| Box::new(errors::in_transcript(&refusal, text.span)))?);
        for (queue, count) in waiting.iter_mut().zip(chance::waiting(&trial)) {
            queue.extend(std::iter::repeat_n(text.span, count));
        }
    }
    let sitting =
        Sitting::start(code, opening, reader).map_err(|refusal| Box::new(errors::in_transcript(&refusal, head)))?;
    let mut runner = Runner { sitting, faults: Vec::new(), forced: waiting };
    runner.forget_used();
    Ok(runner)
}

/// The lines directly under the head that say what chance gives.
fn forcing(transcript: &Transcript) -> impl Iterator<Item = &Line> {
    transcript.lines.iter().take_while(|line| matches!(line.kind, LineKind::Dice(_) | LineKind::Draw(_)))
}

struct Runner {
    sitting: Sitting,
    faults: Vec<Diagnostic>,
    /// Where the forced results that wait in each stream were written.
    forced: Vec<VecDeque<Span>>,
}

impl Runner {
    /// Does a line; false if the transcript cannot go on behind it.
    fn line(&mut self, line: &Line) -> bool {
        match &line.kind {
            LineKind::Move { seat, text } => self.play(seat, text),
            LineKind::Given(text) => {
                let done = self.sitting.given(&text.text);
                self.done(done.map(|_| ()), text)
            }
            LineKind::Dice(text) => {
                let faces = chance::faces(&text.text);
                let done = faces.and_then(|faces| self.sitting.dice(&faces).map(|_| faces.len()));
                if let (Ok(count), Some(stream)) = (&done, chance::dice_stream(&self.sitting.game)) {
                    self.wait(stream, *count, text.span);
                }
                self.done(done.map(|_| ()), text)
            }
            LineKind::Draw(text) => {
                let before = chance::waiting(&self.sitting.game);
                let done = self.sitting.draw(&text.text);
                let after = chance::waiting(&self.sitting.game);
                for (stream, (before, after)) in before.iter().zip(after).enumerate() {
                    self.wait(stream, after - before, text.span);
                }
                self.done(done.map(|_| ()), text)
            }
            LineKind::Expect(text) => self.expect(text),
            LineKind::ExpectLegal(text) => {
                let found = self.why_not(&text.text);
                if let Some(refusal) = found {
                    let misspelt = !refusal.known;
                    self.faults.push(match misspelt {
                        true => errors::in_transcript(&refusal, text.span),
                        false => errors::not_legal(text.span, &refusal),
                    });
                }
                true
            }
            LineKind::ExpectIllegal { text, reason } => {
                self.expect_illegal(text, reason.as_ref());
                true
            }
            LineKind::ExpectMoves(expected) => {
                let found = self.sitting.game.count_moves();
                if found != *expected {
                    self.faults.push(errors::other_move_count(line.span, *expected, found));
                }
                true
            }
        }
    }

    fn done(&mut self, done: Result<(), Refusal>, text: &Words) -> bool {
        match done {
            Ok(()) => true,
            Err(refusal) => {
                self.faults.push(errors::in_transcript(&refusal, text.span));
                false
            }
        }
    }

    fn wait(&mut self, stream: usize, count: usize, span: Span) {
        if let Some(queue) = self.forced.get_mut(stream) {
            queue.extend(std::iter::repeat_n(span, count));
        }
    }

    fn play(&mut self, seat: &Words, text: &Words) -> bool {
        if let Err(refusal) = self.sitting.seat_named(&seat.text) {
            self.faults.push(errors::in_transcript(&refusal, seat.span));
            return false;
        }
        let mover = self.sitting.mover().map(str::to_owned);
        if let Some(mover) = mover.filter(|mover| *mover != seat.text) {
            let refusal = errors::other_seat(&mover, &seat.text).help(phrase::prompt(&mut self.sitting.game));
            self.faults.push(errors::in_transcript(&refusal, seat.span));
            return false;
        }
        let done = self.sitting.play(&text.text).map(|_| ());
        self.forget_used();
        self.done(done, text)
    }

    /// Forgets where the forced results were written that were asked for since.
    fn forget_used(&mut self) {
        let waiting = chance::waiting(&self.sitting.game);
        for (queue, waiting) in self.forced.iter_mut().zip(waiting) {
            while queue.len() > waiting {
                queue.pop_front();
            }
        }
    }

    /// Why a move is not legal now; none if it is.
    fn why_not(&mut self, text: &str) -> Option<Refusal> {
        let game = &mut self.sitting.game;
        match phrase::read(game, text) {
            Ok(chosen) if game.is_legal(&chosen) => None,
            Ok(chosen) => Some(errors::illegal(text, phrase::because(game, &chosen))),
            Err(refusal) => Some(refusal),
        }
    }

    fn expect_illegal(&mut self, text: &Words, reason: Option<&Words>) {
        let Some(refusal) = self.why_not(&text.text) else {
            self.faults.push(errors::legal_after_all(text.span, &text.text));
            return;
        };
        if !refusal.known {
            self.faults.push(errors::in_transcript(&refusal, text.span));
            return;
        }
        let because = if refusal.because.is_empty() { vec![refusal.message] } else { refusal.because };
        if let Some(reason) = reason.filter(|reason| !because.iter().any(|b| b.contains(&reason.text))) {
            self.faults.push(errors::other_reason(reason.span, &reason.text, &because));
        }
    }

    fn expect(&mut self, text: &Words) -> bool {
        match self.sitting.evaluate(&text.text) {
            Ok((Type::Truth, words)) => {
                if words.first().is_none_or(|w| *w == 0) {
                    let part = left_side(&text.text).and_then(|part| {
                        let (ty, words) = self.sitting.evaluate(part).ok()?;
                        Some((part, self.sitting.game.value_text(ty, &words)))
                    });
                    let found = part.as_ref().map(|(part, value)| (*part, value.as_str()));
                    self.faults.push(errors::unexpected_value(text.span, &text.text, found));
                }
            }
            Ok((ty, words)) => {
                let value = self.sitting.game.value_text(ty, &words);
                self.faults.push(errors::not_a_truth(text.span, &text.text, &value));
            }
            Err(mut found) => {
                let place = |span: &mut Span| {
                    if span.file == NOWHERE {
                        let start = text.span.start + span.start;
                        *span =
                            Span { file: text.span.file, start, end: (text.span.start + span.end).min(text.span.end) };
                    }
                };
                place(&mut found.span);
                found.related.iter_mut().for_each(|label| place(&mut label.span));
                self.faults.push(found);
            }
        }
        true
    }
}

/// What stands left of the comparison in an expectation such as `red.coins == 3`.
fn left_side(text: &str) -> Option<&str> {
    let signs = [" == ", " != ", " <= ", " >= ", " < ", " > ", " has ", " in ", " is "];
    let at = signs.iter().filter_map(|sign| text.find(sign)).min()?;
    let left = text.get(..at)?.trim();
    let depth = left.matches('(').count() == left.matches(')').count();
    (depth && !left.is_empty() && value::tokens(left).len() < 24).then_some(left)
}
