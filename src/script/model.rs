//! What a script can speak of by name: the members of each domain, fields, pieces, and where they lie in the state.
//! Made once from the code; a session works on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhai::{Dynamic, ImmutableString};

use super::errors;
use crate::board::Board;
use crate::diagnostic::Diagnostic;
use crate::engine::code::{Code, EventKind, FieldPlace, Layout, PiecePlace, fixed};
use crate::program::{DomainId, DomainKind, Field, FieldRole, Piece, Program, TriggerEvent, Type};

pub struct Model {
    pub program: Arc<Program>,
    pub layout: Layout,
    pub players: usize,
    pub options: Vec<i64>,
    board: Option<usize>,
    /// By `DomainId`.
    pub domains: Vec<Names>,
    /// Descriptions of events that a script can cause: number, kind, types and widths of the values.
    pub events: Vec<(u64, EventKind, Vec<(Type, usize)>)>,
    /// The word that counts the stream of scripts, and the stream's number.
    pub stream: (u16, u64),
}

/// The members of a domain.
#[derive(Default)]
pub struct Names {
    /// What one of them is called in a message.
    pub what: String,
    pub list: Vec<ImmutableString>,
    index: BTreeMap<ImmutableString, usize>,
    /// So many of the first members can lie in bags.
    pub lanes: usize,
}

impl Names {
    fn new(what: &str, names: impl Iterator<Item = String>, lanes: Option<u32>) -> Names {
        let list: Vec<ImmutableString> = names.map(ImmutableString::from).collect();
        let index = list.iter().enumerate().map(|(i, name)| (name.clone(), i)).collect();
        let lanes = lanes.map_or(list.len(), |l| l as usize);
        Names { what: what.to_string(), list, index, lanes }
    }

    /// The member's name; nothing for none.
    pub fn name(&self, index: i64) -> Dynamic {
        usize::try_from(index).ok().and_then(|i| self.list.get(i)).map_or(Dynamic::UNIT, |n| n.clone().into())
    }

    pub fn text(&self, index: usize) -> &str {
        self.list.get(index).map_or("", |n| n.as_str())
    }

    pub fn find(&self, name: &str) -> Result<usize, Diagnostic> {
        let known = || self.list.iter().map(|n| n.as_str());
        self.index.get(name).copied().ok_or_else(|| errors::unknown_member(name, &self.what, known()))
    }

    pub fn all(&self) -> Vec<Dynamic> {
        self.list.iter().map(|n| n.clone().into()).collect()
    }
}

impl Model {
    pub fn new(code: &Code) -> Model {
        let program = &code.program;
        let domains = (0..program.domains.len()).map(|id| names(code, DomainId(id as u32))).collect();
        let events = code.events.iter().enumerate().map(|(number, text)| {
            let values = text.values.iter().map(|(_, ty)| (*ty, code.words(*ty))).collect();
            (number as u64, text.kind.clone(), values)
        });
        let stream = code.streams.iter().position(|s| s == "script").unwrap_or(0);
        Model {
            program: program.clone(),
            layout: code.layout.clone(),
            players: code.players,
            options: code.options.clone(),
            board: code.board,
            domains,
            events: events.collect(),
            stream: (fixed::STREAMS + stream as u16, stream as u64),
        }
    }

    pub fn board(&self) -> Option<&Board> {
        self.board.and_then(|i| self.program.boards.get(i)).map(|b| &b.board)
    }

    /// The domain of the board's places of a kind.
    pub fn kind_domain(&self, kind: usize) -> Option<DomainId> {
        self.board.and_then(|i| self.program.boards.get(i)).and_then(|b| b.kinds.get(kind)).copied()
    }

    pub fn names(&self, domain: DomainId) -> Result<&Names, Diagnostic> {
        self.domains.get(domain.index()).ok_or_else(|| errors::no_such_thing("domain", "", []))
    }

    /// A field with this name and number of keys.
    pub fn field(&self, name: &str, keys: usize) -> Result<(usize, &Field, &FieldPlace), Diagnostic> {
        // The chronicle is for the rules.
        let of_game = |f: &Field| f.role != FieldRole::Chronicle;
        let named = || self.program.fields.iter().enumerate().filter(|(_, f)| f.name == name && of_game(f));
        let found = named().find(|(_, f)| f.keys.len() == keys);
        if let Some((id, field)) = found
            && let Some(place) = self.layout.fields.get(id)
        {
            return Ok((id, field, place));
        }
        Err(match named().next() {
            Some((_, field)) => {
                let keys: Vec<&str> = field.keys.iter().filter_map(|d| self.names(*d).ok()).map(|n| &*n.what).collect();
                errors::wrong_keys(name, &keys)
            }
            None => errors::no_such_thing("state called", name, self.program.fields.iter().map(|f| f.name.as_str())),
        })
    }

    /// The members of a group: the author's own, and each name under which goods were declared.
    pub fn group(&self, name: &str) -> Option<Vec<Dynamic>> {
        let group = self.program.groups.iter().find(|group| group.name == name)?;
        let names = self.domains.get(group.domain.index())?;
        Some(group.members.iter().map(|member| names.name(i64::from(*member))).collect())
    }

    pub fn piece(&self, name: &str) -> Result<(usize, &Piece, &PiecePlace), Diagnostic> {
        let id = self.program.pieces.iter().position(|p| p.name == name);
        let found = id.and_then(|id| Some((id, self.program.pieces.get(id)?, self.layout.pieces.get(id)?)));
        found.ok_or_else(|| errors::no_such_thing("piece", name, self.program.pieces.iter().map(|p| p.name.as_str())))
    }

    /// How many slots of a domain lie on a place; 1 for any other domain.
    pub fn slots(&self, domain: DomainId) -> usize {
        match self.program.domains.get(domain.index()).map(|d| d.kind) {
            Some(DomainKind::Slots { count, .. }) => count.max(1) as usize,
            Some(_) | None => 1,
        }
    }

    /// Does a rule wait for arrivals of the piece?
    pub fn is_awaited(&self, piece: usize) -> bool {
        self.program.triggers.iter().any(|t| match t.event {
            TriggerEvent::Arrival { piece: awaited, .. } => awaited.index() == piece,
            TriggerEvent::Emitted(_)
            | TriggerEvent::Reveal { .. }
            | TriggerEvent::TurnStart
            | TriggerEvent::TurnEnd => false,
        })
    }

    /// Do members of the domain only move, so that none may be made or lost?
    pub fn is_conserved(&self, domain: DomainId, member: usize) -> bool {
        match self.program.domains.get(domain.index()).map(|d| d.kind) {
            Some(DomainKind::Goods { .. }) => self.program.homes.get(member).is_some_and(Option::is_some),
            Some(DomainKind::Cards(_)) => true,
            Some(
                DomainKind::Player
                | DomainKind::Terrain
                | DomainKind::Phase
                | DomainKind::Words
                | DomainKind::Places
                | DomainKind::Slots { .. },
            )
            | None => false,
        }
    }
}

fn names(code: &Code, id: DomainId) -> Names {
    let program = &code.program;
    let Some(domain) = program.domains.get(id.index()) else { return Names::default() };
    let size = code.layout.sizes.get(id.index()).copied().unwrap_or(0);
    let members = domain.members.iter().take(size).map(|m| m.name.clone());
    match domain.kind {
        DomainKind::Places => {
            let variant = code.board.and_then(|b| program.boards.get(b));
            let kind = variant.and_then(|v| v.board.kinds.get(v.kinds.iter().position(|d| *d == id)?));
            let places = kind.into_iter().flat_map(|k| k.places.iter().map(|p| p.id.clone()));
            Names::new(&domain.name, places, None)
        }
        // Each piece by the place where it stands.
        DomainKind::Slots { of, count } => {
            let places = names(code, of);
            let slots = (0..size).map(|slot| {
                let place = places.text(slot / count.max(1) as usize);
                program.token_name(id, slot, place).unwrap_or_else(|| place.to_owned())
            });
            Names::new(&places.what, slots, None)
        }
        DomainKind::Goods { goods } => Names::new(&domain.name, members, Some(goods)),
        DomainKind::Player | DomainKind::Cards(_) | DomainKind::Terrain | DomainKind::Phase | DomainKind::Words => {
            Names::new(&domain.name, members, None)
        }
    }
}
