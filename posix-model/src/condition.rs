//! `pthread_cond_t`.
//!
//! A wait is two steps: going to sleep, which releases the mutex, and going on, which takes it back. A signal picks
//! any sleeper; which one is a choice of the schedule.

use crate::answer::{PosixCall, Step, announced, int, touching};
use crate::errno::ETIMEDOUT;
use crate::mutex;
use crate::places::{acquire, release, wake_up};
use crate::registry::{Row, row};
use crate::wait::PosixWait;
use imbl::Vector;
use smallvec::smallvec;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_trace::{Access, FailureKind, Footprint, Mode, ThreadId};

/// A condition variable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condition {
    /// Threads that sleep, longest first.
    pub sleepers: Vector<ThreadId>,
    /// Whether it was destroyed.
    pub destroyed: bool,
}

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_cond_init"], initialise),
    row(&["pthread_cond_destroy"], destroy),
    row(&["pthread_cond_wait"], wait),
    row(&["pthread_cond_timedwait", "pthread_cond_clockwait"], timed_wait),
    row(&["pthread_cond_signal"], signal),
    row(&["pthread_cond_broadcast"], broadcast),
    row(&["pthread_condattr_init", "pthread_condattr_destroy"], attributes),
    row(&["pthread_condattr_setclock", "pthread_condattr_setpshared"], attributes),
];

/// Bytes of a `pthread_cond_t`, in glibc and musl alike.
const EXTENT: u64 = 48;

fn find(call: &PosixCall<'_, '_>, address: u64) -> Result<Condition, Stop> {
    call.object(address, EXTENT, Purpose::Read)?;
    let condition = call.state().data.conditions.get(&address).cloned().unwrap_or_default();
    if condition.destroyed {
        let message = "use of a destroyed condition variable";
        return Err(call.fault(FailureKind::SyncMisuse, "use-after-destroy", message));
    }
    Ok(condition)
}

pub(crate) fn initialise(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    call.object(address, EXTENT, Purpose::Write)?;
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    call.data().conditions.insert(address, Condition::default());
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
    call.data().conditions.insert(address, condition);
    int(0)
}

fn wait(call: &mut PosixCall<'_, '_>) -> Step {
    let spurious = call.environment().options().spurious_wake_ups;
    wait_until(call, spurious, 0)
}

fn timed_wait(call: &mut PosixCall<'_, '_>) -> Step {
    wait_until(call, true, ETIMEDOUT)
}

/// Waits to be woken. A wait that may also end by itself (`limited`) is over whenever the mutex is free; it then
/// returns `unwoken`.
pub(crate) fn wait_until(call: &mut PosixCall<'_, '_>, limited: bool, unwoken: i32) -> Step {
    let (address, guard) = (call.argument(0)?, call.argument(1)?);
    let mut condition = find(call, address)?;
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
                let message = "wait on a condition variable with a mutex the thread does not own";
                return Err(call.fault(FailureKind::SyncMisuse, "wait-not-owner", message));
            }
            *call.scratch() = smallvec![u64::from(mutex.depth)];
            condition.sleepers.push_back(me);
            mutex.owner = None;
            mutex.depth = 0;
            let data = call.data();
            data.conditions.insert(address, condition);
            data.mutexes.insert(guard, mutex);
            // Ending by itself takes the sleeper out of the queue, so it does not commute with a signal.
            let queue =
                if limited { Access::object(address, Mode::Write) } else { acquire(wake_up(address)) };
            let footprint = smallvec![queue, Access::object(guard, Mode::Acquire)];
            let wait = if limited {
                PosixWait::Mutex(guard)
            } else {
                PosixWait::Condition { condition: address, mutex: guard }
            };
            Ok(call.synchronise(footprint, Some(wait)))
        }
        _ => {
            let asleep = condition.sleepers.index_of(&me);
            if let Some(index) = asleep {
                condition.sleepers.remove(index);
                call.data().conditions.insert(address, condition);
            }
            mutex.owner = Some(me);
            mutex.depth = call.scratch()[0] as u32;
            call.data().mutexes.insert(guard, mutex);
            int(if asleep.is_some() { unwoken } else { 0 })
        }
    }
}

fn wakers_footprint(address: u64) -> Footprint {
    smallvec![Access::object(address, Mode::Write), release(wake_up(address))]
}

pub(crate) fn signal(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mut condition = find(call, address)?;
    if call.phase() == 0 {
        return Ok(call.synchronise(wakers_footprint(address), None));
    }
    if !condition.sleepers.is_empty() {
        let woken = call.choose(condition.sleepers.len() as u32)?;
        condition.sleepers.remove(woken as usize);
        call.data().conditions.insert(address, condition);
    }
    int(0)
}

pub(crate) fn broadcast(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    find(call, address)?;
    if call.phase() == 0 {
        return Ok(call.synchronise(wakers_footprint(address), None));
    }
    call.data().conditions.insert(address, Condition::default());
    int(0)
}

/// Attributes say which clock limits waits and whether processes share the object: neither is observable here.
fn attributes(call: &mut PosixCall<'_, '_>) -> Step {
    let attributes = call.argument(0)?;
    call.object(attributes, 4, Purpose::Write)?;
    int(0)
}
