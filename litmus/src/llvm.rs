//! Programs as LLVM IR: one module holds many, and its `main` runs the one that its first argument names.

use crate::program::{Instruction, Observed, Operand, Program, Update};
use std::fmt::Write;
use symx_memmodel::{ByteRange, Ordering};

/// The argument that makes `main` run the program at `index`, below 40,000: two bytes, neither zero.
pub fn argument(index: usize) -> Vec<u8> {
    vec![(index % DIGITS) as u8 + 1, (index / DIGITS) as u8 + 1]
}

const DIGITS: usize = 200;

/// A module of these programs. Each creates its threads, joins them, and writes what is observed to standard
/// output: eight bytes a value, lowest first.
pub fn module(programs: &[Program]) -> String {
    let mut text = String::from(
        "declare i32 @pthread_create(ptr, ptr, ptr, ptr)\ndeclare i32 @pthread_join(i64, ptr)\n\
         declare i64 @write(i32, ptr, i64)\n",
    );
    for (index, program) in programs.iter().enumerate() {
        Writer { text: &mut text, name: format!("p{index}"), fresh: 0 }.program(program);
    }
    text.push_str(&main_of(programs.len()));
    text
}

/// A `main` that runs one of the functions `p0`, `p1` and so on: the one that its first argument names.
pub fn main_of(count: usize) -> String {
    let mut text = String::from(
        "define i32 @main(i32 %count, ptr %arguments) {\n  %at = getelementptr ptr, ptr %arguments, i64 1\n  \
         %word = load ptr, ptr %at\n  %low = load i8, ptr %word\n  %next = getelementptr i8, ptr %word, i64 1\n  \
         %high = load i8, ptr %next\n  %l = zext i8 %low to i32\n  %h = zext i8 %high to i32\n  \
         %h8 = shl i32 %h, 8\n  %which = or i32 %l, %h8\n  switch i32 %which, label %none [\n",
    );
    for index in 0..count {
        let bytes = argument(index);
        let which = u32::from(bytes[0]) | u32::from(bytes[1]) << 8;
        let _ = writeln!(text, "    i32 {which}, label %run{index}");
    }
    text.push_str("  ]\nnone:\n  ret i32 1\n");
    for index in 0..count {
        let _ = writeln!(text, "run{index}:\n  call void @p{index}()\n  ret i32 0");
    }
    text.push_str("}\n");
    text
}

/// Writes one program. (Writing to a string does not fail.)
struct Writer<'a> {
    text: &'a mut String,
    /// Prefix of its symbols.
    name: String,
    /// Number of the last local value.
    fresh: u32,
}

impl Writer<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "  {}", line.as_ref());
    }

    /// A new local value, set to `expression`.
    fn set(&mut self, expression: impl AsRef<str>) -> String {
        self.fresh += 1;
        let name = format!("%v{}", self.fresh);
        self.line(format!("{name} = {}", expression.as_ref()));
        name
    }

    /// The pointer to a range: each sixteen bytes of addresses are a global.
    fn pointer(&self, range: ByteRange) -> String {
        let (word, offset) = (range.address / 16, range.address % 16);
        format!("getelementptr (i8, ptr @{}.m{word}, i64 {offset})", self.name)
    }

    fn program(&mut self, program: &Program) {
        let name = self.name.clone();
        let instructions = || program.threads.iter().flatten();
        let ranges = instructions().filter_map(range_of);
        let seen = program.observed.iter().filter_map(|observed| match observed {
            Observed::Memory(range) => Some(*range),
            Observed::Register(_) => None,
        });
        let mut words: Vec<u64> = ranges
            .chain(seen)
            .chain(program.initial.iter().map(|(range, _)| *range))
            .map(|range| range.address / 16)
            .collect();
        words.sort_unstable();
        words.dedup();
        for word in words {
            let _ = writeln!(self.text, "@{name}.m{word} = global [16 x i8] zeroinitializer, align 16");
        }
        let registers = registers(instructions());
        for register in &registers {
            let _ = writeln!(self.text, "@{name}.r{register} = global i64 0");
        }
        for (number, code) in program.threads.iter().enumerate() {
            self.thread(number, code);
        }
        self.observer(program, &registers);
    }

    /// The function that creates the threads, waits for them and looks.
    fn observer(&mut self, program: &Program, registers: &[usize]) {
        let (name, count) = (self.name.clone(), program.threads.len());
        let bytes = 8 * program.observed.len();
        let _ = writeln!(self.text, "define void @{name}() {{");
        let handles = self.set(format!("alloca [{count} x i64]"));
        let buffer = self.set(format!("alloca [{bytes} x i8], align 8"));
        for (range, value) in &program.initial {
            let (bits, pointer) = (8 * range.length, self.pointer(*range));
            self.line(format!("store i{bits} {value}, ptr {pointer}"));
        }
        for number in 0..count {
            let handle = self.set(format!("getelementptr i64, ptr {handles}, i64 {number}"));
            self.set(format!(
                "call i32 @pthread_create(ptr {handle}, ptr null, ptr @{name}.t{number}, ptr null)"
            ));
        }
        for number in 0..count {
            let handle = self.set(format!("getelementptr i64, ptr {handles}, i64 {number}"));
            let thread = self.set(format!("load i64, ptr {handle}"));
            self.set(format!("call i32 @pthread_join(i64 {thread}, ptr null)"));
        }
        for (index, observed) in program.observed.iter().enumerate() {
            let value = match observed {
                Observed::Register(register) if registers.contains(register) => {
                    self.set(format!("load i64, ptr @{name}.r{register}"))
                }
                Observed::Register(_) => "0".into(),
                Observed::Memory(range) => {
                    let (bits, pointer) = (8 * range.length, self.pointer(*range));
                    let value = self.set(format!("load i{bits}, ptr {pointer}"));
                    self.widened(value, bits)
                }
            };
            let place = self.set(format!("getelementptr i64, ptr {buffer}, i64 {index}"));
            self.line(format!("store i64 {value}, ptr {place}"));
        }
        self.set(format!("call i64 @write(i32 1, ptr {buffer}, i64 {bytes})"));
        self.line("ret void");
        self.text.push_str("}\n");
    }

    fn thread(&mut self, number: usize, code: &[Instruction]) {
        let _ = writeln!(self.text, "define ptr @{}.t{number}(ptr %unused) {{", self.name);
        let mut own = registers(code.iter());
        own.extend(code.iter().filter_map(used_register));
        own.sort_unstable();
        own.dedup();
        for register in &own {
            self.line(format!("%r{register} = alloca i64"));
            self.line(format!("store i64 0, ptr %r{register}"));
        }
        let mut joins: Vec<usize> = Vec::new();
        for (at, instruction) in code.iter().enumerate() {
            self.join(&mut joins, at);
            match instruction {
                Instruction::SkipUnless { register, equals, count } => {
                    let value = self.set(format!("load i64, ptr %r{register}"));
                    let equal = self.set(format!("icmp eq i64 {value}, {equals}"));
                    let end = at + 1 + count;
                    self.line(format!("br i1 {equal}, label %go{at}, label %join{end}"));
                    let _ = writeln!(self.text, "go{at}:");
                    joins.push(end);
                }
                _ => self.instruction(instruction),
            }
        }
        self.join(&mut joins, code.len());
        for register in registers(code.iter()) {
            let value = self.set(format!("load i64, ptr %r{register}"));
            let name = self.name.clone();
            self.line(format!("store i64 {value}, ptr @{name}.r{register}"));
        }
        self.line("ret ptr null");
        self.text.push_str("}\n");
    }

    /// Begins the block where conditions that end in front of instruction `at` meet.
    fn join(&mut self, joins: &mut Vec<usize>, at: usize) {
        if joins.contains(&at) {
            joins.retain(|end| *end != at);
            let _ = writeln!(self.text, "  br label %join{at}\njoin{at}:");
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        match instruction {
            Instruction::Load { register, range, ordering } => {
                let (bits, pointer) = (8 * range.length, self.pointer(*range));
                let length = range.length;
                let value = match ordering {
                    Ordering::NotAtomic => self.set(format!("load i{bits}, ptr {pointer}, align {length}")),
                    _ => self.set(format!("load atomic i{bits}, ptr {pointer} {ordering}, align {length}")),
                };
                self.keep(*register, value, bits);
            }
            Instruction::Store { range, value, ordering } => {
                let (bits, pointer) = (8 * range.length, self.pointer(*range));
                let length = range.length;
                let value = self.operand(value, bits);
                match ordering {
                    Ordering::NotAtomic => {
                        self.line(format!("store i{bits} {value}, ptr {pointer}, align {length}"));
                    }
                    _ => self.line(format!(
                        "store atomic i{bits} {value}, ptr {pointer} {ordering}, align {length}"
                    )),
                }
            }
            Instruction::Update { register, range, update, ordering } => {
                let (bits, pointer) = (8 * range.length, self.pointer(*range));
                let value = match update {
                    Update::Exchange(new) => {
                        let new = self.operand(new, bits);
                        self.set(format!("atomicrmw xchg ptr {pointer}, i{bits} {new} {ordering}"))
                    }
                    Update::Add(amount) => {
                        let amount = self.operand(amount, bits);
                        self.set(format!("atomicrmw add ptr {pointer}, i{bits} {amount} {ordering}"))
                    }
                    Update::CompareExchange { expected, new } => {
                        let new = self.operand(new, bits);
                        let failure = on_failure(*ordering);
                        let expected = truncated(*expected, bits);
                        let pair = self.set(format!(
                            "cmpxchg ptr {pointer}, i{bits} {expected}, i{bits} {new} {ordering} {failure}"
                        ));
                        self.set(format!("extractvalue {{ i{bits}, i1 }} {pair}, 0"))
                    }
                };
                self.keep(*register, value, bits);
            }
            Instruction::Fence(ordering) => self.line(format!("fence {ordering}")),
            Instruction::SkipUnless { .. } => unreachable!("the caller writes branches"),
        }
    }

    /// Puts a value of `bits` bits into a register.
    fn keep(&mut self, register: usize, value: String, bits: u64) {
        let value = self.widened(value, bits);
        self.line(format!("store i64 {value}, ptr %r{register}"));
    }

    fn widened(&mut self, value: String, bits: u64) -> String {
        if bits == 64 { value } else { self.set(format!("zext i{bits} {value} to i64")) }
    }

    fn operand(&mut self, operand: &Operand, bits: u64) -> String {
        let Some(register) = operand.register else { return truncated(operand.constant, bits).to_string() };
        let value = self.set(format!("load i64, ptr %r{register}"));
        let value = self.set(format!("add i64 {value}, {}", operand.constant));
        if bits == 64 { value } else { self.set(format!("trunc i64 {value} to i{bits}")) }
    }
}

fn truncated(value: u64, bits: u64) -> u64 {
    value & u64::MAX >> (64 - bits)
}

/// The ordering of a compare-exchange that fails: what of its own ordering a load can have.
fn on_failure(ordering: Ordering) -> Ordering {
    match ordering {
        Ordering::SequentiallyConsistent => ordering,
        _ if ordering.acquires() => Ordering::Acquire,
        _ => Ordering::Monotonic,
    }
}

fn range_of(instruction: &Instruction) -> Option<ByteRange> {
    match instruction {
        Instruction::Load { range, .. }
        | Instruction::Store { range, .. }
        | Instruction::Update { range, .. } => Some(*range),
        Instruction::Fence(_) | Instruction::SkipUnless { .. } => None,
    }
}

/// The registers that instructions read into, each once.
fn registers<'a>(code: impl Iterator<Item = &'a Instruction>) -> Vec<usize> {
    let mut all: Vec<usize> = code
        .filter_map(|instruction| match instruction {
            Instruction::Load { register, .. } | Instruction::Update { register, .. } => Some(*register),
            _ => None,
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The register whose value an instruction uses.
fn used_register(instruction: &Instruction) -> Option<usize> {
    match instruction {
        Instruction::Store { value, .. } => value.register,
        Instruction::Update { update, .. } => match update {
            Update::Exchange(value) | Update::Add(value) | Update::CompareExchange { new: value, .. } => {
                value.register
            }
        },
        Instruction::SkipUnless { register, .. } => Some(*register),
        Instruction::Load { .. } | Instruction::Fence(_) => None,
    }
}
