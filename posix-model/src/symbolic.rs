//! What programs written for symbolic execution call: `klee/klee.h`, SV-COMP's `__VERIFIER_*`, and `symx.h`.

use crate::answer::{PosixCall, Step, int, nothing, word};
use crate::assertions::text_or;
use crate::registry::{Row, row};
use smallvec::smallvec;
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::FailureKind;

pub(crate) const ROWS: &[Row] = &[
    row(&["klee_make_symbolic", "symx_make_symbolic"], make_symbolic),
    row(&["klee_assume", "__VERIFIER_assume", "symx_assume"], assume),
    row(&["klee_int"], |call| {
        let name = call.argument(0)?;
        let name = text_or(call, name, "unnamed")?;
        fresh(call, 4, &name)
    }),
    row(&["klee_range"], range),
    row(&["klee_choose"], choose),
    row(
        &["klee_get_value_i32", "klee_get_value_i64", "klee_get_valuef", "klee_get_valued", "klee_get_value"],
        |call| {
            let value = call.argument(0)?;
            word(value)
        },
    ),
    row(&["klee_is_symbolic"], |call| int(i32::from(call.value(0).concrete().is_none()))),
    row(&["klee_check_memory_access"], |call| {
        let (address, length) = (call.argument(0)?, call.argument(1)?);
        call.object(address, length, Purpose::Write)?;
        nothing()
    }),
    row(&["klee_report_error"], report_error),
    row(&["klee_abort"], |call| Err(call.fault(FailureKind::Abort, "", "klee_abort called"))),
    row(&["klee_silent_exit"], |call| {
        let status = call.argument(0)?;
        Ok(Outcome::ProcessExit(status as u8))
    }),
    // Hints and messages to a tool: no influence on what the program does.
    row(
        &[
            "klee_warning",
            "klee_warning_once",
            "klee_print_expr",
            "klee_print_range",
            "klee_prefer_cex",
            "klee_posix_prefer_cex",
            "klee_mark_global",
            "klee_stack_trace",
            "klee_open_merge",
            "klee_close_merge",
            "klee_set_forking",
        ],
        |_| nothing(),
    ),
    row(&["klee_define_fixed_object", "klee_alias_function"], |call| Err(call.unsupported(call.name()))),
    row(&["__VERIFIER_error", "reach_error"], |call| {
        Err(call.fault(FailureKind::Assert, "", format!("assertion failed: {} called", call.name())))
    }),
    row(&["__VERIFIER_nondet_bool", "__VERIFIER_nondet__Bool"], nondeterministic_bool),
    row(&["__VERIFIER_nondet_char", "__VERIFIER_nondet_uchar"], |call| fresh_named(call, 1)),
    row(&["__VERIFIER_nondet_short", "__VERIFIER_nondet_ushort"], |call| fresh_named(call, 2)),
    row(
        &[
            "__VERIFIER_nondet_int",
            "__VERIFIER_nondet_uint",
            "__VERIFIER_nondet_unsigned",
            "__VERIFIER_nondet_unsigned_int",
            "__VERIFIER_nondet_u32",
            "__VERIFIER_nondet_float",
        ],
        |call| fresh_named(call, 4),
    ),
    row(
        &[
            "__VERIFIER_nondet_long",
            "__VERIFIER_nondet_ulong",
            "__VERIFIER_nondet_longlong",
            "__VERIFIER_nondet_ulonglong",
            "__VERIFIER_nondet_loff_t",
            "__VERIFIER_nondet_size_t",
            "__VERIFIER_nondet_pointer",
            "__VERIFIER_nondet_double",
        ],
        |call| fresh_named(call, 8),
    ),
];

fn fresh(call: &mut PosixCall<'_, '_>, length: u64, name: &str) -> Step {
    Ok(Outcome::Return(call.symbolic_value(length, name)))
}

/// An input named after the last word of the function that asks for it.
fn fresh_named(call: &mut PosixCall<'_, '_>, length: u64) -> Step {
    let name = call.name().trim_start_matches("__VERIFIER_nondet_");
    fresh(call, length, name)
}

fn make_symbolic(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, length, name) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let name = text_or(call, name, "unnamed")?;
    call.make_symbolic(address, length, &name)?;
    nothing()
}

/// A one-bit value: whether `value` differs from zero.
fn is_nonzero(call: &PosixCall<'_, '_>, value: Value) -> Value {
    match value {
        Value::Concrete(bits) => Value::Concrete(u64::from(bits != 0)),
        Value::Symbolic(term) => Value::of(call.terms(), call.terms().is_nonzero(term)),
    }
}

fn assume(call: &mut PosixCall<'_, '_>) -> Step {
    let condition = is_nonzero(call, call.value(0));
    call.assume(condition)?;
    nothing()
}

/// An `int` from `start` (inclusive) to `end` (exclusive).
fn range(call: &mut PosixCall<'_, '_>) -> Step {
    let (start, end, name) = (call.argument(0)? as i32, call.argument(1)? as i32, call.argument(2)?);
    let name = text_or(call, name, "unnamed")?;
    if start >= end {
        return Err(call.fault(FailureKind::Assert, "", "klee_range: the range is empty"));
    }
    limited(call, &name, |call, value| {
        let terms = call.terms();
        let value = value.term(terms, 32);
        let start = terms.constant(32, u64::from(start as u32));
        let end = terms.constant(32, u64::from(end as u32));
        let condition = terms.all([terms.signed_less_equal(start, value), terms.signed_less(value, end)]);
        Value::of(terms, condition)
    })
}

/// An index below the argument.
fn choose(call: &mut PosixCall<'_, '_>) -> Step {
    let count = call.argument(0)?;
    if count == 0 {
        return Err(call.fault(FailureKind::Assert, "", "klee_choose: nothing to choose from"));
    }
    let value = call.symbolic_value(8, "choice");
    let terms = call.terms();
    let condition = terms.unsigned_less(value.term(terms, 64), terms.constant(64, count));
    let condition = Value::of(terms, condition);
    call.assume(condition)?;
    Ok(Outcome::Return(value))
}

/// A new `int` for which `condition` holds.
fn limited(
    call: &mut PosixCall<'_, '_>,
    name: &str,
    condition: impl FnOnce(&PosixCall<'_, '_>, Value) -> Value,
) -> Step {
    let value = call.symbolic_value(4, name);
    let condition = condition(call, value);
    call.assume(condition)?;
    Ok(Outcome::Return(value))
}

/// `klee_report_error(file, line, message, suffix)`.
fn report_error(call: &mut PosixCall<'_, '_>) -> Step {
    let message = call.argument(2)?;
    let message = text_or(call, message, "klee_report_error called")?;
    Err(call.fault(FailureKind::Assert, "", message))
}

/// Both values in turn: a `_Bool` is one bit wide in one program and eight in the next, but 0 and 1 in all.
///
/// The decision is a fork, after which this phase runs again: the input made first stays.
fn nondeterministic_bool(call: &mut PosixCall<'_, '_>) -> Step {
    let bit = new_bit(call)?;
    let outcome = call.decide(bit)?;
    int(i32::from(outcome))
}

/// The lowest bit of an input made when the call arrived.
fn new_bit(call: &mut PosixCall<'_, '_>) -> Result<Value, Stop> {
    let number = match call.scratch().first() {
        Some(number) => *number as usize,
        None => {
            call.symbolic_value(1, "bool");
            let number = call.state().inputs.len() - 1;
            *call.scratch() = smallvec![number as u64];
            number
        }
    };
    let byte = call.state().inputs.get(number).and_then(|input| input.bytes.first().copied());
    let byte = byte.ok_or_else(|| call.unsupported("a symbolic input that is gone"))?;
    let terms = call.terms();
    Ok(Value::of(terms, terms.extract(byte, 0, 1)))
}
