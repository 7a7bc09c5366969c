//! Attributes of functions and calls that do not hold once an access is watched.

use crate::edge::instructions;
use crate::module::list;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMOpcode};
use std::collections::{HashMap, HashSet};

/// The runtime has memory of its own, and a thread that is held back waits for others.
const BROKEN: [&str; 3] = ["memory", "speculatable", "nosync"];

/// Withdraws them from the functions that watch, from those that may call them, and from calls of all these.
/// Other code stays as the compiler would have it.
pub(super) fn withdraw(defined: &[LLVMValueRef], watched: &[LLVMValueRef]) {
    let mut calls_of: HashMap<LLVMValueRef, Vec<LLVMValueRef>> = HashMap::new();
    let mut callers: HashMap<LLVMValueRef, Vec<LLVMValueRef>> = HashMap::new();
    let mut indirect = Vec::new();
    for &function in defined {
        // SAFETY: a function with a body.
        let blocks = unsafe { list(LLVMGetFirstBasicBlock(function), |block| LLVMGetNextBasicBlock(block)) };
        for call in blocks.into_iter().flat_map(instructions).filter(|&instruction| is_call(instruction)) {
            // SAFETY: a call.
            let callee = unsafe { LLVMIsAFunction(LLVMGetCalledValue(call)) };
            if callee.is_null() {
                indirect.push((function, call));
                continue;
            }
            calls_of.entry(callee).or_default().push(call);
            callers.entry(callee).or_default().push(function);
        }
    }
    let mut open: Vec<LLVMValueRef> = watched.to_vec();
    // Any of them may be called through a pointer.
    open.extend(indirect.iter().map(|(function, _)| *function));
    let mut reached: HashSet<LLVMValueRef> = HashSet::new();
    while let Some(function) = open.pop() {
        if reached.insert(function) {
            open.extend(callers.get(&function).into_iter().flatten());
        }
    }
    let calls = reached.iter().filter_map(|function| calls_of.get(function)).flatten();
    for promise in BROKEN {
        // SAFETY: the name is valid for its length; functions and calls of the module.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(promise.as_ptr().cast(), promise.len());
            for &function in &reached {
                LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
            }
            for &call in calls.clone().chain(indirect.iter().map(|(_, call)| call)) {
                LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind);
            }
        }
    }
}

fn is_call(instruction: LLVMValueRef) -> bool {
    // SAFETY: an instruction.
    let opcode = unsafe { LLVMGetInstructionOpcode(instruction) };
    matches!(opcode, LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr)
}
