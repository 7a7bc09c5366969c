//! Executions of the beginnings of paths: every event before a *goal* happens, and the goal; later ones need
//! not.
//!
//! An execution that fails ends there: locks are still held, and other threads had more to do. So "an
//! execution in which all events of the trace happen" excludes ones that the program has. A question about a
//! failure is one about beginnings.

use crate::synthesis::{EventId, Machine, Model, Problem};
use std::collections::HashMap;
use symx_expr::Assignment;
use symx_trace::FailureKind;
use symx_trace::symbolic::Operation;

/// The event by which the bug is decided: the last one of the thread that fails, stores left out, which may
/// take effect later. `None` if the bug is decided when all threads have ended.
pub(crate) fn goal(problem: &Problem) -> Option<EventId> {
    let failure = problem.trace.bug.failure.as_ref().filter(|failure| failure.kind != FailureKind::Output)?;
    let thread = problem.trace.threads.iter().position(|thread| thread.name == failure.thread)?;
    problem.events_of(thread).rfind(|event| !is_store(problem, *event))
}

fn is_store(problem: &Problem, event: EventId) -> bool {
    matches!(problem.operation(event), Operation::Write { .. })
}

/// Pairs of events that are no stores: these take effect when their thread comes to them, under every model.
/// So do ends of threads and fences, which the models leave out as they order no memory.
pub(crate) fn at_once(problem: &Problem) -> Vec<(EventId, EventId)> {
    let mut pairs = Vec::new();
    for thread in 0..problem.thread_count() {
        let events: Vec<EventId> =
            problem.events_of(thread).filter(|event| !is_store(problem, *event)).collect();
        pairs.extend(events.windows(2).map(|pair| (pair[0], pair[1])));
    }
    pairs
}

/// The values of inputs and reads where the order of a model leads to the goal, event by event; `None` if it
/// does not.
pub(crate) fn reached(problem: &Problem, goal: EventId, model: &Model) -> Option<Assignment> {
    let machine = Machine::of_one_execution(problem, &model.inputs);
    let woken: HashMap<EventId, EventId> = model.wakes.iter().copied().collect();
    let mut state = machine.start();
    let mut in_effect = vec![false; problem.event_count()];
    if !machine.can_start() {
        return None;
    }
    for event in &model.order {
        let position = problem.position(*event);
        // Stores before it that take effect later wait in the buffer.
        while state.executed(position.thread) <= position.index {
            let now = machine.next(&state, position.thread)?;
            let is_store = matches!(problem.operation(now), Operation::Write { .. });
            let sleepers = machine.sleepers(&state, position.thread);
            let wakes = woken.get(&now).map(|wait| problem.position(*wait).thread);
            let wakes = wakes.and_then(|thread| sleepers.iter().position(|sleeper| *sleeper == thread));
            if now != *event && !is_store || wakes.is_none() && !sleepers.is_empty() {
                return None;
            }
            match machine.execute(&mut state, position.thread, wakes.unwrap_or(0)) {
                Ok((_, takes_effect)) => in_effect[now.index()] = takes_effect,
                Err(_) => return None,
            }
        }
        if !in_effect[event.index()] {
            let mut lanes = machine.committable(&state, position.thread).into_iter();
            let lane = lanes.find(|lane| machine.next_commit(&state, position.thread, *lane) == Some(*event));
            match lane.map(|lane| machine.commit(&mut state, position.thread, lane)) {
                Some(Ok(_)) => in_effect[event.index()] = true,
                _ => return None,
            }
        }
        if *event == goal {
            return Some(machine.values(&state));
        }
    }
    None
}
