//! A tiny litmus language: `x=1; F; r0=y` and so on, a thread a line.
//!
//! A place is `x` (eight bytes), `x[3]` (one byte) or `x[0..2]`, with an ordering after a colon. Orderings
//! are `na` (not atomic), `un`, `rlx` (if none is given), `acq`, `rel`, `ar` and `sc`. `F` is a full fence;
//! `Facq`, `Frel` and `Far` are weaker. `r1=xchg(x,2)`, `r1=faa(x,1)` and `r1=cas(x,0,1)` update;
//! `if(r1==0){...}` runs statements on a condition.

use std::fmt;
use symx_memmodel::{ByteRange, Ordering};

/// A value a program computes without reading memory: a register plus a constant, or the constant alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The register, if there is one.
    pub register: Option<usize>,
    /// The constant.
    pub constant: u64,
}

impl Operand {
    /// The value, given those of the registers.
    pub fn evaluate(&self, registers: &[u64]) -> u64 {
        self.register.map_or(0, |register| registers[register]).wrapping_add(self.constant)
    }
}

/// The update of a read-modify-write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// Writes this.
    Exchange(Operand),
    /// Adds this.
    Add(Operand),
    /// Writes `new` if it read `expected`.
    CompareExchange {
        /// The value to find.
        expected: u64,
        /// The value to write then.
        new: Operand,
    },
}

impl Update {
    /// The value written, or `None` if the compare fails.
    pub fn apply(&self, old: u64, registers: &[u64]) -> Option<u64> {
        match self {
            Self::Exchange(new) => Some(new.evaluate(registers)),
            Self::Add(amount) => Some(old.wrapping_add(amount.evaluate(registers))),
            Self::CompareExchange { expected, new } => (old == *expected).then(|| new.evaluate(registers)),
        }
    }
}

/// One instruction of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the fields say what they are
pub enum Instruction {
    /// Reads memory into a register.
    Load { register: usize, range: ByteRange, ordering: Ordering },
    /// Writes memory.
    Store { range: ByteRange, value: Operand, ordering: Ordering },
    /// Reads memory into a register and writes it, in one step.
    Update { register: usize, range: ByteRange, update: Update, ordering: Ordering },
    /// A fence.
    Fence(Ordering),
    /// Skips the next `count` instructions unless the register has the value.
    SkipUnless { register: usize, equals: u64, count: usize },
}

/// A part of an outcome: a register, or bytes of memory at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// A register.
    Register(usize),
    /// Bytes of memory, as a thread that has waited for all others reads them.
    Memory(ByteRange),
}

/// Threads that start together, and what to look at when all have ended and every buffer is empty. Registers
/// are numbered across the program and each belongs to one thread; they and other memory start at zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Memory that does not start at zero.
    pub initial: Vec<(ByteRange, u64)>,
    /// The threads.
    pub threads: Vec<Vec<Instruction>>,
    /// The registers and memory to observe.
    pub observed: Vec<Observed>,
}

/// How many registers there are.
pub const REGISTERS: usize = 16;

/// The values of [`Program::observed`], in order.
pub type Outcome = Vec<u64>;

/// Little-endian bytes of `value`, as many as `range` has.
pub fn to_bytes(value: u64, range: ByteRange) -> impl Iterator<Item = u8> {
    (0..range.length).map(move |offset| (value >> (8 * offset)) as u8)
}

/// The value of little-endian bytes.
pub fn from_bytes(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.enumerate().fold(0, |value, (offset, byte)| value | u64::from(byte) << (8 * offset))
}

impl Program {
    /// Reads threads and what to observe, e.g. `["x=1; r0=y", "y=1; r1=x[0..2]:acq"]` and `"r0 r1 x"`.
    ///
    /// # Panics
    /// If the text is not in the language: it is part of a test.
    pub fn parse(threads: &[&str], observed: &str) -> Self {
        let observed = observed.split_whitespace().map(|name| match register(name) {
            Some(register) => Observed::Register(register),
            None => Observed::Memory(place(name)),
        });
        Self {
            initial: Vec::new(),
            threads: threads.iter().map(|text| block(text)).collect(),
            observed: observed.collect(),
        }
    }

    /// Adds an initial value, written as a store.
    pub fn starting_with(mut self, store: &str) -> Self {
        let (target, value) = store.split_once('=').expect("a store");
        self.initial.push((place(target), value.parse().expect("a number")));
        self
    }

    /// The initial value of a byte.
    pub fn initial_byte(&self, address: u64) -> u8 {
        let with =
            self.initial.iter().rev().find_map(|(range, value)| {
                range.offset_of(address).map(|offset| (value >> (8 * offset)) as u8)
            });
        with.unwrap_or(0)
    }
}

fn block(text: &str) -> Vec<Instruction> {
    let mut instructions = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = match rest.strip_prefix("if(") {
            Some(_) => rest.find('}').expect("a block is closed") + 1,
            None => rest.find(';').unwrap_or(rest.len()),
        };
        let (statement, tail) = rest.split_at(end);
        match statement.strip_prefix("if(") {
            Some(conditional) => {
                let (condition, body) = conditional.split_once("){").expect("if(register==value){...}");
                let (left, right) = condition.split_once("==").expect("an equality");
                let body = block(body.trim_end_matches('}'));
                let register = register(left).expect("a register");
                let equals = right.parse().expect("a number");
                instructions.push(Instruction::SkipUnless { register, equals, count: body.len() });
                instructions.extend(body);
            }
            None => instructions.push(statement_of(statement.trim())),
        }
        rest = tail.trim_start_matches([';', ' ']);
    }
    instructions
}

fn statement_of(text: &str) -> Instruction {
    match text {
        "F" => return Instruction::Fence(Ordering::SequentiallyConsistent),
        "Far" => return Instruction::Fence(Ordering::AcquireRelease),
        "Frel" => return Instruction::Fence(Ordering::Release),
        "Facq" => return Instruction::Fence(Ordering::Acquire),
        _ => {}
    }
    let (target, source) = text.split_once('=').unwrap_or_else(|| panic!("not a statement: {text}"));
    let Some(register) = register(target) else {
        let (range, ordering) = ordered_place(target);
        return Instruction::Store { range, value: operand(source), ordering };
    };
    let Some((function, arguments)) = source.split_once('(') else {
        let (range, ordering) = ordered_place(source);
        return Instruction::Load { register, range, ordering };
    };
    let arguments: Vec<_> = arguments.trim_end_matches(')').split(',').collect();
    let update = match (function, &arguments[1..]) {
        ("xchg", [new]) => Update::Exchange(operand(new)),
        ("faa", [amount]) => Update::Add(operand(amount)),
        ("cas", [expected, new]) => {
            Update::CompareExchange { expected: expected.parse().expect("a number"), new: operand(new) }
        }
        _ => panic!("not an update: {text}"),
    };
    let (range, ordering) = ordered_place(arguments[0]);
    Instruction::Update { register, range, update, ordering }
}

fn register(name: &str) -> Option<usize> {
    let number = name.strip_prefix('r')?.parse().ok()?;
    assert!(number < REGISTERS, "only {REGISTERS} registers");
    Some(number)
}

fn operand(text: &str) -> Operand {
    let (first, second) = text.split_once('+').unwrap_or((text, "0"));
    match register(first) {
        Some(register) => Operand { register: Some(register), constant: second.parse().expect("a number") },
        None => Operand { register: None, constant: first.parse().expect("a number") },
    }
}

fn ordered_place(text: &str) -> (ByteRange, Ordering) {
    let (name, ordering) = text.split_once(':').unwrap_or((text, "rlx"));
    let known = ORDERINGS.iter().find(|(_, name)| *name == ordering);
    let (ordering, _) = known.unwrap_or_else(|| panic!("not an ordering: {ordering}"));
    (place(name), *ordering)
}

fn place(text: &str) -> ByteRange {
    let (name, bytes) = text.split_once('[').unwrap_or((text, "0..8"));
    let &[letter] = name.as_bytes() else { panic!("not a place: {text}") };
    let bytes = bytes.trim_end_matches(']');
    let (start, end) = match bytes.split_once("..") {
        Some((start, end)) => (start.parse().unwrap(), end.parse().unwrap()),
        None => (bytes.parse::<u64>().unwrap(), bytes.parse::<u64>().unwrap() + 1),
    };
    ByteRange::new(address_of(letter) + start, end - start)
}

/// The address of the place called `letter`; each has sixteen bytes.
pub(crate) fn address_of(letter: u8) -> u64 {
    0x100 + 16 * u64::from(letter)
}

const ORDERINGS: &[(Ordering, &str)] = &[
    (Ordering::NotAtomic, "na"),
    (Ordering::Unordered, "un"),
    (Ordering::Monotonic, "rlx"),
    (Ordering::Acquire, "acq"),
    (Ordering::Release, "rel"),
    (Ordering::AcquireRelease, "ar"),
    (Ordering::SequentiallyConsistent, "sc"),
];

/// A range of bytes as the language writes it.
struct Written(ByteRange);

impl fmt::Display for Written {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (letter, start) = (((self.0.address - 0x100) / 16) as u8, self.0.address % 16);
        write!(out, "{}", char::from(letter))?;
        match (start, self.0.length) {
            (0, 8) => Ok(()),
            (start, 1) => write!(out, "[{start}]"),
            (start, length) => write!(out, "[{start}..{}]", start + length),
        }
    }
}

/// An ordering as the language writes it after a place.
struct Ordered(Ordering);

impl fmt::Display for Ordered {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match ORDERINGS.iter().find(|(ordering, _)| *ordering == self.0) {
            Some((Ordering::Monotonic, _)) | None => Ok(()),
            Some((_, name)) => write!(out, ":{name}"),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.register {
            Some(register) => write!(out, "r{register}+{}", self.constant),
            None => write!(out, "{}", self.constant),
        }
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load { register, range, ordering } => {
                write!(out, "r{register}={}{}", Written(*range), Ordered(*ordering))
            }
            Self::Store { range, value, ordering } => {
                write!(out, "{}{}={value}", Written(*range), Ordered(*ordering))
            }
            Self::Update { register, range, update, ordering } => {
                let (place, ordering) = (Written(*range), Ordered(*ordering));
                match update {
                    Update::Exchange(new) => write!(out, "r{register}=xchg({place}{ordering},{new})"),
                    Update::Add(amount) => write!(out, "r{register}=faa({place}{ordering},{amount})"),
                    Update::CompareExchange { expected, new } => {
                        write!(out, "r{register}=cas({place}{ordering},{expected},{new})")
                    }
                }
            }
            Self::Fence(Ordering::Acquire) => write!(out, "Facq"),
            Self::Fence(Ordering::Release) => write!(out, "Frel"),
            Self::Fence(Ordering::AcquireRelease) => write!(out, "Far"),
            Self::Fence(_) => write!(out, "F"),
            Self::SkipUnless { register, equals, .. } => write!(out, "if(r{register}=={equals}){{"),
        }
    }
}

impl fmt::Display for Program {
    /// In the language of [`Program::parse`], with what to observe in the last line.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (range, value) in &self.initial {
            writeln!(out, "init {}={value}", Written(*range))?;
        }
        for thread in &self.threads {
            write!(out, "thread ")?;
            let mut closing = Vec::new();
            for (index, instruction) in thread.iter().enumerate() {
                write!(out, "{instruction}")?;
                if let Instruction::SkipUnless { count, .. } = instruction {
                    closing.push(index + count);
                    continue;
                }
                while closing.pop_if(|end| *end == index).is_some() {
                    write!(out, "}}")?;
                }
                if index + 1 < thread.len() {
                    write!(out, "; ")?;
                }
            }
            writeln!(out)?;
        }
        write!(out, "observe")?;
        for observed in &self.observed {
            match observed {
                Observed::Register(register) => write!(out, " r{register}")?,
                Observed::Memory(range) => write!(out, " {}", Written(*range))?,
            }
        }
        writeln!(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_can_be_read() {
        let threads = [
            "x[0..4]:na=1; F; if(r1==7){y[3]:rel=r1+2; Frel}; r0=x",
            "r1=cas(y:sc,0,5); if(r1==0){r2=faa(x[0..2]:un,1)}; r3=xchg(z:ar,9)",
        ];
        let program = Program::parse(&threads, "r0 r1 x y[2]");
        let text = program.to_string();
        let lines: Vec<&str> = text.lines().collect();
        let threads: Vec<&str> = lines[..2].iter().map(|line| line.trim_start_matches("thread ")).collect();
        let again = Program::parse(&threads, lines[2].trim_start_matches("observe "));
        assert_eq!(again, program, "{text}");
    }
}
