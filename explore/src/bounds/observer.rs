//! Who watches an exploration.

use crate::bounds::poll_interval::STEPS_BETWEEN;
use crate::{PathCase, Progress};
use symx_trace::{IncompleteReason, Nesting};

/// Is notified how exploration goes and may end it.
pub trait Observer: Send {
    /// Called every few thousand steps at least. An answer of `Some(reason)` ends the exploration; the reason
    /// is the contract's word (`max-time`, `max-memory`, `interrupted`).
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason>;

    /// After how many steps [`progress`](Self::progress) is called, where an exhaustive search
    /// has made as many.
    fn steps_between(&self) -> u32 {
        STEPS_BETWEEN
    }

    /// Called when an execution ends without failure: for the first one at least, where several
    /// workers look for them.
    fn execution_passed(&mut self) {}

    /// Called once for each way of taking a lock while others are held, in whatever execution.
    fn nesting(&mut self, _nesting: Nesting) {}

    /// Whether [`path`](Self::path) is to be called, which costs a solution of each path's condition.
    fn wants_paths(&self) -> bool {
        false
    }

    /// Whether the exploration, which has ended, is to report one more of the paths that it leaves open.
    fn wants_open_path(&mut self) -> bool {
        self.wants_paths()
    }

    /// Called for every execution that ends.
    fn path(&mut self, _case: PathCase) {}
}

/// Stands between a walk and its observer, and answers in its place how exploration goes.
pub(crate) struct Between<'o, F> {
    pub observer: &'o mut dyn Observer,
    /// The answer, out of the observer and the progress of the walk.
    pub progress: F,
}

impl<F> Observer for Between<'_, F>
where
    F: FnMut(&mut dyn Observer, &Progress) -> Option<IncompleteReason> + Send,
{
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        (self.progress)(self.observer, progress)
    }

    fn steps_between(&self) -> u32 {
        self.observer.steps_between()
    }

    fn execution_passed(&mut self) {
        self.observer.execution_passed();
    }

    fn nesting(&mut self, nesting: Nesting) {
        self.observer.nesting(nesting);
    }

    fn wants_paths(&self) -> bool {
        self.observer.wants_paths()
    }

    fn wants_open_path(&mut self) -> bool {
        self.observer.wants_open_path()
    }

    fn path(&mut self, case: PathCase) {
        self.observer.path(case);
    }
}
