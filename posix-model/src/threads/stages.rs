//! Where the model that runs a thread stands, from before its routine to its end.

use crate::options::Posix;
use symx_interp::state::State;
use symx_interp::threads::thread::Activation;
use symx_trace::ThreadId;

// The first scratch word of the model.
pub(crate) const ARRIVED: u64 = 0;
pub(crate) const READY: u64 = 1;
pub(crate) const RUNNING: u64 = 2;
pub(crate) const ENDING: u64 = 3;
pub(crate) const ABANDONING: u64 = 4;
pub(crate) const EXITING: u64 = 5;

/// Whether `thread` has not come to its routine yet.
pub(crate) fn prepares(state: &State<Posix>, thread: ThreadId) -> bool {
    stage(state, thread) == Some(READY)
}

/// Whether the routine of `thread` has returned.
pub(crate) fn is_ending(state: &State<Posix>, thread: ThreadId) -> bool {
    state.thread(thread).stack.len() <= 1
}

/// Whether `thread` is about to end, all destructors run.
pub(crate) fn is_about_to_end(state: &State<Posix>, thread: ThreadId) -> bool {
    matches!(stage(state, thread), Some(ABANDONING | EXITING))
}

/// Where the model of `thread` stands. The main thread has another.
fn stage(state: &State<Posix>, thread: ThreadId) -> Option<u64> {
    state.data.threads.get(&thread)?.created?;
    match state.thread(thread).stack.first()? {
        Activation::Model(entry) => entry.scratch.first().copied(),
        Activation::Program(_) => None,
    }
}
