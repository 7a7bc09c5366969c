//! Several workers at one exploration: what they share, whichever walk they take.

use crate::{Observer, PathCase, Progress};
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{Builder, ScopedJoinHandle};
use symx_expr::StopToken;
use symx_trace::{IncompleteReason, Nesting};

/// Executions of a worker before it gives work away: small programs are done before a thread has started.
pub(crate) const BEFORE_GIVING: u64 = 32;

/// The memory of a worker in bytes: a thread's stack, and a solver.
const WORKER_MEMORY: u64 = 16 << 20;

/// Has the `first` of some workers work beside all others for which there are a thread and memory. Fewer find
/// the same, but `lack` has to know how many do not come. The results are the first one's and the others'.
pub(crate) fn work_together<R, T: Send>(
    (workers, stop): (usize, &StopToken),
    other: impl Fn() -> Option<T> + Sync,
    lack: impl FnOnce(usize),
    first: impl FnOnce() -> R,
) -> (R, Vec<T>) {
    std::thread::scope(|scope| {
        let mut others = Vec::new();
        while others.len() + 1 < workers {
            let has_room = stop.has_room(WORKER_MEMORY);
            let begun = has_room.then(|| Builder::new().spawn_scoped(scope, &other));
            let Some(Ok(begun)) = begun else {
                lack(workers - 1 - others.len());
                break;
            };
            others.push(begun);
        }
        let result = first();
        let join = |other: ScopedJoinHandle<'_, Option<T>>| match other.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        (result, others.into_iter().filter_map(join).collect())
    })
}

/// The observer of all workers.
pub(crate) struct Watch<'o> {
    observer: &'o mut dyn Observer,
    nestings: FxHashSet<Nesting>,
}

impl<'o> Watch<'o> {
    pub fn new(observer: &'o mut dyn Observer) -> Mutex<Self> {
        Mutex::new(Self { observer, nestings: FxHashSet::default() })
    }
}

/// One worker's way to the observer of all.
pub(crate) struct Shared<'w, 'o> {
    watch: &'w Mutex<Watch<'o>>,
    /// Executions of all workers, as far as they have told of them.
    executions: &'w AtomicU64,
    /// The observer's answer: it is asked for each execution.
    wants_paths: bool,
    /// Whether a passing execution has been reported to it.
    has_ended_well: bool,
}

impl<'w, 'o> Shared<'w, 'o> {
    pub fn new(watch: &'w Mutex<Watch<'o>>, executions: &'w AtomicU64) -> Self {
        let wants_paths = watch.lock().unwrap_or_else(PoisonError::into_inner).observer.wants_paths();
        Self { watch, executions, wants_paths, has_ended_well: false }
    }

    fn watch(&self) -> MutexGuard<'_, Watch<'o>> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Shared<'_, '_> {
    /// While the observer is busy with another worker, this one goes on: random executions take it long.
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        let mut watch = match self.watch.try_lock() {
            Ok(watch) => watch,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let executions = self.executions.load(Ordering::Relaxed);
        watch.observer.progress(&Progress { executions, ..*progress })
    }

    fn steps_between(&self) -> u32 {
        self.watch().observer.steps_between()
    }

    fn execution_passed(&mut self) {
        if !std::mem::replace(&mut self.has_ended_well, true) {
            self.watch().observer.execution_passed();
        }
    }

    fn nesting(&mut self, nesting: Nesting) {
        let mut watch = self.watch();
        if watch.nestings.insert(nesting.clone()) {
            watch.observer.nesting(nesting);
        }
    }

    fn wants_paths(&self) -> bool {
        self.wants_paths
    }

    fn path(&mut self, case: PathCase) {
        self.watch().observer.path(case);
    }
}
