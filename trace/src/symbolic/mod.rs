//! The symbolic trace: the events of each thread along its path, without their schedule; values are terms
//! over what it read.
//!
//! Synthesis looks for the schedule of an execution, so a symbolic trace has none. It lists, thread by thread
//! in program order, the visible events and the conditions under which the thread took this path. It also has
//! the condition under which the execution shows the bug. A read introduces a symbol that denotes the value
//! it returns; all other values are terms over such symbols and inputs. Every execution of these events in
//! which all conditions hold shows the bug.
//!
//! An event touches a range of bytes in an object that has the same name in every execution. Commits of store
//! buffers are no events: they belong to schedules.
//!
//! Two encodings: JSON for people and scripts ([`SymbolicTrace::from_json`]), and a compact one with
//! checksums ([`file`](mod@file)).
//! Both readers refuse traces that are damaged or contradict themselves ([`TraceError`]).

mod builder;
mod check;
pub mod file;
mod operation;
mod taken;
mod terms;

pub use builder::TraceBuilder;
pub use check::TraceError;
pub use operation::{AccessOrdering, ByteSpan, Condition, ObjectRef, Operation, ThreadRef};
pub use taken::Taken;
pub use terms::{TermNode, TermOperator, TermRecorder, TermRef, TermTable};

use crate::agent::ThreadName;
use crate::failure::{Failure, Location};
use serde::{Deserialize, Serialize};

/// The version of the format this build writes, and the only one it reads: 3 since there are effects that
/// wait for no store.
pub const FORMAT_VERSION: u32 = 3;

/// One execution without its schedule.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SymbolicTrace {
    /// [`FORMAT_VERSION`].
    pub version: u32,
    /// The program's path, for people.
    pub program: String,
    /// Hash of the program's bytes, hexadecimal.
    pub program_hash: String,
    /// The objects that the events touch.
    pub objects: Vec<Object>,
    /// The threads, the main thread first.
    pub threads: Vec<ThreadTrace>,
    /// The terms that everything else refers to.
    pub terms: TermTable,
    /// The symbols that denote inputs; every other symbol denotes the value that one read returns.
    pub inputs: Vec<RecordedInput>,
    /// The memory that is not zero before the first event.
    pub initial: Vec<InitialValue>,
    /// The bug of the execution.
    pub bug: Bug,
}

/// Memory or a synchronisation object, named the same in every execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Object {
    /// Its name.
    pub name: ObjectName,
    /// What it is.
    pub kind: ObjectKind,
    /// For people: the variable, or where it was allocated.
    pub description: String,
    /// For people, if it is no memory but whether an object is gone: that object. No part of the format.
    #[serde(skip)]
    pub life_of: Option<String>,
}

/// The name of an object in every execution.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectName {
    /// A variable with this name in the program.
    Global(String),
    /// The `number`-th object that the thread allocated, from 0.
    Allocated {
        /// The thread that allocated it.
        thread: ThreadName,
        /// In the thread's order.
        number: u32,
    },
    /// A synchronisation object this many bytes into memory with another name.
    Within {
        /// The object that holds it.
        object: ObjectRef,
        /// Bytes from its start.
        offset: u64,
    },
}

/// The kind of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectKind {
    /// Bytes.
    Memory {
        /// How many.
        size: u64,
    },
    /// A mutex or a spin lock. Of a recursive one only the outermost locks are events.
    Mutex,
    /// A readers-writer lock.
    ReadWriteLock,
    /// A condition variable.
    ConditionVariable,
    /// A barrier.
    Barrier {
        /// How many arrivals let each other pass.
        width: u32,
    },
    /// A counting semaphore.
    Semaphore {
        /// Its value before the first event.
        initial: u32,
    },
}

/// The trace of one thread.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ThreadTrace {
    /// The thread's name.
    pub name: ThreadName,
    /// Its events in program order.
    pub events: Vec<Event>,
    /// The conditions of its path, in program order.
    pub conditions: Vec<PathCondition>,
    /// An operation it waits in forever, as its part of the bug: after all events it must not be possible.
    pub blocked: Option<Event>,
}

/// One event of a thread.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// The operation.
    pub operation: Operation,
    /// Where in the source.
    pub location: Location,
}

/// A term that is true on the thread's path.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PathCondition {
    /// How many of the thread's events come before it; the term has symbols of these and inputs only.
    pub after: u32,
    /// Of width 1.
    pub term: TermRef,
    /// The branch.
    pub location: Location,
}

/// A symbolic input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordedInput {
    /// Its symbol.
    pub symbol: TermRef,
    /// Its value in the recorded execution, if that is known: a constant.
    pub recorded: Option<TermRef>,
}

/// The value of bytes before the first event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct InitialValue {
    /// The bytes.
    pub span: ByteSpan,
    /// Their value, over inputs; the byte at the lowest address is the least significant.
    pub value: TermRef,
}

/// The bug of the execution. A deadlock is in the threads' [`blocked`](ThreadTrace::blocked) operations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Bug {
    /// True where the bug shows, of width 1.
    pub condition: TermRef,
    /// The failure as it was reported.
    pub failure: Option<Failure>,
}

impl SymbolicTrace {
    /// Number of events of all threads.
    pub fn event_count(&self) -> usize {
        self.threads.iter().map(|thread| thread.events.len()).sum()
    }

    /// The trace as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data encodes into memory")
    }

    /// Reads a trace from JSON.
    pub fn from_json(text: &str) -> Result<Self, TraceError> {
        /// The part that every version has.
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
            /// What no other file of symx has.
            terms: Option<serde::de::IgnoredAny>,
        }
        let json = |error: serde_json::Error| TraceError::Json {
            line: error.line(),
            column: error.column(),
            message: error.to_string(),
        };
        let Versioned { version, terms } = serde_json::from_str(text).map_err(json)?;
        if terms.is_none() {
            return Err(TraceError::NotATrace);
        }
        TraceError::refuse_other(version)?;
        let trace: Self = serde_json::from_str(text).map_err(json)?;
        trace.check()?;
        Ok(trace)
    }
}
