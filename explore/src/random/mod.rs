//! Executions in random orders.

pub(super) mod commutation;
pub(super) mod logged;
mod partial_order;
pub(super) mod probing;
pub(super) mod sampling;
mod starving;
