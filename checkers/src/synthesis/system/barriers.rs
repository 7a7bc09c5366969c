//! Barriers: each arrival belongs to a round, and no thread passes before the round is full.

use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::{Builder, Literal};
use symx_trace::symbolic::{ObjectRef, Operation};

/// An arrival, and the passing that follows it.
struct Arrival {
    thread: usize,
    event: EventId,
    pass: Option<EventId>,
    /// Whether it waits forever.
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

pub(in crate::synthesis) fn constrain(
    problem: &Problem,
    barrier: ObjectRef,
    width: u32,
    builder: &mut Builder,
) {
    let arrivals = arrivals(problem, barrier);
    let width = width as usize;
    let by_thread: Vec<&[Arrival]> = arrivals.chunk_by(|one, next| one.thread == next.thread).collect();
    match by_thread.len() <= width {
        true => in_turn(&by_thread, width, builder),
        // Which arrival belongs to which round is left open where some need not arrive: that
        // over-approximates.
        false if builder.ends_early() => {}
        false => in_any_round(&arrivals, width, builder),
    }
}

/// No more threads than the barrier waits for: each belongs to every round in turn.
fn in_turn(by_thread: &[&[Arrival]], width: usize, builder: &mut Builder) {
    let rounds = by_thread.iter().map(|arrivals| arrivals.len()).max().unwrap_or(0);
    for round in 0..rounds {
        let members: Vec<&Arrival> = by_thread.iter().filter_map(|arrivals| arrivals.get(round)).collect();
        let is_full = members.len() == width;
        for member in &members {
            builder.about(member.pass);
            match member.pass {
                Some(_) if !is_full => builder.clause([]),
                Some(pass) => {
                    for other in &members {
                        builder.clause([Literal::before(other.event, pass)]);
                    }
                }
                None if member.blocked && is_full => builder.contradiction(),
                None => {}
            }
        }
    }
    builder.about(None);
}

/// More threads than the barrier waits for: the engine finds out which arrival belongs to which round.
fn in_any_round(arrivals: &[Arrival], width: usize, builder: &mut Builder) {
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
            if builder.is_full() {
                return;
            }
            for (other, member) in arrivals.iter().zip(members) {
                if let Some(pass) = arrival.pass {
                    builder.clause([!here, !*member, Literal::before(other.event, pass)]);
                }
            }
            // An arrival of the next round comes later.
            if let Some(later) = belongs.get(round + 1) {
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
