//! The vocabulary execution and reasoning share, as plain data: agents, footprints, events, schedules,
//! failures.
//!
//! Three types come first:
//!
//! - [`Agent`], what takes steps: a thread or a lane of its store buffer;
//! - [`Footprint`], what a step touches and how; two steps are dependent if their footprints conflict;
//! - [`Decision`], one choice of an execution; a [`Schedule`] has all of them and can be replayed.
//!
//! ```
//! use symx_trace::footprint::{dependent, reversible};
//! use symx_trace::replay::moves;
//! use symx_trace::{Access, Agent, Decision, Mode, ThreadId, ThreadName};
//!
//! // Reads of the same bytes commute; a write and a read do not.
//! let (read, write) = ([Access::read(0x1000, 4)], [Access::write(0x1002, 1)]);
//! assert!(!dependent(&read, &read) && dependent(&read, &write));
//!
//! // A lock that comes after an unlock was not possible before it.
//! let (unlock, lock) = ([Access::object(64, Mode::Release)], [Access::object(64, Mode::Acquire)]);
//! assert!(dependent(&unlock, &lock) && !reversible(&unlock, &lock));
//!
//! // A step is a decision for its agent, and those on what it chooses.
//! let run = |thread| Decision::Run(Agent::Thread(ThreadId(thread)));
//! assert_eq!(moves([run(0), Decision::Choose(1), run(1)]).len(), 2);
//! assert_eq!(ThreadName::main().child(2).child(1).to_string(), "0.2.1");
//! ```
//!
//! Further modules have whole documents: [`profile`] what a native run recorded, [`symbolic`] an execution
//! without its schedule, [`explanation`] why one fails, [`race`] data races. [`replay`] has the traits
//! through which engines ask for executions. Read on at [`schedule`] and [`symbolic`].

pub mod agent;
pub mod event;
pub mod explanation;
pub mod failure;
pub mod flipped_branch;
pub mod footprint;
pub mod incomplete;
pub mod input;
pub mod nesting;
pub mod profile;
pub mod race;
pub mod replay;
pub mod run_log;
pub mod schedule;
pub mod sketch;
pub mod symbolic;
pub mod tolerance;
pub mod weight;

pub use agent::{Agent, ThreadId, ThreadName};
pub use event::{Call, CallEffect, CallOutcome, Event, EventKind, Trace};
pub use explanation::Explanation;
pub use failure::checks::FailureKind;
pub use failure::detail::FailureDetail;
pub use failure::sets::FailureKinds;
pub use failure::{Failure, Location, StackFrame, ThreadStack, Wait, WaitKind};
pub use flipped_branch::FlippedBranch;
pub use footprint::{Access, Footprint, Mode, Place};
pub use incomplete::IncompleteReason;
pub use input::{Input, InputOrigin, InputType, SymbolicSurroundings};
pub use nesting::Nesting;
pub use race::{Race, RaceAccess, RaceClass};
pub use replay::{Attempt, Move, Reorder, Replay, Run, RunEnd};
pub use run_log::{AccessMode, CodePlace, LoggedAccess, LoggedResult, LoggedStep, RunLog, Visits};
pub use schedule::{Decision, Schedule};
pub use tolerance::{Forgivable, Policy, Tolerance};
pub use weight::Weight;
