//! The flipped branches of a schedule: where its execution goes another way than the recorded run.

use crate::driver;
use crate::replays::schedule::{FixedSchedule, ScheduleCursor};
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::stop::position::location;
use symx_trace::FlippedBranch;

/// The branches that the execution under `schedule` flips, by thread, each thread's in the order in which it
/// came to them. An execution that diverges from the schedule is compared up to there.
///
/// The machine must have a recorded run to [compare with](symx_interp::machine::Options::reference).
pub fn flipped_branches<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    schedule: FixedSchedule<'_>,
) -> Vec<FlippedBranch> {
    let mut executor = Executor::new(machine, solver);
    executor.visible = schedule.visible.map(|sites| Arc::new(sites.iter().copied().collect()));
    let mut state = machine.initial_state();
    let mut cursor = ScheduleCursor::new(schedule.decisions);
    while state.end.is_none()
        && let Ok(Some(agent)) = cursor.next_agent(&executor.enabled(&state))
        && driver::whole_step(&mut executor, &mut state, agent, &mut cursor).is_ok()
    {}
    let mut flipped = Vec::new();
    for thread in &state.threads {
        let spans = thread.reference.iter().flat_map(|cursor| cursor.flipped());
        flipped.extend(spans.map(|span| FlippedBranch {
            thread: thread.name.clone(),
            title: executor.title(&state, thread.id),
            location: location(&machine.program, span),
        }));
    }
    flipped
}
