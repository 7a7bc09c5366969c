//! Debug information on a function's objects: the types of those on its stack, and the variables that first
//! point to memory its calls allocate.

use super::Builder;
use crate::globals::type_parts;
use crate::llvm::{Metadata, MetadataKind, Opcode, TypeKind, Value, ValueKind};
use crate::source::Source;
use rustc_hash::FxHashMap;
use symx_ir::{AllocatedObject, ObjectTypes, SpanId, StackObject};

/// Facts about a module's objects so far.
#[derive(Default)]
pub struct KnownObjects<'m> {
    known: ObjectTypes,
    /// Objects that a global variable points to; a local one that does goes before.
    of_globals: Vec<AllocatedObject>,
    /// By a type's node, its number, if it has parts or at least a size.
    numbers: FxHashMap<Metadata<'m>, Option<u32>>,
}

impl<'m> KnownObjects<'m> {
    /// The tables.
    pub fn finish(mut self) -> ObjectTypes {
        self.known.allocated.append(&mut self.of_globals);
        self.known.sort();
        self.known
    }

    fn number(&mut self, of: Metadata<'m>, source: &Source<'m>) -> Option<u32> {
        if let Some(known) = self.numbers.get(&of) {
            return *known;
        }
        let number = type_parts(of, source).map(|of| {
            self.known.types.push(of);
            self.known.types.len() as u32 - 1
        });
        self.numbers.insert(of, number);
        number
    }

    /// Notes the type of a stack object.
    fn on_stack(&mut self, function: u32, site: u16, of: Metadata<'m>, source: &Source<'m>) {
        if let Some(of) = self.number(of, source) {
            self.known.stack.push(StackObject { function, site, of });
        }
    }

    /// Notes that a variable of a type is the first to point to what the call at `span` allocates.
    fn allocated(&mut self, span: SpanId, variable: Metadata<'m>, source: &Source<'m>) {
        let parsed = source.parsed;
        let Some(name) = variable.name(parsed).filter(|name| !name.is_empty()) else { return };
        let Some(pointee) = variable.variable_type(parsed).and_then(|of| of.pointee(parsed)) else { return };
        let of = pointee.and_then(|of| self.number(of, source));
        let is_global = matches!(variable.kind(), MetadataKind::LLVMDIGlobalVariableMetadataKind);
        let objects = if is_global { &mut self.of_globals } else { &mut self.known.allocated };
        objects.push(AllocatedObject { span, variable: name, of });
    }
}

impl<'m> Builder<'_, 'm> {
    /// Notes what the records before an instruction, and the instruction itself, say of objects.
    pub(super) fn note_objects(&mut self, instruction: Value<'m>) {
        let parsed = self.source.parsed;
        if let Some(assigned) = instruction.assigned_slot() {
            let name = assigned.variable.name(parsed).unwrap_or_default();
            self.variables.entry(assigned.value).or_insert((name, SpanId::UNKNOWN));
            self.object_variables.entry(assigned.value).or_insert(assigned.variable);
        }
        for declared in instruction.declared_variables() {
            if let Some(variable) = declared.variable {
                self.object_variables.entry(declared.slot).or_insert(variable);
            }
        }
        for held in instruction.held_results() {
            self.note_allocated(held.value, held.variable);
        }
        if instruction.is_call() && instruction.type_of().kind() == TypeKind::LLVMPointerTypeKind {
            for user in instruction.users() {
                let is_store = user.opcode() == Opcode::LLVMStore && user.operand(0) == instruction;
                let place = is_store.then(|| user.operand(1));
                let global = place.filter(|place| place.kind() == ValueKind::LLVMGlobalVariableValueKind);
                let debug = global.and_then(Value::global_debug);
                if let Some(variable) = debug.and_then(|expression| expression.global_variable()) {
                    self.note_allocated(instruction, variable);
                }
            }
        }
    }

    fn note_allocated(&mut self, call: Value<'m>, variable: Metadata<'m>) {
        let span = self.spans.of_instruction(call);
        if span != SpanId::UNKNOWN {
            self.objects.allocated(span, variable, self.source);
        }
    }

    /// Notes the type of the variable that a stack slot is.
    pub(super) fn note_stack_object(&mut self, slot: Value<'m>, site: u16) {
        let Some(variable) = self.object_variables.get(&slot) else { return };
        if let Some(of) = variable.variable_type(self.source.parsed) {
            self.objects.on_stack(self.module_index, site, of, self.source);
        }
    }
}
