//! `getelementptr`.

use super::Builder;
use crate::constants::{Step, Stepper};
use crate::llvm::{TypeKind, Value, ValueKind};
use crate::shape::scalar_bits;
use crate::unsupported::{Translated, unsupported};
use symx_ir::instruction::{BinaryOp, CastOp};
use symx_ir::{Inst, Operand, Slot};

/// An index that is not constant.
struct Scaled {
    index: Operand,
    /// Whether it is a vector with an index for each lane.
    by_lane: bool,
    bits: u32,
    scale: u64,
}

impl<'m> Builder<'_, 'm> {
    pub(super) fn pointer(&mut self, value: Value<'m>) -> Translated<()> {
        let dst = self.result(value)?;
        self.pointer_into(dst, value)
    }

    /// As an instruction or, of vectors, as a constant expression.
    pub(super) fn pointer_into(&mut self, dst: Slot, value: Value<'m>) -> Translated<()> {
        let base_value = value.operand(0);
        let base = self.operand(base_value)?;
        let base_by_lane = base_value.type_of().kind() == TypeKind::LLVMVectorTypeKind;
        let (offset, steps) = self.steps(value)?;
        for lane in 0..self.lanes(value.type_of())?.count {
            let base = if base_by_lane { base.offset(lane) } else { base };
            self.pointer_lane(dst + lane, base, offset, &steps, lane);
        }
        Ok(())
    }

    /// Divides the indices into a constant number of bytes and the variable rest.
    fn steps(&mut self, value: Value<'m>) -> Translated<(i64, Vec<Scaled>)> {
        let mut stepper = Stepper::new(value.stepped_type());
        let (mut offset, mut steps) = (0i64, Vec::new());
        for position in 1..value.operand_count() {
            let index = value.operand(position);
            let by_lane = index.type_of().kind() == TypeKind::LLVMVectorTypeKind;
            // A struct's field may be picked by a vector that repeats one number.
            let literal = match index.kind() {
                ValueKind::LLVMConstantDataVectorValueKind | ValueKind::LLVMConstantVectorValueKind => {
                    index.element(0).and_then(|first| self.literal(first))
                }
                _ => self.literal(index),
            };
            let bits = scalar_bits(index.type_of().scalar())?;
            match (stepper.step(self.source, literal.unwrap_or(0) as u32), literal) {
                (Step::Field(bytes), Some(_)) => offset = offset.wrapping_add(bytes as i64),
                (Step::Elements(scale), Some(count)) if !by_lane && bits <= 64 => {
                    let shift = 64 - bits;
                    let count = ((count << shift) as i64) >> shift;
                    offset = offset.wrapping_add(count.wrapping_mul(scale as i64));
                }
                (Step::Elements(scale), _) if bits <= 64 => {
                    steps.push(Scaled { index: self.operand(index)?, by_lane, bits, scale });
                }
                _ => return unsupported(format!("an index of type {}", index.type_of().print())),
            }
        }
        Ok((offset, steps))
    }

    fn pointer_lane(&mut self, dst: Slot, mut base: Operand, offset: i64, steps: &[Scaled], lane: u32) {
        if offset != 0 || steps.is_empty() {
            let to = if steps.is_empty() { dst } else { self.fresh(1) };
            let b = self.number(offset as u64);
            self.emit(Inst::Binary { op: BinaryOp::Add, bits: 64, flags: 0, dst: to, a: base, b });
            base = Operand::slot(to);
        }
        for (position, step) in steps.iter().enumerate() {
            let to = if position + 1 == steps.len() { dst } else { self.fresh(1) };
            let index = if step.by_lane { step.index.offset(lane) } else { step.index };
            self.index_step(to, base, index, step.bits as u8, step.scale);
            base = Operand::slot(to);
        }
    }

    fn index_step(&mut self, dst: Slot, base: Operand, index: Operand, index_bits: u8, scale: u64) {
        if let Ok(scale) = u16::try_from(scale) {
            self.emit(Inst::PointerIndex { index_bits, scale, dst, base, index });
            return;
        }
        let wide = self.fresh(2);
        let mut src = index;
        if index_bits < 64 {
            self.emit(Inst::Cast { op: CastOp::SExt, from: index_bits, to: 64, dst: wide, src: index });
            src = Operand::slot(wide);
        }
        let factor = self.number(scale);
        self.emit(Inst::Binary { op: BinaryOp::Mul, bits: 64, flags: 0, dst: wide + 1, a: src, b: factor });
        let b = Operand::slot(wide + 1);
        self.emit(Inst::Binary { op: BinaryOp::Add, bits: 64, flags: 0, dst, a: base, b });
    }
}
