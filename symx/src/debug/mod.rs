//! A debugger for recorded executions: a server of the Debug Adapter Protocol.
//!
//! The program does not run: its execution is there as a whole, as a schedule makes it. Every move is a
//! search in it for the next place to stop at, forwards or backwards ([`stops`]). The values shown are read
//! from the state at that place ([`values`], [`variables`], [`frames`]).

mod expressions;
mod frames;
mod inspection;
mod lines;
mod movement;
mod points;
mod protocol;
mod serving;
mod session;
mod stops;
mod types;
mod values;
mod variables;

pub use serving::{Defaults, serve};
