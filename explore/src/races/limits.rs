//! The numbers that tune the search for races and what is found out of each.
//!
//! A verdict names each bound that cuts something; the others decide how soon races are met.

use symx_interp::machine::PAUSE;

// Looking for races: quiet runs and executions at random.

/// A program is too large if one execution has more accesses than this to objects of sites where threads
/// share any, within its part of the instructions.
pub(crate) const MOST_SHARED: u64 = 1_000;

/// The divisor of all instructions allowed that gives that part.
pub(crate) const PART_FOR_QUIET: u64 = 40;

/// How many times as many executions are made again where not all that races was met, and quiet ones cannot
/// be.
pub(crate) const MORE_SAMPLES: u64 = 2;

/// How many times as many executions as at random are directed at races at most.
pub(crate) const MOST_DIRECTED: u64 = 8;

/// How often one seed is run until nothing new is found to be shared.
pub(crate) const MOST_ROUNDS: usize = 64;

/// How many times the instructions of an exploration, or those before a race, one execution may take.
pub(crate) const TIMES_BEYOND: u64 = 10;

/// Steps of one thread in a row where threads take turns.
pub(crate) const TURN: usize = 50;

/// Instructions of a step after which others are next: its thread may wait for them in a loop.
pub(crate) const LONG_STEP: u64 = PAUSE / 2;

/// The part of the instructions of an execution that threads may spend in a row on looking at one place each.
/// They may do so forever.
pub(crate) const IDLE_PART: u64 = 24;

// Directed executions.

/// Steps of others after which a thread is postponed no longer.
pub(crate) const MOST_STEPS_POSTPONED: u64 = 16_384;

/// Instructions of others after which it is not: they may wait for it in a loop. Each time a thread has
/// waited this long, half as much is waited from then on.
pub(crate) const MOST_INSTRUCTIONS_POSTPONED: u64 = 512 * PAUSE;

/// Executions along which states are kept.
pub(crate) const MOST_KEPT_EXECUTIONS: usize = 8;

/// States kept along one: beyond that, every other one goes.
pub(crate) const MOST_KEPT_STATES: usize = 24;

/// Decisions between two states, at first: where little is visible each step is long.
pub(crate) const SPACING: usize = 8;

// Executions that are inspected.

/// Executions without failure that are inspected beside those that showed a race first.
pub(crate) const MOST_EXITS: usize = 64;

/// Failing executions that are inspected.
pub(crate) const MOST_FAILURES: usize = 64;

/// A visible step counts as this many instructions: what is kept of each takes time, too.
pub(crate) const INSTRUCTIONS_A_STEP: u64 = 500;

// Both orders of a race, and what follows.

/// Executions that follow one order of a race, if all are wanted.
pub(crate) const MOST_EXECUTIONS_OF_ORDER: u64 = 2_000;

/// Instructions of those.
pub(crate) const MOST_INSTRUCTIONS_OF_ORDER: u64 = 20_000_000;

/// Instructions of all those of one race, and of one execution at random after it at least.
pub(crate) const MOST_INSTRUCTIONS_OF_RACE: u64 = 100_000_000;

/// Steps a thread takes in a row where no policy chooses the next one and an access is held.
pub(crate) const TURN_OF_HELD: usize = 200;
