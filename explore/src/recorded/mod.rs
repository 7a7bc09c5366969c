//! The symbolic trace of recorded paths, whose schedule is unknown (CLAP section 3).
//!
//! Threads run along their recorded paths in about the order in which their recorded calls began. The result
//! of a read of shared memory is then a guess, and so are its symbol's values. Where a thread would leave its
//! path, other values are looked for. Under them all that was noted holds and the thread stays on its path;
//! then the step is taken again. In the end every thread stands where it stood when the process ended, and
//! its path conditions are those of the recorded run. Whether there is a schedule under which reads return
//! what the paths need is left to synthesis.
//!
//! Threads other than the failing one may have gone on after the last that their records are certain about;
//! how far is unknown. Of these events, those that may have waited for others did not happen, or all did.

mod deferred_steps;
mod limits;
pub(super) mod near;
pub(super) mod order;
mod repair;
mod run;
mod woken_first;

use crate::recorded::limits::TURNS;
use crate::replays::symbolic_replay;
use deferred_steps::DeferredSteps;
use repair::Repairs;
use run::{FollowResult, Run};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_expr::StopToken;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_interp::symbolic_trace::Guesses;
use symx_interp::tracing::{NotTraced, Traced, build};
use symx_ir::address::Cell;
use symx_trace::Failure;

/// The trace of recorded paths, and how it came about.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The trace; its order is that of no execution.
    pub traced: Traced,
    /// How often the threads were run.
    pub attempts: u64,
    /// How often a value was changed to keep a thread on its path.
    pub repairs: u64,
}

/// What earlier runs of the threads have shown, as long as the same accesses are events.
#[derive(Default)]
struct EarlierRuns {
    guesses: Guesses,
    deferred: DeferredSteps,
    /// Objects that one thread alone accesses, once that is known.
    private: Option<Arc<FxHashSet<Cell>>>,
}

/// The symbolic trace of the paths that [`Options::guide`](symx_interp::machine::Options::guide) has, up to
/// the failure they end in. Threads go on as the recorded clock says if `order` is 0, else at random, in an
/// order of this number. If it `leaves_open` what threads may not have done, the trace has none of that from
/// the first on that waits for others. Runs threads again until `stop`.
pub fn recorded_trace<E: Environment>(
    machine: &Machine<E>,
    new_solver: &dyn Fn() -> Box<dyn Solver>,
    order: u64,
    leaves_open: bool,
    stop: &StopToken,
) -> Result<Recorded, NotTraced> {
    if machine.options.guide.is_none() {
        return Err(not_traced("a run without recorded paths"));
    }
    if machine.model.keeps_history() {
        return Err(not_traced(&format!("the memory model `{}`", machine.model.name())));
    }
    let mut sites: FxHashSet<Site> = FxHashSet::default();
    let mut earlier = EarlierRuns::default();
    let mut repairs = Repairs::new(new_solver());
    let (mut attempts, mut turns) = (0, 0);
    while !stop.is_over() && turns < TURNS {
        attempts += 1;
        let mut executor = Executor::new(machine, new_solver());
        let mut known: Vec<Site> = sites.iter().copied().collect();
        known.sort_unstable();
        symbolic_replay::begin_trace(&mut executor, Some(&known));
        if let Some(tracer) = &mut executor.notes.tracer {
            tracer.guesses = earlier.guesses.clone();
            tracer.private = earlier.private.clone().unwrap_or_default();
        }
        let mut run = Run::new(executor, machine.initial_state(), order, &mut repairs);
        run.deferred.clone_from(&earlier.deferred);
        let result = run.follow_paths(stop)?;
        let before = sites.len();
        sites.extend(run.discovered());
        if sites.len() > before {
            // Other accesses are events now.
            earlier = EarlierRuns::default();
            continue;
        }
        match result {
            FollowResult::Failure(_) if earlier.private.is_none() => {
                // Once more, as it is known now which objects threads share.
                let alone = run.executor.notes.tracer.as_ref().map(|tracer| tracer.accessed_by_one());
                earlier = EarlierRuns {
                    private: Some(Arc::new(alone.unwrap_or_default())),
                    ..EarlierRuns::default()
                };
            }
            FollowResult::Failure(failure) => {
                let traced = traced(run, failure, leaves_open)?;
                return Ok(Recorded { traced, attempts, repairs: repairs.count });
            }
            FollowResult::Deviation { thread } => {
                turns += 1;
                match run.values_from_earlier(thread, stop) {
                    Some(guesses) => earlier.guesses = guesses,
                    // It had no time to look for them.
                    None if stop.is_over() => break,
                    None => {
                        let shared = run.shared_off_path(thread);
                        if !shared.is_empty() {
                            sites.extend(shared);
                            earlier = EarlierRuns::default();
                            continue;
                        }
                        let why = "a recorded path along which no value read leads";
                        let position = run.executor.position(&run.state, thread);
                        return Err(symbolic_replay::untraced(&run.executor, why, position));
                    }
                }
            }
            FollowResult::TooEarly(early) => {
                turns += 1;
                earlier.deferred.extend(early);
            }
            FollowResult::Nothing(reason) => return Err(not_traced(reason)),
        }
    }
    Err(not_traced("recorded paths within the time given"))
}

/// The trace of a run that has come to the recorded failure.
fn traced<E: Environment>(
    run: Run<'_, '_, E>,
    failure: Failure,
    leaves_open: bool,
) -> Result<Traced, NotTraced> {
    let (mut executor, state, certain) = run.into_parts();
    let failing = state.threads.iter().find(|thread| thread.name == failure.thread);
    let failing = failing.map(|thread| thread.id);
    let ending = symbolic_replay::end_of_trace(&mut executor, &state, Some(failure))?;
    if let Some(tracer) = executor.notes.tracer.as_mut().filter(|_| leaves_open) {
        tracer.leave_open(&certain, failing);
    }
    build(&mut executor, &state, ending, false)
}

fn not_traced(what: &str) -> NotTraced {
    NotTraced { what: what.into(), location: None }
}
