//! Constants of the members of a domain, such as the columns of a table of cards: an array in memory, read by the
//! member's number. Where the member is known, so is the value.

use super::Lower;
use super::environment::Val;
use super::sets::SetAt;
use super::values::compare;
use crate::engine::code::set_words;
use crate::engine::instr::Op;
use crate::program::{Compare, Constant, DomainId, Expr, Table, TableId};

/// The most different values of a column for which sets are computed beforehand.
const MOST_VALUES: i64 = 64;

impl<'p> Lower<'p> {
    /// The constant that is meant, if that is known now.
    pub fn known_lookup(&mut self, table: TableId, of: &'p Expr, place: Option<&'p Expr>) -> Option<Constant> {
        let member = self.known(of)?;
        let place = match place {
            Some(place) => self.known(place)?,
            None => 0,
        };
        self.program.tables.get(table.index()).map(|table| table.at(member, place))
    }

    /// Reads a constant that only a running game knows.
    pub fn lookup(&mut self, table: TableId, of: &'p Expr, place: Option<&'p Expr>, to: u16, words: usize) {
        let Some(decl) = self.program.tables.get(table.index()) else { return };
        let at = match self.lookups.get(&table) {
            Some(at) => *at,
            None => self.lay_table(table, words),
        };
        let mut index = self.value(of);
        if let Some(place) = place {
            // Behind the values of each member lies what is read for no place.
            let (member, place) = (self.address(index), self.value_at(place));
            let (sum, width) = (self.asm.scratch(1), self.number(row_of(decl) as i64));
            self.asm.emit(Op::Multiply, sum, member, width);
            self.asm.emit(Op::Add, sum, sum, place);
            index = Val::At(sum);
        }
        let index = self.address(index);
        self.asm.emit(Op::Load1.wide(words), to, at, index);
    }

    /// The members whose constant compares like this with a value of the game: one of the sets that are computed now for
    /// each value that there is. None if they are too many.
    pub fn column_as_set(&mut self, table: TableId, domain: DomainId, op: Compare, right: &'p Expr) -> Option<SetAt> {
        let decl = self.program.tables.get(table.index())?;
        let word = |member: usize| match decl.at(member as i64, 0) {
            Constant::Word(word) => Some(word),
            Constant::Set(_) | Constant::Bag(_) => None,
        };
        let values: Vec<i64> = (0..self.size(domain)).map(word).collect::<Option<_>>()?;
        let (low, high) = (values.iter().min()?.checked_sub(1)?, values.iter().max()?.checked_add(1)?);
        if high.checked_sub(low)? > MOST_VALUES {
            return None;
        }
        let words = set_words(values.len());
        let row = |value: i64| {
            let mut row = vec![0; words];
            for (member, _) in values.iter().enumerate().filter(|(_, v)| compare(op, **v, value)) {
                row[member / 64] |= 1 << (member % 64);
            }
            row
        };
        match self.value(right) {
            Val::Known(value) => Some(self.known_set(row(value))),
            Val::At(value) => {
                // A value below or above all of theirs is like the next one.
                let rows: Vec<u64> = (low..=high).flat_map(row).collect();
                let rows = self.memory.constant(&rows);
                let (low, high, index) = (self.number(low), self.number(high), self.asm.scratch(1));
                self.asm.emit(Op::Max, index, value, low);
                self.asm.emit(Op::Min, index, index, high);
                self.asm.emit(Op::Subtract, index, index, low);
                let to = self.asm.scratch(words);
                self.asm.emit(Op::Load1.wide(words), to, rows, index);
                Some(SetAt { at: to, words, known: None })
            }
        }
    }

    /// Lays a table into memory; the row before the first is that of no member.
    fn lay_table(&mut self, table: TableId, words: usize) -> u16 {
        let Some(decl) = self.program.tables.get(table.index()) else { return 0 };
        let row = row_of(decl);
        let members = self.size(decl.of);
        let mut all = Vec::with_capacity((members + 1) * row * words);
        for member in -1..members as i64 {
            for place in 0..row as i64 {
                all.extend(decl.at(member, place).words(words));
            }
        }
        let at = self.memory.table(&all, 0) + (row * words) as u16;
        self.lookups.insert(table, at);
        at
    }
}

/// How many values lie in memory for each member.
fn row_of(table: &Table) -> usize {
    table.width.map_or(1, |width| width + 1)
}
