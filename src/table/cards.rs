//! A card of a table with all that its columns hold, for a person who asks for it.

use crate::engine::Game;
use crate::program::{Constant, DomainId, Table};

/// The card's name and a line for each column; None if no table has such a card.
pub fn card(game: &Game, name: &str) -> Option<String> {
    let program = &game.code.program;
    let (of, member) = program.domains.iter().enumerate().find_map(|(id, domain)| {
        let member = domain.members.iter().position(|m| m.name == name)?;
        let id = DomainId(id as u32);
        program.tables.iter().any(|t| t.of == id).then_some((id, member as i64))
    })?;
    // Names of several words are those of tables that the rules made for themselves.
    let columns = program.tables.iter().filter(|t| t.of == of && !t.name.contains(' '));
    let mut lines: Vec<(String, String)> = Vec::new();
    for table in columns {
        if let Some((_, known)) = lines.iter_mut().find(|(name, _)| *name == table.name) {
            // Behind the entries of a list stands how many there are.
            if let Constant::Set(places) = table.at(member, 0) {
                let entries: Vec<&str> = known.split('\n').take(places.len()).collect();
                *known = if entries.is_empty() { "-".to_owned() } else { entries.join(", ") };
            }
            continue;
        }
        let places = 0..table.width.unwrap_or(1) as i64;
        let texts: Vec<String> = places.map(|place| text(game, table, table.at(member, place))).collect();
        lines.push((table.name.clone(), texts.join("\n")));
    }
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut out = format!("{name}\n");
    for (name, text) in &lines {
        out.push_str(&format!("  {name:width$}  {text}\n"));
    }
    Some(out)
}

fn text(game: &Game, table: &Table, value: Constant) -> String {
    match value {
        Constant::Word(word) if table.none == Some(word) => "none".to_owned(),
        Constant::Bag(kinds) if kinds.is_empty() => "-".to_owned(),
        value => game.value_text(table.ty, &value.words(game.code.words(table.ty))),
    }
}
