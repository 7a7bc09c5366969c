//! How control leaves activations: C++'s unwinder, the end where nothing catches, jumps to saved points.

mod joinable;
pub(crate) mod jumps;
pub(crate) mod unwind;
