//! Failures beside threads that stand at a barrier.
//!
//! A fence, and an access to private memory that acts as one, is a step of this walk. In a replay it is none.
//! There a thread that comes to it goes on at once, and may fail before the thread that failed here does.

use crate::reads_from::Walk;
use crate::reads_from::graph::index::Index;
use smallvec::SmallVec;
use symx_interp::environment::Environment;
use symx_interp::state::{End, State};
use symx_interp::stop::Step;
use symx_trace::{Agent, Decision, ThreadId};

/// How a failure is seen again in a replay.
pub(in crate::reads_from) enum Replays {
    /// By the decisions of the walk.
    AsTaken,
    /// By these decisions: threads on which the failure does not depend stay where they are.
    Without(Vec<Decision>),
    /// Not at all: another thread fails in a step that has to come before. The walk finds that failure, too.
    Never,
}

impl<E: Environment> Walk<'_, '_, E> {
    /// How the failure of the last step is seen again, that of event `failed`, whose
    /// decisions begin at `start`.
    pub(in crate::reads_from) fn replays(
        &mut self,
        state: &State<E>,
        failed: Index,
        start: usize,
    ) -> Replays {
        let thread = self.graph.events[usize::from(failed)].thread;
        let at_barrier: SmallVec<[ThreadId; 4]> = state
            .threads
            .iter()
            .filter(|other| other.id != thread && !other.exited && self.executor.can_step(state, other))
            .map(|other| other.id)
            .filter(|other| !self.is_step_elsewhere(state, *other))
            .collect();
        let mut has_bystander = false;
        for other in at_barrier {
            if !self.fails_next(state, other) {
                continue;
            }
            let log = &self.graph.threads[other.index()];
            let came_there = log.executed.checked_sub(1).and_then(|last| log.events.get(last as usize));
            let is_needed = |event: &Index| self.graph.events[usize::from(failed)].past.has(*event);
            if came_there.is_some_and(is_needed) {
                return Replays::Never;
            }
            has_bystander = true;
        }
        match has_bystander {
            true => Replays::Without(self.decisions_of_past(failed, start)),
            false => Replays::AsTaken,
        }
    }

    /// Whether a thread that goes on from a barrier as in a replay fails in this step.
    fn fails_next(&mut self, state: &State<E>, thread: ThreadId) -> bool {
        let mut state = state.clone();
        state.end = None;
        let step = self.executor.aside(|executor| {
            executor.stops_at_fences = false;
            let step = executor.step(&mut state, Agent::Thread(thread));
            executor.stops_at_fences = true;
            step
        });
        matches!(step, Step::Done) && matches!(state.end, Some(End::Failed(_)))
    }

    /// The decisions of the run's steps that are in the past of an event, and those from `start` on, its own.
    /// Readers observe the same without the others: the past is closed under program order and reads-from.
    fn decisions_of_past(&self, event: Index, start: usize) -> Vec<Decision> {
        let past = &self.graph.events[usize::from(event)].past;
        let mut has_stopped = vec![false; self.graph.threads.len()];
        let mut kept = Vec::with_capacity(self.path.decisions.len());
        let mut steps = self.path.run.iter().peekable();
        let mut is_kept = true;
        for (at, decision) in self.path.decisions.iter().enumerate() {
            let mut store = None;
            while let Some(step) = steps.next_if(|step| step.decisions <= at) {
                if step.commits {
                    store = Some(step.event);
                } else {
                    has_stopped[step.thread.index()] |= !past.has(step.event);
                }
            }
            if let Decision::Run(agent) = decision {
                is_kept = store.map_or(!has_stopped[agent.thread().index()], |store| past.has(store));
            }
            if is_kept || at >= start {
                kept.push(*decision);
            }
        }
        kept
    }
}
