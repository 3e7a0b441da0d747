//! Braces that are never closed: how the lines are indented tells which ones. What belongs together ends where a line
//! stands as far left as the one with the brace, and at the latest where the next item begins at the left edge.

use super::super::errors;
use super::super::lex::{Kind, Token};
use super::super::words;
use super::{Reader, Section};

/// An open brace.
struct Open {
    token: Token,
    /// The indentation of its line.
    indent: usize,
    line: usize,
    /// Whether anything stands behind it on its line.
    followed: bool,
    /// Whether its first line of its own is indented further; unknown before there is one.
    indented: Option<bool>,
}

impl Reader<'_, '_> {
    /// Puts in closing braces where they seem to be missing, and cuts the text where a new item begins all the same.
    pub fn close_open_braces(&mut self) -> Vec<Section> {
        let tokens = std::mem::take(&mut self.tokens);
        let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
        let mut sections = Vec::new();
        let mut start = 0;
        let mut stack: Vec<Open> = Vec::new();
        let mut unclosed: Vec<Token> = Vec::new();
        // How deep the text is in braces, those put in counted.
        let mut depth = 0;
        let mut line = 0;
        let mut line_start = true;
        let mut indent = 0;
        for token in tokens {
            if matches!(token.kind, Kind::Newline | Kind::Doc) {
                line_start = true;
                line += usize::from(token.kind == Kind::Newline);
                kept.push(token);
                continue;
            }
            if line_start {
                indent = self.indent(token);
                if indent == 0 && token.kind == Kind::Word && words::begins_item(self.word(token)) {
                    unclosed.extend(stack.drain(..).map(|open| open.token));
                    if depth > 0 {
                        sections.push(Section { start, end: token.start, missing: depth });
                        (start, depth) = (token.start, 0);
                    }
                }
                let left = self.left_open(&mut stack, token, indent);
                depth -= self.close_before(&mut kept, token, left.len().min(depth));
                unclosed.extend(left);
            }
            if let Some(top) = stack.last_mut() {
                if line_start && top.indented.is_none() && line > top.line {
                    top.indented = Some(indent > top.indent);
                }
                top.followed |= line == top.line;
            }
            match self.mark(token) {
                "{" => {
                    stack.push(Open { token, indent, line, followed: false, indented: None });
                    depth += 1;
                }
                "}" if depth == 0 => {
                    self.strays.push(super::Stray { from: start, span: self.span(token) });
                    self.blank(token);
                    line_start = false;
                    continue;
                }
                "}" => {
                    stack.pop();
                    depth -= 1;
                }
                _ => {}
            }
            kept.push(token);
            line_start = false;
        }
        unclosed.extend(stack.drain(..).map(|open| open.token));
        sections.push(Section { start, end: self.text.len(), missing: depth });
        self.tokens = kept;
        for open in unclosed {
            self.faults.push(open.start);
            self.sink.push(errors::open_bracket(self.span(open), "{"));
        }
        sections
    }

    /// Takes the braces from the stack that a line's first token shows to be left open.
    fn left_open(&self, stack: &mut Vec<Open>, token: Token, indent: usize) -> Vec<Token> {
        let mut left = Vec::new();
        let closes = self.mark(token) == "}";
        while let Some(top) = stack.last() {
            let open = if closes {
                stack.len() > 1 && indent < top.indent
            } else {
                let clear = top.indented == Some(true) || (top.followed && top.indented.is_none());
                clear && indent <= top.indent && !self.follows(token)
            };
            if !open {
                break;
            }
            left.extend(stack.pop().map(|open| open.token));
        }
        left
    }

    /// Puts closing braces and a line end into the space before a token, as many as fit; answers how many did.
    fn close_before(&mut self, kept: &mut Vec<Token>, token: Token, wanted: usize) -> usize {
        let gap = kept.iter().rev().find(|before| before.kind != Kind::Newline).map_or(0, |before| before.end);
        let count = wanted.min((token.start - gap.min(token.start)).saturating_sub(1));
        if count == 0 {
            return 0;
        }
        while kept.last().is_some_and(|last| last.kind == Kind::Newline) {
            kept.pop();
        }
        if let Some(space) = self.out.get_mut(gap..token.start) {
            space.fill(b' ');
        }
        for at in gap..gap + count {
            kept.push(Token { kind: Kind::AddedClose, start: at, end: at + 1 });
            if let Some(byte) = self.out.get_mut(at) {
                *byte = b'}';
            }
        }
        let end = gap + count;
        kept.push(Token { kind: Kind::Newline, start: end, end: end + 1 });
        if let Some(byte) = self.out.get_mut(end) {
            *byte = b'\n';
        }
        count
    }

    pub fn indent(&self, token: Token) -> usize {
        let before = self.text.get(..token.start).unwrap_or("");
        before.len() - before.rfind('\n').map_or(0, |at| at + 1)
    }
}
