//! Whether threads get anywhere: deadlocks, livelocks, and loops that end by themselves.

pub mod bounded_spin;
pub mod deadlock;
mod hung;
pub mod livelock;
