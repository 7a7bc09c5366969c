//! What an exploration restarts with, and what it goes on with in another process.

pub(super) mod saved;
pub(super) mod truncated;
