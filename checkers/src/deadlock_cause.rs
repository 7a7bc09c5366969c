//! The cause of a deadlock: orders of events under which no thread ever gets past the operation it waits in.
//!
//! A deadlock is no condition that another execution of the same events could make false: a thread that gets
//! past goes on with unrecorded events. So each operation in which a thread waits becomes an event that would
//! come next in its thread. The engine is asked for an execution of the beginnings of the paths in which one
//! of these events happens, the first of all. Events after it need not happen ([`System::of_beginnings`]).
//! Orders of the failing schedule that leave no such execution are a cause. "One before another" then says
//! that the other has not happened as long as the one has not. So where no such execution is left, all
//! threads that keep to their paths block in any schedule, as the paths end.
//!
//! An execution for each order shows that it cannot be left out. It is taken step by step on the machine,
//! which knows nothing of the clauses.

use crate::beginnings::{at_once, reached};
use crate::root_cause::{CauseLimits, NoRootCause, RootCause, contradiction, orders, reduce, with_inputs};
use crate::synthesis::{
    Answer, Engine, EventId, FixedOrder, Lock, Problem, Schedule, Scope, System, Unknown, certain_orders,
};
use std::sync::Arc;
use symx_trace::symbolic::{ObjectKind, ObjectRef, Operation};

/// Why threads wait forever.
#[derive(Debug)]
pub struct DeadlockCause {
    /// The failing execution's problem with the events that would come next.
    pub problem: Problem,
    /// Orders of the events of `problem`. None if no thread gets past in any execution of these paths.
    pub cause: RootCause,
}

/// Finds the cause of a deadlock that a schedule leads to. Once `limits.stop` ends it, the best result so far
/// is the answer.
pub fn deadlock_cause(
    problem: &Problem,
    schedule: &Schedule,
    limits: &CauseLimits,
) -> Result<DeadlockCause, NoRootCause> {
    let (next, goals) = with_next_events(problem)?;
    if goals.is_empty() {
        let cause = RootCause { orders: Vec::new(), is_minimal: true };
        return Ok(DeadlockCause { problem: next, cause });
    }
    if System::estimate(&next).saturating_mul(goals.len() as u64) > limits.most_literals {
        return Err(limits.exceeded());
    }
    let schedule = continued(problem, schedule, &next, &goals);
    let mut ways = Vec::new();
    for goal in &goals {
        let others = goals.iter().filter(|other| *other != goal);
        let orders: Vec<(EventId, EventId)> =
            others.map(|other| (*goal, *other)).chain(at_once(&next)).collect();
        let mut system = System::of_beginnings(&next, *goal, &orders, &Scope::whole(&next), &limits.stop);
        if system.is_truncated {
            return Err(limits.exceeded());
        }
        with_inputs(&mut system, &next, &schedule.inputs);
        ways.push((*goal, limits.engine(&next, &system)));
    }
    // Some thread gets past, or none does because of these orders.
    let mut solve = |assumed: &[_], most_conflicts: u32| {
        let mut cause = Vec::new();
        for (goal, engine) in &mut ways {
            engine.limit(most_conflicts.min(limits.most_conflicts));
            match engine.solve(assumed) {
                Answer::Core(core) => cause.extend(core),
                Answer::Model(model) if reached(&next, *goal, &model).is_some() => {
                    return Answer::Model(model);
                }
                Answer::Model(_) => return Answer::Unknown(Unknown::NoExecution),
                unknown @ Answer::Unknown(_) => return unknown,
            }
        }
        cause.sort_unstable();
        cause.dedup();
        Answer::Core(cause)
    };
    let certain = FixedOrder::new(next.event_count(), &certain_orders(&next));
    let all = orders(&next, &schedule, &certain, &Scope::whole(&next), &goals, &|_| true);
    let core = contradiction(&all, &mut solve)?;
    let (orders, is_minimal) = reduce(core, &mut solve, &limits.stop);
    drop(ways);
    Ok(DeadlockCause { problem: next, cause: RootCause { orders, is_minimal } })
}

/// The problem in which the operations waited in are events, and these. Operations that can never happen are
/// left out: a join of a thread that has not ended, and a lock of one's own. (The first thread to get past
/// does not wait for one of the others.)
fn with_next_events(problem: &Problem) -> Result<(Problem, Vec<EventId>), NoRootCause> {
    let mut trace = problem.trace.clone();
    let mut added = Vec::new();
    for (number, thread) in trace.threads.iter_mut().enumerate() {
        let Some(event) = thread.blocked.take() else { continue };
        if !matches!(event.operation, Operation::Join(_)) && !is_own(problem, number, &event.operation) {
            thread.events.push(event);
            added.push(number);
        }
    }
    let next = Problem::new(Arc::clone(&problem.terms), trace, problem.model)
        .map_err(|why| NoRootCause::Unknown(Unknown::Invalid(why.to_string())))?;
    let is_lock = |kind| matches!(kind, ObjectKind::Mutex | ObjectKind::ReadWriteLock);
    for (number, object) in next.trace.objects.iter().enumerate() {
        if is_lock(object.kind) && Lock::of(&next, ObjectRef(number as u32)).is_misused {
            return Err(NoRootCause::Unknown(Unknown::ForeignUnlock));
        }
    }
    let goals = added.iter().filter_map(|thread| next.events_of(*thread).next_back()).collect();
    Ok((next, goals))
}

/// Whether a thread waits for a lock that it has itself.
fn is_own(problem: &Problem, thread: usize, operation: &Operation) -> bool {
    let (lock, excludes) = match operation {
        Operation::Lock(lock) | Operation::WriteLock(lock) => (*lock, true),
        Operation::ReadLock(lock) => (*lock, false),
        _ => return false,
    };
    let sections = Lock::of(problem, lock).sections;
    sections.iter().any(|one| one.thread == thread && one.end.is_none() && (excludes || one.excludes))
}

/// A schedule of a problem as one of that with the events that would come next, which come last.
fn continued(problem: &Problem, schedule: &Schedule, next: &Problem, goals: &[EventId]) -> Schedule {
    let there = |event: &EventId| {
        let position = problem.position(*event);
        next.event(position.thread, position.index)
    };
    let order = schedule.order.iter().map(there).chain(goals.iter().copied()).collect();
    Schedule { order, ..schedule.clone() }
}
