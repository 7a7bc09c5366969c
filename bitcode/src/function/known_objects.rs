//! Debug information on a function's objects: the types of those on its stack and of its parameters, and the
//! variables and fields that first point to memory its calls allocate.

use super::Builder;
use crate::globals::{fragment_of, type_parts};
use crate::llvm::{LinkageKind, Metadata, Opcode, TypeKind, Value, ValueKind};
use crate::members::part;
use crate::source::Source;
use rustc_hash::FxHashMap;
use symx_ir::{AllocatedObject, DeclaredParameter, ElementType, ObjectTypes, SpanId, StackObject};

/// Bytes of a pointer.
const POINTER_SIZE: u64 = 8;

/// How many calls one instruction was inlined through that are counted: a damaged module may have a circle.
const MOST_INLINED: usize = 1 << 10;

/// Facts about a module's objects so far.
#[derive(Default)]
pub struct KnownObjects<'m> {
    known: ObjectTypes,
    /// Objects that calls allocate, and how good their names are.
    allocated: Vec<(NameRank, AllocatedObject)>,
    /// By a type's node, its number, if it has parts or at least a size.
    numbers: FxHashMap<Metadata<'m>, Option<u32>>,
}

impl<'m> KnownObjects<'m> {
    /// The tables.
    pub fn finish(mut self) -> ObjectTypes {
        self.allocated.sort_by_key(|(rank, object)| (object.span, *rank));
        // The best name may be that of a `void *`.
        for same in self.allocated.chunk_by_mut(|(_, one), (_, other)| one.span == other.span) {
            let of = same.iter().find_map(|(_, object)| object.of);
            same[0].1.of = same[0].1.of.or(of);
        }
        self.known.allocated.extend(self.allocated.into_iter().map(|(_, object)| object));
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

    /// Notes that a pointer of this name points to what the call at `span` allocates.
    fn allocated(&mut self, span: SpanId, rank: NameRank, pointer: NamedPointer<'m>, source: &Source<'m>) {
        let Some(pointee) = pointer.of.pointee(source.parsed) else { return };
        if span == SpanId::UNKNOWN || pointer.name.is_empty() {
            return;
        }
        let of = pointee.and_then(|of| self.number(of, source));
        self.allocated.push((rank, AllocatedObject { span, variable: pointer.name, of }));
    }

    /// Notes that what the call at `span` allocates is its function's caller's.
    pub(super) fn passed_on(&mut self, span: SpanId) {
        self.known.passed_on.push(span);
    }

    /// Notes the type for which the call at `span` allocates, and its name.
    pub(super) fn element(
        &mut self,
        span: SpanId,
        name: String,
        of: Option<Metadata<'m>>,
        source: &Source<'m>,
    ) {
        let of = of.and_then(|of| self.number(of, source));
        self.known.elements.push(ElementType { span, name, of });
    }

    /// Notes the variable that a parameter of a function is.
    fn parameter(&mut self, function: u32, number: u32, variable: Metadata<'m>, source: &Source<'m>) {
        let parsed = source.parsed;
        let is_known = |known: &DeclaredParameter| (known.function, known.number) == (function, number);
        // The records of a parameter come one after the other.
        if self.known.parameters.iter().rev().take_while(|known| known.function == function).any(is_known) {
            return;
        }
        let Some(name) = variable.name(parsed).filter(|name| !name.is_empty()) else { return };
        let Some(declared) = variable.variable_type(parsed) else { return };
        // Of a pointer, what it points to is made for it.
        let of = match declared.pointee(parsed) {
            Some(pointee) => pointee.and_then(|of| self.number(of, source)),
            None => self.number(declared, source),
        };
        self.known.parameters.push(DeclaredParameter { function, number, name, of });
    }
}

/// How good a name is for what a call allocates: the smallest is best, and the first of equals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NameRank {
    /// Calls that its code was inlined through: a function that allocates for others says less than its
    /// caller.
    inlined: usize,
    /// Whether it is a field or a global variable: a local variable says what the object is here.
    is_field: bool,
}

impl NameRank {
    fn new(location: Option<Metadata<'_>>, is_field: bool) -> Self {
        let calls = std::iter::successors(location, |location| location.inlined_at());
        Self { inlined: calls.take(MOST_INLINED).count(), is_field }
    }
}

/// A pointer as the source names it, and its type.
struct NamedPointer<'m> {
    name: String,
    of: Metadata<'m>,
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
                self.note_stored_parameter(declared.slot, variable);
            }
        }
        for held in instruction.held_results() {
            let span = self.spans.of_instruction(held.value);
            let pointer = held.variable.variable_type(parsed).map(|of| {
                let name = held.variable.name(parsed).unwrap_or_default();
                NamedPointer { name, of }
            });
            if let Some(pointer) = pointer {
                let rank = NameRank::new(held.location, false);
                self.objects.allocated(span, rank, pointer, self.source);
            }
        }
        for held in instruction.held_parameters() {
            self.pointer_variables.entry(held.value).or_insert(held.variable);
            self.note_parameter(held.value, held.variable);
        }
        for held in instruction.held_pointers() {
            self.pointer_variables.entry(held.value).or_insert(held.variable);
        }
        if instruction.opcode() == Opcode::LLVMRet && instruction.operand_count() > 0 {
            self.note_passed_on(instruction.operand(0));
        }
        if instruction.is_call() && instruction.type_of().kind() == TypeKind::LLVMPointerTypeKind {
            self.note_allocator(instruction);
            let span = self.spans.of_instruction(instruction);
            for user in instruction.users() {
                let is_store = user.opcode() == Opcode::LLVMStore && user.operand(0) == instruction;
                let place = is_store.then(|| user.operand(1));
                if let Some(pointer) = place.and_then(|place| self.named_pointer(place)) {
                    let rank = NameRank::new(user.location(), true);
                    self.objects.allocated(span, rank, pointer, self.source);
                }
            }
        }
    }

    /// The pointer at an address, if a variable or a field of one is there: `queue.mutex`, `node->next`.
    fn named_pointer(&self, place: Value<'m>) -> Option<NamedPointer<'m>> {
        let is_field = match place.kind() {
            ValueKind::LLVMConstantExprValueKind => place.constant_opcode() == Opcode::LLVMGetElementPtr,
            ValueKind::LLVMInstructionValueKind => place.opcode() == Opcode::LLVMGetElementPtr,
            _ => false,
        };
        let (base, offset) = match is_field {
            true => (place.operand(0), self.source.constant_offset(place).ok().flatten()?),
            false => (place, 0),
        };
        let (parsed, offset) = (self.source.parsed, u64::try_from(offset).ok()?);
        let (name, whole, offset, is_pointed_to) = if base.kind() == ValueKind::LLVMGlobalVariableValueKind {
            let expression = base.global_debug()?;
            let variable = expression.global_variable()?;
            // An optimiser may have made several variables of its parts.
            let first = fragment_of(expression, self.source).map_or(0, |(first, _)| first);
            (variable.name(parsed)?, variable.variable_type(parsed)?, first.checked_add(offset)?, false)
        } else if let Some(variable) = self.object_variables.get(&base) {
            (variable.name(parsed)?, variable.variable_type(parsed)?, offset, false)
        } else {
            let variable = self.pointer_variables.get(&base)?;
            let pointee = variable.variable_type(parsed)?.pointee(parsed)??;
            (variable.name(parsed)?, pointee, offset, true)
        };
        let field = part(whole, offset, POINTER_SIZE, parsed)?;
        let name = match (is_pointed_to, field.path.strip_prefix('.')) {
            _ if name.is_empty() => return None,
            (true, Some(path)) => format!("{name}->{path}"),
            // `*p` is what `p` points to, so that what it points to is no variable.
            (true, None) => return None,
            (false, _) => name + &field.path,
        };
        Some(NamedPointer { name, of: field.of })
    }

    /// Notes the variable that a parameter is, which the function keeps in a stack slot.
    fn note_stored_parameter(&mut self, slot: Value<'m>, variable: Metadata<'m>) {
        if slot.kind() != ValueKind::LLVMInstructionValueKind {
            return;
        }
        for user in slot.users() {
            let stored = (user.opcode() == Opcode::LLVMStore).then(|| user.operand(0));
            if let Some(parameter) = stored.and_then(Value::parameter) {
                self.note_parameter(parameter, variable);
            }
        }
    }

    /// Notes the variable that a parameter is; of functions that a program may be started at.
    fn note_parameter(&mut self, parameter: Value<'m>, variable: Metadata<'m>) {
        let is_own = matches!(
            self.value.linkage(),
            LinkageKind::LLVMExternalLinkage | LinkageKind::LLVMInternalLinkage
        );
        let all = if is_own { self.value.parameters() } else { Vec::new() };
        if let Some(number) = all.iter().position(|other| *other == parameter) {
            self.objects.parameter(self.module_index, number as u32, variable, self.source);
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
