//! Boards: a drawing or a listing becomes places, their neighbours and their marks.
