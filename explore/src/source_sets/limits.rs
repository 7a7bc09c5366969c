//! The numbers that tune the walk with source sets.
//!
//! None decides which executions count as one: they say when it is asked whether a thread gets on, and what
//! is tried first along recorded paths.

// Rows of steps of one thread.

/// After how many steps of one thread in a row another one is tried first. The thread may wait for that one,
/// in a loop that is not known to wait.
pub(crate) const MOST_IN_A_ROW: u32 = 512;

/// After how many steps of one thread in a row states are compared: most threads never take this many.
pub(crate) const ROW_TO_COMPARE: u32 = 32;

/// How many executions are left in loops before it is asked whether what follows one of them ever ends; then
/// at each doubling. To ask enters some hundred states.
pub(crate) const LEFT_TO_ASK: u64 = 64;

/// How many visible steps count as one execution, where that says how long a walk has gone on.
pub(crate) const EVENTS_OF_ONE: u64 = 32;

/// After how many steps of a section it is asked whether it ever ends; then at each doubling.
pub(crate) const LONG_SECTION: u32 = 64;

// Recorded paths.

/// Along recorded paths: after how many steps in one execution others are tried first in which
/// threads change less often.
pub(crate) const LONGEST_FINE: usize = 30_000;

/// How many executions in which threads change at synchronisation only are tried along recorded paths.
pub(crate) const COARSE_EXECUTIONS: u64 = 500;

/// After how many pauses of one step such an execution is abandoned where its thread's record says nothing
/// any more.
pub(crate) const COARSE_PAUSES: u64 = 256;
