//! Values as operands: slots, constants, and instructions that only rename a value.

use super::Builder;
use crate::constants::is_composite;
use crate::llvm::{Opcode, Type, TypeKind, Value, ValueKind};
use crate::shape::{scalar_bits, slots};
use crate::unsupported::{Translated, unsupported};
use symx_ir::instruction::{BinaryOp, CastOp, Extended};
use symx_ir::{Constant, Inst, Operand, SymbolId};

/// A vector as its lanes, or a scalar as one lane.
#[derive(Clone, Copy)]
pub(super) struct Lanes<'m> {
    /// Count of lanes.
    pub count: u32,
    /// Slots of a lane.
    pub width: u32,
    /// Type of a lane.
    pub element: Type<'m>,
}

impl<'m> Builder<'_, 'm> {
    /// The operand that reads `value`.
    pub(super) fn operand(&mut self, value: Value<'m>) -> Translated<Operand> {
        if let Some(&slot) = self.slots.get(&value) {
            return Ok(Operand::slot(slot));
        }
        if value.kind() == ValueKind::LLVMInstructionValueKind {
            // In verified code a value is defined before the value it renames only in unreachable blocks,
            // where a chain of renamings may even be circular.
            let mut chain = (value, 0);
            for _ in 0..1 << 12 {
                let Some((inner, offset)) = self.renamed(chain.0) else {
                    return unsupported(format!("values of type {}", value.type_of().print()));
                };
                chain = (inner, chain.1 + offset);
                if inner.kind() != ValueKind::LLVMInstructionValueKind || self.slots.contains_key(&inner) {
                    return Ok(self.operand(inner)?.offset(chain.1));
                }
            }
            return unsupported("a value defined by itself");
        }
        if let Some(&pooled) = self.pooled.get(&value) {
            return Ok(pooled);
        }
        if let Some((global, offset)) = self.source.thread_local_address(value)? {
            return self.thread_local_operand(global, offset);
        }
        if value.kind() == ValueKind::LLVMGlobalIFuncValueKind {
            return self.resolved(value);
        }
        if value.kind() == ValueKind::LLVMConstantExprValueKind
            && value.constant_opcode() == Opcode::LLVMGetElementPtr
            && value.type_of().kind() == TypeKind::LLVMVectorTypeKind
        {
            let dst = self.fresh(value.type_of().length() as u32);
            self.pointer_into(dst, value)?;
            return Ok(Operand::slot(dst));
        }
        if let Some(operand) = self.computed_constant(value)? {
            return Ok(operand);
        }
        if let Some(operand) = self.truncated_address(value)? {
            return Ok(operand);
        }
        let mut entries = Vec::new();
        self.source.constant(value, &mut entries)?;
        let operand = match entries[..] {
            [Constant::Bits(bits)] => self.number(bits),
            _ => self.pool(&entries),
        };
        self.pooled.insert(value, operand);
        Ok(operand)
    }

    /// The operand that reads a plain number.
    pub(super) fn number(&mut self, bits: u64) -> Operand {
        if let Some(&known) = self.pooled_bits.get(&bits) {
            return known;
        }
        let operand = self.pool(&[Constant::Bits(bits)]);
        self.pooled_bits.insert(bits, operand);
        operand
    }

    /// Adds a run of entries to the pool.
    pub(super) fn pool(&mut self, entries: &[Constant]) -> Operand {
        let first = self.out.constants.len() as u32;
        self.out.constants.extend_from_slice(entries);
        Operand::constant(first)
    }

    /// The address of a symbol.
    pub(super) fn symbol_address(&mut self, symbol: SymbolId) -> Operand {
        self.pool(&[Constant::Address(symbol, 0)])
    }

    /// Code for a constant expression that keeps only the low bits of an address: the pool holds whole ones.
    fn truncated_address(&mut self, value: Value<'m>) -> Translated<Option<Operand>> {
        let of = value.type_of();
        if value.kind() != ValueKind::LLVMConstantExprValueKind
            || of.kind() != TypeKind::LLVMIntegerTypeKind
            || of.integer_bits() >= 64
        {
            return Ok(None);
        }
        let constant = self.source.address_constant(value, of.integer_bits())?;
        if matches!(constant, Constant::Bits(_)) {
            return Ok(None);
        }
        let (src, dst) = (self.pool(&[constant]), self.fresh(1));
        self.emit(Inst::Cast { op: CastOp::Trunc, from: 64, to: of.integer_bits() as u8, dst, src });
        Ok(Some(Operand::slot(dst)))
    }

    /// Code for a constant expression that is more than an address and a distance: the pool holds no others.
    fn computed_constant(&mut self, value: Value<'m>) -> Translated<Option<Operand>> {
        if value.kind() != ValueKind::LLVMConstantExprValueKind
            || is_composite(value.type_of())
            || is_composite(value.operand(0).type_of())
        {
            return Ok(None);
        }
        let (from, to) = (scalar_bits(value.operand(0).type_of())?, scalar_bits(value.type_of())?);
        if from > 64 || to > 64 || self.source.address_constant(value, to).is_ok() {
            return Ok(None);
        }
        let opcode = value.constant_opcode();
        if opcode == Opcode::LLVMGetElementPtr {
            let dst = self.fresh(1);
            self.pointer_into(dst, value)?;
            return Ok(Some(Operand::slot(dst)));
        }
        let is_cast = matches!(
            opcode,
            Opcode::LLVMTrunc | Opcode::LLVMPtrToInt | Opcode::LLVMPtrToAddr | Opcode::LLVMIntToPtr
        );
        if is_cast {
            let src = self.operand(value.operand(0))?;
            if from == to {
                return Ok(Some(src));
            }
            let dst = self.fresh(1);
            let op = if to < from { CastOp::Trunc } else { CastOp::ZExt };
            self.emit(Inst::Cast { op, from: from as u8, to: to as u8, dst, src });
            return Ok(Some(Operand::slot(dst)));
        }
        let op = match opcode {
            Opcode::LLVMAdd => BinaryOp::Add,
            Opcode::LLVMSub => BinaryOp::Sub,
            Opcode::LLVMXor => BinaryOp::Xor,
            _ => return Ok(None),
        };
        let (a, b) = (self.operand(value.operand(0))?, self.operand(value.operand(1))?);
        let dst = self.fresh(1);
        self.emit(Inst::Binary { op, bits: to as u8, flags: 0, dst, a, b });
        Ok(Some(Operand::slot(dst)))
    }

    /// Code for the address of a thread-local variable, plus `offset`: it differs by thread.
    fn thread_local_operand(&mut self, global: Value<'m>, offset: i64) -> Translated<Operand> {
        let symbol = self.source.symbol(global)?;
        let template = self.symbol_address(symbol);
        let dst = self.fresh(1);
        self.extended(Extended::ThreadLocalAddress { dst, global: template });
        if offset == 0 {
            return Ok(Operand::slot(dst));
        }
        Ok(self.add(Operand::slot(dst), offset))
    }

    /// `base + offset`, an address.
    pub(super) fn add(&mut self, base: Operand, offset: i64) -> Operand {
        let dst = self.fresh(1);
        let b = self.number(offset as u64);
        self.emit(Inst::Binary { op: BinaryOp::Add, bits: 64, flags: 0, dst, a: base, b });
        Operand::slot(dst)
    }

    /// An integer value of at most 64 bits, zero-extended to 64 as sizes and counts are.
    pub(super) fn word(&mut self, value: Value<'m>) -> Translated<Operand> {
        let src = self.operand(value)?;
        match scalar_bits(value.type_of())? {
            64 => Ok(src),
            _ if src.is_constant() => Ok(src),
            from if from < 64 => {
                let dst = self.fresh(1);
                self.emit(Inst::Cast { op: CastOp::ZExt, from: from as u8, to: 64, dst, src });
                Ok(Operand::slot(dst))
            }
            bits => unsupported(format!("a size of {bits} bits")),
        }
    }

    /// `value` if it is a constant integer.
    pub(super) fn literal(&self, value: Value<'m>) -> Option<u64> {
        (value.kind() == ValueKind::LLVMConstantIntValueKind).then(|| value.low_bits())
    }

    /// How `of`, a scalar or vector type, divides into lanes.
    pub(super) fn lanes(&self, of: Type<'m>) -> Translated<Lanes<'m>> {
        if of.kind() == TypeKind::LLVMVectorTypeKind {
            let element = of.element();
            return Ok(Lanes { count: of.length() as u32, width: slots(scalar_bits(element)?), element });
        }
        Ok(Lanes { count: 1, width: slots(scalar_bits(of)?), element: of })
    }

    /// For an instruction whose result is, slot for slot, (part of) another value: that value and
    /// the slots to skip.
    ///
    /// Such instructions need no code: wherever the result may be used, the other value's
    /// slots still hold it.
    pub(super) fn renamed(&self, value: Value<'m>) -> Option<(Value<'m>, u32)> {
        match value.opcode() {
            Opcode::LLVMFreeze => Some((value.operand(0), 0)),
            Opcode::LLVMBitCast
            | Opcode::LLVMAddrSpaceCast
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMPtrToAddr
            | Opcode::LLVMIntToPtr => {
                let inner = value.operand(0);
                let (from, to) =
                    (self.source.shape(inner.type_of()).ok()?, self.source.shape(value.type_of()).ok()?);
                (from.widths() == to.widths()).then_some((inner, 0))
            }
            Opcode::LLVMExtractValue => {
                let aggregate = value.operand(0);
                let offset = self.slot_offset(aggregate.type_of(), value.indices()).ok()?;
                Some((aggregate, offset))
            }
            Opcode::LLVMExtractElement => {
                let vector = value.operand(0);
                let lanes = self.lanes(vector.type_of()).ok()?;
                let index = self.literal(value.operand(1))?;
                (index < u64::from(lanes.count)).then(|| (vector, index as u32 * lanes.width))
            }
            Opcode::LLVMGetElementPtr => {
                let is_vector = value.type_of().kind() == TypeKind::LLVMVectorTypeKind;
                let offset = self.source.constant_offset(value).ok()?;
                (offset == Some(0) && !is_vector).then(|| (value.operand(0), 0))
            }
            Opcode::LLVMCall => self.renaming_intrinsic(value).map(|inner| (inner, 0)),
            _ => None,
        }
    }

    /// Slots before the part of an aggregate that `indices` lead to.
    pub(super) fn slot_offset(&self, mut of: Type<'m>, indices: &[u32]) -> Translated<u32> {
        let mut offset = 0;
        for &index in indices {
            if of.kind() == TypeKind::LLVMStructTypeKind {
                for field in 0..index {
                    offset += self.source.shape(of.field(field))?.slots();
                }
                of = of.field(index);
            } else if is_composite(of) {
                of = of.element();
                offset += index * self.source.shape(of)?.slots();
            }
        }
        Ok(offset)
    }
}
