//! Livelocks of threads that only look, beside others that change things and come round.
//!
//! All states that follow one are entered. If they are few, none is an end and each leads back, then the
//! program stays there, in whatever order threads take steps. A thread that takes steps there, and never
//! changes anything by them, looks for what does not come. That all threads change things is no livelock yet:
//! they may be meant to run forever.
//!
//! That is a statement about the newest writes, and about what the program does, whatever was looked for in
//! it. So the states are entered without the order of accesses before them, and without inputs: where one of
//! those decides, the question stays open.

use super::{Halt, Walk};
use crate::refinement::root::Root;
use crate::{ExploreOptions, Observer, Progress};
use std::collections::BTreeMap;
use symx_expr::{PathCondition, StopToken};
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::state::State;
use symx_trace::{Agent, Event, IncompleteReason, Mode, ThreadId};

/// How many states may follow: replays enter them again, and where time passes there are ever more.
const MOST_STATES: usize = 1 << 9;

/// By thread that takes steps, whether it changes anything by one of them.
pub(super) type Changing = BTreeMap<ThreadId, bool>;

/// Ends the execution as a livelock if it is in one, with others that come round perhaps. `events` are those
/// that led there, as far as they are known.
pub(crate) fn find_livelock<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &mut State<E>,
    events: &[Event],
) -> bool {
    if executor.find_livelock(state, events) {
        return true;
    }
    let stops_at_fences = std::mem::replace(&mut executor.stops_at_fences, false);
    let round = executor.aside(|executor| round(executor, state));
    executor.stops_at_fences = stops_at_fences;
    let Some((states, changing)) = round else { return false };
    let threads = |change: bool| -> Vec<ThreadId> {
        changing.iter().filter(|(_, changes)| **changes == change).map(|(thread, _)| *thread).collect()
    };
    let looking = threads(false);
    if looking.is_empty() {
        return false;
    }
    executor.end_in_states(state, &states, (&looking, &threads(true)), events);
    true
}

/// The states that follow one, if each leads back to it and none is an end, and the threads that take steps.
fn round<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
) -> Option<(Vec<State<E>>, Changing)> {
    let options = ExploreOptions::default();
    // In a replay, a thread that never parks is not parked forever.
    let is_parked = state.threads.iter().any(|thread| thread.is_parked_forever());
    let leaves_out_steps =
        executor.machine.options.guide.is_some() || executor.machine.options.remedies.is_some();
    if state.end.is_some() || is_parked || leaves_out_steps {
        return None;
    }
    let beginning = executor.machine.initial_state();
    let mut from = state.clone();
    (from.order, from.path, from.inputs) = (None, PathCondition::default(), imbl::Vector::new());
    let root = Root { state: from, resumed: None, decisions: Vec::new(), depth: 0 };
    let machine = executor.machine;
    let mut observer = Unobserved(&machine.options.stop);
    let mut walk = Walk::new(executor, &options, &mut observer, &beginning, (MOST_STATES, u64::MAX));
    walk.changing = Some(Changing::new());
    let halt = walk.run(&root);
    let comes_back = matches!(halt, Halt::Finished) && walk.visited.come_back();
    walk.changing.filter(|_| comes_back).map(|changing| (walk.visited.into_states(), changing))
}

impl<E: Environment> Walk<'_, '_, E> {
    /// Notes whether a step has changed anything but what its thread alone knows, if that is asked.
    pub(super) fn note_change(&mut self, before: &State<E>, now: &State<E>, agent: Agent) {
        let Some(changing) = &mut self.changing else { return };
        let thread = agent.thread();
        let only_reads = before.thread(thread).pending.is_some()
            && self.executor.footprint(before, agent).iter().all(|access| access.mode == Mode::Read);
        let looks = !agent.is_buffer() && (only_reads || self.executor.is_unchanged(before, now, thread));
        *changing.entry(thread).or_default() |= !looks;
    }
}

/// What is tried here is no part of any execution, but limits hold.
struct Unobserved<'s>(&'s StopToken);

impl Observer for Unobserved<'_> {
    fn progress(&mut self, _progress: &Progress) -> Option<IncompleteReason> {
        self.0.reason().map(IncompleteReason::from)
    }
}
