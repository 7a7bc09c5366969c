//! The locks of Rust's standard library, where their operations were inlined: what was an atomic access
//! becomes a call again, of a function that is modelled.

use super::Builder;
use crate::llvm::Value;
use crate::rust_locks::{Access, Form};
use crate::unsupported::{Translated, unsupported};
use symx_ir::function::{Argument, ArgumentClass, Passing};
use symx_ir::instruction::{CastOp, Predicate};
use symx_ir::{CallSite, CallTarget, Constant, Inst, Operand, Slot};

/// Bits of a lock's word.
const WORD: u32 = 32;

impl<'m> Builder<'_, 'm> {
    /// Emits a call in place of an access to the word of a lock. Whether the instruction is one.
    pub(super) fn rust_lock(&mut self, instruction: Value<'m>) -> Translated<bool> {
        let Some(access) = self.source.rust_locks.access(instruction, self.source.parsed) else {
            return Ok(false);
        };
        let mut operands = Vec::new();
        for index in 0..=access.form.operands() {
            operands.push(self.operand(instruction.operand(index))?);
        }
        self.check_rust_lock(access, instruction, &operands[1..])?;
        let dst = self.result(instruction)?;
        match access.form {
            Form::Load | Form::Update => self.call_rust_lock(access, &operands, dst),
            Form::Exchange => {
                self.call_rust_lock(access, &operands, dst);
                self.compare_lane(Predicate::Eq, WORD, dst + 1, Operand::slot(dst), operands[1]);
            }
            Form::ExchangeCall => {
                self.call_rust_lock(access, &operands, dst + 1);
                let is_other = self.fresh(1);
                self.compare_lane(Predicate::Ne, WORD, is_other, Operand::slot(dst + 1), operands[1]);
                let src = Operand::slot(is_other);
                self.emit(Inst::Cast { op: CastOp::ZExt, from: 1, to: WORD as u8, dst, src });
            }
        }
        Ok(true)
    }

    /// Refuses an access that is not what the library's source says.
    fn check_rust_lock(
        &self,
        access: Access,
        instruction: Value<'m>,
        operands: &[Operand],
    ) -> Translated<()> {
        let word = if access.form == Form::Load { instruction } else { instruction.operand(1) };
        let mut is_known = self.source.shape(word.type_of())?.bits() == WORD;
        if access.form != Form::Load {
            for (operand, value) in operands.iter().zip(access.operation.constants()) {
                let constant = operand.is_constant().then(|| &self.out.constants[operand.index()]);
                is_known &= constant == Some(&Constant::Bits(*value));
            }
        }
        match is_known {
            true => Ok(()),
            false => unsupported("an atomic access in the locks of Rust's standard library"),
        }
    }

    fn call_rust_lock(&mut self, access: Access, operands: &[Operand], dst: Slot) {
        let argument = |(operand, number): (&Operand, usize)| Argument {
            operand: *operand,
            slots: 1,
            bits: if number == 0 { 64 } else { WORD },
            passing: Passing::Value,
            class: ArgumentClass::Integer,
        };
        self.push_call(CallSite {
            target: CallTarget::Symbol(self.source.library_function(access.function)),
            arguments: operands.iter().zip(0..).map(argument).collect(),
            dst,
            return_slots: 1,
            return_bits: WORD,
            used: true,
            invoke: None,
        });
    }
}
