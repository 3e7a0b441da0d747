//! `words direction { north, east }`: a kind of thing that is nothing but its words. They may be spelt like other
//! words, and are told apart by the place in which they stand; the kind is a type, a key of state and a set.

use super::builtins::RESERVED;
use super::declare::MOST_MEMBERS;
use super::outline::{Kind, Outline};
use super::{Checker, errors};
use crate::program::{Domain, DomainId, DomainKind, Member};
use crate::syntax::ast::{self, ItemKind};

impl<'a> Checker<'a> {
    pub(super) fn declare_words(&mut self, outline: &Outline<'a>) {
        for (_, thing) in outline.of(Kind::Words) {
            let mut words: Vec<&ast::Name> = Vec::new();
            for version in &thing.versions {
                let ItemKind::Words { members, .. } = &version.item.kind else { continue };
                for word in members {
                    if RESERVED.contains(&word.text.as_str()) {
                        self.sink.push(errors::name_of_language(word.span, &word.text));
                    } else if let Some(first) = words.iter().find(|w| w.text == word.text) {
                        self.sink.push(errors::listed_twice(word.span, &word.text, first.span));
                    } else {
                        words.push(word);
                    }
                }
            }
            if let Some(word) = words.get(MOST_MEMBERS) {
                self.sink.push(errors::too_many_members(word.span, MOST_MEMBERS));
                words.truncate(MOST_MEMBERS);
            }
            let members = words.iter().map(|w| Member { name: w.text.clone(), span: w.span }).collect();
            let name = thing.name.clone();
            let domain = self.add_domain(Domain { name, kind: DomainKind::Words, members, span: thing.span });
            for (member, word) in words.iter().enumerate() {
                self.enter_word(&word.text, domain, member as u32);
            }
            let all = (0..words.len() as u32).collect();
            self.enter_group(&thing.name, thing.span, domain, all);
        }
    }

    /// The members of a group, or None where it is the whole of a kind that consists of words.
    pub(super) fn group_members(&self, group: usize) -> Option<(DomainId, Option<Vec<u32>>)> {
        let group = self.program.groups.get(group)?;
        let domain = self.program.domains.get(group.domain.index())?;
        let whole = domain.kind == DomainKind::Words && domain.members.len() == group.members.len();
        Some((group.domain, (!whole).then(|| group.members.clone())))
    }
}
