//! Which line ends count: those inside round and square brackets, and those before a line that goes on, become blanks.

use super::super::errors;
use super::super::lex::{Kind, Token};
use super::super::words;
use super::{MAX_PATH, Reader};

impl Reader<'_, '_> {
    /// Blanks the line ends that end nothing. None if a place lies too deep in its statement.
    pub fn join_lines(&mut self) -> Option<()> {
        let following = self.following();
        // For each open bracket, how many words and marks of the current statement or entry stand before it.
        let mut path: Vec<usize> = vec![0];
        let mut depth = 0;
        let mut round: Vec<bool> = Vec::new();
        for at in 0..self.tokens.len() {
            let Some(token) = self.tokens.get(at).copied() else { break };
            if token.kind == Kind::Newline {
                let inside = round.last().copied().unwrap_or(false);
                if inside || self.continues(at, &following) {
                    self.blank(token);
                } else {
                    depth -= path.last_mut().map(std::mem::take).unwrap_or(0);
                }
                continue;
            }
            let weight = if self.recurs(token) { 2 } else { 1 };
            depth += weight;
            if let Some(here) = path.last_mut() {
                *here += weight;
            }
            if depth > MAX_PATH {
                self.sink.push(errors::too_long(self.span(token), "statement"));
                return None;
            }
            let mark = self.mark(token);
            let paired = !self.unpaired.contains(&token.start);
            match mark {
                "{" | "(" | "[" if paired => {
                    path.push(0);
                    round.push(mark != "{");
                }
                "}" | ")" | "]" if !round.is_empty() && round.last().copied() == Some(mark != "}") => {
                    depth -= path.pop().unwrap_or(0);
                    round.pop();
                }
                "," | ";" => depth -= path.last_mut().map(std::mem::take).unwrap_or(0),
                _ => {}
            }
        }
        Some(())
    }

    /// Words and marks that nest the tree without a bracket.
    fn recurs(&self, token: Token) -> bool {
        match token.kind {
            Kind::Word => matches!(
                self.word(token),
                "not" | "some" | "no" | "first" | "any" | "all" | "if" | "else" | "where" | "of" | "allow" | "neutral"
            ),
            Kind::Mark => matches!(self.word(token), "-" | "(" | "[" | "{"),
            Kind::Number
            | Kind::Text
            | Kind::OpenText
            | Kind::AddedOpen
            | Kind::AddedClose
            | Kind::Strange
            | Kind::Newline
            | Kind::Comment
            | Kind::Doc => false,
        }
    }

    /// The next two tokens behind this one that are no line ends; the second on the line of the first.
    fn next_two(&self, at: usize, following: &[usize]) -> (Option<Token>, Option<Token>) {
        let next = following.get(at).copied().unwrap_or(self.tokens.len());
        (self.tokens.get(next).copied(), self.tokens.get(next + 1).copied())
    }

    /// Whether the line that ends at this token goes on behind it.
    pub fn continues(&self, at: usize, following: &[usize]) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        if before.is_some_and(|token| self.leads_on(*token)) {
            return !self.begins_anew(at, following);
        }
        let (first, second) = self.next_two(at, following);
        let Some(first) = first else { return false };
        if first.kind == Kind::Word && words::MAY_CONTINUE.contains(&self.word(first)) {
            return second.is_some_and(|token| token.kind == Kind::Word);
        }
        // A `suggest` that belongs to a choice has no size.
        let suggests = self.word(first) == "suggest" && second.is_some_and(|token| self.word(token) == "where");
        suggests || self.follows(first)
    }

    /// Whether what follows is so clearly a new statement or item that the line before it was only left unfinished.
    pub fn begins_anew(&self, at: usize, following: &[usize]) -> bool {
        let (Some(first), Some(second)) = self.next_two(at, following) else { return false };
        let word = self.word(first);
        let begins = words::begins_item(word) || words::begins_statement(word);
        let goes_on = match second.kind {
            Kind::Word => !words::INFIX.contains(&self.word(second)),
            Kind::Number => true,
            Kind::Text
            | Kind::OpenText
            | Kind::Mark
            | Kind::AddedOpen
            | Kind::AddedClose
            | Kind::Strange
            | Kind::Newline
            | Kind::Comment
            | Kind::Doc => false,
        };
        begins && goes_on && !words::is_reserved(word)
    }

    fn leads_on(&self, token: Token) -> bool {
        match token.kind {
            Kind::Word => words::INFIX.contains(&self.word(token)),
            Kind::Mark => matches!(
                self.word(token),
                "," | "="
                    | "|"
                    | "&"
                    | "+"
                    | "-"
                    | "*"
                    | "/"
                    | "=="
                    | "!="
                    | "<"
                    | ">"
                    | "<="
                    | ">="
                    | "->"
                    | ".."
                    | ":"
            ),
            // A blanked line end has already been joined to what stands before it.
            Kind::Newline => self.out.get(token.start) == Some(&b' '),
            Kind::Number
            | Kind::Text
            | Kind::OpenText
            | Kind::AddedOpen
            | Kind::AddedClose
            | Kind::Strange
            | Kind::Comment
            | Kind::Doc => false,
        }
    }

    pub fn follows(&self, token: Token) -> bool {
        match token.kind {
            Kind::Word => words::CONTINUES.contains(&self.word(token)),
            Kind::Number | Kind::Text => true,
            Kind::Mark => !matches!(self.word(token), "{" | "}" | "(" | "[" | ";"),
            Kind::OpenText
            | Kind::AddedOpen
            | Kind::AddedClose
            | Kind::Strange
            | Kind::Newline
            | Kind::Comment
            | Kind::Doc => false,
        }
    }
}
