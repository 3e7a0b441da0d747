//! Limits on what a bag holds (`limit 3 of each coin in purse`): they belong to the field, and what does not fit
//! stays where it is. Here they are declared, become invariants, and say what a choice can still be made of.

use super::names::Entry;
use super::outline::{Kind, Outline};
use super::paths::unknown;
use super::{Checker, errors};
use crate::program::{
    BagPlace, DomainId, Expr, ExprKind, Field, FieldId, FieldType, Invariant, Local, LocalId, LocalType, Type,
};
use crate::source::Span;
use crate::syntax::ast::{self, ItemKind};

impl<'a> Checker<'a> {
    pub(super) fn bag_limits(&mut self, outline: &Outline<'a>) {
        for (_, thing) in outline.of(Kind::Limit) {
            let Some(version) = thing.last() else { continue };
            let ItemKind::Limit { count, group, field, .. } = &version.item.kind else { continue };
            let (count, members) = (self.constant(count), self.member_type(group));
            let found = self.limited_field(field);
            let (Some(count), Some((domain, among)), Some((field, held))) = (count, members, found) else { continue };
            if domain != held {
                let (a, b) = (self.type_name(Type::Member(domain)), self.type_name(Type::Bag(held)));
                self.sink.push(errors::limit_of_others(group.span, &a, &b));
                continue;
            }
            let members = among.or_else(|| self.countable(domain)).unwrap_or_else(|| self.all_members(domain));
            if let Some(field) = self.program.fields.get_mut(field.index()) {
                field.at_most.extend(members.into_iter().map(|member| (member, count)));
            }
            let invariant = self.limit_invariant(field, version.item.span);
            self.program.invariants.extend(invariant);
        }
    }

    /// A bag that a limit can stand on.
    fn limited_field(&mut self, name: &ast::Name) -> Option<(FieldId, DomainId)> {
        let Some(Entry::Field(field)) = self.names.get(&name.text) else {
            if !self.is_lost(&name.text) {
                self.sink.push(errors::limit_on_what(name.span, &name.text));
            }
            return None;
        };
        let domain = match &self.program.fields.get(field.index())?.ty {
            FieldType::Bag { domain, .. } => *domain,
            FieldType::Truth | FieldType::Number { .. } | FieldType::Member { .. } | FieldType::Set(_) => {
                self.sink.push(errors::limit_on_what(name.span, &name.text));
                return None;
            }
        };
        Some((field, domain))
    }

    /// As many of each member as the limit allows, as a bag. None for a bag without a limit.
    fn allowed_by_limit(&self, field: FieldId, span: Span) -> Option<Expr> {
        let field = self.program.fields.get(field.index())?;
        let FieldType::Bag { domain, .. } = field.ty else { return None };
        let entry = |(member, count): &(u32, i64)| {
            let kind = Expr { kind: ExprKind::Member(*member), ty: Type::Member(domain), span };
            (kind, super::expr::number(*count, span))
        };
        let entries: Vec<(Expr, Expr)> = field.at_most.iter().map(entry).collect();
        if entries.is_empty() {
            return None;
        }
        Some(Expr { kind: ExprKind::BagOf(entries), ty: Type::Bag(domain), span })
    }

    /// There is none among the keys for which the bag holds more than the limit allows.
    fn limit_invariant(&self, field: FieldId, span: Span) -> Option<Invariant> {
        let declared = self.program.fields.get(field.index())?;
        let limit = self.allowed_by_limit(field, span)?;
        let (Type::Bag(domain), ty) = (limit.ty, limit.ty) else { return None };
        let key = |(i, domain): (usize, &DomainId)| Expr {
            kind: ExprKind::Local(LocalId(i as u32)),
            ty: Type::Member(*domain),
            span,
        };
        let keys = declared.keys.iter().enumerate().map(key).collect();
        let bag = Box::new(Expr { kind: ExprKind::Field { field, keys }, ty, span });
        let members = declared.at_most.iter().map(|(member, _)| *member).collect();
        let set = Box::new(Expr { kind: ExprKind::Members(members), ty: Type::Set(domain), span });
        let held = Expr { kind: ExprKind::BagWithin { bag, set }, ty, span };
        let truth = |kind: ExprKind| Expr { kind, ty: Type::Truth, span };
        let mut cond = truth(ExprKind::Has(Box::new(limit), Box::new(held)));
        let mut locals = Vec::new();
        for (i, domain) in declared.keys.iter().enumerate() {
            let ty = LocalType::Value(Type::Member(*domain));
            locals.push(Local { name: self.domain_name(*domain).to_owned(), ty, span });
            let all = Expr { kind: ExprKind::All(*domain), ty: Type::Set(*domain), span };
            let (local, over) = (LocalId(i as u32), Box::new(all));
            let breaks = Box::new(truth(ExprKind::Not(Box::new(cond))));
            let set = Expr { kind: ExprKind::Filter { local, over, cond: breaks }, ty: Type::Set(*domain), span };
            cond = truth(ExprKind::Not(Box::new(truth(ExprKind::Some(Box::new(set))))));
        }
        Some(Invariant { name: format!("limit of {}", declared.name), cond, locals, span })
    }

    /// What still fits into a bag with a limit.
    fn room_in(&self, place: &BagPlace, span: Span) -> Option<Expr> {
        let limit = self.allowed_by_limit(place.field, span)?;
        let ty = limit.ty;
        let held = Expr { kind: ExprKind::Field { field: place.field, keys: place.keys.clone() }, ty, span };
        Some(Expr { kind: ExprKind::BagSubtract(Box::new(limit), Box::new(held)), ty, span })
    }

    /// `room(purse of p)`: how many of each good the bag's limit still lets in.
    pub(super) fn room(&mut self, bag: &ast::Expr, span: Span) -> Expr {
        let Some((place, domain)) = self.bag_place(bag) else { return unknown(span) };
        let room = self.room_in(&place, span);
        room.unwrap_or_else(|| {
            let what = self.program.fields.get(place.field.index()).map_or("", |f| f.name.as_str()).to_owned();
            self.sink.push(errors::no_limit(bag.span, &what));
            Expr { kind: ExprKind::BagOf(Vec::new()), ty: Type::Bag(domain), span }
        })
    }

    /// Where it is open what a player gets, the limit of the bag that it goes to counts too.
    pub(super) fn that_fits_a_player(&self, offered: Expr, who: &Expr, goods: DomainId) -> Expr {
        let Some(player) = self.program.known.player else { return offered };
        let is_it = |f: &Field| {
            f.keys == [player]
                && matches!(f.ty, FieldType::Bag { domain, .. } if domain == goods)
                && !f.at_most.is_empty()
        };
        let mut fields = self.program.fields.iter().enumerate().filter(|(_, f)| is_it(f));
        match (fields.next(), fields.next()) {
            (Some((field, _)), None) => {
                let place = BagPlace { field: FieldId(field as u32), keys: vec![who.clone()] };
                self.that_fits(offered, &place)
            }
            (Some(_) | None, _) => offered,
        }
    }

    /// Of what may be chosen only what fits into the bag that it goes to.
    fn that_fits(&self, offered: Expr, place: &BagPlace) -> Expr {
        let (ty, span) = (offered.ty, offered.span);
        match self.room_in(place, span).filter(|room| room.ty == ty) {
            // What is less in either of two bags: one without what it has beyond the other.
            Some(room) => {
                let beyond = ExprKind::BagSubtract(Box::new(offered.clone()), Box::new(room));
                let beyond = Box::new(Expr { kind: beyond, ty, span });
                Expr { kind: ExprKind::BagSubtract(Box::new(offered), beyond), ty, span }
            }
            None => offered,
        }
    }
}
