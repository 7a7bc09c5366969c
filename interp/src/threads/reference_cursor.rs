//! The position of a thread beside its recorded path.

use imbl::Vector;
use smallvec::SmallVec;
use symx_ir::SpanId;
use symx_trace::profile::ActivationId;

/// A thread's position beside its record.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    /// Activations in progress that the record has, outermost first.
    pub(crate) levels: Vector<Level>,
    pub(crate) roots: usize,
    /// The flip that the thread is in.
    pub(crate) apart: Option<Apart>,
    /// Whether the record has nothing more to say.
    pub(crate) is_free: bool,
    /// For each handler of a signal that runs, how many activations there are up to what called it.
    pub(crate) handlers: SmallVec<[u32; 2]>,
    pub(crate) flipped: Vector<SpanId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Level {
    pub(crate) activation: ActivationId,
    /// Edges of its route that it has passed.
    pub(crate) position: usize,
    /// Recorded calls that it has passed.
    pub(crate) calls: usize,
    /// Whether calls were passed over without being seen.
    pub(crate) is_loose: bool,
}

/// Where a thread is that has left its recorded path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Apart {
    /// Activations above that in which it left.
    pub(crate) depth: usize,
    /// The way by which it left.
    pub(crate) by: Flip,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Flip {
    /// A branch, with the block at which the paths meet again; none if they do where the function returns.
    Branch { join: Option<u32> },
    /// A call of another function than the recorded one.
    Call,
}

impl Cursor {
    /// How many branches the thread has flipped.
    pub fn flips(&self) -> u32 {
        self.flipped.len() as u32
    }

    /// Where they are, in order.
    pub fn flipped(&self) -> impl Iterator<Item = SpanId> + '_ {
        self.flipped.iter().copied()
    }

    pub(crate) fn is_compared(&self) -> bool {
        !self.is_free && self.handlers.is_empty()
    }

    pub(crate) fn begin_handler(&mut self, depth: usize) {
        self.handlers.push(depth as u32);
    }

    pub(crate) fn end_handler_at(&mut self, depth: usize) {
        if self.handlers.last() == Some(&(depth as u32)) {
            self.handlers.pop();
        }
    }

    /// Control leaves all but `depth` activations. Where a handler is left so, the record says no more.
    pub(crate) fn leave_above(&mut self, depth: usize) {
        let running = self.handlers.len();
        self.handlers.retain(|handler| *handler as usize <= depth);
        self.is_free |= self.handlers.len() < running;
    }

    /// A function that returns twice returns again: which activations there are is not followed.
    pub(crate) fn jump_back(&mut self) {
        self.is_free = true;
    }

    /// The activation in which the thread left its path, or one that the record has, is over.
    pub(crate) fn pop(&mut self) -> Option<Level> {
        match &mut self.apart {
            Some(Apart { depth: 0, .. }) | None => {
                self.apart = None;
                let left = self.levels.pop_back();
                self.is_free |= left.is_none();
                left
            }
            Some(apart) => {
                apart.depth -= 1;
                if matches!(apart, Apart { depth: 0, by: Flip::Call }) {
                    self.apart = None;
                }
                None
            }
        }
    }
}
