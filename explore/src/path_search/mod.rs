//! Exploring paths in other orders than depth first: which way of which fork comes next.

pub(super) mod distances;
pub(super) mod frontier;
pub(super) mod open_path;
pub(super) mod paths;
mod paths_in_tree;
pub(super) mod tree;
