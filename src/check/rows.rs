//! The rows of a table as they stand in its TOML file, one `[[card]]` each, with the place of every cell. What is
//! not as a table has to be is told here; what the cells mean is not asked.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::declare::MOST_MEMBERS;
use super::tables::KEYS;
use super::{Checker, errors};
use crate::diagnostic::{Sink, near_names};
use crate::source::folder::stays_inside;
use crate::source::manifest::{integer, kind, parse_toml};
use crate::source::{FileId, Sources, Span};
use crate::syntax::{self, ast};

#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    pub name: Option<ast::Name>,
    pub count: i64,
    /// The row's heading.
    pub span: Span,
    /// By the name of the column.
    pub cells: BTreeMap<String, Cell<'a>>,
    /// None for a row that the rules list.
    pub file: Option<FileId>,
    /// All of it could be read, so that what is not there is missing.
    pub whole: bool,
}

impl Row<'_> {
    /// A row without cells, listed in the rules.
    pub fn listed(name: ast::Name) -> Row<'static> {
        Row { span: name.span, name: Some(name), count: 1, cells: BTreeMap::new(), file: None, whole: true }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Cell<'a> {
    value: Spanned<DeValue<'a>>,
    pub span: Span,
}

impl<'a> Cell<'a> {
    fn new(file: FileId, value: &Spanned<DeValue<'a>>) -> Cell<'a> {
        Cell { value: value.clone(), span: span(file, value) }
    }

    pub fn kind(&self) -> &'static str {
        kind(self.value.get_ref())
    }

    pub fn number(&self) -> Option<i64> {
        integer(self.value.get_ref())
    }

    pub fn truth(&self) -> Option<bool> {
        self.value.get_ref().as_bool()
    }

    pub fn text(&self) -> Option<&str> {
        self.value.get_ref().as_str()
    }

    pub fn entries(&self) -> Option<Vec<Cell<'a>>> {
        let list = self.value.get_ref().as_array()?;
        Some(list.iter().map(|entry| Cell::new(self.span.file, entry)).collect())
    }

    /// The text as an expression of the language; None after a fault.
    pub fn expr(&self, sources: &Sources, sink: &mut Sink) -> Option<ast::Expr> {
        let text = self.text()?;
        let written = sources.text(self.span);
        let quotes = if written.starts_with("\"\"\"") || written.starts_with("'''") { 3 } else { 1 };
        let inner = written.get(quotes..written.len().saturating_sub(quotes)).unwrap_or("");
        let start = self.span.start as usize + quotes;
        if text.trim().is_empty() {
            sink.push(errors::empty_cell(self.span));
            return None;
        }
        if inner == text {
            return syntax::parse_expr(self.span.file, text, start, sink);
        }
        // Where signs are written in another way, places in the text are not those in the file.
        let mut told = Sink::new();
        let found = syntax::parse_expr(self.span.file, text, start, &mut told);
        for mut fault in told.sorted() {
            fault.span = self.span;
            sink.push(fault);
        }
        found
    }
}

fn span<T>(file: FileId, spanned: &Spanned<T>) -> Span {
    Span::new(file, spanned.span().start, spanned.span().end)
}

impl<'a> Checker<'a> {
    /// The rows of the file that a ruleset names; `heading` is what it calls a row, `columns` are those declared.
    pub(super) fn rows(
        &mut self,
        named: &ast::Text,
        layer: usize,
        heading: &'static str,
        columns: &[&str],
    ) -> Vec<Row<'a>> {
        let tables = self.input.layers.get(layer).map_or(&[][..], |l| l.tables.as_slice());
        let Some((_, file)) = tables.iter().find(|(name, _)| *name == named.text) else {
            if !stays_inside(&named.text) {
                self.sink.push(errors::table_leads_out(named.span, &named.text));
            } else if self.input.complete {
                let names: Vec<&str> = tables.iter().map(|(n, _)| n.as_str()).collect();
                self.sink.push(errors::no_such_file(named.span, &named.text, &names));
            }
            self.incomplete = true;
            return Vec::new();
        };
        let (file, sources) = (*file, self.sources);
        let (table, whole) = parse_toml(file, &sources.file(file).text, self.sink);
        self.incomplete |= !whole;
        let mut found = false;
        let mut rows = Vec::new();
        for (key, value) in &table {
            if key.get_ref() != heading {
                self.sink.push(errors::unknown_heading(span(file, key), key.get_ref(), heading));
                found |= !near_names(key.get_ref(), [heading]).is_empty();
                continue;
            }
            found = true;
            let entries = value.get_ref().as_array().map_or(&[][..], |list| list);
            if value.get_ref().as_array().is_none() {
                self.sink.push(errors::not_rows(span(file, value), heading));
            }
            if let Some(first) = entries.get(MOST_MEMBERS) {
                self.sink.push(errors::table_too_long(span(file, first), MOST_MEMBERS));
            }
            for entry in entries.iter().take(MOST_MEMBERS) {
                match entry.get_ref().as_table() {
                    Some(row) => rows.push((span(file, entry), row.clone())),
                    None => self.sink.push(errors::not_rows(span(file, entry), heading)),
                }
            }
        }
        if !found && whole {
            self.sink.push(errors::table_without_rows(Span::new(file, 0, 0), heading));
        }
        rows.into_iter().map(|(at, row)| self.row(file, at, row, whole, columns)).collect()
    }

    fn row(&mut self, file: FileId, at: Span, cells: DeTable<'a>, whole: bool, columns: &[&str]) -> Row<'a> {
        let mut row = Row { name: None, count: 1, span: at, cells: BTreeMap::new(), file: Some(file), whole };
        for (key, value) in &cells {
            let (word, key_span, cell) = (key.get_ref().as_ref(), span(file, key), Cell::new(file, value));
            match word {
                "name" => row.name = self.row_name(&cell),
                "count" => row.count = self.row_count(&cell),
                _ if columns.contains(&word) => {
                    row.cells.insert(word.to_owned(), cell);
                }
                _ => {
                    let near = near_names(word, columns.iter().copied().chain(KEYS));
                    let fault = errors::unknown_column(key_span, word, &near, columns);
                    self.sink.push(fault);
                    // What was meant by it is not missing.
                    row.whole &= near.is_empty();
                }
            }
        }
        row
    }

    /// A row's name, if it can be one.
    fn row_name(&mut self, cell: &Cell<'a>) -> Option<ast::Name> {
        let text = match (cell.text(), cell.number()) {
            (Some(text), _) => text.to_owned(),
            (None, Some(number)) => number.to_string(),
            (None, None) => {
                self.sink.push(errors::wrong_cell(cell.span, "name", "a text in quotes", cell.kind()));
                return None;
            }
        };
        let mut told = Sink::new();
        let read = syntax::parse_expr(cell.span.file, &text, 0, &mut told);
        let can_be = match read.map(|expr| expr.kind) {
            Some(ast::ExprKind::Name(name)) => name.text == text,
            Some(ast::ExprKind::Int(_)) => true,
            Some(_) | None => false,
        };
        if !can_be {
            self.sink.push(errors::row_name(cell.span, &text));
            return None;
        }
        Some(ast::Name { text, span: cell.span })
    }

    fn row_count(&mut self, cell: &Cell<'a>) -> i64 {
        match cell.number() {
            Some(count @ 0..) => count,
            Some(_) => {
                self.sink.push(errors::row_count(cell.span));
                1
            }
            None => {
                self.sink.push(errors::wrong_cell(cell.span, "count", "a number", cell.kind()));
                1
            }
        }
    }
}
