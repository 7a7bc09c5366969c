//! The nearest execution that does not fail: what a failing schedule is to be compared with.
//!
//! Near means, in this order: threads keep their paths, reads keep getting their values from the same writes,
//! segments (stretches of one thread) stay whole, switches from thread to thread stay where they are (MaxSMT,
//! AAAI 2019, section 4.2). [`nearest`](fn@nearest) asks an engine over a symbolic trace and proves what it
//! finds; [`reorder`] and [`undo`] run the program under changed schedules, which also finds executions that
//! take other paths.

mod correction;
mod earlier;
mod nearest;
mod nearness;
mod reordering;
mod undone;

pub use earlier::earlier;
pub use nearest::{Nearest, NoAlternate, nearest};
pub(crate) use nearness::is_beginning;
pub use nearness::{Nearness, nearness};
pub use reordering::{Reordered, ReorderingLimits, reorder};
pub use undone::undo;
