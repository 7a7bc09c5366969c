//! Where the nearest order does not help because of what its thread does next, outside of the trace: the same
//! thread, a little earlier.

use crate::passing::limits::MOST_EARLIER;
use crate::synthesis::{Invalid, Problem, Schedule, execute, validate};
use symx_trace::Move;

/// Schedules in which the last events of a thread come before further and further steps of the others, next
/// to no change first. None of them shows the bug.
pub fn earlier<'a>(
    problem: &'a Problem,
    schedule: &'a Schedule,
    thread: usize,
) -> impl Iterator<Item = Schedule> + use<'a> {
    let is_own = move |step: &Move| step.agent.thread().index() == thread;
    let last = schedule.moves.iter().rposition(is_own).unwrap_or(0);
    let places = (0..last).rev().filter(move |place| !is_own(&schedule.moves[*place]));
    places.take(MOST_EARLIER).filter_map(move |place| {
        let (before, rest) = schedule.moves[..=last].split_at(place);
        let own = rest.iter().filter(|step| is_own(step));
        let others = rest.iter().filter(|step| !is_own(step));
        let moves: Vec<Move> =
            before.iter().chain(own).chain(others).chain(&schedule.moves[last + 1..]).cloned().collect();
        let shows = validate(problem, &moves, &schedule.inputs);
        matches!(shows, Err(Invalid::NoBug))
            .then(|| execute(problem, &moves, &schedule.inputs, false).ok())?
    })
}
