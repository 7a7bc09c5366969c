//! What ends a query from outside: all the time there is has passed, or somebody interrupts.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use ::z3::{Context, SatResult};

/// How often the thread that watches over a query asks.
const LOOK: Duration = Duration::from_millis(20);

/// Stack of that thread in bytes; it calls next to nothing.
const STACK: usize = 64 << 10;

/// Says whether queries are to end now, and why.
type Reason = dyn Fn() -> Option<&'static str> + Send + Sync;

/// Ends the query under way, and each one after it. By default nothing does.
#[derive(Clone, Default)]
pub struct Cutoff(Option<Arc<Reason>>);

impl Cutoff {
    /// Queries are answered by `Unknown` with this reason as soon as there is one. It is asked often, and by other threads.
    pub fn when(reason: impl Fn() -> Option<&'static str> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(reason)))
    }

    /// Why queries end now; none if they need not.
    pub fn reason(&self) -> Option<&'static str> {
        self.0.as_ref().and_then(|reason| reason())
    }

    /// What a check by Z3 in this thread's context says, or, if it was ended from outside, unknown.
    pub(super) fn watch(&self, check: impl FnOnce() -> SatResult) -> SatResult {
        let Some(reason) = &self.0 else { return check() };
        if reason().is_some() {
            return SatResult::Unknown;
        }
        let context = Context::thread_local();
        let query = context.handle();
        let (done, ended) = channel::<()>();
        thread::scope(|scope| {
            let watcher = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
                // The sender is dropped when the query is done. An interruption that comes before Z3 listens is lost, so it is
                // repeated.
                while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                    if reason().is_some() {
                        query.interrupt();
                    }
                }
            });
            let answer = check();
            drop(done);
            // A system without a thread to spare has its queries ended by their own limit of time only.
            drop(watcher);
            answer
        })
    }
}

impl fmt::Debug for Cutoff {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Cutoff").field(&self.reason()).finish()
    }
}
