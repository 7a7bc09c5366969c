//! Machine instructions as they are written, in either syntax.

/// An operand as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Written {
    /// `$0`, `${0:b}`: an operand by number, with the width in bits that its modifier says.
    Number(usize, Option<u32>),
    /// `($0)`: what the register points to.
    Behind(usize),
    /// `$$5`.
    Immediate(i64),
    /// `%fs:0`, `%fs:$1`: memory of the thread's control block, at zero or where that memory operand says.
    OfThread(Option<usize>),
    /// `%eax`: a register by its short name and width.
    Named(&'static str, u32),
    /// `0(%rsp)` and its like: the top of the stack.
    StackTop,
}

/// One machine instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Instruction {
    pub locked: bool,
    pub name: String,
    /// The destination comes last.
    pub operands: Vec<Written>,
}

/// Names of the registers of 64, 32, 16 and 8 bits, and what constraints call them.
const REGISTERS: [(&str, [&str; 4]); 6] = [
    ("ax", ["rax", "eax", "ax", "al"]),
    ("bx", ["rbx", "ebx", "bx", "bl"]),
    ("cx", ["rcx", "ecx", "cx", "cl"]),
    ("dx", ["rdx", "edx", "dx", "dl"]),
    ("si", ["rsi", "esi", "si", "sil"]),
    ("di", ["rdi", "edi", "di", "dil"]),
];

/// `$0`, `${0}`, `${0:b}`.
pub(super) fn number(text: &str) -> Option<Written> {
    let text = text.strip_prefix('$')?;
    let Some(braced) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
        return text.parse().ok().map(|number| Written::Number(number, None));
    };
    let (number, modifier) = braced.split_once(':').unwrap_or((braced, ""));
    let width = match modifier {
        "" => None,
        "b" => Some(8),
        "w" => Some(16),
        "k" => Some(32),
        "q" => Some(64),
        _ => return None,
    };
    Some(Written::Number(number.parse().ok()?, width))
}

/// A register of this name.
pub(super) fn named(name: &str) -> Option<Written> {
    REGISTERS.iter().find_map(|(short, names)| {
        let position = names.iter().position(|known| *known == name)?;
        Some(Written::Named(short, 64 >> position))
    })
}

/// A number, in decimal or after `0x`.
pub(super) fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}
