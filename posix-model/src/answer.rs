//! How models answer: results of C types, parking, calling back into the program, failing with `errno`.

use crate::linked::ERROR_LOCATION;
use crate::options::Posix;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use symx_interp::environment::Call;
use symx_interp::environment::{ModelFn, Outcome};
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Access, Footprint};

/// A call of one of this crate's models.
pub(crate) type PosixCall<'a, 'm> = Call<'a, 'm, Posix>;
/// A model of this crate.
pub(crate) type Model = ModelFn<Posix>;
/// The answer of a phase of a model.
pub(crate) type Step = Result<Outcome<Posix>, Stop>;

/// Whether a model may perform its operation now.
pub(crate) enum Turn<T> {
    /// It may; here is what it needs.
    Go(T),
    /// Not now, or not at all: this is to be answered.
    Answer(Step),
}

/// Returns an `int`.
pub(crate) fn int(value: i32) -> Step {
    Ok(Outcome::Return(Value::Concrete(u64::from(value as u32))))
}

/// Returns a pointer, `size_t` or `long`.
pub(crate) fn word(value: u64) -> Step {
    Ok(Outcome::Return(Value::Concrete(value)))
}

/// Returns from a `void` function.
pub(crate) fn nothing() -> Step {
    word(0)
}

/// A system call's result when it fails: minus the error number.
pub(crate) fn failed(error: i32) -> Step {
    word(i64::from(-error) as u64)
}

/// A system call's result when it has made a descriptor, or could not.
pub(crate) fn made(descriptor: Result<u32, i32>) -> Step {
    match descriptor {
        Ok(descriptor) => word(descriptor.into()),
        Err(error) => failed(error),
    }
}

/// Calls `function` of the program.
pub(crate) fn invoke(function: u64, arguments: impl IntoIterator<Item = Value>) -> Step {
    Ok(Outcome::Invoke { function, arguments: SmallVec::from_iter(arguments) })
}

/// The address of the program's or libc's function called `name`, if it is linked.
pub(crate) fn function(call: &PosixCall<'_, '_>, name: &str) -> Option<u64> {
    let program = call.program();
    program.function_named(name).map(|id| program.function_address(id))
}

/// The footprint of one access.
pub(crate) fn touching(access: Access) -> Footprint {
    SmallVec::from_slice(&[access])
}

/// Parks before an operation that needs no memory order, once: `None` when the thread has been scheduled for
/// just this footprint and may perform it.
///
/// Some footprints depend on what other threads change before this one is scheduled (which file a
/// descriptor means). Calling this in every phase until it answers `None` makes sure that what is performed
/// is what was announced.
pub(crate) fn announced(call: &mut PosixCall<'_, '_>, footprint: Footprint) -> Option<Outcome<Posix>> {
    if is_announced(call, &footprint) { None } else { Some(call.park(footprint)) }
}

/// Like [`announced`], for an operation that orders memory as synchronisation does.
pub(crate) fn announced_synchronisation(
    call: &mut PosixCall<'_, '_>,
    footprint: Footprint,
) -> Option<Outcome<Posix>> {
    if is_announced(call, &footprint) { None } else { Some(call.synchronise(footprint, None)) }
}

fn is_announced(call: &mut PosixCall<'_, '_>, footprint: &Footprint) -> bool {
    let mut hasher = rustc_hash::FxHasher::default();
    footprint.hash(&mut hasher);
    let announcement = hasher.finish();
    if call.phase() > 0 && call.scratch().first() == Some(&announcement) {
        return true;
    }
    *call.scratch() = SmallVec::from_slice(&[announcement]);
    false
}

/// Marks a call that is about to fail with `errno`; no announcement hashes to it in practice.
const FAILING: u64 = 0x6572_726e_6f5f_6661;

/// Fails a libc function: stores `error` in `errno` and returns `result`. The model must ask
/// [`finish_failure`] first in every phase.
pub(crate) fn fail(call: &mut PosixCall<'_, '_>, error: i32, result: Value) -> Step {
    let Some(location) = function(call, ERROR_LOCATION) else {
        return Ok(Outcome::Return(result));
    };
    let Some(result) = result.concrete() else { return Ok(Outcome::Return(result)) };
    *call.scratch() = SmallVec::from_slice(&[FAILING, error as u64, result]);
    invoke(location, [])
}

/// [`fail`] with the result -1 as an `int`.
pub(crate) fn fail_int(call: &mut PosixCall<'_, '_>, error: i32) -> Step {
    fail(call, error, Value::Concrete(u64::from(u32::MAX)))
}

/// The end of a call that [`fail`] began.
pub(crate) fn finish_failure(call: &mut PosixCall<'_, '_>) -> Option<Step> {
    let &[FAILING, error, result] = call.scratch().as_slice() else { return None };
    let address = call.invoked()?.concrete()?;
    Some(call.write(address, 4, Value::Concrete(error)).and_then(|()| word(result)))
}
