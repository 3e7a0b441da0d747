//! The built-in functions: one table that feeds the checker, the documentation and completion.

/// Which function it is; the checker has one arm for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    Cost,
    Count,
    Distance,
    Half,
    Holder,
    Line,
    Max,
    Min,
    Next,
    Others,
    Owner,
    Owners,
    Points,
    Room,
    Size,
    Step,
    Sum,
    Trail,
    Within,
}

#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub builtin: Builtin,
    pub name: &'static str,
    /// The form of a call, for people.
    pub form: &'static str,
    pub about: &'static str,
}

/// Sorted by name.
pub const TABLE: &[Entry] = &[
    entry(Builtin::Cost, "cost", "cost(thing)", "the bag that the thing costs, as its `cost` line says"),
    entry(Builtin::Count, "count", "count(set)", "how many members the set has"),
    entry(
        Builtin::Distance,
        "distance",
        "distance(place, place, inside places, along relation)",
        "how many steps lead from one place (or the nearest of a set) to another, only through the places `inside`; as \
         many as there are places if no way leads there",
    ),
    entry(Builtin::Half, "half", "half(number)", "half of the number, rounded down"),
    entry(Builtin::Holder, "holder", "holder(award)", "the player who holds the award, or none"),
    entry(
        Builtin::Line,
        "line",
        "line(number, places, along relation)",
        "those of the places that lie in a straight line of at least so many of them; `along neighbours` and the like \
         leaves out other directions",
    ),
    entry(Builtin::Max, "max", "max(number, number, …)", "the greatest of the numbers"),
    entry(Builtin::Min, "min", "min(number, number, …)", "the least of the numbers"),
    entry(Builtin::Next, "next", "next(player)", "the player who sits to the left"),
    entry(Builtin::Others, "others", "others(player)", "all players but this one"),
    entry(Builtin::Owner, "owner", "owner(place)", "the player whose piece stands on the place, or none"),
    entry(
        Builtin::Owners,
        "owners",
        "owners(places)",
        "the players with a piece on any of the places; `owners(tower at places)` looks at towers alone",
    ),
    entry(
        Builtin::Points,
        "points",
        "points(player)",
        "the points that everyone sees; `all points(player)` counts the hidden ones too",
    ),
    entry(
        Builtin::Room,
        "room",
        "room(bag)",
        "how many of each good the limit of the bag still lets in; as a set, the goods of which another one fits",
    ),
    entry(Builtin::Size, "size", "size(bag)", "how many goods or cards are in the bag"),
    entry(
        Builtin::Step,
        "step",
        "step(place, direction)",
        "the place that lies there in the direction that the word names, or none",
    ),
    entry(
        Builtin::Sum,
        "sum",
        "sum(state)",
        "the total over the key that was left out: `sum(hand of coin)` adds up all players",
    ),
    entry(
        Builtin::Trail,
        "trail",
        "trail(edges, …, through places, joined at places)",
        "the length of the longest way along the edges that uses none twice, passing only at the places `through`",
    ),
    entry(
        Builtin::Within,
        "within",
        "within(number, place, inside places, along relation)",
        "the places that at most so many steps lead to, the place itself included, only through the places `inside`",
    ),
];

const fn entry(builtin: Builtin, name: &'static str, form: &'static str, about: &'static str) -> Entry {
    Entry { builtin, name, form, about }
}

pub fn find(name: &str) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.name == name)
}

/// Words with a meaning of their own that nothing else can be called.
pub const RESERVED: &[&str] =
    &["awards", "first", "it", "no", "nobody", "none", "phase", "player", "players", "turn", "yes", "yields"];
