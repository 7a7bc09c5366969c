//! Numbers of threads.
//!
//! Threads are numbered as they are created. Where several threads create threads, the order of that would
//! decide their numbers, and no two creations would commute. So an exploration that comes across several
//! creators restarts with the numbers that it has seen ([`Learned::threads`](crate::learned::Learned)). From
//! then on a thread has the number that goes with its name. Lower numbers of threads yet to be created are
//! kept for them. A schedule lists the names by number; a replay gives the same numbers
//! ([`Options::threads`](crate::machine::Options)).

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::threads::thread::Thread;
use std::sync::Arc;
use symx_trace::{Place, ThreadId, ThreadName};

/// The number that the next thread will have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextThread {
    /// The number.
    pub id: ThreadId,
    /// Whether it does not depend on what other threads create first.
    pub is_certain: bool,
    /// The place that its creation releases and its first step acquires.
    pub creation: Place,
}

impl<E: Environment> Executor<'_, E> {
    /// The number of the next thread that `parent` creates.
    pub(crate) fn next_child(&self, state: &State<E>, parent: ThreadId) -> NextThread {
        let creator = state.thread(parent);
        let number = creator.children + 1;
        let (id, is_certain) = self.number_of(state, &creator.name.child(number));
        NextThread { id, is_certain, creation: Place::Child { parent, number } }
    }

    /// The number of the next thread of this name, and whether it is certain. The environment's threads all
    /// have the same name.
    pub(crate) fn number_of(&self, state: &State<E>, name: &ThreadName) -> (ThreadId, bool) {
        let is_taken = |at: usize| state.threads.get(at).is_some_and(|thread| !thread.is_to_come);
        let names = &self.learned.threads;
        let kept = (0..names.len()).find(|at| names[*at] == *name && !is_taken(*at));
        let number = kept.unwrap_or_else(|| names.len().max(state.threads.len()));
        // The only thread has no rival: its step is the same whether or not the numbers have been learned.
        let is_certain = kept.is_some() || state.threads.len() == 1;
        (ThreadId(number as u32), is_certain)
    }

    /// Adds a thread under its number.
    pub(crate) fn give_number(&self, state: &mut State<E>, thread: Thread<E>) {
        let number = thread.id.index();
        for to_come in state.threads.len()..number {
            let name = self.learned.threads[to_come].clone();
            state.threads.push(Arc::new(Thread::to_come(ThreadId(to_come as u32), name)));
        }
        match state.threads.get_mut(number) {
            Some(kept) => *kept = Arc::new(thread),
            None => state.threads.push(Arc::new(thread)),
        }
    }

    /// Takes note of the numbers that threads had in an execution, if several have created threads in one of
    /// several possible orders. Returns whether there is something new in that: the exploration restarts
    /// then.
    pub fn learn_numbers(&mut self, state: &State<E>) -> bool {
        let creators = state.threads.iter().filter(|thread| thread.children > 0).count();
        let options = &self.machine.options;
        let is_plain = !options.races && options.guide.is_none() && options.remedies.is_none();
        is_plain
            && !self.learned.keeps_numbers
            && (creators > 1 || !self.learned.threads.is_empty())
            && !state.threads.iter().any(|thread| thread.service)
            && self.learned.know_threads(state.threads.iter().map(|thread| &thread.name))
    }
}
