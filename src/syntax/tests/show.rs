//! Expressions as nested brackets, so that tests can say what binds to what.

use crate::syntax::ast::{Arg, BinaryOp, Expr, ExprKind, OfForm, PerformPart, PrefixOp};

pub fn show(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Text(text) => format!("{:?}", text.text),
        ExprKind::Name(name) => name.text.clone(),
        ExprKind::Call { name, args } => format!("{}({})", name.text, list(args.iter().map(show_arg))),
        ExprKind::ScriptCall { script, name, args } => {
            format!("{}::{}({})", script.text, name.text, list(args.iter().map(show)))
        }
        ExprKind::Of { left, right, form } => {
            let word = match form {
                OfForm::Of => "of",
                OfForm::Dot => "dot",
                OfForm::My => "my",
            };
            format!("({word} {} {})", show(left), show(right))
        }
        ExprKind::Index { base, index } => format!("{}[{}]", show(base), show(index)),
        ExprKind::At { left, right } => format!("(at {} {})", show(left), show(right)),
        ExprKind::InSupply(of) => format!("(supply {})", show(of)),
        ExprKind::Amount { count, of } => format!("(amount {} {})", show(count), show(of)),
        ExprKind::Not(of) => format!("(not {})", show(of)),
        ExprKind::Negate(of) => format!("(minus {})", show(of)),
        ExprKind::Binary { op, left, right } => format!("({} {} {})", operator(*op), show(left), show(right)),
        ExprKind::If { cond, then, otherwise } => format!("(if {} {} {})", show(cond), show(then), show(otherwise)),
        ExprKind::Prefix { op, of } => {
            let word = match op {
                PrefixOp::Some => "some",
                PrefixOp::No => "no",
                PrefixOp::First => "first",
                PrefixOp::All => "all",
            };
            format!("({word} {})", show(of))
        }
        ExprKind::Binder { name, ty, from, guard } => {
            let ty = ty.as_ref().map_or("", |ty| &ty.text);
            let from = from.as_ref().map_or(String::new(), |from| format!(" in {}", show(from)));
            let guard = guard.as_ref().map_or(String::new(), |guard| format!(" where {}", show(guard)));
            format!("({}: {ty}{from}{guard})", name.text)
        }
        ExprKind::Where { set, guard } => format!("(where {} {})", show(set), show(guard)),
        ExprKind::Tuple(values) => format!("<{}>", list(values.iter().map(show))),
        ExprKind::Range(low, high) => format!("({}..{})", show(low), show(high)),
        ExprKind::Reasoned { set, reason } => format!("(says {} {:?})", show(set), reason.text),
        ExprKind::Allowed(perform) => {
            let actions = perform.actions.iter().map(|parts| {
                let parts = parts.iter().map(|part| match part {
                    PerformPart::Word(name) => name.text.clone(),
                    PerformPart::Arg(expr) => show(expr),
                });
                parts.collect::<Vec<_>>().join(" ")
            });
            format!("(allow {} {})", show(&perform.who), list(actions))
        }
        ExprKind::Usual => "usual".to_owned(),
        ExprKind::Me => "me".to_owned(),
        ExprKind::Active => "active".to_owned(),
        ExprKind::Bad => "BAD".to_owned(),
    }
}

fn show_arg(arg: &Arg) -> String {
    match &arg.role {
        Some(role) => format!("{}: {}", role.text, show(&arg.value)),
        None => show(&arg.value),
    }
}

fn list(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "or",
        BinaryOp::And => "and",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::In => "in",
        BinaryOp::NotIn => "not-in",
        BinaryOp::Meets => "meets",
        BinaryOp::Disjoint => "disjoint",
        BinaryOp::Has => "has",
        BinaryOp::Is => "is",
        BinaryOp::Union => "|",
        BinaryOp::Intersect => "&",
        BinaryOp::Without => "without",
        BinaryOp::Near => "near",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Modulo => "mod",
    }
}
