//! Functions whose way depends on the alignment of what they are given: recorded runs do not log them, since
//! an interpreter has other addresses.

use crate::module::{list, name_of};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use std::collections::HashMap;
use symx_ir::known_functions::rust_names::goes_by_alignment;

/// The place of the symbol's name among the operands of a subprogram, and of the outer scope among those of a
/// scope.
const LINKAGE_NAME: usize = 3;
const OUTER: usize = 1;

/// Subprograms met so far, each with whether it is such a function.
#[derive(Default)]
pub(super) struct ByAlignment(HashMap<LLVMMetadataRef, bool>);

impl ByAlignment {
    /// Whether a function is one of them, or decides by one that was inlined into it. The loader asks the
    /// same of the same functions.
    pub(super) fn is_one(&mut self, function: LLVMValueRef) -> bool {
        if goes_by_alignment(&name_of(function)) {
            return true;
        }
        // SAFETY: the blocks of a function that has a body. Each ends with a terminator.
        let terminators = unsafe {
            let blocks = list(LLVMGetFirstBasicBlock(function), |block| LLVMGetNextBasicBlock(block));
            blocks.into_iter().map(|block| LLVMGetBasicBlockTerminator(block)).collect::<Vec<_>>()
        };
        terminators.into_iter().any(|terminator| self.decides(terminator))
    }

    fn decides(&mut self, terminator: LLVMValueRef) -> bool {
        // SAFETY: a terminator of a function, its location, and those that this was inlined to. The loader's
        // check has found no cycle.
        unsafe {
            if LLVMGetNumSuccessors(terminator) < 2 {
                return false;
            }
            let context = LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(
                LLVMGetInstructionParent(terminator),
            )));
            let mut location = LLVMInstructionGetDebugLoc(terminator);
            while !location.is_null() {
                if self.is_within_one(context, LLVMDILocationGetScope(location)) {
                    return true;
                }
                location = LLVMDILocationGetInlinedAt(location);
            }
        }
        false
    }

    /// Whether a scope belongs to one of these functions.
    unsafe fn is_within_one(&mut self, context: LLVMContextRef, mut scope: LLVMMetadataRef) -> bool {
        // SAFETY: scopes of debug information of that context. A subprogram is the outermost within a
        // function.
        unsafe {
            while !scope.is_null() {
                if matches!(LLVMGetMetadataKind(scope), LLVMMetadataKind::LLVMDISubprogramMetadataKind) {
                    let is_one =
                        || operand(context, scope, LINKAGE_NAME).is_some_and(|name| is_named_so(name));
                    return *self.0.entry(scope).or_insert_with(is_one);
                }
                scope = operand(context, scope, OUTER)
                    .map_or(std::ptr::null_mut(), |outer| LLVMValueAsMetadata(outer));
            }
        }
        false
    }
}

/// An operand of a node.
unsafe fn operand(context: LLVMContextRef, node: LLVMMetadataRef, index: usize) -> Option<LLVMValueRef> {
    // SAFETY: a node of that context. LLVM writes as many operands as it says there are.
    let operands = unsafe {
        let value = LLVMMetadataAsValue(context, node);
        let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
        LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
        operands
    };
    operands.get(index).copied().filter(|operand| !operand.is_null())
}

/// Whether a metadata string is the symbol of one of these functions.
unsafe fn is_named_so(name: LLVMValueRef) -> bool {
    // SAFETY: a value of metadata, whose text has the length that LLVM says and is looked at here only.
    let text = unsafe {
        if LLVMIsAMDString(name).is_null() {
            return false;
        }
        let mut length = 0;
        let start = LLVMGetMDString(name, &mut length).cast::<u8>();
        std::slice::from_raw_parts(start, length as usize)
    };
    str::from_utf8(text).is_ok_and(goes_by_alignment)
}
