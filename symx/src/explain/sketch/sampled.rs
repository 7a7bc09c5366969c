//! Random executions of a program, and a failure that is looked for where they have none.

use super::opening::logged;
use super::{Runs, most_frequent};
use crate::explain::limits::{LEAST_OF_EACH, LEAST_SAMPLED};
use crate::limits::budget::Deadline;
use crate::session::Session;
use symx_posix_explore::{ExploreOptions, Reduction, explore_all, sample_logged};
use symx_trace::{Input, RunLog};

/// How executions are sampled.
pub struct Sampling {
    /// How many there are to be at most.
    pub runs: u64,
    /// When to stop.
    pub end: Deadline,
    /// The failures that count, and the seed.
    pub options: ExploreOptions,
}

/// Whether there are enough executions. Asked after each, and answered for every 50th.
fn are_enough(logs: &[RunLog]) -> bool {
    if logs.len() < LEAST_SAMPLED || !logs.len().is_multiple_of(50) {
        return false;
    }
    let passing = logs.iter().filter(|log| log.failure.is_none()).count();
    let failing = most_frequent(logs).map_or(0.0, |(_, times)| times.runs());
    passing >= LEAST_OF_EACH && failing >= LEAST_OF_EACH as f64
}

/// Runs the program at random, with the inputs given, if any are.
pub fn sample(session: &Session, inputs: Option<&[Input]>, sampling: &Sampling) -> Runs {
    let Sampling { runs: most, end, options } = sampling;
    let machine = session.logging(inputs, end.cutoff());
    let solver = session.solver(end.cutoff());
    let mut observer = end.clone();
    let sampled = sample_logged(&machine, solver, options, *most, &mut observer, &mut are_enough);
    let mut limits = Vec::new();
    let ended = sampled.runs.len() as u64;
    if let Some(reason) = end.reason() {
        limits.push(format!("{reason}: {ended} of at most {most} executions were sampled"));
    }
    let abandoned = sampled.exploration.progress.blocked;
    if abandoned > 0 {
        let whys: Vec<String> =
            sampled.exploration.incomplete.iter().map(|cut| cut.reason.to_string()).collect();
        let why = if whys.is_empty() { String::new() } else { format!(" ({})", whys.join(", ")) };
        limits.push(format!("{abandoned} of {} executions were abandoned{why}", ended + abandoned));
    }
    Runs { logs: sampled.runs, limits, followed: None }
}

/// Explores the program for a failure that random executions did not meet; the log of one execution that ends
/// in it. A reason that cuts the search short is noted.
pub fn search(session: &Session, sampling: &Sampling, limits: &mut Vec<String>) -> Option<RunLog> {
    let Sampling { end, options, .. } = sampling;
    let options = ExploreOptions { reduction: Reduction::ReadsFrom, ..options.clone() };
    let machine = session.machine_until(end.cutoff());
    let solver = session.solver(end.cutoff());
    let exploration = explore_all(&machine, solver, &options, &mut end.clone());
    let found = exploration.failures.iter().find(|found| options.counted.contains(found.failure.kind));
    let Some(found) = found else {
        limits.extend(exploration.incomplete.iter().map(|cut| format!("search incomplete: {}", cut.reason)));
        return None;
    };
    let numbered = session.numbering(&found.threads);
    let log = logged(&numbered, &found.inputs, found.visible.as_deref(), &found.decisions, &options, end);
    match log {
        Ok(log) => Some(log),
        Err(why) => {
            limits.push(format!("the failure found was not replayed with a log: {why}"));
            None
        }
    }
}
