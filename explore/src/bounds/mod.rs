//! How far an exploration goes, how much of it is done, when it looks at the clock, and who ends it.

pub(super) mod estimate;
pub(super) mod fork_bound;
pub(super) mod observer;
pub(super) mod poll_interval;
pub(super) mod schedule_bound;

/// Looks of one bounded loop that are taken in a row.
pub(crate) const MOST_LOOKS: usize = 1 << 16;
