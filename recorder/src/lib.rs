//! Native path recording: the instrumentation pass and the runtime linked into the program.
//!
//! Three steps come first. [`instrument()`] adds Ball–Larus path logging to a module (CLAP section 5), and
//! [`build()`] makes a native program of it. [`record()`] runs that program and gathers the logs of its
//! threads into a `symx_trace::profile::Profile`.
//!
//! ```
//! use symx_recorder::{InstrumentError, instrument};
//!
//! let program = b"define i32 @main(i32 %argc, ptr %argv) {
//!                   %many = icmp sgt i32 %argc, 1
//!                   br i1 %many, label %yes, label %no
//!                 yes:
//!                   ret i32 1
//!                 no:
//!                   ret i32 0
//!                 }";
//! let recording = instrument(program).unwrap();
//! assert!(recording.bitcode.starts_with(b"BC"));
//!
//! // A program is instrumented once.
//! assert_eq!(instrument(&recording.bitcode).unwrap_err(), InstrumentError::AlreadyInstrumented);
//! ```
//!
//! [`link()`] makes one module of several; [`collect()`] gathers the logs that an earlier run left on disk.
//! [`build_enforcing()`] makes the twin of a recording program that keeps to a schedule, and [`enforce()`]
//! runs it under a [`Plan`]. [`build_watching()`] makes the twin that watches one candidate for a race.
//!
//! Read on at `symx_trace::profile::unit` for the log's units, in `runtime/log.h` for the code that runs in
//! the program, and in `docs/notes/recording.md`.

mod assembly;
mod build;
mod combine;
mod edge;
mod enforce;
mod input_file;
mod instrument;
mod limits;
mod module;
mod note;
mod processor;
mod record;
mod settled;
mod thread_file;
mod watch;

pub use build::{BuildError, BuildOptions, build, build_enforcing, build_watching};
pub use combine::{Definition, link, link_shared_object};
pub use enforce::plan::{Action, Plan, PlannedStep, Traps};
pub use enforce::watch::{
    Divergence, EnforceError, EnforceOptions, EnforcedRun, Layout, RunEnd, Seen, ThreadState, enforce,
};
pub use instrument::{InstrumentError, Instrumented, PROMOTION_PASSES, instrument};
pub use note::{BinaryKind, Note};
pub use record::{RecordError, RecordOptions, collect, record};
pub use watch::{WatchError, WatchedAccess, WatchedKind, WatchedPair};
