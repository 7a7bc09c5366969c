//! Looking ahead, while a thread runs for long without a visible operation, at what the others touch.
//!
//! A loop may wait for a variable to which no other thread has come yet. Then it is private code: its thread
//! would run forever before any other can write there. Touches by others meanwhile in any one schedule show
//! that the variable is shared.
//!
//! So it is with a thread that fails, or leaves its recorded path, in the step in which it has created
//! another. No other thread has taken a step yet.

use crate::replays::limits::MOST_STEPS_AHEAD;
use crate::replays::symbolic_replay;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::Site;
use symx_interp::state::{End, State};
use symx_interp::stop::Step;
use symx_interp::threads::thread::Thread;
use symx_trace::{Agent, Decision, ThreadId};

/// The thread that has taken the last of these decisions, if it has failed.
fn failed_thread<E: Environment>(state: &State<E>, decisions: &[Decision]) -> Option<ThreadId> {
    let last = decisions.iter().rev().find_map(|decision| match decision {
        Decision::Run(agent) => Some(agent.thread()),
        _ => None,
    });
    last.filter(|_| matches!(state.end, Some(End::Failed(_))))
}

/// Sites found to be shared when the others go on while `thread`, which has paused `pauses` times in one
/// step, stands still. Asked ever more seldom the longer it runs.
pub(crate) fn scout<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    thread: ThreadId,
    pauses: u64,
) -> Vec<Site> {
    if !pauses.is_power_of_two() || state.unjoined <= 1 || executor.visible.is_none() {
        return Vec::new();
    }
    touched_by_others(executor, state.clone(), thread)
}

/// Sites found to be shared when threads that have not taken a step yet go on after another has failed. These
/// decisions must end so.
pub(crate) fn scout_after_failure<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    decisions: &[Decision],
) -> Vec<Site> {
    let Some(failed) = failed_thread(state, decisions) else { return Vec::new() };
    touched_by_new(executor, state, failed)
}

/// The same of threads that stand before a barrier. In a replay that is no step of its own: there these
/// threads have gone on before the other fails.
pub(crate) fn scout_from_barriers<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    decisions: &[Decision],
) -> Vec<Site> {
    let Some(failed) = failed_thread(state, decisions) else { return Vec::new() };
    touched_by_others_if(executor, state, failed, |executor, other| executor.stands_at_barrier(state, other))
}

/// The same if `thread` has left its recorded path. While no execution was `found` that follows the record,
/// threads that have taken steps count, too. What led off the path may be a value that another was to change.
pub(crate) fn scout_after_left_path<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    thread: ThreadId,
    found: bool,
) -> Vec<Site> {
    if executor.machine.options.guide.is_none() {
        return Vec::new();
    }
    if found || executor.visible.is_none() {
        return touched_by_new(executor, state, thread);
    }
    match &touched_by_others_if(executor, state, thread, |_, _| true)[..] {
        [] => scout_off_paths(executor, state, thread),
        along_paths => along_paths.to_vec(),
    }
}

/// Sites found to be shared when the others go on wherever they like after `thread` has left its recorded
/// path. Memory that it read before was its own only as long as they had not come that far.
pub(crate) fn scout_off_paths<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    thread: ThreadId,
) -> Vec<Site> {
    let mut state = state.clone();
    state.end = None;
    for number in (0..state.threads.len() as u32).map(ThreadId) {
        if let Some(cursor) = &mut state.thread_mut(number).guide {
            cursor.free = true;
        }
    }
    touched_by_others(executor, state, thread)
}

/// Sites found to be shared when others go on, if there is one among them that has not taken a step yet.
fn touched_by_new<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    thread: ThreadId,
) -> Vec<Site> {
    if executor.visible.is_none() {
        return Vec::new();
    }
    touched_by_others_if(executor, state, thread, |_, other| other.pending.is_none())
}

/// The same if `counts` holds of one of them.
fn touched_by_others_if<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    thread: ThreadId,
    counts: impl Fn(&Executor<'_, E>, &Thread<E>) -> bool,
) -> Vec<Site> {
    let goes_on = |other: &Arc<Thread<E>>| other.id != thread && !other.exited && counts(executor, other);
    if !state.threads.iter().any(goes_on) {
        return Vec::new();
    }
    let mut state = state.clone();
    state.end = None;
    touched_by_others(executor, state, thread)
}

fn touched_by_others<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: State<E>,
    thread: ThreadId,
) -> Vec<Site> {
    executor.aside(|executor| go_on_without(executor, state, thread))
}

fn go_on_without<E: Environment>(
    executor: &mut Executor<'_, E>,
    mut state: State<E>,
    thread: ThreadId,
) -> Vec<Site> {
    // Those that run for long themselves, or come to a fork.
    let mut stopped: SmallVec<[Agent; 8]> = SmallVec::from_slice(&[Agent::Thread(thread)]);
    for _ in 0..MOST_STEPS_AHEAD {
        let agents = executor.enabled(&state);
        let mut others = agents.into_iter().filter(|agent| !stopped.contains(agent));
        // A thread that would end the process comes last: no other does anything afterwards.
        let goes_on = |agent: &Agent| match *agent {
            Agent::Thread(other) => !state.thread(other).is_about_to_end_all(),
            Agent::Buffer { .. } => true,
        };
        let Some(agent) = others.find(goes_on) else { break };
        symbolic_replay::before_step(executor, &state, agent);
        if !matches!(executor.step(&mut state, agent), Step::Done) {
            stopped.push(agent);
        }
        if !state.discovered.is_empty() || state.end.is_some() {
            break;
        }
    }
    state.discovered.iter().copied().collect()
}
