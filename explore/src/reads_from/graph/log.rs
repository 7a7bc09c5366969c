//! What is known of a thread's events.

use crate::reads_from::graph::index::Index;
use symx_interp::learned::Beginning;

/// The events of a thread.
#[derive(Clone, Debug, Default)]
pub(in crate::reads_from) struct Log {
    /// Its events, known ones included that the present run has not come to yet.
    pub(in crate::reads_from) events: Vec<Index>,
    /// How many of them the run has executed.
    pub(in crate::reads_from) executed: u32,
    /// Its beginning, where that is known and counts.
    pub(in crate::reads_from) beginning: Option<Beginning>,
    /// Stores that went through its buffer: their numbers there.
    pub(in crate::reads_from) stores: Vec<(u32, Index)>,
}
