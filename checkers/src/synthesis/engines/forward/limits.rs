//! All numbers that tune the forward search, each with its reason.
//!
//! None is a limit of what can be solved: attempts double until the steps are used up. A table that would
//! become too large is left out, and then nothing is ruled out by it.

// The schedule of attempts.

/// States of the narrowest beam. Nine of ten traces of caches take no more, and time grows with the width.
pub(super) const LEAST_WIDTH: usize = 50;
/// The part of a beam that states with equally many turns left may take, in every other attempt. The states
/// that lead can all be lost, so others stay. A layer has about this many numbers of turns.
pub(super) const ALIKE: usize = 16;
/// Widths in the first round of beams, each twice the one before. Such a round takes well under a second, and
/// the next one twice as long.
pub(super) const WIDTHS: u64 = 5;
/// Rounds before the orders that single locations allow are computed, which takes as long as the third.
pub(super) const ROUNDS_ALONE: u64 = 3;
/// Depth-first attempts before that where there are no beams. Together they take eight times the least steps.
pub(super) const DEEP_ALONE: u64 = 6;
/// Steps of the shortest depth-first attempt, for each event and thread: each thread is tried in each state.
pub(super) const STEPS_A_THREAD: u64 = 4;
/// A trace with fewer threads counts as one with this number: it has more events of each.
pub(super) const LEAST_THREADS: u64 = 4;
/// Further steps of an attempt: a short trace has few states, which are all visited then.
pub(super) const LEAST_STEPS: u64 = 1_024;
/// Steps in all for each event of a long trace, or attempts on it could not double often enough.
pub(super) const STEPS_AN_EVENT: u64 = 1_024;
/// A step by location is a look-up. This number of them takes as long as executing an event.
pub(super) const LOOKUPS_AN_EVENT: u64 = 16;

// Beams.

/// Steps of each thread that count as one where kept states are to differ. Nearer states are nearly the same.
pub(super) const REGION: usize = 4;
/// Longer traces are not searched by location: the table of what precedes each event takes long to fill.
pub(super) const MOST_EVENTS_BY_LOCATION: usize = 1 << 15;
/// Steps after which a thread is assumed not to wait in a cycle: all cycles found were shorter.
pub(super) const STEPS_OUT_OF_CIRCLES: usize = 60;
/// Steps of a thread that are looked at in turn there: few, as most cycles close soon.
pub(super) const STEPS_IN_TURN: usize = 16;
/// Longer turns count as several: the end of a turn is looked for from each step anew.
pub(super) const LONGEST_TURN: usize = 4_096;

// Orders that are followed.

/// Longer traces follow an order even if none is suggested. Without one, depth-first search seldom recovers
/// from an early wrong choice.
pub(super) const LONG_TRACE: usize = 4_096;
/// Distance of the ranks of events that follow each other in an order, so that ranks between them are free.
pub(super) const RANKS_A_STEP: u64 = 16;
/// Choices made anew at first, as the wrong one was made not long before; they double.
pub(super) const LEAST_ANEW: usize = 8;
/// Steps that each thread may take for a choice before it is made anew: some ways to go on from it are tried.
pub(super) const PATIENCE: u64 = 24;

// Tables of single locations.

/// Locations that more threads access have too many states.
pub(super) const MOST_VISITORS: usize = 12;
/// States of a location visited for one question. Small locations have fewer.
pub(super) const MOST_STATES: usize = 4_000;
/// Questions that may take longer before a location is asked no more.
pub(super) const MOST_UNDECIDED: u32 = 24;
/// A location with more accesses is looked at for the next ones only: its states would fill the memory.
pub(super) const LONG_LOCATION: usize = 1_500;
/// The accesses looked at there, and the states visited. That is enough where the order is nearly right.
pub(super) const HORIZON: u32 = 48;
pub(super) const MOST_STATES_AHEAD: usize = 128;
/// Every value of a counter that may become greater counts as a different state.
pub(super) const MOST_COUNTED: u64 = 4_096;
/// Accesses of the thread back to the read that a write depends on. It usually is the one before.
pub(super) const MOST_RECENT: usize = 16;
/// Parts of a term that is evaluated for each state. A greater one counts as unknown.
pub(super) const MOST_PARTS: usize = 32;
/// Reads of a thread that are asked whether a value is left for them. A value is seldom needed much later.
pub(super) const MOST_DEMANDS: usize = 8;
/// States of a location visited for all its orders, at first and at last. It is asked again with four times
/// as many once others have put some of its accesses in order.
pub(super) const STATES_OF_ORDERS: [usize; 2] = [8_000, 512_000];
/// States of all locations visited for orders: about two seconds.
pub(super) const STATES_OF_ALL_ORDERS: usize = 2_000_000;
/// Events times threads times threads for which orders are looked for: closing them visits as many entries.
pub(super) const MOST_ORDER_ENTRIES: usize = 4_000_000;
