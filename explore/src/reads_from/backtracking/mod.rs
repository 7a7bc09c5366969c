//! Backtrack points: what else an event could observe, and how the walk comes to where it does.

pub(super) mod alternatives;
pub(super) mod backtrack_point;
pub(super) mod checkpoints;
pub(super) mod model_choice;
pub(super) mod moved_read;
pub(super) mod plan;
pub(super) mod predicted_events;
