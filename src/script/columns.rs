//! What a script can ask of tables: a column of a card, as the value that rules would read.

use std::rc::Rc;

use rhai::{Array, Dynamic};

use super::errors;
use super::model::Model;
use super::offers::text;
use super::session::Session;
use super::values::{self, Misfit};
use crate::program::{Constant, Table};

pub fn column(session: &mut Session, arguments: &[Dynamic]) -> Result<Dynamic, Misfit> {
    let name = text(arguments, 0, "a column")?;
    let model = Rc::clone(&session.model);
    let named = || model.program.tables.iter().filter(|table| table.name == *name);
    if named().next().is_none() {
        let known = model.program.tables.iter().map(|table| table.name.as_str());
        return Err(errors::no_such_thing("column", &name, known).into());
    }
    if arguments.get(1).is_none_or(Dynamic::is_unit) {
        return Ok(Dynamic::UNIT);
    }
    let member = text(arguments, 1, "a card")?;
    // Several tables may have a column of the name; the card says which is meant.
    let index = |table: &Table| model.names(table.of).ok().and_then(|names| names.find(&member).ok());
    let found: Vec<(&Table, i64)> = named().filter_map(|table| Some((table, index(table)? as i64))).collect();
    let Some((first, at)) = found.first() else {
        let cards = named().filter_map(|table| model.names(table.of).ok());
        let cards: Vec<&str> = cards.flat_map(|names| names.list.iter().map(|name| name.as_str())).collect();
        return Err(errors::unknown_member(&member, &format!("card with a column `{name}`"), cards).into());
    };
    Ok(match (first.width, found.get(1)) {
        (Some(width), Some((places, _))) => {
            let length = match places.at(*at, 0) {
                Constant::Set(places) => places.len().min(width),
                Constant::Word(_) | Constant::Bag(_) => 0,
            };
            let entries = (0..length as i64).map(|place| value(&model, first, first.at(*at, place)));
            entries.collect::<Array>().into()
        }
        (Some(_), None) | (None, _) => value(&model, first, first.at(*at, 0)),
    })
}

fn value(model: &Model, table: &Table, constant: Constant) -> Dynamic {
    if table.none.is_some() && constant == table.missing() {
        return Dynamic::UNIT;
    }
    values::to_script(model, table.ty, &constant.words(values::WIDEST))
}
