//! Races: candidates for them, their classes, what the result file says of both, which races the user
//! suppresses.

pub(crate) mod candidates;
pub(crate) mod classes;
pub(crate) mod listed;
pub(crate) mod results;
pub(crate) mod suppressions;
