//! SSE's instructions on floats: minima, comparisons, conversions, and the register that controls them.

use super::Builder;
use super::sse_integers::Vector;
use crate::llvm::Value;
use crate::shape::{float_format, scalar_bits};
use crate::unsupported::Translated;
use symx_ir::function::{Argument, ArgumentClass, Passing};
use symx_ir::instruction::{CastOp, Extended, FloatCast, FloatFormat, FloatPredicate, FloatUnary};
use symx_ir::{CallSite, CallTarget, Inst, Operand, Slot};

const GREATER: FloatPredicate = FloatPredicate(0b0010);
const LESS: FloatPredicate = FloatPredicate(0b0100);
/// What the numbers of `cmpps` and its kin stand for.
const NUMBERED: [u8; 8] = [0b0001, 0b0100, 0b0101, 0b1000, 0b1110, 0b1011, 0b1010, 0b0111];
/// The control register as a process starts with it: every exception masked, none raised, round to nearest.
const CONTROL: u64 = 0x1f80;
/// Refuses other contents of that register.
const LOAD_CONTROL: &str = "__symx_load_control";

/// What `comieq` and its kin ask for, by the end of the name.
fn asked(name: &str) -> Option<FloatPredicate> {
    let relation = name.strip_prefix('u').unwrap_or(name).strip_prefix("comi")?;
    Some(FloatPredicate(match relation {
        "eq" => 0b0001,
        "gt" => 0b0010,
        "ge" => 0b0011,
        "lt" => 0b0100,
        "le" => 0b0101,
        "neq" => 0b1110,
        _ => return None,
    }))
}

/// Two to the power `exponent`, as a bit pattern.
fn power_of_two(format: FloatFormat, exponent: u32) -> Option<u64> {
    let exponent = u64::from(exponent);
    match format {
        FloatFormat::Single => Some((exponent + 127) << 23),
        FloatFormat::Double => Some((exponent + 1023) << 52),
        _ => None,
    }
}

impl<'m> Builder<'_, 'm> {
    /// Translates an instruction on floats, or one that is no computation, by its name in SSE or SSE2; says
    /// whether `name` is one.
    pub(super) fn sse_floats(&mut self, call: Value<'m>, name: &str) -> Translated<bool> {
        match name {
            // Memory is coherent with the cache.
            "clflush" => {}
            "stmxcsr" => {
                let (address, value) = (self.operand(call.operand(0))?, self.number(CONTROL));
                self.emit(Inst::Store { bits: 32, volatile: false, align_log2: 0, address, value });
            }
            "ldmxcsr" => self.load_control(call)?,
            "cvtsd2si" | "cvtsd2si64" | "cvtss2si" | "cvtss2si64" | "cvtpd2dq" | "cvtps2dq" => {
                return self.integers_of(call, false);
            }
            "cvttsd2si" | "cvttsd2si64" | "cvttss2si" | "cvttss2si64" | "cvttpd2dq" | "cvttps2dq" => {
                return self.integers_of(call, true);
            }
            "cvtsd2ss" => {
                let (first, second) = (self.vector(call, 0)?, self.vector(call, 1)?);
                let dst = self.result(call)?;
                self.copy(dst, first.first, first.lanes.count);
                self.narrowed(dst, second.first);
            }
            "cvtpd2ps" => {
                let Vector { lanes, first, .. } = self.vector(call, 0)?;
                let dst = self.zeros(call)?;
                for lane in 0..lanes.count {
                    self.narrowed(dst + lane, first.offset(lane));
                }
            }
            _ => {
                let Some((stem, "ps" | "pd" | "ss" | "sd")) = name.split_once('.') else { return Ok(false) };
                return self.lanes_compared(call, stem, name.ends_with("ss") || name.ends_with("sd"));
            }
        }
        Ok(true)
    }

    /// Instructions that compare lanes: all of them, or the `lowest` alone, where the others are the first
    /// argument's.
    fn lanes_compared(&mut self, call: Value<'m>, stem: &str, lowest: bool) -> Translated<bool> {
        let Vector { lanes, bits, first } = self.vector(call, 0)?;
        let format = float_format(lanes.element)?;
        let (second, dst) = (self.vector(call, 1)?.first, self.result(call)?);
        if let Some(predicate) = asked(stem) {
            let src = self.floats_compared(predicate, format, first, second);
            self.emit(Inst::Cast { op: CastOp::ZExt, from: 1, to: 32, dst, src });
            return Ok(true);
        }
        let predicate = match stem {
            // Where neither is less or greater, the second argument is the result.
            "min" => LESS,
            "max" => GREATER,
            "cmp" => {
                let number = self.literal(call.operand(2)).unwrap_or(u64::MAX);
                let Some(outcomes) = NUMBERED.get(number as usize) else { return Ok(false) };
                FloatPredicate(*outcomes)
            }
            _ => return Ok(false),
        };
        let count = if lowest { 1 } else { lanes.count };
        self.copy(dst + count, first.offset(count), lanes.count - count);
        for lane in 0..count {
            let (a, b, dst) = (first.offset(lane), second.offset(lane), dst + lane);
            let cond = self.floats_compared(predicate, format, a, b);
            match stem {
                "cmp" => self.emit(Inst::Cast { op: CastOp::SExt, from: 1, to: bits as u8, dst, src: cond }),
                _ => self.emit(Inst::Select { dst, cond, a, b }),
            }
        }
        Ok(true)
    }

    fn floats_compared(
        &mut self,
        predicate: FloatPredicate,
        format: FloatFormat,
        a: Operand,
        b: Operand,
    ) -> Operand {
        let dst = self.fresh(1);
        self.emit(Inst::FloatCompare { predicate, format, dst, a, b });
        Operand::slot(dst)
    }

    /// The slots of the result of `call`, all zero.
    fn zeros(&mut self, call: Value<'m>) -> Translated<Slot> {
        let (dst, zero) = (self.result(call)?, self.number(0));
        for slot in 0..self.source.shape(call.type_of())?.slots() {
            self.copy(dst + slot, zero, 1);
        }
        Ok(dst)
    }

    /// A double as a single.
    fn narrowed(&mut self, dst: Slot, src: Operand) {
        let cast = FloatCast::Convert { from: FloatFormat::Double, to: FloatFormat::Single };
        self.extended(Extended::FloatCast { cast, dst, src });
    }

    /// Floats as signed integers. What is out of their range, or no number, becomes the least one.
    fn integers_of(&mut self, call: Value<'m>, truncates: bool) -> Translated<bool> {
        let Vector { lanes, first, .. } = self.vector(call, 0)?;
        let (format, results) = (float_format(lanes.element)?, self.lanes(call.type_of())?);
        let bits = scalar_bits(results.element)?;
        let Some(limit) = power_of_two(format, bits - 1) else { return Ok(false) };
        let (dst, limit, least) = (self.zeros(call)?, self.number(limit), self.number(1 << (bits - 1)));
        for lane in 0..results.count.min(lanes.count) {
            let mut src = first.offset(lane);
            if !truncates {
                let (dst, op) = (self.fresh(1), FloatUnary::RoundEven);
                self.emit(Inst::FloatUnary { op, format, dst, src });
                src = Operand::slot(dst);
            }
            let (number, cond) = (self.fresh(1), self.floats_compared(LESS, format, src, limit));
            let cast = FloatCast::ToInteger { from: format, bits, signed: true, saturate: true };
            self.extended(Extended::FloatCast { cast, dst: number, src });
            self.emit(Inst::Select { dst: dst + lane, cond, a: Operand::slot(number), b: least });
        }
        Ok(true)
    }

    /// Has the C library look at what is to be the control register.
    fn load_control(&mut self, call: Value<'m>) -> Translated<()> {
        let argument = Argument {
            operand: self.operand(call.operand(0))?,
            slots: 1,
            bits: 64,
            passing: Passing::Value,
            class: ArgumentClass::Integer,
        };
        self.push_call(CallSite {
            target: CallTarget::Symbol(self.source.library_function(LOAD_CONTROL)),
            arguments: vec![argument],
            dst: 0,
            return_slots: 0,
            return_bits: 0,
            used: false,
            invoke: None,
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_those_of_the_format() {
        for exponent in [0, 31, 63] {
            let (single, double) = (2f32.powi(exponent), 2f64.powi(exponent));
            let exponent = exponent as u32;
            assert_eq!(power_of_two(FloatFormat::Single, exponent), Some(single.to_bits().into()));
            assert_eq!(power_of_two(FloatFormat::Double, exponent), Some(double.to_bits()));
        }
    }

    #[test]
    fn an_unordered_pair_is_unequal_and_nothing_else() {
        let unordered = |name| asked(name).map(|predicate| predicate.0 & 0b1000 != 0);
        assert_eq!((unordered("comineq"), unordered("ucomineq")), (Some(true), Some(true)));
        assert_eq!((unordered("ucomilt"), unordered("comige")), (Some(false), Some(false)));
        assert_eq!((unordered("comi"), unordered("min")), (None, None));
    }
}
