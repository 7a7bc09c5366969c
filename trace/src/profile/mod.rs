//! Path profiles: the record that a native run makes of itself, thread by thread.
//!
//! A profile says which path each thread took through the program (CLAP section 3: the per-thread paths), and
//! how the process ended. As a hint, it says when threads made the calls that may block. Beside that it holds
//! the answers of calls through which input enters. It has no order of memory accesses: finding a schedule
//! that fits is the guide's work.
//!
//! - [`Profile::write`] and [`Profile::read`]: the `path.prof` format (module `file`),
//! - [`Log`] and [`ProfileStream`]: a profile written while its run goes on,
//! - [`ThreadProfile::decode`]: a thread's units decoded to its calls and path numbers ([`CallTree`]),
//! - [`ActivationWalk`]: the branches one activation took, given the function's path numbering.

mod file;
mod log;
mod recorded_call;
mod recorded_path;
mod stamp;
mod stream;
mod tree;
pub mod unit;
mod walk;

pub use file::{FORMAT_VERSION, ProfileError};
pub use log::Log;
pub use recorded_call::{
    Answer, FUNCTIONS, Filled, InputFunction, NOT_RECORDED, RecordedCall, Returned, TIME_STAMP,
    input_function,
};
pub use recorded_path::RecordedPath;
pub use stamp::Stamp;
pub use stream::ProfileStream;
pub use tree::{
    Activation, ActivationEnd, ActivationId, CallTree, DecodeError, LoopRounds, PathRecord, RecordEnd,
};
pub use walk::{ActivationWalk, RecordedEdge, WalkError};

use serde::{Deserialize, Serialize};

/// BLAKE3 of the bytes of the bitcode file that was instrumented.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProgramHash(pub [u8; 32]);

impl ProgramHash {
    /// The hash of a program given as the bytes of its file.
    pub fn of(program: &[u8]) -> Self {
        ProgramHash(*blake3::hash(program).as_bytes())
    }
}

impl std::fmt::Display for ProgramHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for ProgramHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ProgramHash({self})")
    }
}

/// How the recorded process ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessEnd {
    /// By `exit`, `_exit` or a return from `main`, with this status.
    Exited(i32),
    /// By a signal.
    Signalled {
        /// The signal's number.
        signal: i32,
        /// The name of the thread that received it, when that was noted (it is not for SIGKILL).
        thread: Option<String>,
    },
    /// It was still running when the time was up, and was killed.
    TimedOut,
    /// Its end was not observed: the record was collected from what it left on disk.
    Unknown,
}

/// The record of the process as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRecord {
    /// Which program ran.
    pub program: ProgramHash,
    /// The limit the program's functions were numbered with (see `symx_ir::path_numbering`).
    pub path_limit: u32,
    /// The arguments, the program's name first; bytes, for they need not be UTF-8.
    pub arguments: Vec<Vec<u8>>,
    /// Environment variables set for the recording, or inherited and asked for by the
    /// program, name and value.
    pub environment: Vec<(Vec<u8>, Vec<u8>)>,
    /// The working directory the process started in.
    pub working_directory: Vec<u8>,
    /// The bytes the process was given as standard input, if it was given any.
    pub stdin: Option<Vec<u8>>,
    /// How the process ended.
    pub end: ProcessEnd,
    /// The last bytes the process wrote to standard error, if they were kept.
    pub stderr_tail: Vec<u8>,
    /// Libraries it loaded while it ran (`dlopen`): what they do is not in the record.
    pub unrecorded: Vec<Vec<u8>>,
}

/// How far the shadow stack of a thread had a path when the process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFrame {
    /// Index of the function.
    pub function: u32,
    /// The path sum (`PathNumbering::decode_partial`), or where else it is kept. It is then a word that
    /// `unit::Rounds` reads, `unit::SUM_IN_LOG`, or the sum and `unit::SUM_MAY_BE_IN_LOG`.
    pub sum: u32,
}

/// The record of one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadProfile {
    /// The path of creation order: `0` is the main thread, `0.2` its second child. A thread that the
    /// instrumented program did not create itself is called `foreign-` and a number.
    pub name: String,
    /// Clock ticks when the thread started; comparable between the threads of one profile only.
    pub started: u64,
    /// Clock ticks when its start routine had returned or it had called `pthread_exit`; `None` if it still
    /// ran when the process ended.
    pub ended: Option<u64>,
    /// The fatal signal it received, if it did.
    pub signal: Option<u32>,
    /// How often a signal handler of the program ran on this thread. Code in handlers is not recorded.
    pub signal_handlers: u32,
    /// Whether a handler never came back: it left by `siglongjmp` or the process ended in it. Nothing the
    /// thread did from then on is in the record.
    pub ends_in_handler: bool,
    /// The shadow stack at the end, outermost frame first.
    pub open: Vec<OpenFrame>,
    /// How many units of the log are lost: a ring keeps its end only. The log then begins with
    /// what was active there.
    pub lost_units: u64,
    /// Its calls through which input entered, in order.
    #[serde(skip)]
    pub inputs: Vec<RecordedCall>,
    /// Whether the log was cut off by the end of the profile's file.
    #[serde(skip)]
    pub is_cut: bool,
    /// The log (module [`unit`](mod@unit)).
    #[serde(skip)]
    pub units: Vec<u16>,
}

/// A native run's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The process as a whole.
    pub process: ProcessRecord,
    /// Its threads, by name in order of creation.
    pub threads: Vec<ThreadProfile>,
    /// Whether the file the profile was read from ended early, so that threads or the end of a
    /// log may be missing.
    pub is_truncated: bool,
}

impl ThreadProfile {
    /// Whether recording stopped before the thread or the process ended: there was no room.
    pub fn stopped_early(&self) -> bool {
        self.units.last() == Some(&unit::STOPPED)
    }
}

impl Profile {
    /// Checks that the profile was recorded from this program.
    pub fn check_program(&self, program: ProgramHash) -> Result<(), ProfileError> {
        if self.process.program == program {
            return Ok(());
        }
        Err(ProfileError::WrongProgram { recorded: self.process.program, given: program })
    }

    /// The record of a thread by its name.
    pub fn thread(&self, name: &str) -> Option<&ThreadProfile> {
        self.threads.iter().find(|thread| thread.name == name)
    }
}

/// Sorts thread names in order of creation: `0.2` before `0.10`, a parent before its children.
pub fn creation_order(a: &str, b: &str) -> std::cmp::Ordering {
    let numbers =
        |name: &str| -> Vec<u64> { name.split('.').map(|n| n.parse().unwrap_or(u64::MAX)).collect() };
    numbers(a).cmp(&numbers(b)).then_with(|| a.cmp(b))
}
