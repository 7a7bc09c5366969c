//! Integer intrinsics: on machine words where their operands are concrete, else as terms.

use super::terms;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::cause::PoisonReason;
use crate::state::State;
use crate::stop::Stop;
use crate::threads::running::Running;
use crate::value::Value;
use crate::words::integers;
use symx_expr::{BinaryOperator, Term};
use symx_ir::instruction::{BinaryOp, BitOp, MinmaxOp};
use symx_ir::{Operand, Slot};

impl<E: Environment> Executor<'_, E> {
    /// `partial`: the result is poison where the operation is declared to have none.
    pub(in crate::step) fn bit_operation(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        (op, bits): (BitOp, u8),
        partial: bool,
        src: Operand,
    ) -> Result<Value, Stop> {
        let terms = &self.machine.terms;
        let (result, bad) = match running.value(src) {
            Value::Concrete(x) => {
                let bad = partial && integers::lacks_result(op, bits, x);
                (Value::Concrete(integers::bit_operation(op, bits, x)), truth(bad))
            }
            symbolic => {
                let x = symbolic.term(terms, bits.into());
                let bad = if partial { terms::lacks_result(terms, op, x) } else { Term::FALSE };
                (Value::of(terms, terms::bit_operation(terms, op, x)), bad)
            }
        };
        let reason = match op {
            BitOp::Absolute => PoisonReason::SignedOverflow,
            _ => PoisonReason::CountOfZero,
        };
        self.unless_broken(state, running, bits, (bad, reason), result)
    }

    pub(in crate::step) fn minimum_or_maximum(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        (op, bits): (MinmaxOp, u8),
        [a, b]: [Operand; 2],
    ) -> Result<Value, Stop> {
        let terms = &self.machine.terms;
        let shifts = matches!(op, MinmaxOp::SShlSat | MinmaxOp::UShlSat);
        let (result, bad) = match (running.value(a), running.value(b)) {
            (Value::Concrete(x), Value::Concrete(y)) => {
                (Value::Concrete(integers::minmax(op, bits, x, y)), truth(shifts && y >= bits.into()))
            }
            (x, y) => {
                let width = u32::from(bits);
                let (x, y) = (x.term(terms, width), y.term(terms, width));
                // All numbers of one bit but 0 are its width or more.
                let bad = match (shifts, bits) {
                    (false, _) => Term::FALSE,
                    (true, 1) => y,
                    (true, _) => terms.unsigned_less_equal(terms.constant(width, bits.into()), y),
                };
                (Value::of(terms, terms::minmax(terms, op, x, y)), bad)
            }
        };
        self.unless_broken(state, running, bits, (bad, PoisonReason::ShiftOutOfRange), result)
    }

    pub(in crate::step) fn funnel_shift(
        &self,
        running: &mut Running<'_>,
        left: bool,
        bits: u8,
        dst: Slot,
        operands: [Operand; 3],
    ) {
        let terms = &self.machine.terms;
        let values = operands.map(|operand| running.value(operand));
        let result = match values {
            [Value::Concrete(high), Value::Concrete(low), Value::Concrete(shift)] => {
                Value::Concrete(integers::funnel_shift(left, bits, high, low, shift))
            }
            _ => {
                let operands = values.map(|value| value.term(terms, bits.into()));
                Value::of(terms, terms::funnel_shift(terms, left, operands))
            }
        };
        running.frame.set(dst, result);
    }

    pub(in crate::step) fn with_overflow(
        &self,
        running: &mut Running<'_>,
        (op, signed): (BinaryOp, bool),
        bits: u32,
        dst: Slot,
        [a, b]: [Operand; 2],
    ) {
        if let Ok(narrow @ 1..=64) = u8::try_from(bits)
            && let (Some(x), Some(y)) = (running.word(a), running.word(b))
            && let Some((result, overflows)) = integers::with_overflow(op, signed, narrow, x, y)
        {
            running.set_word(dst, result);
            running.set_word(dst + 1, overflows.into());
            return;
        }
        // In twice the width nothing overflows: the result fits if extending its low half gives it back.
        let terms = &self.machine.terms;
        let extend = |term| {
            if signed { terms.sign_extend(term, 2 * bits) } else { terms.zero_extend(term, 2 * bits) }
        };
        let (x, y) = (self.wide_term(running, a, bits), self.wide_term(running, b, bits));
        let exact = terms.binary(terms::operator(op), extend(x), extend(y));
        let low = terms.extract(exact, 0, bits);
        let fits = terms.binary(BinaryOperator::Equal, extend(low), exact);
        self.set_wide(running, dst, bits, low);
        let overflow = Value::of(terms, terms.not(fits));
        running.frame.set(dst + bits.div_ceil(64), overflow);
    }
}

fn truth(value: bool) -> Term {
    if value { Term::TRUE } else { Term::FALSE }
}
