//! Exploring paths in other orders than depth first: which way of which fork comes next.

pub(super) mod distances;
pub(super) mod frontier;
mod near_new_code;
pub(super) mod open_path;
pub(super) mod paths;
pub(super) mod tree;
