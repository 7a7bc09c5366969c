//! A known schedule, replayed while the paths of its threads are recorded.

use crate::driver;
use crate::replays::schedule::{FixedSchedule, ScheduleCursor};
use std::io::{Read, Seek, Write};
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::paths::recorder::{PathRecorder, RecordingOptions};
use symx_trace::profile::{ProfileStream, ThreadProfile};

/// Runs the program under this schedule, as far as it can be followed, and records paths. The part of the
/// logs that is not returned has gone to `stream`. The machine must [record
/// paths](symx_interp::machine::Options::records_paths).
pub fn replay_recorded<'m, E: Environment, S: Read + Write + Seek>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    schedule: FixedSchedule<'_>,
    stream: &mut ProfileStream<S>,
) -> Vec<ThreadProfile> {
    let mut executor = Executor::new(machine, solver);
    executor.visible = schedule.visible.map(|sites| Arc::new(sites.iter().copied().collect()));
    let recording = RecordingOptions { inputs: false };
    executor.notes.recorder = Some(Box::new(PathRecorder::new(&machine.program, recording)));
    let mut state = machine.initial_state();
    let mut cursor = ScheduleCursor::new(schedule.decisions);
    while state.end.is_none()
        && let Ok(Some(agent)) = cursor.next_agent(&executor.enabled(&state))
        && driver::whole_step(&mut executor, &mut state, agent, &mut cursor).is_ok()
    {
        if let Some(recorder) = &mut executor.notes.recorder {
            recorder.put_away(agent.thread(), stream);
        }
    }
    executor.notes.recorder.take().map_or_else(Vec::new, |recorder| recorder.finish().0)
}
