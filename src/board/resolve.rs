//! From what a person types to a place: `h12`, `c23`, `h12.NE`, `(0,-2)`, `(0,-2).SE`, names on a graph.

use super::{Board, KindIndex, PlaceRef};

impl Board {
    /// The place with this name, of the kind `wanted` if one is given. Nothing if no place has the name or,
    /// without a wanted kind, if several have: `h12.NE` is a corner and an edge.
    pub fn resolve(&self, text: &str, wanted: Option<KindIndex>) -> Option<PlaceRef> {
        let found = self.candidates(text);
        let fitting = |place: &&PlaceRef| wanted.is_none_or(|kind| place.kind == kind);
        let mut fitting = found.iter().filter(fitting);
        match (fitting.next(), fitting.next()) {
            (Some(place), None) => Some(*place),
            (Some(_), Some(_)) | (None, _) => None,
        }
    }

    /// All the places that a text can mean. A direction means a corner or an edge of a hex, and on a grid the
    /// cell that lies there; the hex beyond an edge has names enough and is not meant.
    pub fn candidates(&self, text: &str) -> Vec<PlaceRef> {
        let text = text.trim();
        if let Some(place) = self.plain(text) {
            return vec![place];
        }
        let Some((base, direction)) = text.rsplit_once('.') else { return Vec::new() };
        let Some(base) = self.plain(base.trim()) else { return Vec::new() };
        let direction = direction.trim().to_ascii_lowercase();
        let several = self.kinds.len() > 1;
        self.directions
            .iter()
            .filter(|d| d.from == base.kind && d.name == direction && !(several && d.to == d.from))
            .filter_map(|d| {
                let index = d.table.get(usize::from(base.index)).copied().flatten()?;
                Some(PlaceRef { kind: d.to, index })
            })
            .collect()
    }

    /// A place by its id or its coordinates.
    fn plain(&self, text: &str) -> Option<PlaceRef> {
        if let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
            let (first, second) = inner.split_once(',')?;
            let wanted = Some((first.trim().parse().ok()?, second.trim().parse().ok()?));
            return self.find(|place| place.coordinates == wanted);
        }
        self.find(|place| place.id == text)
    }

    fn find(&self, matches: impl Fn(&super::Place) -> bool) -> Option<PlaceRef> {
        self.kinds.iter().enumerate().find_map(|(kind, places)| {
            let index = places.places.iter().position(&matches)?;
            Some(PlaceRef { kind, index: index as u16 })
        })
    }
}
