//! What a person sees: boards as text for terminals and as SVG, and as JSON for programs.
//!
//! A [`Scene`] says what lies on a board at one moment, in words; it is made from a game's state elsewhere, so
//! nothing here knows the engine. Colours of words come from the board file, colours of seats from their names.

mod board_json;
mod canvas;
mod graph_hexes;
mod graph_text;
mod grid_text;
mod hex_text;
mod palette;
mod scene;
mod svg;

pub use board_json::board_json;
pub use scene::{Look, Piece, Row, Scene, Seat};
pub use svg::draw_svg;

use crate::board::{Board, Topology};

/// Draws a board with characters. `colour` allows ANSI escapes; `width` is how many columns there are, which a
/// large board may still exceed.
pub fn draw_text(board: &Board, scene: &Scene, colour: bool, width: usize) -> String {
    let canvas = match board.topology {
        Topology::Hex => hex_text::draw(board, scene, width),
        Topology::Grid => grid_text::draw(board, scene, width),
        Topology::Graph => match board.as_hexes {
            Some(kind) => graph_hexes::draw(board, scene, kind, width),
            None => graph_text::draw(board, scene, width),
        },
    };
    let mut text = canvas.render(colour);
    let legend = palette::legend(scene, width).render(colour);
    if !legend.is_empty() {
        text.push('\n');
        text.push_str(&legend);
    }
    text
}
