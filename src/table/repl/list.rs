//! What a person looks at: the board, the list of moves, a refusal.

use super::{MOST_LISTED, Repl};
use crate::board::colour;
use crate::table::{Refusal, phrase, picture, value};
use crate::view::draw_text;

const MOST_OF_A_GROUP: usize = 60;

impl Repl {
    pub(super) fn board(&mut self) -> String {
        let viewer = self.viewer();
        let code = self.sitting.game.code.clone();
        match value::board(&code) {
            Some(board) => {
                let scene = picture::scene(&mut self.sitting.game, viewer, true);
                draw_text(board, &scene, self.look.colour, self.look.width)
            }
            None => "this game has no board\n".to_owned(),
        }
    }

    /// The legal moves with their numbers, those of one action in a line.
    pub(super) fn list(&mut self) -> String {
        let Some(decision) = self.sitting.game.decision() else { return "the game is over\n".to_owned() };
        if let Some(fault) = self.sitting.game.menu_fault() {
            return self.refusal(&fault.into());
        }
        let (moves, more) = self.sitting.game.moves(MOST_LISTED);
        let seat = self.paint(self.sitting.seat_name(decision.seat));
        let mut text = format!("{seat}: {}\n", phrase::prompt(&mut self.sitting.game));
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for (number, chosen) in moves.iter().enumerate() {
            let whole = phrase::write(&self.sitting.game, chosen);
            let entry = self.sitting.game.code.entries.get(usize::from(chosen.entry));
            let lead = entry.map_or_else(String::new, |e| phrase::lead(&self.sitting.game, e));
            let (lead, rest) = split_lead(&lead, &whole);
            let item = format!("{}) {rest}", number + 1).trim_end().to_owned();
            match groups.last_mut() {
                Some((known, items)) if *known == lead => items.push(item),
                Some(_) | None => groups.push((lead, vec![item])),
            }
        }
        let width = groups.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, items) in &groups {
            let shown = items.iter().take(MOST_OF_A_GROUP).cloned().collect::<Vec<_>>();
            let mut line = format!("  {name:width$}");
            let mut column = width + 2;
            for (at, item) in shown.iter().enumerate() {
                let item = format!("   {item}");
                if at > 0 && column + item.chars().count() > self.look.width.max(40) {
                    line.push_str(&format!("\n  {:width$}", ""));
                    column = width + 2;
                }
                column += item.chars().count();
                line.push_str(&item);
            }
            if items.len() > MOST_OF_A_GROUP {
                line.push_str(&format!("   … {} more", items.len() - MOST_OF_A_GROUP));
            }
            text.push_str(&line);
            text.push('\n');
        }
        if more {
            text.push_str("  more is legal than is listed: type it\n");
        }
        text
    }

    pub(super) fn refusal(&self, refusal: &Refusal) -> String {
        let mut text = format!("{}\n", refusal.message);
        if let Some(help) = &refusal.help {
            text.push_str(&format!("{help}\n"));
        }
        text
    }

    /// A seat's name in its colour.
    pub(super) fn paint(&self, seat: &str) -> String {
        match colour(seat) {
            Some([r, g, b]) if self.look.colour => format!("\x1b[1;38;2;{r};{g};{b}m{seat}\x1b[0m"),
            Some(_) | None => seat.to_owned(),
        }
    }
}

/// Cuts the text of a move into the words in front, by which moves are grouped, and the rest.
fn split_lead(lead: &str, whole: &str) -> (String, String) {
    match whole.strip_prefix(lead) {
        Some(rest) => (lead.to_owned(), rest.trim().to_owned()),
        None => (String::new(), whole.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::split_lead;

    #[test]
    fn moves_are_grouped_by_the_words_in_front() {
        assert_eq!(split_lead("raise tower on", "raise tower on m3"), ("raise tower on".into(), "m3".into()));
        assert_eq!(split_lead("", "m3"), (String::new(), "m3".into()));
        assert_eq!(split_lead("end turn", "end turn"), ("end turn".into(), String::new()));
    }
}
