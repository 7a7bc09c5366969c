//! One function's code: the state of its translation, and the walk over its blocks.

mod aggregate;
mod allocators;
mod arithmetic;
mod assembly;
mod atomic_section;
mod atomics;
mod calls;
mod control;
mod exceptions;
mod floats;
mod intrinsics;
mod known_objects;
mod memory;
mod moves;
mod operands;
mod passed_on;
mod pointers;
mod rust_locks;
mod variables;

use crate::debug_info::Collector;
use crate::llvm::{Block, Metadata, Opcode, TypeKind, Value};
use crate::source::Source;
use crate::spans::Spans;
use crate::unsupported::{Translated, Unsupported, unsupported};
use rustc_hash::FxHashMap;
use symx_ir::function::{self, Function, Param};
use symx_ir::instruction::{Extended, FloatPredicate};
use symx_ir::known_functions::linker_names::demangled;
use symx_ir::known_functions::{operator_name, saves_point};
use symx_ir::path_numbering;
use symx_ir::{Inst, Operand, Slot, SpanId};

pub use known_objects::KnownObjects;

/// Translates a function with a body. Beside it, for each of its instructions, the number of the LLVM
/// instruction it comes from. A collector gets what debug information says of its variables.
pub fn translate<'m>(
    source: &Source<'m>,
    spans: &mut Spans<'m>,
    objects: &mut KnownObjects<'m>,
    value: Value<'m>,
    module_index: u32,
    collector: Option<&mut Collector<'m>>,
) -> (Function, Vec<u32>) {
    let mut builder = Builder::new(source, spans, objects, value, module_index);
    builder.collector = collector;
    for block in value.blocks() {
        builder.block(block);
    }
    let numbers = std::mem::take(&mut builder.numbers_in_llvm);
    if let Some(collector) = builder.collector.as_deref_mut() {
        collector.end_function(value, &numbers);
    }
    (builder.finish(), numbers)
}

/// A function under translation.
struct Builder<'a, 'm> {
    source: &'a Source<'m>,
    /// The function.
    value: Value<'m>,
    spans: &'a mut Spans<'m>,
    /// Facts about objects that are no global variables.
    objects: &'a mut KnownObjects<'m>,
    out: Function,
    /// First slot of each parameter and of each instruction with a result of its own.
    slots: FxHashMap<Value<'m>, Slot>,
    /// Pool entries of the constants met so far.
    pooled: FxHashMap<Value<'m>, Operand>,
    /// Pool entries of plain one-slot numbers.
    pooled_bits: FxHashMap<u64, Operand>,
    numbers: FxHashMap<Block<'m>, u32>,
    /// The values that the phis of the first block receive when control comes from the second one.
    incoming: FxHashMap<(Block<'m>, Block<'m>), Vec<(Value<'m>, Value<'m>)>>,
    /// Names of the variables that stack slots hold, and where they are declared.
    variables: FxHashMap<Value<'m>, (String, SpanId)>,
    /// The variables that stack slots hold.
    object_variables: FxHashMap<Value<'m>, Metadata<'m>>,
    /// The variables that hold pointers.
    pointer_variables: FxHashMap<Value<'m>, Metadata<'m>>,
    /// The function's index among the defined ones.
    module_index: u32,
    /// Slot that breaks cycles of moves.
    spare: Option<Slot>,
    /// Position of the instruction being translated.
    span: SpanId,
    /// LLVM instructions in the blocks before this one.
    before_block: u32,
    /// Number of the LLVM instruction being translated, within its block.
    in_block: u32,
    /// For each instruction emitted, the number of the LLVM instruction within the function.
    numbers_in_llvm: Vec<u32>,
    /// Collects where variables are, if that is asked for.
    collector: Option<&'a mut Collector<'m>>,
}

/// Lengths of the tables that instructions fill.
struct Mark {
    code: usize,
    extended: usize,
    calls: usize,
    edges: usize,
    moves: usize,
}

impl<'a, 'm> Builder<'a, 'm> {
    fn new(
        source: &'a Source<'m>,
        spans: &'a mut Spans<'m>,
        objects: &'a mut KnownObjects<'m>,
        value: Value<'m>,
        module_index: u32,
    ) -> Self {
        let name = value.name();
        let source_name = value.subprogram().and_then(|program| program.name(source.parsed));
        let function_type = value.value_type();
        let out = Function {
            source_name: match source_name {
                Some(written) => spans.as_written(&written),
                None => {
                    let operator = operator_name(&name).map(str::to_owned);
                    operator.or_else(|| demangled(&name)).unwrap_or_else(|| name.clone())
                }
            },
            name,
            variadic: function_type.is_variadic(),
            return_slots: source.shape(function_type.result()).map_or(0, |shape| shape.slots()),
            span: spans.of_function(value),
            never_inlined: value.is_never_inlined(),
            ..Function::default()
        };
        let mut builder = Self {
            source,
            value,
            spans,
            objects,
            out,
            slots: FxHashMap::default(),
            pooled: FxHashMap::default(),
            pooled_bits: FxHashMap::default(),
            numbers: FxHashMap::default(),
            incoming: FxHashMap::default(),
            variables: FxHashMap::default(),
            object_variables: FxHashMap::default(),
            pointer_variables: FxHashMap::default(),
            module_index,
            spare: None,
            span: SpanId::UNKNOWN,
            before_block: 0,
            in_block: 0,
            numbers_in_llvm: Vec::new(),
            collector: None,
        };
        builder.survey(value);
        builder
    }

    /// Gives every value its slots, so that instructions may name values defined further down.
    fn survey(&mut self, value: Value<'m>) {
        for parameter in value.parameters() {
            let shape = self.source.shape(parameter.type_of());
            let (slots, bits) = shape.map_or((0, 0), |shape| (shape.slots(), shape.bits()));
            let slot = self.fresh(slots);
            self.slots.insert(parameter, slot);
            let pointer = parameter.type_of().kind() == TypeKind::LLVMPointerTypeKind;
            let class = calls::class(parameter.type_of(), bits);
            self.out.params.push(Param { slot, slots, bits, pointer, class });
        }
        for (number, block) in value.blocks().into_iter().enumerate() {
            self.numbers.insert(block, number as u32);
            for instruction in block.instructions() {
                for declared in instruction.declared_variables() {
                    let name = declared.variable.and_then(|variable| variable.name(self.source.parsed));
                    let span = declared.location.map(|location| self.spans.of_location(location));
                    let variable = (name.unwrap_or_default(), span.unwrap_or(SpanId::UNKNOWN));
                    self.variables.entry(declared.slot).or_insert(variable);
                }
                self.note_objects(instruction);
                if instruction.is_call() && saves_point(&instruction.callee().name()) {
                    self.out.saves_points = true;
                }
                if instruction.is_call() && !instruction.callee().is_intrinsic() {
                    self.out.contains_calls = true;
                    if path_numbering::returns_twice(&instruction.callee().name()) {
                        self.out.resume_blocks.push(number as u32);
                    }
                }
                if instruction.opcode() == Opcode::LLVMPHI {
                    for (received, from) in instruction.incoming() {
                        let list = self.incoming.entry((block, from)).or_default();
                        // A switch may enter a block several times; its phis then have equal entries.
                        if list.last().is_none_or(|last| last.0 != instruction) {
                            list.push((instruction, received));
                        }
                    }
                }
                let has_own_slots = instruction.type_of().kind() != TypeKind::LLVMVoidTypeKind
                    && self.renamed(instruction).is_none();
                if let (true, Ok(shape)) = (has_own_slots, self.source.shape(instruction.type_of())) {
                    let slot = self.fresh(shape.slots());
                    self.slots.insert(instruction, slot);
                }
            }
        }
    }

    fn block(&mut self, block: Block<'m>) {
        let start = self.out.code.len() as u32;
        let first_edge = self.out.edges.len() as u32;
        self.out.blocks.push(function::Block { start, first_edge, edge_count: 0 });
        let instructions = block.instructions();
        let Some((&terminator, body)) = instructions.split_last() else { return };
        if self.out.blocks.len() == 1 && self.is_atomic_section() {
            self.begin_atomic_section();
        }
        let fused = body.last().copied().filter(|&last| self.fuses(last, terminator));
        for (position, &instruction) in body.iter().enumerate() {
            self.note_variables(instruction);
            if Some(instruction) != fused && self.renamed(instruction).is_none() {
                let pc = self.out.code.len() as u32;
                self.in_block = position as u32;
                self.attempt(instruction, |builder| builder.instruction(instruction));
                if instruction.opcode() == Opcode::LLVMLoad {
                    let (before, rest) = body.split_at(position);
                    self.note_hoisted(pc, instruction, before, rest);
                }
            }
        }
        self.note_variables(terminator);
        self.in_block = body.len() as u32;
        if !self.attempt(terminator, |builder| builder.terminator(block, terminator, fused)) {
            self.dead_end(terminator);
        }
        let edges = self.out.edges.len() as u32 - first_edge;
        if let Some(block) = self.out.blocks.last_mut() {
            block.edge_count = edges;
        }
        self.before_block += instructions.len() as u32;
    }

    /// Emits what `translate` does or, if it fails, an instruction that says what is unsupported.
    fn attempt(
        &mut self,
        instruction: Value<'m>,
        translate: impl FnOnce(&mut Self) -> Translated<()>,
    ) -> bool {
        self.span = self.spans.of_instruction(instruction);
        let mark = self.mark();
        let translated = self.check_inlined_section().and_then(|()| translate(self));
        let Err(Unsupported(what)) = translated else { return true };
        self.rewind(&mark);
        self.extended(Extended::Unsupported { what });
        false
    }

    /// How much is translated so far.
    fn mark(&self) -> Mark {
        Mark {
            code: self.out.code.len(),
            extended: self.out.extended.len(),
            calls: self.out.calls.len(),
            edges: self.out.edges.len(),
            moves: self.out.moves.len(),
        }
    }

    /// Drops what was translated since `mark`.
    fn rewind(&mut self, mark: &Mark) {
        self.out.code.truncate(mark.code);
        self.out.spans.truncate(mark.code);
        self.numbers_in_llvm.truncate(mark.code);
        self.out.extended.truncate(mark.extended);
        self.out.calls.truncate(mark.calls);
        self.out.edges.truncate(mark.edges);
        self.out.moves.truncate(mark.moves);
    }

    /// Ends a block whose terminator cannot be translated. Its edges stay, since recorded paths count them.
    fn dead_end(&mut self, terminator: Value<'m>) {
        let first_move = self.out.moves.len() as u32;
        for successor in terminator.successors() {
            let block = self.numbers[&successor];
            self.out.edges.push(function::Edge { block, target: 0, first_move, move_count: 0 });
        }
        self.emit(Inst::Unreachable);
    }

    fn instruction(&mut self, value: Value<'m>) -> Translated<()> {
        match value.opcode() {
            // Moves on the edges into the block.
            Opcode::LLVMPHI => Ok(()),
            Opcode::LLVMCall => self.call(value, None),
            Opcode::LLVMLoad => self.load(value),
            Opcode::LLVMStore => self.store(value),
            Opcode::LLVMAlloca => self.alloca(value),
            Opcode::LLVMGetElementPtr => self.pointer(value),
            Opcode::LLVMICmp => self.compare(value),
            Opcode::LLVMSelect => self.select(value),
            Opcode::LLVMTrunc | Opcode::LLVMZExt | Opcode::LLVMSExt => self.integer_cast(value),
            Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr | Opcode::LLVMPtrToAddr => self.pointer_cast(value),
            Opcode::LLVMBitCast => self.reinterpret(value),
            Opcode::LLVMInsertValue => self.insert_value(value),
            Opcode::LLVMInsertElement => self.insert_element(value),
            Opcode::LLVMExtractElement => self.extract_element(value),
            Opcode::LLVMShuffleVector => self.shuffle(value),
            Opcode::LLVMFNeg => self.float_negate(value),
            // LLVM numbers its predicates by their sets of outcomes.
            Opcode::LLVMFCmp => self.float_compare(value, FloatPredicate(value.float_predicate() as u8)),
            Opcode::LLVMFence => self.fence(value),
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => self.atomic_update(value),
            Opcode::LLVMLandingPad => self.landing_pad(value),
            opcode => match (arithmetic::binary_op(opcode), floats::float_op(opcode)) {
                (Some(op), _) => self.binary(value, op),
                (_, Some(op)) => self.float_binary(value, op),
                _ => match floats::float_cast_kind(opcode) {
                    Some(kind) => self.float_cast(value, kind),
                    None => unsupported(format!("the instruction {opcode:?}").replace("LLVM", "")),
                },
            },
        }
    }

    /// Slots that nothing else uses.
    fn fresh(&mut self, count: u32) -> Slot {
        let slot = self.out.slots;
        self.out.slots += count;
        slot
    }

    fn emit(&mut self, instruction: Inst) {
        self.out.code.push(instruction);
        self.out.spans.push(self.span);
        self.numbers_in_llvm.push(self.before_block + self.in_block);
    }

    fn extended(&mut self, extended: Extended) {
        let index = self.out.extended.len() as u32;
        self.out.extended.push(extended);
        self.emit(Inst::Extended { index });
    }

    /// The first slot of an instruction's result.
    fn result(&self, value: Value<'m>) -> Translated<Slot> {
        match self.slots.get(&value) {
            Some(&slot) => Ok(slot),
            None => unsupported(format!("values of type {}", value.type_of().print())),
        }
    }

    fn finish(mut self) -> Function {
        for edge in &mut self.out.edges {
            edge.target = self.out.blocks[edge.block as usize].start;
        }
        self.out
    }
}
