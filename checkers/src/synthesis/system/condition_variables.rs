//! Condition variables: each signal ends one wait that has begun, if there is one; a broadcast all. None is
//! lost while a thread waits, and a wait that was signalled is woken by exactly one.
//!
//! A wait that ends by itself may have left the queue at any time, so it takes part in nothing.

use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::locks::Lock;
use crate::synthesis::system::{Atom, Builder, Literal};
use symx_trace::symbolic::{ObjectRef, Operation};

/// One that listens for signals.
struct Wait {
    begin: EventId,
    /// When it was over, if that was seen.
    end: Option<EventId>,
    /// Whether it must never be woken, as that would end it.
    sleeps_on: bool,
}

/// One that wakes.
struct Waker {
    event: EventId,
    all: bool,
}

fn waits_and_wakers(problem: &Problem, condition: ObjectRef) -> (Vec<Wait>, Vec<Waker>) {
    let (mut waits, mut wakers) = (Vec::new(), Vec::new());
    for event in problem.events() {
        match problem.operation(event) {
            Operation::Signal(object) if *object == condition => wakers.push(Waker { event, all: false }),
            Operation::Broadcast(object) if *object == condition => wakers.push(Waker { event, all: true }),
            Operation::WaitBegin(wait) if wait.condition == condition => {
                let position = problem.position(event);
                let thread = &problem.trace.threads[position.thread];
                let following = thread.events.get(position.index + 1).map(|event| &event.operation);
                let blocked = thread.blocked.as_ref().map(|event| &event.operation);
                match (following, blocked) {
                    (Some(Operation::WaitElapsed(_)), _) => {}
                    (Some(_), _) => {
                        let end = problem.event(position.thread, position.index + 1);
                        waits.push(Wait { begin: event, end: Some(end), sleeps_on: false });
                    }
                    (None, Some(Operation::WaitSignalled(wait))) => {
                        let sleeps_on = !Lock::of(problem, wait.mutex).is_held(true);
                        waits.push(Wait { begin: event, end: None, sleeps_on });
                    }
                    (None, _) => waits.push(Wait { begin: event, end: None, sleeps_on: false }),
                }
            }
            _ => {}
        }
    }
    (waits, wakers)
}

pub(in crate::synthesis) fn constrain(problem: &Problem, condition: ObjectRef, builder: &mut Builder) {
    let (waits, wakers) = waits_and_wakers(problem, condition);
    // By wait, the signals that could have woken it.
    let mut wakes: Vec<Vec<Option<Literal>>> = Vec::new();
    for wait in &waits {
        let is_possible = |waker: &Waker| {
            !wait.sleeps_on
                && !builder.order.precedes(waker.event, wait.begin)
                && wait.end.is_none_or(|end| !builder.order.precedes(end, waker.event))
        };
        let literal = |waker: &Waker| Literal::of(Atom::Wakes { signal: waker.event, wait: wait.begin });
        let by: Vec<_> = wakers.iter().map(|waker| is_possible(waker).then(|| literal(waker))).collect();
        for (waker, wakes) in wakers.iter().zip(&by) {
            let Some(wakes) = *wakes else { continue };
            builder.clause([!wakes, Literal::before(wait.begin, waker.event)]);
            if let Some(end) = wait.end {
                builder.clause([!wakes, Literal::before(waker.event, end)]);
            }
        }
        let some: Vec<Literal> = by.iter().copied().flatten().collect();
        builder.at_most_one(&some);
        if wait.end.is_some() {
            builder.about(wait.end);
            builder.clause(some);
            builder.about(None);
        }
        wakes.push(by);
    }
    for (number, waker) in wakers.iter().enumerate() {
        let woken: Vec<Literal> = wakes.iter().filter_map(|by| by[number]).collect();
        if !waker.all {
            builder.at_most_one(&woken);
        }
        builder.about(Some(waker.event));
        for (wait, by) in waits.iter().zip(&wakes) {
            // The wait begins later, or was woken before, or is woken now, or (by a signal) another is.
            let mut reasons = vec![Literal::before(waker.event, wait.begin)];
            match waker.all {
                true => reasons.extend(by[number]),
                false => reasons.extend(&woken),
            }
            if !builder.order.precedes(waker.event, wait.begin) {
                for (earlier, other) in by.iter().zip(&wakers) {
                    if let Some(earlier) = earlier.filter(|_| other.event != waker.event) {
                        let before = Literal::before(other.event, waker.event);
                        reasons.push(builder.only_if_all(&[earlier, before]));
                    }
                }
            }
            builder.clause(reasons);
        }
        builder.about(None);
    }
}
