//! Places in expressions. A hex and a direction, or coordinates, are no words of the language; each is replaced by a
//! word of the same length, so that spans stay what they are, and the checker is told what the words can mean.

use crate::board::Board;
use crate::program::DomainId;

/// An expression whose places are plain words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worded {
    pub text: String,
    /// A word, and a place that it can mean: `h12.NE` is a corner and an edge.
    pub members: Vec<(String, DomainId, u32)>,
    /// The words that stand for what was written otherwise.
    pub aliases: Vec<(String, String)>,
}

/// Finds the places of a board in a text. `kinds` are the domains of the board's kinds of place.
pub fn words(board: &Board, kinds: &[DomainId], text: &str) -> Worded {
    let mut out = Worded::default();
    let mut at = 0;
    let mut before = ' ';
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or("");
        let length = if c == '"' {
            let end = rest.get(1..).and_then(|r| r.find('"')).map_or(rest.len(), |end| end + 2);
            out.text.push_str(rest.get(..end).unwrap_or(rest));
            end
        } else if is_word(before) || before == '.' {
            out.text.push(c);
            c.len_utf8()
        } else {
            match place(board, rest) {
                Some(length) => {
                    out.take(board, kinds, rest.get(..length).unwrap_or(rest));
                    length
                }
                None => {
                    out.text.push(c);
                    c.len_utf8()
                }
            }
        };
        before = rest.get(..length).and_then(|t| t.chars().next_back()).unwrap_or(c);
        at += length;
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the place at the front of a text: the longest form that the board knows.
fn place(board: &Board, text: &str) -> Option<usize> {
    let base = if text.starts_with('(') {
        let end = text.find(')')? + 1;
        let inside = text.get(1..end - 1)?;
        inside.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ',' | ' ')).then_some(end)?
    } else {
        let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
        (end > 0).then_some(end)?
    };
    let behind = text.get(base..)?;
    let direction = behind.strip_prefix('.').map(|d| d.find(|c: char| !is_word(c)).unwrap_or(d.len()));
    let known = |length: usize| text.get(..length).is_some_and(|t| !board.candidates(t).is_empty());
    let long = direction.map(|d| base + 1 + d).filter(|long| known(*long));
    long.or_else(|| known(base).then_some(base))
}

impl Worded {
    fn take(&mut self, board: &Board, kinds: &[DomainId], written: &str) {
        let plain = written.chars().all(is_word);
        let word = match self.aliases.iter().find(|(_, known)| known == written) {
            Some((alias, _)) => alias.clone(),
            None if plain => written.to_owned(),
            None => {
                let number = self.aliases.len().to_string();
                let alias = format!("p{number:0>width$}", width = written.len().saturating_sub(1));
                self.aliases.push((alias.clone(), written.to_owned()));
                alias
            }
        };
        for place in board.candidates(written) {
            if let Some(domain) = kinds.get(place.kind) {
                let member = (word.clone(), *domain, u32::from(place.index));
                if !self.members.contains(&member) {
                    self.members.push(member);
                }
            }
        }
        self.text.push_str(&word);
    }

    /// A message in which the words stand as they were written.
    pub fn restore(&self, message: &str) -> String {
        self.aliases.iter().fold(message.to_owned(), |text, (alias, written)| text.replace(alias, written))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Sink;
    use crate::source::FileId;

    #[test]
    fn places_become_words_of_the_same_length() {
        let text = include_str!("../../../tests/boards/ragged.board");
        let board = crate::board::parse(FileId(0), text, &mut Sink::new()).expect("the board can be read");
        let kinds: Vec<DomainId> = (0..board.kinds.len() as u32).map(DomainId).collect();
        let hex = board.places(0).first().and_then(|p| p.coordinates).expect("hexes have coordinates");
        let text = format!("h1.NE in gate of red and ({},{}) == h1.number and x.h1 == \"h1\"", hex.0, hex.1);
        let worded = words(&board, &kinds, &text);
        assert_eq!(worded.text.len(), text.len());
        assert_eq!(worded.aliases.len(), 2);
        assert_eq!(worded.restore(&worded.text), text);
        let of = |word: &str| worded.members.iter().filter(|(w, ..)| w == word).count();
        assert_eq!(of("h1"), 1);
        assert_eq!(of(&worded.aliases[0].0), 2, "a direction is a corner and an edge");
        assert!(worded.text.contains("x.h1"));
    }
}
