//! The nearest execution that keeps to the failing one's paths, as engines find it in the symbolic trace.

use super::Explainer;
use super::solving::asking;
use crate::explain::limits::{FIRST_WINDOW, MOST_ENACTED};
use crate::explain::limits::{MOST_LITERALS, NEARER};
use crate::limits::budget::Deadline;
use symx_checkers::passing::{NoPassingExecution, earlier, nearest};
use symx_checkers::projection::is_cut_short;
use symx_checkers::synthesis::{self, Problem, System, Unknown, steps_of};
use symx_checkers::{avoiding, avoiding_within};
use symx_expr::StopToken;
use symx_interp::tracing::Traced;
use symx_posix_explore::enact_passing;
use symx_trace::explanation::{Execution, Limit};

impl Explainer<'_> {
    /// When to stop looking, where an execution is known that does not fail or not.
    fn end_of_nearest(&self, is_known: bool) -> Deadline {
        self.end.within(self.end.left() / if is_known { NEARER } else { 2 })
    }

    /// The nearest execution.
    pub(super) fn nearest(
        &mut self,
        failing_execution: &Execution,
        traced: &Traced,
        problem: &Problem,
        failing: &synthesis::Schedule,
        is_known: bool,
    ) -> Result<Option<Execution>, String> {
        let end = &self.end_of_nearest(is_known);
        let system = avoiding(problem, failing).map_err(|why| format!("{why}"))?;
        let mut engine = asking(end).engine(problem, &system);
        match nearest(problem, failing, &system, &mut engine, &end.cutoff()) {
            Ok(nearest) => Ok(self.enacted(failing_execution, traced, problem, nearest.schedule, end)),
            Err(NoPassingExecution::Unavoidable) => {
                self.limits.push(Limit::Unavoidable { is_shown: false });
                Ok(None)
            }
            Err(NoPassingExecution::Unknown(why)) => {
                self.say_not_proven(&why);
                Ok(None)
            }
        }
    }

    /// The nearest execution in which all but the last events stay in their order, of a long one.
    pub(super) fn nearest_in_windows(
        &mut self,
        failing_execution: &Execution,
        traced: &Traced,
        problem: &Problem,
        failing: &synthesis::Schedule,
        is_known: bool,
    ) -> Result<Option<Execution>, String> {
        let end = &self.end_of_nearest(is_known);
        let mut window = FIRST_WINDOW;
        while window < problem.event_count() && !end.is_over() {
            let system = avoiding_within(problem, failing, window).map_err(|why| format!("{why}"))?;
            let mut engine = asking(end).engine(problem, &system);
            match nearest(problem, failing, &system, &mut engine, &end.cutoff()) {
                Ok(nearest) => {
                    let found = self.enacted(failing_execution, traced, problem, nearest.schedule, end);
                    self.limits.push(Limit::Other(format!(
                        "the execution is long: the nearest one was looked for where all but its last {window} events \
                         stay in their order"
                    )));
                    return Ok(found);
                }
                Err(NoPassingExecution::Unavoidable) => {}
                Err(NoPassingExecution::Unknown(why)) => {
                    self.say_not_proven(&why);
                    return Ok(None);
                }
            }
            // The next one has at most four times as many pairs of events.
            if literals(&system) > MOST_LITERALS / 4 {
                break;
            }
            window *= 2;
        }
        Ok(None)
    }

    fn say_not_proven(&mut self, why: &Unknown) {
        let limit = format!("the closest passing execution is not proven to be the closest: {why}");
        self.limits.push(limit.into());
    }

    /// The program under a schedule of its trace, if it does not fail then. Or the program under one in which
    /// the thread that failed comes a little earlier, since its next events are in no trace.
    fn enacted(
        &mut self,
        failing: &Execution,
        traced: &Traced,
        problem: &Problem,
        schedule: synthesis::Schedule,
        end: &Deadline,
    ) -> Option<Execution> {
        let failed = &self.found.failure.thread;
        let failed = problem.trace.threads.iter().position(|thread| thread.name == *failed);
        let others = failed.into_iter().flat_map(|thread| earlier(problem, &schedule, thread));
        let mut left = MOST_ENACTED;
        for schedule in std::iter::once(schedule.clone()).chain(others) {
            if left == 0 || end.is_over() {
                break;
            }
            left -= 1;
            let steps = steps_of(problem, &schedule).ok()?;
            let machine = self.session.machine_for(&self.found.inputs);
            let solver = self.session.solver(StopToken::default());
            let passing = enact_passing(&machine, solver, traced, &steps, self.options, &end.cutoff());
            if let Some(execution) = passing.and_then(|enacted| self.observe_passing(&enacted.decisions))
                && !is_cut_short(failing, &execution)
            {
                return Some(execution);
            }
        }
        None
    }
}

fn literals(system: &System) -> u64 {
    system.clauses.iter().map(|clause| clause.len() as u64).sum()
}
