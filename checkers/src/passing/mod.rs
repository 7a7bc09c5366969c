//! The closest passing execution, with which a failing schedule is compared.
//!
//! An execution is near if threads keep their paths, and reads their sources. Next, segments (stretches of
//! one thread) stay whole, and switches from thread to thread stay where they are (MaxSMT, AAAI 2019, section
//! 4.2). These criteria are in order of weight. [`nearest`](fn@nearest) asks an engine over a symbolic trace
//! and proves its result. [`reorder`] and [`undo`] run the program under changed schedules, which also finds
//! executions that take other paths.

mod correction;
mod earlier;
mod limits;
mod nearest;
mod nearness;
mod reordering;
mod undone;

pub use earlier::earlier;
pub use nearest::{Nearest, NoPassingExecution, nearest};
pub(crate) use nearness::is_beginning;
pub use nearness::{Nearness, nearness};
pub use reordering::{Reordered, ReorderingLimits, reorder};
pub use undone::undo;
