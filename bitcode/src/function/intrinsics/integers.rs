//! Integer intrinsics.

use super::Builder;
use crate::llvm::Value;
use crate::shape::{scalar_bits, width};
use crate::unsupported::Translated;
use symx_ir::Operand;
use symx_ir::instruction::{BinaryOp, BitOp, Extended, MinmaxOp};

fn bit_op(name: &str) -> Option<BitOp> {
    Some(match name {
        "ctpop" => BitOp::PopulationCount,
        "ctlz" => BitOp::LeadingZeros,
        "cttz" => BitOp::TrailingZeros,
        "bswap" => BitOp::ByteSwap,
        "bitreverse" => BitOp::Reverse,
        "abs" => BitOp::Absolute,
        _ => return None,
    })
}

pub(super) fn minmax_op(name: &str) -> Option<MinmaxOp> {
    Some(match name {
        "smin" => MinmaxOp::SMin,
        "smax" => MinmaxOp::SMax,
        "umin" => MinmaxOp::UMin,
        "umax" => MinmaxOp::UMax,
        "sadd.sat" => MinmaxOp::SAddSat,
        "uadd.sat" => MinmaxOp::UAddSat,
        "ssub.sat" => MinmaxOp::SSubSat,
        "usub.sat" => MinmaxOp::USubSat,
        "sshl.sat" => MinmaxOp::SShlSat,
        "ushl.sat" => MinmaxOp::UShlSat,
        _ => return None,
    })
}

fn overflow_op(name: &str) -> Option<(BinaryOp, bool)> {
    let operation = name.strip_suffix(".with.overflow")?;
    let op = match operation.get(1..)? {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "mul" => BinaryOp::Mul,
        _ => return None,
    };
    Some((op, operation.starts_with('s')))
}

impl<'m> Builder<'_, 'm> {
    /// Translates an integer intrinsic; says whether `name` is one.
    pub(super) fn integer_intrinsic(&mut self, call: Value<'m>, name: &str) -> Translated<bool> {
        if let Some((op, signed)) = overflow_op(name) {
            return self.with_overflow(call, op, signed);
        }
        if matches!(name, "scmp" | "ucmp") {
            return self.three_way(call, name == "scmp");
        }
        let is_known = bit_op(name).is_some() || minmax_op(name).is_some() || matches!(name, "fshl" | "fshr");
        if !is_known {
            return Ok(false);
        }
        let lanes = self.lanes(call.type_of())?;
        let bits = scalar_bits(lanes.element)?;
        if bits > 64 {
            return self.wide_intrinsic(call, name, bits);
        }
        let bits = bits as u8;
        let dst = self.result(call)?;
        let first = self.operand(call.operand(0))?;
        if let Some(op) = bit_op(name) {
            let may_be_partial = matches!(op, BitOp::LeadingZeros | BitOp::TrailingZeros | BitOp::Absolute);
            let partial = may_be_partial && self.literal(call.operand(1)) == Some(1);
            for lane in 0..lanes.count {
                let (dst, src) = (dst + lane, first.offset(lane));
                self.extended(Extended::Bits { op, bits, partial, dst, src });
            }
            return Ok(true);
        }
        let second = self.operand(call.operand(1))?;
        if let Some(op) = minmax_op(name) {
            for lane in 0..lanes.count {
                let (dst, a, b) = (dst + lane, first.offset(lane), second.offset(lane));
                self.extended(Extended::Minmax { op, bits, dst, a, b });
            }
            return Ok(true);
        }
        let third = self.operand(call.operand(2))?;
        for lane in 0..lanes.count {
            self.extended(Extended::FunnelShift {
                left: name == "fshl",
                bits,
                dst: dst + lane,
                high: first.offset(lane),
                low: second.offset(lane),
                shift: third.offset(lane),
            });
        }
        Ok(true)
    }

    fn with_overflow(&mut self, call: Value<'m>, op: BinaryOp, signed: bool) -> Translated<bool> {
        let lanes = self.lanes(call.operand(0).type_of())?;
        let bits = scalar_bits(lanes.element)?;
        // The exact result is computed.
        width(2 * bits)?;
        let dst = self.result(call)?;
        let (a, b) = (self.operand(call.operand(0))?, self.operand(call.operand(1))?);
        if lanes.count == 1 {
            self.extended(Extended::WithOverflow { op, signed, bits, dst, a, b });
            return Ok(true);
        }
        // Of vectors, all results come before all flags.
        for lane in 0..lanes.count {
            let (at, both) = (lane * lanes.width, self.fresh(lanes.width + 1));
            let (a, b) = (a.offset(at), b.offset(at));
            self.extended(Extended::WithOverflow { op, signed, bits, dst: both, a, b });
            self.copy(dst + at, Operand::slot(both), lanes.width);
            let flag = Operand::slot(both + lanes.width);
            self.copy(dst + lanes.count * lanes.width + lane, flag, 1);
        }
        Ok(true)
    }

    /// `scmp` and `ucmp`, whose result may have another width than what they compare.
    fn three_way(&mut self, call: Value<'m>, signed: bool) -> Translated<bool> {
        use symx_ir::Inst;
        use symx_ir::instruction::{CastOp, Predicate};
        let lanes = self.lanes(call.operand(0).type_of())?;
        let bits = scalar_bits(lanes.element)?;
        let to = scalar_bits(call.type_of().scalar())?;
        if to > 64 {
            return Ok(false);
        }
        let dst = self.result(call)?;
        let (a, b) = (self.operand(call.operand(0))?, self.operand(call.operand(1))?);
        let (less, greater) =
            if signed { (Predicate::Slt, Predicate::Sgt) } else { (Predicate::Ult, Predicate::Ugt) };
        for lane in 0..lanes.count {
            // (a > b) - (a < b), each as 0 or 1 in the result's width.
            let bit = self.fresh(4);
            let (a, b) = (a.offset(lane * lanes.width), b.offset(lane * lanes.width));
            for (offset, predicate) in [(0, less), (1, greater)] {
                let (slot, wide) = (bit + offset, bit + 2 + offset);
                self.compare_lane(predicate, bits, slot, a, b);
                let src = Operand::slot(slot);
                self.emit(Inst::Cast { op: CastOp::ZExt, from: 1, to: to as u8, dst: wide, src });
            }
            let (a, b) = (Operand::slot(bit + 3), Operand::slot(bit + 2));
            self.emit(Inst::Binary { op: BinaryOp::Sub, bits: to as u8, flags: 0, dst: dst + lane, a, b });
        }
        Ok(true)
    }
}
