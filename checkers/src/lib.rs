//! Engines over traces: what failed, why, and how else it could have gone.
//!
//! An engine sees traces, a memory model, a solver and a way to replay, never the interpreter. So far there is
//! [`segments`](mod@segments), which folds a schedule into what people read, and [`lock_order`], which finds orders of
//! locks that contradict each other; root causes, simplification and race
//! classes join it here, one file each.

pub mod lock_order;
mod segments;

pub use segments::{Segment, segments};
