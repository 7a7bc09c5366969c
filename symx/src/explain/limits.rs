//! The numbers that tune explaining: shares of its time, and sizes up to which a step is worth its time.

use std::time::Duration;

// Shares of the time left, as divisors.

/// The share of the time left in which a cause is held against the program.
pub(crate) const FOR_CHECK: u32 = 16;

/// The share of the time left in which switches are undone: what is near is found soon.
pub(crate) const UNDOING: u32 = 8;

/// The share of the time left in which something nearer is looked for than what is known.
pub(crate) const NEARER: u32 = 16;

/// The share of the time left in which orders of a cause are left out again.
pub(crate) const FOR_CAUSE: u32 = 16;

/// The share of the time for a fix in which a block is tried as it is, before a mutex is.
pub(crate) const FOR_BLOCK: u32 = 16;

/// How long is explored for one explanation at most.
pub(crate) const LOOKING: Duration = Duration::from_secs(5);

// Executions that are looked at.

/// Events of an execution that is looked at access by access though it was found by its synchronisation only.
pub(crate) const MOST_FINER: usize = 5_000;

/// Steps of an exploration that is tried before executions in which steps change places. Where it is complete
/// and each execution fails, there is nothing to look for.
pub(crate) const FEW_STEPS: u64 = 10_000;

/// Events at the end of a long execution that may change their order, at first; then twice as many, until the
/// time is up.
pub(crate) const FIRST_WINDOW: usize = 64;

/// Orders of a trace that the program is run in, in search of one in which it does not fail.
pub(crate) const MOST_ENACTED: u32 = 16;

/// Orders that are added to a cause that was refuted, at most.
pub(crate) const MOST_ADDED: usize = 3;

/// How often what still fails under all that is suggested is explained in turn.
pub(crate) const MOST_FURTHER: u32 = 3;

// Systems of constraints.

/// Literals of a system that takes no more than a moment; longer executions are asked about in windows.
pub(crate) const MOST_LITERALS: u64 = 1_500_000;

/// Gates of circuits that take no more than a moment.
pub(crate) const MOST_GATES: u64 = 1_000_000;

/// Conflicts that one question to the order theory may take.
pub(crate) const MOST_CONFLICTS: u32 = 200_000;

// Sketches.

/// Random executions along the paths of a profile, at most: most leave these where threads race.
pub(crate) const MOST_ALONG: u64 = 1_000;

/// The share of the time for a profile in which they are tried, as a divisor. Then its paths are explored.
pub(crate) const FOR_ALONG: u32 = 4;

/// Executions that there are to be at least.
pub(crate) const LEAST_SAMPLED: usize = 200;

/// How many of them are to be failing, and passing. Shares of 30 are known to within 18 per cent (95 %
/// confidence).
pub(crate) const LEAST_OF_EACH: usize = 30;
