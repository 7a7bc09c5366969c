//! Memory: the heap, C++'s operators above it, and what libc does with bytes.

pub(crate) mod atomic_objects;
pub(crate) mod heap;
pub(crate) mod makers;
pub(crate) mod operator_new;
pub(crate) mod shared_mappings;
pub(crate) mod strings;
