//! Synchronisation objects of Rust's standard library, which is compiled into the program.

pub(crate) mod condition;
pub(crate) mod lock;
pub(crate) mod read_write_lock;

use crate::answer::{PosixCall, Step};
use crate::options::Posix;
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::value::Value;

/// Bytes of the word that a lock or a condition variable is.
const WORD: u64 = 4;
/// The word of a lock that is free.
const FREE: u64 = 0;

/// Whether locks are modelled; else the library's own operations run.
pub(crate) fn is_modelled(call: &PosixCall<'_, '_>) -> bool {
    call.environment().options().models_rust_runtime
}

/// A modelled operation; the library's own where locks are not modelled.
fn operate(call: &mut PosixCall<'_, '_>, operation: fn(&mut PosixCall<'_, '_>) -> Step) -> Step {
    if is_modelled(call) { operation(call) } else { Ok(Outcome::Fallback) }
}

/// A kind of locks, each in a table and as a word in memory. Where the two disagree, some operation on the
/// lock was not recognised as one.
struct LockKind<L> {
    /// The word of a lock as the table has it.
    word: fn(&L) -> u64,
    /// A lock that is free.
    free: fn() -> L,
    /// For people: a lock of which word and table disagree.
    disagreement: &'static str,
}

impl<L> LockKind<L> {
    /// The lock at `address`, given as the table has it.
    fn find(&self, call: &mut PosixCall<'_, '_>, address: u64, known: Option<L>) -> Result<L, Stop> {
        call.object(address, WORD, Purpose::Write)?;
        let lock = known.unwrap_or_else(self.free);
        match call.read_object(address, WORD)? {
            there if there == (self.word)(&lock) => Ok(lock),
            // A guard was forgotten, and another lock is where it was.
            FREE => Ok((self.free)()),
            _ => Err(self.disagreement()),
        }
    }

    fn disagreement(&self) -> Stop {
        Stop::unsupported(self.disagreement)
    }
}

/// The word that answers a modelled call which has returned, given its error; else the wait that goes on.
fn answered(outcome: Outcome<Posix>, word: impl FnOnce(u64) -> u64) -> Outcome<Posix> {
    match outcome {
        Outcome::Return(Value::Concrete(error)) => Outcome::Return(Value::Concrete(word(error))),
        other => other,
    }
}
