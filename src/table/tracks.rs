//! Tracks as people see them: a row of spaces with the letters of the marks, and below it one bar for each marker.

use serde_json::{Map, Value as Json, json};

use super::value::{self, Cell};
use crate::engine::Game;
use crate::program::Track;
use crate::view::Row;

/// A track with more spaces than this is told in words alone.
const MOST_DRAWN: i64 = 100;

/// Where the markers of a track are, with the names of their seats; one marker without a name if it is one of all.
fn markers(game: &Game, track: &Track, seats: &[String]) -> Vec<(Option<String>, i64)> {
    let at = |cell: usize| match value::read(game, track.field, cell) {
        Cell::Scalar(n) => n,
        Cell::Words(_) => track.low,
    };
    let keyed = game.code.program.fields.get(track.field.index()).is_some_and(|field| !field.keys.is_empty());
    if !keyed {
        return vec![(None, at(0))];
    }
    seats.iter().enumerate().map(|(seat, name)| (Some(name.clone()), at(seat))).collect()
}

/// The tracks as they are drawn in pictures.
pub fn rows(game: &Game) -> Vec<Row> {
    let seats: Vec<String> = (0..game.code.players).map(|seat| seat.to_string()).collect();
    let row = |track: &Track| Row {
        name: track.name.clone(),
        low: track.low,
        high: track.high,
        marks: track.marks.iter().map(|mark| (mark.name.clone(), mark.at.clone())).collect(),
        markers: markers(game, track, &seats)
            .into_iter()
            .enumerate()
            .map(|(seat, (name, at))| (name.map(|_| seat), at))
            .collect(),
    };
    game.code.program.tracks.iter().map(row).collect()
}

/// All tracks: where they begin and end, their marks, and where the markers are.
pub fn json(game: &Game, seats: &[String]) -> Json {
    let mut all = Map::new();
    for track in &game.code.program.tracks {
        let marks: Map<String, Json> = track.marks.iter().map(|mark| (mark.name.clone(), json!(mark.at))).collect();
        let mut object = Map::new();
        object.insert("low".into(), json!(track.low));
        object.insert("high".into(), json!(track.high));
        object.insert("marks".into(), Json::Object(marks));
        let mut at = Map::new();
        for (seat, place) in markers(game, track, seats) {
            match seat {
                Some(seat) => at.insert(seat, json!(place)),
                None => object.insert("at".into(), json!(place)),
            };
        }
        if !at.is_empty() {
            object.insert("at".into(), Json::Object(at));
        }
        all.insert(track.name.clone(), Json::Object(object));
    }
    Json::Object(all)
}

/// The tracks drawn in lines of text.
pub fn lines(game: &Game, seats: &[String]) -> Vec<String> {
    game.code.program.tracks.iter().flat_map(|track| drawn(game, track, seats)).collect()
}

fn drawn(game: &Game, track: &Track, seats: &[String]) -> Vec<String> {
    let letters = letters(track);
    let title = track.name.replace('_', " ");
    let markers = markers(game, track, seats);
    let names = markers.iter().filter_map(|(seat, _)| seat.as_deref());
    let width = names.chain([title.as_str()]).map(|name| name.chars().count()).max().unwrap_or(0);
    let spaces: String = if track.high - track.low > MOST_DRAWN {
        String::new()
    } else {
        (track.low..=track.high).map(|at| letter_at(track, &letters, at)).collect()
    };
    let marks = track.marks.iter().zip(&letters).filter(|(mark, _)| !mark.at.is_empty()).map(|(mark, letter)| {
        let at: Vec<String> = mark.at.iter().map(i64::to_string).collect();
        format!("{letter} {} at {}", mark.name.replace('_', " "), at.join(", "))
    });
    let marks: Vec<String> = marks.collect();
    let caption = [format!("{} to {}", track.low, track.high), marks.join("; ")];
    let caption: Vec<&str> = caption.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    let mut out = vec![format!("{title:width$}  {spaces}  {}", caption.join(": "))];
    for (seat, at) in markers {
        let bar =
            if spaces.is_empty() { String::new() } else { "=".repeat(usize::try_from(at - track.low).unwrap_or(0)) };
        out.push(format!("{:width$}  {bar}{at}", seat.unwrap_or_default()));
    }
    out
}

/// A letter for each mark: its first, or where another has that already the next one of it that is free.
fn letters(track: &Track) -> Vec<char> {
    let mut taken: Vec<char> = Vec::new();
    for mark in &track.marks {
        let free = mark.name.chars().chain('a'..='z').find(|letter| *letter != '_' && !taken.contains(letter));
        taken.push(free.unwrap_or('?'));
    }
    taken
}

/// What is drawn of a space.
fn letter_at(track: &Track, letters: &[char], at: i64) -> char {
    let mut here = track.marks.iter().zip(letters).filter(|(mark, _)| mark.at.contains(&at)).map(|(_, letter)| *letter);
    match (here.next(), here.next()) {
        (None, _) => '.',
        (Some(only), None) => only,
        (Some(_), Some(_)) => '*',
    }
}
