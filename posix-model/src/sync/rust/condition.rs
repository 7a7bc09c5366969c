//! The condition variables of Rust's standard library.
//!
//! The library's own code counts notifications in a word and sleeps until that changes. Here a notification
//! wakes a thread that waits, as in POSIX. The word stays as it is.

use crate::answer::{PosixCall, Step};
use crate::errno::ETIMEDOUT;
use crate::row::{Row, of_runtime};
use crate::sync::condition::{self, ASLEEP, Condition, Library};
use crate::sync::deadline::NANOSECONDS;
use crate::sync::rust::{WORD, answered, lock as rust_lock};
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_ir::known_functions::rust_conditions::{NOTIFY_ALL, NOTIFY_ONE, WAIT, WAIT_TIMEOUT};
use symx_trace::CallEffect;

pub(crate) const ROWS: &[Row] = &[
    of_runtime(&[WAIT], |call| operate(call, |call| condition::wait_for_ever(call, &RUST)))
        .which(CallEffect::ConditionWait)
        .titled("Condvar::wait"),
    of_runtime(&[WAIT_TIMEOUT], |call| operate(call, wait_for))
        .which(CallEffect::ConditionWait)
        .titled("Condvar::wait_timeout"),
    of_runtime(&NOTIFY_ONE, |call| operate(call, |call| condition::signal(call, &RUST)))
        .which(CallEffect::Signal)
        .titled("Condvar::notify_one"),
    of_runtime(&NOTIFY_ALL, |call| operate(call, |call| condition::broadcast(call, &RUST)))
        .which(CallEffect::Broadcast)
        .titled("Condvar::notify_all"),
];

const RUST: Library = Library {
    find,
    find_mutex: rust_lock::find,
    note_held: rust_lock::note_held,
    has_one_mutex: false,
    cancels: false,
};

/// Where a wait keeps when its time is up, behind what condition variables keep.
const UNTIL: usize = 2;

/// An operation on the condition variable at the call's argument; the library's own where locks are not
/// modelled.
fn operate(call: &mut PosixCall<'_, '_>, operation: fn(&mut PosixCall<'_, '_>) -> Step) -> Step {
    if !rust_lock::are_known(call) {
        return Ok(Outcome::Fallback);
    }
    operation(call)
}

/// The library's own code is at work beside the models.
pub(crate) fn unrecognised() -> Stop {
    Stop::unsupported("a condition variable of Rust's standard library that is used unrecognised")
}

fn find(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Condition, Stop> {
    call.object(address, WORD, Purpose::Read)?;
    let data = call.bookkeeping();
    if data.kernel.own.futexes.has_sleepers(address) {
        return Err(unrecognised());
    }
    Ok(data.own.sync.conditions.get(&address).cloned().unwrap_or_default())
}

/// `wait_timeout(condition, lock, seconds, nanoseconds)`. A limit beyond what the clock can show is none.
fn wait_for(call: &mut PosixCall<'_, '_>) -> Step {
    let (seconds, nanoseconds) = (call.argument(2)?, call.argument(3)? as u32);
    let until = match call.phase() {
        ..ASLEEP => {
            let duration = seconds.saturating_mul(NANOSECONDS).saturating_add(nanoseconds.into());
            call.state().data.kernel.clock.after(call.thread(), duration)
        }
        _ => call.scratch()[UNTIL],
    };
    let falls_asleep = call.phase() + 1 == ASLEEP;
    let outcome = condition::wait_until(call, &RUST, Some(until), ETIMEDOUT)?;
    if falls_asleep {
        call.scratch().push(until);
    }
    Ok(answered(outcome, |error| (error == 0).into()))
}
