//! Columns of tables where rules use them: `card.price`, `purse where price has coin`, `card[d]`, and lists.

use super::expr::{arith, compare, number};
use super::names::Entry;
use super::paths::unknown;
use super::tables::{ColumnKind, MOST_ENTRIES};
use super::{Checker, errors};
use crate::diagnostic::near_names;
use crate::program::{
    Arith, Block, Compare, Constant, DomainId, DomainKind, Expr, ExprKind, For, LocalType, Stmt, StmtKind, Table,
    TableId, TokensId, Type,
};
use crate::source::Span;
use crate::syntax::ast;

/// A list in a table: the tables of its entries and of the places that are taken, and whose it is.
#[derive(Clone, Debug)]
pub(super) struct List {
    entries: TableId,
    places: TableId,
    of: Expr,
}

impl<'a> Checker<'a> {
    /// Is this the name of a column of some table?
    pub(super) fn is_column(&self, name: &str) -> bool {
        self.face_tables.iter().any(|t| t.columns.iter().any(|c| c.name.text == name)) || self.is_carried(name)
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
        self.face_tables.iter().filter(has).map(|t| t.domain).chain(self.carriers(name)).collect()
    }

    /// The column of a domain's members.
    pub(super) fn column_of(&self, domain: DomainId, name: &str) -> Option<ColumnKind> {
        let table = self.face_tables.iter().find(|t| t.domain == domain)?;
        table.columns.iter().find(|c| c.name.text == name).map(|c| c.kind)
    }

    /// `card.price`: what the column holds for a member. None if such a member has no such column.
    pub(super) fn column(&mut self, of: &Expr, name: &ast::Name, span: Span) -> Option<Expr> {
        let Type::Member(domain) = of.ty else { return None };
        if let Some(carried) = self.carried(of, domain, &name.text, span) {
            return Some(carried);
        }
        Some(match self.column_of(domain, &name.text)? {
            ColumnKind::Unknown => unknown(span),
            ColumnKind::One(table) => self.lookup(table, of.clone(), None, span),
            ColumnKind::List { .. } => {
                self.sink.push(errors::list_as_value(span, &name.text));
                unknown(span)
            }
        })
    }

    /// Says that a token has nothing of this name.
    pub(super) fn no_attribute(&mut self, tokens: TokensId, name: &ast::Name) {
        let Some((what, faces)) = self.tokens(tokens).map(|t| (t.name.clone(), t.faces)) else { return };
        let table = self.face_tables.iter().find(|t| t.domain == faces);
        let columns = table.into_iter().flat_map(|t| t.columns.iter().map(|c| c.name.text.as_str()));
        let known: Vec<&str> = columns.chain(["face", "seen"]).collect();
        let near = near_names(&name.text, known.iter().copied());
        let fault = errors::no_such_column(name.span, &name.text, &format!("a `{what}`"), &near, &known);
        self.sink.push(fault);
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

    /// `card[d]`: the column that a word names. None if that is nothing that a word could name.
    pub(super) fn column_by_word(&mut self, of: &Expr, index: &ast::Expr, span: Span) -> Option<Expr> {
        let Type::Member(domain) = of.ty else { return None };
        if !self.has_columns(domain) {
            return None;
        }
        if let ast::ExprKind::Name(name) = &index.kind
            && self.scope.find(&name.text).is_none()
            && !matches!(self.names.peek(&name.text), Some(Entry::Field(_) | Entry::Function(_) | Entry::Option(_)))
        {
            return Some(self.column(of, name, span).unwrap_or_else(|| {
                self.no_column(domain, name);
                unknown(span)
            }));
        }
        let index = self.expr(index, Type::Unknown);
        Some(match index.ty {
            Type::Unknown => unknown(span),
            Type::Member(words) if self.is_words(words) => match self.table_by_word(domain, words, index.span) {
                Some(table) => self.lookup(table, of.clone(), Some(index), span),
                None => unknown(span),
            },
            ty => {
                let what = self.type_name(ty);
                self.sink.push(errors::columns_by_what(index.span, &what));
                unknown(span)
            }
        })
    }

    fn is_words(&self, domain: DomainId) -> bool {
        self.program.domains.get(domain.index()).is_some_and(|d| d.kind == DomainKind::Words)
    }

    /// The columns that the words of a domain name, side by side; None after a fault.
    fn table_by_word(&mut self, domain: DomainId, words: DomainId, span: Span) -> Option<TableId> {
        let known = self.face_tables.iter().find(|t| t.domain == domain)?.by_word.get(&words).copied();
        if known.is_some() {
            return known;
        }
        let members = self.program.domains.get(words.index())?.members.clone();
        let mut columns: Vec<Table> = Vec::new();
        for word in &members {
            let table = match self.column_of(domain, &word.name) {
                Some(ColumnKind::One(table)) => self.program.tables.get(table.index()).cloned()?,
                Some(ColumnKind::Unknown) => return None,
                Some(ColumnKind::List { .. }) | None => {
                    let what = self.type_name(Type::Member(domain));
                    self.sink.push(errors::word_of_no_column(span, &word.name, &what, word.span));
                    return None;
                }
            };
            if let Some(first) = columns.first()
                && (first.ty, first.none) != (table.ty, table.none)
            {
                let fault = errors::columns_differ(span, &first.name, &table.name, first.span, table.span);
                self.sink.push(fault);
                return None;
            }
            columns.push(table);
        }
        let first = columns.first()?;
        let rows = first.values.len() as i64;
        let values = (0..rows).flat_map(|row| columns.iter().map(move |column| column.at(row, 0))).collect();
        let (ty, none, of, span) = (first.ty, first.none, first.of, first.span);
        let name = format!("columns by {}", self.domain_name(words));
        let id = TableId(self.program.tables.len() as u32);
        self.program.tables.push(Table { name, of, width: Some(columns.len()), ty, none, values, span });
        if let Some(table) = self.face_tables.iter_mut().find(|t| t.domain == domain) {
            table.by_word.insert(words, id);
        }
        Some(id)
    }

    /// Does an expression read like a list, by the name of a column of lists?
    pub(super) fn names_list(&self, expr: &ast::Expr) -> bool {
        let name = match &expr.kind {
            ast::ExprKind::Name(name) => name,
            ast::ExprKind::Of { left, .. } => match &left.kind {
                ast::ExprKind::Name(name) => name,
                _ => return false,
            },
            _ => return false,
        };
        let is_list = |kind: ColumnKind| matches!(kind, ColumnKind::List { .. });
        self.scope.find(&name.text).is_none()
            && self.names.peek(&name.text).is_none()
            && self.domains_with(&name.text).iter().any(|d| self.column_of(*d, &name.text).is_some_and(is_list))
    }

    /// The list that an expression names, or else its value.
    pub(super) fn list(&mut self, expr: &ast::Expr) -> Result<List, Expr> {
        let span = expr.span;
        let (name, of) = match &expr.kind {
            ast::ExprKind::Name(name) => {
                let domains = self.domains_with(&name.text);
                let face = self.face_tested(&name.text, span);
                (name, face.or_else(|| domains.iter().find_map(|domain| self.scope.it_of(*domain, span))))
            }
            ast::ExprKind::Of { left, right, .. } => match &left.kind {
                ast::ExprKind::Name(name) if self.token_of(right).is_some() => {
                    let slot = self.slot_of(right);
                    (name, Some(self.face_in(slot)))
                }
                ast::ExprKind::Name(name) => {
                    let domains = self.domains_with(&name.text);
                    (name, Some(self.key(right, &domains, None)))
                }
                _ => return Err(self.expr(expr, Type::Unknown)),
            },
            _ => return Err(self.expr(expr, Type::Unknown)),
        };
        let Some(of) = of else { return Err(self.expr(expr, Type::Unknown)) };
        match of.ty {
            Type::Member(domain) => match self.column_of(domain, &name.text) {
                Some(ColumnKind::List { entries, places }) => Ok(List { entries, places, of }),
                Some(ColumnKind::One(table)) => Err(self.lookup(table, of, None, span)),
                Some(ColumnKind::Unknown) => Err(unknown(span)),
                None => {
                    self.no_column(domain, name);
                    Err(unknown(span))
                }
            },
            Type::Unknown => Err(unknown(span)),
            ty => {
                let what = self.type_name(ty);
                self.sink.push(errors::column_of_what(span, &name.text, &what));
                Err(unknown(span))
            }
        }
    }

    /// How many entries a list has.
    pub(super) fn list_size(&self, list: List, span: Span) -> Expr {
        let places = self.lookup(list.places, list.of, None, span);
        Expr { kind: ExprKind::Count(Box::new(places)), ty: Type::Number, span }
    }

    /// `coin in card.gifts`: is there a place in the list with this entry?
    pub(super) fn in_list(&mut self, entry: &ast::Expr, list: List, span: Span) -> Expr {
        let over = self.lookup(list.places, list.of.clone(), None, span);
        let ty = self.program.tables.get(list.entries.index()).map_or(Type::Unknown, |t| t.ty);
        let wanted = self.expect(entry, ty);
        let Type::Set(places) = over.ty else { return unknown(span) };
        if let Type::Set(_) | Type::Bag(_) = ty {
            let what = self.type_name(ty);
            self.sink.push(errors::not_a_member(entry.span, &what));
            return unknown(span);
        }
        let local = self.scope.add("place", LocalType::Value(Type::Member(places)), None, span);
        let place = Expr { kind: ExprKind::Local(local), ty: Type::Member(places), span };
        let found = self.lookup(list.entries, list.of, Some(place), span);
        let cond = compare(Compare::Equal, found, wanted, span);
        let known = cond.ty;
        let kind = ExprKind::Filter { local, over: Box::new(over), cond: Box::new(cond) };
        let there = Expr { kind, ty: Type::Set(places), span };
        Expr { kind: ExprKind::Some(Box::new(there)), ty: known, span }
    }

    /// `card.tests[2]`: the entry there, counted from 1; behind the last one none, 0, no or empty.
    pub(super) fn list_entry(&mut self, list: List, index: &ast::Expr, span: Span) -> Expr {
        let index = self.expect(index, Type::Number);
        let width = self.program.tables.get(list.entries.index()).and_then(|t| t.width).unwrap_or(1) as i64;
        if let ExprKind::Number(number) = index.kind
            && !(1..=MOST_ENTRIES as i64).contains(&number)
        {
            self.sink.push(errors::no_such_entry(index.span, number, MOST_ENTRIES));
            return unknown(span);
        }
        if index.ty == Type::Unknown {
            return unknown(span);
        }
        let at = index.span;
        let from_zero = arith(Arith::Subtract, index, number(1, at), at);
        let above = arith(Arith::Max, from_zero, number(-1, at), at);
        let place = arith(Arith::Min, above, number(width, at), at);
        self.lookup(list.entries, list.of, Some(place), span)
    }

    /// `for t in card.tests { }`: a loop over the places of the list, in which the entry has the name.
    pub(super) fn for_entries(&mut self, each: &'a ast::For, list: List, span: Span, out: &mut Block) {
        for part in each.from.iter().map(|from| from.span).chain(each.at_once.then_some(each.over.span)) {
            self.sink.push(errors::from_without_players(part));
        }
        let level = self.scope.level();
        // The card whose list it is stays the same, whatever the body does.
        let card = self.scope.add("card", LocalType::Value(list.of.ty), None, span);
        let of = Expr { kind: ExprKind::Local(card), ty: list.of.ty, span: list.of.span };
        out.push(Stmt { kind: StmtKind::Let { local: card, value: list.of }, span });
        let over = self.lookup(list.places, of.clone(), None, each.over.span);
        let Type::Set(places) = over.ty else { return };
        let ty = Type::Member(places);
        let local = self.scope.add("place", LocalType::Value(ty), None, span);
        let place = Expr { kind: ExprKind::Local(local), ty, span };
        let entry = self.lookup(list.entries, of, Some(place), each.name.span);
        let among = self.kinds_in_table(list.entries).filter(|_| !matches!(entry.ty, Type::Number | Type::Truth));
        let named = self.new_local(&each.name, entry.ty, among);
        let mut body = vec![Stmt { kind: StmtKind::Let { local: named, value: entry }, span: each.name.span }];
        let guard = each.guard.as_ref().map(|guard| self.truth(guard));
        self.scope.loops += 1;
        let inner = self.block(&each.body);
        self.scope.loops -= 1;
        self.scope.back_to(level);
        match guard {
            Some(cond) => {
                let kind = StmtKind::If { cond, then: inner, otherwise: Vec::new() };
                body.push(Stmt { kind, span });
            }
            None => body.extend(inner),
        }
        let each = For { local, over, from: None, reversed: each.reversed, at_once: false, body };
        out.push(Stmt { kind: StmtKind::For(each), span });
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

    /// The same of the innermost element alone.
    pub(super) fn column_of_innermost(&mut self, name: &ast::Name) -> Option<Expr> {
        let it = self.scope.it(name.span)?;
        self.column(&it, name, name.span)
    }

    /// The columns of what is being tested.
    pub(super) fn columns_of_it(&self) -> impl Iterator<Item = &str> {
        let tested = self.face_tables.iter().filter(|t| self.scope.it_of(t.domain, Span::default()).is_some());
        tested.flat_map(|t| t.columns.iter().map(|c| c.name.text.as_str()))
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
