//! A decoded function: code and the tables its instructions index.

pub(crate) mod listing;

use crate::instruction::{Extended, Inst, Operand, Predicate, Slot};
use crate::span::SpanId;
use crate::symbol::{Constant, SymbolId};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Index into [`Program::functions`](crate::Program::functions); also decides the function's address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FunctionId(pub u32);

/// Index into [`Program::externals`](crate::Program::externals).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExternalId(pub u32);

/// A function with a body.
///
/// Blocks keep LLVM's order and identity, so that path numbers computed here and by the recorder agree.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, Default)]
pub struct Function {
    /// The symbol's name, as the linker sees it (mangled).
    pub name: String,
    /// The name as the programmer wrote it, from debug information; else the symbol's name.
    pub source_name: String,
    /// Parameters in order. Their slots are the first of the frame.
    pub params: Vec<Param>,
    /// Whether it takes variable arguments.
    pub variadic: bool,
    /// Slots of the value it returns; 0 for `void`.
    pub return_slots: u32,
    /// Slots of a frame.
    pub slots: u32,
    /// The constant pool, to be bound to values by the linker.
    pub constants: Vec<Constant>,
    /// The code of all blocks, one after the other; each block ends in a terminator.
    pub code: Vec<Inst>,
    /// For each instruction, where it comes from.
    pub spans: Vec<SpanId>,
    /// Where the function is declared.
    pub span: SpanId,
    /// The blocks, in LLVM's order; block 0 is the entry.
    pub blocks: Vec<Block>,
    /// Control-flow edges, in the order of [`Block::edges`].
    pub edges: Vec<Edge>,
    /// Register moves of the edges.
    pub moves: Vec<Move>,
    /// Switch tables.
    pub switches: Vec<Switch>,
    /// Call sites.
    pub calls: Vec<CallSite>,
    /// Out-of-line instructions.
    pub extended: Vec<Extended>,
    /// For each alloca site, the name of the source variable ("" if unknown).
    pub allocas: Vec<String>,
    /// Alloca sites whose address the function stores or returns: pointers to them may outlive them.
    pub escaping: Vec<u16>,
    /// Index among the defined functions of its module, in module order: the number recorded paths use.
    pub module_index: u32,
    /// Whether the function belongs to the program: false for functions of libraries.
    pub in_program: bool,
    /// Whether its way depends on the alignment of what it is given. Recorded runs do not log its paths then.
    pub goes_by_alignment: bool,
    /// Whether all of its code comes from sources of its language's library, though it is compiled into the
    /// program: a template or a generic function.
    pub is_library_source: bool,
    /// Whether it contains a call, an invoke or inline assembly other than calls of LLVM's own `llvm.*`
    /// functions. With its paths, this decides whether the recorder logs it (see
    /// [`path_numbering`](crate::path_numbering)).
    pub contains_calls: bool,
    /// Blocks that call a function that returns twice (`setjmp`): recorded paths may start there.
    pub resume_blocks: Vec<u32>,
    /// Whether it calls by name what may return twice, `__builtin_setjmp` included: a jump may lead back into
    /// it.
    pub saves_points: bool,
    /// Loads that an optimiser has moved in front of what decides whether the program makes them, ascending.
    pub hoisted: Vec<Hoisted>,
    /// Whether no compiler may put its code in place of its calls.
    pub never_inlined: bool,
}

impl Function {
    /// Whether it is the program's own code, that of libraries left out.
    pub fn is_own(&self) -> bool {
        self.in_program && !self.is_library_source
    }

    /// Whether recorded runs log its paths, if it has any to log.
    pub fn may_be_logged(&self) -> bool {
        self.in_program && !self.goes_by_alignment
    }

    /// The block that an edge leaves.
    pub fn block_of_edge(&self, edge: u32) -> u32 {
        // Blocks own consecutive edges, so it is the last one that starts at or before the edge.
        self.blocks.partition_point(|block| block.first_edge <= edge) as u32 - 1
    }

    /// The block of the instruction at `pc`.
    pub fn block_at(&self, pc: u32) -> usize {
        self.blocks.partition_point(|block| block.start <= pc).saturating_sub(1)
    }

    /// Where the instructions of a block begin, and where they end.
    pub fn range_of(&self, block: usize) -> std::ops::Range<usize> {
        let end = self.blocks.get(block + 1).map_or(self.code.len(), |next| next.start as usize);
        self.blocks[block].start as usize..end
    }
}

/// A load that is made in any case and whose value only counts under a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Hoisted {
    /// The load.
    pub pc: u32,
    /// The condition.
    pub condition: Condition,
    /// The value of the condition for which the load counts.
    pub counts_if: bool,
}

/// A condition whose operands are known before the load that it is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Condition {
    /// A value of one bit.
    Bit(Operand),
    /// A comparison of integers of `bits` bits, at most 64, which the program makes after the load.
    Compared {
        /// How they are compared.
        predicate: Predicate,
        /// Their width.
        bits: u8,
        /// Left.
        a: Operand,
        /// Right.
        b: Operand,
    },
}

/// A parameter of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Param {
    /// First slot.
    pub slot: Slot,
    /// Count of slots.
    pub slots: u32,
    /// Width in bits of the whole value (of a pointer: 64).
    pub bits: u32,
    /// Whether it is a pointer.
    pub pointer: bool,
    /// Where it is passed.
    pub class: ArgumentClass,
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Index of its first instruction.
    pub start: u32,
    /// Index of its first outgoing edge; the others follow, one a successor, in the terminator's order.
    /// (`br`: true, false; `switch`: default, then the cases as written; `invoke`: normal, unwind.)
    pub first_edge: u32,
    /// Count of successors.
    pub edge_count: u32,
}

impl Block {
    /// Indices of the block's outgoing edges.
    pub fn edges(&self) -> std::ops::Range<usize> {
        self.first_edge as usize..(self.first_edge + self.edge_count) as usize
    }
}

/// A control-flow edge: phi nodes are moves on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Edge {
    /// The block it leads to.
    pub block: u32,
    /// That block's first instruction.
    pub target: u32,
    /// First of its moves in [`Function::moves`].
    pub first_move: u32,
    /// Count of moves, executed one after the other (cycles are already broken with a spare slot).
    pub move_count: u32,
}

/// One register move of an edge: one slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Move {
    /// Written.
    pub dst: Slot,
    /// Read.
    pub src: Operand,
}

/// A switch on a value of `bits`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Switch {
    /// Width of the value in bits (1 to 64).
    pub bits: u8,
    /// Edge taken when no case fits; the edge of case `i` in source order is `default_edge + 1 + i`.
    pub default_edge: u32,
    /// Cases sorted by value, with their edge.
    pub cases: Vec<(u64, u32)>,
    /// When the cases are dense: edges by `value - lowest`, else empty.
    pub table: Vec<u32>,
    /// Value of the first entry of `table`.
    pub lowest: u64,
}

impl Switch {
    /// The edge taken for `value`.
    pub fn edge(&self, value: u64) -> u32 {
        if !self.table.is_empty() {
            let index = value.wrapping_sub(self.lowest);
            return *self.table.get(index as usize).unwrap_or(&self.default_edge);
        }
        match self.cases.binary_search_by_key(&value, |case| case.0) {
            Ok(index) => self.cases[index].1,
            Err(_) => self.default_edge,
        }
    }
}

/// The target of a call site.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum CallTarget {
    /// By name; only before linking.
    Symbol(SymbolId),
    /// A function with a body.
    Function(FunctionId),
    /// A function without a definition: modelled, or unsupported.
    External(ExternalId),
    /// Through a pointer.
    Pointer(Operand),
    /// Inline assembly, with its text and constraints.
    Assembly(Box<Assembly>),
}

/// Inline assembly.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Assembly {
    /// The text as LLVM holds it.
    pub text: String,
    /// The constraint string.
    pub constraints: String,
}

/// How an argument travels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Argument {
    /// First slot or pool entry.
    pub operand: Operand,
    /// Count of slots.
    pub slots: u32,
    /// Width in bits of the whole value (of a pointer: 64).
    pub bits: u32,
    /// How it is passed.
    pub passing: Passing,
    /// Where it is passed, which variable arguments show.
    pub class: ArgumentClass,
}

/// By value in registers, or as a copy of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Passing {
    /// Plain.
    Value,
    /// `byval`: the operand points to a copy of `size` bytes that the caller has just made. The copy dies
    /// with the callee's frame.
    Copy {
        /// Bytes.
        size: u32,
        /// Alignment, log2 of bytes.
        align_log2: u8,
    },
}

/// Where the x86-64 calling convention puts an argument passed by value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ArgumentClass {
    /// General registers, all or none: one a slot.
    Integer,
    /// A vector register.
    Vector,
    /// The stack, aligned to this many bytes.
    Stack(u32),
}

/// A call site.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CallSite {
    /// The target.
    pub target: CallTarget,
    /// The arguments in order, variable ones included.
    pub arguments: Vec<Argument>,
    /// Where the result goes; meaningless if `return_slots` is 0.
    pub dst: Slot,
    /// Slots of the result.
    pub return_slots: u32,
    /// Width in bits of the result; 0 for `void`.
    pub return_bits: u32,
    /// Whether anything is done with the result.
    pub used: bool,
    /// For `invoke`: the edges (normal, unwind); the call is then the block's terminator.
    pub invoke: Option<(u32, u32)>,
}

impl CallSite {
    /// The arguments, each with its slots among those of all.
    pub fn slots(&self) -> impl Iterator<Item = (&Argument, Range<usize>)> {
        let mut next = 0;
        self.arguments.iter().map(move |argument| {
            let first = next;
            next += argument.slots as usize;
            (argument, first..next)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Function;

    #[test]
    fn what_goes_by_alignment_is_own_code_that_is_not_logged() {
        let function = Function { in_program: true, goes_by_alignment: true, ..Function::default() };
        assert!(function.is_own() && !function.may_be_logged());
    }
}
