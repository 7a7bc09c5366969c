//! The vocabulary execution and reasoning share, as plain data: agents, footprints, events, schedules,
//! failures.

pub mod agent;
pub mod event;
pub mod explanation;
pub mod failure;
pub mod failure_detail;
pub mod failure_kinds;
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

pub use agent::{Agent, ThreadId, ThreadName};
pub use event::{Call, CallEffect, Event, EventKind, Trace};
pub use explanation::Explanation;
pub use failure::{Failure, FailureKind, Location, StackFrame, ThreadStack, Wait, WaitKind};
pub use failure_detail::FailureDetail;
pub use failure_kinds::FailureKinds;
pub use footprint::{Access, Footprint, Mode, Place};
pub use incomplete::IncompleteReason;
pub use input::{Input, InputOrigin, SymbolicSurroundings};
pub use nesting::Nesting;
pub use race::{Race, RaceAccess, RaceClass};
pub use replay::{Attempt, Move, Reorder, Replay, Run, RunEnd};
pub use run_log::{AccessMode, CodePlace, LoggedAccess, RunLog, Visits};
pub use schedule::{Decision, Schedule};
pub use tolerance::{Forgivable, Policy, Tolerance};
