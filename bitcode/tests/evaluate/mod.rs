//! A small evaluator of decoded programs, to compare the loader's output with native execution.
//!
//! One thread, no library; memory is a map of bytes. Anything else panics.
#![allow(missing_docs)] // for the tests

mod extended;

use std::collections::HashMap;
use symx_ir::function::{Passing, Switch};
use symx_ir::instruction::{BinaryOp, CastOp, FloatFormat, FloatOp, FloatPredicate, FloatUnary, Predicate};
use symx_ir::program::{Code, LinkedFunction};
use symx_ir::{CallTarget, FunctionId, Inst, Operand, Program, Slot};

pub struct Machine<'p> {
    program: &'p Program,
    pub memory: HashMap<u64, u8>,
    stack: u64,
}

pub struct Frame<'p> {
    pub function: &'p LinkedFunction,
    pub slots: Vec<u64>,
    variable_area: u64,
}

impl Frame<'_> {
    pub fn read(&self, operand: Operand) -> u64 {
        if operand.is_constant() {
            self.function.constants[operand.index()]
        } else {
            self.slots[operand.index()]
        }
    }

    pub fn read_wide(&self, operand: Operand, bits: u32) -> u128 {
        let high = if bits > 64 { self.read(operand.offset(1)) } else { 0 };
        u128::from(self.read(operand)) | u128::from(high) << 64
    }

    pub fn write(&mut self, slot: Slot, value: u64) {
        self.slots[slot as usize] = value;
    }

    pub fn write_wide(&mut self, slot: Slot, bits: u32, value: u128) {
        let value = value & mask(bits);
        self.write(slot, value as u64);
        if bits > 64 {
            self.write(slot + 1, (value >> 64) as u64);
        }
    }
}

pub fn mask(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

pub fn signed(value: u128, bits: u32) -> i128 {
    (value << (128 - bits)) as i128 >> (128 - bits)
}

pub fn binary(op: BinaryOp, bits: u32, a: u128, b: u128) -> u128 {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a / b,
        BinaryOp::SDiv => sa.wrapping_div(sb) as u128,
        BinaryOp::URem => a % b,
        BinaryOp::SRem => sa.wrapping_rem(sb) as u128,
        BinaryOp::Shl => a.checked_shl(b as u32).unwrap_or(0),
        BinaryOp::LShr => a.checked_shr(b as u32).unwrap_or(0),
        BinaryOp::AShr => (sa >> b.min(127)) as u128,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    };
    result & mask(bits)
}

pub fn compare(predicate: Predicate, bits: u32, a: u128, b: u128) -> bool {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ult => a < b,
        Predicate::Ule => a <= b,
        Predicate::Ugt => a > b,
        Predicate::Uge => a >= b,
        Predicate::Slt => sa < sb,
        Predicate::Sle => sa <= sb,
        Predicate::Sgt => sa > sb,
        Predicate::Sge => sa >= sb,
    }
}

pub fn cast(op: CastOp, from: u32, to: u32, value: u128) -> u128 {
    match op {
        CastOp::SExt => signed(value, from) as u128 & mask(to),
        CastOp::Trunc | CastOp::ZExt => value & mask(to),
    }
}

/// Singles and doubles as doubles: exact for what the tests compute.
pub fn float_of(format: FloatFormat, bits: u64) -> f64 {
    match format {
        FloatFormat::Single => f64::from(f32::from_bits(bits as u32)),
        FloatFormat::Double => f64::from_bits(bits),
        other => panic!("{other:?}"),
    }
}

pub fn bits_of(format: FloatFormat, value: f64) -> u64 {
    match format {
        FloatFormat::Single => u64::from((value as f32).to_bits()),
        FloatFormat::Double => value.to_bits(),
        other => panic!("{other:?}"),
    }
}

fn outcome(predicate: FloatPredicate, a: f64, b: f64) -> bool {
    let bit = match a.partial_cmp(&b) {
        Some(std::cmp::Ordering::Equal) => 1,
        Some(std::cmp::Ordering::Greater) => 2,
        Some(std::cmp::Ordering::Less) => 4,
        None => 8,
    };
    predicate.0 & bit != 0
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program) -> Self {
        let mut machine = Self { program, memory: HashMap::new(), stack: 1 << 45 };
        for global in &program.globals {
            for at in 0..global.size {
                let byte = global.bytes.get(at as usize).copied().unwrap_or(0);
                machine.memory.insert(global.address + at, byte);
            }
        }
        machine
    }

    pub fn run(&mut self, name: &str, arguments: &[u64]) -> u64 {
        let id = self.program.function_named(name).unwrap();
        self.call(id, arguments, &[])[0]
    }

    pub fn load(&self, address: u64, bytes: u32) -> u64 {
        (0..u64::from(bytes)).map(|at| u64::from(self.memory[&(address + at)]) << (8 * at)).sum()
    }

    pub fn store(&mut self, address: u64, bytes: u32, value: u64) {
        for at in 0..u64::from(bytes) {
            let byte = self.memory.get_mut(&(address + at)).expect("a live object");
            *byte = (value >> (8 * at)) as u8;
        }
    }

    fn allocate(&mut self, size: u64, align_log2: u8) -> u64 {
        self.stack = self.stack.next_multiple_of(1 << align_log2.max(4));
        let address = self.stack;
        for at in 0..size {
            self.memory.insert(address + at, 0xAA);
        }
        self.stack += size + 64;
        address
    }

    fn call(&mut self, id: FunctionId, arguments: &[u64], variable: &[u64]) -> Vec<u64> {
        let function = self.program.function(id);
        let mut slots = vec![0; function.slots as usize + 1];
        slots[..arguments.len()].copy_from_slice(arguments);
        let variable_area = self.allocate(variable.len() as u64 * 8, 4);
        for (at, &word) in variable.iter().enumerate() {
            self.store(variable_area + at as u64 * 8, 8, word);
        }
        let mut frame = Frame { function, slots, variable_area };
        let mut at = 0;
        loop {
            let instruction = function.code[at];
            at += 1;
            let edge = match instruction {
                Inst::Jump { edge } => edge,
                Inst::Branch { cond, edges } => edges + u32::from(frame.read(cond) == 0),
                Inst::CompareBranch { predicate, bits, a, b, edges } => {
                    let (a, b) = (frame.read(a).into(), frame.read(b).into());
                    edges + u32::from(!compare(predicate, bits.into(), a, b))
                }
                Inst::Switch { value, index } => {
                    let switch: &Switch = &function.switches[index as usize];
                    switch.edge(frame.read(value))
                }
                Inst::Return { value } => {
                    return (0..function.return_slots).map(|slot| frame.read(value.offset(slot))).collect();
                }
                Inst::Call { site } => {
                    self.call_site(&mut frame, site);
                    continue;
                }
                Inst::Extended { index } => {
                    self.extended(&mut frame, &function.extended[index as usize]);
                    continue;
                }
                plain => {
                    self.plain(&mut frame, plain);
                    continue;
                }
            };
            let edge = function.edges[edge as usize];
            let first = edge.first_move as usize;
            for step in &function.moves[first..first + edge.move_count as usize] {
                let value = frame.read(step.src);
                frame.write(step.dst, value);
            }
            at = edge.target as usize;
        }
    }

    fn call_site(&mut self, frame: &mut Frame<'p>, site: u32) {
        let call = &frame.function.function.calls[site as usize];
        let id = match call.target {
            CallTarget::Function(id) => id,
            CallTarget::Pointer(operand) => match self.program.code_at(frame.read(operand)) {
                Some(Code::Function(id)) => id,
                other => panic!("a call of {other:?}"),
            },
            ref other => panic!("a call of {other:?}"),
        };
        // The callee decides which arguments have parameters.
        let parameters = self.program.function(id).params.len();
        let (mut fixed, mut variable) = (Vec::new(), Vec::new());
        for (index, argument) in call.arguments.iter().enumerate() {
            let mut words: Vec<u64> =
                (0..argument.slots).map(|slot| frame.read(argument.operand.offset(slot))).collect();
            let is_variable = index >= parameters;
            if let Passing::Copy { size, align_log2 } = argument.passing {
                let bytes: Vec<u8> = (0..u64::from(size)).map(|at| self.memory[&(words[0] + at)]).collect();
                if is_variable {
                    // The overflow area holds the copy itself.
                    let padded = bytes.chunks(8).map(|chunk| {
                        let mut word = [0; 8];
                        word[..chunk.len()].copy_from_slice(chunk);
                        u64::from_le_bytes(word)
                    });
                    words = padded.collect();
                } else {
                    let copy = self.allocate(size.into(), align_log2);
                    for (at, byte) in bytes.into_iter().enumerate() {
                        self.memory.insert(copy + at as u64, byte);
                    }
                    words = vec![copy];
                }
            }
            if !is_variable {
                fixed.extend(words);
            } else {
                let is_aligned =
                    argument.passing == Passing::Value && argument.slots == 2 && argument.bits > 64;
                if is_aligned && variable.len() % 2 == 1 {
                    variable.push(0);
                }
                variable.extend(words);
            }
        }
        let result = self.call(id, &fixed, &variable);
        for (offset, word) in result.into_iter().enumerate() {
            frame.write(call.dst + offset as u32, word);
        }
    }

    fn plain(&mut self, frame: &mut Frame<'p>, instruction: Inst) {
        let (dst, value) = match instruction {
            Inst::Binary { op, bits, dst, a, b, .. } => {
                (dst, binary(op, bits.into(), frame.read(a).into(), frame.read(b).into()) as u64)
            }
            Inst::Compare { predicate, bits, dst, a, b } => {
                (dst, compare(predicate, bits.into(), frame.read(a).into(), frame.read(b).into()).into())
            }
            Inst::Cast { op, from, to, dst, src } => {
                (dst, cast(op, from.into(), to.into(), frame.read(src).into()) as u64)
            }
            Inst::PointerIndex { index_bits, scale, dst, base, index } => {
                let index = signed(frame.read(index).into(), index_bits.into()) as u64;
                (dst, frame.read(base).wrapping_add(index.wrapping_mul(scale.into())))
            }
            Inst::Select { dst, cond, a, b } => (dst, frame.read(if frame.read(cond) == 1 { a } else { b })),
            Inst::Copy { dst, src, count } => {
                for slot in 0..count {
                    let value = frame.read(src.offset(slot));
                    frame.write(dst + slot, value);
                }
                return;
            }
            Inst::Load { bits, dst, address, .. } => {
                let bits = u32::from(bits);
                (dst, self.load(frame.read(address), bits.div_ceil(8)) & mask(bits) as u64)
            }
            Inst::Store { bits, address, value, .. } => {
                let (address, value) = (frame.read(address), frame.read(value));
                return self.store(address, u32::from(bits).div_ceil(8), value);
            }
            Inst::Alloca { align_log2, dst, count, size, .. } => {
                let address = self.allocate(frame.read(count) * u64::from(size), align_log2);
                (dst, address)
            }
            Inst::Float { op, format, dst, a, b } => {
                let (a, b) = (float_of(format, frame.read(a)), float_of(format, frame.read(b)));
                let value = match op {
                    FloatOp::Add => a + b,
                    FloatOp::Sub => a - b,
                    FloatOp::Mul => a * b,
                    FloatOp::Div => a / b,
                    FloatOp::Rem => a % b,
                    FloatOp::Minimum => a.min(b),
                    FloatOp::Maximum => a.max(b),
                    FloatOp::CopySign => a.copysign(b),
                };
                (dst, bits_of(format, value))
            }
            Inst::FloatUnary { op, format, dst, src } => {
                let value = float_of(format, frame.read(src));
                let value = match op {
                    FloatUnary::Negate => -value,
                    FloatUnary::Absolute => value.abs(),
                    FloatUnary::SquareRoot => value.sqrt(),
                    FloatUnary::Floor => value.floor(),
                    FloatUnary::Ceiling => value.ceil(),
                    FloatUnary::Truncate => value.trunc(),
                    FloatUnary::RoundEven => value.round_ties_even(),
                    FloatUnary::RoundAway => value.round(),
                };
                (dst, bits_of(format, value))
            }
            Inst::FloatCompare { predicate, format, dst, a, b } => {
                let (a, b) = (float_of(format, frame.read(a)), float_of(format, frame.read(b)));
                (dst, outcome(predicate, a, b).into())
            }
            other => panic!("{other:?}"),
        };
        frame.write(dst, value);
    }
}
