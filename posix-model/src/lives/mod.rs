//! Lives of threads: creation, what runs them, joining and detaching, and their ends.

mod entry;
pub(crate) mod last_end;
pub(crate) mod life;
pub(crate) mod main_thread;
pub(crate) mod standard;

use crate::answer::{Model, PosixCall, Step, announced, announced_synchronisation, int, touching};
use crate::errno::{EAGAIN, EBUSY, EDEADLK, EINVAL, ESRCH, ETIMEDOUT};
use crate::options::Posix;
use crate::places::{acquire, joining_each_other, read, record_of, write};
use crate::row::{Row, row};
use crate::sync::deadline::{Deadline, time_is_up};
use crate::sync::nesting;
use crate::sync::wait::{Goal, PosixWait, waits_for_end_of};
use crate::threads::alone::is_no_longer_alone;
use crate::threads::attributes::requests;
use crate::threads::cancellation::{act, is_due, is_leaving, waiting_point};
use crate::threads::{ThreadRecord, creation, handle, numbered, record, scheduling, store, thread_of};
use smallvec::{SmallVec, smallvec};
use symx_interp::Shared;
use symx_interp::access::Purpose;
use symx_interp::state::State;
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_interp::threads::modelled::Role;
use symx_interp::value::Value;
use symx_ir::SpanId;
use symx_trace::{CallEffect, CallOutcome, FailureDetail, Footprint, Place, ThreadId};

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_create"], create).which(CallEffect::CreateThread),
    row(&["pthread_join"], |call| join_point(call, join)).which(CallEffect::JoinThread),
    row(&["pthread_tryjoin_np"], |call| join_or_else(call, EBUSY, None)).which(CallEffect::JoinThread),
    row(&["pthread_timedjoin_np"], |call| join_point(call, |call| timed_join(call, Deadline::Argument(2))))
        .which(CallEffect::JoinThread),
    row(&["pthread_clockjoin_np"], |call| join_point(call, |call| timed_join(call, Deadline::AfterClock(3))))
        .which(CallEffect::JoinThread),
    row(&["pthread_detach"], detach),
    row(&["pthread_kill"], crate::kernel::signals::thread_kill).in_role(Role::Signals),
    row(&["pthread_sigqueue"], crate::kernel::signals::thread_queue).in_role(Role::Signals),
];

/// Threads that have ended and have not been joined or detached, with where they were created.
pub(crate) fn unjoined(state: &State<Posix>) -> Vec<(ThreadId, SpanId)> {
    let ended = state.threads.iter().filter(|thread| thread.exited);
    let records = ended.filter_map(|thread| Some((thread.id, state.data.threads.get(&thread.id)?)));
    records
        .filter(|(_, record)| !record.joined && !record.detached)
        .filter_map(|(thread, record)| Some((thread, record.created?)))
        .collect()
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
    if call.scratch().as_slice() == [OVERTAKEN] {
        return int(0);
    }
    call.object(result, 8, Purpose::Write)?;
    let requests = requests(call, attributes)?;
    if !requests.has_room {
        return int(EAGAIN);
    }
    // The child's number is part of the footprint. Where it goes by the order of creations it is announced
    // again after each.
    let mut footprint = creation(call);
    // The child inherits from the record.
    footprint.push(read(record_of(call.thread())));
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(park);
    }
    is_no_longer_alone(call)?;
    let child = call.create_thread(start, argument)?;
    if attributes != 0 {
        call.distinguish(child);
    }
    if let Some(stack) = requests.stack {
        call.give_stack(child, stack);
    }
    call.synchronises(Synchronisation::Create(child));
    let me = call.thread();
    let own = record(call, me);
    let created = ThreadRecord {
        detached: requests.detached,
        created: Some(call.caller_span()),
        scheduling: requests.scheduling.unwrap_or(own.scheduling),
        processors: requests.processors.or(own.processors),
        attributes: Some(requests.attributes),
        first_name: own.present_name(),
        nice: own.nice,
        ..ThreadRecord::default()
    };
    store(call, child, Shared::new(created));
    let kernel = &mut call.data().kernel;
    let mask = requests.blocked.unwrap_or(kernel.own.signals.mask(me));
    kernel.own.signals.set_mask(child, mask);
    kernel.clock.inherit(me, child);
    nesting::created(call, child);
    call.write(result, 8, Value::Concrete(handle(child)))?;
    if scheduling::overtakes(call, child) {
        *call.scratch() = smallvec![OVERTAKEN];
        return Ok(call.park(SmallVec::new()));
    }
    int(0)
}

/// Marks the scratch of a call that has created a thread which takes its creator's processor.
const OVERTAKEN: u64 = 0x6f76_6572_7461;

/// The calls that give up a thread's handle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HandleEnd {
    Join,
    Detach,
}

/// Why a caller may not join or detach `target`, if so. Once that has been announced as [`looking_at`] says,
/// for a detached thread it depends on whether it has ended.
fn refused(call: &mut PosixCall<'_, '_>, target: ThreadId, by: HandleEnd) -> Result<Option<i32>, Stop> {
    let record = record(call, target);
    let (what, if_joined, if_detached) = match by {
        HandleEnd::Join => ("join", FailureDetail::JoinTwice, FailureDetail::JoinDetached),
        HandleEnd::Detach => ("detach", FailureDetail::DetachJoined, FailureDetail::DetachTwice),
    };
    if record.joined {
        // Its handle means nothing any more, or any other thread.
        let message = format!("{what} of {}, which is joined already", call.thread_title(target));
        call.misuse(if_joined, message)?;
        return Ok(Some(ESRCH));
    }
    if record.detached {
        let ended = call.other(target).is_some_and(|thread| thread.exited);
        // While the thread lives, the library detects it; it is the program's business if it reads the
        // result.
        if !ended && call.is_result_used() {
            return Ok(Some(EINVAL));
        }
        let message = format!("{what} of {}, which is detached", call.thread_title(target));
        call.misuse(if_detached, message)?;
        return Ok(Some(if ended { ESRCH } else { EINVAL }));
    }
    Ok((target == call.thread() && by == HandleEnd::Join).then_some(EDEADLK))
}

/// The footprint of an operation that changes the record of `target`, and asks whether the thread has ended
/// if it is detached.
fn looking_at(call: &PosixCall<'_, '_>, target: ThreadId) -> Footprint {
    let mut footprint = touching(write(record_of(target)));
    if record(call, target).detached {
        footprint.push(write(Place::Thread(target)));
    }
    footprint
}

fn join_footprint(me: ThreadId, target: ThreadId) -> Footprint {
    smallvec![
        acquire(Place::Thread(target)),
        acquire(Place::Drained(target)),
        write(joining_each_other(me, target)),
        write(record_of(target)),
    ]
}

fn join(call: &mut PosixCall<'_, '_>) -> Step {
    join_with(call, 8)
}

/// Joins at a cancellation point. The libraries check for a request only while they wait. Whether they do
/// depends on when the thread arrives, which is no step, so both are possible.
pub(crate) fn join_point(call: &mut PosixCall<'_, '_>, join: Model) -> Step {
    let is_requested = call.phase() > 0 && is_due(call.state(), call.thread()) && !is_leaving(call);
    if is_requested {
        let thread = call.argument(0)?;
        let target = numbered(call, thread).and_then(|target| call.other(target));
        let has_ended = target.is_some_and(|target| target.exited && target.buffer.is_empty());
        if has_ended && call.choose(2)? == 1 {
            return act(call);
        }
    }
    waiting_point(call, u32::MAX, join)
}

/// Joins a thread whose result has `length` bytes.
pub(crate) fn join_with(call: &mut PosixCall<'_, '_>, length: u64) -> Step {
    let (thread, result) = (call.argument(0)?, call.argument(1)?);
    let Some(target) = numbered(call, thread) else { return int(ESRCH) };
    let me = call.thread();
    // Such a thread is not waited for.
    if target == me || record(call, target).detached {
        let footprint = looking_at(call, target);
        if let Some(park) = announced_synchronisation(call, footprint) {
            return Ok(park);
        }
        return int(refused(call, target, HandleEnd::Join)?.unwrap_or(EINVAL));
    }
    if call.phase() == 0 {
        let footprint = join_footprint(me, target);
        return Ok(call.synchronise(footprint, Some(PosixWait::Exit(target))));
    }
    if let Some(error) = refused(call, target, HandleEnd::Join)? {
        return int(error);
    }
    if waits_for_end_of(call.state(), target, me) {
        return int(EDEADLK);
    }
    let returned = record(call, target).result;
    if result != 0 && !matches!(returned, None | Some(Value::Concrete(0))) {
        call.distinguish(target);
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
    call.synchronises(Synchronisation::Join(target));
    record.joined = true;
    record.result = None;
    store(call, target, record);
    nesting::joined(call, target);
    int(0)
}

fn timed_join(call: &mut PosixCall<'_, '_>, deadline: Deadline) -> Step {
    if !deadline.is_valid(call)? {
        return int(EINVAL);
    }
    let thread = call.argument(0)?;
    let wait = match thread_of(call, thread) {
        Some(target) => Some(deadline.limit(call, Goal::Exit(target))?),
        None => None,
    };
    join_or_else(call, ETIMEDOUT, wait)
}

fn join_or_else(call: &mut PosixCall<'_, '_>, error: i32, wait: Option<PosixWait>) -> Step {
    let (thread, result) = (call.argument(0)?, call.argument(1)?);
    let Some(target) = numbered(call, thread) else { return int(ESRCH) };
    call.distinguish(target);
    if call.phase() == 0 {
        let footprint =
            smallvec![write(Place::Thread(target)), write(Place::Drained(target)), write(record_of(target))];
        return Ok(call.synchronise(footprint, wait));
    }
    // A caller that does not wait asks only whether it has ended.
    if target == call.thread() && wait.is_none() {
        return int(error);
    }
    if let Some(error) = refused(call, target, HandleEnd::Join)? {
        return int(error);
    }
    if !call.other(target).is_some_and(|thread| thread.exited && thread.buffer.is_empty()) {
        call.is_beyond_traces("a join that fails because the thread runs");
        call.ends_with(CallOutcome::Busy);
        time_is_up(call, wait);
        return int(error);
    }
    finish_join(call, target, result, 8)
}

pub(crate) fn detach(call: &mut PosixCall<'_, '_>) -> Step {
    let thread = call.argument(0)?;
    let Some(target) = numbered(call, thread) else { return int(ESRCH) };
    call.distinguish(target);
    let footprint = looking_at(call, target);
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    if let Some(error) = refused(call, target, HandleEnd::Detach)? {
        return int(error);
    }
    let mut record = record(call, target);
    record.detached = true;
    store(call, target, record);
    int(0)
}
