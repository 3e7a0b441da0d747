//! Hex boards: from the coordinates of the hexes to corners, edges, their numbers and their neighbours.
//!
//! Everything is computed on a lattice of whole numbers: the hex `(q,r)` has its middle at `x = 2q + r`,
//! `y = 3r`, so that its corners lie at `x - 1 ..= x + 1` and `y - 2 ..= y + 2` and never have to be compared as
//! fractions. Geometry follows the common "pointy top, axial" convention.

use std::collections::BTreeMap;

use super::{Board, Direction, Place, PlaceKind, Relation, Topology};

pub(super) const HEX: usize = 0;
pub(super) const CORNER: usize = 1;
pub(super) const EDGE: usize = 2;

type Point = (i32, i32);

/// Steps to the hex that lies beyond each edge.
const EDGE_DIRECTIONS: [(&str, Point); 6] =
    [("e", (1, 0)), ("ne", (1, -1)), ("nw", (0, -1)), ("w", (-1, 0)), ("sw", (-1, 1)), ("se", (0, 1))];

/// Steps on the lattice from the middle of a hex to each corner.
const CORNER_DIRECTIONS: [(&str, Point); 6] =
    [("n", (0, -2)), ("ne", (1, -1)), ("se", (1, 1)), ("s", (0, 2)), ("sw", (-1, 1)), ("nw", (-1, -1))];

impl Board {
    /// A board of the hexes at these axial coordinates, in any order; repetitions count once.
    ///
    /// Hexes are numbered by row and then from left to right. Corners are numbered along the zigzag lines
    /// above, between and below the rows of hexes; edges along each zigzag and then along the upright edges of
    /// the row of hexes under it.
    pub fn hexes(coordinates: &[Point]) -> Board {
        let mut hexes = coordinates.to_vec();
        hexes.sort_by_key(|&(q, r)| (r, 2 * q + r));
        hexes.dedup();

        let mut corners: Vec<Point> = hexes.iter().flat_map(|hex| corner_points(*hex)).collect();
        corners.sort_by_key(|&(x, y)| (zigzag(y), x));
        corners.dedup();

        let mut edges: Vec<[Point; 2]> = hexes.iter().flat_map(|hex| edge_points(*hex)).collect();
        edges.sort_by_key(|&[a, b]| (zigzag(a.1) + zigzag(b.1), a.0 + b.0));
        edges.dedup();

        let kinds = vec![
            PlaceKind {
                name: "hex".into(),
                regions: false,
                places: hexes
                    .iter()
                    .enumerate()
                    .map(|(i, &(q, r))| Place {
                        id: format!("h{}", i + 1),
                        coordinates: Some((q, r)),
                        x: (2 * q + r) as f32,
                        y: (3 * r) as f32,
                    })
                    .collect(),
            },
            PlaceKind {
                name: "corner".into(),
                regions: false,
                places: corners
                    .iter()
                    .enumerate()
                    .map(|(i, &(x, y))| Place {
                        id: format!("c{}", i + 1),
                        coordinates: None,
                        x: x as f32,
                        y: y as f32,
                    })
                    .collect(),
            },
            PlaceKind {
                name: "edge".into(),
                regions: false,
                places: edges
                    .iter()
                    .enumerate()
                    .map(|(i, &[a, b])| Place {
                        id: format!("e{}", i + 1),
                        coordinates: None,
                        x: (a.0 + b.0) as f32 / 2.0,
                        y: (a.1 + b.1) as f32 / 2.0,
                    })
                    .collect(),
            },
        ];
        let mut board = Board::bare(Topology::Hex, kinds);
        join(&mut board, &hexes, &corners, &edges);
        board
    }
}

/// The line of corners to which a height belongs: number `r` runs along the top of the hexes of row `r`.
fn zigzag(y: i32) -> i32 {
    (y + 2).div_euclid(3)
}

fn middle((q, r): Point) -> Point {
    (2 * q + r, 3 * r)
}

fn corner_points(hex: Point) -> [Point; 6] {
    let (x, y) = middle(hex);
    CORNER_DIRECTIONS.map(|(_, (dx, dy))| (x + dx, y + dy))
}

/// The ends of the six edges in the order of [`EDGE_DIRECTIONS`], the left or upper end of each first.
fn edge_points(hex: Point) -> [[Point; 2]; 6] {
    let [n, ne, se, s, sw, nw] = corner_points(hex);
    [[ne, se], [n, ne], [nw, n], [nw, sw], [sw, s], [s, se]]
}

fn numbers<T: Ord + Copy>(items: &[T]) -> BTreeMap<T, u16> {
    items.iter().enumerate().map(|(i, item)| (*item, i as u16)).collect()
}

fn join(board: &mut Board, hexes: &[Point], corners: &[Point], edges: &[[Point; 2]]) {
    let hex_numbers = numbers(hexes);
    let corner_numbers = numbers(corners);
    let edge_numbers = numbers(edges);
    let corner_of = |point: &Point| corner_numbers.get(point).copied();

    for (i, (name, (dq, dr))) in EDGE_DIRECTIONS.iter().enumerate() {
        let beyond = hexes.iter().map(|(q, r)| hex_numbers.get(&(q + dq, r + dr)).copied()).collect();
        direction(board, name, HEX, beyond);
        let sides = hexes.iter().map(|hex| edge_numbers.get(&edge_points(*hex)[i]).copied()).collect();
        direction(board, name, EDGE, sides);
    }
    for (i, (name, _)) in CORNER_DIRECTIONS.iter().enumerate() {
        let tips = hexes.iter().map(|hex| corner_of(&corner_points(*hex)[i])).collect();
        direction(board, name, CORNER, tips);
    }

    let gather = |to| {
        let directions: Vec<_> = board.directions.iter().filter(|d: &&Direction| d.to == to).collect();
        let targets = |i: usize| directions.iter().filter_map(|d| d.table.get(i).copied().flatten()).collect();
        (0..hexes.len()).map(targets).collect::<Vec<Vec<u16>>>()
    };
    let hex_neighbours = gather(HEX);
    let hex_corners = gather(CORNER);
    let hex_edges = gather(EDGE);
    let ends: Vec<Vec<u16>> = edges.iter().map(|edge| edge.iter().filter_map(corner_of).collect()).collect();

    let corner_edges = turned(&ends, corners.len());
    let corner_neighbours = through(&corner_edges, &ends);
    let edge_neighbours = through(&ends, &corner_edges);
    let corner_hexes = turned(&hex_corners, corners.len());
    let edge_hexes = turned(&hex_edges, edges.len());

    relation(board, "corners", HEX, CORNER, hex_corners);
    relation(board, "edges", HEX, EDGE, hex_edges);
    relation(board, "neighbours", HEX, HEX, hex_neighbours);
    relation(board, "hexes", CORNER, HEX, corner_hexes);
    relation(board, "edges", CORNER, EDGE, corner_edges);
    relation(board, "neighbours", CORNER, CORNER, corner_neighbours);
    relation(board, "ends", EDGE, CORNER, ends.clone());
    relation(board, "corners", EDGE, CORNER, ends);
    relation(board, "hexes", EDGE, HEX, edge_hexes);
    relation(board, "neighbours", EDGE, EDGE, edge_neighbours);
}

fn direction(board: &mut Board, name: &str, to: usize, table: Vec<Option<u16>>) {
    board.directions.push(Direction { name: name.into(), from: HEX, to, table });
}

fn relation(board: &mut Board, name: &str, from: usize, to: usize, mut table: Vec<Vec<u16>>) {
    for targets in &mut table {
        targets.sort();
        targets.dedup();
    }
    board.relations.push(Relation { name: name.into(), from, to, table, symmetric: true });
}

/// The same joints seen from the other side.
fn turned(table: &[Vec<u16>], places: usize) -> Vec<Vec<u16>> {
    let mut back = vec![Vec::new(); places];
    for (from, targets) in table.iter().enumerate() {
        for to in targets {
            back[usize::from(*to)].push(from as u16);
        }
    }
    back
}

/// The other places that are reached by two steps: there by `first`, back by `second`.
fn through(first: &[Vec<u16>], second: &[Vec<u16>]) -> Vec<Vec<u16>> {
    let others = |(here, between): (usize, &Vec<u16>)| {
        let reached = between.iter().flat_map(|b| second[usize::from(*b)].iter().copied());
        reached.filter(|there| usize::from(*there) != here).collect()
    };
    first.iter().enumerate().map(others).collect()
}

/// The hexes of the ring round `centre` on which `start` lies, from `start` on, then those of each smaller ring and
/// the centre. Each ring begins beside both ends of the one before.
pub(super) fn rings(centre: Point, start: Point, clockwise: bool) -> Vec<Point> {
    let mut path = Vec::new();
    let mut first = start;
    for radius in (1..=distance(centre, start)).rev() {
        let mut ring = ring(centre, radius);
        if clockwise {
            ring.reverse();
        }
        let at = ring.iter().position(|hex| *hex == first).unwrap_or(0);
        ring.rotate_left(at);
        let last = ring.last().copied().unwrap_or(first);
        path.append(&mut ring);
        let inner = |(_, (dq, dr)): &(&str, Point)| (last.0 + dq, last.1 + dr);
        let beside = |hex: &Point| distance(centre, *hex) == radius - 1 && distance(first, *hex) == 1;
        first = EDGE_DIRECTIONS.iter().map(inner).find(beside).unwrap_or(centre);
    }
    path.push(centre);
    path
}

/// The hexes at a distance from a centre, counterclockwise.
fn ring(centre: Point, radius: i32) -> Vec<Point> {
    let mut hex = (centre.0 + radius, centre.1);
    let mut ring = Vec::new();
    for side in 0..6 {
        let (_, (dq, dr)) = EDGE_DIRECTIONS[(side + 2) % 6];
        for _ in 0..radius {
            ring.push(hex);
            hex = (hex.0 + dq, hex.1 + dr);
        }
    }
    ring
}

fn distance(a: Point, b: Point) -> i32 {
    let (dq, dr) = (a.0 - b.0, a.1 - b.1);
    dq.abs().max(dr.abs()).max((dq + dr).abs())
}
