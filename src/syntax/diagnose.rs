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

/// So much of a bad slice is read for the names in it.
const MOST_READ: usize = 2000;

impl Builder<'_> {
    /// Reports what is wrong with a bad slice, unless something was said about it already; the slice's span.
    pub fn diagnose(&mut self, pair: &Pair<'_, Rule>, place: Place) -> Span {
        let whole = pair.as_span();
        let (start, end) = (self.base + whole.start(), self.base + whole.end());
        let next = self.faults.partition_point(|fault| *fault < start);
        if self.faults.get(next).is_none_or(|fault| *fault >= end) {
            self.told.push(start);
            let diagnostic = explain(self.file, pair.as_str(), start, place);
            self.sink.push(diagnostic);
        }
        // What a bad statement would have given a name to is missed further down, and nothing is to be said of that.
        if place != Place::Item {
            self.remember_words(pair.as_str(), start, 0, false);
        }
        self.span(pair)
    }

    /// Whether a bad item is a statement outside of all braces.
    pub fn is_statement(pair: &Pair<'_, Rule>) -> bool {
        let first = pair.as_str().split(|c: char| !super::lex::is_letter(c)).next().unwrap_or("");
        words::begins_statement(first) && !words::begins_item(first)
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
        self.remember_words(text, start, 1, header_only);
    }

    /// Notes the names in a text that begins at an offset of the file, from one of its tokens on.
    fn remember_words(&mut self, text: &str, start: usize, from: usize, header_only: bool) {
        let end = (0..=MOST_READ.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let text = text.get(..end).unwrap_or("");
        for token in lex(text).iter().skip(from) {
            let word = text.get(token.start..token.end).unwrap_or("");
            if header_only && matches!(word, "{" | "=" | "(") {
                break;
            }
            if token.kind == Kind::Word && !words::is_reserved(word) && !words::begins_statement(word) {
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
    let at = tokens.iter().position(|token| token.end > stop && token.kind != Kind::Newline);
    let span = match at.and_then(|at| tokens.get(at)) {
        Some(token) => Span::new(file, base + token.start, base + token.end),
        None => Span::new(file, base + text.len(), base + text.len()),
    };
    let at = at.unwrap_or(tokens.len());
    let stop = Stop { text, tokens: &tokens, at, span, expected: &expected, place };
    if let Some(special) = stop.special() {
        return special;
    }
    let kind = match stop.token(at) {
        None => Found::End,
        Some((Kind::Text | Kind::OpenText, _)) => Found::Text,
        Some((Kind::Word | Kind::Number | Kind::Mark | Kind::Strange, word)) => Found::Word(word),
        Some((Kind::Newline | Kind::AddedOpen | Kind::AddedClose | Kind::Comment | Kind::Doc, _)) => Found::End,
    };
    let diagnostic = errors::unexpected(span, &kind, &spoken(&expected));
    match place.form(word(0), word(1)) {
        Some(form) => diagnostic.help(format!("it is written like this: {form}")),
        None => diagnostic,
    }
}

/// The place where the grammar stopped, with all that a message may want to know about it.
struct Stop<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The index of the token that did not fit.
    at: usize,
    span: Span,
    expected: &'a [Rule],
    place: Place,
}

impl<'a> Stop<'a> {
    fn token(&self, at: usize) -> Option<(Kind, &'a str)> {
        let token = self.tokens.get(at)?;
        Some((token.kind, self.text.get(token.start..token.end)?))
    }

    fn before(&self) -> Option<(Kind, &'a str)> {
        self.token(self.at.checked_sub(1)?)
    }

    /// Faults that deserve their own words.
    fn special(&self) -> Option<Diagnostic> {
        let (kind, word) = self.token(self.at)?;
        match kind {
            Kind::Strange if word != "!" && word != "%" => Some(errors::strange_character(self.span, word)),
            Kind::Word => self.misplaced_word(word),
            Kind::Mark | Kind::Strange => self.foreign_operator(word),
            Kind::Number
            | Kind::Text
            | Kind::OpenText
            | Kind::AddedOpen
            | Kind::AddedClose
            | Kind::Newline
            | Kind::Comment
            | Kind::Doc => None,
        }
    }

    fn misplaced_word(&self, word: &str) -> Option<Diagnostic> {
        let span = self.span;
        let begins = self.at == 0 || (self.at == 1 && self.before() == Some((Kind::Word, "change")));
        match self.place {
            Place::Item if begins => return Some(no_item(span, word)),
            Place::Statement | Place::Clause if self.at == 0 => return Some(self.no_statement(word)),
            _ => {}
        }
        // In a statement only some words announce a name; elsewhere the name was rather left out.
        let announced = self.place != Place::Statement
            || matches!(self.before(), Some((_, "let" | "for" | "as" | "tally" | "part")));
        if words::is_reserved(word) && announced && self.expected.contains(&Rule::name) {
            return Some(errors::reserved_name(span, word));
        }
        // Where a set is wanted, no condition can be.
        let set_here = self.expected.contains(&Rule::value_infix) && !self.expected.contains(&Rule::expr_infix);
        if matches!(word, "and" | "or") && set_here {
            return Some(errors::condition_word_in_set(span, word));
        }
        let ends = self.expected.contains(&Rule::EOI);
        if ends && self.place == Place::Item && words::begins_item(word) {
            return Some(errors::no_separator(span, word, "declaration"));
        }
        if ends && self.place != Place::Item && words::begins_statement(word) {
            return Some(errors::no_separator(span, word, "statement"));
        }
        None
    }

    fn no_statement(&self, word: &str) -> Diagnostic {
        if words::begins_item(word) {
            return errors::declaration_inside(self.span, word);
        }
        match self.token(1) {
            Some((_, "(" | "::")) => errors::no_verb(self.span, word, &format!("do {word}(…)")),
            Some((_, "=" | "of" | ".")) => errors::no_verb(self.span, word, &format!("set {word} … = …")),
            _ if word == "while" => errors::no_verb(self.span, word, "repeat up to 10 while CONDITION { … }"),
            _ => {
                let near = near_names(word, words::STATEMENTS.iter().map(|(first, _)| *first));
                // A word that stands alone may be meant for a procedure.
                let alone = self.token(1).is_none_or(|(kind, _)| kind == Kind::Newline);
                errors::no_statement(self.span, word, &near, alone)
            }
        }
    }

    fn foreign_operator(&self, word: &str) -> Option<Diagnostic> {
        let operator = self.expected.iter().any(|rule| matches!(rule, Rule::expr_infix | Rule::value_infix));
        let numbers =
            [self.before(), self.token(self.at + 1)].iter().all(|side| matches!(side, Some((Kind::Number, _))));
        let instead = match word {
            "=" if operator => "`=` gives a name its meaning; write `==` to compare",
            "==" if self.expected.contains(&Rule::eq) => "`==` compares; write `=` to define or set something",
            "-" if numbers && self.expected.contains(&Rule::dotdot) => "a range is written with two dots: `0..9`",
            "&&" => "join conditions with `and`, sets with `&`",
            "||" => "join conditions with `or`, sets with `|`",
            "!" => "write `not`",
            "%" => "write `mod`",
            "+=" | "-=" | "*=" | "/=" => "write `add 1 to X` or `set X = …`",
            ":=" => "write `=`",
            "=>" => "write `->`, or `>=` to compare",
            _ => return None,
        };
        Some(errors::foreign_operator(self.span, word, instead))
    }
}

fn no_item(span: Span, word: &str) -> Diagnostic {
    if words::begins_statement(word) && !words::begins_item(word) {
        return errors::statement_outside(span, word);
    }
    errors::no_declaration(span, word, &near_names(word, words::ITEMS.iter().map(|(first, _)| *first)))
}

/// What was expected, in the author's words; nothing if that would be a long list.
fn spoken(expected: &[Rule]) -> String {
    let mut names: Vec<String> = Vec::new();
    let value = expected.iter().any(|rule| rule_name(*rule) == "a value");
    // A semicolon can always stand for the end of a line.
    let newline = expected.iter().any(|rule| rule_name(*rule) == "the end of the line");
    for rule in expected.iter().filter(|rule| !value || !before_value(**rule)) {
        let name = rule_name(*rule);
        let said = names.iter().any(|known| known == name);
        let implied = name.is_empty() || name == "`;`" && newline;
        if !said && !implied {
            names.push(name.to_owned());
        }
    }
    if names.len() > 7 { String::new() } else { errors::listed(&names) }
}

/// Words that can stand before a value and need not be named where a value is expected.
fn before_value(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::kw_not
            | Rule::minus
            | Rule::kw_some
            | Rule::kw_no
            | Rule::kw_first
            | Rule::kw_all
            | Rule::kw_neutral
            | Rule::kw_chronicle
            | Rule::kw_exactly
            | Rule::kw_one
            | Rule::up_to
            | Rule::kw_up
            | Rule::role
    )
}
