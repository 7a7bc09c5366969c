//! The changes of an execution, so that it can go back to earlier states of itself.

use crate::synthesis::execution::objects::Saved;
use std::hash::{Hash, Hasher};
use symx_expr::BitVector;
use symx_memmodel::StoreBuffer;

/// One change, with the old value.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// A thread executed its next event.
    Event { thread: usize },
    /// A read returned something.
    Read { slot: usize, before: Option<BitVector> },
    /// Memory was written.
    Bytes { start: usize, before: Box<[u8]> },
    /// A store went into a buffer, or left it.
    Buffer { thread: usize, before: StoreBuffer<u8> },
    /// An operation changed synchronisation objects or the lives of threads.
    Objects(Saved),
}

/// The changes that led to a state, if they are kept. States are the same whatever led to them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Journal(Option<Vec<Change>>);

impl Journal {
    /// Changes are kept from now on.
    pub(crate) fn begin(&mut self) {
        self.0.get_or_insert_default();
    }

    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, Vec::len)
    }

    pub(crate) fn note(&mut self, change: impl FnOnce() -> Change) {
        if let Some(changes) = &mut self.0 {
            changes.push(change());
        }
    }

    /// Some bytes are about to be written.
    pub(crate) fn note_bytes(&mut self, memory: &[u8], start: usize, length: usize) {
        self.note(|| Change::Bytes { start, before: memory[start..start + length].into() });
    }

    pub(crate) fn pop(&mut self) -> Option<Change> {
        self.0.as_mut()?.pop()
    }
}

impl PartialEq for Journal {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Journal {}

impl Hash for Journal {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
