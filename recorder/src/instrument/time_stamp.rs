//! The processor's time stamp, where inline assembly reads it: the runtime reads and notes it before, and the
//! assembly takes that.

use crate::assembly::{Assembly, assembly_of, replace_text, replaced};
use crate::edge::instructions;
use crate::module::{Module, list};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::cell::Cell;

/// How many stamps one text may read: as many as `symx_recorder_stamps` has. Others are not recorded, nor are
/// those of texts that read them in both ways.
const MOST: usize = 4;

/// Has what inline assembly reads noted.
pub(super) fn note_time_stamps(module: &Module) {
    for function in module.functions() {
        // SAFETY: the blocks of a function; none is added.
        let blocks = unsafe { list(LLVMGetFirstBasicBlock(function), |block| LLVMGetNextBasicBlock(block)) };
        blocks.into_iter().flat_map(instructions).for_each(|instruction| note(module, instruction));
    }
}

fn note(module: &Module, instruction: LLVMValueRef) {
    let Some(Assembly { text, is_intel }) = assembly_of(instruction) else { return };
    let stamps = Cell::new(0);
    let of_plain = |number| {
        stamps.set(number + 1);
        taken(number, is_intel)
    };
    let zero = if is_intel { "mov ecx, 0" } else { "movl $$0, %ecx" };
    let with_processor = |number| format!("{}; {zero}", of_plain(number));
    let found = replaced(&text, "rdtsc", of_plain).xor(replaced(&text, "rdtscp", with_processor));
    let Some(text) = found.filter(|_| stamps.get() <= MOST) else { return };
    replace_text(instruction, &text);
    // SAFETY: a call of a function without results, before an instruction of the module.
    unsafe {
        let word = LLVMInt32TypeInContext(module.context);
        let kind = LLVMFunctionType(LLVMVoidTypeInContext(module.context), [word].as_mut_ptr(), 1, 0);
        let name = c"symx_recorder_time_stamp";
        let mut noting = LLVMGetNamedFunction(module.module, name.as_ptr());
        if noting.is_null() {
            noting = LLVMAddFunction(module.module, name.as_ptr(), kind);
        }
        let builder = LLVMCreateBuilderInContext(module.context);
        LLVMPositionBuilderBefore(builder, instruction);
        for number in 0..stamps.get() {
            let mut argument = LLVMConstInt(word, number as u64, 0);
            LLVMBuildCall2(builder, kind, noting, &mut argument, 1, c"".as_ptr());
        }
        LLVMDisposeBuilder(builder);
    }
}

/// Instructions that take a stamp noted before: they change the same registers, and no flags either.
fn taken(number: usize, is_intel: bool) -> String {
    let half = |offset: usize, register: &str| {
        let place = format!("symx_recorder_stamps@tpoff+{}", 8 * number + offset);
        match is_intel {
            true => format!("mov {register}, dword ptr fs:[{place}]"),
            false => format!("movl %fs:{place}, %{register}"),
        }
    };
    format!("{}; {}", half(0, "eax"), half(4, "edx"))
}
