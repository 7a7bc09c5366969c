//! `pthread_rwlock_t`.
//!
//! Footprints: taking it for reading *follows* what writers release, so readers commute. Their leaving is a
//! place of its own, for which writers wait. No event of a reader before it left comes before those of
//! another reader.

use crate::answer::{PosixCall, Step, announced, announced_synchronisation, int, touching};
use crate::errno::{EBUSY, EDEADLK, EINVAL, ETIMEDOUT};
use crate::places::release;
use crate::row::{Row, row};
use crate::sync::attributes::{self, SHARED, Setting};
use crate::sync::deadline::{Deadline, time_is_up};
use crate::sync::nesting;
use crate::sync::object::SyncObject;
use crate::sync::wait::{Goal, PosixWait};
use imbl::Vector;
use smallvec::smallvec;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_interp::threads::modelled::Role;
use symx_interp::value::Value;
use symx_trace::{Access, CallEffect, CallOutcome, FailureDetail, Footprint, Mode, Place, ThreadId};

/// A read-write lock.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ReadWriteLock {
    writer: Option<ThreadId>,
    /// Readers, sorted; a thread once for each time it took the lock.
    readers: Vector<ThreadId>,
    /// Writers that wait, where readers wait after them.
    queue: Vector<ThreadId>,
    /// Whether it prefers readers or writers, by glibc's number.
    preference: u64,
    /// Whether the writer waits for itself if it takes the lock again; else that is an error.
    waits_for_itself: bool,
    destroyed: bool,
}

impl SyncObject for ReadWriteLock {
    const PLURAL: &'static str = "read-write locks";

    /// No writer waits there.
    fn copied(&self, parent: ThreadId, child: ThreadId) -> Self {
        let renamed = |thread: ThreadId| if thread == parent { child } else { thread };
        let mut readers: Vec<ThreadId> = self.readers.iter().map(|reader| renamed(*reader)).collect();
        readers.sort_unstable();
        Self {
            writer: self.writer.map(renamed),
            readers: readers.into(),
            queue: Vector::new(),
            ..self.clone()
        }
    }
}

impl ReadWriteLock {
    /// Whether a call of `pthread_rwlock_rdlock` by `thread` returns at once.
    pub fn admits_reader(&self, thread: ThreadId) -> bool {
        self.writer.map_or(self.queue.is_empty(), |writer| self.refuses(writer, thread))
    }

    /// Whether a call by `thread` fails at once, as it is the writer.
    fn refuses(&self, writer: ThreadId, thread: ThreadId) -> bool {
        writer == thread && !self.waits_for_itself
    }

    /// Whether readers wait while writers do.
    fn prefers_writers(&self) -> bool {
        self.preference == PREFER_WRITERS
    }

    /// Whether a call of `pthread_rwlock_wrlock` by `thread` returns at once.
    pub fn admits_writer(&self, thread: ThreadId) -> bool {
        match self.writer {
            Some(writer) => self.refuses(writer, thread),
            None => self.readers.is_empty(),
        }
    }

    /// Whether `thread` holds it, and if so, together with others.
    pub fn held_by(&self, thread: ThreadId) -> Option<bool> {
        match self.writer == Some(thread) {
            true => Some(false),
            false => self.readers.contains(&thread).then_some(true),
        }
    }

    /// Whether a writer holds it, or else how many times readers do.
    pub fn holds(&self) -> (bool, usize) {
        (self.writer.is_some(), self.readers.len())
    }

    /// One that readers wait for while a writer does, and that its writer waits for, too.
    pub fn that_prefers_writers() -> Self {
        Self { preference: PREFER_WRITERS, waits_for_itself: true, ..Self::default() }
    }

    /// The threads that hold it.
    pub fn holders(&self) -> Vec<ThreadId> {
        self.writer.into_iter().chain(self.readers.iter().copied()).collect()
    }
}

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_rwlock_init"], initialise),
    row(&["pthread_rwlock_destroy"], destroy).which(CallEffect::Destroy),
    row(&["pthread_rwlock_rdlock"], read_lock).which(CallEffect::Lock),
    row(&["pthread_rwlock_tryrdlock"], try_read_lock).which(CallEffect::Lock),
    row(&["pthread_rwlock_timedrdlock"], |call| timed_read_lock(call, Deadline::Argument(1)))
        .which(CallEffect::Lock)
        .in_role(Role::GivesUp),
    row(&["pthread_rwlock_clockrdlock"], |call| timed_read_lock(call, Deadline::AfterClock(2)))
        .which(CallEffect::Lock),
    row(&["pthread_rwlock_wrlock"], write_lock).which(CallEffect::Lock),
    row(&["pthread_rwlock_trywrlock"], try_write_lock).which(CallEffect::Lock),
    row(&["pthread_rwlock_timedwrlock"], |call| timed_write_lock(call, Deadline::Argument(1)))
        .which(CallEffect::Lock)
        .in_role(Role::GivesUp),
    row(&["pthread_rwlock_clockwrlock"], |call| timed_write_lock(call, Deadline::AfterClock(2)))
        .which(CallEffect::Lock),
    row(&["pthread_rwlock_unlock"], |call| unlock(call, &POSIX)).which(CallEffect::Unlock),
    row(&["pthread_rwlockattr_init"], attributes::initialise),
    row(&["pthread_rwlockattr_destroy"], attributes::destroy),
    row(&["pthread_rwlockattr_setpshared"], |call| attributes::set(call, SHARED)),
    row(&["pthread_rwlockattr_getpshared"], |call| attributes::get(call, SHARED)),
    row(&["pthread_rwlockattr_setkind_np"], |call| attributes::set(call, PREFERENCE)),
    row(&["pthread_rwlockattr_getkind_np"], |call| attributes::get(call, PREFERENCE)),
];

// Readers come after writers, writers after both.
const WRITERS: u64 = 0;
const READERS: u64 = 1;

/// Whether the lock prefers readers or writers.
const PREFERENCE: Setting = Setting { shift: 8, highest: 2 };
/// `PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`, the one preference that glibc keeps: readers wait while
/// writers do. Under the others both may be first, so every schedule is possible.
const PREFER_WRITERS: u64 = 2;
/// Where glibc's static initialisers have the preference.
const KIND_OFFSET: u64 = 48;
/// Where a destroyed lock is marked: padding.
const MARK_OFFSET: u64 = 16;
/// Bytes of a `pthread_rwlock_t`, in glibc and musl alike.
const EXTENT: u64 = 56;

/// How a library keeps its read-write locks.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    /// The lock at an address.
    pub find: fn(&mut PosixCall<'_, '_>, u64) -> Result<ReadWriteLock, Stop>,
    /// Keeps what became of the lock at an address.
    pub keep: fn(&mut PosixCall<'_, '_>, u64, ReadWriteLock) -> Result<(), Stop>,
}

const POSIX: Library = Library { find, keep };

fn keep(call: &mut PosixCall<'_, '_>, address: u64, lock: ReadWriteLock) -> Result<(), Stop> {
    call.data().own.sync.rwlocks.insert(address, lock);
    Ok(())
}

fn find(call: &mut PosixCall<'_, '_>, address: u64) -> Result<ReadWriteLock, Stop> {
    call.object(address, EXTENT, Purpose::Read)?;
    let lock = call.state().data.own.sync.rwlocks.get(&address).cloned();
    let lock = match lock {
        Some(lock) => lock,
        None => {
            ReadWriteLock { preference: call.read_object(address + KIND_OFFSET, 4)?, ..Default::default() }
        }
    };
    if lock.destroyed {
        if call.read_object(address + MARK_OFFSET, 4)? == 0 {
            // The static initialiser was assigned.
            return Ok(ReadWriteLock::default());
        }
        if call.phase() > 0 {
            call.misuse(FailureDetail::UseAfterDestroy, "use of a destroyed read-write lock")?;
        }
    }
    Ok(lock)
}

fn initialise(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, attributes) = (call.argument(0)?, call.argument(1)?);
    call.object(address, EXTENT, Purpose::Write)?;
    let preference = if attributes == 0 { 0 } else { attributes::value(call, attributes, PREFERENCE)? };
    if let Some(park) = announced(call, readers_too(address, Mode::Write)) {
        return Ok(park);
    }
    if call.state().data.own.sync.rwlocks.get(&address).is_some_and(|lock| !lock.holders().is_empty()) {
        call.misuse(FailureDetail::InitLocked, "initialisation of a read-write lock that is held")?;
    }
    call.data().own.sync.rwlocks.insert(address, ReadWriteLock { preference, ..Default::default() });
    int(0)
}

fn destroy(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mut lock = find(call, address)?;
    if let Some(park) = announced(call, readers_too(address, Mode::Write)) {
        return Ok(park);
    }
    if !lock.holders().is_empty() {
        call.misuse(FailureDetail::DestroyLocked, "destroy of a read-write lock that is held")?;
    }
    lock.destroyed = true;
    call.write_object(address + MARK_OFFSET, 4, Value::Concrete(1))?;
    call.data().own.sync.rwlocks.insert(address, lock);
    int(0)
}

/// The footprint of the lock and its readers' leaving, which are two places: taking it for reading and
/// leaving commute.
fn readers_too(address: u64, mode: Mode) -> Footprint {
    smallvec![Access::object(address, mode), Access { place: Place::Readers(address), mode }]
}

/// How long a call may wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Forever.
    Unlimited,
    /// Until it is scheduled; else this error.
    Or(i32),
    /// Until its time is up, at any time.
    Until(PosixWait),
}

impl Patience {
    /// The wait of the call.
    fn wait(self, unlimited: PosixWait) -> Option<PosixWait> {
        match self {
            Self::Unlimited => Some(unlimited),
            Self::Or(_) => None,
            Self::Until(wait) => Some(wait),
        }
    }

    /// How the call fails while the lock is held, by the calling thread itself (`own`) or by others.
    fn fail(self, call: &mut PosixCall<'_, '_>, own: bool) -> Step {
        call.ends_with(if matches!(self, Self::Or(_)) { CallOutcome::Busy } else { CallOutcome::Failed });
        match self {
            Self::Or(error) => int(error),
            Self::Unlimited => int(EDEADLK),
            Self::Until(_) if own => int(EDEADLK),
            Self::Until(wait) => {
                time_is_up(call, Some(wait));
                int(ETIMEDOUT)
            }
        }
    }
}

fn read_lock(call: &mut PosixCall<'_, '_>) -> Step {
    lock_for_reading(call, &POSIX, Patience::Unlimited)
}

fn try_read_lock(call: &mut PosixCall<'_, '_>) -> Step {
    lock_for_reading(call, &POSIX, Patience::Or(EBUSY))
}

fn timed_read_lock(call: &mut PosixCall<'_, '_>, deadline: Deadline) -> Step {
    if !deadline.is_valid(call)? {
        return int(EINVAL);
    }
    let address = call.argument(0)?;
    let wait = deadline.limit(call, Goal::Reading(address))?;
    lock_for_reading(call, &POSIX, Patience::Until(wait))
}

/// Takes the lock at the call's argument for reading.
pub(crate) fn lock_for_reading(call: &mut PosixCall<'_, '_>, library: &Library, patience: Patience) -> Step {
    let address = call.argument(0)?;
    let mut lock = (library.find)(call, address)?;
    if call.phase() == 0 {
        let mode = if patience == Patience::Unlimited { Mode::Follow } else { Mode::Write };
        let wait = patience.wait(PosixWait::Reading(address));
        return Ok(call.synchronise(touching(Access::object(address, mode)), wait));
    }
    if lock.writer.is_some() || !lock.queue.is_empty() {
        let own = lock.writer == Some(call.thread());
        match lock.writer {
            Some(_) => call.synchronises(Synchronisation::ReadLockBusy(address)),
            None => call.is_beyond_traces("readers that wait for earlier writers"),
        }
        return patience.fail(call, own);
    }
    if patience == Patience::Unlimited {
        nesting::note(call, address, true);
    }
    // Sorted, so that states reached by taking it in another order are equal.
    call.acquire((address, WRITERS));
    call.synchronises(Synchronisation::ReadLock(address));
    let position =
        lock.readers.iter().position(|reader| *reader > call.thread()).unwrap_or(lock.readers.len());
    lock.readers.insert(position, call.thread());
    (library.keep)(call, address, lock)?;
    int(0)
}

fn write_lock(call: &mut PosixCall<'_, '_>) -> Step {
    lock_for_writing(call, &POSIX, Patience::Unlimited)
}

fn try_write_lock(call: &mut PosixCall<'_, '_>) -> Step {
    lock_for_writing(call, &POSIX, Patience::Or(EBUSY))
}

fn timed_write_lock(call: &mut PosixCall<'_, '_>, deadline: Deadline) -> Step {
    if !deadline.is_valid(call)? {
        return int(EINVAL);
    }
    let address = call.argument(0)?;
    let wait = deadline.limit(call, Goal::Writing(address))?;
    lock_for_writing(call, &POSIX, Patience::Until(wait))
}

/// Takes the lock at the call's argument for writing.
pub(crate) fn lock_for_writing(call: &mut PosixCall<'_, '_>, library: &Library, patience: Patience) -> Step {
    let address = call.argument(0)?;
    let mut lock = (library.find)(call, address)?;
    let me = call.thread();
    // Readers wait after a writer that waits, so its arrival is a step of its own.
    let arrives = lock.prefers_writers() && !matches!(patience, Patience::Or(_));
    if call.phase() == 0 && arrives {
        return Ok(call.synchronise(readers_too(address, Mode::Write), None));
    }
    let held = lock.writer.is_some() || !lock.readers.is_empty();
    let own = lock.writer == Some(me) && !lock.waits_for_itself;
    let queues = call.phase() == 1 && arrives && held && !own;
    if queues {
        call.is_beyond_traces("readers that wait for earlier writers");
        call.ends_with(CallOutcome::Queued);
        lock.queue.push_back(me);
        (library.keep)(call, address, lock.clone())?;
    }
    if queues || call.phase() == 0 {
        let mode = if patience == Patience::Unlimited { Mode::Acquire } else { Mode::Write };
        let wait = patience.wait(PosixWait::Writing(address));
        return Ok(call.synchronise(readers_too(address, mode), wait));
    }
    if let Some(position) = lock.queue.index_of(&me) {
        lock.queue.remove(position);
        (library.keep)(call, address, lock.clone())?;
    }
    if held {
        call.synchronises(Synchronisation::WriteLockBusy(address));
        return patience.fail(call, own);
    }
    if patience == Patience::Unlimited {
        nesting::note(call, address, false);
    }
    call.acquire((address, WRITERS));
    call.acquire((address, READERS));
    call.synchronises(Synchronisation::WriteLock(address));
    lock.writer = Some(me);
    (library.keep)(call, address, lock)?;
    int(0)
}

/// Releases the lock at the call's argument, as whatever the thread holds it.
pub(crate) fn unlock(call: &mut PosixCall<'_, '_>, library: &Library) -> Step {
    let address = call.argument(0)?;
    let mut lock = (library.find)(call, address)?;
    let footprint = match lock.held_by(call.thread()) {
        Some(false) => touching(Access::object(address, Mode::Release)),
        // A reader that leaves lets writers go on, but no other reader has waited for it.
        Some(true) => smallvec![release(Place::Readers(address))],
        // It may also come before those that it lets go on.
        None => readers_too(address, Mode::Post),
    };
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(park);
    }
    if lock.writer == Some(call.thread()) {
        lock.writer = None;
        call.release((address, WRITERS));
        call.synchronises(Synchronisation::WriteUnlock(address));
    } else if let Some(position) = lock.readers.index_of(&call.thread()) {
        lock.readers.remove(position);
        call.release((address, READERS));
        call.synchronises(Synchronisation::ReadUnlock(address));
    } else {
        call.is_beyond_traces("unlock by a thread that does not hold the lock");
        call.misuse(
            FailureDetail::UnlockNotOwner,
            "unlock of a read-write lock by a thread that does not hold it",
        )?;
        // A reader too many leaves, whichever came in.
        if lock.readers.pop_back().is_some() {
            call.release((address, READERS));
        }
    }
    (library.keep)(call, address, lock)?;
    int(0)
}
