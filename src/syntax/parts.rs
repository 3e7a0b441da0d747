//! Taking the pairs of pest apart: the pieces of one pair by their rules, spans in the file, names, texts and numbers.
//! The grammar guarantees most pieces; where one is missing all the same, an empty name or a `Bad` node stands in.

use pest::iterators::Pair;

use crate::diagnostic::Sink;
use crate::source::{FileId, Span};

use super::ast::{Block, Expr, ExprKind, Name, Players, Text};
use super::errors;
use super::grammar::Rule;

/// What builds the tree of one section of a file.
pub struct Builder<'a> {
    pub file: FileId,
    /// Where the section begins in the file, and where the file ends.
    pub base: usize,
    pub length: usize,
    /// Offsets in the file that something was already said about, ascending.
    pub faults: &'a [usize],
    pub broken: Vec<Name>,
    /// The offsets of the slices that were reported.
    pub told: Vec<usize>,
    /// Whether the last item was a statement that stands outside of all braces. A run of them is one fault.
    pub outside: bool,
    pub sink: &'a mut Sink,
}

/// The pieces of one pair, in order.
pub struct Parts<'i> {
    pub pairs: Vec<Pair<'i, Rule>>,
    pub span: Span,
}

impl<'i> Parts<'i> {
    /// Takes out the first piece of this rule.
    pub fn take(&mut self, rule: Rule) -> Option<Pair<'i, Rule>> {
        let at = self.pairs.iter().position(|pair| pair.as_rule() == rule)?;
        Some(self.pairs.remove(at))
    }

    /// Takes out all pieces of this rule.
    pub fn all(&mut self, rule: Rule) -> Vec<Pair<'i, Rule>> {
        let pairs = std::mem::take(&mut self.pairs);
        let (wanted, rest) = pairs.into_iter().partition(|pair| pair.as_rule() == rule);
        self.pairs = rest;
        wanted
    }

    pub fn has(&self, rule: Rule) -> bool {
        self.pairs.iter().any(|pair| pair.as_rule() == rule)
    }
}

impl Builder<'_> {
    /// A pair's place in the file, without the blanks that pest lets it end with.
    pub fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        let end = span.start() + pair.as_str().trim_end().len();
        let place = |offset: usize| (self.base + offset).min(self.length);
        Span::new(self.file, place(span.start()), place(end))
    }

    pub fn parts<'i>(&self, pair: Pair<'i, Rule>) -> Parts<'i> {
        let span = self.span(&pair);
        Parts { pairs: pair.into_inner().collect(), span }
    }

    /// A pair's own text as a name.
    pub fn named(&self, pair: Pair<'_, Rule>) -> Name {
        Name { text: pair.as_str().trim_end().to_owned(), span: self.span(&pair) }
    }

    /// The next `name` among the pieces.
    pub fn name(&self, parts: &mut Parts<'_>) -> Name {
        self.some_name(parts).unwrap_or(Name { text: String::new(), span: parts.span })
    }

    pub fn some_name(&self, parts: &mut Parts<'_>) -> Option<Name> {
        parts.take(Rule::name).map(|pair| self.named(pair))
    }

    pub fn names(&self, parts: &mut Parts<'_>) -> Vec<Name> {
        parts.all(Rule::name).into_iter().map(|pair| self.named(pair)).collect()
    }

    pub fn words(&self, parts: &mut Parts<'_>) -> Vec<Name> {
        parts.all(Rule::word).into_iter().map(|pair| self.named(pair)).collect()
    }

    /// The one name inside a pair such as `as x` or `in bank`.
    pub fn name_in(&self, pair: Pair<'_, Rule>) -> Name {
        let mut parts = self.parts(pair);
        self.name(&mut parts)
    }

    pub fn text(&self, parts: &mut Parts<'_>) -> Option<Text> {
        parts.take(Rule::text).map(|pair| self.quoted(pair))
    }

    /// The text in quotes, with `\"` and `\\` read as the signs behind the stroke.
    pub fn quoted(&self, pair: Pair<'_, Rule>) -> Text {
        let span = self.span(&pair);
        let whole = pair.as_str();
        let inner = whole.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(whole);
        let mut text = String::with_capacity(inner.len());
        let mut signs = inner.chars();
        while let Some(sign) = signs.next() {
            if sign == '\\' {
                text.extend(signs.next());
            } else {
                text.push(sign);
            }
        }
        Text { text, span }
    }

    /// The value of a pair of digits; one that is out of all bounds is a fault and counts as 0.
    pub fn int(&mut self, pair: Pair<'_, Rule>) -> i64 {
        let digits = pair.as_str().trim_end();
        match digits.parse::<u32>() {
            Ok(value) if value <= errors::MAX_NUMBER => i64::from(value),
            _ => {
                let span = self.span(&pair);
                self.sink.push(errors::number_too_large(span));
                0
            }
        }
    }

    pub fn some_int(&mut self, parts: &mut Parts<'_>) -> Option<i64> {
        parts.take(Rule::int).map(|pair| self.int(pair))
    }

    pub fn next_int(&mut self, parts: &mut Parts<'_>) -> i64 {
        self.some_int(parts).unwrap_or(0)
    }

    /// `3` or `3..4` players.
    pub fn players(&mut self, parts: &mut Parts<'_>) -> Option<Players> {
        let mut inner = parts.take(Rule::players).map(|pair| self.parts(pair))?;
        let low = self.next_int(&mut inner);
        let high = self.some_int(&mut inner).unwrap_or(low);
        Some(Players { low, high, span: inner.span })
    }

    /// The only piece of this rule; a second one is a fault.
    pub fn only<'i>(&mut self, parts: &mut Parts<'i>, rule: Rule) -> Option<Pair<'i, Rule>> {
        let mut all = parts.all(rule).into_iter();
        let first = all.next()?;
        for again in all {
            let (span, first) = (self.span(&again), self.span(&first));
            self.sink.push(errors::said_twice(span, first));
        }
        Some(first)
    }

    pub fn block(&mut self, parts: &mut Parts<'_>) -> Block {
        self.some_block(parts).unwrap_or_default()
    }

    pub fn bad(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Bad, span }
    }
}
