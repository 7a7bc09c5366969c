//! Numbers of events.

/// Position of an event in the order in which the walk came to know it.
pub(in crate::reads_from) type Index = u16;

/// The source of unwritten memory.
pub(in crate::reads_from) const INITIAL: Index = Index::MAX;
