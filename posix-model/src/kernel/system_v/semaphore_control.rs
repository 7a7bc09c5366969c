//! `semctl`: looking at sets of semaphores, and changing them other than by operations.

use crate::answer::{PosixCall, Step, failed, word};
use crate::errno::{EACCES, EINVAL, ERANGE};
use crate::kernel::process::PROCESS;
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::kernel::system_v::semaphores::{MOST, Semaphore, SemaphoreSet};
use crate::kernel::system_v::{
    Kind, LIMITS, PERMISSIONS, REMOVE, SET, STATUS, TO_READ, TO_WRITE, carrier, change, find, identifier,
    new_permissions, refuse, remove, stand_before, time_of_event,
};
use crate::options::Posix;
use crate::places::{read, write};
use crate::sync::wait::{Goal, PosixWait, is_waiting};
use smallvec::smallvec;
use symx_interp::state::State;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Access, Footprint, Place, ThreadId};

pub(crate) const CALLS: &[SystemCall] = &[row(66, "semctl", control)];

// Commands of `semctl`.
const GET_PROCESS: u32 = 11;
const GET_VALUE: u32 = 12;
const GET_ALL: u32 = 13;
const COUNT_FOR_MORE: u32 = 14;
const COUNT_FOR_ZERO: u32 = 15;
const SET_VALUE: u32 = 16;
const SET_ALL: u32 = 17;

/// Commands that are not modelled.
fn unmodelled(command: u32) -> Option<&'static str> {
    Some(match command {
        LIMITS => "IPC_INFO",
        18 => "SEM_STAT",
        19 => "SEM_INFO",
        20 => "SEM_STAT_ANY",
        _ => return None,
    })
}

/// `semctl(set, number, command, argument)`
fn control(call: &mut PosixCall<'_, '_>) -> Step {
    let (id, number, command) = (identifier(call)?, argument(call, 1)? as u32, argument(call, 2)? as u32);
    match command {
        REMOVE => {
            let place = Kind::Semaphores.place(id);
            let footprint = smallvec![write(Kind::Semaphores.keys()), write(place)];
            with_set(call, id, footprint, 0, |call, _| {
                remove::<SemaphoreSet>(call, id);
                word(0)
            })
        }
        SET => with_set(call, id, whole(id, write), 0, |call, _| {
            let address = argument(call, 3)?;
            let permissions = new_permissions(call, address)?;
            change::<SemaphoreSet>(call, id, |set| set.permissions = permissions);
            word(0)
        }),
        STATUS => with_set(call, id, whole(id, read), TO_READ, |call, _| describe_to(call, id)),
        GET_VALUE | GET_PROCESS | COUNT_FOR_MORE | COUNT_FOR_ZERO => {
            with_set(call, id, whole(id, read), TO_READ, |call, set| look(call, id, &set, number, command))
        }
        GET_ALL => with_set(call, id, whole(id, read), TO_READ, |call, set| {
            let address = argument(call, 3)?;
            call.acquire(carrier(Kind::Semaphores, id));
            let bytes: Vec<u8> =
                set.semaphores.iter().flat_map(|semaphore| (semaphore.value as u16).to_le_bytes()).collect();
            call.write_bytes(address, &bytes)?;
            word(0)
        }),
        SET_VALUE => match new_value(call)? {
            value @ 0..=MOST => with_set(call, id, whole(id, write), TO_WRITE, |call, set| {
                match set.semaphores.get(number as usize) {
                    Some(_) => set_values(call, id, [(number as usize, value)]),
                    None => failed(EINVAL),
                }
            }),
            _ => failed(ERANGE),
        },
        SET_ALL => with_set(call, id, whole(id, write), TO_WRITE, |call, set| {
            let address = argument(call, 3)?;
            let mut values = Vec::new();
            for index in 0..set.semaphores.len() {
                values.push((index, call.read_number(address + 2 * index as u64, 2)? as i32));
            }
            if values.iter().any(|(_, value)| *value > MOST) {
                return failed(ERANGE);
            }
            set_values(call, id, values)
        }),
        other => refuse(call, "semctl", unmodelled(other)),
    }
}

/// The `int` in argument 3. A program that passes it as that, not in a union, leaves the rest undefined.
fn new_value(call: &mut PosixCall<'_, '_>) -> Result<i32, Stop> {
    let value = match call.value(4) {
        Value::Symbolic(term) => Value::of(call.terms(), call.terms().extract(term, 0, 32)),
        value => value,
    };
    Ok(call.concretize(value)? as i32)
}

/// An access to the whole set.
fn whole(id: u64, access: fn(Place) -> Access) -> Footprint {
    smallvec![access(Kind::Semaphores.place(id))]
}

/// Does something with the set `id`, for which these permissions are needed.
fn with_set(
    call: &mut PosixCall<'_, '_>,
    id: u64,
    footprint: Footprint,
    permissions: u32,
    act: impl FnOnce(&mut PosixCall<'_, '_>, SemaphoreSet) -> Step,
) -> Step {
    if let Some(park) = stand_before(call, footprint) {
        return Ok(park);
    }
    match find::<SemaphoreSet>(call, id).cloned() {
        None => failed(EINVAL),
        Some(set) if !set.permits(permissions) => failed(EACCES),
        Some(set) => act(call, set.content),
    }
}

/// What `command` asks of a semaphore.
fn look(call: &mut PosixCall<'_, '_>, id: u64, set: &SemaphoreSet, number: u32, command: u32) -> Step {
    let Some(semaphore) = set.semaphores.get(number as usize).copied() else { return failed(EINVAL) };
    call.acquire(carrier(Kind::Semaphores, id));
    let counts = |is_meant: fn(i16) -> bool| {
        let asleep = set.sleepers.keys().filter(|thread| is_asleep(call.state(), **thread, id));
        let awaited = asleep.filter_map(|thread| set.awaited(*thread));
        awaited.filter(|wait| u32::from(wait.number) == number && is_meant(wait.change)).count() as u64
    };
    word(match command {
        GET_VALUE => semaphore.value as u64,
        GET_PROCESS if semaphore.is_used => PROCESS,
        COUNT_FOR_MORE => counts(|change| change < 0),
        COUNT_FOR_ZERO => counts(|change| change == 0),
        _ => 0,
    })
}

/// Whether `thread` waits at the set `id`: one that left by a jump out of a handler does not.
fn is_asleep(state: &State<Posix>, thread: ThreadId, id: u64) -> bool {
    is_waiting(state, thread, |wait| match *wait {
        PosixWait::SemaphoreSet(set) | PosixWait::Limited { goal: Goal::SemaphoreSet(set), .. } => set == id,
        _ => false,
    })
}

/// Gives semaphores values; nothing of them is to be undone any more.
fn set_values(call: &mut PosixCall<'_, '_>, id: u64, values: impl IntoIterator<Item = (usize, i32)>) -> Step {
    change::<SemaphoreSet>(call, id, |set| {
        for (index, value) in values {
            set.content.semaphores[index] = Semaphore { value, to_undo: 0, is_used: true };
        }
    });
    call.acquire(carrier(Kind::Semaphores, id));
    call.release(carrier(Kind::Semaphores, id));
    word(0)
}

/// Writes a `struct semid_ds`.
fn describe_to(call: &mut PosixCall<'_, '_>, id: u64) -> Step {
    let Some(set) = find::<SemaphoreSet>(call, id) else { return failed(EINVAL) };
    let mut bytes = [0; 104];
    bytes[..PERMISSIONS].copy_from_slice(&set.describe(0));
    let (count, has_changed) = (set.content.semaphores.len() as u64, set.content.has_changed);
    let words = [(48, time_of_event(call, has_changed)), (64, time_of_event(call, true)), (80, count)];
    for (offset, word) in words {
        bytes[offset..offset + 8].copy_from_slice(&word.to_le_bytes());
    }
    let address = argument(call, 3)?;
    call.write_bytes(address, &bytes)?;
    word(0)
}
