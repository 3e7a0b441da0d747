//! Declarations of what happens: sets and functions, procedures, the set-up and the turn, actions, triggers, awards,
//! points and the end.

use pest::iterators::Pair;

use super::ast::{
    Action, ActionTime, Award, Event, ItemKind, Name, Phase, PhaseClause, PhrasePart, Target, Tie, Trigger, When,
};
use super::diagnose::Place;
use super::grammar::Rule;
use super::parts::{Builder, Parts};

impl Builder<'_> {
    pub fn rule_kind(&mut self, rule: Rule, parts: &mut Parts<'_>) -> ItemKind {
        match rule {
            Rule::set_decl => ItemKind::Set {
                name: self.name(parts),
                params: self.params(parts),
                body: parts.take(Rule::set_body).map(|body| self.set_body(body)),
            },
            Rule::define_decl => ItemKind::Define {
                name: self.name(parts),
                params: self.params(parts),
                result: self.result(parts),
                body: self.some_expr(parts),
            },
            Rule::procedure_decl => ItemKind::Procedure {
                name: self.name(parts),
                params: self.params(parts),
                result: self.result(parts),
                body: self.block(parts),
            },
            Rule::setup_decl => ItemKind::Setup(self.block(parts)),
            Rule::at_end_decl => ItemKind::AtEnd(self.block(parts)),
            Rule::turn_decl => {
                let mut phases = Vec::new();
                for phase in parts.all(Rule::phase) {
                    phases.extend(self.phase(phase));
                }
                ItemKind::Turn(phases)
            }
            Rule::action_decl => self.action(parts),
            Rule::trigger_decl => self.trigger(parts),
            Rule::before_decl => self.around(parts, When::Before),
            Rule::after_decl => self.around(parts, When::After),
            Rule::instead_decl => self.around(parts, When::Instead),
            Rule::award_decl => self.award(parts),
            Rule::points_decl => ItemKind::Points {
                hidden: parts.has(Rule::kw_hidden),
                player: self.name(parts),
                body: self.next_expr(parts),
            },
            Rule::end_decl => ItemKind::End {
                name: parts.take(Rule::end_name).map(|name| self.named(name)),
                cond: self.next_expr(parts),
                winner: self.expr_of(parts, Rule::winner),
            },
            Rule::invariant_decl => {
                let mut binders = Vec::new();
                for over in parts.all(Rule::over) {
                    let mut over = self.parts(over);
                    binders.push((self.name(&mut over), self.next_expr(&mut over)));
                }
                ItemKind::Invariant { name: self.some_name(parts), binders, cond: self.next_expr(parts) }
            }
            Rule::chronicle_decl => {
                let mut states = Vec::new();
                for line in parts.all(Rule::chronicle_line) {
                    let mut line = self.parts(line);
                    match line.take(Rule::bad_state) {
                        Some(bad) => drop(self.diagnose(&bad, Place::State)),
                        None => states.push(self.state(&mut line, false)),
                    }
                }
                ItemKind::Chronicle(states)
            }
            _ => ItemKind::Bad,
        }
    }

    fn phase(&mut self, pair: Pair<'_, Rule>) -> Option<Phase> {
        let mut parts = self.parts(pair);
        if let Some(bad) = parts.take(Rule::bad_phase) {
            self.diagnose(&bad, Place::Phase);
            return None;
        }
        let name = self.name(&mut parts);
        let beside = parts.take(Rule::phase_beside).map(|beside| {
            let mut beside = self.parts(beside);
            let when = if beside.has(Rule::kw_before) { When::Before } else { When::After };
            (when, self.name(&mut beside))
        });
        let mut clauses = Vec::new();
        for clause in parts.pairs {
            let rule = clause.as_rule();
            match rule {
                Rule::must | Rule::may | Rule::one_of | Rule::until => {
                    let mut inner = self.parts(clause);
                    let mut words = self.words(&mut inner);
                    words.extend(inner.all(Rule::doing).into_iter().map(|doing| self.doing(doing)));
                    clauses.push(match rule {
                        Rule::must => PhaseClause::Must(words),
                        Rule::may => PhaseClause::May(words),
                        Rule::one_of => PhaseClause::OneOf(words),
                        _ => PhaseClause::Until(words),
                    });
                }
                Rule::phase_stmt => {
                    let statement = clause.into_inner().next();
                    clauses.extend(statement.map(|stmt| PhaseClause::Do(self.statement(stmt, Place::Clause))));
                }
                Rule::bad_clause => clauses.push(PhaseClause::Do(self.statement(clause, Place::Clause))),
                _ => {}
            }
        }
        Some(Phase { name, beside, clauses, span: parts.span })
    }

    /// The words of an action as one name, a single blank between them.
    fn doing(&self, pair: Pair<'_, Rule>) -> Name {
        let mut parts = self.parts(pair);
        let words: Vec<String> = self.words(&mut parts).into_iter().map(|word| word.text).collect();
        Name { text: words.join(" "), span: parts.span }
    }

    fn action(&mut self, parts: &mut Parts<'_>) -> ItemKind {
        let mut phrase = Vec::new();
        if let Some(words) = parts.take(Rule::phrase) {
            for part in words.into_inner() {
                // A part of the phrase is a word or a parameter.
                let mut inner = self.parts(part);
                phrase.extend(match (inner.take(Rule::typed_param), inner.take(Rule::word)) {
                    (Some(param), _) => Some(PhrasePart::Param(self.param(param))),
                    (None, Some(word)) => Some(PhrasePart::Word(self.named(word))),
                    (None, None) => None,
                });
            }
        }
        let when = match parts.take(Rule::action_time).and_then(|time| time.into_inner().next()) {
            Some(time) => match time.as_rule() {
                Rule::on_call => ActionTime::OnCall,
                Rule::any_time => ActionTime::AnyTime,
                _ => {
                    let mut phases = self.parts(time);
                    ActionTime::InPhases(self.names(&mut phases))
                }
            },
            None => ActionTime::Group,
        };
        ItemKind::Action(Action { phrase, when, body: self.block(parts) })
    }

    fn trigger(&mut self, parts: &mut Parts<'_>) -> ItemKind {
        let name = self.name(parts);
        let guard = self.expr_of(parts, Rule::guard);
        let body = self.block(parts);
        let event = parts.pairs.pop().and_then(|event| self.event(event));
        ItemKind::Trigger(Trigger { name, event, guard, body })
    }

    fn event(&mut self, pair: Pair<'_, Rule>) -> Option<Event> {
        let rule = pair.as_rule();
        let mut parts = self.parts(pair);
        Some(match rule {
            Rule::beside => {
                let when = match (parts.has(Rule::kw_before), parts.has(Rule::kw_after)) {
                    (true, _) => When::Before,
                    (false, true) => When::After,
                    (false, false) => When::Instead,
                };
                Event::Beside { when, target: self.target(&mut parts) }
            }
            Rule::arrival => Event::Arrival {
                piece: self.name(&mut parts),
                at: parts.take(Rule::event_at).map(|at| self.name_in(at)),
                by: self.event_by(&mut parts),
            },
            Rule::revealed => {
                let (first, second) = (self.name(&mut parts), self.some_name(&mut parts));
                let (tokens, of) = match second {
                    Some(second) => (Some(first), second),
                    None => (None, first),
                };
                Event::Reveal { tokens, of, by: self.event_by(&mut parts) }
            }
            Rule::passing => Event::Passing {
                track: self.name(&mut parts),
                mark: self.name(&mut parts),
                by: self.event_by(&mut parts),
            },
            Rule::turn_start => Event::TurnStart,
            Rule::turn_end => Event::TurnEnd,
            Rule::emitted => {
                let args = parts.take(Rule::args).map_or_else(Vec::new, |args| self.args(args));
                Event::Emitted { name: self.name(&mut parts), args: args.into_iter().map(|arg| arg.value).collect() }
            }
            _ => return None,
        })
    }

    /// `by p`, `by me`: the name, or the word as one.
    fn event_by(&self, parts: &mut Parts<'_>) -> Option<Name> {
        let who = parts.take(Rule::event_by)?.into_inner().last()?;
        Some(self.named(who))
    }

    fn target(&self, parts: &mut Parts<'_>) -> Target {
        let Some(target) = parts.take(Rule::target) else {
            return Target { kind: None, name: Name { text: String::new(), span: parts.span } };
        };
        let mut target = self.parts(target);
        let kind = target.take(Rule::target_kind).map(|kind| self.named(kind));
        let words = self.words(&mut target);
        let span = match (words.first(), words.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => target.span,
        };
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        Target { kind, name: Name { text, span } }
    }

    fn around(&mut self, parts: &mut Parts<'_>, when: When) -> ItemKind {
        let (target, guard) = (self.target(parts), self.expr_of(parts, Rule::guard));
        ItemKind::Around { when, target, guard, body: self.block(parts) }
    }

    fn award(&mut self, parts: &mut Parts<'_>) -> ItemKind {
        let points = parts.take(Rule::award_points).map(|points| {
            let mut points = self.parts(points);
            self.next_int(&mut points)
        });
        for bad in parts.all(Rule::bad_award) {
            self.diagnose(&bad, Place::Award);
        }
        let tie = self.only(parts, Rule::tie).map(|tie| {
            let mut tie = self.parts(tie);
            let keeps = tie.take(Rule::tie_keeps).map(|keeps| self.parts(keeps));
            let else_nobody = keeps.as_ref().is_none_or(|keeps| keeps.has(Rule::tie_else));
            Tie { keeps_holder: keeps.is_some(), else_nobody }
        });
        ItemKind::Award(Award {
            name: self.name(parts),
            points,
            most: self.expr_of(parts, Rule::most),
            at_least: self.expr_of(parts, Rule::at_least),
            tie,
        })
    }
}
