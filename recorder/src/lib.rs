//! Native path recording: the instrumentation pass and the runtime linked into the program.
//!
//! [`instrument()`] adds Ball–Larus path logging to a module (CLAP section 5), [`build()`] makes a native
//! program of it, [`record()`] runs that program and gathers what its threads logged into a
//! `symx_trace::profile::Profile`, [`link()`] makes one module of several; [`collect()`] gathers what an
//! earlier run left on disk.
//!
//! [`build_enforcing()`] makes the twin of a recording program that keeps to a schedule, and [`enforce()`]
//! runs it under a [`Plan`].

mod build;
mod combine;
mod edge;
mod enforce;
mod input_file;
mod instrument;
mod module;
mod note;
mod record;
mod runtime;
mod thread_file;

pub use build::{BuildError, BuildOptions, build, build_enforcing};
pub use combine::link;
pub use enforce::plan::{Action, Plan, PlannedStep, Traps};
pub use enforce::watch::{
    EnforceError, EnforceOptions, EnforcedRun, Layout, RunEnd, Seen, Standing, Trouble, enforce,
};
pub use instrument::{InstrumentError, Instrumented, PROMOTION_PASSES, instrument};
pub use note::{BinaryKind, Note};
pub use record::{RecordError, RecordOptions, collect, record};
