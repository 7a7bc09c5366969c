//! `pthread_attr_t` and scheduling parameters: kept so that what was set can be got; of all, only the detach state
//! changes what a program does.
//!
//! The settings live in the attribute object itself, so copies of it are as good.

use crate::answer::{PosixCall, Step, int};
use crate::errno::{EINVAL, ENOTSUP};
use crate::registry::{Row, row};
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::value::Value;

/// Bytes of a `pthread_attr_t`, in glibc and musl alike.
const EXTENT: u64 = 56;
// Where the settings are in it.
const DETACHED: u64 = 0;
const SCOPE: u64 = 4;
const POLICY: u64 = 8;
const INHERIT: u64 = 12;
const PRIORITY: u64 = 16;
const STACK_SIZE: u64 = 24;
const GUARD_SIZE: u64 = 32;
const STACK_ADDRESS: u64 = 40;

const DEFAULT_STACK: u64 = 8 << 20;
const DEFAULT_GUARD: u64 = 4096;
/// glibc's `PTHREAD_STACK_MIN`: programs are compiled with its headers.
const SMALLEST_STACK: u64 = 16384;
/// `SCHED_OTHER`, `SCHED_FIFO`, `SCHED_RR`.
const LAST_POLICY: u64 = 2;

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_attr_init"], initialise),
    row(&["pthread_attr_destroy"], destroy),
    row(&["pthread_attr_setdetachstate"], |call| set(call, DETACHED, 4, 0, 1)),
    row(&["pthread_attr_getdetachstate"], |call| get(call, DETACHED, 4)),
    row(&["pthread_attr_setscope"], set_scope),
    row(&["pthread_attr_getscope"], |call| get(call, SCOPE, 4)),
    row(&["pthread_attr_setschedpolicy"], |call| set(call, POLICY, 4, 0, LAST_POLICY)),
    row(&["pthread_attr_getschedpolicy"], |call| get(call, POLICY, 4)),
    row(&["pthread_attr_setinheritsched"], |call| set(call, INHERIT, 4, 0, 1)),
    row(&["pthread_attr_getinheritsched"], |call| get(call, INHERIT, 4)),
    row(&["pthread_attr_setstacksize"], |call| set(call, STACK_SIZE, 8, SMALLEST_STACK, u64::MAX)),
    row(&["pthread_attr_getstacksize"], |call| get(call, STACK_SIZE, 8)),
    row(&["pthread_attr_setguardsize"], |call| set(call, GUARD_SIZE, 8, 0, u64::MAX)),
    row(&["pthread_attr_getguardsize"], |call| get(call, GUARD_SIZE, 8)),
    row(&["pthread_attr_setschedparam"], set_parameters),
    row(&["pthread_attr_getschedparam"], parameters),
    row(&["pthread_attr_setstack"], set_stack),
    row(&["pthread_attr_getstack"], stack),
    row(&["pthread_setconcurrency"], set_concurrency),
    row(&["pthread_getconcurrency"], |_| int(0)),
];

/// Whether the attribute object at `attributes` (0 for none) asks for a detached thread.
pub(crate) fn is_detached(call: &mut PosixCall<'_, '_>, attributes: u64) -> Result<bool, Stop> {
    Ok(attributes != 0 && call.read_number(attributes + DETACHED, 4)? == 1)
}

fn initialise(call: &mut PosixCall<'_, '_>) -> Step {
    let attributes = call.argument(0)?;
    call.write_bytes(attributes, &[0; EXTENT as usize])?;
    call.write(attributes + STACK_SIZE, 8, Value::Concrete(DEFAULT_STACK))?;
    call.write(attributes + GUARD_SIZE, 8, Value::Concrete(DEFAULT_GUARD))?;
    int(0)
}

fn destroy(call: &mut PosixCall<'_, '_>) -> Step {
    let attributes = call.argument(0)?;
    call.object(attributes, EXTENT, Purpose::Write)?;
    int(0)
}

fn set(call: &mut PosixCall<'_, '_>, offset: u64, length: u64, lowest: u64, highest: u64) -> Step {
    let attributes = call.argument(0)?;
    let mut value = call.argument(1)?;
    if length == 4 {
        value &= u64::from(u32::MAX);
    }
    call.object(attributes, EXTENT, Purpose::Write)?;
    if value < lowest || value > highest {
        return int(EINVAL);
    }
    call.write(attributes + offset, length, Value::Concrete(value))?;
    int(0)
}

fn get(call: &mut PosixCall<'_, '_>, offset: u64, length: u64) -> Step {
    let (attributes, result) = (call.argument(0)?, call.argument(1)?);
    let value = call.read(attributes + offset, length)?;
    call.write(result, length, value)?;
    int(0)
}

fn set_parameters(call: &mut PosixCall<'_, '_>) -> Step {
    let (attributes, parameters) = (call.argument(0)?, call.argument(1)?);
    let (policy, priority) = (call.read_number(attributes + POLICY, 4)?, call.read_number(parameters, 4)?);
    if !priorities(policy).contains(&priority) {
        return int(EINVAL);
    }
    call.write(attributes + PRIORITY, 4, Value::Concrete(priority))?;
    int(0)
}

/// The priorities of a scheduling policy; none if there is no such policy.
pub(crate) fn priorities(policy: u64) -> std::ops::RangeInclusive<u64> {
    match policy {
        0 => 0..=0,
        1 | 2 => 1..=99,
        #[allow(clippy::reversed_empty_ranges)] // that is what none is
        _ => 1..=0,
    }
}

/// Linux schedules all threads of the system against each other; the other scope is known and not supported.
fn set_scope(call: &mut PosixCall<'_, '_>) -> Step {
    match call.argument(1)? as u32 {
        1 => int(ENOTSUP),
        _ => set(call, SCOPE, 4, 0, 0),
    }
}

fn parameters(call: &mut PosixCall<'_, '_>) -> Step {
    get(call, PRIORITY, 4)
}

fn set_stack(call: &mut PosixCall<'_, '_>) -> Step {
    let (attributes, address, size) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    call.object(attributes, EXTENT, Purpose::Write)?;
    if size < SMALLEST_STACK {
        return int(EINVAL);
    }
    call.write(attributes + STACK_ADDRESS, 8, Value::Concrete(address))?;
    call.write(attributes + STACK_SIZE, 8, Value::Concrete(size))?;
    int(0)
}

fn stack(call: &mut PosixCall<'_, '_>) -> Step {
    let (attributes, address, size) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let values = (call.read(attributes + STACK_ADDRESS, 8)?, call.read(attributes + STACK_SIZE, 8)?);
    call.write(address, 8, values.0)?;
    call.write(size, 8, values.1)?;
    int(0)
}

fn set_concurrency(call: &mut PosixCall<'_, '_>) -> Step {
    int(if call.argument(0)? as i32 >= 0 { 0 } else { EINVAL })
}
