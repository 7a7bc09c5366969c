//! Inline assembly whose meaning is known: barriers, fences, pauses, atomics, the time
//! stamp, and plain arithmetic.
//!
//! A text, in AT&T's or Intel's syntax, is split into machine instructions. Each of them becomes instructions
//! of ours. A locked one is an atomic operation of the program like any other. A text that is not understood
//! in full is left to the interpreter, which reports that it is unsupported.

mod bit_test;
mod constraints;
mod flags;
mod intel;
mod machine;
mod special;
mod text;
mod update_loop;
mod written;

use super::Builder;
use crate::llvm::{TypeKind, Value};
use crate::shape::scalar_bits;
use crate::unsupported::Translated;
use constraints::{Constraint, Place};
use flags::Flags;
use symx_ir::instruction::{AtomicOrdering, Extended};
use symx_ir::{Inst, Operand};
use text::Syntax;
use written::LABEL;

/// A register that the text may name or an operand of it, with its present value.
#[derive(Clone, Copy)]
struct Register {
    /// Width in bits.
    bits: u32,
    /// `None` until something is written.
    value: Option<Operand>,
}

/// An inline assembly under translation.
struct Assembly {
    constraints: Vec<Constraint>,
    /// For each operand of the text that is a register, its content; for memory, the address.
    registers: Vec<Register>,
    flags: Flags,
}

impl<'m> Builder<'_, 'm> {
    /// Translates the assembly that `call` calls, if its meaning is known; says whether it did.
    pub(super) fn known_assembly(&mut self, call: Value<'m>) -> Translated<bool> {
        let (text, constraints) = call.callee().assembly();
        let syntax = if call.callee().is_intel_assembly() { Syntax::Intel } else { Syntax::Att };
        let text = text::without_comments(&text);
        if text.trim().is_empty() {
            return self.empty_assembly(call, &constraints);
        }
        let mark = self.mark();
        let understood = self.assembly(call, (&text, syntax), &constraints)?.is_some();
        if !understood {
            self.rewind(&mark);
        }
        Ok(understood)
    }

    /// Nothing happens: outputs are the inputs tied to them, of any type, in registers or in memory.
    fn empty_assembly(&mut self, call: Value<'m>, constraints: &str) -> Translated<bool> {
        let Some(constraints) = constraints::parse(constraints) else { return Ok(false) };
        let shape = self.source.shape(call.type_of())?;
        let (mut at, arguments) = (0, call.arguments());
        let results = constraints.iter().filter(|constraint| constraint.place == Place::Output).count();
        let mut copies = Vec::new();
        for (number, _) in constraints.iter().enumerate().filter(|(_, c)| c.place == Place::Output) {
            let tied = constraints.iter().find(|constraint| constraint.tied == Some(number));
            let Some(&argument) = tied.and_then(|tied| arguments.get(tied.argument?)) else {
                return Ok(false);
            };
            let given = self.source.shape(argument.type_of())?.widths();
            let wanted = shape.widths();
            let end = at + given.len();
            if wanted.get(at..end) != Some(&given[..]) {
                return Ok(false);
            }
            copies.push((at as u32, argument, given.len() as u32));
            at = end;
        }
        let mut stores = Vec::new();
        for constraint in &constraints {
            let Some(memory) = constraint.tied.map(|tied| &constraints[tied]) else { continue };
            if let (Place::Memory, Some(pointer), Some(value)) =
                (memory.place, memory.argument, constraint.argument)
            {
                let bits = call.element_type(pointer as u32).and_then(|of| scalar_bits(of).ok());
                let given = scalar_bits(arguments[value].type_of()).ok();
                match (bits, given) {
                    (Some(bits @ (8 | 16 | 32 | 64)), Some(given))
                        if memory.may_be_register && bits <= given && given <= 64 =>
                    {
                        stores.push((bits, given, arguments[pointer], arguments[value]));
                    }
                    _ => return Ok(false),
                }
            }
        }
        if results > 0 {
            let dst = self.result(call)?;
            for (at, argument, count) in copies {
                let src = self.operand(argument)?;
                self.copy(dst + at, src, count);
            }
        }
        for (bits, given, pointer, value) in stores {
            let (address, value) = (self.operand(pointer)?, self.operand(value)?);
            let value = self.resized(value, given, bits);
            let bits = bits as u8;
            self.emit(Inst::Store { bits, volatile: false, align_log2: 0, address, value });
        }
        Ok(true)
    }

    /// Translates a text that is not empty; `None` if it is not understood.
    fn assembly(
        &mut self,
        call: Value<'m>,
        (text, syntax): (&str, Syntax),
        constraints: &str,
    ) -> Translated<Option<()>> {
        let Some(mut constraints) = constraints::parse(constraints) else { return Ok(None) };
        let Some(mut instructions) = text::parse(text, syntax) else { return Ok(None) };
        special::use_kept_register(&mut instructions, &mut constraints);
        special::use_saved_register(&mut instructions, &mut constraints);
        let Some(mut assembly) = self.prepare(call, constraints)? else { return Ok(None) };
        let mut rest = &instructions[..];
        while let [instruction, after @ ..] = rest {
            rest = match instruction.name.as_str() {
                LABEL => match self.update_loop(&mut assembly, rest) {
                    Some(after) => after,
                    None => return Ok(None),
                },
                _ if self.machine_instruction(&mut assembly, instruction).is_some() => after,
                _ => return Ok(None),
            };
        }
        self.hand_over(call, &assembly)
    }

    /// Reads the operands.
    fn prepare(&mut self, call: Value<'m>, constraints: Vec<Constraint>) -> Translated<Option<Assembly>> {
        let arguments = call.arguments();
        let mut registers = Vec::new();
        let results = result_widths(call)?;
        let mut result = 0;
        for constraint in &constraints {
            let argument = constraint.argument.and_then(|index| arguments.get(index).copied());
            let register = match (constraint.place, argument) {
                (Place::Output, _) => {
                    let Some(&bits) = results.get(result) else { return Ok(None) };
                    result += 1;
                    Register { bits, value: None }
                }
                (Place::Scratch, _) => Register { bits: 64, value: None },
                (_, None) => return Ok(None),
                (Place::Memory, Some(argument)) => {
                    Register { bits: 64, value: Some(self.operand(argument)?) }
                }
                (Place::Input, Some(argument)) => {
                    let Ok(bits) = scalar_bits(argument.type_of()) else { return Ok(None) };
                    if bits > 64 {
                        return Ok(None);
                    }
                    Register { bits, value: Some(self.operand(argument)?) }
                }
            };
            registers.push(register);
        }
        for (number, constraint) in constraints.iter().enumerate() {
            let is_same =
                |other: &Constraint| other.place == Place::Output && other.register == constraint.register;
            let shared = match (constraint.place, &constraint.register) {
                (Place::Input, Some(_)) => constraints.iter().position(is_same),
                _ => constraint.tied,
            };
            if let Some(output) = shared {
                if constraints[output].place == Place::Memory
                    || registers[output].bits != registers[number].bits
                {
                    return Ok(None);
                }
                registers[output].value = registers[number].value;
            }
        }
        for (constraint, register) in constraints.iter().zip(&mut registers) {
            // What rustc calls the result is half a register, where the program throws it away.
            if constraint.place == Place::Output && constraint.register.is_some() && register.value.is_none()
            {
                register.bits = register.bits.max(64);
            }
        }
        Ok(Some(Assembly { constraints, registers, flags: Flags::default() }))
    }

    /// Gives the outputs to the call's result.
    fn hand_over(&mut self, call: Value<'m>, assembly: &Assembly) -> Translated<Option<()>> {
        let mut found = Vec::new();
        let outputs = assembly.constraints.iter().zip(&assembly.registers);
        let outputs = outputs.filter(|(constraint, _)| constraint.place == Place::Output);
        for ((constraint, register), bits) in outputs.zip(result_widths(call)?) {
            let value = match &constraint.condition {
                Some(condition) => self.condition(&assembly.flags, condition),
                None => register.value.map(|value| self.resized(value, register.bits, bits)),
            };
            let Some(value) = value else { return Ok(None) };
            found.push(value);
        }
        if !found.is_empty() {
            let dst = self.result(call)?;
            for (slot, value) in found.into_iter().enumerate() {
                self.copy(dst + slot as u32, value, 1);
            }
        }
        Ok(Some(()))
    }

    fn assembly_fence(&mut self, ordering: AtomicOrdering) {
        self.extended(Extended::Fence { ordering, single_thread: false });
    }
}

/// Widths of the registers that make up a call's result; empty if one takes several slots.
fn result_widths(call: Value<'_>) -> Translated<Vec<u32>> {
    let of = call.type_of();
    let fields = match of.kind() {
        TypeKind::LLVMVoidTypeKind => Vec::new(),
        TypeKind::LLVMStructTypeKind => (0..of.length() as u32).map(|index| of.field(index)).collect(),
        _ => vec![of],
    };
    let mut widths = Vec::new();
    for field in fields {
        match scalar_bits(field) {
            Ok(bits @ 1..=64) => widths.push(bits),
            _ => return Ok(Vec::new()),
        }
    }
    Ok(widths)
}
