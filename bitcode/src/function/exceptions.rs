//! Where exceptions land and how they go on.
//!
//! The tables that a compiler would make of landing pads do not exist here: the clauses
//! travel with the instruction.

use super::Builder;
use crate::llvm::{TypeKind, Value};
use crate::unsupported::{Translated, unsupported};
use symx_ir::function::{Argument, ArgumentClass, Passing};
use symx_ir::instruction::{Clause, Extended};
use symx_ir::known_functions::RESUME;
use symx_ir::{CallSite, CallTarget, Inst};

impl<'m> Builder<'_, 'm> {
    pub(super) fn landing_pad(&mut self, value: Value<'m>) -> Translated<()> {
        let dst = self.result(value)?;
        if self.source.shape(value.type_of())?.slots() != 2 {
            return unsupported(format!("a landing pad of type {}", value.type_of().print()));
        }
        let clauses =
            value.clauses().into_iter().map(|clause| self.clause(clause)).collect::<Translated<_>>()?;
        self.extended(Extended::LandingPad { dst, clauses, cleanup: value.is_cleanup() });
        Ok(())
    }

    /// A filter is distinguished from a type to catch by being an array.
    fn clause(&mut self, clause: Value<'m>) -> Translated<Clause> {
        let of = clause.type_of();
        if of.kind() != TypeKind::LLVMArrayTypeKind {
            return Ok(Clause::Catch(self.operand(clause)?));
        }
        let types = (0..of.length() as u32).map(|index| match clause.element(index) {
            Some(element) => self.operand(element),
            None => unsupported(format!("the filter {}", clause.print())),
        });
        Ok(Clause::Filter(types.collect::<Translated<_>>()?))
    }

    /// `resume` is a call of the unwinder with the exception, as it is in machine code.
    pub(super) fn resume(&mut self, value: Value<'m>) -> Translated<()> {
        let operand = self.operand(value.operand(0))?;
        let symbol = self.source.library_function(RESUME);
        let (passing, class) = (Passing::Value, ArgumentClass::Integer);
        let exception = Argument { operand, slots: 1, bits: 64, passing, class };
        self.push_call(CallSite {
            target: CallTarget::Symbol(symbol),
            arguments: vec![exception],
            dst: 0,
            return_slots: 0,
            return_bits: 0,
            used: false,
            invoke: None,
        });
        self.emit(Inst::Unreachable);
        Ok(())
    }

    /// `llvm.eh.typeid.for`.
    pub(super) fn type_selector(&mut self, call: Value<'m>) -> Translated<()> {
        let (dst, of) = (self.result(call)?, self.operand(call.operand(0))?);
        self.extended(Extended::TypeSelector { dst, of });
        Ok(())
    }
}
