//! The links of a graph.

use super::cursor::Cursor;
use super::entries::{Entry, Sign};
use super::graph::Link;
use super::listing::Reader;
use super::{PlaceRef, errors};

impl Reader<'_, '_> {
    /// `link NAME: a - b c, d - e` or `link NAME: a -> b -> c`. A new line begins a new link, like a comma.
    pub fn link(&mut self, entry: &Entry, links: &mut Vec<Link>) {
        let mut cursor = Cursor::new(entry.tokens());
        cursor.next();
        let name = cursor.word();
        let hidden = cursor.take("hidden");
        let (Some(name), true) = (name, cursor.take(":")) else {
            self.sink.push(errors::expected(entry.head.span(self.file), "`link NAME:` and what is linked"));
            return;
        };
        if hidden {
            self.board.undrawn.push(name.text.to_string());
        }
        let mut before: Vec<PlaceRef> = Vec::new();
        let mut group: Vec<PlaceRef> = Vec::new();
        let mut joined = false;
        let mut line = 0;
        while let Some(token) = cursor.peek(0).copied() {
            let joint = matches!(token.sign, Sign::Arrow | Sign::Other('-'));
            let fresh = token.line != line && !joint && !group.is_empty();
            line = token.line;
            if fresh || token.text == "," {
                if token.text == "," {
                    cursor.next();
                }
                (before, group, joined) = (Vec::new(), Vec::new(), false);
            } else if joint {
                cursor.next();
                if group.is_empty() {
                    self.sink.push(errors::expected(token.span(self.file), "a place before this"));
                }
                let arrows = token.sign == Sign::Arrow;
                match links.iter().find(|link| link.name == name.text).map(|link| link.arrows) {
                    Some(known) if known != arrows => {
                        let first = name.span(self.file);
                        self.sink.push(errors::mixed_links(token.span(self.file), name.text, first));
                    }
                    Some(_) => {}
                    None => links.push(Link { name: name.text.to_string(), arrows, joints: Vec::new() }),
                }
                (before, group, joined) = (group, Vec::new(), true);
            } else {
                let Some((place, span)) = self.place(&mut cursor, None) else {
                    cursor.next();
                    continue;
                };
                group.push(place);
                for other in before.iter().filter(|_| joined) {
                    if *other == place {
                        let error = errors::joined_to_itself(span, self.board.id(place));
                        self.sink.push(error);
                    } else if let Some(link) = links.iter_mut().find(|link| link.name == name.text) {
                        link.joints.push((*other, place));
                    }
                }
            }
        }
    }
}
