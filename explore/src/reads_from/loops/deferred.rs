//! Deferred threads: one that would only come to wait stays where it is as long as others are
//! enabled.
//!
//! It can then see from the start what it waits for, and that it could have come too early is an alternative
//! like any other. In one of these it looks at what the write that lets it go on is certain to overwrite.
//! That alternative leads nowhere ([`Walk::is_overtaken`]): a thread that stays forever has seen the final
//! values. Nor does it show anything new: all that others do there they also do where the thread goes on,
//! after they have done it.

use crate::reads_from::graph::event::{Event, Kind, Location, Name};
use crate::reads_from::graph::index::{INITIAL, Index};
use crate::reads_from::{Node, Walk};
use std::sync::Arc;
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
        matches!(&event.touches[..], [touch] if self.overtakes(node, touch.location, touch.source))
    }

    /// Whether what let the thread of a choice point go on overwrites another write in all executions.
    fn overtakes(&self, node: &Node, location: Location, write: Index) -> bool {
        node.passed.is_some_and(|(place, passed)| {
            location == place
                && write != passed
                && passed != INITIAL
                && (write == INITIAL || self.graph.events[usize::from(passed)].ahead.has(write))
        })
    }

    /// Whether the thread of a choice point would only come to wait there if it read another write, and that
    /// leads nowhere or is explored already. So much is known if it has looked at that number before.
    pub(in crate::reads_from) fn would_wait_in_vain(
        &mut self,
        node: usize,
        location: Location,
        write: Index,
    ) -> bool {
        let node = &self.path.nodes[node];
        let look = node.event;
        let event = &self.graph.events[usize::from(look)];
        let is_vain =
            || self.overtakes(node, location, write) || node.alternatives().seen.contains(&Name::STAYING);
        if !matches!(event.kind, Kind::Load(_)) || event.touches.len() != 1 || !is_vain() {
            return false;
        }
        let Some(range) = self.graph.locations.range(location) else { return false };
        let Some(number) = self.value_of(write, location) else { return false };
        let step = self.path.run.iter().rev().find(|step| step.event == look && !step.commits);
        let before = step.and_then(|step| step.before.thread(event.thread)).map(Arc::clone);
        before.is_some_and(|before| self.executor.is_known_to_come_round(&before, range, number))
    }
}
