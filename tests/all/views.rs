//! Drawings of boards as text, SVG and JSON.

use std::path::Path;

use regelwerk::board::{Board, PlaceRef, parse};
use regelwerk::diagnostic::Sink;
use regelwerk::source::FileId;
use regelwerk::view::{Piece, Scene, board_json, draw_svg, draw_text};

fn read(path: &str) -> Board {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    parse(FileId(0), &text, &mut Sink::new()).unwrap()
}

const FILES: [&str; 5] = [
    "scenarios/catan/island.board",
    "tests/boards/grid.board",
    "tests/boards/graph.board",
    "tests/boards/ragged.board",
    "tests/boards/tiles.board",
];

fn without_escapes(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split("\x1b[");
    plain.push_str(parts.next().unwrap_or(""));
    for part in parts {
        plain.push_str(part.split_once('m').unwrap().1);
    }
    plain
}

fn everything(board: &Board) -> Vec<PlaceRef> {
    let kinds = board.kinds.iter().enumerate();
    kinds.flat_map(|(kind, k)| (0..k.places.len() as u16).map(move |index| PlaceRef { kind, index })).collect()
}

/// A board on which a piece of somebody stands on every second place.
fn crowded(board: &Board) -> Scene {
    let mut scene = Scene::printed(board).with_seats(["red", "blue", "mauve"]);
    for (i, place) in everything(board).into_iter().enumerate().step_by(2) {
        let name = ["pawn", "tower", "guard"][i % 3].to_string();
        scene.pieces.push(Piece { place, name, seat: (i % 4 < 3).then_some(i % 4) });
    }
    scene
}

#[test]
fn a_graph_of_hexes_as_text() {
    let board = read("tests/boards/tiles.board");
    let mut scene = Scene::printed(&board).with_seats(["red", "blue"]);
    let place = |id: &str| everything(&board).into_iter().find(|at| board.id(*at) == id).unwrap();
    scene.pieces.push(Piece { place: place("t1"), name: "pawn".into(), seat: Some(0) });
    scene.pieces.push(Piece { place: place("l2"), name: "boat".into(), seat: None });
    scene.pieces.push(Piece { place: place("middle"), name: "guard".into(), seat: None });
    scene.highlight.insert(place("l3"));
    let drawn = draw_text(&board, &scene, false, 70);
    let expected = "
     ╱       ╲         ╱       ╲         ╱       ╲
│      west       │     middle      │      east       │
│    meadow 2    Rp      marsh      │    meadow 5     │
│                l1      guard     l3                 │
     ╲       ╱╱       ↘        t2       ╲╲       ╱
         │      south    boat     beach      │
         │     meadow      │                 │
         │                 │                 │
              ╲       ╱         ╲       ╱

 R  red    B  blue
p pawn   b boat   g guard
";
    assert_eq!(format!("\n{drawn}"), expected, "\n{drawn}");
}

#[test]
fn the_island_as_text() {
    let board = read("scenarios/catan/island.board");
    let expected = "
           general ·           · grain     ·
                ╱ h1  ╲     ╱ h2  ╲     ╱ h3  ╲
             · mountains ·  pasture  ·  forest   ·
             │    10     │     2     │     9     │
             ·           ·           ·           · ore
          ╱ h4  ╲     ╱ h5  ╲     ╱ h6  ╲     ╱ h7  ╲
       ·  fields   ·   hills   ·  pasture  ·   hills   ·
lumber ║    12     │     6     │     4     │    10     │
       ·           ·           ·           ·           ·
    ╱ h8  ╲     ╱ h9  ╲     ╱ h10 ╲     ╱ h11 ╲     ╱ h12 ╲
 ·  fields   ·  forest   ·  desert   ·  forest   · mountains ·
 │     9     │    11     │           │     3     │     8     ║ general
 ·           ·           ·           ·           ·           ·
    ╲     ╱ h13 ╲     ╱ h14 ╲     ╱ h15 ╲     ╱ h16 ╲     ╱
       ·  forest   · mountains ·  fields   ·  pasture  ·
 brick ║     8     │     3     │     4     │     5     │
       ·           ·           ·           ·           ·
          ╲     ╱ h17 ╲     ╱ h18 ╲     ╱ h19 ╲     ╱
             ·   hills   ·  fields   ·  pasture  · wool
             │     5     │     6     │    11     │
             ·           ·           ·           ·
                ╲     ╱     ╲     ╱     ╲     ╱
           general ·           · general   ·
";
    let drawn = draw_text(&board, &Scene::printed(&board), false, 80);
    assert_eq!(format!("\n{drawn}"), expected, "\n{drawn}");
}

#[test]
fn colour_changes_no_character() {
    for file in FILES {
        let board = read(file);
        let mut scene = crowded(&board);
        scene.highlight = everything(&board).into_iter().step_by(5).collect();
        for width in [0, 40, 80, 200] {
            let plain = draw_text(&board, &scene, false, width);
            assert!(!plain.contains('\x1b'));
            let coloured = without_escapes(&draw_text(&board, &scene, true, width));
            let trimmed = |text: &str| text.lines().map(|line| line.trim().to_string()).collect::<Vec<_>>();
            assert_eq!(trimmed(&coloured), trimmed(&plain), "{file} {width}");
        }
    }
}

#[test]
fn ids_that_a_move_can_name_are_shown() {
    for file in FILES {
        let board = read(file);
        for place in everything(&board) {
            let mut scene = crowded(&board);
            scene.highlight.insert(place);
            let id = board.id(place);
            let named = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == id);
            assert!(named(&draw_text(&board, &scene, false, 80)), "{id} of {file}");
            assert!(named(&draw_svg(&board, &scene)), "{id} of {file} as SVG");
        }
    }
}

#[test]
fn svg_is_closed_and_escaped() {
    for file in FILES {
        let board = read(file);
        let mut scene = crowded(&board);
        scene.seats[0].name = "<r&d>".into();
        let svg = draw_svg(&board, &scene);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("&lt;r&amp;d&gt;") && !svg.contains("<r&"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    }
}

#[test]
fn json_lists_every_place_with_its_neighbours() {
    let answer = board_json(&read("scenarios/catan/island.board"));
    assert_eq!(answer["ok"], true);
    let places = answer["places"].as_array().unwrap();
    assert_eq!(places.len(), 19 + 54 + 72);
    let place = |id: &str| places.iter().find(|place| place["id"] == id).unwrap().to_string();
    assert_eq!(place("h1"), r#"{"id":"h1","kind":"hex","q":0,"r":-2,"neighbours":["h2","h4","h5"]}"#);
    assert_eq!(place("c1"), r#"{"id":"c1","kind":"corner","hexes":["h1"],"neighbours":["c2","c9"]}"#);
    assert_eq!(place("e1"), r#"{"id":"e1","kind":"edge","corners":["c1","c2"]}"#);
    let grid = board_json(&read("tests/boards/grid.board"));
    assert_eq!(
        grid["places"][0].to_string(),
        r#"{"id":"s1","kind":"cell","column":1,"row":1,"neighbours":["s2","s5"]}"#
    );
    let graph = board_json(&read("tests/boards/graph.board"));
    assert_eq!(
        graph["places"][0].to_string(),
        r#"{"id":"l1","kind":"landing","links":{"stream":["l2"],"bridge":["t1"]}}"#
    );
}
