//! Checks after a process has ended normally, where asked for: a file and a row for each.

mod exit_status;
mod held_locks;
mod leaks;
mod output;
mod unfinished_threads;

use crate::ExploreOptions;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::state::{End, Exit, State};
use symx_interp::stop::position::location;
use symx_ir::SpanId;
use symx_trace::failure::checks::AtEnd;
use symx_trace::{Access, Agent, Failure, FailureKind, Footprint, Mode, Place, ThreadId};

pub(crate) use leaks::cannot_tell_leaks;
pub(crate) use output::cannot_compare;

/// An execution that has ended in an exit.
struct Ended<'e, 'm, E: Environment> {
    executor: &'e Executor<'m, E>,
    state: &'e State<E>,
    exit: Exit,
    options: &'e ExploreOptions,
}

/// The failure of one kind that an exit is, if any.
type Look<E> = fn(&Ended<'_, '_, E>) -> Option<Failure>;

impl ExploreOptions {
    /// Whether it is looked at which threads have ended when the process does: any step of theirs may come
    /// before that or after.
    pub(crate) fn looks_at_threads_at_end(&self) -> bool {
        self.counted.look_at(AtEnd::Threads)
    }
}

/// The footprint of the next step of `agent`. Where a check looks at threads at the end, a step that ends the
/// process touches everything. For it is looked at which threads have ended by then, which locks they hold,
/// and where their pointers lead.
pub(crate) fn footprint<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    agent: Agent,
    options: &ExploreOptions,
) -> Footprint {
    let mut footprint = executor.footprint(state, agent);
    if let Agent::Thread(thread) = agent
        && options.looks_at_threads_at_end()
        && state.thread(thread).is_about_to_end_all()
    {
        footprint.push(Access { place: Place::Everything, mode: Mode::Write });
    }
    footprint
}

/// How an execution has ended: an exit that is a failure is that failure.
pub(crate) fn end_of<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    options: &ExploreOptions,
) -> Option<End> {
    match state.end {
        Some(End::Exit(exit)) => {
            let failure = check(executor, state, exit, options);
            Some(failure.map_or(End::Exit(exit), |failure| End::Failed(Arc::new(failure))))
        }
        _ => state.end.clone(),
    }
}

/// The failure in which an execution has ended, if any.
pub(crate) fn failure_of<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    options: &ExploreOptions,
) -> Option<Arc<Failure>> {
    match end_of(executor, state, options)? {
        End::Failed(failure) => Some(failure),
        End::Exit(_) => None,
    }
}

/// The failure that an exit is, if any.
pub(crate) fn check<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    exit: Exit,
    options: &ExploreOptions,
) -> Option<Failure> {
    // In the order in which they are made: the first failure is the end.
    let rows: &[(FailureKind, Look<E>)] = &[
        (FailureKind::Exit, exit_status::look),
        (FailureKind::UnfinishedThread, unfinished_threads::look),
        (FailureKind::HeldLock, held_locks::look),
        (FailureKind::Output, output::look),
        (FailureKind::Leak, leaks::look),
    ];
    let ended = Ended { executor, state, exit, options };
    let mut counting = rows.iter().filter(|(kind, _)| options.counted.contains(*kind));
    counting.find_map(|(_, look)| look(&ended))
}

impl<E: Environment> Ended<'_, '_, E> {
    /// The failure of the whole process, at `span`.
    fn failure(&self, kind: FailureKind, message: String, span: SpanId) -> Failure {
        Failure {
            location: location(&self.executor.machine.program, span),
            thread: self.state.thread(ThreadId::MAIN).name.clone(),
            ..Failure::new(kind, message)
        }
    }

    /// Where the program ended the process: a call, or `main` if that returned.
    fn place(&self) -> SpanId {
        let program = &self.executor.machine.program;
        let main = || program.main().map(|id| program.function(id).span);
        let call = self.executor.own_position(self.state.thread(ThreadId::MAIN));
        call.or_else(main).unwrap_or(SpanId::UNKNOWN)
    }
}
