//! The prompt without its terminal: a line in, a reply out. What only the outside can do, such as writing a file, is
//! handed back in the reply. A line is a move, the number of a move in the list, or one of the commands in
//! [`HELP`]; a move of the game goes before a command of the same name. Once a game has been saved, every move saves it.

mod list;
mod overview;

use super::event::Viewer;
use super::sitting::{Sitting, Step};
use super::{Refusal, cards, chance, errors, phrase};
use crate::bot::{self, Bot};

/// How the reply is to look.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// A person at a terminal gets the board and the list of moves; a pipe only what happens.
    pub full: bool,
    pub colour: bool,
    pub width: usize,
}

/// Who sits in a seat.
pub enum Chair {
    Person,
    Bot(Box<dyn Bot>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub text: String,
    pub deed: Option<Deed>,
}

/// What the reply asks the outside to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    Quit,
    /// Write this text to a file, and say so unless it is a matter of course.
    Save {
        path: String,
        text: String,
        said: bool,
    },
}

pub const HELP: &str = "\
a move as it is listed, or its number     do it
why MOVE        say why a move is not legal
moves           list what can be done
board           draw the board
show            points, hands and pieces, as far as you may see them
show CARD       what a card of a table has
log             what was done so far
undo, redo      take back your last move with all that followed; do it again
eval EXPR       compute an expression of the rules language
save FILE       write the game to a file, and keep it up to date; `--resume FILE` goes on with it
given …, dice …, draw …   set up a position, force what chance does (for trying things out)
help, quit
";

/// Bots that go on for ever are stopped after so many moves in a row.
const MOST_BOT_MOVES: usize = 100_000;
/// The most moves that the list shows.
const MOST_LISTED: usize = 400;

pub struct Repl {
    pub sitting: Sitting,
    chairs: Vec<Chair>,
    look: Look,
    /// The turn for which the board was drawn last.
    drawn: Option<u64>,
    /// Where the game is saved: after each move, once it has been named.
    file: Option<String>,
    /// It is saved there whatever else is saved.
    pinned: bool,
}

impl Repl {
    pub fn new(sitting: Sitting, chairs: Vec<Chair>, look: Look) -> Repl {
        Repl { sitting, chairs, look, drawn: None, file: None, pinned: false }
    }

    /// The file that the game came from; it is kept up to date.
    pub fn kept_in(mut self, file: String) -> Repl {
        self.file = Some(file);
        self
    }

    /// The same for a game that is saved there whatever happens; what the player saves is then a copy.
    pub fn always_in(mut self, file: String) -> Repl {
        self.pinned = true;
        self.kept_in(file)
    }

    fn save(&self, said: bool) -> Option<Deed> {
        let path = self.file.clone()?;
        Some(Deed::Save { path, text: self.sitting.transcript(), said })
    }

    /// The terminal has so many columns.
    pub fn set_width(&mut self, width: usize) {
        self.look.width = width;
    }

    /// What is shown before the first line is read.
    pub fn begin(&mut self) -> Reply {
        let mut text = String::new();
        if self.look.full {
            let program = self.sitting.game.code.program.clone();
            let opening = &self.sitting.opening;
            text.push_str(&format!(
                "{} for {}, seed {}; `help` says what can be typed\n",
                program.title,
                opening.seats.join(", "),
                opening.seed
            ));
        }
        self.bots(&mut text);
        self.ask(&mut text);
        Reply { text, deed: None }
    }

    /// What stands in front of a line that is typed.
    pub fn prompt(&self) -> String {
        format!("{}> ", self.sitting.mover().unwrap_or("over"))
    }

    /// The reply to a line.
    pub fn feed(&mut self, line: &str) -> Reply {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Reply::default();
        }
        let mut reply = match self.obey(line) {
            Ok(reply) => reply,
            Err(refusal) => Reply { text: self.refusal(&refusal), deed: None },
        };
        if !reply.text.is_empty() && !reply.text.ends_with('\n') {
            reply.text.push('\n');
        }
        reply
    }

    fn obey(&mut self, line: &str) -> Result<Reply, Refusal> {
        let refusal = match phrase::read(&mut self.sitting.game, line) {
            // A number that is itself an answer goes before the number of a move in the list.
            Ok(chosen) => {
                let step = self.sitting.play_move(&chosen)?;
                return Ok(self.after(&step));
            }
            Err(refusal) => refusal,
        };
        if let Some(chosen) = line.parse().ok().and_then(|number| self.numbered(number)) {
            let step = self.sitting.play_move(&chosen)?;
            return Ok(self.after(&step));
        }
        self.command(line).unwrap_or(Err(refusal))
    }

    fn numbered(&mut self, number: usize) -> Option<crate::engine::Move> {
        let (moves, _) = self.sitting.game.moves(MOST_LISTED);
        moves.get(number.checked_sub(1)?).cloned()
    }

    fn command(&mut self, line: &str) -> Option<Result<Reply, Refusal>> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let said = |text: String| Some(Ok(Reply { text, deed: None }));
        match (word, rest) {
            ("help" | "?", "") => said(HELP.into()),
            ("quit" | "exit" | "q", "") => Some(Ok(Reply { text: String::new(), deed: Some(Deed::Quit) })),
            ("why", text) if !text.is_empty() => Some(self.why(text)),
            ("moves" | "list" | "legal", "") => said(self.list()),
            ("board", "") => said(self.board()),
            ("show" | "hand" | "points", "") => {
                let viewer = self.viewer();
                said(overview::overview(&mut self.sitting, viewer, self.look))
            }
            ("show", name) => match cards::card(&self.sitting.game, name) {
                Some(text) => said(text),
                None => None,
            },
            ("log", "") => {
                let lines: Vec<String> = self.sitting.steps().map(Step::to_string).collect();
                said(lines.join("\n"))
            }
            ("undo", "") => Some(self.undo()),
            ("redo", "") => Some(self.redo()),
            ("eval", text) if !text.is_empty() => Some(self.eval(text)),
            ("save", path) if !path.is_empty() => {
                if self.pinned {
                    let copy = Deed::Save { path: path.to_owned(), text: self.sitting.transcript(), said: true };
                    return Some(Ok(Reply { text: String::new(), deed: Some(copy) }));
                }
                self.file = Some(path.to_owned());
                Some(Ok(Reply { text: String::new(), deed: self.save(true) }))
            }
            ("given", text) if !text.is_empty() => Some(self.sitting.given(text).map(|step| self.after(&step))),
            ("draw", text) if !text.is_empty() => {
                Some(self.sitting.draw(text).map(|_| Reply { text: "it will be so".into(), deed: None }))
            }
            ("dice", text) if !text.is_empty() => {
                let faces = chance::faces(text);
                let done = faces.and_then(|faces| self.sitting.dice(&faces));
                Some(done.map(|_| Reply { text: "it will be so".into(), deed: None }))
            }
            _ => None,
        }
    }

    // ---- moving on --------------------------------------------------------------------------------------------

    /// Tells of a step that was done, lets the bots move, and asks for the next one.
    fn after(&mut self, step: &Step) -> Reply {
        let mut text = String::new();
        self.tell(step, &mut text);
        self.bots(&mut text);
        self.ask(&mut text);
        Reply { text, deed: self.save(false) }
    }

    fn tell(&self, step: &Step, text: &mut String) {
        match step {
            Step::Move { seat, text: said } => text.push_str(&format!("{}: {said}\n", self.paint(seat))),
            Step::Given(_) | Step::Dice(_) | Step::Draw(_) => text.push_str(&format!("{step}\n")),
        }
        for told in self.sitting.events(self.viewer_after(step)).iter().filter(|told| !told.of_rules) {
            text.push_str(&format!("  {}\n", told.text));
        }
    }

    fn bots(&mut self, text: &mut String) {
        for _ in 0..MOST_BOT_MOVES {
            let Some(decision) = self.sitting.game.decision() else { return };
            let Some(Chair::Bot(bot)) = self.chairs.get_mut(decision.seat) else { return };
            let mut chance = bot::chance_at(self.sitting.opening.seed, self.sitting.step_count());
            let done = match bot.choose(&mut self.sitting.game, &mut chance) {
                Some(chosen) => self.sitting.play_move(&chosen),
                None => match self.sitting.game.menu_fault() {
                    Some(fault) => Err(fault.into()),
                    None => return,
                },
            };
            match done {
                Ok(step) => self.tell(&step, text),
                Err(refusal) => {
                    text.push_str(&self.refusal(&refusal));
                    return;
                }
            }
        }
    }

    /// What a person needs to know before the next move.
    fn ask(&mut self, text: &mut String) {
        let Some(decision) = self.sitting.game.decision() else {
            let winner = self.sitting.game.winner().map(|seat| self.sitting.seat_name(seat).to_owned());
            text.push_str(&match winner {
                Some(winner) => format!("the game is over: {winner} wins\n"),
                None => "the game is over: nobody wins\n".to_owned(),
            });
            if self.look.full {
                text.push_str(&overview::overview(&mut self.sitting, Viewer::Everything, self.look));
            }
            return;
        };
        let seat = self.sitting.seat_name(decision.seat).to_owned();
        if !self.look.full {
            text.push_str(&format!("{seat} is to choose: {}\n", phrase::prompt(&mut self.sitting.game)));
            return;
        }
        let turn = self.sitting.game.turn();
        if self.drawn != Some(turn) || turn == 0 {
            self.drawn = Some(turn);
            text.push_str(&self.board());
        }
        let viewer = self.viewer();
        text.push_str(&overview::overview(&mut self.sitting, viewer, self.look));
        text.push_str(&self.list());
    }

    fn why(&mut self, text: &str) -> Result<Reply, Refusal> {
        let chosen = phrase::read(&mut self.sitting.game, text)?;
        let because = if self.sitting.game.is_legal(&chosen) {
            vec!["it is legal".to_owned()]
        } else {
            phrase::because(&mut self.sitting.game, &chosen)
        };
        Ok(Reply { text: because.join("\n"), deed: None })
    }

    fn eval(&mut self, text: &str) -> Result<Reply, Refusal> {
        let (ty, words) = self.sitting.evaluate(text).map_err(|d| errors::from_diagnostic(&d))?;
        Ok(Reply { text: self.sitting.game.value_text(ty, &words), deed: None })
    }

    fn is_persons(&self, step: &Step) -> bool {
        match step {
            Step::Move { seat, .. } => {
                let seat = self.sitting.opening.seats.iter().position(|s| s == seat);
                seat.is_some_and(|seat| matches!(self.chairs.get(seat), Some(Chair::Person)))
            }
            Step::Given(_) => true,
            Step::Dice(_) | Step::Draw(_) => false,
        }
    }

    /// Takes back the last move of a person, with those of the bots that followed.
    fn undo(&mut self) -> Result<Reply, Refusal> {
        if !self.sitting.steps().any(|step| self.is_persons(step)) {
            return Err(errors::nothing_to_undo());
        }
        let mut text = String::new();
        loop {
            let step = self.sitting.undo()?;
            if self.is_persons(&step) {
                text.push_str(&format!("taken back: {step}\n"));
                break;
            }
        }
        self.drawn = None;
        self.ask(&mut text);
        Ok(Reply { text, deed: self.save(false) })
    }

    /// Does again what was taken back, up to the next choice of a person.
    fn redo(&mut self) -> Result<Reply, Refusal> {
        let mut text = String::new();
        let mut step = self.sitting.redo()?;
        self.tell(&step, &mut text);
        while self.sitting.game.decision().is_some_and(|d| matches!(self.chairs.get(d.seat), Some(Chair::Bot(_)))) {
            match self.sitting.redo() {
                Ok(next) => step = next,
                Err(_) => break,
            }
            self.tell(&step, &mut text);
        }
        self.bots(&mut text);
        self.ask(&mut text);
        Ok(Reply { text, deed: self.save(false) })
    }

    // ---- showing ----------------------------------------------------------------------------------------------

    /// Who looks at the screen: the only person, or of several the one who is to move.
    fn viewer(&self) -> Viewer {
        let persons: Vec<usize> =
            (0..self.chairs.len()).filter(|i| matches!(self.chairs.get(*i), Some(Chair::Person))).collect();
        match persons.as_slice() {
            [only] => Viewer::Seat(*only),
            [] => Viewer::Public,
            _ => self
                .sitting
                .game
                .decision()
                .filter(|d| persons.contains(&d.seat))
                .map_or(Viewer::Public, |d| Viewer::Seat(d.seat)),
        }
    }

    /// For whom a step is told: the only person, or whoever did it.
    fn viewer_after(&self, step: &Step) -> Viewer {
        let persons = self.chairs.iter().filter(|c| matches!(c, Chair::Person)).count();
        match step {
            Step::Move { seat, .. } if persons > 1 && self.is_persons(step) => {
                self.sitting.seat_named(seat).map_or(Viewer::Public, Viewer::Seat)
            }
            Step::Move { .. } | Step::Given(_) | Step::Dice(_) | Step::Draw(_) if persons == 1 => self.viewer(),
            Step::Move { .. } | Step::Given(_) | Step::Dice(_) | Step::Draw(_) => Viewer::Public,
        }
    }
}
