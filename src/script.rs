//! The bridge to Rhai: compiles a ruleset's scripts once and calls their functions with values of the state.

use crate::engine::code::{Code, MEMORY_WORDS, ScriptCall};
use crate::source::Span;

/// What went wrong in a script, at its place there.
#[derive(Clone, Debug)]
pub struct ScriptFault {
    pub code: u16,
    pub message: String,
    pub span: Span,
}

/// The compiled scripts of a ruleset.
pub struct Host {}

impl Host {
    pub fn new(_code: &Code) -> Host {
        Host {}
    }

    /// Calls a function with the arguments that the description names and stores its result.
    pub fn call(
        &mut self,
        _code: &Code,
        call: &ScriptCall,
        _memory: &mut [u64; MEMORY_WORDS],
    ) -> Result<(), ScriptFault> {
        Err(ScriptFault {
            code: 510,
            message: format!("the script function `{}` cannot be called", call.function),
            span: call.span,
        })
    }
}
