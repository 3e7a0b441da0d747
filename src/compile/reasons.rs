//! Why a move is not legal: each requirement is tested by itself, and the part of a set that leaves a member out
//! names its reason.

use std::rc::Rc;

use super::Lower;
use super::actions::{Condition, What};
use super::assemble::Label;
use super::bags::BagAt;
use super::environment::{Bind, Scope, Val};
use crate::engine::code::{ReasonText, Shape, TextPart};
use crate::engine::instr::Op;
use crate::program::{
    BagPlace, DomainId, Expr, ExprKind, ParamDomain, Reason, ReasonPart, Scope as LimitScope, Store, Type,
};
use crate::source::Span;

/// A reason with the scope that its holes are computed in.
type Said<'p> = Option<(&'p Reason, Rc<Scope<'p>>)>;

impl<'p> Lower<'p> {
    /// Computes the holes of a text.
    pub fn reason_text(&mut self, reason: &'p Reason, it: Option<(u16, Type)>) -> ReasonText {
        let mut parts = Vec::new();
        for part in &reason.parts {
            parts.push(match part {
                ReasonPart::Text(t) => TextPart::Text(t.clone()),
                ReasonPart::Value(e) => {
                    let at = match e.ty {
                        Type::Set(_) => self.set(e).at,
                        Type::Bag(_) => self.bag(e).at,
                        Type::Truth | Type::Number | Type::Member(_) | Type::Nothing | Type::Unknown => {
                            self.value_at(e)
                        }
                    };
                    TextPart::Value(at, e.ty)
                }
                ReasonPart::It => match it {
                    Some((at, ty)) => TextPart::Value(at, ty),
                    None => TextPart::Text("it".into()),
                },
            });
        }
        ReasonText { parts, span: reason.span }
    }

    fn say(&mut self, said: &Said<'p>, it: Option<(u16, Type)>, otherwise: impl FnOnce() -> String, span: Span) {
        match said {
            Some((reason, scope)) => {
                let (reason, scope) = (*reason, scope.clone());
                let text = self.within(&scope, |l| l.reason_text(reason, it));
                self.reason(text);
            }
            None => self.reason(ReasonText { parts: vec![TextPart::Text(otherwise())], span }),
        }
    }

    pub fn why_param(&mut self, domain: &'p ParamDomain, address: u16, ty: Type) {
        let fine = self.asm.label();
        match domain {
            ParamDomain::Members(set) => {
                if let (ExprKind::All(_), Type::Member(_)) = (&set.kind, ty) {
                    return;
                }
                self.branch_in(Val::At(address), set, true, fine);
                let parts = vec![TextPart::Value(address, ty), TextPart::Text(" cannot be chosen here".into())];
                self.reason(ReasonText { parts, span: set.span });
            }
            ParamDomain::Bag { domain, low, high, .. } => {
                let words = self.bag_width(*domain);
                let size = self.asm.scratch(1);
                let bad = self.asm.label();
                self.asm.emit(Op::BagSize1.wide(words), size, address, 0);
                // A bag without a declared size may be empty; requirements say more.
                let (least, most) = match high {
                    Some(high) => (self.number(*low), self.number(*high)),
                    None => (self.number(0), self.number(i64::MAX)),
                };
                self.branch_to(Op::JumpLess, size, least, bad);
                self.branch_to(Op::JumpAtMost, size, most, fine);
                self.asm.place(bad);
                let text = match high {
                    Some(high) if high == low => format!(" is not a choice of {low}"),
                    _ => " has not the right size".into(),
                };
                let parts = vec![TextPart::Value(address, ty), TextPart::Text(text)];
                self.reason(ReasonText { parts, span: Span::default() });
            }
            ParamDomain::Number { low, high } => {
                let (bad, least, most) = (self.asm.label(), self.number(*low), self.number(*high));
                self.branch_to(Op::JumpLess, address, least, bad);
                self.branch_to(Op::JumpAtMost, address, most, fine);
                self.asm.place(bad);
                let parts =
                    vec![TextPart::Value(address, ty), TextPart::Text(format!(" is not between {low} and {high}"))];
                self.reason(ReasonText { parts, span: Span::default() });
            }
        }
        self.asm.place(fine);
    }

    /// Code that reports why a member cannot answer a question.
    pub fn why_member(&mut self, from: &'p Expr, answer: u16, domain: DomainId) -> Label {
        let (_, label) = self.asm.open("why answer");
        self.why_answer(from, answer, Type::Member(domain));
        self.asm.emit(Op::EndMenu, 0, 0, 0);
        self.asm.close();
        label
    }

    pub fn why_answer(&mut self, from: &'p Expr, answer: u16, ty: Type) {
        self.why_in(Val::At(answer), ty, from, &None, "the answer");
    }

    pub fn why_condition(&mut self, condition: &Condition<'p>, action: &str) {
        let mark = self.asm.mark();
        let asked = self.asm.label();
        for (premise, sense, scope) in condition.premises.iter() {
            self.within(scope, |l| l.branch(premise, !sense, asked));
        }
        let said: Said<'p> = condition.reason.map(|r| (r, condition.scope.clone()));
        let scope = condition.scope.clone();
        match &condition.what {
            What::Holds(e) => {
                let e: &'p Expr = e;
                self.within(&scope, |l| l.why_holds(e, &said, action));
            }
            What::Covers { from, amount, amount_scope, before } => {
                let fine = self.asm.label();
                let (ty, amount_scope) = (amount.ty, amount_scope.clone());
                let mut amount = self.within(&amount_scope, |l| l.bag(amount));
                for (more, more_scope) in before {
                    amount = self.within(more_scope, |l| {
                        let other = l.bag(more);
                        l.sum_of_bags(amount, other, more.span)
                    });
                }
                let held = self.within(&scope, |l| match from {
                    Store::Bag(place) => l.place_bag(place),
                    Store::Homes => l.home_bag(),
                });
                self.branch_to(Op::JumpHas1.wide(amount.words), held.at, amount.at, fine);
                let missing = self.combine_bags(Op::BagSubtract1, amount, held);
                let ty = match ty {
                    Type::Member(d) => Type::Bag(d),
                    other => other,
                };
                let before = match from {
                    Store::Bag(_) => "it takes ",
                    Store::Homes => "there is too little: ",
                };
                let parts = vec![
                    TextPart::Text(before.into()),
                    TextPart::Value(missing.at, ty),
                    TextPart::Text(match from {
                        Store::Bag(_) => " more than you have".into(),
                        Store::Homes => " is missing".to_string(),
                    }),
                ];
                self.reason(ReasonText { parts, span: Span::default() });
                self.asm.place(fine);
            }
            What::Fits { to, amount } => {
                let fine = self.asm.label();
                let over = self.within(&scope, |l| {
                    let wanted = l.bag(amount);
                    let room = l.room(to)?;
                    l.branch_to(Op::JumpHas1.wide(wanted.words), room.at, wanted.at, fine);
                    Some(l.combine_bags(Op::BagSubtract1, wanted, room))
                });
                if let Some(over) = over {
                    let ty = match amount.ty {
                        Type::Member(d) => Type::Bag(d),
                        other => other,
                    };
                    let name = self.program.fields[to.field.index()].name.clone();
                    let before = TextPart::Text("there is no room for ".into());
                    let parts = vec![before, TextPart::Value(over.at, ty), TextPart::Text(format!(" in {name}"))];
                    self.reason(ReasonText { parts, span: Span::default() });
                }
                self.asm.place(fine);
            }
            What::Supply(piece, owner) => {
                let fine = self.asm.label();
                let count = self.layout.pieces[piece.index()].count;
                let name = self.program.pieces[piece.index()].name.clone();
                let set = self.within(&scope, |l| l.piece_set(*piece, owner));
                let (placed, most) = (self.asm.scratch(1), self.number(count));
                self.asm.emit(Op::Count1.wide(set.words), placed, set.at, 0);
                self.branch_to(Op::JumpLess, placed, most, fine);
                self.say(&None, None, || format!("no {name} is left: all {count} are on the board"), Span::default());
                self.asm.place(fine);
            }
            What::Possible(perform) => {
                let fine = self.asm.label();
                let names: Vec<String> = perform
                    .actions
                    .iter()
                    .filter_map(|(id, _)| self.program.actions.get(id.index()))
                    .map(|a| format!("`{}`", a.title()))
                    .collect();
                let no = self.asm.label();
                self.branch_condition(condition, no);
                self.asm.jump(fine);
                self.asm.place(no);
                let text = format!("{} cannot be done", names.join(" or "));
                self.say(&None, None, || text, Span::default());
                self.asm.place(fine);
            }
            What::Limit(limit) => {
                let (fine, full) = (self.asm.label(), self.asm.label());
                self.branch_limit(*limit, full);
                self.asm.jump(fine);
                self.asm.place(full);
                let decl = &self.program.limits[limit.index()];
                let scope = match decl.scope {
                    LimitScope::Turn => "a turn",
                    LimitScope::Game => "a game",
                    LimitScope::Chapter => "a chapter",
                };
                let times = match decl.count {
                    1 => "once".to_string(),
                    n => format!("{n} times"),
                };
                let action = self.program.actions.iter().find(|a| a.name == decl.name);
                let (name, span) = (action.map_or_else(|| decl.name.clone(), |a| a.title()), decl.span);
                self.say(&None, None, || format!("{name}: only {times} {scope}"), span);
                self.asm.place(fine);
            }
        }
        self.asm.place(asked);
        self.asm.release(mark);
    }

    fn why_holds(&mut self, e: &'p Expr, said: &Said<'p>, action: &str) {
        match &e.kind {
            ExprKind::In { member, set } => {
                let ty = member.ty;
                let member = self.value(member);
                self.why_in(member, ty, set, said, action);
            }
            ExprKind::And(a, b) if said.is_none() => {
                self.why_holds(a, said, action);
                self.why_holds(b, said, action);
            }
            _ => {
                let fine = self.asm.label();
                self.branch(e, true, fine);
                self.say(said, None, || format!("a requirement of `{action}` is not met"), e.span);
                self.asm.place(fine);
            }
        }
    }

    /// Reports the parts of a set that leave a member out.
    fn why_in(&mut self, member: Val, ty: Type, set: &'p Expr, said: &Said<'p>, action: &str) {
        match &set.kind {
            ExprKind::Reasoned { set, reason } => {
                let scope = self.shared_scope();
                self.why_in(member, ty, set, &Some((reason, scope)), action);
            }
            ExprKind::Intersect(a, b) => {
                self.why_in(member, ty, a, said, action);
                self.why_in(member, ty, b, said, action);
            }
            ExprKind::Without(a, b) => {
                self.why_in(member, ty, a, said, action);
                let fine = self.asm.label();
                let (inner, said): (&'p Expr, Said<'p>) = match &b.kind {
                    ExprKind::Reasoned { set, reason } => (set, Some((reason, self.shared_scope()))),
                    _ => (b, said.clone()),
                };
                self.branch_in(member, inner, false, fine);
                let at = self.address(member);
                self.say(&said, Some((at, ty)), || format!("a requirement of `{action}` is not met"), set.span);
                self.asm.place(fine);
            }
            ExprKind::Call { function, args } if self.has_reasons(&self.program.functions[function.index()].body) => {
                let decl = &self.program.functions[function.index()];
                let scope = self.shared_scope();
                let mut inner = Scope { binds: vec![Bind::Unset; decl.locals.len()], me: scope.me };
                for (param, arg) in decl.params.iter().zip(args) {
                    inner.binds[param.index()] = Bind::Lazy(arg, scope.clone());
                }
                self.within(&inner, |l| l.why_in(member, ty, &decl.body, said, action));
            }
            ExprKind::If { cond, then, otherwise } if self.known(cond).is_some() => {
                let chosen = if self.known(cond) != Some(0) { then } else { otherwise };
                self.why_in(member, ty, chosen, said, action);
            }
            _ => {
                let fine = self.asm.label();
                self.branch_in(member, set, true, fine);
                let at = self.address(member);
                self.say(said, Some((at, ty)), || format!("a requirement of `{action}` is not met"), set.span);
                self.asm.place(fine);
            }
        }
    }

    /// Does a part of the set say why it leaves a member out, in this expression or in a set that it names?
    fn has_reasons(&self, e: &Expr) -> bool {
        let mut found = false;
        super::functions::walk(e, &mut |e| match &e.kind {
            ExprKind::Reasoned { .. } => found = true,
            ExprKind::Call { function, .. } => {
                found |= self.program.functions.get(function.index()).is_some_and(|f| self.has_reasons(&f.body));
            }
            _ => {}
        });
        found
    }

    /// The bag of a store, to be read.
    pub fn place_bag(&mut self, place: &'p BagPlace) -> BagAt {
        let layout = self.layout.fields[place.field.index()].clone();
        let words = match layout.shape {
            Shape::Bag(words) => words,
            Shape::Word | Shape::Set(_) | Shape::Rows { .. } => 1,
        };
        let cell = self.cell(&place.keys, &layout.keys);
        self.bag_in_cell(layout.address, words, cell)
    }

    /// All homes together: what is left of each good.
    pub fn home_bag(&mut self) -> BagAt {
        let mut fields: Vec<crate::program::FieldId> = self.program.homes.iter().flatten().copied().collect();
        fields.dedup();
        fields.sort();
        fields.dedup();
        let mut out: Option<BagAt> = None;
        for field in fields {
            let layout = self.layout.fields[field.index()].clone();
            let words = match layout.shape {
                Shape::Bag(words) => words,
                Shape::Word | Shape::Set(_) | Shape::Rows { .. } => 1,
            };
            let here = BagAt { at: layout.address, words };
            out = Some(match out {
                None => here,
                Some(before) => self.combine_bags(Op::BagAdd1, before, here),
            });
        }
        out.unwrap_or_else(|| self.empty_bag(1))
    }
}
