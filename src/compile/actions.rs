//! Actions: the requirements that stand in their bodies (and in procedures that these do) are gathered and become
//! the code that lists the legal moves, and the code that says why one is not legal.

use std::rc::Rc;

use super::Lower;
use super::assemble::Label;
use super::environment::{Bind, Scope, Terms, UnitKey, Val};
use super::sets::SetAt;
use crate::engine::code::{EntryLabel, ParamPlace};
use crate::engine::game::list_bags;
use crate::engine::instr::Op;
use crate::program::{
    ActionId, BagPlace, Block, DomainId, Expr, ExprKind, HowMuch, LimitId, LocalId, Owner, ParamDomain, Perform,
    PhrasePart, PieceId, Reason, StmtKind, Store, Suggest, Type,
};

/// Bags that one parameter is tried with when moves are listed.
const MAX_LISTED_BAGS: usize = 256;
/// A parameter with no more known values than this is listed without a loop.
const MAX_UNROLLED: u32 = 8;

/// An action as a seat may do it: fixed arguments and terms.
#[derive(Clone, Debug)]
pub struct ActionUse<'p> {
    pub action: ActionId,
    pub seat: i64,
    /// By parameter; none: chosen.
    pub fixed: Vec<Option<(&'p Expr, Rc<Scope<'p>>)>>,
    pub terms: Terms,
    pub cost: Option<(&'p Expr, Rc<Scope<'p>>)>,
}

impl ActionUse<'_> {
    pub fn plain(action: ActionId, seat: i64) -> Self {
        ActionUse { action, seat, fixed: Vec::new(), terms: Terms::default(), cost: None }
    }
}

/// What the listing code does with a legal move.
#[derive(Clone, Copy, Debug)]
pub enum Listing {
    /// Rows of this entry.
    Rows(u16),
    /// Jump as soon as there is one.
    Any(Label),
}

/// Something that must hold before an action can be done.
#[derive(Clone, Debug)]
pub struct Condition<'p> {
    pub what: What<'p>,
    pub scope: Rc<Scope<'p>>,
    /// It stands in the action itself, not in a procedure.
    pub own: bool,
    /// It is asked for only where all of these are as said.
    pub premises: Rc<Vec<(&'p Expr, bool, Rc<Scope<'p>>)>>,
    pub reason: Option<&'p Reason>,
}

#[derive(Clone, Debug)]
pub enum What<'p> {
    Holds(&'p Expr),
    /// The store holds the amount (of an expression of its own scope).
    Covers {
        from: &'p Store,
        amount: &'p Expr,
        amount_scope: Rc<Scope<'p>>,
        /// What is taken out of the same store before: all of it together must be there.
        before: Vec<(&'p Expr, Rc<Scope<'p>>)>,
    },
    /// The bag has room for the amount, if it has a limit.
    Fits {
        to: &'p BagPlace,
        amount: &'p Expr,
    },
    /// A piece is left to be placed.
    Supply(PieceId, &'p Owner),
    Limit(LimitId),
    /// One of the actions that the rule then orders can be done.
    Possible(&'p Perform),
}

/// A parameter in the order in which moves are listed.
#[derive(Clone, Debug)]
struct Param<'p> {
    local: LocalId,
    index: usize,
    address: u16,
    ty: Type,
    domain: &'p ParamDomain,
    fixed: bool,
}

impl<'p> Lower<'p> {
    fn param_type(&self, action: ActionId, local: LocalId) -> Type {
        let unit = &self.program.actions[action.index()].unit;
        match unit.locals.get(local.index()).map(|l| &l.ty) {
            Some(crate::program::LocalType::Value(ty)) => *ty,
            Some(crate::program::LocalType::Tally { .. }) | None => Type::Number,
        }
    }

    /// The parameters in listing order, and whether the last is listed as a set.
    fn params(&self, chosen: &ActionUse<'p>, frame: &[u16]) -> (Vec<Param<'p>>, bool) {
        let action = &self.program.actions[chosen.action.index()];
        let mut out: Vec<Param<'p>> = Vec::new();
        for part in &action.phrase {
            let PhrasePart::Param { local, of } = part else { continue };
            let index = out.len();
            out.push(Param {
                local: *local,
                index,
                address: frame[local.index()],
                ty: self.param_type(chosen.action, *local),
                domain: of,
                fixed: chosen.fixed.get(index).is_some_and(|f| f.is_some()),
            });
        }
        let set = out.iter().rposition(|p| !p.fixed && matches!(p.domain, ParamDomain::Members(_)));
        if let Some(at) = set {
            let last = out.remove(at);
            out.push(last);
        }
        (out, set.is_some())
    }

    /// Does everything in the environment of an action that a seat does.
    fn as_action<T>(&mut self, chosen: &ActionUse<'p>, f: impl FnOnce(&mut Self, Vec<u16>) -> T) -> T {
        let unit = UnitKey::Action(chosen.action.index());
        let action = &self.program.actions[chosen.action.index()];
        let me = self.env.scope.me.replace(Val::Known(chosen.seat));
        let (mut outer, frame) = self.enter(unit, &action.unit, &format!("action {}", action.name));
        outer.scope.me = me;
        self.env.scope.me = Some(Val::Known(chosen.seat));
        self.env.terms = chosen.terms.clone();
        self.env.cost = chosen.cost.clone();
        let out = f(self, frame);
        self.env = outer;
        out
    }

    /// Writes the fixed arguments to their places.
    fn put_fixed(&mut self, chosen: &ActionUse<'p>, params: &[Param<'p>]) {
        for param in params {
            let Some(Some((value, scope))) = chosen.fixed.get(param.index) else { continue };
            let (value, scope) = (*value, scope.clone());
            let (from, words) = match param.ty {
                Type::Bag(_) => {
                    let bag = self.within(&scope, |l| l.bag(value));
                    (bag.at, bag.words)
                }
                _ => (self.within(&scope, |l| l.value_at(value)), 1),
            };
            self.asm.emit(Op::Copy1.wide(words), param.address, from, 0);
        }
    }

    /// The entry of an action at a site.
    pub fn action_entry(&mut self, chosen: &ActionUse<'p>, site: u16, resume: Label) -> u16 {
        let (places, last_is_fixed, complete) = self.as_action(chosen, |l, frame| {
            let (params, has_set) = l.params(chosen, &frame);
            let complete = l.is_complete(chosen, &params);
            let places = params
                .iter()
                .map(|p| ParamPlace { address: p.address, ty: p.ty, fixed: p.fixed, index: p.index })
                .collect();
            (places, !has_set, complete)
        });
        let why = self.why_action(chosen);
        self.entry(site, EntryLabel::Action(chosen.action), places, last_is_fixed, resume, Some(why), complete)
    }

    /// Are all moves listed that are legal?
    fn is_complete(&self, chosen: &ActionUse<'p>, params: &[Param<'p>]) -> bool {
        !params.iter().any(|p| self.is_open(chosen, p)) && self.suggest(chosen).is_none()
    }

    /// May the parameter have values that are not listed?
    fn is_open(&self, chosen: &ActionUse<'p>, param: &Param<'p>) -> bool {
        let _ = chosen;
        match param.domain {
            ParamDomain::Bag { among, low, high, .. } => {
                let bags =
                    high.map(|high| (*low..=high).map(|n| choose_with_repeats(among.len() as u64, n as u64)).sum());
                !param.fixed && bags.is_none_or(|n: u64| n > MAX_LISTED_BAGS as u64)
            }
            ParamDomain::Members(_) | ParamDomain::Number { .. } => false,
        }
    }

    fn suggest(&self, chosen: &ActionUse<'p>) -> Option<&'p Suggest> {
        fn find(body: &Block) -> Option<&Suggest> {
            body.iter().find_map(|s| match &s.kind {
                StmtKind::Suggest(s) => Some(s),
                StmtKind::Part { body, .. } => find(body),
                _ => None,
            })
        }
        find(&self.program.actions[chosen.action.index()].unit.body)
    }

    /// Carries out an action whose arguments are in its frame.
    pub fn do_action(&mut self, chosen: &ActionUse<'p>) {
        let unit = UnitKey::Action(chosen.action.index());
        let action = &self.program.actions[chosen.action.index()];
        let (me, cost) = (self.env.scope.me.replace(Val::Known(chosen.seat)), self.env.cost.clone());
        self.env.cost = chosen.cost.clone();
        let known = vec![None; action.unit.params.len()];
        let instance = self.instance(unit, known, Vec::new(), chosen.terms.clone());
        self.call(&instance);
        self.env.scope.me = me;
        self.env.cost = cost;
    }

    /// Emits the code that lists the legal moves of an action.
    pub fn list_action(&mut self, chosen: &ActionUse<'p>, listing: Listing) {
        let mark = self.asm.mark();
        self.as_action(chosen, |l, frame| {
            let (params, has_set) = l.params(chosen, &frame);
            l.put_fixed(chosen, &params);
            let conditions = l.conditions(chosen);
            let end = l.asm.label();
            if let Listing::Rows(entry) = listing
                && !l.is_complete(chosen, &params)
            {
                l.asm.emit(Op::Offered, entry, 0, 0);
            }
            if let (Listing::Rows(_), Some(limit)) = (listing, l.suggest(chosen).and_then(|s| s.at_most)) {
                l.branch_limit(limit, end);
            }
            let mut levels: Vec<Vec<&Condition<'p>>> = vec![Vec::new(); params.len() + 1];
            for condition in &conditions {
                let level = l.level(condition, &params);
                levels[level].push(condition);
            }
            levels[0].sort_by_key(|c| rank(c));
            for condition in &levels[0] {
                l.branch_condition(condition, end);
            }
            l.list_params(chosen, &params, has_set, &levels, 0, listing);
            l.asm.place(end);
        });
        self.asm.release(mark);
    }

    fn list_params(
        &mut self,
        chosen: &ActionUse<'p>,
        params: &[Param<'p>],
        has_set: bool,
        levels: &[Vec<&Condition<'p>>],
        at: usize,
        listing: Listing,
    ) {
        if at == params.len() {
            match listing {
                Listing::Rows(entry) => self.asm.emit(Op::RowUnit, entry, 0, 0),
                Listing::Any(label) => self.asm.jump(label),
            }
            return;
        }
        let param = &params[at];
        let conditions = &levels[at + 1];
        if at + 1 == params.len() && has_set {
            self.list_set(param, conditions, listing);
            return;
        }
        let deeper_if = |l: &mut Self, conditions: &[&Condition<'p>]| {
            let skip = l.asm.label();
            for condition in conditions {
                l.branch_condition(condition, skip);
            }
            l.list_params(chosen, params, has_set, levels, at + 1, listing);
            l.asm.place(skip);
        };
        let deeper = |l: &mut Self| deeper_if(l, conditions);
        if param.fixed {
            let outside = self.asm.label();
            self.branch_outside(chosen, param, outside);
            deeper(self);
            self.asm.place(outside);
            return;
        }
        match param.domain {
            ParamDomain::Members(members) => {
                let set = self.set(members);
                match set.known.clone() {
                    Some(known) if known.iter().map(|w| w.count_ones()).sum::<u32>() <= MAX_UNROLLED => {
                        for member in 0..known.len() * 64 {
                            if known[member / 64] >> (member % 64) & 1 == 0 {
                                continue;
                            }
                            let mark = self.asm.mark();
                            let number = self.number(member as i64);
                            self.asm.emit(Op::Copy1, param.address, number, 0);
                            self.env.bind(param.local, Bind::Val(Val::Known(member as i64)));
                            deeper(self);
                            self.asm.release(mark);
                        }
                        self.env.bind(param.local, Bind::Val(Val::At(param.address)));
                    }
                    Some(_) | None => {
                        // What set algebra can tell leaves fewer members to go through.
                        let (set, slow) = self.narrowed(param, members, set, conditions);
                        let rest = self.copy_of(&set);
                        let (again, done) = (self.asm.label(), self.asm.label());
                        self.asm.place(again);
                        self.branch_to(Op::Pop1.wide(rest.words), param.address, rest.at, done);
                        deeper_if(self, &slow);
                        self.asm.jump(again);
                        self.asm.place(done);
                    }
                }
            }
            ParamDomain::Bag { domain, among, low, high } => {
                let (low, high) = self
                    .suggest(chosen)
                    .and_then(|s| s.sizes.iter().find(|(local, ..)| *local == param.local))
                    .map_or((*low, high.unwrap_or((*low).max(1))), |(_, low, high)| (*low, *high));
                self.list_bags(param, *domain, among, low..=high, deeper);
            }
            ParamDomain::Number { low, high } => {
                let (high, one) = (self.number(*high), self.number(1));
                let low = self.number(*low);
                let (again, done) = (self.asm.label(), self.asm.label());
                let next = self.asm.scratch(1);
                self.asm.emit(Op::Copy1, next, low, 0);
                self.asm.place(again);
                self.branch_to(Op::JumpLess, high, next, done);
                self.asm.emit(Op::Copy1, param.address, next, 0);
                deeper(self);
                self.asm.emit(Op::Add, next, next, one);
                self.asm.jump(again);
                self.asm.place(done);
            }
        }
    }

    /// Jumps where a fixed argument is none of the values that may be chosen for it.
    fn branch_outside(&mut self, chosen: &ActionUse<'p>, param: &Param<'p>, label: Label) {
        let zero = self.number(0);
        match param.domain {
            ParamDomain::Members(set) if matches!(set.kind, ExprKind::All(_)) => {
                let Some(Some((value, scope))) = chosen.fixed.get(param.index) else { return };
                let (value, scope) = (*value, scope.clone());
                if self.within(&scope, |l| l.may_be_none(value)) {
                    self.branch_to(Op::JumpLess, param.address, zero, label);
                }
            }
            ParamDomain::Members(set) => self.branch_in(Val::At(param.address), set, false, label),
            ParamDomain::Number { low, high } => {
                let (low, high) = (self.number(*low), self.number(*high));
                self.branch_to(Op::JumpLess, param.address, low, label);
                self.branch_to(Op::JumpLess, high, param.address, label);
            }
            ParamDomain::Bag { domain, low, high, .. } => {
                let (words, size) = (self.bag_width(*domain), self.asm.scratch(1));
                self.asm.emit(Op::BagSize1.wide(words), size, param.address, 0);
                if let Some(high) = high {
                    let (low, high) = (self.number(*low), self.number(*high));
                    self.branch_to(Op::JumpLess, size, low, label);
                    self.branch_to(Op::JumpLess, high, size, label);
                }
            }
        }
    }

    fn list_bags(
        &mut self,
        param: &Param<'p>,
        domain: DomainId,
        among: &[u32],
        sizes: std::ops::RangeInclusive<i64>,
        deeper: impl FnOnce(&mut Self),
    ) {
        let words = self.bag_width(domain);
        let mut table: Vec<u64> = Vec::new();
        for size in sizes {
            let mut each = vec![0u64; words];
            for kind in among {
                if let Some(w) = each.get_mut(*kind as usize / 8) {
                    *w |= (size.clamp(0, 127) as u64) << (kind % 8 * 8);
                }
            }
            let room = MAX_LISTED_BAGS.saturating_sub(table.len() / words.max(1));
            for bag in list_bags(&each, size.max(0) as u64, room) {
                table.extend_from_slice(&bag[..words]);
            }
        }
        let count = table.len() / words.max(1);
        let table = self.memory.constant(&table);
        let (next, count, one) = (self.zeroed(), self.number(count as i64), self.number(1));
        let (again, done) = (self.asm.label(), self.asm.label());
        self.asm.place(again);
        self.branch_to(Op::JumpAtMost, count, next, done);
        self.asm.emit(Op::Load1.wide(words), param.address, table, next);
        self.asm.emit(Op::Add, next, next, one);
        deeper(self);
        self.asm.jump(again);
        self.asm.place(done);
    }

    /// Lists the last parameter as a set: its values for which all conditions hold.
    fn list_set(&mut self, param: &Param<'p>, conditions: &[&Condition<'p>], listing: Listing) {
        let ParamDomain::Members(members) = param.domain else { return };
        let set = self.set(members);
        let (mut set, slow) = self.narrowed(param, members, set, conditions);
        let end = self.asm.label();
        if !slow.is_empty() {
            self.branch_to(Op::JumpEmpty1.wide(set.words), set.at, 0, end);
            let rest = self.copy_of(&set);
            let zeros = self.memory.constant(&vec![0; set.words]);
            let kept = SetAt { at: self.asm.scratch(set.words), words: set.words, known: None };
            self.asm.emit(Op::Copy1.wide(set.words), kept.at, zeros, 0);
            let (again, done) = (self.asm.label(), self.asm.label());
            self.asm.place(again);
            self.branch_to(Op::Pop1.wide(set.words), param.address, rest.at, done);
            for condition in slow {
                self.branch_condition(condition, again);
            }
            self.asm.emit(Op::Insert1.wide(set.words), kept.at, param.address, 0);
            self.asm.jump(again);
            self.asm.place(done);
            set = kept;
        }
        match listing {
            Listing::Rows(entry) => self.asm.emit(Op::RowSet1.wide(set.words), entry, set.at, 0),
            Listing::Any(label) => self.branch_to(Op::JumpSome1.wide(set.words), set.at, 0, label),
        }
        self.asm.place(end);
    }

    /// The members for which those conditions hold that set algebra can tell, and the other conditions.
    fn narrowed<'c>(
        &mut self,
        param: &Param<'p>,
        members: &'p Expr,
        set: SetAt,
        conditions: &[&'c Condition<'p>],
    ) -> (SetAt, Vec<&'c Condition<'p>>) {
        let Type::Member(domain) = param.ty else { return (set, conditions.to_vec()) };
        let mut set = set;
        let mut slow = Vec::new();
        // What is not in the domain is in no set, so everything narrowed to a set is that set.
        let mut everything = matches!(members.kind, ExprKind::All(_));
        for condition in conditions {
            match self.condition_set(condition, param, domain) {
                Some(algebra) => {
                    set = if everything { algebra } else { self.intersect(&set, &algebra) };
                    everything = false;
                }
                None => slow.push(*condition),
            }
        }
        (set, slow)
    }

    /// The values of the parameter for which a condition holds, if set algebra can tell.
    fn condition_set(&mut self, condition: &Condition<'p>, param: &Param<'p>, domain: DomainId) -> Option<SetAt> {
        if !condition.own || !condition.premises.is_empty() {
            return None;
        }
        // What a rule has named before it asks is known in the condition's scope only.
        let scope = self.current_over(&condition.scope);
        self.within(&scope, |l| l.condition_set_here(condition, param, domain))
    }

    fn condition_set_here(&mut self, condition: &Condition<'p>, param: &Param<'p>, domain: DomainId) -> Option<SetAt> {
        match &condition.what {
            What::Holds(e) => self.as_set(param.local, domain, e),
            What::Covers { from, amount, amount_scope, before } => {
                if !Rc::ptr_eq(amount_scope, &condition.scope) || !before.is_empty() {
                    return None;
                }
                let ExprKind::BagOf(list) = &amount.kind else { return None };
                let [(kind, count)] = &list[..] else { return None };
                if !matches!(&kind.kind, ExprKind::Local(l) if *l == param.local) || self.known(count)? != 1 {
                    return None;
                }
                match from {
                    Store::Bag(place) => {
                        if place.keys.iter().any(|k| self.mentions(k, param.local)) {
                            return None;
                        }
                        Some(self.kinds_in(place))
                    }
                    Store::Homes => self.kinds_at_home(domain),
                }
            }
            What::Fits { to, amount } => self.fitting_kinds(to, amount, param),
            What::Supply(..) | What::Limit(_) | What::Possible(_) => None,
        }
    }

    /// The goods of which one more fits, where the parameter is the one good that comes in.
    fn fitting_kinds(&mut self, to: &'p BagPlace, amount: &'p Expr, param: &Param<'p>) -> Option<SetAt> {
        let ExprKind::BagOf(list) = &amount.kind else { return None };
        let [(kind, count)] = &list[..] else { return None };
        let is_param = matches!(&kind.kind, ExprKind::Local(l) if *l == param.local);
        if !is_param || self.known(count)? != 1 || to.keys.iter().any(|k| self.mentions(k, param.local)) {
            return None;
        }
        let room = self.room(to)?;
        let kinds = self.asm.scratch(1);
        self.asm.emit(Op::BagKinds1.wide(room.words), kinds, room.at, 0);
        Some(SetAt { at: kinds, words: 1, known: None })
    }

    fn kinds_in(&mut self, place: &'p BagPlace) -> SetAt {
        let bag = self.place_bag(place);
        let to = self.asm.scratch(1);
        self.asm.emit(Op::BagKinds1.wide(bag.words), to, bag.at, 0);
        SetAt { at: to, words: 1, known: None }
    }

    /// The goods of which their home holds at least one.
    fn kinds_at_home(&mut self, domain: DomainId) -> Option<SetAt> {
        if Some(domain) != self.program.known.goods {
            return None;
        }
        let bag = self.home_bag();
        let to = self.asm.scratch(1);
        self.asm.emit(Op::BagKinds1.wide(bag.words), to, bag.at, 0);
        Some(SetAt { at: to, words: 1, known: None })
    }

    // ---- conditions ----

    /// Everything that must hold before the action, in the author's order.
    pub fn conditions(&mut self, chosen: &ActionUse<'p>) -> Vec<Condition<'p>> {
        let body = &self.program.actions[chosen.action.index()].unit.body;
        let mut scope = self.env.scope.clone();
        let params: Vec<LocalId> = self.program.actions[chosen.action.index()].unit.params.clone();
        // Only parameters have values before the body has run.
        for (i, bind) in scope.binds.iter_mut().enumerate() {
            if !params.iter().any(|p| p.index() == i) {
                *bind = Bind::Unset;
            }
        }
        let mut out = Vec::new();
        let premises = Rc::new(Vec::new());
        self.collect(body, Rc::new(scope), true, &premises, &mut out);
        add_up(&mut out);
        out
    }

    fn collect(
        &mut self,
        body: &'p Block,
        scope: Rc<Scope<'p>>,
        own: bool,
        premises: &Rc<Vec<(&'p Expr, bool, Rc<Scope<'p>>)>>,
        out: &mut Vec<Condition<'p>>,
    ) {
        let mut scope = scope;
        for stmt in body {
            let mut push = |what: What<'p>, reason: Option<&'p Reason>| {
                out.push(Condition { what, scope: scope.clone(), own, premises: premises.clone(), reason });
            };
            match &stmt.kind {
                StmtKind::Require { cond, name, reason } => {
                    let waived = name.as_ref().is_some_and(|n| self.env.terms.even.contains(n));
                    if !waived && has_values(cond, &scope) {
                        push(What::Holds(cond), reason.as_ref());
                    }
                }
                StmtKind::Transfer { amount, from, to, how: HowMuch::Required, pay } => {
                    if *pay && self.env.terms.free {
                        continue;
                    }
                    if let Store::Bag(to) = to
                        && !self.program.fields[to.field.index()].at_most.is_empty()
                        && has_values(amount, &scope)
                    {
                        push(What::Fits { to, amount }, None);
                    }
                    match (&self.env.cost, pay) {
                        (Some((cost, cost_scope)), true) => {
                            let (amount, amount_scope) = (*cost, cost_scope.clone());
                            push(What::Covers { from, amount, amount_scope, before: Vec::new() }, None);
                        }
                        _ if has_values(amount, &scope) => {
                            let amount_scope = scope.clone();
                            push(What::Covers { from, amount, amount_scope, before: Vec::new() }, None);
                        }
                        _ => {}
                    }
                }
                StmtKind::Place { piece, owner, .. } => push(What::Supply(*piece, owner), None),
                StmtKind::Limit(limit) if !self.env.terms.beyond_limit => push(What::Limit(*limit), None),
                StmtKind::Let { local, value } => {
                    let mut next = (*scope).clone();
                    bind_at(&mut next, *local, Bind::Lazy(value, scope.clone()));
                    scope = Rc::new(next);
                }
                StmtKind::Do { procedure, args, .. } => {
                    let unit = &self.program.procedures[procedure.index()].unit;
                    let key = UnitKey::Procedure(procedure.index());
                    // Whoever is asked in it may do what comes to it again; it is the same requirements then.
                    if self.collecting.contains(&key) {
                        continue;
                    }
                    let mut inner = Scope { binds: vec![Bind::Unset; unit.locals.len()], me: scope.me };
                    for (param, arg) in unit.params.iter().zip(args) {
                        if has_values(arg, &scope) {
                            bind_at(&mut inner, *param, Bind::Lazy(arg, scope.clone()));
                        }
                    }
                    self.collecting.push(key);
                    self.collect(&unit.body, Rc::new(inner), false, premises, out);
                    self.collecting.pop();
                }
                StmtKind::If { cond, then, otherwise } => {
                    let known = self.within(&scope, |l| l.known(cond));
                    if let Some(known) = known {
                        self.collect(if known != 0 { then } else { otherwise }, scope.clone(), own, premises, out);
                    } else if has_values(cond, &scope) {
                        for (body, sense) in [(then, true), (otherwise, false)] {
                            let mut deeper = (**premises).clone();
                            deeper.push((cond, sense, scope.clone()));
                            self.collect_required(body, &scope, own, &Rc::new(deeper), out);
                        }
                    }
                }
                StmtKind::Part { body, .. } => self.collect(body, scope.clone(), own, premises, out),
                StmtKind::Return(_) | StmtKind::Stop | StmtKind::EndTurn | StmtKind::EndGame { .. } => return,
                StmtKind::Perform(perform) if perform.must && perform.otherwise.is_empty() => {
                    let mut args = perform.actions.iter().flat_map(|(_, args)| args).flatten();
                    if has_values(&perform.who, &scope) && args.all(|a| has_values(a, &scope)) {
                        push(What::Possible(perform), None);
                    }
                }
                StmtKind::Limit(_)
                | StmtKind::Suggest(_)
                | StmtKind::Ask(_)
                | StmtKind::Transfer { .. }
                | StmtKind::Steal { .. }
                | StmtKind::Draw { .. }
                | StmtKind::Perform(_)
                | StmtKind::Remove { .. }
                | StmtKind::Move { .. }
                | StmtKind::ShuffleField { .. }
                | StmtKind::ShuffleDeck(_)
                | StmtKind::Lay { .. }
                | StmtKind::Reveal { .. }
                | StmtKind::DrawFace { .. }
                | StmtKind::TellToken { .. }
                | StmtKind::Revealed { .. }
                | StmtKind::Roll { .. }
                | StmtKind::Emit { .. }
                | StmtKind::Begin(_)
                | StmtKind::Tally(_)
                | StmtKind::Set { .. }
                | StmtKind::Add { .. }
                | StmtKind::For(_)
                | StmtKind::Repeat { .. }
                | StmtKind::Case { .. }
                | StmtKind::Script { .. } => {}
            }
        }
    }

    /// What is required where something is done under a condition. Whether a piece is left for it shows when it is
    /// done: the action itself may have made one free.
    fn collect_required(
        &mut self,
        body: &'p Block,
        scope: &Rc<Scope<'p>>,
        own: bool,
        premises: &Rc<Vec<(&'p Expr, bool, Rc<Scope<'p>>)>>,
        out: &mut Vec<Condition<'p>>,
    ) {
        let mut found = Vec::new();
        self.collect(body, scope.clone(), own, premises, &mut found);
        out.extend(found.into_iter().filter(|condition| !matches!(condition.what, What::Supply(..))));
    }

    /// After which parameter (counted from 1) a condition can be tested; 0: before all.
    fn level(&self, condition: &Condition<'p>, params: &[Param<'p>]) -> usize {
        let mut level = 0;
        let mut note = |address: u16| {
            if let Some(i) = params.iter().position(|p| p.address == address) {
                level = level.max(i + 1);
            }
        };
        match &condition.what {
            What::Holds(e) => addresses(e, &condition.scope, &mut note),
            What::Covers { from, amount, amount_scope, before } => {
                addresses(amount, amount_scope, &mut note);
                before.iter().for_each(|(amount, scope)| addresses(amount, scope, &mut note));
                if let Store::Bag(place) = from {
                    place.keys.iter().for_each(|k| addresses(k, &condition.scope, &mut note));
                }
            }
            What::Possible(perform) => {
                addresses(&perform.who, &condition.scope, &mut note);
                for arg in perform.actions.iter().flat_map(|(_, args)| args).flatten() {
                    addresses(arg, &condition.scope, &mut note);
                }
            }
            What::Fits { to, amount } => {
                addresses(amount, &condition.scope, &mut note);
                to.keys.iter().for_each(|k| addresses(k, &condition.scope, &mut note));
            }
            What::Supply(_, Owner::One(e) | Owner::Among(e)) => addresses(e, &condition.scope, &mut note),
            What::Supply(_, Owner::Any | Owner::Neutral) | What::Limit(_) => {}
        }
        for (premise, _, scope) in condition.premises.iter() {
            addresses(premise, scope, &mut note);
        }
        level
    }

    /// Jumps if the condition does not hold.
    pub fn branch_condition(&mut self, condition: &Condition<'p>, label: Label) {
        let mark = self.asm.mark();
        let asked = self.asm.label();
        for (premise, sense, scope) in condition.premises.iter() {
            let scope = if condition.own { self.current_over(scope) } else { scope.clone() };
            self.within(&scope, |l| l.branch(premise, !sense, asked));
        }
        // Parameters that are unrolled are known in the action's own scope as it is now.
        let scope = if condition.own { self.current_over(&condition.scope) } else { condition.scope.clone() };
        match &condition.what {
            What::Holds(e) => self.within(&scope, |l| l.branch(e, false, label)),
            What::Covers { from, amount, amount_scope, before } => {
                let inner =
                    if Rc::ptr_eq(amount_scope, &condition.scope) { scope.clone() } else { amount_scope.clone() };
                let mut amount = self.within(&inner, |l| l.bag(amount));
                for (more, more_scope) in before {
                    let inner = if condition.own { self.current_over(more_scope) } else { more_scope.clone() };
                    amount = self.within(&inner, |l| {
                        let other = l.bag(more);
                        l.sum_of_bags(amount, other, more.span)
                    });
                }
                let held = self.within(&scope, |l| match from {
                    Store::Bag(place) => l.place_bag(place),
                    Store::Homes => l.home_bag(),
                });
                self.branch_to(Op::JumpLacks1.wide(amount.words), held.at, amount.at, label);
            }
            What::Fits { to, amount } => self.within(&scope, |l| {
                let amount = l.bag(amount);
                if let Some(room) = l.room(to) {
                    l.branch_to(Op::JumpLacks1.wide(amount.words), room.at, amount.at, label);
                }
            }),
            What::Supply(piece, _) if self.program.tokens_of(*piece).is_some() => {
                if let Some((left, words, region)) = self.faces_left(*piece) {
                    self.reads(region);
                    self.branch_to(Op::JumpEmpty1.wide(words), left, 0, label);
                }
            }
            What::Supply(piece, owner) => {
                let count = self.layout.pieces[piece.index()].count;
                let set = self.within(&scope, |l| l.piece_set(*piece, owner));
                let (placed, count) = (self.asm.scratch(1), self.number(count));
                self.asm.emit(Op::Count1.wide(set.words), placed, set.at, 0);
                self.branch_to(Op::JumpAtMost, count, placed, label);
            }
            What::Limit(limit) => self.branch_limit(*limit, label),
            What::Possible(perform) => self.within(&scope, |l| l.branch_possible(perform, label)),
        }
        self.asm.place(asked);
        self.asm.release(mark);
    }

    /// Jumps if none of the actions that a rule orders can be done as things stand before it. A price that is still
    /// to be chosen is left out of it.
    fn branch_possible(&mut self, perform: &'p Perform, label: Label) {
        let Some(seat) = self.known(&perform.who) else { return };
        let priced = perform.cost.as_ref().is_none_or(|cost| has_values(cost, &self.env.scope));
        let possible = self.asm.label();
        for mut chosen in self.uses(perform, seat) {
            if self.env.units.contains(&UnitKey::Action(chosen.action.index())) {
                return;
            }
            if !priced {
                (chosen.cost, chosen.terms.cost, chosen.terms.free) = (None, None, true);
            }
            self.list_action(&chosen, Listing::Any(possible));
        }
        self.asm.jump(label);
        self.asm.place(possible);
    }

    /// The condition's scope with the parameters as they are bound now.
    fn current_over(&self, scope: &Rc<Scope<'p>>) -> Rc<Scope<'p>> {
        let mut out = (**scope).clone();
        for (i, bind) in self.env.scope.binds.iter().enumerate() {
            if let (Bind::Val(Val::Known(_)), Some(Bind::Val(_))) = (bind, out.binds.get(i)) {
                out.binds[i] = bind.clone();
            }
        }
        Rc::new(out)
    }

    /// Jumps if the limit is reached for the acting player.
    pub fn branch_limit(&mut self, limit: LimitId, label: Label) {
        let at = self.layout.limits[limit.index()];
        let count = self.number(self.program.limits[limit.index()].count);
        let used = match self.env.scope.me {
            Some(Val::Known(seat)) => at + seat.max(0) as u16,
            Some(Val::At(seat)) => {
                let to = self.asm.scratch(1);
                self.asm.emit(Op::Load1, to, at, seat);
                to
            }
            None => at,
        };
        self.branch_to(Op::JumpAtMost, count, used, label);
    }

    /// Code that reports, for arguments in the frame, every requirement that is not met.
    fn why_action(&mut self, chosen: &ActionUse<'p>) -> Label {
        let action = &self.program.actions[chosen.action.index()];
        let (_, label) = self.asm.open(format!("why {}", action.name));
        self.as_action(chosen, |l, frame| {
            let (params, _) = l.params(chosen, &frame);
            for param in &params {
                l.why_param(param.domain, param.address, param.ty);
            }
            for condition in l.conditions(chosen) {
                l.why_condition(&condition, &action.name);
            }
        });
        self.asm.emit(Op::EndMenu, 0, 0, 0);
        self.asm.close();
        label
    }
}

/// What is taken out of one store by several statements must be there all together: each also counts what those before it
/// take, and where one before it takes something in some cases only, it is asked for once more for these.
fn add_up(conditions: &mut Vec<Condition>) {
    let mut out: Vec<Condition> = Vec::new();
    let mut taken: Vec<Condition> = Vec::new();
    for condition in conditions.drain(..) {
        let What::Covers { from, .. } = &condition.what else {
            out.push(condition);
            continue;
        };
        let same = |earlier: &&Condition| {
            let What::Covers { from: other, .. } = &earlier.what else { return false };
            same_store((other, &earlier.scope), (from, &condition.scope))
        };
        let earlier: Vec<&Condition> = taken.iter().filter(same).collect();
        let mut cases = vec![condition.premises.clone()];
        for case in earlier.iter().map(|e| &e.premises).filter(|case| within(&condition.premises, case)) {
            if !cases.iter().any(|known| within(known, case) && within(case, known)) {
                cases.push(case.clone());
            }
        }
        let mut all = Vec::new();
        for premises in cases {
            let mut one = Condition { premises, ..condition.clone() };
            if let What::Covers { before, .. } = &mut one.what {
                for earlier in earlier.iter().filter(|e| within(&e.premises, &one.premises)) {
                    if let What::Covers { amount, amount_scope, .. } = &earlier.what {
                        before.push((*amount, amount_scope.clone()));
                    }
                }
            }
            all.push(one);
        }
        taken.push(condition);
        out.extend(all);
    }
    *conditions = out;
}

/// Does whatever holds in the second case hold in the first?
fn within(a: &[(&Expr, bool, Rc<Scope>)], b: &[(&Expr, bool, Rc<Scope>)]) -> bool {
    a.len() <= b.len() && a.iter().zip(b).all(|((x, sense, _), (y, other, _))| std::ptr::eq(*x, *y) && sense == other)
}

/// Do both name the same bag? Said only where that is plain to see.
fn same_store<'p>(a: (&Store, &Rc<Scope<'p>>), b: (&Store, &Rc<Scope<'p>>)) -> bool {
    match (a.0, b.0) {
        (Store::Homes, Store::Homes) => true,
        (Store::Bag(x), Store::Bag(y)) => {
            let keys = || x.keys.iter().zip(&y.keys);
            x.field == y.field
                && x.keys.len() == y.keys.len()
                && keys().all(|(x, y)| match (&x.kind, &y.kind) {
                    (ExprKind::Me, ExprKind::Me) => a.1.me == b.1.me,
                    (ExprKind::Active, ExprKind::Active) => true,
                    (ExprKind::Member(x), ExprKind::Member(y)) => x == y,
                    (ExprKind::Local(_), ExprKind::Local(_)) => x.span == y.span || same_local(x, y, a.1, b.1),
                    (_, _) => false,
                })
        }
        (Store::Homes | Store::Bag(_), _) => false,
    }
}

fn same_local<'p>(x: &Expr, y: &Expr, a: &Rc<Scope<'p>>, b: &Rc<Scope<'p>>) -> bool {
    let (ExprKind::Local(x), ExprKind::Local(y)) = (&x.kind, &y.kind) else { return false };
    match (a.binds.get(x.index()), b.binds.get(y.index())) {
        (Some(Bind::Val(x)), Some(Bind::Val(y))) => x == y,
        (Some(Bind::Lazy(x, _)), Some(Bind::Lazy(y, _))) => {
            matches!((&x.kind, &y.kind), (ExprKind::Me, ExprKind::Me)) || std::ptr::eq(*x, *y)
        }
        (_, _) => false,
    }
}

/// Cheap tests that often fail come first.
fn rank(condition: &Condition) -> usize {
    match condition.what {
        What::Limit(_) => 0,
        What::Covers { .. } | What::Fits { .. } => 1,
        What::Supply(..) => 2,
        What::Holds(_) => 3,
        What::Possible(_) => 4,
    }
}

fn bind_at<'p>(scope: &mut Scope<'p>, local: LocalId, bind: Bind<'p>) {
    if scope.binds.len() <= local.index() {
        scope.binds.resize(local.index() + 1, Bind::Unset);
    }
    scope.binds[local.index()] = bind;
}

/// Has every local that the expression speaks of a value before the action begins? Locals that it binds itself do.
fn has_values(e: &Expr, scope: &Scope) -> bool {
    let mut own = Vec::new();
    super::functions::walk(e, &mut |e| {
        if let ExprKind::Filter { local, .. } | ExprKind::Sum { local, .. } = &e.kind {
            own.push(*local);
        }
    });
    let mut all = true;
    super::functions::walk(e, &mut |e| {
        if let ExprKind::Local(l) | ExprKind::Tally { local: l, .. } = &e.kind
            && !own.contains(l)
        {
            all &= !matches!(scope.binds.get(l.index()), Some(Bind::Unset) | None);
        }
    });
    all
}

/// The addresses of the locals that an expression depends on, through what is computed where it is used.
fn addresses(e: &Expr, scope: &Scope, note: &mut dyn FnMut(u16)) {
    super::functions::walk(e, &mut |e| {
        if let ExprKind::Local(l) | ExprKind::Tally { local: l, .. } = &e.kind {
            match scope.binds.get(l.index()) {
                Some(Bind::Val(Val::At(at)) | Bind::Wide(at) | Bind::Tally(at)) => note(*at),
                Some(Bind::Lazy(inner, inner_scope)) => addresses(inner, inner_scope, note),
                Some(Bind::Val(Val::Known(_)) | Bind::Set(_) | Bind::Unset) | None => {}
            }
        }
    });
}

/// In how many ways n things of k kinds can be taken.
fn choose_with_repeats(k: u64, n: u64) -> u64 {
    if k == 0 {
        return u64::from(n == 0);
    }
    (1..k).fold(1u64, |acc, i| acc.saturating_mul(n + i) / i)
}
