//! Operands in Intel's syntax, which is Rust's default: `qword ptr [${0:q}]`, `rbx`, `5`.

use super::written::{Written, integer, named, number};

/// How a text calls memory of a width.
const MEMORY: [(&str, Option<u32>); 6] = [
    ("byte", Some(8)),
    ("word", Some(16)),
    ("dword", Some(32)),
    ("qword", Some(64)),
    // Instructions on 16 bytes say that by their names.
    ("xmmword", None),
    ("oword", None),
];

/// An operand, and its width in bits if it says that.
pub(super) fn operand(text: &str) -> Option<(Written, Option<u32>)> {
    let text = text.to_lowercase();
    if let Some((width, memory)) = text.split_once("ptr") {
        let (_, bits) = MEMORY.into_iter().find(|(name, _)| *name == width.trim_end())?;
        return Some((place(memory.trim_start())?, bits));
    }
    let written = place(&text)?;
    let bits = match written {
        Written::Number(_, bits) => bits,
        Written::Named(_, bits) => Some(bits),
        _ => None,
    };
    Some((written, bits))
}

/// The letter that an instruction of AT&T's syntax ends with for operands of this many bits.
pub(super) fn letter(bits: u32) -> char {
    match bits {
        8 => 'b',
        16 => 'w',
        32 => 'l',
        _ => 'q',
    }
}

fn place(text: &str) -> Option<Written> {
    if let Some(offset) = text.strip_prefix("fs:") {
        let is_start = integer(bracketed(offset).unwrap_or(offset)) == Some(0);
        return is_start.then_some(Written::OfThread(None));
    }
    if let Some(address) = bracketed(text) {
        return memory(address);
    }
    number(text).or_else(|| named(text)).or_else(|| integer(text).map(Written::Immediate))
}

/// What is at an address.
fn memory(address: &str) -> Option<Written> {
    let base = address.split(['+', '-']).next()?.trim_end();
    if ["rsp", "esp"].contains(&base) {
        return Some(Written::StackTop);
    }
    let offset: String = address[base.len()..].split_whitespace().collect();
    let offset = if offset.is_empty() { 0 } else { integer(offset.trim_start_matches('+'))? };
    number(base).or_else(|| named(base))?.behind(offset)
}

fn bracketed(text: &str) -> Option<&str> {
    text.strip_prefix('[')?.strip_suffix(']').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::super::text::{Syntax, parse};
    use super::super::written::Instruction;
    use super::*;

    fn one(text: &str) -> Option<Instruction> {
        parse(text, Syntax::Intel)?.pop()
    }

    #[test]
    fn it_is_what_the_other_syntax_says() {
        for (intel, att) in [
            ("lock not qword ptr [${0:q}]", "lock notq ($0)"),
            ("lock OR DWORD PTR [rsp - 8], 0", "lock orl $$0, -8(%rsp)"),
            ("lock xadd dword ptr [${1:q}], ${0:k}", "lock xaddl ${0:k}, ($1)"),
            ("lock cmpxchg word ptr[$1], ${2:w}", "lock cmpxchgw ${2:w}, ($1)"),
            ("lock cmpxchg16b xmmword ptr [${0:q}]", "lock cmpxchg16b ($0)"),
            ("xchg byte ptr $1, ${0:b}", "xchgb ${0:b}, $1"),
            ("mov ${0:q}, rbx", "movq %rbx, ${0:q}"),
            ("mov ${0:q}, fs:0", "movq %fs:0, ${0:q}"),
            ("mov ${0:q}, qword ptr fs:[0]", "movq %fs:0, ${0:q}"),
            ("shl ${0:k}, cl", "shll %cl, ${0:k}"),
            ("add ${0:q}, -0x7", "addq $$-0x7, ${0:q}"),
            ("stmxcsr dword ptr [${0:q}]", "stmxcsr ($0)"),
            ("$(pushfq$|mfence$) # all", "mfence"),
            ("rep bsf ${0:q}, ${1:q}", "rep bsfq ${1:q}, ${0:q}"),
            ("mov ${0:q}, [${1:q} + 8]", "movq 8(${1:q}), ${0:q}"),
            ("mov r8d, dword ptr [rdi - 0x10]", "movl -0x10(%rdi), %r8d"),
            ("push r15", "push %r15"),
        ] {
            let without = super::super::text::without_comments(intel);
            assert_eq!(one(&without), parse(att, Syntax::Att).and_then(|mut found| found.pop()), "{intel}");
            assert!(one(&without).is_some(), "{intel}");
        }
        assert_eq!(one("sete ${0}").unwrap().operands, [Written::Number(0, None)]);
    }

    #[test]
    fn other_memory_is_not_known() {
        for text in ["mov rax, [ebx]", "mov rax, [${0:q} + ${1:q}]", "mov rax, [${0:k}]", "mov rax, fs:8"] {
            assert_eq!(one(text), None, "{text}");
        }
        assert_eq!(operand("tbyte ptr [${0:q}]"), None);
    }
}
