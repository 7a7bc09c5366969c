//! `sem_t`, unnamed and named.

use crate::answer::{
    PosixCall, Step, announced, announced_synchronisation, fail, fail_int, finish_failure, int, touching,
    word,
};
use crate::errno::{EACCES, EAGAIN, EEXIST, EINTR, EINVAL, ENAMETOOLONG, ENOENT, EOVERFLOW, ETIMEDOUT};
use crate::memory::shared_mappings::{map_shared, note_mapped};
use crate::places::{NAMED_SEMAPHORES, write};
use crate::row::{Row, row};
use crate::sync::deadline::{Deadline, time_is_up};
use crate::sync::object::SyncObject;
use crate::sync::wait::{Goal, PosixWait};
use crate::threads::cancellation::{point, waiting_point};
use crate::threads::has_interrupted;
use imbl::Vector;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_interp::threads::modelled::Role;
use symx_interp::value::Value;
use symx_ir::SpanId;
use symx_trace::{Access, CallEffect, CallOutcome, FailureDetail, Mode, ThreadId};

/// A semaphore.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Semaphore {
    pub value: u32,
    pub destroyed: bool,
    /// The threads that have taken it and not given it back, and where. `None` once a thread gave what it had
    /// not taken: then it is no lock, but counts or signals.
    pub takers: Option<Vector<(ThreadId, SpanId)>>,
}

impl SyncObject for Semaphore {
    const PLURAL: &'static str = "semaphores";

    fn copied(&self, _parent: ThreadId, _child: ThreadId) -> Self {
        self.clone()
    }
}

impl Semaphore {
    fn new(value: u32) -> Self {
        Self { value, destroyed: false, takers: Some(Vector::new()) }
    }

    /// Takes it, which must be possible.
    fn take(&mut self, thread: ThreadId, span: SpanId) {
        self.value -= 1;
        if let Some(takers) = &mut self.takers {
            takers.push_back((thread, span));
        }
    }

    fn give(&mut self, thread: ThreadId) {
        self.value += 1;
        let own =
            self.takers.as_ref().and_then(|takers| takers.iter().position(|(taker, _)| *taker == thread));
        match (own, &mut self.takers) {
            (Some(index), Some(takers)) => {
                takers.remove(index);
            }
            _ => self.takers = None,
        }
    }
}

pub(crate) const ROWS: &[Row] = &[
    row(&["sem_init"], initialise),
    row(&["sem_destroy"], destroy).which(CallEffect::Destroy),
    row(&["sem_wait"], |call| point(call, wait)).which(CallEffect::SemaphoreWait),
    row(&["sem_trywait"], try_wait).which(CallEffect::SemaphoreWait),
    row(&["sem_timedwait"], |call| point(call, |call| timed_wait(call, Deadline::Argument(1))))
        .which(CallEffect::SemaphoreWait)
        .in_role(Role::GivesUp),
    // As in glibc: it looks for a request only once it waits.
    row(&["sem_clockwait"], |call| {
        waiting_point(call, u32::MAX, |call| timed_wait(call, Deadline::AfterClock(2)))
    })
    .which(CallEffect::SemaphoreWait),
    row(&["sem_post"], post).which(CallEffect::SemaphorePost),
    row(&["sem_getvalue"], value),
    row(&["sem_open"], open),
    row(&["sem_close"], close),
    row(&["sem_unlink"], unlink),
];

/// Bytes of a `sem_t`, in glibc and musl alike.
const EXTENT: u64 = 32;
const MAXIMUM: u32 = 0x7fff_ffff;
/// Kind of system object that named semaphores are.
const NAMED_OBJECT: u32 = 20;
const OPEN_CREATE: u64 = 0o100;
const OPEN_EXCLUSIVE: u64 = 0o200;
/// Its owner must be able to read and to write a semaphore.
const OWNERS: u32 = 0o600;

/// An uninitialised semaphore has the value its first bytes hold. One that is destroyed is reported by the
/// step that uses it, also of a thread that waited before: which threads have come is in no footprint.
fn find(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Semaphore, Stop> {
    call.object(address, EXTENT, Purpose::Read)?;
    if let Some(semaphore) = call.state().data.own.sync.semaphores.get(&address) {
        let mut semaphore = semaphore.clone();
        if semaphore.destroyed && call.phase() > 0 {
            call.misuse(FailureDetail::UseAfterDestroy, "use of a destroyed semaphore")?;
            // The library has nothing to destroy.
            semaphore.destroyed = false;
        }
        return Ok(semaphore);
    }
    Ok(Semaphore::new(call.read_object(address, 4)? as u32))
}

fn store(call: &mut PosixCall<'_, '_>, address: u64, semaphore: Semaphore) {
    call.data().own.sync.semaphores.insert(address, semaphore);
}

fn initialise(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let (address, value) = (call.argument(0)?, call.argument(2)? as u32);
    call.object(address, EXTENT, Purpose::Write)?;
    if value > MAXIMUM {
        return fail_int(call, EINVAL);
    }
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    store(call, address, Semaphore::new(value));
    int(0)
}

fn destroy(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mut semaphore = find(call, address)?;
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    semaphore.destroyed = true;
    store(call, address, semaphore);
    int(0)
}

fn wait(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let address = call.argument(0)?;
    let semaphore = find(call, address)?;
    // Even where a unit has come since: the handler may have posted it.
    if has_interrupted(call) {
        return fail_int(call, EINTR);
    }
    // There is none also where a thread goes on waiting that found the semaphore destroyed.
    if call.phase() == 0 || semaphore.value == 0 {
        // The wait looks at the table, so the value must be there.
        store(call, address, semaphore);
        let footprint = touching(Access::object(address, Mode::Acquire));
        return Ok(call.synchronise(footprint, Some(PosixWait::Semaphore(address))));
    }
    take(call, address, semaphore);
    int(0)
}

/// Takes a unit of a semaphore that has one.
fn take(call: &mut PosixCall<'_, '_>, address: u64, mut semaphore: Semaphore) {
    call.acquire_unit((address, 0), semaphore.value);
    call.synchronises(Synchronisation::SemaphoreWait { semaphore: address, value: semaphore.value });
    semaphore.take(call.thread(), call.caller_span());
    store(call, address, semaphore);
}

fn try_wait(call: &mut PosixCall<'_, '_>) -> Step {
    wait_or_else(call, EAGAIN, None)
}

/// A limited wait may end at any time: scheduled while the value is 0, the time is up.
fn timed_wait(call: &mut PosixCall<'_, '_>, deadline: Deadline) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    if !deadline.is_valid(call)? {
        return fail_int(call, EINVAL);
    }
    let address = call.argument(0)?;
    let wait = deadline.limit(call, Goal::Semaphore(address))?;
    wait_or_else(call, ETIMEDOUT, Some(wait))
}

fn wait_or_else(call: &mut PosixCall<'_, '_>, error: i32, wait: Option<PosixWait>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let address = call.argument(0)?;
    let semaphore = find(call, address)?;
    if call.phase() == 0 {
        if wait.is_some() {
            store(call, address, semaphore);
        }
        return Ok(call.synchronise(touching(Access::object(address, Mode::Write)), wait));
    }
    if has_interrupted(call) {
        call.ends_with(CallOutcome::Failed);
        return fail_int(call, EINTR);
    }
    if semaphore.value == 0 {
        call.synchronises(Synchronisation::SemaphoreZero(address));
        call.ends_with(CallOutcome::Busy);
        time_is_up(call, wait);
        return fail_int(call, error);
    }
    take(call, address, semaphore);
    int(0)
}

fn post(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let address = call.argument(0)?;
    let mut semaphore = find(call, address)?;
    // Which of several posts fails depends on their order where all threads together could reach the maximum.
    let may_fail = call.state().threads.len() as u64 + u64::from(semaphore.value) > u64::from(MAXIMUM);
    let mode = if may_fail { Mode::Write } else { Mode::Post };
    if let Some(park) = announced_synchronisation(call, touching(Access::object(address, mode))) {
        return Ok(park);
    }
    if semaphore.value == MAXIMUM {
        return fail_int(call, EOVERFLOW);
    }
    call.release_unit((address, 0));
    call.synchronises(Synchronisation::SemaphorePost { semaphore: address, value: semaphore.value });
    semaphore.give(call.thread());
    store(call, address, semaphore);
    int(0)
}

fn value(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, result) = (call.argument(0)?, call.argument(1)?);
    let semaphore = find(call, address)?;
    call.object(result, 4, Purpose::Write)?;
    if call.phase() == 0 {
        return Ok(call.park(touching(Access::object(address, Mode::Read))));
    }
    call.write(result, 4, Value::Concrete(u64::from(semaphore.value)))?;
    int(0)
}

/// Leading slashes say nothing; others must not be in it.
fn name_of(text: &[u8]) -> Result<Vec<u8>, i32> {
    /// Bytes of a file's name, less those that the library puts before it.
    const LONGEST: usize = 251;
    let start = text.iter().position(|byte| *byte != b'/').unwrap_or(text.len());
    let name = &text[start..];
    match name.len() {
        0 => Err(EINVAL),
        _ if name.contains(&b'/') || name.len() >= 255 => Err(EINVAL),
        length if length > LONGEST => Err(ENAMETOOLONG),
        _ => Ok(name.to_vec()),
    }
}

fn open(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let name = call.argument(0)?;
    let name = match name_of(&call.read_string(name)?) {
        Ok(name) => name,
        Err(error) => return fail(call, error, Value::Concrete(0)),
    };
    let flags = call.argument(1)?;
    let creates = flags & OPEN_CREATE != 0;
    let value = if creates { call.argument(3)? as u32 } else { 0 };
    let mode = if creates { call.argument(2)? as u32 } else { 0 };
    if let Some(park) = announced(call, touching(write(NAMED_SEMAPHORES))) {
        return Ok(park);
    }
    let existing = call.state().data.named_semaphores.get(&name).copied();
    match existing {
        Some(_) if creates && flags & OPEN_EXCLUSIVE != 0 => fail(call, EEXIST, Value::Concrete(0)),
        Some((_, mode)) if mode & OWNERS != OWNERS => fail(call, EACCES, Value::Concrete(0)),
        Some((address, _)) => {
            let is_open = call.bookkeeping().own.process.mapped.contains_key(&address);
            if !is_open && !map_shared(call, address, EXTENT) {
                return Err(call.unsupported("a named semaphore that no process has open any more"));
            }
            word(address)
        }
        None if !creates => fail(call, ENOENT, Value::Concrete(0)),
        None if value > MAXIMUM => fail(call, EINVAL, Value::Concrete(0)),
        None => {
            let address = call.allocate_system(EXTENT, NAMED_OBJECT, &[])?;
            store(call, address, Semaphore::new(value));
            note_mapped(call, address, EXTENT);
            call.data().named_semaphores.insert(name, (address, mode));
            word(address)
        }
    }
}

/// The object stays: other openers have the same address.
fn close(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    find(call, address)?;
    int(0)
}

fn unlink(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let name = call.argument(0)?;
    let name = match name_of(&call.read_string(name)?) {
        Ok(name) => name,
        Err(EINVAL) => return fail_int(call, ENOENT),
        Err(error) => return fail_int(call, error),
    };
    if let Some(park) = announced(call, touching(write(NAMED_SEMAPHORES))) {
        return Ok(park);
    }
    match call.data().named_semaphores.remove(&name) {
        Some(_) => int(0),
        None => fail_int(call, ENOENT),
    }
}
