//! Free graphs: places with names of the author's own, joined by named links.

use super::{Board, KindIndex, Place, PlaceKind, PlaceRef, Relation, Topology};

/// A place of a graph and where it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    pub name: String,
    pub x: f32,
    pub y: f32,
}

/// All links of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub name: String,
    /// Whether the links lead one way only.
    pub arrows: bool,
    pub joints: Vec<(PlaceRef, PlaceRef)>,
}

impl Board {
    /// A board of named places by kind, and of links between them. A name of links becomes one relation for
    /// each pair of kinds that it joins; links that lead both ways appear under the same name on both sides.
    pub fn graph(kinds: Vec<(String, Vec<Spot>)>, links: &[Link]) -> Board {
        let kinds = kinds.into_iter().map(|(name, spots)| PlaceKind {
            name,
            regions: false,
            places: spots.into_iter().map(|s| Place { id: s.name, coordinates: None, x: s.x, y: s.y }).collect(),
        });
        let mut board = Board::bare(Topology::Graph, kinds.collect());
        for link in links {
            for (from, to) in &link.joints {
                join(&mut board, link, *from, *to);
                if !link.arrows {
                    join(&mut board, link, *to, *from);
                }
            }
        }
        board
    }
}

impl Board {
    /// How wide hexes are that are drawn where the places of a kind lie: as wide as the nearest two are apart.
    pub fn hex_width(&self, kind: KindIndex) -> f32 {
        let places = self.places(kind);
        let mut nearest = f32::MAX;
        for (i, a) in places.iter().enumerate() {
            for b in places.iter().skip(i + 1) {
                let apart = (a.x - b.x).hypot(a.y - b.y);
                if apart > 0.0 {
                    nearest = nearest.min(apart);
                }
            }
        }
        if nearest == f32::MAX { 2.0 } else { nearest }
    }
}

fn join(board: &mut Board, link: &Link, from: PlaceRef, to: PlaceRef) {
    let existing = board.relations.iter().position(|r| r.name == link.name && r.from == from.kind && r.to == to.kind);
    let at = existing.unwrap_or_else(|| {
        let table = vec![Vec::new(); board.places(from.kind).len()];
        let (name, symmetric) = (link.name.clone(), !link.arrows);
        board.relations.push(Relation { name, from: from.kind, to: to.kind, table, symmetric });
        board.relations.len() - 1
    });
    if let Some(targets) = board.relations.get_mut(at).and_then(|r| r.table.get_mut(usize::from(from.index)))
        && let Err(gap) = targets.binary_search(&to.index)
    {
        targets.insert(gap, to.index);
    }
}
