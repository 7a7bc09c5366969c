//! Waits at condition variables.

use super::{Library, POSIX, find};
use crate::answer::{PosixCall, Step, int, touching};
use crate::errno::{EINVAL, ENOTRECOVERABLE, EOWNERDEAD, EPERM, ETIMEDOUT};
use crate::places::{acquire, wake_up};
use crate::sync::condition::Condition;
use crate::sync::deadline::Deadline;
use crate::sync::mutex::Protected;
use crate::sync::nesting;
use crate::sync::wait::{Goal, PosixWait};
use crate::threads::cancellation::{act, is_due};
use smallvec::smallvec;
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_trace::{Access, CallOutcome, FailureDetail, Mode};

/// The phase of a wait in which the thread has been queued and does not hold the mutex.
pub(crate) const ASLEEP: u32 = 2;

/// Waits to be woken; on request, a wait may also end by itself.
pub(crate) fn wait_for_ever(call: &mut PosixCall<'_, '_>, of: &Library) -> Step {
    let limit = may_end_by_itself(call)?.then_some(u64::MAX);
    wait_until(call, of, limit, 0)
}

/// Whether a wait may end by itself. That is chosen as it begins: POSIX permits it and does not promise it.
/// So a wait that no signal ends is still a deadlock where it does not.
fn may_end_by_itself(call: &mut PosixCall<'_, '_>) -> Result<bool, Stop> {
    match call.phase() {
        _ if !call.environment().options().spurious_wake_ups => Ok(false),
        0 => Ok(false),
        1 => Ok(call.choose(2)? == 1),
        _ => Ok(call.scratch().get(1) == Some(&1)),
    }
}

pub(crate) fn timed_wait(call: &mut PosixCall<'_, '_>, deadline: Deadline) -> Step {
    if !deadline.is_valid(call)? {
        return int(EINVAL);
    }
    let address = call.argument(0)?;
    let clock = find(call, address)?.clock;
    let until = deadline.until(call, clock)?;
    wait_until(call, &POSIX, Some(until), ETIMEDOUT)
}

/// How a sleeper left the queue; a call keeps it by number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Signalled,
    Elapsed,
    Cancelled,
}

impl Ending {
    const ALL: [Self; 3] = [Self::Signalled, Self::Elapsed, Self::Cancelled];
}

/// Waits to be woken. A wait that may also end by itself, at that time if not before, then returns `unwoken`.
///
/// A sleeper that no signal woke leaves the queue and takes the mutex back in two steps. Others can hold the
/// mutex between them, and lose a signal.
pub(crate) fn wait_until(
    call: &mut PosixCall<'_, '_>,
    of: &Library,
    limit: Option<u64>,
    unwoken: i32,
) -> Step {
    match call.phase() {
        0 => announce(call, of),
        1 => fall_asleep(call, of, limit),
        ASLEEP if limit.is_some() || may_be_cancelled(call, of) => leave_queue(call, of, limit, unwoken),
        _ => take_mutex_back(call, of, unwoken),
    }
}

/// Whether a request may end a wait.
fn may_be_cancelled(call: &PosixCall<'_, '_>, of: &Library) -> bool {
    of.cancels && call.bookkeeping().may_cancel
}

fn announce(call: &mut PosixCall<'_, '_>, of: &Library) -> Step {
    let (address, guard) = (call.argument(0)?, call.argument(1)?);
    (of.find)(call, address)?;
    let mutex = (of.find_mutex)(call, guard)?;
    let mode = mutex.mode_of_unlock(call.thread());
    let footprint = smallvec![Access::object(address, Mode::Write), Access::object(guard, mode)];
    Ok(call.synchronise(footprint, None))
}

fn fall_asleep(call: &mut PosixCall<'_, '_>, of: &Library, limit: Option<u64>) -> Step {
    let (address, guard) = (call.argument(0)?, call.argument(1)?);
    let mut condition = (of.find)(call, address)?;
    let mut mutex = (of.find_mutex)(call, guard)?;
    let me = call.thread();
    if mutex.owner != Some(me) {
        // As POSIX demands for these types; for the others the effect is undefined.
        if mutex.reports_misuse() {
            return int(EPERM);
        }
        let message = "wait on a condition variable with a mutex the thread does not own";
        call.misuse(FailureDetail::WaitNotOwner, message)?;
    }
    if of.has_one_mutex && !condition.sleepers.is_empty() && condition.guard != guard {
        let message = "wait on a condition variable on which threads wait with another mutex";
        call.misuse(FailureDetail::WaitOtherMutex, message)?;
    }
    condition.guard = guard;
    *call.scratch() = smallvec![Ending::Signalled as u64, limit.is_some().into()];
    condition.sleepers.push_back(me);
    // As the libraries do: of several holds of a recursive mutex, one is given back.
    let is_free = mutex.give_back();
    if !is_free {
        call.is_beyond_traces("a wait that holds its mutex further times");
    }
    call.release((guard, 0));
    call.synchronises(Synchronisation::WaitBegin { condition: address, mutex: guard });
    let data = call.data();
    data.own.sync.conditions.insert(address, condition);
    mutex.note_released(guard, &mut data.own.sync.mutexes);
    (of.note_held)(call, guard, !is_free)?;
    if limit.is_none() && !may_be_cancelled(call, of) {
        let footprint = smallvec![acquire(wake_up(address)), Access::object(guard, Mode::Acquire)];
        let wait = PosixWait::Condition { condition: address, mutex: guard };
        return Ok(call.synchronise(footprint, Some(wait)));
    }
    // Ending by itself takes the sleeper out of the queue, so it does not commute with a signal.
    let wait = match limit {
        Some(until) => PosixWait::Limited { until, goal: Goal::Wakeup { condition: address, mutex: guard } },
        None => PosixWait::Wakeup { condition: address, mutex: guard },
    };
    Ok(call.synchronise(touching(Access::object(address, Mode::Write)), Some(wait)))
}

/// Leaves the queue, unless a signal has had the thread leave it. A signalled thread with a cancellation
/// request may be cancelled or not.
fn leave_queue(call: &mut PosixCall<'_, '_>, of: &Library, limit: Option<u64>, unwoken: i32) -> Step {
    let (address, guard) = (call.argument(0)?, call.argument(1)?);
    let me = call.thread();
    let is_known = |entry: &&Condition| entry.sleepers.contains(&me) || entry.cancellable.contains(&me);
    let mut ending = Ending::Signalled;
    if let Some(mut condition) = call.state().data.own.sync.conditions.get(&address).filter(is_known).cloned()
    {
        let is_due = of.cancels && is_due(call.state(), me);
        ending = match condition.sleepers.contains(&me) {
            true if is_due => Ending::Cancelled,
            true => Ending::Elapsed,
            false if is_due && call.choose(2)? == 1 => Ending::Cancelled,
            false => Ending::Signalled,
        };
        condition.sleepers.retain(|sleeper| *sleeper != me);
        condition.cancellable.retain(|woken| *woken != me);
        call.data().own.sync.conditions.insert(address, condition);
    }
    call.scratch()[0] = ending as u64;
    if let Some(until) = limit.filter(|_| ending == Ending::Elapsed && unwoken == ETIMEDOUT) {
        call.ends_with(CallOutcome::TimedOut);
        call.data().kernel.clock.sleep_until(me, until);
    }
    let wait = match limit.filter(|_| ending != Ending::Signalled) {
        Some(until) => {
            PosixWait::Limited { until, goal: Goal::Condition { condition: address, mutex: guard } }
        }
        None => PosixWait::Condition { condition: address, mutex: guard },
    };
    Ok(call.synchronise(touching(Access::object(guard, Mode::Acquire)), Some(wait)))
}

fn ending(call: &mut PosixCall<'_, '_>) -> Ending {
    Ending::ALL[call.scratch()[0] as usize]
}

fn take_mutex_back(call: &mut PosixCall<'_, '_>, of: &Library, unwoken: i32) -> Step {
    let (address, guard) = (call.argument(0)?, call.argument(1)?);
    let mut mutex = (of.find_mutex)(call, guard)?;
    let ending = ending(call);
    // Another holder may have ended meanwhile.
    let protected = mutex.protected;
    if protected == Protected::Lost {
        return if ending == Ending::Cancelled { act(call) } else { int(ENOTRECOVERABLE) };
    }
    if ending == Ending::Elapsed && unwoken == ETIMEDOUT {
        call.ends_with(CallOutcome::TimedOut);
    }
    call.acquire((guard, 0));
    call.synchronises(match ending {
        Ending::Signalled => Synchronisation::WaitSignalled { condition: address, mutex: guard },
        _ => Synchronisation::WaitElapsed { condition: address, mutex: guard },
    });
    nesting::note(call, guard, false);
    mutex.owner = Some(call.thread());
    mutex.taken = call.caller_span();
    mutex.depth += 1;
    call.data().own.sync.mutexes.insert(guard, mutex);
    (of.note_held)(call, guard, true)?;
    match (ending, protected) {
        (Ending::Cancelled, _) => act(call),
        (_, Protected::Abandoned) => int(EOWNERDEAD),
        (Ending::Elapsed, _) => int(unwoken),
        (Ending::Signalled, _) => int(0),
    }
}
