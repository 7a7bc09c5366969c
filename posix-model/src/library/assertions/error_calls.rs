//! Functions that verification tasks call where they are wrong, and by which they ask the tool that runs
//! them.

use crate::answer::{PosixCall, Step, int, nothing};
use crate::row::{Row, row};
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{FailureDetail, FailureKind};

/// The functions of which a task says that they are never called.
const ERRORS: &[&str] = &["__VERIFIER_error", "reach_error"];

pub(crate) const ROWS: &[Row] = &[
    row(ERRORS, |call| {
        let message = format!("assertion failed: {} called", call.name());
        Err(error(call, message))
    }),
    row(&["__VERIFIER_assert"], assert),
    row(&["__VERIFIER_tid"], |call| {
        let number = call.thread().0;
        int(number as i32)
    }),
];

/// Whether a call of this function is the program's error. Tasks that are to be compiled define it as well:
/// as nothing, as an assertion that fails, or as a jump out. None of that is meant to happen.
pub fn is_error_call(name: &str) -> bool {
    ERRORS.contains(&name)
}

fn error(call: &PosixCall<'_, '_>, message: String) -> Stop {
    call.fault(FailureKind::Assert, FailureDetail::ErrorCall, message)
}

/// `__VERIFIER_assert(condition)` without a body.
fn assert(call: &mut PosixCall<'_, '_>) -> Step {
    let condition = match call.value(0) {
        Value::Concrete(bits) => Value::Concrete(u64::from(bits != 0)),
        Value::Symbolic(term) => Value::of(call.terms(), call.terms().is_nonzero(term)),
    };
    if call.decide(condition)? {
        return nothing();
    }
    Err(error(call, "assertion failed: __VERIFIER_assert of 0".into()))
}
