//! From a program, or schedules of it, to a failure sketch: executions with logs, the slice from the failure,
//! and the result of the two.

mod followed;
pub(crate) mod given;
pub(crate) mod opening;
pub(crate) mod sampled;
mod slice;

use crate::session::Session;
use slice::{CodeSource, slice_from};
use symx_checkers::sketch::{Material, Sorted, sketch};
use symx_trace::sketch::{FollowedProfiles, Sketch};
use symx_trace::{Failure, RunLog, Weight};

/// Executions of a program, and what they could not show.
#[derive(Default)]
pub struct Runs {
    /// The logs.
    pub logs: Vec<RunLog>,
    /// Why there are no more, a sentence each.
    pub limits: Vec<String>,
    /// The profiles among them, if there are any.
    pub followed: Option<FollowedProfiles>,
}

/// The failure that most executions end in, and how many do; of several, the one that was met first.
pub fn most_frequent(logs: &[RunLog]) -> Option<(&Failure, Weight)> {
    let count = |failure: &Failure| -> Weight {
        let same = |log: &&RunLog| log.failure.as_ref().is_some_and(|other| other.same_fault(failure));
        logs.iter().filter(same).map(|log| log.weight).sum()
    };
    let mut best: Option<(&Failure, Weight)> = None;
    for failure in logs.iter().filter_map(|log| log.failure.as_ref()) {
        if best.is_some_and(|(known, _)| known.same_fault(failure)) {
            continue;
        }
        let times = count(failure);
        if best.is_none_or(|(_, most)| times > most) {
            best = Some((failure, times));
        }
    }
    best
}

/// The sketch of `failure`; `None` if no execution ends in it.
pub fn sketch_of(session: &Session, runs: &Runs, failure: &Failure) -> Option<Sketch> {
    let program = &session.loaded.program;
    let sorted = Sorted::by(&runs.logs, failure);
    let slice = slice_from(program, &sorted);
    let material = Material {
        program: session.loaded.path.display().to_string(),
        failure,
        runs: &sorted,
        slice: &slice,
        source: &CodeSource::new(program),
    };
    let mut sketch = sketch(&material)?;
    sketch.followed = runs.followed;
    sketch.limits.splice(0..0, runs.limits.iter().cloned());
    Some(sketch)
}
