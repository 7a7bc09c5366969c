//! The modelled outside of a C program: POSIX threads, the kernel interface below libc, and libc fast paths.
//!
//! Three types come first:
//!
//! - [`Posix`], which implements the interpreter's [`Environment`](symx_interp::Environment);
//! - [`PosixOptions`], the process's surroundings: arguments, files, clock, processors;
//! - [`PosixData`], what the models remember of a process. It lives in the state, never in the program's
//!   memory.
//!
//! Each library object is a file with one table of rows, a row a function; `environment/registry.rs` lists
//! the tables. A row has the function's names, its model, and what it does to others
//! ([`CallEffect`](symx_trace::CallEffect)).
//!
//! ```
//! use symx_interp::Environment;
//! use symx_ir::Modelled;
//! use symx_posix_model::{Posix, PosixOptions};
//! use symx_trace::CallEffect;
//!
//! let posix = Posix::new(PosixOptions::default());
//! assert_eq!(Posix::models("pthread_mutex_lock"), Modelled::Instead);
//! let (function, _) = posix.bind("pthread_mutex_lock").expect("it is modelled");
//! assert_eq!(function.effect, CallEffect::Lock);
//! // `memcpy` has a fast path in front of libc's own code; `qsort` is libc's alone.
//! assert_eq!(Posix::models("memcpy"), Modelled::WithFallback);
//! assert_eq!(Posix::models("qsort"), Modelled::No);
//! ```
//!
//! A model is called in phases. It looks at its arguments, parks with a footprint, and acts when its thread
//! has the turn; `CONTRIBUTING.md` has a worked example. Read on at `sync/mutex.rs`, then
//! `kernel/dispatch/mod.rs`.

mod answer;
mod data;
mod environment;
mod errno;
mod file_names_as_text;
mod host;
mod kernel;
mod library;
mod linked;
mod lives;
mod memory;
mod options;
mod places;
mod recorded_calls;
mod row;
mod sync;
mod threads;
mod unwinding;
mod waits;

pub use data::PosixData;
pub use data::own::OwnPart;
pub use file_names_as_text::{file_name_bytes, file_name_text};
pub use host::{HostFiles, HostKind, HostMetadata, NoHostFiles};
pub use kernel::{Output, OutputStream};
pub use library::assertions::error_calls::is_error_call;
pub use linked::ROOTS;
pub use options::{Posix, PosixOptions};
pub use sync::wait::PosixWait;
