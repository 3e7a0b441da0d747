//! Statements and blocks: pairs to [`Stmt`]. One arm for each statement of the grammar.

use pest::iterators::Pair;

use crate::source::Span;

use super::ast::{
    Arm, Ask, Block, Branch, Choice, Expr, ExprKind, For, Move, Name, Perform, PerformPart, PrefixOp, Scope, Stmt,
    StmtKind, TypeKind,
};
use super::diagnose::Place;
use super::grammar::Rule;
use super::parts::{Builder, Parts};

impl Builder<'_> {
    pub fn some_block(&mut self, parts: &mut Parts<'_>) -> Option<Block> {
        let block = parts.take(Rule::block)?;
        let mut statements = Vec::new();
        for stmt in block.into_inner().filter(|part| part.as_rule() == Rule::stmt) {
            statements.extend(stmt.into_inner().next().map(|inner| self.statement(inner, Place::Statement)));
        }
        Some(statements)
    }

    fn block_in(&mut self, parts: &mut Parts<'_>, rule: Rule) -> Option<Block> {
        let mut inner = parts.take(rule).map(|pair| self.parts(pair))?;
        self.some_block(&mut inner)
    }

    fn bind(&self, parts: &mut Parts<'_>) -> Option<Name> {
        parts.take(Rule::bind).map(|pair| self.name_in(pair))
    }

    /// One statement, or the bad slice that stands in for one.
    pub fn statement(&mut self, pair: Pair<'_, Rule>, place: Place) -> Stmt {
        let rule = pair.as_rule();
        if matches!(rule, Rule::bad_stmt | Rule::bad_clause) {
            let span = self.diagnose(&pair, place);
            return Stmt { kind: StmtKind::Bad, span };
        }
        let mut parts = self.parts(pair);
        let span = parts.span;
        Stmt { kind: self.kind(rule, &mut parts), span }
    }

    /// Statements that hold others come first and apart: nests of them must not need much room.
    fn kind(&mut self, rule: Rule, parts: &mut Parts<'_>) -> StmtKind {
        match rule {
            Rule::ask => StmtKind::Ask(self.ask(parts)),
            Rule::make => {
                let otherwise = self.block_in(parts, Rule::otherwise);
                StmtKind::Perform { must: true, perform: self.performed(parts, Rule::perform_make), otherwise }
            }
            Rule::allow => {
                let otherwise = self.block_in(parts, Rule::otherwise);
                StmtKind::Perform { must: false, perform: self.performed(parts, Rule::perform_allow), otherwise }
            }
            Rule::for_stmt => {
                let from = self.expr_of(parts, Rule::from);
                let guard = self.expr_of(parts, Rule::guard);
                StmtKind::For(For {
                    name: self.name(parts),
                    over: self.next_expr(parts),
                    from,
                    reversed: parts.has(Rule::kw_reversed),
                    at_once: parts.has(Rule::at_once),
                    guard,
                    body: self.block(parts),
                })
            }
            Rule::repeat => {
                let condition = self.expr_of(parts, Rule::while_part);
                let up_to = parts.has(Rule::up_to);
                StmtKind::Repeat { count: self.next_expr(parts), up_to, condition, body: self.block(parts) }
            }
            Rule::if_stmt => self.if_stmt(parts),
            Rule::case_stmt => {
                let mut arms = Vec::new();
                for arm in parts.all(Rule::arm) {
                    arms.extend(self.arm(arm));
                }
                StmtKind::Case { subject: self.next_expr(parts), arms }
            }
            Rule::part => StmtKind::Part { name: self.name(parts), body: self.block(parts) },
            _ => self.plain(rule, parts),
        }
    }

    fn plain(&mut self, rule: Rule, parts: &mut Parts<'_>) -> StmtKind {
        match rule {
            Rule::require => {
                let (name, reason) = (self.bind(parts), self.text(parts));
                StmtKind::Require { cond: self.next_expr(parts), name, reason }
            }
            Rule::once => StmtKind::Limit { count: 1, scope: self.scope(parts), group: self.bind(parts) },
            Rule::at_most => {
                let count = self.next_int(parts);
                StmtKind::Limit { count, scope: self.scope(parts), group: self.bind(parts) }
            }
            Rule::suggest => self.suggest(parts),
            Rule::give => {
                let from = self.expr_of(parts, Rule::from);
                let exactly = parts.has(Rule::kw_exactly);
                let to = self.next_expr(parts);
                StmtKind::Give { to, exactly, amount: self.next_expr(parts), from }
            }
            Rule::take => self.take_stmt(parts),
            Rule::pay => StmtKind::Pay { to: self.expr_of(parts, Rule::to), amount: self.next_expr(parts) },
            Rule::steal => {
                let count = self.next_expr(parts);
                StmtKind::Steal { count, from: self.next_expr(parts) }
            }
            Rule::swap => {
                let left = self.swap_side(parts);
                StmtKind::Swap { left, right: self.swap_side(parts) }
            }
            Rule::do_stmt => {
                let bind = self.bind(parts);
                StmtKind::Do { call: self.callable(parts), bind }
            }
            Rule::place => {
                let (bind, on) = (self.bind(parts), self.expr_or_bad(parts, Rule::on));
                StmtKind::Place { piece: self.next_expr(parts), on, bind }
            }
            Rule::move_stmt => self.move_stmt(parts),
            Rule::remove => {
                let (from, bind) = (self.expr_of(parts, Rule::from), self.bind(parts));
                StmtKind::Remove { piece: self.next_expr(parts), from, bind }
            }
            Rule::replace => {
                let (on, by) = (self.expr_or_bad(parts, Rule::on), self.expr_or_bad(parts, Rule::by));
                StmtKind::Replace { piece: self.next_expr(parts), on, by }
            }
            Rule::draw => {
                let (to, guard) = (self.expr_of(parts, Rule::to), self.expr_of(parts, Rule::guard));
                StmtKind::Draw { deck: self.name(parts), guard, to, bind: self.bind(parts) }
            }
            Rule::deal => self.deal(parts),
            Rule::discard => StmtKind::Discard { from: self.expr_of(parts, Rule::from), card: self.next_expr(parts) },
            Rule::turn_over => StmtKind::TurnOver { bind: self.bind(parts), what: self.next_expr(parts) },
            Rule::shuffle => StmtKind::Shuffle { on: self.expr_of(parts, Rule::on), what: self.next_expr(parts) },
            Rule::lay => {
                let mut values = Vec::new();
                for value in parts.all(Rule::lay_value) {
                    values.push(self.expr_in(value));
                }
                StmtKind::Lay { field: self.name(parts), values, along: self.next_expr(parts) }
            }
            Rule::reveal => StmtKind::Reveal { what: self.next_expr(parts) },
            Rule::look => StmtKind::Look { by: self.expr_of(parts, Rule::by), at: self.next_expr(parts) },
            Rule::roll => self.roll(parts),
            Rule::emit => match self.callable(parts).kind {
                ExprKind::Call { name, args } => {
                    StmtKind::Emit { event: name, args: args.into_iter().map(|arg| arg.value).collect() }
                }
                _ => StmtKind::Bad,
            },
            Rule::let_stmt => StmtKind::Let { name: self.name(parts), value: self.next_expr(parts) },
            Rule::set_stmt => {
                let target = self.next_expr(parts);
                StmtKind::Set { target, value: self.next_expr(parts) }
            }
            Rule::add => {
                let amount = self.next_expr(parts);
                StmtKind::Add { amount, target: self.next_expr(parts) }
            }
            Rule::tally => StmtKind::Tally { name: self.name(parts), keys: self.names(parts) },
            Rule::return_stmt => StmtKind::Return(self.some_expr(parts)),
            Rule::stop => StmtKind::Stop,
            Rule::end_turn => StmtKind::EndTurn,
            Rule::end_game => StmtKind::EndGame { winner: self.expr_of(parts, Rule::winner) },
            Rule::usual_stmt => StmtKind::Usual(self.bind(parts)),
            _ => StmtKind::Bad,
        }
    }

    fn expr_or_bad(&mut self, parts: &mut Parts<'_>, rule: Rule) -> Expr {
        let span = parts.span;
        self.expr_of(parts, rule).unwrap_or_else(|| self.bad(span))
    }

    fn scope(&self, parts: &mut Parts<'_>) -> Scope {
        let word = parts.take(Rule::scope).and_then(|scope| scope.into_inner().next()).map(|word| word.as_rule());
        match word {
            Some(Rule::kw_game) => Scope::Game,
            Some(Rule::kw_chapter) => Scope::Chapter,
            _ => Scope::Turn,
        }
    }

    fn suggest(&mut self, parts: &mut Parts<'_>) -> StmtKind {
        let mut sizes = Vec::new();
        for size in parts.all(Rule::size) {
            let mut size = self.parts(size);
            let low = self.next_expr(&mut size);
            let high = self.some_expr(&mut size).unwrap_or_else(|| low.clone());
            sizes.push((self.name(&mut size), low, high));
        }
        let at_most = parts.take(Rule::suggest_most).map(|most| {
            let mut most = self.parts(most);
            (self.next_int(&mut most), self.scope(&mut most))
        });
        StmtKind::Suggest { sizes, at_most }
    }

    fn ask(&mut self, parts: &mut Parts<'_>) -> Ask {
        let prompt = self.text(parts);
        let otherwise = self.block_in(parts, Rule::otherwise);
        let hint = self.expr_of(parts, Rule::hint);
        let who = self.next_expr(parts);
        let choice = match (parts.take(Rule::ask_for), parts.take(Rule::branches)) {
            (Some(ask_for), _) => self.ask_for(ask_for, hint),
            (None, Some(branches)) => {
                let mut inner = self.parts(branches);
                Choice::Branches(inner.all(Rule::branch).into_iter().filter_map(|branch| self.branch(branch)).collect())
            }
            (None, None) => Choice::Branches(Vec::new()),
        };
        Ask { who, choice, prompt, otherwise }
    }

    fn ask_for(&mut self, pair: Pair<'_, Rule>, suggest: Option<Expr>) -> Choice {
        let mut parts = self.parts(pair);
        let mut up_to = false;
        let count = parts.take(Rule::ask_count).map(|count| {
            let mut count = self.parts(count);
            up_to = count.has(Rule::up_to);
            let span = count.span;
            match count.pairs.pop() {
                Some(value) => self.primary(value),
                None => self.bad(span),
            }
        });
        let mut or_none = parts.has(Rule::or_none);
        let mut ty = parts.take(Rule::ask_type).and_then(|ty| {
            let mut ty = self.parts(ty);
            self.some_type(&mut ty)
        });
        // `x: kind or none` reads as a type of two names.
        if let Some(ty) = &mut ty
            && let TypeKind::OneOf(names) = &mut ty.kind
            && names.len() > 1
            && names.last().is_some_and(|last| last.text == "none")
        {
            names.pop();
            or_none = true;
        }
        let guard = self.expr_of(&mut parts, Rule::guard);
        let from = self.expr_of(&mut parts, Rule::ask_from).or_else(|| self.some_expr(&mut parts));
        Choice::For { count, up_to, name: self.name(&mut parts), ty, from, guard, suggest, or_none }
    }

    fn branch(&mut self, pair: Pair<'_, Rule>) -> Option<Branch> {
        let mut parts = self.parts(pair);
        if let Some(bad) = parts.take(Rule::bad_branch) {
            self.diagnose(&bad, Place::Branch);
            return None;
        }
        let name = self.words(&mut parts).pop()?;
        let guard = self.expr_of(&mut parts, Rule::guard);
        let once = parts.has(Rule::kw_once);
        Some(Branch { name, guard, once, body: self.some_block(&mut parts), span: parts.span })
    }

    fn arm(&mut self, pair: Pair<'_, Rule>) -> Option<Arm> {
        let mut parts = self.parts(pair);
        if let Some(bad) = parts.take(Rule::bad_arm) {
            self.diagnose(&bad, Place::Arm);
            return None;
        }
        let name = self.words(&mut parts).pop()?;
        let binds = match parts.take(Rule::arm_binds) {
            Some(binds) => {
                let mut binds = self.parts(binds);
                self.names(&mut binds)
            }
            None => Vec::new(),
        };
        Some(Arm { name, binds, body: self.block(&mut parts) })
    }

    fn take_stmt(&mut self, parts: &mut Parts<'_>) -> StmtKind {
        if let Some(to) = self.expr_of(parts, Rule::to) {
            let bind = self.bind(parts);
            return StmtKind::TakeToken { what: self.next_expr(parts), to, bind };
        }
        let from = self.expr_or_bad(parts, Rule::from);
        StmtKind::Take { amount: self.next_expr(parts), from }
    }

    fn swap_side(&mut self, parts: &mut Parts<'_>) -> (Expr, Expr) {
        let Some(side) = parts.take(Rule::swap_side) else { return (self.bad(parts.span), self.bad(parts.span)) };
        let mut side = self.parts(side);
        let beside = side.has(Rule::juxtaposed);
        let mut amount = self.next_expr(&mut side);
        if beside {
            let of = self.next_expr(&mut side);
            let span = amount.span.to(of.span);
            amount = Expr { kind: ExprKind::Amount { count: Box::new(amount), of: Box::new(of) }, span };
        }
        (amount, self.next_expr(&mut side))
    }

    /// What `do` and `emit` name: a call, where brackets may be missing.
    fn callable(&mut self, parts: &mut Parts<'_>) -> Expr {
        let span = parts.span;
        let found = [Rule::script_call, Rule::call, Rule::name].into_iter().find_map(|rule| parts.take(rule));
        let Some(found) = found else { return self.bad(span) };
        let call = self.primary(found);
        match call.kind {
            ExprKind::Name(name) => Expr { span: name.span, kind: ExprKind::Call { name, args: Vec::new() } },
            kind => Expr { kind, span: call.span },
        }
    }

    fn performed(&mut self, parts: &mut Parts<'_>, rule: Rule) -> Perform {
        match parts.take(rule) {
            Some(pair) => self.perform(pair),
            None => Perform {
                who: self.bad(parts.span),
                actions: Vec::new(),
                free: false,
                cost: None,
                beyond_limit: false,
                even: Vec::new(),
                span: parts.span,
            },
        }
    }

    /// `p build gate or build boat free …`, behind `make` or `allow`.
    pub fn perform(&mut self, pair: Pair<'_, Rule>) -> Perform {
        let mut parts = self.parts(pair);
        let mut actions = Vec::new();
        for action in parts.all(Rule::performed) {
            let mut action_parts = Vec::new();
            for part in action.into_inner() {
                action_parts.push(match part.as_rule() {
                    Rule::perform_word => PerformPart::Word(self.named(part)),
                    _ => PerformPart::Arg(self.expr_in(part)),
                });
            }
            actions.push(action_parts);
        }
        let cost = self.expr_of(&mut parts, Rule::price);
        let even = parts.all(Rule::even).into_iter().map(|even| self.name_in(even)).collect();
        let (free, beyond_limit) = (parts.has(Rule::kw_free), parts.has(Rule::beyond));
        Perform { who: self.next_expr(&mut parts), actions, free, cost, beyond_limit, even, span: parts.span }
    }

    fn move_stmt(&mut self, parts: &mut Parts<'_>) -> StmtKind {
        let along = self.only(parts, Rule::along).map(|along| {
            let mut along = self.parts(along);
            let name = self.name(&mut along);
            (name, self.some_expr(&mut along))
        });
        StmtKind::Move(Move {
            one: parts.has(Rule::kw_one),
            all: parts.has(Rule::kw_all),
            from: self.expr_of(parts, Rule::from),
            to: self.expr_of(parts, Rule::to),
            by: self.expr_of(parts, Rule::by),
            along,
            bind: self.bind(parts),
            what: self.next_expr(parts),
        })
    }

    fn deal(&mut self, parts: &mut Parts<'_>) -> StmtKind {
        let to_each = parts.take(Rule::to_each).map(|each| {
            let span = self.span(&each);
            let domain = named_expr(self.name_in(each));
            Expr { kind: ExprKind::Prefix { op: PrefixOp::All, of: Box::new(domain) }, span }
        });
        let to = to_each.or_else(|| self.expr_of(parts, Rule::to));
        let count = self.next_expr(parts);
        StmtKind::Deal { count, deck: self.name(parts), to }
    }

    fn roll(&mut self, parts: &mut Parts<'_>) -> StmtKind {
        let count = self.some_int(parts).unwrap_or(1);
        let sides = parts.take(Rule::dice).and_then(|dice| dice.as_str().trim_end().get(1..)?.parse::<u32>().ok());
        match sides {
            Some(sides) if sides <= super::errors::MAX_NUMBER => {
                StmtKind::Roll { count, sides: i64::from(sides), bind: self.bind(parts) }
            }
            _ => {
                self.sink.push(super::errors::number_too_large(parts.span));
                StmtKind::Bad
            }
        }
    }

    fn if_stmt(&mut self, parts: &mut Parts<'_>) -> StmtKind {
        let otherwise = parts.take(Rule::else_part).map(|part| {
            let mut inner = self.parts(part);
            match inner.take(Rule::if_stmt) {
                Some(chained) => vec![self.statement(chained, Place::Statement)],
                None => self.block(&mut inner),
            }
        });
        StmtKind::If { cond: self.next_expr(parts), then: self.block(parts), otherwise }
    }
}

fn named_expr(name: Name) -> Expr {
    let span: Span = name.span;
    Expr { kind: ExprKind::Name(name), span }
}
