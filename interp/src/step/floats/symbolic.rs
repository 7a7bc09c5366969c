//! Floating-point instructions with symbolic operands: terms, one or two slots wide.

use super::{self as floats, IntegerRange};
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::cause::PoisonReason;
use crate::state::State;
use crate::stop::Stop;
use crate::threads::running::Running;
use crate::value::Value;
use symx_expr::{BitVector, FloatFormat as Format, FloatOperator, Rounding, Term, Terms};
use symx_ir::instruction::{FloatCast, FloatFormat, FloatOp, FloatPredicate, FloatUnary};
use symx_ir::{Operand, Slot};

impl<E: Environment> Executor<'_, E> {
    /// `a op b`. Remainders, which solvers have no circuits for, fork over the operands' values.
    pub(crate) fn symbolic_float(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        (op, format): (FloatOp, FloatFormat),
        dst: Slot,
        [a, b]: [Operand; 2],
    ) -> Result<(), Stop> {
        let bits = format.bits();
        if op == FloatOp::Rem {
            let x = self.wide_number(state, running, a, bits)?;
            let y = self.wide_number(state, running, b, bits)?;
            self.set_wide_word(running, dst, bits, floats::wide_binary(op, format, x, y));
            return Ok(());
        }
        let (x, y) = (self.wide_term(running, a, bits), self.wide_term(running, b, bits));
        let format = floats::format(format);
        let terms = &self.machine.terms;
        let result = match floats::arithmetic(op, format) {
            Some(operator) => terms.float(operator, &[x, y]),
            None if op == FloatOp::CopySign => {
                let magnitude = terms.extract(x, 0, bits - 1);
                terms.concat(terms.extract(y, bits - 1, 1), magnitude)
            }
            None => extremum(terms, format, op == FloatOp::Minimum, x, y),
        };
        self.set_wide(running, dst, bits, result);
        Ok(())
    }

    pub(crate) fn symbolic_float_unary(
        &mut self,
        running: &mut Running<'_>,
        op: FloatUnary,
        format: FloatFormat,
        dst: Slot,
        src: Operand,
    ) {
        let bits = format.bits();
        let x = self.wide_term(running, src, bits);
        let format = floats::format(format);
        let terms = &self.machine.terms;
        let result = match floats::one_operand(op, format) {
            Some(operator) => terms.float(operator, &[x]),
            None => {
                let sign = terms.extract(x, bits - 1, 1);
                let sign = if op == FloatUnary::Negate { terms.not(sign) } else { Term::FALSE };
                terms.concat(sign, terms.extract(x, 0, bits - 1))
            }
        };
        self.set_wide(running, dst, bits, result);
    }

    pub(crate) fn symbolic_float_compare(
        &mut self,
        running: &mut Running<'_>,
        predicate: FloatPredicate,
        format: FloatFormat,
        dst: Slot,
        [a, b]: [Operand; 2],
    ) {
        let bits = format.bits();
        let (x, y) = (self.wide_term(running, a, bits), self.wide_term(running, b, bits));
        let terms = &self.machine.terms;
        let condition = comparison(terms, predicate, floats::format(format), x, y);
        running.frame.set(dst, Value::of(terms, condition));
    }

    pub(crate) fn symbolic_float_cast(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        cast: FloatCast,
        dst: Slot,
        src: Operand,
    ) -> Result<(), Stop> {
        let Some(operator) = floats::conversion(cast) else {
            return Err(Stop::unsupported("conversion between floats and integers of over 128 bits"));
        };
        let x = self.wide_term(running, src, operator.operand_width());
        let terms = &self.machine.terms;
        let mut result = terms.float(operator, &[x]);
        if let Some(range) = floats::integer_range(cast) {
            let broken = (does_not_fit(terms, &range, x), PoisonReason::FloatToInteger);
            result = self.term_unless_broken(state, running, operator.result_width(), broken, result)?;
        }
        self.set_wide(running, dst, operator.result_width(), result);
        Ok(())
    }

    pub(crate) fn symbolic_multiply_add(
        &mut self,
        running: &mut Running<'_>,
        format: FloatFormat,
        fused: bool,
        dst: Slot,
        operands: [Operand; 3],
    ) {
        let bits = format.bits();
        let [x, y, z] = operands.map(|operand| self.wide_term(running, operand, bits));
        let format = floats::format(format);
        let terms = &self.machine.terms;
        let result = if fused {
            terms.float(FloatOperator::MultiplyAdd(format), &[x, y, z])
        } else {
            let product = terms.float(FloatOperator::Multiply(format), &[x, y]);
            terms.float(FloatOperator::Add(format), &[product, z])
        };
        self.set_wide(running, dst, bits, result);
    }
}

/// That the whole part of `x` is outside of a range. So is that of a NaN.
fn does_not_fit(terms: &Terms, range: &IntegerRange, x: Term) -> Term {
    let from = range.from;
    let bound =
        |pattern: u128| terms.bitvector(&BitVector::from_limbs(from.width(), &limbs(from.width(), pattern)));
    let whole = terms.float(FloatOperator::Round(from, Rounding::TowardsZero), &[x]);
    let lower = if range.includes_least { FloatOperator::LessEqual(from) } else { FloatOperator::Less(from) };
    let above = terms.float(lower, &[bound(range.least), whole]);
    let below = terms.float(FloatOperator::Less(from), &[whole, bound(range.end)]);
    terms.not(terms.and(above, below))
}

/// A pattern of `width` bits as words.
fn limbs(width: u32, pattern: u128) -> Vec<u64> {
    [pattern as u64, (pattern >> 64) as u64][..width.div_ceil(64) as usize].to_vec()
}

/// `x predicate y` as a term of width 1.
fn comparison(terms: &Terms, predicate: FloatPredicate, format: Format, x: Term, y: Term) -> Term {
    // With the unordered outcome in the set, what holds is the opposite of the other ordered outcomes.
    if predicate.0 & 8 != 0 {
        return terms.not(comparison(terms, FloatPredicate(!predicate.0 & 7), format, x, y));
    }
    let equal = |a, b| terms.float(FloatOperator::Equal(format), &[a, b]);
    let less = |a, b| terms.float(FloatOperator::Less(format), &[a, b]);
    let less_equal = |a, b| terms.float(FloatOperator::LessEqual(format), &[a, b]);
    match predicate.0 {
        0 => Term::FALSE,
        1 => equal(x, y),
        2 => less(y, x),
        3 => less_equal(y, x),
        4 => less(x, y),
        5 => less_equal(x, y),
        6 => terms.or(less(x, y), less(y, x)),
        _ => terms.and(equal(x, x), equal(y, y)),
    }
}

/// The lesser or greater operand, as `floats::wide_binary` has it.
fn extremum(terms: &Terms, format: Format, least: bool, x: Term, y: Term) -> Term {
    let (low, high) = if least { (x, y) } else { (y, x) };
    let before = terms.float(FloatOperator::Less(format), &[low, high]);
    let sign = terms.extract(x, format.width() - 1, 1);
    let sign = if least { sign } else { terms.not(sign) };
    let tie = terms.and(terms.float(FloatOperator::Equal(format), &[x, y]), sign);
    let first = terms.any([terms.float_is_nan(format, y), before, tie]);
    terms.if_then_else(terms.float_is_nan(format, x), y, terms.if_then_else(first, x, y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_expr::{Assignment, evaluate};

    /// Terms and words give the same for all predicates and for both extremes.
    #[test]
    fn terms_agree_with_words() {
        let terms = Terms::new();
        let (x, y) = (terms.symbol("x", 16), terms.symbol("y", 16));
        let half = FloatFormat::Half;
        let values = [0, 0x8000, 1, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7c01, 0xfe00, 0x7bff];
        for a in values {
            for b in values {
                let word = |value| BitVector::from_u64(16, value);
                let assignment: Assignment = [(x, word(a)), (y, word(b))].into_iter().collect();
                let value = |term| evaluate(&terms, term, &assignment).to_u64();
                for predicate in (0..16).map(FloatPredicate) {
                    let term = comparison(&terms, predicate, Format::Half, x, y);
                    let expected = floats::compare(predicate, half, a, b);
                    assert_eq!(value(term), Some(expected.into()), "{predicate:?} {a:#x} {b:#x}");
                }
                for op in [FloatOp::Minimum, FloatOp::Maximum] {
                    let term = extremum(&terms, Format::Half, op == FloatOp::Minimum, x, y);
                    assert_eq!(value(term), Some(floats::binary(op, half, a, b)), "{op:?} {a:#x} {b:#x}");
                }
            }
        }
    }
}
