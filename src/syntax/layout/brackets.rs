//! Pairs of brackets: which have no partner, and where a forgotten opening brace should have been.

use super::super::errors;
use super::super::lex::{Kind, Token};
use super::super::words;
use super::{MAX_NESTING, Reader, Stray};

/// How many forgotten opening braces are looked for in a file; beyond that its braces are only reported.
const MAX_GUESSES: usize = 30;

/// Words whose statement or declaration has a block.
const WITH_BLOCK: &[&str] = &[
    "if",
    "else",
    "for",
    "repeat",
    "case",
    "part",
    "procedure",
    "action",
    "trigger",
    "setup",
    "turn",
    "award",
    "before",
    "after",
    "instead",
];

impl Reader<'_, '_> {
    /// Pairs brackets, reports those without a partner (but for open braces) and blanks closers that close nothing.
    /// Answers whether a brace was left open; None if the nesting is too deep.
    pub fn balance(&mut self) -> Option<bool> {
        let mut stack: Vec<(usize, Token)> = Vec::new();
        let mut following = self.following();
        let mut guesses = 0;
        // The last token that begins an item at the left edge.
        let mut item = 0;
        // Where the last pair of braces ended.
        let mut closed = 0;
        let mut at = 0;
        while let Some(token) = self.tokens.get(at).copied() {
            let mark = self.mark(token);
            let top = stack.last().map(|(_, open)| self.mark(*open));
            let round = matches!(top, Some("(" | "["));
            if round && token.kind == Kind::Newline && self.begins_anew(at, &following) {
                at = self.give_up(&mut stack);
                continue;
            }
            match mark {
                "(" | "[" if !self.unpaired.contains(&token.start) => stack.push((at, token)),
                ")" | "]" => match top {
                    Some("(") if mark == ")" => drop(stack.pop()),
                    Some("[") if mark == "]" => drop(stack.pop()),
                    Some("(" | "[") => {
                        let open = stack.pop().map_or(token, |(_, open)| open);
                        self.faults.extend([open.start, token.start]);
                        let (open, close) = (self.span(open), self.span(token));
                        self.sink.push(errors::wrong_bracket(close, mark, open));
                    }
                    _ => {
                        self.faults.push(token.start);
                        self.sink.push(errors::stray_bracket(self.span(token), mark));
                    }
                },
                "{" | "}" | ";" if round => {
                    at = self.give_up(&mut stack);
                    continue;
                }
                "{" => stack.push((at, token)),
                "}" if stack.is_empty() => {
                    guesses += 1;
                    if guesses <= MAX_GUESSES && self.guess_open(item, at, &following) {
                        following = self.following();
                        at = item;
                        continue;
                    }
                    self.strays.push(Stray { from: closed, span: self.span(token) });
                    self.leave_out(at);
                }
                "}" => {
                    stack.pop();
                    closed = token.end;
                }
                "" if stack.is_empty() && self.begins_item(at) => item = at,
                _ => {}
            }
            if stack.len() > MAX_NESTING {
                self.sink.push(errors::too_deep(self.span(token)));
                return None;
            }
            at += 1;
            if at == self.tokens.len() && stack.last().is_some_and(|(_, open)| self.mark(*open) != "{") {
                at = self.give_up(&mut stack);
            }
        }
        self.tokens.retain(|token| token.kind != Kind::Comment);
        Some(!stack.is_empty())
    }

    /// Whether a token is a word at the left edge that begins an item.
    fn begins_item(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        let begins_line = before.is_none_or(|before| matches!(before.kind, Kind::Newline | Kind::Doc));
        begins_line
            && self.tokens.get(at).is_some_and(|token| {
                token.kind == Kind::Word && self.indent(*token) == 0 && words::begins_item(self.word(*token))
            })
    }

    /// Takes a token out of the text and of the tokens.
    fn leave_out(&mut self, at: usize) {
        if let Some(token) = self.tokens.get_mut(at) {
            token.kind = Kind::Comment;
            let token = *token;
            self.blank(token);
        }
    }

    /// Reports the round and square brackets on top of the stack as never closed, one a line, and says where to read on
    /// as if they were not brackets.
    fn give_up(&mut self, stack: &mut Vec<(usize, Token)>) -> usize {
        let braces = stack.iter().rposition(|(_, open)| self.mark(*open) == "{").map_or(0, |at| at + 1);
        let open = stack.split_off(braces);
        let mut reported_to = 0;
        for (_, token) in &open {
            self.unpaired.insert(token.start);
            self.faults.push(token.start);
            if token.start >= reported_to {
                self.sink.push(errors::open_bracket(self.span(*token), self.word(*token)));
                let rest = self.text.get(token.start..).unwrap_or("");
                reported_to = token.start + rest.find('\n').unwrap_or(rest.len());
            }
        }
        open.first().map_or(self.tokens.len(), |(at, _)| at + 1)
    }

    /// A brace closes nothing: looks from an item on for the statement or declaration whose opening brace was forgotten.
    /// At the end of a line it is put in; within a line the closing brace is taken out, and what stands before it will
    /// be found to be wrong. Answers whether something was done.
    fn guess_open(&mut self, item: usize, end: usize, following: &[usize]) -> bool {
        // What is declared or changed.
        let kind = |line: &[Token]| {
            let words = line.iter().map(|token| self.word(*token));
            words.into_iter().find(|word| *word != "change").unwrap_or("")
        };
        let first = kind(self.tokens.get(item..end).unwrap_or_default());
        let mut start = item;
        while start < end {
            let line = self.tokens.get(start..end).unwrap_or_default();
            let breaks = |at: usize| {
                self.tokens.get(at).is_some_and(|token| token.kind == Kind::Newline) && !self.continues(at, following)
            };
            let stop = (start..end).find(|at| breaks(*at)).unwrap_or(end);
            let line = line.get(..stop - start).unwrap_or_default();
            let closers = line.iter().take_while(|token| self.mark(**token) == "}").count();
            let inner = line.get(closers..).unwrap_or_default();
            let opened = inner.iter().filter(|token| self.mark(**token) == "{").count();
            let closed = inner.iter().filter(|token| self.mark(**token) == "}").count() + usize::from(stop == end);
            let word = kind(inner);
            let last = line.last().map_or("", |token| self.word(*token));
            let in_list = first == "turn" && start > item;
            let has_block = WITH_BLOCK.contains(&word) || in_list;
            if (has_block || matches!(word, "ask" | "allow" | "make")) && closed > opened {
                let extra = (start..=stop).rev().find(|at| self.tokens.get(*at).is_some_and(|t| self.mark(*t) == "}"));
                let Some(extra) = extra else { return false };
                let from = line.first().map_or(0, |token| token.start);
                let span = self.tokens.get(extra).map(|token| self.span(*token));
                self.strays.extend(span.map(|span| Stray { from, span }));
                self.leave_out(extra);
                if in_list || start == item {
                    self.hold_together(start, stop);
                }
                return true;
            }
            if stop < end && ((has_block && opened == 0 && closed == 0) || matches!(last, "else" | "otherwise")) {
                let before = line.last().copied();
                let Some(newline) = self.tokens.get_mut(stop) else { return false };
                newline.kind = Kind::AddedOpen;
                let place = newline.start;
                if let Some(byte) = self.out.get_mut(place) {
                    *byte = b'{';
                }
                let at = before.map_or(place, |token| token.end);
                self.sink.push(errors::missing_brace(crate::source::Span::new(self.file, at, at)));
                return true;
            }
            start = stop + 1;
        }
        false
    }

    /// Takes out the semicolons of a line whose braces do not fit, so that it is one fault.
    fn hold_together(&mut self, start: usize, stop: usize) {
        for at in start..stop {
            if self.tokens.get(at).is_some_and(|token| self.mark(*token) == ";") {
                self.leave_out(at);
            }
        }
    }
}
