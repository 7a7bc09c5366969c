//! Locks that threads hold when the process ends.

use super::Ended;
use symx_interp::environment::Environment;
use symx_interp::stop::position::{TakenLock, location};
use symx_trace::failure::Note;
use symx_trace::{Failure, FailureKind, ThreadId};

/// A lock that a thread of the program's own holds.
pub(super) fn look<E: Environment>(ended: &Ended<'_, '_, E>) -> Option<Failure> {
    let Ended { executor, state, .. } = *ended;
    let mut held: Vec<(ThreadId, TakenLock)> = Vec::new();
    for thread in state.threads.iter().filter(|thread| !thread.service && !thread.is_to_come) {
        let locks = executor.machine.environment.held(state, thread.id);
        held.extend(locks.into_iter().map(|lock| (thread.id, lock)));
    }
    let say = |(thread, lock): &(ThreadId, TakenLock)| {
        format!("{} holds {}", executor.title(state, *thread), executor.name_of_lock(state, lock))
    };
    let (first, more) = held.split_first()?;
    let message = format!("{} when the process ends", say(first));
    let mut failure = ended.failure(FailureKind::HeldLock, message, ended.place());
    let note = |(thread, lock): &(ThreadId, TakenLock)| {
        let position = executor.own_position(state.thread(*thread))?;
        Some(Note {
            message: format!("{} as well", say(&(*thread, *lock))),
            location: location(&executor.machine.program, position),
            thread: Some(state.thread(*thread).name.clone()),
            stack: Vec::new(),
        })
    };
    failure.notes = more.iter().take(10).filter_map(note).collect();
    Some(failure)
}
