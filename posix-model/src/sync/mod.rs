//! Synchronisation: objects, what threads wait for at them, and limits of waits.

pub(crate) mod atomic_section;
pub(crate) mod attributes;
pub(crate) mod barrier;
pub(crate) mod condition;
pub(crate) mod deadline;
pub(crate) mod library_lock;
pub(crate) mod mutex;
pub(crate) mod mutex_attributes;
pub(crate) mod nesting;
pub(crate) mod object;
pub(crate) mod once;
pub(crate) mod open_streams;
pub(crate) mod rust;
pub(crate) mod rwlock;
pub(crate) mod semaphore;
pub(crate) mod spin;
pub(crate) mod static_guard;
pub(crate) mod wait;
