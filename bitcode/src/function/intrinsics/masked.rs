//! Loads and stores of some lanes of a vector: `llvm.masked.load` and `llvm.masked.store`.

use super::Builder;
use crate::llvm::Value;
use crate::shape::scalar_bits;
use crate::unsupported::Translated;
use symx_ir::instruction::Extended;

impl<'m> Builder<'_, 'm> {
    /// Translates a masked access; says whether `name` is one. Elements that are no whole bytes or that take
    /// several slots are left out.
    pub(super) fn masked_intrinsic(&mut self, call: Value<'m>, name: &str) -> Translated<bool> {
        let is_load = match name {
            "masked.load" => true,
            "masked.store" => false,
            _ => return Ok(false),
        };
        let of = if is_load { call.type_of() } else { call.operand(0).type_of() };
        let lanes = self.lanes(of)?;
        let bits = scalar_bits(lanes.element)?;
        if bits > 64 || bits % 8 != 0 {
            return Ok(false);
        }
        let (bits, first) = (bits as u8, self.operand(call.operand(0))?);
        let (second, third) = (self.operand(call.operand(1))?, self.operand(call.operand(2))?);
        self.extended(if is_load {
            let dst = self.result(call)?;
            Extended::MaskedLoad {
                bits,
                lanes: lanes.count,
                dst,
                address: first,
                mask: second,
                otherwise: third,
            }
        } else {
            Extended::MaskedStore { bits, lanes: lanes.count, value: first, address: second, mask: third }
        });
        Ok(true)
    }
}
