//! Which registers of its frame an instruction reads and writes.

pub mod comparisons;

use crate::function::{CallTarget, Function};
use crate::instruction::{Clause, Extended, Inst, Operand, Slot};
use std::ops::Range;

/// The registers that an instruction writes.
pub fn written(function: &Function, inst: &Inst) -> Range<Slot> {
    let (first, count) = match *inst {
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
    };
    first..first + count
}

/// How many registers a value of `bits` bits takes.
fn slots(bits: u32) -> u32 {
    bits.div_ceil(64).max(1)
}

/// The first that it writes, and how many.
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

/// Reports the runs of registers that an instruction reads: the first, and how many. Of a call those are its
/// arguments, and the pointer called through.
pub fn reads(function: &Function, inst: &Inst, mut told: impl FnMut(Slot, u32)) {
    let mut read = |operand: Operand, count: u32| {
        if !operand.is_constant() {
            told(operand.index() as Slot, count);
        }
    };
    match *inst {
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
            if let CallTarget::Pointer(target) = site.target {
                read(target, 1);
            }
        }
        Inst::Extended { index } => read_by(&function.extended[index as usize], &mut read),
        Inst::Jump { .. } | Inst::Unreachable => {}
    }
}

/// Whether the registers that an instruction reads are [known](reads): not what depends on a format, and not
/// what has to do with the frame itself.
pub(crate) fn has_known_operands(instruction: &Extended) -> bool {
    !matches!(
        instruction,
        Extended::WideFloat { .. }
            | Extended::WideFloatCompare { .. }
            | Extended::WideFloatUnary { .. }
            | Extended::FloatCast { .. }
            | Extended::FloatMultiplyAdd { .. }
            | Extended::MaskedLoad { .. }
            | Extended::MaskedStore { .. }
            | Extended::VariadicStart { .. }
            | Extended::VariadicCopy { .. }
            | Extended::FrameAddress { .. }
            | Extended::LabelPosition { .. }
            | Extended::Unsupported { .. }
    )
}

fn read_by(instruction: &Extended, read: &mut dyn FnMut(Operand, u32)) {
    let mut each =
        |operands: &[Operand], slots: u32| operands.iter().for_each(|operand| read(*operand, slots));
    match *instruction {
        Extended::WideBinary { bits, a, b, .. }
        | Extended::WideCompare { bits, a, b, .. }
        | Extended::WithOverflow { bits, a, b, .. } => each(&[a, b], slots(bits)),
        Extended::WideCast { from, src, .. } => each(&[src], slots(from)),
        Extended::Repack { ref from, src, .. } => each(&[src], from.len() as u32),
        Extended::LoadPieces { address, .. }
        | Extended::AtomicLoad { address, .. }
        | Extended::Lifetime { address, .. }
        | Extended::LabelPosition { address, .. } => each(&[address], 1),
        Extended::StorePieces { ref pieces, address, value, .. } => {
            each(&[address], 1);
            each(&[value], pieces.len() as u32);
        }
        Extended::MaskedLoad { lanes, address, mask, otherwise, .. } => {
            each(&[address], 1);
            each(&[mask, otherwise], lanes);
        }
        Extended::MaskedStore { lanes, value, address, mask, .. } => {
            each(&[address], 1);
            each(&[mask, value], lanes);
        }
        Extended::WideFloat { a, b, .. } | Extended::WideFloatCompare { a, b, .. } => each(&[a, b], 2),
        Extended::WideFloatUnary { src, .. } => each(&[src], 2),
        Extended::FloatCast { src, .. } | Extended::Bits { src, .. } => each(&[src], 1),
        Extended::FloatMultiplyAdd { a, b, c, .. } => each(&[a, b, c], 1),
        Extended::SelectRun { cond, a, b, count, .. } => {
            each(&[cond], 1);
            each(&[a, b], count);
        }
        Extended::ExtractElement { vector, index, width, lanes, .. } => {
            each(&[vector], width * lanes);
            each(&[index], 1);
        }
        Extended::InsertElement { vector, element, index, width, lanes, .. } => {
            each(&[vector], width * lanes);
            each(&[element], width);
            each(&[index], 1);
        }
        Extended::AtomicStore { bits, address, value, .. }
        | Extended::AtomicRmw { bits, address, value, .. } => {
            each(&[address], 1);
            each(&[value], slots(bits.into()));
        }
        Extended::CompareExchange { bits, address, expected, replacement, .. } => {
            each(&[address], 1);
            each(&[expected, replacement], slots(bits.into()));
        }
        Extended::MemoryCopy { to, from, size, .. } => each(&[to, from, size], 1),
        Extended::MemorySet { to, value, size } => each(&[to, value, size], 1),
        Extended::Minmax { a, b, .. } => each(&[a, b], 1),
        Extended::FunnelShift { high, low, shift, .. } => each(&[high, low, shift], 1),
        Extended::ThreadLocalAddress { global, .. } => each(&[global], 1),
        Extended::VariadicStart { list } => each(&[list], 1),
        Extended::VariadicCopy { to, from } => each(&[to, from], 1),
        Extended::StackRestore { token } => each(&[token], 1),
        Extended::Assume { cond } => each(&[cond], 1),
        Extended::TypeSelector { of, .. } => each(&[of], 1),
        Extended::LandingPad { ref clauses, .. } => {
            for clause in clauses {
                match clause {
                    Clause::Catch(of) => each(&[*of], 1),
                    Clause::Filter(all) => each(all, 1),
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
