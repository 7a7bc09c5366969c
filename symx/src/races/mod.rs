//! Races: candidates for them, their classes, what the result file says of them, which ones the user suppresses.

pub(crate) mod candidates;
pub(crate) mod classes;
pub(crate) mod results;
pub(crate) mod suppressions;
