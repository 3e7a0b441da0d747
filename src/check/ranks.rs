//! Who is how far in front (`rank of p by EXPR`), and what that is worth (`(4, 3, 2, 1) at n`).

use super::expr::known;
use super::paths::unknown;
use super::{Checker, errors};
use crate::program::{Compare, Expr, ExprKind, Function, FunctionId, Local, LocalId, LocalType, Type};
use crate::source::Span;
use crate::syntax::ast;

impl Checker<'_> {
    /// `rank of p by EXPR`: in EXPR the name stands for each of the players in turn.
    pub(super) fn rank(&mut self, who: &ast::Expr, by: &ast::Expr, span: Span) -> Expr {
        let player = self.player_type();
        let of = self.expect(who, player);
        let level = self.scope.level();
        let local = self.scope.add("ranked", LocalType::Value(player), None, who.span);
        if let ast::ExprKind::Name(name) = &who.kind {
            self.scope.show(&name.text, local);
        }
        let by = self.expect(by, Type::Number);
        self.scope.back_to(level);
        let ty = known(Type::Number, &[&of, &by]);
        if ty != Type::Unknown && !mentions(&by, local) {
            let name = self.sources.text(who.span).to_owned();
            self.sink.push(errors::ranks_by_the_same(by.span, &name));
            return unknown(span);
        }
        Expr { kind: ExprKind::Rank { local, of: Box::new(of), by: Box::new(by) }, ty, span }
    }

    /// `(4, 3, 2, 1) at n`: the n-th of the numbers, from 1; nothing beyond the last.
    pub(super) fn nth_of_list(&mut self, list: &ast::Expr, at: &ast::Expr, span: Span) -> Expr {
        let ast::ExprKind::Tuple(values) = &list.kind else { return unknown(span) };
        let at = self.expect(at, Type::Number);
        let mut args = vec![at];
        args.extend(values.iter().map(|value| self.expect(value, Type::Number)));
        let parts: Vec<&Expr> = args.iter().collect();
        let ty = known(Type::Number, &parts);
        let function = self.nth(values.len());
        Expr { kind: ExprKind::Call { function, args }, ty, span }
    }

    /// A function of a position and so many numbers that gives the one at the position, else 0.
    fn nth(&mut self, count: usize) -> FunctionId {
        if let Some(known) = self.nths.get(&count) {
            return *known;
        }
        let span = Span::default();
        let number = |kind: ExprKind| Expr { kind, ty: Type::Number, span };
        let locals: Vec<Local> =
            (0..=count).map(|i| Local { name: format!("n{i}"), ty: LocalType::Value(Type::Number), span }).collect();
        let mut body = number(ExprKind::Number(0));
        for position in (1..=count).rev() {
            let at = number(ExprKind::Local(LocalId(0)));
            let cond = super::expr::compare(Compare::Equal, at, number(ExprKind::Number(position as i64)), span);
            let then = Box::new(number(ExprKind::Local(LocalId(position as u32))));
            body = number(ExprKind::If { cond: Box::new(cond), then, otherwise: Box::new(body) });
        }
        let id = FunctionId(self.program.functions.len() as u32);
        let params = (0..=count).map(|i| LocalId(i as u32)).collect();
        self.program.functions.push(Function { name: "(at)".to_owned(), params, locals, body, span });
        self.nths.insert(count, id);
        id
    }
}

/// Does the expression speak of the local?
fn mentions(expr: &Expr, local: LocalId) -> bool {
    let own = matches!(&expr.kind, ExprKind::Local(found) if *found == local);
    own || super::hidden::parts(expr).into_iter().any(|part| mentions(part, local))
}
