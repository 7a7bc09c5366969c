//! `pthread_mutex_t` of every type.
//!
//! A mutex that was never initialised by a call has the type its bytes say (a static initialiser). Whether it
//! is held is known here only; its bytes stay as they are.

use crate::answer::{PosixCall, Step, announced, announced_synchronisation, int, touching};
use crate::errno::{EAGAIN, EBUSY, EDEADLK, EINVAL, ENOTRECOVERABLE, EOWNERDEAD, EPERM, ETIMEDOUT};
use crate::row::{Row, row};
use crate::sync::deadline::{Deadline, time_is_up};
use crate::sync::mutex_attributes::{MutexSettings, is_ceiling, settings};
use crate::sync::nesting;
use crate::sync::object::{SyncObject, renamed};
use crate::sync::wait::{Goal, PosixWait};
use imbl::OrdMap;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_interp::threads::modelled::Role;
use symx_interp::value::Value;
use symx_ir::SpanId;
use symx_trace::{Access, CallEffect, CallOutcome, FailureDetail, Mode, ThreadId};

/// The behaviour of a mutex when its holder locks it again, or another thread unlocks it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MutexKind {
    /// The holder waits forever; others must not unlock.
    Normal,
    /// Counts.
    Recursive,
    /// Says so.
    ErrorChecking,
}

/// Whether what a robust mutex protects can be relied on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Protected {
    /// As far as is known.
    Consistent,
    /// A holder ended; the next thread that locks the mutex gets an error code and may put things right.
    Abandoned,
    /// It was unlocked without that: no thread gets it any more.
    Lost,
}

/// A mutex.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mutex {
    pub kind: MutexKind,
    /// Whether the end of its holder is reported to the next one.
    pub robust: bool,
    /// The state of the data that a robust mutex protects.
    pub protected: Protected,
    /// Its priority ceiling, if it has one.
    ceiling: Option<u32>,
    /// The thread that holds it.
    pub owner: Option<ThreadId>,
    /// How often.
    pub depth: u32,
    /// Where it was taken, while it is held.
    pub taken: SpanId,
    /// Whether it was destroyed.
    pub destroyed: bool,
    /// Whether a static initialiser made it: its bytes say what it is while it is free.
    is_static: bool,
    /// Whether its first word is 0 while it is free, and else is not.
    pub has_word: bool,
}

impl SyncObject for Mutex {
    const PLURAL: &'static str = "mutexes";

    fn copied(&self, parent: ThreadId, child: ThreadId) -> Self {
        Self { owner: renamed(self.owner, parent, child), ..self.clone() }
    }
}

impl Mutex {
    /// A free mutex.
    pub fn new(kind: MutexKind) -> Self {
        Self {
            kind,
            robust: false,
            protected: Protected::Consistent,
            ceiling: None,
            owner: None,
            depth: 0,
            taken: SpanId::UNKNOWN,
            destroyed: false,
            is_static: false,
            has_word: false,
        }
    }

    /// A free mutex as a static initialiser makes it.
    fn from_static(kind: MutexKind) -> Self {
        Self { is_static: true, ..Self::new(kind) }
    }

    /// A free lock of Rust's standard library.
    pub fn of_rust() -> Self {
        Self { has_word: true, ..Self::from_static(MutexKind::Normal) }
    }

    /// Notes in the bookkeeping what the mutex at `address` is after a release. One that is as its static
    /// initialiser made it is there as if it had never been held: a round that locks and unlocks it leaves
    /// nothing.
    pub fn note_released(self, address: u64, mutexes: &mut OrdMap<u64, Self>) {
        if self == (Self { has_word: self.has_word, ..Self::from_static(self.kind) }) {
            mutexes.remove(&address);
        } else {
            mutexes.insert(address, self);
        }
    }

    fn with(settings: MutexSettings) -> Self {
        let MutexSettings { kind, robust, ceiling } = settings;
        Self { robust, ceiling, ..Self::new(kind_of(kind.into())) }
    }

    /// How an unlock by `thread` touches the mutex. Only a holder releases: a call that fails orders nothing.
    /// A call that takes the mutex from its holder, or finds it free, may also come before those that it lets
    /// go on.
    pub fn mode_of_unlock(&self, thread: ThreadId) -> Mode {
        match self.owner == Some(thread) {
            true => Mode::Release,
            false if self.reports_misuse() => Mode::Read,
            false => Mode::Post,
        }
    }

    /// Whether an unlock by a thread that does not hold the mutex fails. For others the effect is undefined.
    pub fn reports_misuse(&self) -> bool {
        self.kind != MutexKind::Normal || self.robust
    }

    /// Gives one hold back. Whether the mutex is free then: a recursive one may be held further times. A
    /// robust one that was not made consistent is lost.
    pub fn give_back(&mut self) -> bool {
        self.depth = self.depth.saturating_sub(1);
        let is_free = self.depth == 0;
        if is_free {
            (self.owner, self.taken) = (None, SpanId::UNKNOWN);
            if self.protected == Protected::Abandoned {
                self.protected = Protected::Lost;
            }
        }
        is_free
    }

    /// Whether a call of lock by `thread` returns at once.
    pub fn admits(&self, thread: ThreadId) -> bool {
        self.owner.is_none() || self.owner == Some(thread) && self.kind != MutexKind::Normal
    }
}

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_mutex_init"], initialise),
    row(&["pthread_mutex_destroy"], destroy).which(CallEffect::Destroy),
    row(&["pthread_mutex_lock"], lock).which(CallEffect::Lock),
    row(&["pthread_mutex_trylock"], try_lock).which(CallEffect::Lock),
    row(&["pthread_mutex_timedlock"], |call| timed_lock(call, Deadline::Argument(1)))
        .which(CallEffect::Lock)
        .in_role(Role::GivesUp),
    row(&["pthread_mutex_clocklock"], |call| timed_lock(call, Deadline::AfterClock(2)))
        .which(CallEffect::Lock)
        .in_role(Role::GivesUp),
    row(&["pthread_mutex_unlock"], unlock).which(CallEffect::Unlock),
    row(&["pthread_mutex_consistent", "pthread_mutex_consistent_np"], make_consistent),
    // Of FreeBSD.
    row(&["pthread_mutex_isowned_np"], is_owned),
    row(&["pthread_mutex_getprioceiling"], ceiling),
    row(&["pthread_mutex_setprioceiling"], set_ceiling),
];

/// Bytes of a `pthread_mutex_t` that are looked at: up to and including glibc's type word.
const EXTENT: u64 = 20;
/// Where glibc's static initialisers have the type; zero in musl's.
const KIND_OFFSET: u64 = 16;
/// The word in a destroyed mutex, as glibc has it.
const DESTROYED: u64 = u32::MAX as u64;

/// The mutex at `address`: a fault if no such object is alive there, or it was destroyed and that is to be
/// one. That is reported when the operation is performed, not before, so that it counts as touching the
/// mutex.
pub(crate) fn find(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Mutex, Stop> {
    call.object(address, EXTENT, Purpose::Read)?;
    if let Some(mutex) = call.bookkeeping().own.sync.mutexes.get(&address) {
        let mutex = mutex.clone();
        // A static initialiser was assigned.
        let anew = mutex.destroyed && call.read_object(address + KIND_OFFSET, 4)? != DESTROYED;
        if mutex.destroyed && !anew && call.phase() > 0 {
            call.misuse(FailureDetail::UseAfterDestroy, "use of a destroyed mutex")?;
        }
        if !anew {
            return Ok(mutex);
        }
    }
    let kind = kind_of(call.read_object(address + KIND_OFFSET, 4)?);
    Ok(Mutex::from_static(kind))
}

/// The type numbers of glibc and musl are the same; 3 is glibc's adaptive type, which behaves
/// as a normal one.
fn kind_of(number: u64) -> MutexKind {
    match number & 3 {
        1 => MutexKind::Recursive,
        2 => MutexKind::ErrorChecking,
        _ => MutexKind::Normal,
    }
}

/// Gives `mutex`, found at `address` and free or its own, to the calling thread.
pub(crate) fn take(call: &mut PosixCall<'_, '_>, address: u64, mut mutex: Mutex) {
    let again = mutex.depth > 0;
    mutex.owner = Some(call.thread());
    mutex.taken = call.caller_span();
    mutex.depth += 1;
    call.acquire((address, 0));
    call.synchronises(if again { Synchronisation::Nothing } else { Synchronisation::Lock(address) });
    call.data().own.sync.mutexes.insert(address, mutex);
}

fn initialise(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, attributes) = (call.argument(0)?, call.argument(1)?);
    call.object(address, EXTENT, Purpose::Write)?;
    let settings = settings(call, attributes)?;
    refuse_held(call, address)?;
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    call.data().own.sync.mutexes.insert(address, Mutex::with(settings));
    int(0)
}

/// A mutex that is held must not be initialised again: its holder would lose it.
fn refuse_held(call: &mut PosixCall<'_, '_>, address: u64) -> Result<(), Stop> {
    let holder = call.bookkeeping().own.sync.mutexes.get(&address).and_then(|mutex| mutex.owner);
    match holder {
        Some(owner) => {
            let message = format!("initialisation of a mutex that {} holds", call.thread_title(owner));
            call.misuse(FailureDetail::InitLocked, message)
        }
        None => Ok(()),
    }
}

/// Makes the object at `address` a mutex of `kind`.
pub(crate) fn initialise_as(call: &mut PosixCall<'_, '_>, address: u64, kind: MutexKind) -> Step {
    call.object(address, EXTENT, Purpose::Write)?;
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    call.data().own.sync.mutexes.insert(address, Mutex::new(kind));
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
        // The library detects it; it is the program's business if it reads the result.
        if !call.is_result_used() {
            let message = format!("destroy of a mutex that {} holds", call.thread_title(owner));
            call.misuse(FailureDetail::DestroyLocked, message)?;
        }
        return int(EBUSY);
    }
    mutex.destroyed = true;
    call.write_object(address + KIND_OFFSET, 4, Value::Concrete(DESTROYED))?;
    call.data().own.sync.mutexes.insert(address, mutex);
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
        return refuse(call, EINVAL);
    }
    if mutex.owner == Some(call.thread()) && mutex.kind == MutexKind::ErrorChecking {
        return refuse(call, EDEADLK);
    }
    if mutex.owner.is_none() {
        nesting::note(call, address, false);
    }
    obtain(call, address, mutex)
}

/// The call fails with an error: the calling thread does not get the mutex by it.
fn refuse(call: &mut PosixCall<'_, '_>, error: i32) -> Step {
    call.ends_with(CallOutcome::Failed);
    int(error)
}

/// Gives the mutex, free or the calling thread's own, to the calling thread and says in what state.
fn obtain(call: &mut PosixCall<'_, '_>, address: u64, mutex: Mutex) -> Step {
    let protected = mutex.protected;
    match protected {
        Protected::Lost => return refuse(call, ENOTRECOVERABLE),
        _ if mutex.depth == u32::MAX => return refuse(call, EAGAIN),
        _ => {}
    }
    let again = mutex.owner.is_some();
    take(call, address, mutex);
    int(if protected == Protected::Abandoned && !again { EOWNERDEAD } else { 0 })
}

pub(crate) fn try_lock(call: &mut PosixCall<'_, '_>) -> Step {
    lock_or_else(call, EBUSY, None)
}

/// A wait with a time limit may end at any time. So the thread never waits: when it is scheduled while the
/// mutex is held, the time is up.
///
/// A deadline that is none matters only where the thread would have to wait.
pub(crate) fn timed_lock(call: &mut PosixCall<'_, '_>, deadline: Deadline) -> Step {
    if !deadline.is_valid(call)? {
        return lock_or_else(call, EINVAL, None);
    }
    let address = call.argument(0)?;
    let wait = deadline.limit(call, Goal::Mutex(address))?;
    lock_or_else(call, ETIMEDOUT, Some(wait))
}

fn lock_or_else(call: &mut PosixCall<'_, '_>, error: i32, wait: Option<PosixWait>) -> Step {
    let address = call.argument(0)?;
    let mutex = find(call, address)?;
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(Access::object(address, Mode::Write)), wait));
    }
    if mutex.destroyed {
        return refuse(call, EINVAL);
    }
    let own = mutex.owner == Some(call.thread());
    if own && mutex.kind == MutexKind::ErrorChecking && error != EBUSY {
        return refuse(call, EDEADLK);
    }
    if mutex.owner.is_some() && !(own && mutex.kind == MutexKind::Recursive) {
        call.synchronises(Synchronisation::LockBusy(address));
        call.ends_with(CallOutcome::Busy);
        time_is_up(call, wait);
        return int(error);
    }
    obtain(call, address, mutex)
}

pub(crate) fn unlock(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mutex = find(call, address)?;
    let mode = mutex.mode_of_unlock(call.thread());
    if let Some(park) = announced_synchronisation(call, touching(Access::object(address, mode))) {
        return Ok(park);
    }
    if mutex.destroyed {
        return int(EINVAL);
    }
    if mutex.owner != Some(call.thread()) && mutex.reports_misuse() {
        return int(EPERM);
    }
    release(call, address, mutex)?;
    int(0)
}

/// Gives one hold of `mutex`, found at `address`, back.
pub(crate) fn release(call: &mut PosixCall<'_, '_>, address: u64, mut mutex: Mutex) -> Result<(), Stop> {
    if mutex.owner != Some(call.thread()) {
        not_owner(call)?;
        call.is_beyond_traces("unlock by a thread that does not own the mutex");
    }
    call.release((address, 0));
    let is_free = mutex.give_back();
    call.synchronises(if is_free { Synchronisation::Unlock(address) } else { Synchronisation::Nothing });
    mutex.note_released(address, &mut call.data().own.sync.mutexes);
    Ok(())
}

/// The mutexes `thread` holds that are not robust, nor Rust's: a program may forget a guard.
pub(crate) fn held_by(call: &PosixCall<'_, '_>, thread: ThreadId) -> impl Iterator<Item = u64> {
    let mutexes = call.bookkeeping().own.sync.mutexes.iter();
    let held =
        mutexes.filter(move |(_, mutex)| mutex.owner == Some(thread) && !mutex.robust && !mutex.has_word);
    held.map(|(address, _)| *address)
}

/// The robust mutex held by the calling thread, which ends, that becomes free next.
pub(crate) fn next_abandoned(call: &PosixCall<'_, '_>) -> Option<u64> {
    let mut mutexes = call.bookkeeping().own.sync.mutexes.iter();
    let held = mutexes.find(|(_, mutex)| mutex.owner == Some(call.thread()) && mutex.robust);
    held.map(|(address, _)| *address)
}

/// That mutex becomes free, and the next thread that locks it gets an error code. That thread sees what the
/// ended one stored before.
pub(crate) fn abandon_next(call: &mut PosixCall<'_, '_>) {
    let Some(address) = next_abandoned(call) else { return };
    call.is_beyond_traces("the end of a thread that holds a robust mutex");
    call.release((address, 0));
    call.synchronises(Synchronisation::Nothing);
    abandon(call, address);
}

/// The robust mutexes that these threads hold, which end together.
pub(crate) fn abandoned_by(call: &PosixCall<'_, '_>, threads: &[ThreadId]) -> Vec<u64> {
    let is_abandoned =
        |mutex: &Mutex| mutex.robust && mutex.owner.is_some_and(|owner| threads.contains(&owner));
    let mutexes = call.bookkeeping().own.sync.mutexes.iter().filter(|(_, mutex)| is_abandoned(mutex));
    mutexes.map(|(address, _)| *address).collect()
}

/// The mutex becomes free, and the next thread that locks it gets an error code.
pub(crate) fn abandon(call: &mut PosixCall<'_, '_>, address: u64) {
    let mutexes = &mut call.data().own.sync.mutexes;
    if let Some(mutex) = mutexes.get_mut(&address) {
        *mutex = Mutex { owner: None, depth: 0, protected: Protected::Abandoned, ..mutex.clone() };
    }
}

fn make_consistent(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mut mutex = find(call, address)?;
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    if mutex.owner != Some(call.thread()) || mutex.protected != Protected::Abandoned {
        return int(EINVAL);
    }
    mutex.protected = Protected::Consistent;
    call.data().own.sync.mutexes.insert(address, mutex);
    int(0)
}

/// Whether the calling thread holds the mutex. Only a thread that unlocks what it does not hold changes that
/// for another.
fn is_owned(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mutex = find(call, address)?;
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Read))) {
        return Ok(park);
    }
    int(i32::from(mutex.owner == Some(call.thread())))
}

fn ceiling(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, result) = (call.argument(0)?, call.argument(1)?);
    let Some(ceiling) = find(call, address)?.ceiling else { return int(EINVAL) };
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Read))) {
        return Ok(park);
    }
    call.write(result, 4, Value::Concrete(ceiling.into()))?;
    int(0)
}

/// Waits for the mutex, as locking it does; it is free again when the call returns.
fn set_ceiling(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, ceiling, result) = (call.argument(0)?, call.argument(1)? as u32, call.argument(2)?);
    let mut mutex = find(call, address)?;
    if mutex.ceiling.is_none() || !is_ceiling(ceiling) {
        return int(EINVAL);
    }
    if call.phase() == 0 {
        let footprint = touching(Access::object(address, Mode::Acquire));
        return Ok(call.synchronise(footprint, Some(PosixWait::Mutex(address))));
    }
    if mutex.owner == Some(call.thread()) && mutex.kind == MutexKind::ErrorChecking {
        return int(EDEADLK);
    }
    let old = mutex.ceiling.replace(ceiling).unwrap_or(ceiling);
    if result != 0 {
        call.write(result, 4, Value::Concrete(old.into()))?;
    }
    call.data().own.sync.mutexes.insert(address, mutex);
    int(0)
}

/// The misuse of unlocking what one does not hold.
pub(crate) fn not_owner(call: &mut PosixCall<'_, '_>) -> Result<(), Stop> {
    call.misuse(FailureDetail::UnlockNotOwner, "unlock by a thread that does not own the mutex")
}
