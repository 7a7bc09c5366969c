//! Backtrack points: the other sources of an event, and how the walk reaches the place where it observes
//! them.

pub(super) mod alternatives;
pub(super) mod checkpoints;
pub(super) mod model_choice;
pub(super) mod moved_read;
pub(super) mod plan;
pub(super) mod predicted_events;
mod rivals;
