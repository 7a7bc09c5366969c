//! Engines over traces: what failed, why, and how else it could have gone.
//!
//! An engine sees traces, a memory model, a solver and a way to replay, never the interpreter. Three things
//! come first:
//!
//! - [`Replay`](symx_trace::Replay), through which an engine asks for an execution of the program;
//! - [`Problem`](synthesis::Problem), a symbolic trace under a memory model, and [`synthesis`], which finds a
//!   schedule for it;
//! - [`Explanation`](symx_trace::Explanation), to which [`passing`], [`projection`] and
//!   [`root_cause`](root_cause()) contribute.
//!
//! Here a schedule is minimised. The "program" fails whenever thread 1 takes a step before thread 2 has:
//!
//! ```
//! use symx_checkers::simplify;
//! use symx_expr::StopToken;
//! use symx_trace::replay::{Attempt, Move, Replay, moves};
//! use symx_trace::{Agent, Decision, ThreadId};
//!
//! struct Program;
//!
//! impl Replay for Program {
//!     fn attempt(&mut self, asked: &[Move]) -> Option<Attempt> {
//!         let first = |thread| asked.iter().position(|step| step.agent == Agent::Thread(ThreadId(thread)));
//!         let fails = first(1).is_some_and(|one| first(2).is_none_or(|two| one < two));
//!         let decisions = asked.iter().map(|step| Decision::Run(step.agent)).collect();
//!         fails.then(|| Attempt { moves: asked.to_vec(), decisions, preemptions: 0 })
//!     }
//! }
//!
//! let given = [0, 1, 0, 2, 1, 0].map(|thread| Decision::Run(Agent::Thread(ThreadId(thread))));
//! let simple = simplify(&mut Program, &moves(given), &StopToken::default()).unwrap();
//! assert_eq!((simple.cost_before.switches, simple.cost.switches), (5, 0));
//! assert!(simple.is_finished);
//! ```
//!
//! [`segments`](mod@segments) folds a schedule into segments for people; [`lock_order`] finds contradicting
//! orders of locks. [`deadlock_cause`](deadlock_cause()) says why threads block; [`diagnosis`](diagnosis())
//! names the class of a bug. [`race_class`] says what a data race can do; [`mod@sketch`] says what
//! distinguishes failing executions from passing ones. Read on at [`synthesis`], and in
//! `docs/notes/explanation.md`.

mod beginnings;
mod deadlock_cause;
mod diagnosis;
pub mod lock_order;
pub mod passing;
pub mod projection;
pub mod race_class;
mod root_cause;
mod segments;
mod simplify;
pub mod sketch;
pub mod synthesis;

pub use deadlock_cause::{DeadlockCause, deadlock_cause};
pub use diagnosis::{Diagnosis, diagnosis, first_fix};
pub use root_cause::{
    CauseLimits, NoRootCause, RootCause, avoiding, avoiding_within, cause_by_scope, root_cause,
};
pub use segments::{Segment, segments};
pub use simplify::{Cost, Simplified, simplify};
