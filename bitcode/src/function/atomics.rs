//! Atomic accesses and fences.

use super::Builder;
use crate::llvm::{Opcode, Type, TypeKind, Value};
use crate::unsupported::{Translated, unsupported};
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp as Rmw};
use symx_ir::instruction::{AtomicOrdering, Extended, RmwOp};

fn translate(ordering: LLVMAtomicOrdering) -> AtomicOrdering {
    match ordering {
        LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic => AtomicOrdering::NotAtomic,
        LLVMAtomicOrdering::LLVMAtomicOrderingUnordered => AtomicOrdering::Unordered,
        LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic => AtomicOrdering::Monotonic,
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquire => AtomicOrdering::Acquire,
        LLVMAtomicOrdering::LLVMAtomicOrderingRelease => AtomicOrdering::Release,
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease => AtomicOrdering::AcquireRelease,
        LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => {
            AtomicOrdering::SequentiallyConsistent
        }
    }
}

/// The part of an ordering that holds between threads: an access of scope `singlethread` orders nothing for
/// others.
fn scoped(value: Value<'_>, ordering: LLVMAtomicOrdering) -> AtomicOrdering {
    match translate(ordering) {
        AtomicOrdering::NotAtomic => AtomicOrdering::NotAtomic,
        AtomicOrdering::Unordered => AtomicOrdering::Unordered,
        _ if value.is_single_thread() => AtomicOrdering::Monotonic,
        ordering => ordering,
    }
}

/// The ordering of a load, store or `atomicrmw` as other threads see it.
pub(super) fn ordering(value: Value<'_>) -> AtomicOrdering {
    scoped(value, value.ordering())
}

impl<'m> Builder<'_, 'm> {
    /// Width in bits of an atomic access.
    pub(super) fn atomic_bits(&self, of: Type<'m>) -> Translated<u8> {
        let shape = self.source.shape(of)?;
        match (shape.slots(), shape.bits()) {
            (1, bits @ (8 | 16 | 32 | 64)) | (2, bits @ 128) => Ok(bits as u8),
            _ => unsupported(format!("an atomic access to {}", of.print())),
        }
    }

    pub(super) fn fence(&mut self, value: Value<'m>) -> Translated<()> {
        let ordering = translate(value.ordering());
        self.extended(Extended::Fence { ordering, single_thread: value.is_single_thread() });
        Ok(())
    }

    /// An `atomicrmw` or `cmpxchg`.
    pub(super) fn atomic_update(&mut self, value: Value<'m>) -> Translated<()> {
        match value.opcode() {
            _ if self.rust_lock(value)? => Ok(()),
            Opcode::LLVMAtomicRMW => self.read_modify_write(value),
            _ => self.compare_exchange(value),
        }
    }

    fn read_modify_write(&mut self, value: Value<'m>) -> Translated<()> {
        let op = match value.rmw_operation() {
            Rmw::LLVMAtomicRMWBinOpXchg => RmwOp::Exchange,
            Rmw::LLVMAtomicRMWBinOpAdd => RmwOp::Add,
            Rmw::LLVMAtomicRMWBinOpSub => RmwOp::Sub,
            Rmw::LLVMAtomicRMWBinOpAnd => RmwOp::And,
            Rmw::LLVMAtomicRMWBinOpNand => RmwOp::Nand,
            Rmw::LLVMAtomicRMWBinOpOr => RmwOp::Or,
            Rmw::LLVMAtomicRMWBinOpXor => RmwOp::Xor,
            Rmw::LLVMAtomicRMWBinOpMax => RmwOp::Max,
            Rmw::LLVMAtomicRMWBinOpMin => RmwOp::Min,
            Rmw::LLVMAtomicRMWBinOpUMax => RmwOp::UMax,
            Rmw::LLVMAtomicRMWBinOpUMin => RmwOp::UMin,
            Rmw::LLVMAtomicRMWBinOpFAdd => RmwOp::FloatAdd,
            Rmw::LLVMAtomicRMWBinOpFSub => RmwOp::FloatSub,
            Rmw::LLVMAtomicRMWBinOpUIncWrap => RmwOp::IncrementWrap,
            Rmw::LLVMAtomicRMWBinOpUDecWrap => RmwOp::DecrementWrap,
            Rmw::LLVMAtomicRMWBinOpFMax => RmwOp::FloatMaximum,
            Rmw::LLVMAtomicRMWBinOpFMin => RmwOp::FloatMinimum,
            Rmw::LLVMAtomicRMWBinOpUSubCond => RmwOp::SubConditional,
            Rmw::LLVMAtomicRMWBinOpUSubSat => RmwOp::SubSaturating,
            other => {
                let name = format!("{other:?}").replace("LLVMAtomicRMWBinOp", "");
                return unsupported(format!("atomicrmw {}", name.to_lowercase()));
            }
        };
        let (dst, bits) = (self.result(value)?, self.atomic_bits(value.type_of())?);
        let is_float =
            !matches!(value.type_of().kind(), TypeKind::LLVMIntegerTypeKind | TypeKind::LLVMPointerTypeKind);
        if is_float && op != RmwOp::Exchange && !matches!(bits, 32 | 64) {
            return unsupported(format!("atomic arithmetic on {}", value.type_of().print()));
        }
        let (address, operand) = (self.operand(value.operand(0))?, self.operand(value.operand(1))?);
        let ordering = ordering(value);
        self.extended(Extended::AtomicRmw { op, bits, ordering, dst, address, value: operand });
        Ok(())
    }

    /// `weak` exchanges never fail spuriously here, which is one of their allowed behaviours.
    fn compare_exchange(&mut self, value: Value<'m>) -> Translated<()> {
        let (success, failure) = value.exchange_orderings();
        let (success, failure) = (scoped(value, success), scoped(value, failure));
        let bits = self.atomic_bits(value.operand(1).type_of())?;
        let dst = self.result(value)?;
        let address = self.operand(value.operand(0))?;
        let (expected, replacement) = (self.operand(value.operand(1))?, self.operand(value.operand(2))?);
        self.extended(Extended::CompareExchange {
            bits,
            success,
            failure,
            dst,
            address,
            expected,
            replacement,
        });
        Ok(())
    }
}
