//! Questions that an optimiser, a linker or the processor may answer either way are answered as the
//! interpreter does, so that a native run takes a way that the interpreter can.

use crate::module::{Module, list, name_of};
use crate::processor::settle_processor;
use llvm_sys::LLVMLinkage;
use llvm_sys::comdat::LLVMSetComdat;
use llvm_sys::core::*;

/// The intrinsic that asks whether a value is known when the program is compiled.
const IS_CONSTANT: &str = "llvm.is.constant.";

/// Settles all such questions.
pub(crate) fn settle(module: &Module) {
    settle_constants(module);
    settle_inline_functions(module);
    settle_processor(module);
}

/// No value is known when the program is compiled, but those that are written there.
fn settle_constants(module: &Module) {
    for function in
        module.functions().into_iter().filter(|&function| name_of(function).starts_with(IS_CONSTANT))
    {
        // SAFETY: an intrinsic of the module, whose users are calls. They stay, without a use.
        unsafe {
            let uses = list(LLVMGetFirstUse(function), |used| LLVMGetNextUse(used));
            for call in uses.into_iter().map(|used| LLVMGetUser(used)) {
                if LLVMIsConstant(LLVMGetOperand(call, 0)) == 0 {
                    LLVMReplaceAllUsesWith(call, LLVMConstNull(LLVMTypeOf(call)));
                }
            }
        }
    }
}

/// Inline functions are the program's alone. Else some calls of a library that has them, too, would lead into
/// the program's: those that its compiler has left.
fn settle_inline_functions(module: &Module) {
    // SAFETY: functions and aliases of the module, with a definition if their linkage is this.
    unsafe {
        let aliases = list(LLVMGetFirstGlobalAlias(module.module), |alias| LLVMGetNextGlobalAlias(alias));
        for value in module.functions().into_iter().chain(aliases) {
            if LLVMGetLinkage(value) != LLVMLinkage::LLVMLinkOnceODRLinkage {
                continue;
            }
            if !LLVMIsAFunction(value).is_null() {
                LLVMSetComdat(value, std::ptr::null_mut());
            }
            LLVMSetLinkage(value, LLVMLinkage::LLVMInternalLinkage);
        }
    }
}
