//! `pthread_cond_t`.
//!
//! A wait is two steps: going to sleep, which releases the mutex, and going on, which takes it back. A wait
//! that can end without a signal has a step between them, in which the thread leaves the queue. A signal
//! picks any sleeper; which one is a choice of the schedule.

mod signals;
mod waits;

pub(crate) use signals::{broadcast, signal};
pub(crate) use waits::{ASLEEP, timed_wait, wait_for_ever, wait_until};

use crate::answer::{PosixCall, Step, announced, int, touching};
use crate::row::{Row, row};
use crate::sync::attributes::{self, SHARED, Setting};
use crate::sync::deadline::{Deadline, REALTIME};
use crate::sync::mutex::{self, Mutex};
use crate::sync::object::SyncObject;
use crate::threads::cancellation::waiting_point;
use imbl::{OrdMap, Vector};
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_ir::SpanId;
use symx_trace::{Access, CallEffect, FailureDetail, FailureKind, Mode, ThreadId};

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

/// How a library keeps its condition variables and the mutexes that go with them.
pub(crate) struct Library {
    /// The condition variable at an address.
    pub find: fn(&mut PosixCall<'_, '_>, u64) -> Result<Condition, Stop>,
    /// The mutex at an address.
    pub find_mutex: fn(&mut PosixCall<'_, '_>, u64) -> Result<Mutex, Stop>,
    /// Notes in the bytes of the mutex at an address whether it is held.
    pub note_held: fn(&mut PosixCall<'_, '_>, u64, bool) -> Result<(), Stop>,
    /// Whether threads that wait at a condition variable must all name the same mutex.
    pub has_one_mutex: bool,
    /// Whether threads are cancelled while they wait.
    pub cancels: bool,
}

/// `pthread_cond_t` and `pthread_mutex_t`.
pub(crate) const POSIX: Library = Library {
    find,
    find_mutex: mutex::find,
    note_held: |_, _, _| Ok(()),
    has_one_mutex: true,
    cancels: true,
};

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_cond_init"], initialise_by_attributes),
    row(&["pthread_cond_destroy"], destroy).which(CallEffect::Destroy),
    row(&["pthread_cond_wait"], |call| waiting_point(call, ASLEEP, |call| wait_for_ever(call, &POSIX)))
        .which(CallEffect::ConditionWait),
    row(&["pthread_cond_timedwait"], |call| {
        waiting_point(call, ASLEEP, |call| timed_wait(call, Deadline::Argument(2)))
    })
    .which(CallEffect::ConditionWait),
    row(&["pthread_cond_clockwait"], |call| {
        waiting_point(call, ASLEEP, |call| timed_wait(call, Deadline::AfterClock(3)))
    })
    .which(CallEffect::ConditionWait),
    row(&["pthread_cond_signal"], |call| signal(call, &POSIX)).which(CallEffect::Signal),
    row(&["pthread_cond_broadcast"], |call| broadcast(call, &POSIX)).which(CallEffect::Broadcast),
    row(&["pthread_condattr_init"], attributes::initialise),
    row(&["pthread_condattr_destroy"], attributes::destroy),
    row(&["pthread_condattr_setclock"], |call| attributes::set(call, CLOCK)),
    row(&["pthread_condattr_getclock"], |call| attributes::get(call, CLOCK)),
    row(&["pthread_condattr_setpshared"], |call| attributes::set(call, SHARED)),
    row(&["pthread_condattr_getpshared"], |call| attributes::get(call, SHARED)),
];

/// The clock that limits waits (`CLOCK_REALTIME` or `CLOCK_MONOTONIC`).
const CLOCK: Setting = Setting { shift: 8, highest: 1 };
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
