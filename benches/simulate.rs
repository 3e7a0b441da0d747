//! Random games a second on one thread, for every built-in scenario and example and the most players: `cargo bench`, or
//! `cargo bench -- NAME` for those with the name in their folder. Each is played five times; the median counts.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads files and the clock")]
#![allow(clippy::print_stdout, reason = "a benchmark says what it measured")]

use std::path::Path;
use std::time::{Duration, Instant};

use regelwerk::diagnostic::Sink;
use regelwerk::pipeline;
use regelwerk::sim::{Plan, simulate};
use regelwerk::source::Sources;
use regelwerk::table::opening::Opening;

/// How long one measurement should take, about.
const ABOUT: Duration = Duration::from_millis(600);

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    for folder in ["scenarios", "examples"] {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut names: Vec<_> = std::fs::read_dir(&here).into_iter().flatten().flatten().map(|e| e.path()).collect();
        names.sort();
        for path in names {
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            if wanted.is_empty() || wanted.iter().any(|w| name.contains(w)) {
                measure(&name, &path);
            }
        }
    }
}

fn measure(name: &str, path: &Path) {
    let (mut sources, mut sink) = (Sources::new(), Sink::new());
    let Some(ready) = pipeline::ready(&path.display().to_string(), &mut sources, &mut sink) else { return };
    let players = ready.program.players.last().copied().unwrap_or(1);
    let seats = ready.program.known.player.map_or(Vec::new(), |d| {
        ready.program.domains[d.index()].members.iter().take(players).map(|m| m.name.clone()).collect()
    });
    let options = ready
        .program
        .options
        .iter()
        .filter(|o| o.name.ends_with("_trade"))
        .map(|o| (o.name.clone(), "no".to_string()))
        .collect();
    let opening = Opening { seats, options, ..Opening::default() };
    let Ok(code) = ready.code(&opening) else { return };
    let play = |games: u64| {
        let start = Instant::now();
        simulate(&code, &Plan { games, seed: 1, threads: 1, max_turns: 5000, invariants: false });
        start.elapsed()
    };
    let mut games = 16;
    while play(games) < ABOUT / 8 && games < 1 << 22 {
        games *= 4;
    }
    let games = (games as f64 * ABOUT.as_secs_f64() / play(games).as_secs_f64().max(1e-9)).max(16.0) as u64;
    let mut speeds: Vec<f64> = (0..5).map(|_| games as f64 / play(games).as_secs_f64()).collect();
    speeds.sort_by(f64::total_cmp);
    println!("{name:20} {players} players {:>12.0} games/s  ({:.0} to {:.0})", speeds[2], speeds[0], speeds[4]);
}
