//! Inline assembly whose meaning is known: compiler barriers, fences, pauses, reads of control words.

use super::Builder;
use crate::llvm::{TypeKind, Value};
use crate::source::Translated;
use symx_ir::Inst;
use symx_ir::instruction::{AtomicOrdering, Extended};

/// What a text does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// Nothing that a program could notice, besides copying tied operands.
    Nothing,
    /// A fence.
    Fence(AtomicOrdering),
    /// Stores a control register, of so many bits and this value, where the operand points.
    ControlWord { bits: u8, value: u64 },
    /// Left to the interpreter.
    Other,
}

fn meaning(text: &str) -> Known {
    let plain: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match plain.trim_end_matches(';').trim() {
        "" | "pause" | "rep; nop" | "rep ; nop" | "rep;nop" | "rep nop" | "nop" => Known::Nothing,
        "mfence" => Known::Fence(AtomicOrdering::SequentiallyConsistent),
        // As the intrinsics of these instructions.
        "lfence" => Known::Fence(AtomicOrdering::Acquire),
        "sfence" => Known::Fence(AtomicOrdering::Release),
        // The values a process starts with. What would change them stays assembly, which does not run.
        "fnstcw $0" => Known::ControlWord { bits: 16, value: 0x37f },
        "stmxcsr $0" => Known::ControlWord { bits: 32, value: 0x1f80 },
        locked if is_locked_stack_write(locked) => Known::Fence(AtomicOrdering::SequentiallyConsistent),
        _ => Known::Other,
    }
}

/// `lock; addl $$0,0(%rsp)` and its like: adding or or-ing zero to the stack's top with a lock prefix is a fence.
fn is_locked_stack_write(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("lock") else { return false };
    let rest = rest.trim_start_matches([';', ' ']);
    let zero_added = ["addl", "addq", "orl", "orq"].iter().any(|operation| rest.starts_with(operation));
    let compact: String = rest.chars().filter(|character| !character.is_whitespace()).collect();
    zero_added
        && (compact.contains("$$0,") || compact.contains("$0,"))
        && (compact.ends_with("(%rsp)") || compact.ends_with("(%esp)"))
}

/// The input (by position) that the only output is tied to, when there is one output and one input.
fn identity_input(constraints: &str) -> Option<u32> {
    let operands: Vec<&str> = constraints.split(',').filter(|part| !part.starts_with('~')).collect();
    match operands[..] {
        [output, "0"] if output.starts_with('=') => Some(0),
        _ => None,
    }
}

impl<'m> Builder<'_, 'm> {
    /// Translates the assembly that `call` calls, if its meaning is known; says whether it did.
    pub(super) fn known_assembly(&mut self, call: Value<'m>) -> Translated<bool> {
        let (text, constraints) = call.callee().assembly();
        let meaning = meaning(&text);
        let returns = call.type_of().kind() != TypeKind::LLVMVoidTypeKind;
        match (meaning, returns) {
            (Known::Nothing, false) => Ok(true),
            (Known::Nothing, true) => {
                let Some(input) = identity_input(&constraints) else { return Ok(false) };
                let Some(&argument) = call.arguments().get(input as usize) else { return Ok(false) };
                let shape = self.source.shape(call.type_of())?;
                if self.source.shape(argument.type_of())?.widths() != shape.widths()
                    || !text.trim().is_empty()
                {
                    return Ok(false);
                }
                let (dst, src) = (self.result(call)?, self.operand(argument)?);
                self.copy(dst, src, shape.slots());
                Ok(true)
            }
            (Known::Fence(ordering), false) => {
                self.extended(Extended::Fence { ordering, single_thread: false });
                Ok(true)
            }
            (Known::ControlWord { bits, value }, false) if constraints.starts_with("=*m,") => {
                let Some(&pointer) = call.arguments().first() else { return Ok(false) };
                let (address, value) = (self.operand(pointer)?, self.number(value));
                self.emit(Inst::Store { bits, volatile: false, align_log2: 0, address, value });
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_texts() {
        for text in ["", "\tpause\n", "rep; nop", " rep ; nop;"] {
            assert_eq!(meaning(text), Known::Nothing, "{text:?}");
        }
        for text in ["mfence", "lock; addl $$0,0(%rsp)", "lock ; orl $$0, (%rsp)", "lock addq $$0, -8(%rsp);"]
        {
            assert_eq!(meaning(text), Known::Fence(AtomicOrdering::SequentiallyConsistent), "{text:?}");
        }
        for text in ["lock; addl $$1,0(%rsp)", "lock; addl $1, $0", "syscall", "mfence; nop"] {
            assert_eq!(meaning(text), Known::Other, "{text:?}");
        }
    }

    #[test]
    fn tied_operands() {
        assert_eq!(identity_input("=r,0,~{memory},~{dirflag}"), Some(0));
        assert_eq!(identity_input("=r,r"), None);
        assert_eq!(identity_input("=r,=r,0,1"), None);
    }
}
