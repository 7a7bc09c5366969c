//! `llvm.vector.reduce.*`, lane after lane.

use super::Builder;
use super::extremum::Extremum;
use crate::llvm::Value;
use crate::shape::{float_format, scalar_bits};
use crate::unsupported::Translated;
use symx_ir::instruction::{BinaryOp, Extended, FloatOp, MinmaxOp, Predicate};
use symx_ir::{Inst, Operand, Slot};

enum Reduction {
    Integer(BinaryOp),
    Minmax(MinmaxOp),
    /// Without a start value.
    Float(FloatOp),
    /// The first operand is the start value.
    FloatFrom(FloatOp),
    /// `minimum` or `maximum`.
    Extremum {
        least: bool,
    },
}

fn reduction(name: &str) -> Option<Reduction> {
    Some(match name.strip_prefix("vector.reduce.")? {
        "add" => Reduction::Integer(BinaryOp::Add),
        "mul" => Reduction::Integer(BinaryOp::Mul),
        "and" => Reduction::Integer(BinaryOp::And),
        "or" => Reduction::Integer(BinaryOp::Or),
        "xor" => Reduction::Integer(BinaryOp::Xor),
        "smin" => Reduction::Minmax(MinmaxOp::SMin),
        "smax" => Reduction::Minmax(MinmaxOp::SMax),
        "umin" => Reduction::Minmax(MinmaxOp::UMin),
        "umax" => Reduction::Minmax(MinmaxOp::UMax),
        "fmin" => Reduction::Float(FloatOp::Minimum),
        "fmax" => Reduction::Float(FloatOp::Maximum),
        "fminimum" => Reduction::Extremum { least: true },
        "fmaximum" => Reduction::Extremum { least: false },
        "fadd" => Reduction::FloatFrom(FloatOp::Add),
        "fmul" => Reduction::FloatFrom(FloatOp::Mul),
        _ => return None,
    })
}

impl<'m> Builder<'_, 'm> {
    /// Translates a reduction; says whether `name` is one.
    pub(super) fn reduction(&mut self, call: Value<'m>, name: &str) -> Translated<bool> {
        if name == "experimental.cttz.elts" {
            return self.leading_false_lanes(call);
        }
        let Some(reduction) = reduction(name) else { return Ok(false) };
        let has_start = matches!(reduction, Reduction::FloatFrom(_));
        let input = call.operand(u32::from(has_start));
        let lanes = self.lanes(input.type_of())?;
        let bits = scalar_bits(lanes.element)?;
        let vector = self.operand(input)?;
        let dst = self.result(call)?;
        let start = if has_start { self.operand(call.operand(0))? } else { vector };
        self.copy(dst, start, lanes.width);
        for lane in u32::from(!has_start)..lanes.count {
            let next = vector.offset(lane * lanes.width);
            self.accumulate(&reduction, call, bits, dst, next)?;
        }
        Ok(true)
    }

    /// `llvm.experimental.cttz.elts`: the number of the first lane that is not zero, else their count.
    fn leading_false_lanes(&mut self, call: Value<'m>) -> Translated<bool> {
        let lanes = self.lanes(call.operand(0).type_of())?;
        let bits = scalar_bits(lanes.element)?;
        let vector = self.operand(call.operand(0))?;
        let (dst, count) = (self.result(call)?, self.number(lanes.count.into()));
        if bits > 64 {
            return Ok(false);
        }
        self.copy(dst, count, 1);
        let (zero, holds) = (self.number(0), self.fresh(1));
        for lane in (0..lanes.count).rev() {
            let a = vector.offset(lane);
            self.compare_lane(Predicate::Ne, bits, holds, a, zero);
            let a = self.number(lane.into());
            self.emit(Inst::Select { dst, cond: Operand::slot(holds), a, b: Operand::slot(dst) });
        }
        Ok(true)
    }

    fn accumulate(
        &mut self,
        reduction: &Reduction,
        call: Value<'m>,
        bits: u32,
        dst: Slot,
        b: Operand,
    ) -> Translated<()> {
        let a = Operand::slot(dst);
        match *reduction {
            Reduction::Integer(op) => self.binary_lane(op, bits, 0, dst, [a, b]),
            Reduction::Minmax(op) if bits > 64 => self.wide_minmax(op, bits, dst, a, b)?,
            Reduction::Minmax(op) => self.extended(Extended::Minmax { op, bits: bits as u8, dst, a, b }),
            Reduction::Extremum { least } => {
                let extremum = Extremum { least, prefers_numbers: false };
                self.extremum_lane(extremum, float_format(call.type_of())?, dst, [a, b]);
            }
            Reduction::Float(op) | Reduction::FloatFrom(op) => {
                let format = float_format(call.type_of())?;
                self.float_lane(op, format, dst, a, b);
            }
        }
        Ok(())
    }
}
