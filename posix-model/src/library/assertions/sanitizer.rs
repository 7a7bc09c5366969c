//! Functions that code calls that was compiled with checks of its arithmetic
//! (`-fsanitize=signed-integer-overflow,shift`), where a check fails.

use crate::answer::{PosixCall, Step};
use crate::row::{Row, row};
use symx_trace::{FailureDetail, FailureKind};

pub(crate) const ROWS: &[Row] = &[
    row(&["__ubsan_handle_add_overflow", "__ubsan_handle_add_overflow_abort"], |call| {
        overflow(call, "an addition")
    }),
    row(&["__ubsan_handle_sub_overflow", "__ubsan_handle_sub_overflow_abort"], |call| {
        overflow(call, "a subtraction")
    }),
    row(&["__ubsan_handle_mul_overflow", "__ubsan_handle_mul_overflow_abort"], |call| {
        overflow(call, "a multiplication")
    }),
    row(&["__ubsan_handle_negate_overflow", "__ubsan_handle_negate_overflow_abort"], |call| {
        overflow(call, "a negation")
    }),
    row(&["__ubsan_handle_divrem_overflow", "__ubsan_handle_divrem_overflow_abort"], division),
    row(&["__ubsan_handle_shift_out_of_bounds", "__ubsan_handle_shift_out_of_bounds_abort"], |call| {
        let message = "a left shift of a signed number loses bits, or its distance is out of range";
        Err(call.fault(FailureKind::Arithmetic, FailureDetail::ShiftOutOfRange, message))
    }),
];

/// Where the description of the operands' type is in what a check passes, after file, line and column.
const TYPE: u64 = 16;
/// Where a description says which numbers the type has; the lowest bit is set where some are negative.
const NUMBERS: u64 = 2;

fn overflow(call: &mut PosixCall<'_, '_>, operation: &str) -> Step {
    let check = call.argument(0)?;
    let described = call.read_number(check + TYPE, 8)?;
    let (detail, sign) = match call.read_number(described + NUMBERS, 2)? & 1 {
        0 => (FailureDetail::UnsignedOverflow, "unsigned"),
        _ => (FailureDetail::SignedOverflow, "signed"),
    };
    Err(call.fault(FailureKind::Arithmetic, detail, format!("{sign} overflow in {operation}")))
}

/// Called for a divisor of zero, too. The second operand is a number of the operands' width, or a pointer to
/// a wider one, which is not zero.
fn division(call: &mut PosixCall<'_, '_>) -> Step {
    let (detail, message) = match call.argument(2)? {
        0 => (FailureDetail::DivisionByZero, "division by zero"),
        _ => (FailureDetail::DivisionOverflow, "the quotient of a signed division does not fit"),
    };
    Err(call.fault(FailureKind::Arithmetic, detail, message))
}
