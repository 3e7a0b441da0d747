//! Expressions of the language, asked about a game at one moment: `expect EXPR`, `given … = EXPR`, `eval`, and the
//! points of the seats. The names of the seats are players in them. What was compiled once is kept.

pub mod places;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::compile::{self, Fragment};
use crate::diagnostic::Diagnostic;
use crate::engine::{Code, Game};
use crate::program::{Expr, ExprKind, FunctionId, Local, Program, Type};
use crate::source::{FileId, Span};

/// The file of spans in a text that stands in no file.
pub const NOWHERE: FileId = FileId(u32::MAX);

/// Turns texts into checked expressions of a ruleset; the stages that it needs are strung together elsewhere.
pub trait Reader {
    /// Spans of faults count from the start of the text, in the file [`NOWHERE`].
    fn read(&self, text: &str) -> Result<Checked, Diagnostic>;
}

/// A checked expression, with the locals that it binds itself and the program whose ids it uses. That program begins
/// like the one in play, and may have more functions.
#[derive(Clone, Debug)]
pub struct Checked {
    pub program: Arc<Program>,
    pub locals: Vec<Local>,
    pub expr: Expr,
}

/// The most texts whose code is kept.
const MOST_KEPT: usize = 4096;

/// Evaluates texts about games of one code.
pub struct Evaluator {
    reader: Option<Rc<dyn Reader>>,
    kept: RefCell<BTreeMap<String, Rc<Fragment>>>,
}

impl Evaluator {
    /// Without a reader only the points can be asked for.
    pub fn new(reader: Option<Rc<dyn Reader>>) -> Evaluator {
        Evaluator { reader, kept: RefCell::default() }
    }

    /// Computes an expression without changing the game; gives its type and its words, nothing where a number is none.
    pub fn evaluate(&self, game: &mut Game, text: &str) -> Result<(Type, Vec<u64>), Diagnostic> {
        let span = whole(text);
        if let Some(result) = about_the_end(self, game, text) {
            return result;
        }
        let known = self.kept.borrow().get(text).cloned();
        let fragment = match known {
            Some(fragment) => fragment,
            None => {
                let Some(reader) = &self.reader else {
                    return Err(Diagnostic::error(699, span, "expressions cannot be read here"));
                };
                let checked = reader.read(text)?;
                let made = compile::expression(&game.code, &checked.program, &checked.locals, &checked.expr);
                let fragment = Rc::new(made.ok_or_else(|| super::errors::too_large(span))?);
                let mut kept = self.kept.borrow_mut();
                if kept.len() >= MOST_KEPT {
                    kept.clear();
                }
                kept.insert(text.to_owned(), fragment.clone());
                fragment
            }
        };
        match fragment.evaluate(game) {
            Ok(words) if fragment.is_none(&words) => Ok((Type::Nothing, Vec::new())),
            Ok(words) => Ok((fragment.ty, words)),
            Err(fault) => Err(Diagnostic::error(fault.code, span, fault.message)),
        }
    }
}

fn whole(text: &str) -> Span {
    Span::new(NOWHERE, 0, text.len())
}

/// A text that could not be read, though nobody said why.
pub fn unreadable(text: &str) -> Diagnostic {
    Diagnostic::error(699, whole(text), "this expression cannot be read; please report it")
}

/// `over`, `winner` and comparisons with `winner` are asked about games, not about rules.
fn about_the_end(evaluator: &Evaluator, game: &mut Game, text: &str) -> Option<Result<(Type, Vec<u64>), Diagnostic>> {
    let truth = |value: bool| Some(Ok((Type::Truth, vec![u64::from(value)])));
    let words: Vec<&str> = text.split_whitespace().collect();
    let winner = |game: &Game| game.winner().map_or(u64::MAX, |seat| seat as u64);
    let player = game.code.program.known.player;
    match words.as_slice() {
        ["over"] => truth(game.over()),
        ["not", "over"] => truth(!game.over()),
        ["winner"] => player.map(|player| Ok((Type::Member(player), vec![winner(game)]))),
        ["winner", sign @ ("==" | "!="), "none"] => truth((winner(game) == u64::MAX) == (*sign == "==")),
        ["winner", sign @ ("==" | "!="), other] => match evaluator.evaluate(game, other) {
            Ok((ty, words)) if player.map(Type::Member) == Some(ty) => {
                truth((words.first() == Some(&winner(game))) == (*sign == "=="))
            }
            Ok(_) => None,
            Err(fault) => Some(Err(fault)),
        },
        _ => None,
    }
}

/// Counts the points of the seats.
pub struct Scorer {
    shown: Vec<Fragment>,
    hidden: Vec<Fragment>,
}

impl Scorer {
    pub fn new(code: &Code) -> Scorer {
        let all = |function: Option<FunctionId>| -> Vec<Fragment> {
            let count = |seat| function.and_then(|function| of_seat(code, function, seat));
            (0..code.players).map_while(count).collect()
        };
        Scorer { shown: all(code.program.points), hidden: all(code.program.hidden_points) }
    }

    /// The points of a seat that everybody sees and those that only it sees, where the rules count points.
    pub fn points(&self, game: &mut Game, seat: usize) -> (Option<i64>, Option<i64>) {
        let mut value = |fragments: &[Fragment]| {
            let words = fragments.get(seat)?.evaluate(game).ok()?;
            words.first().map(|word| *word as i64)
        };
        (value(&self.shown), value(&self.hidden))
    }
}

/// A function of one player, for a seat.
fn of_seat(code: &Code, function: FunctionId, seat: usize) -> Option<Fragment> {
    let player = code.program.known.player?;
    let span = Span::default();
    let who = Expr { kind: ExprKind::Member(seat as u32), ty: Type::Member(player), span };
    let call = Expr { kind: ExprKind::Call { function, args: vec![who] }, ty: Type::Number, span };
    compile::expression(code, &code.program, &[], &call)
}
