//! Deferred threads: one that would only come to wait stays where it is as long as others are
//! enabled.
//!
//! It can then see from the start what it waits for, and that it could have come too early is an alternative
//! like any other. In one of these it looks at what the write that lets it go on is certain to overwrite.
//! That alternative leads nowhere ([`Walk::is_overtaken`]): a thread that stays forever has seen the final
//! values. Nor does it show anything new: all that others do there they also do where the thread goes on,
//! after they have done it.

use crate::reads_from::graph::event::{Event, Location};
use crate::reads_from::graph::index::INITIAL;
use crate::reads_from::{Node, Walk};
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_interp::threads::thread::Action;
use symx_trace::ThreadId;

impl<E: Environment> Walk<'_, '_, E> {
    /// Whether a thread is deferred, and what it looks at has not changed since.
    pub(in crate::reads_from) fn is_deferred(&self, thread: ThreadId) -> bool {
        self.deferred
            .iter()
            .any(|(other, location, last)| *other == thread && self.graph.last[*location as usize] == *last)
    }

    pub(in crate::reads_from) fn defer(&mut self, thread: ThreadId, location: Location) {
        self.deferred.retain(|(other, ..)| *other != thread);
        self.deferred.push((thread, location, self.graph.last[location as usize]));
    }

    /// Where a thread is about to begin a round that it would undo at once, if it is.
    pub(in crate::reads_from) fn would_undo(
        &mut self,
        state: &State<E>,
        thread: ThreadId,
    ) -> Option<Location> {
        let place = match state.thread(thread).pending.as_ref().map(|pending| &pending.action) {
            Some(Action::ReadModifyWrite { address, length, .. }) => (*address, *address + *length),
            _ => return None,
        };
        if !self.executor.learned.observed.contains(&place)
            || !self.executor.returns_to_earlier_state(state, thread)
        {
            return None;
        }
        self.graph.locations.known(place.0, place.1)
    }

    /// Whether what the event of a choice point reads is overwritten, in all executions, by what let its
    /// thread go on there.
    pub(in crate::reads_from) fn is_overtaken(&self, node: &Node, event: &Event) -> bool {
        let (Some((location, passed)), [touch]) = (node.passed, &event.touches[..]) else {
            return false;
        };
        touch.location == location
            && touch.source != passed
            && passed != INITIAL
            && (touch.source == INITIAL || self.graph.events[usize::from(passed)].ahead.has(touch.source))
    }
}
