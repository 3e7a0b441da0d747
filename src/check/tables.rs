//! Tables of cards and other faces, written in TOML: their rows become the members of a domain, their columns
//! constants that rules read as `card.price`. A cell is an expression of the language, checked where it stands.
//!
//! A table is read in three steps. [`Checker::faces`] makes the members and keeps the cells; [`Checker::column_types`]
//! says what the columns are, once all kinds of thing have names; [`Checker::cells`] checks the cells, once
//! everything has. What reads a file is in `rows`, what uses a column in `columns`.

use std::collections::BTreeMap;

use super::rows::{Cell, Row};
use super::scope::{Home, Scope};
use super::types::{Written, field_type};
use super::{Checker, errors};
use crate::program::{Constant, Domain, DomainId, DomainKind, FieldType, Member, Table, TableId, Type};
use crate::source::Span;
use crate::syntax::ast::{self, TypeKind};

/// The most entries that a list in a table may have.
pub(super) const MOST_ENTRIES: usize = 64;
/// What the kinds of word are called that the texts of a column are.
pub(super) const TEXT: &str = "text";
/// Keys of a row that are no columns.
pub(super) const KEYS: [&str; 2] = ["name", "count"];

/// One version of a declaration with faces: those that it lists, and a table with more of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Faces<'a> {
    /// It stands on one below it, and may give new counts.
    pub change: bool,
    pub layer: usize,
    pub listed: &'a [(ast::Name, Option<i64>)],
    pub columns: &'a [ast::Field],
    pub file: Option<&'a ast::Text>,
    /// What the file calls a row: `[[card]]`.
    pub row: &'static str,
}

/// The columns of a domain's members and their cells.
#[derive(Debug)]
pub(super) struct FaceTable<'a> {
    pub domain: DomainId,
    pub columns: Vec<Column<'a>>,
    /// By member; behind them rows that are no member, whose cells are looked at all the same.
    rows: Vec<Row<'a>>,
    /// Words of a domain and the column that each of them names, as one table.
    pub by_word: BTreeMap<DomainId, TableId>,
}

#[derive(Debug)]
pub(super) struct Column<'a> {
    pub name: &'a ast::Name,
    field: &'a ast::Field,
    pub kind: ColumnKind,
    written: Written,
}

/// What holds constants of a type: a column, or what a case carries.
#[derive(Debug)]
pub(super) struct Holder<'h> {
    pub name: &'h ast::Name,
    pub written: &'h Written,
}

impl<'a> Column<'a> {
    fn holder(&self) -> Holder<'_> {
        Holder { name: self.name, written: &self.written }
    }

    /// A row without this column is a fault.
    fn is_needed(&self) -> bool {
        self.field.initial.is_none() && !self.written.or_none
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnKind {
    /// A fault was reported.
    Unknown,
    One(TableId),
    /// The entries, and the set of the places in the list that are taken.
    List {
        entries: TableId,
        places: TableId,
    },
}

impl<'a> Checker<'a> {
    /// The members of a domain of faces from all versions of its declaration; gives how many there are of each.
    pub(super) fn faces(&mut self, domain: DomainId, versions: &[Faces<'a>]) -> Vec<i64> {
        let mut counts = Vec::new();
        let mut table = FaceTable { domain, columns: Vec::new(), rows: Vec::new(), by_word: BTreeMap::new() };
        let mut strays = Vec::new();
        for version in versions {
            for field in version.columns {
                self.add_column(&mut table, field);
            }
        }
        for version in versions {
            for (name, count) in version.listed {
                let row = Row::listed(name.clone());
                let count = count.unwrap_or(1);
                strays.extend(self.face(domain, name, count, version.change, &mut counts, &mut table.rows, row));
            }
            let Some(file) = version.file else { continue };
            let names: Vec<&str> = table.columns.iter().map(|c| c.name.text.as_str()).collect();
            for row in self.rows(file, version.layer, version.row, &names) {
                let number = self.program.domains.get(domain.index()).map_or(0, |d| d.members.len()) + 1;
                let name = row.name.clone().unwrap_or_else(|| ast::Name {
                    text: format!("{}_{number}", self.domain_name(domain)),
                    span: row.span,
                });
                let count = row.count;
                strays.extend(self.face(domain, &name, count, version.change, &mut counts, &mut table.rows, row));
            }
        }
        table.rows.append(&mut strays);
        if !table.columns.is_empty() {
            self.face_tables.push(table);
        }
        counts
    }

    /// One kind of face, new or with another count. Gives back the row of one that is there already.
    #[allow(clippy::too_many_arguments, reason = "they are what a member is made of")]
    fn face(
        &mut self,
        domain: DomainId,
        name: &ast::Name,
        count: i64,
        change: bool,
        counts: &mut Vec<i64>,
        rows: &mut Vec<Row<'a>>,
        row: Row<'a>,
    ) -> Option<Row<'a>> {
        match self.member_named(domain, &name.text) {
            Some(known) if change => {
                if let Some(slot) = counts.get_mut(known as usize) {
                    *slot = count;
                }
                if let Some(slot) = rows.get_mut(known as usize).filter(|_| row.file.is_some()) {
                    *slot = row;
                }
                None
            }
            Some(known) => {
                let first = self.member_span(domain, known);
                self.sink.push(errors::listed_twice(name.span, &name.text, first));
                Some(row)
            }
            None => {
                self.add_member(domain, name);
                counts.push(count);
                rows.push(row);
                None
            }
        }
    }

    fn add_column(&mut self, table: &mut FaceTable<'a>, field: &'a ast::Field) {
        let name = &field.name;
        if let Some(first) = table.columns.iter().find(|c| c.name.text == name.text) {
            self.sink.push(errors::listed_twice(name.span, &name.text, first.name.span));
            return;
        }
        if KEYS.contains(&name.text.as_str()) {
            self.sink.push(errors::column_called_like_a_key(name.span, &name.text));
            return;
        }
        if field.hidden || field.clamped {
            self.sink.push(errors::column_with_flag(name.span, &name.text));
        }
        table.columns.push(Column { name, field, kind: ColumnKind::Unknown, written: Written::default() });
    }

    /// What the columns are, now that every kind of thing has a name.
    pub(super) fn column_types(&mut self) {
        let mut tables = std::mem::take(&mut self.face_tables);
        for table in &mut tables {
            for column in &mut table.columns {
                self.column_type(table.domain, column);
            }
        }
        self.face_tables = tables;
    }

    fn column_type(&mut self, of: DomainId, column: &mut Column<'a>) {
        match &column.field.ty.kind {
            TypeKind::Text => {
                // Texts are words of a kind that no rule can name.
                let kind = DomainKind::Words;
                let domain = Domain { name: TEXT.to_owned(), kind, members: Vec::new(), span: column.name.span };
                let ty = Type::Member(self.add_domain(domain));
                column.written = Written { ty: Some(ty), ..Written::default() };
                let table = self.add_table(of, column, None, ty);
                column.kind = ColumnKind::One(table);
            }
            TypeKind::List(inner) => {
                if let TypeKind::List(_) | TypeKind::Text = inner.kind {
                    self.sink.push(errors::list_of_what(inner.span));
                    return;
                }
                column.written = self.written_type(inner, false);
                if field_type(&column.written).is_none() {
                    return;
                }
                let entries = self.add_table(of, column, Some(0), column.written.ty());
                let places = self.list_places();
                let places = self.add_table(of, column, None, Type::Set(places));
                column.kind = ColumnKind::List { entries, places };
            }
            TypeKind::Range(..)
            | TypeKind::RangeOr(..)
            | TypeKind::OneOf(_)
            | TypeKind::Words(_)
            | TypeKind::Bag(_)
            | TypeKind::Set(_)
            | TypeKind::Sized(..)
            | TypeKind::Bad => {
                column.written = self.written_type(&column.field.ty, false);
                if field_type(&column.written).is_some() {
                    let table = self.add_table(of, column, None, column.written.ty());
                    column.kind = ColumnKind::One(table);
                }
            }
        }
    }

    fn add_table(&mut self, of: DomainId, column: &Column<'a>, width: Option<usize>, ty: Type) -> TableId {
        let none = field_type(&column.written).and_then(|(_, none)| none);
        let (name, span) = (column.name.text.clone(), column.name.span);
        self.program.tables.push(Table { name, of, width, ty, none, values: Vec::new(), span });
        TableId(self.program.tables.len() as u32 - 1)
    }

    /// The domain of the places in lists.
    pub(super) fn list_places(&mut self) -> DomainId {
        if let Some(domain) = self.list_places {
            return domain;
        }
        let span = Span::default();
        let members = (1..=MOST_ENTRIES).map(|n| Member { name: n.to_string(), span }).collect();
        let name = "place in a list".to_owned();
        let domain = self.add_domain(Domain { name, kind: DomainKind::Words, members, span });
        self.list_places = Some(domain);
        domain
    }

    /// Checks the cells, now that everything has a name.
    pub(super) fn cells(&mut self) {
        let tables = std::mem::take(&mut self.face_tables);
        for table in &tables {
            for column in &table.columns {
                self.left_out(table, column);
                self.column_cells(table, column);
            }
            self.listed_cards(table);
        }
        self.face_tables = tables;
    }

    /// Cards that the rules list have no cells.
    fn listed_cards(&mut self, table: &FaceTable<'a>) {
        let Some(column) = table.columns.iter().find(|column| column.is_needed()) else { return };
        for row in table.rows.iter().filter(|row| row.file.is_none()) {
            let name = row.name.as_ref().map_or("", |name| name.text.as_str());
            self.sink.push(errors::listed_without_columns(row.span, name, &column.name.text, column.name.span));
        }
    }

    /// Says which rows do not have a column that they need.
    fn left_out(&mut self, table: &FaceTable<'a>, column: &Column<'a>) {
        if !column.is_needed() || column.kind == ColumnKind::Unknown {
            return;
        }
        let (name, declared) = (column.name.text.as_str(), column.name.span);
        let read: Vec<&Row> = table.rows.iter().filter(|row| row.file.is_some()).collect();
        let lacks = |row: &&&Row| row.whole && !row.cells.contains_key(name);
        let lacking: Vec<&&Row> = read.iter().filter(lacks).collect();
        if let (Some(first), true) = (lacking.first(), lacking.len() == read.len() && read.len() > 1) {
            self.sink.push(errors::column_of_no_row(declared, name, first.span));
            return;
        }
        for row in lacking {
            let at = row.name.as_ref().map_or(row.span, |name| name.span);
            self.sink.push(errors::column_left_out(at, name, declared));
        }
    }

    fn column_cells(&mut self, table: &FaceTable<'a>, column: &Column<'a>) {
        let name = &column.name.text;
        let initial = column.field.initial.as_ref().and_then(|initial| self.initial_cell(initial, column));
        let of_row = |row: &Row<'a>| row.cells.get(name.as_str()).cloned();
        match column.kind {
            ColumnKind::Unknown => {}
            ColumnKind::One(id) => {
                let mut values = Vec::new();
                for row in &table.rows {
                    let value = match of_row(row) {
                        Some(cell) => self.one_cell(&cell, column),
                        None => initial.clone(),
                    };
                    let missing = self.program.tables.get(id.index()).map_or(Constant::Word(0), Table::missing);
                    values.push(value.unwrap_or(missing));
                }
                self.fill_table(id, None, values);
            }
            ColumnKind::List { entries, places } => {
                let mut lists: Vec<Vec<Constant>> = Vec::new();
                for row in &table.rows {
                    let list = match of_row(row) {
                        Some(cell) => self.list_cell(&cell, column),
                        None => Vec::new(),
                    };
                    lists.push(list);
                }
                let width = lists.iter().map(Vec::len).max().unwrap_or(0).max(1);
                let taken = lists.iter().map(|l| Constant::Set((0..l.len() as u32).collect())).collect();
                self.fill_table(places, None, taken);
                let missing = self.program.tables.get(entries.index()).map_or(Constant::Word(0), Table::missing);
                for list in &mut lists {
                    list.resize(width, missing.clone());
                }
                self.fill_table(entries, Some(width), lists.into_iter().flatten().collect());
            }
        }
    }

    fn fill_table(&mut self, table: TableId, width: Option<usize>, values: Vec<Constant>) {
        if let Some(table) = self.program.tables.get_mut(table.index()) {
            table.values = values;
            table.width = width;
        }
    }

    fn initial_cell(&mut self, initial: &ast::Expr, column: &Column<'a>) -> Option<Constant> {
        let (_, value) =
            self.within(Scope::new(Home::Nowhere), |checker| checker.constant_held(initial, &column.holder()));
        value
    }

    fn list_cell(&mut self, cell: &Cell<'a>, column: &Column<'a>) -> Vec<Constant> {
        let Some(entries) = cell.entries() else {
            self.sink.push(errors::wrong_cell(cell.span, &column.name.text, "a list `[…, …]`", cell.kind()));
            return Vec::new();
        };
        if let Some(first) = entries.get(MOST_ENTRIES) {
            self.sink.push(errors::list_too_long(first.span, MOST_ENTRIES));
            return Vec::new();
        }
        entries.iter().filter_map(|entry| self.one_cell(entry, column)).collect()
    }

    /// The value of a cell; None after a fault.
    fn one_cell(&mut self, cell: &Cell<'a>, column: &Column<'a>) -> Option<Constant> {
        let ty = column.written.ty();
        if let (TypeKind::Text, Type::Member(domain)) = (&column.field.ty.kind, ty) {
            let Some(text) = cell.text() else {
                self.sink.push(errors::wrong_cell(cell.span, &column.name.text, "a text in quotes", cell.kind()));
                return None;
            };
            return Some(Constant::Word(self.text_member(domain, text, cell.span)));
        }
        if let (Some(number), Type::Number) = (cell.number(), ty) {
            return self.fitting_number(number, cell.span, &column.holder()).then_some(Constant::Word(number));
        }
        if let (Some(truth), Type::Truth) = (cell.truth(), ty) {
            return Some(Constant::Word(i64::from(truth)));
        }
        if cell.text().is_none() {
            let wanted = self.type_name(ty);
            let wanted = match ty {
                Type::Number => wanted,
                Type::Truth => "`true` or `false`".to_owned(),
                _ => format!("{wanted}, written as a text in quotes"),
            };
            self.sink.push(errors::wrong_cell(cell.span, &column.name.text, &wanted, cell.kind()));
            return None;
        }
        let expr = cell.expr(self.sources, self.sink)?;
        let (_, value) =
            self.within(Scope::new(Home::Nowhere), |checker| checker.constant_held(&expr, &column.holder()));
        value
    }

    /// The number of a text among those of a column.
    fn text_member(&mut self, domain: DomainId, text: &str, span: Span) -> i64 {
        let Some(domain) = self.program.domains.get_mut(domain.index()) else { return -1 };
        if let Some(known) = domain.members.iter().position(|m| m.name == text) {
            return known as i64;
        }
        domain.members.push(Member { name: text.to_owned(), span });
        domain.members.len() as i64 - 1
    }

    fn fitting_number(&mut self, number: i64, span: Span, column: &Holder<'_>) -> bool {
        let (low, high) = column.written.range.unwrap_or((number, number));
        let fits = (low..=high).contains(&number);
        if !fits {
            self.sink.push(errors::out_of_range(span, number, low, high, &column.name.text, column.name.span));
        }
        fits
    }

    /// An expression as a constant that a column, or a case, can hold.
    pub(super) fn constant_held(&mut self, expr: &ast::Expr, column: &Holder<'_>) -> Option<Constant> {
        let ty = column.written.ty();
        if matches!(&expr.kind, ast::ExprKind::Name(name) if name.text == "none") {
            if !column.written.or_none {
                self.sink.push(errors::never_none(expr.span, Some(column.name.span)));
                return None;
            }
            let none = field_type(column.written).and_then(|(_, none)| none);
            return Some(Constant::Word(none.unwrap_or(-1)));
        }
        let found = self.expect(expr, ty);
        if found.ty == Type::Unknown {
            return None;
        }
        let Some(value) = super::constants::constant(&found, &self.program) else {
            self.sink.push(errors::cell_not_constant(expr.span));
            return None;
        };
        let among = match field_type(column.written) {
            Some((FieldType::Member { among, .. } | FieldType::Bag { among, .. }, _)) => among,
            Some((FieldType::Truth | FieldType::Number { .. } | FieldType::Set(_), _)) | None => {
                column.written.among.clone()
            }
        };
        let strange = |member: &u32| among.as_ref().is_some_and(|among| !among.contains(member));
        let wrong = match (&value, ty) {
            (Constant::Word(number), Type::Number) => {
                return self.fitting_number(*number, expr.span, column).then_some(value);
            }
            (Constant::Word(member), _) => u32::try_from(*member).ok().filter(strange),
            (Constant::Set(members), _) => members.iter().copied().find(strange),
            (Constant::Bag(kinds), _) => kinds.iter().map(|(kind, _)| *kind).find(strange),
        };
        if let (Some(member), Type::Member(domain) | Type::Set(domain) | Type::Bag(domain)) = (wrong, ty) {
            let members = self.program.domains.get(domain.index()).map_or(&[][..], |d| d.members.as_slice());
            let name = members.get(member as usize).map_or("", |m| m.name.as_str());
            let fault = errors::not_one_of(expr.span, name, &column.name.text, column.name.span);
            self.sink.push(fault);
            return None;
        }
        Some(value)
    }
}
