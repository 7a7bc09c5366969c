//! Events and traces.

use crate::agent::{Agent, ThreadName};
use crate::failure::{Failure, Location};
use crate::footprint::Footprint;
use serde::{Deserialize, Serialize};

/// The kind of an event.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A load.
    Read,
    /// A store; under a model that buffers, its issue.
    Write,
    /// An atomic read-modify-write.
    ReadModifyWrite,
    /// A fence.
    Fence,
    /// A buffered store reaching memory.
    Commit,
    /// The end of shared memory's life (`free`, return from the frame that owns it).
    Free,
    /// A call of a modelled function.
    Call(Call),
    /// The failure of the thread, where what it did before in the same step is there for others first.
    Failure,
}

impl EventKind {
    /// The effect of a call; `None` of a step that is no call.
    pub fn effect(&self) -> Option<CallEffect> {
        match self {
            Self::Call(call) => Some(call.effect),
            _ => None,
        }
    }

    /// Whether a thread accesses memory in the step.
    pub fn is_access(&self) -> bool {
        matches!(self, Self::Read | Self::Write | Self::ReadModifyWrite)
    }
}

/// A call of a modelled function.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "WrittenCall")]
pub struct Call {
    /// The function's name, for people.
    pub name: String,
    /// Its effect.
    pub effect: CallEffect,
}

impl Call {
    /// A call of the function called `name`.
    pub fn new(name: impl Into<String>, effect: CallEffect) -> Self {
        Self { name: name.into(), effect }
    }
}

/// A call as JSON has it: up to version 4 of [explanations](crate::explanation) it was its name alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenCall {
    Name(String),
    Call { name: String, effect: CallEffect },
}

impl From<WrittenCall> for Call {
    fn from(written: WrittenCall) -> Self {
        match written {
            WrittenCall::Name(name) => Self { name, effect: CallEffect::Other },
            WrittenCall::Call { name, effect } => Self { name, effect },
        }
    }
}

/// The effect of a modelled call on other threads or on objects, as its model says. A call that tries and
/// fails, and each step of a call of several, has the effect of the function. A step of a report has its
/// [outcome](CallOutcome) besides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallEffect {
    /// None of the following.
    #[default]
    Other,
    /// Acquires a lock: a mutex, a spin lock, a readers-writer lock.
    Lock,
    /// Releases a lock.
    Unlock,
    /// Waits at a condition variable, for which it releases a mutex and acquires it again.
    ConditionWait,
    /// Wakes one waiter of a condition variable.
    Signal,
    /// Wakes all waiters of a condition variable.
    Broadcast,
    /// Arrives at a barrier and waits there.
    BarrierWait,
    /// Takes a unit of a semaphore.
    SemaphoreWait,
    /// Adds a unit to a semaphore.
    SemaphorePost,
    /// Runs a routine once, or waits until it has run.
    Once,
    /// Creates a thread.
    CreateThread,
    /// Waits for a thread's end.
    JoinThread,
    /// A thread's first step.
    ThreadStart,
    /// A thread's last step.
    ThreadEnd,
    /// Ends the life of memory.
    Free,
    /// Ends the life of a synchronisation object.
    Destroy,
}

impl CallEffect {
    /// Whether the call may wait for what another thread does.
    pub fn waits(self) -> bool {
        match self {
            Self::Lock
            | Self::ConditionWait
            | Self::BarrierWait
            | Self::SemaphoreWait
            | Self::Once
            | Self::JoinThread => true,
            Self::Other
            | Self::Unlock
            | Self::Signal
            | Self::Broadcast
            | Self::SemaphorePost
            | Self::CreateThread
            | Self::ThreadStart
            | Self::ThreadEnd
            | Self::Free
            | Self::Destroy => false,
        }
    }
}

/// What has come of a call that waits for something or takes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// Its effect, as far as is known.
    #[default]
    Done,
    /// Its time limit has come first.
    TimedOut,
    /// Not possible at once, and the call does not wait.
    Busy,
    /// Not possible at once: the call waits from now on, and others wait for it.
    Queued,
    /// An error.
    Failed,
}

/// One visible step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// The agent that took it.
    pub agent: Agent,
    /// Its kind.
    pub kind: EventKind,
    /// The places it touched.
    pub footprint: Footprint,
    /// The value read or written, as a term in SMT-LIB syntax or a hexadecimal number; ""
    /// where there is none.
    pub value: String,
    /// Where in the source.
    pub location: Location,
    /// Where the program called the library whose code this is; `None` for the program's own code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called_from: Option<Location>,
    /// The object touched, by its source name or allocation site, where known.
    pub object: String,
}

/// The symbolic trace of one execution.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Version of the format.
    pub version: u32,
    /// Names of the threads, by number.
    pub threads: Vec<ThreadName>,
    /// The events in the order in which they happened.
    pub events: Vec<Event>,
    /// The path condition, in SMT-LIB syntax, one constraint an entry.
    pub path_condition: Vec<String>,
    /// Declarations of the symbols, in SMT-LIB syntax.
    pub symbols: Vec<String>,
    /// The failure it ends in, if any.
    pub failure: Option<Failure>,
}
