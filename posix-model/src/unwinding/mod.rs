//! How control leaves activations: C++'s unwinder and the end where nothing catches, and jumps to saved points.

mod joinable;
pub(crate) mod jumps;
pub(crate) mod unwind;
