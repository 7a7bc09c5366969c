//! Which steps come too early where threads wait that went on in the recorded run.
//!
//! The recorded clock says when calls began, not when locks were taken. The acquisition of a lock that its
//! thread still has in the end comes after all others that take it. A signal that woke a sleeper comes after
//! that has gone to sleep. In the next run such a step is deferred until no other thread is enabled.

use crate::replays::symbolic_replay;
use rustc_hash::FxHashSet;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::state::State;
use symx_interp::symbolic_trace::{Happened, Happening, Moved, Synchronisation, Tracer};
use symx_trace::{ThreadId, ThreadName};

/// Steps that come as late as they can, by thread and the number of the event.
pub(super) type DeferredSteps = FxHashSet<(ThreadName, usize)>;

/// Steps to defer, beside those that are, as these threads wait though they went on.
pub(super) fn too_early<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    deferred: &DeferredSteps,
    waiting: &[ThreadId],
) -> DeferredSteps {
    let Some(tracer) = executor.notes.tracer.as_ref() else { return DeferredSteps::default() };
    let name = |thread: ThreadId| state.thread(thread).name.clone();
    let is_new = |(thread, number): &(ThreadId, usize)| !deferred.contains(&(name(*thread), *number));
    let early = waiting.iter().filter_map(|waiting| {
        let pending = state.thread(*waiting).pending.as_deref();
        match symbolic_replay::awaited(executor, state, *waiting, pending)? {
            Synchronisation::WaitSignalled { condition, .. } => {
                signals_before_sleep(tracer, *waiting, condition).rev().find(is_new)
            }
            what => holder(tracer, *waiting, what.takes()?).filter(is_new),
        }
    });
    early.map(|(thread, number)| (name(thread), number)).collect()
}

/// Another thread that has a lock, and the event that took it.
fn holder(tracer: &Tracer, waiting: ThreadId, lock: u64) -> Option<(ThreadId, usize)> {
    let others = (0..).map(ThreadId).zip(&tracer.threads).filter(|(thread, _)| *thread != waiting);
    let mut taken = others.filter_map(|(thread, followed)| {
        let concerns = |what: &Synchronisation| [what.takes(), what.releases()].contains(&Some(lock));
        let last = followed.events.iter().rposition(|event| synchronisation(event).is_some_and(concerns))?;
        let takes = synchronisation(&followed.events[last])?.takes() == Some(lock);
        takes.then_some((thread, last))
    });
    taken.next()
}

/// Signals that woke no thread before a thread went to sleep. Each is given by the event at which its thread
/// took the first lock that it has when it signals. Others may have to take that lock before they sleep.
fn signals_before_sleep(
    tracer: &Tracer,
    sleeper: ThreadId,
    condition: u64,
) -> impl DoubleEndedIterator<Item = (ThreadId, usize)> {
    let sleeps = |moved: &Moved| matches!(moved, Moved::Event(thread, _) if *thread == sleeper);
    let begin = tracer.order.iter().rposition(sleeps).unwrap_or(0);
    tracer.order[..begin].iter().filter_map(move |moved| {
        let Moved::Event(thread, number) = *moved else { return None };
        let events = &tracer.threads.get(thread.index())?.events[..=number];
        let woke_none = match *synchronisation(&events[number])? {
            Synchronisation::Signal { condition: signalled, woken: None }
            | Synchronisation::Broadcast(signalled) => signalled == condition,
            _ => false,
        };
        (woke_none && thread != sleeper).then(|| (thread, begin_of_section(events)))
    })
}

/// The event that took the first of the locks that are held when the last of these events
/// happens, or else that.
fn begin_of_section(events: &[Happened]) -> usize {
    let mut held: Vec<(u64, usize)> = Vec::new();
    for (number, what) in
        (0..).zip(events).filter_map(|(number, event)| Some((number, synchronisation(event)?)))
    {
        held.retain(|(lock, _)| what.releases() != Some(*lock));
        held.extend(what.takes().map(|lock| (lock, number)));
    }
    held.first().map_or(events.len() - 1, |(_, number)| *number)
}

fn synchronisation(event: &Happened) -> Option<&Synchronisation> {
    match &event.what {
        Happening::Synchronised(what) => Some(what),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_ir::SpanId;

    const DESK: u64 = 0x10;
    const BELL: u64 = 0x20;
    const RUNG: u64 = 0x30;

    /// A trace of the threads' events, in this order.
    fn traced(steps: &[(u32, Synchronisation)]) -> Tracer {
        let mut tracer = Tracer::default();
        for (thread, what) in steps {
            tracer.running = ThreadId(*thread);
            tracer.note(Happening::Synchronised(*what), SpanId::UNKNOWN);
        }
        tracer
    }

    #[test]
    fn a_lock_is_held_by_the_thread_that_took_it_last_and_did_not_release_it() {
        use Synchronisation::{Lock, Unlock, WaitBegin};
        let tracer =
            traced(&[(1, Lock(DESK)), (1, Unlock(DESK)), (2, Lock(BELL)), (2, Lock(DESK)), (3, Lock(RUNG))]);
        assert_eq!(holder(&tracer, ThreadId(1), DESK), Some((ThreadId(2), 1)));
        assert_eq!(holder(&tracer, ThreadId(1), BELL), Some((ThreadId(2), 0)));
        assert_eq!(holder(&tracer, ThreadId(2), DESK), None);
        let waits = WaitBegin { condition: RUNG, mutex: DESK };
        assert_eq!(holder(&traced(&[(2, Lock(DESK)), (2, waits)]), ThreadId(1), DESK), None);
    }

    #[test]
    fn a_signal_before_a_sleep_is_deferred_with_the_locks_around_it() {
        use Synchronisation::{Broadcast, Lock, Signal, Unlock, WaitBegin};
        let signal = Signal { condition: RUNG, woken: None };
        let other = Signal { condition: BELL, woken: None };
        let steps = [
            (2, Broadcast(RUNG)),
            (2, Lock(BELL)),
            (2, Unlock(BELL)),
            (2, Lock(DESK)),
            (2, other),
            (2, signal),
            (2, Unlock(DESK)),
            (1, Lock(DESK)),
            (1, signal),
            (1, WaitBegin { condition: RUNG, mutex: DESK }),
            (2, signal),
        ];
        let early: Vec<_> = signals_before_sleep(&traced(&steps), ThreadId(1), RUNG).collect();
        // The thread's own is none, nor is one that comes later.
        assert_eq!(early, [(ThreadId(2), 0), (ThreadId(2), 3)]);
    }
}
