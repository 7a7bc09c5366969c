//! The events that come before each event in any case, as far as single places show.
//!
//! A place whose accesses can be put in few orders ([`Place::orders`](super::place::Place::orders)) often has
//! some in the same order in all of them. So a read of a cleared counter comes after the write that cleared
//! it. Program order carries that to other places, whose accesses then have fewer orders, and so on until
//! nothing changes.

use crate::synthesis::problem::{EventId, Problem};

/// By event and thread, how many events of the thread come before the event in any case.
#[derive(Debug)]
pub(super) struct Before {
    threads: usize,
    counts: Vec<u32>,
}

/// Nothing can come before itself: there is no execution.
#[derive(Debug)]
pub(super) struct Contradiction;

impl Before {
    /// The consequences of program order and the lives of threads.
    pub(super) fn new(problem: &Problem) -> Self {
        let threads = problem.thread_count();
        let mut before = Self { threads, counts: vec![0; threads * problem.event_count()] };
        for event in problem.events() {
            let position = problem.position(event);
            before.require(event, position.thread, position.index as u32);
        }
        for (earlier, later) in &problem.execution.synchronises {
            let earlier = problem.position(EventId(*earlier as u32));
            before.require(EventId(*later as u32), earlier.thread, earlier.index as u32 + 1);
        }
        before
    }

    /// By thread, how many of its events come before an event.
    pub(super) fn of(&self, event: EventId) -> &[u32] {
        &self.counts[event.index() * self.threads..][..self.threads]
    }

    /// The first `count` events of a thread come before an event; whether that is new.
    pub(super) fn require(&mut self, event: EventId, thread: usize, count: u32) -> bool {
        let known = &mut self.counts[event.index() * self.threads + thread];
        let is_new = *known < count;
        *known = count.max(*known);
        is_new
    }

    /// Closes the order transitively: events before an event come before all that come after it.
    pub(super) fn close(&mut self, problem: &Problem) -> Result<(), Contradiction> {
        let mut has_changed = true;
        while std::mem::take(&mut has_changed) {
            for event in problem.events() {
                let position = problem.position(event);
                for thread in 0..self.threads {
                    let count = self.of(event)[thread] as usize;
                    if thread == position.thread && count > position.index {
                        return Err(Contradiction);
                    }
                    let Some(last) = count.checked_sub(1) else { continue };
                    let last = problem.event(thread, last);
                    for other in 0..self.threads {
                        let follows = self.of(last)[other];
                        has_changed |= self.require(event, other, follows);
                    }
                }
            }
        }
        Ok(())
    }
}
