//! Where the variables of the source are while a function runs.

use super::Builder;
use crate::llvm::{Opcode, Value, ValueKind, VariableRecord};
use symx_ir::debug_info::Base;
use symx_ir::{Constant, Slot};

impl<'m> Builder<'_, 'm> {
    /// Notes what debug records before an instruction say, if that is collected.
    pub(super) fn note_variables(&mut self, instruction: Value<'m>) {
        if self.collector.is_none() {
            return;
        }
        let pc = self.out.code.len() as u32;
        for record in instruction.variable_records() {
            let base = record.value.map_or(Base::Gone, |value| self.base(value));
            let is_at_home = self.collector.as_deref_mut().is_some_and(|known| known.is_at_home(&record));
            let home = if record.assigns() && !is_at_home { self.destination(&record) } else { None };
            if let Some(collector) = self.collector.as_deref_mut()
                && !is_at_home
            {
                collector.note(pc, &record, base, home);
            }
        }
    }

    /// The stack slot that an assignment goes to, and the expression that leads from there.
    fn destination(&self, record: &VariableRecord<'m>) -> Option<(Base, String)> {
        let written = record.print_assignment()?;
        let (before, behind) = written.rsplit_once("!DIExpression(")?;
        let name = before.trim_end_matches(", ").rsplit_once("ptr ")?.1;
        let expression = format!("!DIExpression({})", behind.split_once(')')?.0);
        let first = self.value.blocks().into_iter().next()?;
        let slots = first.instructions().into_iter().filter(|slot| slot.opcode() == Opcode::LLVMAlloca);
        let mut named = slots.filter(|slot| slot.print().trim_start().split(" =").next() == Some(name));
        Some((Base::Register(*self.slots.get(&named.next()?)?), expression))
    }

    /// The base that holds a value.
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
