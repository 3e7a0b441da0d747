//! The unit that is being checked: its locals, which of them are visible, what `it` and `usual` mean in it and
//! what may stand in it.

use super::outline::Form;
use crate::program::{
    ActionId, DomainId, Expr, ExprKind, FunctionId, Local, LocalId, LocalType, Owner, PieceId, ProcedureId, Stmt, Type,
};
use crate::source::Span;

/// What kind of rule a unit belongs to; it decides what may stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Home {
    #[default]
    Nowhere,
    Setup,
    Phase,
    Action(ActionId),
    Procedure,
    Trigger,
    Function,
    /// What is done when the game is over: nobody acts there either.
    End,
    /// An award, points, the end, an invariant: nobody acts there.
    Table,
}

impl Home {
    /// Is there somebody who acts, called `me`?
    pub fn has_me(self) -> bool {
        match self {
            Home::Phase | Home::Action(_) | Home::Procedure | Home::Trigger | Home::Function => true,
            Home::Nowhere | Home::Setup | Home::End | Home::Table => false,
        }
    }
}

/// What `usual` stands for.
#[derive(Clone, Copy, Debug, Default)]
pub enum Usual {
    #[default]
    Nothing,
    Function(FunctionId),
    Procedure(ProcedureId),
    /// The next of [`Scope::older`] stands in the place of the word.
    Block,
    /// [`Scope::usual_value`].
    Value,
}

#[derive(Debug, Default)]
pub struct Scope<'a> {
    pub home: Home,
    pub locals: Vec<Local>,
    pub params: Vec<LocalId>,
    /// Of each local that holds a member or a bag: the members it can be or hold, if not all.
    among: Vec<Option<Vec<u32>>>,
    visible: Vec<(String, LocalId)>,
    /// The locals that hold the place of a single piece.
    pieces: Vec<(LocalId, Piece)>,
    /// Tokens that the actor has seen for certain, since it was required.
    seen_tokens: Vec<(LocalId, Expr)>,
    /// What `it` can mean, the innermost last.
    its: Vec<(LocalId, DomainId)>,
    pub usual: Usual,
    /// The older versions of an action's or the set-up's body, which `usual` inlines.
    pub older: Vec<Form<'a>>,
    /// What `usual` of a price or of the end stands for.
    pub usual_value: Option<Expr>,
    /// What a `return` must give; None: nothing.
    pub result: Option<Type>,
    /// Statements to be done before the one that is being checked; None where an expression must not act.
    pub before: Option<Vec<Stmt>>,
    /// Who chooses, and out of what, where an amount leaves a choice.
    pub chooser: Option<Chooser>,
    /// The player whose points are counted.
    pub points_of: Option<LocalId>,
    pub uses_me: bool,
    pub loops: usize,
}

/// A piece whose place is known: of what kind and whose.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The kinds that it can be of.
    pub pieces: Vec<PieceId>,
    pub owner: Owner,
}

#[derive(Clone, Debug)]
pub struct Chooser {
    pub who: Expr,
    pub from: Stock,
}

/// What is chosen from where an amount leaves a choice.
#[derive(Clone, Debug)]
pub enum Stock {
    /// A bag.
    Bag(Expr),
    /// What the chooser has of the goods; `all`: without enough it cannot be done.
    Hand { all: bool },
    /// What is left of the goods where they are at home.
    Homes,
}

/// A point in a scope to go back to when a block ends.
#[derive(Clone, Copy, Debug)]
pub struct Level(usize, usize);

impl Scope<'_> {
    pub fn new(home: Home) -> Scope<'static> {
        Scope { home, ..Scope::default() }
    }

    pub fn add(&mut self, name: &str, ty: LocalType, among: Option<Vec<u32>>, span: Span) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(Local { name: name.to_owned(), ty, span });
        self.among.push(among);
        id
    }

    pub fn show(&mut self, name: &str, local: LocalId) {
        self.visible.push((name.to_owned(), local));
    }

    pub fn find(&self, name: &str) -> Option<LocalId> {
        self.visible.iter().rev().find(|(n, _)| n == name).map(|(_, local)| *local)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.visible.iter().map(|(name, _)| name.as_str())
    }

    pub fn local(&self, id: LocalId) -> Option<&Local> {
        self.locals.get(id.index())
    }

    pub fn among(&self, id: LocalId) -> Option<&Vec<u32>> {
        self.among.get(id.index()).and_then(Option::as_ref)
    }

    pub fn level(&self) -> Level {
        Level(self.visible.len(), self.seen_tokens.len())
    }

    pub fn back_to(&mut self, level: Level) {
        self.visible.truncate(level.0);
        self.seen_tokens.truncate(level.1);
    }

    /// Hides all but the parameters, for a block that stands in the place of `usual`.
    pub fn hide_all_but_params(&mut self) -> Vec<(String, LocalId)> {
        let params = self.params.clone();
        let (kept, hidden) =
            std::mem::take(&mut self.visible).into_iter().partition(|(_, local)| params.contains(local));
        self.visible = kept;
        hidden
    }

    pub fn show_again(&mut self, hidden: Vec<(String, LocalId)>) {
        self.visible.extend(hidden);
    }

    pub fn name_piece(&mut self, local: LocalId, piece: Piece) {
        self.pieces.push((local, piece));
    }

    pub fn piece(&self, local: LocalId) -> Option<&Piece> {
        self.pieces.iter().find(|(l, _)| *l == local).map(|(_, piece)| piece)
    }

    pub fn see_token(&mut self, local: LocalId, test: Expr) {
        self.seen_tokens.push((local, test));
    }

    /// The tokens that the actor has seen for certain, each with the test that says so.
    pub fn seen_tokens(&self) -> &[(LocalId, Expr)] {
        &self.seen_tokens
    }

    pub fn push_it(&mut self, local: LocalId, domain: DomainId) {
        self.its.push((local, domain));
    }

    pub fn pop_it(&mut self) {
        self.its.pop();
    }

    /// The innermost element that is being tested, as an expression.
    pub fn it(&self, span: Span) -> Option<Expr> {
        let (local, domain) = self.its.last()?;
        Some(Expr { kind: ExprKind::Local(*local), ty: Type::Member(*domain), span })
    }

    /// Is the innermost element that is being tested of this domain?
    pub fn it_is(&self, domain: DomainId) -> bool {
        self.its.last().is_some_and(|(_, d)| *d == domain)
    }

    /// The innermost element of this domain that is being tested.
    pub fn it_of(&self, domain: DomainId, span: Span) -> Option<Expr> {
        let (local, _) = self.its.iter().rev().find(|(_, d)| *d == domain)?;
        Some(Expr { kind: ExprKind::Local(*local), ty: Type::Member(domain), span })
    }
}
