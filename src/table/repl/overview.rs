//! Points, hands and pieces of all seats as a table, as far as the viewer may see them.

use super::Look;
use crate::board::colour;
use crate::engine::{Game, bags};
use crate::program::{DomainKind, Field, FieldId, FieldRole, FieldType, PieceId, Type};
use crate::table::event::Viewer;
use crate::table::sitting::Sitting;
use crate::table::value::{self, Cell};
use crate::table::{picture, record, show, tracks};

/// One line a seat, one column for each part of its state; below it what all share.
pub fn overview(sitting: &mut Sitting, viewer: Viewer, look: Look) -> String {
    let seats = sitting.opening.seats.clone();
    let mut rows: Vec<Vec<String>> = vec![vec![String::new()]];
    for (seat, name) in seats.iter().enumerate() {
        let marker = if sitting.game.active() == seat && sitting.game.turn() > 0 { "> " } else { "  " };
        let mut row = vec![format!("{marker}{name}")];
        let mut head = vec![String::new()];
        let (points, hidden) = sitting.points(seat);
        if let Some(points) = points {
            head.push("points".into());
            row.push(match hidden.filter(|h| *h > 0 && viewer.is_among(&[seat as i64])) {
                Some(hidden) => format!("{points} + {hidden}"),
                None => points.to_string(),
            });
        }
        state(sitting, seat, viewer, &mut head, &mut row);
        pieces(sitting, seat, &mut head, &mut row);
        rows[0] = head;
        rows.push(row);
    }
    let mut text = columns(&rows, &seats, look);
    for line in tracks::lines(&sitting.game, &seats) {
        text.push_str(&format!("  {line}\n"));
    }
    for line in shared(sitting, viewer).into_iter().chain(chronicle(&sitting.game, &seats, viewer)) {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

fn state(sitting: &Sitting, seat: usize, viewer: Viewer, head: &mut Vec<String>, row: &mut Vec<String>) {
    let game = &sitting.game;
    for (number, field) in game.code.program.fields.iter().enumerate() {
        if field.role == FieldRole::Chronicle {
            continue;
        }
        if let Some(cell) = by_words(game, FieldId(number as u32), field, seat, viewer) {
            head.push(field.name.replace('_', " "));
            row.push(cell);
            continue;
        }
        if field.keys.len() != 1 || field.keys.first().copied() != game.code.program.known.player {
            continue;
        }
        let cell = value::read(game, FieldId(number as u32), seat);
        head.push(field.name.replace('_', " "));
        let seen = show::may_see(game, field, &[seat], viewer);
        row.push(match (&cell, seen) {
            (Cell::Words(words), false) => {
                let size: u64 = match value::type_of(&field.ty) {
                    Type::Set(_) => words.iter().map(|w| u64::from(w.count_ones())).sum(),
                    _ => words.iter().map(|w| bags::size(*w)).sum(),
                };
                format!("({size})")
            }
            (Cell::Scalar(_), false) => "?".into(),
            (Cell::Words(_), true) => match value::type_of(&field.ty) {
                ty @ Type::Bag(_) => picture::bag_words(game, &cell, ty),
                ty => game.value_text(ty, &cell.words()),
            },
            (Cell::Scalar(n), true) if field.none == Some(*n) => "-".into(),
            (Cell::Scalar(_), true) => game.value_text(value::type_of(&field.ty), &cell.words()),
        });
    }
}

/// The numbers that a player has for each of some words, without those that are 0.
fn by_words(game: &Game, id: FieldId, field: &Field, seat: usize, viewer: Viewer) -> Option<String> {
    let [player, words] = field.keys[..] else { return None };
    let program = &game.code.program;
    let is_words = program.domains.get(words.index()).is_some_and(|d| d.kind == DomainKind::Words);
    let is_number = matches!(field.ty, FieldType::Number { .. }) && field.none.is_none();
    if Some(player) != program.known.player || !is_words || !is_number {
        return None;
    }
    if !show::may_see(game, field, &[seat], viewer) {
        return Some("?".into());
    }
    let place = game.code.layout.fields.get(id.index())?;
    let mut parts = Vec::new();
    for word in 0..value::size(&game.code, words) {
        match value::cell_of(place, &[seat, word]).map(|cell| value::read(game, id, cell)) {
            Some(Cell::Scalar(n)) if n != 0 => parts.push(format!("{} {n}", game.member_name(words, word as i64))),
            Some(_) | None => {}
        }
    }
    Some(if parts.is_empty() { "-".into() } else { parts.join(", ") })
}

/// How many pieces of each kind are left.
fn pieces(sitting: &Sitting, seat: usize, head: &mut Vec<String>, row: &mut Vec<String>) {
    let game = &sitting.game;
    for (number, piece) in game.code.program.pieces.iter().enumerate() {
        let Some(place) = game.code.layout.pieces.get(number).filter(|_| piece.owned) else { continue };
        let on = show::piece_places(game, PieceId(number as u32), seat).len() as i64;
        head.push(format!("{} left", piece.name));
        row.push((place.count - on).to_string());
    }
}

fn shared(sitting: &Sitting, viewer: Viewer) -> Vec<String> {
    let game = &sitting.game;
    let program = &game.code.program;
    let mut out = Vec::new();
    for (number, field) in program.fields.iter().enumerate() {
        let drawn = program.decks.iter().any(|deck| deck.cards.index() == number);
        if field.role == FieldRole::Home && field.keys.is_empty() && !drawn {
            let cell = value::read(game, FieldId(number as u32), 0);
            out.push(format!("{}: {}", field.name, picture::bag_words(game, &cell, value::type_of(&field.ty))));
        }
    }
    // What is declared for all, unless it only lasts for a turn.
    for (number, field) in program.fields.iter().enumerate() {
        let tracked = program.tracks.iter().any(|track| track.field.index() == number);
        if field.role != FieldRole::Declared || !field.keys.is_empty() || field.each_turn || tracked {
            continue;
        }
        if show::may_see(game, field, &[], viewer) {
            let cell = value::read(game, FieldId(number as u32), 0);
            let ty = value::type_of(&field.ty);
            let text = match (&cell, ty) {
                (Cell::Scalar(n), _) if field.none == Some(*n) => "-".to_owned(),
                (_, Type::Bag(_)) => picture::bag_words(game, &cell, ty),
                _ => game.value_text(ty, &cell.words()),
            };
            out.push(format!("{}: {text}", field.name.replace('_', " ")));
        }
    }
    for deck in &program.decks {
        let left: u64 = value::read(game, deck.cards, 0).words().iter().map(|w| bags::size(*w)).sum();
        out.push(format!("{}: {left} left", deck.name));
    }
    let held: Vec<String> = program
        .awards
        .iter()
        .zip(&game.code.layout.awards)
        .filter_map(|(award, address)| {
            let holder = usize::try_from(game.word(*address)).ok()?;
            let seat = sitting.opening.seats.get(holder)?;
            Some(format!("{} has {}", seat, award.name.replace('_', " ")))
        })
        .collect();
    if !held.is_empty() {
        out.push(held.join(", "));
    }
    out
}

/// What the chronicle holds: a line for all, and one for each seat.
fn chronicle(game: &Game, seats: &[String], viewer: Viewer) -> Vec<String> {
    let fields = record::kept(game);
    let word = |id: FieldId, field: &Field, keys: &[usize]| {
        let cell = game.code.layout.fields.get(id.index()).and_then(|place| value::cell_of(place, keys))?;
        let seen = show::may_see(game, field, keys, viewer);
        let text = match value::read(game, id, cell) {
            _ if !seen => "?".to_owned(),
            Cell::Scalar(n) if field.none == Some(n) => "-".to_owned(),
            cell => game.value_text(value::type_of(&field.ty), &cell.words()),
        };
        Some(format!("{} {text}", field.name.replace('_', " ")))
    };
    let line = |title: String, own: &[usize]| {
        let fits = |field: &Field| {
            let of_seat = field.keys.first().copied() == game.code.program.known.player && !field.keys.is_empty();
            field.keys.len() == own.len() && of_seat != own.is_empty()
        };
        let parts: Vec<String> =
            fields.iter().filter(|(_, f)| fits(f)).filter_map(|(id, f)| word(*id, f, own)).collect();
        (!parts.is_empty()).then(|| format!("{title}: {}", parts.join(", ")))
    };
    let of_seats = seats.iter().enumerate().filter_map(|(seat, name)| line(format!("chronicle of {name}"), &[seat]));
    line("chronicle".to_owned(), &[]).into_iter().chain(of_seats.collect::<Vec<_>>()).collect()
}

fn columns(rows: &[Vec<String>], seats: &[String], look: Look) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count)
        .map(|c| rows.iter().filter_map(|r| r.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        let mut line = cells.join("  ").trim_end().to_owned();
        if let Some(seat) = number.checked_sub(1).and_then(|n| seats.get(n))
            && let Some([r, g, b]) = colour(seat).filter(|_| look.colour)
        {
            line = line.replacen(seat, &format!("\x1b[1;38;2;{r};{g};{b}m{seat}\x1b[0m"), 1);
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}
