//! Texts with holes: `"{e} is taken"`. A hole holds a name, perhaps with dots, or `it` for the element that is
//! tested.

use super::{Checker, errors};
use crate::program::{DomainId, Reason, ReasonPart, Type};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind, OfForm};

impl<'a> Checker<'a> {
    /// `it`: the text speaks of an element of this domain.
    pub(super) fn reason(&mut self, text: &ast::Text, it: Option<DomainId>) -> Reason {
        let mut parts = Vec::new();
        let mut rest = text.text.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            push_text(&mut parts, before);
            let Some((hole, after)) = behind.split_once('}') else {
                self.sink.push(errors::open_hole(text.span));
                rest = "";
                break;
            };
            self.hole(hole.trim(), text.span, it, &mut parts);
            rest = after;
        }
        push_text(&mut parts, rest);
        Reason { parts, span: text.span }
    }

    fn hole(&mut self, hole: &str, span: Span, it: Option<DomainId>, parts: &mut Vec<ReasonPart>) {
        if hole == "it" {
            if it.is_some() {
                parts.push(ReasonPart::It);
            } else {
                self.sink.push(errors::no_it(span));
            }
            return;
        }
        let words: Vec<&str> = hole.split('.').map(str::trim).collect();
        let is_name = |w: &&str| !w.is_empty() && w.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !words.iter().all(is_name) {
            self.sink.push(errors::hole_is_no_name(span, hole));
            return;
        }
        let name = |word: &str| ast::Name { text: word.to_owned(), span };
        let plain = |word: &str| match word {
            "me" => ExprKind::Me,
            "active" => ExprKind::Active,
            _ => ExprKind::Name(name(word)),
        };
        let mut words = words.into_iter();
        let Some(first) = words.next() else { return };
        let mut expr = ast::Expr { kind: plain(first), span };
        for word in words {
            let left = Box::new(ast::Expr { kind: ExprKind::Name(name(word)), span });
            let right = Box::new(expr);
            expr = ast::Expr { kind: ExprKind::Of { left, right, form: OfForm::Dot }, span };
        }
        let value = self.expr(&expr, Type::Unknown);
        if value.ty != Type::Unknown {
            parts.push(ReasonPart::Value(value));
        }
    }
}

fn push_text(parts: &mut Vec<ReasonPart>, text: &str) {
    if !text.is_empty() {
        parts.push(ReasonPart::Text(text.to_owned()));
    }
}
