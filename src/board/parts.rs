//! Regions that are parts of one kind, `region shire(north): …`: they are places of a kind of their own, joined to
//! the places that they consist of, so that rules can speak of each and keep state for each.

use super::listing::Reader;
use super::{Area, Board, Place, PlaceKind, PlaceRef, Relation, errors};

impl Reader<'_, '_> {
    /// Makes the kinds, one for each name of regions with parts, in the order of the file.
    pub fn parts(&mut self) {
        let mut names: Vec<String> = Vec::new();
        for area in self.board.regions.iter().filter(|area| area.part.is_some()) {
            if !names.contains(&area.name) {
                names.push(area.name.clone());
            }
        }
        for name in names {
            let areas: Vec<Area> =
                self.board.regions.iter().filter(|area| area.name == name && area.part.is_some()).cloned().collect();
            let Some(first) = areas.first() else { continue };
            if let Some(other) = areas.iter().find(|area| area.kind != first.kind) {
                let kind = |area: &Area| self.board.kinds.get(area.kind).map_or("place", |kind| kind.name.as_str());
                self.sink.push(errors::mixed_kinds(other.span, kind(other), kind(first), first.span));
                continue;
            }
            if self.board.kind(&name).is_some() {
                self.sink.push(errors::name_of_kind(first.span, &name));
                continue;
            }
            add(&mut self.board, &name, &areas);
        }
        self.board.regions.retain(|area| area.part.is_none());
    }
}

/// A kind of these regions, with what joins them to their places: `hexes(shire)` one way, `shires(hex)` the other.
fn add(board: &mut Board, name: &str, areas: &[Area]) {
    let Some(of) = areas.first().map(|area| area.kind) else { return };
    let middle = |area: &Area, axis: fn(&Place) -> f32| {
        let places = area.places.iter().filter_map(|index| board.place(PlaceRef { kind: of, index: *index }));
        places.map(axis).sum::<f32>() / area.places.len().max(1) as f32
    };
    let places: Vec<Place> = areas
        .iter()
        .map(|area| Place {
            id: area.part.clone().unwrap_or_default(),
            coordinates: None,
            x: middle(area, |place| place.x),
            y: middle(area, |place| place.y),
        })
        .collect();
    let kind = board.kinds.len();
    let consists: Vec<Vec<u16>> = areas
        .iter()
        .map(|area| {
            let mut places = area.places.clone();
            places.sort_unstable();
            places.dedup();
            places
        })
        .collect();
    let plural = board.kinds.get(of).map_or(String::new(), |kind| plural(&kind.name));
    let down = Relation { name: plural, from: kind, to: of, table: consists, symmetric: true };
    let up = Relation {
        name: format!("{name}s"),
        from: of,
        to: kind,
        table: down.reversed(board.places(of).len()),
        symmetric: true,
    };
    board.kinds.push(PlaceKind { name: name.to_string(), places, regions: true });
    board.relations.push(down);
    board.relations.push(up);
}

fn plural(kind: &str) -> String {
    if kind.ends_with('x') { format!("{kind}es") } else { format!("{kind}s") }
}
