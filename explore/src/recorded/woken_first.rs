//! Alternatives of a step along recorded paths: which thread a signal wakes.

use crate::driver::Decider;
use crate::recorded::order::when_recorded;
use rustc_hash::FxHashSet;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::Site;
use symx_interp::state::State;
use symx_interp::symbolic_trace::{Happening, Mark, Synchronisation};
use symx_trace::{Agent, ThreadId};

/// Where a thread's trace is, to go back to.
pub(super) fn mark<E: Environment>(executor: &Executor<'_, E>, thread: ThreadId) -> Mark {
    executor.notes.tracer.as_ref().map(|tracer| tracer.mark(thread)).expect("tracing")
}

/// Takes back what happened after the mark, but for what was found to be shared.
pub(super) fn take_back<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &mut State<E>,
    discovered: &mut FxHashSet<Site>,
    before: State<E>,
    mark: &Mark,
) {
    discovered.extend(state.discovered.iter().copied());
    *state = before;
    if let Some(tracer) = &mut executor.notes.tracer {
        tracer.undo(mark);
    }
}

/// Of several alternatives that wake a thread, chooses the one that wakes the thread that went on first.
pub(super) struct WokenFirst<'r> {
    pub random: &'r mut Option<fastrand::Rng>,
    pub discovered: &'r mut FxHashSet<Site>,
}

impl<E: Environment> Decider<E> for WokenFirst<'_> {
    fn choose(
        &mut self,
        executor: &mut Executor<'_, E>,
        state: &mut State<E>,
        agent: Agent,
        count: u32,
    ) -> Option<u32> {
        let thread = agent.thread();
        let (before, mark) = (state.clone(), mark(executor, thread));
        let mut best = None;
        for choice in 0..count {
            state.alternative = Some(choice);
            executor.resume(state, thread, true);
            let guide = executor.machine.options.guide.as_ref();
            let woken = guide.zip(woken(executor, thread));
            let when = woken.map_or(u64::MAX, |(guide, woken)| {
                when_recorded(executor, guide, state, Agent::Thread(woken))
            });
            let tie = self.random.as_mut().map_or(0, |random| random.u32(..count));
            if best.is_none_or(|(least, by, _)| (when, tie) < (least, by)) {
                best = Some((when, tie, choice));
            }
            take_back(executor, state, self.discovered, before.clone(), &mark);
        }
        best.map(|(.., choice)| choice)
    }
}

/// The thread that the last event of a thread has woken.
fn woken<E: Environment>(executor: &Executor<'_, E>, thread: ThreadId) -> Option<ThreadId> {
    let followed = executor.notes.tracer.as_ref()?.threads.get(thread.index())?;
    match followed.events.last()?.what {
        Happening::Synchronised(Synchronisation::Signal { woken, .. }) => woken,
        _ => None,
    }
}
