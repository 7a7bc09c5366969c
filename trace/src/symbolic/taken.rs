//! Steps of an execution of a symbolic trace's events.

use super::ThreadRef;
use serde::{Deserialize, Serialize};

/// One step of an execution of a trace's events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Taken {
    /// A thread executes its event at this place in program order.
    Event {
        /// The thread.
        thread: ThreadRef,
        /// The event.
        index: u32,
        /// The thread it wakes, if it is a signal and a thread sleeps.
        wakes: Option<ThreadRef>,
    },
    /// The store that was this event of the thread leaves the thread's buffer.
    Commit {
        /// The thread.
        thread: ThreadRef,
        /// The event.
        index: u32,
    },
}
