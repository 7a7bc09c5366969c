//! Machine instructions as they are written, in either syntax.

/// An operand as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Written {
    /// `$0`, `${0:b}`: an operand by number, with the width in bits that its modifier says.
    Number(usize, Option<u32>),
    /// `8($0)`, `(%rdi)`: memory this far behind where a register of 64 bits points to.
    Behind(Box<Written>, i64),
    /// `$$5`.
    Immediate(i64),
    /// `%fs:0`, `%fs:$1`: memory of the thread's control block, at zero or where that memory operand says.
    OfThread(Option<usize>),
    /// `%eax`: a register by its short name and width.
    Named(&'static str, u32),
    /// `0(%rsp)` and its like: the top of the stack.
    StackTop,
    /// `1:`, or `1b`, which leads back to it.
    Label(u32),
}

impl Written {
    /// The memory so far behind where a register points to; `None` if this is no register of 64 bits.
    pub fn behind(self, offset: i64) -> Option<Self> {
        let register = match self {
            Self::Number(number, None | Some(64)) => Self::Number(number, None),
            Self::Named(_, 64) => self,
            _ => return None,
        };
        Some(Self::Behind(Box::new(register), offset))
    }
}

/// The name of what is no instruction, but a label.
pub(super) const LABEL: &str = ":";

/// One machine instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Instruction {
    pub locked: bool,
    pub name: String,
    /// The destination comes last.
    pub operands: Vec<Written>,
}

/// Names of the registers of 64, 32, 16 and 8 bits, and what constraints call them.
const REGISTERS: [(&str, [&str; 4]); 14] = [
    ("ax", ["rax", "eax", "ax", "al"]),
    ("bx", ["rbx", "ebx", "bx", "bl"]),
    ("cx", ["rcx", "ecx", "cx", "cl"]),
    ("dx", ["rdx", "edx", "dx", "dl"]),
    ("si", ["rsi", "esi", "si", "sil"]),
    ("di", ["rdi", "edi", "di", "dil"]),
    ("r8", ["r8", "r8d", "r8w", "r8b"]),
    ("r9", ["r9", "r9d", "r9w", "r9b"]),
    ("r10", ["r10", "r10d", "r10w", "r10b"]),
    ("r11", ["r11", "r11d", "r11w", "r11b"]),
    ("r12", ["r12", "r12d", "r12w", "r12b"]),
    ("r13", ["r13", "r13d", "r13w", "r13b"]),
    ("r14", ["r14", "r14d", "r14w", "r14b"]),
    ("r15", ["r15", "r15d", "r15w", "r15b"]),
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
