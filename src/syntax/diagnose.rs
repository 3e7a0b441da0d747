//! What is wrong with a slice that the grammar could not read. The slice is read again with the rule that belongs to
//! its place; where that stops and what it would have liked to see there become a message.

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;

use crate::diagnostic::{Diagnostic, near_names};
use crate::source::{FileId, Span};

use super::errors::{self, Found};
use super::grammar::{Rule, RulesParser};
use super::lex::{Kind, Token, lex};
use super::names::rule_name;
use super::parts::Builder;
use super::words;

/// Where a slice stands, which decides what it should have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Item,
    Statement,
    Clause,
    Phase,
    Mark,
    Branch,
    Arm,
    Award,
    State,
    Expression,
}

impl Place {
    fn rule(self) -> Rule {
        match self {
            Place::Item => Rule::whole_item,
            Place::Statement => Rule::whole_stmt,
            Place::Clause => Rule::whole_clause,
            Place::Phase => Rule::whole_phase,
            Place::Mark => Rule::whole_mark,
            Place::Branch => Rule::whole_branch,
            Place::Arm => Rule::whole_arm,
            Place::Award => Rule::whole_award,
            Place::State => Rule::whole_state,
            Place::Expression => Rule::whole_expr,
        }
    }

    fn form(self, first: &str, second: &str) -> Option<&'static str> {
        match self {
            Place::Item if first == "change" => words::item_form(second),
            Place::Item => words::item_form(first),
            Place::Statement => words::statement_form(first),
            Place::Clause => words::statement_form(first)
                .or(Some("must ACTION;  may ACTION, ACTION;  one of ACTION, ACTION;  until WORDS")),
            Place::Phase => Some("PHASE { must ACTION;  may ACTION, ACTION;  until WORDS }"),
            Place::Mark => Some("MARK at 3, 7"),
            Place::Branch => Some("WORD where CONDITION { … }"),
            Place::Arm => Some("WORD(name, name) { … }"),
            Place::Award => Some("most NUMBER;  at least 3;  a tie keeps the holder, else nobody"),
            Place::State => Some("each player has NAME: TYPE;  NAME: TYPE"),
            Place::Expression => None,
        }
    }
}

impl Builder<'_> {
    /// Reports what is wrong with a bad slice, unless something was said about it already; the slice's span.
    pub fn diagnose(&mut self, pair: &Pair<'_, Rule>, place: Place) -> Span {
        let whole = pair.as_span();
        let (start, end) = (self.base + whole.start(), self.base + whole.end());
        if !self.faults.iter().any(|fault| (start..end).contains(fault)) {
            let diagnostic = explain(self.file, pair.as_str(), start, place);
            self.sink.push(diagnostic);
        }
        self.span(pair)
    }

    /// Notes the names that a bad item seems to declare.
    pub fn remember_broken(&mut self, pair: &Pair<'_, Rule>) {
        let text = pair.as_str();
        let start = self.base + pair.as_span().start();
        let tokens = lex(text);
        let first = tokens.first().and_then(|token| text.get(token.start..token.end)).unwrap_or("");
        // Rules declare what stands before their braces; lists declare their members too.
        let header_only = matches!(
            first,
            "procedure" | "action" | "trigger" | "define" | "set" | "setup" | "turn" | "before" | "after" | "instead"
        );
        for token in tokens.iter().skip(1) {
            let word = text.get(token.start..token.end).unwrap_or("");
            if header_only && matches!(word, "{" | "=" | "(") {
                break;
            }
            if token.kind == Kind::Word && !words::is_reserved(word) {
                let span = Span::new(self.file, start + token.start, start + token.end);
                self.broken.push(super::ast::Name { text: word.to_owned(), span });
            }
        }
    }
}

/// The fault of a text that begins at an offset of a file and should have been what its place asks for.
pub fn explain(file: FileId, text: &str, base: usize, place: Place) -> Diagnostic {
    let text = text.trim_end();
    let tokens = lex(text);
    let word = |at: usize| tokens.get(at).and_then(|token| text.get(token.start..token.end)).unwrap_or("");
    let (stop, expected) = match RulesParser::parse(place.rule(), text) {
        Ok(_) => (0, Vec::new()),
        Err(error) => {
            let stop = match error.location {
                InputLocation::Pos(at) => at,
                InputLocation::Span((at, _)) => at,
            };
            let expected = match error.variant {
                ErrorVariant::ParsingError { positives, .. } => positives,
                ErrorVariant::CustomError { .. } => Vec::new(),
            };
            (stop, expected)
        }
    };
    let found = tokens.iter().find(|token| token.end > stop && token.kind != Kind::Newline);
    let span = match found {
        Some(token) => Span::new(file, base + token.start, base + token.end),
        None => Span::new(file, base + text.len(), base + text.len()),
    };
    let found_word = found.and_then(|token| text.get(token.start..token.end)).unwrap_or("");
    if let Some(special) = special(found, found_word, span, &expected, place, stop == 0, &tokens, text) {
        return special;
    }
    let kind = match found.map(|token| token.kind) {
        None => Found::End,
        Some(Kind::Text | Kind::OpenText) => Found::Text,
        Some(Kind::Word | Kind::Number | Kind::Mark | Kind::Strange | Kind::Newline | Kind::Comment | Kind::Doc) => {
            Found::Word(found_word)
        }
    };
    let diagnostic = errors::unexpected(span, &kind, &spoken(&expected));
    match place.form(word(0), word(1)) {
        Some(form) => diagnostic.help(format!("it is written like this: {form}")),
        None => diagnostic,
    }
}

/// Faults that deserve their own words.
#[allow(clippy::too_many_arguments)]
fn special(
    found: Option<&Token>,
    word: &str,
    span: Span,
    expected: &[Rule],
    place: Place,
    at_start: bool,
    tokens: &[Token],
    text: &str,
) -> Option<Diagnostic> {
    let kind = found?.kind;
    if kind == Kind::Strange && word != "!" && word != "%" {
        return Some(errors::strange_character(span, word));
    }
    if kind == Kind::Word {
        let after_change = matches!(tokens.first(), Some(first) if text.get(first.start..first.end) == Some("change"))
            && tokens.get(1).is_some_and(|second| found.is_some_and(|found| found.start == second.start));
        match place {
            Place::Item if at_start || after_change => return Some(no_item(span, word)),
            Place::Statement | Place::Clause if at_start => return Some(no_statement(span, word)),
            _ => {}
        }
        if words::is_reserved(word) && expected.contains(&Rule::name) {
            return Some(errors::reserved_name(span, word));
        }
        let ends = expected.contains(&Rule::EOI);
        if ends && place == Place::Item && words::begins_item(word) {
            return Some(errors::no_separator(span, word, "declaration"));
        }
        if ends && place != Place::Item && words::begins_statement(word) {
            return Some(errors::no_separator(span, word, "statement"));
        }
    }
    let operator = expected.iter().any(|rule| matches!(rule, Rule::expr_infix | Rule::value_infix));
    let instead = match word {
        "=" if operator => "`=` gives a name its meaning; write `==` to compare",
        "==" if expected.contains(&Rule::eq) => "`==` compares; write `=` to define or set something",
        "&&" => "join conditions with `and`, sets with `&`",
        "||" => "join conditions with `or`, sets with `|`",
        "!" => "write `not`",
        "%" => "write `mod`",
        "+=" | "-=" | "*=" | "/=" => "write `add 1 to X` or `set X = …`",
        ":=" => "write `=`",
        "=>" => "write `->`, or `>=` to compare",
        "->" => "a result type stands behind `->`, after the parameters",
        _ => return None,
    };
    Some(errors::foreign_operator(span, word, instead))
}

fn no_item(span: Span, word: &str) -> Diagnostic {
    if words::begins_statement(word) && !words::begins_item(word) {
        return errors::statement_outside(span, word);
    }
    errors::no_declaration(span, word, &near_names(word, words::ITEMS.iter().map(|(first, _)| *first)))
}

fn no_statement(span: Span, word: &str) -> Diagnostic {
    if words::begins_item(word) {
        return errors::declaration_inside(span, word);
    }
    errors::no_statement(span, word, &near_names(word, words::STATEMENTS.iter().map(|(first, _)| *first)))
}

/// What was expected, in the author's words; nothing if that would be a long list.
fn spoken(expected: &[Rule]) -> String {
    let mut names: Vec<String> = Vec::new();
    for rule in expected {
        let name = rule_name(*rule);
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    if names.len() > 7 { String::new() } else { errors::listed(&names) }
}
