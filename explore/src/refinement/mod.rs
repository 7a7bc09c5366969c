//! What an exploration begins anew with, and what it goes on with in another process.

pub(super) mod saved;
pub(super) mod truncated;
