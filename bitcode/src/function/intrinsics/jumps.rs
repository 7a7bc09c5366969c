//! `__builtin_setjmp` and `__builtin_longjmp`: the C library's, through a buffer that the program may copy.

use super::Builder;
use crate::llvm::Value;
use crate::unsupported::Translated;
use symx_ir::function::{Argument, ArgumentClass, Passing};
use symx_ir::{CallSite, CallTarget, Inst, Operand};

/// Byte offset in the buffer of the word that on a machine holds where to go on. Here it names the buffer
/// that was given to `setjmp`, so that a copy leads to the same point.
const POINT: i64 = 8;

impl<'m> Builder<'_, 'm> {
    pub(super) fn save_point(&mut self, call: Value<'m>) -> Translated<()> {
        let buffer = self.operand(call.operand(0))?;
        let address = self.add(buffer, POINT);
        self.emit(Inst::Store { bits: 64, volatile: false, align_log2: 3, address, value: buffer });
        self.library_call(call, "setjmp")
    }

    pub(super) fn jump_back(&mut self, call: Value<'m>) -> Translated<()> {
        let buffer = self.operand(call.operand(0))?;
        let (address, point, one) = (self.add(buffer, POINT), self.fresh(1), self.number(1));
        self.emit(Inst::Load { bits: 64, volatile: false, align_log2: 3, dst: point, address });
        let (passing, class) = (Passing::Value, ArgumentClass::Integer);
        let argument = |operand, bits| Argument { operand, slots: 1, bits, passing, class };
        self.push_call(CallSite {
            target: CallTarget::Symbol(self.source.library_function("longjmp")),
            arguments: vec![argument(Operand::slot(point), 64), argument(one, 32)],
            dst: 0,
            return_slots: 0,
            return_bits: 0,
            used: false,
            invoke: None,
        });
        Ok(())
    }
}
