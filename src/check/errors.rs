//! All that the checker can say. Codes: RW02xx names, RW03xx types, RW04xx structure, RW09xx what is merely odd.

use crate::diagnostic::Diagnostic;
use crate::program::Type;
use crate::source::Span;

/// `a`, `a or b`, `a, b or c`, each between backquotes.
fn listed(words: &[&str], last: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
    }
}

fn spoken(words: &[String], last: &str) -> String {
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
    }
}

/// The help for a misspelt word, or `otherwise` where nothing is near.
fn near_or(near: &[&str], otherwise: &str) -> String {
    if near.is_empty() { otherwise.to_owned() } else { format!("did you mean {}?", listed(near, "or")) }
}

/// The help for a misspelt word, or the words that there are.
fn near_or_known(near: &[&str], known: &[&str], none: &str) -> String {
    match (near, known) {
        ([], []) => none.to_owned(),
        ([], known) => format!("there is {}", listed(known, "and")),
        (near, _) => format!("did you mean {}?", listed(near, "or")),
    }
}

// ---- limits on bags ---------------------------------------------------------------------------------------------

pub fn limit_on_what(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(445, span, format!("`{name}` is no bag of the state, and a limit says what a bag holds"))
        .help("declare the bag: `each player has purse: bag of coin`")
}

pub fn limit_of_others(span: Span, limited: &str, held: &str) -> Diagnostic {
    Diagnostic::error(445, span, format!("the limit is on {limited}, and the bag is {held}"))
        .help("name a group of what the bag holds")
}

pub fn no_limit(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(445, span, format!("`{name}` has no limit, so there is always room in it"))
        .help(format!("declare one: `limit 3 of each … in {name}`"))
}

// ---- names -----------------------------------------------------------------------------------------------------

pub fn unknown_name(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(201, span, format!("nothing is called `{name}`"))
        .help(near_or(near, "declare it, or look for a slip in its spelling"))
}

/// A word of an action's phrase is used like a parameter.
pub fn word_of_phrase(span: Span, name: &str, used: Span) -> Diagnostic {
    Diagnostic::error(201, span, format!("`{name}` is only a word of this phrase, and stands for nothing"))
        .related(used, "something is meant by it here")
        .help(format!("what the player names has its kind behind a colon: `{name}: KIND`"))
}

/// A trigger's new name that looks like a member.
pub fn name_like_a_member(span: Span, name: &str, kind: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(201, span, format!("nothing of `{kind}` is called `{name}`, so it would stand for any of them"))
        .help(format!(
            "did you mean {}? If any is meant, choose a name that looks like none of them",
            listed(near, "or")
        ))
}

/// `set` of something that there is not.
pub fn unknown_target(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(201, span, format!("nothing is called `{name}`"))
        .help(near_or(near, &format!("a new name gets its value by `let {name} = …`")))
}

pub fn unknown_function(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(201, span, format!("no set, definition, mark or built-in function is called `{name}`"))
        .help(near_or(near, "declare it with `set` or `define`, or mark places on the board"))
}

pub fn unknown_kind(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(201, span, format!("there is no kind of thing called `{name}`")).help(near_or(
        near,
        "a kind is `player`, a kind of place on the board, a group, a deck, or a range like `0..9`",
    ))
}

pub fn unknown_procedure(span: Span, name: &str, near: &[&str], found: Option<&str>) -> Diagnostic {
    match found {
        Some(what) => Diagnostic::error(208, span, format!("`{name}` is {what}, and only a procedure can be done")),
        None => Diagnostic::error(201, span, format!("there is no procedure `{name}`"))
            .help(near_or(near, "declare it with `procedure`")),
    }
}

pub fn unknown_deck(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(201, span, format!("there is no deck `{name}`")).help(near_or(near, "declare it with `deck`"))
}

pub fn unknown_piece(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(201, span, format!("there is no piece `{name}`")).help(near_or(near, "declare it with `piece`"))
}

pub fn unknown_script(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(201, span, format!("there is no script `{name}`"))
        .help(near_or(near, "declare it with `script NAME \"file.rhai\"`"))
}

pub fn unknown_path(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(201, span, format!("no board has a path `{name}`"))
        .help(near_or(near, "draw it in the board's file: `path NAME: …`"))
}

pub fn unknown_link(span: Span, name: &str, near: &[&str], known: &[&str]) -> Diagnostic {
    Diagnostic::error(201, span, format!("no link `{name}` leads from such a place to another")).help(near_or_known(
        near,
        known,
        "the board's file lists the links between places",
    ))
}

pub fn name_taken(span: Span, name: &str, what: &str, known: &str, first: Span) -> Diagnostic {
    Diagnostic::error(202, span, format!("`{name}` cannot be {what} as well: it is already {known}"))
        .related(first, "declared here first")
        .help("every thing has a name of its own; call one of them something else")
}

pub fn declared_twice(span: Span, what: &str, first: Span, lower: bool) -> Diagnostic {
    let help = if lower {
        "to put something in its place, write `change` in front; `usual` stands for what was there"
    } else {
        "take one of them out, or give it another name"
    };
    let what = if what.starts_with("the ") { what.to_owned() } else { format!("the {what}") };
    Diagnostic::error(202, span, format!("{what} is declared twice")).related(first, "declared here first").help(help)
}

pub fn stands_for_too_much(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(718, span, format!("{what} stands for more than can be written out"))
        .help("names that stand for names that stand for names double with each step: take some of the steps out")
}

pub fn listed_twice(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::error(202, span, format!("`{name}` is listed twice")).related(first, "listed here first")
}

pub fn name_of_language(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(203, span, format!("`{name}` has a meaning in the language and cannot be a name"))
        .help("call it something else")
}

pub fn local_hides(span: Span, name: &str, what: &str, at: Span) -> Diagnostic {
    Diagnostic::error(204, span, format!("`{name}` is already {what}"))
        .related(at, "declared here")
        .help("choose another name here, so that readers need not guess which one is meant")
}

pub fn local_twice(span: Span, name: &str, at: Span) -> Diagnostic {
    Diagnostic::error(204, span, format!("`{name}` already stands for something here"))
        .related(at, "it gets its value here")
        .help("choose another name")
}

pub fn nothing_to_change(span: Span, what: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(205, span, format!("there is no {what} to change or drop"))
        .help(near_or(near, "only what this ruleset or one below it declares can be changed"))
}

pub fn nothing_to_stand_beside(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(
        205,
        span,
        format!("there is no procedure, trigger, action, part of the set-up or phase `{name}`"),
    )
    .help(near_or(near, "name what the block goes before or after"))
}

/// What is missing was taken out by a ruleset on top.
pub fn was_dropped(fault: Diagnostic, at: Span) -> Diagnostic {
    fault.related(at, "it is dropped here").help("change what speaks of it as well, or do not drop it")
}

pub fn cannot_be_dropped(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(205, span, format!("`{word}` is nothing that can be dropped"))
        .help("`drop action …`, `drop trigger …`, `drop procedure …`, `drop award …` and so on")
}

pub fn ambiguous_word(span: Span, name: &str, kinds: &[&str]) -> Diagnostic {
    Diagnostic::error(206, span, format!("`{name}` means several things here: a word of {}", listed(kinds, "and")))
        .help("compare it with something, or hand it to something, that can only be one of them")
}

pub fn unknown_action(span: Span, words: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(207, span, format!("there is no action `{words}`"))
        .help(near_or(near, "an action is named by its first words, as they stand behind `action`"))
}

pub fn several_actions(span: Span) -> Diagnostic {
    Diagnostic::error(207, span, "several actions begin like this")
        .help("write more of the words of the one that is meant")
}

pub fn unknown_group(span: Span, name: &str, near: &[&str], known: &[&str]) -> Diagnostic {
    Diagnostic::error(207, span, format!("no action begins with `{name}`")).help(near_or_known(
        near,
        known,
        "a phase lists actions by their first word",
    ))
}

pub fn unknown_phase(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(207, span, format!("the turn has no phase `{name}`"))
        .help(near_or(near, "phases stand in the `turn { … }` block"))
}

pub fn no_such_requirement(span: Span, name: &str, near: &[&str], known: &[&str]) -> Diagnostic {
    Diagnostic::error(207, span, format!("the action has no requirement called `{name}`")).help(near_or_known(
        near,
        known,
        "a requirement gets a name by `as`: `require … as NAME \"reason\"`",
    ))
}

pub fn not_a_kind(span: Span, name: &str, what: &str) -> Diagnostic {
    Diagnostic::error(208, span, format!("`{name}` is {what}, where a kind of thing is needed"))
        .help("a kind is `player`, a kind of place on the board, a group, a deck, or a range like `0..9`")
}

pub fn not_a_value(span: Span, name: &str, what: &str) -> Diagnostic {
    Diagnostic::error(208, span, format!("`{name}` is {what} and has no value"))
}

pub fn not_a_function(span: Span, name: &str, what: &str, arg: Option<&str>) -> Diagnostic {
    let help = match arg {
        Some(arg) => format!("write `{name} of {arg}`, if that is what you mean"),
        None => format!("write `{name}` without brackets"),
    };
    Diagnostic::error(208, span, format!("`{name}` is {what}, which takes no brackets")).help(help)
}

pub fn function_takes_brackets(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(208, span, format!("`{name}` is a set or definition, not something that a thing has"))
        .help(format!("write `{name}(…)`"))
}

pub fn procedure_as_value(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(208, span, format!("`{name}` is a procedure, which has no value"))
        .help(format!("do it first: `do {name}(…) as x`"))
}

pub fn award_as_value(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(208, span, format!("`{name}` is an award")).help(format!("who has it is `holder({name})`"))
}

pub fn not_an_award(span: Span, near: &[&str]) -> Diagnostic {
    Diagnostic::error(208, span, "this is no award").help(near_or(near, "`holder` takes the name of an award"))
}

pub fn cannot_be_grouped(span: Span, name: &str, what: &str) -> Diagnostic {
    Diagnostic::error(208, span, format!("`{name}` is {what}, which cannot be in a group"))
        .help("a group holds pieces, goods, terrains, cards or players")
}

pub fn not_goods(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(208, span, format!("`{name}` is nothing that a terrain can yield")).help("terrains yield goods")
}

pub fn cost_of_what(span: Span) -> Diagnostic {
    Diagnostic::error(208, span, "`cost` takes the name of a thing")
        .help("`cost(tower)` is what the line `cost tower = …` says")
}

pub fn has_no_cost(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(208, span, format!("`{name}` has no cost"))
        .help(near_or(near, &format!("say what it costs: `cost {name} = …`")))
}

pub fn unknown_seat(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(209, span, format!("no seat is called `{name}`"))
        .help(near_or(near, "the rules list them: `seats …`"))
}

pub fn mark_differs(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::error(
        209,
        span,
        format!("`{name}` marks other kinds of place, or is of a seat here and of nobody there"),
    )
    .related(first, "marked here first")
}

pub fn unknown_board_field(span: Span, name: &str, kind: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(209, span, format!("the rules declare no `{name}` for the kind of place `{kind}`"))
        .help(near_or(near, &format!("declare it: `each {kind} has {name}: …`")))
}

/// The rules declare the field for another kind of place.
pub fn board_field_elsewhere(span: Span, name: &str, kind: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(209, span, format!("the rules give no {kind} a `{name}`"))
        .related(declared, "what has one is said here")
        .help(format!("name places that have it, or declare it here too: `each {kind} has {name}: …`"))
}

pub fn unknown_board_value(
    span: Span,
    word: &str,
    field: &str,
    declared: Span,
    near: &[&str],
    known: &[&str],
) -> Diagnostic {
    let message = match field {
        "terrain" => format!("there is no terrain `{word}`"),
        _ => format!("`{field}` cannot be `{word}`"),
    };
    let help = match (near, known) {
        ([], [_, ..]) => format!("it can be {}", listed(known, "or")),
        _ => near_or(near, "the rules do not say what it can be"),
    };
    Diagnostic::error(209, span, message).related(declared, "declared here").help(help)
}

pub fn board_needs_number(span: Span, word: &str, field: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(209, span, format!("`{field}` is a number, and `{word}` is none"))
        .related(declared, "declared here")
}

pub fn board_needs_truth(span: Span, word: &str, field: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(209, span, format!("`{field}` is `yes` or `no`, not `{word}`")).related(declared, "declared here")
}

pub fn board_cannot_give(span: Span, field: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(209, span, format!("a board cannot say what `{field}` holds"))
        .related(declared, "declared here")
        .help("put things there in the set-up")
}

// ---- types -----------------------------------------------------------------------------------------------------

pub fn wrong_type(span: Span, found: &str, want: &str, found_type: Type, want_type: Type) -> Diagnostic {
    let fault = Diagnostic::error(301, span, format!("this is {found}, where {want} is needed"));
    match (found_type, want_type) {
        (Type::Set(a), Type::Member(b)) if a == b => fault.help("pick one of them: `first …`, or ask for it"),
        (Type::Bag(_), Type::Number) => fault.help("`size(…)` is how much is in it; `… of KIND` how much of one kind"),
        (Type::Member(_), Type::Truth) => fault.help("compare it: `… == x`, or `… != none`"),
        (Type::Number, Type::Truth) => fault.help("compare it: `… > 0`"),
        (Type::Set(_), Type::Number) => fault.help("`count(…)` is how many there are"),
        _ => fault,
    }
}

pub fn set_as_condition(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(301, span, format!("this is {what}, where a condition is needed"))
        .help("write `some …` (there is at least one), `no …` or `x in …`")
}

pub fn text_as_value(span: Span) -> Diagnostic {
    Diagnostic::error(301, span, "a text is no value here").help("a reason stands behind what it explains")
}

pub fn tuple_as_value(span: Span) -> Diagnostic {
    Diagnostic::error(301, span, "several things in brackets are no value here")
        .help("`1 of (coin, gem)` leaves the choice; sets are joined by `|`")
}

pub fn range_as_value(span: Span) -> Diagnostic {
    Diagnostic::error(301, span, "a range is no value here").help("compare with both ends: `x >= 5 and x <= 9`")
}

pub fn all_of_what(span: Span) -> Diagnostic {
    Diagnostic::error(301, span, "`all` stands before `points(player)` only")
        .help("`all points(p)` counts the hidden points too")
}

pub fn set_in_set(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(301, span, format!("`in` asks about one thing, and this is {what}"))
        .help("whether two sets have something in common is `S meets T`")
}

pub fn not_a_member(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(301, span, format!("this is {what}, which cannot be in a set"))
}

pub fn case_of_what(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(301, span, format!("this is {what}; `case` tells words and members apart"))
}

pub fn cannot_add(span: Span) -> Diagnostic {
    Diagnostic::error(301, span, "`add` adds to numbers, bags and sets").help("write `set … = …`")
}

fn things(count: usize) -> String {
    match count {
        0 => "nothing".to_owned(),
        1 => "one thing".to_owned(),
        n => format!("{n} things"),
    }
}

pub fn wrong_argument_count(span: Span, name: &str, form: &str, found: usize) -> Diagnostic {
    Diagnostic::error(302, span, format!("`{name}` gets {} here", things(found)))
        .help(format!("it is written `{form}`"))
}

pub fn no_such_role(span: Span, role: &str, name: &str) -> Diagnostic {
    Diagnostic::error(302, span, format!("`{name}` takes nothing with `{role}` in front"))
}

pub fn event_argument_count(span: Span, name: &str, wanted: usize, found: usize, first: Span) -> Diagnostic {
    Diagnostic::error(
        302,
        span,
        format!("the event `{name}` carries {}, and here it has {}", things(wanted), things(found)),
    )
    .related(first, "emitted here")
    .help("what stands in brackets is the same where it is emitted and where something happens on it")
}

pub fn other_tally(span: Span, param: &str) -> Diagnostic {
    Diagnostic::error(302, span, format!("`{param}` stands for another kind of thing in another call"))
        .help("hand over a tally with the same keys")
}

pub fn range_backwards(span: Span, low: i64, high: i64) -> Diagnostic {
    Diagnostic::error(303, span, format!("the range {low}..{high} is empty")).help("the smaller number stands first")
}

pub fn not_constant(span: Span) -> Diagnostic {
    Diagnostic::error(303, span, "a plain number is needed here").help("it has to be known before the game begins")
}

pub fn out_of_range(span: Span, value: i64, low: i64, high: i64, field: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(303, span, format!("{value} is outside of what `{field}` can be, {low} to {high}"))
        .related(declared, "declared here")
}

pub fn not_one_of(span: Span, name: &str, field: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(303, span, format!("`{field}` cannot be `{name}`")).related(declared, "declared here")
}

pub fn impossible_dice(span: Span) -> Diagnostic {
    Diagnostic::error(303, span, "there are no such dice").help("1 to 100 dice with 2 to 1000 sides")
}

pub fn too_many_members(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error(303, span, format!("there are more than {most} of these"))
}

/// A number on one side and such a thing on the other.
fn mixes(a: Type, b: Type, is: impl Fn(Type) -> bool) -> bool {
    a == Type::Number && is(b) || b == Type::Number && is(a)
}

pub fn not_comparable(span: Span, a: &str, b: &str, ty: Type, other: Type) -> Diagnostic {
    let same = ty == other;
    let message = if same { format!("{a} cannot be compared like this") } else { format!("{a} is compared with {b}") };
    let fault = Diagnostic::error(304, span, message);
    match (same, ty) {
        (false, _) if mixes(ty, other, |t| matches!(t, Type::Bag(_))) => {
            fault.help("`size(…)` is how much is in a bag, and `… of KIND` how much of one kind")
        }
        (false, _) if mixes(ty, other, |t| matches!(t, Type::Set(_))) => {
            fault.help("`count(…)` is how many are in a set")
        }
        (false, _) => fault.help("both sides of a comparison are of one kind"),
        (true, Type::Set(_)) => fault.help("sets are compared by `in`, `meets`, `some` and `no`"),
        (true, Type::Bag(_)) => fault.help("bags are compared by `has` and `disjoint`, and their sizes by `size(…)`"),
        (true, Type::Truth | Type::Member(_)) => fault.help("`==` and `!=` fit here"),
        _ => fault,
    }
}

pub fn no_me(span: Span) -> Diagnostic {
    Diagnostic::error(305, span, "nobody acts here, so there is no `me`")
        .help("name the player: in a set-up `for p in players`, in points and awards the player counted")
}

pub fn no_me_behind(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(305, span, format!("`{name}` speaks of `me`, and nobody acts here"))
        .help(format!("give `{name}` the player as a parameter"))
}

pub fn whose(span: Span, what: &str, has_me: bool) -> Diagnostic {
    let help = if has_me {
        format!("write `my {what}`, or `{what} of p` for another player")
    } else {
        format!("write `{what} of p`")
    };
    Diagnostic::error(306, span, format!("each player has `{what}`, and it is not said whose is meant")).help(help)
}

pub fn of_which(span: Span, what: &str, kind: &str) -> Diagnostic {
    Diagnostic::error(306, span, format!("each {kind} has `{what}`, and it is not said which is meant"))
        .help(format!("write `{what} of …` with one {kind}"))
}

pub fn whose_piece(span: Span, name: &str, has_me: bool) -> Diagnostic {
    let mine = if has_me { format!("`my {name}` or ") } else { String::new() };
    Diagnostic::error(306, span, format!("players own each `{name}`, and it is not said whose is meant"))
        .help(format!("write {mine}`{name} of p`"))
}

pub fn whose_supply(span: Span) -> Diagnostic {
    Diagnostic::error(306, span, "every player has a supply of these, and it is not said whose is meant")
        .help("write `my … in supply` or `… of p in supply`")
}

pub fn piece_of_nobody(span: Span, name: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(306, span, format!("no player owns a `{name}`"))
        .related(declared, "its number says no `each`")
        .help(format!("write `{name}` alone, or let players own it: `{name} … 3 each`"))
}

pub fn not_an_owner(span: Span, piece: &str, found: &str) -> Diagnostic {
    Diagnostic::error(301, span, format!("this is {found}, and `{piece}` is owned by players"))
        .help(format!("where it stands is `{piece} at …`"))
}

pub fn conditions_like_sets(span: Span) -> Diagnostic {
    Diagnostic::error(307, span, "conditions are joined here as if they were sets")
        .help("join conditions with `and` and `or`; `&`, `|` and `without` join sets")
}

pub fn not_a_set(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(307, span, format!("this is {what}, where a set is needed"))
}

pub fn different_sets(span: Span, found: &str, first: Span, want: &str) -> Diagnostic {
    Diagnostic::error(307, span, format!("this is {found}, and the other is {want}"))
        .related(first, "the other set")
        .help("sets can be joined and compared if their members are of one kind")
}

pub fn nothing_to_choose(span: Span) -> Diagnostic {
    Diagnostic::error(427, span, "there is never anything to choose from here")
        .help("this set is empty whatever happens: look at what it leaves out")
}

pub fn not_pieces(span: Span) -> Diagnostic {
    Diagnostic::error(307, span, "only pieces have owners").help("write a piece or a group of pieces before `at`")
}

pub fn owner_of_what(span: Span, what: &str, one: bool) -> Diagnostic {
    let help = if one { "`owners(…)` takes several places" } else { "it takes places on the board" };
    Diagnostic::error(
        307,
        span,
        format!("this is {what}, where {} needed", if one { "one place is" } else { "places are" }),
    )
    .help(help)
}

pub fn nothing_owned_there(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(307, span, format!("no piece that players own stands on {what}"))
}

pub fn size_of_no_bag(span: Span, what: &str, is_set: bool) -> Diagnostic {
    let fault = Diagnostic::error(308, span, format!("this is {what}, and `size` is of a bag"));
    if is_set { fault.help("`count(…)` is how many members a set has") } else { fault }
}

pub fn not_a_bag(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(308, span, format!("this is {what}, where goods or cards are needed"))
        .help("such as `3 coin` or `coin + gem`")
}

pub fn number_or_word(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(316, span, format!("beside a number stands `none` or nothing, and `{word}` is another word"))
        .help("what is sometimes a word and sometimes a number is two things: declare both, or ask `to { … }` with a branch for the word")
}

pub fn number_out_of_what(span: Span) -> Diagnostic {
    Diagnostic::error(315, span, "a number is chosen from a range, not from a set")
        .help("write the test behind the range: `n: 1..6 where n != 3`")
}

pub fn too_many_numbers(span: Span, most: i64) -> Diagnostic {
    Diagnostic::error(315, span, format!("nobody can be asked for one of more than {most} numbers"))
}

pub fn cannot_be_chosen(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(315, span, format!("{what} cannot be chosen"))
        .help("what can be chosen is a member of a set, a number of a range, or a bag of a size: `2 of coin`")
}

pub fn several_or_none(span: Span) -> Diagnostic {
    Diagnostic::error(315, span, "`or none` cannot stand beside a number of things")
        .help("write `up to` before the number: then the player may stop before it")
}

pub fn cannot_count(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(308, span, format!("a number stands before goods or cards, and this is {what}"))
}

pub fn cannot_lie_in_bags(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(308, span, format!("{what} cannot lie in a bag")).help("bags hold goods or the cards of a deck")
}

pub fn not_a_store(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(308, span, format!("this is {found}, where a player or a bag is needed"))
}

pub fn no_bag_for(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(308, span, format!("no player has a bag that could hold {what}"))
        .help("declare one: `each player has hand: bag of …`")
}

pub fn several_bags_for(span: Span, names: &[&str]) -> Diagnostic {
    Diagnostic::error(308, span, format!("it could be {}", listed(names, "or"))).help("name the bag, such as `p.hand`")
}

pub fn no_home(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(308, span, format!("{what} has no home that it could come from or go to"))
        .help("goods have one (`in bank`); cards are drawn and discarded")
}

pub fn steal_from_what(span: Span) -> Diagnostic {
    Diagnostic::error(308, span, "what is stolen comes out of a player's bag")
        .help("such as `steal 1 random of p.hand`")
}

pub fn nobody_chooses(span: Span) -> Diagnostic {
    Diagnostic::error(308, span, "it is open which of these is meant, and nobody chooses here")
        .help("ask for it first, then use what was chosen")
}

pub fn cost_is_fixed(span: Span) -> Diagnostic {
    Diagnostic::error(308, span, "a cost is fixed: it cannot depend on who pays or leave a choice")
}

pub fn not_to_be_set(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(309, span, format!("`{what}` cannot be changed here"))
        .help("state, tallies and names from `let` can be set, and only by rules that act")
}

pub fn no_it(span: Span) -> Diagnostic {
    Diagnostic::error(310, span, "nothing is being tested here that `it` could stand for")
        .help("`it` stands in `S where …` and in the reasons of a set")
}

pub fn open_hole(span: Span) -> Diagnostic {
    Diagnostic::error(310, span, "a `{` in this text has no `}`")
}

pub fn empty_hole(span: Span) -> Diagnostic {
    Diagnostic::error(310, span, "nothing stands between these braces")
        .help("a name, what a name leads to, or `it` for what is tested")
}

pub fn reads_hidden(span: Span, name: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(438, span, format!("this would tell the player who acts what others hide in `{name}`"))
        .related(declared, "declared here")
        .help("a requirement may read what its actor sees; sizes are open to all")
}

pub fn reads_face(span: Span, tokens: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(
        438,
        span,
        format!("this would tell the player who acts the face of a `{tokens}` that lies face down"),
    )
    .related(declared, "declared here")
    .help("require first that the player has seen it: `me in t.seen`")
}

pub fn never_none(span: Span, declared: Option<Span>) -> Diagnostic {
    let fault = Diagnostic::error(311, span, "this is never `none`").help("what can be none says so: `… or none`");
    match declared {
        Some(at) => fault.related(at, "declared here"),
        None => fault,
    }
}

pub fn does_not_take(span: Span, what: &str, found: &str, keys: &[String], my: bool) -> Diagnostic {
    let message = if my {
        format!("`{what}` is nothing that a player has")
    } else {
        format!("`{what}` has no value for {found}")
    };
    let help = if keys.is_empty() {
        "nothing more is to be said of it".to_owned()
    } else {
        format!("there is one for {}", spoken(keys, "or"))
    };
    Diagnostic::error(312, span, message).help(help)
}

pub fn relation_of_what(span: Span, name: &str, found: &str, starts: &[&str]) -> Diagnostic {
    Diagnostic::error(313, span, format!("`{name}` does not lead from {found}"))
        .help(format!("it leads from {}", listed(starts, "or")))
}

pub fn leads_to_several(span: Span, name: &str, kinds: &[&str]) -> Diagnostic {
    Diagnostic::error(313, span, format!("`{name}` leads to {}, and it is open which is meant", listed(kinds, "and")))
        .help("join it with a set of the places that are meant, in front")
}

pub fn no_way_along(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(313, span, format!("there is no way along {what}"))
        .help("`trail` follows places that have `ends`")
}

pub fn no_lines(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(313, span, format!("there are no straight lines along {what}"))
        .help("`line` follows the directions of the board, which cells and hexes have")
}

pub fn never_near(span: Span, what: &str, other: &str) -> Diagnostic {
    Diagnostic::error(313, span, format!("{what} never touch {other}"))
        .help("`near` follows shared corners of hexes, the eight cells round a cell, and the links of a graph")
}

pub fn step_from_what(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(301, span, format!("this is {found}, where a place is needed to step from"))
}

pub fn no_direction(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(301, span, format!("this is {found}, where a direction is needed")).help(
        "a direction is one of the words of a `words NAME { … }` that are named like the board's directions or links",
    )
}

pub fn leads_nowhere(span: Span, word: &str, kind: &str, near: &[&str], known: &[&str], used: Span) -> Diagnostic {
    Diagnostic::error(201, span, format!("no board has a direction or link `{word}` from one {kind} to another"))
        .related(used, "taken for a direction here")
        .help(near_or_known(near, known, "the board's file lists the links between places"))
}

pub fn move_to_and_by(span: Span) -> Diagnostic {
    Diagnostic::error(436, span, "a piece moves to a place or by a direction, not both").help("leave one of them out")
}

pub fn sum_over_what(span: Span, kinds: &[&str]) -> Diagnostic {
    let message = match kinds {
        [] => "nothing was left out over which to add up".to_owned(),
        _ => format!("it is open over which of {} to add up", listed(kinds, "and")),
    };
    Diagnostic::error(312, span, message).help("leave one key out: `sum(hand of coin)` adds up all players")
}

pub fn nothing_yields(span: Span) -> Diagnostic {
    Diagnostic::error(312, span, "no terrain yields anything").help("`terrain meadow yields coin`")
}

pub fn no_terrain_anywhere(span: Span) -> Diagnostic {
    Diagnostic::error(313, span, "no kind of place has a terrain").help("a board says where it is")
}

pub fn gives_nothing(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(314, span, format!("`{name}` gives nothing that could get a name"))
        .help(format!("let it return something: `procedure {name}(…) -> KIND`"))
}

pub fn script_gives_nothing(span: Span) -> Diagnostic {
    Diagnostic::error(314, span, "a script that is done gives nothing")
        .help("`let x = script::name(…)`, where it computes")
}

pub fn script_result_unknown(span: Span, script: &str, name: &str) -> Diagnostic {
    Diagnostic::error(501, span, format!("it is not clear what `{script}::{name}` gives here"))
        .help("use it where only one kind of value fits, such as in a `define` with its type")
}

pub fn return_what(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(314, span, format!("this procedure returns {what}, and nothing is returned here"))
}

pub fn return_without_result(span: Span) -> Diagnostic {
    Diagnostic::error(314, span, "nothing can be returned here")
        .help("a procedure says what it returns: `procedure … -> KIND`")
}

pub fn may_not_return(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(314, span, format!("`{name}` says that it returns something, and it can end without"))
        .help("end every way through it with `return …`")
}

pub fn mixed_kinds(span: Span, first: &str, second: &str) -> Diagnostic {
    Diagnostic::error(301, span, format!("{first} and {second} do not go together here"))
}

// ---- structure ---------------------------------------------------------------------------------------------------

pub fn no_seats(span: Span) -> Diagnostic {
    Diagnostic::error(420, span, "nobody can play: there are no seats").help("name them: `seats red, blue`")
}

pub fn too_few_seats(span: Span, seats: usize, most: usize) -> Diagnostic {
    Diagnostic::error(420, span, format!("there are {seats} seats, and `scenario.toml` lets {most} play"))
        .help(format!("name {most} seats, or take {most} out of `players`"))
}

pub fn no_turn(span: Span) -> Diagnostic {
    Diagnostic::error(421, span, "nothing says what happens in a turn")
        .help("`turn { main { may …;  until end turn } }`")
}

pub fn phase_never_ends(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(421, span, format!("the phase `{name}` never ends"))
        .help("`must …` ends it when that was done, `one of …` after one action, `until WORDS` when the player says so")
}

pub fn no_end(span: Span) -> Diagnostic {
    Diagnostic::error(422, span, "nothing ends the game").help("`end when …`, or `end game` in a rule")
}

pub fn no_board_for(span: Span, players: usize) -> Diagnostic {
    Diagnostic::error(423, span, format!("there is no board for {players} players"))
}

pub fn no_such_fog(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(417, span, format!("no board has an area `{name}` under fog"))
        .help(near_or(near, "a board marks it with `fog NAME: PLACES`, or in the meaning of a symbol"))
}

pub fn fog_without_content(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(417, span, format!("it is not said what lies under the fog `{name}`"))
        .help(format!("`fog {name} 3 hexes of {{ … }}` in the rules"))
}

pub fn nothing_to_reveal(span: Span) -> Diagnostic {
    Diagnostic::error(417, span, "nothing is there to be revealed")
        .help("areas under fog are declared: `fog haze 3 hexes of { … }`")
}

pub fn fog_does_not_add_up(span: Span, name: &str, count: i64, things: i64, players: usize) -> Diagnostic {
    Diagnostic::error(
        419,
        span,
        format!("`{name}` covers {count} places and {things} things lie under it, in a game of {players}"),
    )
    .help("give as many as there are places; `for 3 players …` says what differs")
}

pub fn fog_of_another_size(span: Span, name: &str, count: i64, places: usize, players: usize, at: Span) -> Diagnostic {
    Diagnostic::error(419, span, format!("`{name}` covers {count} places here and {places} on the board for {players}"))
        .related(at, "the area on the board")
}

pub fn board_by_options(span: Span) -> Diagnostic {
    Diagnostic::error(418, span, "which board is used must be known before the game begins")
        .help("the condition may speak of options: `where map == large`")
}

pub fn two_boards_for(span: Span, first: Span, players: usize) -> Diagnostic {
    Diagnostic::error(423, span, format!("there are two boards for {players} players")).related(first, "the other one")
}

pub fn circle(span: Span, what: &str, names: &[&str]) -> Diagnostic {
    let message = match names {
        [only] | [only, _] if names.first() == names.last() => format!("`{only}` leads back to itself"),
        _ => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("these {what} in a circle: {}", names.join(", then "))
        }
    };
    Diagnostic::error(424, span, message).help("a rule must come to an end, so nothing may lead back to itself")
}

pub fn only_in_actions(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(425, span, format!("`{what}` can only stand in an action"))
        .help("or, for requirements, in a procedure that an action does")
}

pub fn part_outside_setup(span: Span) -> Diagnostic {
    Diagnostic::error(425, span, "`part` names a part of the set-up")
}

pub fn begins_outside_setup(span: Span) -> Diagnostic {
    Diagnostic::error(425, span, "who is active can be set in the set-up only")
        .help("there it says whose turn is the first; afterwards turns go round the table")
}

pub fn suggest_one_member(span: Span) -> Diagnostic {
    Diagnostic::error(434, span, "only where one member of a set is chosen can some be suggested")
        .help("leave `suggest` out; of several, ask for one after another in a `repeat`")
}

pub fn no_ways(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(307, span, format!("{what} is no place of a board, so no steps lead from it"))
        .help("steps are counted between places of one kind; links are named by `along`")
}

pub fn do_what(span: Span) -> Diagnostic {
    Diagnostic::error(425, span, "`do` takes the name of a procedure")
}

pub fn allow_as_value(span: Span) -> Diagnostic {
    Diagnostic::error(425, span, "nobody can be asked within a test").help("`if allow … { … }` stands alone in a rule")
}

pub fn counter_outside_action(span: Span) -> Diagnostic {
    Diagnostic::error(425, span, "only an action can be countered")
}

pub fn counter_without_player(span: Span) -> Diagnostic {
    Diagnostic::error(425, span, "an action that can be countered names the player whom it is addressed to")
        .help("give it a parameter such as `p: others`")
}

pub fn no_usual(span: Span) -> Diagnostic {
    Diagnostic::error(426, span, "there is nothing usual here")
        .help("`usual` stands in a `change`, for what was there before")
}

pub fn branch_does_nothing(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(427, span, format!("it is not said what `{name}` does"))
        .help(format!("write `{name} {{ }}` if nothing happens"))
}

pub fn how_many(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(428, span, format!("it is not said how many there are of `{name}`"))
        .help("`19 each in bank`, `15 each`, `1`")
}

pub fn award_without(span: Span, name: &str, what: &str) -> Diagnostic {
    Diagnostic::error(430, span, format!("nothing in the award `{name}` {what}"))
        .help("such as `most p.coins;  at least 3;  a tie keeps the holder`")
}

pub fn awards_outside_points(span: Span) -> Diagnostic {
    Diagnostic::error(430, span, "`awards` stands in `points p = …`")
        .help("elsewhere, who has an award is `holder(NAME)`")
}

pub fn no_points(span: Span) -> Diagnostic {
    Diagnostic::error(430, span, "nothing says what points are").help("`points p = …`")
}

pub fn option_mixes(span: Span) -> Diagnostic {
    Diagnostic::error(431, span, "an option is a range or a list of words")
}

pub fn piece_stands_where(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(431, span, format!("it is not said where a `{name}` stands"))
        .help(format!("`piece {name} on corner …`"))
}

pub fn owned_or_not(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(431, span, format!("`{name}` is owned by players (`3 each`) or by nobody (`3`), not both"))
}

pub fn no_place(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(431, span, format!("pieces stand on places, and this is {what}"))
}

pub fn hidden_from_whom(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(431, span, format!("`{name}` belongs to no player, so it cannot be hidden from the others"))
        .help("`each player has … hidden`")
}

pub fn other_limit(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::error(432, span, format!("`{name}` is limited in another way elsewhere")).related(first, "limited here")
}

pub fn free_for_a_price(span: Span) -> Diagnostic {
    Diagnostic::error(432, span, "what is free has no price").help("take `free` or the price out")
}

pub fn no_such_file(span: Span, name: &str, known: &[&str]) -> Diagnostic {
    let fault = Diagnostic::error(433, span, format!("there is no file `{name}` in this folder"));
    if known.is_empty() { fault } else { fault.help(format!("the folder has {}", listed(known, "and"))) }
}

// ---- tables ------------------------------------------------------------------------------------------------------

pub fn table_leads_out(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(481, span, format!("`{name}` leads out of the folder of the scenario"))
        .help("a table lies in the folder itself or below it: `from \"cards.toml\"`")
}

pub fn table_without_rows(span: Span, heading: &str) -> Diagnostic {
    Diagnostic::error(482, span, "this table has no rows").help(format!("each row begins with a line `[[{heading}]]`"))
}

pub fn unknown_heading(span: Span, key: &str, heading: &str) -> Diagnostic {
    Diagnostic::error(482, span, format!("`{key}` stands outside of the rows of the table"))
        .help(format!("each row begins with a line `[[{heading}]]`, and all else stands below such a line"))
}

pub fn not_rows(span: Span, heading: &str) -> Diagnostic {
    Diagnostic::error(482, span, format!("`{heading}` is no list of rows"))
        .help(format!("each row begins with a line `[[{heading}]]`, in two brackets"))
}

pub fn unknown_column(span: Span, word: &str, near: &[&str], columns: &[&str]) -> Diagnostic {
    let help = match (near, columns) {
        ([], []) => "columns are declared in the rules: `cards NAME { COLUMN: TYPE } from …`".to_owned(),
        _ => near_or_known(near, columns, ""),
    };
    Diagnostic::error(483, span, format!("the table has no column `{word}`")).help(help)
}

pub fn column_left_out(span: Span, column: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(483, span, format!("the column `{column}` is missing here"))
        .related(declared, "the column is declared here")
        .help(format!("write `{column} = …`, or let the column have a value by itself: `{column}: TYPE = VALUE`"))
}

/// None of the rows has the column.
pub fn column_of_no_row(span: Span, column: &str, first: Span) -> Diagnostic {
    Diagnostic::error(483, span, format!("no row of the table has the column `{column}`"))
        .related(first, "the first row")
        .help(format!(
            "write `{column} = …` in each row, or let the column have a value by itself: `{column}: TYPE = VALUE`"
        ))
}

pub fn listed_without_columns(span: Span, name: &str, column: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(483, span, format!("`{name}` has no columns, such as `{column}`"))
        .related(declared, "the column is declared here")
        .help("a card with columns stands in a file: `change cards NAME from \"more.toml\"`")
}

pub fn wrong_cell(span: Span, column: &str, wanted: &str, found: &str) -> Diagnostic {
    Diagnostic::error(484, span, format!("`{column}` is {wanted}, and this is {found}"))
}

pub fn empty_cell(span: Span) -> Diagnostic {
    Diagnostic::error(484, span, "nothing stands in this cell").help("write a value, or `none` where it can be none")
}

pub fn cell_not_constant(span: Span) -> Diagnostic {
    Diagnostic::error(484, span, "what stands in a table must be known before the game begins")
        .help("names of goods, cards and words, numbers, and sums of them")
}

pub fn row_name(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(485, span, format!("`{name}` cannot be a name"))
        .help("a name is one word of letters, digits and `_` that has no meaning in the language")
}

pub fn row_count(span: Span) -> Diagnostic {
    Diagnostic::error(485, span, "there cannot be less than none of a card")
}

pub fn column_called_like_a_key(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(486, span, format!("no column can be called `{name}`"))
        .help("in each row of a table `name` is what the card is called, and `count` how many there are of it")
}

pub fn column_with_flag(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(486, span, format!("the column `{name}` never changes, so it is neither hidden nor clamped"))
        .help("take the word behind its type out")
}

pub fn list_of_what(span: Span) -> Diagnostic {
    Diagnostic::error(486, span, "a list is of numbers, truths, members, sets or bags")
}

pub fn only_in_tables(span: Span) -> Diagnostic {
    Diagnostic::error(486, span, "lists and texts stand only in the columns of tables")
        .help("`cards NAME { tests: list of TYPE, story: text } from \"cards.toml\"`")
}

pub fn list_as_value(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(487, span, format!("`{name}` is a list, which is no value by itself"))
        .help("`size(…)` is its length, `…[1]` its first entry, and `for x in … { }` goes through it")
}

pub fn no_such_column(span: Span, name: &str, what: &str, near: &[&str], known: &[&str]) -> Diagnostic {
    Diagnostic::error(487, span, format!("{what} has no column `{name}`")).help(near_or_known(
        near,
        known,
        "its table declares no columns: `cards NAME { COLUMN: TYPE } from …`",
    ))
}

pub fn column_of_what(span: Span, name: &str, what: &str) -> Diagnostic {
    Diagnostic::error(487, span, format!("`{name}` is a column of cards, and this is {what}"))
        .help("such as `card.price`, where `card` is a single card")
}

pub fn carried_without_type(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(488, span, format!("it is not said what `{name}` can be"))
        .help("a case says what it carries: `cases meeting { find(what: coin), nothing }`")
}

pub fn carries_others(span: Span, shape: &str, names: &[&str], declared: Span) -> Diagnostic {
    let message = match names {
        [] => format!("`{shape}` carries nothing"),
        [only] => format!("`{shape}` carries `{only}`, and is written with it"),
        _ => format!("`{shape}` carries {}, and is written with them", listed(names, "and")),
    };
    let help = match names {
        [] => format!("write `{shape}` without brackets"),
        _ => format!("write `{shape}({})`; whether a value is one of these is `… is {shape}`", names.join(", ")),
    };
    Diagnostic::error(488, span, message).related(declared, "declared here").help(help)
}

pub fn binds_others(span: Span, shape: &str, names: &[&str], declared: Span) -> Diagnostic {
    let help = match names {
        [] => format!("write `{shape} {{ … }}`"),
        _ => format!("write `{shape}({}) {{ … }}`, or leave all names out", names.join(", ")),
    };
    Diagnostic::error(488, span, format!("as many names stand behind `{shape}` as it carries values"))
        .related(declared, "declared here")
        .help(help)
}

pub fn word_carries_nothing(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(488, span, format!("`{word}` carries nothing that could get a name"))
        .help("only values declared with `cases` carry others")
}

pub fn unknown_shape(span: Span, name: &str, of: &str, near: &[&str], known: &[&str]) -> Diagnostic {
    Diagnostic::error(201, span, format!("`{of}` has no case `{name}`")).help(near_or_known(near, known, ""))
}

pub fn shapes_left_out(span: Span, missing: &[&str]) -> Diagnostic {
    Diagnostic::error(488, span, format!("it is not said what is done for {}", listed(missing, "and")))
        .help("name every case, or write `otherwise { }` as the last one")
}

pub fn columns_by_what(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(487, span, format!("a word says which column is meant, and this is {what}"))
        .help("`words way { north, east }` declares words; `card[d]` takes one of them where each names a column")
}

pub fn word_of_no_column(span: Span, word: &str, what: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(487, span, format!("this may be `{word}`, and {what} has no column `{word}`"))
        .related(declared, "the word is declared here")
        .help("every word of its kind has to name a column")
}

pub fn carried_differ(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(487, span, format!("cases carry different kinds of value under the name `{name}`"))
        .help("`case x { find(what) { … } }` tells them apart; or give the values different names")
}

pub fn columns_differ(span: Span, first: &str, second: &str, first_at: Span, second_at: Span) -> Diagnostic {
    Diagnostic::error(487, span, format!("the columns `{first}` and `{second}` hold different kinds of value"))
        .related(first_at, "one column")
        .related(second_at, "the other")
        .help("a word can only say which column is meant if all of them are of one type")
}

pub fn no_such_entry(span: Span, number: i64, most: usize) -> Diagnostic {
    Diagnostic::error(303, span, format!("no list has an entry {number}"))
        .help(format!("entries are counted from 1, and a list has at most {most}"))
}

pub fn turn_over_what(span: Span) -> Diagnostic {
    Diagnostic::error(437, span, "only a card of a deck can be turned over").help("`turn over DECK as card`")
}

pub fn table_too_long(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error(715, span, format!("a table has at most {most} rows")).help("split it over several tables")
}

pub fn list_too_long(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error(715, span, format!("a list in a table has at most {most} entries"))
}

pub fn suggest_what(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(434, span, format!("`{name}` is no bag that the action asks for"))
}

pub fn action_needs_types(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(434, span, format!("it is not said what `{name}` can be"))
}

pub fn param_or_none(span: Span) -> Diagnostic {
    Diagnostic::error(434, span, "what an action names is never none")
}

pub fn tally_of_what(span: Span) -> Diagnostic {
    Diagnostic::error(435, span, "a tally counts one kind of thing, or goods for each of one kind")
        .help("`tally owed: player by resource`, `tally hits: player`")
}

pub fn from_without_players(span: Span) -> Diagnostic {
    Diagnostic::error(435, span, "only players come in turn, from one on")
}

pub fn at_once_without_players(span: Span) -> Diagnostic {
    Diagnostic::error(435, span, "only players can be asked at once")
}

pub fn not_one_piece(span: Span) -> Diagnostic {
    Diagnostic::error(436, span, "one kind of piece is needed here").help("such as `my pawn`, `pawn of p` or `marker`")
}

pub fn which_piece(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(436, span, format!("`{name}` is a group, and one kind of piece is needed here"))
}

pub fn no_supply(span: Span) -> Diagnostic {
    Diagnostic::error(436, span, "only pieces and decks have a supply")
}

pub fn stand_elsewhere(span: Span, found: &str, first: Span, want: &str) -> Diagnostic {
    Diagnostic::error(436, span, format!("this piece stands on {found}, the other on {want}"))
        .related(first, "the other piece")
}

pub fn moved_from_twice(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(436, span, "it is said twice where the piece comes from")
        .related(first, "said here first")
        .help("`move my pawn from a to b`, or `move (my pawn at a) to b`")
}

pub fn all_have_no_name(span: Span) -> Diagnostic {
    Diagnostic::error(436, span, "several pieces that move together get no name")
        .help("`for x in SET { … }` goes through them one by one")
}

pub fn all_along(span: Span) -> Diagnostic {
    Diagnostic::error(436, span, "one piece at a time goes along a link").help("`for x in SET { move … along … }`")
}

pub fn goods_have_no_name(span: Span) -> Diagnostic {
    Diagnostic::error(436, span, "only a piece that is moved gets a name")
        .help("an amount that is used again is named before: `let NAME = …`")
}

pub fn unseen_without_home(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(440, span, format!("`{name}` cannot be drawn unseen or returned like this"))
        .help("say all of it: `goods NAME { … } in HOME drawn unseen, returned to PILE, reshuffled when empty`")
}

pub fn reshuffled_from_what(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(440, span, format!("nothing says what is shuffled when no `{name}` is left"))
        .help("`returned to PILE` tells where those go that were paid; without it they go back at once")
}

pub fn unseen_among_others(span: Span, name: &str, home: &str) -> Diagnostic {
    Diagnostic::error(440, span, format!("other goods lie in `{home}` too, so `{name}` cannot be drawn from it unseen"))
        .help("goods that are drawn unseen have a home of their own")
}

pub fn cannot_be_typed(span: Span) -> Diagnostic {
    Diagnostic::error(434, span, "what is typed with an action is a member, a number or a bag")
        .help("write two actions for yes and no; a set is chosen inside the action: `ask me for up to 3 c: …`")
}

pub fn state_of_two_pieces(span: Span) -> Diagnostic {
    Diagnostic::error(439, span, "state can belong to one piece, not to a pair of them")
        .help("a group of pieces stands for any of them: `group NAME = …`, `each NAME has …`")
}

pub fn state_of_unlike_pieces(span: Span, group: &str) -> Diagnostic {
    Diagnostic::error(439, span, format!("the pieces of `{group}` are too unlike to have state in common"))
        .help("they must stand on the same kind of place, one on each, and all belong to players or none: declare it for each kind")
}

pub fn move_where(span: Span) -> Diagnostic {
    Diagnostic::error(436, span, "it is not said where the piece goes").help("`move … to …`")
}

pub fn move_from_and_to(span: Span) -> Diagnostic {
    Diagnostic::error(436, span, "goods move from one bag to another").help("`move 2 coin from p.hand to my hand`")
}

pub fn shuffle_what(span: Span) -> Diagnostic {
    Diagnostic::error(437, span, "this cannot be shuffled")
        .help("a deck can, or what lies on places: `shuffle terrain on land`")
}

pub fn deck_lies_nowhere(span: Span) -> Diagnostic {
    Diagnostic::error(437, span, "a deck lies on no places")
}

pub fn lay_what(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(437, span, format!("`{name}` cannot be laid along a path"))
        .help("what can be laid is state of places: `each hex has number: 2..12`")
}

pub fn lay_along_what(span: Span) -> Diagnostic {
    Diagnostic::error(437, span, "what is laid goes along a path of the board")
        .help("`along PATH`, or `along PATH & SET`")
}

pub fn path_elsewhere(span: Span, path: &str, found: &str, field: &str, want: &str) -> Diagnostic {
    Diagnostic::error(437, span, format!("the path `{path}` leads over {found}, and `{field}` belongs to {want}"))
}

// ---- what is merely odd --------------------------------------------------------------------------------------------

pub fn unused(span: Span, what: &str, name: &str) -> Diagnostic {
    let are = if matches!(what, "the goods" | "the words") { "are" } else { "is" };
    Diagnostic::warning(901, span, format!("{what} `{name}` {are} never used"))
}

pub fn never_emitted(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::warning(902, span, format!("nothing emits `{name}`, so this never happens"))
        .help(near_or(near, "emit it somewhere: `emit NAME(…)`"))
}

pub fn never_handled(span: Span, name: &str) -> Diagnostic {
    Diagnostic::warning(903, span, format!("nothing happens on `{name}`"))
        .help(format!("add `trigger … on {name}(…) {{ … }}`, or take the `emit` out"))
}

pub fn never_reached(span: Span, by: Span) -> Diagnostic {
    Diagnostic::warning(904, span, "this is never done").related(by, "the rule ends here, before it")
}

pub fn never_offered(span: Span, name: &str) -> Diagnostic {
    Diagnostic::warning(905, span, format!("nobody can ever do `{name}`"))
        .help("list its first word in a phase, or let a rule `make` or `allow` it")
}

pub fn on_no_board(span: Span, name: &str) -> Diagnostic {
    Diagnostic::warning(906, span, format!("no board has the terrain `{name}`"))
}

pub fn laid_on_too_many(span: Span, values: usize, places: usize, board: &str) -> Diagnostic {
    Diagnostic::warning(907, span, format!("{values} values are laid on {places} places of the board `{board}`"))
        .help("list as many as there are places along the path")
}

pub fn never_affordable(span: Span, count: i64, supply: i64, name: &str) -> Diagnostic {
    Diagnostic::warning(
        908,
        span,
        format!("nobody can ever pay {count} `{name}`: there are {supply} in the whole game"),
    )
}

// ---- tokens -----------------------------------------------------------------------------------------------------

pub fn tokens_lie_where(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(468, span, format!("it is not said on what kind of place the tokens `{name}` lie"))
        .help(format!("`tokens {name} {{ … }} on corner`"))
}

pub fn tokens_on_a_place(span: Span, name: &str, there: i64) -> Diagnostic {
    Diagnostic::error(468, span, format!("{there} `{name}` cannot lie on one place")).help("between 1 and 64 can")
}

pub fn tokens_without_faces(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(468, span, format!("the tokens `{name}` have no faces"))
        .help(format!("list them: `tokens {name} {{ gem 3, sand 5 }}`, or name a table: `from \"{name}.toml\"`"))
}

pub fn not_a_token(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(469, span, format!("this is {found}, where a token is needed"))
        .help("a token is one of a kind that `tokens` declares: `first (stray at h)`, or a parameter `t: stray`")
}

pub fn face_of_no_token(span: Span) -> Diagnostic {
    Diagnostic::error(469, span, "only a token has a face that can get a name")
}

pub fn lies_face_up(span: Span) -> Diagnostic {
    Diagnostic::error(469, span, "these tokens lie face up: everybody sees what they are")
        .help("add `face down` to their declaration, or leave this out")
}

pub fn unknown_tokens(span: Span, name: &str, near: &[&str], known: &[&str]) -> Diagnostic {
    Diagnostic::error(201, span, format!("no tokens are called `{name}`")).help(near_or_known(
        near,
        known,
        "`tokens NAME { … } on PLACE` declares some",
    ))
}

// ---- tracks and ranks ----------------------------------------------------------------------------------------------

pub fn track_too_long(span: Span, most: i64) -> Diagnostic {
    Diagnostic::error(470, span, format!("a track has at most {most} spaces"))
}

pub fn track_of_whom(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::error(470, span, format!("`{name}` is a track of each player or one of all, not both"))
        .related(first, "declared here")
        .help("a change of a track says `each player` where the track does")
}

pub fn mark_outside(span: Span, mark: &str, at: i64, low: i64, high: i64) -> Diagnostic {
    let message = if at == low {
        format!("nobody ever reaches `{mark}` at {at}, since all begin there")
    } else {
        format!("there is no space {at} for `{mark}`: the track goes from {low} to {high}")
    };
    Diagnostic::error(470, span, message).help(format!("a mark lies on a space from {} to {high}", low + 1))
}

pub fn no_such_track(span: Span, name: &str, near: &[&str], other: Option<&str>) -> Diagnostic {
    let message = match other {
        Some(word) => format!("`{name}` is no track but {word}"),
        None => format!("there is no track `{name}`"),
    };
    Diagnostic::error(471, span, message)
        .help(near_or(near, "a track is declared: `track NAME each player 0..20 { MARK at 5, 10 }`"))
}

pub fn no_such_mark(span: Span, mark: &str, track: &str, near: &[&str], all: &[&str], declared: Span) -> Diagnostic {
    let list = match all {
        [] => format!("the track `{track}` has no marks: give it some in braces, `{{ {mark} at 5 }}`"),
        all => format!("its marks are {}", all.join(", ")),
    };
    Diagnostic::error(471, span, format!("the track `{track}` has no mark `{mark}`"))
        .related(declared, "the track is declared here")
        .help(near_or(near, &list))
}

pub fn ranks_by_the_same(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(472, span, format!("this is the same for every player, since it does not speak of `{name}`"))
        .help(format!("`{name}` stands for each player in turn behind `by`: `rank of {name} by points({name})`"))
}

// ---- the chronicle and the end -------------------------------------------------------------------------------------

pub fn not_in_chronicle(span: Span, name: &str, near: &[&str], all: &[&str], other: Option<&str>) -> Diagnostic {
    let help = match (other, all) {
        (Some(word), []) => format!("`{name}` is {word} of this game: leave out `chronicle`, or declare it there too"),
        (Some(word), all) => {
            format!("`{name}` is {word} of this game: leave out `chronicle`; the chronicle keeps {}", all.join(", "))
        }
        (None, []) => "declare it: `chronicle { each player has wins: 0..99 }`".to_owned(),
        (None, all) => format!("it keeps {}", all.join(", ")),
    };
    Diagnostic::error(473, span, format!("the chronicle does not keep `{name}`")).help(near_or(near, &help))
}

pub fn chronicle_of_what(span: Span) -> Diagnostic {
    Diagnostic::error(473, span, "behind `chronicle` stands the name of something that it keeps")
        .help("`chronicle wins of p`, `my chronicle wins`")
}

pub fn chronicle_of_places(span: Span) -> Diagnostic {
    Diagnostic::error(473, span, "the chronicle cannot keep this: places belong to the board of one game")
        .help("keep it for each player, or for words, goods or cards")
}

pub fn chronicle_is_no_store(span: Span) -> Diagnostic {
    Diagnostic::error(473, span, "nothing moves into the chronicle or out of it: it only records")
        .help("`set chronicle NAME of p = …`")
}

pub fn at_the_end_nothing(span: Span, what: &str, inner: Option<Span>) -> Diagnostic {
    let fault = Diagnostic::error(474, span, format!("the game is over: {what}"));
    let fault = match inner {
        Some(inner) => fault.related(inner, "what is done here leads to this"),
        None => fault,
    };
    fault.help("at the end there is only counting and recording: `set`, `add`, `if`, `for`")
}

pub fn winner_too_early(span: Span) -> Diagnostic {
    Diagnostic::error(474, span, "there is no winner before the end")
        .help("`winner` can be read within `at the end { … }`; hand it over to what is done from there")
}
