//! Expressions: the grammar gives a flat row of operands and operators; here they are put together by how tightly each
//! one binds. The numbers below are the whole table of precedence; [`binding`] holds those of the infix operators.

use std::collections::VecDeque;

use pest::iterators::Pair;

use crate::source::Span;

use super::ast::{Arg, BinaryOp, Expr, ExprKind, Name, OfForm, PrefixOp, Text};
use super::errors;
use super::grammar::Rule;
use super::parts::{Builder, Parts};

const LOOSEST: u8 = 0;
const NOT: u8 = 3;
const COMPARED: u8 = 4;
const PICKED: u8 = 5;
const REASON: u8 = 9;
const NEGATED: u8 = 13;
const PLACED: u8 = 14;
const COUNTED: u8 = 15;
const OWNED: u8 = 16;

/// One sign of the row.
enum Sign {
    Prefix(Rule, Span),
    Operand(Expr),
    Infix(Rule, Span),
    /// Nothing between two values: an amount.
    Beside,
    InSupply(Span),
    Reason(Text),
}

type Row = VecDeque<Sign>;

/// What an infix operator makes of its sides.
#[derive(Clone, Copy)]
enum Made {
    Binary(BinaryOp),
    Where,
    Range,
    At,
    Of,
}

/// How tightly an operator binds to the left and to the right, and what it makes.
fn binding(rule: Rule) -> Option<(u8, u8, Made)> {
    let left = |level: u8, op| Some((level, level + 1, Made::Binary(op)));
    match rule {
        Rule::kw_or => left(1, BinaryOp::Or),
        Rule::kw_and => left(2, BinaryOp::And),
        Rule::equal => left(COMPARED, BinaryOp::Equal),
        Rule::not_equal => left(COMPARED, BinaryOp::NotEqual),
        Rule::less => left(COMPARED, BinaryOp::Less),
        Rule::less_equal => left(COMPARED, BinaryOp::LessEqual),
        Rule::more => left(COMPARED, BinaryOp::Greater),
        Rule::more_equal => left(COMPARED, BinaryOp::GreaterEqual),
        Rule::kw_in => left(COMPARED, BinaryOp::In),
        Rule::not_in => left(COMPARED, BinaryOp::NotIn),
        Rule::kw_has => left(COMPARED, BinaryOp::Has),
        Rule::kw_meets => left(COMPARED, BinaryOp::Meets),
        Rule::kw_disjoint => left(COMPARED, BinaryOp::Disjoint),
        Rule::kw_is => left(COMPARED, BinaryOp::Is),
        // The condition behind `where` reaches as far as it can.
        Rule::kw_where => Some((PICKED, LOOSEST, Made::Where)),
        Rule::kw_near => left(PLACED, BinaryOp::Near),
        Rule::kw_without => left(7, BinaryOp::Without),
        Rule::pipe => left(7, BinaryOp::Union),
        Rule::amp => left(8, BinaryOp::Intersect),
        Rule::dotdot => Some((10, 11, Made::Range)),
        Rule::plus => left(11, BinaryOp::Add),
        Rule::minus => left(11, BinaryOp::Subtract),
        Rule::star => left(12, BinaryOp::Multiply),
        Rule::slash => left(12, BinaryOp::Divide),
        Rule::kw_mod => left(12, BinaryOp::Modulo),
        Rule::at => Some((PLACED, PLACED + 1, Made::At)),
        Rule::kw_of => Some((OWNED, OWNED, Made::Of)),
        _ => None,
    }
}

impl Builder<'_> {
    /// An `expr`, `value`, `reasoned` or `ask_set`: a flat row.
    pub fn expr(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let mut row = Row::new();
        for part in pair.into_inner() {
            let at = self.span(&part);
            let rule = part.as_rule();
            row.push_back(match rule {
                Rule::operand => Sign::Operand(self.operand(part)),
                Rule::binder => Sign::Operand(self.binder(part)),
                Rule::expr_infix | Rule::value_infix => {
                    Sign::Infix(part.into_inner().next().map_or(rule, |inner| inner.as_rule()), at)
                }
                Rule::juxtaposed => Sign::Beside,
                Rule::in_supply_op => Sign::InSupply(at),
                Rule::text => Sign::Reason(self.quoted(part)),
                _ => Sign::Prefix(rule, at),
            });
        }
        if row.len() == 1
            && let Some(Sign::Operand(only)) = row.pop_front()
        {
            return only;
        }
        self.climb(&mut row, LOOSEST, span)
    }

    /// The expression inside a pair such as `to X` or `where C`.
    pub fn expr_in(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let mut parts = self.parts(pair);
        self.next_expr(&mut parts)
    }

    /// The next expression of any kind among the pieces.
    pub fn some_expr(&mut self, parts: &mut Parts<'_>) -> Option<Expr> {
        let at = parts.pairs.iter().position(|pair| {
            matches!(
                pair.as_rule(),
                Rule::expr | Rule::value | Rule::chosen | Rule::operand | Rule::who | Rule::bound | Rule::ask_set
            )
        })?;
        let pair = parts.pairs.remove(at);
        Some(match pair.as_rule() {
            Rule::chosen => self.chosen(pair),
            Rule::operand | Rule::who => self.operand(pair),
            Rule::bound => self.bound(pair),
            _ => self.expr(pair),
        })
    }

    pub fn next_expr(&mut self, parts: &mut Parts<'_>) -> Expr {
        let span = parts.span;
        self.some_expr(parts).unwrap_or_else(|| self.bad(span))
    }

    /// The expression inside the first piece of this rule.
    pub fn expr_of(&mut self, parts: &mut Parts<'_>, rule: Rule) -> Option<Expr> {
        self.only(parts, rule).map(|pair| self.expr_in(pair))
    }

    fn climb(&mut self, row: &mut Row, tightest: u8, span: Span) -> Expr {
        // Whether nothing but one operand was read yet, which is what an amount can begin with.
        let mut single = matches!(row.front(), Some(Sign::Operand(_)));
        let mut left = self.begin(row, span);
        let mut compared: Option<Span> = None;
        while let Some(sign) = row.pop_front() {
            let (inner, made) = match sign {
                Sign::Beside if COUNTED >= tightest => {
                    let of = self.climb(row, OWNED, span);
                    if !single {
                        self.sink.push(errors::side_by_side(of.span));
                        row.clear();
                        return self.bad(span);
                    }
                    let whole = left.span.to(of.span);
                    left = Expr { kind: ExprKind::Amount { count: Box::new(left), of: Box::new(of) }, span: whole };
                    single = false;
                    continue;
                }
                Sign::InSupply(at) if PLACED >= tightest => {
                    let whole = left.span.to(at);
                    left = Expr { kind: ExprKind::InSupply(Box::new(left)), span: whole };
                    single = false;
                    continue;
                }
                Sign::Reason(reason) if REASON >= tightest => {
                    let whole = left.span.to(reason.span);
                    left = Expr { kind: ExprKind::Reasoned { set: Box::new(left), reason }, span: whole };
                    single = false;
                    continue;
                }
                Sign::Infix(rule, at) => match binding(rule) {
                    Some((level, inner, made)) if level >= tightest => {
                        if level == COMPARED {
                            if let Some(first) = compared {
                                self.sink.push(errors::chained_comparison(at, first));
                                row.clear();
                                return self.bad(span);
                            }
                            compared = Some(at);
                        }
                        (inner, made)
                    }
                    _ => {
                        row.push_front(Sign::Infix(rule, at));
                        return left;
                    }
                },
                sign @ (Sign::Beside | Sign::InSupply(_) | Sign::Reason(_) | Sign::Prefix(..) | Sign::Operand(_)) => {
                    row.push_front(sign);
                    return left;
                }
            };
            single = false;
            let right = self.climb(row, inner, span);
            left = join(made, left, right);
        }
        left
    }

    /// An operand, or a prefix word with what it takes.
    fn begin(&mut self, row: &mut Row, span: Span) -> Expr {
        let (rule, at) = match row.pop_front() {
            Some(Sign::Operand(operand)) => return operand,
            Some(Sign::Prefix(rule, at)) => (rule, at),
            Some(Sign::Infix(..) | Sign::Beside | Sign::InSupply(_) | Sign::Reason(_)) | None => return self.bad(span),
        };
        // `some S` and its like take a whole set with its `where`; the others only what stands next to them.
        let (level, op) = match rule {
            Rule::kw_not => (NOT, None),
            Rule::minus => (NEGATED, None),
            Rule::kw_some => (PICKED, Some(PrefixOp::Some)),
            Rule::kw_no => (PICKED, Some(PrefixOp::No)),
            Rule::kw_first => (PICKED, Some(PrefixOp::First)),
            Rule::kw_all => (OWNED, Some(PrefixOp::All)),
            _ => (OWNED, None),
        };
        let of = Box::new(self.climb(row, level, span));
        let whole = at.to(of.span);
        let kind = match (op, rule) {
            (Some(op), _) => ExprKind::Prefix { op, of },
            (None, Rule::kw_not) => ExprKind::Not(of),
            (None, Rule::minus) => ExprKind::Negate(of),
            (None, Rule::kw_neutral) => {
                let nobody = Name { text: "neutral".to_owned(), span: at };
                let right = Box::new(Expr { kind: ExprKind::Name(nobody), span: at });
                ExprKind::Of { left: of, right, form: OfForm::Of }
            }
            // `chronicle X`: what the chronicle keeps of X.
            (None, _) => ExprKind::Call {
                name: Name { text: "chronicle".to_owned(), span: at },
                args: vec![Arg { role: None, value: *of }],
            },
        };
        Expr { kind, span: whole }
    }

    /// `S where C`, where the condition may be missing.
    pub fn chosen(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let mut parts = self.parts(pair);
        let set = self.next_expr(&mut parts);
        match self.expr_of(&mut parts, Rule::guard) {
            Some(guard) => picked(set, guard),
            None => set,
        }
    }

    /// `= …` of a set declaration.
    pub fn set_body(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let mut parts = self.parts(pair);
        let reason = self.text(&mut parts);
        let guard = self.expr_of(&mut parts, Rule::guard);
        let mut set = match (parts.take(Rule::binder), parts.take(Rule::reasoned)) {
            (Some(binder), _) => self.binder(binder),
            (None, Some(row)) => self.expr(row),
            (None, None) => self.bad(parts.span),
        };
        if let Some(guard) = guard {
            set = picked(set, guard);
        }
        match reason {
            Some(reason) => {
                let span = set.span.to(reason.span);
                Expr { kind: ExprKind::Reasoned { set: Box::new(set), reason }, span }
            }
            None => set,
        }
    }

    fn binder(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let mut parts = self.parts(pair);
        let name = self.name(&mut parts);
        let ty = self.some_name(&mut parts);
        let guard = self.expr_of(&mut parts, Rule::guard).map(Box::new);
        let from = self.some_expr(&mut parts).map(Box::new);
        Expr { kind: ExprKind::Binder { name, ty, from, guard }, span: parts.span }
    }

    /// A number or name that is known at load time.
    pub fn bound(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let mut parts = self.parts(pair);
        let span = parts.span;
        let negative = parts.has(Rule::minus);
        let kind = match (parts.take(Rule::int), self.some_name(&mut parts)) {
            (Some(int), _) => ExprKind::Int(self.int(int)),
            (None, Some(name)) => ExprKind::Name(name),
            (None, None) => ExprKind::Bad,
        };
        match kind {
            ExprKind::Int(value) if negative => Expr { kind: ExprKind::Int(-value), span },
            kind if negative => Expr { kind: ExprKind::Negate(Box::new(Expr { kind, span })), span },
            kind => Expr { kind, span },
        }
    }

    /// An `operand` or `who`: something primary with `.name` and `[i]` behind it.
    pub fn operand(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let whole = self.span(&pair);
        let mut inner = pair.into_inner();
        let Some(first) = inner.next() else { return self.bad(whole) };
        let mut value = self.primary(first);
        for part in inner {
            let span = value.span.to(self.span(&part));
            let mut parts = self.parts(part);
            let kind = match parts.take(Rule::word) {
                Some(word) => {
                    let field = self.named(word);
                    let left = Box::new(Expr { span: field.span, kind: ExprKind::Name(field) });
                    ExprKind::Of { left, right: Box::new(value), form: OfForm::Dot }
                }
                None => {
                    let index = Box::new(self.next_expr(&mut parts));
                    ExprKind::Index { base: Box::new(value), index }
                }
            };
            value = Expr { kind, span };
        }
        value
    }

    pub fn primary(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let kind = match pair.as_rule() {
            Rule::int => ExprKind::Int(self.int(pair)),
            Rule::name => ExprKind::Name(self.named(pair)),
            Rule::kw_me => ExprKind::Me,
            Rule::kw_active => ExprKind::Active,
            Rule::kw_usual => ExprKind::Usual,
            Rule::my => {
                let mut parts = self.parts(pair);
                let kept = parts.take(Rule::kw_chronicle).map(|word| self.named(word));
                let name = self.name(&mut parts);
                let left = Box::new(Expr { span: name.span, kind: ExprKind::Name(name) });
                let right = Box::new(Expr { kind: ExprKind::Me, span: Span { end: span.start + 2, ..span } });
                let of = ExprKind::Of { left, right, form: OfForm::My };
                match kept {
                    // `my chronicle X`: what the chronicle keeps of mine.
                    Some(name) => {
                        ExprKind::Call { name, args: vec![Arg { role: None, value: Expr { kind: of, span } }] }
                    }
                    None => of,
                }
            }
            Rule::paren => self.paren(pair),
            Rule::if_expr => {
                let mut parts = self.parts(pair);
                let cond = Box::new(self.next_expr(&mut parts));
                let then = Box::new(self.next_expr(&mut parts));
                let otherwise = Box::new(self.next_expr(&mut parts));
                ExprKind::If { cond, then, otherwise }
            }
            Rule::allowed => {
                let mut parts = self.parts(pair);
                match parts.take(Rule::perform_allow) {
                    Some(perform) => ExprKind::Allowed(Box::new(self.perform(perform))),
                    None => ExprKind::Bad,
                }
            }
            Rule::rank_by => self.rank(pair),
            Rule::call => return self.call(pair),
            Rule::script_call => {
                let mut parts = self.parts(pair);
                let names = (parts.take(Rule::script_name), parts.take(Rule::callee), parts.take(Rule::args));
                match names {
                    (Some(script), Some(name), Some(args)) => {
                        let (script, name) = (self.named(script), self.named(name));
                        let args = self.args(args).into_iter().map(|arg| arg.value).collect();
                        ExprKind::ScriptCall { script, name, args }
                    }
                    _ => ExprKind::Bad,
                }
            }
            _ => ExprKind::Bad,
        };
        Expr { kind, span }
    }

    fn paren(&mut self, pair: Pair<'_, Rule>) -> ExprKind {
        let mut parts = self.parts(pair);
        let mut values: Vec<Expr> = Vec::new();
        for part in parts.all(Rule::expr) {
            values.push(self.expr(part));
        }
        if values.len() > 1 { ExprKind::Tuple(values) } else { values.pop().map_or(ExprKind::Bad, |only| only.kind) }
    }

    /// `rank of p by X`, as a call with the role `by`.
    fn rank(&mut self, pair: Pair<'_, Rule>) -> ExprKind {
        let mut parts = self.parts(pair);
        let span = parts.span;
        let name = Name { text: "rank".to_owned(), span: Span { end: span.start + 4, ..span } };
        let who = match parts.take(Rule::name) {
            Some(pair) => self.primary(pair),
            None => self.bad(span),
        };
        let role = parts.take(Rule::kw_by).map(|by| self.named(by));
        let value = self.next_expr(&mut parts);
        ExprKind::Call { name, args: vec![Arg { role: None, value: who }, Arg { role, value }] }
    }

    pub fn call(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let mut parts = self.parts(pair);
        let span = parts.span;
        let kind = match (parts.take(Rule::callee), parts.take(Rule::args)) {
            (Some(name), Some(args)) => ExprKind::Call { name: self.named(name), args: self.args(args) },
            _ => ExprKind::Bad,
        };
        Expr { kind, span }
    }

    pub fn args(&mut self, pair: Pair<'_, Rule>) -> Vec<Arg> {
        let mut args = Vec::new();
        for arg in pair.into_inner().filter(|part| part.as_rule() == Rule::arg) {
            let mut parts = self.parts(arg);
            let role = parts.take(Rule::role).map(|role| {
                let mut role = self.named(role);
                // `joined at S` is known by its first word.
                role.text = role.text.split_whitespace().next().unwrap_or("").to_owned();
                role
            });
            let value = match self.text(&mut parts) {
                Some(text) => Expr { span: text.span, kind: ExprKind::Text(text) },
                None => self.next_expr(&mut parts),
            };
            args.push(Arg { role, value });
        }
        args
    }
}

fn join(made: Made, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    let kind = match made {
        Made::Where => return picked(left, right),
        Made::Binary(op) => ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) },
        Made::Range => ExprKind::Range(Box::new(left), Box::new(right)),
        Made::At => ExprKind::At { left: Box::new(left), right: Box::new(right) },
        Made::Of => ExprKind::Of { left: Box::new(left), right: Box::new(right), form: OfForm::Of },
    };
    Expr { kind, span }
}

/// `S where C`; in `first S where C` the condition belongs to the set, not to what `first` takes from it.
pub fn picked(set: Expr, guard: Expr) -> Expr {
    let span = set.span.to(guard.span);
    let kind = match set.kind {
        ExprKind::Prefix { op: op @ (PrefixOp::Some | PrefixOp::No | PrefixOp::First), of } => {
            ExprKind::Prefix { op, of: Box::new(picked(*of, guard)) }
        }
        kind => {
            let set = Expr { kind, span: set.span };
            ExprKind::Where { set: Box::new(set), guard: Box::new(guard) }
        }
    };
    Expr { kind, span }
}
