//! Where walks begin and stand, and the data with which they restart.

pub(super) mod root;
pub(super) mod truncated;
