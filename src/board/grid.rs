//! Square grids: from the columns and rows of the cells to their neighbours in eight directions.

use std::collections::BTreeMap;

use super::{Board, Direction, Place, PlaceKind, Relation, Topology};

const DIRECTIONS: [(&str, (i32, i32)); 8] = [
    ("north", (0, -1)),
    ("east", (1, 0)),
    ("south", (0, 1)),
    ("west", (-1, 0)),
    ("north_east", (1, -1)),
    ("south_east", (1, 1)),
    ("south_west", (-1, 1)),
    ("north_west", (-1, -1)),
];

impl Board {
    /// A board of the cells at these columns and rows, in any order; repetitions count once. Cells are
    /// numbered by row and then from left to right.
    pub fn grid(coordinates: &[(i32, i32)]) -> Board {
        let mut cells = coordinates.to_vec();
        cells.sort_by_key(|&(column, row)| (row, column));
        cells.dedup();
        let places = cells.iter().enumerate().map(|(i, &(column, row))| Place {
            id: format!("s{}", i + 1),
            coordinates: Some((column, row)),
            x: column as f32,
            y: row as f32,
        });
        let kind = PlaceKind { name: "cell".into(), places: places.collect(), regions: false };
        let mut board = Board::bare(Topology::Grid, vec![kind]);

        let numbers: BTreeMap<(i32, i32), u16> = cells.iter().enumerate().map(|(i, c)| (*c, i as u16)).collect();
        let step = |(dx, dy): (i32, i32)| {
            cells.iter().map(|(x, y)| numbers.get(&(x + dx, y + dy)).copied()).collect::<Vec<_>>()
        };
        for (name, by) in DIRECTIONS {
            board.directions.push(Direction { name: name.into(), from: 0, to: 0, table: step(by) });
        }
        for (name, which) in [("neighbours", 0..4), ("diagonals", 4..8), ("around", 0..8)] {
            let table = (0..cells.len()).map(|i| {
                let directions = board.directions.get(which.clone()).unwrap_or_default();
                let mut targets: Vec<u16> = directions.iter().filter_map(|d| d.table[i]).collect();
                targets.sort();
                targets
            });
            let table = table.collect();
            board.relations.push(Relation { name: name.into(), from: 0, to: 0, table, symmetric: true });
        }
        // A direction is a relation too: what lies north of these cells.
        for (name, by) in DIRECTIONS {
            let table = step(by).into_iter().map(|target| target.into_iter().collect()).collect();
            board.relations.push(Relation { name: name.into(), from: 0, to: 0, table, symmetric: false });
        }
        board
    }
}
