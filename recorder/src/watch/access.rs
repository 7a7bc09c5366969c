//! The accesses to memory that an instruction makes, as far as native code knows their addresses.

use super::WatchedKind;
use crate::module::{Module, name_of};
use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMGetModuleDataLayout, LLVMStoreSizeOfType};
use symx_ir::known_functions::ends_life;

/// An access.
pub(super) struct Access {
    pub(super) kind: WatchedKind,
    /// Whether it is atomic.
    pub(super) atomic: bool,
    /// A pointer of the default address space.
    pub(super) address: LLVMValueRef,
    pub(super) extent: Extent,
}

/// How many bytes it touches.
pub(super) enum Extent {
    /// As many.
    Bytes(u64),
    /// As many as an integer of the program says.
    Value(LLVMValueRef),
    /// All of the object on the heap.
    Whole,
}

/// The accesses of an instruction.
pub(super) fn accesses(module: &Module, instruction: LLVMValueRef) -> Vec<Access> {
    // SAFETY: an instruction of the module, whose opcode says which operands it has.
    let found = unsafe {
        let operand = |number| LLVMGetOperand(instruction, number);
        let bytes = |kind| {
            let layout = LLVMGetModuleDataLayout(module.module);
            Extent::Bytes(LLVMStoreSizeOfType(layout, kind))
        };
        let atomic = LLVMIsAtomic(instruction) != 0;
        let one = |kind, address, extent| vec![Access { kind, atomic, address, extent }];
        match LLVMGetInstructionOpcode(instruction) {
            LLVMOpcode::LLVMLoad => one(WatchedKind::Read, operand(0), bytes(LLVMTypeOf(instruction))),
            LLVMOpcode::LLVMStore => one(WatchedKind::Write, operand(1), bytes(LLVMTypeOf(operand(0)))),
            LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg => {
                one(WatchedKind::Write, operand(0), bytes(LLVMTypeOf(operand(1))))
            }
            LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke => of_call(instruction),
            _ => Vec::new(),
        }
    };
    // SAFETY: pointers, as the operands of those instructions are.
    let is_default = |access: &Access| unsafe { LLVMGetPointerAddressSpace(LLVMTypeOf(access.address)) } == 0;
    found.into_iter().filter(is_default).collect()
}

/// The accesses of a call: of LLVM's own functions that touch memory, and of those of the C library whose
/// arguments say all.
unsafe fn of_call(call: LLVMValueRef) -> Vec<Access> {
    // SAFETY: the caller has a call; operands are asked for as far as their function has them.
    unsafe {
        let callee = LLVMIsAFunction(LLVMGetCalledValue(call));
        if callee.is_null() {
            return Vec::new();
        }
        let (name, count) = (name_of(callee), LLVMGetNumArgOperands(call));
        let argument = |number| LLVMGetOperand(call, number);
        let access = |kind, address, extent| Access { kind, atomic: false, address, extent };
        let is_declared = LLVMCountBasicBlocks(callee) == 0;
        let is = |plain: &str, own: &str| name.starts_with(own) || is_declared && name == plain;
        if count >= 3 && (is("memcpy", "llvm.memcpy.") || is("memmove", "llvm.memmove.")) {
            return vec![
                access(WatchedKind::Read, argument(1), Extent::Value(argument(2))),
                access(WatchedKind::Write, argument(0), Extent::Value(argument(2))),
            ];
        }
        if count >= 3 && is("memset", "llvm.memset.") {
            return vec![access(WatchedKind::Write, argument(0), Extent::Value(argument(2)))];
        }
        if count >= 1 && is_declared && ends_life(&name) {
            return vec![access(WatchedKind::End, argument(0), Extent::Whole)];
        }
        Vec::new()
    }
}
