//! Debug information on a function's objects: the types of those on its stack and of its parameters, and the
//! variables and fields that first point to memory its calls allocate.

use super::Builder;
use crate::globals::{fragment_of, type_parts};
use crate::llvm::{LinkageKind, Metadata, Opcode, Parsed, TypeKind, Value, ValueKind};
use crate::members::{part, size};
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
    /// Whether it is a local variable, not a field or a global variable.
    is_local: bool,
}

impl<'m> NamedPointer<'m> {
    /// The pointer that a variable is, or that is all of it: `Arc` has one in a field of a field.
    fn of_variable(variable: Metadata<'m>, parsed: &'m Parsed) -> Option<Self> {
        let (name, of) = (variable.name(parsed)?, variable.variable_type(parsed)?);
        // Of a larger variable, a record may be about another part.
        let is_all = size(of, parsed) == Some(POINTER_SIZE);
        Some(match part(of, 0, POINTER_SIZE, parsed).filter(|_| is_all) {
            Some(inner) => Self { is_local: inner.path.is_empty(), name: name + &inner.path, of: inner.of },
            None => Self { name, of, is_local: true },
        })
    }

    /// Whether it is a field of a library's: no program can write its name.
    fn is_of_library(&self) -> bool {
        self.name.split(['.', '>']).any(|part| part.starts_with('_'))
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
                self.note_stored_parameter(declared.slot, variable);
            }
        }
        for held in instruction.held_results() {
            if let Some(pointer) = NamedPointer::of_variable(held.variable, parsed) {
                self.note_allocated(held.value, held.location, pointer);
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
            for user in instruction.users() {
                let is_store = user.opcode() == Opcode::LLVMStore && user.operand(0) == instruction;
                let place = is_store.then(|| user.operand(1));
                if let Some(pointer) = place.and_then(|place| self.named_pointer(place)) {
                    self.note_allocated(instruction, user.location(), pointer);
                }
            }
        }
    }

    /// Notes that a pointer points to what a call allocates, as code at a location says. What a library
    /// allocates is called by a variable of the function that calls the library: not by the library's own,
    /// nor by the `this` of a constructor.
    fn note_allocated(&mut self, call: Value<'m>, location: Option<Metadata<'m>>, pointer: NamedPointer<'m>) {
        let span = self.spans.of_instruction(call);
        let is_named = !self.spans.is_of_library(span)
            || !pointer.is_of_library()
                && location.is_some_and(|location| self.spans.is_in_own_function(location, span));
        if is_named {
            self.objects.allocated(span, NameRank::new(location, !pointer.is_local), pointer, self.source);
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
        let is_slot = self.object_variables.contains_key(&base);
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
        let is_local = is_slot && field.path.is_empty();
        let name = match (is_pointed_to, field.path.strip_prefix('.')) {
            _ if name.is_empty() => return None,
            (true, Some(path)) => format!("{name}->{path}"),
            // `*p` is what `p` points to, so that what it points to is no variable.
            (true, None) => return None,
            (false, _) => name + &field.path,
        };
        Some(NamedPointer { name, of: field.of, is_local })
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
