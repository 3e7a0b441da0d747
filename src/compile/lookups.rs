//! Constants of the members of a domain, such as the columns of a table of cards: an array in memory, read by the
//! member's number. Where the member is known, so is the value.

use super::Lower;
use super::environment::Val;
use crate::engine::instr::Op;
use crate::program::{Constant, Expr, Table, TableId};

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
