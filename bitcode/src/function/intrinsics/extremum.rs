//! `llvm.minimum`, `llvm.maximum` and their `num` kin, which order zeros by their signs:
//! in terms of comparisons.

use super::Builder;
use crate::llvm::Value;
use crate::shape::{float_format, slots};
use crate::unsupported::Translated;
use symx_ir::instruction::{BinaryOp, Extended, FloatFormat, FloatOp, FloatPredicate};
use symx_ir::{Inst, Operand, Slot};

const GREATER: FloatPredicate = FloatPredicate(0b0010);
const LESS: FloatPredicate = FloatPredicate(0b0100);
const UNORDERED: FloatPredicate = FloatPredicate(0b1000);

/// Which of two floats is chosen.
#[derive(Clone, Copy)]
pub(super) struct Extremum {
    /// The lesser, else the greater.
    pub least: bool,
    /// Whether a NaN loses to a number; else it is the result.
    pub prefers_numbers: bool,
}

impl<'m> Builder<'_, 'm> {
    /// One of two floats.
    pub(super) fn ordered_extremum(&mut self, call: Value<'m>, extremum: Extremum) -> Translated<()> {
        let lanes = self.lanes(call.type_of())?;
        let format = float_format(lanes.element)?;
        let dst = self.result(call)?;
        let (a, b) = (self.operand(call.operand(0))?, self.operand(call.operand(1))?);
        for at in (0..lanes.count).map(|lane| lane * lanes.width) {
            self.extremum_lane(extremum, format, dst + at, [a.offset(at), b.offset(at)]);
        }
        Ok(())
    }

    /// One lane of [`ordered_extremum`](Self::ordered_extremum).
    pub(super) fn extremum_lane(
        &mut self,
        Extremum { least, prefers_numbers }: Extremum,
        format: FloatFormat,
        dst: Slot,
        [a, b]: [Operand; 2],
    ) {
        let width = slots(format.bits());
        // Equal values differ in the sign of zero at most: `or` keeps a minus, `and` a plus.
        let result = self.fresh(width);
        let so_far = Operand::slot(result);
        let op = if least { BinaryOp::Or } else { BinaryOp::And };
        self.binary_lane(op, format.bits(), 0, result, [a, b]);
        let (first, second) = if least { (a, b) } else { (b, a) };
        self.choose_float(format, LESS, [a, b], result, first);
        self.choose_float(format, GREATER, [a, b], result, second);
        if prefers_numbers {
            self.choose_float(format, UNORDERED, [b, b], result, a);
            self.choose_float(format, UNORDERED, [a, a], result, b);
        } else {
            let sum = self.fresh(width);
            self.float_lane(FloatOp::Add, format, sum, a, b);
            self.choose_float(format, UNORDERED, [a, b], result, Operand::slot(sum));
        }
        self.copy(dst, so_far, width);
    }

    /// `result = compared.0 predicate compared.1 ? chosen : result`.
    fn choose_float(
        &mut self,
        format: FloatFormat,
        predicate: FloatPredicate,
        [a, b]: [Operand; 2],
        result: Slot,
        chosen: Operand,
    ) {
        let dst = self.fresh(1);
        let (cond, count) = (Operand::slot(dst), slots(format.bits()));
        if count > 1 {
            self.extended(Extended::WideFloatCompare { predicate, format, dst, a, b });
            let otherwise = Operand::slot(result);
            self.extended(Extended::SelectRun { dst: result, cond, a: chosen, b: otherwise, count });
        } else {
            self.emit(Inst::FloatCompare { predicate, format, dst, a, b });
            self.emit(Inst::Select { dst: result, cond, a: chosen, b: Operand::slot(result) });
        }
    }
}
