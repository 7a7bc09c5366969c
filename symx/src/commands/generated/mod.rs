//! Files generated from the command line's own description.

pub mod completions;
pub mod man;
