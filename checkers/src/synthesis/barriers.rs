//! Barriers: who arrives belongs to a round, and nobody passes before the round is full.

use super::problem::{EventId, Problem};
use super::system::{Builder, Literal};
use symx_trace::symbolic::{ObjectRef, Operation};

/// An arrival, and the passing that follows it.
struct Arrival {
    thread: usize,
    event: EventId,
    pass: Option<EventId>,
    /// Whether it waits for ever.
    blocked: bool,
}

fn arrivals(problem: &Problem, barrier: ObjectRef) -> Vec<Arrival> {
    let mut arrivals: Vec<Arrival> = Vec::new();
    for (thread, trace) in problem.trace.threads.iter().enumerate() {
        for event in problem.events_of(thread) {
            match problem.operation(event) {
                Operation::BarrierArrive(object) if *object == barrier => {
                    arrivals.push(Arrival { thread, event, pass: None, blocked: false });
                }
                Operation::BarrierPass(object) if *object == barrier => {
                    if let Some(last) = arrivals.last_mut().filter(|last| last.thread == thread) {
                        last.pass = Some(event);
                    }
                }
                _ => {}
            }
        }
        let blocked =
            trace.blocked.as_ref().is_some_and(|event| event.operation == Operation::BarrierPass(barrier));
        if let Some(last) = arrivals.last_mut().filter(|last| last.thread == thread) {
            last.blocked = blocked;
        }
    }
    arrivals
}

pub(super) fn constrain(problem: &Problem, barrier: ObjectRef, width: u32, builder: &mut Builder) {
    let arrivals = arrivals(problem, barrier);
    let width = width as usize;
    let rounds = arrivals.len().div_ceil(width);
    let full = arrivals.len() / width;
    // By round and arrival, whether it belongs there.
    let mut belongs: Vec<Vec<Literal>> = Vec::new();
    for _ in 0..rounds {
        belongs.push(arrivals.iter().map(|_| builder.choice()).collect());
    }
    for (number, arrival) in arrivals.iter().enumerate() {
        builder.clause(belongs.iter().map(|round| round[number]));
        builder.at_most_one(&belongs.iter().map(|round| round[number]).collect::<Vec<_>>());
        for (round, members) in belongs.iter().enumerate() {
            let here = members[number];
            if round >= full && arrival.pass.is_some() || round < full && arrival.blocked {
                builder.clause([!here]);
            }
            for (other, member) in arrivals.iter().zip(members) {
                if let Some(pass) = arrival.pass {
                    builder.clause([!here, !*member, Literal::before(other.event, pass)]);
                }
            }
            // Who belongs to a later round has arrived later.
            for later in &belongs[round + 1..] {
                for (other, belongs_later) in arrivals.iter().zip(later) {
                    if other.event != arrival.event {
                        builder.clause([!here, !*belongs_later, Literal::before(arrival.event, other.event)]);
                    }
                }
            }
        }
    }
    for (round, members) in belongs.iter().enumerate() {
        let size = if round < full { width } else { arrivals.len() % width };
        builder.at_most(size, members);
    }
}
