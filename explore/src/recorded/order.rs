//! Along recorded paths: which thread's step comes next by the clock of the recorded run, and which thread it
//! wakes.

use crate::driver::fork::Way;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::paths::guide::Guide;
use symx_interp::state::State;
use symx_interp::threads::thread::Action;
use symx_trace::{Agent, CallEffect, EventKind, ThreadId};

/// The candidate to try first: of the thread whose step came first in the recorded run. Where that waits for
/// a lock, or for the end of a thread, the thread for which it waits goes on. It had let go before, whatever
/// the clock says of that.
pub(crate) fn first_as_recorded<E: Environment>(
    executor: &Executor<'_, E>,
    guide: &Guide,
    state: &State<E>,
    candidates: &[Agent],
) -> Option<Agent> {
    let by_clock =
        candidates.iter().copied().min_by_key(|agent| when_recorded(executor, guide, state, *agent))?;
    let least = when_recorded(executor, guide, state, by_clock);
    let mut waiting: Vec<(u64, ThreadId)> = state
        .threads
        .iter()
        .filter(|thread| !thread.exited && !executor.can_step(state, thread))
        .map(|thread| (when_recorded(executor, guide, state, Agent::Thread(thread.id)), thread.id))
        .filter(|(when, _)| *when < least)
        .collect();
    waiting.sort_unstable();
    let holder = waiting.iter().find_map(|(_, thread)| last_holder(executor, state, candidates, *thread));
    // A thread that sleeps is woken by a step without a place of its own, of a thread that had begun with its
    // call.
    let began = |agent: &Agent| Some((last_recorded(executor, guide, state, *agent)?, *agent));
    let waker = waiting.first().filter(|_| holder.is_none()).and_then(|(place, _)| {
        candidates.iter().filter_map(began).filter(|(began, _)| began < place).max_by_key(|(began, _)| *began)
    });
    Some(holder.or(waker.map(|(_, agent)| agent)).unwrap_or(by_clock))
}

/// When, by the recorded clock, the next step of an agent was taken at the latest.
pub(crate) fn when_recorded<E: Environment>(
    executor: &Executor<'_, E>,
    guide: &Guide,
    state: &State<E>,
    agent: Agent,
) -> u64 {
    let thread = state.thread(agent.thread());
    let Some(cursor) = &thread.guide else { return u64::MAX };
    guide.next_call(&thread.name, cursor, function_called(executor, state, agent).as_deref())
}

/// In a recorded order, the last place of an agent's thread, if its next step has none.
fn last_recorded<E: Environment>(
    executor: &Executor<'_, E>,
    guide: &Guide,
    state: &State<E>,
    agent: Agent,
) -> Option<u64> {
    let thread = state.thread(agent.thread());
    let cursor = thread.guide.as_ref()?;
    guide.last_call(&thread.name, cursor, function_called(executor, state, agent).as_deref())
}

/// Of the ways of a choice, the place of the one that wakes the thread that went on first in the recorded
/// run. Of several, the last. None if none wakes a thread. Threads that would go on when their time is up are
/// left out. The first of them to go on need not be the one that was woken. (Where a trace is made, its event
/// of the signal records the thread that was woken, whatever it waits for.)
pub(crate) fn first_way_as_recorded<E: Environment>(
    executor: &mut Executor<'_, E>,
    guide: &Guide,
    ways: &[Way<E>],
) -> Option<usize> {
    // Races on a way that is only looked at are not of this execution.
    let races = std::mem::take(&mut executor.notes.races);
    let mut when_woken = |way: &Way<E>| {
        let (before, thread) = (way.before(), way.thread());
        let mut state = before.clone();
        state.alternative = Some(way.alternative()?);
        executor.resume(&mut state, thread, true);
        let others = before.threads.iter().map(|other| other.id).filter(|other| *other != thread);
        let woken = others.filter(|other| {
            let was = executor.waits_at(before, *other);
            was.is_some() && executor.waits_at(&state, *other) != was
        });
        woken.map(|other| when_recorded(executor, guide, &state, Agent::Thread(other))).min()
    };
    let timed = ways.iter().enumerate().filter_map(|(place, way)| Some((when_woken(way)?, Reverse(place))));
    let first = timed.min().map(|(_, Reverse(place))| place);
    executor.notes.races = races;
    first
}

/// Whether the next step of an agent begins a call that waits, and does not wait itself. It releases a mutex
/// to sleep, or arrives at a barrier.
pub(crate) fn begins_to_wait<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    agent: Agent,
) -> bool {
    let pending = state.thread(agent.thread()).pending.as_ref();
    let is_first = pending.is_some_and(
        |pending| matches!(&pending.action, Action::Model(operation) if operation.wait.is_none()),
    );
    is_first && executor.event_kind(state, agent).effect().is_some_and(CallEffect::waits)
}

/// The function that an agent's thread is about to call.
fn function_called<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    agent: Agent,
) -> Option<String> {
    let pending = state.thread(agent.thread()).pending.is_some();
    match pending.then(|| executor.event_kind(state, agent))? {
        EventKind::Call(call) => Some(call.name),
        _ => None,
    }
}

/// A candidate for which a thread waits, itself or by way of others.
fn last_holder<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    candidates: &[Agent],
    thread: ThreadId,
) -> Option<Agent> {
    let mut seen = FxHashSet::from_iter([thread]);
    let mut left = vec![thread];
    while let Some(thread) = left.pop() {
        for holder in executor.waits_for(state, thread) {
            if candidates.contains(&Agent::Thread(holder)) {
                return Some(Agent::Thread(holder));
            }
            if seen.insert(holder) {
                left.push(holder);
            }
        }
    }
    None
}
