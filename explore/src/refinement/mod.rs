//! Where walks begin and stand, the data with which they restart, and what workers share.

pub(super) mod root;
pub(super) mod truncated;
pub(super) mod workers;
