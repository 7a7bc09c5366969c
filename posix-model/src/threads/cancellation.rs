//! `pthread_cancel`: requests, the states that put them off, and the calls at which a thread acts on one.
//!
//! A cancellation point is an ordinary model wrapped by [`point`]. Where a request is due, the thread leaves
//! as by `pthread_exit(PTHREAD_CANCELED)` instead of performing its operation, and a wait is over. Calls that
//! check for a request only while they wait, as in the libraries, are wrapped by [`waiting_point`]. Requests
//! touch a place of their own for each thread, so that the search tries them before and after what they meet.
//! Programs that never name `pthread_cancel` pay nothing.

use crate::answer::{Model, PosixCall, Step, int, nothing, touching};
use crate::errno::{EINVAL, ESRCH};
use crate::options::Posix;
use crate::places::{cancellation, read, write};
use crate::row::{Row, row};
use crate::threads::exit::{CleanUpBuffer, leave};
use crate::threads::{ThreadRecord, stages, thread_of, update};
use smallvec::smallvec;
use symx_interp::environment::Outcome;
use symx_interp::state::State;
use symx_interp::stop::Stop;
use symx_interp::threads::modelled::Role;
use symx_interp::threads::thread::Action;
use symx_interp::value::Value;
use symx_trace::ThreadId;

/// The state of a thread as to requests to end it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cancellation {
    /// Cancellation was requested.
    pub requested: bool,
    /// Requests wait (`PTHREAD_CANCEL_DISABLE`).
    pub disabled: bool,
    /// Requests need not wait for a cancellation point (`PTHREAD_CANCEL_ASYNCHRONOUS`).
    pub asynchronous: bool,
    /// The call in which it is leaving, as the depth of the stack below: what it runs on the way
    /// are calls above that.
    leaving: Option<u32>,
}

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_cancel"], cancel).in_role(Role::Cancels),
    row(&["pthread_testcancel"], |call| point(call, |_| int(0))),
    row(&["pthread_setcancelstate"], set_state),
    row(&["pthread_setcanceltype"], set_type),
    row(&["__pthread_register_cancel_defer"], |call| with_type_changed(call, register_deferring)),
    row(&["__pthread_unregister_cancel_restore"], |call| with_type_changed(call, unregister_restoring)),
];

/// The result of a cancelled thread (`PTHREAD_CANCELED`).
const CANCELED: u64 = u64::MAX;
/// Marks the scratch of a call that checks for a cancellation request before its operation.
const CHECKED: u64 = 0x0063_6865_636b;

/// Whether `thread` is to act on a request at its next cancellation point.
pub(crate) fn is_due(state: &State<Posix>, thread: ThreadId) -> bool {
    let record = state.data.threads.get(&thread);
    // Also in a handler that comes last of all, a thread is not cancelled any more.
    record.is_some_and(|record| record.cancellation.requested && !record.cancellation.disabled)
        && !stages::is_about_to_end(state, thread)
}

/// Whether `thread` waits at a cancellation point. Such a wait has the thread's requests in its footprint;
/// another goes on waiting whatever is requested.
pub(crate) fn waits_at_point(state: &State<Posix>, thread: ThreadId) -> bool {
    let pending = state.thread(thread).pending.as_deref().map(|pending| &pending.action);
    matches!(pending, Some(Action::Model(operation)) if operation.footprint.contains(&read(cancellation(thread))))
}

/// Whether `thread` has acted on a request.
pub(crate) fn is_cancelled(state: &State<Posix>, thread: ThreadId) -> bool {
    let record = state.data.threads.get(&thread);
    record.is_some_and(|record| {
        record.cancellation.requested && record.result == Some(Value::Concrete(CANCELED))
    })
}

/// Performs `model`, at which the calling thread may be cancelled.
///
/// The check for a request is a step of its own: a request may come between it and the operation.
pub(crate) fn point(call: &mut PosixCall<'_, '_>, model: Model) -> Step {
    if call.phase() == 0 && call.bookkeeping().may_cancel && !is_leaving(call) {
        let me = call.thread();
        if call.scratch().as_slice() != [CHECKED] {
            *call.scratch() = smallvec![CHECKED];
            return Ok(call.park_on_arrival(touching(read(cancellation(me)))));
        }
        if is_due(call.state(), me) {
            return act(call);
        }
        call.scratch().clear();
    }
    waiting_point(call, u32::MAX, model)
}

/// Performs `model`, at which the calling thread is cancelled only while it waits.
///
/// From phase `settled` on, `model` has something to put right before the thread leaves, and has
/// it leave by itself.
pub(crate) fn waiting_point(call: &mut PosixCall<'_, '_>, settled: u32, model: Model) -> Step {
    if !call.bookkeeping().may_cancel {
        return model(call);
    }
    if is_leaving(call) {
        return go_on(call);
    }
    let me = call.thread();
    if call.phase() >= settled {
        return model(call);
    }
    let waits = call.awaited().is_some_and(|wait| !wait.has_come(call.state(), me));
    if waits && is_due(call.state(), me) {
        return act(call);
    }
    Ok(match model(call)? {
        Outcome::Park(mut operation) if operation.wait.is_some() => {
            operation.footprint.push(read(cancellation(me)));
            Outcome::Park(operation)
        }
        other => other,
    })
}

/// Begins to leave: from here on requests wait, and clean-up routines run.
pub(crate) fn act(call: &mut PosixCall<'_, '_>) -> Step {
    update(call, |own| {
        own.cancellation.disabled = true;
        own.result = Some(Value::Concrete(CANCELED));
    });
    call.scratch().clear();
    go_on(call)
}

pub(crate) fn is_leaving(call: &PosixCall<'_, '_>) -> bool {
    let record = call.bookkeeping().threads.get(&call.thread());
    record.is_some_and(|record| record.cancellation.leaving == Some(call.depth()))
}

/// Takes the next step of leaving. Once control goes to an activation of the program (a clean-up that lands
/// there), this call is over. The end of that activation brings the thread back to leaving.
pub(crate) fn go_on(call: &mut PosixCall<'_, '_>) -> Step {
    let outcome = leave(call)?;
    let leaving = matches!(outcome, Outcome::Park(_) | Outcome::Invoke { .. }).then(|| call.depth());
    update(call, |own| own.cancellation.leaving = leaving);
    Ok(outcome)
}

fn cancel(call: &mut PosixCall<'_, '_>) -> Step {
    if is_leaving(call) {
        return go_on(call);
    }
    let target = call.argument(0)?;
    let Some(target) = thread_of(call, target) else { return int(ESRCH) };
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(write(cancellation(target))), None));
    }
    let mut record = crate::threads::record(call, target);
    record.cancellation.requested = true;
    let now = record.cancellation.asynchronous && !record.cancellation.disabled;
    crate::threads::store(call, target, record);
    if now && target == call.thread() { act(call) } else { int(0) }
}

fn set_state(call: &mut PosixCall<'_, '_>) -> Step {
    switch(call, |own, disabled| std::mem::replace(&mut own.disabled, disabled))
}

fn set_type(call: &mut PosixCall<'_, '_>) -> Step {
    switch(call, |own, asynchronous| std::mem::replace(&mut own.asynchronous, asynchronous))
}

/// Changes the type of cancellation, and what `set` makes of the first argument. With a favourable type, a
/// request that waits is acted on at once.
fn with_type_changed(call: &mut PosixCall<'_, '_>, set: fn(&mut ThreadRecord, u64)) -> Step {
    changing(
        call,
        |call| Ok(Some(call.argument(0)?)),
        |call, argument| {
            update(call, |own| set(own, argument));
            nothing()
        },
    )
}

/// `pthread_cleanup_push_defer_np`
fn register_deferring(own: &mut ThreadRecord, address: u64) {
    let was = std::mem::replace(&mut own.cancellation.asynchronous, false);
    own.clean_up_buffers.push_back(CleanUpBuffer { address, restores: Some(was) });
}

/// `pthread_cleanup_pop_restore_np`
fn unregister_restoring(own: &mut ThreadRecord, _: u64) {
    if let Some(CleanUpBuffer { restores: Some(was), .. }) = own.clean_up_buffers.pop_back() {
        own.cancellation.asynchronous = was;
    }
}

/// Sets one of the two switches; what it was goes to the second argument's address. With both favourable, a
/// request that waits is acted on at once.
fn switch(call: &mut PosixCall<'_, '_>, set: fn(&mut Cancellation, bool) -> bool) -> Step {
    changing(
        call,
        |call| {
            let (choice, previous) = (call.argument(0)? as u32, call.argument(1)?);
            Ok((choice <= 1).then_some((choice == 1, previous)))
        },
        |call, (choice, previous)| {
            let mut old = false;
            update(call, |own| old = set(&mut own.cancellation, choice));
            if previous != 0 {
                call.write(previous, 4, Value::Concrete(old.into()))?;
            }
            int(0)
        },
    )
}

/// Performs a call that may make a request due: `change`, with the arguments, in a step of its own. Arguments
/// of `None` are invalid. A request that is due after the change is acted on in place of returning.
fn changing<A>(
    call: &mut PosixCall<'_, '_>,
    arguments: impl FnOnce(&mut PosixCall<'_, '_>) -> Result<Option<A>, Stop>,
    change: impl FnOnce(&mut PosixCall<'_, '_>, A) -> Step,
) -> Step {
    if is_leaving(call) {
        return go_on(call);
    }
    let Some(arguments) = arguments(call)? else { return int(EINVAL) };
    let me = call.thread();
    if call.phase() == 0 && call.bookkeeping().may_cancel {
        return Ok(call.synchronise(touching(read(cancellation(me))), None));
    }
    let outcome = change(call, arguments)?;
    let own = crate::threads::record(call, me).cancellation;
    if own.requested && own.asynchronous && !own.disabled { act(call) } else { Ok(outcome) }
}
