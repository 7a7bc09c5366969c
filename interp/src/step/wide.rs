//! Integers wider than 64 bits: several slots, least significant first.

use super::integers::promises;
use super::integers::terms::operator;
use super::symbolic::comparison;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::stop::Stop;
use crate::threads::running::Running;
use crate::value::Value;
use symx_expr::{MAXIMUM_WIDTH, Term};
use symx_ir::Operand;
use symx_ir::instruction::{BinaryOp, CastOp, Predicate, flags};

impl<E: Environment> Executor<'_, E> {
    /// The value of `bits` bits at `operand` as one term.
    pub(crate) fn wide_term(&self, running: &Running<'_>, operand: Operand, bits: u32) -> Term {
        let terms = &self.machine.terms;
        let mut whole: Option<Term> = None;
        for index in 0..bits.div_ceil(64) {
            let width = (bits - 64 * index).min(64);
            let slot = running.value(operand.offset(index)).term(terms, width);
            whole = Some(match whole {
                Some(low) => terms.concat(slot, low),
                None => slot,
            });
        }
        whole.expect("at least one bit")
    }

    /// Writes a value of `bits` bits to the slots from `dst` on.
    pub(crate) fn set_wide(&self, running: &mut Running<'_>, dst: u32, bits: u32, value: Term) {
        let terms = &self.machine.terms;
        for index in 0..bits.div_ceil(64) {
            let width = (bits - 64 * index).min(64);
            let slot = Value::of(terms, terms.extract(value, 64 * index, width));
            running.frame.set(dst + index, slot);
        }
    }

    /// The bits at `operand`, up to 128, if all concrete.
    pub(crate) fn wide_word(&self, running: &Running<'_>, operand: Operand, bits: u32) -> Option<u128> {
        let low = running.word(operand)?;
        if bits <= 64 {
            return Some(low.into());
        }
        Some(u128::from(low) | u128::from(running.word(operand.offset(1))?) << 64)
    }

    /// The bits at `operand`, up to 128; symbolic slots fork over their values.
    pub(crate) fn wide_number(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        operand: Operand,
        bits: u32,
    ) -> Result<u128, Stop> {
        let low = self.number(state, running, operand)?;
        if bits <= 64 {
            return Ok(low.into());
        }
        Ok(u128::from(low) | u128::from(self.number(state, running, operand.offset(1))?) << 64)
    }

    /// Writes up to 128 concrete bits.
    pub(crate) fn set_wide_word(&self, running: &mut Running<'_>, dst: u32, bits: u32, value: u128) {
        running.set_word(dst, value as u64);
        if bits > 64 {
            running.set_word(dst + 1, (value >> 64) as u64);
        }
    }

    pub(crate) fn wide_binary(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        (op, given, bits): (BinaryOp, u8, u32),
        dst: u32,
        [a, b]: [Operand; 2],
    ) -> Result<(), Stop> {
        if bits <= 128
            && let (Some(x), Some(y)) = (self.wide_word(running, a, bits), self.wide_word(running, b, bits))
            && let Some(value) = binary_128(op, given, bits, x, y)
        {
            self.set_wide_word(running, dst, bits, value);
            return Ok(());
        }
        let (x, mut y) = (self.wide_term(running, a, bits), self.wide_term(running, b, bits));
        let terms = &self.machine.terms;
        if matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem) {
            let messages = ["division by zero", "division overflows: the least value divided by -1"];
            y = self.divisor(state, op, [x, y], messages)?;
        }
        if op == BinaryOp::Mul && given & flags::NO_SIGNED_WRAP != 0 && bits > MAXIMUM_WIDTH / 2 {
            // The exact product is computed.
            return Err(Stop::unsupported(format!("a signed product of {bits} bits")));
        }
        let mut result = terms.binary(operator(op), x, y);
        if let Some(broken) = promises::broken(terms, op, bits, given, x, y) {
            result = self.term_unless_broken(state, running, bits, broken, result)?;
        }
        self.set_wide(running, dst, bits, result);
        Ok(())
    }

    pub(crate) fn wide_compare(
        &mut self,
        running: &mut Running<'_>,
        predicate: Predicate,
        bits: u32,
        dst: u32,
        [a, b]: [Operand; 2],
    ) {
        let (x, y) = (self.wide_term(running, a, bits), self.wide_term(running, b, bits));
        let terms = &self.machine.terms;
        let value = Value::of(terms, comparison(terms, predicate, x, y));
        running.frame.set(dst, value);
    }

    pub(crate) fn wide_cast(
        &mut self,
        running: &mut Running<'_>,
        op: CastOp,
        [from, to]: [u32; 2],
        dst: u32,
        src: Operand,
    ) {
        let terms = &self.machine.terms;
        let x = self.wide_term(running, src, from);
        let value = match op {
            CastOp::Trunc => terms.extract(x, 0, to),
            CastOp::ZExt => terms.zero_extend(x, to),
            CastOp::SExt => terms.sign_extend(x, to),
        };
        self.set_wide(running, dst, to, value);
    }

    /// Reinterprets slots of the widths `from` as slots of the widths `to`.
    pub(crate) fn repack(
        &mut self,
        running: &mut Running<'_>,
        from: &[u8],
        to: &[u8],
        dst: u32,
        src: Operand,
    ) {
        let terms = &self.machine.terms;
        let mut given = from.iter().map(|width| u32::from(*width)).zip(0..);
        // The rest of the slot last looked at.
        let mut rest: Option<Term> = None;
        let mut made = Vec::with_capacity(to.len());
        for width in to.iter().map(|width| u32::from(*width)) {
            let mut value: Option<Term> = None;
            loop {
                let missing = width - value.map_or(0, |value| terms.width(value));
                if missing == 0 {
                    break;
                }
                let next = rest.take().or_else(|| {
                    let (width, slot) = given.next()?;
                    Some(running.value(src.offset(slot)).term(terms, width))
                });
                let Some(next) = next else { break };
                let (all, taken) = (terms.width(next), missing.min(terms.width(next)));
                rest = (taken < all).then(|| terms.extract(next, taken, all - taken));
                let part = terms.extract(next, 0, taken);
                value = Some(value.map_or(part, |low| terms.concat(part, low)));
            }
            made.extend(value.map(|value| Value::of(terms, value)));
        }
        for (index, value) in (0..).zip(made) {
            running.frame.set(dst + index, value);
        }
    }
}

/// Arithmetic on up to 128 bits; `None` for what is left to the general case: division faults, and results
/// that break a promise.
fn binary_128(op: BinaryOp, given: u8, bits: u32, a: u128, b: u128) -> Option<u128> {
    let mask = u128::MAX >> (128 - bits);
    let shift = 128 - bits;
    let signed = |x: u128| ((x << shift) as i128) >> shift;
    let amount = u32::try_from(b).ok().filter(|amount| *amount < bits);
    let (x, y) = (signed(a), signed(b));
    let fits = |exact: &i128| signed(*exact as u128) == *exact;
    if given & flags::NO_SIGNED_WRAP != 0 {
        match op {
            BinaryOp::Add => x.checked_add(y).filter(fits)?,
            BinaryOp::Sub => x.checked_sub(y).filter(fits)?,
            BinaryOp::Mul => x.checked_mul(y).filter(fits)?,
            BinaryOp::Shl => {
                let amount = amount?;
                Some(x).filter(|x| signed(a << amount) >> amount == *x)?
            }
            _ => 0,
        };
    }
    Some(
        match op {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            BinaryOp::Shl => a << amount?,
            BinaryOp::LShr => a >> amount?,
            BinaryOp::AShr => (x >> amount?) as u128,
            BinaryOp::UDiv => a.checked_div(b)?,
            BinaryOp::URem => a.checked_rem(b)?,
            BinaryOp::SDiv => x.checked_div(y).filter(fits)? as u128,
            // The remainder is zero where the quotient does not fit; that is a fault all the same.
            BinaryOp::SRem => {
                x.checked_div(y).filter(fits)?;
                (x % y) as u128
            }
        } & mask,
    )
}
