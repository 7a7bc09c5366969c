//! Ends of an exploration from outside, how far it is, and going on with it later.

pub(crate) mod budget;
pub(crate) mod counted_solver;
pub(crate) mod memory;
pub(crate) mod progress;
pub(crate) mod unfinished;
