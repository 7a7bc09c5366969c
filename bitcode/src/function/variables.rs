//! Where the variables of the source are while a function runs.

use super::Builder;
use crate::llvm::{Value, ValueKind};
use symx_ir::debug_info::Base;
use symx_ir::{Constant, Slot};

impl<'m> Builder<'_, 'm> {
    /// Notes what debug records before an instruction say, if anybody wants to know.
    pub(super) fn note_variables(&mut self, instruction: Value<'m>) {
        if self.collector.is_none() {
            return;
        }
        let pc = self.out.code.len() as u32;
        for record in instruction.variable_records() {
            let base = record.value.map_or(Base::Gone, |value| self.base(value));
            if let Some(collector) = self.collector.as_deref_mut() {
                collector.note(pc, &record, base);
            }
        }
    }

    /// What holds a value.
    fn base(&self, value: Value<'m>) -> Base {
        match value.kind() {
            ValueKind::LLVMInstructionValueKind | ValueKind::LLVMArgumentValueKind => {
                self.register(value).map_or(Base::Gone, Base::Register)
            }
            _ if value.is_undefined() => Base::Gone,
            _ => {
                let mut entries = Vec::new();
                match self.source.constant(value, &mut entries).map(|()| &entries[..]) {
                    Ok([Constant::Bits(bits)]) => Base::Number(*bits),
                    Ok([Constant::Address(symbol, offset)]) => {
                        Base::Symbol(self.source.symbol_name(*symbol), *offset)
                    }
                    _ => Base::Gone,
                }
            }
        }
    }

    /// The first register of a value, or of what it renames.
    fn register(&self, value: Value<'m>) -> Option<Slot> {
        let (mut at, mut skipped) = (value, 0);
        for _ in 0..1 << 12 {
            if let Some(slot) = self.slots.get(&at) {
                return Some(slot + skipped);
            }
            if at.kind() != ValueKind::LLVMInstructionValueKind {
                return None;
            }
            let (inner, offset) = self.renamed(at)?;
            (at, skipped) = (inner, skipped + offset);
        }
        None
    }
}
