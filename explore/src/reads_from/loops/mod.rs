//! Loops of which not every round needs to be explored.

pub(super) mod await_loop;
pub(super) mod bounded_spin;
pub(super) mod deferred;
pub(super) mod no_effect_round;
