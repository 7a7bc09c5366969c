//! `sem_t`, unnamed and named.

use crate::answer::{PosixCall, Step, announced, fail, fail_int, finish_failure, int, touching, word};
use crate::cancellation::point;
use crate::deadline::Deadline;
use crate::errno::{EAGAIN, EEXIST, EINVAL, ENOENT, EOVERFLOW, ETIMEDOUT};
use crate::places::{NAMED_SEMAPHORES, write};
use crate::registry::{Row, row};
use crate::wait::PosixWait;
use imbl::{HashMap, OrdMap};
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Access, FailureKind, Mode};

/// A semaphore.
#[derive(Clone, Debug)]
pub(crate) struct Semaphore {
    pub value: u32,
    pub destroyed: bool,
}

/// All semaphores of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Semaphores {
    /// By address.
    pub objects: OrdMap<u64, Semaphore>,
    /// Addresses of the named ones.
    named: HashMap<Vec<u8>, u64>,
}

pub(crate) const ROWS: &[Row] = &[
    row(&["sem_init"], initialise),
    row(&["sem_destroy"], destroy),
    row(&["sem_wait"], |call| point(call, wait)),
    row(&["sem_trywait"], try_wait),
    row(&["sem_timedwait"], |call| point(call, |call| timed_wait(call, Deadline::Argument(1)))),
    row(&["sem_clockwait"], |call| point(call, |call| timed_wait(call, Deadline::AfterClock(2)))),
    row(&["sem_post"], post),
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

/// For people.
pub(crate) fn describe(address: u64) -> String {
    format!("the semaphore at {address:#x}")
}

/// A semaphore nobody initialised has the value its first bytes hold.
fn find(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Semaphore, Stop> {
    call.object(address, EXTENT, Purpose::Read)?;
    if let Some(semaphore) = call.state().data.semaphores.objects.get(&address) {
        if semaphore.destroyed {
            let message = "use of a destroyed semaphore";
            return Err(call.fault(FailureKind::SyncMisuse, "use-after-destroy", message));
        }
        return Ok(semaphore.clone());
    }
    Ok(Semaphore { value: call.read_number(address, 4)? as u32, destroyed: false })
}

fn store(call: &mut PosixCall<'_, '_>, address: u64, semaphore: Semaphore) {
    call.data().semaphores.objects.insert(address, semaphore);
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
    store(call, address, Semaphore { value, destroyed: false });
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
    let address = call.argument(0)?;
    let semaphore = find(call, address)?;
    if call.phase() == 0 {
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
    semaphore.value -= 1;
    store(call, address, semaphore);
}

fn try_wait(call: &mut PosixCall<'_, '_>) -> Step {
    wait_or_else(call, EAGAIN)
}

/// A limited wait may end at any time: scheduled while the value is 0, the time is up.
fn timed_wait(call: &mut PosixCall<'_, '_>, deadline: Deadline) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    if deadline.is_valid(call)? { wait_or_else(call, ETIMEDOUT) } else { fail_int(call, EINVAL) }
}

fn wait_or_else(call: &mut PosixCall<'_, '_>, error: i32) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let address = call.argument(0)?;
    let semaphore = find(call, address)?;
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(Access::object(address, Mode::Write)), None));
    }
    if semaphore.value == 0 {
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
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(Access::object(address, Mode::Release)), None));
    }
    if semaphore.value == MAXIMUM {
        return fail_int(call, EOVERFLOW);
    }
    call.release_unit((address, 0));
    semaphore.value += 1;
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

fn open(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let name = call.argument(0)?;
    let name = call.read_string(name)?;
    let flags = call.argument(1)?;
    let value = call.argument(3)? as u32;
    if let Some(park) = announced(call, touching(write(NAMED_SEMAPHORES))) {
        return Ok(park);
    }
    let existing = call.state().data.semaphores.named.get(&name).copied();
    match existing {
        Some(_) if flags & OPEN_CREATE != 0 && flags & OPEN_EXCLUSIVE != 0 => {
            fail(call, EEXIST, Value::Concrete(0))
        }
        Some(address) => word(address),
        None if flags & OPEN_CREATE == 0 => fail(call, ENOENT, Value::Concrete(0)),
        None if value > MAXIMUM => fail(call, EINVAL, Value::Concrete(0)),
        None => {
            let address = call.allocate_system(EXTENT, NAMED_OBJECT, &[])?;
            store(call, address, Semaphore { value, destroyed: false });
            call.data().semaphores.named.insert(name, address);
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
    let name = call.read_string(name)?;
    if let Some(park) = announced(call, touching(write(NAMED_SEMAPHORES))) {
        return Ok(park);
    }
    match call.data().semaphores.named.remove(&name) {
        Some(_) => int(0),
        None => fail_int(call, ENOENT),
    }
}
