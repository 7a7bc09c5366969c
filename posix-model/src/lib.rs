//! The modelled outside of a C program: POSIX threads, the kernel interface below libc, and libc fast paths.
//!
//! [`Posix`] implements the interpreter's [`Environment`]. Each library object is a file with one table of
//! rows, a row a function; [`registry`] lists the tables. What the models remember lives in [`PosixData`],
//! never in the program's memory.

mod answer;
mod assertions;
mod atomic_objects;
mod atomic_section;
mod attributes;
mod barrier;
mod cancellation;
mod condition;
mod data;
mod deadline;
mod entry;
mod environment;
mod errno;
mod file_names_as_text;
mod heap;
mod host;
mod interruption;
mod jumps;
mod kernel;
mod keys;
mod library_lock;
mod limits;
mod main_thread;
mod math;
mod mutex;
mod mutex_attributes;
mod nesting;
mod once;
mod operator_new;
mod options;
mod places;
mod recorded_calls;
mod registry;
mod rwlock;
mod semaphore;
mod spin;
mod standard_threads;
mod static_guard;
mod strings;
mod symbolic;
mod thread_attributes;
mod thread_destructors;
mod thread_exit;
mod thread_life;
mod thread_scheduling;
mod threads;
mod unwind;
mod wait;
mod wait_reason;

pub use data::PosixData;
pub use environment::{Posix, ROOTS};
pub use file_names_as_text::{file_name_bytes, file_name_text};
pub use host::{HostFiles, HostKind, HostMetadata, NoHostFiles};
pub use kernel::{Output, OutputStream};
pub use options::PosixOptions;
pub use wait::PosixWait;
