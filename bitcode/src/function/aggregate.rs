//! Vectors, structs and arrays in registers.

use super::Builder;
use crate::llvm::Value;
use crate::unsupported::Translated;
use symx_ir::instruction::Extended;
use symx_ir::{Inst, Operand, Slot};

impl<'m> Builder<'_, 'm> {
    /// Copies `count` slots.
    pub(super) fn copy(&mut self, dst: Slot, src: Operand, count: u32) {
        if count > 0 {
            self.emit(Inst::Copy { dst, src, count });
        }
    }

    pub(super) fn insert_value(&mut self, value: Value<'m>) -> Translated<()> {
        let (aggregate, element) = (value.operand(0), value.operand(1));
        let offset = self.slot_offset(aggregate.type_of(), value.indices())?;
        self.replace_slots(value, offset)?;
        let count = self.source.shape(element.type_of())?.slots();
        let (dst, src) = (self.result(value)?, self.operand(element)?);
        self.copy(dst + offset, src, count);
        Ok(())
    }

    /// Copies the first operand of `value`, of which the second one will replace the slots at `offset`.
    fn replace_slots(&mut self, value: Value<'m>, offset: u32) -> Translated<()> {
        let whole = self.source.shape(value.type_of())?.slots();
        let part = self.source.shape(value.operand(1).type_of())?.slots();
        let (dst, src) = (self.result(value)?, self.operand(value.operand(0))?);
        self.copy(dst, src, offset);
        let rest = offset + part;
        self.copy(dst + rest, src.offset(rest), whole - rest);
        Ok(())
    }

    pub(super) fn insert_element(&mut self, value: Value<'m>) -> Translated<()> {
        let lanes = self.lanes(value.type_of())?;
        let dst = self.result(value)?;
        if let Some(index) = self.literal(value.operand(2)) {
            if index < u64::from(lanes.count) {
                let offset = index as u32 * lanes.width;
                self.replace_slots(value, offset)?;
                let element = self.operand(value.operand(1))?;
                self.copy(dst + offset, element, lanes.width);
            } else {
                self.poison(dst, lanes.count * lanes.width);
            }
            return Ok(());
        }
        let vector = self.operand(value.operand(0))?;
        let element = self.operand(value.operand(1))?;
        let index = self.word(value.operand(2))?;
        let (width, lanes) = (lanes.width, lanes.count);
        self.extended(Extended::InsertElement { dst, vector, element, index, width, lanes });
        Ok(())
    }

    /// Only of variable elements: constant ones are renamings.
    pub(super) fn extract_element(&mut self, value: Value<'m>) -> Translated<()> {
        let lanes = self.lanes(value.operand(0).type_of())?;
        let dst = self.result(value)?;
        if self.literal(value.operand(1)).is_some() {
            self.poison(dst, lanes.width);
            return Ok(());
        }
        let vector = self.operand(value.operand(0))?;
        let index = self.word(value.operand(1))?;
        let (width, lanes) = (lanes.width, lanes.count);
        self.extended(Extended::ExtractElement { dst, vector, index, width, lanes });
        Ok(())
    }

    /// Poison is zero bits.
    fn poison(&mut self, dst: Slot, count: u32) {
        let zero = self.number(0);
        for slot in 0..count {
            self.copy(dst + slot, zero, 1);
        }
    }

    pub(super) fn shuffle(&mut self, value: Value<'m>) -> Translated<()> {
        let lanes = self.lanes(value.operand(0).type_of())?;
        let dst = self.result(value)?;
        let (a, b) = (self.operand(value.operand(0))?, self.operand(value.operand(1))?);
        for (to, from) in value.mask().into_iter().enumerate() {
            let dst = dst + to as u32 * lanes.width;
            match u32::try_from(from) {
                Err(_) => self.poison(dst, lanes.width),
                Ok(from) if from < lanes.count => self.copy(dst, a.offset(from * lanes.width), lanes.width),
                Ok(from) => self.copy(dst, b.offset((from - lanes.count) * lanes.width), lanes.width),
            }
        }
        Ok(())
    }
}
