//! A process by its surroundings.

use crate::file_names_as_text::file_name_bytes;
use crate::host::{HostFiles, NoHostFiles};
use std::collections::BTreeMap;
use std::sync::Arc;
use symx_trace::SymbolicSurroundings;
use symx_trace::profile::RecordedCall;

/// The path by which the kernel shows the program to itself: a link to it.
pub(crate) const PROGRAM_LINK: &[u8] = b"/proc/self/exe";

/// The process's surroundings.
#[derive(Clone, Debug)]
pub struct PosixOptions {
    /// Program arguments, its own name first.
    pub arguments: Vec<Vec<u8>>,
    /// Environment, `NAME=value` each.
    pub environment: Vec<Vec<u8>>,
    /// The content of standard input.
    pub standard_input: Arc<[u8]>,
    /// Further symbolic inputs.
    pub symbolic: SymbolicSurroundings,
    /// Whether symbolic bytes written to a standard stream get values at once, so that they can be passed on.
    pub concrete_output: bool,
    /// The host's files, beneath what the program writes itself.
    pub host: Arc<dyn HostFiles>,
    /// Working directory: an absolute, normal path.
    pub directory: String,
    /// The time of the clock at the start, in nanoseconds since 1970.
    pub clock: u64,
    /// Whether `pthread_cond_wait` may return without a signal.
    pub spurious_wake_ups: bool,
    /// Whether each thread takes numbers of descriptors of its own while there are others.
    pub independent_descriptors: bool,
    /// Whether a panic of Rust code is a failure, or unwinds as it does natively.
    pub panics_fail: bool,
    /// Whether parts of Rust's standard library are modelled, its locks among them; else they run as they
    /// are.
    pub models_rust_runtime: bool,
    /// The answers of calls through which input entered a recorded run, by the threads' names: they answer so
    /// again.
    pub recorded_calls: Arc<BTreeMap<String, Vec<RecordedCall>>>,
    /// Processors that the program sees.
    pub processors: u32,
}

impl PosixOptions {
    /// The absolute path of the program.
    pub(crate) fn program_path(&self) -> Vec<u8> {
        let name = self.arguments.first().map_or(&[][..], Vec::as_slice);
        if name.starts_with(b"/") {
            return name.to_vec();
        }
        let directory = file_name_bytes(self.directory.trim_end_matches('/'));
        [&directory, &b"/"[..], name.strip_prefix(b"./").unwrap_or(name)].concat()
    }
}

impl Default for PosixOptions {
    fn default() -> Self {
        Self {
            arguments: vec![b"program".to_vec()],
            environment: Vec::new(),
            standard_input: Arc::new([]),
            symbolic: SymbolicSurroundings::default(),
            concrete_output: false,
            host: Arc::new(NoHostFiles),
            directory: "/".into(),
            clock: 1_700_000_000_000_000_000,
            spurious_wake_ups: false,
            independent_descriptors: false,
            panics_fail: false,
            models_rust_runtime: true,
            recorded_calls: Arc::default(),
            processors: 4,
        }
    }
}

/// A process of a POSIX system on x86-64 Linux.
#[derive(Clone, Debug)]
pub struct Posix {
    options: PosixOptions,
}

impl Posix {
    /// A process with these surroundings.
    pub fn new(options: PosixOptions) -> Self {
        Self { options }
    }

    /// Its surroundings.
    pub fn options(&self) -> &PosixOptions {
        &self.options
    }
}
