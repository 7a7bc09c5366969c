//! Finding, or making, the place in the code that runs exactly when one edge is taken.

use crate::module::list;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

/// Returns the instruction before which code for an edge goes; `None` if the edge cannot be split.
///
/// `is_only_edge` says that no other edge leads to the target.
pub(crate) fn place_on_edge(
    context: LLVMContextRef,
    block: LLVMBasicBlockRef,
    successor: u32,
    is_only_edge: bool,
) -> Option<LLVMValueRef> {
    // SAFETY: the block is in a function and has a terminator, for the module passed the verifier.
    unsafe {
        let terminator = LLVMGetBasicBlockTerminator(block);
        let target = LLVMGetSuccessor(terminator, successor);
        if is_only_edge {
            return Some(first_place(target));
        }
        match LLVMGetInstructionOpcode(terminator) {
            LLVMOpcode::LLVMBr | LLVMOpcode::LLVMSwitch => {}
            LLVMOpcode::LLVMInvoke if successor == 0 => {}
            // The unwind edge must lead to a landing pad, the others to blocks whose address may be taken.
            _ => return None,
        }
        if LLVMGetNumSuccessors(terminator) == 1 {
            return Some(terminator);
        }
        let middle = LLVMInsertBasicBlockInContext(context, target, c"".as_ptr());
        let builder = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderAtEnd(builder, middle);
        let jump = LLVMBuildBr(builder, target);
        LLVMSetSuccessor(terminator, successor, middle);
        for phi in instructions(target) {
            if LLVMGetInstructionOpcode(phi) != LLVMOpcode::LLVMPHI {
                break;
            }
            redirect_one(builder, phi, block, middle);
        }
        LLVMDisposeBuilder(builder);
        Some(jump)
    }
}

/// The first instruction of a block before which code may be put.
pub(crate) fn first_place(block: LLVMBasicBlockRef) -> LLVMValueRef {
    let is_fixed = |instruction: &LLVMValueRef| {
        // SAFETY: an instruction of the block.
        let opcode = unsafe { LLVMGetInstructionOpcode(*instruction) };
        matches!(opcode, LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMLandingPad)
    };
    instructions(block).into_iter().find(|i| !is_fixed(i)).expect("a block has a terminator")
}

/// The place after the stack slots of a function, given its entry block. Code inserted before a slot would,
/// once it is inlined, leave the slot in a later block. The optimiser then takes it for one of unknown size,
/// keeps it in memory and addresses the frame by a register more.
pub(crate) fn after_slots(context: LLVMContextRef, entry: LLVMBasicBlockRef) -> LLVMValueRef {
    // SAFETY: instructions of the block; a slot's operand is its number of elements.
    let is_slot = |i: &LLVMValueRef| unsafe {
        LLVMGetInstructionOpcode(*i) == LLVMOpcode::LLVMAlloca && LLVMIsConstant(LLVMGetOperand(*i, 0)) != 0
    };
    let all = instructions(entry);
    let place = *all.iter().find(|i| !is_slot(i)).expect("a block has a terminator");
    // SAFETY: as above. Where a slot of constant size stands in the entry block makes no difference
    // before its first use.
    unsafe {
        let builder = LLVMCreateBuilderInContext(context);
        for &slot in all.iter().skip_while(|i| is_slot(i)).filter(|i| is_slot(i)) {
            LLVMInstructionRemoveFromParent(slot);
            LLVMPositionBuilderBefore(builder, place);
            LLVMInsertIntoBuilder(builder, slot);
        }
        LLVMDisposeBuilder(builder);
    }
    place
}

/// The instructions of a block.
pub(crate) fn instructions(block: LLVMBasicBlockRef) -> Vec<LLVMValueRef> {
    // SAFETY: the list is not changed while it is walked.
    unsafe { list(LLVMGetFirstInstruction(block), |i| LLVMGetNextInstruction(i)) }
}

/// Replaces a phi by one in which one entry for block `from` (parallel edges have several, all
/// alike) is for `to`.
unsafe fn redirect_one(
    builder: LLVMBuilderRef,
    phi: LLVMValueRef,
    from: LLVMBasicBlockRef,
    to: LLVMBasicBlockRef,
) {
    // SAFETY: the new phi stands before the old one and takes over all its uses.
    unsafe {
        let entries = 0..LLVMCountIncoming(phi);
        let mut values: Vec<_> = entries.clone().map(|i| LLVMGetIncomingValue(phi, i)).collect();
        let mut blocks: Vec<_> = entries.map(|i| LLVMGetIncomingBlock(phi, i)).collect();
        if let Some(entry) = blocks.iter_mut().find(|block| **block == from) {
            *entry = to;
        }
        LLVMPositionBuilderBefore(builder, phi);
        let kind = LLVMTypeOf(phi);
        debug_assert!(LLVMGetTypeKind(kind) != LLVMTypeKind::LLVMVoidTypeKind);
        let new = LLVMBuildPhi(builder, kind, c"".as_ptr());
        LLVMAddIncoming(new, values.as_mut_ptr(), blocks.as_mut_ptr(), values.len() as u32);
        // A phi may be its own input; that use is replaced with the others.
        LLVMReplaceAllUsesWith(phi, new);
        LLVMInstructionEraseFromParent(phi);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::module::Module;

    #[test]
    fn slots_stay_before_what_is_inserted() {
        let text = "define i32 @f(i32 %n) {\n  %a = alloca i32\n  store i32 %n, ptr %a\n  %b = alloca [4 x i32]\n  \
            %c = alloca i32, i32 %n\n  store i32 0, ptr %b\n  store i32 0, ptr %c\n  %v = load i32, ptr %a\n  ret i32 %v\n}\n";
        let module = Module::parse(text.as_bytes()).unwrap();
        let function = module.function("f").unwrap();
        // SAFETY: the function has a body.
        let entry = unsafe { LLVMGetEntryBasicBlock(function) };
        let place = after_slots(module.context, entry);
        // SAFETY: instructions of the block.
        let opcode = |i: LLVMValueRef| unsafe { LLVMGetInstructionOpcode(i) };
        let all = instructions(entry);
        // A slot of computed size stays where it is.
        let expected =
            [LLVMOpcode::LLVMAlloca, LLVMOpcode::LLVMAlloca, LLVMOpcode::LLVMStore, LLVMOpcode::LLVMAlloca];
        assert_eq!(all.iter().take(4).map(|&i| opcode(i)).collect::<Vec<_>>(), expected);
        assert_eq!(place, all[2]);
        module.verify().unwrap();
    }
}
