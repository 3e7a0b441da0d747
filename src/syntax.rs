//! Text to AST: the pest grammars under `grammar/` and the builder of the tree.

pub mod ast;
