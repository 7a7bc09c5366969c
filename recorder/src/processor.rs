//! The instrumented program finds the processor that the interpreter has, whatever it runs on.

use crate::assembly::{Assembly, assembly_of, replace_text, replaced};
use crate::edge::instructions;
use crate::module::{Module, list};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ffi::CString;
use symx_ir::known_functions::processor::{FEATURES, IDENTITY, VARIABLES};

/// The instruction that asks the processor what it is.
const QUESTION: &str = "cpuid";

/// Puts what the interpreter answers in place of the questions what the processor is.
pub(crate) fn settle_processor(module: &Module) {
    for function in module.functions() {
        // SAFETY: the blocks of a function; they stay as they are.
        let blocks = unsafe { list(LLVMGetFirstBasicBlock(function), |block| LLVMGetNextBasicBlock(block)) };
        blocks.into_iter().flat_map(instructions).for_each(settle_assembly);
    }
    for (name, words) in VARIABLES {
        define(module, name, words);
    }
}

/// Replaces the question in an instruction's inline assembly, if it has one there.
fn settle_assembly(instruction: LLVMValueRef) {
    if let Some(Assembly { text, .. }) = assembly_of(instruction)
        && let Some(settled) = replaced(&text, QUESTION, |_| ANSWER.clone())
    {
        replace_text(instruction, &settled);
    }
}

/// What the instruction is replaced by: it sets the same four registers, and no flags either. It is written
/// as bytes, since the assembly around may be in either syntax.
static ANSWER: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
    let set = |answer: [u32; 4]| {
        // mov eax, ...; mov ebx, ...; mov edx, ...; mov ecx, ...
        let moves = [0xb8, 0xbb, 0xba, 0xb9].into_iter().zip(answer);
        moves
            .flat_map(|(opcode, value): (u8, u32)| [[opcode].to_vec(), value.to_le_bytes().to_vec()].concat())
    };
    const SET: u8 = 20;
    const JUMP: u8 = 2;
    const JUMP_IF_ZERO: u8 = 3;
    const SUBTRACT: u8 = 3;
    let mut code = vec![0x89, 0xc1]; // mov ecx, eax
    code.extend([0x67, 0xe3, SUBTRACT + JUMP_IF_ZERO + 2 * (SET + JUMP)]); // jecxz to leaf 0
    code.extend([0x8d, 0x48, 0xff]); // lea ecx, [rax - 1]
    code.extend([0x67, 0xe3, SET + JUMP]); // jecxz to leaf 1
    code.extend(set([0; 4]));
    code.extend([0xeb, 2 * SET + JUMP]); // jmp to the end
    code.extend(set(FEATURES));
    code.extend([0xeb, SET]); // jmp to the end
    code.extend(set(IDENTITY));
    let bytes: Vec<String> = code.iter().map(|byte| format!("{byte:#04x}")).collect();
    format!(".byte {}", bytes.join(","))
});

/// Puts a constant in place of a variable that another object defines, if the module reads it.
fn define(module: &Module, name: &str, words: [u32; 4]) {
    let name = CString::new(name).expect("a name without NUL");
    // SAFETY: a variable of the module, and another with an initialiser of its type. Both are pointers.
    unsafe {
        let variable = LLVMGetNamedGlobal(module.module, name.as_ptr());
        if variable.is_null() || LLVMIsDeclaration(variable) == 0 {
            return;
        }
        let word = LLVMInt32TypeInContext(module.context);
        let mut values = words.map(|value| LLVMConstInt(word, value.into(), 0));
        let array = LLVMConstArray2(word, values.as_mut_ptr(), values.len() as u64);
        let constant = LLVMAddGlobal(module.module, LLVMTypeOf(array), c"symx_recorder_processor".as_ptr());
        LLVMSetInitializer(constant, array);
        LLVMSetGlobalConstant(constant, 1);
        LLVMSetLinkage(constant, llvm_sys::LLVMLinkage::LLVMPrivateLinkage);
        LLVMReplaceAllUsesWith(variable, constant);
    }
}
