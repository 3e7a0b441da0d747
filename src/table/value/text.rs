//! Members, bags and numbers as people write them.

use crate::board::{Board, KindIndex};
use crate::diagnostic::near_names;
use crate::engine::code::Code;
use crate::engine::game::BAG_WORDS;
use crate::engine::{Game, Value, bags};
use crate::program::{DomainId, DomainKind, Type};

/// The kind of place that a domain stands for on the board in play.
pub fn place_kind(code: &Code, domain: DomainId) -> Option<KindIndex> {
    let variant = code.board.and_then(|b| code.program.boards.get(b))?;
    variant.kinds.iter().position(|d| *d == domain)
}

pub fn board(code: &Code) -> Option<&Board> {
    code.board()
}

/// How many members a domain has in this game.
pub fn size(code: &Code, domain: DomainId) -> usize {
    code.layout.sizes.get(domain.index()).copied().unwrap_or(0)
}

/// The names of a domain's members.
pub fn names(game: &Game, domain: DomainId) -> Vec<String> {
    (0..size(&game.code, domain)).map(|i| game.member_name(domain, i as i64)).collect()
}

/// Why a word is no value of the kind that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    pub message: String,
    pub help: Option<String>,
    /// It is a word of the game, of another kind.
    pub known: bool,
}

/// The member of a domain that a word names. Places are written by id, or by a hex or cell and a direction.
pub fn member(game: &Game, domain: DomainId, word: &str) -> Result<usize, Wrong> {
    let code = &game.code;
    if let (Some(kind), Some(board)) = (place_kind(code, domain), board(code)) {
        if let Some(place) = board.resolve(word, Some(kind)) {
            return Ok(usize::from(place.index));
        }
    } else if let Some(index) = names(game, domain).iter().position(|name| name == word) {
        return Ok(index);
    }
    let known = is_known(game, word);
    let message = format!("`{word}` is no {}", kind_name(code, domain));
    let all = names(game, domain);
    let near = near_names(word, all.iter().map(String::as_str));
    let help = match near.as_slice() {
        [] if all.is_empty() || all.len() > 12 => None,
        [] => Some(format!("it can be {}", either(&all))),
        near => Some(format!("did you mean {}?", either(near))),
    };
    Err(Wrong { message, help, known })
}

/// Is the word a place, or a member of any domain?
pub fn is_known(game: &Game, word: &str) -> bool {
    let placed = board(&game.code).is_some_and(|b| !b.candidates(word).is_empty());
    placed || game.code.program.domains.iter().any(|d| d.members.iter().any(|m| m.name == word))
}

/// What a member of the domain is called: `edge`, `resource`, `player`.
pub fn kind_name(code: &Code, domain: DomainId) -> &str {
    match code.program.domains.get(domain.index()) {
        Some(d) if !d.name.is_empty() => &d.name,
        Some(_) | None => "value of this kind",
    }
}

/// `an edge`, `a number`, `an amount such as 2 coin`: what a value of the type looks like, in words.
pub fn type_phrase(game: &Game, ty: Type) -> String {
    let code = &game.code;
    match ty {
        Type::Truth => "`yes` or `no`".into(),
        Type::Number => "a number".into(),
        Type::Member(domain) => with_article(kind_name(code, domain)),
        Type::Set(domain) => format!("a list of {}", kind_name(code, domain)),
        Type::Bag(domain) => {
            let example = game.member_name(domain, 0);
            format!("an amount, as `2 {example}`")
        }
        Type::Nothing | Type::Unknown => "nothing".into(),
    }
}

pub fn with_article(noun: &str) -> String {
    let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if vowel { "an" } else { "a" })
}

/// `a`, `a or b`, `a, b or c`, each between backquotes.
pub fn either<S: AsRef<str>>(words: &[S]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("`{}`", w.as_ref())).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} or {end}", rest.join(", ")),
    }
}

/// A word of what was typed: a run of signs without blanks, a `+`, a place in parentheses with its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    pub text: &'t str,
    pub start: usize,
}

impl Token<'_> {
    pub fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// Cuts a text into words. White space does not matter; `+` and `,` stand for themselves outside parentheses.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut start: Option<usize> = None;
    let mut depth = 0usize;
    let mut close = |start: &mut Option<usize>, end: usize| {
        if let Some(from) = start.take() {
            out.push(Token { text: &text[from..end], start: from });
        }
    };
    let mut alone = Vec::new();
    for (at, c) in text.char_indices() {
        if depth == 0 && (c.is_whitespace() || c == '+' || c == ',') {
            close(&mut start, at);
            if !c.is_whitespace() {
                alone.push(Token { text: &text[at..at + 1], start: at });
            }
            continue;
        }
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        start.get_or_insert(at);
    }
    close(&mut start, text.trim_end().len());
    out.extend(alone);
    out.sort_by_key(|token| token.start);
    out
}

/// Reads `2 coin + 1 gem`, `coin`, or `nothing` from the front; gives the bag and how many words it took.
pub fn bag(game: &Game, domain: DomainId, tokens: &[Token]) -> Result<([u64; BAG_WORDS], usize), (usize, Wrong)> {
    let mut out = [0; BAG_WORDS];
    if tokens.first().is_some_and(|t| t.text == "nothing") {
        return Ok((out, 1));
    }
    let lanes = match game.code.program.domains.get(domain.index()).map(|d| d.kind) {
        Some(DomainKind::Goods { goods }) => goods as usize,
        Some(_) | None => size(&game.code, domain),
    };
    let missing = |at| (at, Wrong { message: String::new(), help: None, known: false });
    let mut at = 0;
    loop {
        let first = tokens.get(at).ok_or_else(|| missing(at))?;
        let count = first.text.parse::<u64>().ok();
        let at_name = if count.is_some() { at + 1 } else { at };
        let name = tokens.get(at_name).ok_or_else(|| missing(at_name))?;
        let kind = member(game, domain, name.text).map_err(|wrong| (at_name, wrong))?;
        let count = count.unwrap_or(1);
        let sum = bags::lane(&out, kind) as u64 + count;
        if kind >= lanes || sum > bags::LANE_MAX as u64 {
            let message = format!("there is not so much `{}` in any game", name.text);
            return Err((at, Wrong { message, help: None, known: false }));
        }
        if let Some(word) = out.get_mut(kind / 8) {
            *word += count << (kind % 8 * 8);
        }
        at = at_name + 1;
        if tokens.get(at).is_none_or(|t| t.text != "+") {
            return Ok((out, at));
        }
        at += 1;
    }
}

/// Reads one value of a type from the front; gives it and how many words it took. A fault names the word.
pub fn value(game: &Game, ty: Type, tokens: &[Token]) -> Result<(Value, usize), (usize, Wrong)> {
    let Some(first) = tokens.first() else {
        return Err((0, Wrong { message: String::new(), help: None, known: false }));
    };
    let wrong = |message: String| (0, Wrong { message, help: None, known: is_known(game, first.text) });
    match ty {
        Type::Member(domain) => {
            if let Some(found) = super::super::token::read(game, domain, tokens) {
                return found.map(|(slot, used)| (Value::Scalar(slot as i64), used));
            }
            let index = member(game, domain, first.text).map_err(|wrong| (0, wrong))?;
            Ok((Value::Scalar(index as i64), 1))
        }
        Type::Number => match first.text.parse() {
            Ok(number) => Ok((Value::Scalar(number), 1)),
            Err(_) => Err(wrong(format!("`{}` is no number", first.text))),
        },
        Type::Truth => match first.text {
            "yes" => Ok((Value::Scalar(1), 1)),
            "no" => Ok((Value::Scalar(0), 1)),
            other => Err(wrong(format!("`{other}` is neither `yes` nor `no`"))),
        },
        Type::Bag(domain) => bag(game, domain, tokens).map(|(bag, used)| (Value::Bag(bag), used)),
        Type::Set(_) | Type::Nothing | Type::Unknown => Err(wrong(format!("`{}` does not fit here", first.text))),
    }
}

/// The words in memory of a move's value.
pub fn words_of(value: &Value, code: &Code, ty: Type) -> Vec<u64> {
    match value {
        Value::Scalar(n) => vec![*n as u64],
        Value::Bag(bag) => bag.iter().take(code.words(ty)).copied().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn words_are_cut_at_blanks_and_signs() {
        assert_eq!(cut("  put  tower on  m3 "), ["put", "tower", "on", "m3"]);
        assert_eq!(cut("2 coin+1 gem"), ["2", "coin", "+", "1", "gem"]);
        assert_eq!(cut("walk to ( 0, -2 ).NE, (1,1)"), ["walk", "to", "( 0, -2 ).NE", ",", "(1,1)"]);
        assert_eq!(cut("(0,"), ["(0,"]);
        assert_eq!(cut(""), Vec::<&str>::new());
        assert_eq!(cut("ä + ö"), ["ä", "+", "ö"]);
        let at: Vec<usize> = tokens("a  bc").iter().map(|t| t.start).collect();
        assert_eq!(at, [0, 3]);
    }
}
