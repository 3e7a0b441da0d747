//! The values of typed expressions that need no game: what a cell of a table says.

use std::collections::BTreeSet;

use crate::program::{Arith, Constant, DomainKind, Expr, ExprKind, Program, Type};

/// The value of an expression of constants alone; None if it needs more.
pub fn constant(expr: &Expr, program: &Program) -> Option<Constant> {
    match expr.ty {
        Type::Truth | Type::Number | Type::Member(_) => word(expr, program).map(Constant::Word),
        Type::Set(_) => set(expr, program).map(|set| Constant::Set(set.into_iter().collect())),
        Type::Bag(_) => bag(expr, program).map(Constant::Bag),
        Type::Nothing | Type::Unknown => None,
    }
}

fn word(expr: &Expr, program: &Program) -> Option<i64> {
    let value = |expr: &Expr| word(expr, program);
    match &expr.kind {
        ExprKind::Number(number) => Some(*number),
        ExprKind::Truth(truth) => Some(i64::from(*truth)),
        ExprKind::Member(member) => Some(i64::from(*member)),
        ExprKind::None => Some(-1),
        ExprKind::Not(of) => Some(i64::from(value(of)? == 0)),
        ExprKind::Arith { op, left, right } => {
            let (left, right) = (value(left)?, value(right)?);
            match op {
                Arith::Add => left.checked_add(right),
                Arith::Subtract => left.checked_sub(right),
                Arith::Multiply => left.checked_mul(right),
                Arith::Divide => left.checked_div_euclid(right),
                Arith::Modulo => left.checked_rem_euclid(right),
                Arith::Min => Some(left.min(right)),
                Arith::Max => Some(left.max(right)),
            }
        }
        ExprKind::Lookup { table, of, place } => {
            let place = place.as_ref().map_or(Some(0), |place| value(place))?;
            match program.tables.get(table.index())?.at(value(of)?, place) {
                Constant::Word(word) => Some(word),
                Constant::Set(_) | Constant::Bag(_) => None,
            }
        }
        _ => None,
    }
}

fn set(expr: &Expr, program: &Program) -> Option<BTreeSet<u32>> {
    let inner = |expr: &Expr| set(expr, program);
    match &expr.kind {
        ExprKind::Members(members) => Some(members.iter().copied().collect()),
        ExprKind::SetOf(members) => members.iter().map(|m| u32::try_from(word(m, program)?).ok()).collect(),
        ExprKind::All(domain) => {
            let domain = program.domains.get(domain.index())?;
            match domain.kind {
                DomainKind::Cards(_) | DomainKind::Terrain | DomainKind::Words => {
                    Some((0..domain.members.len() as u32).collect())
                }
                DomainKind::Player
                | DomainKind::Goods { .. }
                | DomainKind::Phase
                | DomainKind::Places
                | DomainKind::Slots { .. } => None,
            }
        }
        ExprKind::Union(a, b) => Some(&inner(a)? | &inner(b)?),
        ExprKind::Intersect(a, b) => Some(&inner(a)? & &inner(b)?),
        ExprKind::Without(a, b) => Some(&inner(a)? - &inner(b)?),
        ExprKind::Kinds(of) => Some(bag(of, program)?.into_iter().map(|(kind, _)| kind).collect()),
        _ => None,
    }
}

fn bag(expr: &Expr, program: &Program) -> Option<Vec<(u32, i64)>> {
    let mut kinds: Vec<(u32, i64)> = Vec::new();
    let mut add = |kind: u32, count: i64| match kinds.iter_mut().find(|(k, _)| *k == kind) {
        Some((_, sum)) => *sum += count,
        None => kinds.push((kind, count)),
    };
    match &expr.kind {
        ExprKind::BagOf(entries) => {
            for (kind, count) in entries {
                add(u32::try_from(word(kind, program)?).ok()?, word(count, program)?);
            }
        }
        ExprKind::BagAdd(a, b) => {
            for (kind, count) in bag(a, program)?.into_iter().chain(bag(b, program)?) {
                add(kind, count);
            }
        }
        ExprKind::BagTimes { count, bag: of } => {
            let times = word(count, program)?;
            for (kind, count) in bag(of, program)? {
                add(kind, count.checked_mul(times)?);
            }
        }
        _ => return None,
    }
    kinds.retain(|(_, count)| *count != 0);
    Some(kinds)
}
