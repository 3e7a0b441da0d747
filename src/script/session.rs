//! What one call of a script works on: a copy of the state's words. They go back into the game's memory when the
//! script has ended well, so a script that fails has changed nothing.

use std::rc::Rc;

use rhai::Dynamic;

use super::errors;
use super::model::Model;
use super::values::{self, Misfit, WIDEST};
use crate::diagnostic::Diagnostic;
use crate::engine::bags::LANE_MAX;
use crate::engine::code::{FieldPlace, Shape, fixed};
use crate::engine::random;
use crate::program::{Field, FieldType, Type};

pub struct Session {
    pub model: Rc<Model>,
    pub words: Vec<u64>,
    /// Did a rule call the script for its effect?
    pub may_change: bool,
    pub changed: bool,
    /// Records of events, as the machine keeps them.
    pub events: Vec<u64>,
}

impl Session {
    pub fn new(model: &Rc<Model>) -> Session {
        let words = Vec::new();
        Session { model: Rc::clone(model), words, may_change: false, changed: false, events: Vec::new() }
    }

    pub fn begin(&mut self, state: &[u64], may_change: bool) {
        self.words.clear();
        self.words.extend_from_slice(state);
        self.events.clear();
        self.may_change = may_change;
        self.changed = false;
    }

    pub fn word(&self, at: usize) -> u64 {
        self.words.get(at).copied().unwrap_or(0)
    }

    pub fn put(&mut self, at: usize, value: u64) {
        if let Some(word) = self.words.get_mut(at) {
            *word = value;
            self.changed = true;
        }
    }

    pub fn many(&self, at: usize, count: usize) -> [u64; WIDEST] {
        let mut words = [0; WIDEST];
        for (k, word) in words.iter_mut().enumerate().take(count) {
            *word = self.word(at + k);
        }
        words
    }

    pub fn put_many(&mut self, at: usize, words: &[u64]) {
        for (k, word) in words.iter().enumerate() {
            self.put(at + k, *word);
        }
    }

    /// A number from 0 below `bound`, from the stream of scripts.
    pub fn draw(&mut self, bound: u64) -> u64 {
        let (counter, stream) = self.model.stream;
        let count = self.word(counter as usize);
        self.put(counter as usize, count + 1);
        random::below(random::number(self.word(fixed::SEED as usize), stream, count), bound)
    }

    // ---- fields ----

    /// The members that a script named as keys.
    pub fn keys(&self, field: &Field, keys: &[Dynamic]) -> Result<Vec<usize>, Misfit> {
        let pairs = field.keys.iter().zip(keys);
        pairs.map(|(domain, key)| values::some_member(&self.model, *domain, key)).collect()
    }

    /// The value of a field of one word a value.
    pub fn scalar(&self, place: &FieldPlace, keys: &[usize]) -> i64 {
        match (place.shape, keys.split_last()) {
            (Shape::Rows { words, values, low }, Some((last, outer))) => {
                let rows = place.address as usize + cell(place, outer) * values * words;
                let has = |v: &usize| self.word(rows + v * words + last / 64) >> (last % 64) & 1 == 1;
                (0..values).find(has).map_or(low - 1, |v| low + v as i64)
            }
            (Shape::Rows { .. } | Shape::Set(_) | Shape::Bag(_), _) => 0,
            (Shape::Word, _) => self.word(place.address as usize + cell(place, keys)) as i64,
        }
    }

    pub fn put_scalar(&mut self, place: &FieldPlace, keys: &[usize], value: i64) {
        match (place.shape, keys.split_last()) {
            (Shape::Rows { words, values, low }, Some((last, outer))) => {
                let rows = place.address as usize + cell(place, outer) * values * words;
                for v in 0..values {
                    let at = rows + v * words + last / 64;
                    let bit = 1 << (last % 64);
                    let word = self.word(at);
                    self.put(at, if low + v as i64 == value { word | bit } else { word & !bit });
                }
            }
            (Shape::Rows { .. } | Shape::Set(_) | Shape::Bag(_), _) => {}
            (Shape::Word, _) => self.put(place.address as usize + cell(place, keys), value as u64),
        }
    }

    /// Where a set or a bag lies, and its words.
    pub fn wide(&self, place: &FieldPlace, keys: &[usize]) -> (usize, usize) {
        match place.shape {
            Shape::Set(words) | Shape::Bag(words) => (place.address as usize + cell(place, keys) * words, words),
            Shape::Word | Shape::Rows { .. } => (place.address as usize, 0),
        }
    }

    /// A number as a field may hold it: cut to the range, or refused.
    pub fn fitted(field: &Field, value: i64) -> Result<i64, Diagnostic> {
        let FieldType::Number { low, high } = field.ty else { return Ok(value) };
        if field.clamped {
            return Ok(value.clamp(low, high.max(low)));
        }
        if (low..=high).contains(&value) { Ok(value) } else { Err(errors::out_of_range(&field.name, value, low, high)) }
    }

    /// Refuses a bag with a lane that is too full.
    pub fn count_fits(kind: &str, count: i64) -> Result<(), Diagnostic> {
        if (0..=LANE_MAX).contains(&count) { Ok(()) } else { Err(errors::bad_count(kind, count, LANE_MAX)) }
    }

    /// Records an event, if the ruleset describes one of this kind.
    pub fn record(&mut self, kind: &crate::engine::code::EventKind, values: &[(Type, &[u64])]) {
        let fits = |described: &[(Type, usize)]| {
            described.len() == values.len() && described.iter().zip(values).all(|((ty, _), (own, _))| ty == own)
        };
        let model = Rc::clone(&self.model);
        let Some((number, _, described)) = model.events.iter().find(|(_, k, v)| k == kind && fits(v)) else { return };
        self.events.push(*number);
        for ((_, width), (_, words)) in described.iter().zip(values) {
            self.events.extend((0..*width).map(|k| words.get(k).copied().unwrap_or(0)));
        }
    }
}

/// The position of a combination of keys among a field's values.
fn cell(place: &FieldPlace, keys: &[usize]) -> usize {
    keys.iter().zip(&place.keys).fold(0, |at, (key, size)| at * size + key)
}

/// The type of a field's values.
pub fn type_of(field: &Field) -> Type {
    match &field.ty {
        FieldType::Truth => Type::Truth,
        FieldType::Number { .. } => Type::Number,
        FieldType::Member { domain, .. } => Type::Member(*domain),
        FieldType::Set(domain) => Type::Set(*domain),
        FieldType::Bag { domain, .. } => Type::Bag(*domain),
    }
}
