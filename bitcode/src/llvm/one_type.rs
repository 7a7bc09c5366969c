//! Stack variables that are read and written as a whole, but as several types.
//!
//! Clang loads an atomic pointer as an integer, stores it to a temporary, and loads the pointer from there.
//! Promotion leaves such a variable in memory. It takes the variable if all accesses are of one type.

use super::{DataLayout, Opcode, Type, TypeKind, Value};
use llvm_sys::LLVMAtomicOrdering;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::LLVMIntPtrTypeInContext;

/// Gives all accesses to such variables of a function the type that the variable has.
pub(super) fn unify_accesses<'m>(function: Value<'m>, layout: DataLayout<'m>) {
    let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    let variables: Vec<Value<'m>> =
        instructions.filter(|variable| is_of_several_types(*variable, layout)).collect();
    if variables.is_empty() {
        return;
    }
    let parent = call!(LLVMGetGlobalParent(function.raw()));
    let builder = call!(LLVMCreateBuilderInContext(LLVMGetModuleContext(parent)));
    let number = Type::new(call!(LLVMIntPtrTypeInContext(LLVMGetModuleContext(parent), layout.0)));
    let casts = Casts { builder, number };
    for variable in variables {
        for access in variable.users() {
            casts.access_as(access, variable.allocated_type());
        }
    }
    call!(LLVMDisposeBuilder(builder));
}

/// Whether an instruction makes a variable that is accessed as a whole only, and as another type somewhere.
fn is_of_several_types<'m>(variable: Value<'m>, layout: DataLayout<'m>) -> bool {
    if variable.opcode() != Opcode::LLVMAlloca {
        return false;
    }
    let (whole, count) = (variable.allocated_type(), variable.operand(0));
    let Some(bits) = width(whole, layout) else { return false };
    let mut is_mixed = false;
    let mut is_whole = |access: Value<'m>, value: Type<'m>| {
        is_mixed |= value != whole;
        !access.is_volatile()
            && (value == whole
                || access.ordering() == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
                    && width(value, layout) == Some(bits))
    };
    let users = variable.users();
    let is_promotable = users.into_iter().all(|user| match user.opcode() {
        Opcode::LLVMLoad => is_whole(user, user.type_of()),
        Opcode::LLVMStore => user.operand(0) != variable && is_whole(user, user.operand(0).type_of()),
        Opcode::LLVMCall => user.callee().name().starts_with("llvm.lifetime."),
        _ => false,
    });
    is_promotable && is_mixed && is_one(count)
}

/// Whether a constant is the number one.
fn is_one(count: Value<'_>) -> bool {
    count.kind() == super::ValueKind::LLVMConstantIntValueKind && count.low_bits() == 1
}

/// The bits of a type that has no others in memory, and that a cast turns into a number.
fn width<'m>(of: Type<'m>, layout: DataLayout<'m>) -> Option<u64> {
    let stored = 8 * layout.store_size(of);
    let has_all = match of.kind() {
        TypeKind::LLVMIntegerTypeKind => u64::from(of.integer_bits()) == stored,
        TypeKind::LLVMPointerTypeKind => stored == 8 * u64::from(layout.pointer_size()),
        TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind => true,
        _ => false,
    };
    has_all.then_some(stored)
}

/// Inserts casts.
struct Casts<'m> {
    builder: LLVMBuilderRef,
    /// Integers of a pointer's size.
    number: Type<'m>,
}

impl<'m> Casts<'m> {
    /// Makes a load or store one of type `whole`.
    fn access_as(&self, access: Value<'m>, whole: Type<'m>) {
        call!(LLVMPositionBuilderBefore(self.builder, access.raw()));
        if access.opcode() == Opcode::LLVMStore && access.operand(0).type_of() != whole {
            let stored = self.cast(access.operand(0).raw(), access.operand(0).type_of(), whole);
            call!(LLVMSetOperand(access.raw(), 0, stored));
        } else if access.opcode() == Opcode::LLVMLoad && access.type_of() != whole {
            let variable = access.operand(0).raw();
            let loaded = call!(LLVMBuildLoad2(self.builder, whole.0, variable, c"".as_ptr()));
            let replacement = self.cast(loaded, whole, access.type_of());
            call!(LLVMReplaceAllUsesWith(access.raw(), replacement));
            call!(LLVMInstructionEraseFromParent(access.raw()));
        }
    }

    /// The same bits as another type of as many.
    fn cast(&self, value: LLVMValueRef, from: Type<'m>, to: Type<'m>) -> LLVMValueRef {
        if from == to {
            return value;
        }
        let is_pointer = |of: Type<'m>| of.kind() == TypeKind::LLVMPointerTypeKind;
        let is_number = |of: Type<'m>| of.kind() == TypeKind::LLVMIntegerTypeKind;
        let (builder, name) = (self.builder, c"".as_ptr());
        match (is_pointer(from), is_pointer(to)) {
            (false, false) => call!(LLVMBuildBitCast(builder, value, to.0, name)),
            (true, false) if is_number(to) => call!(LLVMBuildPtrToInt(builder, value, to.0, name)),
            (false, true) if is_number(from) => call!(LLVMBuildIntToPtr(builder, value, to.0, name)),
            _ => {
                let value = self.cast(value, from, self.number);
                self.cast(value, self.number, to)
            }
        }
    }
}
