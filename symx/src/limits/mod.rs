//! Ends of an exploration from outside, and how far it is.

pub(crate) mod budget;
pub(crate) mod counted_solver;
pub(crate) mod memory;
pub(crate) mod progress;
