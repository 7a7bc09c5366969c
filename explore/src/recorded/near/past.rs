//! How an execution has reached its present state.

use super::equivalence::Order;
use crate::recorded::limits::LONGEST_ROUND;
use imbl::Vector;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_trace::footprint::dependent;
use symx_trace::{Agent, Decision, Footprint, ThreadId};

/// A step that only looked, and what was before it.
pub(super) struct Look<E: Environment> {
    pub state: State<E>,
    pub past: Past,
    pub footprint: Footprint,
    pub is_departure: bool,
}

/// The last steps of one thread, as far as they only looked.
pub(super) type Looks<E> = SmallVec<[Arc<Look<E>>; LONGEST_ROUND]>;

/// A state, and what led to it.
pub(super) struct Point<E: Environment> {
    pub state: State<E>,
    pub past: Past,
    pub looks: Looks<E>,
}

impl<E: Environment> Clone for Point<E> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), past: self.past.clone(), looks: self.looks.clone() }
    }
}

/// Whose step is next, and what it costs that it is.
#[derive(Clone)]
pub(super) struct Turn {
    pub agent: Agent,
    pub footprint: Footprint,
    /// Whether the plain scheduler would have another one take a step.
    pub is_departure: bool,
    /// The preempted thread, with what its next step touches.
    pub preempts: Option<(ThreadId, Footprint)>,
}

/// The way to a state.
#[derive(Clone, Default)]
pub(super) struct Past {
    pub decisions: Vector<Decision>,
    /// The order of dependent steps.
    pub order: Order,
    /// The thread that took the last step.
    pub running: ThreadId,
    /// How many it took one after the other.
    pub in_a_row: u32,
    /// Visible steps.
    pub steps: u32,
    /// Forks on symbolic values.
    pub forks: u32,
    pub preemptions: u32,
    /// How often the plain scheduler would have had another one take a step.
    pub departures: u32,
    /// How many branches its threads have flipped.
    pub flips: u32,
    /// Threads that were preempted, with what their next steps touch. Until another step depends on that,
    /// the thread might as well have gone on before it was preempted: those executions are explored. And
    /// threads that wait in a loop, with what they look at there.
    pub deferred: SmallVec<[(ThreadId, Footprint); 2]>,
}

/// Distinguishes a state, with what may follow it and at which cost.
pub(super) type Key = (u128, Option<ThreadId>, SmallVec<[ThreadId; 2]>);

impl Past {
    /// Flipped branches and departures of the scheduler.
    pub fn distance(&self) -> u32 {
        self.flips + self.departures
    }

    /// The decisions so far.
    pub fn decisions(&self) -> Vec<Decision> {
        self.decisions.iter().copied().collect()
    }

    /// A step begins.
    pub fn begin<E: Environment>(&mut self, state: &State<E>, turn: &Turn) {
        self.decisions.push_back(Decision::Run(turn.agent));
        self.steps += 1;
        self.departures += u32::from(turn.is_departure);
        if let Some(preempted) = &turn.preempts {
            self.preemptions += 1;
            self.deferred.push(preempted.clone());
        }
        let thread = turn.agent.thread();
        self.deferred.retain(|(other, awaited)| *other != thread && !dependent(awaited, &turn.footprint));
        // While there is one thread, every execution goes the same way but for forks.
        if state.threads.len() > 1 {
            self.order.push(turn.agent, &turn.footprint);
        }
        if turn.agent.is_buffer() {
            return;
        }
        self.in_a_row = if self.running == thread { self.in_a_row + 1 } else { 1 };
        self.running = thread;
    }

    /// A step goes one of several ways.
    pub fn note_way(&mut self, thread: ThreadId, number: usize) {
        self.order.choose(Agent::Thread(thread), number as u64);
    }

    /// Counts what threads have flipped.
    pub fn count_flips<E: Environment>(&mut self, state: &State<E>) {
        let flips = |cursor: &symx_interp::threads::reference_cursor::Cursor| cursor.flips();
        let of_threads = state.threads.iter().filter_map(|thread| thread.reference.as_deref());
        self.flips = of_threads.map(flips).sum();
    }

    /// Distinguishes where it stands from elsewhere, if `running` is enabled.
    pub fn key(&self, running: Option<ThreadId>) -> Key {
        let mut deferred: SmallVec<[ThreadId; 2]> = self.deferred.iter().map(|(thread, _)| *thread).collect();
        deferred.sort_unstable();
        (self.order.fingerprint(), running, deferred)
    }
}
