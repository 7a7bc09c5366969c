//! Events that commute where they touch the same, and when they do not.

pub(super) mod arrivals;
mod comparisons;
pub(super) mod together;
