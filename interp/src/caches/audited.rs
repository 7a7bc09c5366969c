//! The audit of known steps: known steps are executed as well, and both results are compared.
//!
//! A step that is held to be known and is not invents or loses executions, silently. So tests explore
//! programs with [`Options::audits_known_steps`](crate::machine::Options).

use super::transitions::{Trial, Undo, Unput};
use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::threads::agents::Step;
use symx_memmodel::Lane;
use symx_trace::{Agent, ThreadId};

/// The results of an audit of known steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownStepAudit {
    /// Known steps that were executed, too.
    pub compared: u64,
    /// Steps that had another result, in words; each once.
    pub differences: Vec<String>,
}

impl KnownStepAudit {
    /// Adds what another audit has seen.
    pub fn add(&mut self, other: &Self) {
        self.compared += other.compared;
        for difference in &other.differences {
            if !self.differences.contains(difference) {
                self.differences.push(difference.clone());
            }
        }
    }
}

impl<E: Environment> Executor<'_, E> {
    /// As [`repeat`](Self::repeat), audited where that is asked for.
    pub(crate) fn repeat_known(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
    ) -> Result<Undo<E>, Option<Box<Trial<E>>>> {
        if !self.machine.options.audits_known_steps {
            return self.repeat(state, thread);
        }
        let before = state.clone();
        let repeated = self.repeat(state, thread);
        if repeated.is_ok() {
            let granted = before.thread(thread).pending.is_some();
            let execute = |executor: &mut Self, state: &mut State<E>| executor.resume(state, thread, granted);
            self.compare(before, state, Agent::Thread(thread), execute);
        }
        repeated
    }

    /// As [`repeat_commit`](Self::repeat_commit), audited where that is asked for.
    pub(crate) fn repeat_commit_audited(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        lane: Lane,
        unput: Option<&mut Unput>,
    ) -> Option<Undo<E>> {
        if !self.machine.options.audits_known_steps || unput.is_some() {
            return self.repeat_commit(state, thread, lane, unput);
        }
        let before = state.clone();
        let undo = self.repeat_commit(state, thread, lane, None)?;
        let execute = |executor: &mut Self, state: &mut State<E>| {
            executor.commit(state, thread, lane);
            Step::Done
        };
        self.compare(before, state, Agent::Buffer { thread, lane: lane.0 }, execute);
        Some(undo)
    }

    /// Executes the step of `agent` from the state `before`, and compares the result with `after`.
    fn compare(
        &mut self,
        mut before: State<E>,
        after: &State<E>,
        agent: Agent,
        execute: impl FnOnce(&mut Self, &mut State<E>) -> Step,
    ) {
        let thread = agent.thread();
        let kind = self.event_kind(&before, agent);
        let counters = self.counters;
        let step = execute(self, &mut before);
        self.counters = counters;
        let program = &self.machine.program;
        for thread in before.threads.iter().chain(&after.threads) {
            self.caches.endings.live.learn(program, thread);
        }
        let environment = &self.machine.environment;
        if !environment.is_same(&after.data, &after.data) {
            // Anything that leads back into an activation is never the same.
            return;
        }
        let live = &self.caches.endings.live;
        let mut is_same = matches!(step, Step::Done) && self.machine.is_same_state(&before, after, live, &[]);
        if !is_same {
            // Contents that are not plain are held to be different; these need not be.
            let mut alike = Vec::new();
            before.memory.for_each(|object| {
                if after.memory.get(object.cell()) == Some(object) {
                    alike.push(object.cell());
                }
            });
            is_same = matches!(step, Step::Done) && self.machine.is_same_state(&before, after, live, &alike);
        }
        let mut seen = KnownStepAudit { compared: 1, differences: Vec::new() };
        if !is_same {
            let what = [
                (matches!(step, Step::Done), "how it ends"),
                (before.memory.is_same(&after.memory, &[]), "memory"),
                (environment.is_same(&before.data, &after.data), "the bookkeeping"),
                (before.has_same_past(after), "what was touched"),
            ];
            let what = what.iter().find(|(is_same, _)| !is_same).map_or("a thread", |(_, what)| what);
            let name = &after.thread(thread).name;
            seen.differences.push(format!("{kind:?}, a known step of thread {name}: {what} differs"));
        }
        self.notes.known_steps.add(&seen);
    }
}
