//! Machine instructions that use fixed registers or none: fences, pauses, the time stamp,
//! what the processor is.

use super::Assembly;
use super::Builder;
use super::constraints::{Constraint, Place, named, scratch};
use super::flags::Flags;
use super::machine::Location;
use super::written::{Instruction, Written};
use symx_ir::instruction::{AtomicOrdering, BinaryOp, Extended, Predicate};
use symx_ir::known_functions::processor::{FEATURES, IDENTITY};
use symx_ir::{Inst, Operand};

/// The idiom of code that must preserve `rbx`: it is exchanged with an output, or copied to it, before an
/// instruction, and exchanged back afterwards. Then the instruction's `bx` is that output.
pub(super) fn use_kept_register(instructions: &mut Vec<Instruction>, constraints: &mut [Constraint]) {
    let [before, _, after] = &instructions[..] else { return };
    let &[Written::Named("bx", _), Written::Number(number, _)] = &before.operands[..] else { return };
    let is_free =
        constraints.iter().all(|other| other.tied != Some(number) && other.register.as_deref() != Some("bx"));
    let is_kept = before.name.starts_with("xchg") || before.name.starts_with("mov");
    if !is_kept || before.operands != after.operands || !after.name.starts_with("xchg") || !is_free {
        return;
    }
    if let Some(output) = constraints.get_mut(number).filter(|constraint| constraint.place == Place::Output) {
        output.register = Some("bx".into());
        instructions.pop();
        instructions.remove(0);
    }
}

/// A register that is saved before the instructions and restored after them is one that they may use.
pub(super) fn use_saved_register(instructions: &mut Vec<Instruction>, constraints: &mut Vec<Constraint>) {
    let [before, .., after] = &instructions[..] else { return };
    let &[Written::Named(name, 64)] = &before.operands[..] else { return };
    if before.operands == after.operands
        && before.name.starts_with("push")
        && after.name.starts_with("pop")
        && named(constraints, name).is_none()
    {
        constraints.push(scratch(name));
        instructions.pop();
        instructions.remove(0);
    }
}

impl Builder<'_, '_> {
    /// Translates an instruction of this file; `None` if it is none of them, `Some(None)` if
    /// it is not understood.
    pub(super) fn special_instruction(
        &mut self,
        assembly: &mut Assembly,
        instruction: &Instruction,
    ) -> Option<Option<()>> {
        let plain = !instruction.locked && instruction.operands.is_empty();
        let fence = match instruction.name.as_str() {
            "mfence" => AtomicOrdering::SequentiallyConsistent,
            // As the intrinsics of these instructions.
            "lfence" => AtomicOrdering::Acquire,
            "sfence" => AtomicOrdering::Release,
            // Adding or or-ing zero to the stack's top with a lock prefix is a fence.
            "addl" | "addq" | "orl" | "orq" if instruction.locked => {
                return (instruction.operands == [Written::Immediate(0), Written::StackTop]).then(|| {
                    self.assembly_fence(AtomicOrdering::SequentiallyConsistent);
                    Some(())
                });
            }
            "pause" | "nop" if plain => return Some(Some(())),
            "rdtsc" | "rdtscp" if plain => {
                return Some(self.time_stamp(assembly, instruction.name == "rdtscp"));
            }
            "cpuid" if plain => return Some(self.processor_identity(assembly)),
            "stmxcsr" => return Some(self.control_word(assembly, instruction, 32, 0x1f80)),
            "fnstcw" | "fstcw" => return Some(self.control_word(assembly, instruction, 16, 0x37f)),
            "cmpxchg16b" if instruction.locked => return Some(self.wide_exchange(assembly, instruction)),
            _ => return None,
        };
        if plain {
            self.assembly_fence(fence);
        }
        Some(plain.then_some(()))
    }

    /// The virtual time, in two halves.
    fn time_stamp(&mut self, assembly: &mut Assembly, with_processor: bool) -> Option<()> {
        let (low, high) = (named(&assembly.constraints, "ax")?, named(&assembly.constraints, "dx")?);
        let dst = self.fresh(1);
        self.extended(Extended::CycleCounter { dst });
        let (now, half) = (Operand::slot(dst), self.number(32));
        let upper = self.computed(BinaryOp::LShr, 64, now, half);
        let (now, upper) = (self.resized(now, 64, 32), self.resized(upper, 64, 32));
        self.write(assembly, Location::Register(low), 32, now)?;
        self.write(assembly, Location::Register(high), 32, upper)?;
        if let (true, Some(processor)) = (with_processor, named(&assembly.constraints, "cx")) {
            let zero = self.number(0);
            self.write(assembly, Location::Register(processor), 32, zero)?;
        }
        Some(())
    }

    /// Stores a control word: the value a process starts with. A change of it is not understood.
    fn control_word(
        &mut self,
        assembly: &mut Assembly,
        instruction: &Instruction,
        bits: u8,
        value: u64,
    ) -> Option<()> {
        let [target] = &instruction.operands[..] else { return None };
        let Location::Memory(address) = self.location(assembly, target)? else { return None };
        let value = self.number(value);
        self.emit(Inst::Store { bits, volatile: false, align_log2: 0, address, value });
        Some(())
    }

    /// `cpuid`: a processor with what every x86-64 one has. Other leaves than 0 and 1 answer zero.
    fn processor_identity(&mut self, assembly: &mut Assembly) -> Option<()> {
        let leaf = self.read(assembly, Location::Register(named(&assembly.constraints, "ax")?), 32)?;
        let (zero, one) = (self.number(0), self.number(1));
        let is_first = self.compared(Predicate::Eq, 32, leaf, zero);
        let is_second = self.compared(Predicate::Eq, 32, leaf, one);
        for (index, name) in ["ax", "bx", "dx", "cx"].into_iter().enumerate() {
            let Some(register) = named(&assembly.constraints, name) else { continue };
            if assembly.constraints[register].place == Place::Input {
                continue;
            }
            let (identity, feature) =
                (self.number(IDENTITY[index].into()), self.number(FEATURES[index].into()));
            let (second, answer) = (self.fresh(1), self.fresh(1));
            self.emit(Inst::Select { dst: second, cond: is_second, a: feature, b: zero });
            self.emit(Inst::Select { dst: answer, cond: is_first, a: identity, b: Operand::slot(second) });
            self.write(assembly, Location::Register(register), 32, Operand::slot(answer))?;
        }
        Some(())
    }

    /// `cmpxchg16b`: `dx:ax` is expected, `cx:bx` replaces it.
    fn wide_exchange(&mut self, assembly: &mut Assembly, instruction: &Instruction) -> Option<()> {
        let [target] = &instruction.operands[..] else { return None };
        let Location::Memory(address) = self.location(assembly, target)? else { return None };
        let run = self.fresh(4);
        for (slot, name) in ["ax", "dx", "bx", "cx"].into_iter().enumerate() {
            let src = self.read(assembly, Location::Register(named(&assembly.constraints, name)?), 64)?;
            self.copy(run + slot as u32, src, 1);
        }
        let (expected, replacement, dst) = (Operand::slot(run), Operand::slot(run + 2), self.fresh(3));
        let ordering = AtomicOrdering::SequentiallyConsistent;
        self.extended(Extended::CompareExchange {
            bits: 128,
            success: ordering,
            failure: ordering,
            dst,
            address,
            expected,
            replacement,
        });
        assembly.flags = Flags { zero: Some(Operand::slot(dst + 2)), ..Flags::default() };
        for (slot, name) in ["ax", "dx"].into_iter().enumerate() {
            let register = named(&assembly.constraints, name)?;
            if assembly.constraints[register].place == Place::Output {
                self.write(assembly, Location::Register(register), 64, Operand::slot(dst + slot as u32))?;
            }
        }
        Some(())
    }
}
