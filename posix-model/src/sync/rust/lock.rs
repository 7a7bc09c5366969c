//! The locks of Rust's standard library, which its `Mutex` and others are made of.
//!
//! The word of a lock is 1 while the lock is held. Natively it may be 2, which says that others wait; here
//! the scheduler knows. Who holds a lock is in the table of mutexes. Where table and word disagree, some
//! operation on the lock was not recognised as one.

use crate::answer::{PosixCall, Step, announced_synchronisation, touching, word};
use crate::row::{Row, fast_path, of_runtime};
use crate::sync::mutex::{self, Mutex};
use crate::sync::nesting;
use crate::sync::rust::{FREE, LockKind, WORD, is_modelled, operate};
use crate::sync::wait::PosixWait;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_interp::value::Value;
use symx_ir::known_functions::rust_locks::{LOCK, LOCK_CONTENDED, TRY_LOCK, UNLOCK};
use symx_trace::{Access, CallEffect, CallOutcome, Mode};

pub(crate) const ROWS: &[Row] = &[
    fast_path(&[LOCK], |call| operate(call, |call| at_lock(call, lock)))
        .which(CallEffect::Lock)
        .titled("Mutex::lock"),
    fast_path(&[TRY_LOCK], |call| operate(call, |call| at_lock(call, try_lock)))
        .which(CallEffect::Lock)
        .titled("Mutex::try_lock"),
    fast_path(&[UNLOCK], |call| operate(call, |call| at_lock(call, unlock)))
        .which(CallEffect::Unlock)
        .titled("Mutex::unlock"),
    of_runtime(&[LOCK_CONTENDED], contended),
];

/// A lock's word while it is held.
const HELD: u64 = 1;

const LOCKS: LockKind<Mutex> = LockKind {
    word: |mutex| mutex.owner.map_or(FREE, |_| HELD),
    free: Mutex::of_rust,
    disagreement: "a lock of Rust's standard library that was moved while held, or used unrecognised",
};

/// Whether locks are modelled, and the program's operations on them known. Without debug information none is.
pub(crate) fn are_known(call: &PosixCall<'_, '_>) -> bool {
    is_modelled(call) && call.program().external_named(UNLOCK).is_some()
}

/// The lock at `address`.
pub(crate) fn find(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Mutex, Stop> {
    let known = call.bookkeeping().own.sync.mutexes.get(&address).cloned();
    LOCKS.find(call, address, known)
}

/// Notes in the word of the lock at `address` whether it is held.
pub(crate) fn note_held(call: &mut PosixCall<'_, '_>, address: u64, is_held: bool) -> Result<(), Stop> {
    set_word(call, address, if is_held { HELD } else { FREE })
}

/// An operation on the lock at the call's argument.
fn at_lock(call: &mut PosixCall<'_, '_>, operation: fn(&mut PosixCall<'_, '_>, u64, Mutex) -> Step) -> Step {
    let address = call.argument(0)?;
    let mutex = find(call, address)?;
    operation(call, address, mutex)
}

fn set_word(call: &mut PosixCall<'_, '_>, address: u64, word: u64) -> Result<(), Stop> {
    call.write_object(address, WORD, Value::Concrete(word))
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
    word(FREE)
}

/// Answers the word as it was: the lock is taken if it was free.
fn try_lock(call: &mut PosixCall<'_, '_>, address: u64, mutex: Mutex) -> Step {
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(Access::object(address, Mode::Write)), None));
    }
    if mutex.owner.is_some() {
        call.synchronises(Synchronisation::LockBusy(address));
        call.ends_with(CallOutcome::Busy);
        return word(HELD);
    }
    mutex::take(call, address, mutex);
    set_word(call, address, HELD)?;
    word(FREE)
}

/// Answers the word as it was: that others wait is no business of the program's.
fn unlock(call: &mut PosixCall<'_, '_>, address: u64, mutex: Mutex) -> Step {
    let mode = mutex.mode_of_unlock(call.thread());
    if let Some(park) = announced_synchronisation(call, touching(Access::object(address, mode))) {
        return Ok(park);
    }
    set_word(call, address, FREE)?;
    mutex::release(call, address, mutex)?;
    word(HELD)
}

/// No modelled operation finds a lock held and goes on to wait.
fn contended(call: &mut PosixCall<'_, '_>) -> Step {
    if are_known(call) { Err(LOCKS.disagreement()) } else { Ok(Outcome::Fallback) }
}
