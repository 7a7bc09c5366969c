//! The orders of events that threads' lives prescribe.

use crate::synthesis::problem::{EventId, Problem};
use symx_memmodel as memmodel;
use symx_trace::symbolic::Operation;

/// The orders of events by threads' lives: a creation comes before the new thread's first event, and all
/// events of a thread before its join.
pub(super) fn lives(problem: &Problem) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for event in problem.events() {
        match *problem.operation(event) {
            Operation::Create(child) => {
                let first = problem.events_of(child.0 as usize).next();
                pairs.extend(first.map(|first| (event.index(), first.index())));
            }
            Operation::Join(child) => {
                let waits_for = |other: &EventId| {
                    matches!(problem.operation(*other), Operation::End)
                        || problem.execution.events[other.index()].operation != memmodel::Operation::Fence
                };
                let events = problem.events_of(child.0 as usize).filter(waits_for);
                pairs.extend(events.map(|other| (other.index(), event.index())));
            }
            _ => {}
        }
    }
    pairs
}
