//! Values of the rules as values of scripts and back: a number is a number, a truth a truth, a member its name as a
//! text (none is `()`), a set a list of names in the order of the domain, a bag a map from each kind to its count.

use rhai::{Array, Dynamic, Map};

use super::errors;
use super::model::{Model, Names};
use crate::diagnostic::Diagnostic;
use crate::engine::bags;
use crate::program::{DomainId, Type};

/// Words of the widest value.
pub const WIDEST: usize = 8;

/// The value of a type that lies in these words.
pub fn to_script(model: &Model, ty: Type, words: &[u64]) -> Dynamic {
    let first = words.first().copied().unwrap_or(0) as i64;
    match ty {
        Type::Number | Type::Unknown => first.into(),
        Type::Truth => (first != 0).into(),
        Type::Member(domain) => model.names(domain).map_or(Dynamic::UNIT, |names| names.name(first)),
        Type::Set(domain) => match model.names(domain) {
            Ok(names) => list(names, words).into(),
            Err(_) => Array::new().into(),
        },
        Type::Bag(domain) => match model.names(domain) {
            Ok(names) => map(names, words).into(),
            Err(_) => Map::new().into(),
        },
        Type::Nothing => Dynamic::UNIT,
    }
}

pub fn list(names: &Names, words: &[u64]) -> Array {
    let has = |i: usize| words.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 == 1);
    names.list.iter().enumerate().filter(|(i, _)| has(*i)).map(|(_, name)| name.clone().into()).collect()
}

/// Every kind that can lie in such a bag is there, also with 0, so that a script can ask for it plainly.
pub fn map(names: &Names, words: &[u64]) -> Map {
    let kinds = names.list.iter().take(names.lanes).enumerate();
    kinds.map(|(kind, name)| (name.as_str().into(), bags::lane(words, kind).into())).collect()
}

/// What is wrong with a value that a script gave.
pub enum Misfit {
    /// It is of the wrong kind: what is wanted, what was found.
    Kind(String, String),
    Other(Diagnostic),
}

impl From<Diagnostic> for Misfit {
    fn from(fault: Diagnostic) -> Misfit {
        Misfit::Other(fault)
    }
}

/// The words of a script's value as a value of a type, and how many they are.
pub fn from_script(model: &Model, ty: Type, value: &Dynamic) -> Result<([u64; WIDEST], usize), Misfit> {
    let mut words = [0; WIDEST];
    let mut count = 1;
    match ty {
        Type::Number => words[0] = number(value)? as u64,
        Type::Truth => words[0] = u64::from(truth(value)?),
        Type::Member(domain) => words[0] = member(model, domain, value)? as u64,
        Type::Set(domain) => {
            words = set(model, domain, value)?;
            count = crate::engine::code::set_words(size(model, domain));
        }
        Type::Bag(domain) => {
            words = bag(model, domain, value)?;
            count = crate::engine::code::bag_words(size(model, domain));
        }
        Type::Nothing | Type::Unknown => count = 0,
    }
    Ok((words, count))
}

fn size(model: &Model, domain: DomainId) -> usize {
    model.layout.sizes.get(domain.index()).copied().unwrap_or(0)
}

fn misfit<T>(wanted: impl Into<String>, value: &Dynamic) -> Result<T, Misfit> {
    Err(Misfit::Kind(wanted.into(), kind(value)))
}

pub fn number(value: &Dynamic) -> Result<i64, Misfit> {
    value.as_int().or_else(|_| misfit("a number", value))
}

pub fn truth(value: &Dynamic) -> Result<bool, Misfit> {
    value.as_bool().or_else(|_| misfit("a truth", value))
}

/// A member by its name, -1 for `()`.
pub fn member(model: &Model, domain: DomainId, value: &Dynamic) -> Result<i64, Misfit> {
    if value.is_unit() {
        return Ok(-1);
    }
    let names = model.names(domain)?;
    let Ok(name) = value.as_immutable_string_ref() else {
        return misfit(format!("the name of a {}", names.what), value);
    };
    Ok(names.find(&name)? as i64)
}

/// A member that must be there.
pub fn some_member(model: &Model, domain: DomainId, value: &Dynamic) -> Result<usize, Misfit> {
    let found = member(model, domain, value)?;
    usize::try_from(found).or_else(|_| misfit(format!("the name of a {}", model.names(domain)?.what), value))
}

/// A set from a list of names; one name alone is the set of that one.
pub fn set(model: &Model, domain: DomainId, value: &Dynamic) -> Result<[u64; WIDEST], Misfit> {
    let mut words = [0; WIDEST];
    let mut insert = |item: &Dynamic| -> Result<(), Misfit> {
        let index = some_member(model, domain, item)?;
        if let Some(word) = words.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
        Ok(())
    };
    if value.is_string() {
        insert(value)?;
        return Ok(words);
    }
    let Ok(items) = value.as_array_ref() else {
        return misfit(format!("a list of names of a {}", model.names(domain)?.what), value);
    };
    items.iter().try_for_each(insert)?;
    Ok(words)
}

/// A bag from a map of names to counts; a kind that is not in it counts 0.
pub fn bag(model: &Model, domain: DomainId, value: &Dynamic) -> Result<[u64; WIDEST], Misfit> {
    let names = model.names(domain)?;
    let Ok(items) = value.as_map_ref() else {
        return misfit(format!("a bag `#{{{}: 1}}`", names.list.first().map_or("name", |n| n.as_str())), value);
    };
    let mut words = [0; WIDEST];
    for (name, count) in items.iter() {
        let kind = names.find(name)?;
        let Ok(number) = count.as_int() else { return misfit(format!("a number of {name}"), count) };
        if !(0..=bags::LANE_MAX).contains(&number) || (kind >= names.lanes && number > 0) {
            let most = if kind < names.lanes { bags::LANE_MAX } else { 0 };
            return Err(errors::bad_count(name, number, most).into());
        }
        if let Some(word) = words.get_mut(kind / 8) {
            *word |= (number as u64) << (kind % 8 * 8);
        }
    }
    Ok(words)
}

/// What a value is, in words.
pub fn kind(value: &Dynamic) -> String {
    if let Ok(number) = value.as_int() {
        return format!("the number {number}");
    }
    if let Ok(truth) = value.as_bool() {
        return truth.to_string();
    }
    if let Ok(text) = value.as_immutable_string_ref() {
        return format!("the text \"{}\"", text.chars().take(40).collect::<String>());
    }
    kind_of_type(value.type_name()).to_string()
}

/// The plain word for one of Rhai's types.
pub fn kind_of_type(name: &str) -> &str {
    match name {
        "i64" => "a number",
        "bool" => "a truth",
        "&str | ImmutableString | String" | "string" | "&str" | "String" | "ImmutableString" => "a text",
        "char" => "a character",
        "array" => "a list",
        "map" => "a map",
        "()" => "nothing",
        "Fn" => "a function",
        name if name.starts_with("range") => "a range",
        name => name,
    }
}
