//! Native path recording: the instrumentation pass and the runtime linked into the program.
//!
//! [`instrument()`] adds Ball–Larus path logging to a module (CLAP section 5), [`build()`] makes a native program of
//! it, [`record()`] runs that program and gathers what its threads logged into a `symx_trace::profile::Profile`,
//! [`link()`] makes one module of several; [`collect()`] gathers what an earlier run left on disk.

mod build;
mod combine;
mod edge;
mod instrument;
mod module;
mod record;
mod runtime;
mod thread_file;

pub use build::{BuildError, BuildOptions, build};
pub use combine::link;
pub use instrument::{InstrumentError, Instrumented, PROMOTION_PASSES, instrument};
pub use record::{RecordError, RecordOptions, collect, record};
