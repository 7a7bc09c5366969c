//! Root cause: the fewest orders of events that a failing schedule cannot drop without losing the bug
//! (Symbiosis, PLDI 2015, on the system of [`synthesis`](mod@crate::synthesis)).
//!
//! The orders a schedule gave to conflicting events are assumed, and the bug is ruled out. Orders that an
//! engine reports to contradict that are a cause. Orders are then left out one by one: where the rest still
//! contradicts, the order was no part of it. The query is about [beginnings](mod@crate::beginnings) of
//! executions. "One before another" says that the other has not happened as long as the one has not. Events
//! that come after the failure's need not happen.

use crate::beginnings::{at_once, goal, reached};
use crate::synthesis::{
    Answer, Atom, Engine, EventId, FixedOrder, Literal, Lock, Model, OrderTheory, Problem, Schedule, Scope,
    System, Unknown,
};
use std::collections::BTreeSet;
use symx_expr::{Assignment, StopToken, Term};
use symx_trace::symbolic::{ObjectKind, ObjectRef, Operation};

/// Why a schedule fails.
#[derive(Clone, Debug)]
pub struct RootCause {
    /// Pairs of events, the earlier first: whenever all of these are in this order, the bug shows. None if no
    /// order of the paths' events avoids it.
    pub orders: Vec<(EventId, EventId)>,
    /// Whether no order can be left out.
    pub is_minimal: bool,
}

/// Why there is no root cause.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoRootCause {
    /// The fault is no condition that could be false in an execution of the same events.
    #[error("what fails depends on no value that several threads share in this execution")]
    NoCondition,
    /// The engine gave up.
    #[error("{0}")]
    Unknown(Unknown),
    /// The schedule does not fail, or the engine is not right.
    #[error("the failure does not follow from the order of events in the schedule")]
    NotFailing,
}

/// The input of an engine: the system of a problem's paths, and that the bug does not show under a schedule's
/// inputs.
pub fn avoiding(problem: &Problem, schedule: &Schedule) -> Result<System, NoRootCause> {
    avoiding_within(problem, schedule, usize::MAX)
}

/// The same, of executions in which all but the last `window` events happen as in the schedule, before those.
pub fn avoiding_within(problem: &Problem, schedule: &Schedule, window: usize) -> Result<System, NoRootCause> {
    let (prefix, rest) = schedule.order.split_at(schedule.order.len().saturating_sub(window));
    let mut orders: Vec<(EventId, EventId)> = prefix.windows(2).map(|pair| (pair[0], pair[1])).collect();
    orders.extend(prefix.last().into_iter().flat_map(|last| rest.iter().map(|event| (*last, *event))));
    let bug = problem.bug();
    if !has_condition(problem) {
        return Err(NoRootCause::NoCondition);
    }
    // Events that happen in one order only have the values they had, and need no circuits.
    let value = |event: &EventId| {
        let symbol = problem.term(problem.operation(*event).symbol()?);
        Some((symbol, schedule.values.get(symbol)?.clone()))
    };
    let values: Assignment = prefix.iter().filter_map(value).collect();
    let mut system = System::of_paths_with(problem, &orders, &values);
    rule_out(&mut system, problem, problem.terms.substitute(bug, &values), &schedule.inputs);
    Ok(system)
}

/// Limits of the search for a cause.
#[derive(Clone, Debug)]
pub struct CauseLimits {
    /// Literals that a system may have, as [`System::estimate`] and [`Scope::cost`] count them.
    pub most_literals: u64,
    /// Conflicts that one question may take.
    pub most_conflicts: u32,
    /// Stops a question that is being asked.
    pub stop: StopToken,
}

impl CauseLimits {
    /// Why a system cannot hold all clauses.
    pub(crate) fn exceeded(&self) -> NoRootCause {
        NoRootCause::Unknown(self.stop.reason().map_or(Unknown::LongTrace, Unknown::Stopped))
    }

    /// An engine for a system that keeps to them.
    pub fn engine<'p>(&self, problem: &'p Problem, system: &System) -> OrderTheory<'p> {
        OrderTheory::stopped_by(problem, system, Some(self.most_conflicts), self.stop.clone())
    }
}

/// Whether the bug is a condition that could be false in an execution of the same events.
fn has_condition(problem: &Problem) -> bool {
    let is_blocked = problem.trace.threads.iter().any(|thread| thread.blocked.is_some());
    !is_blocked && !problem.terms.is_constant(problem.bug())
}

/// A cause of a failing schedule of a long trace: orders of events on which the bug depends contradict its
/// absence, whatever else happens. They suffice; whether fewer would is not known. `None` if none is found
/// within the limits.
pub fn cause_by_scope(problem: &Problem, schedule: &Schedule, limits: &CauseLimits) -> Option<RootCause> {
    if !has_condition(problem) {
        return None;
    }
    let scopes = Scope::growing(problem);
    for scope in scopes.iter().filter(|scope| scope.cost(problem) <= limits.most_literals) {
        if limits.stop.is_over() {
            return None;
        }
        let system = passing(problem, schedule, scope, limits);
        let mut engine = limits.engine(problem, &system);
        let mut cause = match engine.solve(&orders(problem, schedule, &system.order, scope, &[], &|_| true)) {
            Answer::Core(core) => core,
            _ => continue,
        };
        let mut next = 0;
        while next < cause.len() && !limits.stop.is_over() {
            let mut rest = cause.clone();
            rest.remove(next);
            match engine.solve(&rest) {
                Answer::Core(core) => cause.retain(|order| core.contains(order)),
                // In the whole system it might be left out yet.
                _ => next += 1,
            }
        }
        let orders = cause.iter().filter_map(|literal| literal.order()).collect();
        return Some(RootCause { orders, is_minimal: false });
    }
    None
}

/// The executions that come as far as the failure does, and do not fail there.
fn passing(problem: &Problem, schedule: &Schedule, scope: &Scope, limits: &CauseLimits) -> System {
    let mut system = match goal(problem) {
        Some(goal) => System::of_beginnings(problem, goal, &at_once(problem), scope, &limits.stop),
        None => System::of_paths_about(problem, scope),
    };
    rule_out(&mut system, problem, problem.bug(), &schedule.inputs);
    system
}

/// Adds that the bug does not show under these inputs.
fn rule_out(system: &mut System, problem: &Problem, bug: Term, inputs: &Assignment) {
    system.clauses.push(vec![!Literal::of(Atom::Holds(bug))]);
    with_inputs(system, problem, inputs);
}

/// Adds that inputs are these.
pub(crate) fn with_inputs(system: &mut System, problem: &Problem, inputs: &Assignment) {
    for (symbol, value) in inputs.entries() {
        let is_same: Term = problem.terms.equal(symbol, problem.terms.bitvector(value));
        system.clauses.push(vec![Literal::of(Atom::Holds(is_same))]);
    }
}

/// Parts of a long core that are tried without at once, before single orders are.
const PARTS: [usize; 2] = [8, 32];

/// Conflicts after which a question is left for later, first and then; they take the longer the more threads
/// there are.
const FEW_CONFLICTS: [u32; 2] = [200, 4_000];

/// Finds the cause of a failing schedule: orders under which no execution that takes the paths as far as the
/// failure gets past it. Orders of the threads that it is thought to be `between` are tried before others,
/// and kept before others. Once `limits.stop` ends it, the best result so far is the answer.
pub fn root_cause(
    problem: &Problem,
    schedule: &Schedule,
    limits: &CauseLimits,
    between: &[usize],
) -> Result<RootCause, NoRootCause> {
    if !has_condition(problem) {
        return Err(NoRootCause::NoCondition);
    }
    let scope = Scope::whole(problem);
    let system = passing(problem, schedule, &scope, limits);
    if system.is_truncated {
        return Err(limits.exceeded());
    }
    let mut engine = limits.engine(problem, &system);
    let goal = goal(problem);
    let mut solve = |assumed: &[Literal], most_conflicts: u32| {
        engine.limit(most_conflicts.min(limits.most_conflicts));
        match (engine.solve(assumed), goal) {
            (Answer::Model(model), Some(goal)) if !passes(problem, goal, &model) => {
                Answer::Unknown(Unknown::NoExecution)
            }
            (answer, _) => answer,
        }
    };
    let all = orders(problem, schedule, &system.order, &scope, &[], &|_| true);
    let mut core = contradiction(&all, &mut solve)?;
    let is_between = |event: EventId| between.contains(&problem.position(event).thread);
    let few = orders(problem, schedule, &system.order, &scope, &[], &is_between);
    if let Answer::Core(of_few) = solve(&few, FEW_CONFLICTS[0]) {
        core = of_few;
    } else {
        // Those that are left out first come first.
        core.retain(|order| !few.contains(order));
        core.extend(&few);
    }
    let (mut orders, is_minimal) = reduce(core, &mut solve, &limits.stop);
    let is_few = |(one, other): &(EventId, EventId)| few.contains(&Literal::before(*one, *other));
    orders.sort_by_key(|order| !is_few(order));
    Ok(RootCause { orders, is_minimal })
}

/// Whether an execution reaches the goal, and the bug does not show there.
fn passes(problem: &Problem, goal: EventId, model: &Model) -> bool {
    let values = reached(problem, goal, model);
    values.is_some_and(|values| problem.terms.substitute(problem.bug(), &values) == Term::FALSE)
}

/// Some orders of all that contradict something, in their order.
pub(crate) fn contradiction(
    all: &[Literal],
    solve: &mut dyn FnMut(&[Literal], u32) -> Answer,
) -> Result<Vec<Literal>, NoRootCause> {
    match solve(all, u32::MAX) {
        Answer::Core(core) => Ok(all.iter().filter(|order| core.contains(order)).copied().collect()),
        Answer::Unknown(reason) => Err(NoRootCause::Unknown(reason)),
        Answer::Model(_) => Err(NoRootCause::NotFailing),
    }
}

/// Of orders that contradict something, some that do, and whether none of them can be left out; those in
/// front are left out first. A question gets a number of conflicts that it may take.
pub(crate) fn reduce(
    mut cause: Vec<Literal>,
    solve: &mut dyn FnMut(&[Literal], u32) -> Answer,
    stop: &StopToken,
) -> (Vec<(EventId, EventId)>, bool) {
    for parts in PARTS.into_iter().filter(|parts| cause.len() > 4 * parts).collect::<Vec<_>>() {
        let length = cause.len().div_ceil(parts);
        let mut from = 0;
        while from < cause.len() && !stop.is_over() {
            let to = (from + length).min(cause.len());
            let rest = [&cause[..from], &cause[to..]].concat();
            match solve(&rest, FEW_CONFLICTS[1]) {
                Answer::Core(core) => {
                    // Those before `from` may go, too.
                    let before = cause[..from].iter().filter(|order| core.contains(order)).count();
                    cause.retain(|order| core.contains(order));
                    from = before;
                }
                _ => from = to,
            }
        }
    }
    // Hard questions are asked again when all else is known.
    let mut needed: Vec<Literal> = Vec::new();
    for most_conflicts in FEW_CONFLICTS.into_iter().chain([u32::MAX]) {
        let mut open: Vec<Literal> = cause.iter().filter(|order| !needed.contains(order)).copied().collect();
        open.reverse();
        while let Some(order) = open.pop().filter(|_| !stop.is_over()) {
            let rest: Vec<Literal> = cause.iter().filter(|other| **other != order).copied().collect();
            match solve(&rest, most_conflicts) {
                Answer::Core(core) => {
                    cause.retain(|order| core.contains(order));
                    open.retain(|order| core.contains(order));
                }
                Answer::Model(_) => needed.push(order),
                Answer::Unknown(_) => {}
            }
        }
    }
    let is_minimal = cause.iter().all(|order| needed.contains(order));
    (cause.iter().filter_map(|literal| literal.order()).collect(), is_minimal)
}

/// The orders a schedule gave to conflicting events of different threads, those left out that follow from
/// neighbours or are `certain`. Events that would have `come_next`, one a thread, come after all others and
/// in no order among themselves. Only events that are `kept` are looked at.
pub(crate) fn orders(
    problem: &Problem,
    schedule: &Schedule,
    certain: &FixedOrder,
    scope: &Scope,
    come_next: &[EventId],
    is_kept: &dyn Fn(EventId) -> bool,
) -> Vec<Literal> {
    let mut places = vec![0; problem.event_count()];
    schedule.order.iter().enumerate().for_each(|(place, event)| places[event.index()] = place);
    let by_place = |events: &mut Vec<EventId>| events.sort_by_key(|event| places[event.index()]);
    let mut pairs: BTreeSet<(EventId, EventId)> = BTreeSet::new();
    let locations = problem.execution.locations.iter().enumerate();
    for (_, location) in locations.filter(|(number, _)| scope.has_location(*number)) {
        let id = |event: usize| EventId(event as u32);
        let mut writes: Vec<EventId> = location.coherence.iter().copied().map(id).collect();
        writes.retain(|write| is_kept(*write));
        by_place(&mut writes);
        pairs.extend(writes.windows(2).map(|pair| (pair[0], pair[1])));
        for read in location.reads_from.iter().map(|(read, _)| id(*read)).filter(|read| is_kept(*read)) {
            let before = writes.partition_point(|write| places[write.index()] < places[read.index()]);
            pairs.extend(before.checked_sub(1).map(|last| (writes[last], read)));
            let after = writes[before..].iter().find(|write| **write != read);
            pairs.extend(after.map(|write| (read, *write)));
        }
    }
    for (number, object) in problem.trace.objects.iter().enumerate().filter(|_| scope.has_synchronisation) {
        let object_ref = ObjectRef(number as u32);
        let mut events: Vec<EventId> = match object.kind {
            ObjectKind::Memory { .. } => continue,
            ObjectKind::Mutex | ObjectKind::ReadWriteLock => {
                let sections = Lock::of(problem, object_ref).sections;
                sections.iter().map(|section| section.begin).collect()
            }
            _ => problem.events().filter(|event| touches(problem.operation(*event), object_ref)).collect(),
        };
        events.retain(|event| is_kept(*event));
        by_place(&mut events);
        let (next, happened): (Vec<EventId>, Vec<EventId>) =
            events.into_iter().partition(|event| come_next.contains(event));
        pairs.extend(happened.windows(2).map(|pair| (pair[0], pair[1])));
        pairs.extend(happened.last().into_iter().flat_map(|last| next.iter().map(|event| (*last, *event))));
    }
    let is_open = |(earlier, later): &(EventId, EventId)| {
        problem.position(*earlier).thread != problem.position(*later).thread
            && !certain.precedes(*earlier, *later)
    };
    pairs.into_iter().filter(is_open).map(|(earlier, later)| Literal::before(earlier, later)).collect()
}

/// Whether an operation touches an object that is no lock.
fn touches(operation: &Operation, object: ObjectRef) -> bool {
    match operation {
        Operation::WaitBegin(wait) | Operation::WaitSignalled(wait) => wait.condition == object,
        Operation::Signal(one)
        | Operation::Broadcast(one)
        | Operation::BarrierArrive(one)
        | Operation::BarrierPass(one)
        | Operation::SemaphoreWait(one)
        | Operation::SemaphoreZero(one)
        | Operation::SemaphorePost(one) => *one == object,
        _ => false,
    }
}
