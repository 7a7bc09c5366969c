//! Sets of semaphores: `semget`, `semop` and what goes with them.
//!
//! Operations are performed all together or not at all. A thread whose operations are not possible sleeps.
//! That it falls asleep is a step, since others can ask how many do. Those that could go on compete, as
//! threads do for a lock.
//!
//! What operations leave to be undone (`SEM_UNDO`) is undone at the end of the process, where nothing sees
//! it. Only the bound on it shows.

use crate::answer::{PosixCall, Step, failed, word};
use crate::errno::{E2BIG, EACCES, EAGAIN, EFBIG, EIDRM, EINTR, EINVAL, ERANGE};
use crate::kernel::Kernel;
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::kernel::system_v::{
    Content, Kind, NO_WAIT, Objects, SystemV, TO_READ, TO_WRITE, carrier, change, find, get, identifier,
    stand_before,
};
use crate::places::{acquire, post, write};
use crate::sync::wait::{Goal, PosixWait};
use crate::threads::has_interrupted;
use imbl::{OrdMap, Vector};
use smallvec::smallvec;
use std::sync::Arc;
use symx_interp::stop::Stop;
use symx_trace::ThreadId;

pub(crate) const CALLS: &[SystemCall] = &[
    row(64, "semget", find_or_make),
    row(65, "semop", |call| operate(call, None)),
    row(220, "semtimedop", |call| operate(call, Some(3))),
];

/// Flag of an operation: the end of the process undoes it.
const UNDO: u32 = 0o10000;
/// The greatest value, and the greatest number to be undone.
pub(super) const MOST: i32 = 32767;
/// Semaphores of a set.
const MOST_SEMAPHORES: u64 = 32000;
/// Operations of a call.
const MOST_OPERATIONS: u64 = 500;
/// Bytes of a `struct sembuf`.
const OPERATION: u64 = 6;
const NANOSECONDS: u64 = 1_000_000_000;

/// A semaphore of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Semaphore {
    pub(super) value: i32,
    /// The number that the end of the process would add.
    pub(super) to_undo: i32,
    /// Whether the process has operated on it.
    pub(super) is_used: bool,
}

/// A set of semaphores.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SemaphoreSet {
    pub(super) semaphores: Vector<Semaphore>,
    /// Threads that have fallen asleep, and the operations that they want performed.
    pub(super) sleepers: OrdMap<ThreadId, Arc<[Operation]>>,
    /// Whether operations have been performed.
    pub(super) has_changed: bool,
}

impl Content for SemaphoreSet {
    const KIND: Kind = Kind::Semaphores;

    fn among(all: &SystemV) -> &Objects<Self> {
        &all.sets
    }

    fn among_mut(all: &mut SystemV) -> &mut Objects<Self> {
        &mut all.sets
    }
}

/// An operation on one semaphore of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operation {
    /// Which semaphore.
    pub(super) number: u16,
    /// What is added; 0 to wait until the value is zero.
    pub(super) change: i16,
    flags: u32,
}

/// What operations come to.
enum Attempt {
    /// They are possible, with this result.
    Done(Vector<Semaphore>),
    /// This one has to wait.
    Waits(Operation),
    Fails(i32),
}

impl SemaphoreSet {
    fn attempt(&self, operations: &[Operation]) -> Attempt {
        let mut after = self.semaphores.clone();
        for operation in operations {
            let Some(semaphore) = after.get_mut(usize::from(operation.number)) else {
                return Attempt::Fails(EFBIG);
            };
            let change = i32::from(operation.change);
            let value = semaphore.value + change;
            if change == 0 && value != 0 || value < 0 {
                return Attempt::Waits(*operation);
            }
            let undoes = operation.flags & UNDO != 0;
            let to_undo = semaphore.to_undo - if undoes { change } else { 0 };
            if value > MOST || !(-MOST - 1..=MOST).contains(&to_undo) {
                return Attempt::Fails(ERANGE);
            }
            *semaphore = Semaphore { value, to_undo, is_used: true };
        }
        Attempt::Done(after)
    }

    /// The operation that a sleeper waits for, if it still has to wait.
    pub(super) fn awaited(&self, thread: ThreadId) -> Option<Operation> {
        match self.attempt(self.sleepers.get(&thread)?) {
            Attempt::Waits(operation) if operation.flags & NO_WAIT == 0 => Some(operation),
            _ => None,
        }
    }

    /// Whether adding one to a semaphore, as threads that each do so may, commutes with that.
    fn counts_up(&self, operations: &[Operation], threads: usize) -> bool {
        let &[Operation { number, change: 1, .. }] = operations else { return false };
        self.semaphores.get(usize::from(number)).is_some_and(|semaphore| {
            let reached = semaphore.value.max(semaphore.to_undo.abs());
            reached as usize + threads <= MOST as usize
        })
    }
}

fn set_of(kernel: &Kernel, id: u64) -> Option<&SemaphoreSet> {
    kernel.system_v.sets.known.get(&id).map(|object| &object.content)
}

/// Whether the wait of `thread` at the set `id` is over.
pub(crate) fn is_over(kernel: &Kernel, id: u64, thread: ThreadId) -> bool {
    set_of(kernel, id).is_none_or(|set| set.awaited(thread).is_none())
}

/// For people: what `thread` waits for at the set `id`.
pub(crate) fn describe(kernel: &Kernel, id: u64, thread: ThreadId) -> String {
    match set_of(kernel, id).and_then(|set| set.awaited(thread)) {
        Some(Operation { number, change: 0, .. }) => {
            format!("semaphore {number} of the System V set {id} to be zero")
        }
        Some(Operation { number, change, .. }) => {
            format!("semaphore {number} of the System V set {id} to be at least {}", change.unsigned_abs())
        }
        None => format!("the System V set {id} of semaphores"),
    }
}

/// `semget(key, count, flags)`
fn find_or_make(call: &mut PosixCall<'_, '_>) -> Step {
    let (count, flags) = (u64::from(argument(call, 1)? as u32), argument(call, 2)? as u32);
    if count > MOST_SEMAPHORES {
        return failed(EINVAL);
    }
    get(
        call,
        flags,
        |set: &SemaphoreSet| if count > set.semaphores.len() as u64 { Err(EINVAL) } else { Ok(()) },
        || match count {
            0 => Err(EINVAL),
            _ => Ok(SemaphoreSet {
                semaphores: (0..count).map(|_| Semaphore::default()).collect(),
                sleepers: OrdMap::new(),
                has_changed: false,
            }),
        },
    )
}

/// The longest wait, in nanoseconds, if there is one: a duration whose address is argument `limit`. What is
/// none is an error.
fn duration(call: &mut PosixCall<'_, '_>, limit: Option<usize>) -> Result<Result<Option<u64>, i32>, Stop> {
    let address = match limit {
        Some(index) => argument(call, index)?,
        None => 0,
    };
    if address == 0 {
        return Ok(Ok(None));
    }
    let (seconds, fraction) = (call.read_number(address, 8)?, call.read_number(address + 8, 8)?);
    let is_valid = seconds <= i64::MAX as u64 && fraction < NANOSECONDS;
    let duration = seconds.saturating_mul(NANOSECONDS).saturating_add(fraction);
    Ok(if is_valid { Ok(Some(duration)) } else { Err(EINVAL) })
}

/// The operations of the array whose address and length are arguments 1 and 2; of a sleeper, those it fell
/// asleep with.
fn operations(call: &mut PosixCall<'_, '_>, id: u64) -> Result<Arc<[Operation]>, Stop> {
    let me = call.thread();
    let has_slept = call.scratch().len() > 1;
    let asleep = set_of(&call.state().data.kernel, id).and_then(|set| set.sleepers.get(&me).cloned());
    if let Some(operations) = asleep.filter(|_| has_slept) {
        return Ok(operations);
    }
    let (address, count) = (argument(call, 1)?, argument(call, 2)?);
    let mut operations = Vec::new();
    for index in 0..count {
        let entry = address + OPERATION * index;
        operations.push(Operation {
            number: call.read_number(entry, 2)? as u16,
            change: call.read_number(entry + 2, 2)? as i16,
            flags: call.read_number(entry + 4, 2)? as u32,
        });
    }
    Ok(operations.into())
}

/// `semop(set, operations, count)` and `semtimedop`, which has a limit. Scratch: the announcement, and of one
/// that has slept, until when it may.
fn operate(call: &mut PosixCall<'_, '_>, limit: Option<usize>) -> Step {
    let (id, count) = (identifier(call)?, argument(call, 2)?);
    match count {
        0 => return failed(EINVAL),
        1..=MOST_OPERATIONS => {}
        _ => return failed(E2BIG),
    }
    let duration = match duration(call, limit)? {
        Ok(duration) => duration,
        Err(error) => return failed(error),
    };
    let operations = operations(call, id)?;
    let threads = call.state().threads.len();
    let counts_up =
        find::<SemaphoreSet>(call, id).is_some_and(|set| set.content.counts_up(&operations, threads));
    let place = Kind::Semaphores.place(id);
    let footprint = smallvec![if counts_up { post(place) } else { write(place) }];
    if let Some(park) = stand_before(call, footprint) {
        return Ok(park);
    }
    if has_interrupted(call) {
        wake_up(call, id);
        return failed(EINTR);
    }
    let has_slept = call.scratch().len() > 1;
    let Some(set) = find::<SemaphoreSet>(call, id) else {
        return failed(if has_slept { EIDRM } else { EINVAL });
    };
    let changes = operations.iter().any(|operation| operation.change != 0);
    if operations.iter().any(|operation| usize::from(operation.number) >= set.content.semaphores.len()) {
        return failed(EFBIG);
    }
    if !has_slept && !set.permits(if changes { TO_WRITE } else { TO_READ }) {
        return failed(EACCES);
    }
    let attempt = set.content.attempt(&operations);
    if let Attempt::Waits(operation) = attempt
        && operation.flags & NO_WAIT == 0
    {
        return sleep(call, id, operations, duration);
    }
    wake_up(call, id);
    match attempt {
        Attempt::Waits(_) => failed(EAGAIN),
        Attempt::Fails(error) => failed(error),
        Attempt::Done(after) => {
            change::<SemaphoreSet>(call, id, |set| {
                set.content.semaphores = after;
                set.content.has_changed = true;
            });
            if operations.iter().any(|operation| operation.change <= 0) {
                call.acquire(carrier(Kind::Semaphores, id));
            }
            if changes {
                call.release(carrier(Kind::Semaphores, id));
            }
            word(0)
        }
    }
}

/// The calling thread sleeps no more.
fn wake_up(call: &mut PosixCall<'_, '_>, id: u64) {
    let me = call.thread();
    if find::<SemaphoreSet>(call, id).is_some_and(|set| set.content.sleepers.contains_key(&me)) {
        change::<SemaphoreSet>(call, id, |set| {
            set.content.sleepers.remove(&me);
        });
    }
}

/// Falls asleep at the set, or finds that the time is up.
fn sleep(call: &mut PosixCall<'_, '_>, id: u64, operations: Arc<[Operation]>, duration: Option<u64>) -> Step {
    let me = call.thread();
    if let (Some(_), Some(until)) = (duration, call.scratch().get(1).copied()) {
        wake_up(call, id);
        call.data().kernel.clock.sleep_until(me, until);
        return failed(EAGAIN);
    }
    let until = duration.map(|duration| call.state().data.kernel.clock.after(me, duration));
    call.scratch().truncate(1);
    call.scratch().push(until.unwrap_or(0));
    change::<SemaphoreSet>(call, id, |set| {
        set.content.sleepers.insert(me, operations);
    });
    let place = Kind::Semaphores.place(id);
    Ok(match until {
        // It does not have to wait for another thread.
        Some(until) => {
            let wait = PosixWait::Limited { until, goal: Goal::SemaphoreSet(id) };
            call.synchronise(smallvec![write(place)], Some(wait))
        }
        None => call.synchronise(smallvec![acquire(place)], Some(PosixWait::SemaphoreSet(id))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(values: &[i32]) -> SemaphoreSet {
        let semaphores = values.iter().map(|value| Semaphore { value: *value, ..Semaphore::default() });
        SemaphoreSet { semaphores: semaphores.collect(), sleepers: OrdMap::new(), has_changed: false }
    }

    fn operation(number: u16, change: i16, flags: u32) -> Operation {
        Operation { number, change, flags }
    }

    #[test]
    fn operations_are_performed_in_their_order_all_or_none() {
        let set = set(&[2, 0]);
        let Attempt::Done(after) = set.attempt(&[operation(0, -2, 0), operation(0, 0, 0)]) else {
            panic!("they are possible");
        };
        assert_eq!(after[0].value, 0);
        let attempt = set.attempt(&[operation(0, 1, 0), operation(1, -1, 0)]);
        assert!(matches!(attempt, Attempt::Waits(wait) if wait.number == 1));
        assert!(matches!(set.attempt(&[operation(0, 0, 0)]), Attempt::Waits(_)));
        assert!(matches!(set.attempt(&[operation(0, 32766, 0)]), Attempt::Fails(ERANGE)));
    }

    #[test]
    fn what_is_to_be_undone_has_a_bound() {
        let mut set = set(&[0]);
        set.semaphores[0].to_undo = -MOST;
        assert!(matches!(set.attempt(&[operation(0, 1, UNDO)]), Attempt::Done(_)));
        assert!(matches!(set.attempt(&[operation(0, 2, UNDO)]), Attempt::Fails(ERANGE)));
        assert!(matches!(set.attempt(&[operation(0, 2, 0)]), Attempt::Done(_)));
    }

    #[test]
    fn a_sleeper_waits_for_the_first_operation_that_is_not_possible() {
        let mut set = set(&[1, 0]);
        let wanted = [operation(0, -1, 0), operation(1, -1, 0)];
        set.sleepers.insert(ThreadId::MAIN, Arc::from(wanted));
        assert_eq!(set.awaited(ThreadId::MAIN), Some(wanted[1]));
        set.semaphores[1].value = 1;
        assert_eq!(set.awaited(ThreadId::MAIN), None);
    }
}
