//! Steps of threads that only access memory.

use crate::synthesis::problem::EventId;

/// An access to a location of which something is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The event.
    pub event: EventId,
    /// The location.
    pub location: usize,
    /// The thread's number among those that access the location.
    pub visitor: usize,
    /// How many accesses the thread has made there before.
    pub done: usize,
    /// Whether it is a read whose value no write depends on.
    pub only_looks: bool,
}
