//! Which locks threads hold when they take another one: noted for the engine that
//! looks for contradicting orders.
//!
//! Only what can wait is noted: trying a lock, or waiting for it with a time limit, cannot deadlock.

use crate::answer::PosixCall;
use crate::threads::{record, store};
use std::sync::Arc;
use symx_interp::environment::{LockNesting, LockTaken};
use symx_ir::SpanId;
use symx_trace::ThreadId;

/// The locks that `thread` holds.
fn held_by(call: &PosixCall<'_, '_>, thread: ThreadId) -> Vec<LockTaken> {
    let data = call.bookkeeping();
    let mut held = Vec::new();
    for (&address, mutex) in &data.own.sync.mutexes {
        if mutex.owner == Some(thread) {
            held.push(LockTaken { address, shared: false, span: mutex.taken });
        }
    }
    for (&address, lock) in &data.own.sync.rwlocks {
        if let Some(shared) = lock.held_by(thread) {
            held.push(LockTaken { address, shared, span: SpanId::UNKNOWN });
        }
    }
    for (&address, lock) in &data.own.sync.spins {
        if lock.owner == Some(thread) {
            held.push(LockTaken { address, shared: false, span: SpanId::UNKNOWN });
        }
    }
    held
}

/// Notes that the calling thread takes the lock at `address`, for which it would have waited.
pub(crate) fn note(call: &mut PosixCall<'_, '_>, address: u64, shared: bool) {
    let me = call.thread();
    let mut held = held_by(call, me);
    held.retain(|lock| lock.address != address);
    if held.is_empty() {
        return;
    }
    let wanted = LockTaken { address, shared, span: call.caller_span() };
    let stretch = stretch_of(call, me);
    call.data().nestings.push_back(Arc::new(LockNesting { thread: me, stretch, held, wanted }));
}

/// By thread number, how many of its stretches between creations and joins have ended before the present
/// one of `thread` begins.
fn stretch_of(call: &PosixCall<'_, '_>, thread: ThreadId) -> Arc<[u32]> {
    let record = call.bookkeeping().threads.get(&thread);
    record.map_or_else(|| Arc::from([]), |record| record.stretch.clone())
}

fn at_least(stretch: &[u32], length: usize) -> Vec<u32> {
    let mut longer = stretch.to_vec();
    longer.resize(longer.len().max(length), 0);
    longer
}

/// A stretch of the calling thread ends with the creation of `child`, whose first one begins.
pub(crate) fn created(call: &mut PosixCall<'_, '_>, child: ThreadId) {
    let me = call.thread();
    let mut ended = at_least(&stretch_of(call, me), me.index() + 1);
    ended[me.index()] += 1;
    let stretch: Arc<[u32]> = ended.into();
    for thread in [me, child] {
        let mut own = record(call, thread);
        own.stretch = stretch.clone();
        store(call, thread, own);
    }
}

/// A stretch of the calling thread ends with the join of `ended`, all of whose stretches have ended.
pub(crate) fn joined(call: &mut PosixCall<'_, '_>, ended: ThreadId) {
    let me = call.thread();
    let theirs = at_least(&stretch_of(call, ended), ended.index() + 1);
    let mut mine = at_least(&stretch_of(call, me), theirs.len().max(me.index() + 1));
    for (mine, theirs) in mine.iter_mut().zip(&theirs) {
        *mine = (*mine).max(*theirs);
    }
    mine[ended.index()] = theirs[ended.index()] + 1;
    mine[me.index()] += 1;
    let mut own = record(call, me);
    own.stretch = mine.into();
    store(call, me, own);
}
