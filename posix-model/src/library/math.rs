//! Functions of `<math.h>` that are one operator of terms. libc's own definitions of them are long, and as
//! conditions for a solver hopeless. A root of a known negative number sets `errno`; the others never do.
//! There is one rounding mode, to nearest, and no exception: a program that wants more is refused by name.

use crate::answer::{PosixCall, Step, fail, finish_failure, int};
use crate::errno::EDOM;
use crate::row::{Row, row};
use symx_expr::FloatFormat::{Double, Single};
use symx_expr::{FloatOperator, Rounding, Term};
use symx_interp::environment::Outcome;
use symx_interp::value::Value;

pub(crate) const ROWS: &[Row] = &[
    row(&["fesetround"], set_rounding),
    row(&["fetestexcept"], |call| match call.argument(0)? {
        0 => int(0),
        _ => Err(call.unsupported("floating-point exceptions")),
    }),
    row(&["sqrt"], |call| root(call, FloatOperator::SquareRoot(Double))),
    row(&["sqrtf"], |call| root(call, FloatOperator::SquareRoot(Single))),
    row(&["fma"], |call| apply(call, FloatOperator::MultiplyAdd(Double))),
    row(&["fmaf"], |call| apply(call, FloatOperator::MultiplyAdd(Single))),
    row(&["floor"], |call| apply(call, FloatOperator::Round(Double, Rounding::Down))),
    row(&["floorf"], |call| apply(call, FloatOperator::Round(Single, Rounding::Down))),
    row(&["ceil"], |call| apply(call, FloatOperator::Round(Double, Rounding::Up))),
    row(&["ceilf"], |call| apply(call, FloatOperator::Round(Single, Rounding::Up))),
    row(&["trunc"], |call| apply(call, FloatOperator::Round(Double, Rounding::TowardsZero))),
    row(&["truncf"], |call| apply(call, FloatOperator::Round(Single, Rounding::TowardsZero))),
    row(&["round"], |call| apply(call, FloatOperator::Round(Double, Rounding::NearestAway))),
    row(&["roundf"], |call| apply(call, FloatOperator::Round(Single, Rounding::NearestAway))),
];

/// `fesetround(mode)`
fn set_rounding(call: &mut PosixCall<'_, '_>) -> Step {
    match call.argument(0)? as u32 {
        0 => int(0),
        0x400 | 0x800 | 0xc00 => Err(call.unsupported("a rounding mode other than to nearest")),
        _ => int(1),
    }
}

/// A square root: that of a negative number is none.
fn root(call: &mut PosixCall<'_, '_>, operator: FloatOperator) -> Step {
    if let Some(end) = finish_failure(call) {
        return end;
    }
    let Value::Concrete(bits) = call.value(0) else { return apply(call, operator) };
    let width = operator.operand_width();
    let magnitude = bits & (u64::MAX >> (65 - width));
    let infinite = if width == 64 { 0x7ff0_0000_0000_0000 } else { 0x7f80_0000 };
    let is_negative = bits >> (width - 1) & 1 == 1 && magnitude != 0 && magnitude <= infinite;
    match apply(call, operator)? {
        Outcome::Return(result) if is_negative => fail(call, EDOM, result),
        outcome => Ok(outcome),
    }
}

/// The operator on as many arguments as it has operands.
fn apply(call: &mut PosixCall<'_, '_>, operator: FloatOperator) -> Step {
    let width = operator.operand_width();
    let arguments: Vec<Value> = (0..operator.arity()).map(|index| call.value(index)).collect();
    let mut words = [0; 3];
    let mut concrete = true;
    for (word, argument) in words.iter_mut().zip(&arguments) {
        match argument {
            Value::Concrete(bits) => *word = u128::from(bits & (u64::MAX >> (64 - width))),
            Value::Symbolic(_) => concrete = false,
        }
    }
    if concrete {
        return Ok(Outcome::Return(Value::Concrete(operator.apply(words) as u64)));
    }
    let terms = call.terms();
    let operands: Vec<Term> = arguments.iter().map(|argument| argument.term(terms, width)).collect();
    Ok(Outcome::Return(Value::of(terms, terms.float(operator, &operands))))
}
