//! Why a wait does not end: which threads hold what is waited for, and which wake-up was lost.

use super::library_lock_owner;
use crate::options::Posix;
use crate::sync::wait::PosixWait;
use smallvec::{SmallVec, smallvec};
use symx_interp::environment::{Titles, WaitReason};
use symx_interp::state::State;
use symx_ir::SpanId;
use symx_trace::{ThreadId, WaitKind};

/// Explains the wait of `thread`.
pub(crate) fn explain(
    state: &State<Posix>,
    thread: ThreadId,
    wait: &PosixWait,
    titles: &Titles<'_>,
) -> WaitReason {
    let data = &state.data;
    let place = &titles.place;
    let held_by = |kind, holders: SmallVec<[ThreadId; 2]>| WaitReason { kind, holders, notes: Vec::new() };
    let lock = |holder: Option<ThreadId>| held_by(WaitKind::Lock, holder.into_iter().collect());
    match *wait {
        PosixWait::Mutex(address) => mutex(state, address, titles),
        PosixWait::Wakeup { condition, mutex: guard } | PosixWait::Condition { condition, mutex: guard } => {
            match data.own.sync.conditions.get(&condition) {
                Some(entry) if entry.sleepers.contains(&thread) => {
                    let note = entry.lost.map(|(span, by)| {
                        let what = format!(
                            "{} signalled {} here, while no thread waited",
                            (titles.thread)(by),
                            place(condition)
                        );
                        (what, span, Some(by))
                    });
                    WaitReason {
                        kind: WaitKind::Condition,
                        notes: note.into_iter().collect(),
                        ..WaitReason::default()
                    }
                }
                _ => mutex(state, guard, titles),
            }
        }
        PosixWait::Semaphore(address) => {
            let takers =
                data.own.sync.semaphores.get(&address).and_then(|semaphore| semaphore.takers.as_ref());
            let mut reason = WaitReason { kind: WaitKind::Semaphore, ..WaitReason::default() };
            for (taker, span) in takers.into_iter().flatten() {
                reason.holders.push(*taker);
                reason.notes.push(taken(titles, *taker, address, *span));
            }
            reason
        }
        PosixWait::Reading(address) | PosixWait::Writing(address) => {
            let holders = data.own.sync.rwlocks.get(&address).map(|lock| lock.holders()).unwrap_or_default();
            held_by(WaitKind::Lock, holders.into_iter().collect())
        }
        PosixWait::FileLock => lock(data.kernel.file_locks.in_the_way_of(thread).map(|(_, lock)| lock.taker)),
        PosixWait::Spin(address) => lock(data.own.sync.spins.get(&address).and_then(|lock| lock.owner)),
        PosixWait::LibraryLock(address) => lock(library_lock_owner(state, address)),
        PosixWait::AtomicSection => lock(state.atomic_block()),
        PosixWait::Once(address) => {
            let runner = data.own.sync.once.get(&address).and_then(|once| once.runner());
            held_by(WaitKind::Once, runner.into_iter().collect())
        }
        PosixWait::Exit(target) => held_by(WaitKind::ThreadEnd, smallvec![target]),
        PosixWait::Children(wait) => held_by(WaitKind::ThreadEnd, wait.holders(state).into_iter().collect()),
        PosixWait::Execution(child) => held_by(WaitKind::ThreadEnd, smallvec![child]),
        PosixWait::AllEnds => held_by(WaitKind::ThreadEnd, SmallVec::new()),
        PosixWait::Barrier { .. } => held_by(WaitKind::Barrier, SmallVec::new()),
        PosixWait::Queue(_) | PosixWait::Message(_) => held_by(WaitKind::Message, SmallVec::new()),
        PosixWait::SemaphoreSet(_) => held_by(WaitKind::Semaphore, SmallVec::new()),
        PosixWait::Futex(_) => held_by(WaitKind::Futex, SmallVec::new()),
        PosixWait::FutexQueues { first, other } => {
            let futexes = &data.kernel.own.futexes;
            let holders = [first, other].into_iter().filter_map(|address| futexes.holder(address));
            held_by(WaitKind::Futex, holders.collect())
        }
        PosixWait::Stores
        | PosixWait::Signal { .. }
        | PosixWait::Pipe(_)
        | PosixWait::Descriptors
        | PosixWait::Transfer
        | PosixWait::Timer { .. }
        | PosixWait::Limited { .. }
        | PosixWait::Forever => WaitReason::default(),
    }
}

fn mutex(state: &State<Posix>, address: u64, titles: &Titles<'_>) -> WaitReason {
    let mut reason = WaitReason { kind: WaitKind::Lock, ..WaitReason::default() };
    if let Some(mutex) = state.data.own.sync.mutexes.get(&address)
        && let Some(owner) = mutex.owner
    {
        reason.holders.push(owner);
        reason.notes.push(taken(titles, owner, address, mutex.taken));
    }
    reason
}

fn taken(
    titles: &Titles<'_>,
    thread: ThreadId,
    address: u64,
    span: SpanId,
) -> (String, SpanId, Option<ThreadId>) {
    let (what, holder) = ((titles.place)(address), (titles.thread)(thread));
    (format!("{what} acquired by {holder} here"), span, Some(thread))
}
