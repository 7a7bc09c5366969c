//! Choice points: what is to be tried there, how to get to it, and what of that is written down.

pub(super) mod backtrack_point;
pub(super) mod plan;
pub(super) mod position;
