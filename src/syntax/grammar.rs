//! The parser that pest makes from `grammar/rules.pest`. The macro writes one `Rule` for each line of the grammar.

#[derive(pest_derive::Parser)]
#[grammar = "../grammar/rules.pest"]
pub struct RulesParser;
