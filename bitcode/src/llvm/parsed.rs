//! A parsed module with the context that owns it.

use llvm_sys::core::*;
use llvm_sys::prelude::*;

/// A module and its context.
pub struct Parsed {
    pub(super) context: LLVMContextRef,
    pub(super) module: LLVMModuleRef,
    /// Errors LLVM reported through the context, which keeps this address; a leaked box,
    /// freed with the context.
    pub(super) reported: *mut Vec<String>,
}

impl Parsed {
    /// Views metadata as a value, which is how LLVM's C interface lets one look inside.
    pub(super) fn as_value(&self, metadata: LLVMMetadataRef) -> LLVMValueRef {
        call!(LLVMMetadataAsValue(self.context, metadata))
    }
}

impl Drop for Parsed {
    fn drop(&mut self) {
        // SAFETY: both are ours, nothing that borrows them is left, and the module goes before its context.
        unsafe {
            if !self.module.is_null() {
                LLVMDisposeModule(self.module);
            }
            LLVMContextDispose(self.context);
            drop(Box::from_raw(self.reported));
        }
    }
}
