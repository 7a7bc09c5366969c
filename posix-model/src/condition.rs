//! `pthread_cond_t`.
//!
//! A wait is two steps: going to sleep, which releases the mutex, and going on, which takes it back. A signal picks
//! any sleeper; which one is a choice of the schedule.

use crate::answer::{PosixCall, Step, announced, int, touching};
use crate::attributes::{self, SHARED, Setting};
use crate::cancellation::point_until;
use crate::deadline::{Deadline, REALTIME};
use crate::errno::{EINVAL, ENOTRECOVERABLE, EOWNERDEAD, EPERM, ETIMEDOUT};
use crate::mutex::{self, MutexKind, Protected};
use crate::nesting;
use crate::places::{acquire, post, wake_up};
use crate::registry::{Row, row};
use crate::wait::{Goal, PosixWait};
use imbl::Vector;
use smallvec::smallvec;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_interp::value::Value;
use symx_ir::SpanId;
use symx_trace::{Access, CallEffect, FailureKind, Footprint, Mode, ThreadId};

/// A condition variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Condition {
    /// Threads that sleep, longest first.
    pub sleepers: Vector<ThreadId>,
    /// The mutex of those who sleep.
    guard: u64,
    /// Where and by whom it was signalled last while nobody slept.
    pub lost: Option<(SpanId, ThreadId)>,
    /// The clock that limits waits, by number.
    clock: u64,
    /// Whether it was destroyed.
    pub destroyed: bool,
}

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_cond_init"], initialise_by_attributes),
    row(&["pthread_cond_destroy"], destroy).which(CallEffect::Destroy),
    row(&["pthread_cond_wait"], |call| point_until(call, ASLEEP, wait)).which(CallEffect::ConditionWait),
    row(&["pthread_cond_timedwait"], |call| {
        point_until(call, ASLEEP, |call| timed_wait(call, Deadline::Argument(2)))
    })
    .which(CallEffect::ConditionWait),
    row(&["pthread_cond_clockwait"], |call| {
        point_until(call, ASLEEP, |call| timed_wait(call, Deadline::AfterClock(3)))
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
    let condition = call.state().data.conditions.get(&address).cloned().unwrap_or_default();
    if condition.destroyed {
        if call.read_number(address + MARK_OFFSET, 4)? == 0 {
            // The static initialiser was assigned.
            return Ok(Condition::default());
        }
        if call.phase() > 0 {
            call.misuse("use-after-destroy", "use of a destroyed condition variable")?;
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
    // Those who wait go on waiting.
    let old = call.state().data.conditions.get(&address);
    let sleepers = old.map_or_else(Vector::new, |condition| condition.sleepers.clone());
    if !sleepers.is_empty() {
        call.misuse("init-waited", "initialisation of a condition variable on which threads wait")?;
    }
    call.data().conditions.insert(address, Condition { clock, sleepers, ..Condition::default() });
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
        return Err(call.fault(FailureKind::SyncMisuse, "destroy-waited", message));
    }
    condition.destroyed = true;
    call.write(address + MARK_OFFSET, 4, Value::Concrete(MARK))?;
    call.data().conditions.insert(address, condition);
    int(0)
}

fn wait(call: &mut PosixCall<'_, '_>) -> Step {
    wait_for_ever(call)
}

/// Waits to be woken; on request, a wait also ends by itself.
pub(crate) fn wait_for_ever(call: &mut PosixCall<'_, '_>) -> Step {
    let spurious = call.environment().options().spurious_wake_ups;
    wait_until(call, spurious.then_some(u64::MAX), 0)
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

/// Waits to be woken. A wait that may also end by itself, at that time if not before, is over whenever the mutex is
/// free; it then returns `unwoken`.
fn wait_until(call: &mut PosixCall<'_, '_>, limit: Option<u64>, unwoken: i32) -> Step {
    let (address, guard) = (call.argument(0)?, call.argument(1)?);
    let mut condition = match call.phase() {
        0 | 1 => find(call, address)?,
        // Once everybody was woken, the condition variable may be destroyed, though some have yet to return.
        _ => call.state().data.conditions.get(&address).cloned().unwrap_or_default(),
    };
    let mut mutex = mutex::find(call, guard)?;
    let me = call.thread();
    match call.phase() {
        0 => {
            let footprint =
                smallvec![Access::object(address, Mode::Write), Access::object(guard, Mode::Release)];
            Ok(call.synchronise(footprint, None))
        }
        1 => {
            if mutex.owner != Some(me) {
                // As POSIX demands for these types; for the others the effect is undefined.
                if mutex.kind == MutexKind::ErrorChecking || mutex.robust {
                    return int(EPERM);
                }
                let message = "wait on a condition variable with a mutex the thread does not own";
                call.misuse("wait-not-owner", message)?;
            }
            if !condition.sleepers.is_empty() && condition.guard != guard {
                let message = "wait on a condition variable on which threads wait with another mutex";
                call.misuse("wait-other-mutex", message)?;
            }
            condition.guard = guard;
            *call.scratch() = smallvec![u64::from(mutex.depth.max(1))];
            condition.sleepers.push_back(me);
            (mutex.owner, mutex.taken) = (None, symx_ir::SpanId::UNKNOWN);
            mutex.depth = 0;
            call.release((guard, 0));
            call.synchronises(Synchronisation::WaitBegin { condition: address, mutex: guard });
            let data = call.data();
            data.conditions.insert(address, condition);
            data.mutexes.insert(guard, mutex);
            // Ending by itself takes the sleeper out of the queue, so it does not commute with a signal.
            let (queue, wait) = match limit {
                Some(until) => {
                    let goal = Goal::Condition { condition: address, mutex: guard };
                    (Access::object(address, Mode::Write), PosixWait::Limited { until, goal })
                }
                None => {
                    let wait = PosixWait::Condition { condition: address, mutex: guard };
                    (acquire(wake_up(address)), wait)
                }
            };
            let footprint = smallvec![queue, Access::object(guard, Mode::Acquire)];
            Ok(call.synchronise(footprint, Some(wait)))
        }
        _ => {
            let asleep = condition.sleepers.index_of(&me);
            if let Some(index) = asleep {
                condition.sleepers.remove(index);
                call.data().conditions.insert(address, condition);
                if let Some(until) = limit.filter(|_| unwoken == ETIMEDOUT) {
                    call.data().kernel.clock.sleep_until(me, until);
                }
            }
            // Another holder may have ended meanwhile.
            let protected = mutex.protected;
            if protected == Protected::Lost {
                return int(ENOTRECOVERABLE);
            }
            call.acquire((guard, 0));
            call.synchronises(match asleep {
                Some(_) => Synchronisation::WaitElapsed { condition: address, mutex: guard },
                None => Synchronisation::WaitSignalled { condition: address, mutex: guard },
            });
            nesting::note(call, guard, false);
            mutex.owner = Some(me);
            mutex.taken = call.caller_span();
            mutex.depth = call.scratch()[0] as u32;
            call.data().mutexes.insert(guard, mutex);
            int(match protected {
                Protected::Abandoned => EOWNERDEAD,
                _ if asleep.is_some() => unwoken,
                _ => 0,
            })
        }
    }
}

fn wakers_footprint(address: u64) -> Footprint {
    smallvec![Access::object(address, Mode::Write), post(wake_up(address))]
}

pub(crate) fn signal(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mut condition = find(call, address)?;
    if call.phase() == 0 {
        return Ok(call.synchronise(wakers_footprint(address), None));
    }
    if condition.sleepers.is_empty() {
        call.synchronises(Synchronisation::Signal { condition: address, woken: None });
        return lose(call, address, condition);
    }
    let woken = call.choose(condition.sleepers.len() as u32)?;
    let woken = condition.sleepers.remove(woken as usize);
    call.synchronises(Synchronisation::Signal { condition: address, woken: Some(woken) });
    call.data().conditions.insert(address, condition);
    int(0)
}

pub(crate) fn broadcast(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let condition = find(call, address)?;
    if call.phase() == 0 {
        return Ok(call.synchronise(wakers_footprint(address), None));
    }
    call.synchronises(Synchronisation::Broadcast(address));
    if condition.sleepers.is_empty() {
        return lose(call, address, condition);
    }
    call.data().conditions.insert(address, Condition { sleepers: Vector::new(), ..condition });
    int(0)
}

/// Nobody sleeps: the signal has no effect, which is worth knowing if somebody waits for it later.
fn lose(call: &mut PosixCall<'_, '_>, address: u64, condition: Condition) -> Step {
    let lost = Some((call.caller_span(), call.thread()));
    call.data().conditions.insert(address, Condition { lost, ..condition });
    int(0)
}
