//! Board files: what is read from them, and what is said about wrong ones.

use std::collections::BTreeSet;
use std::path::Path;

use regelwerk::board::{Board, PlaceRef, Topology, parse};
use regelwerk::diagnostic::Sink;
use regelwerk::source::{FileId, Sources};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> Board {
    let text = std::fs::read_to_string(root().join(path)).unwrap();
    clean(&text)
}

fn clean(text: &str) -> Board {
    let mut sink = Sink::new();
    let board = parse(FileId(0), text, &mut sink);
    assert!(sink.is_empty(), "{:#?}", sink.sorted());
    board.unwrap()
}

/// Each fault as `line:column code "text under the span"`.
fn faults(text: &str) -> Vec<String> {
    let mut sources = Sources::new();
    let file = sources.add("test.board", text);
    let mut sink = Sink::new();
    parse(file, text, &mut sink);
    let show = |d: &regelwerk::diagnostic::Diagnostic| {
        let at = sources.file(file).position(d.span.start);
        format!("{}:{} {} {}", at.line, at.column, d.code, sources.text(d.span))
    };
    sink.sorted().iter().map(show).collect()
}

fn island() -> Board {
    read("scenarios/catan/island.board")
}

fn id(board: &Board, text: &str, kind: &str) -> String {
    let place = board.resolve(text, board.kind(kind));
    place.map_or_else(|| "none".into(), |place| board.id(place).to_string())
}

/// Every joint that is said to lead both ways does, and lists are sorted.
fn check_joints(board: &Board) {
    for relation in &board.relations {
        assert_eq!(relation.table.len(), board.places(relation.from).len());
        assert!(relation.table.iter().all(|targets| targets.is_sorted_by(|a, b| a < b)), "{}", relation.name);
        if !relation.symmetric {
            continue;
        }
        let back = relation.reversed(board.places(relation.to).len());
        let is_back = |other: &&regelwerk::board::Relation| {
            other.from == relation.to && other.to == relation.from && other.table == back
        };
        assert!(board.relations.iter().any(|other| is_back(&other)), "{} has no way back", relation.name);
        if relation.from == relation.to {
            assert_eq!(relation.table, back, "{}", relation.name);
        }
    }
}

/// The places of a kind that touch a place, by their names.
fn near(board: &Board, place: &str, kind: &str) -> Vec<String> {
    let place = board.resolve(place, None).unwrap();
    let kind = board.kind(kind).unwrap();
    let touching = board.near(place.kind, kind).unwrap();
    touching[usize::from(place.index)].iter().map(|t| board.id(PlaceRef { kind, index: *t }).to_string()).collect()
}

#[test]
fn places_touch_at_corners_round_cells_and_along_links() {
    let two = Board::hexes(&[(0, 0), (1, 0)]);
    let shared = near(&two, "h1", "edge").into_iter().filter(|e| near(&two, "h2", "edge").contains(e));
    assert_eq!(shared.count(), 5, "the edge between them and the four that end at it");
    assert_eq!(near(&two, "h1", "hex"), ["h2"]);
    assert_eq!(near(&two, "h1", "corner").len(), 6);
    assert!(near(&two, "c1", "corner").iter().all(|c| near(&two, c, "corner").contains(&"c1".to_string())));
    let cells = Board::grid(&[(0, 0), (1, 0), (1, 1), (2, 2)]);
    assert_eq!(near(&cells, "s3", "cell"), ["s1", "s2", "s4"]);
    let graph = clean("board graph\nplaces landing\n   l1\n   l2\n   l3\nlink stream: l1 -> l2\nlink path: l2 - l3\n");
    assert_eq!(near(&graph, "l2", "landing"), ["l1", "l3"]);
    assert!(graph.near(0, 1).is_none());
}

#[test]
fn the_island_has_nineteen_hexes_fifty_four_corners_and_seventy_two_edges() {
    let board = island();
    let counts: Vec<_> = board.kinds.iter().map(|kind| (kind.name.as_str(), kind.places.len())).collect();
    assert_eq!(counts, [("hex", 19), ("corner", 54), ("edge", 72)]);
    check_joints(&board);
}

#[test]
fn corners_and_edges_are_numbered_along_the_zigzags() {
    let board = island();
    let named = [
        ("h1.NW", "corner", "c1"),
        ("h1.N", "corner", "c2"),
        ("h1.NE", "corner", "c3"),
        ("h2.NW", "corner", "c3"),
        ("h3.NE", "corner", "c7"),
        ("h4.NW", "corner", "c8"),
        ("h1.SW", "corner", "c9"),
        ("h19.SE", "corner", "c54"),
        ("h1.NW", "edge", "e1"),
        ("h1.NE", "edge", "e2"),
        ("h3.NE", "edge", "e6"),
        ("h1.W", "edge", "e7"),
        ("h3.E", "edge", "e10"),
        ("h4.NW", "edge", "e11"),
        ("h19.SE", "edge", "e72"),
        ("(0,-2)", "hex", "h1"),
        (" ( 0 , 0 ) ", "hex", "h10"),
        ("(0,0).n", "corner", "c22"),
        ("(9,9)", "hex", "none"),
        ("h1.X", "corner", "none"),
        ("h20", "hex", "none"),
        ("h1", "corner", "none"),
    ];
    for (text, kind, expected) in named {
        assert_eq!(id(&board, text, kind), expected, "{text} as {kind}");
    }
    let edge = board.resolve("e1", None).unwrap();
    assert_eq!(board.related("ends", edge, 1), [0, 1]);
    assert_eq!(board.resolve("h1.NE", None), None, "a corner or an edge");
    assert_eq!(board.resolve("h1.N", None), board.resolve("c2", None));
}

#[test]
fn the_island_is_the_printed_one() {
    let board = island();
    let count = |field: &str, value: &str| board.values.iter().filter(|v| v.field == field && v.value == value).count();
    for (terrain, expected) in
        [("hills", 3), ("forest", 4), ("mountains", 3), ("fields", 4), ("pasture", 4), ("desert", 1)]
    {
        assert_eq!(count("terrain", terrain), expected, "{terrain}");
    }
    let harbours: Vec<_> = board.values.iter().filter(|v| v.field == "harbour").collect();
    assert_eq!(harbours.len(), 9);
    let coast = board.relation("hexes", 2, 0).unwrap();
    assert!(harbours.iter().all(|v| v.kind == 2 && coast.table[usize::from(v.place)].len() == 1));
    let corners: BTreeSet<u16> = harbours
        .iter()
        .flat_map(|v| board.related("ends", PlaceRef { kind: 2, index: v.place }, 1).iter().copied())
        .collect();
    assert_eq!(corners.len(), 18);

    let spiral: Vec<&str> =
        board.paths[0].places.iter().map(|index| board.places(0)[usize::from(*index)].id.as_str()).collect();
    let expected = "h1 h4 h8 h13 h17 h18 h19 h16 h12 h7 h3 h2 h5 h9 h14 h15 h11 h6 h10";
    assert_eq!(spiral.join(" "), expected);

    assert_eq!(board.marks.len(), 16);
    for seat in ["red", "blue", "orange", "white"] {
        for start in ["first", "second"] {
            let find = |name: String| {
                let mark = board.marks.iter().find(|m| m.name == name && m.seat.as_deref() == Some(seat)).unwrap();
                PlaceRef { kind: mark.kind, index: mark.places[0] }
            };
            let corner = find(format!("start_{start}"));
            let edge = find(format!("road_{start}"));
            assert!(board.related("ends", edge, 1).contains(&corner.index), "{seat} {start}");
        }
    }
    let start = board.marks.iter().find(|m| m.name == "start_second" && m.seat.as_deref() == Some("red")).unwrap();
    let corner = PlaceRef { kind: 1, index: start.places[0] };
    let mut around: Vec<_> = board
        .related("hexes", corner, 0)
        .iter()
        .filter_map(|index| board.value(PlaceRef { kind: 0, index: *index }, "terrain"))
        .collect();
    around.sort();
    assert_eq!(around, ["fields", "forest", "forest"]);
}

#[test]
fn boards_with_gaps_and_ragged_rows_are_numbered_by_row_and_place() {
    let board = read("tests/boards/ragged.board");
    let at: Vec<_> = board.places(0).iter().map(|place| place.coordinates.unwrap()).collect();
    assert_eq!(at, [(0, 0), (2, 0), (0, 1), (1, 1), (2, 2)]);
    check_joints(&board);
    let shared = |a: &str, b: &str| {
        let edges = |text| board.related("edges", board.resolve(text, Some(0)).unwrap(), 2).to_vec();
        edges(a).iter().filter(|edge| edges(b).contains(edge)).count()
    };
    assert_eq!((shared("h1", "h2"), shared("h1", "h3"), shared("h3", "h4"), shared("h4", "h5")), (0, 1, 1, 0));
    for (kind, letter) in [(0, "h"), (1, "c"), (2, "e")] {
        for (i, place) in board.places(kind).iter().enumerate() {
            assert_eq!(place.id, format!("{letter}{}", i + 1));
        }
    }
}

#[test]
fn a_grid_knows_eight_directions_and_lines() {
    let board = read("tests/boards/grid.board");
    assert_eq!(board.topology, Topology::Grid);
    assert_eq!(board.places(0).len(), 13);
    check_joints(&board);
    let cell = |text| board.resolve(text, None).unwrap();
    assert_eq!(id(&board, "(4,2)", "cell"), "s7");
    assert_eq!(id(&board, "(1,1).south_east", "cell"), "s6");
    assert_eq!(board.related("neighbours", cell("s6"), 0), [1, 4, 8]);
    assert_eq!(board.line(cell("s1"), "south"), [4, 7, 11]);
    assert_eq!(board.line(cell("s1"), "south_east"), [5, 9, 12]);
    assert_eq!(board.line(cell("s6"), "east"), [] as [u16; 0]);
    assert_eq!(board.value(cell("s7"), "height"), Some("3"));
    assert_eq!(board.value(cell("s2"), "height"), Some("1 + 1"));
    assert_eq!(
        board.regions.iter().map(|r| (r.name.as_str(), r.places.len())).collect::<Vec<_>>(),
        [("pond", 2), ("west", 4)]
    );
    assert_eq!(board.paths[0].places, [0, 1, 2, 3, 6]);
    let seven = clean("board grid 7 by 6");
    assert_eq!(seven.places(0).len(), 42);
    assert_eq!(seven.line(seven.resolve("(1,6)", None).unwrap(), "north_east").len(), 5);
}

#[test]
fn a_graph_has_links_by_name_and_direction() {
    let board = read("tests/boards/graph.board");
    check_joints(&board);
    let place = |text| board.resolve(text, None).unwrap();
    assert_eq!(board.related("stream", place("l1"), 0), [1]);
    assert_eq!(board.related("stream", place("l3"), 0), [0]);
    assert_eq!(board.related("bridge", place("t1"), 0), [0, 1]);
    assert_eq!(board.related("bridge", place("l2"), 1), [0, 1]);
    assert_eq!(board.related("wall", place("t2"), 1), [0]);
    assert!(!board.relation("stream", 0, 0).unwrap().symmetric);
    assert_eq!(
        board.marks.iter().map(|m| (m.name.as_str(), m.kind)).collect::<Vec<_>>(),
        [("start", 1), ("start", 1), ("source", 0)]
    );
    assert_eq!(board.paths[0].places, [0, 1, 2]);
    assert_eq!(board.fogs[0].places, [2]);
}

#[test]
fn faults_point_at_what_is_wrong() {
    let text = "board hexes
m = terrain meadow
m = plain
g2 = plain
u = plain
colours meadow gren
drawng
   m
drawing
   m1  x   m
     m     m
   m   m   m
mark one: h1.NE, h99, corner h1.NE, h2, c3
mark one: h1 h1
path way: h1..h5
region r h1
toll at edge h1.E:
";
    assert_eq!(
        faults(text),
        [
            "3:1 RW0451 m",
            "4:1 RW0154 g2",
            "5:1 RW0950 u = plain",
            "6:16 RW0461 gren",
            "7:1 RW0150 drawng",
            "10:5 RW0457 1",
            "10:8 RW0452 x",
            "11:12 RW0455 m",
            "13:11 RW0454 h1.NE",
            "13:37 RW0460 h2",
            "13:41 RW0458 c3",
            "14:6 RW0451 one",
            "14:14 RW0458 h1",
            "15:11 RW0465 h1..h5",
            "16:10 RW0152 h1",
            "17:18 RW0152 :",
        ]
    );
}

#[test]
fn boards_without_head_or_places_are_refused() {
    assert_eq!(faults(""), ["1:1 RW0450 "]);
    assert_eq!(faults("   m\nboard cubes"), ["1:4 RW0151 m", "2:7 RW0152 cubes"]);
    assert_eq!(faults("board hexes"), ["1:1 RW0456 board hexes"]);
    assert_eq!(faults("board graph\norigin (1,1)"), ["1:1 RW0456 board graph", "2:1 RW0464 origin"]);
    assert_eq!(faults("board grid 30 by 30"), ["1:12 RW0750 30 by 30"]);
    assert_eq!(faults("board hexes\norigin (900,0)\no = plain\ndrawing\n   o"), ["2:1 RW0467 origin (900,0)"]);
}

#[test]
fn links_are_checked() {
    let text = "board graph
places spot
   a
   b at (1,x)
   a
link road: a - a, a -> b, - b
           a - zz
";
    assert_eq!(
        faults(text),
        ["4:12 RW0152 x", "5:4 RW0458 a", "6:16 RW0462 a", "6:21 RW0463 ->", "6:27 RW0152 -", "7:16 RW0453 zz",]
    );
}

#[test]
fn no_text_makes_the_reader_panic() {
    let seeds: Vec<String> = ["scenarios/catan/island.board", "tests/boards/grid.board", "tests/boards/graph.board"]
        .map(|path| std::fs::read_to_string(root().join(path)).unwrap())
        .into();
    let bits: Vec<char> = "()=:,.-> \n\t/m1#é¬(0,0)..at".chars().collect();
    // A small generator of our own (SplitMix64), so that a failure can be repeated.
    let mut state = 7u64;
    let mut random = |below: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as usize % below.max(1)
    };
    for round in 0..1500 {
        let mut text: Vec<char> = seeds[round % seeds.len()].chars().collect();
        for _ in 0..=random(6) {
            let (at, length) = (random(text.len()), random(12));
            match random(4) {
                0 => text.insert(at, bits[random(bits.len())]),
                1 => drop(text.drain(at..(at + length).min(text.len()))),
                2 => text[at] = bits[random(bits.len())],
                _ => {
                    let piece: Vec<char> = text[at..(at + length).min(text.len())].to_vec();
                    let to = random(text.len());
                    text.splice(to..to, piece);
                }
            }
            if text.is_empty() {
                break;
            }
        }
        let text: String = text.into_iter().collect();
        let mut sources = Sources::new();
        let file = sources.add("test.board", text.as_str());
        let mut sink = Sink::new();
        let board = parse(file, &text, &mut sink);
        assert!(board.is_some() || sink.has_errors());
        for found in sink.sorted() {
            let (start, end) = (found.span.start as usize, found.span.end as usize);
            assert!(text.get(start..end).is_some(), "a span inside the text: {found:?}");
        }
    }
}
