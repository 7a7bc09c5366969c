//! The numbers that tune what is done to schedules: reproducing, simplifying and proving.

use std::time::Duration;

// Recorded failures.

/// For how long recorded schedules are searched before synthesis is tried.
pub(crate) const SHORT_SEARCH: Duration = Duration::from_secs(5);

/// For how long threads are run along recorded paths, and schedules are looked for, unless
/// more time is given.
pub(crate) const LONGEST_TRACING: Duration = Duration::from_secs(20);

/// Orders of threads in which their paths are followed, each with its end open and not. They are tried until
/// a schedule is found for the result.
pub(crate) const ORDERS: u64 = 32;

// Simplifying, and the fewest preemptions.

/// How long a schedule is simplified before it is reported; `symx simplify` continues.
pub(crate) const SIMPLIFYING: Duration = Duration::from_secs(10);

/// Steps that a thread takes at most where a schedule says no more of it.
pub(crate) const MOST_FURTHER: usize = 100;

/// Steps a proof takes at most: each state that executions within the bound reach is remembered.
pub(crate) const MOST_STEPS: u64 = 20_000_000;

/// Steps times events: a step takes time in proportion to the events.
pub(crate) const MOST_WORK: u64 = 2_000_000_000;

// Files.

/// Most decisions of a schedule: fifty times those of the longest execution that symx has had to do with.
pub(crate) const MOST_DECISIONS: u64 = 1 << 26;
