//! Threads that have not ended when the process does.

use super::Ended;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::stop::position::location;
use symx_interp::threads::thread::Thread;
use symx_trace::failure::Note;
use symx_trace::{Failure, FailureKind, ThreadId};

/// A thread that has not ended when another one ends the process.
pub(super) fn look<E: Environment>(ended: &Ended<'_, '_, E>) -> Option<Failure> {
    let Ended { executor, state, exit, .. } = *ended;
    let is_unfinished = |thread: &&Arc<Thread<E>>| {
        let is_programs_own = thread.id != ThreadId::MAIN && !thread.service && !thread.is_to_come;
        is_programs_own && !thread.exited && exit.by != Some(thread.id)
    };
    let unfinished: Vec<_> = state.threads.iter().filter(is_unfinished).collect();
    let first = unfinished.first()?;
    let more =
        if unfinished.len() > 1 { format!(" and {} more", unfinished.len() - 1) } else { String::new() };
    let message =
        format!("unfinished thread: the process ends before {}{more}", executor.title(state, first.id));
    let mut failure = ended.failure(FailureKind::UnfinishedThread, message, ended.place());
    failure.notes = unfinished
        .iter()
        .take(10)
        .filter_map(|thread| {
            Some(Note {
                message: format!("{} has come to here", executor.title(state, thread.id)),
                location: location(&executor.machine.program, executor.own_position(thread)?),
                thread: Some(thread.name.clone()),
                stack: Vec::new(),
            })
        })
        .collect();
    Some(failure)
}
