//! Boards: a drawing or a listing becomes places, their neighbours and their marks.

/// Replaced by the model of `board/`.
#[derive(Clone, Debug, Default)]
pub struct Board {
    pub kinds: Vec<PlaceKind>,
}

#[derive(Clone, Debug, Default)]
pub struct PlaceKind {
    pub name: String,
    pub places: Vec<Place>,
}

#[derive(Clone, Debug, Default)]
pub struct Place {
    pub id: String,
}
