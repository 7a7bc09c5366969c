//! The numbers that tune replays: how far an execution goes on where a schedule says no more, and which
//! states are kept.

// After the events or moves of a schedule.

/// Steps a thread takes after the events or moves before another one gets its turn, so that loops that wait
/// for others end.
pub(crate) const TURN: u32 = 1_000;

/// Steps an execution takes after the events or moves at most.
pub(crate) const MOST_STEPS_AFTER: u32 = 100_000;

/// Steps of other threads for which is looked ahead.
pub(crate) const MOST_STEPS_AHEAD: u32 = 1024;

// Where a livelock is looked for.

/// The turn of a thread where a livelock is looked for: threads that spin are what it is about. Up to this
/// many times it is asked at each step, too.
pub(crate) const TURN_OF_LOOPS: u32 = 64;

/// Steps beyond the moves that an execution in which a livelock is looked for may take.
pub(crate) const MOST_STEPS_WITH_LOOPS: usize = 4_096;

/// How often a thread may run for long without a visible step where a livelock is looked for.
pub(crate) const MOST_PAUSES: u32 = 12;

// States that are kept.

/// States kept of an execution.
pub(crate) const MOST_KEPT: usize = 1 << 14;

/// How many states are kept along an execution at most. Anything between two of them is executed again to be
/// looked at. Of `n` steps it takes `n / MOST_ON_TIMELINE` at least, and the memory of as many states.
pub(crate) const MOST_ON_TIMELINE: usize = 512;
