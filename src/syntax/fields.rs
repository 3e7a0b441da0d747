//! Types, parameters, state fields and member lists: the small parts that many declarations share.

use pest::iterators::Pair;

use super::ast::{Field, Name, Param, State, TypeExpr, TypeKind};
use super::grammar::Rule;
use super::parts::{Builder, Parts};

impl Builder<'_> {
    /// The type among the pieces, if one stands there.
    pub fn some_type(&mut self, parts: &mut Parts<'_>) -> Option<TypeExpr> {
        parts.take(Rule::type_expr).map(|pair| self.type_expr(pair))
    }

    fn next_type(&mut self, parts: &mut Parts<'_>) -> TypeExpr {
        let span = parts.span;
        self.some_type(parts).unwrap_or(TypeExpr { kind: TypeKind::Bad, span })
    }

    fn type_expr(&mut self, pair: Pair<'_, Rule>) -> TypeExpr {
        let span = self.span(&pair);
        let Some(inner) = pair.into_inner().next() else { return TypeExpr { kind: TypeKind::Bad, span } };
        let rule = inner.as_rule();
        let mut parts = self.parts(inner);
        let kind = match rule {
            Rule::type_bag => TypeKind::Bag(self.name(&mut parts)),
            Rule::type_set => TypeKind::Set(self.name(&mut parts)),
            Rule::type_list => {
                let span = parts.span;
                let entry = parts.take(Rule::type_entry).map(|entry| self.type_expr(entry));
                TypeKind::List(Box::new(entry.unwrap_or(TypeExpr { kind: TypeKind::Bad, span })))
            }
            Rule::type_sized => {
                let size = Box::new(self.next_expr(&mut parts));
                TypeKind::Sized(size, self.name(&mut parts))
            }
            Rule::type_range => {
                let low = Box::new(self.next_expr(&mut parts));
                let high = Box::new(self.next_expr(&mut parts));
                let others = self.names(&mut parts);
                if others.is_empty() { TypeKind::Range(low, high) } else { TypeKind::RangeOr(low, high, others) }
            }
            Rule::type_words => TypeKind::Words(self.names(&mut parts)),
            Rule::type_names => match self.names(&mut parts) {
                names if names.len() == 1 && names.iter().all(|name| name.text == "text") => TypeKind::Text,
                names => TypeKind::OneOf(names),
            },
            _ => TypeKind::Bad,
        };
        TypeExpr { kind, span }
    }

    pub fn params(&mut self, parts: &mut Parts<'_>) -> Vec<Param> {
        let mut params = Vec::new();
        if let Some(list) = parts.take(Rule::params) {
            let mut list = self.parts(list);
            for param in list.all(Rule::param) {
                params.push(self.param(param));
            }
        }
        params
    }

    pub fn param(&mut self, pair: Pair<'_, Rule>) -> Param {
        let mut parts = self.parts(pair);
        Param { name: self.name(&mut parts), ty: self.some_type(&mut parts) }
    }

    pub fn result(&mut self, parts: &mut Parts<'_>) -> Option<TypeExpr> {
        let mut inner = parts.take(Rule::result).map(|pair| self.parts(pair))?;
        self.some_type(&mut inner)
    }

    /// All the fields among the pieces; names that share a type give a field each.
    pub fn fields(&mut self, parts: &mut Parts<'_>) -> Vec<Field> {
        let mut fields = Vec::new();
        for field in parts.all(Rule::field) {
            let mut field = self.parts(field);
            let ty = self.next_type(&mut field);
            let (hidden, clamped) = (field.has(Rule::kw_hidden), field.has(Rule::kw_clamped));
            let initial = self.some_expr(&mut field);
            for name in self.names(&mut field) {
                fields.push(Field { name, ty: ty.clone(), hidden, clamped, initial: initial.clone() });
            }
        }
        fields
    }

    /// `{ COLUMN: TYPE, … }`
    pub fn columns(&mut self, parts: &mut Parts<'_>) -> Vec<Field> {
        match parts.take(Rule::field_list) {
            Some(list) => {
                let mut list = self.parts(list);
                self.fields(&mut list)
            }
            None => Vec::new(),
        }
    }

    pub fn state(&mut self, parts: &mut Parts<'_>, this_turn: bool) -> State {
        let keys = match parts.take(Rule::each_of) {
            Some(each) => {
                let mut each = self.parts(each);
                self.names(&mut each)
            }
            None => Vec::new(),
        };
        State { this_turn, keys, fields: self.fields(parts) }
    }

    /// `{ MEMBER 14, MEMBER }`
    pub fn member_list(&mut self, parts: &mut Parts<'_>) -> Vec<(Name, Option<i64>)> {
        match parts.take(Rule::member_list) {
            Some(list) => {
                let mut list = self.parts(list);
                self.members(&mut list)
            }
            None => Vec::new(),
        }
    }

    pub fn members(&mut self, parts: &mut Parts<'_>) -> Vec<(Name, Option<i64>)> {
        let mut members = Vec::new();
        for member in parts.all(Rule::member) {
            let mut member = self.parts(member);
            members.push((self.name(&mut member), self.some_int(&mut member)));
        }
        members
    }

    /// Members where a missing count means one.
    pub fn counted(&mut self, parts: &mut Parts<'_>) -> Vec<(Name, i64)> {
        self.members(parts).into_iter().map(|(name, count)| (name, count.unwrap_or(1))).collect()
    }
}
