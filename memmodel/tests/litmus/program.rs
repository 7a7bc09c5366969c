//! A tiny litmus language: `x=1; F; r0=y` and so on, a thread a line.

use symx_memmodel::{ByteRange, Ordering};

/// A value a program computes without reading memory: a register plus a constant, or the constant alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    pub register: Option<usize>,
    pub constant: u64,
}

impl Operand {
    pub fn evaluate(&self, registers: &[u64]) -> u64 {
        self.register.map_or(0, |register| registers[register]).wrapping_add(self.constant)
    }
}

/// What a read-modify-write makes of the value it read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    Exchange(Operand),
    Add(Operand),
    CompareExchange { expected: u64, new: Operand },
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    Load {
        register: usize,
        range: ByteRange,
        ordering: Ordering,
    },
    Store {
        range: ByteRange,
        value: Operand,
        ordering: Ordering,
    },
    Update {
        register: usize,
        range: ByteRange,
        update: Update,
        ordering: Ordering,
    },
    Fence(Ordering),
    /// Skips the next `count` instructions unless the register has the value.
    SkipUnless {
        register: usize,
        equals: u64,
        count: usize,
    },
}

/// What an outcome tells: a register, or bytes of memory at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    Register(usize),
    Memory(ByteRange),
}

/// Threads that start together, and what to look at when all have ended and every buffer is empty. Registers
/// are numbered across the program and each belongs to one thread; they and other memory start at zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Memory that does not start at zero.
    pub initial: Vec<(ByteRange, u64)>,
    pub threads: Vec<Vec<Instruction>>,
    pub observed: Vec<Observed>,
}

pub const REGISTERS: usize = 10;

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
    /// A place is `x` (eight bytes), `x[3]` (one byte) or `x[0..2]`; orderings are `rlx`, `acq`, `rel`,
    /// `ar` and `sc`, after a colon behind the place; `F` is a full fence, `Facq`, `Frel` and `Far` are weaker ones.
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
    let ordering = match ordering {
        "rlx" => Ordering::Monotonic,
        "acq" => Ordering::Acquire,
        "rel" => Ordering::Release,
        "ar" => Ordering::AcquireRelease,
        "sc" => Ordering::SequentiallyConsistent,
        _ => panic!("not an ordering: {ordering}"),
    };
    (place(name), ordering)
}

fn place(text: &str) -> ByteRange {
    let (name, bytes) = text.split_once('[').unwrap_or((text, "0..8"));
    let &[letter] = name.as_bytes() else { panic!("not a place: {text}") };
    let bytes = bytes.trim_end_matches(']');
    let (start, end) = match bytes.split_once("..") {
        Some((start, end)) => (start.parse().unwrap(), end.parse().unwrap()),
        None => (bytes.parse::<u64>().unwrap(), bytes.parse::<u64>().unwrap() + 1),
    };
    ByteRange::new(0x100 + 16 * u64::from(letter) + start, end - start)
}
