//! Whether threads get anywhere: deadlocks, livelocks, and loops that end by themselves.

pub(crate) mod bounded_spin;
pub(crate) mod deadlock;
pub(crate) mod livelock;
