//! The read-write locks of Rust's standard library.
//!
//! The word of a lock is the number of its readers, or that a writer has it. Natively it also says who waits;
//! here the scheduler knows. As in the library, readers wait while a writer does. Who holds a lock is in the
//! table of read-write locks. Where table and word disagree, some operation on the lock was not recognised as
//! one.

use crate::answer::{PosixCall, Step};
use crate::errno::EBUSY;
use crate::options::Posix;
use crate::row::{Row, fast_path, of_runtime};
use crate::sync::rust::lock::is_modelled;
use crate::sync::rwlock::{self, Library, Patience, ReadWriteLock, lock_for_reading, lock_for_writing};
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_ir::known_functions::rust_locks::{
    LOOK, READ, READ_CONTENDED, RELEASE, TAKE, TRY_READ, TRY_WRITE, WRITE, WRITE_CONTENDED, WRITTEN,
};
use symx_trace::CallEffect;

pub(crate) const ROWS: &[Row] = &[
    fast_path(&[LOOK], look),
    fast_path(&[READ], |call| operate(call, read)).which(CallEffect::Lock).titled("RwLock::read"),
    fast_path(&[TRY_READ], |call| operate(call, try_read)).which(CallEffect::Lock).titled("RwLock::try_read"),
    fast_path(&[WRITE], |call| operate(call, write)).which(CallEffect::Lock).titled("RwLock::write"),
    fast_path(&[TRY_WRITE], |call| operate(call, try_write))
        .which(CallEffect::Lock)
        .titled("RwLock::try_write"),
    fast_path(&[TAKE], |call| operate(call, as_expected)),
    fast_path(&[RELEASE], |call| operate(call, release)).which(CallEffect::Unlock).titled("RwLock::unlock"),
    of_runtime(&[READ_CONTENDED, WRITE_CONTENDED], contended),
];

const RUST: Library = Library { find, keep };

/// Bytes of a lock's word.
const WORD: u64 = 4;
/// A lock's word while it is free.
const FREE: u64 = 0;

fn disagreement() -> Stop {
    Stop::unsupported(
        "a read-write lock of Rust's standard library that was moved while held, or used unrecognised",
    )
}

/// The word of a lock.
fn word(lock: &ReadWriteLock) -> u64 {
    match lock.holds() {
        (true, _) => WRITTEN,
        (false, readers) => readers as u64,
    }
}

fn find(call: &mut PosixCall<'_, '_>, address: u64) -> Result<ReadWriteLock, Stop> {
    call.object(address, WORD, Purpose::Write)?;
    let known = call.bookkeeping().own.sync.rwlocks.get(&address).cloned();
    let lock = known.unwrap_or_else(ReadWriteLock::that_prefers_writers);
    match call.read_object(address, WORD)? {
        there if there == word(&lock) => Ok(lock),
        // A guard was forgotten, and another lock is where it was.
        FREE => Ok(ReadWriteLock::that_prefers_writers()),
        _ => Err(disagreement()),
    }
}

fn keep(call: &mut PosixCall<'_, '_>, address: u64, lock: ReadWriteLock) -> Result<(), Stop> {
    call.write_object(address, WORD, Value::Concrete(word(&lock)))?;
    call.data().own.sync.rwlocks.insert(address, lock);
    Ok(())
}

/// The word as the library's operation is to see it; its own runs where locks are not modelled.
fn operate(call: &mut PosixCall<'_, '_>, operation: fn(&mut PosixCall<'_, '_>) -> Step) -> Step {
    if !is_modelled(call) {
        return Ok(Outcome::Fallback);
    }
    operation(call)
}

/// Before a lock is taken for reading: the update that follows waits until it can be.
fn look(call: &mut PosixCall<'_, '_>) -> Step {
    operate(call, |_| answer(FREE))
}

fn answer(word: u64) -> Step {
    Ok(Outcome::Return(Value::Concrete(word)))
}

/// The word that an update expects: it succeeds.
fn as_expected(call: &mut PosixCall<'_, '_>) -> Step {
    let expected = call.argument(1)?;
    answer(expected)
}

/// The answer to a modelled call that has returned; else the wait that goes on.
fn once_done(
    call: &mut PosixCall<'_, '_>,
    outcome: Outcome<Posix>,
    answered: fn(&mut PosixCall<'_, '_>, bool) -> Step,
) -> Step {
    match outcome {
        Outcome::Return(Value::Concrete(error)) => answered(call, error == 0),
        other => Ok(other),
    }
}

fn read(call: &mut PosixCall<'_, '_>) -> Step {
    let outcome = lock_for_reading(call, &RUST, Patience::Unlimited)?;
    once_done(call, outcome, |call, _| as_expected(call))
}

fn write(call: &mut PosixCall<'_, '_>) -> Step {
    let outcome = lock_for_writing(call, &RUST, Patience::Unlimited)?;
    once_done(call, outcome, |call, _| as_expected(call))
}

/// A word that says that the lock is taken, or by which the caller knows that it cannot be.
fn tried(call: &mut PosixCall<'_, '_>, outcome: Outcome<Posix>) -> Step {
    once_done(call, outcome, |_, is_taken| answer(if is_taken { FREE } else { WRITTEN }))
}

fn try_read(call: &mut PosixCall<'_, '_>) -> Step {
    let outcome = lock_for_reading(call, &RUST, Patience::Or(EBUSY))?;
    tried(call, outcome)
}

fn try_write(call: &mut PosixCall<'_, '_>) -> Step {
    let outcome = lock_for_writing(call, &RUST, Patience::Or(EBUSY))?;
    tried(call, outcome)
}

/// Answers a word after which no thread holds the lock or waits for it: to wake others is no business of the
/// program's.
fn release(call: &mut PosixCall<'_, '_>) -> Step {
    let outcome = rwlock::unlock(call, &RUST)?;
    once_done(call, outcome, |call, _| as_expected(call))
}

/// No modelled operation finds a lock taken and goes on to wait.
fn contended(call: &mut PosixCall<'_, '_>) -> Step {
    let is_known = is_modelled(call) && call.program().external_named(RELEASE).is_some();
    if is_known { Err(disagreement()) } else { Ok(Outcome::Fallback) }
}
