//! The numbers that tune how paths are recorded and followed.

// Following.

/// How many rounds of a loop a thread may iterate where the record says only that it did not leave the loop.
/// The one that failed goes on until it does.
pub(crate) const MOST_ROUNDS: usize = 1 << 16;

// Recording.

/// How many units of a thread's log are held in memory at most, but for those of its last step.
pub(crate) const HELD_UNITS: usize = 1 << 15;

/// How many calls of it are.
pub(crate) const HELD_CALLS: usize = 1 << 10;

/// Most accesses that a log has; the oldest half is left out when there are more.
pub(crate) const MOST_ACCESSES: usize = 1 << 14;

/// Most instructions that a log has in their order; the oldest half is left out when there are more.
pub(crate) const MOST_STEPS: usize = 1 << 16;

/// Most ranges of memory, and most pointers, that get names.
pub(crate) const MOST_NAMES: usize = 1 << 12;
