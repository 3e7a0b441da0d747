//! A board as an SVG picture. The shapes are plain and the text is text, so that the picture can be edited.

mod graph;
mod grid;
mod hexes;
mod sheet;
mod track;

use super::scene::Scene;
use crate::board::{Board, Topology};

/// Draws a board as a document of its own.
pub fn draw_svg(board: &Board, scene: &Scene) -> String {
    match board.topology {
        Topology::Hex => hexes::draw(board, scene),
        Topology::Grid => grid::draw(board, scene),
        Topology::Graph => graph::draw(board, scene),
    }
}
