//! What lies on a board at one moment.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Board, PlaceRef, Topology};

#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// How places look; a place that is missing here is bare.
    pub looks: BTreeMap<PlaceRef, Look>,
    /// What stands where. Several pieces at a place are shown in this order.
    pub pieces: Vec<Piece>,
    /// The names of all the kinds of pieces of the game in a fixed order, so that their letters and shapes stay the
    /// same from move to move. Names that `pieces` has beyond these are added at the end.
    pub piece_names: Vec<String>,
    pub seats: Vec<Seat>,
    /// Places whose ids are to be shown, since a move can name them.
    pub highlight: BTreeSet<PlaceRef>,
    /// Tracks beside the board.
    pub rows: Vec<Row>,
}

/// A track: a row of spaces with marks, and a marker for each seat or one of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub name: String,
    pub low: i64,
    pub high: i64,
    /// Names and the spaces on which they are.
    pub marks: Vec<(String, Vec<i64>)>,
    /// The position of a marker's owner in [`Scene::seats`], and its space.
    pub markers: Vec<(Option<usize>, i64)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// A word that may have a colour on the board, such as a kind of terrain.
    pub fill: Option<String>,
    /// Something short, such as a number.
    pub label: Option<String>,
    /// Further words.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub place: PlaceRef,
    pub name: String,
    /// The position of its owner in [`Scene::seats`]; none for a piece that is nobody's.
    pub seat: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    pub name: String,
    /// A word for a colour or `#rrggbb`; a word that is no colour gets one by the seat's position.
    pub colour: String,
}

impl Scene {
    /// A board as its file says, before any game; see [`Scene::look`].
    pub fn printed(board: &Board) -> Scene {
        let mut scene = Scene::default();
        for value in &board.values {
            let place = PlaceRef { kind: value.kind, index: value.place };
            scene.look(board, place, &value.field, &value.value);
        }
        scene
    }

    /// Adds one field of a place to its look. The first value that has a colour, or else the first word, is the fill;
    /// the first number is the label; the rest are notes. Of a field that is `yes` the field's name is the note, and
    /// `no` and `none` are nothing to show. Corners and edges have no fill.
    pub fn look(&mut self, board: &Board, place: PlaceRef, field: &str, value: &str) {
        let value = if value == "yes" { field } else { value };
        if value == "no" || value == "none" {
            return;
        }
        let look = self.looks.entry(place).or_default();
        let area = board.topology != Topology::Hex || place.kind == 0;
        let coloured = |word: &str| board.colour_of(word).is_some();
        if value.parse::<i64>().is_ok() && look.label.is_none() {
            look.label = Some(value.to_string());
        } else if area && look.fill.as_deref().is_none_or(|fill| coloured(value) && !coloured(fill)) {
            look.notes.extend(look.fill.replace(value.to_string()));
        } else {
            look.notes.push(value.to_string());
        }
    }

    /// Seats whose names are their colours.
    pub fn with_seats<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Scene {
        self.seats = names.into_iter().map(|name| Seat { name: name.into(), colour: name.into() }).collect();
        self
    }

    pub(super) fn pieces_at(&self, place: PlaceRef) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().filter(move |piece| piece.place == place)
    }

    /// All names of pieces, those of `piece_names` first.
    pub(super) fn all_piece_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.piece_names.iter().chain(self.pieces.iter().map(|piece| &piece.name)) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }
}
