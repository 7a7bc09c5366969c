//! Random executions with a log of each.

use crate::execution;
use crate::random::sampling::{Finished, Sampling};
use crate::{Exploration, ExploreOptions, Observer, RandomSchedules, exit_checks};
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_trace::RunLog;

/// Depth of the bugs that every second execution aims at.
const DEPTH: u32 = 3;

/// Steps within which priorities change, or more if executions are longer. Short ones mostly have no change,
/// as most runs of a program have few.
const USUAL: u64 = 100;

/// The results of running a program at random with a log of each execution.
#[derive(Debug, Default)]
pub struct LoggedRuns {
    /// The logs of those that ended and learned of no more memory that threads share.
    pub runs: Vec<RunLog>,
    /// How many did not, and why, as far as that was said.
    pub exploration: Exploration,
}

/// Runs the program at most so often at random, uniformly and with random priorities in turn, until `enough`
/// of the logs so far. Where a guide is given, executions follow its paths and fail as it says, or do not
/// count. The machine must be one that [watches
/// edges](symx_interp::machine::Options::watches_edges).
pub fn sample_logged<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    options: &ExploreOptions,
    most: u64,
    observer: &mut dyn Observer,
    enough: &mut dyn FnMut(&[RunLog]) -> bool,
) -> LoggedRuns {
    let mut executor = Executor::new(machine, solver);
    let mut sampled = LoggedRuns::default();
    let mut samplings = [
        Sampling::new(RandomSchedules::Uniform, options.seed),
        Sampling::new(RandomSchedules::Pct { depth: DEPTH }, options.seed.wrapping_add(1)).within(USUAL),
    ];
    for number in 0..most {
        if enough(&sampled.runs) {
            break;
        }
        let turn = (number % 2) as usize;
        let sampling = &mut samplings[turn];
        executor.notes.log = Some(Box::default());
        let mut state = machine.initial_state();
        let exploration = &mut sampled.exploration;
        let (finished, _) = sampling.run(&mut executor, &mut state, options, observer, exploration);
        match finished {
            Finished::Stopped => break,
            Finished::Pruned | Finished::TooLong => exploration.progress.blocked += 1,
            Finished::Ended => {
                let failure = exit_checks::failure_of(&executor, &state, options);
                let guide = machine.options.guide.as_ref().zip(failure.as_ref());
                let is_accepted = guide.is_none_or(|(guide, failure)| guide.accepts(&state, failure));
                match is_accepted {
                    true => exploration.progress.executions += 1,
                    false => exploration.progress.blocked += 1,
                }
                let log = executor.finish_log(&state, failure.as_deref());
                // Memory not known to be shared had no steps: the log may lack calls, and is left out.
                if is_accepted && state.discovered.is_empty() {
                    sampled.runs.push(log);
                }
            }
        }
        samplings.iter_mut().for_each(|sampling| sampling.learn(&state));
        if let Some(reason) = observer.progress(&sampled.exploration.progress) {
            sampled.exploration.cut(reason.into());
            break;
        }
    }
    executor.notes.log = None;
    execution::account(&executor, &mut sampled.exploration);
    sampled
}
