//! Looking ahead, while a thread runs for long without a visible operation, at what the others touch.
//!
//! A loop that waits for a variable which nobody else has come to yet is private code: its thread would
//! run for ever before anybody can write there. What others touch meanwhile in any one schedule shows that
//! the variable is shared.
//!
//! So it is with a thread that fails, or leaves its recorded path, in the step in which it has created
//! another: nobody else has taken a step yet.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::Site;
use crate::state::{End, State};
use crate::threads::agents::Step;
use crate::threads::thread::Thread;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_trace::{Agent, Decision, ThreadId};

/// Steps of the others.
const MOST_STEPS: u32 = 1024;

/// The thread that has taken the last of these decisions, if it has failed.
fn failed_thread<E: Environment>(state: &State<E>, decisions: &[Decision]) -> Option<ThreadId> {
    let last = decisions.iter().rev().find_map(|decision| match decision {
        Decision::Run(agent) => Some(agent.thread()),
        _ => None,
    });
    last.filter(|_| matches!(state.end, Some(End::Failed(_))))
}

impl<E: Environment> Executor<'_, E> {
    /// What is found to be shared when the others go on while `thread`, which has paused so many times in one
    /// step, stands still. Asked ever more seldom the longer it runs.
    pub(crate) fn scout(&mut self, state: &State<E>, thread: ThreadId, pauses: u64) -> Vec<Site> {
        if !pauses.is_power_of_two() || state.unjoined <= 1 || self.visible.is_none() {
            return Vec::new();
        }
        self.touched_by_others(state.clone(), thread)
    }

    /// What is found to be shared when threads that have not taken a step yet go on after another has failed,
    /// if that is how these decisions end.
    pub(crate) fn scout_behind_failure(&mut self, state: &State<E>, decisions: &[Decision]) -> Vec<Site> {
        let Some(failed) = failed_thread(state, decisions) else { return Vec::new() };
        self.touched_by_new(state, failed)
    }

    /// The same of threads that stand before a barrier. In a replay that is no step of its own: there these
    /// threads have gone on before the other fails.
    pub(crate) fn scout_from_barriers(&mut self, state: &State<E>, decisions: &[Decision]) -> Vec<Site> {
        let Some(failed) = failed_thread(state, decisions) else { return Vec::new() };
        self.touched_by_others_if(state, failed, |executor, other| executor.stands_at_barrier(state, other))
    }

    /// The same if `thread` has left its recorded path.
    pub(crate) fn scout_behind_left_path(&mut self, state: &State<E>, thread: ThreadId) -> Vec<Site> {
        match self.machine.options.guide {
            Some(_) => self.touched_by_new(state, thread),
            None => Vec::new(),
        }
    }

    /// What is found to be shared when the others go on wherever they like after `thread` has left its
    /// recorded path: what it read before was its own only as long as they had not come that far.
    pub(crate) fn scout_off_paths(&mut self, state: &State<E>, thread: ThreadId) -> Vec<Site> {
        let mut state = state.clone();
        state.end = None;
        for number in (0..state.threads.len() as u32).map(ThreadId) {
            if let Some(cursor) = &mut state.thread_mut(number).guide {
                cursor.free = true;
            }
        }
        self.touched_by_others(state, thread)
    }

    /// What is found to be shared when others go on, if there is one among them that has not
    /// taken a step yet.
    fn touched_by_new(&mut self, state: &State<E>, thread: ThreadId) -> Vec<Site> {
        if self.visible.is_none() {
            return Vec::new();
        }
        self.touched_by_others_if(state, thread, |_, other| other.pending.is_none())
    }

    /// The same if `counts` holds of one of them.
    fn touched_by_others_if(
        &mut self,
        state: &State<E>,
        thread: ThreadId,
        counts: impl Fn(&Self, &Thread<E>) -> bool,
    ) -> Vec<Site> {
        let goes_on = |other: &Arc<Thread<E>>| other.id != thread && !other.exited && counts(self, other);
        if !state.threads.iter().any(goes_on) {
            return Vec::new();
        }
        let mut state = state.clone();
        state.end = None;
        self.touched_by_others(state, thread)
    }

    fn touched_by_others(&mut self, state: State<E>, thread: ThreadId) -> Vec<Site> {
        self.aside(|executor| executor.go_on_without(state, thread))
    }

    fn go_on_without(&mut self, mut state: State<E>, thread: ThreadId) -> Vec<Site> {
        // Those that run for long themselves, or come to a fork.
        let mut stopped: SmallVec<[Agent; 8]> = SmallVec::from_slice(&[Agent::Thread(thread)]);
        for _ in 0..MOST_STEPS {
            let agents = self.enabled(&state);
            let mut others = agents.into_iter().filter(|agent| !stopped.contains(agent));
            // Whoever would end the process comes last: nobody does anything afterwards.
            let goes_on = |agent: &Agent| match *agent {
                Agent::Thread(other) => !state.thread(other).is_about_to_end_all(),
                Agent::Buffer { .. } => true,
            };
            let Some(agent) = others.find(goes_on) else { break };
            self.before_step(&state, agent);
            if !matches!(self.step(&mut state, agent), Step::Done) {
                stopped.push(agent);
            }
            if !state.discovered.is_empty() || state.end.is_some() {
                break;
            }
        }
        state.discovered.iter().copied().collect()
    }
}
