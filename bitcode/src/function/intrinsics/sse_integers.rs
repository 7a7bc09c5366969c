//! SSE2's instructions on vectors of integers, each lane in terms of ordinary arithmetic.

use super::Builder;
use crate::constants::mask;
use crate::function::operands::Lanes;
use crate::llvm::Value;
use crate::shape::scalar_bits;
use crate::unsupported::Translated;
use symx_ir::instruction::{BinaryOp, CastOp, Extended, MinmaxOp, Predicate};
use symx_ir::{Inst, Operand};

/// A vector argument.
pub(super) struct Vector<'m> {
    pub lanes: Lanes<'m>,
    /// Width of a lane, one slot.
    pub bits: u32,
    /// The first lane.
    pub first: Operand,
}

impl<'m> Builder<'_, 'm> {
    /// Translates an instruction on integers, by its name in SSE2; says whether `name` is one.
    pub(super) fn sse_integers(&mut self, call: Value<'m>, name: &str) -> Translated<bool> {
        match name {
            "pmovmskb.128" | "movmsk.pd" | "movmsk.ps" => self.sign_mask(call)?,
            "packsswb.128" | "packssdw.128" => self.pack(call, true)?,
            "packuswb.128" => self.pack(call, false)?,
            "pavg.b" | "pavg.w" => self.average(call)?,
            "psad.bw" => self.sum_of_differences(call)?,
            "pmadd.wd" => self.sum_of_products(call)?,
            "pmulh.w" => self.high_product(call, CastOp::SExt)?,
            "pmulhu.w" => self.high_product(call, CastOp::ZExt)?,
            _ => return self.vector_shift(call, name),
        }
        Ok(true)
    }

    /// Argument `index` of `call`.
    pub(super) fn vector(&mut self, call: Value<'m>, index: u32) -> Translated<Vector<'m>> {
        let lanes = self.lanes(call.operand(index).type_of())?;
        let bits = scalar_bits(lanes.element)?;
        Ok(Vector { lanes, bits, first: self.operand(call.operand(index))? })
    }

    fn widened(&mut self, op: CastOp, from: u32, to: u32, src: Operand) -> Operand {
        let dst = self.fresh(1);
        self.emit(Inst::Cast { op, from: from as u8, to: to as u8, dst, src });
        Operand::slot(dst)
    }

    fn extreme(&mut self, op: MinmaxOp, bits: u32, a: Operand, b: Operand) -> Operand {
        let dst = self.fresh(1);
        self.extended(Extended::Minmax { op, bits: bits as u8, dst, a, b });
        Operand::slot(dst)
    }

    /// The highest bits of all lanes, as a number.
    fn sign_mask(&mut self, call: Value<'m>) -> Translated<()> {
        let Vector { lanes, bits, first } = self.vector(call, 0)?;
        let (dst, zero, top) = (self.result(call)?, self.number(0), self.number(u64::from(bits) - 1));
        self.copy(dst, zero, 1);
        for lane in 0..lanes.count {
            let sign = self.computed(BinaryOp::LShr, bits, first.offset(lane), top);
            let (sign, position) = (self.resized(sign, bits, 32), self.number(lane.into()));
            let b = self.computed(BinaryOp::Shl, 32, sign, position);
            let a = Operand::slot(dst);
            self.emit(Inst::Binary { op: BinaryOp::Or, bits: 32, flags: 0, dst, a, b });
        }
        Ok(())
    }

    /// Lanes of half the width, saturated: those of the first vector, then those of the second.
    fn pack(&mut self, call: Value<'m>, signed: bool) -> Translated<()> {
        let (dst, to) = (self.result(call)?, scalar_bits(call.type_of().scalar())?);
        let (least, most) = if signed { (-1i64 << (to - 1), mask(to - 1)) } else { (0, mask(to)) };
        for argument in 0..2 {
            let Vector { lanes, bits, first } = self.vector(call, argument)?;
            let (least, most) = (self.number(least as u64 & mask(bits)), self.number(most));
            for lane in 0..lanes.count {
                let raised = self.extreme(MinmaxOp::SMax, bits, first.offset(lane), least);
                let src = self.extreme(MinmaxOp::SMin, bits, raised, most);
                let dst = dst + argument * lanes.count + lane;
                self.emit(Inst::Cast { op: CastOp::Trunc, from: bits as u8, to: to as u8, dst, src });
            }
        }
        Ok(())
    }

    /// Averages of unsigned lanes, rounded up.
    fn average(&mut self, call: Value<'m>) -> Translated<()> {
        let Vector { lanes, bits, first } = self.vector(call, 0)?;
        let (second, dst, one) = (self.vector(call, 1)?.first, self.result(call)?, self.number(1));
        let wide = 2 * bits;
        for lane in 0..lanes.count {
            let a = self.widened(CastOp::ZExt, bits, wide, first.offset(lane));
            let b = self.widened(CastOp::ZExt, bits, wide, second.offset(lane));
            let sum = self.computed(BinaryOp::Add, wide, a, b);
            let sum = self.computed(BinaryOp::Add, wide, sum, one);
            let src = self.computed(BinaryOp::LShr, wide, sum, one);
            let (from, to, dst) = (wide as u8, bits as u8, dst + lane);
            self.emit(Inst::Cast { op: CastOp::Trunc, from, to, dst, src });
        }
        Ok(())
    }

    /// For each run of eight lanes, the sum of the absolute differences.
    fn sum_of_differences(&mut self, call: Value<'m>) -> Translated<()> {
        let Vector { lanes, bits, first } = self.vector(call, 0)?;
        let (second, dst, zero) = (self.vector(call, 1)?.first, self.result(call)?, self.number(0));
        for lane in 0..lanes.count {
            let (a, b, dst) = (first.offset(lane), second.offset(lane), dst + lane / 8);
            if lane % 8 == 0 {
                self.copy(dst, zero, 1);
            }
            let (more, less) =
                (self.extreme(MinmaxOp::UMax, bits, a, b), self.extreme(MinmaxOp::UMin, bits, a, b));
            let distance = self.computed(BinaryOp::Sub, bits, more, less);
            let (a, b) = (Operand::slot(dst), self.widened(CastOp::ZExt, bits, 64, distance));
            self.emit(Inst::Binary { op: BinaryOp::Add, bits: 64, flags: 0, dst, a, b });
        }
        Ok(())
    }

    /// The products of signed lanes in twice the width, two neighbours added.
    fn sum_of_products(&mut self, call: Value<'m>) -> Translated<()> {
        let Vector { lanes, bits, first } = self.vector(call, 0)?;
        let (second, dst, wide) = (self.vector(call, 1)?.first, self.result(call)?, 2 * bits);
        for pair in 0..lanes.count / 2 {
            let [a, b] = [2 * pair, 2 * pair + 1]
                .map(|lane| self.product(CastOp::SExt, bits, first.offset(lane), second.offset(lane)));
            let (bits, dst) = (wide as u8, dst + pair);
            self.emit(Inst::Binary { op: BinaryOp::Add, bits, flags: 0, dst, a, b });
        }
        Ok(())
    }

    /// The upper halves of products.
    fn high_product(&mut self, call: Value<'m>, extension: CastOp) -> Translated<()> {
        let Vector { lanes, bits, first } = self.vector(call, 0)?;
        let (second, dst, half) = (self.vector(call, 1)?.first, self.result(call)?, self.number(bits.into()));
        for lane in 0..lanes.count {
            let product = self.product(extension, bits, first.offset(lane), second.offset(lane));
            let src = self.computed(BinaryOp::LShr, 2 * bits, product, half);
            let (from, to, dst) = (2 * bits as u8, bits as u8, dst + lane);
            self.emit(Inst::Cast { op: CastOp::Trunc, from, to, dst, src });
        }
        Ok(())
    }

    /// The product of two numbers in twice their width.
    fn product(&mut self, extension: CastOp, bits: u32, a: Operand, b: Operand) -> Operand {
        let (a, b) = (self.widened(extension, bits, 2 * bits, a), self.widened(extension, bits, 2 * bits, b));
        self.computed(BinaryOp::Mul, 2 * bits, a, b)
    }

    /// A shift of all lanes by one count: a number, or the low half of a vector. A shift by the width or more
    /// leaves zeros, or copies of the sign.
    fn vector_shift(&mut self, call: Value<'m>, name: &str) -> Translated<bool> {
        let Some((stem, "w" | "d" | "q")) = name.split_once('.') else { return Ok(false) };
        let op = match stem.strip_suffix('i').unwrap_or(stem) {
            "psll" => BinaryOp::Shl,
            "psrl" => BinaryOp::LShr,
            "psra" => BinaryOp::AShr,
            _ => return Ok(false),
        };
        let Vector { lanes, bits, first } = self.vector(call, 0)?;
        let count = if stem.ends_with('i') {
            self.word(call.operand(1))?
        } else {
            let from = self.source.shape(call.operand(1).type_of())?.widths();
            let (src, dst) = (self.operand(call.operand(1))?, self.fresh(2));
            self.extended(Extended::Repack { from, to: vec![64, 64], dst, src });
            Operand::slot(dst)
        };
        let (zero, width, most) =
            (self.number(0), self.number(bits.into()), self.number(u64::from(bits) - 1));
        let (result, fits, within) = (self.result(call)?, self.fresh(1), self.fresh(1));
        self.compare_lane(Predicate::Ult, 64, fits, count, width);
        let cond = Operand::slot(fits);
        let otherwise = if op == BinaryOp::AShr { most } else { zero };
        self.emit(Inst::Select { dst: within, cond, a: count, b: otherwise });
        let count = self.resized(Operand::slot(within), 64, bits);
        for lane in 0..lanes.count {
            let (dst, a) = (result + lane, self.computed(op, bits, first.offset(lane), count));
            match op {
                BinaryOp::AShr => self.copy(dst, a, 1),
                _ => self.emit(Inst::Select { dst, cond, a, b: zero }),
            }
        }
        Ok(true)
    }
}
