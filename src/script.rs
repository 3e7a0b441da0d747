//! The one bridge to Rhai: compiles a ruleset's scripts once and calls their functions with values of the rules.
//!
//! A script computes. It has no state of its own, no clock, no files, and no chance but the game's; it reads declared
//! state and, where a rule does it for its effect, changes it through the functions in `offers`, with the checks that
//! rules make. Each call works on a copy of the state's words (`session`) that goes back when the call has ended well.
//!
//! `sandbox` sets the bounds; `check` and `outline` read a script's text; `model`, `values` and `positions` translate
//! names, values and places; `changes` writes; `trouble` and `errors` say what went wrong.

mod changes;
mod check;
mod columns;
mod errors;
mod model;
mod offers;
mod outline;
mod positions;
mod sandbox;
mod session;
#[cfg(test)]
mod tests;
mod trouble;
mod values;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rhai::{AST, CallFnOptions, Dynamic, Engine, Scope};

pub use check::check_script;
pub use errors::no_such_function;
pub use offers::{OFFERS, Offer};

use crate::diagnostic::Diagnostic;
use crate::engine::code::{Code, MEMORY_WORDS, ScriptCall};
use crate::program::Type;
use crate::source::{FileId, Span};
use model::Model;
use outline::Outline;
use session::Session;
use values::Misfit;

/// What went wrong in a script, at its place there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptFault {
    pub code: u16,
    pub message: String,
    pub span: Span,
}

/// The compiled scripts of a ruleset; nothing at all for a ruleset without scripts.
pub struct Host {
    scripts: Option<Box<Scripts>>,
}

struct Scripts {
    engine: Engine,
    /// By `ScriptId`; None where a script cannot be read, which was reported when it was checked.
    compiled: Vec<Option<Compiled>>,
    session: Rc<RefCell<Session>>,
    steps: Rc<Cell<u64>>,
    arguments: Vec<Dynamic>,
}

struct Compiled {
    ast: AST,
    outline: Outline,
    file: FileId,
}

impl Host {
    pub fn new(code: &Code) -> Host {
        let scripts = (!code.program.scripts.is_empty()).then(|| Box::new(Scripts::new(code)));
        Host { scripts }
    }

    /// Calls a function with the arguments that the description names and stores its result. What the script
    /// changed in the state is in the memory afterwards, and its events behind `events`. Gives the steps that it
    /// took. On a fault nothing has changed.
    pub fn call(
        &mut self,
        code: &Code,
        call: &ScriptCall,
        memory: &mut [u64; MEMORY_WORDS],
        events: &mut Vec<u64>,
    ) -> Result<u64, ScriptFault> {
        match &mut self.scripts {
            Some(scripts) => scripts.call(code, call, memory, events),
            None => Err(gone(call)),
        }
    }
}

impl Scripts {
    fn new(code: &Code) -> Scripts {
        let steps = Rc::new(Cell::new(0));
        let mut engine = sandbox::engine(&steps);
        offers::register(&mut engine);
        let compile = |script: &crate::program::Script| {
            let ast = if script.text.len() <= sandbox::TEXT_BYTES { engine.compile(&script.text).ok() } else { None };
            ast.map(|ast| Compiled { ast, outline: outline::outline(&script.text), file: script.file })
        };
        let compiled = code.program.scripts.iter().map(compile).collect();
        let session = Rc::new(RefCell::new(Session::new(&Rc::new(Model::new(code)))));
        Scripts { engine, compiled, session, steps, arguments: Vec::new() }
    }

    fn call(
        &mut self,
        code: &Code,
        call: &ScriptCall,
        memory: &mut [u64; MEMORY_WORDS],
        events: &mut Vec<u64>,
    ) -> Result<u64, ScriptFault> {
        let script = self.compiled.get(call.script).and_then(Option::as_ref).ok_or_else(|| gone(call))?;
        let definition = script.outline.function(&call.function, call.args.len()).ok_or_else(|| gone(call))?;
        let model = {
            let mut session = self.session.try_borrow_mut().map_err(|_| gone(call))?;
            session.begin(memory.get(..code.state).unwrap_or(&[]), call.result_type == Type::Nothing);
            Rc::clone(&session.model)
        };
        self.arguments.clear();
        for (address, ty) in &call.args {
            let at = usize::from(*address);
            let words = memory.get(at..at + code.words(*ty)).unwrap_or(&[]);
            self.arguments.push(values::to_script(&model, *ty, words));
        }
        self.steps.set(0);
        let options = CallFnOptions::new().eval_ast(false).with_tag(Dynamic::from(Rc::clone(&self.session)));
        let arguments = std::mem::take(&mut self.arguments);
        let result: Result<Dynamic, _> =
            self.engine.call_fn_with_options(options, &mut Scope::new(), &script.ast, &call.function, arguments);
        let text = code.program.scripts.get(call.script).map_or("", |s| s.text.as_str());
        let result = result.map_err(|error| {
            let (fault, position) = trouble::fault(*error, &script.outline);
            let range = positions::range(text, position);
            placed(fault, Span::new(script.file, range.start, range.end))
        })?;
        let name = Span::new(script.file, definition.name_at.start, definition.name_at.end);
        let (words, count) = values::from_script(&model, call.result_type, &result).map_err(|misfit| match misfit {
            Misfit::Kind(wanted, found) => placed(errors::wrong_result(name, &call.function, &wanted, &found), name),
            Misfit::Other(fault) => placed(fault, name),
        })?;
        self.finish(code, memory, events);
        let at = usize::from(call.result);
        if let (Some(to), Some(from)) = (memory.get_mut(at..at + count), words.get(..count)) {
            to.copy_from_slice(from);
        }
        Ok(self.steps.get())
    }

    /// Brings what a script changed into the memory; every kept value is then to be computed anew.
    fn finish(&self, code: &Code, memory: &mut [u64; MEMORY_WORDS], events: &mut Vec<u64>) {
        let Ok(session) = self.session.try_borrow() else { return };
        if !session.changed {
            return;
        }
        if let Some(state) = memory.get_mut(..code.state)
            && state.len() == session.words.len()
        {
            state.copy_from_slice(&session.words);
        }
        for address in &code.valid {
            if let Some(word) = memory.get_mut(usize::from(*address)) {
                *word = 0;
            }
        }
        events.extend_from_slice(&session.events);
    }
}

/// The function is not there; the checker has reported that, so a game does not come here.
fn gone(call: &ScriptCall) -> ScriptFault {
    placed(errors::no_such_function(call.span, &call.function, call.args.len(), &[]), call.span)
}

/// A fault at its place, with its help behind it.
fn placed(fault: Diagnostic, span: Span) -> ScriptFault {
    let message = match fault.help {
        Some(help) => format!("{} ({help})", fault.message),
        None => fault.message,
    };
    ScriptFault { code: fault.code.0, message, span }
}
