//! Why a wait does not end: who holds what is waited for, and which wake-up was lost.

use crate::environment::Posix;
use crate::wait::PosixWait;
use smallvec::smallvec;
use symx_interp::environment::WaitReason;
use symx_interp::state::State;
use symx_ir::SpanId;
use symx_trace::ThreadId;

/// Explains the wait of `thread`.
pub(crate) fn explain(
    state: &State<Posix>,
    thread: ThreadId,
    wait: &PosixWait,
    place: &dyn Fn(u64) -> String,
) -> WaitReason {
    let data = &state.data;
    let name = |id: ThreadId| state.thread(id).name.clone();
    match *wait {
        PosixWait::Mutex(address) => mutex(state, address, place),
        PosixWait::Condition { condition, mutex: guard } => match data.conditions.get(&condition) {
            Some(entry) if entry.sleepers.contains(&thread) => {
                let note = entry.lost.map(|(span, by)| {
                    let what = format!(
                        "thread {} signalled {} here, while nobody waited",
                        name(by),
                        place(condition)
                    );
                    (what, span, Some(by))
                });
                WaitReason { notes: note.into_iter().collect(), ..WaitReason::default() }
            }
            _ => mutex(state, guard, place),
        },
        PosixWait::Semaphore(address) => {
            let takers =
                data.semaphores.objects.get(&address).and_then(|semaphore| semaphore.takers.as_ref());
            let mut reason = WaitReason::default();
            for (taker, span) in takers.into_iter().flatten() {
                reason.holders.push(*taker);
                reason.notes.push(taken(state, *taker, &place(address), *span));
            }
            reason
        }
        PosixWait::Reading(address) | PosixWait::Writing(address) => {
            let holders = data.rwlocks.get(&address).map(|lock| lock.holders()).unwrap_or_default();
            WaitReason { holders: holders.into_iter().collect(), notes: Vec::new() }
        }
        PosixWait::Spin(address) => WaitReason {
            holders: data.spins.get(&address).and_then(|lock| lock.owner).into_iter().collect(),
            notes: Vec::new(),
        },
        PosixWait::Once(address) => WaitReason {
            holders: data.once.get(&address).and_then(|once| once.runner()).into_iter().collect(),
            notes: Vec::new(),
        },
        PosixWait::Exit(target) => WaitReason { holders: smallvec![target], notes: Vec::new() },
        PosixWait::AtomicSection => {
            WaitReason { holders: state.atomic_block().into_iter().collect(), notes: Vec::new() }
        }
        _ => WaitReason::default(),
    }
}

fn mutex(state: &State<Posix>, address: u64, place: &dyn Fn(u64) -> String) -> WaitReason {
    let Some(mutex) = state.data.mutexes.get(&address) else { return WaitReason::default() };
    let Some(owner) = mutex.owner else { return WaitReason::default() };
    let note = taken(state, owner, &place(address), mutex.taken);
    WaitReason { holders: smallvec![owner], notes: vec![note] }
}

fn taken(
    state: &State<Posix>,
    thread: ThreadId,
    what: &str,
    span: SpanId,
) -> (String, SpanId, Option<ThreadId>) {
    (format!("thread {} took {what} here", state.thread(thread).name), span, Some(thread))
}
