//! Guards of C++'s local static variables: one thread initialises, the others wait.
//!
//! The compiler's code reads the first byte of a guard by itself and calls these only while it is 0.

use crate::answer::{PosixCall, Step, int, nothing, touching};
use crate::row::{Row, row};
use crate::sync::once::Once;
use crate::sync::wait::PosixWait;
use smallvec::smallvec;
use symx_interp::value::Value;
use symx_trace::{Access, CallEffect, FailureDetail, FailureKind, Mode};

pub(crate) const ROWS: &[Row] = &[
    row(&["__cxa_guard_acquire"], acquire).which(CallEffect::Once),
    row(&["__cxa_guard_release"], release),
    row(&["__cxa_guard_abort"], abort),
];

/// Answers 1 to the thread that is to initialise.
fn acquire(call: &mut PosixCall<'_, '_>) -> Step {
    let guard = call.argument(0)?;
    let me = call.thread();
    if call.phase() == 0 {
        if call.state().data.own.sync.once.get(&guard) == Some(&Once::Running(me)) {
            let message = "the initialisation of a local static variable waits for itself";
            return Err(call.fault(FailureKind::Deadlock, FailureDetail::RecursiveInitialisation, message));
        }
        let footprint = smallvec![Access::object(guard, Mode::Acquire), Access::read(guard, 1)];
        return Ok(call.synchronise(footprint, Some(PosixWait::Once(guard))));
    }
    call.acquire((guard, 0));
    if call.read_object(guard, 1)? != 0 {
        return int(0);
    }
    call.data().own.sync.once.insert(guard, Once::Running(me));
    int(1)
}

/// The variable is initialised.
fn release(call: &mut PosixCall<'_, '_>) -> Step {
    let guard = call.argument(0)?;
    if call.phase() == 0 {
        let footprint = smallvec![Access::object(guard, Mode::Release), Access::write(guard, 1)];
        return Ok(call.synchronise(footprint, None));
    }
    call.release((guard, 0));
    call.write_releasing(guard, 1, Value::Concrete(1))?;
    call.data().own.sync.once.remove(&guard);
    nothing()
}

/// The initialisation has thrown: the next thread tries again.
fn abort(call: &mut PosixCall<'_, '_>) -> Step {
    let guard = call.argument(0)?;
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(Access::object(guard, Mode::Release)), None));
    }
    call.release((guard, 0));
    call.data().own.sync.once.remove(&guard);
    nothing()
}
