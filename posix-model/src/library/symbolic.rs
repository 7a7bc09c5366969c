//! Functions that programs written for symbolic execution call: `klee/klee.h`, SV-COMP's `__VERIFIER_*`, and
//! `symx.h`.

use super::assertions::text_or;
use crate::answer::{PosixCall, Step, function, int, invoke, nothing, word};
use crate::kernel::{Output, OutputStream};
use crate::linked::ERROR_LOCATION;
use crate::row::{Row, row};
use smallvec::SmallVec;
use std::sync::Arc;
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::value::Value;
use symx_ir::debug_info::Encoding;
use symx_ir::debug_info::Encoding::{Boolean, Float, Signed, SignedChar, Unsigned, UnsignedChar};
use symx_trace::{FailureDetail, FailureKind, InputOrigin, InputType};

pub(crate) const ROWS: &[Row] = &[
    row(&["klee_make_symbolic", "symx_make_symbolic"], make_symbolic),
    row(&["klee_assume", "__VERIFIER_assume", "symx_assume"], assume),
    row(&["klee_int"], |call| named(call, Signed, 4)),
    row(&["klee_range"], range),
    row(&["klee_choose"], choose),
    row(
        &[
            "klee_get_value_i32",
            "klee_get_value_i64",
            "klee_get_valuel",
            "klee_get_valuell",
            "klee_get_valuef",
            "klee_get_valued",
        ],
        |call| {
            let value = call.argument(0)?;
            word(value)
        },
    ),
    row(&["klee_is_symbolic", "symx_is_symbolic"], |call| int(i32::from(call.value(0).concrete().is_none()))),
    row(&["klee_is_replay"], |_| int(0)),
    row(&["klee_get_obj_size"], object_size),
    row(&["klee_get_errno"], get_errno),
    row(&["klee_check_memory_access"], |call| {
        let (address, length) = (call.argument(0)?, call.argument(1)?);
        call.object(address, length, Purpose::Read)?;
        nothing()
    }),
    row(&["klee_report_error"], report_error),
    row(&["klee_abort"], |call| {
        Err(call.fault(FailureKind::Abort, FailureDetail::Plain, "klee_abort called"))
    }),
    row(&["klee_silent_exit"], |call| {
        let status = call.argument(0)?;
        Ok(Outcome::ProcessExit(status as u8))
    }),
    row(&["klee_warning"], |call| warning(call, false)),
    row(&["klee_warning_once"], |call| warning(call, true)),
    row(&["klee_print_expr"], print_expression),
    row(&["klee_print_range"], print_range),
    row(&["klee_stack_trace"], |call| say(call, "klee_stack_trace called".into())),
    // Hints to a tool that merges or orders paths, or keeps things from being merged. Paths are explored one
    // by one and completely, so none of them changes what a program can do.
    row(
        &[
            "klee_prefer_cex",
            "klee_posix_prefer_cex",
            "klee_mark_global",
            "klee_open_merge",
            "klee_close_merge",
            "klee_merge",
            "klee_set_forking",
        ],
        |_| nothing(),
    ),
    // Marks that GenMC's and Dartagnan's programs put on loops. Which loops wait is seen from what they do. A
    // bound that only says how often another tool should take a loop is none on the program.
    row(
        &["__VERIFIER_loop_begin", "__VERIFIER_spin_start", "__VERIFIER_spin_end", "__VERIFIER_loop_bound"],
        |_| nothing(),
    ),
    row(&["klee_define_fixed_object", "klee_alias_function"], |call| Err(call.unsupported(call.name()))),
    row(&["__VERIFIER_nondet_bool", "__VERIFIER_nondet__Bool"], |call| boolean(call, "bool")),
    row(&["__VERIFIER_nondet_memory"], |call| {
        let (address, length) = (call.argument(0)?, call.argument(1)?);
        call.make_symbolic(address, length, "memory", InputOrigin::Program)?;
        nothing()
    }),
    row(&["__VERIFIER_nondet_char", "__VERIFIER_nondet_schar"], |call| fresh_named(call, SignedChar, 1)),
    row(&["__VERIFIER_nondet_s8"], |call| fresh_named(call, Signed, 1)),
    row(&["__VERIFIER_nondet_uchar", "__VERIFIER_nondet_unsigned_char"], |call| {
        fresh_named(call, UnsignedChar, 1)
    }),
    row(&["__VERIFIER_nondet_u8"], |call| fresh_named(call, Unsigned, 1)),
    row(&["__VERIFIER_nondet_short", "__VERIFIER_nondet_s16"], |call| fresh_named(call, Signed, 2)),
    row(&["__VERIFIER_nondet_ushort", "__VERIFIER_nondet_unsigned_short", "__VERIFIER_nondet_u16"], |call| {
        fresh_named(call, Unsigned, 2)
    }),
    row(&["__VERIFIER_nondet_int", "__VERIFIER_nondet_s32"], |call| fresh_named(call, Signed, 4)),
    row(
        &[
            "__VERIFIER_nondet_uint",
            "__VERIFIER_nondet_unsigned",
            "__VERIFIER_nondet_unsigned_int",
            "__VERIFIER_nondet_u32",
        ],
        |call| fresh_named(call, Unsigned, 4),
    ),
    row(&["__VERIFIER_nondet_float"], |call| fresh_named(call, Float, 4)),
    row(
        &[
            "__VERIFIER_nondet_long",
            "__VERIFIER_nondet_longlong",
            "__VERIFIER_nondet_s64",
            "__VERIFIER_nondet_loff_t",
        ],
        |call| fresh_named(call, Signed, 8),
    ),
    row(
        &[
            "__VERIFIER_nondet_ulong",
            "__VERIFIER_nondet_unsigned_long",
            "__VERIFIER_nondet_ulonglong",
            "__VERIFIER_nondet_u64",
            "__VERIFIER_nondet_sector_t",
            "__VERIFIER_nondet_size_t",
            "__VERIFIER_nondet_pthread_t",
        ],
        |call| fresh_named(call, Unsigned, 8),
    ),
    row(
        &["__VERIFIER_nondet_pointer", "__VERIFIER_nondet_charp", "__VERIFIER_nondet_const_char_pointer"],
        |call| fresh_named(call, Encoding::Other, 8),
    ),
    row(&["__VERIFIER_nondet_double"], |call| fresh_named(call, Float, 8)),
    row(&["symx_bool"], |call| {
        let name = call.argument(0)?;
        let name = text_or(call, name, "unnamed")?;
        boolean(call, &name)
    }),
    row(&["symx_i8"], |call| named(call, Signed, 1)),
    row(&["symx_u8"], |call| named(call, Unsigned, 1)),
    row(&["symx_i16"], |call| named(call, Signed, 2)),
    row(&["symx_u16"], |call| named(call, Unsigned, 2)),
    row(&["symx_i32"], |call| named(call, Signed, 4)),
    row(&["symx_u32"], |call| named(call, Unsigned, 4)),
    row(&["symx_i64"], |call| named(call, Signed, 8)),
    row(&["symx_u64"], |call| named(call, Unsigned, 8)),
    row(&["symx_pointer"], |call| named(call, Encoding::Other, 8)),
];

fn fresh(call: &mut PosixCall<'_, '_>, encoding: Encoding, size: u64, name: &str) -> Step {
    Ok(Outcome::Return(call.symbolic_value(InputType { encoding, size }, name)?))
}

/// An input with the name that the first argument points to.
fn named(call: &mut PosixCall<'_, '_>, encoding: Encoding, size: u64) -> Step {
    let name = call.argument(0)?;
    let name = text_or(call, name, "unnamed")?;
    fresh(call, encoding, size, &name)
}

/// An input named after the last word of the function that asks for it.
fn fresh_named(call: &mut PosixCall<'_, '_>, encoding: Encoding, size: u64) -> Step {
    let name = call.name().trim_start_matches("__VERIFIER_nondet_");
    fresh(call, encoding, size, name)
}

fn make_symbolic(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, length, name) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let name = text_or(call, name, "unnamed")?;
    call.make_symbolic(address, length, &name, InputOrigin::Program)?;
    nothing()
}

/// A one-bit value: whether `value` differs from zero.
fn is_nonzero(call: &PosixCall<'_, '_>, value: Value) -> Value {
    match value {
        Value::Concrete(bits) => Value::Concrete(u64::from(bits != 0)),
        Value::Symbolic(term) => Value::of(call.terms(), call.terms().is_nonzero(term)),
    }
}

/// Others observe the thread's events before, whether the assumption holds or not. Where it may not, they go
/// on before it is made.
fn assume(call: &mut PosixCall<'_, '_>) -> Step {
    let condition = is_nonzero(call, call.value(0));
    let holds = condition.concrete().is_some_and(|condition| condition != 0);
    if call.phase() == 0 && !holds && call.has_left_something() {
        return Ok(call.park(SmallVec::new()));
    }
    call.assume(condition)?;
    nothing()
}

/// An `int` from `start` (inclusive) to `end` (exclusive).
fn range(call: &mut PosixCall<'_, '_>) -> Step {
    let (start, end, name) = (call.argument(0)? as i32, call.argument(1)? as i32, call.argument(2)?);
    let name = text_or(call, name, "unnamed")?;
    if start >= end {
        return Err(call.fault(FailureKind::Assert, FailureDetail::Plain, "klee_range: the range is empty"));
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
        return Err(call.fault(
            FailureKind::Assert,
            FailureDetail::Plain,
            "klee_choose: nothing to choose from",
        ));
    }
    let value = call.symbolic_value(InputType { encoding: Unsigned, size: 8 }, "klee_choose")?;
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
    let value = call.symbolic_value(InputType { encoding: Signed, size: 4 }, name)?;
    let condition = condition(call, value);
    call.assume(condition)?;
    Ok(Outcome::Return(value))
}

/// `klee_report_error(file, line, message, suffix)`.
fn report_error(call: &mut PosixCall<'_, '_>) -> Step {
    let message = call.argument(2)?;
    let message = text_or(call, message, "klee_report_error called")?;
    Err(call.fault(FailureKind::Assert, FailureDetail::Plain, message))
}

/// The lowest bit of an input. A `_Bool` is one bit wide in one program and eight in the next, but 0 or 1 in
/// all.
fn boolean(call: &mut PosixCall<'_, '_>, name: &str) -> Step {
    let value = call.symbolic_value(InputType { encoding: Boolean, size: 1 }, name)?;
    let terms = call.terms();
    let bit = terms.extract(value.term(terms, 8), 0, 1);
    Ok(Outcome::Return(Value::Symbolic(bit)))
}

/// The size of the object a pointer points into.
fn object_size(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let size = call.object(address, 0, Purpose::Read)?.size;
    word(size)
}

/// The value of `errno`.
fn get_errno(call: &mut PosixCall<'_, '_>) -> Step {
    match call.invoked() {
        Some(location) => {
            let Value::Concrete(address) = location else {
                return Err(call.unsupported("a symbolic address of errno"));
            };
            let value = call.read(address, 4)?;
            Ok(Outcome::Return(value))
        }
        None => match function(call, ERROR_LOCATION) {
            Some(location) => invoke(location, []),
            None => Err(call.unsupported("errno without libc")),
        },
    }
}

/// Writes a line about the program to its standard error.
fn say(call: &mut PosixCall<'_, '_>, line: String) -> Step {
    let written = Stretch::from(format!("symx: {line}\n").into_bytes());
    let output = Output { stream: OutputStream::Errors, written: Arc::new(written) };
    call.data().kernel.output.push_back(output);
    nothing()
}

/// `klee_warning(message)`; `once` leaves out what was said before.
fn warning(call: &mut PosixCall<'_, '_>, once: bool) -> Step {
    let message = call.argument(0)?;
    let line = format!("warning: {}", text_or(call, message, "")?);
    let whole = format!("symx: {line}\n");
    let said = call.state().data.kernel.output.iter().any(|output| output.written.bytes == whole.as_bytes());
    if once && said { nothing() } else { say(call, line) }
}

/// `klee_print_expr(message, value)`.
fn print_expression(call: &mut PosixCall<'_, '_>) -> Step {
    let message = call.argument(0)?;
    let message = text_or(call, message, "")?;
    let value = match call.value(1) {
        Value::Concrete(bits) => bits.to_string(),
        Value::Symbolic(term) => call.terms().display(term).to_string(),
    };
    say(call, format!("{message}: {value}"))
}

/// `klee_print_range(name, value)`: the least and the greatest value, unsigned.
fn print_range(call: &mut PosixCall<'_, '_>) -> Step {
    let name = call.argument(0)?;
    let name = text_or(call, name, "")?;
    let (least, greatest) = call.unsigned_range(call.value(1))?;
    say(call, format!("{name}: [{least}, {greatest}]"))
}
