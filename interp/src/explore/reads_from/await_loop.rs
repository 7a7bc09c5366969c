//! Loops that wait: a thread that comes back to where it was, in the state it was in, having done nothing but look.
//!
//! Going round once more is no execution of its own: what the thread sees at last it could as well have seen at once.
//! So the thread stops there, and the executions in which it sees something else are alternatives of its reads.

use super::event::{Ended, Event, Index, Kind};
use super::{Halt, Walk};
use crate::environment::Environment;
use crate::livelock::LONGEST_ROUND;
use crate::state::State;
use crate::stop::Incomplete;
use symx_trace::ThreadId;

impl<E: Environment> Walk<'_, '_, E> {
    /// Whether the thread of a new event, that has just happened, is where it was before, nothing having changed.
    pub(super) fn comes_round(&mut self, index: Index, state: &State<E>) -> bool {
        let thread = self.events[usize::from(index)].thread;
        let log = &self.threads[thread.index()].events;
        let looks: Vec<Index> = log
            .iter()
            .rev()
            .copied()
            .take(LONGEST_ROUND)
            .take_while(|event| self.events[usize::from(*event)].only_looks())
            .collect();
        looks.into_iter().any(|event| {
            let step = self.run.iter().rev().find(|step| step.event == event && !step.commits);
            let Some(earlier) = step.and_then(|step| step.before.as_ref()) else { return false };
            self.executor.is_where_it_was(earlier.thread(thread), state.thread(thread))
        })
    }

    /// Tells of threads that seem to wait for ever at the end of an execution in which all others have done all they can,
    /// though that is not known for sure.
    pub(super) fn tell_livelock(&mut self, state: &State<E>) -> Result<(), Halt> {
        let mut state = state.clone();
        let waiting: Vec<ThreadId> = state
            .threads
            .iter()
            .map(|thread| thread.id)
            .filter(|thread| self.last_of(*thread).is_some_and(|event| event.end == Some(Ended::Waits)))
            .collect();
        for thread in &waiting {
            let mut places = vec![std::sync::Arc::clone(&state.threads[thread.index()])];
            loop {
                let version = state.memory.version();
                let step = self.executor.step(&mut state, symx_trace::Agent::Thread(*thread));
                let decisions = self.decisions.len();
                let goes_on = self.settle(&mut state, *thread, step)?;
                self.decisions.truncate(decisions);
                let now = state.thread(*thread);
                if !goes_on || state.end.is_some() || now.exited || state.memory.version() != version {
                    return Ok(());
                }
                // What it sees is what there is for good: coming to the same place twice, it does so for ever.
                if places.iter().any(|earlier| self.executor.is_where_it_was(earlier, now)) {
                    break;
                }
                if places.len() > LONGEST_ROUND {
                    return Ok(());
                }
                places.push(std::sync::Arc::clone(&state.threads[thread.index()]));
            }
        }
        let names: Vec<String> =
            waiting.iter().map(|thread| state.thread(*thread).name.to_string()).collect();
        let Some(first) = waiting.first() else { return Ok(()) };
        let span = self.executor.position(&state, *first);
        self.result.cut(Incomplete {
            reason: "livelock",
            what: format!("thread {} waits in a loop for what nobody is left to write", names.join(", ")),
            span,
        });
        Ok(())
    }

    pub(super) fn last_of(&self, thread: ThreadId) -> Option<&Event> {
        let last = self.threads.get(thread.index())?.events.last()?;
        Some(&self.events[usize::from(*last)])
    }
}

impl Event {
    /// Whether it can be told from never having happened by its own thread alone.
    fn only_looks(&self) -> bool {
        let writes = self.touches.iter().any(|touch| touch.writes);
        let is_look = match self.kind {
            Kind::Load(_) | Kind::Update(_) => true,
            Kind::Operation { .. } => self.touches.is_empty(),
            _ => false,
        };
        is_look && !writes && !self.is_lasting && !self.changes_memory
    }
}
