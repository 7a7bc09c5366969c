//! How often an object has changed in a way that edge-triggered waits report.
//!
//! Linux wakes threads that wait at an object whenever it changes, and an edge is such a wake-up. Counting
//! them at the object keeps the edge in the object's own footprint: a set of descriptors remembers the counts
//! it reported.

use std::ops::Add;

// Events, as `poll` counts them. The last three are found whether asked for or not.
pub(crate) const READABLE: u32 = 1;
pub(crate) const WRITABLE: u32 = 4;
pub(crate) const BROKEN: u32 = 8;
pub(crate) const HUNG_UP: u32 = 0x10;
pub(crate) const INVALID: u32 = 0x20;
pub(crate) const PEER_CLOSED: u32 = 0x2000;

/// Wake-ups of threads that wait at an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Changes {
    /// More to read.
    pub readable: u64,
    /// More room.
    pub writable: u64,
    /// Anything: an end closed, a connection made. Whatever is waited for, it is looked at again.
    pub state: u64,
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

    /// What it is at a socket of the pipe that it receives from.
    pub fn received(self) -> Self {
        Self { writable: 0, ..self }
    }

    /// What it is at a socket of the pipe that it sends to.
    pub fn sent(self) -> Self {
        Self { readable: 0, ..self }
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
