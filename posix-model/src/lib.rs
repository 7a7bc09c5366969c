//! The modelled outside of a C program: POSIX threads, the kernel interface below libc, and libc fast paths.
//!
//! [`Posix`] implements the interpreter's [`Environment`](symx_interp::Environment). Each library object is a
//! file with one table of rows, a row a function; [`registry`] lists the tables. What the models remember
//! lives in [`PosixData`], never in the program's memory.

mod answer;
mod assertions;
mod cxx;
mod data;
mod entry;
mod environment;
mod errno;
mod file_names_as_text;
mod host;
mod jumps;
mod kernel;
mod limits;
mod math;
mod memory;
mod names;
mod options;
mod places;
mod recorded_calls;
mod registry;
mod rust;
mod symbolic;
mod sync;
mod threads;

pub use data::PosixData;
pub use environment::{Posix, ROOTS};
pub use file_names_as_text::{file_name_bytes, file_name_text};
pub use host::{HostFiles, HostKind, HostMetadata, NoHostFiles};
pub use kernel::{Output, OutputStream};
pub use options::PosixOptions;
pub use sync::wait::PosixWait;
