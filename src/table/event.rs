//! What a move caused, from the engine's records to text and JSON, for one viewer. What moves is seen by those who
//! see either end of its way: a card drawn by its drawer, a stolen thing by the two.

use serde_json::{Map, Value as Json, json};

use super::value;
use crate::engine::code::{EventKind, EventText};
use crate::engine::{Game, bags};
use crate::program::{DomainKind, FieldType, TokenEvent, Type};

/// For whose eyes something is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// Hides nothing: for tests and for programs that move every seat.
    Everything,
    Seat(usize),
    /// Somebody who looks on.
    Public,
}

impl Viewer {
    /// May the viewer see what only these seats may see?
    pub fn is_among(self, seats: &[i64]) -> bool {
        match self {
            Viewer::Everything => true,
            Viewer::Seat(seat) => seats.contains(&(seat as i64)),
            Viewer::Public => false,
        }
    }
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub text: String,
    /// An event by which rules speak to each other; people see what comes of it.
    pub of_rules: bool,
    pub json: Json,
}

/// The records of the last step, in order.
pub fn tell(game: &Game, viewer: Viewer) -> Vec<Told> {
    let code = &game.code;
    let records = &game.machine.events;
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(number) = records.get(at) {
        at += 1;
        let number = *number as usize;
        let (Some(text), Some(widths)) = (code.events.get(number), code.event_words.get(number)) else { break };
        let mut values = Vec::new();
        for ((_, ty), (_, width)) in text.values.iter().zip(widths) {
            let width = usize::from(*width);
            values.push(Held { ty: *ty, words: records.get(at..at + width).unwrap_or(&[]).to_vec() });
            at += width;
        }
        let told = Teller { game, viewer, values }.tell(text);
        if let Some(told) = told.and_then(|told| go_on(&mut out, told)) {
            out.push(told);
        }
    }
    out
}

/// A piece that moves again from where it has just arrived goes on with the same move, of which only the ends are told.
fn go_on(before: &mut [Told], next: Told) -> Option<Told> {
    let is = |told: &Told, key: &str| told.json.get(key).cloned().unwrap_or(Json::Null);
    let Some(last) = before.last_mut().filter(|last| {
        is(last, "event") == "move"
            && is(&next, "event") == "move"
            && is(last, "piece") == is(&next, "piece")
            && is(last, "seat") == is(&next, "seat")
            && is(last, "to") == is(&next, "from")
    }) else {
        return Some(next);
    };
    let (left, to) = (is(last, "to"), is(&next, "to"));
    if let (Some(text), Some(left), Some(to)) =
        (last.text.strip_suffix(left.as_str().unwrap_or("")), left.as_str(), to.as_str())
        && !left.is_empty()
    {
        last.text = format!("{text}{to}");
    }
    if let Some(object) = last.json.as_object_mut() {
        object.insert("to".into(), to);
        object.insert("text".into(), json!(last.text));
    }
    None
}

struct Held {
    ty: Type,
    words: Vec<u64>,
}

struct Teller<'g> {
    game: &'g Game,
    viewer: Viewer,
    values: Vec<Held>,
}

impl Teller<'_> {
    fn number(&self, at: usize) -> i64 {
        self.values.get(at).and_then(|v| v.words.first()).map_or(-1, |w| *w as i64)
    }

    fn text(&self, at: usize) -> String {
        self.values.get(at).map_or_else(String::new, |v| self.game.value_text(v.ty, &v.words))
    }

    fn json(&self, at: usize) -> Json {
        self.values.get(at).map_or(Json::Null, |v| value::to_json(self.game, v.ty, &v.words))
    }

    /// The seat at this position, which may be recorded as a number.
    fn seat(&self, at: usize) -> (Json, String) {
        let index = self.number(at);
        match self.game.code.program.known.player {
            Some(players) if index >= 0 => {
                let name = self.game.member_name(players, index);
                (json!(name), name)
            }
            Some(_) | None => (Json::Null, "nobody".into()),
        }
    }

    /// Where a piece in a slot stands, or where several do.
    fn places(&self, at: usize) -> String {
        let Some(held) = self.values.get(at) else { return String::new() };
        let slots: Vec<i64> = match held.ty {
            Type::Set(_) => value::set_members(&held.words).map(|slot| slot as i64).collect(),
            _ => held.words.iter().take(1).map(|word| *word as i64).collect(),
        };
        let (Type::Set(domain) | Type::Member(domain)) = held.ty else { return String::new() };
        let mut names: Vec<String> = slots.iter().map(|slot| self.game.place_name(domain, *slot)).collect();
        names.dedup();
        names.join(", ")
    }

    /// Is the viewer among those who see the face of a token?
    fn may_see_face(&self) -> bool {
        let seers = self.values.get(3).map_or(&[][..], |held| held.words.as_slice());
        let seers: Vec<i64> = value::set_members(seers).map(|seat| seat as i64).collect();
        self.viewer.is_among(&seers)
    }

    /// The track whose marker moved or passed a mark, if that is what this event of the rules tells, and the mark.
    fn track_of(&self, event: &str) -> Option<(String, Option<String>)> {
        let program = &self.game.code.program;
        let is_it = |id: crate::program::EventId| program.events.get(id.index()).is_some_and(|e| e.name == event);
        program.tracks.iter().find_map(|track| {
            if is_it(track.moved) {
                return Some((track.name.clone(), None));
            }
            let mark = track.marks.iter().find(|mark| is_it(mark.event))?;
            Some((track.name.clone(), Some(mark.name.clone())))
        })
    }

    fn is_of_cards(&self, at: usize) -> bool {
        let Some(Type::Bag(domain)) = self.values.get(at).map(|v| v.ty) else { return false };
        let domain = self.game.code.program.domains.get(domain.index());
        domain.is_some_and(|d| matches!(d.kind, DomainKind::Cards(_)))
    }

    fn is_empty(&self, at: usize) -> bool {
        self.values.get(at).is_none_or(|v| v.words.iter().all(|w| *w == 0))
    }

    fn tell(&self, event: &EventText) -> Option<Told> {
        let told = |name: &str, fields: Vec<(&str, Json)>, text: String| {
            let mut object = Map::new();
            object.insert("event".into(), json!(name));
            object.extend(fields.into_iter().map(|(key, value)| (key.to_owned(), value)));
            object.insert("text".into(), json!(text));
            let of_rules = matches!(event.kind, EventKind::Emitted(_));
            Some(Told { text, of_rules, json: Json::Object(object) })
        };
        match &event.kind {
            EventKind::Gain | EventKind::Lose | EventKind::Put(_) if self.is_empty(1) => None,
            EventKind::Gain => {
                let (seat, name) = self.seat(0);
                told("gain", vec![("seat", seat), ("what", self.json(1))], format!("{name} takes {}", self.text(1)))
            }
            EventKind::Put(place) => {
                let (seat, name) = self.seat(0);
                let text = format!("{name} puts {} into {}", self.text(1), place.replace('_', " "));
                told("lose", vec![("seat", seat), ("what", self.json(1)), ("to", json!(place))], text)
            }
            EventKind::Lose => {
                let (seat, name) = self.seat(0);
                if self.is_of_cards(1) {
                    let text = format!("{name} discards {}", self.text(1));
                    return told("discard", vec![("seat", seat), ("what", self.json(1))], text);
                }
                told(
                    "lose",
                    vec![("seat", seat), ("what", self.json(1))],
                    format!("{name} gives back {}", self.text(1)),
                )
            }
            EventKind::Pass if self.is_empty(2) => None,
            EventKind::Pass => {
                let ((from, giver), (to, taker)) = (self.seat(0), self.seat(1));
                let (what, json) =
                    if self.viewer.is_among(&[self.number(0), self.number(1)]) || !covered_hands(self.game) {
                        (self.text(2), self.json(2))
                    } else {
                        let size: u64 = self.values.get(2).map_or(0, |v| v.words.iter().map(|w| bags::size(*w)).sum());
                        (if size == 1 { "1 thing".into() } else { format!("{size} things") }, json!({ "size": size }))
                    };
                told("pass", vec![("from", from), ("to", to), ("what", json)], format!("{giver} gives {taker} {what}"))
            }
            EventKind::Steal(_) if self.number(2) < 0 => None,
            EventKind::Steal(_) => {
                let ((from, victim), (to, thief)) = (self.seat(0), self.seat(1));
                if self.viewer.is_among(&[self.number(0), self.number(1)]) {
                    let text = format!("{thief} steals 1 {} from {victim}", self.text(2));
                    told("steal", vec![("from", from), ("to", to), ("what", self.json(2))], text)
                } else {
                    let text = format!("{thief} steals something from {victim}");
                    told("steal", vec![("from", from), ("to", to), ("what", Json::Null)], text)
                }
            }
            EventKind::Draw(_) if self.number(1) < 0 => None,
            EventKind::Draw(deck) => {
                let (seat, name) = self.seat(0);
                if seat.is_null() {
                    // It goes to where everyone sees it.
                    let text = format!("{deck}: {}", self.text(1));
                    told("draw", vec![("seat", seat), ("deck", json!(deck)), ("what", self.json(1))], text)
                } else if self.number(2) == 1 || self.viewer.is_among(&[self.number(0)]) {
                    let text = format!("{name} draws {} from {deck}", self.text(1));
                    told("draw", vec![("seat", seat), ("deck", json!(deck)), ("what", self.json(1))], text)
                } else {
                    let text = format!("{name} draws from {deck}");
                    told("draw", vec![("seat", seat), ("deck", json!(deck)), ("what", Json::Null)], text)
                }
            }
            EventKind::Discard(deck) => {
                let (seat, name) = self.seat(0);
                let text = format!("{name} plays {}", self.text(1));
                told("discard", vec![("seat", seat), ("deck", json!(deck)), ("what", self.json(1))], text)
            }
            EventKind::Roll => {
                let dice: Vec<i64> = (1..self.values.len()).map(|at| self.number(at)).collect();
                let faces: Vec<String> = dice.iter().map(i64::to_string).collect();
                let text = match faces.as_slice() {
                    [] | [_] => format!("the dice show {}", self.number(0)),
                    faces => format!("the dice show {} = {}", faces.join(" + "), self.number(0)),
                };
                told("roll", vec![("sum", json!(self.number(0))), ("dice", json!(dice))], text)
            }
            EventKind::Place(piece) => {
                let (seat, name) = self.seat(0);
                let place = self.text(1);
                let text = if seat.is_null() {
                    format!("{piece} on {place}")
                } else {
                    format!("{name} places {piece} on {place}")
                };
                told("place", vec![("seat", seat), ("piece", json!(piece)), ("on", json!(place))], text)
            }
            EventKind::Remove(piece) => {
                let (seat, name) = self.seat(0);
                let place = self.text(1);
                let text = if seat.is_null() {
                    format!("{piece} leaves {place}")
                } else {
                    format!("{name} takes {piece} from {place}")
                };
                told("remove", vec![("seat", seat), ("piece", json!(piece)), ("from", json!(place))], text)
            }
            EventKind::Move(piece) => {
                let (seat, name) = self.seat(0);
                let (from, to) = (self.places(1), self.places(2));
                let text = if seat.is_null() {
                    format!("{piece} moves from {from} to {to}")
                } else {
                    format!("{name} moves {piece} from {from} to {to}")
                };
                told(
                    "move",
                    vec![("seat", seat), ("piece", json!(piece)), ("from", json!(from)), ("to", json!(to))],
                    text,
                )
            }
            EventKind::Reveal(area) => {
                let (place, found) = (self.text(0), self.text(1));
                let text = format!("{place} turns out to be {}", found.replace('_', " "));
                told("reveal", vec![("place", json!(place)), ("area", json!(area)), ("what", json!(found))], text)
            }
            EventKind::Token(what, name) => {
                let (seat, who) = self.seat(0);
                let place = self.places(1);
                let seen = self.number(4) == 1 || self.may_see_face();
                let face = if self.number(2) >= 0 && seen { self.json(2) } else { Json::Null };
                let spelt = if face.is_null() { String::new() } else { format!(": {}", self.text(2)) };
                let text = match what {
                    TokenEvent::Place => format!("{name} on {place}{spelt}"),
                    TokenEvent::Look => format!("{who} looks at {name} on {place}{spelt}"),
                    TokenEvent::Reveal => format!("{name} on {place} turns out to be {}", self.text(2)),
                    TokenEvent::Take if seat.is_null() => format!("{name} is taken from {place}{spelt}"),
                    TokenEvent::Take => format!("{who} takes {name} from {place}{spelt}"),
                    TokenEvent::Remove => format!("{name} leaves {place}{spelt}"),
                    TokenEvent::Shuffle => format!("{name} is shuffled on {place}"),
                };
                let event = match what {
                    TokenEvent::Place => "lay",
                    TokenEvent::Look => "look",
                    TokenEvent::Reveal => "reveal",
                    TokenEvent::Take => "take",
                    TokenEvent::Remove => "remove",
                    TokenEvent::Shuffle => "shuffle",
                };
                let on = self.json(1);
                told(event, vec![("seat", seat), ("tokens", json!(name)), ("on", on), ("what", face)], text)
            }
            EventKind::Award(award) => {
                let (seat, name) = self.seat(0);
                told(
                    "award",
                    vec![("seat", seat), ("award", json!(award))],
                    format!("{name} has {}", award.replace('_', " ")),
                )
            }
            EventKind::Emitted(event) if self.track_of(event).is_some() => {
                let (track, mark) = self.track_of(event).unwrap_or_default();
                let (seat, name) = self.seat(0);
                let words = |name: &str| name.replace('_', " ");
                let fields = |mut more: Vec<(&'static str, Json)>| {
                    more.extend([("seat", seat.clone()), ("track", json!(track))]);
                    more
                };
                let mut passing = match mark {
                    Some(mark) => {
                        let text = format!("{name} reaches {} on {}", words(&mark), words(&track));
                        told("pass_mark", fields(vec![("mark", json!(mark))]), text)?
                    }
                    None => {
                        let text = format!("{name} is at {} on {}", self.text(1), words(&track));
                        told("track", fields(vec![("at", self.json(1))]), text)?
                    }
                };
                passing.of_rules = false;
                Some(passing)
            }
            EventKind::Emitted(event) => {
                let args: Vec<Json> = (0..self.values.len()).map(|at| self.json(at)).collect();
                let words: Vec<String> = (0..self.values.len()).map(|at| self.text(at)).collect();
                let text = format!("{event} {}", words.join(" ")).trim_end().to_owned();
                told(event, vec![("args", json!(args))], text)
            }
            EventKind::Turn => {
                let (seat, name) = self.seat(0);
                told("turn", vec![("seat", seat)], format!("{name}'s turn"))
            }
            EventKind::Over => {
                let (winner, name) = self.seat(0);
                let text = if winner.is_null() {
                    "the game is over: nobody wins".to_owned()
                } else {
                    format!("the game is over: {name} wins")
                };
                told("over", vec![("winner", winner)], text)
            }
        }
    }
}

/// Do players hold things that the others do not see? Then neither end of a way from hand to hand is seen.
fn covered_hands(game: &Game) -> bool {
    let program = &game.code.program;
    program
        .fields
        .iter()
        .any(|f| f.hidden && matches!(f.ty, FieldType::Bag { .. }) && f.keys.first().copied() == program.known.player)
}
