//! All that can be said about moves, positions, requests and transcripts. What a rule says against a move comes
//! from the rules; here is the rest.

use std::ops::Range;

use super::Refusal;
use super::value::{Wrong, either};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

// ---- moves as text ----------------------------------------------------------------------------------------

pub fn unknown_move(at: Range<usize>, text: &str, near: &[String], menu: &[String], known: bool) -> Refusal {
    let help = if !near.is_empty() {
        format!("did you mean {}?", either(near))
    } else if !menu.is_empty() {
        format!("what can be done now: {}", menu.join(", "))
    } else {
        "nothing can be done now".to_owned()
    };
    Refusal { known, ..Refusal::new(801, format!("`{text}` is no move of this game")).at(at).help(help) }
}

pub fn no_words() -> Refusal {
    Refusal::new(801, "a move is missing here").at(0..0)
}

pub fn unfinished(last: Range<usize>, text: &str, expected: &str) -> Refusal {
    Refusal::new(801, format!("`{text}` is not finished: {expected} is missing")).at(last)
}

pub fn too_many_words(at: Range<usize>, word: &str) -> Refusal {
    Refusal::new(801, format!("the move is complete before `{word}`")).at(at)
}

pub fn wrong_word(at: Range<usize>, word: &str, expected: &str, near: &[&str], known: bool) -> Refusal {
    let refusal = Refusal::new(801, format!("`{word}` does not fit here: {expected} is expected")).at(at);
    let refusal = match near {
        [] => refusal,
        near => refusal.help(format!("did you mean {}?", either(near))),
    };
    Refusal { known, ..refusal }
}

pub fn wrong_value(at: Range<usize>, wrong: &Wrong) -> Refusal {
    Refusal { known: wrong.known, help: wrong.help.clone(), ..Refusal::new(802, wrong.message.clone()).at(at) }
}

pub fn other_phase(what: &str, phases: &[String], now: &str, on_call: bool) -> Refusal {
    let when = when(phases, on_call);
    let reason = format!("`{what}` can be done {when}, and this is phase {now}");
    Refusal::new(803, reason.clone()).because(vec![reason]).known()
}

pub fn choice_first(what: &str, phases: &[String], on_call: bool, prompt: &str) -> Refusal {
    let when = when(phases, on_call);
    let reason = format!("`{what}` can be done {when}; first this choice is to be made: {prompt}");
    Refusal::new(803, reason.clone()).because(vec![reason]).known()
}

pub fn not_at_this_point(what: &str) -> Refusal {
    let reason = format!("`{what}` cannot be done at this point");
    Refusal::new(803, reason.clone()).because(vec![reason]).known()
}

fn when(phases: &[String], on_call: bool) -> String {
    match phases {
        [] if on_call => "only when a rule offers it".to_owned(),
        [] => "only when a rule asks for it".to_owned(),
        [phase] => format!("in phase {phase}"),
        phases => format!("in the phases {}", phases.join(", ")),
    }
}

pub fn nobody_asked(text: &str) -> Refusal {
    let reason = format!("nobody is asked for `{text}` now");
    Refusal::new(803, reason.clone()).because(vec![reason]).known()
}

pub fn game_over() -> Refusal {
    let reason = "the game is over";
    Refusal::new(804, reason).because(vec![reason.to_owned()]).known()
}

pub fn other_seat(wanted: &str, found: &str) -> Refusal {
    let reason = format!("{wanted} is to choose now, not {found}");
    Refusal::new(805, reason.clone()).because(vec![reason]).known()
}

pub fn unknown_seat(name: &str, near: &[&str], seats: &[String]) -> Refusal {
    let help = match near {
        [] => format!("the seats are {}", seats.join(", ")),
        near => format!("did you mean {}?", either(near)),
    };
    Refusal::new(806, format!("nobody here is called `{name}`")).help(help)
}

pub fn illegal(text: &str, because: Vec<String>) -> Refusal {
    Refusal::new(601, format!("`{text}` is not legal: {}", because.join("; "))).because(because).known()
}

pub fn nothing_to_undo() -> Refusal {
    Refusal::new(807, "there is nothing to take back")
}

pub fn nothing_to_redo() -> Refusal {
    Refusal::new(807, "there is nothing to do again")
}

// ---- positions and chance ---------------------------------------------------------------------------------

pub fn not_an_assignment() -> Refusal {
    Refusal::new(831, "this sets nothing").help("write what is set and its value, as in `red.coins = 3`")
}

pub fn unknown_target(at: Range<usize>, name: &str, near: &[&str]) -> Refusal {
    let refusal = Refusal::new(831, format!("`{name}` is nothing that can be set")).at(at);
    match near {
        [] => refusal,
        near => refusal.help(format!("did you mean {}?", either(near))),
    }
}

pub fn unknown_owner(at: Range<usize>, name: &str, kind: &str) -> Refusal {
    Refusal::new(831, format!("`{name}` is no {kind}")).at(at)
}

pub fn wrong_keys(at: Range<usize>, name: &str, form: &str) -> Refusal {
    Refusal::new(831, format!("`{name}` is set otherwise")).at(at).help(format!("write `{form} = …`"))
}

pub fn value_does_not_fit(at: Range<usize>, text: &str, expected: &str) -> Refusal {
    Refusal::new(832, format!("`{text}` is not {expected}")).at(at)
}

pub fn wrong_given_value(at: Range<usize>, wrong: &Wrong) -> Refusal {
    let refusal = Refusal::new(832, wrong.message.clone()).at(at);
    Refusal { help: wrong.help.clone(), ..refusal }
}

pub fn out_of_range(at: Range<usize>, name: &str, low: i64, high: i64) -> Refusal {
    Refusal::new(832, format!("`{name}` lies between {low} and {high}")).at(at)
}

pub fn not_among(at: Range<usize>, name: &str, value: &str) -> Refusal {
    Refusal::new(832, format!("`{name}` cannot be `{value}`")).at(at)
}

pub fn home_is_not_set(at: Range<usize>, name: &str) -> Refusal {
    Refusal::new(833, format!("`{name}` is where things are at home: it holds what nobody else has"))
        .at(at)
        .help("give them to somebody, or take them away, and it changes with that")
}

pub fn home_too_poor(at: Range<usize>, home: &str, what: &str, has: i64, wanted: i64) -> Refusal {
    Refusal::new(833, format!("`{home}` has {has} {what}, {wanted} more are wanted"))
        .at(at)
        .help("nothing is invented: what one holds, another lacks")
}

pub fn too_many_pieces(at: Range<usize>, name: &str, count: i64, wanted: usize) -> Refusal {
    Refusal::new(833, format!("there are {count} of `{name}`, not {wanted}")).at(at)
}

pub fn place_is_taken(at: Range<usize>, place: &str, name: &str) -> Refusal {
    Refusal::new(833, format!("there is no room for another `{name}` on {place}")).at(at)
}

pub fn breaks_invariant(reasons: &[String]) -> Refusal {
    Refusal::new(834, format!("this breaks what must always hold: {}", reasons.join("; "))).because(reasons.to_vec())
}

pub fn no_such_phase(at: Range<usize>, name: &str, near: &[&str], all: &[&str]) -> Refusal {
    let help = match near {
        [] => format!("the phases are {}", all.join(", ")),
        near => format!("did you mean {}?", either(near)),
    };
    Refusal::new(832, format!("`{name}` is no phase")).at(at).help(help)
}

pub fn phase_cannot_begin(at: Range<usize>, name: &str) -> Refusal {
    Refusal::new(832, format!("the phase `{name}` cannot be begun from outside")).at(at)
}

pub fn no_dice(at: Range<usize>) -> Refusal {
    Refusal::new(835, "no die is rolled in this game").at(at)
}

pub fn bad_face(at: Range<usize>, text: &str, most: i64) -> Refusal {
    Refusal::new(835, format!("`{text}` is no face of a die"))
        .at(at)
        .help(format!("faces are numbers from 1 to {most}"))
}

pub fn nothing_forced(what: &str) -> Refusal {
    Refusal::new(835, format!("no result is given; write it behind `{what}`"))
}

pub fn forced_cannot_be() -> Refusal {
    Refusal::new(836, "a result that was forced is not possible here")
        .help("a die has no such face, or what is to be drawn or taken is not there")
}

pub fn no_such_stream(at: Range<usize>, name: &str, near: &[&str], all: &[String]) -> Refusal {
    let help = match near {
        [] if all.is_empty() => "nothing is drawn in this game".to_owned(),
        [] => format!("chance draws from {}", all.join(", ")),
        near => format!("did you mean {}?", either(near)),
    };
    Refusal::new(835, format!("nothing is drawn from `{name}`")).at(at).help(help)
}

// ---- expressions ------------------------------------------------------------------------------------------

pub fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error(709, span, "this expression is too large")
}

/// A fault in an expression that was typed alone, outside of any file.
pub fn from_diagnostic(found: &Diagnostic) -> Refusal {
    Refusal {
        help: found.help.clone(),
        at: Some(found.span.start as usize..found.span.end as usize),
        ..Refusal::new(found.code.0, found.message.clone())
    }
}

// ---- requests ---------------------------------------------------------------------------------------------

pub fn not_json(message: &str) -> Refusal {
    Refusal::new(841, format!("this is not a request: {message}"))
        .help("a request is one JSON object on a line, as `{\"cmd\":\"legal\"}`")
}

pub fn unknown_command(name: &str, near: &[&str], all: &[&str]) -> Refusal {
    let help = match near {
        [] => format!("the commands are {}", all.join(", ")),
        near => format!("did you mean {}?", either(near)),
    };
    Refusal::new(842, format!("there is no command `{name}`")).help(help)
}

pub fn missing_field(command: &str, field: &str, expected: &str) -> Refusal {
    Refusal::new(843, format!("`{command}` needs `{field}`: {expected}"))
}

// ---- transcripts ------------------------------------------------------------------------------------------

pub fn not_a_line(span: Span, word: &str, near: &[&str]) -> Diagnostic {
    let fault = Diagnostic::error(820, span, format!("a line of a transcript does not begin with `{word}`"));
    match near {
        [] => fault.help("a move is `seat: move`; other lines begin with `given`, `dice`, `draw` or `expect`"),
        near => fault.help(format!("did you mean {}?", either(near))),
    }
}

pub fn missing_value(span: Span, word: &str, expected: &str) -> Diagnostic {
    Diagnostic::error(820, span, format!("`{word}` needs {expected}"))
}

pub fn unclosed_quote(span: Span) -> Diagnostic {
    Diagnostic::error(820, span, "the text has no end: a `\"` is missing")
}

pub fn header_too_late(span: Span, word: &str, first: Span) -> Diagnostic {
    Diagnostic::error(821, span, format!("`{word}` belongs to the head of a transcript"))
        .related(first, "the game begins here")
        .help("move it above the first move")
}

pub fn header_twice(span: Span, word: &str, first: Span) -> Diagnostic {
    Diagnostic::error(821, span, format!("`{word}` is said twice")).related(first, "first said here")
}

pub fn no_scenario(span: Span) -> Diagnostic {
    Diagnostic::error(821, span, "the transcript does not say of which scenario it is")
        .help("begin with `scenario NAME`")
}

pub fn faulty_scenario(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(821, span, format!("`{name}` cannot be played")).help("its own faults are reported apart")
}

pub fn unreadable(file: FileId, name: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(821, Span::new(file, 0, 0), format!("`{name}` cannot be read: {reason}"))
}

pub fn bad_number(span: Span, word: &str, text: &str) -> Diagnostic {
    Diagnostic::error(821, span, format!("`{word}` is a whole number, not `{text}`"))
}

pub fn unknown_option(span: Span, name: &str, near: &[&str], all: &[&str]) -> Diagnostic {
    let help = match near {
        [] if all.is_empty() => "it has none".to_owned(),
        [] => format!("its options are {}", all.join(", ")),
        near => format!("did you mean {}?", either(near)),
    };
    Diagnostic::error(822, span, format!("this scenario has no option `{name}`")).help(help)
}

pub fn bad_option_value(span: Span, name: &str, value: &str, expected: &str) -> Diagnostic {
    Diagnostic::error(822, span, format!("the option `{name}` cannot be `{value}`")).help(format!("it is {expected}"))
}

pub fn wrong_player_count(span: Span, found: usize, allowed: &[usize]) -> Diagnostic {
    let allowed: Vec<String> = allowed.iter().map(usize::to_string).collect();
    Diagnostic::error(823, span, format!("{found} cannot play this"))
        .help(format!("it is for {} players", allowed.join(" or ")))
}

pub fn bad_seat_name(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(823, span, format!("`{name}` cannot be the name of a seat")).help(
        "names are made of letters, digits and `_`, begin with a letter, mean nothing else, and each is there once",
    )
}

pub fn unexpected_value(span: Span, text: &str, found: Option<(&str, &str)>) -> Diagnostic {
    let fault = Diagnostic::error(825, span, format!("`{text}` does not hold"));
    match found {
        Some((part, value)) => fault.label(format!("`{part}` is {value}")),
        None => fault,
    }
}

pub fn not_a_truth(span: Span, text: &str, value: &str) -> Diagnostic {
    Diagnostic::error(825, span, format!("`{text}` is neither true nor false, it is {value}"))
        .help("compare it with something, as in `red.coins == 3`")
}

pub fn legal_after_all(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(826, span, format!("`{text}` is legal here"))
}

pub fn other_reason(span: Span, reason: &str, because: &[String]) -> Diagnostic {
    Diagnostic::error(826, span, format!("the move is not legal, but not because of \"{reason}\""))
        .help(format!("the reason is: {}", because.join("; ")))
}

pub fn not_legal(span: Span, refusal: &Refusal) -> Diagnostic {
    let fault = Diagnostic::error(827, span, "this move should be legal and is not");
    fault.label(refusal.message.clone())
}

pub fn other_move_count(span: Span, expected: u64, found: u64) -> Diagnostic {
    Diagnostic::error(828, span, format!("{found} moves are legal here, not {expected}"))
}

pub fn left_over(span: Span) -> Diagnostic {
    Diagnostic::error(829, span, "this result was never asked for")
        .help("chance decides less often than the transcript says, or it ends too early")
}

pub fn transcript_too_large(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error(786, span, format!("this transcript is larger than {} MiB", most >> 20))
}

/// A refusal at its place in a transcript; `span` is the whole text and `start` where its first byte stands.
pub fn in_transcript(refusal: &Refusal, span: Span) -> Diagnostic {
    let place = match &refusal.at {
        Some(at) if !at.is_empty() => Span {
            file: span.file,
            start: span.start + at.start as u32,
            end: (span.start + at.end as u32).min(span.end),
        },
        Some(_) | None => span,
    };
    let mut fault = Diagnostic::error(refusal.code, place, refusal.message.clone());
    if let Some(rule) = refusal.rule {
        fault = fault.related(rule, "in this rule");
    }
    match &refusal.help {
        Some(help) => fault.help(help.clone()),
        None => fault,
    }
}

// ---- the record of a chronicle -------------------------------------------------------------------------------------

pub fn no_record(span: Span, name: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(851, span, format!("the record `{name}` cannot be read: {reason}"))
        .help("it lies beside the transcript or in the scenario's folder, and its path does not lead out of there")
}

pub fn record_name(span: Span, name: &str, near: &[&str], all: &[&str]) -> Diagnostic {
    let help = match (near, all) {
        ([], []) => "this ruleset has no `chronicle { … }`".to_owned(),
        ([], all) => format!("it keeps {}", all.join(", ")),
        (near, _) => format!("did you mean {}?", either(near)),
    };
    Diagnostic::error(852, span, format!("the chronicle of this ruleset does not keep `{name}`")).help(help)
}

pub fn record_seat(span: Span, name: &str, all: &[String]) -> Diagnostic {
    Diagnostic::error(852, span, format!("`{name}` does not play in this game"))
        .help(format!("its seats are {}", all.join(", ")))
}

pub fn record_whose(span: Span, name: &str, seat: bool) -> Diagnostic {
    let (message, help) = match seat {
        true => ("is kept once for all, not for each player", "write it above the tables of the seats"),
        false => ("is kept for each player", "write it in the tables of the seats, `[seats.NAME]`"),
    };
    Diagnostic::error(852, span, format!("`{name}` {message}")).help(help)
}

pub fn record_word(span: Span, message: &str) -> Diagnostic {
    Diagnostic::error(853, span, message.to_owned())
}

pub fn record_value(span: Span, name: &str, what: &str) -> Diagnostic {
    Diagnostic::error(853, span, format!("`{name}` is to be {what}"))
}

// ---- campaigns -----------------------------------------------------------------------------------------------------

pub fn unknown_chapter(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    let help = match near {
        [] => "a chapter is a folder in that of the campaign or beside it, or a built-in scenario".to_owned(),
        near => format!("did you mean {}?", either(near)),
    };
    Diagnostic::error(862, span, format!("there is no scenario `{name}`")).help(help)
}

pub fn faulty_chapter(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(862, span, format!("the scenario `{name}` has faults"))
        .help(format!("`regelwerk check {name}` tells them"))
}

pub fn chapter_players(span: Span, name: &str, allowed: &[usize]) -> Diagnostic {
    let allowed: Vec<String> = allowed.iter().map(usize::to_string).collect();
    let message = format!("`{name}` is for {} players, and the chapters before it are not", allowed.join(" or "));
    Diagnostic::error(863, span, message).help("the same seats play all chapters of a campaign")
}

pub fn chapter_keeps_more(span: Span, chapter: &str, name: &str, keeper: &str, at: Span) -> Diagnostic {
    Diagnostic::error(863, span, format!("`{chapter}` keeps `{name}` in its chronicle, and `{keeper}` does not"))
        .related(at, "declared here")
        .help(format!("what the chapters hand on is declared once, in `{keeper}`, which all of them extend"))
}

pub fn chapter_keeps_less(span: Span, chapter: &str, name: &str, keeper: &str) -> Diagnostic {
    Diagnostic::error(863, span, format!("`{chapter}` does not keep `{name}` in its chronicle, as `{keeper}` does"))
        .help(format!("let it extend `{keeper}`: `extends = \"{keeper}\"`"))
}

pub fn chapter_keeps_otherwise(
    span: Span,
    chapter: &str,
    form: &str,
    other: &str,
    at: Span,
    first: Span,
) -> Diagnostic {
    Diagnostic::error(863, span, format!("`{chapter}` keeps `{form}`, where the campaign keeps `{other}`"))
        .related(at, "declared here")
        .related(first, "the campaign's own")
}

pub fn campaign_winner(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(863, span, format!("the chronicle keeps no players as `{name}`"))
        .help("`winner` names what is kept once for all and holds players: `chronicle { champions: set of player }`")
}

pub fn campaign_option(span: Span, message: &str) -> Diagnostic {
    Diagnostic::error(863, span, message.to_owned())
}

pub fn run_does_not_fit(span: Span, message: &str, help: &str) -> Diagnostic {
    Diagnostic::error(864, span, message.to_owned()).help(help.to_owned())
}
