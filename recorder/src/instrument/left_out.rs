//! Functions that the interpreter answers without running them, whatever the program does: recorded runs
//! leave them out as well. What they do depends on addresses, and so would the recorded paths.

use crate::module::{Module, name_of};
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use symx_ir::known_functions::rust_names::{STACK_OVERFLOW_HANDLER, library_path};

/// Whether a function is one of them.
pub(super) fn is_left_out(function: LLVMValueRef) -> bool {
    let path = library_path(&name_of(function));
    path.is_some_and(|path| STACK_OVERFLOW_HANDLER.contains(&path.as_str()))
}

/// Has a function return zero at once.
pub(super) fn leave_out(module: &Module, function: LLVMValueRef) {
    // SAFETY: a function with a body; its first block is no block's successor.
    unsafe {
        let first = LLVMGetEntryBasicBlock(function);
        let entry = LLVMInsertBasicBlockInContext(module.context, first, c"symx_left_out".as_ptr());
        let builder = LLVMCreateBuilderInContext(module.context);
        LLVMPositionBuilderAtEnd(builder, entry);
        let result = LLVMGetReturnType(LLVMGlobalGetValueType(function));
        match LLVMGetTypeKind(result) {
            LLVMTypeKind::LLVMVoidTypeKind => LLVMBuildRetVoid(builder),
            _ => LLVMBuildRet(builder, LLVMConstNull(result)),
        };
        LLVMDisposeBuilder(builder);
    }
}
