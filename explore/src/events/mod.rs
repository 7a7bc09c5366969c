//! Events of one execution: their order, and which of them touched what.

pub(super) mod dependency_index;
pub(super) mod happens_before;
