//! The locks of Rust's standard library, which its `Mutex` and others are made of.
//!
//! The word of a lock is 1 while the lock is held. Natively it may be 2, which says that others wait; here
//! the scheduler knows. Who holds a lock is in the table of mutexes. Where table and word disagree, some
//! operation on the lock was not recognised as one.

use crate::answer::{PosixCall, Step, announced_synchronisation, int, touching};
use crate::row::{Row, fast_path, of_runtime};
use crate::sync::mutex::{self, Mutex};
use crate::sync::nesting;
use crate::sync::wait::PosixWait;
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_interp::value::Value;
use symx_ir::known_functions::rust_locks::{LOCK, LOCK_CONTENDED, TRY_LOCK, UNLOCK};
use symx_trace::{Access, CallEffect, CallOutcome, Mode};

pub(crate) const ROWS: &[Row] = &[
    fast_path(&[LOCK], |call| operate(call, lock)).which(CallEffect::Lock).titled("Mutex::lock"),
    fast_path(&[TRY_LOCK], |call| operate(call, try_lock)).which(CallEffect::Lock).titled("Mutex::try_lock"),
    fast_path(&[UNLOCK], |call| operate(call, unlock)).which(CallEffect::Unlock).titled("Mutex::unlock"),
    of_runtime(&[LOCK_CONTENDED], contended),
];

/// Bytes of a lock.
const EXTENT: u64 = 4;
/// Its word while it is free.
const FREE: i32 = 0;
/// Its word while it is held.
const HELD: i32 = 1;

/// Whether locks are modelled; else the library's own operations run.
pub(crate) fn is_modelled(call: &PosixCall<'_, '_>) -> bool {
    call.environment().options().models_rust_runtime
}

fn disagreement() -> Stop {
    Stop::unsupported("a lock of Rust's standard library that was moved while held, or used unrecognised")
}

/// Whether locks are modelled, and the program's operations on them known. Without debug information none is.
pub(crate) fn are_known(call: &PosixCall<'_, '_>) -> bool {
    is_modelled(call) && call.program().external_named(UNLOCK).is_some()
}

/// The lock at `address`.
pub(crate) fn find(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Mutex, Stop> {
    call.object(address, EXTENT, Purpose::Write)?;
    let known = call.bookkeeping().own.sync.mutexes.get(&address).cloned();
    let mutex = known.unwrap_or_else(Mutex::of_rust);
    match (call.read_object(address, EXTENT)? != FREE as u64, mutex.owner.is_some()) {
        (true, true) | (false, false) => Ok(mutex),
        // Its guard was forgotten, and another lock is where it was.
        (false, true) => Ok(Mutex::of_rust()),
        (true, false) => Err(disagreement()),
    }
}

/// Notes in the word of the lock at `address` whether it is held.
pub(crate) fn note_held(call: &mut PosixCall<'_, '_>, address: u64, is_held: bool) -> Result<(), Stop> {
    set_word(call, address, if is_held { HELD } else { FREE })
}

/// An operation on the lock at the call's argument; the library's own where locks are not modelled.
fn operate(call: &mut PosixCall<'_, '_>, operation: fn(&mut PosixCall<'_, '_>, u64, Mutex) -> Step) -> Step {
    if !is_modelled(call) {
        return Ok(Outcome::Fallback);
    }
    let address = call.argument(0)?;
    let mutex = find(call, address)?;
    operation(call, address, mutex)
}

fn set_word(call: &mut PosixCall<'_, '_>, address: u64, word: i32) -> Result<(), Stop> {
    call.write_object(address, EXTENT, Value::Concrete(word as u64))
}

/// Answers the word as it was.
fn lock(call: &mut PosixCall<'_, '_>, address: u64, mutex: Mutex) -> Step {
    if call.phase() == 0 {
        let footprint = touching(Access::object(address, Mode::Acquire));
        return Ok(call.synchronise(footprint, Some(PosixWait::Mutex(address))));
    }
    nesting::note(call, address, false);
    mutex::take(call, address, mutex);
    set_word(call, address, HELD)?;
    int(FREE)
}

/// Answers the word as it was: the lock is taken if it was free.
fn try_lock(call: &mut PosixCall<'_, '_>, address: u64, mutex: Mutex) -> Step {
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(Access::object(address, Mode::Write)), None));
    }
    if mutex.owner.is_some() {
        call.synchronises(Synchronisation::LockBusy(address));
        call.ends_with(CallOutcome::Busy);
        return int(HELD);
    }
    mutex::take(call, address, mutex);
    set_word(call, address, HELD)?;
    int(FREE)
}

/// Answers the word as it was: that others wait is no business of the program's.
fn unlock(call: &mut PosixCall<'_, '_>, address: u64, mutex: Mutex) -> Step {
    let mode = mutex.mode_of_unlock(call.thread());
    if let Some(park) = announced_synchronisation(call, touching(Access::object(address, mode))) {
        return Ok(park);
    }
    set_word(call, address, FREE)?;
    mutex::release(call, address, mutex)?;
    int(HELD)
}

/// No modelled operation finds a lock held and goes on to wait.
fn contended(call: &mut PosixCall<'_, '_>) -> Step {
    if are_known(call) { Err(disagreement()) } else { Ok(Outcome::Fallback) }
}
