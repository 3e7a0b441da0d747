//! Tracks: a marker on a row of spaces, of all or of each player. A track is a clamped number; writing to it is
//! followed by a hidden procedure that emits what the marker passed on its way, mark by mark. A script that changes
//! state is watched from outside: what its markers passed happens when it is done.

use super::errors;
use super::names::Entry;
use super::outline::Kind;
use super::{Checker, Outline};
use crate::diagnostic::near_names;
use crate::program::{
    Block, Compare, Event, EventId, Expr, ExprKind, FieldId, FieldRole, FieldType, For, Local, LocalId, LocalType,
    Mark, Procedure, ProcedureId, Stmt, StmtKind, Target, Track, Type, Unit,
};
use crate::source::Span;
use crate::syntax::ast::{self, ItemKind};

/// The most spaces of a track, which is drawn space by space.
const MOST_SPACES: i64 = 1000;

impl<'a> Checker<'a> {
    pub(super) fn declare_tracks(&mut self, outline: &Outline<'a>) {
        for (_, thing) in outline.of(Kind::Track) {
            let versions = thing.versions.iter().filter_map(|v| match &v.item.kind {
                ItemKind::Track(track) => Some(track),
                _ => None,
            });
            let versions: Vec<&ast::Track> = versions.collect();
            let (Some(first), Some(last)) = (versions.first(), versions.last()) else { continue };
            let (Some(low), Some(high)) = (self.constant(&last.low), self.constant(&last.high)) else { continue };
            let range = last.low.span.to(last.high.span);
            if low > high {
                self.sink.push(errors::range_backwards(range, low, high));
                continue;
            }
            if high.saturating_sub(low) >= MOST_SPACES {
                self.sink.push(errors::track_too_long(range, MOST_SPACES));
                continue;
            }
            if let Some(other) = versions.iter().find(|v| v.each_player != first.each_player) {
                self.sink.push(errors::track_of_whom(other.name.span, &thing.name, thing.span));
            }
            let keys: Vec<_> = self.program.known.player.into_iter().filter(|_| first.each_player).collect();
            let ty = FieldType::Number { low, high };
            let field = self.add_field(&thing.name, thing.span, keys, ty, FieldRole::Declared);
            if let Some(declared) = self.program.fields.get_mut(field.index()) {
                declared.clamped = true;
            }
            let mut marks: Vec<Mark> = Vec::new();
            for (layer, version) in versions.iter().enumerate() {
                let below = marks.len();
                for (name, places) in &version.marks {
                    self.track_mark(
                        &thing.name,
                        name,
                        places,
                        (low, high),
                        &mut marks,
                        if layer > 0 { below } else { 0 },
                    );
                }
            }
            // Those of a ruleset below may have come to lie outside.
            for mark in &mut marks {
                mark.at.retain(|at| low < *at && *at <= high);
                mark.at.sort_unstable();
            }
            let moved = self.add_event(format!("moving on {}", thing.name), vec![self.player_type(), Type::Number]);
            let passes = self.passing_procedure(&thing.name, thing.span, field, &marks, moved);
            let name = thing.name.clone();
            self.program.tracks.push(Track { name, field, low, high, marks, moved, passes });
        }
    }

    /// One line of marks. A mark of a ruleset below (the first `below` of them) that is named again lies anew.
    fn track_mark(
        &mut self,
        track: &str,
        name: &ast::Name,
        places: &[ast::Expr],
        (low, high): (i64, i64),
        marks: &mut Vec<Mark>,
        below: usize,
    ) {
        let mut found: Vec<(i64, Span)> = Vec::new();
        for place in places {
            let Some(at) = self.constant(place) else { continue };
            if at <= low || at > high {
                self.sink.push(errors::mark_outside(place.span, &name.text, at, low, high));
            } else if let Some((_, first)) = found.iter().find(|(known, _)| *known == at) {
                let first = *first;
                self.sink.push(errors::listed_twice(place.span, &at.to_string(), first));
            } else {
                found.push((at, place.span));
            }
        }
        let at: Vec<i64> = found.iter().map(|(at, _)| *at).collect();
        match marks.iter().position(|mark| mark.name == name.text) {
            Some(known) => {
                if let Some(mark) = marks.get_mut(known) {
                    if known < below {
                        mark.at = at;
                    } else if let Some(again) = at.iter().find(|at| mark.at.contains(at)) {
                        let fault = errors::listed_twice(name.span, &again.to_string(), mark.span);
                        self.sink.push(fault);
                    } else {
                        mark.at.extend(at);
                    }
                }
            }
            None => {
                let event = self.add_event(format!("passing {track} {}", name.text), vec![self.player_type()]);
                marks.push(Mark { name: name.text.clone(), at, event, span: name.span });
            }
        }
    }

    fn add_event(&mut self, name: String, args: Vec<Type>) -> EventId {
        let id = EventId(self.program.events.len() as u32);
        self.program.events.push(Event { name, args });
        id
    }

    /// What happens when a marker has moved on from a number: one event for the move, and one for each mark that it
    /// reached or passed, in the order of the spaces.
    fn passing_procedure(
        &mut self,
        name: &str,
        span: Span,
        field: FieldId,
        marks: &[Mark],
        moved: EventId,
    ) -> ProcedureId {
        let player = self.player_type();
        let local = |name: &str, ty| Local { name: name.to_owned(), ty: LocalType::Value(ty), span };
        let locals = vec![local("p", player), local("before", Type::Number), local("after", Type::Number)];
        let who = || Expr { kind: ExprKind::Local(LocalId(0)), ty: player, span };
        let number = |kind| Expr { kind, ty: Type::Number, span };
        let (before, after) = (|| number(ExprKind::Local(LocalId(1))), || number(ExprKind::Local(LocalId(2))));
        let of_all = self.program.fields.get(field.index()).is_none_or(|f| f.keys.is_empty());
        let keys = if of_all { Vec::new() } else { vec![who()] };
        let stmt = |kind| Stmt { kind, span };
        let when = |op, a, b, then| {
            let cond = super::expr::compare(op, a, b, span);
            stmt(StmtKind::If { cond, then, otherwise: Vec::new() })
        };
        let emit = |event, args| stmt(StmtKind::Emit { event, args, by: Some(who()) });
        let mut body: Block = vec![
            stmt(StmtKind::Let { local: LocalId(2), value: number(ExprKind::Field { field, keys }) }),
            when(Compare::NotEqual, before(), after(), vec![emit(moved, vec![who(), after()])]),
        ];
        let mut spaces: Vec<(i64, EventId)> =
            marks.iter().flat_map(|mark| mark.at.iter().map(|at| (*at, mark.event))).collect();
        // Of several marks on a space, the one that was declared first comes first.
        spaces.sort_by_key(|(at, _)| *at);
        for (at, event) in spaces {
            let space = || number(ExprKind::Number(at));
            let passed = when(Compare::GreaterEqual, after(), space(), vec![emit(event, vec![who()])]);
            body.push(when(Compare::Less, before(), space(), vec![passed]));
        }
        let unit = Unit { locals, params: vec![LocalId(0), LocalId(1)], body };
        let id = ProcedureId(self.program.procedures.len() as u32);
        let name = format!("{name} (passing)");
        self.program.procedures.push(Procedure { name, unit, result: Type::Nothing, span });
        id
    }

    /// The event of a mark that a trigger names.
    pub(super) fn mark_named(&mut self, track: &ast::Name, mark: &ast::Name) -> Option<EventId> {
        let Some(found) = self.program.tracks.iter().find(|t| t.name == track.text) else {
            if !self.incomplete && !self.is_lost(&track.text) {
                let tracks: Vec<&str> = self.program.tracks.iter().map(|t| t.name.as_str()).collect();
                let near = near_names(&track.text, tracks.iter().copied());
                let other = self.names.peek(&track.text).map(Entry::word);
                let fault = errors::no_such_track(track.span, &track.text, &near, other);
                self.unknown(&track.text, fault);
            }
            return None;
        };
        self.names.get(&track.text);
        if let Some(found) = found.marks.iter().find(|m| m.name == mark.text) {
            return Some(found.event);
        }
        let marks: Vec<&str> = found.marks.iter().map(|m| m.name.as_str()).collect();
        let near = near_names(&mark.text, marks.iter().copied());
        let declared = self.program.fields.get(found.field.index()).map_or(track.span, |f| f.span);
        let fault = errors::no_such_mark(mark.span, &mark.text, &track.text, &near, &marks, declared);
        self.sink.push(fault);
        None
    }

    /// Appends a statement that writes to a target. Where that is a marker, what it passes happens next.
    pub(super) fn write(&mut self, mut stmt: Stmt, out: &mut Block) {
        let span = stmt.span;
        let target = match &mut stmt.kind {
            StmtKind::Set { target, .. } | StmtKind::Add { target, .. } => target,
            _ => return out.push(stmt),
        };
        let Target::Field { field, keys } = target else { return out.push(stmt) };
        let Some(track) = self.program.tracks.iter().find(|t| t.field == *field) else { return out.push(stmt) };
        let (field, passes) = (track.field, track.passes);
        // Whose marker it is is computed once.
        if let Some(key) = keys.first_mut()
            && !is_plain(key)
        {
            let local = self.scope.add("owner", LocalType::Value(key.ty), None, span);
            let plain = Expr { kind: ExprKind::Local(local), ty: key.ty, span: key.span };
            let value = std::mem::replace(key, plain);
            out.push(Stmt { kind: StmtKind::Let { local, value }, span });
        }
        let keys = keys.clone();
        // Without an owner it is the doing of whoever acts: of the active player where nobody does.
        let who = keys.first().cloned().unwrap_or(Expr { kind: ExprKind::Me, ty: self.player_type(), span });
        let before = self.scope.add("before", LocalType::Value(Type::Number), None, span);
        let value = Expr { kind: ExprKind::Field { field, keys }, ty: Type::Number, span };
        out.push(Stmt { kind: StmtKind::Let { local: before, value }, span });
        out.push(stmt);
        let before = Expr { kind: ExprKind::Local(before), ty: Type::Number, span };
        out.push(Stmt { kind: StmtKind::Do { procedure: passes, args: vec![who, before], bind: None }, span });
    }

    /// Appends a script's work. It may move markers: what they pass happens afterwards, from the active player on.
    pub(super) fn with_markers(&mut self, script: Stmt, out: &mut Block) {
        let span = script.span;
        let player = self.player_type();
        let mut behind = Vec::new();
        // Scripts reach state by its name between quotation marks; a track that is not there stays as it is.
        let text = match &script.kind {
            StmtKind::Script { script, .. } => self.program.scripts.get(script.index()).map(|s| s.text.clone()),
            _ => None,
        };
        let text = text.unwrap_or_default();
        let named = |track: &Track| text.contains(&format!("\"{}\"", track.name));
        let tracks: Vec<Track> = self.program.tracks.iter().filter(|track| named(track)).cloned().collect();
        for track in tracks {
            let number = |kind| Expr { kind, ty: Type::Number, span };
            let keys = self.program.fields.get(track.field.index()).map_or(0, |f| f.keys.len());
            let (Some(domain), true) = (self.program.known.player, keys > 0) else {
                let before = self.scope.add("before", LocalType::Value(Type::Number), None, span);
                let value = number(ExprKind::Field { field: track.field, keys: Vec::new() });
                out.push(Stmt { kind: StmtKind::Let { local: before, value }, span });
                let me = Expr { kind: ExprKind::Me, ty: player, span };
                let args = vec![me, number(ExprKind::Local(before))];
                behind.push(Stmt { kind: StmtKind::Do { procedure: track.passes, args, bind: None }, span });
                continue;
            };
            let tally = self.scope.add("before", LocalType::Tally { key: domain, bag: None }, None, span);
            let each = self.scope.add("each", LocalType::Value(player), None, span);
            let it = || Expr { kind: ExprKind::Local(each), ty: player, span };
            let all = || Expr { kind: ExprKind::All(domain), ty: Type::Set(domain), span };
            let each_player = |from, stmt| {
                let each = For { local: each, over: all(), from, reversed: false, at_once: false, body: vec![stmt] };
                Stmt { kind: StmtKind::For(each), span }
            };
            let amount = number(ExprKind::Field { field: track.field, keys: vec![it()] });
            let target = Target::Tally { local: tally, key: it() };
            let note = Stmt { kind: StmtKind::Set { target, value: amount }, span };
            out.push(Stmt { kind: StmtKind::Tally(tally), span });
            out.push(each_player(None, note));
            let before = number(ExprKind::Tally { local: tally, key: Box::new(it()) });
            let passes = StmtKind::Do { procedure: track.passes, args: vec![it(), before], bind: None };
            let active = Expr { kind: ExprKind::Active, ty: player, span };
            behind.push(each_player(Some(active), Stmt { kind: passes, span }));
        }
        out.push(script);
        out.extend(behind);
    }
}

/// Costs nothing to compute again, and is the same afterwards.
fn is_plain(key: &Expr) -> bool {
    matches!(key.kind, ExprKind::Me | ExprKind::Active | ExprKind::Local(_) | ExprKind::Member(_))
}
