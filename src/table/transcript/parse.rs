//! A `.play` file, line by line. Every line that cannot be read is a fault in the sink; the others are kept.

use super::{Head, Line, LineKind, Transcript, Words};
use crate::diagnostic::{Sink, near_names};
use crate::source::{FileId, Span};
use crate::table::errors;

const WORDS: [&str; 9] = ["scenario", "players", "option", "seed", "chronicle", "given", "dice", "draw", "expect"];

/// The most bytes of a transcript: some hundred thousand moves.
const MOST_BYTES: usize = 4 << 20;

pub fn parse(file: FileId, text: &str, sink: &mut Sink) -> Transcript {
    if text.len() > MOST_BYTES {
        sink.push(errors::transcript_too_large(Span::new(file, 0, 0), MOST_BYTES));
        return Transcript { file, head: Head::default(), lines: Vec::new() };
    }
    let mut parser = Parser { file, sink, head: Head::default(), head_spans: Vec::new(), lines: Vec::new() };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        parser.line(line, start);
        start += line.len();
    }
    Transcript { file, head: parser.head, lines: parser.lines }
}

struct Parser<'s> {
    file: FileId,
    sink: &'s mut Sink,
    head: Head,
    head_spans: Vec<(&'static str, Span)>,
    lines: Vec<Line>,
}

/// A piece of the line that is being read.
#[derive(Clone, Copy)]
struct Piece<'t> {
    text: &'t str,
    start: usize,
}

impl<'t> Piece<'t> {
    fn trimmed(self) -> Piece<'t> {
        let text = self.text.trim_start();
        Piece { start: self.start + self.text.len() - text.len(), text: text.trim_end() }
    }

    fn split_at(self, at: usize) -> (Piece<'t>, Piece<'t>) {
        let (front, rest) = self.text.split_at_checked(at).unwrap_or((self.text, ""));
        (Piece { text: front, ..self }, Piece { text: rest, start: self.start + front.len() })
    }

    /// The first word and what is behind it.
    fn first_word(self) -> (Piece<'t>, Piece<'t>) {
        let piece = self.trimmed();
        let end = piece.text.find(char::is_whitespace).unwrap_or(piece.text.len());
        let (word, rest) = piece.split_at(end);
        (word, rest.trimmed())
    }

    fn is_empty(self) -> bool {
        self.text.is_empty()
    }
}

impl Parser<'_> {
    fn span(&self, piece: Piece) -> Span {
        Span::new(self.file, piece.start, piece.start + piece.text.len())
    }

    fn words(&self, piece: Piece) -> Words {
        Words { text: piece.text.to_owned(), span: self.span(piece) }
    }

    fn line(&mut self, line: &str, start: usize) {
        let piece = Piece { text: without_comment(line), start }.trimmed();
        if piece.is_empty() {
            return;
        }
        if let Some((seat, text)) = move_of(piece) {
            if text.is_empty() {
                self.sink.push(errors::missing_value(self.span(piece), piece.text, "a move behind it"));
                return;
            }
            let kind = LineKind::Move { seat: self.words(seat), text: self.words(text) };
            return self.push(kind, piece);
        }
        let (word, rest) = piece.first_word();
        let needs = match word.text {
            "scenario" => "the name of a scenario",
            "players" => "a number, or names with commas between them",
            "option" => "a name and a value: `option name = value`",
            "seed" => "a number",
            "chronicle" => "a file",
            "given" => "what is set, as `given red.coins = 3`",
            "dice" => "the faces that come next, as `dice 4 4`",
            "draw" => "what is drawn next: the deck and the card",
            "expect" => "an expression, `legal MOVE`, `illegal MOVE` or `moves N`",
            other => {
                let near = near_names(other, WORDS);
                self.sink.push(errors::not_a_line(self.span(word), other, &near));
                return;
            }
        };
        if rest.is_empty() {
            self.sink.push(errors::missing_value(self.span(word), word.text, needs));
            return;
        }
        match word.text {
            "given" => self.push(LineKind::Given(self.words(rest)), piece),
            "dice" => self.push(LineKind::Dice(self.words(rest)), piece),
            "draw" => self.push(LineKind::Draw(self.words(rest)), piece),
            "expect" => self.expect(piece, rest),
            _ => self.head(piece, word, rest, needs),
        }
    }

    fn push(&mut self, kind: LineKind, piece: Piece) {
        self.lines.push(Line { kind, span: self.span(piece) });
    }

    fn expect(&mut self, piece: Piece, rest: Piece) {
        let (word, behind) = rest.first_word();
        match word.text {
            "legal" | "illegal" | "moves" if behind.is_empty() => {
                let needs = if word.text == "moves" { "a number" } else { "a move" };
                self.sink.push(errors::missing_value(self.span(word), word.text, needs));
            }
            "legal" => self.push(LineKind::ExpectLegal(self.words(behind)), piece),
            "illegal" => match quoted_end(behind) {
                Ok((text, reason)) => {
                    let reason = reason.map(|r| self.words(r));
                    self.push(LineKind::ExpectIllegal { text: self.words(text), reason }, piece);
                }
                Err(at) => self.sink.push(errors::unclosed_quote(self.span(at))),
            },
            "moves" => match behind.text.parse() {
                Ok(count) => self.push(LineKind::ExpectMoves(count), piece),
                Err(_) => self.sink.push(errors::bad_number(self.span(behind), "moves", behind.text)),
            },
            _ => self.push(LineKind::Expect(self.words(rest)), piece),
        }
    }

    fn head(&mut self, piece: Piece, word: Piece, rest: Piece, needs: &str) {
        let span = self.span(piece);
        if let Some(first) = self.lines.first() {
            self.sink.push(errors::header_too_late(span, word.text, first.span));
            return;
        }
        let Some(name) = WORDS.iter().find(|w| **w == word.text) else { return };
        let before = self.head_spans.iter().find(|(n, _)| n == name && *name != "option");
        if let Some((_, first)) = before {
            self.sink.push(errors::header_twice(span, word.text, *first));
            return;
        }
        self.head_spans.push((name, span));
        match *name {
            "scenario" => self.head.scenario = Some(self.words(rest)),
            "chronicle" => self.head.chronicle = Some(self.words(rest)),
            "seed" => match rest.text.parse() {
                Ok(seed) => self.head.seed = Some((seed, self.span(rest))),
                Err(_) => self.sink.push(errors::bad_number(self.span(rest), "seed", rest.text)),
            },
            "players" => {
                let mut names = Vec::new();
                let mut from = rest.start;
                for part in rest.text.split(',') {
                    let name = Piece { text: part, start: from }.trimmed();
                    from += part.len() + 1;
                    if name.is_empty() {
                        self.sink.push(errors::missing_value(self.span(rest), word.text, needs));
                        return;
                    }
                    names.push(self.words(name));
                }
                self.head.players = Some((names, self.span(rest)));
            }
            _ => {
                let Some(at) = rest.text.find('=') else {
                    self.sink.push(errors::missing_value(self.span(rest), word.text, needs));
                    return;
                };
                let (name, value) = rest.split_at(at);
                let (name, value) = (name.trimmed(), value.split_at(1).1.trimmed());
                if name.is_empty() || value.is_empty() {
                    self.sink.push(errors::missing_value(self.span(rest), word.text, needs));
                    return;
                }
                let twice = self.head.options.iter().find(|(known, _)| known.text == name.text);
                if let Some((known, _)) = twice {
                    self.sink.push(errors::header_twice(self.span(name), name.text, known.span));
                    return;
                }
                self.head.options.push((self.words(name), self.words(value)));
            }
        }
    }
}

/// The line up to a `#` outside quotes.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '#' if !quoted => return line.get(..at).unwrap_or(line),
            _ => {}
        }
    }
    line
}

/// `SEAT: MOVE`, where the seat is one word.
fn move_of(piece: Piece) -> Option<(Piece, Piece)> {
    let colon = piece.text.find(':')?;
    let (seat, rest) = piece.split_at(colon);
    let seat = seat.trimmed();
    let plain = !seat.is_empty() && seat.text.chars().all(|c| c.is_alphanumeric() || c == '_');
    plain.then(|| (seat, rest.split_at(1).1.trimmed()))
}

/// A move, and the text in quotes at its end. The fault is the quote that has no end.
fn quoted_end(piece: Piece) -> Result<(Piece, Option<Piece>), Piece> {
    let Some(open) = piece.text.find('"') else { return Ok((piece, None)) };
    let (text, rest) = piece.split_at(open);
    let (_, inside) = rest.split_at(1);
    match inside.text.strip_suffix('"') {
        Some(reason) => Ok((text.trimmed(), Some(Piece { text: reason, start: inside.start }))),
        None => Err(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostic;

    fn read(text: &str) -> (Transcript, Vec<Diagnostic>) {
        let mut sink = Sink::new();
        let transcript = parse(FileId(0), text, &mut sink);
        (transcript, sink.sorted())
    }

    #[test]
    fn a_transcript_is_read_line_by_line() {
        let (transcript, faults) = read(
            "# a comment\nscenario meadow\nplayers  red, blue\noption   fog = yes\nseed 7\n\n\
             given    red.coins = 3   # more\ndice 4 4\nred:   walk to m3\n\
             expect   illegal walk to m9 \"too # far\"\nexpect moves 2\nexpect red.coins == 3\n",
        );
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(transcript.head.scenario.map(|w| w.text).as_deref(), Some("meadow"));
        assert_eq!(transcript.head.seed.map(|s| s.0), Some(7));
        assert_eq!(transcript.lines.len(), 6);
        let Some(LineKind::Move { seat, text }) = transcript.lines.get(2).map(|l| &l.kind) else { panic!() };
        assert_eq!((seat.text.as_str(), text.text.as_str()), ("red", "walk to m3"));
        let Some(LineKind::ExpectIllegal { text, reason }) = transcript.lines.get(3).map(|l| &l.kind) else { panic!() };
        assert_eq!(text.text, "walk to m9");
        assert_eq!(reason.as_ref().map(|r| r.text.as_str()), Some("too # far"));
    }

    #[test]
    fn faults_point_at_their_words() {
        let text = "scenario meadow\nexpct red\nred:\nexpect illegal go \"no\nseed many\nplayers a,,b\noption fog\n";
        let (_, faults) = read(text);
        let marked: Vec<&str> = faults.iter().map(|d| &text[d.span.start as usize..d.span.end as usize]).collect();
        assert_eq!(marked, ["expct", "red:", "\"no", "many", "a,,b", "fog"]);
    }

    #[test]
    fn the_head_stands_first_and_once() {
        let (_, faults) = read("scenario a\nscenario b\nred: go\nseed 1\n");
        assert_eq!(faults.iter().map(|d| d.code.0).collect::<Vec<_>>(), [821, 821]);
    }

    #[test]
    fn any_text_can_be_read() {
        for text in
            ["", ":", "a:b", "\"", "#", "expect", "expect illegal \"", "é: ü", "given =", "players ,", "option ="]
        {
            read(text);
        }
    }
}
