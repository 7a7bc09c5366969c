//! The numbers that tune the walk by reads-from.
//!
//! Which executions count as one does not depend on them. Beyond those that end something, source sets go on.

// The size of an execution.

/// Words of a set of events, 64 events each.
pub(crate) const SET_WORDS: usize = 8;

/// Events that one execution may have; programs with longer ones are explored otherwise.
pub(crate) const MOST_EVENTS: usize = SET_WORDS * 64;

/// How many places there may be at which accesses to memory are cut.
pub(crate) const MOST_CUTS: usize = 256;

// Continuing an execution.

/// After how many steps of one thread in a row it is asked whether they lead anywhere; then at each doubling.
pub(crate) const LONG_ROW: u32 = 64;

/// After how many steps of one thread in a row another one that is enabled has its turn. The thread may wait
/// for that one, in a loop that is not known to wait.
pub(crate) const MOST_IN_A_ROW: u32 = 100;

// Alternatives.

/// How many events a search for an order may place before it is abandoned.
pub(crate) const MOST_PLACED: u32 = 200_000;

/// How many events are noted with a plan: there can be many plans.
pub(crate) const MOST_PREDICTED: usize = 16;

// Workers.

/// Executions that a worker counts by itself before it adds them to the common count, which each worker has
/// to fetch from the others' caches.
pub(crate) const BETWEEN_COUNTS: u64 = 64;
