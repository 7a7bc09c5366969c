//! The text of inline assembly, and other instructions in it.

use llvm_sys::LLVMInlineAsmDialect;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

/// An inline assembly.
pub(crate) struct Assembly {
    /// Its text.
    pub(crate) text: String,
    /// Whether that is in Intel's syntax.
    pub(crate) is_intel: bool,
}

/// The inline assembly that an instruction executes, if it does.
pub(crate) fn assembly_of(instruction: LLVMValueRef) -> Option<Assembly> {
    let assembly = called_assembly(instruction)?;
    // SAFETY: inline assembly; its text is copied.
    unsafe {
        let mut length = 0;
        let start = LLVMGetInlineAsmAsmString(assembly, &mut length).cast::<u8>();
        let text = String::from_utf8_lossy(std::slice::from_raw_parts(start, length)).into_owned();
        let dialect = LLVMGetInlineAsmDialect(assembly);
        Some(Assembly { text, is_intel: matches!(dialect, LLVMInlineAsmDialect::LLVMInlineAsmDialectIntel) })
    }
}

fn called_assembly(instruction: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: an instruction, and what it calls if it is a call.
    unsafe {
        if LLVMIsACallInst(instruction).is_null() && LLVMIsAInvokeInst(instruction).is_null() {
            return None;
        }
        let assembly = LLVMGetCalledValue(instruction);
        (!LLVMIsAInlineAsm(assembly).is_null()).then_some(assembly)
    }
}

/// Has an instruction execute another text, with the same operands.
pub(crate) fn replace_text(instruction: LLVMValueRef, text: &str) {
    let Some(assembly) = called_assembly(instruction) else { return };
    // SAFETY: of a call, the function called is the last operand. The new assembly is of the type of the one
    // before, and its texts are copied.
    unsafe {
        let mut length = 0;
        let constraints = LLVMGetInlineAsmConstraintString(assembly, &mut length);
        let replacement = LLVMGetInlineAsm(
            LLVMGetInlineAsmFunctionType(assembly),
            text.as_ptr().cast(),
            text.len(),
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

/// A text with others in place of an instruction without operands, by how many of it are before; `None` if it
/// has none.
pub(crate) fn replaced(text: &str, instruction: &str, by: impl Fn(usize) -> String) -> Option<String> {
    let is_of_word = |character: char| character.is_ascii_alphanumeric() || "_.$%".contains(character);
    let (mut found, mut count, mut rest) = (String::new(), 0, text);
    while let Some(at) = rest.find(instruction) {
        let (before, after) = (&rest[..at], &rest[at + instruction.len()..]);
        found.push_str(before);
        if before.ends_with(is_of_word) || after.starts_with(is_of_word) {
            found.push_str(instruction);
        } else {
            found.push_str(&by(count));
            count += 1;
        }
        rest = after;
    }
    found.push_str(rest);
    (count > 0).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn the_instruction_is_found_among_others() {
        let by = |count| format!("it{count}");
        let kept = replaced("xchg$(q$|$) rbx,${1:q}\n cpuid\n xchg", "cpuid", by);
        assert_eq!(kept.as_deref(), Some("xchg$(q$|$) rbx,${1:q}\n it0\n xchg"));
        assert_eq!(replaced("cpuid; cpuid", "cpuid", by).as_deref(), Some("it0; it1"));
        assert_eq!(replaced("call my_cpuid", "cpuid", by), None);
        assert_eq!(replaced("rdtscp", "rdtsc", by), None);
    }
}
