//! Whether a thread comes round: it is where it was, having changed something on its way.

use super::Patience;
use crate::Found;
use std::sync::Arc;
use symx_interp::caches::relocated::stands_where_it_stood;
use symx_interp::caches::sameness::LiveRegisters;
use symx_interp::environment::Environment;
use symx_interp::machine::Machine;
use symx_interp::progress::livelock::LONGEST_ROUND;
use symx_interp::threads::thread::Thread;

/// A walk by executions has taken long, and threads come round: it may have no end. States may be tried
/// instead.
#[derive(Debug)]
pub(crate) struct ComesRound {
    /// When the next look is due, and how many states may be tried now.
    pub patience: Patience,
    /// The failures found so far.
    pub failures: Vec<Found>,
}

/// A thread before one of its steps.
pub(crate) struct Standing<E: Environment> {
    pub thread: Arc<Thread<E>>,
    /// Whether its step changes what others may see.
    pub changes: bool,
}

/// Whether some thread stands where it stood before an earlier step, with a change in between. `steps` are
/// those of one execution, in order.
pub(crate) fn comes_round<E: Environment>(machine: &Machine<E>, steps: &[Standing<E>]) -> bool {
    let mut live = LiveRegisters::without_pacing();
    steps.iter().for_each(|step| live.learn(machine, &step.thread));
    let mut threads: Vec<u32> = steps.iter().map(|step| step.thread.id.0).collect();
    threads.sort_unstable();
    threads.dedup();
    threads.into_iter().any(|thread| {
        let own: Vec<&Standing<E>> = steps.iter().filter(|step| step.thread.id.0 == thread).collect();
        (1..own.len()).any(|later| {
            let (mut changes, first) = (false, later.saturating_sub(LONGEST_ROUND));
            own[first..later].iter().rev().any(|earlier| {
                changes |= earlier.changes;
                changes && stands_where_it_stood(&earlier.thread, &own[later].thread, &live)
            })
        })
    })
}
