//! Executing a trace event by event, and schedules of it.

pub(super) mod future;
pub(super) mod journal;
pub(super) mod linearise;
pub(super) mod machine;
pub(super) mod model;
pub(super) mod objects;
pub(super) mod schedule;
pub(super) mod steps;
