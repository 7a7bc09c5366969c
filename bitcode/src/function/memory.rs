//! Loads, stores and stack objects.

use super::Builder;
use super::arithmetic::predicate;
use super::atomics::ordering;
use crate::llvm::{Opcode, Value, ValueKind};
use crate::shape::{Shape, scalar_bits};
use crate::unsupported::{Translated, unsupported};
use symx_ir::instruction::{AtomicOrdering, Extended, Piece};
use symx_ir::{Condition, Hoisted, Inst, Operand, Slot, SpanId};

/// Log2 of an alignment in bytes.
pub(super) fn align_log2(bytes: u32) -> u8 {
    bytes.max(1).trailing_zeros() as u8
}

/// Words that hold a packed vector of `bits`.
fn packed_words(bits: u32) -> Vec<Piece> {
    (0..bits.div_ceil(64))
        .map(|word| Piece { offset: word * 8, bits: (bits - word * 64).min(64) as u8 })
        .collect()
}

impl<'m> Builder<'_, 'm> {
    pub(super) fn load(&mut self, value: Value<'m>) -> Translated<()> {
        let dst = self.result(value)?;
        let address = self.operand(value.operand(0))?;
        let shape = self.source.shape(value.type_of())?;
        let align_log2 = align_log2(value.alignment());
        match ordering(value) {
            AtomicOrdering::NotAtomic => {}
            _ if self.rust_lock(value)? => return Ok(()),
            ordering => {
                let bits = self.atomic_bits(value.type_of())?;
                self.extended(Extended::AtomicLoad { bits, ordering, align_log2, dst, address });
                return Ok(());
            }
        }
        let volatile = value.is_volatile();
        match shape.packed_bits {
            None => self.load_pieces(&shape, align_log2, volatile, dst, address),
            Some(bits) => {
                let words = packed_words(bits);
                let packed = self.fresh(words.len() as u32);
                let from = words.iter().map(|word| word.bits).collect();
                let words = Shape { pieces: words, size: shape.size, packed_bits: None };
                self.load_pieces(&words, align_log2, volatile, packed, address);
                let (to, src) = (shape.widths(), Operand::slot(packed));
                self.extended(Extended::Repack { from, to, dst, src });
            }
        }
        Ok(())
    }

    fn load_pieces(&mut self, shape: &Shape, align_log2: u8, volatile: bool, dst: Slot, address: Operand) {
        match shape.pieces[..] {
            [] => {}
            [Piece { offset: 0, bits }] if shape.size == u32::from(bits).div_ceil(8) => {
                self.emit(Inst::Load { bits, volatile, align_log2, dst, address });
            }
            _ => {
                let (pieces, size) = (shape.pieces.clone(), shape.size);
                self.extended(Extended::LoadPieces { pieces, size, align_log2, volatile, dst, address });
            }
        }
    }

    /// Notes the load at `pc` if its value leads to nothing but an arm of a `select` whose condition is known
    /// before the load. `before` and `rest` are the instructions of its block: those before it, then it and
    /// those after it.
    pub(super) fn note_hoisted(
        &mut self,
        pc: u32,
        load: Value<'m>,
        before: &[Value<'m>],
        rest: &[Value<'m>],
    ) {
        if !matches!(self.out.code.get(pc as usize), Some(Inst::Load { volatile: false, .. })) {
            return;
        }
        let mut value = load;
        while let Some(user) = value.only_user() {
            match user.opcode() {
                Opcode::LLVMSelect if user.operand(0) == value => value = user,
                Opcode::LLVMSelect => {
                    let condition = self.condition_before(user, before, rest);
                    let counts_if = user.operand(1) == value;
                    self.out.hoisted.extend(condition.map(|condition| Hoisted { pc, condition, counts_if }));
                    return;
                }
                Opcode::LLVMICmp
                | Opcode::LLVMFCmp
                | Opcode::LLVMZExt
                | Opcode::LLVMSExt
                | Opcode::LLVMTrunc
                | Opcode::LLVMBitCast
                | Opcode::LLVMFreeze
                | Opcode::LLVMAdd
                | Opcode::LLVMSub
                | Opcode::LLVMMul
                | Opcode::LLVMAnd
                | Opcode::LLVMOr
                | Opcode::LLVMXor
                | Opcode::LLVMShl
                | Opcode::LLVMLShr
                | Opcode::LLVMAShr => value = user,
                _ => return,
            }
        }
    }

    /// The condition of `select`, if its operands are known before the load between `before` and `rest`. LLVM
    /// moves a `select`, and the comparison that it alone uses, to the block that needs its value.
    fn condition_before(
        &mut self,
        select: Value<'m>,
        before: &[Value<'m>],
        rest: &[Value<'m>],
    ) -> Option<Condition> {
        let condition = select.operand(0);
        let is_before = |value: Value<'m>| match value.kind() {
            ValueKind::LLVMArgumentValueKind
            | ValueKind::LLVMConstantIntValueKind
            | ValueKind::LLVMConstantPointerNullValueKind => true,
            _ => before.contains(&value),
        };
        // What a `select` of the same block uses and the rest of the block does not compute comes before it.
        if is_before(condition) || rest.contains(&select) && !rest.contains(&condition) {
            return self.operand(condition).ok().map(Condition::Bit);
        }
        let (a, b) = match condition.opcode() {
            Opcode::LLVMICmp => (condition.operand(0), condition.operand(1)),
            _ => return None,
        };
        let bits = scalar_bits(a.type_of()).ok().filter(|bits| *bits <= 64)?;
        if !is_before(a) || !is_before(b) {
            return None;
        }
        let (predicate, bits) = (predicate(condition), bits as u8);
        Some(Condition::Compared { predicate, bits, a: self.operand(a).ok()?, b: self.operand(b).ok()? })
    }

    pub(super) fn store(&mut self, value: Value<'m>) -> Translated<()> {
        let stored = value.operand(0);
        let address = self.operand(value.operand(1))?;
        let shape = self.source.shape(stored.type_of())?;
        let align_log2 = align_log2(value.alignment());
        let operand = self.operand(stored)?;
        match ordering(value) {
            AtomicOrdering::NotAtomic => {}
            ordering => {
                let bits = self.atomic_bits(stored.type_of())?;
                self.extended(Extended::AtomicStore { bits, ordering, align_log2, address, value: operand });
                return Ok(());
            }
        }
        let volatile = value.is_volatile();
        match shape.packed_bits {
            None => self.store_pieces(&shape, align_log2, volatile, address, operand),
            Some(bits) => {
                let words = packed_words(bits);
                let packed = self.fresh(words.len() as u32);
                let to = words.iter().map(|word| word.bits).collect();
                self.extended(Extended::Repack { from: shape.widths(), to, dst: packed, src: operand });
                let words = Shape { pieces: words, size: shape.size, packed_bits: None };
                self.store_pieces(&words, align_log2, volatile, address, Operand::slot(packed));
            }
        }
        Ok(())
    }

    fn store_pieces(
        &mut self,
        shape: &Shape,
        align_log2: u8,
        volatile: bool,
        address: Operand,
        value: Operand,
    ) {
        match shape.pieces[..] {
            [] => {}
            [Piece { offset: 0, bits }] if shape.size == u32::from(bits).div_ceil(8) => {
                self.emit(Inst::Store { bits, volatile, align_log2, address, value });
            }
            _ => {
                let (pieces, size) = (shape.pieces.clone(), shape.size);
                self.extended(Extended::StorePieces { pieces, size, align_log2, volatile, address, value });
            }
        }
    }

    /// The number of another stack object.
    fn stack_site(&mut self, name: String) -> Translated<u16> {
        let Ok(site) = u16::try_from(self.out.allocas.len()) else {
            return unsupported("a function with more than 65536 stack objects");
        };
        self.out.allocas.push(name);
        Ok(site)
    }

    /// A stack object of `size` bytes that is no variable.
    pub(super) fn unnamed_object(&mut self, size: u32, align_log2: u8) -> Translated<Operand> {
        let site = self.stack_site(String::new())?;
        let (dst, count) = (self.fresh(1), self.number(1));
        self.emit(Inst::Alloca { align_log2, site, dst, count, size });
        Ok(Operand::slot(dst))
    }

    pub(super) fn alloca(&mut self, value: Value<'m>) -> Translated<()> {
        let dst = self.result(value)?;
        let of = value.allocated_type();
        let Ok(size) = u32::try_from(self.source.layout.allocated_size(of)) else {
            return unsupported(format!("a stack object of type {}", of.print()));
        };
        let count = self.word(value.operand(0))?;
        let align_log2 = align_log2(value.alignment());
        let (name, declared) = self.variables.get(&value).cloned().unwrap_or_default();
        let site = self.stack_site(name)?;
        self.note_stack_object(value, site);
        if value.escapes() {
            self.out.escaping.push(site);
        }
        if self.span == SpanId::UNKNOWN {
            self.span = declared;
        }
        self.emit(Inst::Alloca { align_log2, site, dst, count, size });
        Ok(())
    }
}
