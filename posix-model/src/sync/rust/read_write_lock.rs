//! The read-write locks of Rust's standard library.
//!
//! The word of a lock is the number of its readers, or that a writer has it. Natively it also says who waits;
//! here the scheduler knows. As in the library, readers wait while a writer does. Who holds a lock is in the
//! table of read-write locks. Where table and word disagree, some operation on the lock was not recognised as
//! one.

use crate::answer::{PosixCall, Step, word};
use crate::errno::EBUSY;
use crate::row::{Row, fast_path, of_runtime};
use crate::sync::rust::{FREE, LockKind, WORD, answered, is_modelled, operate};
use crate::sync::rwlock::{self, Library, Patience, ReadWriteLock, lock_for_reading, lock_for_writing};
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_ir::known_functions::rust_locks::{
    LOOK, READ, READ_CONTENDED, RELEASE, TAKE, TRY_READ, TRY_WRITE, WRITE, WRITE_CONTENDED, WRITTEN,
};
use symx_trace::CallEffect;

pub(crate) const ROWS: &[Row] = &[
    fast_path(&[LOOK], |call| operate(call, look)),
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

const LOCKS: LockKind<ReadWriteLock> = LockKind {
    word: word_of,
    free: ReadWriteLock::that_prefers_writers,
    disagreement: "a read-write lock of Rust's standard library that was moved while held, or used unrecognised",
};

fn word_of(lock: &ReadWriteLock) -> u64 {
    match lock.holds() {
        (true, _) => WRITTEN,
        (false, readers) => readers as u64,
    }
}

fn find(call: &mut PosixCall<'_, '_>, address: u64) -> Result<ReadWriteLock, Stop> {
    let known = call.bookkeeping().own.sync.rwlocks.get(&address).cloned();
    LOCKS.find(call, address, known)
}

fn keep(call: &mut PosixCall<'_, '_>, address: u64, lock: ReadWriteLock) -> Result<(), Stop> {
    call.write_object(address, WORD, Value::Concrete(word_of(&lock)))?;
    call.data().own.sync.rwlocks.insert(address, lock);
    Ok(())
}

/// Before a lock is taken for reading: the update that follows waits until it can be.
fn look(_: &mut PosixCall<'_, '_>) -> Step {
    word(FREE)
}

/// The word that an update expects: it succeeds.
fn as_expected(call: &mut PosixCall<'_, '_>) -> Step {
    word(call.argument(1)?)
}

fn read(call: &mut PosixCall<'_, '_>) -> Step {
    let expected = call.argument(1)?;
    Ok(answered(lock_for_reading(call, &RUST, Patience::Unlimited)?, |_| expected))
}

fn write(call: &mut PosixCall<'_, '_>) -> Step {
    let expected = call.argument(1)?;
    Ok(answered(lock_for_writing(call, &RUST, Patience::Unlimited)?, |_| expected))
}

fn try_read(call: &mut PosixCall<'_, '_>) -> Step {
    Ok(answered(lock_for_reading(call, &RUST, Patience::Or(EBUSY))?, tried))
}

fn try_write(call: &mut PosixCall<'_, '_>) -> Step {
    Ok(answered(lock_for_writing(call, &RUST, Patience::Or(EBUSY))?, tried))
}

/// A word that says that the lock is taken, or by which the caller knows that it cannot be.
fn tried(error: u64) -> u64 {
    if error == 0 { FREE } else { WRITTEN }
}

/// Answers a word after which no thread holds the lock or waits for it: to wake others is no business of the
/// program's.
fn release(call: &mut PosixCall<'_, '_>) -> Step {
    let expected = call.argument(1)?;
    Ok(answered(rwlock::unlock(call, &RUST)?, |_| expected))
}

/// No modelled operation finds a lock taken and goes on to wait.
fn contended(call: &mut PosixCall<'_, '_>) -> Step {
    let is_known = is_modelled(call) && call.program().external_named(RELEASE).is_some();
    if is_known { Err(LOCKS.disagreement()) } else { Ok(Outcome::Fallback) }
}
