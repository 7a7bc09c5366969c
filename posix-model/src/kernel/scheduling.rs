//! `<sched.h>` for processes: which policies and priorities there are, and which a process says it has.

use crate::answer::{PosixCall, Step, fail_int, failed, finish_failure, int, word};
use crate::errno::{EINVAL, EPERM, ESRCH};
use crate::kernel::process::thread_meant;
use crate::kernel::system_calls::{SystemCall, argument, call as system_call};
use crate::row::{Row, row};
use crate::threads::scheduling::priorities;
use crate::threads::{record, store};
use symx_interp::value::Value;
use symx_trace::ThreadId;

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
    if thread_meant(call, thread.into()).is_none() {
        return failed(ESRCH);
    }
    call.write(result, 8, Value::Concrete(0))?;
    call.write(result + 8, 8, Value::Concrete(TURN))?;
    word(0)
}

/// The thread that the first argument means, or why there is none.
fn target(call: &mut PosixCall<'_, '_>) -> Result<Result<ThreadId, i32>, symx_interp::stop::Stop> {
    let number = call.argument(0)? as u32;
    if (number as i32) < 0 {
        return Ok(Err(EINVAL));
    }
    Ok(thread_meant(call, number.into()).ok_or(ESRCH))
}

/// Sets policy and priority, if there are such.
fn change(call: &mut PosixCall<'_, '_>, policy: Option<u64>, parameters: u64) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let target = match target(call)? {
        Ok(target) => target,
        // There is another process: the first of all, which belongs to root.
        Err(ESRCH) if call.argument(0)? == 1 => return fail_int(call, EPERM),
        Err(error) => return fail_int(call, error),
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
    match target(call)? {
        Ok(target) => int(record(call, target).scheduling.0 as i32),
        Err(error) => fail_int(call, error),
    }
}

fn parameters(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let result = call.argument(1)?;
    match target(call)? {
        Ok(_) if result == 0 => fail_int(call, EINVAL),
        Ok(target) => {
            let priority = record(call, target).scheduling.1;
            call.write(result, 4, Value::Concrete(priority))?;
            int(0)
        }
        Err(error) => fail_int(call, error),
    }
}
