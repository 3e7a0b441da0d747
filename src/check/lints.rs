//! What is merely odd: things that nothing uses, events without a reader, actions that nobody can do. Few and
//! sure, so that a warning is always worth a look.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::names::Entry;
use super::outline::Kind;
use super::{Checker, errors};
use crate::program::{ActionTime, FieldRole};
use crate::source::Span;

impl Checker<'_> {
    pub(super) fn lints(&mut self) {
        self.circles();
        self.expansions();
        if self.sink.has_errors() {
            // What seems unused may only be used in a place that could not be read.
            return;
        }
        self.unused();
        self.events_without_readers();
        self.actions_of_nobody();
        self.terrain_of_no_board();
        self.counts();
    }

    /// Does it stand in the ruleset itself, not in one below it? What is odd there was said when that was checked.
    pub(super) fn is_own(&self, span: Span) -> bool {
        let files = self.input.layers.last().map_or(&[][..], |layer| layer.files.as_slice());
        files.iter().flat_map(|file| &file.items).any(|item| item.span.file == span.file)
    }

    fn unused(&mut self) {
        let last = self.input.layers.len().saturating_sub(1);
        let mut found = Vec::new();
        for thing in &self.outline.things {
            // A ruleset to build on offers more than it uses.
            if thing.first().is_some_and(|v| v.layer < last) || self.names.used.contains(&thing.name) {
                continue;
            }
            // Scripts reach state and options by name.
            let quoted = format!("\"{}\"", thing.name);
            if self.program.scripts.iter().any(|script| script.text.contains(&quoted)) {
                continue;
            }
            let what = match thing.kind {
                Kind::Function => "the set or definition",
                Kind::Procedure => "the procedure",
                Kind::Option => "the option",
                Kind::Field => "the state",
                Kind::Track => "the track",
                Kind::Group => "the group",
                Kind::Words => "the words",
                Kind::Piece => "the piece",
                Kind::Deck => "the deck",
                Kind::Script => "the script",
                Kind::Goods if !self.any_member_is_used(&thing.name) => "the goods",
                Kind::Goods
                | Kind::Seats
                | Kind::Tokens
                | Kind::Cases
                | Kind::Limit
                | Kind::Terrain
                | Kind::Cost
                | Kind::Chronicle
                | Kind::Fog
                | Kind::Board
                | Kind::Setup
                | Kind::Turn
                | Kind::Action
                | Kind::Trigger
                | Kind::Award
                | Kind::Points
                | Kind::HiddenPoints
                | Kind::End
                | Kind::AtEnd
                | Kind::Invariant => continue,
            };
            found.push(errors::unused(thing.span, what, &thing.name));
        }
        if self.input.is_abstract {
            return;
        }
        found.into_iter().for_each(|d| self.sink.push(d));
    }

    /// Whether some rule speaks of one of the members of a domain.
    fn any_member_is_used(&self, name: &str) -> bool {
        let domains = self.program.domains.iter().filter(|domain| domain.name == name);
        domains.flat_map(|domain| &domain.members).any(|member| self.names.used.contains(&member.name))
    }

    fn events_without_readers(&mut self) {
        let unread: Vec<_> = self
            .events
            .iter()
            .filter(|(_, info)| !info.handled && self.is_own(info.first))
            .map(|(name, info)| errors::never_handled(info.first, name))
            .collect();
        if !self.input.is_abstract {
            unread.into_iter().for_each(|d| self.sink.push(d));
        }
    }

    fn actions_of_nobody(&mut self) {
        let mut offered: BTreeSet<u32> = self.performed.clone();
        for phase in &self.program.phases {
            offered.extend(phase.may.iter().chain(&phase.one_of).map(|a| a.0));
            offered.extend(phase.must.iter().flatten().map(|a| a.0));
        }
        let mut found = Vec::new();
        for (id, action) in self.program.actions.iter().enumerate() {
            let own = self.is_own(action.span);
            if own && action.time != ActionTime::AnyTime && !offered.contains(&(id as u32)) {
                found.push(errors::never_offered(action.span, &action.name));
            }
        }
        if !self.input.is_abstract {
            found.into_iter().for_each(|d| self.sink.push(d));
        }
    }

    /// A terrain that lies on no board and that no rule speaks of.
    fn terrain_of_no_board(&mut self) {
        if self.incomplete {
            return;
        }
        let outline = Rc::clone(&self.outline);
        for (member, (_, thing)) in outline.of(Kind::Terrain).enumerate() {
            let fields: Vec<_> = self
                .program
                .fields
                .iter()
                .enumerate()
                .filter(|(_, f)| f.role == FieldRole::Terrain)
                .map(|(i, _)| i)
                .collect();
            let lies = self
                .program
                .boards
                .iter()
                .flat_map(|b| &b.values)
                .any(|v| fields.contains(&v.field.index()) && v.value == member as i64);
            let spoken_of = self.names.used.contains(&thing.name);
            if !lies
                && !spoken_of
                && self.is_own(thing.span)
                && matches!(self.names.peek(&thing.name), Some(Entry::Member(..)))
            {
                self.sink.push(errors::on_no_board(thing.span, &thing.name));
            }
        }
    }
}
