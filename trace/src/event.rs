//! Events and traces.

use crate::agent::{Agent, ThreadName};
use crate::failure::{Failure, Location};
use crate::footprint::Footprint;
use serde::{Deserialize, Serialize};

/// What kind of visible step an event is.
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
    /// A call of the named modelled function.
    Call(String),
}

/// One visible step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// Who took it.
    pub agent: Agent,
    /// What it is.
    pub kind: EventKind,
    /// What it touched.
    pub footprint: Footprint,
    /// The value read or written, as a term in SMT-LIB syntax or a hexadecimal number; "" where there is none.
    pub value: String,
    /// Where in the source.
    pub location: Location,
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
