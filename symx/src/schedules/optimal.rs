//! The fewest context switches, and the fewest preemptions, with which a failure can happen. All executions
//! within a bound are explored, then all within the next one, until the failure is among them. This is
//! iterative context bounding (Musuvathi and Qadeer, PLDI 2007).

use crate::limits::budget::Deadline;
use crate::session::Session;
use symx_posix_explore::{ExploreOptions, Found, ScheduleBound, explore_all};

/// The known facts about the least number.
#[derive(Debug)]
pub struct Least {
    /// No execution with fewer leads to the failure; every one was looked at.
    pub at_least: u32,
    /// Why no more is known, unless the failure does happen with just this many.
    pub cut: Option<String>,
    /// A schedule with this many, if it was looked for and found.
    pub found: Option<Found>,
}

/// Finds the least `bound` under which the failure happens, with the inputs it was found with. It is known
/// to happen under `known`.
pub fn least(
    session: &Session,
    given: &Found,
    options: &ExploreOptions,
    bound: fn(u32) -> ScheduleBound,
    known: u32,
    end: &Deadline,
) -> Least {
    let machine = session.machine_for(&given.inputs);
    let same = |found: &Found| found.failure.same_fault(&given.failure);
    let explore = |number, keep_going| {
        let solver = session.solver(end.cutoff());
        let options = ExploreOptions { bound: Some(bound(number)), keep_going, ..options.clone() };
        explore_all(&machine, solver, &options, &mut end.clone())
    };
    for number in 0..known {
        let mut exploration = explore(number, false);
        if !exploration.failures.is_empty() && !exploration.failures.iter().any(same) {
            // Another failure came first.
            exploration = explore(number, true);
        }
        if let Some(found) = exploration.failures.into_iter().find(same) {
            // The inputs are the machine's: an execution on given values has none of its own.
            let found = Found { inputs: given.inputs.clone(), ..found };
            return Least { at_least: number, cut: None, found: Some(found) };
        }
        let mut cuts = exploration.incomplete.iter();
        if let Some(cut) = cuts.find(|cut| cut.reason != bound(number).reason()) {
            return Least { at_least: number, cut: Some(cut.reason.to_string()), found: None };
        }
    }
    Least { at_least: known, cut: None, found: None }
}
