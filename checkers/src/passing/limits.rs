//! The numbers that tune the search for passing executions.

// Undone switches and exchanged pairs of steps.

/// Steps that a thread goes on for where the schedule says no more of it.
pub(crate) const MOST_FURTHER: usize = 100;

/// Up to this many steps, each distance that a switch can be moved is tried; beyond, powers of two.
pub(crate) const MOST_SINGLE: usize = 64;

/// Schedules in which the failure comes earlier that are looked at.
pub(crate) const MOST_EARLIER: usize = 64;

/// Pairs are looked for among this many steps at the end of an execution. Earlier steps are seldom to blame,
/// and comparing all steps with all takes quadratic time.
pub(crate) const MOST_STEPS: usize = 4_096;

/// Steps at the end whose partner may be anywhere: what these depend on may have been long ago.
pub(crate) const LAST_STEPS: usize = 64;

/// Steps of executions that are kept to change further pairs in.
pub(crate) const MOST_KEPT: usize = 2_000_000;

// The nearest one (MaxSMT).

/// Segments are wished for where the orders that matter to them are no more than this.
pub(crate) const MOST_ORDERS: usize = 40_000;

/// Bytes of an access that are followed: those of a long copy share their fate.
pub(crate) const MOST_BYTES: u64 = 64;

/// Solver calls spent on making one core smaller.
pub(crate) const MOST_SHRINKING: usize = 40;

/// Sets looked at in search of the smallest that has a member of every core.
pub(crate) const MOST_SETS: u64 = 200_000;
