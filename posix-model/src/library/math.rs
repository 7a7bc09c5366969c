//! Functions of `<math.h>` that are one operator of terms. libc's own definitions of them are long, and as
//! conditions for a solver hopeless. None of them sets `errno`.

use crate::answer::{PosixCall, Step};
use crate::row::{Row, row};
use symx_expr::FloatFormat::{Double, Single};
use symx_expr::{FloatOperator, Rounding, Term};
use symx_interp::environment::Outcome;
use symx_interp::value::Value;

pub(crate) const ROWS: &[Row] = &[
    row(&["sqrt"], |call| apply(call, FloatOperator::SquareRoot(Double))),
    row(&["sqrtf"], |call| apply(call, FloatOperator::SquareRoot(Single))),
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
