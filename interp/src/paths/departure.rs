//! Where threads leave their recorded paths, for the reader of a run that follows none of them to its end.

use symx_ir::SpanId;

/// A thread that went another way than in the recorded run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Departure {
    /// The thread, as people call it.
    pub thread: String,
    /// Where it left its path.
    pub span: SpanId,
    /// The function that it was in, as its author calls it.
    pub function: String,
    /// How many instructions all threads had taken by then.
    pub instructions: u64,
}

impl Departure {
    /// The one of two that came later in its execution.
    pub fn or_later(known: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (known, other) {
            (Some(known), Some(other)) if other.instructions > known.instructions => Some(other),
            (known, other) => known.or(other),
        }
    }
}
