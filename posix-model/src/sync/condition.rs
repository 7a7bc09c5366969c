//! `pthread_cond_t`.
//!
//! A wait is two steps: going to sleep, which releases the mutex, and going on, which takes it back. A wait
//! that can end without a signal has a step between them, in which the thread leaves the queue. A signal
//! picks any sleeper; which one is a choice of the schedule.

use crate::answer::{PosixCall, Step, announced, announced_synchronisation, int, touching};
use crate::errno::{EINVAL, ENOTRECOVERABLE, EOWNERDEAD, EPERM, ETIMEDOUT};
use crate::places::{acquire, cancellation, post, read, wake_up};
use crate::row::{Row, row};
use crate::sync::attributes::{self, SHARED, Setting};
use crate::sync::deadline::{Deadline, REALTIME};
use crate::sync::mutex::{self, Protected};
use crate::sync::nesting;
use crate::sync::object::SyncObject;
use crate::sync::wait::{Goal, PosixWait};
use crate::threads::cancellation::{act, is_due, waiting_point};
use imbl::{OrdMap, Vector};
use smallvec::{SmallVec, smallvec};
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_interp::value::Value;
use symx_ir::SpanId;
use symx_trace::{Access, CallEffect, CallOutcome, FailureDetail, FailureKind, Footprint, Mode, ThreadId};

/// A condition variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Condition {
    /// Threads that sleep, longest first.
    pub sleepers: Vector<ThreadId>,
    /// Threads that a signal woke and that a request can still cancel: no other sleeper could
    /// have had the signal.
    cancellable: Vector<ThreadId>,
    /// The mutex of threads that sleep.
    guard: u64,
    /// Where and by which thread it was signalled last, if no thread slept then.
    pub lost: Option<(SpanId, ThreadId)>,
    /// The clock that limits waits, by number.
    clock: u64,
    /// Whether it was destroyed.
    pub destroyed: bool,
}

impl SyncObject for Condition {
    const PLURAL: &'static str = "conditions";

    /// No thread sleeps there.
    fn copied(&self, _parent: ThreadId, _child: ThreadId) -> Self {
        Self { sleepers: Vector::new(), cancellable: Vector::new(), ..self.clone() }
    }

    /// Lost signals are for reports.
    fn are_same(one: &OrdMap<u64, Self>, other: &OrdMap<u64, Self>) -> bool {
        let sleepers = |table: &OrdMap<u64, Self>| -> Vec<_> {
            let waited = table.iter().filter(|(_, condition)| !condition.sleepers.is_empty());
            waited.map(|(address, condition)| (*address, condition.sleepers.clone())).collect()
        };
        sleepers(one) == sleepers(other)
    }
}

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_cond_init"], initialise_by_attributes),
    row(&["pthread_cond_destroy"], destroy).which(CallEffect::Destroy),
    row(&["pthread_cond_wait"], |call| waiting_point(call, ASLEEP, wait)).which(CallEffect::ConditionWait),
    row(&["pthread_cond_timedwait"], |call| {
        waiting_point(call, ASLEEP, |call| timed_wait(call, Deadline::Argument(2)))
    })
    .which(CallEffect::ConditionWait),
    row(&["pthread_cond_clockwait"], |call| {
        waiting_point(call, ASLEEP, |call| timed_wait(call, Deadline::AfterClock(3)))
    })
    .which(CallEffect::ConditionWait),
    row(&["pthread_cond_signal"], signal).which(CallEffect::Signal),
    row(&["pthread_cond_broadcast"], broadcast).which(CallEffect::Broadcast),
    row(&["pthread_condattr_init"], attributes::initialise),
    row(&["pthread_condattr_destroy"], attributes::destroy),
    row(&["pthread_condattr_setclock"], |call| attributes::set(call, CLOCK)),
    row(&["pthread_condattr_getclock"], |call| attributes::get(call, CLOCK)),
    row(&["pthread_condattr_setpshared"], |call| attributes::set(call, SHARED)),
    row(&["pthread_condattr_getpshared"], |call| attributes::get(call, SHARED)),
];

/// The clock that limits waits (`CLOCK_REALTIME` or `CLOCK_MONOTONIC`).
const CLOCK: Setting = Setting { shift: 8, highest: 1 };
/// The phase of a wait in which the thread has been queued and does not hold the mutex.
pub(crate) const ASLEEP: u32 = 2;
/// Bytes of a `pthread_cond_t`, in glibc and musl alike.
const EXTENT: u64 = 48;
/// Where a destroyed one is marked, as in glibc.
const MARK_OFFSET: u64 = 36;
const MARK: u64 = 4;

fn find(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Condition, Stop> {
    call.object(address, EXTENT, Purpose::Read)?;
    let condition = call.state().data.own.sync.conditions.get(&address).cloned().unwrap_or_default();
    if condition.destroyed {
        if call.read_object(address + MARK_OFFSET, 4)? == 0 {
            // The static initialiser was assigned.
            return Ok(Condition::default());
        }
        if call.phase() > 0 {
            call.misuse(FailureDetail::UseAfterDestroy, "use of a destroyed condition variable")?;
        }
    }
    Ok(condition)
}

pub(crate) fn initialise(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    initialise_with(call, address, REALTIME)
}

fn initialise_by_attributes(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, attributes) = (call.argument(0)?, call.argument(1)?);
    let clock = if attributes == 0 { REALTIME } else { attributes::value(call, attributes, CLOCK)? };
    initialise_with(call, address, clock)
}

fn initialise_with(call: &mut PosixCall<'_, '_>, address: u64, clock: u64) -> Step {
    call.object(address, EXTENT, Purpose::Write)?;
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    // Threads that wait go on waiting.
    let Condition { sleepers, cancellable, .. } =
        call.state().data.own.sync.conditions.get(&address).cloned().unwrap_or_default();
    if !sleepers.is_empty() {
        call.misuse(
            FailureDetail::InitWaited,
            "initialisation of a condition variable on which threads wait",
        )?;
    }
    let condition = Condition { clock, sleepers, cancellable, ..Condition::default() };
    call.data().own.sync.conditions.insert(address, condition);
    int(0)
}

pub(crate) fn destroy(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mut condition = find(call, address)?;
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    if !condition.sleepers.is_empty() {
        let message = "destroy of a condition variable on which threads wait";
        return Err(call.fault(FailureKind::SyncMisuse, FailureDetail::DestroyWaited, message));
    }
    condition.destroyed = true;
    call.write_object(address + MARK_OFFSET, 4, Value::Concrete(MARK))?;
    call.data().own.sync.conditions.insert(address, condition);
    int(0)
}

fn wait(call: &mut PosixCall<'_, '_>) -> Step {
    wait_for_ever(call)
}

/// Waits to be woken; on request, a wait may also end by itself.
pub(crate) fn wait_for_ever(call: &mut PosixCall<'_, '_>) -> Step {
    let limit = may_end_by_itself(call)?.then_some(u64::MAX);
    wait_until(call, limit, 0)
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
    wait_until(call, Some(until), ETIMEDOUT)
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
fn wait_until(call: &mut PosixCall<'_, '_>, limit: Option<u64>, unwoken: i32) -> Step {
    match call.phase() {
        0 => announce(call),
        1 => fall_asleep(call, limit),
        ASLEEP if limit.is_some() || call.bookkeeping().may_cancel => leave_queue(call, limit, unwoken),
        _ => take_mutex_back(call, unwoken),
    }
}

fn announce(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, guard) = (call.argument(0)?, call.argument(1)?);
    find(call, address)?;
    let mutex = mutex::find(call, guard)?;
    let mode = mutex.mode_of_unlock(call.thread());
    let footprint = smallvec![Access::object(address, Mode::Write), Access::object(guard, mode)];
    Ok(call.synchronise(footprint, None))
}

fn fall_asleep(call: &mut PosixCall<'_, '_>, limit: Option<u64>) -> Step {
    let (address, guard) = (call.argument(0)?, call.argument(1)?);
    let mut condition = find(call, address)?;
    let mut mutex = mutex::find(call, guard)?;
    let me = call.thread();
    if mutex.owner != Some(me) {
        // As POSIX demands for these types; for the others the effect is undefined.
        if mutex.reports_misuse() {
            return int(EPERM);
        }
        let message = "wait on a condition variable with a mutex the thread does not own";
        call.misuse(FailureDetail::WaitNotOwner, message)?;
    }
    if !condition.sleepers.is_empty() && condition.guard != guard {
        let message = "wait on a condition variable on which threads wait with another mutex";
        call.misuse(FailureDetail::WaitOtherMutex, message)?;
    }
    condition.guard = guard;
    *call.scratch() = smallvec![Ending::Signalled as u64, limit.is_some().into()];
    condition.sleepers.push_back(me);
    // As the libraries do: of several holds of a recursive mutex, one is given back.
    if !mutex.give_back() {
        call.is_beyond_traces("a wait that holds its mutex further times");
    }
    call.release((guard, 0));
    call.synchronises(Synchronisation::WaitBegin { condition: address, mutex: guard });
    let data = call.data();
    data.own.sync.conditions.insert(address, condition);
    mutex.note_released(guard, &mut data.own.sync.mutexes);
    if limit.is_none() && !call.bookkeeping().may_cancel {
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
fn leave_queue(call: &mut PosixCall<'_, '_>, limit: Option<u64>, unwoken: i32) -> Step {
    let (address, guard) = (call.argument(0)?, call.argument(1)?);
    let me = call.thread();
    let is_known = |entry: &&Condition| entry.sleepers.contains(&me) || entry.cancellable.contains(&me);
    let mut ending = Ending::Signalled;
    if let Some(mut condition) = call.state().data.own.sync.conditions.get(&address).filter(is_known).cloned()
    {
        let is_due = is_due(call.state(), me);
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

fn take_mutex_back(call: &mut PosixCall<'_, '_>, unwoken: i32) -> Step {
    let (address, guard) = (call.argument(0)?, call.argument(1)?);
    let mut mutex = mutex::find(call, guard)?;
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
    match (ending, protected) {
        (Ending::Cancelled, _) => act(call),
        (_, Protected::Abandoned) => int(EOWNERDEAD),
        (Ending::Elapsed, _) => int(unwoken),
        (Ending::Signalled, _) => int(0),
    }
}

/// The footprint of waking: the queue, the wake-up, and whether sleepers are to be cancelled, since those are
/// woken last.
fn wakers_footprint(call: &PosixCall<'_, '_>, address: u64, condition: &Condition) -> Footprint {
    let mut footprint: Footprint = smallvec![Access::object(address, Mode::Write), post(wake_up(address))];
    if call.bookkeeping().may_cancel {
        footprint.extend(condition.sleepers.iter().map(|sleeper| read(cancellation(*sleeper))));
    }
    footprint
}

pub(crate) fn signal(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mut condition = find(call, address)?;
    let footprint = wakers_footprint(call, address, &condition);
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(park);
    }
    if condition.sleepers.is_empty() {
        call.synchronises(Synchronisation::Signal { condition: address, woken: None });
        return lose(call, address, condition);
    }
    // A thread that is to be cancelled does not consume a signal while others sleep.
    let sleepers: SmallVec<[ThreadId; 4]> = condition.sleepers.iter().copied().collect();
    let stays = |sleeper: &ThreadId| !is_due(call.state(), *sleeper);
    let staying: SmallVec<[ThreadId; 4]> = sleepers.iter().copied().filter(stays).collect();
    let woken_from = if staying.is_empty() { &sleepers } else { &staying };
    let woken = woken_from[call.choose(woken_from.len() as u32)? as usize];
    condition.sleepers.retain(|sleeper| *sleeper != woken);
    condition.lost = None;
    if call.bookkeeping().may_cancel && staying.len() <= 1 {
        condition.cancellable.push_back(woken);
    }
    call.synchronises(Synchronisation::Signal { condition: address, woken: Some(woken) });
    call.data().own.sync.conditions.insert(address, condition);
    int(0)
}

pub(crate) fn broadcast(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mut condition = find(call, address)?;
    if call.phase() == 0 {
        let footprint = smallvec![Access::object(address, Mode::Write), post(wake_up(address))];
        return Ok(call.synchronise(footprint, None));
    }
    call.synchronises(Synchronisation::Broadcast(address));
    if condition.sleepers.is_empty() {
        return lose(call, address, condition);
    }
    let woken = std::mem::take(&mut condition.sleepers);
    condition.lost = None;
    if call.bookkeeping().may_cancel {
        condition.cancellable.append(woken);
    }
    call.data().own.sync.conditions.insert(address, condition);
    int(0)
}

/// No thread sleeps: the signal has no effect, which is noted in case a thread waits for it later (a lost
/// wake-up).
fn lose(call: &mut PosixCall<'_, '_>, address: u64, condition: Condition) -> Step {
    let lost = Some((call.caller_span(), call.thread()));
    call.data().own.sync.conditions.insert(address, Condition { lost, ..condition });
    int(0)
}
