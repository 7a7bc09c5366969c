//! Integer arithmetic, comparisons, selection and width changes, lane by lane.

use super::Builder;
use crate::llvm::{Opcode, TypeKind, Value};
use crate::shape::{scalar_bits, slots};
use crate::unsupported::Translated;
use llvm_sys::LLVMIntPredicate;
use symx_ir::instruction::{BinaryOp, CastOp, Extended, Predicate, flags};
use symx_ir::{Inst, Operand, Slot};

/// The integer operation that an opcode denotes.
pub(super) fn binary_op(opcode: Opcode) -> Option<BinaryOp> {
    Some(match opcode {
        Opcode::LLVMAdd => BinaryOp::Add,
        Opcode::LLVMSub => BinaryOp::Sub,
        Opcode::LLVMMul => BinaryOp::Mul,
        Opcode::LLVMUDiv => BinaryOp::UDiv,
        Opcode::LLVMSDiv => BinaryOp::SDiv,
        Opcode::LLVMURem => BinaryOp::URem,
        Opcode::LLVMSRem => BinaryOp::SRem,
        Opcode::LLVMShl => BinaryOp::Shl,
        Opcode::LLVMLShr => BinaryOp::LShr,
        Opcode::LLVMAShr => BinaryOp::AShr,
        Opcode::LLVMAnd => BinaryOp::And,
        Opcode::LLVMOr => BinaryOp::Or,
        Opcode::LLVMXor => BinaryOp::Xor,
        _ => return None,
    })
}

/// The predicate of an `icmp`.
pub(super) fn predicate(compare: Value<'_>) -> Predicate {
    match compare.integer_predicate() {
        LLVMIntPredicate::LLVMIntEQ => Predicate::Eq,
        LLVMIntPredicate::LLVMIntNE => Predicate::Ne,
        LLVMIntPredicate::LLVMIntUGT => Predicate::Ugt,
        LLVMIntPredicate::LLVMIntUGE => Predicate::Uge,
        LLVMIntPredicate::LLVMIntULT => Predicate::Ult,
        LLVMIntPredicate::LLVMIntULE => Predicate::Ule,
        LLVMIntPredicate::LLVMIntSGT => Predicate::Sgt,
        LLVMIntPredicate::LLVMIntSGE => Predicate::Sge,
        LLVMIntPredicate::LLVMIntSLT => Predicate::Slt,
        LLVMIntPredicate::LLVMIntSLE => Predicate::Sle,
    }
}

/// Flags whose violation makes the result poison.
fn poison_flags(value: Value<'_>, op: BinaryOp) -> u8 {
    let flag = |set, flag| if set { flag } else { 0 };
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => {
            flag(value.no_unsigned_wrap(), flags::NO_UNSIGNED_WRAP)
                | flag(value.no_signed_wrap(), flags::NO_SIGNED_WRAP)
        }
        BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::LShr | BinaryOp::AShr => {
            flag(value.is_exact(), flags::EXACT)
        }
        _ => 0,
    }
}

impl<'m> Builder<'_, 'm> {
    pub(super) fn binary(&mut self, value: Value<'m>, op: BinaryOp) -> Translated<()> {
        let lanes = self.lanes(value.type_of())?;
        let bits = scalar_bits(lanes.element)?;
        let flags = poison_flags(value, op);
        let dst = self.result(value)?;
        let (a, b) = (self.operand(value.operand(0))?, self.operand(value.operand(1))?);
        for at in (0..lanes.count).map(|lane| lane * lanes.width) {
            self.binary_lane(op, bits, flags, dst + at, [a.offset(at), b.offset(at)]);
        }
        Ok(())
    }

    /// One integer operation of any width.
    pub(super) fn binary_lane(
        &mut self,
        op: BinaryOp,
        bits: u32,
        flags: u8,
        dst: Slot,
        [a, b]: [Operand; 2],
    ) {
        if bits <= 64 {
            self.emit(Inst::Binary { op, bits: bits as u8, flags, dst, a, b });
        } else {
            self.extended(Extended::WideBinary { op, bits, flags, dst, a, b });
        }
    }

    pub(super) fn compare(&mut self, value: Value<'m>) -> Translated<()> {
        let lanes = self.lanes(value.operand(0).type_of())?;
        let bits = scalar_bits(lanes.element)?;
        let predicate = predicate(value);
        let dst = self.result(value)?;
        let (a, b) = (self.operand(value.operand(0))?, self.operand(value.operand(1))?);
        for lane in 0..lanes.count {
            let (dst, at) = (dst + lane, lane * lanes.width);
            let (a, b) = (a.offset(at), b.offset(at));
            self.compare_lane(predicate, bits, dst, a, b);
        }
        Ok(())
    }

    /// One comparison of integers of any width.
    pub(super) fn compare_lane(
        &mut self,
        predicate: Predicate,
        bits: u32,
        dst: Slot,
        a: Operand,
        b: Operand,
    ) {
        if bits <= 64 {
            self.emit(Inst::Compare { predicate, bits: bits as u8, dst, a, b });
        } else {
            self.extended(Extended::WideCompare { predicate, bits, dst, a, b });
        }
    }

    pub(super) fn select(&mut self, value: Value<'m>) -> Translated<()> {
        let dst = self.result(value)?;
        let cond = self.operand(value.operand(0))?;
        let (a, b) = (self.operand(value.operand(1))?, self.operand(value.operand(2))?);
        if value.operand(0).type_of().kind() == TypeKind::LLVMVectorTypeKind {
            let lanes = self.lanes(value.type_of())?;
            for lane in 0..lanes.count {
                let at = lane * lanes.width;
                self.select_run(dst + at, cond.offset(lane), a.offset(at), b.offset(at), lanes.width);
            }
            return Ok(());
        }
        let count = self.source.shape(value.type_of())?.slots();
        self.select_run(dst, cond, a, b, count);
        Ok(())
    }

    fn select_run(&mut self, dst: Slot, cond: Operand, a: Operand, b: Operand, count: u32) {
        match count {
            1 => self.emit(Inst::Select { dst, cond, a, b }),
            _ => self.extended(Extended::SelectRun { dst, cond, a, b, count }),
        }
    }

    pub(super) fn integer_cast(&mut self, value: Value<'m>) -> Translated<()> {
        let op = match value.opcode() {
            Opcode::LLVMTrunc => CastOp::Trunc,
            Opcode::LLVMZExt => CastOp::ZExt,
            _ => CastOp::SExt,
        };
        self.cast(value, op)
    }

    /// `ptrtoint` and `inttoptr` that change the width.
    pub(super) fn pointer_cast(&mut self, value: Value<'m>) -> Translated<()> {
        let from = scalar_bits(value.operand(0).type_of().scalar())?;
        let to = scalar_bits(value.type_of().scalar())?;
        self.cast(value, if to < from { CastOp::Trunc } else { CastOp::ZExt })
    }

    fn cast(&mut self, value: Value<'m>, op: CastOp) -> Translated<()> {
        let dst = self.result(value)?;
        let src = self.operand(value.operand(0))?;
        let lanes = self.lanes(value.type_of())?;
        let (from, to) = (scalar_bits(value.operand(0).type_of().scalar())?, scalar_bits(lanes.element)?);
        for lane in 0..lanes.count {
            let (dst, src) = (dst + lane * lanes.width, src.offset(lane * slots(from)));
            if from <= 64 && to <= 64 {
                self.emit(Inst::Cast { op, from: from as u8, to: to as u8, dst, src });
            } else {
                self.extended(Extended::WideCast { op, from, to, dst, src });
            }
        }
        Ok(())
    }
}
