//! Which places touch each other, whatever the shape of the board: on hexes those that share a corner (corners
//! themselves touch along an edge), on grids the eight cells round a cell, on graphs those with a link between them.

use super::hexes::{CORNER, EDGE, HEX};
use super::{Board, KindIndex, Topology};

impl Board {
    /// For each place of `from` the places of `to` that touch it, without itself; None if such places never do.
    pub fn near(&self, from: KindIndex, to: KindIndex) -> Option<Vec<Vec<u16>>> {
        let is_region = |kind: KindIndex| self.kinds.get(kind).is_none_or(|kind| kind.regions);
        if is_region(from) || is_region(to) {
            return None;
        }
        let mut table = match self.topology {
            Topology::Hex if from == CORNER && to == CORNER => {
                self.relation("neighbours", CORNER, CORNER)?.table.clone()
            }
            Topology::Hex => {
                let from_corners = self.corners_of(from)?;
                let mut at_corner = vec![Vec::new(); self.places(CORNER).len()];
                for (place, corners) in self.corners_of(to)?.iter().enumerate() {
                    for corner in corners {
                        at_corner.get_mut(usize::from(*corner))?.push(place as u16);
                    }
                }
                let touching = |corners: &Vec<u16>| {
                    corners.iter().filter_map(|c| at_corner.get(usize::from(*c))).flatten().copied().collect()
                };
                from_corners.iter().map(touching).collect()
            }
            Topology::Grid => self.relation("around", from, to)?.table.clone(),
            Topology::Graph => {
                let mut table = vec![Vec::new(); self.places(from).len()];
                let there = self.relations.iter().filter(|r| r.from == from && r.to == to).map(|r| r.table.clone());
                let back = self.relations.iter().filter(|r| r.from == to && r.to == from);
                let back = back.map(|r| r.reversed(self.places(from).len()));
                let mut linked = false;
                for links in there.chain(back) {
                    linked = true;
                    for (place, mut targets) in table.iter_mut().zip(links) {
                        place.append(&mut targets);
                    }
                }
                linked.then_some(table)?
            }
        };
        for (place, targets) in table.iter_mut().enumerate() {
            targets.retain(|target| from != to || usize::from(*target) != place);
            targets.sort_unstable();
            targets.dedup();
        }
        Some(table)
    }

    /// The corners of each hex, the ends of each edge, and each corner itself.
    fn corners_of(&self, kind: KindIndex) -> Option<Vec<Vec<u16>>> {
        match kind {
            CORNER => Some((0..self.places(CORNER).len() as u16).map(|corner| vec![corner]).collect()),
            HEX | EDGE => self.relation("corners", kind, CORNER).map(|r| r.table.clone()),
            _ => None,
        }
    }
}
