//! Calls whose results their function returns: what is allocated there is its caller's.
//!
//! A function that returns a `void *` says nothing of the object. That is made where it is called, as for
//! `xmalloc`. One that returns a pointer to a type says that the object is of that type.

use super::Builder;
use super::allocators::name_of;
use crate::llvm::{MetadataKind, Opcode, Value, ValueKind};
use rustc_hash::FxHashSet;

/// How many values are looked at for one that is returned.
const MOST_SOURCES: usize = 1 << 6;

impl<'m> Builder<'_, 'm> {
    /// Notes what an instruction that returns a pointer says of the calls that the pointer comes from.
    pub(super) fn note_passed_on(&mut self, returned: Value<'m>) {
        let parsed = self.source.parsed;
        let declared = self.value.subprogram().and_then(|function| function.return_type(parsed));
        let Some(pointee) = declared.and_then(|of| of.pointee(parsed)) else { return };
        for call in sources(returned) {
            let span = self.spans.of_instruction(call);
            match pointee {
                None => self.objects.passed_on(span),
                Some(of) if matches!(of.kind(), MetadataKind::LLVMDIBasicTypeMetadataKind) => {}
                Some(of) => {
                    if let Some(name) = name_of(of, parsed) {
                        self.objects.element(span, name, Some(of), self.source);
                    }
                }
            }
        }
    }
}

/// The calls whose results a value may be.
fn sources(value: Value<'_>) -> Vec<Value<'_>> {
    let (mut calls, mut seen, mut open) = (Vec::new(), FxHashSet::default(), vec![value]);
    while let Some(value) = open.pop() {
        let is_new = value.kind() == ValueKind::LLVMInstructionValueKind && seen.insert(value);
        if !is_new || seen.len() > MOST_SOURCES {
            continue;
        }
        match value.opcode() {
            _ if value.is_call() => calls.push(value),
            Opcode::LLVMPHI => open.extend(value.incoming().into_iter().map(|(value, _)| value)),
            Opcode::LLVMSelect => open.extend([value.operand(1), value.operand(2)]),
            // Without optimisation, a variable lies in a stack slot.
            Opcode::LLVMLoad => {
                let slot = value.operand(0);
                let is_slot =
                    slot.kind() == ValueKind::LLVMInstructionValueKind && slot.opcode() == Opcode::LLVMAlloca;
                let users = if is_slot { slot.users() } else { Vec::new() };
                let stores = users
                    .into_iter()
                    .filter(|user| user.opcode() == Opcode::LLVMStore && user.operand(1) == slot);
                open.extend(stores.map(|store| store.operand(0)));
            }
            _ => {}
        }
    }
    calls
}
