//! The text of an assignment taken apart: what is set, whose it is, and to what.

use std::ops::Range;

/// A part of the typed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
}

impl<'t> Part<'t> {
    pub(super) fn new(whole: &'t str, range: Range<usize>) -> Part<'t> {
        let text = whole.get(range.clone()).unwrap_or("");
        let trimmed = text.trim_start();
        Part { text: trimmed.trim_end(), start: range.start + text.len() - trimmed.len() }
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    pub(super) fn part(&self, range: Range<usize>) -> Part<'t> {
        let mut part = Part::new(self.text, range);
        part.start += self.start;
        part
    }
}

/// The name on the left and the owners that it stands with, in the order of the keys.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target<'t> {
    pub(super) name: Part<'t>,
    pub(super) owners: Vec<Part<'t>>,
}

/// Where the `=` of an assignment is.
pub(super) fn equals(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let comparing = |b: Option<&u8>| matches!(b, Some(b'=' | b'!' | b'<' | b'>'));
    (0..bytes.len()).find(|&i| {
        bytes.get(i) == Some(&b'=') && bytes.get(i + 1) != Some(&b'=') && (i == 0 || !comparing(bytes.get(i - 1)))
    })
}

/// Takes `a.b of c` apart.
pub(super) fn target(left: Part<'_>) -> Target<'_> {
    let (front, behind) = match left.text.find(" of ") {
        Some(at) => (left.part(0..at), Some(left.part(at + 4..left.text.len()))),
        None => (left, None),
    };
    let mut owners = Vec::new();
    let name = match last_dot(front.text) {
        Some(at) => {
            owners.push(front.part(0..at));
            front.part(at + 1..front.text.len())
        }
        None => front,
    };
    if let Some(behind) = behind {
        let mut from = 0;
        let mut depth = 0;
        for (at, c) in behind.text.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                ',' if depth == 0 => {
                    owners.push(behind.part(from..at));
                    from = at + 1;
                }
                _ => {}
            }
        }
        owners.push(behind.part(from..behind.text.len()));
    }
    Target { name, owners }
}

/// The last dot outside parentheses.
pub(super) fn last_dot(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut found = None;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '.' if depth == 0 => found = Some(at),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (&str, Vec<&str>) {
        let target = target(Part::new(text, 0..text.len()));
        (target.name.text, target.owners.iter().map(|o| o.text).collect())
    }

    #[test]
    fn targets_are_taken_apart() {
        assert_eq!(parts("red.coins "), ("coins", vec!["red"]));
        assert_eq!(parts("coins of red"), ("coins", vec!["red"]));
        assert_eq!(parts("(0,-2).NE.gate"), ("gate", vec!["(0,-2).NE"]));
        assert_eq!(parts("red.skill of digging"), ("skill", vec!["red", "digging"]));
        assert_eq!(parts("skill of red, (0,1)"), ("skill", vec!["red", "(0,1)"]));
        assert_eq!(parts("round"), ("round", vec![]));
    }

    #[test]
    fn the_sign_of_an_assignment_is_not_that_of_a_comparison() {
        assert_eq!(equals("a = b"), Some(2));
        assert_eq!(equals("a == b"), None);
        assert_eq!(equals("a <= b"), None);
        assert_eq!(equals("a = b == c"), Some(2));
    }

    #[test]
    fn parts_know_where_they_stand() {
        let left = Part::new("  red.coins  = 3", 0..13);
        assert_eq!(left.range(), 2..11);
        let target = target(left);
        assert_eq!(target.name.range(), 6..11);
        assert_eq!(target.owners.first().map(Part::range), Some(2..5));
    }
}
