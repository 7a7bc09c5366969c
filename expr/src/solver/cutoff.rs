//! A query ended from outside: time or memory is over, or a user interrupts.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use ::z3::{Context, SatResult};

use crate::StopToken;

/// How often the thread that watches over a query asks whether to end it, which is how often Z3's memory is
/// looked at. An interrupted Z3 goes on until it checks for that, and may take more memory until then.
const LOOK: Duration = Duration::from_millis(5);

/// Stack of that thread in bytes; it calls next to nothing.
const STACK: usize = 64 << 10;

/// The result of a check by Z3 in this thread's context, or, if it was ended from outside, unknown. Whether
/// work is over before it begins is for the caller to ask.
pub(super) fn watched(stop: &StopToken, check: impl FnOnce() -> SatResult) -> SatResult {
    if stop.is_endless() {
        return check();
    }
    let context = Context::thread_local();
    let query = context.handle();
    let (done, ended) = channel::<()>();
    thread::scope(|scope| {
        let watcher = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
            // The sender is dropped when the query is done. An interruption that comes before Z3 listens is
            // lost, so it is repeated.
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if stop.reason().is_some() {
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
