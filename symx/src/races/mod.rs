//! Races: candidates for them, their classes, and which races the user suppresses.

pub(crate) mod candidates;
pub(crate) mod classes;
pub(crate) mod results;
pub(crate) mod suppressions;
