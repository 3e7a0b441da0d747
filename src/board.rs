//! Boards: a drawing or a listing becomes places, their neighbours and their marks.
//!
//! A [`Board`] knows topology and what the author wrote down, and nothing of rules: values are words with
//! spans that the checker validates against the fields that the rules declare. There are three topologies
//! in one vocabulary: hexes with corners and edges, square grids, and free graphs with named links.
//! [`parse()`] reads the text format, which `board/parse.rs` describes; [`Board::hexes`], [`Board::grid`] and
//! [`Board::graph`] build bare boards.

mod colour;
mod cursor;
mod drawing;
mod entries;
mod errors;
mod graph;
mod grid;
mod hexes;
mod items;
mod links;
mod listing;
mod lists;
mod near;
mod outline;
mod parse;
mod parts;
mod resolve;

pub use colour::{Rgb, colour};
pub use graph::{Link, Spot};
pub use parse::parse;

use crate::source::Span;

/// The most places that one kind may have; sets of places are rows of bits of at most this length.
pub const MAX_PLACES: usize = 512;

/// Which of the three shapes a board has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    #[default]
    Hex,
    Grid,
    Graph,
}

/// The position of a kind in [`Board::kinds`].
pub type KindIndex = usize;

/// One place: its kind and its position in [`PlaceKind::places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceRef {
    pub kind: KindIndex,
    pub index: u16,
}

#[derive(Clone, Debug, Default)]
pub struct Board {
    /// The name that the rules give to the board; empty until the loader fills it in.
    pub name: String,
    pub topology: Topology,
    /// `hex`, `corner`, `edge` in this order; or `cell`; or the author's kinds in the order of the file.
    pub kinds: Vec<PlaceKind>,
    pub relations: Vec<Relation>,
    pub directions: Vec<Direction>,
    pub values: Vec<Value>,
    pub marks: Vec<Mark>,
    pub paths: Vec<Path>,
    pub regions: Vec<Area>,
    /// Areas whose content is unknown at first.
    pub fogs: Vec<Area>,
    /// Names of marks, paths and regions whose places had a fault.
    pub lost: Vec<String>,
    /// The colours in which words are shown, in the order of the file.
    pub colours: Vec<(String, Rgb)>,
    /// Of a graph: the kind whose places are drawn as hexes that touch each other.
    pub as_hexes: Option<KindIndex>,
    /// Names of links that are not drawn.
    pub undrawn: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct PlaceKind {
    pub name: String,
    /// In the order of their numbers; at most [`MAX_PLACES`].
    pub places: Vec<Place>,
    /// Its places are regions of the board (`region shire(north): …`), which are not drawn themselves.
    pub regions: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// `h1`, `c1`, `e1`, `s1`, or the author's own name on a graph.
    pub id: String,
    /// Axial `(q,r)` of a hex, `(column,row)` of a cell; corners, edges and places of a graph have none.
    pub coordinates: Option<(i32, i32)>,
    /// Where it is drawn. Hex boards: x counts half widths of a hex, y counts half sides, the hex `(0,0)` in
    /// the middle; grids: column and row; graphs: as the author says. y grows downwards.
    pub x: f32,
    pub y: f32,
}

/// For each place of one kind the places of a kind that it is joined to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    pub name: String,
    pub from: KindIndex,
    pub to: KindIndex,
    /// One list for each place of `from`, sorted and without repetitions.
    pub table: Vec<Vec<u16>>,
    /// Whether `to` is joined back to `from`, by this relation or its counterpart. Only arrows and directions are not.
    pub symmetric: bool,
}

/// For each place of one kind at most one place that lies in a direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Direction {
    /// `e`, `ne`, `n` … on hex boards; `north`, `north_east` … on grids.
    pub name: String,
    pub from: KindIndex,
    pub to: KindIndex,
    pub table: Vec<Option<u16>>,
}

/// `terrain meadow` at a place: a field and its value as the author wrote them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub kind: KindIndex,
    pub place: u16,
    pub field: String,
    pub field_span: Span,
    pub value: String,
    pub span: Span,
}

/// A named set of places, of one seat or of nobody: `mark start(red)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub name: String,
    /// What stands in parentheses behind the name.
    pub seat: Option<String>,
    pub kind: KindIndex,
    /// In the order in which they were written.
    pub places: Vec<u16>,
    pub span: Span,
    pub seat_span: Option<Span>,
}

/// A named sequence of places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub name: String,
    pub kind: KindIndex,
    pub places: Vec<u16>,
    pub span: Span,
}

/// A named set of places: a region or an area under fog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    pub name: String,
    /// What stands in parentheses behind the name: one of several regions of a kind.
    pub part: Option<String>,
    pub kind: KindIndex,
    /// In the order in which they were written.
    pub places: Vec<u16>,
    pub span: Span,
}

impl Board {
    fn bare(topology: Topology, kinds: Vec<PlaceKind>) -> Board {
        Board { topology, kinds, ..Board::default() }
    }

    pub fn kind(&self, name: &str) -> Option<KindIndex> {
        self.kinds.iter().position(|kind| kind.name == name)
    }

    /// The places of a kind; none for a kind that the board does not have.
    pub fn places(&self, kind: KindIndex) -> &[Place] {
        self.kinds.get(kind).map_or(&[], |kind| &kind.places)
    }

    pub fn place(&self, place: PlaceRef) -> Option<&Place> {
        self.places(place.kind).get(usize::from(place.index))
    }

    /// The name of a place as players type it; empty for a place that the board does not have.
    pub fn id(&self, place: PlaceRef) -> &str {
        self.place(place).map_or("", |place| &place.id)
    }

    /// The links that are drawn.
    pub fn drawn_links(&self) -> impl Iterator<Item = &Relation> {
        self.links().filter(|relation| !self.undrawn.contains(&relation.name))
    }

    /// The relations between places that are drawn: all but those of regions.
    pub fn links(&self) -> impl Iterator<Item = &Relation> {
        let drawn = |kind: KindIndex| self.kinds.get(kind).is_some_and(|kind| !kind.regions);
        self.relations.iter().filter(move |relation| drawn(relation.from) && drawn(relation.to))
    }

    pub fn relation(&self, name: &str, from: KindIndex, to: KindIndex) -> Option<&Relation> {
        self.relations.iter().find(|r| r.name == name && r.from == from && r.to == to)
    }

    /// The places that `from` is joined to by the relation of that name into the kind `to`.
    pub fn related(&self, name: &str, from: PlaceRef, to: KindIndex) -> &[u16] {
        self.relation(name, from.kind, to).and_then(|r| r.table.get(usize::from(from.index))).map_or(&[], Vec::as_slice)
    }

    /// The place that lies in a direction, among the places of the kind `to`.
    pub fn toward(&self, direction: &str, from: PlaceRef, to: KindIndex) -> Option<u16> {
        self.directions
            .iter()
            .find(|d| d.from == from.kind && d.to == to && d.name == direction)
            .and_then(|d| d.table.get(usize::from(from.index)).copied().flatten())
    }

    /// The places from `place` onwards in a direction up to the board's end, without `place` itself.
    pub fn line(&self, place: PlaceRef, direction: &str) -> Vec<u16> {
        let mut line = Vec::new();
        let mut here = place;
        while let Some(next) = self.toward(direction, here, place.kind) {
            line.push(next);
            here = PlaceRef { index: next, ..place };
        }
        line
    }

    /// The value that the board gives to a field of a place.
    pub fn value(&self, place: PlaceRef, field: &str) -> Option<&str> {
        self.values
            .iter()
            .find(|v| v.kind == place.kind && v.place == place.index && v.field == field)
            .map(|v| v.value.as_str())
    }

    /// The colour that the author chose for a word.
    pub fn colour_of(&self, word: &str) -> Option<Rgb> {
        self.colours.iter().find(|(name, _)| name == word).map(|(_, rgb)| *rgb)
    }
}

impl Relation {
    /// The same joints seen from the other side: for each of `places` places of `to`, the places of `from`.
    pub fn reversed(&self, places: usize) -> Vec<Vec<u16>> {
        let mut table = vec![Vec::new(); places];
        for (from, targets) in self.table.iter().enumerate() {
            for to in targets {
                if let Some(sources) = table.get_mut(usize::from(*to)) {
                    sources.push(from as u16);
                }
            }
        }
        table
    }
}
