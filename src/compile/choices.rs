//! Where someone chooses: sites, their entries, and the code that lists the moves.

use super::Lower;
use super::actions::{ActionUse, Listing};
use super::assemble::Label;
use super::environment::{Scope, Terms, Val};
use crate::engine::code::{Entry, EntryLabel, ParamPlace, Site, SiteKind};
use crate::engine::instr::Op;
use crate::program::{ActionTime, Ask, Block, Branch, Choice, Expr, LocalId, Perform, Reason, Type};
use crate::source::Span;

/// A counter that one seat can make.
struct Counter<'p> {
    word: &'p str,
    seat: i64,
    action: ActionUse<'p>,
}

/// Something that a seat may do at any time, listed at a decision.
pub struct AnyTime<'p> {
    action: ActionUse<'p>,
    entry: u16,
    seat: i64,
    /// The word that must hold the seat.
    asked: Option<u16>,
}

impl<'p> Lower<'p> {
    /// A new site at which a seat chooses; its menu is still to be written.
    pub fn site(&mut self, seat: Val, kind: SiteKind, span: Span) -> u16 {
        let seat = match seat {
            Val::Known(n) => self.number(n),
            Val::At(at) => {
                let lasting = self.lasting(1);
                self.asm.emit(Op::Copy1, lasting, at, 0);
                lasting
            }
        };
        self.code.sites.push(Site { seat, menu: 0, prompt: None, entries: Vec::new(), kind, span });
        self.code.sites.len() as u16 - 1
    }

    pub fn entry(
        &mut self,
        site: u16,
        label: EntryLabel,
        params: Vec<ParamPlace>,
        last_is_fixed: bool,
        resume: Label,
        why: Option<Label>,
        complete: bool,
    ) -> u16 {
        let number = self.code.entries.len() as u16;
        self.code.entries.push(Entry {
            site,
            label,
            params,
            prefix: Vec::new(),
            last_is_fixed,
            resume: resume.0 as u32,
            why: why.map(|l| l.0 as u32),
            complete,
            word: None,
            seat: None,
        });
        self.code.sites[site as usize].entries.push(number);
        number
    }

    pub fn words_entry(&mut self, site: u16, words: &str, resume: Label) -> u16 {
        self.entry(site, EntryLabel::Words(words.to_string()), Vec::new(), true, resume, None, true)
    }

    /// Writes the menu of a site: what `list` emits, between the texts of the prompt and the end.
    pub fn menu(&mut self, site: u16, prompt: Option<&'p Reason>, list: impl FnOnce(&mut Self)) {
        let (_, label) = self.asm.open(format!("menu {site}"));
        self.code.sites[site as usize].menu = label.0 as u32;
        if let Some(prompt) = prompt {
            let text = self.reason_text(prompt, None);
            let chunk = self.asm.current();
            self.code.reasons.push(text);
            self.owners.reasons.push(chunk);
            self.code.sites[site as usize].prompt = Some(self.code.reasons.len() as u16 - 1);
        }
        list(self);
        self.asm.emit(Op::EndMenu, 0, 0, 0);
        self.asm.close();
    }

    /// Suspends at a site, after settling what must be settled before anyone chooses.
    pub fn decide(&mut self, site: u16) {
        self.settle_here();
        self.asm.emit(Op::Decide, site, 0, 0);
    }

    /// Suspends at a site for a choice that was tested to be there. Where something had to be settled first, it is tested
    /// again.
    pub fn decide_on(&mut self, site: u16, again: Label) {
        self.settle_and(Some(again));
        self.asm.emit(Op::Decide, site, 0, 0);
    }

    pub fn ask_kind(&self) -> SiteKind {
        SiteKind::Ask { secret: self.env.secret }
    }

    pub fn ask(&mut self, ask: &'p Ask, block_end: Label, span: Span) {
        let who = self.value(&ask.who);
        // What is done at any time comes back to the question.
        let who = if self.any_time_actions().is_empty() { who } else { self.steady(who) };
        let again = self.asm.label();
        self.asm.place(again);
        match &ask.choice {
            Choice::Member { local, from, or_none, suggested } => {
                self.ask_member(ask, who, (*local, from, *or_none, suggested.as_ref()), again, block_end, span);
            }
            Choice::Members { local, each, count, up_to, from } => {
                self.ask_members(ask, who, (*local, *each, count, *up_to, from), block_end, span);
            }
            Choice::Number { local, low, high, guard, or_none } => {
                self.ask_number(ask, who, (*local, low, high, guard.as_ref(), *or_none), again, block_end, span);
            }
            Choice::Bag { local, size, from } => {
                let sizes = self.bag_sizes(size);
                let held = self.bag(from);
                let at = self.lasting(held.words);
                self.asm.emit(Op::Copy1.wide(held.words), at, held.at, 0);
                let held = super::bags::BagAt { at, words: held.words };
                self.ask_bag(ask, who, (*local, size, from.ty), (sizes, held), again, block_end, span);
            }
            Choice::Kinds { local, size, domain, among } => {
                let sizes = self.bag_sizes(size);
                let words = self.bag_width(*domain);
                let mut ones = vec![0u64; words];
                for kind in among {
                    if let Some(w) = ones.get_mut(*kind as usize / 8) {
                        *w |= 1 << (kind % 8 * 8);
                    }
                }
                let ones = self.memory.constant(&ones);
                let held = super::bags::BagAt { at: self.lasting(words), words };
                self.asm.emit(Op::BagTimes1.wide(words), held.at, ones, sizes.1);
                let ty = Type::Bag(*domain);
                self.ask_bag(ask, who, (*local, size, ty), (sizes, held), again, block_end, span);
            }
            Choice::Branches(branches) => self.ask_branches(ask, who, branches, again, block_end, span),
        }
    }

    /// Jumps to the label if the asked player could do something at any time.
    pub fn any_time_possible(&mut self, who: Val, label: Label) {
        for action in self.any_time_actions() {
            for (seat, asked) in self.may_be(who) {
                let skip = self.asm.label();
                self.unless_seat(asked, seat, skip);
                self.list_action(&ActionUse::plain(action, seat), Listing::Any(label));
                self.asm.place(skip);
            }
        }
    }

    /// The seats that a player may be, with the word that tells which one it is where that is known only in the game.
    fn may_be(&self, who: Val) -> Vec<(i64, Option<u16>)> {
        match who {
            Val::Known(seat) => vec![(seat, None)],
            Val::At(at) => (0..self.players as i64).map(|seat| (seat, Some(at))).collect(),
        }
    }

    /// Skips what follows unless the word holds this seat.
    fn unless_seat(&mut self, asked: Option<u16>, seat: i64, skip: Label) {
        if let Some(at) = asked {
            let seat = self.number(seat);
            self.branch_to(Op::JumpUnequal, at, seat, skip);
        }
    }

    pub fn any_time_actions(&self) -> Vec<crate::program::ActionId> {
        (0..self.program.actions.len())
            .filter(|i| self.program.actions[*i].time == ActionTime::AnyTime)
            .map(|i| crate::program::ActionId(i as u32))
            .collect()
    }

    /// Entries for what a seat may do at any time; afterwards the rule goes on at `again`. Where the seat is known only in
    /// the game, its word lies in the state.
    pub fn any_time_entries(&mut self, site: u16, who: Val, again: Label) -> Vec<AnyTime<'p>> {
        self.any_time_entries_but(&[], site, who, again)
    }

    /// As above, without what is offered there anyway: one text is one move.
    fn any_time_entries_but(
        &mut self,
        offered: &[ActionUse<'p>],
        site: u16,
        who: Val,
        again: Label,
    ) -> Vec<AnyTime<'p>> {
        let mut out = Vec::new();
        for action in self.any_time_actions() {
            // Not within itself: a thing is not used while it is being used.
            if self.env.units.contains(&super::environment::UnitKey::Action(action.index())) {
                continue;
            }
            for (seat, asked) in self.may_be(who) {
                if offered.iter().any(|used| used.action == action && used.seat == seat) {
                    continue;
                }
                let action = ActionUse::plain(action, seat);
                let resume = self.asm.label();
                let entry = self.action_entry(&action, site, resume);
                if let (Some(_), Some(made)) = (asked, self.code.entries.get_mut(usize::from(entry))) {
                    made.seat = Some(seat as usize);
                }
                self.asm.place(resume);
                self.do_action(&action);
                self.asm.jump(again);
                out.push(AnyTime { action, entry, seat, asked });
            }
        }
        out
    }

    /// Lists what may be done at any time.
    pub fn list_any_time(&mut self, any_time: &[AnyTime<'p>]) {
        for each in any_time {
            let skip = self.asm.label();
            self.unless_seat(each.asked, each.seat, skip);
            self.list_action(&each.action, Listing::Rows(each.entry));
            self.asm.place(skip);
        }
    }

    fn ask_member(
        &mut self,
        ask: &'p Ask,
        who: Val,
        (local, from, or_none, suggested): (LocalId, &'p Expr, bool, Option<&'p Expr>),
        again: Label,
        block_end: Label,
        span: Span,
    ) {
        let (Type::Set(domain) | Type::Member(domain)) = from.ty else { return };
        let answer = self.local_at(local);
        let (no_choice, chosen, decide) = (self.asm.label(), self.asm.label(), self.asm.label());
        let set = self.set(from);
        self.branch_to(Op::JumpEmpty1.wide(set.words), set.at, 0, no_choice);
        if or_none {
            self.branch_ending(no_choice);
        } else {
            self.any_time_possible(who, decide);
            let count = self.asm.scratch(1);
            let one = self.number(1);
            self.asm.emit(Op::Count1.wide(set.words), count, set.at, 0);
            self.branch_to(Op::JumpUnequal, count, one, decide);
            self.asm.emit(Op::First1.wide(set.words), answer, set.at, 0);
            self.asm.emit(Op::Forced, 0, 0, 0);
            self.asm.jump(chosen);
        }
        self.asm.place(decide);
        let site = self.site(who, self.ask_kind(), span);
        self.decide_on(site, again);
        let param = ParamPlace { address: answer, ty: Type::Member(domain), fixed: false, index: 0 };
        let why = self.why_member(from, answer, domain);
        let entry = self.entry(site, EntryLabel::Answer, vec![param], false, chosen, Some(why), true);
        let none = or_none.then(|| self.words_entry(site, "none", no_choice));
        let any_time = self.any_time_entries(site, who, again);
        self.menu(site, ask.prompt.as_ref(), |l| {
            let set = l.set(from);
            match suggested {
                None => l.asm.emit(Op::RowSet1.wide(set.words), entry, set.at, 0),
                Some(suggested) => {
                    let suggested = l.set(suggested);
                    let (all, done) = (l.asm.label(), l.asm.label());
                    l.branch_to(Op::JumpEmpty1.wide(set.words), suggested.at, 0, all);
                    l.asm.emit(Op::RowSet1.wide(set.words), entry, suggested.at, 0);
                    let rest = l.without(&set, &suggested);
                    l.asm.emit(Op::RowRest1.wide(set.words), entry, rest.at, 0);
                    l.asm.jump(done);
                    l.asm.place(all);
                    l.asm.emit(Op::RowSet1.wide(set.words), entry, set.at, 0);
                    l.asm.place(done);
                }
            }
            if let Some(none) = none {
                l.asm.emit(Op::RowUnit, none, 0, 0);
            }
            l.list_any_time(&any_time);
        });
        self.declined(no_choice, &ask.otherwise, block_end);
        self.asm.place(chosen);
    }

    /// What happens when there is no choice or it was declined.
    pub fn declined(&mut self, label: Label, otherwise: &'p Block, block_end: Label) {
        self.asm.place(label);
        self.block(otherwise);
        self.asm.jump(block_end);
    }

    fn ask_branches(
        &mut self,
        ask: &'p Ask,
        who: Val,
        branches: &'p [Branch],
        again: Label,
        block_end: Label,
        span: Span,
    ) {
        let (countered, offered): (Vec<&'p Branch>, Vec<&'p Branch>) =
            branches.iter().partition(|b| b.counter.is_some());
        let countered = if self.env.countering { Vec::new() } else { countered };
        // The menu asks whose turn to answer it is, so the seat outlives this code's temporaries.
        let who = if countered.is_empty() { who } else { self.steady(who) };
        let (no_choice, decide, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        let bodies: Vec<Label> = offered.iter().map(|_| self.asm.label()).collect();
        // How many may be chosen, and the last that may.
        let (count, last) = (self.zeroed(), self.zeroed());
        let (one, zero) = (self.number(1), self.number(0));
        for (i, branch) in offered.iter().enumerate() {
            let skip = self.asm.label();
            if let Some(guard) = &branch.guard {
                self.branch(guard, false, skip);
            }
            let number = self.number(i as i64);
            self.asm.emit(Op::Add, count, count, one);
            self.asm.emit(Op::Copy1, last, number, 0);
            self.asm.place(skip);
        }
        // A counter is one move: the action itself, under the branch's name, by whichever seat is asked.
        let counters: Vec<Counter<'p>> = countered.iter().flat_map(|b| self.counters(b, who)).collect();
        for counter in &counters {
            let skip = self.asm.label();
            self.unless_asked(counter, who, skip);
            self.list_action(&counter.action, Listing::Any(decide));
            self.asm.place(skip);
        }
        self.branch_to(Op::JumpEqual, count, zero, no_choice);
        self.any_time_possible(who, decide);
        self.branch_to(Op::JumpUnequal, count, one, decide);
        self.asm.emit(Op::Forced, 0, 0, 0);
        for (i, body) in bodies.iter().enumerate() {
            let number = self.number(i as i64);
            self.branch_to(Op::JumpEqual, last, number, *body);
        }
        self.asm.place(decide);
        let site = self.site(who, self.ask_kind(), span);
        self.decide_on(site, again);
        let entries: Vec<u16> =
            offered.iter().zip(&bodies).map(|(b, body)| self.words_entry(site, &b.name, *body)).collect();
        let counter_entries: Vec<u16> = counters.iter().map(|c| self.counter_entry(c, site, done)).collect();
        let any_time = self.any_time_entries(site, who, again);
        self.menu(site, ask.prompt.as_ref(), |l| {
            for (branch, entry) in offered.iter().zip(&entries) {
                let skip = l.asm.label();
                if let Some(guard) = &branch.guard {
                    l.branch(guard, false, skip);
                }
                l.asm.emit(Op::RowUnit, *entry, 0, 0);
                l.asm.place(skip);
            }
            for (counter, entry) in counters.iter().zip(&counter_entries) {
                let skip = l.asm.label();
                l.unless_asked(counter, who, skip);
                l.list_action(&counter.action, Listing::Rows(*entry));
                l.asm.place(skip);
            }
            l.list_any_time(&any_time);
        });
        for (branch, body) in offered.iter().zip(&bodies) {
            self.asm.place(*body);
            self.block(&branch.body);
            self.asm.jump(done);
        }
        self.declined(no_choice, &ask.otherwise, block_end);
        self.asm.place(done);
    }

    /// The counters of a branch: the seat that is asked may be any where it is known only in the game.
    fn counters(&mut self, branch: &'p Branch, who: Val) -> Vec<Counter<'p>> {
        let Some(perform) = &branch.counter else { return Vec::new() };
        let seats = match who {
            Val::Known(seat) => seat..seat + 1,
            Val::At(_) => 0..self.players as i64,
        };
        seats
            .flat_map(|seat| self.uses(perform, seat).into_iter().map(move |action| (seat, action)))
            .map(|(seat, action)| Counter { word: &branch.name, seat, action })
            .collect()
    }

    fn unless_asked(&mut self, counter: &Counter<'p>, who: Val, skip: Label) {
        let asked = match who {
            Val::Known(_) => None,
            Val::At(at) => Some(at),
        };
        self.unless_seat(asked, counter.seat, skip);
    }

    fn counter_entry(&mut self, counter: &Counter<'p>, site: u16, done: Label) -> u16 {
        let resume = self.asm.label();
        let number = self.action_entry(&counter.action, site, resume);
        if let Some(entry) = self.code.entries.get_mut(number as usize) {
            entry.word = Some(counter.word.to_string());
            entry.seat = Some(counter.seat as usize);
        }
        self.asm.place(resume);
        let outer = std::mem::replace(&mut self.env.countering, true);
        self.do_action(&counter.action);
        self.env.countering = outer;
        self.asm.jump(done);
        number
    }

    /// An action done, or offered, from inside a rule.
    pub fn perform(&mut self, perform: &'p Perform, block_end: Label, span: Span) {
        let who = self.value(&perform.who);
        match who {
            Val::Known(seat) => self.perform_for(perform, seat, block_end, span),
            Val::At(at) => {
                let done = self.asm.label();
                for seat in 0..self.players {
                    let next = self.asm.label();
                    let number = self.number(seat as i64);
                    self.branch_to(Op::JumpUnequal, at, number, next);
                    self.perform_for(perform, seat as i64, block_end, span);
                    self.asm.jump(done);
                    self.asm.place(next);
                }
                self.asm.place(done);
            }
        }
    }

    /// The number of a price: that of another only if it is the same expression of the same values.
    fn cost_number(&mut self, cost: &'p Expr, scope: &std::rc::Rc<Scope<'p>>) -> usize {
        let same = |(known, before): &(&'p Expr, std::rc::Rc<Scope<'p>>)| {
            std::ptr::eq(*known, cost) && before.agrees(scope, cost)
        };
        match self.costs.iter().position(same) {
            Some(number) => number,
            None => {
                self.costs.push((cost, scope.clone()));
                self.costs.len() - 1
            }
        }
    }

    /// The actions that a rule lets a seat do, on the rule's terms.
    pub fn uses(&mut self, perform: &'p Perform, seat: i64) -> Vec<ActionUse<'p>> {
        let scope = self.shared_scope();
        let cost = perform.cost.as_ref().map(|e| (e, scope.clone()));
        let terms = Terms {
            free: perform.free,
            beyond_limit: perform.beyond_limit,
            even: perform.even.clone(),
            cost: perform.cost.as_ref().map(|e| self.cost_number(e, &scope)),
        };
        perform
            .actions
            .iter()
            .map(|(action, args)| ActionUse {
                action: *action,
                seat,
                fixed: args.iter().map(|a| a.as_ref().map(|a| (a, scope.clone()))).collect(),
                terms: terms.clone(),
                cost: cost.clone(),
            })
            .collect()
    }

    fn perform_for(&mut self, perform: &'p Perform, seat: i64, block_end: Label, span: Span) {
        let uses = self.uses(perform, seat);
        let (again, possible, not_done, done) =
            (self.asm.label(), self.asm.label(), self.asm.label(), self.asm.label());
        self.asm.place(again);
        if !perform.must {
            self.branch_ending(not_done);
        }
        for chosen in &uses {
            self.list_action(chosen, Listing::Any(possible));
        }
        self.asm.jump(not_done);
        self.asm.place(possible);
        let site = self.site(Val::Known(seat), SiteKind::Perform { must: perform.must }, span);
        self.decide_on(site, again);
        let mut entries = Vec::new();
        for chosen in &uses {
            let resume = self.asm.label();
            let entry = self.action_entry(chosen, site, resume);
            entries.push(entry);
            self.asm.place(resume);
            self.do_action(chosen);
            if let Some(local) = perform.bind {
                let (to, yes) = (self.local_at(local), self.number(1));
                self.asm.emit(Op::Copy1, to, yes, 0);
            }
            self.asm.jump(done);
        }
        let pass = (!perform.must).then(|| self.words_entry(site, "pass", not_done));
        let any_time = self.any_time_entries_but(&uses, site, Val::Known(seat), again);
        self.menu(site, None, |l| {
            for (chosen, entry) in uses.iter().zip(&entries) {
                l.list_action(chosen, Listing::Rows(*entry));
            }
            l.list_any_time(&any_time);
            if let Some(pass) = pass {
                l.asm.emit(Op::RowUnit, pass, 0, 0);
            }
        });
        self.asm.place(not_done);
        if let Some(local) = perform.bind {
            let (to, no) = (self.local_at(local), self.number(0));
            self.asm.emit(Op::Copy1, to, no, 0);
        }
        // What is offered and not taken does not stop the rule unless the rule says otherwise.
        self.block(&perform.otherwise);
        if perform.must && perform.otherwise.is_empty() {
            self.asm.jump(block_end);
        }
        self.asm.place(done);
    }
}
