//! A graph in characters: one line for each place, with what it is, what stands there and where its links lead.

use super::canvas::{Canvas, Style};
use super::palette;
use super::scene::Scene;
use crate::board::{Board, PlaceRef};

const CALLED: Style = Style { ground: Some([0xff, 0xff, 0x5f]), bold: true, dim: false };
const FAINT: Style = Style { ground: None, bold: false, dim: true };

pub fn draw(board: &Board, scene: &Scene, _width: usize) -> Canvas {
    let mut canvas = Canvas::default();
    let longest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0) as i32;
    let id_width = longest(&mut board.kinds.iter().flat_map(|k| &k.places).map(|place| place.id.chars().count()));
    let words = |at: &PlaceRef| {
        let look = scene.looks.get(at).cloned().unwrap_or_default();
        look.fill.into_iter().chain(look.label).chain(look.notes).collect::<Vec<_>>().join(" ").replace('_', " ")
    };
    let word_width = longest(&mut scene.looks.keys().map(|at| words(at).chars().count()));
    let mut line = 0;
    for (kind, places) in board.kinds.iter().enumerate().filter(|(_, kind)| !kind.regions) {
        canvas.write(line, 0, &places.name.replace('_', " "), Style { bold: true, ..Style::default() });
        line += 1;
        for (index, place) in places.places.iter().enumerate() {
            let at = PlaceRef { kind, index: index as u16 };
            let called = scene.highlight.contains(&at);
            canvas.write(line, 2, &place.id, if called { CALLED } else { Style::default() });
            let fill = scene.looks.get(&at).and_then(|look| look.fill.as_deref());
            let ground = Style::ground(fill.and_then(|word| board.colour_of(word)));
            let mut column = id_width + 4;
            let words = words(&at);
            if !words.is_empty() {
                canvas.write(line, column, &format!(" {words} "), ground);
            }
            column += if word_width > 0 { word_width + 4 } else { 0 };
            for piece in scene.pieces_at(at) {
                let token = format!(" {} ", palette::token(scene, piece));
                canvas.write(line, column, &token, Style::on(palette::piece_colour(scene, piece)));
                column += token.chars().count() as i32 + 1;
            }
            let mut links = String::new();
            for relation in board.drawn_links().filter(|relation| relation.from == kind) {
                let targets = relation.table.get(index).map_or(&[] as &[u16], Vec::as_slice);
                let ids: Vec<&str> =
                    targets.iter().map(|index| board.id(PlaceRef { kind: relation.to, index: *index })).collect();
                if !ids.is_empty() {
                    let arrow = if relation.symmetric { "-" } else { ">" };
                    links.push_str(&format!("{} {arrow} {}   ", relation.name, ids.join(" ")));
                }
            }
            canvas.write(line, column.max(id_width + word_width + 12), links.trim_end(), FAINT);
            line += 1;
        }
    }
    canvas
}
