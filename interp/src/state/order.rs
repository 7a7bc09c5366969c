//! The order of accesses, as far as a state remembers it because something depends on it. It has
//! happens-before, the writes that a load may still return, and the accesses that a later one may race with.

use crate::stop::position::ThreadPosition;
use crate::value::Byte;
use std::sync::Arc;
use symx_memmodel::{RaceDetector, Synchronisation, WriteHistory};
use symx_trace::ThreadId;

/// The memory of a state for the order of accesses.
#[derive(Clone, Debug)]
pub struct MemoryOrder {
    /// Which writes there were, under a model where a load may return old ones.
    pub(crate) history: Option<WriteHistory<Byte>>,
    /// Which accesses there were, if races are looked for.
    pub(crate) races: Option<RaceDetector<Arc<ThreadPosition>>>,
}

impl MemoryOrder {
    /// Applies a synchronisation to everything that is ordered.
    pub(crate) fn synchronise(&mut self, change: impl Fn(&mut Synchronisation)) {
        if let Some(history) = &mut self.history {
            change(history.order());
        }
        if let Some(races) = &mut self.races {
            change(races.order());
        }
    }

    /// Whether only reads of a thread, of which it has learned nothing, came after what was `before`.
    pub(crate) fn is_same_but_reads_of(&self, before: &Self, thread: ThreadId) -> bool {
        let history = match (&self.history, &before.history) {
            (Some(now), Some(before)) => now.is_same_but_reads_of(before, thread.0),
            _ => true,
        };
        history
            && match (&self.races, &before.races) {
                (Some(now), Some(before)) => now.is_same_but_events_of(before, thread.0),
                _ => true,
            }
    }
}
