//! Intrinsics with two results whose library functions return the second one, or both, through pointers.

use super::Builder;
use crate::function::calls::class;
use crate::function::memory::align_log2;
use crate::llvm::{TypeKind, Value};
use crate::shape::{scalar_bits, slots};
use crate::unsupported::{Translated, unsupported};
use symx_ir::function::{Argument, ArgumentClass, Passing};
use symx_ir::instruction::{Extended, Piece};
use symx_ir::{CallSite, CallTarget, Inst, Operand, Slot};

impl<'m> Builder<'_, 'm> {
    /// Calls `function` for the scalar intrinsic `call`. Of the result's fields, the first is what the
    /// function returns if `returns_first`; the others it writes through pointers.
    pub(super) fn pointer_results(
        &mut self,
        call: Value<'m>,
        function: &str,
        returns_first: bool,
    ) -> Translated<()> {
        let (input, of) = (call.operand(0), call.type_of());
        if input.type_of().kind() == TypeKind::LLVMVectorTypeKind {
            return unsupported(call.callee().name());
        }
        let (dst, operand) = (self.result(call)?, self.operand(input)?);
        let bits = scalar_bits(input.type_of())?;
        let argument =
            |operand, slots, bits, class| Argument { operand, slots, bits, passing: Passing::Value, class };
        let mut arguments = vec![argument(operand, slots(bits), bits, class(input.type_of(), bits))];
        let token = self.fresh(1);
        self.extended(Extended::StackSave { dst: token });
        let mut written: Vec<(Slot, u32, Operand)> = Vec::new();
        let mut at = dst;
        for index in 0..of.length() as u32 {
            let field = of.field(index);
            let width = scalar_bits(field)?;
            if index > 0 || !returns_first {
                let size = self.source.layout.allocated_size(field) as u32;
                let place = self.unnamed_object(size, align_log2(size))?;
                arguments.push(argument(place, 1, 64, ArgumentClass::Integer));
                written.push((at, width, place));
            }
            at += slots(width);
        }
        self.push_call(CallSite {
            target: CallTarget::Symbol(self.source.library_function(function)),
            arguments,
            dst,
            return_slots: if returns_first { slots(bits) } else { 0 },
            return_bits: if returns_first { bits } else { 0 },
            used: true,
            invoke: None,
        });
        for (dst, bits, address) in written {
            if bits <= 64 {
                self.emit(Inst::Load { bits: bits as u8, volatile: false, align_log2: 0, dst, address });
                continue;
            }
            let pieces = vec![Piece { offset: 0, bits: 64 }, Piece { offset: 8, bits: (bits - 64) as u8 }];
            let (size, volatile) = (bits / 8, false);
            self.extended(Extended::LoadPieces { pieces, size, align_log2: 4, volatile, dst, address });
        }
        self.extended(Extended::StackRestore { token: Operand::slot(token) });
        Ok(())
    }
}
