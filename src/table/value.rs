//! Values between the state and the world: where a field's values lie in memory, values as JSON and, in `text`,
//! members and bags as people write them. The engine turns values into text itself ([`Game::value_text`]).

mod text;

pub use text::{
    Token, Wrong, bag, board, either, is_known, kind_name, member, names, place_kind, size, tokens, type_phrase, value,
    with_article, words_of,
};

use serde_json::{Map, Value as Json, json};

use crate::engine::code::{FieldPlace, Shape};
use crate::engine::{Code, Game, bags};
use crate::program::{DomainId, DomainKind, Field, FieldId, FieldType, Type};

/// One value of a field: a number, truth or member (-1 for none), or the words of a set or bag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    Scalar(i64),
    Words(Vec<u64>),
}

impl Cell {
    pub fn words(&self) -> Vec<u64> {
        match self {
            Cell::Scalar(n) => vec![*n as u64],
            Cell::Words(words) => words.clone(),
        }
    }
}

/// The value of a field for one combination of its keys, numbered as [`cell_of`] does.
pub fn read(game: &Game, field: FieldId, cell: usize) -> Cell {
    let Some(place) = game.code.layout.fields.get(field.index()) else { return Cell::Scalar(0) };
    let memory = &game.machine.memory[..];
    let word = |at: usize| memory.get(at).copied().unwrap_or(0);
    let base = usize::from(place.address);
    match place.shape {
        Shape::Word => Cell::Scalar(word(base + cell) as i64),
        Shape::Set(width) | Shape::Bag(width) => {
            Cell::Words((0..width).map(|k| word(base + cell * width + k)).collect())
        }
        Shape::Rows { words, values, low } => {
            let (block, at) = row_of(place, cell);
            let holds = |v: &usize| word(base + (block * values + v) * words + at / 64) >> (at % 64) & 1 == 1;
            Cell::Scalar((0..values).find(holds).map_or(low - 1, |v| v as i64 + low))
        }
    }
}

/// Writes a value; [`Game::forget_kept`] is to be called afterwards.
pub fn write(game: &mut Game, field: FieldId, cell: usize, value: &Cell) {
    let code = game.code.clone();
    let Some(place) = code.layout.fields.get(field.index()) else { return };
    let base = usize::from(place.address);
    let memory = &mut game.machine.memory[..];
    match (place.shape, value) {
        (Shape::Word, Cell::Scalar(n)) => put(memory, base + cell, *n as u64),
        (Shape::Set(width) | Shape::Bag(width), Cell::Words(words)) => {
            for k in 0..width {
                put(memory, base + cell * width + k, words.get(k).copied().unwrap_or(0));
            }
        }
        (Shape::Rows { words, values, low }, Cell::Scalar(n)) => {
            let (block, at) = row_of(place, cell);
            for v in 0..values {
                let address = base + (block * values + v) * words + at / 64;
                let word = memory.get(address).copied().unwrap_or(0);
                let bit = 1u64 << (at % 64);
                put(memory, address, if v as i64 + low == *n { word | bit } else { word & !bit });
            }
        }
        // The type of a field decides both; a value of another shape is not written.
        (Shape::Word, Cell::Words(_)) | (Shape::Set(_) | Shape::Bag(_) | Shape::Rows { .. }, _) => {}
    }
}

fn put(memory: &mut [u64], at: usize, word: u64) {
    if let Some(to) = memory.get_mut(at) {
        *to = word;
    }
}

/// Which block of rows a cell lies in, and its place there: the last key is the place.
fn row_of(place: &FieldPlace, cell: usize) -> (usize, usize) {
    let size = place.keys.last().copied().unwrap_or(1).max(1);
    (cell / size, cell % size)
}

/// The number of the value for these keys: the last key varies fastest.
pub fn cell_of(place: &FieldPlace, keys: &[usize]) -> Option<usize> {
    if keys.len() != place.keys.len() || keys.iter().zip(&place.keys).any(|(k, size)| k >= size) {
        return None;
    }
    Some(keys.iter().zip(&place.keys).fold(0, |cell, (k, size)| cell * size + k))
}

/// The type that a field's value has in an expression.
pub fn type_of(ty: &FieldType) -> Type {
    match ty {
        FieldType::Truth => Type::Truth,
        FieldType::Number { .. } => Type::Number,
        FieldType::Member { domain, .. } => Type::Member(*domain),
        FieldType::Set(domain) => Type::Set(*domain),
        FieldType::Bag { domain, .. } => Type::Bag(*domain),
    }
}

/// A value of an expression as JSON: bags are objects of what they hold, sets are lists, none is null.
pub fn to_json(game: &Game, ty: Type, words: &[u64]) -> Json {
    let first = words.first().copied().unwrap_or(0) as i64;
    match ty {
        Type::Truth => json!(first != 0),
        Type::Number => json!(first),
        Type::Member(_) if first < 0 => Json::Null,
        Type::Member(domain) => json!(game.member_name(domain, first)),
        Type::Set(domain) => set_members(words).map(|i| json!(game.member_name(domain, i as i64))).collect(),
        Type::Bag(domain) => {
            let held = (0..words.len() * 8).map(|k| (k, bags::lane(words, k))).filter(|(_, n)| *n > 0);
            Json::Object(held.map(|(k, n)| (game.member_name(domain, k as i64), json!(n))).collect::<Map<_, _>>())
        }
        Type::Nothing | Type::Unknown => Json::Null,
    }
}

/// A field's value as JSON; a number that stands for none is null.
pub fn field_json(game: &Game, field: &Field, cell: &Cell) -> Json {
    match (&field.ty, cell) {
        (FieldType::Number { .. }, Cell::Scalar(n)) if field.none == Some(*n) => Json::Null,
        (ty, cell) => to_json(game, type_of(ty), &cell.words()),
    }
}

/// A value that the viewer may not see, as far as it may be seen.
pub fn covered_json(ty: &FieldType, cell: &Cell) -> Json {
    match (ty, cell) {
        (FieldType::Bag { .. }, Cell::Words(words)) => {
            json!({ "size": words.iter().map(|w| bags::size(*w)).sum::<u64>() })
        }
        (FieldType::Set(_), Cell::Words(words)) => {
            json!({ "size": words.iter().map(|w| w.count_ones()).sum::<u32>() })
        }
        _ => json!({ "hidden": true }),
    }
}

/// How many pieces of one kind can stand on a place, where they stand in slots; 1 for any other domain.
pub fn slots(code: &Code, domain: DomainId) -> usize {
    match code.program.domains.get(domain.index()).map(|d| d.kind) {
        Some(DomainKind::Slots { count, .. }) => count.max(1) as usize,
        Some(_) | None => 1,
    }
}

/// The members of a set, ascending.
pub fn set_members(words: &[u64]) -> impl Iterator<Item = usize> {
    (0..words.len() * 64).filter(move |i| words.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_numbered_with_the_last_key_fastest() {
        let place = FieldPlace { address: 0, shape: Shape::Word, keys: vec![3, 5] };
        assert_eq!(cell_of(&place, &[2, 4]), Some(14));
        assert_eq!(cell_of(&place, &[2, 5]), None);
        assert_eq!(cell_of(&place, &[2]), None);
    }
}
