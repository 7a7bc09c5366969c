//! Pairs of accesses that may race, found without running the program (Kasikci, thesis 2015, chapter 4, after
//! RELAY: Voung, Jhala, Lerner, FSE 2007).
//!
//! Two accesses of two threads are a candidate if they may touch the same byte, one of them writes, and one
//! is not atomic. Besides, no lock is held at both, and neither creation nor joining of threads orders them.
//! Other synchronisation (flags, semaphores, barriers, condition variables) is not considered: whether a
//! candidate is a race is for executions to say.
//!
//! - [`candidates`] has the pairs of a linked program, [`candidates_at`] those of some places in it.
//! - [`reported`] reads what ThreadSanitizer and Helgrind report, as pairs of places.
//!
//! The analysis ends with a token of `symx_expr::stop`, whatever it is doing. The pairs compared by then are
//! candidates all the same: sets and summaries are complete before the first is.
//!
//! Every race that can happen has a candidate, within these limits. A program stays inside its objects,
//! pointers travel in words of 64 bits, and locking succeeds. Memory that a C library keeps to itself is left
//! out.

mod budget;
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
mod targets;

pub use candidate::{Candidate, CandidateAccess, CandidatePair, FoundCandidates, MOST_IN_WORDS, Position};
pub use pairs::{candidates, candidates_at};
