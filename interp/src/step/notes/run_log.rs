//! What the [log](crate::paths::run_logger::RunLogger) of an execution has of steps, and of the end.

use crate::access::object_names::Names;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::SiteKind;
use crate::paths::limits::MOST_NAMES;
use crate::paths::run_logger::own_place;
use crate::state::State;
use symx_trace::{Agent, CallEffect, CodePlace, EventKind, Failure, FailureKind, RunLog};

impl<E: Environment> Executor<'_, E> {
    /// Logs the step that `agent` is about to take, if it is one of a modelled function.
    pub fn log_step(&mut self, state: &State<E>, agent: Agent) {
        let Agent::Thread(thread) = agent else { return };
        if self.notes.log.is_none() || state.thread(thread).pending.is_none() {
            return;
        }
        let event = self.event(state, agent, self.event_kind(state, agent));
        if let (EventKind::Call(_) | EventKind::Free, Some(log)) = (&event.kind, &mut self.notes.log) {
            log.event(thread, &event, false);
        }
    }

    /// The log of the execution that has ended in `state`, which is not kept any more.
    pub fn finish_log(&mut self, state: &State<E>, failure: Option<&Failure>) -> RunLog {
        let mut logger = self.notes.log.take().unwrap_or_default();
        let is_stuck = failure.is_some_and(|failure| failure.kind == FailureKind::Deadlock);
        for thread in &state.threads {
            let fails = failure.is_some_and(|failure| failure.thread == thread.name);
            if !fails && (!is_stuck || !thread.is_unfinished()) {
                continue;
            }
            if is_stuck && thread.pending.is_some() {
                let agent = Agent::Thread(thread.id);
                let event = self.event(state, agent, self.event_kind(state, agent));
                if !fails && event.kind.effect() == Some(CallEffect::JoinThread) {
                    // It waits for a thread that waits.
                    continue;
                }
                logger.event(thread.id, &event, true);
            }
            if failure.is_some_and(|failure| failure.kind == FailureKind::Memory) {
                logger.handed_over(state, thread);
            }
            let known = logger.logged_thread(thread.id).place;
            let stands = own_place(&self.machine.program, thread);
            logger.log.ends_at.extend(stands.or(known).map(|place| (thread.id.0, place)));
        }
        let mut log = logger.log;
        log.threads = state.threads.iter().map(|thread| thread.name.clone()).collect();
        log.failure = failure.cloned();
        if failure.is_none() {
            log.steps = Vec::new();
        }
        // An address says nothing: the next object may be anywhere.
        log.results.retain(|result| result.value.is_none_or(|value| state.memory.near(value).is_none()));
        self.name_objects(state, &mut log);
        log
    }

    /// Names what was accessed, and what values point to; writes numbers by their types.
    fn name_objects(&self, state: &State<E>, log: &mut RunLog) {
        let names = Names::default();
        for access in &log.accesses {
            let range = (access.start, access.end);
            if log.names.len() < MOST_NAMES && !log.names.contains_key(&range) {
                let length = if access.call.is_some() { 0 } else { access.end - access.start };
                log.names.insert(range, names.name(self, state, access.start, length).into());
                if let Some(object) = state.memory.near(access.start)
                    && let SiteKind::Heap(function, pc) = object.site.kind()
                {
                    let place = CodePlace { function, pc };
                    log.allocations.insert(range, (object.origin.thread.0, place));
                }
            }
            if let (8, Some(bits)) = (access.end - access.start, access.value)
                && log.pointers.len() < MOST_NAMES
                && !log.pointers.contains_key(&bits)
                && state.memory.near(bits).is_some()
            {
                log.pointers.insert(bits, names.name(self, state, bits, 0).into());
            }
            if let Some(bits) = access.value
                && let value = (access.start, access.end, bits)
                && log.numbers.len() < MOST_NAMES
                && !log.numbers.contains_key(&value)
                && let Some(number) = names.number(self, state, range, bits)
            {
                log.numbers.insert(value, number);
            }
        }
    }
}
