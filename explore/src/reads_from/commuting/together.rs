//! Operations on an object that commute with others of their kind: threads take a lock for reading, and leave
//! it.
//!
//! Such an operation observes the last one of another kind, and leaves something in its thread's own share of
//! the object. An operation of another kind observes all shares. So it is distinguished by which of them came
//! before it, in whatever order.
//!
//! Where several of them could come in place of one of another kind, each of them is an alternative. An
//! execution in which two come would be found twice. So when the second alternative is explored, the first
//! operation sleeps: it is not performed until an operation of another kind has come, after which it is a
//! different event (sleep sets; Godefroid, "Partial-order methods for the verification of concurrent
//! systems", 1996). For the same reason an operation of another kind that follows one of them is no
//! alternative.

use crate::reads_from::graph::event::{Choice, Name, Touch};
use crate::reads_from::graph::event_set::Bits;
use crate::reads_from::graph::index::{INITIAL, Index};
use crate::reads_from::{Halt, Node, Walk};
use smallvec::SmallVec;
use std::ops::RangeToInclusive;
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_interp::threads::thread::Action;
use symx_trace::{Access, Mode, Place, ThreadId};

/// How an access of an operation stands to others that commute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::reads_from) enum Together {
    /// It commutes with others of its kind.
    OfAKind,
    /// It waits for them. So it comes after all that have come, and there is no other order.
    AfterAll,
}

/// The same of an access of an operation that waits or does not.
pub(in crate::reads_from) fn together(access: &Access, waits: bool) -> Option<Together> {
    match (access.place, access.mode) {
        (Place::Object(_), Mode::Follow) if waits => Some(Together::OfAKind),
        (Place::Readers(_), Mode::Release) => Some(Together::OfAKind),
        (Place::Readers(_), Mode::Acquire) if waits => Some(Together::AfterAll),
        _ => None,
    }
}

impl<E: Environment> Walk<'_, '_, E> {
    /// Adds what an operation does at an object where it commutes with others of its kind.
    pub(in crate::reads_from) fn come_together(
        &mut self,
        thread: ThreadId,
        place: Place,
        touches: &mut SmallVec<[Touch; 2]>,
    ) {
        let location = self.object_place(place);
        let own = self.graph.locations.share(place, thread);
        self.make_room();
        let choice = Choice::Together;
        touches.push(Touch { location, reads: true, writes: false, choice, source: INITIAL });
        let choice = Choice::Nothing;
        touches.push(Touch { location: own, reads: true, writes: true, choice, source: INITIAL });
    }

    /// Adds that an operation comes after what all threads have left in their shares of a place.
    pub(in crate::reads_from) fn shares(&self, place: Place, touches: &mut SmallVec<[Touch; 2]>) {
        if !self.graph.locations.has_shares() {
            return;
        }
        let choice = Choice::Nothing;
        for thread in (0..self.graph.threads.len()).map(|thread| ThreadId(thread as u32)) {
            if let Some(location) = self.graph.locations.known_share(place, thread)
                && self.graph.last[location as usize] != INITIAL
            {
                touches.push(Touch { location, reads: true, writes: false, choice, source: INITIAL });
            }
        }
    }

    /// Whether an event of this name sleeps below one of these choice points.
    pub(in crate::reads_from) fn is_asleep(&self, name: Name, nodes: RangeToInclusive<usize>) -> bool {
        let sleeps = |node: &Node| node.plan.as_ref().is_some_and(|plan| plan.asleep.contains(&name));
        self.path.nodes.get(nodes).unwrap_or_default().iter().any(sleeps)
    }

    /// Leaves out threads whose next events sleep.
    pub(in crate::reads_from) fn leave_out_sleepers(
        &mut self,
        state: &State<E>,
        threads: &mut SmallVec<[ThreadId; 8]>,
    ) -> Result<(), Halt> {
        let mut at = 0;
        while let Some(thread) = threads.get(at).copied() {
            match self.sleeps(state, thread)? {
                true => drop(threads.remove(at)),
                false => at += 1,
            }
        }
        Ok(())
    }

    /// Whether the next event of a thread sleeps.
    pub(in crate::reads_from) fn sleeps(&mut self, state: &State<E>, thread: ThreadId) -> Result<bool, Halt> {
        // Each operation that can sleep was performed once, and left something in a share.
        if !self.graph.locations.has_shares() {
            return Ok(false);
        }
        let has_sleepers = |node: &Node| node.plan.as_ref().is_some_and(|plan| !plan.asleep.is_empty());
        let pending = state.thread(thread).pending.as_deref();
        let Some(Action::Model(operation)) = pending.map(|pending| &pending.action) else { return Ok(false) };
        let waits = operation.wait.is_some();
        let is_of_a_kind = |access: &Access| together(access, waits) == Some(Together::OfAKind);
        if !operation.footprint.iter().any(is_of_a_kind) || !self.path.nodes.iter().any(has_sleepers) {
            return Ok(false);
        }
        let ordinal = self.graph.threads[thread.index()].executed;
        let name = self.observe(state, thread, ordinal)?.name;
        Ok(self.is_asleep(name, ..=self.path.nodes.len() - 1))
    }

    /// Whether a rival of the event at `node` follows an operation that comes in place of its first event and
    /// commutes with others of its kind. That one is an alternative itself, with the rival behind it.
    pub(in crate::reads_from) fn follows_replacement(&self, node: usize, past: &Bits, rival: Index) -> bool {
        if !self.graph.locations.has_shares() {
            return false;
        }
        let node = &self.path.nodes[node];
        let replaces = |index: Index| {
            let mut turns = self.graph.events[usize::from(index)].turns();
            turns.any(|turn| turn.together && node.replaces_first(turn))
        };
        past.iter().any(|index| usize::from(index) >= node.base && index != rival && replaces(index))
    }
}
