//! `llvm.objectsize` and `llvm.is.constant`: what the compiler knows of a value when it is done.

use super::super::intrinsics::base_name;
use super::Builder;
use crate::constants::mask;
use crate::llvm::{LinkageKind, Opcode, Value, ValueKind};
use crate::shape::scalar_bits;
use crate::unsupported::Translated;

/// A variable's size, and the distance of a pointer from its start.
struct Within {
    size: u64,
    offset: i64,
}

impl Within {
    /// Bytes from the pointer to the end; none for a pointer outside.
    fn left(&self) -> u64 {
        u64::try_from(self.offset).map_or(0, |offset| self.size.saturating_sub(offset))
    }
}

impl<'m> Builder<'_, 'm> {
    /// `llvm.objectsize(pointer, least, null is unknown, dynamic)`. An unknown size is the least or the
    /// greatest one.
    pub(super) fn object_size(&mut self, call: Value<'m>) -> Translated<()> {
        let bits = scalar_bits(call.type_of())?;
        let flag = |index| self.literal(call.operand(index)) == Some(1);
        let (least, null_is_unknown) = (flag(1), flag(2));
        let pointer = call.operand(0);
        let is_null = pointer.kind() == ValueKind::LLVMConstantPointerNullValueKind;
        let known = match is_null {
            true => (!null_is_unknown).then_some(0),
            false => self.pointee(pointer, least)?.map(|within| within.left()),
        };
        self.set(call, known.unwrap_or(if least { 0 } else { u64::MAX }) & mask(bits))
    }

    /// The variable that a pointer points into, if one can be named. The `least` size of one that the linker
    /// may replace is known, its size is not.
    fn pointee(&self, pointer: Value<'m>, least: bool) -> Translated<Option<Within>> {
        let whole = |size| Ok(Some(Within { size, offset: 0 }));
        match pointer.kind() {
            ValueKind::LLVMGlobalVariableValueKind => {
                let is_weak = matches!(
                    pointer.linkage(),
                    LinkageKind::LLVMLinkOnceAnyLinkage
                        | LinkageKind::LLVMWeakAnyLinkage
                        | LinkageKind::LLVMCommonLinkage
                );
                if pointer.is_declaration() || is_weak && !least {
                    return Ok(None);
                }
                return whole(self.source.layout.allocated_size(pointer.value_type()));
            }
            ValueKind::LLVMConstantExprValueKind | ValueKind::LLVMInstructionValueKind => {}
            _ => return Ok(None),
        }
        let is_constant = pointer.kind() == ValueKind::LLVMConstantExprValueKind;
        let opcode = if is_constant { pointer.constant_opcode() } else { pointer.opcode() };
        match opcode {
            Opcode::LLVMAlloca => match self.literal(pointer.operand(0)) {
                Some(count) => {
                    let size = self.source.layout.allocated_size(pointer.allocated_type());
                    match size.checked_mul(count) {
                        Some(size) => whole(size),
                        None => Ok(None),
                    }
                }
                None => Ok(None),
            },
            Opcode::LLVMGetElementPtr => {
                let Some(distance) = self.source.constant_offset(pointer)? else { return Ok(None) };
                let within = self.pointee(pointer.operand(0), least)?;
                Ok(within.map(|within| Within { offset: within.offset.wrapping_add(distance), ..within }))
            }
            Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast | Opcode::LLVMFreeze => {
                self.pointee(pointer.operand(0), least)
            }
            Opcode::LLVMCall if pointer.callee().is_intrinsic() => {
                let same = self.renaming_intrinsic(pointer).is_some()
                    || base_name(&pointer.callee().name()) == "threadlocal.address";
                if same { self.pointee(pointer.operand(0), least) } else { Ok(None) }
            }
            _ => Ok(None),
        }
    }

    /// Whether a value is a number that is known here: no address, which the linker decides.
    pub(super) fn is_manifest(value: Value<'m>) -> bool {
        match value.kind() {
            ValueKind::LLVMConstantIntValueKind
            | ValueKind::LLVMConstantFPValueKind
            | ValueKind::LLVMConstantPointerNullValueKind
            | ValueKind::LLVMConstantAggregateZeroValueKind
            | ValueKind::LLVMConstantDataArrayValueKind
            | ValueKind::LLVMConstantDataVectorValueKind => true,
            ValueKind::LLVMConstantArrayValueKind
            | ValueKind::LLVMConstantStructValueKind
            | ValueKind::LLVMConstantVectorValueKind
            | ValueKind::LLVMConstantExprValueKind => {
                (0..value.operand_count()).all(|index| Self::is_manifest(value.operand(index)))
            }
            _ => value.is_undefined(),
        }
    }
}
