//! Executions in orders that a test makes up, so that statements of an explanation can be held against them.
//! No exploration and no suggested fix chooses them.

use crate::files::source_text::SourceOptions;
use crate::options::SurroundingOptions;
use crate::schedules::scheduled::Scheduled;
use std::path::Path;
use symx_expr::StopToken;
use symx_posix_explore::{FixedSchedule, Rerun, observe};
use symx_trace::explanation::Execution;
use symx_trace::replay::{Move, Reorder, RunEnd, moves};

/// Runs a program again in orders of moves that `order` makes of those of a failing schedule, until it makes
/// none. Shows how each execution ends, and the execution itself if it passes. Files of the folder `mount`
/// are the program's.
pub fn rerun(
    program: &Path,
    schedule: &Path,
    mount: &Path,
    order: &mut dyn FnMut(&[Move]) -> Option<Vec<Move>>,
    show: &mut dyn FnMut(RunEnd, Option<Execution>),
) -> Result<(), String> {
    let visible = SurroundingOptions { mounts: vec![mount.into()], ..SurroundingOptions::default() };
    let Scheduled { schedule, session, options, sites } =
        Scheduled::open(program, schedule, &visible, &SourceOptions::default())
            .map_err(|refusal| refusal.to_string())?;
    let failure = schedule.failure.as_ref().ok_or("the schedule ends in no failure")?;
    let given = moves(schedule.unfolded());
    let machine = session.machine_for(&schedule.inputs);
    let solver = || session.solver(StopToken::default());
    let mut again = Rerun::new(&machine, solver(), sites.as_deref(), &schedule.threads, failure, &options);
    while let Some(order) = order(&given) {
        let Some(run) = again.run(&order) else { continue };
        let passing = (run.end == RunEnd::Fine).then(|| {
            let (visible, decisions) = (sites.as_deref(), &run.decisions[..]);
            let schedule = FixedSchedule { visible, decisions, expected: None };
            observe(&machine, solver, schedule, &options, &StopToken::default()).1
        });
        show(run.end, passing);
    }
    Ok(())
}
