//! What a profile says for certain of a run: the ways of its threads, without when they took them.

use super::{CallTree, DecodeError, ProcessRecord, Profile, RecordedCall};
use symx_expr::StopToken;

/// The paths and inputs of a recorded run. Runs in which these are equal differ in the order of accesses
/// only, which no profile has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedPath {
    process: ProcessRecord,
    threads: Vec<ThreadPath>,
}

/// Those of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ThreadPath {
    name: String,
    signal: Option<u32>,
    tree: CallTree,
    inputs: Vec<RecordedCall>,
}

impl Profile {
    /// The run's path, unless decoding is ended from outside.
    pub fn path(&self, stop: &StopToken) -> Result<RecordedPath, DecodeError> {
        let path_of = |thread: &super::ThreadProfile| {
            let tree = thread.decode_until(stop)?.without_times();
            let (name, inputs) = (thread.name.clone(), thread.inputs.clone());
            Ok(ThreadPath { name, signal: thread.signal, tree, inputs })
        };
        let threads = self.threads.iter().map(path_of).collect::<Result<_, _>>()?;
        // The text of an error has addresses in it, which differ from run to run.
        let process = ProcessRecord { stderr_tail: Vec::new(), ..self.process.clone() };
        Ok(RecordedPath { process, threads })
    }
}
