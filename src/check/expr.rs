//! Expressions: one big match from the tree to typed expressions. `want` is the type that the place needs; it
//! decides what an ambiguous word means and is no more than a hint: [`Checker::expect`] insists on it.

use super::builtins::RESERVED;
use super::names::Entry;
use super::paths::unknown;
use super::scope::Usual;
use super::stacks::{pieces_standing, seen_as_pieces};
use super::{Checker, errors};
use crate::program::{
    Arith, Compare, DomainId, Expr, ExprKind, FieldType, LocalType, OptionValues, Stmt, StmtKind, Type,
};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, PrefixOp};

impl<'a> Checker<'a> {
    /// An expression that must have this type; what can be taken for it is (a member for the set of it alone, a
    /// good for a bag of one).
    pub(super) fn expect(&mut self, expr: &ast::Expr, want: Type) -> Expr {
        let found = self.expr(expr, want);
        self.coerce(found, want)
    }

    pub(super) fn coerce(&mut self, expr: Expr, want: Type) -> Expr {
        let span = expr.span;
        match (expr.ty, want) {
            (found, want) if found == want => expr,
            (Type::Unknown, _) | (_, Type::Unknown) => expr,
            (Type::Member(a), Type::Set(b)) if a == b => self.set_of_one(expr),
            (Type::Member(a), Type::Bag(b)) if a == b && self.can_be_counted(a) => {
                let one = number(1, span);
                Expr { kind: ExprKind::BagOf(vec![(expr, one)]), ty: want, span }
            }
            (Type::Member(a) | Type::Set(a), Type::Member(b) | Type::Set(b)) if self.base_of(a) == Some(b) => {
                let expr = self.standing(expr);
                self.coerce(expr, want)
            }
            (Type::Member(a), Type::Number) if self.card_as_number(&expr, a).is_some() => {
                self.card_as_number(&expr, a).unwrap_or_else(|| unknown(span))
            }
            (Type::Bag(a), Type::Set(b)) if a == b => Expr { kind: ExprKind::Kinds(Box::new(expr)), ty: want, span },
            (found, want) => {
                let fault = errors::wrong_type(span, &self.type_name(found), &self.type_name(want), found, want);
                self.sink.push(fault);
                unknown(span)
            }
        }
    }

    pub(super) fn set_of_one(&mut self, expr: Expr) -> Expr {
        let (span, ty) = (expr.span, expr.ty);
        let Type::Member(domain) = ty else { return expr };
        let kind = match expr.kind {
            ExprKind::Member(member) => ExprKind::Members(vec![member]),
            _ => ExprKind::SetOf(vec![expr]),
        };
        Expr { kind, ty: Type::Set(domain), span }
    }

    /// A condition.
    pub(super) fn truth(&mut self, expr: &ast::Expr) -> Expr {
        let found = self.expr(expr, Type::Truth);
        if let Type::Set(_) | Type::Bag(_) = found.ty {
            let what = self.type_name(found.ty);
            self.sink.push(errors::set_as_condition(expr.span, &what));
            return unknown(expr.span);
        }
        self.coerce(found, Type::Truth)
    }

    /// The type that an expression seems to have, checked first where another side depends on it: a bare word
    /// says nothing.
    pub(super) fn is_bare_word(&self, expr: &ast::Expr) -> bool {
        let ast::ExprKind::Name(name) = &expr.kind else { return false };
        if self.scope.find(&name.text).is_some() {
            return false;
        }
        match self.names.peek(&name.text) {
            None if self.is_attribute_of_it(&name.text) => false,
            None if self.is_column_of_it(&name.text) => false,
            None => name.text != "others" && !RESERVED.contains(&name.text.as_str()),
            Some(Entry::Member(domain, _)) => Some(domain) == self.program.known.terrain,
            Some(_) => false,
        }
    }

    pub(super) fn expr(&mut self, expr: &ast::Expr, want: Type) -> Expr {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Int(value) => number(*value, span),
            ast::ExprKind::Text(_) => {
                self.sink.push(errors::text_as_value(span));
                unknown(span)
            }
            ast::ExprKind::Name(_) | ast::ExprKind::Of { .. } | ast::ExprKind::Index { .. } => {
                let path = self.path(expr, want);
                self.finish(path)
            }
            ast::ExprKind::Call { name, args } => self.call(name, args, want, span),
            ast::ExprKind::ScriptCall { script, name, args } => self.script_call(script, name, args, want, span),
            ast::ExprKind::At { left, right } if matches!(left.kind, ast::ExprKind::Tuple(_)) => {
                self.nth_of_list(left, right, span)
            }
            ast::ExprKind::At { left, right } => {
                let pieces = self.any_set(left);
                let pieces = pieces_standing(pieces);
                let Type::Set(domain) = pieces.ty else { return unknown(span) };
                let at = match self.base_of(domain) {
                    Some(base) => {
                        let at = self.expect(right, Type::Set(base));
                        self.slots(domain, at)
                    }
                    None => self.expect(right, pieces.ty),
                };
                joined(ExprKind::Intersect, pieces, at, span)
            }
            ast::ExprKind::InSupply(of) => self.in_supply(of, span),
            ast::ExprKind::Amount { count, of } => {
                let count = self.expect(count, Type::Number);
                self.amount_of(count, of, want, span)
            }
            ast::ExprKind::Not(of) => {
                let of = self.truth(of);
                Expr { ty: known(Type::Truth, &[&of]), kind: ExprKind::Not(Box::new(of)), span }
            }
            ast::ExprKind::Negate(of) => {
                if let ast::ExprKind::Int(value) = of.kind {
                    return number(-value, span);
                }
                let of = self.expect(of, Type::Number);
                arith(Arith::Subtract, number(0, span), of, span)
            }
            ast::ExprKind::Binary { op, left, right } => self.binary(*op, left, right, want, span),
            ast::ExprKind::If { cond, then, otherwise } => {
                let cond = self.truth(cond);
                let mut then = self.expr(then, want);
                let hint = if then.ty == Type::Unknown { want } else { then.ty };
                let mut otherwise = self.expr(otherwise, hint);
                if let (Type::Member(_), Type::Set(_)) = (then.ty, otherwise.ty) {
                    then = self.coerce(then, otherwise.ty);
                }
                if want != Type::Unknown {
                    (then, otherwise) = (self.coerce(then, want), self.coerce(otherwise, want));
                } else {
                    otherwise = self.coerce(otherwise, then.ty);
                }
                let ty = known(then.ty, &[&cond, &then, &otherwise]);
                let (then, otherwise) = (Box::new(then), Box::new(otherwise));
                Expr { kind: ExprKind::If { cond: Box::new(cond), then, otherwise }, ty, span }
            }
            ast::ExprKind::Prefix { op, of } => self.prefix(*op, of, want, span),
            ast::ExprKind::Binder { name, ty, from, guard } => {
                self.binder(name, ty.as_ref(), from.as_deref(), guard.as_deref(), want, span)
            }
            ast::ExprKind::Where { set, guard } => {
                let over = self.set_wanted(set, want);
                self.filtered(over, None, guard, span)
            }
            ast::ExprKind::Tuple(_) => {
                self.sink.push(errors::tuple_as_value(span));
                unknown(span)
            }
            ast::ExprKind::Range(..) => {
                self.sink.push(errors::range_as_value(span));
                unknown(span)
            }
            ast::ExprKind::Reasoned { set, reason } => {
                let set = self.set_wanted(set, want);
                let Type::Set(domain) = set.ty else { return set };
                let ty = set.ty;
                let reason = self.reason(reason, Some(domain));
                Expr { kind: ExprKind::Reasoned { set: Box::new(set), reason }, ty, span }
            }
            ast::ExprKind::Allowed(perform) => self.allowed(perform, span),
            ast::ExprKind::Usual => self.usual(span),
            ast::ExprKind::Me => {
                let ty = self.player_type();
                if !self.scope.home.has_me() {
                    self.sink.push(errors::no_me(span));
                    return unknown(span);
                }
                self.scope.uses_me = true;
                Expr { kind: ExprKind::Me, ty, span }
            }
            ast::ExprKind::Active => Expr { kind: ExprKind::Active, ty: self.player_type(), span },
            ast::ExprKind::Bad => unknown(span),
        }
    }

    fn prefix(&mut self, op: PrefixOp, of: &ast::Expr, want: Type, span: Span) -> Expr {
        match op {
            PrefixOp::Some | PrefixOp::No => {
                let set = self.expr(of, Type::Unknown);
                let some = match set.ty {
                    Type::Number => compare(Compare::Greater, set, number(0, span), span),
                    _ => {
                        let set = self.as_set(set);
                        Expr { ty: known(Type::Truth, &[&set]), kind: ExprKind::Some(Box::new(set)), span }
                    }
                };
                match op {
                    PrefixOp::No => Expr { ty: some.ty, kind: ExprKind::Not(Box::new(some)), span },
                    PrefixOp::Some | PrefixOp::First | PrefixOp::All => some,
                }
            }
            PrefixOp::First => {
                let hint = match want {
                    Type::Member(domain) => Type::Set(domain),
                    _ => Type::Unknown,
                };
                let set = self.set_wanted(of, hint);
                let Type::Set(domain) = set.ty else { return unknown(span) };
                Expr { kind: ExprKind::First(Box::new(set)), ty: Type::Member(domain), span }
            }
            PrefixOp::All => match &of.kind {
                ast::ExprKind::Call { name, args } if name.text == "points" => {
                    let args: Vec<ast::Expr> = args.iter().map(|a| a.value.clone()).collect();
                    self.points(&args, span, true)
                }
                _ => {
                    self.sink.push(errors::all_of_what(span));
                    unknown(span)
                }
            },
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr, want: Type, span: Span) -> Expr {
        match op {
            BinaryOp::Or | BinaryOp::And => {
                let left = self.truth(left);
                let before = self.scope.before.as_ref().map_or(0, Vec::len);
                let right = self.truth(right);
                let left = self.only_after(left, op == BinaryOp::And, before);
                let ty = known(Type::Truth, &[&left, &right]);
                let (left, right) = (Box::new(left), Box::new(right));
                let kind = if op == BinaryOp::Or { ExprKind::Or(left, right) } else { ExprKind::And(left, right) };
                Expr { kind, ty, span }
            }
            BinaryOp::Is => self.is(left, right, span),
            BinaryOp::Equal => self.comparison(Compare::Equal, left, right, span),
            BinaryOp::NotEqual => self.comparison(Compare::NotEqual, left, right, span),
            BinaryOp::Less => self.comparison(Compare::Less, left, right, span),
            BinaryOp::LessEqual => self.comparison(Compare::LessEqual, left, right, span),
            BinaryOp::Greater => self.comparison(Compare::Greater, left, right, span),
            BinaryOp::GreaterEqual => self.comparison(Compare::GreaterEqual, left, right, span),
            BinaryOp::In => self.contains(left, right, span),
            BinaryOp::NotIn => {
                let contains = self.contains(left, right, span);
                Expr { ty: contains.ty, kind: ExprKind::Not(Box::new(contains)), span }
            }
            BinaryOp::Meets => {
                let (left, right) = self.two_sets(left, right, Type::Unknown);
                Expr {
                    ty: known(Type::Truth, &[&left, &right]),
                    kind: ExprKind::Meets(Box::new(left), Box::new(right)),
                    span,
                }
            }
            BinaryOp::Has | BinaryOp::Disjoint => {
                let left = self.any_bag(left, Type::Unknown);
                let right = self.expect(right, left.ty);
                let ty = known(Type::Truth, &[&left, &right]);
                let (left, right) = (Box::new(left), Box::new(right));
                let kind = match op {
                    BinaryOp::Has => ExprKind::Has(left, right),
                    _ => ExprKind::BagDisjoint(left, right),
                };
                Expr { kind, ty, span }
            }
            BinaryOp::Union => {
                let (left, right) = self.two_sets(left, right, want);
                joined(ExprKind::Union, left, right, span)
            }
            BinaryOp::Intersect => {
                let (left, right) = self.two_sets(left, right, want);
                joined(ExprKind::Intersect, left, right, span)
            }
            BinaryOp::Without => {
                let (left, right) = self.two_sets(left, right, want);
                joined(ExprKind::Without, left, right, span)
            }
            BinaryOp::Near => self.near(left, right, want, span),
            BinaryOp::Add => self.sum(left, right, want, span, false),
            BinaryOp::Subtract => self.sum(left, right, want, span, true),
            BinaryOp::Multiply => {
                let count = self.expect(left, Type::Number);
                let times = self.expr(right, want);
                if let Type::Bag(_) = times.ty {
                    let (ty, count, bag) = (times.ty, Box::new(count), Box::new(times));
                    return Expr { kind: ExprKind::BagTimes { count, bag }, ty, span };
                }
                let times = self.coerce(times, Type::Number);
                arith(Arith::Multiply, count, times, span)
            }
            BinaryOp::Divide => {
                let (left, right) = (self.expect(left, Type::Number), self.expect(right, Type::Number));
                arith(Arith::Divide, left, right, span)
            }
            BinaryOp::Modulo => {
                let (left, right) = (self.expect(left, Type::Number), self.expect(right, Type::Number));
                arith(Arith::Modulo, left, right, span)
            }
        }
    }

    fn comparison(&mut self, op: Compare, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        let chained = is_comparison(left) || is_comparison(right);
        // The side that has a type of its own says what a bare word on the other side means.
        let is_called = |side: &ast::Expr| matches!(side.kind, ast::ExprKind::ScriptCall { .. });
        let left_waits = self.is_bare_word(left) || is_called(left);
        let (left, right) = if is_none(left) || left_waits && !self.is_bare_word(right) && !is_called(right) {
            let right = self.expr(right, Type::Unknown);
            let left = self.beside(left, &right);
            (left, right)
        } else {
            let left = self.expr(left, Type::Unknown);
            let right = self.beside(right, &left);
            (left, right)
        };
        let fault_told = chained && self.gaps;
        self.compared(op, left, right, fault_told, span)
    }

    /// `phase is main`, `x is find`.
    fn is(&mut self, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        if let ast::ExprKind::Name(name) = &right.kind
            && self.scope.find(&name.text).is_none()
            && self.could_be_shape(&name.text)
        {
            let left = self.expr(left, Type::Unknown);
            if let Some(test) = self.has_shape(&left, name, span) {
                return test;
            }
            let right = self.beside(right, &left);
            return self.compared(Compare::Equal, left, right, false, span);
        }
        self.comparison(Compare::Equal, left, right, span)
    }

    /// `told`: that they do not fit was said by the parser.
    fn compared(&mut self, op: Compare, left: Expr, right: Expr, told: bool, span: Span) -> Expr {
        let equality = matches!(op, Compare::Equal | Compare::NotEqual);
        if left.ty == Type::Unknown || right.ty == Type::Unknown {
            return unknown(span);
        }
        // `players == 3`: how many play.
        let (left, right) = match (&left.kind, left.ty, &right.kind, right.ty) {
            (ExprKind::All(_), Type::Set(player), _, Type::Number) if Some(player) == self.program.known.player => {
                (count(left), right)
            }
            (_, Type::Number, ExprKind::All(_), Type::Set(player)) if Some(player) == self.program.known.player => {
                (left, count(right))
            }
            _ => (left, right),
        };
        // `my pawn == my aim`: a piece stands for its place.
        let (left, right) = match (left.ty, right.ty) {
            (Type::Set(a), Type::Member(b)) if a == b && is_pieces(&left) => (first(left), right),
            (Type::Member(a), Type::Set(b)) if a == b && is_pieces(&right) => (left, first(right)),
            _ => (left, right),
        };
        if equality && let Some(alike) = self.alike(&left, &right, span) {
            return if op == Compare::Equal {
                alike
            } else {
                Expr { kind: ExprKind::Not(Box::new(alike)), ..empty(span) }
            };
        }
        let comparable = match left.ty {
            Type::Number => true,
            Type::Truth | Type::Member(_) => equality,
            Type::Set(_) | Type::Bag(_) | Type::Nothing | Type::Unknown => false,
        };
        if left.ty != right.ty && told {
            // `a < b < c`, of which the parser has spoken.
            return unknown(span);
        }
        if left.ty != right.ty || !comparable {
            let (a, b) = (self.type_name(left.ty), self.type_name(right.ty));
            let fault = errors::not_comparable(span, &a, &b, left.ty, right.ty);
            self.sink.push(fault);
            return unknown(span);
        }
        compare(op, left, right, span)
    }

    /// What the right side of a condition does beforehand, such as asking somebody, is done only where the left side leaves
    /// the answer open. Gives the left side as it was then.
    fn only_after(&mut self, left: Expr, and: bool, before: usize) -> Expr {
        let Some(all) = self.scope.before.as_mut().filter(|all| all.len() > before) else { return left };
        let then = all.split_off(before);
        let span = left.span;
        let local = self.scope.add("left", LocalType::Value(Type::Truth), None, span);
        let value = Expr { kind: ExprKind::Local(local), ..empty(span) };
        let open =
            if and { value.clone() } else { Expr { kind: ExprKind::Not(Box::new(value.clone())), ..empty(span) } };
        if let Some(all) = self.scope.before.as_mut() {
            all.push(Stmt { kind: StmtKind::Let { local, value: left }, span });
            all.push(Stmt { kind: StmtKind::If { cond: open, then, otherwise: Vec::new() }, span });
        }
        value
    }

    /// Two sets, or two bags, that hold the same: each holds all of the other. One member stands for the set of it.
    fn alike(&mut self, left: &Expr, right: &Expr, span: Span) -> Option<Expr> {
        let whole = |ty: Type| matches!(ty, Type::Set(_) | Type::Bag(_));
        let ty = if whole(left.ty) { left.ty } else { right.ty };
        let other = if whole(left.ty) { right.ty } else { left.ty };
        let fits = match (ty, other) {
            (Type::Set(a), Type::Member(b) | Type::Set(b)) | (Type::Bag(a), Type::Member(b) | Type::Bag(b)) => a == b,
            _ => false,
        };
        if !fits {
            return None;
        }
        let (left, right) = (self.coerce(left.clone(), ty), self.coerce(right.clone(), ty));
        let truth = |kind| Expr { kind, ..empty(span) };
        let holds = |a: &Expr, b: &Expr| match ty {
            Type::Bag(_) => truth(ExprKind::Has(Box::new(a.clone()), Box::new(b.clone()))),
            _ => {
                let more = joined(ExprKind::Without, b.clone(), a.clone(), span);
                truth(ExprKind::Not(Box::new(truth(ExprKind::Some(Box::new(more))))))
            }
        };
        Some(truth(ExprKind::And(Box::new(holds(&left, &right)), Box::new(holds(&right, &left)))))
    }

    /// The other side of a comparison.
    fn beside(&mut self, expr: &ast::Expr, other: &Expr) -> Expr {
        if is_none(expr) {
            return self.none_beside(expr.span, other);
        }
        self.expr(expr, other.ty)
    }

    /// `none` where a value like `other` is meant.
    pub(super) fn none_beside(&mut self, span: Span, other: &Expr) -> Expr {
        match (other.ty, &other.kind) {
            (Type::Member(_), _) => Expr { kind: ExprKind::None, ty: other.ty, span },
            (Type::Unknown, _) => unknown(span),
            (Type::Number, ExprKind::Lookup { table, .. }) => {
                let table = self.program.tables.get(table.index());
                match table.and_then(|t| t.none) {
                    Some(none) => number(none, span),
                    None => {
                        let at = table.map(|t| t.span);
                        self.sink.push(errors::never_none(span, at));
                        unknown(span)
                    }
                }
            }
            (Type::Number, ExprKind::Field { field, .. }) => {
                let none = self.program.fields.get(field.index()).and_then(|f| f.none);
                match none {
                    Some(none) => number(none, span),
                    None => {
                        let at = self.program.fields.get(field.index()).map(|f| f.span);
                        self.sink.push(errors::never_none(span, at));
                        unknown(span)
                    }
                }
            }
            _ => {
                self.sink.push(errors::never_none(span, None));
                unknown(span)
            }
        }
    }

    fn contains(&mut self, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        if self.names_list(right) {
            let set = match self.list(right) {
                Ok(list) => return self.in_list(left, list, span),
                Err(value) => self.as_set(value),
            };
            let Type::Set(domain) = set.ty else { return unknown(span) };
            let member = self.expect(left, Type::Member(domain));
            let ty = known(Type::Truth, &[&member]);
            return Expr { kind: ExprKind::In { member: Box::new(member), set: Box::new(set) }, ty, span };
        }
        // `some card in deck`, where the parser took the words for a set.
        if self.is_bare_word(left) {
            let set = self.any_set(right);
            let Type::Set(domain) = set.ty else { return unknown(span) };
            let member = self.expect(left, Type::Member(domain));
            let ty = known(Type::Truth, &[&member]);
            return Expr { kind: ExprKind::In { member: Box::new(member), set: Box::new(set) }, ty, span };
        }
        let member = self.expr(left, Type::Unknown);
        if let Type::Member(slots) = member.ty
            && self.tokens_in(slots).is_some()
        {
            return self.contains_token(member, slots, right, span);
        }
        let member = self.standing(member);
        let want = match member.ty {
            Type::Member(domain) => Type::Set(domain),
            Type::Set(domain) => {
                // A set of pieces stands for its place where it is asked whether it is in a set.
                if !is_pieces(&member) {
                    let what = self.type_name(member.ty);
                    self.sink.push(errors::set_in_set(span, &what));
                    return unknown(span);
                }
                Type::Set(domain)
            }
            Type::Unknown => {
                self.any_set(right);
                return unknown(span);
            }
            ty @ (Type::Truth | Type::Number | Type::Bag(_) | Type::Nothing) => {
                let what = self.type_name(ty);
                self.sink.push(errors::not_a_member(left.span, &what));
                return unknown(span);
            }
        };
        let member = if let Type::Set(_) = member.ty { first(member) } else { member };
        let set = self.expect(right, want);
        let ty = known(Type::Truth, &[&member, &set]);
        Expr { kind: ExprKind::In { member: Box::new(member), set: Box::new(set) }, ty, span }
    }

    /// `+` and `-` of numbers or of bags.
    fn sum(&mut self, left: &ast::Expr, right: &ast::Expr, want: Type, span: Span, minus: bool) -> Expr {
        let left = self.expr(left, want);
        let hint = if left.ty == Type::Number { Type::Number } else { want };
        let right = self.expr(right, hint);
        let bag = [left.ty, right.ty, want].iter().find_map(|ty| match ty {
            Type::Bag(domain) => Some(*domain),
            Type::Member(domain) if self.can_be_counted(*domain) => Some(*domain),
            _ => None,
        });
        let Some(domain) = bag.filter(|_| left.ty != Type::Number && right.ty != Type::Number) else {
            let (left, right) = (self.coerce(left, Type::Number), self.coerce(right, Type::Number));
            return arith(if minus { Arith::Subtract } else { Arith::Add }, left, right, span);
        };
        let ty = Type::Bag(domain);
        let (left, right) = (self.coerce(left, ty), self.coerce(right, ty));
        match (left.kind, right.kind) {
            // Goods added to goods are one list.
            (ExprKind::BagOf(mut entries), ExprKind::BagOf(more)) if !minus => {
                entries.extend(more);
                Expr { kind: ExprKind::BagOf(entries), ty, span }
            }
            (a, b) => {
                let left = Box::new(Expr { kind: a, ty: left.ty, span: left.span });
                let right = Box::new(Expr { kind: b, ty: right.ty, span: right.span });
                let kind = if minus { ExprKind::BagSubtract(left, right) } else { ExprKind::BagAdd(left, right) };
                Expr { kind, ty, span }
            }
        }
    }

    fn usual(&mut self, span: Span) -> Expr {
        match self.scope.usual {
            Usual::Function(function) => {
                let args = self.scope.params.clone();
                let args = args
                    .into_iter()
                    .map(|local| Expr { kind: ExprKind::Local(local), ty: self.local_type(local), span })
                    .collect();
                let ty = self.function_result(function);
                Expr { kind: ExprKind::Call { function, args }, ty, span }
            }
            Usual::Value => self.scope.usual_value.clone().unwrap_or_else(|| unknown(span)),
            Usual::Nothing | Usual::Procedure(_) | Usual::Block => {
                self.sink.push(errors::no_usual(span));
                unknown(span)
            }
        }
    }

    /// The value of an option.
    pub(super) fn option_value(&self, id: crate::program::OptionId, span: Span) -> Expr {
        let ty = match self.program.options.get(id.index()).map(|o| &o.values) {
            Some(OptionValues::Words(domain)) => Type::Member(*domain),
            Some(OptionValues::Truth { .. }) => Type::Truth,
            Some(OptionValues::Range { .. }) => Type::Number,
            None => Type::Unknown,
        };
        Expr { kind: ExprKind::Option(id), ty, span }
    }

    /// The members that a bag can hold or a member can be, if that is known to be fewer than all.
    pub(super) fn kinds_of(&self, expr: &Expr) -> Option<Vec<u32>> {
        match &expr.kind {
            ExprKind::Member(member) => Some(vec![*member]),
            ExprKind::Members(members) => Some(members.clone()),
            ExprKind::Local(local) => self.scope.among(*local).cloned(),
            ExprKind::BagOf(entries) => {
                let mut all = Vec::new();
                for (kind, _) in entries {
                    all.extend(self.kinds_of(kind)?);
                }
                Some(all)
            }
            ExprKind::BagAdd(a, b) | ExprKind::Union(a, b) => {
                let mut all = self.kinds_of(a)?;
                all.extend(self.kinds_of(b)?);
                Some(all)
            }
            ExprKind::BagSubtract(a, _) | ExprKind::Without(a, _) | ExprKind::Intersect(a, _) => self.kinds_of(a),
            ExprKind::BagTimes { bag, .. } => self.kinds_of(bag),
            ExprKind::BagWithin { set, .. } => self.kinds_of(set),
            ExprKind::Filter { over, .. } => self.kinds_of(over),
            ExprKind::Kinds(bag) => self.kinds_of(bag),
            ExprKind::Yields(_) => Some(self.program.yields.iter().flatten().copied().collect()),
            ExprKind::Lookup { table, .. } => self.kinds_in_table(*table),
            ExprKind::Field { field, .. } => {
                let field = self.program.fields.get(field.index())?;
                match &field.ty {
                    FieldType::Bag { among, .. } | FieldType::Member { among, .. } => among.clone(),
                    FieldType::Truth | FieldType::Number { .. } | FieldType::Set(_) => None,
                }
            }
            _ => None,
        }
    }

    pub(super) fn domain_of_set(ty: Type) -> Option<DomainId> {
        match ty {
            Type::Set(domain) => Some(domain),
            Type::Truth | Type::Number | Type::Member(_) | Type::Bag(_) | Type::Nothing | Type::Unknown => None,
        }
    }
}

fn is_comparison(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ast::ExprKind::Binary { op, .. } => {
            matches!(
                op,
                BinaryOp::Equal
                    | BinaryOp::NotEqual
                    | BinaryOp::Less
                    | BinaryOp::LessEqual
                    | BinaryOp::Greater
                    | BinaryOp::GreaterEqual
            )
        }
        _ => false,
    }
}

fn is_none(expr: &ast::Expr) -> bool {
    matches!(&expr.kind, ast::ExprKind::Name(name) if name.text == "none")
}

/// A bare set of pieces, which can stand for the place of the first of them.
pub fn is_pieces(expr: &Expr) -> bool {
    matches!(seen_as_pieces(expr).kind, ExprKind::Pieces { .. })
}

pub fn first(set: Expr) -> Expr {
    let ty = match set.ty {
        Type::Set(domain) => Type::Member(domain),
        other => other,
    };
    Expr { ty, span: set.span, kind: ExprKind::First(Box::new(set)) }
}

fn count(set: Expr) -> Expr {
    Expr { ty: Type::Number, span: set.span, kind: ExprKind::Count(Box::new(set)) }
}

pub fn number(value: i64, span: Span) -> Expr {
    Expr { kind: ExprKind::Number(value), ty: Type::Number, span }
}

/// The type, unless one of the parts had a fault.
pub fn known(ty: Type, parts: &[&Expr]) -> Type {
    if parts.iter().any(|p| p.ty == Type::Unknown) { Type::Unknown } else { ty }
}

pub fn compare(op: Compare, left: Expr, right: Expr, span: Span) -> Expr {
    let ty = known(Type::Truth, &[&left, &right]);
    Expr { kind: ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) }, ty, span }
}

pub fn arith(op: Arith, left: Expr, right: Expr, span: Span) -> Expr {
    let ty = known(Type::Number, &[&left, &right]);
    Expr { kind: ExprKind::Arith { op, left: Box::new(left), right: Box::new(right) }, ty, span }
}

/// Two sets joined by `|`, `&` or `without`.
pub fn joined(kind: fn(Box<Expr>, Box<Expr>) -> ExprKind, left: Expr, right: Expr, span: Span) -> Expr {
    let ty = known(left.ty, &[&left, &right]);
    Expr { kind: kind(Box::new(left), Box::new(right)), ty, span }
}

/// A truth whose kind is still to be said.
fn empty(span: Span) -> Expr {
    Expr { kind: ExprKind::Truth(true), ty: Type::Truth, span }
}
