//! How often an object has changed in a way that edge-triggered waits report.
//!
//! Linux wakes threads that wait at an object whenever it changes, and an edge is such a wake-up. Counting
//! them at the object keeps the edge in the object's own footprint: a set of descriptors remembers the counts
//! it reported.

use crate::kernel::Kernel;
use crate::kernel::files::file_system::NodeKind;
use crate::kernel::readiness::sockets::Role;
use crate::kernel::readiness::timer_descriptors::is_due;
use crate::kernel::readiness::{PEER_CLOSED, READABLE, WRITABLE};
use std::ops::Add;
use symx_trace::ThreadId;

/// Wake-ups of threads that wait at an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Changes {
    /// More to read.
    readable: u64,
    /// More room.
    writable: u64,
    /// Anything: an end closed, a connection made. Whatever is waited for, it is looked at again.
    state: u64,
}

impl Changes {
    /// One wake-up for these events; for any event if there are none.
    pub fn of(events: u32) -> Self {
        let one = |is_meant: bool| u64::from(is_meant);
        Self {
            readable: one(events & READABLE != 0),
            writable: one(events & WRITABLE != 0),
            state: one(events == 0),
        }
    }

    /// Whether something has changed since `before` that concerns a thread that waits for `events`.
    pub fn concern(self, before: Self, events: u32) -> bool {
        self.state > before.state
            || events & (READABLE | PEER_CLOSED) != 0 && self.readable > before.readable
            || events & WRITABLE != 0 && self.writable > before.writable
    }
}

impl Add for Changes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            readable: self.readable + other.readable,
            writable: self.writable + other.writable,
            state: self.state + other.state,
        }
    }
}

/// The wake-ups at `node` so far. A connected socket has those of the pipe it reads from and of the one it
/// writes to. A timer has one more for a thread that knows of it by the clock; a descriptor for signals has
/// all that were sent.
pub(crate) fn changes_of(kernel: &Kernel, thread: ThreadId, node: u64) -> Changes {
    let of = |node| kernel.files.node(node).map(|node| node.changes).unwrap_or_default();
    let own = of(node);
    match kernel.files.node(node).map(|node| &node.kind) {
        Some(NodeKind::Socket(socket)) => match &socket.role {
            Role::Connected(side) => {
                let (received, sent) = (of(side.receive), of(side.send));
                own + Changes { writable: 0, ..received } + Changes { readable: 0, ..sent }
            }
            _ => own,
        },
        Some(NodeKind::Timer(number)) if is_due(kernel, thread, *number) => own + Changes::of(READABLE),
        Some(NodeKind::Signals(_)) => {
            own + Changes { readable: kernel.own.signals.sent(), ..Changes::default() }
        }
        _ => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_concerns_threads_that_it_may_have_made_ready() {
        let before = Changes::of(0);
        let more = before + Changes::of(READABLE);
        assert!(more.concern(before, READABLE) && !more.concern(before, WRITABLE));
        assert!(!before.concern(before, READABLE | WRITABLE));
        assert!((before + Changes::of(0)).concern(before, 0));
        assert!((more + Changes::of(WRITABLE)).concern(more, READABLE | WRITABLE));
    }
}
