//! The texts that the binary carries: every scenario under `scenarios/` and the standard library under
//! `stdlib/`. `build.rs` writes the tables, so a new game needs no edit here.

/// `(path below the folder, text)`, sorted by path.
type Table = &'static [(&'static str, &'static str)];

static SCENARIOS: Table = include!(concat!(env!("OUT_DIR"), "/scenarios.in"));
static STANDARD_LIBRARY: Table = include!(concat!(env!("OUT_DIR"), "/stdlib.in"));

/// The names of the built-in scenarios, sorted: the folders that hold a manifest.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCENARIOS.iter().filter_map(|(path, _)| path.strip_suffix("/scenario.toml"))
}

pub fn is_built_in(name: &str) -> bool {
    names().any(|known| known == name)
}

/// The names of the built-in campaigns, sorted: the folders that hold a `campaign.toml`.
pub fn campaigns() -> impl Iterator<Item = &'static str> {
    SCENARIOS.iter().filter_map(|(path, _)| path.strip_suffix("/campaign.toml"))
}

pub fn has_campaign(name: &str) -> bool {
    campaigns().any(|known| known == name)
}

/// The files of one built-in scenario, by their paths below its folder.
pub fn files(scenario: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    SCENARIOS.iter().filter_map(move |(path, text)| {
        let path: &'static str = path;
        Some((path.strip_prefix(scenario)?.strip_prefix('/')?, *text))
    })
}

/// The files of the standard library.
pub fn standard_library() -> impl Iterator<Item = (&'static str, &'static str)> {
    STANDARD_LIBRARY.iter().copied()
}
