//! Litmus programs: a language, a generator, and two independent ways to list their outcomes.
//!
//! Three things come first. [`Program`] is parsed from a line a thread. [`operational`] runs it in every way
//! under the operational half of a model. [`axiomatic`] lists all candidate executions and asks the axiomatic
//! half which are allowed. A memory model is trusted here because both agree.
//!
//! ```
//! use symx_litmus::{Program, axiomatic, operational};
//! use symx_memmodel::MODELS;
//!
//! // Store buffering: can both threads miss the other one's store?
//! let program = Program::parse(&["x=1; r0=y", "y=1; r1=x"], "r0 r1");
//! let outcomes: Vec<_> = MODELS.iter().map(|model| operational::outcomes(&program, *model)).collect();
//! // They cannot under the first model, which is the strongest, and can under all others.
//! assert!(outcomes[0].len() == 3 && outcomes[1..].iter().all(|outcomes| outcomes.len() == 4));
//! assert_eq!(axiomatic::outcomes(&program, MODELS), outcomes);
//! ```
//!
//! [`random`] makes programs, [`shrink`](mod@shrink) makes a failing one small, and [`llvm`] writes programs
//! as LLVM IR, so that the whole interpreter is checked against both. Read on at [`program`] for the
//! language.

pub mod axiomatic;
mod history;
pub mod llvm;
pub mod operational;
pub mod program;
pub mod random;
pub mod shrink;

pub use program::{Outcome, Program};
