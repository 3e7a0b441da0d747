//! Play for programs: one request a line in, one answer a line out. A request that is malformed or asks for what
//! cannot be is answered with a fault; nothing ends the session but the end of the input.

use serde_json::{Map, Value as Json, json};

use super::event::Viewer;
use super::sitting::Sitting;
use super::{Refusal, errors, phrase, show, value};
use crate::diagnostic::near_names;
use crate::view::board_json;

const COMMANDS: [&str; 12] =
    ["show", "legal", "do", "why", "given", "dice", "draw", "eval", "undo", "redo", "save", "board"];

/// The most moves that `legal` lists.
const MOST_MOVES: usize = 10_000;

/// The answer to one line.
pub fn answer(sitting: &mut Sitting, line: &str) -> Json {
    match request(sitting, line) {
        Ok(answer) => answer,
        Err(refusal) => fault(&refusal),
    }
}

pub fn fault(refusal: &Refusal) -> Json {
    let mut message = refusal.message.clone();
    if let Some(help) = &refusal.help {
        message = format!("{message} ({help})");
    }
    let code = crate::diagnostic::Code(refusal.code).to_string();
    json!({ "ok": false, "code": code, "message": message, "because": refusal.because })
}

/// The arguments of a request.
struct Request<'r> {
    command: &'r str,
    fields: &'r Map<String, Json>,
}

impl<'r> Request<'r> {
    fn text(&self, field: &str, expected: &str) -> Result<&'r str, Refusal> {
        let value = self.fields.get(field).and_then(Json::as_str);
        value.ok_or_else(|| errors::missing_field(self.command, field, expected))
    }
}

fn request(sitting: &mut Sitting, line: &str) -> Result<Json, Refusal> {
    let parsed: Json = serde_json::from_str(line).map_err(|e| errors::not_json(&e.to_string()))?;
    let fields = parsed.as_object().ok_or_else(|| errors::not_json("it is no object"))?;
    let command = fields
        .get("cmd")
        .and_then(Json::as_str)
        .ok_or_else(|| errors::missing_field("a request", "cmd", "the name of a command"))?;
    let request = Request { command, fields };
    match command {
        "show" => {
            let viewer = viewer(sitting, &request, "seat")?;
            Ok(json!({ "ok": true, "state": show::state(sitting, viewer) }))
        }
        "legal" => {
            if let Some(fault) = sitting.game.menu_fault() {
                return Err(fault.into());
            }
            let (moves, more) = sitting.game.moves(MOST_MOVES);
            let mut texts: Vec<String> = moves.iter().map(|m| phrase::write(&sitting.game, m)).collect();
            // Two rules can offer the same move; it is one move for who plays.
            let mut seen = std::collections::BTreeSet::new();
            texts.retain(|text| seen.insert(text.clone()));
            Ok(json!({ "ok": true, "decision": decision(sitting), "moves": texts, "more": more }))
        }
        "do" => {
            let text = request.text("move", "the move, as `legal` lists it")?;
            // Who gives a seat here wants to see what that seat sees, and to be sure that it is that seat's choice.
            let viewer = viewer(sitting, &request, "seat")?;
            if let (Viewer::Seat(seat), Some(mover)) = (viewer, sitting.game.decision().map(|d| d.seat))
                && seat != mover
            {
                return Err(errors::other_seat(sitting.seat_name(mover), sitting.seat_name(seat)));
            }
            sitting.play(text)?;
            Ok(moved(sitting, viewer))
        }
        "why" => {
            let text = request.text("move", "the move that is asked about")?;
            let because = match phrase::read(&mut sitting.game, text) {
                Ok(chosen) if sitting.game.is_legal(&chosen) => Vec::new(),
                Ok(chosen) => phrase::because(&mut sitting.game, &chosen),
                Err(refusal) if refusal.known && refusal.because.is_empty() => vec![refusal.message],
                Err(refusal) if refusal.known => refusal.because,
                Err(refusal) => return Err(refusal),
            };
            Ok(json!({ "ok": true, "legal": because.is_empty(), "because": because }))
        }
        "given" => {
            sitting.given(request.text("set", "what is set, as `red.coins = 3`")?)?;
            Ok(stands(sitting))
        }
        "dice" => {
            sitting.dice(&faces(&request)?)?;
            Ok(stands(sitting))
        }
        "draw" => {
            sitting.draw(request.text("what", "the deck and the card, or `steal` and the good")?)?;
            Ok(stands(sitting))
        }
        "eval" => {
            let text = request.text("expr", "an expression of the language")?;
            let (ty, words) = sitting.evaluate(text).map_err(|d| errors::from_diagnostic(&d))?;
            Ok(json!({ "ok": true, "value": value::to_json(&sitting.game, ty, &words) }))
        }
        "undo" => {
            sitting.undo()?;
            Ok(stands(sitting))
        }
        "redo" => {
            sitting.redo()?;
            Ok(stands(sitting))
        }
        "save" => Ok(json!({ "ok": true, "transcript": sitting.transcript() })),
        "board" => Ok(match value::board(&sitting.game.code) {
            Some(board) => board_json(board),
            None => json!({ "ok": true, "places": [] }),
        }),
        other => {
            let near = near_names(other, COMMANDS);
            Err(errors::unknown_command(other, &near, &COMMANDS))
        }
    }
}

/// Whose view is asked for; no seat: everything.
fn viewer(sitting: &Sitting, request: &Request, field: &str) -> Result<Viewer, Refusal> {
    match request.fields.get(field) {
        None | Some(Json::Null) => Ok(Viewer::Everything),
        Some(name) => match name.as_str() {
            Some(name) => sitting.seat_named(name).map(Viewer::Seat),
            None => Err(errors::missing_field(request.command, field, "the name of a seat")),
        },
    }
}

fn faces(request: &Request) -> Result<Vec<i64>, Refusal> {
    let missing = || errors::missing_field(request.command, "values", "a list of faces, as `[4,4]`");
    let values = request.fields.get("values").and_then(Json::as_array).ok_or_else(missing)?;
    values.iter().map(|v| v.as_i64().ok_or_else(missing)).collect()
}

fn decision(sitting: &mut Sitting) -> Json {
    show::decision(&mut sitting.game, &sitting.opening.seats)
}

fn over(sitting: &Sitting) -> Json {
    if !sitting.game.over() {
        return Json::Null;
    }
    json!({ "winner": sitting.game.winner().map(|seat| sitting.seat_name(seat)) })
}

fn moved(sitting: &mut Sitting, viewer: Viewer) -> Json {
    let events: Vec<Json> = sitting.events(viewer).into_iter().map(|told| told.json).collect();
    json!({ "ok": true, "events": events, "decision": decision(sitting), "over": over(sitting) })
}

fn stands(sitting: &mut Sitting) -> Json {
    json!({ "ok": true, "decision": decision(sitting), "over": over(sitting) })
}
