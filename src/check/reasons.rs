//! Texts with holes: `"{e} is taken"`. A hole holds an expression, most often a name, or `it` for the element that
//! is tested.

use super::{Checker, errors};
use crate::program::{DomainId, Reason, ReasonPart, Type};
use crate::source::Span;
use crate::syntax::{ast, parse_expr};

impl<'a> Checker<'a> {
    /// `it`: the text speaks of an element of this domain.
    pub(super) fn reason(&mut self, text: &ast::Text, it: Option<DomainId>) -> Reason {
        // With escapes in it the text is not what stands in the file, and holes have no place of their own.
        let written = self.sources.text(text.span);
        let as_written = written.strip_prefix('"').and_then(|w| w.strip_suffix('"')) == Some(text.text.as_str());
        let mut parts = Vec::new();
        let mut rest = text.text.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            push_text(&mut parts, before);
            let Some((hole, after)) = behind.split_once('}') else {
                self.sink.push(errors::open_hole(text.span));
                rest = "";
                break;
            };
            let from = text.text.len() - behind.len();
            let start = text.span.start as usize + 1 + from;
            let span = if as_written { Span::new(text.span.file, start, start + hole.len()) } else { text.span };
            self.hole(hole, span, it, &mut parts);
            rest = after;
        }
        push_text(&mut parts, rest);
        Reason { parts, span: text.span }
    }

    fn hole(&mut self, hole: &str, span: Span, it: Option<DomainId>, parts: &mut Vec<ReasonPart>) {
        match hole.trim() {
            "it" if it.is_some() => parts.push(ReasonPart::It),
            "it" => self.sink.push(errors::no_it(span)),
            "" => self.sink.push(errors::empty_hole(span)),
            _ => {
                let Some(expr) = parse_expr(span.file, hole, span.start as usize, self.sink) else { return };
                // A text is made after the fact: it must not act.
                let before = self.scope.before.take();
                let value = self.expr(&expr, Type::Unknown);
                self.scope.before = before;
                if value.ty != Type::Unknown {
                    self.tells_nothing(&value);
                    parts.push(ReasonPart::Value(value));
                }
            }
        }
    }
}

fn push_text(parts: &mut Vec<ReasonPart>, text: &str) {
    if !text.is_empty() {
        parts.push(ReasonPart::Text(text.to_owned()));
    }
}
