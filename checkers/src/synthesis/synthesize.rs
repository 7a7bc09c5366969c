//! From a problem to a schedule: engines are asked in turn, and believed once the schedule has shown the bug.

use super::engine::{Answer, Engine, Model};
use super::linearise::linearise;
use super::problem::Problem;
use super::schedule::{Schedule, validate};
use super::system::System;

/// What synthesis found.
#[derive(Clone, Debug)]
pub enum Synthesis {
    /// A schedule that shows the bug.
    Found {
        /// The schedule, validated.
        schedule: Schedule,
        /// Which engine.
        engine: &'static str,
    },
    /// No execution of the trace's paths shows the bug.
    Impossible {
        /// Which engine.
        engine: &'static str,
    },
    /// No engine knows, for these reasons.
    Unknown(Vec<String>),
}

/// The schedule of a model that has the fewest preemptions; why there is none otherwise.
pub(crate) fn schedule_of(problem: &Problem, system: &System, model: &Model) -> Result<Schedule, String> {
    let moves = [model.moves.clone(), linearise(problem, system, model)];
    let candidates = moves.iter().flatten().map(|moves| validate(problem, moves, &model.inputs));
    let mut reason = "its execution is none of the trace".to_string();
    let mut best: Option<Schedule> = None;
    for candidate in candidates {
        match candidate {
            Ok(schedule) => {
                let cost = |schedule: &Schedule| (schedule.preemptions, schedule.context_switches);
                if best.as_ref().is_none_or(|best| cost(&schedule) < cost(best)) {
                    best = Some(schedule);
                }
            }
            Err(invalid) => reason = invalid.to_string(),
        }
    }
    best.ok_or(reason)
}

/// Asks engines in turn until one knows.
pub fn synthesize(problem: &Problem, system: &System, engines: &mut [&mut dyn Engine]) -> Synthesis {
    if system.is_contradictory() {
        return Synthesis::Impossible { engine: "pruning" };
    }
    let mut reasons = Vec::new();
    for engine in engines {
        match engine.solve(&[]) {
            Answer::Core(_) => return Synthesis::Impossible { engine: engine.name() },
            Answer::Unknown(reason) => reasons.push(format!("{}: {reason}", engine.name())),
            Answer::Model(model) => match schedule_of(problem, system, &model) {
                Ok(schedule) => return Synthesis::Found { schedule, engine: engine.name() },
                Err(reason) => reasons.push(format!("{}: {reason}", engine.name())),
            },
        }
    }
    Synthesis::Unknown(reasons)
}
