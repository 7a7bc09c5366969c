//! Litmus programs: a language, a generator, and two independent ways to list their outcomes.
//!
//! * [`operational`] runs a program in every way under the operational half of a model;
//! * [`axiomatic`] lists all candidate executions and asks the axiomatic half which are allowed;
//! * [`random`] makes programs, [`shrink`](mod@shrink) makes a failing one small;
//! * [`llvm`] writes programs as LLVM IR, so that a whole interpreter can be held against both.

pub mod axiomatic;
mod history;
pub mod llvm;
pub mod operational;
pub mod program;
pub mod random;
pub mod shrink;

pub use program::{Outcome, Program};
