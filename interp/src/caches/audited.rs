//! The audit of known steps and known ends: they are executed as well, and both results are compared.
//!
//! A step that is held to be known and is not invents or loses executions, silently. So tests explore
//! programs with [`Options::audits_known_steps`](crate::machine::Options).

use super::endings::{Ending, Known};
use super::transitions::{Trial, Undo, Unput};
use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::stop::Step;
use std::sync::Arc;
use symx_ir::address::Cell;
use symx_memmodel::Lane;
use symx_trace::{Agent, ThreadId};

/// The results of an audit of known steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownStepAudit {
    /// Known steps that were executed, too.
    pub compared: u64,
    /// Known ways to the end of the process that were executed, too.
    pub ends: u64,
    /// Steps that had another result, in words; each once.
    pub differences: Vec<String>,
}

impl KnownStepAudit {
    /// Adds what another audit has seen.
    pub fn add(&mut self, other: &Self) {
        self.compared += other.compared;
        self.ends += other.ends;
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

    /// As [`repeat_ending`](Self::repeat_ending), audited where that is asked for.
    pub(crate) fn repeat_ending_audited(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
    ) -> Result<(), Option<Box<Ending<E>>>> {
        if !self.machine.options.audits_known_steps {
            return self.repeat_ending(state, thread);
        }
        let before = state.clone();
        let repeated = self.repeat_ending(state, thread);
        if repeated.is_ok() {
            let granted = before.thread(thread).pending.is_some();
            self.compare_end(before, state, thread, |executor, state| {
                executor.resume(state, thread, granted)
            });
        }
        repeated
    }

    /// As [`ends_together`](Self::ends_together), audited where that is asked for.
    pub fn ends_together_audited(
        &mut self,
        state: &State<E>,
        shared: impl Iterator<Item = Cell> + Clone,
    ) -> Option<Arc<Known<E>>> {
        let known = self.ends_together(state, shared)?;
        if let Some(together) = known.together()
            && let Some(first) = together.steps.first()
            && self.machine.options.audits_known_steps
        {
            self.compare_end(state.clone(), &known.follow(state), *first, |executor, state| {
                let mut steps = together.steps.iter().map(|thread| executor.resume(state, *thread, true));
                steps.find(|step| !matches!(step, Step::Done)).unwrap_or(Step::Done)
            });
        }
        Some(known)
    }

    /// Executes steps that lead to the end of the process from the state `before`, those of `thread` first,
    /// and compares the end with that of `after`. What threads and memory hold by then does not matter.
    fn compare_end(
        &mut self,
        mut before: State<E>,
        after: &State<E>,
        thread: ThreadId,
        execute: impl FnOnce(&mut Self, &mut State<E>) -> Step,
    ) {
        let kind = self.event_kind(&before, Agent::Thread(thread));
        let step = self.aside(|executor| execute(executor, &mut before));
        let environment = &self.machine.environment;
        let (ours, known) = (&before.data, &after.data);
        let differences = [
            (!matches!(step, Step::Done)).then_some("how it ends"),
            (before.end != after.end).then_some("the end"),
            (environment.standard_output(ours) != environment.standard_output(known)).then_some("output"),
            (environment.standard_error(ours) != environment.standard_error(known)).then_some("its errors"),
            (environment.files(ours) != environment.files(known)).then_some("a file"),
            environment.difference(ours, known),
            (!before.has_same_past(after)).then_some("what was touched"),
        ];
        let mut seen = KnownStepAudit { ends: 1, ..KnownStepAudit::default() };
        if let Some(what) = differences.into_iter().flatten().next() {
            let name = &after.thread(thread).name;
            seen.differences
                .push(format!("{kind:?}, a known end from a step of thread {name}: {what} differs"));
        }
        self.notes.known_steps.add(&seen);
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
        let step = self.aside(|executor| execute(executor, &mut before));
        for thread in before.threads.iter().chain(&after.threads) {
            self.caches.endings.live.learn(self.machine, thread);
        }
        let environment = &self.machine.environment;
        if !environment.is_same(&after.data, &after.data) {
            // Anything that leads back into an activation is never the same.
            return;
        }
        let is_same_data = environment.difference(&before.data, &after.data).is_none()
            && environment.standard_output(&before.data) == environment.standard_output(&after.data);
        if is_same_data {
            // Parts that states share as a whole are not shared where a step was executed twice.
            before.data = Arc::clone(&after.data);
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
        let mut seen = KnownStepAudit { compared: 1, ..KnownStepAudit::default() };
        if !is_same {
            let what = [
                (!matches!(step, Step::Done)).then_some("how it ends"),
                (!before.memory.is_same(&after.memory, &[])).then_some("memory"),
                environment.difference(&before.data, &after.data),
                (!before.has_same_past(after)).then_some("what was touched"),
            ];
            let what = what.into_iter().flatten().next().unwrap_or("a thread");
            let name = &after.thread(thread).name;
            seen.differences.push(format!("{kind:?}, a known step of thread {name}: {what} differs"));
        }
        self.notes.known_steps.add(&seen);
    }
}
