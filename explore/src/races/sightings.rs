//! Which races an execution has, and where in it their accesses are.

use super::follow::{Lost, Path};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_expr::Assignment;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::races::{SeenRace, Sightings};
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_trace::Decision;

/// An execution to look for races in.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    pub decisions: Arc<Vec<Decision>>,
    pub inputs: Arc<Assignment>,
    pub visible: Arc<FxHashSet<Site>>,
    /// Whether it ends in a failure.
    pub fails: bool,
    /// Whether the program is too large for looking at all that can follow a race.
    pub is_large: bool,
}

/// Runs a recorded execution again on a machine that looks for races; each race with all its occurrences.
pub(super) fn sightings<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    recorded: &Recorded,
) -> Result<Vec<SeenRace>, Lost> {
    let mut executor = Executor::new(machine, solver);
    executor.visible = Some(Arc::clone(&recorded.visible));
    executor.notes.sightings = Some(Box::default());
    let inputs = Arc::clone(&recorded.inputs);
    let mut path = Path { state: machine.initial_state(), made: Vec::new(), inputs };
    let mut position = 0;
    while position < recorded.decisions.len() && path.state.end.is_none() {
        if let Some(sightings) = &mut executor.notes.sightings {
            sightings.step = position;
        }
        // A step that was cut in its middle has noted its races nevertheless.
        match path.replay(&mut executor, &recorded.decisions, position) {
            Ok(next) => position = next,
            Err(why) if position + 4 < recorded.decisions.len() => return Err(why),
            Err(_) => break,
        }
    }
    let Some(sightings) = executor.notes.sightings.take() else { return Ok(Vec::new()) };
    let Sightings { seen, .. } = *sightings;
    Ok(seen)
}
