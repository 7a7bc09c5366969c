//! The symbolic trace of an execution that replays.

use crate::driver::{self, ByNumber, Obstacle};
use crate::{ExploreOptions, exit_checks};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_expr::StopToken;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_interp::state::{End, State};
use symx_interp::stop::Incomplete;
use symx_interp::stop::position::location;
use symx_interp::symbolic_trace::{Happening, Synchronisation, Tracer};
use symx_interp::threads::thread::{Action, Operation, Pending};
use symx_interp::tracing::{Ending, NotTraced, Traced, build};
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_trace::failure::checks::InTrace;
use symx_trace::{Agent, Decision, Failure, FailureKind, IncompleteReason, ThreadId};

/// The symbolic trace of the execution under these decisions, which must end as they do. Symbolic inputs have
/// the values of [`Options::assignment`](symx_interp::machine::Options::assignment). Is abandoned when `stop`
/// ends it.
pub fn symbolic_trace<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    visible: Option<&[Site]>,
    decisions: &[Decision],
    options: &ExploreOptions,
    stop: &StopToken,
) -> Result<Traced, NotTraced> {
    if machine.model.keeps_history() {
        let what = format!("the memory model `{}`", machine.model.name());
        return Err(NotTraced { what, location: None });
    }
    let mut executor = Executor::new(machine, solver);
    begin_trace(&mut executor, visible);
    let state = replay(&mut executor, decisions, options, stop)?;
    // Once more, as it is known now what threads share without taking steps at it, and again, for
    // which objects they share.
    let unseen: Arc<FxHashSet<Site>> = Arc::new(state.discovered.iter().copied().collect());
    if !unseen.is_empty() {
        begin_trace(&mut executor, visible);
        executor.notes.tracer.iter_mut().for_each(|tracer| tracer.unseen = Arc::clone(&unseen));
        replay(&mut executor, decisions, options, stop)?;
    }
    let private = executor.notes.tracer.take().map_or_else(Default::default, |tracer| {
        let mut private = tracer.accessed_by_one();
        // An object that is used though it is gone concerns its user, too.
        if let Some(gone) = tracer.found_freed.get().and_then(Cell::of) {
            private.remove(&gone);
        }
        private
    });
    begin_trace(&mut executor, visible);
    if let Some(tracer) = &mut executor.notes.tracer {
        tracer.unseen = unseen;
        tracer.private = Arc::new(private);
    }
    let state = replay(&mut executor, decisions, options, stop)?;
    let failure = state.failure().cloned();
    let is_output = failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Output);
    let mut ending = end_of_trace(&mut executor, &state, failure)?;
    ending.expected = machine.options.expected_output.clone().filter(|_| is_output);
    build(&mut executor, &state, ending, true)
}

/// Where these decisions lead.
fn replay<E: Environment>(
    executor: &mut Executor<'_, E>,
    decisions: &[Decision],
    options: &ExploreOptions,
    stop: &StopToken,
) -> Result<State<E>, NotTraced> {
    let mut state = executor.machine.initial_state();
    let mut left = decisions.iter().copied();
    while state.end.is_none() {
        if stop.is_over() {
            return Err(NotTraced {
                what: "an execution as long as this in the time given".into(),
                location: None,
            });
        }
        match left.next() {
            Some(Decision::Run(agent)) if executor.enabled(&state).contains(&agent) => {
                let mut choose = |_| match left.next() {
                    Some(Decision::Choose(choice)) => choice,
                    _ => 0,
                };
                traced_step(executor, &mut state, agent, &mut choose)?;
            }
            Some(_) => return Err(diverged()),
            None if executor.enabled(&state).is_empty() => executor.stuck(&mut state),
            None => return Err(diverged()),
        }
    }
    if let Some(End::Exit(exit)) = state.end
        && let Some(failure) = exit_checks::check(executor, &state, exit, options)
    {
        state.end = Some(End::Failed(Arc::new(failure)));
    }
    Ok(state)
}

fn diverged() -> NotTraced {
    NotTraced { what: "an execution that leaves its schedule".into(), location: None }
}

/// Notes from now on what happens. Where threads changed at synchronisation only (`None`), they do so
/// again, but what they share is noted: accesses to it are events within steps.
pub(crate) fn begin_trace<E: Environment>(executor: &mut Executor<'_, E>, visible: Option<&[Site]>) {
    executor.visible = Some(Arc::new(visible.unwrap_or(&[]).iter().copied().collect()));
    let inputs = executor.machine.options.assignment.as_deref().cloned().unwrap_or_default();
    executor.notes.tracer = Some(Box::new(Tracer::new(inputs)));
    executor.stops_at_fences = false;
}

/// One step of `agent`, noted; `choose` is asked for alternatives.
pub(crate) fn traced_step<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &mut State<E>,
    agent: Agent,
    choose: &mut dyn FnMut(u32) -> u32,
) -> Result<(), NotTraced> {
    before_step(executor, state, agent);
    let mut choose = ByNumber(|count| Some(choose(count).min(count - 1)));
    let taken = driver::whole_step(executor, state, agent, &mut choose);
    taken.map(|_| ()).map_err(|obstacle| not_traced(executor, &obstacle))
}

/// That a step cannot be traced, and why.
pub(crate) fn not_traced<E: Environment>(executor: &Executor<'_, E>, obstacle: &Obstacle) -> NotTraced {
    let span = match obstacle {
        Obstacle::Cut(cut) => cut.span,
        _ => SpanId::UNKNOWN,
    };
    let what = match obstacle {
        Obstacle::NoWay => "a symbolic value without a value".into(),
        Obstacle::Pruned => "an assumption that does not hold".into(),
        Obstacle::Cut(Incomplete { reason: IncompleteReason::Unsupported, what, .. }) => what.clone(),
        other => other.to_string(),
    };
    untraced(executor, &what, span)
}

pub(crate) fn untraced<E: Environment>(executor: &Executor<'_, E>, what: &str, span: SpanId) -> NotTraced {
    let location = location(&executor.machine.program, span);
    NotTraced { what: what.into(), location: (location.line > 0).then_some(location) }
}

pub(crate) fn before_step<E: Environment>(executor: &mut Executor<'_, E>, state: &State<E>, agent: Agent) {
    let commits = match agent {
        Agent::Buffer { .. } => executor.next_commit(state, agent),
        Agent::Thread(_) => None,
    };
    let thread = state.thread(agent.thread());
    let interrupted = !agent.is_buffer() && executor.is_interrupted(state, thread);
    let position = executor.position(state, thread.id);
    let Some(tracer) = &mut executor.notes.tracer else { return };
    match agent {
        Agent::Buffer { .. } => tracer.commit(thread.id, commits),
        Agent::Thread(id) => {
            tracer.running = id;
            tracer.place = position;
            if interrupted {
                tracer.refuse("a signal's handler", position);
            }
            if id != ThreadId::MAIN && tracer.count(id) == 0 {
                tracer.note(Happening::Begin, position);
            }
        }
    }
}

/// How the execution has ended, as a bug.
pub(crate) fn end_of_trace<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    failure: Option<Failure>,
) -> Result<Ending, NotTraced> {
    if let Some(tracer) = &mut executor.notes.tracer {
        tracer.commit_rest();
    }
    let mut ending = Ending { failure: None, decided_by: None, blocked: Vec::new(), expected: None };
    let Some(failure) = failure else { return Ok(ending) };
    let thread = state.threads.iter().find(|thread| thread.name == failure.thread);
    let thread = thread.map_or(ThreadId::MAIN, |thread| thread.id);
    match failure.kind.check().in_trace {
        InTrace::Thread => {
            ending.decided_by = Some(thread);
            if failure.kind == FailureKind::Memory
                && let Some(tracer) = &mut executor.notes.tracer
                && let Some(base) = tracer.found_freed.take()
            {
                tracer.running = thread;
                let place = tracer.place;
                tracer.note(Happening::FoundFreed(base), place);
            }
        }
        InTrace::Waits => {
            for thread in state.threads.iter().filter(|thread| thread.is_unfinished()) {
                let position = executor.position(state, thread.id);
                let what = awaited(executor, state, thread.id, thread.pending.as_deref());
                let what = what.ok_or_else(|| {
                    untraced(executor, &format!("a wait in `{}`", executor.pending_call(thread)), position)
                })?;
                ending.blocked.push((thread.id, what, position));
            }
        }
        // The output is compared when the trace is made.
        InTrace::Output => {}
        InTrace::Refused => {
            return Err(NotTraced {
                what: format!("a failure of kind {}", failure.kind.name()),
                location: Some(failure.location),
            });
        }
    }
    ending.failure = Some(failure);
    Ok(ending)
}

pub(crate) fn awaited<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    thread: ThreadId,
    pending: Option<&Pending<E>>,
) -> Option<Synchronisation> {
    match &pending?.action {
        Action::Model(Operation { wait: Some(wait), .. }) => {
            executor.machine.environment.awaited(state, thread, wait)
        }
        _ => None,
    }
}
