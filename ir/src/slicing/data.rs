//! What instructions read and write of their frame.

use super::terminator;
use crate::function::{Function, Param};
use crate::instruction::{Clause, Extended, Inst, Operand, Slot};
use rustc_hash::{FxHashMap, FxHashSet};

/// By register, what writes it. Values are in static single assignment form, so what writes a register
/// reaches all that reads it.
pub(super) struct Definitions {
    instructions: FxHashMap<Slot, Vec<u32>>,
    /// Moves on edges: the register moved from, if it is one, and the end of the block before the edge. How
    /// control came there decides which value a phi node takes.
    moves: FxHashMap<Slot, Vec<(Option<Slot>, u32)>>,
    params: Vec<Param>,
}

/// Where a value comes from.
#[derive(Default)]
pub(super) struct Sources {
    /// Instructions: those that compute it, and branches that decide which value a phi node takes.
    pub instructions: Vec<u32>,
    /// Numbers of parameters.
    pub parameters: Vec<usize>,
}

impl Definitions {
    pub fn of(function: &Function) -> Self {
        let mut instructions: FxHashMap<Slot, Vec<u32>> = FxHashMap::default();
        for (inst, pc) in function.code.iter().zip(0..) {
            let (first, count) = written(function, inst);
            (first..first + count).for_each(|slot| instructions.entry(slot).or_default().push(pc));
        }
        let mut moves: FxHashMap<Slot, Vec<(Option<Slot>, u32)>> = FxHashMap::default();
        for (block, number) in function.blocks.iter().zip(0..) {
            let end = terminator(function, number);
            for edge in &function.edges[block.edges()] {
                let first = edge.first_move as usize;
                for step in &function.moves[first..first + edge.move_count as usize] {
                    let from = (!step.src.is_constant()).then_some(step.src.index() as Slot);
                    moves.entry(step.dst).or_default().push((from, end));
                }
            }
        }
        Self { instructions, moves, params: function.params.clone() }
    }

    /// Where the value of a register comes from, through phi nodes.
    pub fn sources(&self, slot: Slot, sources: &mut Sources) {
        let mut seen = FxHashSet::default();
        let mut open = vec![slot];
        while let Some(slot) = open.pop() {
            if !seen.insert(slot) {
                continue;
            }
            sources.instructions.extend(self.instructions.get(&slot).into_iter().flatten());
            let holds = |param: &Param| (param.slot..param.slot + param.slots).contains(&slot);
            sources.parameters.extend(self.params.iter().position(holds));
            for (from, end) in self.moves.get(&slot).into_iter().flatten() {
                sources.instructions.push(*end);
                open.extend(from.filter(|from| !seen.contains(from)));
            }
        }
    }
}

/// The registers that an instruction writes: the first, and how many.
fn written(function: &Function, inst: &Inst) -> (Slot, u32) {
    match *inst {
        Inst::Binary { dst, .. }
        | Inst::Compare { dst, .. }
        | Inst::Cast { dst, .. }
        | Inst::PointerIndex { dst, .. }
        | Inst::Select { dst, .. }
        | Inst::Load { dst, .. }
        | Inst::Float { dst, .. }
        | Inst::FloatUnary { dst, .. }
        | Inst::FloatCompare { dst, .. }
        | Inst::Alloca { dst, .. } => (dst, 1),
        Inst::Copy { dst, count, .. } => (dst, count),
        Inst::Call { site } => {
            let site = &function.calls[site as usize];
            (site.dst, site.return_slots)
        }
        Inst::Extended { index } => written_by(&function.extended[index as usize]),
        Inst::Store { .. }
        | Inst::Jump { .. }
        | Inst::Branch { .. }
        | Inst::CompareBranch { .. }
        | Inst::Switch { .. }
        | Inst::Return { .. }
        | Inst::Unreachable => (0, 0),
    }
}

/// How many registers a value of so many bits takes.
fn slots(bits: u32) -> u32 {
    bits.div_ceil(64).max(1)
}

fn written_by(instruction: &Extended) -> (Slot, u32) {
    match *instruction {
        Extended::WideBinary { bits, dst, .. } => (dst, slots(bits)),
        Extended::WideCast { to, dst, .. } => (dst, slots(to)),
        Extended::Repack { ref to, dst, .. } => (dst, to.len() as u32),
        Extended::LoadPieces { ref pieces, dst, .. } => (dst, pieces.len() as u32),
        Extended::MaskedLoad { lanes, dst, .. } => (dst, lanes),
        Extended::WideFloat { dst, .. } | Extended::WideFloatUnary { dst, .. } => (dst, 2),
        Extended::FloatCast { dst, .. } | Extended::LandingPad { dst, .. } => (dst, 2),
        Extended::SelectRun { dst, count, .. } => (dst, count),
        Extended::ExtractElement { dst, width, .. } => (dst, width),
        Extended::InsertElement { dst, width, lanes, .. } => (dst, width * lanes),
        Extended::AtomicLoad { bits, dst, .. } | Extended::AtomicRmw { bits, dst, .. } => {
            (dst, slots(bits.into()))
        }
        Extended::CompareExchange { bits, dst, .. } => (dst, slots(bits.into()) + 1),
        Extended::WithOverflow { bits, dst, .. } => (dst, slots(bits) + 1),
        Extended::WideCompare { dst, .. }
        | Extended::WideFloatCompare { dst, .. }
        | Extended::FloatMultiplyAdd { dst, .. }
        | Extended::Bits { dst, .. }
        | Extended::Minmax { dst, .. }
        | Extended::FunnelShift { dst, .. }
        | Extended::ThreadLocalAddress { dst, .. }
        | Extended::StackSave { dst }
        | Extended::FrameAddress { dst, .. }
        | Extended::CycleCounter { dst }
        | Extended::LabelPosition { dst, .. }
        | Extended::Undefined { dst, .. }
        | Extended::TypeSelector { dst, .. } => (dst, 1),
        Extended::StorePieces { .. }
        | Extended::MaskedStore { .. }
        | Extended::AtomicStore { .. }
        | Extended::Fence { .. }
        | Extended::MemoryCopy { .. }
        | Extended::MemorySet { .. }
        | Extended::VariadicStart { .. }
        | Extended::VariadicCopy { .. }
        | Extended::VariadicEnd
        | Extended::StackRestore { .. }
        | Extended::Lifetime { .. }
        | Extended::Assume { .. }
        | Extended::Trap
        | Extended::Unsupported { .. } => (0, 0),
    }
}

/// Adds the registers that the instruction at `pc` reads; of a call those of its arguments, and of the
/// pointer called through.
pub(super) fn reads(function: &Function, pc: u32, found: &mut Vec<Slot>) {
    let mut read = |operand: Operand, count: u32| {
        if !operand.is_constant() {
            found.extend((0..count).map(|at| operand.index() as Slot + at));
        }
    };
    match function.code[pc as usize] {
        Inst::Binary { a, b, .. }
        | Inst::Compare { a, b, .. }
        | Inst::Float { a, b, .. }
        | Inst::FloatCompare { a, b, .. }
        | Inst::CompareBranch { a, b, .. } => [a, b].into_iter().for_each(|operand| read(operand, 1)),
        Inst::Cast { src, .. } | Inst::FloatUnary { src, .. } => read(src, 1),
        Inst::PointerIndex { base, index, .. } => [base, index].into_iter().for_each(|it| read(it, 1)),
        Inst::Select { cond, a, b, .. } => [cond, a, b].into_iter().for_each(|operand| read(operand, 1)),
        Inst::Copy { src, count, .. } => read(src, count),
        Inst::Load { address, .. } => read(address, 1),
        Inst::Store { address, value, .. } => [address, value].into_iter().for_each(|it| read(it, 1)),
        Inst::Alloca { count, .. } => read(count, 1),
        Inst::Branch { cond, .. } => read(cond, 1),
        Inst::Switch { value, .. } => read(value, 1),
        Inst::Return { value } => read(value, function.return_slots),
        Inst::Call { site } => {
            let site = &function.calls[site as usize];
            site.arguments.iter().for_each(|argument| read(argument.operand, argument.slots));
            if let crate::function::CallTarget::Pointer(target) = site.target {
                read(target, 1);
            }
        }
        Inst::Extended { index } => read_by(&function.extended[index as usize], &mut read),
        Inst::Jump { .. } | Inst::Unreachable => {}
    }
}

fn read_by(instruction: &Extended, read: &mut dyn FnMut(Operand, u32)) {
    match *instruction {
        Extended::WideBinary { bits, a, b, .. }
        | Extended::WideCompare { bits, a, b, .. }
        | Extended::WithOverflow { bits, a, b, .. } => {
            [a, b].into_iter().for_each(|it| read(it, slots(bits)))
        }
        Extended::WideCast { from, src, .. } => read(src, slots(from)),
        Extended::Repack { ref from, src, .. } => read(src, from.len() as u32),
        Extended::LoadPieces { address, .. } | Extended::AtomicLoad { address, .. } => read(address, 1),
        Extended::StorePieces { ref pieces, address, value, .. } => {
            read(address, 1);
            read(value, pieces.len() as u32);
        }
        Extended::MaskedLoad { lanes, address, mask, otherwise, .. } => {
            read(address, 1);
            read(mask, lanes);
            read(otherwise, lanes);
        }
        Extended::MaskedStore { lanes, value, address, mask, .. } => {
            read(address, 1);
            read(mask, lanes);
            read(value, lanes);
        }
        Extended::WideFloat { a, b, .. } | Extended::WideFloatCompare { a, b, .. } => {
            [a, b].into_iter().for_each(|operand| read(operand, 2));
        }
        Extended::WideFloatUnary { src, .. } => read(src, 2),
        Extended::FloatCast { src, .. } | Extended::Bits { src, .. } => read(src, 1),
        Extended::FloatMultiplyAdd { a, b, c, .. } => [a, b, c].into_iter().for_each(|it| read(it, 1)),
        Extended::SelectRun { cond, a, b, count, .. } => {
            read(cond, 1);
            [a, b].into_iter().for_each(|operand| read(operand, count));
        }
        Extended::ExtractElement { vector, index, width, lanes, .. } => {
            read(vector, width * lanes);
            read(index, 1);
        }
        Extended::InsertElement { vector, element, index, width, lanes, .. } => {
            read(vector, width * lanes);
            read(element, width);
            read(index, 1);
        }
        Extended::AtomicStore { bits, address, value, .. }
        | Extended::AtomicRmw { bits, address, value, .. } => {
            read(address, 1);
            read(value, slots(bits.into()));
        }
        Extended::CompareExchange { bits, address, expected, replacement, .. } => {
            read(address, 1);
            [expected, replacement].into_iter().for_each(|operand| read(operand, slots(bits.into())));
        }
        Extended::MemoryCopy { to, from, size, .. } => {
            [to, from, size].into_iter().for_each(|it| read(it, 1))
        }
        Extended::MemorySet { to, value, size } => [to, value, size].into_iter().for_each(|it| read(it, 1)),
        Extended::Minmax { a, b, .. } => [a, b].into_iter().for_each(|operand| read(operand, 1)),
        Extended::FunnelShift { high, low, shift, .. } => {
            [high, low, shift].into_iter().for_each(|operand| read(operand, 1));
        }
        Extended::ThreadLocalAddress { global, .. } => read(global, 1),
        Extended::VariadicStart { list } => read(list, 1),
        Extended::VariadicCopy { to, from } => [to, from].into_iter().for_each(|operand| read(operand, 1)),
        Extended::StackRestore { token } => read(token, 1),
        Extended::Lifetime { address, .. } => read(address, 1),
        Extended::Assume { cond } => read(cond, 1),
        Extended::LabelPosition { address, .. } => read(address, 1),
        Extended::TypeSelector { of, .. } => read(of, 1),
        Extended::LandingPad { ref clauses, .. } => {
            for clause in clauses {
                match clause {
                    Clause::Catch(of) => read(*of, 1),
                    Clause::Filter(all) => all.iter().for_each(|of| read(*of, 1)),
                }
            }
        }
        Extended::Fence { .. }
        | Extended::VariadicEnd
        | Extended::StackSave { .. }
        | Extended::Trap
        | Extended::FrameAddress { .. }
        | Extended::CycleCounter { .. }
        | Extended::Undefined { .. }
        | Extended::Unsupported { .. } => {}
    }
}
