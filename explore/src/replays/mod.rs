//! Executing a known schedule again, and what is reported of it.

pub(super) mod enact;
mod limits;
pub(super) mod locating;
pub(super) mod logged;
pub(super) mod lookahead;
pub(super) mod observed;
pub(super) mod recorded;
pub(super) mod rerun;
pub(super) mod schedule;
pub(super) mod symbolic_replay;
pub(super) mod timeline;
mod touched;
pub(super) mod tracing;
