//! C11's threads: the same objects as POSIX's under other names and with other results.

use crate::answer::{PosixCall, Step};
use crate::errno::{EBUSY, ETIMEDOUT};
use crate::options::Posix;
use crate::row::{Row, row};
use crate::sync::condition;
use crate::sync::deadline::Deadline;
use crate::sync::mutex::{self, MutexKind};
use crate::threads::cancellation::{point, waiting_point};
use crate::threads::keys;
use symx_interp::environment::Outcome;
use symx_interp::value::Value;
use symx_trace::CallEffect;

// Results, the same in glibc and musl.
const BUSY: i32 = 1;
const ERROR: i32 = 2;
const TIMED_OUT: i32 = 4;
/// The bit of a mutex's type that makes it recursive.
const RECURSIVE: u64 = 1;

pub(crate) const ROWS: &[Row] = &[
    row(&["mtx_init"], mutex_initialise),
    row(&["mtx_lock"], |call| mutex::lock(call).map(standard_result)).which(CallEffect::Lock),
    row(&["mtx_trylock"], |call| mutex::try_lock(call).map(standard_result)).which(CallEffect::Lock),
    row(&["mtx_timedlock"], |call| mutex::timed_lock(call, Deadline::Argument(1)).map(standard_result))
        .which(CallEffect::Lock),
    row(&["mtx_unlock"], |call| mutex::unlock(call).map(standard_result)).which(CallEffect::Unlock),
    row(&["mtx_destroy"], mutex::destroy).which(CallEffect::Destroy),
    row(&["cnd_init"], condition::initialise),
    row(&["cnd_signal"], |call| condition::signal(call, &condition::POSIX)).which(CallEffect::Signal),
    row(&["cnd_broadcast"], |call| condition::broadcast(call, &condition::POSIX))
        .which(CallEffect::Broadcast),
    row(&["cnd_wait"], |call| {
        waiting_point(call, condition::ASLEEP, |call| {
            condition::wait_for_ever(call, &condition::POSIX).map(standard_result)
        })
    })
    .which(CallEffect::ConditionWait),
    row(&["cnd_timedwait"], |call| {
        waiting_point(call, condition::ASLEEP, |call| {
            condition::timed_wait(call, Deadline::Argument(2)).map(standard_result)
        })
    })
    .which(CallEffect::ConditionWait),
    row(&["cnd_destroy"], condition::destroy).which(CallEffect::Destroy),
    row(&["tss_create"], |call| keys::create(call).map(standard_result)),
    row(&["tss_set"], |call| keys::set(call).map(standard_result)),
    row(&["thrd_create"], create).which(CallEffect::CreateThread),
    row(&["thrd_join"], |call| super::join_point(call, join)).which(CallEffect::JoinThread),
    row(&["thrd_sleep"], |call| point(call, crate::kernel::standard_sleep)),
    row(&["thrd_detach"], |call| super::detach(call).map(standard_result)),
];

/// An error number as one of C11's results.
fn standard_result(outcome: Outcome<Posix>) -> Outcome<Posix> {
    let Outcome::Return(Value::Concrete(error)) = outcome else { return outcome };
    let result = match error as i32 {
        0 => 0,
        EBUSY => BUSY,
        ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    };
    Outcome::Return(Value::Concrete(result as u64))
}

fn mutex_initialise(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, kind) = (call.argument(0)?, call.argument(1)?);
    let kind = if kind & RECURSIVE != 0 { MutexKind::Recursive } else { MutexKind::Normal };
    mutex::initialise_as(call, address, kind)
}

/// `thrd_create(result, start, argument)`. The start routine returns an `int`, kept like any result.
fn create(call: &mut PosixCall<'_, '_>) -> Step {
    let (result, start) = (call.argument(0)?, call.argument(1)?);
    let argument = call.value(2);
    super::create_with(call, result, 0, start, argument)
}

fn join(call: &mut PosixCall<'_, '_>) -> Step {
    super::join_with(call, 4).map(standard_result)
}
