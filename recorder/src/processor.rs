//! The instrumented program finds the processor that the interpreter has, whatever it runs on.

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
    // SAFETY: an instruction. Of a call, the function called is the last operand. The new assembly is of the
    // type of the one before, and its texts are copied.
    unsafe {
        if LLVMIsACallInst(instruction).is_null() && LLVMIsAInvokeInst(instruction).is_null() {
            return;
        }
        let assembly = LLVMGetCalledValue(instruction);
        if LLVMIsAInlineAsm(assembly).is_null() {
            return;
        }
        let mut length = 0;
        let start = LLVMGetInlineAsmAsmString(assembly, &mut length).cast::<u8>();
        let text = String::from_utf8_lossy(std::slice::from_raw_parts(start, length)).into_owned();
        let Some(settled) = answered(&text) else { return };
        let constraints = LLVMGetInlineAsmConstraintString(assembly, &mut length);
        let replacement = LLVMGetInlineAsm(
            LLVMGetInlineAsmFunctionType(assembly),
            settled.as_ptr().cast(),
            settled.len(),
            constraints,
            length,
            LLVMGetInlineAsmHasSideEffects(assembly),
            LLVMGetInlineAsmNeedsAlignedStack(assembly),
            LLVMGetInlineAsmDialect(assembly),
            LLVMGetInlineAsmCanUnwind(assembly),
        );
        LLVMSetOperand(instruction, LLVMGetNumOperands(instruction) as u32 - 1, replacement);
    }
}

/// The assembly with answers in place of questions; `None` if it asks none.
fn answered(text: &str) -> Option<String> {
    let is_of_word = |character: char| character.is_ascii_alphanumeric() || "_.$%".contains(character);
    let mut settled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(QUESTION) {
        let (before, after) = (&rest[..at], &rest[at + QUESTION.len()..]);
        settled.push_str(before);
        let is_word = !before.ends_with(is_of_word) && !after.starts_with(is_of_word);
        settled.push_str(if is_word { &ANSWER } else { QUESTION });
        rest = after;
    }
    settled.push_str(rest);
    (settled != text).then_some(settled)
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

#[cfg(test)]
mod tests {
    use super::{ANSWER, answered};

    #[test]
    fn the_instruction_is_found_among_others() {
        let kept = answered("xchg$(q$|$) rbx,${1:q}\n cpuid\n xchg").expect("it is there");
        assert!(kept.starts_with("xchg$(q$|$) rbx,${1:q}\n .byte 0x89,") && kept.ends_with("\n xchg"));
        assert_eq!(answered("cpuid; cpuid"), Some(format!("{}; {}", *ANSWER, *ANSWER)));
        assert_eq!(answered("call my_cpuid"), None);
    }
}
