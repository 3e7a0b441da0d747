//! The answer to `board` in the JSON protocol: every place and its neighbours by id.

use serde_json::{Map, Value, json};

use crate::board::{Board, KindIndex, Place, PlaceRef, Topology};

/// The relations that are given, by the kind that they lead from. The rest follows from them: the corners of a hex, say,
/// are those that name it.
const GIVEN: [(&str, &[&str]); 4] =
    [("hex", &["neighbours"]), ("corner", &["hexes", "neighbours"]), ("edge", &["corners"]), ("cell", &["neighbours"])];

/// `{"ok":true,"places":[{"id":"h1","kind":"hex","q":0,"r":-2,"neighbours":["h2",…]},…]}`: hexes with `q` and `r`,
/// corners with `hexes`, edges with `corners`, cells with `column` and `row`, places of a graph with `links`.
pub fn board_json(board: &Board) -> Value {
    let mut places = Vec::new();
    for (kind, places_of_kind) in board.kinds.iter().enumerate().filter(|(_, kind)| !kind.regions) {
        for (index, place) in places_of_kind.places.iter().enumerate() {
            let mut object = Map::new();
            object.insert("id".into(), json!(place.id));
            object.insert("kind".into(), json!(places_of_kind.name));
            describe(board, place, PlaceRef { kind, index: index as u16 }, &mut object);
            places.push(Value::Object(object));
        }
    }
    json!({ "ok": true, "places": places })
}

fn describe(board: &Board, place: &Place, at: PlaceRef, object: &mut Map<String, Value>) {
    match board.topology {
        Topology::Hex | Topology::Grid => {
            let names = if board.topology == Topology::Hex { ["q", "r"] } else { ["column", "row"] };
            if let Some((first, second)) = place.coordinates {
                object.insert(names[0].into(), json!(first));
                object.insert(names[1].into(), json!(second));
            }
            let kind = board.kinds.get(at.kind).map_or("", |kind| &kind.name);
            let given = GIVEN.iter().find(|(name, _)| *name == kind).map_or(&[] as &[&str], |(_, given)| given);
            for relation in board.relations.iter().filter(|r| r.from == at.kind && given.contains(&r.name.as_str())) {
                object
                    .insert(relation.name.clone(), ids(board, relation.to, relation.table.get(usize::from(at.index))));
            }
        }
        Topology::Graph => {
            let mut links: Map<String, Value> = Map::new();
            for relation in board.links().filter(|r| r.from == at.kind) {
                let more = ids(board, relation.to, relation.table.get(usize::from(at.index)));
                match (links.get_mut(&relation.name), more) {
                    (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
                    (_, more) => {
                        links.insert(relation.name.clone(), more);
                    }
                }
            }
            object.insert("links".into(), Value::Object(links));
        }
    }
}

fn ids(board: &Board, kind: KindIndex, indices: Option<&Vec<u16>>) -> Value {
    let indices = indices.map_or(&[] as &[u16], Vec::as_slice);
    indices.iter().map(|index| json!(board.id(PlaceRef { kind, index: *index }))).collect()
}
