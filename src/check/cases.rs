//! Cases: values that have a shape and carry others, such as `find(coin)`. What a value carries is known when the
//! ruleset is loaded, so the values that tables and rules name are the members of a domain, each once; its shape and
//! what it carries are constants of the member. So a value can be stored, handed on and compared like any word.

use super::expr::compare;
use super::outline::{Kind, Outline};
use super::paths::unknown;
use super::types::{Written, field_type};
use super::{Checker, errors};
use crate::diagnostic::near_names;
use crate::program::{
    Block, Compare, Constant, Domain, DomainId, DomainKind, Expr, ExprKind, LocalType, Member, Stmt, StmtKind, Table,
    TableId, Type,
};
use crate::source::Span;
use crate::syntax::ast::{self, ItemKind};

#[derive(Debug)]
pub(super) struct Cases {
    domain: DomainId,
    /// The words that the shapes are, and which of them each value has.
    shape_words: DomainId,
    shape_of: TableId,
    shapes: Vec<Shape>,
    /// By member: the shape and what is carried.
    values: Vec<(usize, Vec<Constant>)>,
    /// The number of the group that the name stands for.
    group: usize,
}

#[derive(Clone, Debug)]
struct Shape {
    name: ast::Name,
    carried: Vec<Carried>,
}

#[derive(Clone, Debug)]
struct Carried {
    name: ast::Name,
    written: Written,
    table: TableId,
}

impl<'a> Checker<'a> {
    pub(super) fn declare_cases(&mut self, outline: &Outline<'a>) {
        let first = self.cases.len();
        let mut declared: Vec<Vec<&'a (ast::Name, Vec<ast::Param>)>> = Vec::new();
        // All names first, since a case may carry another.
        for (_, thing) in outline.of(Kind::Cases) {
            let mut shapes: Vec<&'a (ast::Name, Vec<ast::Param>)> = Vec::new();
            for version in &thing.versions {
                let ItemKind::Cases { cases, .. } = &version.item.kind else { continue };
                for shape in cases {
                    if let Some(first) = shapes.iter().find(|s| s.0.text == shape.0.text) {
                        self.sink.push(errors::listed_twice(shape.0.span, &shape.0.text, first.0.span));
                    } else if super::builtins::RESERVED.contains(&shape.0.text.as_str()) {
                        self.sink.push(errors::name_of_language(shape.0.span, &shape.0.text));
                    } else {
                        shapes.push(shape);
                    }
                }
            }
            let (kind, name, span) = (DomainKind::Words, thing.name.clone(), thing.span);
            let domain = self.add_domain(Domain { name, kind, members: Vec::new(), span });
            let members = shapes.iter().map(|(n, _)| Member { name: n.text.clone(), span: n.span }).collect();
            let name = format!("shape of {}", thing.name);
            let shape_words = self.add_domain(Domain { name: name.clone(), kind, members, span });
            let shape_of = self.add_case_table(name, domain, Type::Member(shape_words), &Written::default(), span);
            let group = self.program.groups.len();
            self.enter_group(&thing.name, thing.span, domain, Vec::new());
            let (shapes_found, values) = (Vec::new(), Vec::new());
            self.cases.push(Cases { domain, shape_words, shape_of, shapes: shapes_found, values, group });
            declared.push(shapes);
        }
        for (index, shapes) in declared.iter().enumerate().map(|(i, shapes)| (first + i, shapes)) {
            for (name, params) in shapes {
                let shape = self.shape(index, name, params);
                if let Some(cases) = self.cases.get_mut(index) {
                    cases.shapes.push(shape);
                }
            }
            for (number, (name, params)) in shapes.iter().enumerate() {
                if params.is_empty() {
                    let member = self.case_value(index, number, Vec::new(), name.span);
                    let domain = self.cases.get(index).map(|c| c.domain);
                    if let Some((domain, member)) = domain.zip(member) {
                        self.enter_word(&name.text, domain, member);
                    }
                }
            }
        }
    }

    fn shape(&mut self, index: usize, name: &ast::Name, params: &[ast::Param]) -> Shape {
        let mut carried: Vec<Carried> = Vec::new();
        let domain = self.cases.get(index).map_or(DomainId(0), |c| c.domain);
        for param in params {
            if let Some(first) = carried.iter().find(|c| c.name.text == param.name.text) {
                self.sink.push(errors::listed_twice(param.name.span, &param.name.text, first.name.span));
            }
            let written = match &param.ty {
                Some(ty) => self.written_type(ty, false),
                None => {
                    self.sink.push(errors::carried_without_type(param.name.span, &param.name.text));
                    Written::default()
                }
            };
            let ty = if field_type(&written).is_some() { written.ty() } else { Type::Unknown };
            let table = self.add_case_table(param.name.text.clone(), domain, ty, &written, param.name.span);
            carried.push(Carried { name: param.name.clone(), written, table });
        }
        Shape { name: name.clone(), carried }
    }

    fn add_case_table(&mut self, name: String, of: DomainId, ty: Type, written: &Written, span: Span) -> TableId {
        let none = field_type(written).and_then(|(_, none)| none);
        self.program.tables.push(Table { name, of, width: None, ty, none, values: Vec::new(), span });
        TableId(self.program.tables.len() as u32 - 1)
    }

    /// The member that a value is, which it becomes when it is first named.
    fn case_value(&mut self, index: usize, shape: usize, carried: Vec<Constant>, span: Span) -> Option<u32> {
        let cases = self.cases.get(index)?;
        if let Some(known) = cases.values.iter().position(|(s, c)| *s == shape && *c == carried) {
            return Some(known as u32);
        }
        let member = cases.values.len() as u32;
        if cases.values.len() == super::declare::MOST_MEMBERS {
            self.sink.push(errors::too_many_members(span, super::declare::MOST_MEMBERS));
            return None;
        }
        let name = self.case_name(index, shape, &carried);
        let cases = self.cases.get_mut(index)?;
        let mut filled = vec![(cases.shape_of, Some(Constant::Word(shape as i64)))];
        for (number, declared) in cases.shapes.iter().enumerate() {
            for (place, value) in declared.carried.iter().enumerate() {
                filled.push((value.table, carried.get(place).filter(|_| number == shape).cloned()));
            }
        }
        cases.values.push((shape, carried));
        let (domain, group) = (cases.domain, cases.group);
        for (table, value) in filled {
            if let Some(table) = self.program.tables.get_mut(table.index()) {
                let value = value.unwrap_or_else(|| table.missing());
                table.values.push(value);
            }
        }
        self.program.domains.get_mut(domain.index())?.members.push(Member { name, span });
        if let Some(group) = self.program.groups.get_mut(group) {
            group.members.push(member);
        }
        Some(member)
    }

    /// `toll(copper, 2)`, as it is written.
    fn case_name(&self, index: usize, shape: usize, carried: &[Constant]) -> String {
        let Some(shape) = self.cases.get(index).and_then(|c| c.shapes.get(shape)) else { return String::new() };
        if carried.is_empty() {
            return shape.name.text.clone();
        }
        let values = shape.carried.iter().zip(carried).map(|(c, value)| self.constant_text(value, &c.written));
        format!("{}({})", shape.name.text, values.collect::<Vec<_>>().join(", "))
    }

    /// A constant as an author writes it.
    fn constant_text(&self, value: &Constant, written: &Written) -> String {
        let none = field_type(written).and_then(|(_, none)| none).unwrap_or(-1);
        let name = |member: u32| match written.ty() {
            Type::Member(domain) | Type::Set(domain) | Type::Bag(domain) => {
                let members = self.program.domains.get(domain.index()).map_or(&[][..], |d| d.members.as_slice());
                members.get(member as usize).map_or(String::new(), |m| m.name.clone())
            }
            Type::Truth | Type::Number | Type::Nothing | Type::Unknown => member.to_string(),
        };
        match (value, written.ty()) {
            (Constant::Word(truth), Type::Truth) => if *truth != 0 { "yes" } else { "no" }.to_owned(),
            (Constant::Word(word), _) if written.or_none && *word == none => "none".to_owned(),
            (Constant::Word(number), Type::Number) => number.to_string(),
            (Constant::Word(member), _) => u32::try_from(*member).map_or("none".to_owned(), name),
            (Constant::Set(members), _) => members.iter().map(|m| name(*m)).collect::<Vec<_>>().join(" | "),
            (Constant::Bag(kinds), _) => {
                kinds.iter().map(|(kind, count)| format!("{count} {}", name(*kind))).collect::<Vec<_>>().join(" + ")
            }
        }
    }

    // ---- values in rules ------------------------------------------------------------------------------------------

    fn cases_of(&self, domain: DomainId) -> Option<usize> {
        self.cases.iter().position(|c| c.domain == domain)
    }

    fn shape_named(&self, index: usize, name: &str) -> Option<usize> {
        self.cases.get(index)?.shapes.iter().position(|s| s.name.text == name)
    }

    /// The shape that a call means: one of what is wanted, or the only one of this name.
    pub(super) fn called_shape(&self, name: &str, want: Type) -> Option<(usize, usize)> {
        if let Type::Member(domain) | Type::Set(domain) = want
            && let Some(index) = self.cases_of(domain)
            && let Some(shape) = self.shape_named(index, name)
        {
            return Some((index, shape));
        }
        let taken = self.names.peek(name).is_some()
            || super::builtins::find(name).is_some()
            || self.relations.iter().any(|r| r.name == name);
        let mut found = (0..self.cases.len()).filter_map(|index| Some((index, self.shape_named(index, name)?)));
        found.next().filter(|_| !taken && found.next().is_none())
    }

    /// `toll(copper, 2)`.
    pub(super) fn shape_call(&mut self, found: (usize, usize), args: &[ast::Arg], span: Span) -> Expr {
        let (index, number) = found;
        let Some((domain, shape)) = self.cases.get(index).and_then(|c| Some((c.domain, c.shapes.get(number)?.clone())))
        else {
            return unknown(span);
        };
        if args.len() != shape.carried.len() {
            let names: Vec<&str> = shape.carried.iter().map(|c| c.name.text.as_str()).collect();
            self.sink.push(errors::carries_others(span, &shape.name.text, &names, shape.name.span));
            return unknown(span);
        }
        let mut values = Vec::new();
        for (arg, carried) in args.iter().zip(&shape.carried) {
            let holder = super::tables::Holder { name: &carried.name, written: &carried.written };
            values.push(self.constant_held(&arg.value, &holder));
        }
        let Some(values) = values.into_iter().collect::<Option<Vec<_>>>() else { return unknown(span) };
        match self.case_value(index, number, values, span) {
            Some(member) => Expr { kind: ExprKind::Member(member), ty: Type::Member(domain), span },
            None => unknown(span),
        }
    }

    /// A shape that carries values, named without them where a value is wanted: a fault.
    pub(super) fn bare_shape(&mut self, name: &ast::Name, want: Type) -> Option<Expr> {
        let (Type::Member(domain) | Type::Set(domain)) = want else { return None };
        let index = self.cases_of(domain)?;
        let shape = self.shape_named(index, &name.text)?;
        let shape = self.cases.get(index)?.shapes.get(shape).filter(|s| !s.carried.is_empty())?;
        let names: Vec<&str> = shape.carried.iter().map(|c| c.name.text.as_str()).collect();
        let fault = errors::carries_others(name.span, &name.text, &names, shape.name.span);
        self.sink.push(fault);
        Some(unknown(name.span))
    }

    /// Is this the name of a shape, or may it be meant for one?
    pub(super) fn could_be_shape(&self, name: &str) -> bool {
        let is_one = (0..self.cases.len()).any(|index| self.shape_named(index, name).is_some());
        is_one || !self.cases.is_empty() && self.means_nothing(name)
    }

    /// `x is find`: has the value this shape? None if it is no value with a shape.
    pub(super) fn has_shape(&mut self, value: &Expr, name: &ast::Name, span: Span) -> Option<Expr> {
        let Type::Member(domain) = value.ty else { return None };
        let index = self.cases_of(domain)?;
        let Some(shape) = self.shape_named(index, &name.text) else {
            self.unknown_shape(index, name);
            return Some(unknown(span));
        };
        let (shape_of, words) = self.cases.get(index).map(|c| (c.shape_of, c.shape_words))?;
        let found = self.lookup(shape_of, value.clone(), None, span);
        let wanted = Expr { kind: ExprKind::Member(shape as u32), ty: Type::Member(words), span: name.span };
        Some(compare(Compare::Equal, found, wanted, span))
    }

    /// Does some shape carry a value of this name?
    pub(super) fn is_carried(&self, name: &str) -> bool {
        self.cases.iter().any(|c| c.shapes.iter().flat_map(|s| &s.carried).any(|carried| carried.name.text == name))
    }

    /// The domains of the values that carry one of this name.
    pub(super) fn carriers(&self, name: &str) -> Vec<DomainId> {
        let has = |c: &&Cases| c.shapes.iter().flat_map(|s| &s.carried).any(|carried| carried.name.text == name);
        self.cases.iter().filter(has).map(|c| c.domain).collect()
    }

    /// `x.target`: what the value carries under this name; where its shape carries no such thing, what stands for nothing
    /// (none, zero, no). Of several shapes that carry one, that of its own shape.
    pub(super) fn carried(&mut self, of: &Expr, domain: DomainId, name: &str, span: Span) -> Option<Expr> {
        let cases = self.cases.get(self.cases_of(domain)?)?;
        let (shape_of, words) = (cases.shape_of, cases.shape_words);
        let tables: Vec<(usize, TableId)> = cases
            .shapes
            .iter()
            .enumerate()
            .filter_map(|(at, s)| Some((at, s.carried.iter().find(|c| c.name.text == name)?.table)))
            .collect();
        let kind_of = |table: &TableId| self.program.tables.get(table.index()).map(|t| t.ty);
        if let Some(((_, first), rest)) = tables.split_first()
            && rest.iter().any(|(_, other)| kind_of(other) != kind_of(first))
        {
            self.sink.push(errors::carried_differ(span, name));
            return Some(unknown(span));
        }
        let mut values = tables.iter().map(|(at, table)| (*at, self.lookup(*table, of.clone(), None, span))).rev();
        let (_, last) = values.next()?;
        Some(values.fold(last, |otherwise, (at, then)| {
            let found = self.lookup(shape_of, of.clone(), None, span);
            let wanted = Expr { kind: ExprKind::Member(at as u32), ty: Type::Member(words), span };
            let cond = Box::new(compare(Compare::Equal, found, wanted, span));
            let ty = otherwise.ty;
            Expr { kind: ExprKind::If { cond, then: Box::new(then), otherwise: Box::new(otherwise) }, ty, span }
        }))
    }

    fn unknown_shape(&mut self, index: usize, name: &ast::Name) {
        let Some(cases) = self.cases.get(index) else { return };
        let known: Vec<&str> = cases.shapes.iter().map(|s| s.name.text.as_str()).collect();
        let near = near_names(&name.text, known.iter().copied());
        let of = self.domain_name(cases.domain);
        let fault = errors::unknown_shape(name.span, &name.text, of, &near, &known);
        self.sink.push(fault);
    }

    /// `case x { find(what, hidden) { … } otherwise { … } }`. False if the subject has no shape.
    pub(super) fn case_of_shapes(&mut self, subject: &Expr, arms: &'a [ast::Arm], span: Span, out: &mut Block) -> bool {
        let Type::Member(domain) = subject.ty else { return false };
        let Some(index) = self.cases_of(domain) else { return false };
        let Some((shapes, shape_of)) = self.cases.get(index).map(|c| (c.shapes.clone(), c.shape_of)) else {
            return false;
        };
        // What is looked at stays the same, whatever the arms do.
        let local = self.scope.add("case", LocalType::Value(subject.ty), None, subject.span);
        out.push(Stmt { kind: StmtKind::Let { local, value: subject.clone() }, span: subject.span });
        let value = Expr { kind: ExprKind::Local(local), ty: subject.ty, span: subject.span };
        let mut found: Vec<(u32, Block)> = Vec::new();
        let mut otherwise = None;
        for arm in arms {
            if arm.name.text == "otherwise" {
                otherwise = Some(self.block(&arm.body));
                continue;
            }
            let shape = self.shape_named(index, &arm.name.text);
            let carried = shape.and_then(|s| shapes.get(s)).map_or(Vec::new(), |s| s.carried.clone());
            if let Some(shape) = shape.and_then(|s| shapes.get(s))
                && !arm.binds.is_empty()
                && arm.binds.len() != carried.len()
            {
                let names: Vec<&str> = carried.iter().map(|c| c.name.text.as_str()).collect();
                self.sink.push(errors::binds_others(arm.name.span, &arm.name.text, &names, shape.name.span));
            }
            let level = self.scope.level();
            let mut body = Vec::new();
            for (place, bind) in arm.binds.iter().enumerate() {
                let Some(carried) = carried.get(place) else {
                    self.new_local(bind, Type::Unknown, None);
                    continue;
                };
                let held = self.lookup(carried.table, value.clone(), None, bind.span);
                let among = self.kinds_of(&held).filter(|_| !matches!(held.ty, Type::Number | Type::Truth));
                let local = self.new_local(bind, held.ty, among);
                if held.ty != Type::Unknown {
                    body.push(Stmt { kind: StmtKind::Let { local, value: held }, span: bind.span });
                }
            }
            body.extend(self.block(&arm.body));
            self.scope.back_to(level);
            match shape {
                Some(shape) if found.iter().any(|(s, _)| *s as usize == shape) => {
                    self.sink.push(errors::listed_twice(arm.name.span, &arm.name.text, span));
                }
                Some(shape) => found.push((shape as u32, body)),
                None => self.unknown_shape(index, &arm.name),
            }
        }
        let missing: Vec<&str> = shapes
            .iter()
            .enumerate()
            .filter(|(number, _)| found.iter().all(|(s, _)| *s as usize != *number))
            .map(|(_, shape)| shape.name.text.as_str())
            .collect();
        let complete = missing.is_empty();
        if !complete && otherwise.is_none() {
            self.sink.push(errors::shapes_left_out(span, &missing));
        }
        let subject = self.lookup(shape_of, value, None, span);
        let otherwise = otherwise.unwrap_or_default();
        out.push(Stmt { kind: StmtKind::Case { subject, arms: found, otherwise, complete }, span });
        true
    }
}
