//! The constraint system: path ∧ bug ∧ synchronisation ∧ reads-from ∧ order, as clauses.
//!
//! The order is that in which events take effect, which the model's axioms ask to be acyclic. It contains
//! preserved program order, synchronisation, external reads-from, coherence and from-reads
//! ([`memmodel`](symx_memmodel) has the axioms). Coherence of each place needs no order of its own. Sources
//! that it forbids beyond that one order are never offered to a read, or a clause excludes them
//! ([`reads_from`]).

pub(super) mod barriers;
pub(super) mod condition_variables;
pub(super) mod fixed_order;
pub(super) mod locks;
pub(super) mod reads_from;
pub(super) mod scope;
pub(super) mod semaphores;
pub(super) mod synchronisation;

use crate::synthesis::limits::{CLAUSES_BETWEEN, MOST_LITERALS, MOST_ROUNDS};
use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::fixed_order::FixedOrder;
use crate::synthesis::system::locks::Sections;
use crate::synthesis::system::scope::Scope;
use std::collections::{HashMap, HashSet};
use symx_expr::{Assignment, BinaryOperator, Derived, Node, StopToken, Term};

/// Something that is true or false of an execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom {
    /// The first event takes effect before the second, which has the greater number. Of two events one does.
    Before(EventId, EventId),
    /// A read gets the bytes of a location from a write, or the initial ones.
    ReadsFrom {
        /// In the execution's list.
        location: u32,
        /// The read.
        read: EventId,
        /// The write.
        write: Option<EventId>,
    },
    /// A signal or broadcast ends a wait that has begun.
    Wakes {
        /// The signal.
        signal: EventId,
        /// The beginning of the wait.
        wait: EventId,
    },
    /// A condition over inputs and values read holds.
    Holds(Term),
    /// An unknown of an encoding.
    Choice(u32),
}

/// An atom or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    /// The atom.
    pub atom: Atom,
    /// Whether it is asserted, not negated.
    pub positive: bool,
}

impl Literal {
    /// An atom, asserted.
    pub fn of(atom: Atom) -> Self {
        Self { atom, positive: true }
    }

    /// An event takes effect before another.
    pub fn before(earlier: EventId, later: EventId) -> Self {
        if earlier <= later {
            Self::of(Atom::Before(earlier, later))
        } else {
            !Self::of(Atom::Before(later, earlier))
        }
    }

    /// The events that it puts in order, if it is of this kind: the earlier first.
    pub fn order(self) -> Option<(EventId, EventId)> {
        match self.atom {
            Atom::Before(one, other) if self.positive => Some((one, other)),
            Atom::Before(one, other) => Some((other, one)),
            _ => None,
        }
    }
}

impl std::ops::Not for Literal {
    type Output = Self;
    fn not(self) -> Self {
        Self { positive: !self.positive, ..self }
    }
}

/// The constraints that an execution must satisfy to show the bug.
#[derive(Debug)]
pub struct System {
    /// Pairs of events that come one after the other in any case. Everything that follows from
    /// program order is here.
    pub edges: Vec<(EventId, EventId)>,
    /// One literal of each must be true.
    pub clauses: Vec<Vec<Literal>>,
    /// How many choices there are.
    pub choices: u32,
    /// Which event is known to come before which.
    pub order: FixedOrder,
    /// Whether some clauses were left out for want of memory; then a model of these need be no execution.
    pub is_truncated: bool,
}

/// What a system asks of a problem's executions.
#[derive(Clone, Copy)]
struct Selection<'s> {
    /// Conditions, each with the event that decides it.
    conditions: &'s [(Term, Option<EventId>)],
    /// Pairs of events that are to come one after the other.
    orders: &'s [(EventId, EventId)],
    /// Values of reads that are given.
    values: &'s Assignment,
    /// The part of the paths that it is about.
    scope: &'s Scope,
    /// What comes after this event, if there is one, need not happen.
    goal: Option<EventId>,
}

impl System {
    /// The system of a problem, the bug included.
    pub fn new(problem: &Problem) -> Self {
        let conditions = problem.conditions().collect();
        Self::with_conditions(problem, conditions, &[], &Assignment::new(), &Scope::whole(problem))
    }

    /// The same, unless it is stopped: then no further clauses are added.
    pub fn stopped_by(problem: &Problem, stop: &StopToken) -> Self {
        let conditions: Vec<_> = problem.conditions().map(|condition| (condition, None)).collect();
        let (scope, values) = (Scope::whole(problem), Assignment::new());
        let selection =
            Selection { conditions: &conditions, orders: &[], values: &values, scope: &scope, goal: None };
        Self::build(problem, selection, stop)
    }

    /// The system of executions that take the paths, whether they show the bug or not. They have these events
    /// in this order, which gives these reads their values.
    pub fn of_paths_with(problem: &Problem, orders: &[(EventId, EventId)], values: &Assignment) -> Self {
        Self::with_conditions(problem, conditions_of_paths(problem), orders, values, &Scope::whole(problem))
    }

    /// The part of the system of the paths that is about `scope` alone.
    pub fn of_paths_about(problem: &Problem, scope: &Scope) -> Self {
        let conditions = scope.conditions(problem, conditions_of_paths(problem));
        Self::with_conditions(problem, conditions, &[], &Assignment::new(), scope)
    }

    /// About how many literals the clauses about reads have: what a system takes, before anything is
    /// known to be ordered.
    pub fn estimate(problem: &Problem) -> u64 {
        let of_location = |location: &symx_memmodel::Location| {
            let (reads, writes) = (location.reads_from.len() as u64, location.coherence.len() as u64);
            reads * writes * writes
        };
        problem.execution.locations.iter().map(of_location).sum()
    }

    /// The system of `goal` and the events before it on the paths: events that this order puts after it need
    /// not happen. Every execution of the paths as far as `goal` satisfies it. Events that do not happen, or
    /// not yet, come after `goal` in any order that these `orders` and the certain ones leave. It has clauses
    /// about `scope` only. Once it is interrupted, no further clauses are added.
    pub fn of_beginnings(
        problem: &Problem,
        goal: EventId,
        orders: &[(EventId, EventId)],
        scope: &Scope,
        stop: &StopToken,
    ) -> Self {
        let mut conditions = decided_conditions(problem);
        let about: HashSet<Term> = scope
            .conditions(problem, conditions.iter().map(|(term, _)| *term).collect())
            .into_iter()
            .collect();
        conditions.retain(|(term, _)| about.contains(term));
        let values = Assignment::new();
        let selection =
            Selection { conditions: &conditions, orders, values: &values, scope, goal: Some(goal) };
        Self::build(problem, selection, stop)
    }

    fn with_conditions(
        problem: &Problem,
        mut conditions: Vec<Term>,
        orders: &[(EventId, EventId)],
        values: &Assignment,
        scope: &Scope,
    ) -> Self {
        if !values.is_empty() {
            conditions.iter_mut().for_each(|one| *one = problem.terms.substitute(*one, values));
        }
        let conditions: Vec<(Term, Option<EventId>)> =
            conditions.into_iter().map(|condition| (condition, None)).collect();
        let selection = Selection { conditions: &conditions, orders, values, scope, goal: None };
        Self::build(problem, selection, &StopToken::default())
    }

    fn build(problem: &Problem, selection: Selection<'_>, stop: &StopToken) -> Self {
        let Selection { conditions, orders, values, scope, goal } = selection;
        let mut edges = certain_orders(problem);
        edges.extend(orders);
        edges.sort_unstable();
        edges.dedup();
        // Conditions that need not hold pin nothing.
        let known = if goal.is_some() { Assignment::new() } else { pinned(problem, conditions) };
        // Without clauses about locks, the order of sections says nothing about that of their events; nor
        // where some sections need not happen.
        let sections = match scope.has_synchronisation && goal.is_none() {
            true => Sections::new(problem),
            false => Sections::none(problem),
        };
        let mut order = FixedOrder::new(problem.event_count(), &edges);
        let mut rounds = 0;
        loop {
            let mut builder = Builder::new(&known, values, &sections, order, goal, stop);
            for (condition, decided_by) in conditions {
                builder.about(*decided_by);
                builder.clause([Literal::of(Atom::Holds(*condition))]);
            }
            builder.about(None);
            if scope.has_synchronisation {
                synchronisation::constrain(problem, &mut builder);
            }
            reads_from::constrain(problem, scope, &mut builder);
            let is_truncated = builder.is_full();
            let Builder { order: now, clauses, learned, choices, .. } = builder;
            let is_settled = learned.is_empty() || rounds == MOST_ROUNDS || is_truncated;
            edges.extend(learned);
            let system = Self { edges, clauses, choices, order: now, is_truncated };
            if is_settled || system.is_contradictory() {
                return system;
            }
            (edges, order) = (system.edges, system.order);
            rounds += 1;
        }
    }

    /// Whether pruning alone has shown that there is no execution.
    pub fn is_contradictory(&self) -> bool {
        self.order.is_cyclic() || self.clauses.iter().any(Vec::is_empty)
    }
}

/// Pairs of events that are in this order in every execution: preserved program order, lives of threads,
/// writes of one thread to one place.
pub(crate) fn certain_orders(problem: &Problem) -> Vec<(EventId, EventId)> {
    let execution = &problem.execution;
    let pairs = execution.preserved_program_order(problem.model);
    let pairs = pairs.iter().chain(&execution.synchronises);
    let mut orders: Vec<_> =
        pairs.map(|(one, other)| (EventId(*one as u32), EventId(*other as u32))).collect();
    orders.extend(reads_from::own_coherence(problem));
    orders
}

/// Clauses for the paths to be taken, whether the bug shows or not.
fn conditions_of_paths(problem: &Problem) -> Vec<Term> {
    let mut conditions: Vec<Term> = problem.conditions().collect();
    conditions.pop();
    conditions
}

/// The conditions of the paths, each with the last event that it depends on; none if it
/// depends on inputs alone.
fn decided_conditions(problem: &Problem) -> Vec<(Term, Option<EventId>)> {
    let mut conditions = Vec::new();
    for (thread, trace) in problem.trace.threads.iter().enumerate() {
        let reads: HashMap<Term, EventId> = problem
            .events_of(thread)
            .filter_map(|event| Some((problem.term(problem.operation(event).symbol()?), event)))
            .collect();
        let mut last = Derived::default();
        let latest = |term: Term, operands: &mut dyn Iterator<Item = Option<EventId>>| {
            operands.max().flatten().max(reads.get(&term).copied())
        };
        for condition in &trace.conditions {
            let term = problem.term(condition.term);
            conditions.push((term, last.of(&problem.terms, term, latest)));
        }
    }
    conditions
}

/// Values of symbols that conditions state.
fn pinned(problem: &Problem, conditions: &[(Term, Option<EventId>)]) -> Assignment {
    let terms = &problem.terms;
    let mut known = Assignment::new();
    for (condition, _) in conditions {
        if let Node::Binary { operator: BinaryOperator::Equal, left, right, .. } = *terms.node(*condition)
            && matches!(terms.node(left), Node::Symbol { .. })
            && let Some(value) = terms.as_bitvector(right)
        {
            known.set(left, value);
        }
    }
    known
}

/// Collects clauses, without known literals.
pub(in crate::synthesis) struct Builder<'a> {
    known: &'a Assignment,
    /// The values that reads return in any case.
    values: &'a Assignment,
    sections: &'a Sections,
    pub(in crate::synthesis) order: FixedOrder,
    clauses: Vec<Vec<Literal>>,
    /// Orders that clauses of one literal state.
    learned: Vec<(EventId, EventId)>,
    choices: u32,
    /// How many literals the clauses have.
    literals: usize,
    /// Events after this one need not happen.
    goal: Option<EventId>,
    /// The event that clauses are now about need not happen if this is true.
    unless: Option<Literal>,
    stop: &'a StopToken,
    /// How often it was asked for a clause, as there is no need to look at the time for each.
    asked: u64,
    is_stopped: bool,
}

impl<'a> Builder<'a> {
    fn new(
        known: &'a Assignment,
        values: &'a Assignment,
        sections: &'a Sections,
        order: FixedOrder,
        goal: Option<EventId>,
        stop: &'a StopToken,
    ) -> Self {
        Self {
            known,
            values,
            sections,
            order,
            clauses: Vec::new(),
            learned: Vec::new(),
            choices: 0,
            literals: 0,
            goal,
            unless: None,
            stop,
            asked: 0,
            is_stopped: false,
        }
    }

    /// The next clauses are conditions for this event to happen: they hold vacuously if it need not.
    pub(in crate::synthesis) fn about(&mut self, event: Option<EventId>) {
        self.unless = match (self.goal, event) {
            (Some(goal), Some(event)) if goal != event => Some(Literal::before(goal, event)),
            _ => None,
        };
    }

    /// Whether not all events need happen.
    pub(in crate::synthesis) fn ends_early(&self) -> bool {
        self.goal.is_some()
    }

    /// An unknown that denotes nothing yet.
    pub(in crate::synthesis) fn choice(&mut self) -> Literal {
        self.choices += 1;
        Literal::of(Atom::Choice(self.choices - 1))
    }

    /// The known value of a literal.
    fn truth(&self, literal: Literal) -> Option<bool> {
        match literal.atom {
            Atom::Before(one, other) if self.order.precedes(one, other) => Some(literal.positive),
            Atom::Before(one, other) if self.order.precedes(other, one) => Some(!literal.positive),
            Atom::Holds(Term::TRUE) => Some(literal.positive),
            Atom::Holds(Term::FALSE) => Some(!literal.positive),
            _ => None,
        }
    }

    /// A condition, where reads return what they return in any case.
    pub(in crate::synthesis) fn reduced(&self, problem: &Problem, condition: Term) -> Term {
        if self.values.is_empty() { condition } else { problem.terms.substitute(condition, self.values) }
    }

    /// Whether a condition cannot hold, as far as values that conditions state show.
    pub(in crate::synthesis) fn is_excluded(&self, problem: &Problem, condition: Term) -> bool {
        condition == Term::FALSE
            || !self.known.is_empty() && problem.terms.substitute(condition, self.known) == Term::FALSE
    }

    /// One of the literals is true. Orders of events in sections of one lock become the
    /// order of the sections.
    pub(in crate::synthesis) fn clause(&mut self, literals: impl IntoIterator<Item = Literal>) {
        let sections = self.sections;
        self.exact_clause(literals.into_iter().map(|literal| {
            let named = literal.order().and_then(|(earlier, later)| sections.named_by(earlier, later));
            named.map_or(literal, |(earlier, later)| Literal::before(earlier, later))
        }));
    }

    /// One of the literals is true.
    pub(in crate::synthesis) fn exact_clause(&mut self, literals: impl IntoIterator<Item = Literal>) {
        self.asked += 1;
        self.is_stopped |= self.asked.is_multiple_of(CLAUSES_BETWEEN) && self.stop.is_over();
        if self.is_full() {
            return;
        }
        let mut clause = Vec::new();
        for literal in self.unless.into_iter().chain(literals) {
            match self.truth(literal) {
                Some(true) => return,
                Some(false) => {}
                None if clause.contains(&!literal) => return,
                None if clause.contains(&literal) => {}
                None => clause.push(literal),
            }
        }
        if let [only] = clause[..]
            && let Some((earlier, later)) = only.order()
        {
            if self.order.add(earlier, later) {
                self.learned.push((earlier, later));
                // The consequences took time quadratic in the number of events.
                self.is_stopped |= self.stop.is_over();
            }
            return;
        }
        self.literals += clause.len();
        self.clauses.push(clause);
    }

    /// Whether there is room for no more clauses, or no time.
    pub(in crate::synthesis) fn is_full(&self) -> bool {
        self.literals > MOST_LITERALS || self.is_stopped
    }

    /// There is no execution.
    pub(in crate::synthesis) fn contradiction(&mut self) {
        self.clauses.push(Vec::new());
    }

    /// A new literal that is true only if all of these are.
    pub(in crate::synthesis) fn only_if_all(&mut self, literals: &[Literal]) -> Literal {
        if let [only] = literals {
            return *only;
        }
        let all = self.choice();
        literals.iter().for_each(|literal| self.clause([!all, *literal]));
        all
    }

    /// At most one of the literals is true.
    pub(in crate::synthesis) fn at_most_one(&mut self, literals: &[Literal]) {
        for (index, one) in literals.iter().enumerate() {
            literals[..index].iter().for_each(|other| self.clause([!*one, !*other]));
        }
    }

    /// At most `most` of the literals are true: a counter that goes along (Sinz, CP 2005).
    pub(in crate::synthesis) fn at_most(&mut self, most: usize, literals: &[Literal]) {
        if most >= literals.len() {
            return;
        }
        if most == 0 {
            literals.iter().for_each(|literal| self.clause([!*literal]));
            return;
        }
        let mut reached: Vec<Literal> = Vec::new();
        for literal in literals {
            let now: Vec<Literal> = (0..most).map(|_| self.choice()).collect();
            self.clause([!*literal, now[0]]);
            for (count, before) in reached.iter().enumerate() {
                self.clause([!*before, now[count]]);
                match now.get(count + 1) {
                    Some(next) => self.clause([!*before, !*literal, *next]),
                    None => self.clause([!*before, !*literal]),
                }
            }
            reached = now;
        }
    }
}
