//! Which stores leave their buffers before a step.
//!
//! A store may as well leave its buffer later, past all events that do not observe it. No further preemption
//! is counted for it, as fewer stores in memory unblock no thread. So between two steps of threads only those
//! stores leave on which the second step depends, and those before them. The latter are stores that must
//! leave earlier, or that are distinguishable from one that does. Of indistinguishable orders one is taken.

use crate::synthesis::execution::future::Future;
use crate::synthesis::execution::machine::{Machine, State};
use crate::synthesis::problem::{EventId, Problem};
use symx_memmodel::{CommitOrder, Drain, Lane};
use symx_trace::symbolic::Operation;

/// Stores that have left their buffers for a step to come.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Committed {
    /// Whose next event it is.
    pub(super) thread: usize,
    /// Those of them that have made no difference to any that left later, in a certain order.
    idle: Vec<EventId>,
}

/// Decides which stores matter to which events.
pub(super) struct Commits<'a, 'p> {
    problem: &'p Problem,
    machine: &'a Machine<'p>,
    future: &'a Future,
    /// By event, how many events of its thread up to it keep stores before them from leaving
    /// after those that follow.
    barriers: Vec<u32>,
}

impl<'a, 'p> Commits<'a, 'p> {
    pub(super) fn new(problem: &'p Problem, machine: &'a Machine<'p>, future: &'a Future) -> Self {
        let mut barriers = Vec::with_capacity(problem.event_count());
        let keeps_all = problem.model.commit_order() == CommitOrder::Program;
        for thread in 0..problem.thread_count() {
            barriers.extend(problem.events_of(thread).scan(0, |count, event| {
                *count += u32::from(keeps_all || machine.separates_stores(problem.operation(event)));
                Some(*count)
            }));
        }
        Self { problem, machine, future, barriers }
    }

    /// The stores that wait in buffers.
    pub(super) fn waiting(&self, state: &State) -> Vec<EventId> {
        if !self.problem.model.buffers_stores() {
            return Vec::new();
        }
        let threads = 0..self.problem.thread_count();
        threads.flat_map(|thread| self.machine.waiting(state, thread)).collect()
    }

    /// The commits of those that wait which may come next if an event is to follow, and what has been
    /// committed for it then.
    pub(super) fn before(
        &self,
        state: &State,
        waiting: &[EventId],
        event: EventId,
        committed: Option<&Committed>,
    ) -> Vec<(usize, Lane, Committed)> {
        let mut commits = Vec::new();
        let is_of_use = self.of_use(waiting, event);
        let stores = waiting.iter().zip(is_of_use).filter(|(_, is_of_use)| *is_of_use);
        let stores: Vec<EventId> = stores.map(|(store, _)| *store).collect();
        let idle = committed.map_or(&[][..], |committed| &committed.idle);
        let thread = self.problem.position(event).thread;
        for same_thread in stores.chunk_by(|one, next| self.thread_of(*one) == self.thread_of(*next)) {
            let owner = self.thread_of(same_thread[0]);
            for lane in self.machine.committable(state, owner) {
                let store = self.machine.next_commit(state, owner, lane);
                let Some(store) = store.filter(|store| same_thread.contains(store)) else { continue };
                let is_free_of = |other: &&EventId| !self.is_distinguishable(**other, store);
                if idle.iter().filter(is_free_of).all(|other| *other < store) {
                    let mut idle: Vec<EventId> = idle.iter().filter(is_free_of).copied().collect();
                    idle.push(store);
                    commits.push((owner, lane, Committed { thread, idle }));
                }
            }
        }
        commits
    }

    /// Whether all that was committed matters to an event, or to something committed later that does.
    pub(super) fn all_matter(&self, committed: &Committed, event: EventId) -> bool {
        committed.idle.iter().all(|store| self.matters(*store, event))
    }

    fn thread_of(&self, event: EventId) -> usize {
        self.problem.position(event).thread
    }

    /// Which of the stores that wait may be of use before an event: they matter to it, or to one that is.
    fn of_use(&self, waiting: &[EventId], event: EventId) -> Vec<bool> {
        let mut is_of_use: Vec<bool> = waiting.iter().map(|store| self.matters(*store, event)).collect();
        let mut open: Vec<EventId> =
            waiting.iter().zip(&is_of_use).filter(|(_, is)| **is).map(|(store, _)| *store).collect();
        while let Some(later) = open.pop() {
            for (store, is_of_use) in waiting.iter().zip(&mut is_of_use) {
                let may_come_first = *store < later || self.thread_of(*store) != self.thread_of(later);
                if !*is_of_use && may_come_first && self.is_distinguishable(*store, later) {
                    *is_of_use = true;
                    open.push(*store);
                }
            }
        }
        is_of_use
    }

    /// Whether it makes a difference to an event, or to whether it is possible, that a store
    /// has just reached memory.
    fn matters(&self, store: EventId, event: EventId) -> bool {
        let owner = self.thread_of(store);
        let operation = self.problem.operation(event);
        if owner == self.thread_of(event) {
            // A value that the thread reads of its own is the same in the buffer and in memory.
            return self.machine.drain(operation) != Drain::Nothing;
        }
        match operation {
            Operation::Join(other) => other.0 as usize == owner,
            operation => !self.machine.is_buffered(operation) && self.future.overlap(store, event),
        }
    }

    /// Whether it may make a difference which of two stores reaches memory first, or one of them must.
    fn is_distinguishable(&self, one: EventId, other: EventId) -> bool {
        let barriers = |store: EventId| self.barriers[store.index()];
        self.future.overlap(one, other)
            || self.thread_of(one) == self.thread_of(other) && barriers(one) != barriers(other)
    }
}
