//! How control leaves activations: C++'s unwinder, and jumps to saved points.

pub(crate) mod jumps;
pub(crate) mod unwind;
