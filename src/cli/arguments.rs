//! Forms of arguments that several commands have: players, settings, seats, formats.

use std::str::FromStr;

use clap::ValueEnum;

/// `--format` of commands that report in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Human,
    Json,
}

/// `--players 3`, or the seats by name: `--players red,blue,white`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Players {
    Count(usize),
    Names(Vec<String>),
}

impl FromStr for Players {
    type Err = String;

    fn from_str(text: &str) -> Result<Players, String> {
        if let Ok(count) = text.trim().parse() {
            return Ok(Players::Count(count));
        }
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        if names.iter().any(String::is_empty) {
            return Err("write a number, or names with commas between them".to_owned());
        }
        Ok(Players::Names(names))
    }
}

/// `--set NAME=VALUE`: an option of the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    pub value: String,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Setting, String> {
        let (name, value) = pair(text).ok_or("write an option and its value: `name=value`")?;
        Ok(Setting { name, value })
    }
}

/// `red=human` or `blue=bot:random`, several with commas between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    pub name: String,
    pub player: SeatPlayer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatPlayer {
    Human,
    /// The name of the bot.
    Bot(String),
}

impl FromStr for Seat {
    type Err = String;

    fn from_str(text: &str) -> Result<Seat, String> {
        const FORM: &str = "write who sits where: `red=human` or `blue=bot:random`";
        let (name, player) = pair(text).ok_or(FORM)?;
        let player = match player.split_once(':') {
            None if player == "human" => SeatPlayer::Human,
            None if player == "bot" => SeatPlayer::Bot("random".to_owned()),
            Some(("bot", bot)) if !bot.is_empty() => SeatPlayer::Bot(bot.to_owned()),
            None | Some(_) => return Err(FORM.to_owned()),
        };
        Ok(Seat { name, player })
    }
}

fn pair(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    (!name.is_empty() && !value.is_empty()).then(|| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_a_number_or_names() {
        assert_eq!("3".parse(), Ok(Players::Count(3)));
        assert_eq!("red, blue".parse(), Ok(Players::Names(vec!["red".into(), "blue".into()])));
        assert!("red,,blue".parse::<Players>().is_err());
    }

    #[test]
    fn seats_are_people_or_bots() {
        assert_eq!("red=human".parse(), Ok(Seat { name: "red".into(), player: SeatPlayer::Human }));
        assert_eq!("red=bot:keen".parse(), Ok(Seat { name: "red".into(), player: SeatPlayer::Bot("keen".into()) }));
        assert!("red".parse::<Seat>().is_err());
        assert!("red=dog".parse::<Seat>().is_err());
        assert!("red=bot:".parse::<Seat>().is_err());
    }
}
