//! Calls. `tail` and `musttail` calls are ordinary ones here.

use super::Builder;
use super::memory::align_log2;
use crate::llvm::{Type, TypeKind, Value, ValueKind};
use crate::shape::Shape;
use crate::unsupported::{Translated, unsupported};
use symx_ir::function::{Argument, ArgumentClass, Passing};
use symx_ir::instruction::Extended;
use symx_ir::{CallSite, CallTarget, Constant, Inst, Operand};

/// Where an argument of type `of`, in all of `bits`, is passed.
pub(super) fn class(of: Type<'_>, bits: u32) -> ArgumentClass {
    match of.kind() {
        TypeKind::LLVMIntegerTypeKind | TypeKind::LLVMPointerTypeKind => ArgumentClass::Integer,
        TypeKind::LLVMX86_FP80TypeKind => ArgumentClass::Stack(16),
        TypeKind::LLVMVectorTypeKind if bits > 128 => ArgumentClass::Stack((bits / 8).next_power_of_two()),
        TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind => ArgumentClass::Stack(8),
        _ => ArgumentClass::Vector,
    }
}

impl<'m> Builder<'_, 'm> {
    /// A `call` or, with its two edges, an `invoke`.
    pub(super) fn call(&mut self, value: Value<'m>, invoke: Option<(u32, u32)>) -> Translated<()> {
        let callee = value.callee();
        let is_translated = if callee.is_intrinsic() {
            self.intrinsic(value)?;
            true
        } else if callee.kind() == ValueKind::LLVMInlineAsmValueKind {
            self.known_assembly(value)?
        } else {
            self.rust_lock(value)?
        };
        if is_translated {
            if let Some((normal, _)) = invoke {
                // Nothing that is translated can unwind.
                self.emit(Inst::Jump { edge: normal });
            }
            return Ok(());
        }
        if value.forwards_variable_arguments() {
            return unsupported("musttail with variable arguments");
        }
        let mut arguments = Vec::new();
        for (index, argument) in value.arguments().into_iter().enumerate() {
            arguments.push(self.argument(value, index as u32, argument)?);
        }
        let target = self.target(callee)?;
        self.call_site(value, target, arguments, invoke)
    }

    /// Emits a call whose result is that of `value`.
    fn call_site(
        &mut self,
        value: Value<'m>,
        target: CallTarget,
        arguments: Vec<Argument>,
        invoke: Option<(u32, u32)>,
    ) -> Translated<()> {
        let shape = self.source.shape(value.type_of())?;
        let returns = value.type_of().kind() != TypeKind::LLVMVoidTypeKind;
        let site = CallSite {
            target,
            arguments,
            dst: if returns { self.result(value)? } else { 0 },
            return_slots: shape.slots(),
            return_bits: shape.bits(),
            used: value.is_used(),
            invoke,
        };
        self.push_call(site);
        Ok(())
    }

    /// The address that the resolver of an indirect function answers. It is asked at every use:
    /// it always answers alike.
    pub(super) fn resolved(&mut self, function: Value<'m>) -> Translated<Operand> {
        let target = self.target(function.resolver())?;
        Ok(self.address_answered_by(target))
    }

    pub(super) fn push_call(&mut self, call: CallSite) {
        let site = self.out.calls.len() as u32;
        self.out.calls.push(call);
        self.emit(Inst::Call { site });
    }

    fn target(&mut self, callee: Value<'m>) -> Translated<CallTarget> {
        match callee.kind() {
            ValueKind::LLVMInlineAsmValueKind => {
                let (text, constraints) = callee.assembly();
                Ok(CallTarget::Assembly(Box::new(symx_ir::function::Assembly { text, constraints })))
            }
            ValueKind::LLVMGlobalIFuncValueKind
            | ValueKind::LLVMInstructionValueKind
            | ValueKind::LLVMArgumentValueKind
            | ValueKind::LLVMGlobalVariableValueKind => Ok(CallTarget::Pointer(self.operand(callee)?)),
            _ if callee.is_undefined() => Ok(CallTarget::Pointer(self.operand(callee)?)),
            _ => match self.source.address_constant(callee, 64)? {
                Constant::Address(symbol, 0) => Ok(CallTarget::Symbol(symbol)),
                _ => Ok(CallTarget::Pointer(self.operand(callee)?)),
            },
        }
    }

    /// A value that the program never gave.
    pub(super) fn undefined(&mut self, shape: &Shape) -> Operand {
        let first = self.fresh(shape.slots());
        for (dst, bits) in (first..).zip(shape.widths()) {
            self.extended(Extended::Undefined { bits, dst });
        }
        Operand::slot(first)
    }

    fn argument(&mut self, call: Value<'m>, index: u32, argument: Value<'m>) -> Translated<Argument> {
        let of = argument.type_of();
        if of.kind() == TypeKind::LLVMMetadataTypeKind {
            return unsupported("metadata as an argument");
        }
        let shape = self.source.shape(of)?;
        let class = class(of, shape.bits());
        let mut operand = match argument.is_undefined() {
            true => self.undefined(&shape),
            false => self.operand(argument)?,
        };
        let passing = match call.by_value(index) {
            None => Passing::Value,
            Some(pointee) => {
                let size = self.source.layout.allocated_size(pointee) as u32;
                let natural = u64::from(self.source.layout.alignment(pointee));
                let align = call.argument_alignment(index).unwrap_or(natural) as u32;
                let align_log2 = align_log2(align);
                operand = self.copy_of(operand, size, align_log2)?;
                Passing::Copy { size, align_log2 }
            }
        };
        Ok(Argument { operand, slots: shape.slots(), bits: shape.bits(), passing, class })
    }

    /// A copy of memory in an object of its own. Others may see or change the memory meanwhile, as that of
    /// `memcpy`.
    fn copy_of(&mut self, from: Operand, size: u32, align_log2: u8) -> Translated<Operand> {
        let to = self.unnamed_object(size, align_log2)?;
        let size = self.number(size.into());
        self.extended(Extended::MemoryCopy { overlap_allowed: false, to, from, size });
        Ok(to)
    }

    /// The address of the calling thread's control block.
    pub(super) fn thread_pointer(&mut self) -> Operand {
        let target = CallTarget::Symbol(self.source.library_function("__symx_tp"));
        self.address_answered_by(target)
    }

    /// The address that the function `target`, called without arguments, returns.
    fn address_answered_by(&mut self, target: CallTarget) -> Operand {
        let dst = self.fresh(1);
        self.push_call(CallSite {
            target,
            arguments: Vec::new(),
            dst,
            return_slots: 1,
            return_bits: 64,
            used: true,
            invoke: None,
        });
        Operand::slot(dst)
    }

    /// A call of the C library's function `name` for each lane of an intrinsic's vectors.
    pub(super) fn library_call(&mut self, value: Value<'m>, name: &str) -> Translated<()> {
        let symbol = self.source.library_function(name);
        let result = self.lanes(value.type_of())?;
        let dst = self.result(value)?;
        let mut inputs = value.arguments();
        // Of constrained intrinsics, the rounding mode and such.
        inputs.retain(|input| input.type_of().kind() != TypeKind::LLVMMetadataTypeKind);
        for lane in 0..result.count {
            let mut arguments = Vec::new();
            for &input in &inputs {
                let lanes = self.lanes(input.type_of())?;
                let at = if lanes.count == result.count { lane } else { 0 };
                arguments.push(Argument {
                    operand: self.operand(input)?.offset(at * lanes.width),
                    slots: lanes.width,
                    bits: crate::shape::scalar_bits(lanes.element)?,
                    passing: Passing::Value,
                    class: class(lanes.element, 0),
                });
            }
            self.push_call(CallSite {
                target: CallTarget::Symbol(symbol),
                arguments,
                dst: dst + lane * result.width,
                return_slots: result.width,
                return_bits: crate::shape::scalar_bits(result.element)?,
                used: true,
                invoke: None,
            });
        }
        Ok(())
    }
}
