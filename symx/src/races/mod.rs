//! Races: candidates for them, in symx and in the field, their classes, and which the user suppresses.

pub(crate) mod candidates;
pub(crate) mod classes;
pub(crate) mod field;
mod ordered;
mod reported_places;
pub(crate) mod results;
pub(crate) mod suppressions;
