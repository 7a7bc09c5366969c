//! `<sched.h>` for processes: which policies and priorities there are, and which a process says it has.

use crate::answer::{PosixCall, Step, Turn, fail_int, failed, finish_failure, int, word};
use crate::errno::{EINVAL, EPERM, ESRCH};
use crate::kernel::process::numbered::stand_before_thread;
use crate::kernel::system_calls::{SystemCall, argument, call as system_call};
use crate::places::{read, write};
use crate::row::{Row, row};
use crate::threads::scheduling::priorities;
use crate::threads::{record, store};
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Access, Place, ThreadId};

pub(crate) const CALLS: &[SystemCall] = &[
    system_call(146, "sched_get_priority_max", |call| limit(call, |policy| priorities(policy).last())),
    system_call(147, "sched_get_priority_min", |call| limit(call, |policy| priorities(policy).next())),
    system_call(148, "sched_rr_get_interval", interval),
];

/// libc has no system calls for these.
pub(crate) const ROWS: &[Row] = &[
    row(&["sched_setscheduler"], set_scheduler),
    row(&["sched_getscheduler"], scheduler),
    row(&["sched_setparam"], set_parameters),
    row(&["sched_getparam"], parameters),
];

/// Nanoseconds of a turn under the round-robin policy.
const TURN: u64 = 100_000_000;

fn limit(call: &mut PosixCall<'_, '_>, of: fn(u64) -> Option<u64>) -> Step {
    let policy = argument(call, 0)? & u64::from(u32::MAX);
    match of(policy) {
        Some(priority) => word(priority),
        None => failed(EINVAL),
    }
}

fn interval(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, result) = (argument(call, 0)? as u32, argument(call, 1)?);
    if (thread as i32) < 0 {
        return failed(EINVAL);
    }
    match stand_before_thread(call, thread.into(), read) {
        Turn::Go(Some(_)) => {}
        Turn::Go(None) => return failed(ESRCH),
        Turn::Answer(answer) => return answer,
    }
    call.write(result, 8, Value::Concrete(0))?;
    call.write(result + 8, 8, Value::Concrete(TURN))?;
    word(0)
}

/// Stands before an `access` to the record of the thread that the first argument means: that thread, or why
/// there is none.
fn target(
    call: &mut PosixCall<'_, '_>,
    access: fn(Place) -> Access,
) -> Result<Turn<Result<ThreadId, i32>>, Stop> {
    let number = call.argument(0)? as u32;
    if (number as i32) < 0 {
        return Ok(Turn::Go(Err(EINVAL)));
    }
    Ok(match stand_before_thread(call, number.into(), access) {
        Turn::Go(target) => Turn::Go(target.ok_or(ESRCH)),
        Turn::Answer(answer) => Turn::Answer(answer),
    })
}

/// Sets policy and priority, if there are such.
fn change(call: &mut PosixCall<'_, '_>, policy: Option<u64>, parameters: u64) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let target = match target(call, write)? {
        Turn::Go(Ok(target)) => target,
        // There is another process: the first of all, which belongs to root.
        Turn::Go(Err(ESRCH)) if call.argument(0)? == 1 => return fail_int(call, EPERM),
        Turn::Go(Err(error)) => return fail_int(call, error),
        Turn::Answer(answer) => return answer,
    };
    if parameters == 0 {
        return fail_int(call, EINVAL);
    }
    let priority = call.read_number(parameters, 4)?;
    let mut record = record(call, target);
    let policy = policy.unwrap_or(record.scheduling.0);
    if !priorities(policy).contains(&priority) {
        return fail_int(call, EINVAL);
    }
    record.scheduling = (policy, priority);
    store(call, target, record);
    int(0)
}

fn set_scheduler(call: &mut PosixCall<'_, '_>) -> Step {
    let (policy, parameters) = (call.argument(1)? & u64::from(u32::MAX), call.argument(2)?);
    change(call, Some(policy), parameters)
}

fn set_parameters(call: &mut PosixCall<'_, '_>) -> Step {
    let parameters = call.argument(1)?;
    change(call, None, parameters)
}

fn scheduler(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    match target(call, read)? {
        Turn::Go(Ok(target)) => int(record(call, target).scheduling.0 as i32),
        Turn::Go(Err(error)) => fail_int(call, error),
        Turn::Answer(answer) => answer,
    }
}

fn parameters(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let result = call.argument(1)?;
    match target(call, read)? {
        Turn::Go(Ok(_)) if result == 0 => fail_int(call, EINVAL),
        Turn::Go(Ok(target)) => {
            let priority = record(call, target).scheduling.1;
            call.write(result, 4, Value::Concrete(priority))?;
            int(0)
        }
        Turn::Go(Err(error)) => fail_int(call, error),
        Turn::Answer(answer) => answer,
    }
}
