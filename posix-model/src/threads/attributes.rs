//! `pthread_attr_t`: kept so that what was set can be got, from the object or from the thread made with it.
//!
//! The settings live in the attribute object itself, so copies of it are as good. A thread remembers the
//! bytes of its own. Settings that change what a program does are the detach state, signals to block, and
//! scheduling where it is explicit.

use crate::answer::{PosixCall, Step, int};
use crate::errno::{EINVAL, ENOTSUP};
use crate::row::{Row, row};
use crate::threads::processors::{processor_mask, processor_set, put_processor_set};
use crate::threads::scheduling::priorities;
use crate::threads::{record, thread_of};
use std::ops::Range;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::threads::user_stack::nominal_stack;
use symx_interp::value::Value;

/// Bytes of a `pthread_attr_t`, in glibc and musl alike.
pub(crate) const EXTENT: usize = 56;
/// The bytes of an attribute object.
pub(crate) type Attributes = [u8; EXTENT];

/// A setting: its first byte in the object and how many it has there.
#[derive(Clone, Copy)]
struct Field {
    at: usize,
    bytes: usize,
}

const fn field(at: usize, bytes: usize) -> Field {
    Field { at, bytes }
}

const DETACHED: Field = field(0, 1);
const SCOPE: Field = field(1, 1);
const POLICY: Field = field(2, 1);
const INHERIT: Field = field(3, 1);
const PRIORITY: Field = field(4, 4);
const STACK_SIZE: Field = field(8, 8);
const GUARD_SIZE: Field = field(16, 8);
/// Where the stack begins, which grows down: after its last byte, as glibc keeps it. 0 where the program gave
/// none.
const STACK_ADDRESS: Field = field(24, 8);
/// Processors, a bit each; 0 for all.
const AFFINITY: Field = field(32, 8);
const SIGNALS: Field = field(40, 8);
const HAS_SIGNALS: Field = field(48, 1);

const DEFAULT_STACK: u64 = 8 << 20;
/// Bytes that a process has addresses for: no stack is as large.
const ADDRESS_SPACE: u64 = 1 << 47;
const DEFAULT_GUARD: u64 = 4096;
/// glibc's `PTHREAD_STACK_MIN`: programs are compiled with its headers.
const SMALLEST_STACK: u64 = 16384;
/// `SCHED_OTHER`, `SCHED_FIFO`, `SCHED_RR`.
const LAST_POLICY: u64 = 2;
/// The answer of `pthread_attr_getsigmask_np` where none was set (`PTHREAD_ATTR_NO_SIGMASK_NP`).
const NO_SIGNALS: i32 = -1;

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
    row(&["pthread_attr_getschedparam"], |call| get(call, PRIORITY, 4)),
    row(&["pthread_attr_setstack"], set_stack),
    row(&["pthread_attr_getstack"], stack),
    row(&["pthread_attr_setstackaddr"], |call| set(call, STACK_ADDRESS, 8, 0, u64::MAX)),
    row(&["pthread_attr_getstackaddr"], |call| get(call, STACK_ADDRESS, 8)),
    row(&["pthread_attr_setaffinity_np"], set_affinity),
    row(&["pthread_attr_getaffinity_np"], affinity),
    row(&["pthread_attr_setsigmask_np"], set_signals),
    row(&["pthread_attr_getsigmask_np"], signals),
    row(&["pthread_getattr_np"], attributes_of_thread),
    row(&["pthread_getattr_default_np"], default_attributes),
    row(&["pthread_setattr_default_np"], set_default_attributes),
];

fn number(attributes: &Attributes, field: Field) -> u64 {
    let bytes = &attributes[field.at..field.at + field.bytes];
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn put(attributes: &mut Attributes, field: Field, value: u64) {
    attributes[field.at..field.at + field.bytes].copy_from_slice(&value.to_le_bytes()[..field.bytes]);
}

/// The attributes a process starts with.
pub(crate) fn initial() -> Attributes {
    let mut attributes = [0; EXTENT];
    put(&mut attributes, STACK_SIZE, DEFAULT_STACK);
    put(&mut attributes, GUARD_SIZE, DEFAULT_GUARD);
    attributes
}

/// The settings with which a thread is created.
#[derive(Clone)]
pub(crate) struct Requests {
    /// As bytes, to be reported again.
    pub attributes: Attributes,
    pub detached: bool,
    /// Policy and priority, unless they are its creator's.
    pub scheduling: Option<(u64, u64)>,
    /// Signals to block, unless they are its creator's.
    pub blocked: Option<u64>,
    /// Processors, unless they are its creator's.
    pub processors: Option<u64>,
    /// Memory of the program for its stack.
    pub stack: Option<Range<u64>>,
    /// Whether the stack can be had.
    pub has_room: bool,
}

/// The settings in the attribute object at `address` (0 for none).
pub(crate) fn requests(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Requests, Stop> {
    let attributes =
        if address == 0 { call.state().data.own.default_attributes } else { read_object(call, address)? };
    let get = |field| number(&attributes, field);
    Ok(Requests {
        attributes,
        detached: address != 0 && get(DETACHED) == 1,
        scheduling: (get(INHERIT) == 1).then(|| (get(POLICY), get(PRIORITY))),
        blocked: (get(HAS_SIGNALS) == 1).then(|| get(SIGNALS)),
        processors: (get(AFFINITY) != 0).then(|| get(AFFINITY)),
        stack: (get(STACK_ADDRESS) != 0).then(|| {
            let top = get(STACK_ADDRESS);
            top.saturating_sub(get(STACK_SIZE))..top
        }),
        has_room: get(STACK_ADDRESS) != 0 || get(STACK_SIZE) < ADDRESS_SPACE,
    })
}

fn read_object(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Attributes, Stop> {
    let bytes = call.read_bytes(address, EXTENT as u64)?;
    Ok(bytes.try_into().expect("as many bytes were read"))
}

fn initialise(call: &mut PosixCall<'_, '_>) -> Step {
    let attributes = call.argument(0)?;
    let defaults = call.state().data.own.default_attributes;
    call.write_bytes(attributes, &defaults)?;
    int(0)
}

fn destroy(call: &mut PosixCall<'_, '_>) -> Step {
    let attributes = call.argument(0)?;
    call.object(attributes, EXTENT as u64, Purpose::Write)?;
    int(0)
}

/// Sets a field to the second argument, of which `length` bytes count.
fn set(call: &mut PosixCall<'_, '_>, field: Field, length: u64, lowest: u64, highest: u64) -> Step {
    let attributes = call.argument(0)?;
    let mut value = call.argument(1)?;
    if length == 4 {
        value &= u64::from(u32::MAX);
    }
    call.object(attributes, EXTENT as u64, Purpose::Write)?;
    if value < lowest || value > highest {
        return int(EINVAL);
    }
    call.write(attributes + field.at as u64, field.bytes as u64, Value::Concrete(value))?;
    int(0)
}

/// Stores a field at the second argument's address, as `length` bytes.
fn get(call: &mut PosixCall<'_, '_>, field: Field, length: u64) -> Step {
    let (attributes, result) = (call.argument(0)?, call.argument(1)?);
    let value = number(&read_object(call, attributes)?, field);
    call.write(result, length, Value::Concrete(value))?;
    int(0)
}

fn set_parameters(call: &mut PosixCall<'_, '_>) -> Step {
    let (attributes, parameters) = (call.argument(0)?, call.argument(1)?);
    let policy = number(&read_object(call, attributes)?, POLICY);
    let priority = call.read_number(parameters, 4)?;
    if !priorities(policy).contains(&priority) {
        return int(EINVAL);
    }
    call.write(attributes + PRIORITY.at as u64, 4, Value::Concrete(priority))?;
    int(0)
}

/// Linux schedules all threads of the system against each other; the other scope is known and not supported.
fn set_scope(call: &mut PosixCall<'_, '_>) -> Step {
    match call.argument(1)? as u32 {
        1 => int(ENOTSUP),
        _ => set(call, SCOPE, 4, 0, 0),
    }
}

fn set_stack(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, start, size) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let mut attributes = read_object(call, address)?;
    if size < SMALLEST_STACK {
        return int(EINVAL);
    }
    put(&mut attributes, STACK_ADDRESS, start.wrapping_add(size));
    put(&mut attributes, STACK_SIZE, size);
    call.write_bytes(address, &attributes)?;
    int(0)
}

fn stack(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, start, size) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let attributes = read_object(call, address)?;
    let (top, bytes) = (number(&attributes, STACK_ADDRESS), number(&attributes, STACK_SIZE));
    call.write(start, 8, Value::Concrete(top.wrapping_sub(bytes)))?;
    call.write(size, 8, Value::Concrete(bytes))?;
    int(0)
}

fn set_affinity(call: &mut PosixCall<'_, '_>) -> Step {
    let (attributes, size, set) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    call.object(attributes, EXTENT as u64, Purpose::Write)?;
    let word = if set == 0 || size == 0 { Some(0) } else { processor_set(call, size, set)? };
    let Some(word) = word else { return int(EINVAL) };
    call.write(attributes + AFFINITY.at as u64, 8, Value::Concrete(word))?;
    int(0)
}

fn affinity(call: &mut PosixCall<'_, '_>) -> Step {
    let (attributes, size, set) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let word = match number(&read_object(call, attributes)?, AFFINITY) {
        0 => u64::MAX,
        word => word,
    };
    match put_processor_set(call, word, size, set)? {
        Some(()) => int(0),
        None => int(EINVAL),
    }
}

fn set_signals(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, set) = (call.argument(0)?, call.argument(1)?);
    let mut attributes = read_object(call, address)?;
    let signals = if set == 0 { 0 } else { call.read_number(set, 8)? };
    put(&mut attributes, SIGNALS, signals);
    put(&mut attributes, HAS_SIGNALS, u64::from(set != 0));
    call.write_bytes(address, &attributes)?;
    int(0)
}

fn signals(call: &mut PosixCall<'_, '_>) -> Step {
    const SET_BYTES: usize = 128;
    let (address, set) = (call.argument(0)?, call.argument(1)?);
    let attributes = read_object(call, address)?;
    let mut bytes = number(&attributes, SIGNALS).to_le_bytes().to_vec();
    bytes.resize(SET_BYTES, 0);
    call.write_bytes(set, &bytes)?;
    int(if number(&attributes, HAS_SIGNALS) == 1 { 0 } else { NO_SIGNALS })
}

fn attributes_of_thread(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, result) = (call.argument(0)?, call.argument(1)?);
    let Some(target) = thread_of(call, thread) else { return int(crate::errno::ESRCH) };
    let record = record(call, target);
    let mut attributes = record.attributes.unwrap_or(call.state().data.own.default_attributes);
    put(&mut attributes, DETACHED, record.detached.into());
    put(&mut attributes, POLICY, record.scheduling.0);
    put(&mut attributes, PRIORITY, record.scheduling.1);
    put(&mut attributes, AFFINITY, record.processors.unwrap_or_else(|| processor_mask(call)));
    if number(&attributes, STACK_ADDRESS) == 0 {
        let top = nominal_stack(target) + number(&attributes, STACK_SIZE);
        put(&mut attributes, STACK_ADDRESS, top);
    }
    call.write_bytes(result, &attributes)?;
    int(0)
}

fn default_attributes(call: &mut PosixCall<'_, '_>) -> Step {
    initialise(call)
}

/// A default has a stack of some size, at no place of the program's.
fn set_default_attributes(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mut attributes = read_object(call, address)?;
    if number(&attributes, STACK_ADDRESS) != 0 || number(&attributes, DETACHED) != 0 {
        return int(EINVAL);
    }
    if number(&attributes, STACK_SIZE) == 0 {
        put(&mut attributes, STACK_SIZE, DEFAULT_STACK);
    }
    call.data().own.default_attributes = attributes;
    int(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_touch_each_other() {
        let mut attributes = initial();
        put(&mut attributes, PRIORITY, 7);
        put(&mut attributes, AFFINITY, u64::MAX);
        put(&mut attributes, SIGNALS, 3);
        assert_eq!(number(&attributes, STACK_SIZE), DEFAULT_STACK);
        assert_eq!(number(&attributes, GUARD_SIZE), DEFAULT_GUARD);
        assert_eq!((number(&attributes, PRIORITY), number(&attributes, SIGNALS)), (7, 3));
        assert_eq!(number(&attributes, HAS_SIGNALS), 0);
    }
}
