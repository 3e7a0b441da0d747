//! What is put to choice by `ask … for`: one member of a set, several of them, a number, a bag of goods or cards.

use super::names::Entry;
use super::paths::{Base, unknown};
use super::sets::narrowed;
use super::types::Written;
use super::{Checker, errors};
use crate::program::{BagSize, Choice, DomainId, Expr, ExprKind, FieldType, LocalType, MAX_NUMBERS, Type};
use crate::source::Span;
use crate::syntax::ast;

/// What is put to choice: a type, a set or bag, a test.
struct Offer<'a> {
    name: &'a ast::Name,
    ty: Option<&'a ast::TypeExpr>,
    from: Option<&'a ast::Expr>,
    guard: Option<&'a ast::Expr>,
    suggest: Option<&'a ast::Expr>,
    or_none: bool,
    span: Span,
}

/// How many things a bag is to hold, from a least number to a greatest.
type Sizes = (Expr, Option<Expr>);

impl<'a> Checker<'a> {
    /// A choice `for` something.
    pub(super) fn asked(&mut self, choice: &'a ast::Choice, span: Span) -> Option<Choice> {
        let ast::Choice::For { count, up_to, name, ty, from, guard, suggest, or_none } = choice else { return None };
        let offer = Offer {
            name,
            ty: ty.as_ref(),
            from: from.as_ref(),
            guard: guard.as_ref(),
            suggest: suggest.as_ref(),
            or_none: *or_none,
            span,
        };
        let choice = self.asked_for(count.as_ref(), *up_to, &offer);
        // Only one member of a set is chosen from a list.
        if let (Some(suggest), Some(choice)) = (offer.suggest, &choice)
            && !matches!(choice, Choice::Member { .. })
        {
            self.sink.push(errors::suggest_one_member(suggest.span));
        }
        choice
    }

    fn asked_for(&mut self, count: Option<&'a ast::Expr>, up_to: bool, offer: &Offer<'a>) -> Option<Choice> {
        if let Some(count) = count {
            return self.several(count, up_to, offer);
        }
        match (offer.ty.map(|ty| &ty.kind), offer.from.map(|from| &from.kind)) {
            (Some(ast::TypeKind::Sized(size, name)), None) if self.is_bag_of_all(&name.text) => {
                let sizes = match &size.kind {
                    ast::ExprKind::Range(low, high) => {
                        (self.expect(low, Type::Number), Some(self.expect(high, Type::Number)))
                    }
                    _ => (self.expect(size, Type::Number), None),
                };
                let bag = ast::Expr { kind: ast::ExprKind::Name(name.clone()), span: name.span };
                let from = self.expr(&bag, Type::Unknown);
                self.bag_choice(sizes, None, Some(from), offer)
            }
            (Some(ast::TypeKind::Range(low, high)), _) => self.number_choice(low, high, offer),
            (Some(ast::TypeKind::RangeOr(low, high, words)), _) => {
                if let Some(word) = words.iter().find(|word| word.text != "none") {
                    self.sink.push(errors::number_or_word(word.span, &word.text));
                }
                self.number_choice(low, high, &Offer { or_none: true, ..*offer })
            }
            (None, Some(ast::ExprKind::Range(low, high))) => match self.sized(high) {
                Some((most, bag)) => {
                    let low = self.expect(low, Type::Number);
                    let from = self.expr(bag, Type::Unknown);
                    self.bag_choice((low, Some(most)), None, Some(from), offer)
                }
                None => self.number_choice(low, high, offer),
            },
            (None, Some(_)) => match offer.from.and_then(|from| self.sized(from)) {
                Some((size, bag)) => {
                    let from = self.expr(bag, Type::Unknown);
                    self.bag_choice((size, None), None, Some(from), offer)
                }
                None => self.member_choice(offer),
            },
            (Some(_), _) | (None, None) => self.member_choice(offer),
        }
    }

    /// Is it a bag that there is one of, `state pot: bag of coin`? Written behind a size, it looks like a kind of thing.
    fn is_bag_of_all(&self, name: &str) -> bool {
        let Some(Entry::Field(field)) = self.names.peek(name) else { return false };
        let field = self.program.fields.get(field.index());
        field.is_some_and(|field| field.keys.is_empty() && matches!(field.ty, FieldType::Bag { .. }))
    }

    /// `half(n) of p.hand`, `2 coin`: the size before a bag.
    fn sized(&mut self, expr: &'a ast::Expr) -> Option<(Expr, &'a ast::Expr)> {
        match &expr.kind {
            ast::ExprKind::Of { left, right, form: ast::OfForm::Of } => match self.path(left, Type::Unknown).base {
                Base::Value(size) if size.ty == Type::Number => Some((*size, right)),
                Base::Value(_) | Base::Field { .. } | Base::Tally { .. } => None,
            },
            ast::ExprKind::Amount { count, of } => Some((self.expect(count, Type::Number), of)),
            _ => None,
        }
    }

    /// One member of a set.
    fn member_choice(&mut self, offer: &Offer<'a>) -> Option<Choice> {
        let written = offer.ty.map(|ty| self.written_type(ty, false));
        if let Some(Written { ty: Some(Type::Bag(domain)), size: Some((low, high)), among, .. }) = &written {
            // `for paid: 2 of coin` is a bag of that size.
            let of = Written { ty: Some(Type::Member(*domain)), among: among.clone(), ..Written::default() };
            let size = |n: i64| super::expr::number(n, offer.name.span);
            let most = high.filter(|high| high != low).map(size);
            let from = offer.from.map(|from| self.expect(from, Type::Bag(*domain)));
            return self.bag_choice((size(*low), most), Some(of), from, offer);
        }
        let over = self.offered(written.as_ref(), None, offer);
        let among = self.kinds_of(&over);
        let ty = match over.ty {
            Type::Set(domain) => Type::Member(domain),
            _ => Type::Unknown,
        };
        let suggested = offer.suggest.map(|cond| self.filtered(over.clone(), Some(offer.name), cond, cond.span));
        let local = self.new_local(offer.name, ty, among);
        if over.ty == Type::Unknown {
            return None;
        }
        self.stands_for_piece(local, &over);
        if super::empty::is_empty(&self.program, &over) {
            self.sink.push(errors::nothing_to_choose(over.span));
        }
        if suggested.as_ref().is_some_and(|suggested| suggested.ty == Type::Unknown) {
            return None;
        }
        Some(Choice::Member { local, from: over, or_none: offer.or_none, suggested })
    }

    /// The set that members are chosen from.
    fn offered(&mut self, written: Option<&Written>, from: Option<Expr>, offer: &Offer<'a>) -> Expr {
        let (name, span) = (offer.name, offer.span);
        let typed = match written {
            Some(written) => match written.ty() {
                Type::Member(domain) if written.others => {
                    let me = self.expr(&ast::Expr { kind: ast::ExprKind::Me, span: name.span }, Type::Member(domain));
                    Some(self.others(me, domain, name.span))
                }
                Type::Member(domain) => Some(self.members(domain, written.among.clone(), name.span)),
                Type::Unknown => return unknown(span),
                ty @ (Type::Truth | Type::Number | Type::Set(_) | Type::Bag(_) | Type::Nothing) => {
                    let what = self.type_name(ty);
                    self.sink.push(errors::cannot_be_chosen(offer.ty.map_or(span, |t| t.span), &what));
                    return unknown(span);
                }
            },
            None => None,
        };
        let want = typed.as_ref().map_or(Type::Unknown, |t| t.ty);
        let from = match (from, offer.from) {
            (Some(found), _) => Some(self.as_set(found)),
            (None, Some(from)) => {
                let found = self.set_wanted(from, want);
                Some(self.coerce(found, want))
            }
            (None, None) => None,
        };
        let over = match (typed, from) {
            (Some(typed), Some(from)) => self.narrowed_to(from, typed),
            (Some(typed), None) => typed,
            (None, Some(from)) => from,
            (None, None) => unknown(span),
        };
        match offer.guard {
            Some(guard) => self.filtered(over, Some(name), guard, guard.span),
            None => over,
        }
    }

    /// Leaves out the words behind the goods, where a bag already gives only goods.
    fn narrowed_to(&self, from: Expr, typed: Expr) -> Expr {
        let all = match (&typed.kind, self.kinds_of(&from)) {
            (ExprKind::Members(members), Some(kinds)) => kinds.iter().all(|k| members.contains(k)),
            _ => false,
        };
        if all { from } else { narrowed(from, typed) }
    }

    pub(super) fn all_members(&self, domain: DomainId) -> Vec<u32> {
        let count = self.program.domains.get(domain.index()).map_or(0, |d| d.members.len());
        (0..count as u32).collect()
    }

    /// So many, or up to so many: a bag where these can lie in one, else a set that is chosen member by member.
    fn several(&mut self, count: &'a ast::Expr, up_to: bool, offer: &Offer<'a>) -> Option<Choice> {
        let count = self.expect(count, Type::Number);
        let written = offer.ty.map(|ty| self.written_type(ty, false));
        let countable = |checker: &Self, ty: Type| match ty {
            Type::Member(domain) | Type::Set(domain) => checker.can_be_counted(domain),
            Type::Bag(_) => true,
            Type::Truth | Type::Number | Type::Nothing | Type::Unknown => false,
        };
        let from = match (&written, offer.from) {
            (None, Some(from)) => Some(self.expr(from, Type::Unknown)),
            (Some(_), _) | (None, None) => None,
        };
        let in_bag = match (&written, &from) {
            (Some(written), _) => countable(self, written.ty()),
            (None, Some(from)) => countable(self, from.ty),
            (None, None) => false,
        };
        if in_bag {
            let from = match (&written, offer.from) {
                (Some(written), Some(from)) => {
                    let want = match written.ty() {
                        Type::Member(domain) => Type::Bag(domain),
                        other => other,
                    };
                    Some(self.expr(from, want))
                }
                (Some(_) | None, _) => from,
            };
            let one = super::expr::number(1, count.span);
            let (sizes, or_none) = if up_to { ((one, Some(count)), true) } else { ((count, None), offer.or_none) };
            return self.bag_choice(sizes, written, from, &Offer { or_none, ..*offer });
        }
        let over = self.offered(written.as_ref(), from, offer);
        let among = self.kinds_of(&over);
        let Type::Set(domain) = over.ty else {
            self.new_local(offer.name, Type::Unknown, None);
            return None;
        };
        let each =
            self.scope.add(&offer.name.text, LocalType::Value(Type::Member(domain)), among.clone(), offer.name.span);
        let local = self.new_local(offer.name, over.ty, among);
        if offer.or_none {
            self.sink.push(errors::several_or_none(offer.span));
        }
        if super::empty::is_empty(&self.program, &over) {
            self.sink.push(errors::nothing_to_choose(over.span));
        }
        (count.ty != Type::Unknown).then_some(Choice::Members { local, each, count, up_to, from: over })
    }

    /// A number of a range, whose ends may be computed.
    fn number_choice(&mut self, low: &'a ast::Expr, high: &'a ast::Expr, offer: &Offer<'a>) -> Option<Choice> {
        if let (Some(least), Some(most)) = (super::types::constant(low), super::types::constant(high)) {
            let span = low.span.to(high.span);
            if least > most {
                self.sink.push(errors::range_backwards(span, least, most));
            } else if most.saturating_sub(least) >= MAX_NUMBERS {
                self.sink.push(errors::too_many_numbers(span, MAX_NUMBERS));
            }
        }
        let (low, high) = (self.expect(low, Type::Number), self.expect(high, Type::Number));
        if let Some(from) = offer.from
            && offer.ty.is_some()
        {
            self.sink.push(errors::number_out_of_what(from.span));
        }
        let local = self.scope.add(&offer.name.text, LocalType::Value(Type::Number), None, offer.name.span);
        let guard = offer.guard.map(|guard| self.answer_test(offer.name, local, guard));
        self.bind(offer.name, local);
        let fine = [Some(&low), Some(&high), guard.as_ref()].into_iter().flatten().all(|e| e.ty != Type::Unknown);
        fine.then_some(Choice::Number { local, low, high, guard, or_none: offer.or_none })
    }

    /// A test of the answer, under its name.
    fn answer_test(&mut self, name: &ast::Name, local: crate::program::LocalId, guard: &'a ast::Expr) -> Expr {
        let level = self.scope.level();
        self.bind(name, local);
        // A test must not act.
        let before = self.scope.before.take();
        let cond = self.truth(guard);
        self.scope.before = before;
        self.scope.back_to(level);
        cond
    }

    /// A bag of a size, out of another or of some kinds.
    fn bag_choice(
        &mut self,
        (least, most): Sizes,
        written: Option<Written>,
        from: Option<Expr>,
        offer: &Offer<'a>,
    ) -> Option<Choice> {
        let (name, span) = (offer.name, offer.span);
        let typed = match written {
            Some(written) => match written.ty() {
                Type::Member(domain) if self.can_be_counted(domain) => {
                    Some((domain, written.among.or_else(|| self.countable(domain))))
                }
                Type::Unknown => {
                    self.new_local(name, Type::Unknown, None);
                    return None;
                }
                other => {
                    let what = self.type_name(other);
                    self.sink.push(errors::cannot_count(offer.ty.map_or(span, |t| t.span), &what));
                    self.new_local(name, Type::Unknown, None);
                    return None;
                }
            },
            None => None,
        };
        let (choice_ty, among) = match (&from, &typed) {
            (Some(from), _) => (from.ty, self.kinds_of(from)),
            (None, Some((domain, among))) => (Type::Bag(*domain), among.clone()),
            (None, None) => (Type::Unknown, None),
        };
        let domain = match choice_ty {
            Type::Bag(domain) | Type::Set(domain) if self.can_be_counted(domain) => domain,
            Type::Unknown => {
                self.new_local(name, Type::Unknown, None);
                return None;
            }
            ty => {
                let what = self.type_name(ty);
                self.sink.push(errors::cannot_count(offer.from.map_or(span, |f| f.span), &what));
                self.new_local(name, Type::Unknown, None);
                return None;
            }
        };
        let ty = Type::Bag(domain);
        let among = among.or_else(|| self.countable(domain));
        let local = self.scope.add(&name.text, LocalType::Value(ty), among.clone(), name.span);
        let guard = offer.guard.map(|guard| self.answer_test(name, local, guard));
        self.bind(name, local);
        let parts = [Some(&least), most.as_ref(), guard.as_ref()];
        if parts.into_iter().flatten().any(|e| e.ty == Type::Unknown) {
            return None;
        }
        let size = BagSize { least, most, guard, or_none: offer.or_none };
        Some(match from {
            Some(from) if from.ty == ty => {
                let from = match typed.and_then(|(_, among)| among) {
                    Some(members) => {
                        let set = Expr { kind: ExprKind::Members(members), ty: Type::Set(domain), span };
                        match self.kinds_of(&from) {
                            Some(kinds) if self.kinds_of(&set).is_some_and(|m| kinds.iter().all(|k| m.contains(k))) => {
                                from
                            }
                            _ => {
                                Expr { kind: ExprKind::BagWithin { bag: Box::new(from), set: Box::new(set) }, ty, span }
                            }
                        }
                    }
                    None => from,
                };
                Choice::Bag { local, size, from }
            }
            Some(_) | None => {
                let among = among.unwrap_or_else(|| self.all_members(domain));
                Choice::Kinds { local, size, domain, among }
            }
        })
    }
}
