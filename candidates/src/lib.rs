//! Pairs of accesses that may race, found without running the program (Kasikci, thesis 2015, chapter 4, after
//! RELAY: Voung, Jhala, Lerner, FSE 2007).
//!
//! Two accesses of two threads are a candidate if they may touch the same byte, one of them writes, one of
//! them is not atomic, no lock is held at both, and neither creation nor joining of threads orders them. What
//! else orders accesses (flags, semaphores, barriers, condition variables) is not looked at: whether a
//! candidate is a race is for executions to say.
//!
//! - [`candidates`] has the pairs of a linked program.
//! - [`reported`] reads what ThreadSanitizer and Helgrind report, as pairs of places.
//!
//! Nothing is left out that can happen, within these limits: a program stays inside its objects, pointers
//! travel in words of 64 bits, locking succeeds, and what a library of C keeps to itself is not of interest.

mod candidate;
mod concurrency;
mod externals;
mod flow;
mod names;
mod objects;
mod offsets;
mod pairs;
mod points_to;
pub mod reported;

pub use candidate::{Candidate, CandidateAccess, Position};
pub use pairs::candidates;
