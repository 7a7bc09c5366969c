//! Synchronisation objects of Rust's standard library, which is compiled into the program.

pub(crate) mod condition;
pub(crate) mod lock;
pub(crate) mod read_write_lock;
