//! How threads are to be scheduled: policies and priorities, processors, the concurrency level,
//! processor-time clocks, the kernel's numbers of threads. Kept so that what was set can be got, and a plain
//! run can prefer by priority; else which thread runs is the schedule's business.

use crate::answer::{PosixCall, Step, announced, int, touching};
use crate::errno::{EINVAL, ESRCH};
use crate::places::{read, record_of, write};
use crate::row::{Row, row};
use crate::threads::processors::{processor_mask, processor_set, put_processor_set};
use crate::threads::{ThreadRecord, record, store, thread_number, thread_of};
use symx_interp::access::Purpose;
use symx_interp::value::Value;
use symx_trace::{Place, ThreadId};

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_setschedparam"], set_scheduling),
    row(&["pthread_setschedprio"], set_priority),
    row(&["pthread_getschedparam"], scheduling),
    row(&["pthread_setaffinity_np"], set_affinity),
    row(&["pthread_getaffinity_np"], affinity),
    row(&["pthread_getcpuclockid"], processor_clock),
    row(&["pthread_gettid_np"], kernel_number),
    row(&["pthread_setconcurrency"], set_concurrency),
    row(&["pthread_getconcurrency"], |call| int(call.state().data.own.concurrency)),
];

/// The flag of a policy that children do not inherit it.
const RESET_ON_FORK: u64 = 0x4000_0000;

/// The priorities of a scheduling policy (other, first in first out, round robin, batch, idle); none if there
/// is no such policy.
pub(crate) fn priorities(policy: u64) -> std::ops::RangeInclusive<u64> {
    match policy {
        0 | 3 | 5 => 0..=0,
        1 | 2 => 1..=99,
        #[allow(clippy::reversed_empty_ranges)] // that is what none is
        _ => 1..=0,
    }
}

/// The priority that a policy and its parameter give a thread before others: 0 for policies
/// that share the time.
fn real_time_priority((policy, priority): (u64, u64)) -> u32 {
    if matches!(policy, 1 | 2) { priority as u32 } else { 0 }
}

/// The priority of a thread with this record, and the one processor that it is bound to, if any.
pub(crate) fn priority(record: &ThreadRecord) -> (u32, Option<u32>) {
    let one = record.processors.filter(|set| set.is_power_of_two());
    (real_time_priority(record.scheduling), one.map(u64::trailing_zeros))
}

/// Whether `other` takes the processor of the calling thread away from it.
pub(crate) fn overtakes(call: &PosixCall<'_, '_>, other: ThreadId) -> bool {
    let (mine, theirs) = (priority(&record(call, call.thread())), priority(&record(call, other)));
    mine.1.is_some() && mine.1 == theirs.1 && mine.0 < theirs.0
}

fn set_scheduling(call: &mut PosixCall<'_, '_>) -> Step {
    let (policy, parameters) = (call.argument(1)?, call.argument(2)?);
    let priority = call.read_number(parameters, 4)?;
    schedule(call, |_| (policy & u64::from(u32::MAX) & !RESET_ON_FORK, priority))
}

fn set_priority(call: &mut PosixCall<'_, '_>) -> Step {
    let priority = call.argument(1)? & u64::from(u32::MAX);
    schedule(call, |(policy, _)| (policy, priority))
}

/// Notes how a thread is to be scheduled, if there is such a policy with such a priority.
fn schedule(call: &mut PosixCall<'_, '_>, change: impl FnOnce((u64, u64)) -> (u64, u64)) -> Step {
    let thread = call.argument(0)?;
    let Some(target) = thread_of(call, thread) else { return int(ESRCH) };
    if let Some(park) = announced(call, touching(write(record_of(target)))) {
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
    if let Some(park) = announced(call, touching(read(record_of(target)))) {
        return Ok(park);
    }
    let (is, with) = record(call, target).scheduling;
    call.write(policy, 4, Value::Concrete(is))?;
    call.write(parameters, 4, Value::Concrete(with))?;
    int(0)
}

/// Binds `target` to the processors in the set of `size` bytes at `set`, of those there are: an error
/// number if none is.
pub(crate) fn bind(
    call: &mut PosixCall<'_, '_>,
    target: ThreadId,
    size: u64,
    set: u64,
) -> Result<i32, symx_interp::stop::Stop> {
    let bytes = call.read_bytes(set, size.min(8))?;
    let whole = bytes.len() as u64;
    let word = processor_set(call, whole, set)?.unwrap_or(0) & processor_mask(call);
    if word == 0 {
        return Ok(EINVAL);
    }
    let mut record = record(call, target);
    record.processors = Some(word);
    store(call, target, record);
    Ok(0)
}

/// The processors `target` may use, as a word.
pub(crate) fn processors(call: &PosixCall<'_, '_>, target: ThreadId) -> u64 {
    record(call, target).processors.unwrap_or_else(|| processor_mask(call))
}

fn set_affinity(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, size, set) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let Some(target) = thread_of(call, thread) else { return int(ESRCH) };
    if let Some(park) = announced(call, touching(write(record_of(target)))) {
        return Ok(park);
    }
    let error = bind(call, target, size, set)?;
    int(error)
}

fn affinity(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, size, set) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let Some(target) = thread_of(call, thread) else { return int(ESRCH) };
    // The kernel answers in words.
    if size < 8 {
        return int(EINVAL);
    }
    if let Some(park) = announced(call, touching(read(record_of(target)))) {
        return Ok(park);
    }
    let word = processors(call, target);
    put_processor_set(call, word, size, set)?;
    int(0)
}

/// The number that Linux gives the clock of a thread's processor time.
fn processor_clock(call: &mut PosixCall<'_, '_>) -> Step {
    const OF_THREAD: i32 = 6;
    let (thread, result) = (call.argument(0)?, call.argument(1)?);
    let Some(target) = thread_of(call, thread) else { return int(ESRCH) };
    let clock = !(thread_number(target) as i32) << 3 | OF_THREAD;
    call.write(result, 4, Value::Concrete(u64::from(clock as u32)))?;
    int(0)
}

/// The kernel's number of a thread, -1 if it has ended. A thread has it from its creation on.
fn kernel_number(call: &mut PosixCall<'_, '_>) -> Step {
    let thread = call.argument(0)?;
    let Some(target) = thread_of(call, thread) else { return int(-1) };
    if target != call.thread() {
        if let Some(park) = announced(call, touching(read(Place::Thread(target)))) {
            return Ok(park);
        }
        call.is_beyond_traces("a look at whether a thread has ended");
        if call.other(target).is_some_and(|thread| thread.exited) {
            return int(-1);
        }
    }
    int(thread_number(target) as i32)
}

fn set_concurrency(call: &mut PosixCall<'_, '_>) -> Step {
    let level = call.argument(0)? as i32;
    if level < 0 {
        return int(EINVAL);
    }
    call.data().own.concurrency = level;
    int(0)
}
