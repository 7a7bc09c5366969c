//! Litmus programs and two independent ways to list their outcomes.

pub mod axiomatic;
pub mod operational;
pub mod program;
