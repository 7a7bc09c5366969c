//! Locks of libc's own: around streams, the environment, lists of exit routines.
//!
//! Interpreted libc code calls these hooks instead of spinning on a futex. A lock is a word of libc's memory:
//! 0 while free, else its holder's number, or negative in a stream that is never locked. The state is the
//! word, and the footprints are about its bytes. A thread's access to libc's variables inside a lock is
//! ordered by that, and no step of its own.

use crate::answer::{PosixCall, Step, int, nothing, touching, word};
use crate::row::{Row, row};
use crate::sync::wait::PosixWait;
use crate::threads::thread_number;
use smallvec::smallvec;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_interp::value::Value;
use symx_trace::{Access, CallEffect, CallOutcome, Mode, Place};

pub(crate) const ROWS: &[Row] = &[
    row(&["__symx_lock"], lock).which(CallEffect::Lock).titled("lock"),
    row(&["__symx_unlock"], unlock).which(CallEffect::Unlock).titled("unlock"),
    row(&["__symx_lock_stream"], lock_stream).which(CallEffect::Lock).titled("lock"),
    row(&["__symx_try_lock"], try_lock).which(CallEffect::Lock).titled("trylock"),
    row(&["__symx_tp"], |call| word(call.control_block())),
];

fn access(address: u64, mode: Mode) -> Access {
    Access { place: Place::Memory { start: address, end: address + 4 }, mode }
}

/// Waits for the lock and takes it; then answers `result`.
fn take(call: &mut PosixCall<'_, '_>, result: i32) -> Step {
    let address = call.argument(0)?;
    call.object(address, 4, Purpose::Write)?;
    if call.phase() == 0 {
        let footprint = touching(access(address, Mode::Acquire));
        return Ok(call.synchronise(footprint, Some(PosixWait::LibraryLock(address))));
    }
    call.acquire((address, 0));
    enter(call, address)?;
    call.synchronises(Synchronisation::Lock(address));
    int(result)
}

/// Makes the calling thread the holder of the lock at `address`.
pub(crate) fn enter(call: &mut PosixCall<'_, '_>, address: u64) -> Result<(), Stop> {
    let me = call.thread();
    call.write_object(address, 4, Value::Concrete(thread_number(me)))?;
    *call.data().library_locks.entry(me).or_default() += 1;
    Ok(())
}

fn lock(call: &mut PosixCall<'_, '_>) -> Step {
    take(call, 0)
}

/// The word of the lock at `address`. No other thread can make it the caller's number, or take that away, or
/// change whether it is negative. As far as those questions go, this access is unobservable.
fn word_at(call: &PosixCall<'_, '_>, address: u64) -> Result<i32, Stop> {
    let object = call.object(address, 4, Purpose::Write)?;
    Ok(object.read_word(address - object.base, 4) as i32)
}

fn is_mine(call: &PosixCall<'_, '_>, word: i32) -> bool {
    i64::from(word) == thread_number(call.thread()) as i64
}

/// Answers 1 if the caller has to unlock the stream, 0 if it holds it already or the stream is never locked.
fn lock_stream(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    if call.phase() == 0 {
        let word = word_at(call, address)?;
        if word < 0 || is_mine(call, word) {
            return int(0);
        }
    }
    take(call, 1)
}

/// Answers 1 if the caller has the lock now, 0 if another thread does.
fn try_lock(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let word = word_at(call, address)?;
    if word < 0 || is_mine(call, word) {
        return int(1);
    }
    if call.phase() == 0 {
        // Both, not a write: the word is no thread's data. A post, as the thread could try before the lock
        // was released as well.
        let footprint = smallvec![access(address, Mode::Acquire), access(address, Mode::Post)];
        return Ok(call.synchronise(footprint, None));
    }
    if word != 0 {
        call.synchronises(Synchronisation::LockBusy(address));
        call.ends_with(CallOutcome::Busy);
        return int(0);
    }
    call.acquire((address, 0));
    enter(call, address)?;
    call.synchronises(Synchronisation::Lock(address));
    int(1)
}

fn unlock(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    call.object(address, 4, Purpose::Write)?;
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(access(address, Mode::Release)), None));
    }
    call.release((address, 0));
    leave(call, address)?;
    call.synchronises(Synchronisation::Unlock(address));
    nothing()
}

/// Makes the lock at `address`, which the calling thread holds, free.
pub(crate) fn leave(call: &mut PosixCall<'_, '_>, address: u64) -> Result<(), Stop> {
    call.write_object(address, 4, Value::Concrete(0))?;
    let me = call.thread();
    if let Some(count) = call.data().library_locks.get_mut(&me) {
        *count = count.saturating_sub(1);
    }
    Ok(())
}
