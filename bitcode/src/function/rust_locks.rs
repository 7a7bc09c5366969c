//! The locks of Rust's standard library, where their operations were inlined: what was an atomic access
//! becomes a call again, of a function that is modelled.

use super::Builder;
use crate::llvm::{Opcode, Value};
use crate::rust_locks::operation;
use crate::unsupported::{Translated, unsupported};
use symx_ir::function::{Argument, ArgumentClass, Passing};
use symx_ir::instruction::{CastOp, Predicate};
use symx_ir::known_functions::rust_locks::RustLockOperation;
use symx_ir::{CallSite, CallTarget, Constant, Inst, Operand, Slot};

/// Bits of a lock's word.
const WORD: u32 = 32;

/// The word of a lock that is free, and of one that is held and not waited for.
const FREE: u64 = 0;
const HELD: u64 = 1;

impl<'m> Builder<'_, 'm> {
    /// Emits a call in place of an access to the word of a lock. Whether the instruction is one.
    pub(super) fn rust_lock(&mut self, access: Value<'m>) -> Translated<bool> {
        let known = self.source.rust_locks_are_known.then(|| operation(access, self.source.parsed));
        let Some(operation) = known.flatten() else { return Ok(false) };
        let expected: &[u64] = match operation {
            RustLockOperation::Lock | RustLockOperation::TryLock => &[FREE, HELD],
            RustLockOperation::Unlock => &[FREE],
        };
        let mut is_known = self.source.shape(access.operand(1).type_of())?.bits() == WORD;
        for (index, value) in (1..).zip(expected) {
            let operand = self.operand(access.operand(index))?;
            let constant = operand.is_constant().then(|| &self.out.constants[operand.index()]);
            is_known &= constant == Some(&Constant::Bits(*value));
        }
        if !is_known {
            return unsupported("an atomic access in the locks of Rust's standard library");
        }
        let address = self.operand(access.operand(0))?;
        let dst = self.result(access)?;
        match (operation, access.opcode()) {
            (RustLockOperation::Unlock, _) => self.call_rust_lock(operation, address, dst),
            // The word, and whether it was as expected.
            (_, Opcode::LLVMAtomicCmpXchg) => {
                self.call_rust_lock(operation, address, dst);
                let free = self.number(FREE);
                self.compare_lane(Predicate::Eq, WORD, dst + 1, Operand::slot(dst), free);
            }
            // Whether it was something else, and the word.
            _ => {
                self.call_rust_lock(operation, address, dst + 1);
                let (free, is_other) = (self.number(FREE), self.fresh(1));
                self.compare_lane(Predicate::Ne, WORD, is_other, Operand::slot(dst + 1), free);
                let src = Operand::slot(is_other);
                self.emit(Inst::Cast { op: CastOp::ZExt, from: 1, to: WORD as u8, dst, src });
            }
        }
        Ok(true)
    }

    fn call_rust_lock(&mut self, operation: RustLockOperation, address: Operand, dst: Slot) {
        let (passing, class) = (Passing::Value, ArgumentClass::Integer);
        self.push_call(CallSite {
            target: CallTarget::Symbol(self.source.library_function(operation.function())),
            arguments: vec![Argument { operand: address, slots: 1, bits: 64, passing, class }],
            fixed_arguments: 1,
            dst,
            return_slots: 1,
            return_bits: WORD,
            used: true,
            invoke: None,
        });
    }
}
