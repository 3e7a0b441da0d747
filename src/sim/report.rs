//! The figures of a run, for people and as JSON.

use serde_json::{Map, Value as Json, json};

use super::Plan;
use super::record::{GameEnd, GameRecord, Tally};
use crate::engine::Code;
use crate::engine::code::Counter;
use crate::program::Action;

/// A quantity over many games.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    pub mean: f64,
    pub p05: f64,
    pub p50: f64,
    pub p95: f64,
    pub max: f64,
}

impl Spread {
    /// Percentiles are those of the nearest rank.
    pub fn of(values: impl Iterator<Item = i64>) -> Spread {
        let mut sorted: Vec<i64> = values.collect();
        if sorted.is_empty() {
            return Spread::default();
        }
        sorted.sort_unstable();
        let rank = |percent: usize| {
            let at = (sorted.len() * percent).div_ceil(100).max(1) - 1;
            sorted.get(at).copied().unwrap_or(0) as f64
        };
        let sum: i128 = sorted.iter().map(|v| i128::from(*v)).sum();
        Spread { mean: sum as f64 / sorted.len() as f64, p05: rank(5), p50: rank(50), p95: rank(95), max: rank(100) }
    }

    fn json(&self) -> Json {
        json!({
            "mean": rounded(self.mean),
            "p05": whole(self.p05),
            "p50": whole(self.p50),
            "p95": whole(self.p95),
            "max": whole(self.max),
        })
    }
}

fn rounded(value: f64) -> Json {
    json!((value * 1000.0).round() / 1000.0)
}

fn whole(value: f64) -> Json {
    json!(value as i64)
}

#[derive(Clone, Debug)]
pub struct Report {
    pub scenario: String,
    pub plan: Plan,
    pub seats: Vec<String>,
    /// How long the games took on the wall clock.
    pub seconds: f64,
    pub tally: Tally,
    pub unreached_actions: Vec<String>,
    pub unreached_triggers: Vec<String>,
}

impl Report {
    pub fn new(scenario: String, plan: Plan, seats: Vec<String>, seconds: f64, tally: Tally, code: &Code) -> Report {
        // A rule is compiled for each seat; it was reached if any of them was.
        let mut actions: Vec<(&str, bool)> = Vec::new();
        let mut triggers: Vec<(&str, bool)> = Vec::new();
        for (counter, hits) in code.counters.iter().zip(&tally.hits) {
            let (list, name) = match counter {
                Counter::Action(name) => (&mut actions, name.as_str()),
                Counter::Trigger(name) => (&mut triggers, name.as_str()),
            };
            match list.iter_mut().find(|(known, _)| *known == name) {
                Some((_, reached)) => *reached |= *hits > 0,
                None => list.push((name, *hits > 0)),
            }
        }
        let unreached = |list: Vec<(&str, bool)>| {
            list.into_iter().filter(|(_, reached)| !reached).map(|(name, _)| shown(code, name)).collect()
        };
        let (unreached_actions, unreached_triggers) = (unreached(actions), unreached(triggers));
        Report { scenario, plan, seats, seconds, tally, unreached_actions, unreached_triggers }
    }

    fn spread(&self, of: impl Fn(&GameRecord) -> u64) -> Spread {
        Spread::of(self.tally.games.iter().map(|game| of(game) as i64))
    }

    fn sum(&self, of: impl Fn(&GameRecord) -> u64) -> u64 {
        self.tally.games.iter().map(of).sum()
    }

    fn wins(&self, seat: usize) -> usize {
        self.tally.games.iter().filter(|g| g.end == GameEnd::Win && g.winner == Some(seat)).count()
    }

    fn points(&self, seat: usize) -> Spread {
        Spread::of(self.tally.games.iter().filter_map(|g| g.points.get(seat).copied()))
    }

    fn counts_points(&self) -> bool {
        self.tally.games.iter().any(|g| !g.points.is_empty())
    }

    fn ended(&self, end: GameEnd) -> usize {
        self.tally.games.iter().filter(|g| g.end == end).count()
    }

    fn per_second(&self, count: u64) -> f64 {
        if self.seconds > 0.0 { count as f64 / self.seconds } else { 0.0 }
    }

    /// Did any game run into a fault?
    pub fn has_faults(&self) -> bool {
        !self.tally.faults.is_empty()
    }

    pub fn digest(&self) -> String {
        format!("{:016x}", self.tally.digest())
    }

    pub fn json(&self) -> Json {
        let seats = || self.seats.iter().enumerate();
        let by_seat = |of: &dyn Fn(usize) -> Json| {
            Json::Object(seats().map(|(seat, name)| (name.clone(), of(seat))).collect::<Map<_, _>>())
        };
        let ended: Map<String, Json> =
            GameEnd::ALL.iter().map(|end| (end.name().to_owned(), json!(self.ended(*end)))).collect();
        let faults: Vec<Json> = self
            .tally
            .faults
            .iter()
            .map(|f| {
                json!({
                    "code": crate::diagnostic::Code(f.code).to_string(),
                    "message": f.message,
                    "games": f.games,
                    "first_game": f.first,
                    "seed": self.plan.seed_of(f.first),
                })
            })
            .collect();
        let decisions = self.sum(|g| g.decisions);
        json!({
            "scenario": self.scenario,
            "games": self.tally.games.len(),
            "players": self.seats.len(),
            "seed": self.plan.seed,
            "threads": self.plan.threads,
            "seconds": rounded(self.seconds),
            "games_per_second": rounded(self.per_second(self.tally.games.len() as u64)),
            "decisions": decisions,
            "forced": self.sum(|g| g.forced),
            "decisions_per_second": rounded(self.per_second(decisions)),
            "turns": self.spread(|g| g.turns).json(),
            "decisions_per_game": self.spread(|g| g.decisions).json(),
            "wins": by_seat(&|seat| json!(self.wins(seat))),
            "points": by_seat(&|seat| if self.counts_points() { self.points(seat).json() } else { Json::Null }),
            "ended": ended,
            "faults": faults,
            "unreached": { "actions": self.unreached_actions, "triggers": self.unreached_triggers },
            "digest": self.digest(),
        })
    }

    pub fn human(&self) -> String {
        let games = self.tally.games.len();
        let decisions = self.sum(|g| g.decisions);
        let mut text = format!(
            "{}: {games} games of {} players, seed {}, {} threads, {:.2} s\n",
            self.scenario,
            self.seats.len(),
            self.plan.seed,
            self.plan.threads,
            self.seconds
        );
        text.push_str(&format!(
            "speed      {:.0} games/s, {:.0} decisions/s\n",
            self.per_second(games as u64),
            self.per_second(decisions)
        ));
        let spread = |s: Spread| {
            format!("mean {:.1}, 5% {:.0}, 50% {:.0}, 95% {:.0}, max {:.0}", s.mean, s.p05, s.p50, s.p95, s.max)
        };
        text.push_str(&format!("turns      {}\n", spread(self.spread(|g| g.turns))));
        let forced = if decisions == 0 { 0.0 } else { 100.0 * self.sum(|g| g.forced) as f64 / decisions as f64 };
        text.push_str(&format!("decisions  {}; {forced:.0}% forced\n", spread(self.spread(|g| g.decisions))));
        let ended: Vec<String> = GameEnd::ALL
            .iter()
            .filter(|end| self.ended(**end) > 0)
            .map(|end| format!("{} {}", end.name().replace('_', " "), self.ended(*end)))
            .collect();
        text.push_str(&format!("ended      {}\n", ended.join(", ")));
        let width = self.seats.iter().map(|s| s.chars().count()).max().unwrap_or(0);
        for (seat, name) in self.seats.iter().enumerate() {
            let wins = self.wins(seat);
            let share = if games == 0 { 0.0 } else { 100.0 * wins as f64 / games as f64 };
            text.push_str(&format!("{name:width$}  {wins} wins ({share:.1}%)"));
            if self.counts_points() {
                text.push_str(&format!(", points {}", spread(self.points(seat))));
            }
            text.push('\n');
        }
        for (what, names) in [("actions", &self.unreached_actions), ("triggers", &self.unreached_triggers)] {
            if !names.is_empty() {
                text.push_str(&format!("{what} never reached: {}\n", names.join(", ")));
            }
        }
        for fault in &self.tally.faults {
            text.push_str(&format!(
                "fault {} in {} games, first in game {} (seed {}): {}\n",
                crate::diagnostic::Code(fault.code),
                fault.games,
                fault.first,
                self.plan.seed_of(fault.first),
                fault.message
            ));
        }
        text.push_str(&format!("digest     {}\n", self.digest()));
        text
    }
}

/// A counter's name as people call the rule.
fn shown(code: &Code, name: &str) -> String {
    let action = code.program.actions.iter().find(|action| action.name == name);
    action.map_or_else(|| name.to_owned(), Action::title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let spread = Spread::of(1..=100);
        assert_eq!((spread.p05, spread.p50, spread.p95, spread.max), (5.0, 50.0, 95.0, 100.0));
        assert_eq!(spread.mean, 50.5);
        assert_eq!(Spread::of([7].into_iter()), Spread { mean: 7.0, p05: 7.0, p50: 7.0, p95: 7.0, max: 7.0 });
        assert_eq!(Spread::of(std::iter::empty()), Spread::default());
    }
}
