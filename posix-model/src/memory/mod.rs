//! Memory: the heap, and what libc does with bytes.

pub(crate) mod atomic_objects;
pub(crate) mod heap;
pub(crate) mod strings;
