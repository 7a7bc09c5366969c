//! What is made out of the command line's own description.

pub mod completions;
pub mod man;
