//! Executions in random orders.

/// Steps after which an agent that is held back takes one: the others may be waiting for it without saying
/// so.
const LONGEST_WAIT: u64 = 1 << 10;

pub(super) mod commutation;
pub(super) mod logged;
mod partial_order;
pub(super) mod probing;
pub(super) mod sampling;
mod starving;
