//! Calls that declare a failure of the program.

pub(crate) mod error_calls;
pub(crate) mod sanitizer;

use crate::answer::{PosixCall, Step, int};
use crate::kernel::signals::{ABORT, DEFAULT, IGNORE, TO_THREAD, bit, is_sent, send};
use crate::row::{Row, row};
use symx_interp::stop::Stop;
use symx_trace::{FailureDetail, FailureKind};

pub(crate) const ROWS: &[Row] = &[
    row(&["__assert_fail", "__assert_perror_fail"], assert_fail),
    row(&["__assert"], assert_fail),
    row(&["symx_invariant_violated"], invariant_violated),
    row(&[symx_ir::omission::NOTHING], |_| int(0)),
    row(&["abort"], abort),
    row(&["__stack_chk_fail"], |call| {
        Err(call.fault(FailureKind::Memory, FailureDetail::OutOfBounds, "stack smashing detected"))
    }),
    row(&["__chk_fail", "__fortify_fail"], |call| {
        Err(call.fault(
            FailureKind::Memory,
            FailureDetail::OutOfBounds,
            "buffer overflow detected by a checked function",
        ))
    }),
    row(&["__cxa_pure_virtual", "__cxa_deleted_virtual"], |call| {
        Err(call.fault(FailureKind::Abort, FailureDetail::Plain, "call of a pure virtual function"))
    }),
];

/// The first argument is the text of the condition.
fn assert_fail(call: &mut PosixCall<'_, '_>) -> Step {
    let condition = call.argument(0)?;
    let text = text_or(call, condition, "?")?;
    Err(call.fault(FailureKind::Assert, FailureDetail::Plain, format!("assertion failed: {text}")))
}

/// The first argument is the text of the condition.
fn invariant_violated(call: &mut PosixCall<'_, '_>) -> Step {
    let condition = call.argument(0)?;
    let text = text_or(call, condition, "?")?;
    Err(call.fault(FailureKind::Assert, FailureDetail::Invariant, format!("invariant violated: {text}")))
}

/// The string at `address`; `otherwise` for a null pointer.
pub(crate) fn text_or(call: &mut PosixCall<'_, '_>, address: u64, otherwise: &str) -> Result<String, Stop> {
    if address == 0 {
        return Ok(otherwise.to_string());
    }
    Ok(String::from_utf8_lossy(&call.read_string(address)?).into_owned())
}

/// A handler of `SIGABRT` may leave, by `siglongjmp` or `_exit`. If it returns, the process ends.
fn abort(call: &mut PosixCall<'_, '_>) -> Step {
    let fault = call.fault(FailureKind::Abort, FailureDetail::Plain, "abort called");
    let (me, is_sent) = (call.thread(), is_sent(call));
    let signals = &call.state().data.kernel.own.signals;
    if !is_sent && matches!(signals.action(ABORT).handler, DEFAULT | IGNORE) {
        return Err(fault);
    }
    let mask = signals.mask(me) & !bit(ABORT);
    call.data().kernel.own.signals.set_mask(me, mask);
    send(call, Some(me), ABORT, TO_THREAD, Err(fault))
}
