//! Engines over traces: what failed, why, and how else it could have gone.
//!
//! An engine sees traces, a memory model, a solver and a way to replay, never the interpreter.
//! [`segments`](mod@segments) folds a schedule into what people read; [`simplify`](mod@simplify) finds one
//! with fewer context switches; [`alternate`] finds the nearest execution that does not fail, and
//! [`projection`] says where the two differ and what would rule the failure out; [`lock_order`] finds orders
//! of locks that contradict each other; [`synthesis`] finds schedules for a symbolic trace, and
//! [`root_cause`](root_cause()) says why one fails, [`deadlock_cause`](deadlock_cause()) why one comes to
//! stand; [`race_class`] says what a data race can do; [`mod@sketch`] says what tells failing executions from
//! passing ones.

pub mod alternate;
mod beginnings;
mod deadlock_cause;
pub mod lock_order;
pub mod projection;
pub mod race_class;
mod root_cause;
mod segments;
mod simplify;
pub mod sketch;
pub mod synthesis;

pub use deadlock_cause::{DeadlockCause, deadlock_cause};
pub use root_cause::{
    CauseLimits, NoRootCause, RootCause, avoiding, avoiding_within, cause_by_scope, root_cause,
};
pub use segments::{Segment, segments};
pub use simplify::{Cost, Simplified, simplify};
