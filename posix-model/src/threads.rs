//! Creating, joining, detaching and naming threads; yielding.

use crate::answer::{PosixCall, Step, announced, announced_synchronisation, int, touching, word};
use crate::cancellation::{Cancellation, point};
use crate::deadline::Deadline;
use crate::errno::{EBUSY, EDEADLK, EINVAL, ERANGE, ESRCH, ETIMEDOUT};
use crate::places::{CREATION, acquire, release, write};
use crate::registry::{Row, row};
use crate::thread_attributes::{is_detached, priorities};
use crate::wait::PosixWait;
use imbl::Vector;
use smallvec::{SmallVec, smallvec};
use symx_interp::Shared;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{FailureKind, Footprint, Place, ThreadId};

/// What the library knows of a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadRecord {
    /// What it returned.
    pub result: Option<Value>,
    pub detached: bool,
    /// Whether somebody has joined it, or is waiting to.
    pub joined: bool,
    /// Clean-up routines with their arguments, outermost first.
    pub clean_up: Vector<(u64, u64)>,
    /// Buffers of glibc's clean-up macros, outermost first.
    pub clean_up_buffers: Vector<u64>,
    /// What it does about requests to end it.
    pub cancellation: Cancellation,
    name: Option<Vec<u8>>,
    /// Scheduling policy and priority: kept so that what was set can be got.
    scheduling: (u64, u64),
}

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_create"], create),
    row(&["pthread_join"], |call| point(call, join)),
    row(&["pthread_tryjoin_np"], |call| join_or_else(call, EBUSY)),
    row(&["pthread_timedjoin_np"], |call| point(call, |call| timed_join(call, Deadline::Argument(2)))),
    row(&["pthread_clockjoin_np"], |call| point(call, |call| timed_join(call, Deadline::AfterClock(3)))),
    row(&["pthread_detach"], detach),
    row(&["pthread_self", "thrd_current"], own_handle),
    row(&["pthread_equal", "thrd_equal"], equal),
    row(&["sched_yield", "pthread_yield", "thrd_yield"], yield_processor),
    row(&["pthread_setname_np"], set_name),
    row(&["pthread_getname_np"], name),
    row(&["pthread_getattr_np"], own_attributes),
    row(&["pthread_setaffinity_np"], accept_thread),
    row(&["pthread_setschedparam"], set_scheduling),
    row(&["pthread_setschedprio"], set_priority),
    row(&["pthread_atfork", "__register_atfork"], |_| int(0)),
    row(&["pthread_getaffinity_np"], affinity),
    row(&["pthread_getschedparam"], scheduling),
    row(&["pthread_getcpuclockid"], processor_clock),
    row(&["pthread_kill"], crate::kernel::signals::thread_kill),
];

/// Bytes of a thread's name, its end included.
const NAME_EXTENT: usize = 16;

/// What programs hold as a thread's `pthread_t`: never 0, and no address of anything.
pub(crate) fn handle(thread: ThreadId) -> u64 {
    u64::from(thread.0) + 1
}

/// The thread a `pthread_t` stands for.
pub(crate) fn thread_of(call: &PosixCall<'_, '_>, handle: u64) -> Option<ThreadId> {
    let thread = ThreadId(u32::try_from(handle.checked_sub(1)?).ok()?);
    call.other(thread).map(|_| thread)
}

/// The record of a thread.
pub(crate) fn record(call: &PosixCall<'_, '_>, thread: ThreadId) -> Shared<ThreadRecord> {
    call.state().data.threads.get(&thread).cloned().unwrap_or_default()
}

pub(crate) fn store(call: &mut PosixCall<'_, '_>, thread: ThreadId, record: Shared<ThreadRecord>) {
    call.data().threads.insert(thread, record);
}

/// Changes the calling thread's record.
pub(crate) fn update(call: &mut PosixCall<'_, '_>, change: impl FnOnce(&mut ThreadRecord)) {
    let me = call.thread();
    let mut own = record(call, me);
    change(&mut own);
    store(call, me, own);
}

fn create(call: &mut PosixCall<'_, '_>) -> Step {
    let (result, attributes, start) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let argument = call.value(3);
    create_with(call, result, attributes, start, argument)
}

/// Starts a thread that runs `start(argument)` and stores its handle at `result`.
pub(crate) fn create_with(
    call: &mut PosixCall<'_, '_>,
    result: u64,
    attributes: u64,
    start: u64,
    argument: Value,
) -> Step {
    call.object(result, 8, Purpose::Write)?;
    let detached = is_detached(call, attributes)?;
    // The child's number is part of the footprint. Creations do not commute, so it is announced anew after each.
    let expected = ThreadId(call.state().threads.len() as u32);
    let footprint: Footprint = smallvec![write(CREATION), release(Place::Thread(expected))];
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(park);
    }
    let child = call.create_thread(start, argument)?;
    store(call, child, Shared::new(ThreadRecord { detached, ..ThreadRecord::default() }));
    let me = call.thread();
    let signals = &mut call.data().kernel.signals;
    signals.set_mask(child, signals.mask(me));
    call.write(result, 8, Value::Concrete(handle(child)))?;
    int(0)
}

/// The thread a caller may join, or why it may not.
fn joinable(call: &PosixCall<'_, '_>, handle: u64) -> Result<Result<ThreadId, i32>, Stop> {
    let Some(target) = thread_of(call, handle) else { return Ok(Err(ESRCH)) };
    let record = record(call, target);
    let misuse = |detail, message| Err(call.fault(FailureKind::SyncMisuse, detail, message));
    if record.detached {
        return misuse("join-detached", "join of a detached thread");
    }
    if record.joined {
        return misuse("join-twice", "join of a thread that is joined already");
    }
    Ok(if target == call.thread() { Err(EDEADLK) } else { Ok(target) })
}

fn join_footprint(target: ThreadId) -> Footprint {
    smallvec![acquire(Place::Thread(target)), acquire(Place::Drained(target))]
}

fn join(call: &mut PosixCall<'_, '_>) -> Step {
    join_with(call, 8)
}

/// Joins a thread whose result has `length` bytes.
pub(crate) fn join_with(call: &mut PosixCall<'_, '_>, length: u64) -> Step {
    let (thread, result) = (call.argument(0)?, call.argument(1)?);
    let target = match joinable(call, thread)? {
        Ok(target) => target,
        Err(error) => return int(error),
    };
    if call.phase() == 0 {
        return Ok(call.synchronise(join_footprint(target), Some(PosixWait::Exit(target))));
    }
    finish_join(call, target, result, length)
}

/// Hands the result of the ended thread `target` over, `length` bytes of it, to `address` unless that is 0.
fn finish_join(call: &mut PosixCall<'_, '_>, target: ThreadId, address: u64, length: u64) -> Step {
    let mut record = record(call, target);
    if address != 0 {
        let result = record.result.unwrap_or(Value::Concrete(0));
        let result = match result {
            Value::Concrete(bits) if length == 4 => Value::Concrete(bits & u64::from(u32::MAX)),
            other => other,
        };
        call.write(address, length, result)?;
    }
    call.follow(target);
    record.joined = true;
    record.result = None;
    store(call, target, record);
    int(0)
}

fn timed_join(call: &mut PosixCall<'_, '_>, deadline: Deadline) -> Step {
    if deadline.is_valid(call)? { join_or_else(call, ETIMEDOUT) } else { int(EINVAL) }
}

fn join_or_else(call: &mut PosixCall<'_, '_>, error: i32) -> Step {
    let (thread, result) = (call.argument(0)?, call.argument(1)?);
    let target = match joinable(call, thread)? {
        Ok(target) => target,
        Err(error) => return int(error),
    };
    if call.phase() == 0 {
        return Ok(
            call.synchronise(smallvec![write(Place::Thread(target)), write(Place::Drained(target))], None)
        );
    }
    if !PosixWait::Exit(target).is_over(call.state(), call.thread()) {
        return int(error);
    }
    finish_join(call, target, result, 8)
}

pub(crate) fn detach(call: &mut PosixCall<'_, '_>) -> Step {
    let thread = call.argument(0)?;
    let target = match joinable(call, thread)? {
        Ok(target) => target,
        Err(EDEADLK) => call.thread(),
        Err(error) => return int(error),
    };
    if let Some(park) = announced(call, touching(write(Place::Thread(target)))) {
        return Ok(park);
    }
    let mut record = record(call, target);
    record.detached = true;
    store(call, target, record);
    int(0)
}

fn own_handle(call: &mut PosixCall<'_, '_>) -> Step {
    word(handle(call.thread()))
}

fn equal(call: &mut PosixCall<'_, '_>) -> Step {
    let (first, second) = (call.argument(0)?, call.argument(1)?);
    int(i32::from(first == second))
}

/// Others may run; nothing is touched.
fn yield_processor(call: &mut PosixCall<'_, '_>) -> Step {
    if call.phase() == 0 {
        return Ok(call.park(SmallVec::new()));
    }
    int(0)
}

fn set_name(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, text) = (call.argument(0)?, call.argument(1)?);
    let text = call.read_string(text)?;
    let Some(target) = thread_of(call, thread) else { return int(ESRCH) };
    if text.len() >= NAME_EXTENT {
        return int(ERANGE);
    }
    if let Some(park) = announced(call, touching(write(Place::Thread(target)))) {
        return Ok(park);
    }
    let mut record = record(call, target);
    record.name = Some(text);
    store(call, target, record);
    int(0)
}

fn name(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, buffer, size) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let Some(target) = thread_of(call, thread) else { return int(ESRCH) };
    if size < NAME_EXTENT as u64 {
        return int(ERANGE);
    }
    if let Some(park) = announced(call, touching(write(Place::Thread(target)))) {
        return Ok(park);
    }
    let mut text = record(call, target).name.clone().unwrap_or_else(|| program_name(call));
    text.truncate(NAME_EXTENT - 1);
    text.push(0);
    call.write_bytes(buffer, &text)?;
    int(0)
}

fn program_name(call: &PosixCall<'_, '_>) -> Vec<u8> {
    let arguments = &call.environment().options().arguments;
    let path = arguments.first().map_or(&b""[..], Vec::as_slice);
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_vec()
}

fn own_attributes(call: &mut PosixCall<'_, '_>) -> Step {
    Err(call.unsupported("pthread_getattr_np: threads have no stack of their own in memory"))
}

/// Accepted, without effect: where and how urgently a thread runs is the schedule's business.
fn accept_thread(call: &mut PosixCall<'_, '_>) -> Step {
    let thread = call.argument(0)?;
    int(if thread_of(call, thread).is_some() { 0 } else { ESRCH })
}

fn affinity(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, size, mask) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    if thread_of(call, thread).is_none() {
        return int(ESRCH);
    }
    if size < 8 {
        return int(EINVAL);
    }
    let mut bytes = vec![0; size as usize];
    bytes[..8].copy_from_slice(&crate::kernel::process::processor_mask(call).to_le_bytes());
    call.write_bytes(mask, &bytes)?;
    int(0)
}

fn set_scheduling(call: &mut PosixCall<'_, '_>) -> Step {
    let (policy, parameters) = (call.argument(1)?, call.argument(2)?);
    let priority = call.read_number(parameters, 4)?;
    schedule(call, |_| (policy & u64::from(u32::MAX), priority))
}

fn set_priority(call: &mut PosixCall<'_, '_>) -> Step {
    let priority = call.argument(1)? & u64::from(u32::MAX);
    schedule(call, |(policy, _)| (policy, priority))
}

/// Notes how a thread is to be scheduled, if there is such a policy with such a priority.
fn schedule(call: &mut PosixCall<'_, '_>, change: impl FnOnce((u64, u64)) -> (u64, u64)) -> Step {
    let thread = call.argument(0)?;
    let Some(target) = thread_of(call, thread) else { return int(ESRCH) };
    if let Some(park) = announced(call, touching(write(Place::Thread(target)))) {
        return Ok(park);
    }
    let mut record = record(call, target);
    record.scheduling = change(record.scheduling);
    let (policy, priority) = record.scheduling;
    if !priorities(policy).contains(&priority) {
        return int(EINVAL);
    }
    store(call, target, record);
    int(0)
}

fn scheduling(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, policy, parameters) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let Some(target) = thread_of(call, thread) else { return int(ESRCH) };
    call.object(parameters, 4, Purpose::Write)?;
    if let Some(park) = announced(call, touching(write(Place::Thread(target)))) {
        return Ok(park);
    }
    let (is, with) = record(call, target).scheduling;
    call.write(policy, 4, Value::Concrete(is))?;
    call.write(parameters, 4, Value::Concrete(with))?;
    int(0)
}

fn processor_clock(call: &mut PosixCall<'_, '_>) -> Step {
    Err(call.unsupported("pthread_getcpuclockid"))
}
