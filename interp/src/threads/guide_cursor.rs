//! The position of a thread in its recorded path.

use smallvec::SmallVec;
use symx_trace::profile::ActivationId;

/// A thread's position in its record.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    /// Recorded activations in progress, outermost first.
    pub(crate) levels: imbl::Vector<Level>,
    pub(crate) roots: u32,
    /// Timed calls begun.
    pub(crate) calls: u32,
    /// For each handler of a signal that runs, how many activations there are up to what called it.
    pub(crate) handlers: SmallVec<[u32; 2]>,
    /// Whether the record has nothing more to say and the rest is unknown, so that anything is possible.
    pub free: bool,
    /// Whether the thread's next step leads beyond its record: it stands where it stood
    /// when the process ended.
    pub finished: bool,
    /// Whether the thread went another way than its record.
    pub(crate) has_left: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Level {
    pub(crate) activation: ActivationId,
    pub(crate) position: u32,
    pub(crate) calls: u32,
}

impl Cursor {
    /// Whether the record says nothing about what the thread does.
    pub fn is_free(&self) -> bool {
        self.free
    }

    /// The handler of a signal begins. Its steps are not in the record.
    pub(crate) fn begin_handler(&mut self, depth: usize) {
        self.handlers.push(depth as u32);
    }

    /// Whether a handler that began there runs, and none above it.
    pub(crate) fn is_in_handler_at(&self, depth: usize) -> bool {
        self.handlers.last() == Some(&(depth as u32))
    }

    /// The handler begun last has returned.
    pub(crate) fn end_handler(&mut self) {
        self.handlers.pop();
    }

    /// Control leaves all but `depth` activations. Where a handler is left so, the record says no more.
    pub(crate) fn leave_above(&mut self, depth: usize) {
        let running = self.handlers.len();
        self.handlers.retain(|handler| *handler as usize <= depth);
        self.free |= self.handlers.len() < running;
    }

    /// Whether it is to be compared with the record what the thread does.
    pub(crate) fn is_compared(&self) -> bool {
        !self.free && self.handlers.is_empty()
    }
}
