//! The data with which an exploration restarts, or goes on in another process.

pub(super) mod saved;
pub(super) mod truncated;
