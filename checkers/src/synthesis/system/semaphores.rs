//! Semaphores: every wait takes a unit that was there at first, or one that was posted before.

use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::{Builder, Literal};
use symx_trace::symbolic::{ObjectRef, Operation};

pub(in crate::synthesis) fn constrain(
    problem: &Problem,
    semaphore: ObjectRef,
    initial: u32,
    builder: &mut Builder,
) {
    let of = |wanted: fn(ObjectRef) -> Operation| -> Vec<EventId> {
        problem.events().filter(|event| *problem.operation(*event) == wanted(semaphore)).collect()
    };
    let (waits, posts) = (of(Operation::SemaphoreWait), of(Operation::SemaphorePost));
    let zeros = of(Operation::SemaphoreZero);
    let left = initial as usize + posts.len();
    let blocked = problem.trace.threads.iter().any(|thread| {
        thread.blocked.as_ref().is_some_and(|event| event.operation == Operation::SemaphoreWait(semaphore))
    });
    // No unit is ever left over where a thread found none, or waits forever.
    let is_impossible = left < waits.len()
        || blocked && left != waits.len()
        || !zeros.is_empty() && initial as usize > waits.len();
    if is_impossible && !builder.ends_early() {
        builder.contradiction();
        return;
    }
    if initial as usize >= waits.len() && zeros.is_empty() {
        return;
    }
    // Units: those there at first, which nothing comes before, then the posts.
    let units: Vec<Option<EventId>> =
        (0..initial).map(|_| None).chain(posts.iter().copied().map(Some)).collect();
    let taken: Vec<Vec<Option<Literal>>> = units
        .iter()
        .map(|unit| {
            let take = |wait: &EventId| {
                if unit.is_some_and(|post| builder.order.precedes(*wait, post)) {
                    return None;
                }
                let takes = builder.choice();
                if let Some(post) = *unit {
                    builder.clause([!takes, Literal::before(post, *wait)]);
                }
                Some(takes)
            };
            waits.iter().map(take).collect()
        })
        .collect();
    for by in &taken {
        builder.at_most_one(&by.iter().copied().flatten().collect::<Vec<_>>());
    }
    for wait in 0..waits.len() {
        let from: Vec<Literal> = taken.iter().filter_map(|by| by[wait]).collect();
        builder.at_most_one(&from);
        builder.about(Some(waits[wait]));
        builder.clause(from);
        builder.about(None);
    }
    for zero in zeros {
        builder.about(Some(zero));
        for (unit, by) in units.iter().zip(&taken) {
            let mut gone: Vec<Literal> = unit.iter().map(|post| Literal::before(zero, *post)).collect();
            for (wait, takes) in waits.iter().zip(by) {
                if let Some(takes) = *takes {
                    gone.push(builder.only_if_all(&[takes, Literal::before(*wait, zero)]));
                }
            }
            builder.clause(gone);
        }
    }
    builder.about(None);
}
