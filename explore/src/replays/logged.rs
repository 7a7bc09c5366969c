//! A known schedule, replayed with a log of what its threads do.

use crate::ExploreOptions;
use crate::driver;
use crate::exit_checks;
use crate::replays::schedule::ScheduleCursor;
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_trace::{Decision, RunLog};

/// Runs the program under these decisions and logs what happens. The machine must be one that [watches
/// edges](symx_interp::machine::Options::watches_edges). The error says where the execution leaves the
/// schedule.
pub fn replay_logged<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    visible: Option<&[Site]>,
    decisions: &[Decision],
    options: &ExploreOptions,
) -> Result<RunLog, String> {
    let mut executor = Executor::new(machine, solver);
    executor.visible = visible.map(|sites| Arc::new(sites.iter().copied().collect()));
    executor.notes.log = Some(Box::default());
    let mut state = machine.initial_state();
    let mut schedule = ScheduleCursor::new(decisions);
    while state.end.is_none() {
        let enabled = executor.enabled(&state);
        let Some(agent) = schedule.next_agent(&enabled)? else {
            if enabled.is_empty() {
                executor.stuck(&mut state);
            } else if !driver::find_livelock(&mut executor, &mut state) {
                return Err(schedule.divergence("the schedule ends before the program does"));
            }
            break;
        };
        executor.log_step(&state, agent);
        let taken = driver::whole_step(&mut executor, &mut state, agent, &mut schedule);
        taken.map_err(|obstacle| schedule.divergence(obstacle))?;
    }
    let failure = exit_checks::failure_of(&executor, &state, options);
    Ok(executor.finish_log(&state, failure.as_deref()))
}
