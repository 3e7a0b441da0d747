//! Columns of tables where rules use them: `card.price`, `chest where price has coin`, `card[d]`, and lists.

use super::paths::unknown;
use super::tables::ColumnKind;
use super::{Checker, errors};
use crate::diagnostic::near_names;
use crate::program::{Constant, DomainId, Expr, ExprKind, TableId, Type};
use crate::source::Span;
use crate::syntax::ast;

impl<'a> Checker<'a> {
    /// Is this the name of a column of some table?
    pub(super) fn is_column(&self, name: &str) -> bool {
        self.face_tables.iter().any(|t| t.columns.iter().any(|c| c.name.text == name))
    }

    pub(super) fn has_columns(&self, domain: DomainId) -> bool {
        self.face_tables.iter().any(|t| t.domain == domain)
    }

    /// Does a name stand for nothing at all?
    pub(super) fn means_nothing(&self, name: &str) -> bool {
        self.scope.find(name).is_none()
            && self.names.peek(name).is_none()
            && self.names.words(name).is_empty()
            && !super::builtins::RESERVED.contains(&name)
            && name != "others"
    }

    /// The domains whose members have a column of this name.
    pub(super) fn domains_with(&self, name: &str) -> Vec<DomainId> {
        let has = |t: &&super::tables::FaceTable| t.columns.iter().any(|c| c.name.text == name);
        self.face_tables.iter().filter(has).map(|t| t.domain).collect()
    }

    /// The column of a domain's members.
    pub(super) fn column_of(&self, domain: DomainId, name: &str) -> Option<ColumnKind> {
        let table = self.face_tables.iter().find(|t| t.domain == domain)?;
        table.columns.iter().find(|c| c.name.text == name).map(|c| c.kind)
    }

    /// `card.price`: what the column holds for a member. None if such a member has no such column.
    pub(super) fn column(&mut self, of: &Expr, name: &ast::Name, span: Span) -> Option<Expr> {
        let Type::Member(domain) = of.ty else { return None };
        Some(match self.column_of(domain, &name.text)? {
            ColumnKind::Unknown => unknown(span),
            ColumnKind::One(table) => self.lookup(table, of.clone(), None, span),
            ColumnKind::List { .. } => {
                self.sink.push(errors::list_as_value(span, &name.text));
                unknown(span)
            }
        })
    }

    /// Says that members of a domain have no such column.
    pub(super) fn no_column(&mut self, domain: DomainId, name: &ast::Name) {
        let what = self.type_name(Type::Member(domain));
        let table = self.face_tables.iter().find(|t| t.domain == domain);
        let known: Vec<&str> = table.map_or(Vec::new(), |t| t.columns.iter().map(|c| c.name.text.as_str()).collect());
        let near = near_names(&name.text, known.iter().copied());
        let fault = errors::no_such_column(name.span, &name.text, &what, &near, &known);
        self.sink.push(fault);
    }

    pub(super) fn lookup(&self, table: TableId, of: Expr, place: Option<Expr>, span: Span) -> Expr {
        let ty = self.program.tables.get(table.index()).map_or(Type::Unknown, |t| t.ty);
        Expr { kind: ExprKind::Lookup { table, of: Box::new(of), place: place.map(Box::new) }, ty, span }
    }

    /// A column named alone, of the element that is being tested.
    pub(super) fn column_of_it(&mut self, name: &ast::Name) -> Option<Expr> {
        let domains = self.domains_with(&name.text);
        let it = domains.iter().find_map(|domain| self.scope.it_of(*domain, name.span))?;
        self.column(&it, name, name.span)
    }

    /// Would a name alone be a column of what is being tested?
    pub(super) fn is_column_of_it(&self, name: &str) -> bool {
        self.domains_with(name).iter().any(|domain| self.scope.it_of(*domain, Span::default()).is_some())
    }

    /// The members that all constants of a table are or hold.
    pub(super) fn kinds_in_table(&self, table: TableId) -> Option<Vec<u32>> {
        let table = self.program.tables.get(table.index())?;
        let mut kinds = Vec::new();
        for value in &table.values {
            match value {
                Constant::Word(word) => kinds.extend(u32::try_from(*word)),
                Constant::Set(members) => kinds.extend(members),
                Constant::Bag(entries) => kinds.extend(entries.iter().map(|(kind, _)| *kind)),
            }
        }
        kinds.sort_unstable();
        kinds.dedup();
        (!kinds.is_empty()).then_some(kinds)
    }
}
