//! The one integration test binary. Most tests are files: adding a test is adding a file.
//!
//! | where | what |
//! | --- | --- |
//! | `tests/cases/<stage>/…` | faults expected by a comment on the line where they belong (`cases.rs`) |
//! | `tests/cases/broken/` | broken variants of the base game and the words in which they are told (`variants.rs`) |
//! | `tests/reports/*.txt` | whole reports as people see them (`reports.rs`) |
//! | `tests/boards/*.board` | small boards that `boards.rs` and `views.rs` read and draw |
//! | `tests/faulty/plays/*.play` | transcripts that end in a fault of the rules (`faulty.rs`) |
//! | `docs/errors/*.md` | the pages of the codes and their examples (`pages.rs`) |
//! | `tests/meaning/*.md` | what rules mean where files are silent (`meaning.rs`) |
//! | `docs/guide/*.md` | the guide, every block of which is run (`guide.rs`) |
//! | `scenarios/`, `examples/` | every scenario checks clean, its transcripts hold (`scenarios.rs`), and random games of it keep their promises (`random_games.rs`) |
//!
//! `BLESS=1 cargo test` writes what came out where a file expects something else; read the difference before you
//! commit it.
#![allow(clippy::disallowed_methods, reason = "tests read and write files")]

mod boards;
mod campaigns;
mod cases;
mod commands;
mod common;
mod faulty;
mod guide;
mod hostile;
mod meaning;
mod pages;
mod protocol;
mod random_games;
mod reports;
mod scenarios;
mod secrets;
mod sittings;
mod tokens;
mod tracks;
mod variants;
mod views;
mod walls;
mod words;
