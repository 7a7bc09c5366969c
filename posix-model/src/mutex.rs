//! `pthread_mutex_t` of every type, and its attributes.
//!
//! A mutex that was never initialised by a call has the type its bytes say (a static initialiser). Whether it is held
//! is known here only; its bytes stay as they are.

use crate::answer::{PosixCall, Step, announced, int, touching};
use crate::errno::{EBUSY, EDEADLK, EINVAL, EPERM, ETIMEDOUT};
use crate::registry::{Row, row};
use crate::wait::PosixWait;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Access, FailureKind, Mode, ThreadId};

/// What a mutex does when its holder locks it again, or another thread unlocks it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MutexKind {
    /// The holder waits for ever; others must not unlock.
    Normal,
    /// Counts.
    Recursive,
    /// Says so.
    ErrorChecking,
}

/// A mutex.
#[derive(Clone, Debug)]
pub(crate) struct Mutex {
    pub kind: MutexKind,
    /// Who holds it.
    pub owner: Option<ThreadId>,
    /// How often.
    pub depth: u32,
    /// Whether it was destroyed.
    pub destroyed: bool,
}

impl Mutex {
    /// A free mutex.
    pub fn new(kind: MutexKind) -> Self {
        Self { kind, owner: None, depth: 0, destroyed: false }
    }

    /// Whether a call of lock by `thread` returns at once.
    pub fn admits(&self, thread: ThreadId) -> bool {
        self.owner.is_none() || self.owner == Some(thread) && self.kind != MutexKind::Normal
    }
}

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_mutex_init"], initialise),
    row(&["pthread_mutex_destroy"], destroy),
    row(&["pthread_mutex_lock"], lock),
    row(&["pthread_mutex_trylock"], try_lock),
    row(&["pthread_mutex_timedlock", "pthread_mutex_clocklock"], timed_lock),
    row(&["pthread_mutex_unlock"], unlock),
    row(&["pthread_mutexattr_init"], attributes_initialise),
    row(&["pthread_mutexattr_destroy"], attributes_destroy),
    row(&["pthread_mutexattr_settype"], attributes_set_type),
    row(&["pthread_mutexattr_gettype"], attributes_type),
    row(&["pthread_mutexattr_setpshared"], attributes_set_shared),
    row(&["pthread_mutexattr_setprotocol", "pthread_mutexattr_setrobust"], attributes_set_unsupported),
];

/// Bytes of a `pthread_mutex_t` that are looked at: up to and including glibc's type word.
const EXTENT: u64 = 20;
/// Where glibc's static initialisers have the type; zero in musl's.
const KIND_OFFSET: u64 = 16;

/// The mutex at `address`: a fault if no such object is alive there, or it was destroyed and that is to be one.
pub(crate) fn find(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Mutex, Stop> {
    call.object(address, EXTENT, Purpose::Read)?;
    if let Some(mutex) = call.state().data.mutexes.get(&address) {
        if mutex.destroyed && call.environment().options().mutex_misuse_is_fault {
            return Err(call.fault(FailureKind::SyncMisuse, "use-after-destroy", "use of a destroyed mutex"));
        }
        return Ok(mutex.clone());
    }
    let kind = kind_of(call.read_number(address + KIND_OFFSET, 4)?);
    Ok(Mutex::new(kind))
}

/// The type numbers of glibc and musl are the same; 3 is glibc's adaptive type, which behaves as a normal one.
fn kind_of(number: u64) -> MutexKind {
    match number & 3 {
        1 => MutexKind::Recursive,
        2 => MutexKind::ErrorChecking,
        _ => MutexKind::Normal,
    }
}

/// Gives `mutex`, found at `address` and free or its own, to the calling thread.
pub(crate) fn take(call: &mut PosixCall<'_, '_>, address: u64, mut mutex: Mutex) {
    mutex.owner = Some(call.thread());
    mutex.depth += 1;
    call.data().mutexes.insert(address, mutex);
}

fn initialise(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, attributes) = (call.argument(0)?, call.argument(1)?);
    call.object(address, EXTENT, Purpose::Write)?;
    let kind = if attributes == 0 { 0 } else { call.read_number(attributes, 4)? };
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    call.data().mutexes.insert(address, Mutex::new(kind_of(kind)));
    int(0)
}

/// Makes the object at `address` a mutex of `kind`.
pub(crate) fn initialise_as(call: &mut PosixCall<'_, '_>, address: u64, kind: MutexKind) -> Step {
    call.object(address, EXTENT, Purpose::Write)?;
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    call.data().mutexes.insert(address, Mutex::new(kind));
    int(0)
}

pub(crate) fn destroy(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mut mutex = find(call, address)?;
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    if mutex.destroyed {
        return int(EINVAL);
    }
    if let Some(owner) = mutex.owner {
        if !call.environment().options().mutex_misuse_is_fault {
            return int(EBUSY);
        }
        let message = format!("destroy of a mutex that thread {} holds", call.thread_name(owner));
        return Err(call.fault(FailureKind::SyncMisuse, "destroy-locked", message));
    }
    mutex.destroyed = true;
    call.data().mutexes.insert(address, mutex);
    int(0)
}

pub(crate) fn lock(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mutex = find(call, address)?;
    if call.phase() == 0 {
        let footprint = touching(Access::object(address, Mode::Acquire));
        return Ok(call.synchronise(footprint, Some(PosixWait::Mutex(address))));
    }
    if mutex.destroyed {
        return int(EINVAL);
    }
    if mutex.owner == Some(call.thread()) && mutex.kind == MutexKind::ErrorChecking {
        return int(EDEADLK);
    }
    take(call, address, mutex);
    int(0)
}

pub(crate) fn try_lock(call: &mut PosixCall<'_, '_>) -> Step {
    lock_or_else(call, EBUSY)
}

/// A wait with a time limit may end at any time. So the thread never waits: when it is scheduled while the mutex is
/// held, the time is up.
pub(crate) fn timed_lock(call: &mut PosixCall<'_, '_>) -> Step {
    lock_or_else(call, ETIMEDOUT)
}

fn lock_or_else(call: &mut PosixCall<'_, '_>, error: i32) -> Step {
    let address = call.argument(0)?;
    let mutex = find(call, address)?;
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(Access::object(address, Mode::Write)), None));
    }
    if mutex.destroyed {
        return int(EINVAL);
    }
    let own = mutex.owner == Some(call.thread());
    if own && mutex.kind == MutexKind::ErrorChecking && error == ETIMEDOUT {
        return int(EDEADLK);
    }
    if mutex.owner.is_some() && !(own && mutex.kind == MutexKind::Recursive) {
        return int(error);
    }
    take(call, address, mutex);
    int(0)
}

pub(crate) fn unlock(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mut mutex = find(call, address)?;
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(Access::object(address, Mode::Release)), None));
    }
    if mutex.destroyed {
        return int(EINVAL);
    }
    if mutex.owner != Some(call.thread()) {
        if mutex.kind != MutexKind::Normal {
            return int(EPERM);
        }
        if call.environment().options().mutex_misuse_is_fault {
            return Err(not_owner(call));
        }
    }
    mutex.depth = mutex.depth.saturating_sub(1);
    if mutex.depth == 0 {
        mutex.owner = None;
    }
    call.data().mutexes.insert(address, mutex);
    int(0)
}

/// The fault of unlocking what one does not hold.
pub(crate) fn not_owner(call: &PosixCall<'_, '_>) -> Stop {
    let message = "unlock by a thread that does not own the mutex";
    call.fault(FailureKind::SyncMisuse, "unlock-not-owner", message)
}

// A `pthread_mutexattr_t` keeps its type in its own four bytes: copies of it are as good.

fn attributes_initialise(call: &mut PosixCall<'_, '_>) -> Step {
    let attributes = call.argument(0)?;
    call.write(attributes, 4, Value::Concrete(0))?;
    int(0)
}

fn attributes_destroy(call: &mut PosixCall<'_, '_>) -> Step {
    let attributes = call.argument(0)?;
    call.object(attributes, 4, Purpose::Write)?;
    int(0)
}

fn attributes_set_type(call: &mut PosixCall<'_, '_>) -> Step {
    let (attributes, kind) = (call.argument(0)?, call.argument(1)?);
    if kind > 3 {
        return int(EINVAL);
    }
    call.write(attributes, 4, Value::Concrete(kind))?;
    int(0)
}

fn attributes_type(call: &mut PosixCall<'_, '_>) -> Step {
    let (attributes, result) = (call.argument(0)?, call.argument(1)?);
    let kind = call.read_number(attributes, 4)? & 3;
    call.write(result, 4, Value::Concrete(kind))?;
    int(0)
}

fn attributes_set_shared(call: &mut PosixCall<'_, '_>) -> Step {
    let (attributes, shared) = (call.argument(0)?, call.argument(1)?);
    call.object(attributes, 4, Purpose::Write)?;
    int(if shared <= 1 { 0 } else { EINVAL })
}

fn attributes_set_unsupported(call: &mut PosixCall<'_, '_>) -> Step {
    let (attributes, choice) = (call.argument(0)?, call.argument(1)?);
    call.object(attributes, 4, Purpose::Write)?;
    if choice == 0 {
        return int(0);
    }
    Err(call.unsupported(format!("{} with {choice}", call.name())))
}
