//! The numbers that tune synthesis. Those of the forward search are its own (`engines/forward/limits.rs`).
//!
//! An engine that ends at one of them says so by name; none makes a wrong answer.

// The order in which engines are asked.

/// Longer traces are not searched: there are far more executions with a single preemption than
/// there is time for.
pub(crate) const MOST_EVENTS_SEARCHED: usize = 1 << 15;

/// Steps times events of the search: of a longer trace, a smaller share could be looked at in any case.
pub(crate) const MOST_SEARCHED: u64 = 3_000_000_000;

/// A schedule with more preemptions is not proven to have the fewest unless that is asked for.
pub(crate) const FEW_PREEMPTIONS: u32 = 3;

/// How many times the steps of the search may be taken for that.
pub(crate) const STEPS_FOR_FEWEST: u64 = 4;

/// Steps that may be taken to find a schedule with fewer preemptions, well under a second's work.
pub(crate) const MOST_STEPS_FOR_FEWER: u64 = 300_000;

// Problem and system.

/// Tables of which event comes before which take a bit a pair: 128 MiB for this many events.
pub(crate) const MOST_IN_TABLES: usize = 1 << 15;

/// Literals that a system has room for, a few hundred MiB: the clauses about reads are cubic in the
/// accesses to a place.
pub(crate) const MOST_LITERALS: usize = 12_000_000;

/// How often knowledge is used to prune what gave it.
pub(crate) const MOST_ROUNDS: u32 = 6;

/// Clauses after which it is asked whether to stop: there may be millions.
pub(crate) const CLAUSES_BETWEEN: u64 = 1 << 10;

// Order theory and clocks.

/// An edge is followed to this many variables at most in search of literals that it decides.
pub(crate) const MOST_PROPAGATED: usize = 64;

/// Z3 is given at most this many clauses.
pub(crate) const MOST_CLAUSES: usize = 500_000;

/// It needs some 4 KiB a clause, and fails in ways that cannot be caught where memory ends.
pub(crate) const CLAUSES_A_MEBIBYTE: usize = 256;

// Searches.

/// At most this many reads of a thread distinguish states: a sum has all that were added.
pub(crate) const MOST_NEEDED: usize = 32;

/// A state counts as this many events less advanced than the one before it with all threads at the same
/// places.
pub(crate) const EVENTS_BEHIND: usize = 16;

/// Of the steps of a narrow walk with one number of preemptions, this is the part that may be
/// taken from one beginning.
pub(crate) const SHARE_OF_BEGINNING: u64 = 4;

/// Steps that narrow searches take with each number of preemptions.
pub(crate) const NARROW: [u64; 3] = [3_000, 12_000, 40_000];

// Fewer preemptions.

/// Stretches are put next to each other across at most this many steps.
pub(crate) const MOST_STEPS_ACROSS: usize = 4_096;

/// How many steps for an event may be taken in any case.
pub(crate) const STEPS_AN_EVENT: u64 = 64;

/// At most this many steps are executed to see whether a change that later steps may notice leads to the end.
pub(crate) const MOST_STEPS_TO_THE_END: usize = 8_192;
