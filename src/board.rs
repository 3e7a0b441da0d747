//! Boards: a drawing or a listing becomes places, their neighbours and their marks.

/// Replaced by the model of `board/`.
#[derive(Clone, Debug, Default)]
pub struct Board {}
