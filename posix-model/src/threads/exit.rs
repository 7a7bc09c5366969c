//! `pthread_exit`, and the clean-up routines it runs.
//!
//! glibc's clean-up macros save a point to jump to (`__sigsetjmp`) and register its buffer. Leaving means
//! jumping to each buffer in turn, whose code runs the routine and asks to go on. musl's register routine and
//! argument.

use crate::answer::{PosixCall, Step, int, invoke, nothing};
use crate::row::{Row, row};
use crate::threads::{record, update};
use crate::unwinding::jumps;
use crate::unwinding::unwind;
use smallvec::smallvec;
use symx_interp::value::Value;

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_exit", "thrd_exit"], exit),
    row(&["_pthread_cleanup_push"], push),
    row(&["_pthread_cleanup_pop"], pop),
    row(&["__pthread_register_cancel"], register_buffer),
    row(&["__pthread_unregister_cancel"], unregister_buffer),
    row(&["__pthread_unwind_next"], unwind_next),
];

/// A buffer of glibc's clean-up macros.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CleanUpBuffer {
    pub(super) address: u64,
    /// Whether cancellation is to be asynchronous again after it, if it was deferred for it.
    pub(super) restores: Option<bool>,
}

fn exit(call: &mut PosixCall<'_, '_>) -> Step {
    let value = call.value(0);
    if call.phase() == 0 {
        update(call, |own| own.result = Some(value));
    }
    leave(call)
}

/// Runs what is left to clean up, innermost first, then leaves with the result that was noted.
pub(crate) fn leave(call: &mut PosixCall<'_, '_>) -> Step {
    let own = record(call, call.thread());
    if let Some((routine, argument)) = own.clean_up.last().copied() {
        update(call, |own| {
            own.clean_up.pop_back();
        });
        return invoke(routine, [Value::Concrete(argument)]);
    }
    if let Some(buffer) = own.clean_up_buffers.last().copied() {
        let buffer = buffer.address;
        let depth = jumps::depth_of(call, buffer).unwrap_or_else(|| call.depth());
        if let Some(announcement) = unwind::give_up_routines(call, depth) {
            return announcement;
        }
        update(call, |own| {
            own.clean_up_buffers.pop_back();
        });
        return jumps::jump(call, buffer, Value::Concrete(1));
    }
    unwind::leave_thread(call)
}

fn push(call: &mut PosixCall<'_, '_>) -> Step {
    let (routine, argument) = (call.argument(1)?, call.argument(2)?);
    update(call, |own| own.clean_up.push_back((routine, argument)));
    nothing()
}

fn pop(call: &mut PosixCall<'_, '_>) -> Step {
    if call.phase() > 0 {
        return nothing();
    }
    let execute = call.argument(1)? as u32;
    let entry = record(call, call.thread()).clean_up.last().copied();
    update(call, |own| {
        own.clean_up.pop_back();
    });
    match entry {
        Some((routine, argument)) if execute != 0 => invoke(routine, [Value::Concrete(argument)]),
        _ => nothing(),
    }
}

fn register_buffer(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    update(call, |own| own.clean_up_buffers.push_back(CleanUpBuffer { address, restores: None }));
    nothing()
}

fn unregister_buffer(call: &mut PosixCall<'_, '_>) -> Step {
    call.argument(0)?;
    update(call, |own| {
        own.clean_up_buffers.pop_back();
    });
    nothing()
}

fn unwind_next(call: &mut PosixCall<'_, '_>) -> Step {
    *call.scratch() = smallvec![];
    call.argument(0)?;
    if record(call, call.thread()).result.is_none() {
        return int(0);
    }
    leave(call)
}
