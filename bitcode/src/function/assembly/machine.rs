//! Machine instructions on registers and memory: moves, arithmetic, and the locked ones as atomics.

use super::Assembly;
use super::Builder;
use super::Register;
use super::constraints::Place;
use super::constraints::named;
use super::flags::Flags;
use super::written::{Instruction, Written};
use crate::constants::mask;
use symx_ir::instruction::{AtomicOrdering, BinaryOp, BitOp, CastOp, Extended, Predicate, RmwOp};
use symx_ir::{Inst, Operand};

/// Where an operand of an instruction is.
#[derive(Clone, Copy)]
pub(super) enum Location {
    /// A register, by its number among the text's operands.
    Register(usize),
    /// Memory at the address.
    Memory(Operand),
    Immediate(i64),
}

/// Instructions that may carry their operands' width as a last letter.
const SIZED: [&str; 36] = [
    "mov", "xchg", "xadd", "cmpxchg", "add", "sub", "and", "or", "xor", "inc", "dec", "neg", "not", "adc",
    "sbb", "cmp", "test", "shl", "sal", "shr", "sar", "rol", "ror", "bswap", "mul", "popcnt", "tzcnt",
    "lzcnt", "bsf", "bsr", "bt", "bts", "btr", "btc", "nop", "pause",
];

/// Whether an instruction may carry its operands' width as a last letter.
pub(super) fn has_width(name: &str) -> bool {
    SIZED.contains(&name)
}

/// The name without the letter for the width, and the width.
pub(super) fn name_and_width(name: &str) -> Option<(&str, Option<u32>)> {
    if SIZED.contains(&name) {
        return Some((name, None));
    }
    let (base, letter) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let bits = match letter {
        "b" => 8,
        "w" => 16,
        "l" => 32,
        "q" => 64,
        _ => return None,
    };
    SIZED.contains(&base).then_some((base, Some(bits)))
}

/// Two-operand arithmetic, destination last.
pub(super) fn arithmetic(name: &str) -> Option<(BinaryOp, RmwOp)> {
    Some(match name {
        "add" | "inc" => (BinaryOp::Add, RmwOp::Add),
        "sub" | "dec" => (BinaryOp::Sub, RmwOp::Sub),
        "and" => (BinaryOp::And, RmwOp::And),
        "or" => (BinaryOp::Or, RmwOp::Or),
        "xor" => (BinaryOp::Xor, RmwOp::Xor),
        _ => return None,
    })
}

impl Builder<'_, '_> {
    /// Translates one machine instruction; `None` if it is not understood.
    pub(super) fn machine_instruction(
        &mut self,
        assembly: &mut Assembly,
        instruction: &Instruction,
    ) -> Option<()> {
        if let Some(done) = self.special_instruction(assembly, instruction) {
            return done;
        }
        if let Some(code) = instruction.name.strip_prefix("set") {
            let value = self.condition(&assembly.flags, code)?;
            let [target] = &instruction.operands[..] else { return None };
            let byte = self.resized(value, 1, 8);
            let target = self.location(assembly, target)?;
            return self.write(assembly, target, 8, byte);
        }
        let (name, width) = name_and_width(&instruction.name)?;
        let operands: Option<Vec<Location>> =
            instruction.operands.iter().map(|operand| self.location(assembly, operand)).collect();
        let operands = operands?;
        let bits = width.or_else(|| common_width(assembly, &instruction.operands, &operands))?;
        if let Some(done) = self.bit_test(assembly, instruction.locked, name, bits, &operands) {
            return done;
        }
        let is_memory = |location: &Location| matches!(location, Location::Memory(_));
        // An exchange with memory is atomic without the prefix.
        if instruction.locked || name == "xchg" && operands.iter().any(is_memory) {
            return self.locked_instruction(assembly, name, bits, &operands);
        }
        self.unlocked_instruction(assembly, name, bits, &operands)
    }

    /// An instruction on registers and memory without a lock prefix.
    fn unlocked_instruction(
        &mut self,
        assembly: &mut Assembly,
        name: &str,
        bits: u32,
        operands: &[Location],
    ) -> Option<()> {
        match (name, operands) {
            ("mov", &[from, to]) => {
                let value = self.read(assembly, from, bits)?;
                self.write(assembly, to, bits, value)
            }
            ("xchg", &[a, b]) => {
                let (x, y) = (self.read(assembly, a, bits)?, self.read(assembly, b, bits)?);
                self.write(assembly, a, bits, y)?;
                self.write(assembly, b, bits, x)
            }
            ("adc" | "sbb", &[from, to]) => self.with_carry(assembly, name == "adc", bits, from, to),
            ("cmp" | "test", &[from, to]) => {
                let (b, a) = (self.read(assembly, from, bits)?, self.read(assembly, to, bits)?);
                let op = if name == "cmp" { BinaryOp::Sub } else { BinaryOp::And };
                self.arithmetic_with_flags(assembly, op, bits, a, b);
                Some(())
            }
            ("neg", &[to]) => {
                let (a, b) = (self.number(0), self.read(assembly, to, bits)?);
                let result = self.arithmetic_with_flags(assembly, BinaryOp::Sub, bits, a, b);
                self.write(assembly, to, bits, result)
            }
            ("not", &[to]) => {
                let (a, b) = (self.read(assembly, to, bits)?, self.number(mask(bits)));
                let result = self.computed(BinaryOp::Xor, bits, a, b);
                self.write(assembly, to, bits, result)
            }
            ("shl" | "sal" | "shr" | "sar" | "rol" | "ror", &[by, to]) => {
                self.shift(assembly, name, bits, by, to)
            }
            ("shl" | "sal" | "shr" | "sar" | "rol" | "ror", &[to]) => {
                self.shift(assembly, name, bits, Location::Immediate(1), to)
            }
            ("bswap", &[to]) if bits >= 32 => {
                let src = self.read(assembly, to, bits)?;
                let result = self.bits(BitOp::ByteSwap, bits, src);
                self.write(assembly, to, bits, result)
            }
            ("popcnt" | "tzcnt" | "lzcnt", &[from, to]) if bits >= 16 => {
                let op = match name {
                    "popcnt" => BitOp::PopulationCount,
                    "tzcnt" => BitOp::TrailingZeros,
                    _ => BitOp::LeadingZeros,
                };
                let src = self.read(assembly, from, bits)?;
                let result = self.bits(op, bits, src);
                assembly.flags = Flags::default();
                self.write(assembly, to, bits, result)
            }
            ("bsf" | "bsr", &[from, to]) if bits >= 16 => self.bit_scan(assembly, name, bits, from, to),
            ("mul", &[from]) => self.full_product(assembly, bits, from),
            ("inc" | "dec", &[to]) => {
                let carry = assembly.flags.carry;
                let (a, b) = (self.read(assembly, to, bits)?, self.number(1));
                let result = self.arithmetic_with_flags(assembly, arithmetic(name)?.0, bits, a, b);
                assembly.flags.carry = carry;
                self.write(assembly, to, bits, result)
            }
            (_, &[from, to]) => {
                let (op, _) = arithmetic(name)?;
                self.arithmetic_in_place(assembly, op, bits, (from, to))
            }
            _ => None,
        }
    }

    /// An operation whose result replaces its second operand.
    fn arithmetic_in_place(
        &mut self,
        assembly: &mut Assembly,
        op: BinaryOp,
        bits: u32,
        (from, to): (Location, Location),
    ) -> Option<()> {
        // A register less itself is zero whatever it holds.
        let same = matches!((from, to), (Location::Register(a), Location::Register(b)) if a == b);
        let result = if same && matches!(op, BinaryOp::Xor | BinaryOp::Sub) {
            let zero = self.number(0);
            assembly.flags = self.result_flags(bits, zero, Some(zero));
            zero
        } else {
            let (b, a) = (self.read(assembly, from, bits)?, self.read(assembly, to, bits)?);
            self.arithmetic_with_flags(assembly, op, bits, a, b)
        };
        self.write(assembly, to, bits, result)
    }

    /// An instruction with a lock prefix: one atomic operation, ordered as all of these are.
    fn locked_instruction(
        &mut self,
        assembly: &mut Assembly,
        name: &str,
        bits: u32,
        operands: &[Location],
    ) -> Option<()> {
        let ordering = AtomicOrdering::SequentiallyConsistent;
        match (name, operands) {
            ("xchg" | "xadd", &[Location::Register(register), Location::Memory(address)])
            | ("xchg", &[Location::Memory(address), Location::Register(register)]) => {
                let value = self.read(assembly, Location::Register(register), bits)?;
                let op = if name == "xchg" { RmwOp::Exchange } else { RmwOp::Add };
                let dst = self.fresh(1);
                self.extended(Extended::AtomicRmw { op, bits: bits as u8, ordering, dst, address, value });
                let old = Operand::slot(dst);
                if name == "xadd" {
                    self.arithmetic_with_flags(assembly, BinaryOp::Add, bits, old, value);
                }
                self.write(assembly, Location::Register(register), bits, old)
            }
            ("cmpxchg", &[from, Location::Memory(address)]) => {
                let accumulator = Location::Register(named(&assembly.constraints, "ax")?);
                let (expected, replacement) =
                    (self.read(assembly, accumulator, bits)?, self.read(assembly, from, bits)?);
                let dst = self.fresh(2);
                self.extended(Extended::CompareExchange {
                    bits: bits as u8,
                    success: ordering,
                    failure: ordering,
                    dst,
                    address,
                    expected,
                    replacement,
                });
                assembly.flags = Flags { zero: Some(Operand::slot(dst + 1)), ..Flags::default() };
                self.write(assembly, accumulator, bits, Operand::slot(dst))
            }
            (_, &[from, Location::Memory(address)]) => {
                let value = self.read(assembly, from, bits)?;
                self.locked_arithmetic(assembly, name, bits, address, value)
            }
            ("not", &[Location::Memory(address)]) => {
                let (op, value, dst) = (RmwOp::Xor, self.number(mask(bits)), self.fresh(1));
                self.extended(Extended::AtomicRmw { op, bits: bits as u8, ordering, dst, address, value });
                Some(())
            }
            ("inc" | "dec", &[Location::Memory(address)]) => {
                let (carry, one) = (assembly.flags.carry, self.number(1));
                self.locked_arithmetic(assembly, name, bits, address, one)?;
                assembly.flags.carry = carry;
                Some(())
            }
            _ => None,
        }
    }

    fn locked_arithmetic(
        &mut self,
        assembly: &mut Assembly,
        name: &str,
        bits: u32,
        address: Operand,
        value: Operand,
    ) -> Option<()> {
        let (binary, op) = arithmetic(name)?;
        let (dst, ordering) = (self.fresh(1), AtomicOrdering::SequentiallyConsistent);
        self.extended(Extended::AtomicRmw { op, bits: bits as u8, ordering, dst, address, value });
        self.arithmetic_with_flags(assembly, binary, bits, Operand::slot(dst), value);
        Some(())
    }

    /// `a op b`, leaving the flags.
    fn arithmetic_with_flags(
        &mut self,
        assembly: &mut Assembly,
        op: BinaryOp,
        bits: u32,
        a: Operand,
        b: Operand,
    ) -> Operand {
        let result = self.computed(op, bits, a, b);
        let carry = match op {
            BinaryOp::Add => self.compared(Predicate::Ult, bits, result, a),
            BinaryOp::Sub => self.compared(Predicate::Ult, bits, a, b),
            _ => self.number(0),
        };
        assembly.flags = self.result_flags(bits, result, Some(carry));
        assembly.flags.overflow = Some(self.signed_overflow(op, bits, [a, b], result));
        result
    }

    /// Addition or subtraction that takes the carry in.
    fn with_carry(
        &mut self,
        assembly: &mut Assembly,
        adds: bool,
        bits: u32,
        from: Location,
        to: Location,
    ) -> Option<()> {
        let op = if adds { BinaryOp::Add } else { BinaryOp::Sub };
        let carry = assembly.flags.carry?;
        let carry = self.resized(carry, 1, bits);
        let (b, a) = (self.read(assembly, from, bits)?, self.read(assembly, to, bits)?);
        self.arithmetic_with_flags(assembly, op, bits, a, b);
        let (first, part) = (assembly.flags.carry?, self.computed(op, bits, a, b));
        let result = self.arithmetic_with_flags(assembly, op, bits, part, carry);
        let second = assembly.flags.carry?;
        assembly.flags.carry = Some(self.computed(BinaryOp::Or, 1, first, second));
        self.write(assembly, to, bits, result)
    }

    fn shift(
        &mut self,
        assembly: &mut Assembly,
        name: &str,
        bits: u32,
        by: Location,
        to: Location,
    ) -> Option<()> {
        if bits < 32 {
            return None;
        }
        let a = self.read(assembly, to, bits)?;
        let by = self.read(assembly, by, 8)?;
        let (by, limit) = (self.resized(by, 8, bits), self.number(u64::from(bits) - 1));
        let by = self.computed(BinaryOp::And, bits, by, limit);
        let result = match name {
            "shl" | "sal" => self.computed(BinaryOp::Shl, bits, a, by),
            "shr" => self.computed(BinaryOp::LShr, bits, a, by),
            "sar" => self.computed(BinaryOp::AShr, bits, a, by),
            _ => {
                let dst = self.fresh(1);
                let left = name == "rol";
                self.extended(Extended::FunnelShift {
                    left,
                    bits: bits as u8,
                    dst,
                    high: a,
                    low: a,
                    shift: by,
                });
                Operand::slot(dst)
            }
        };
        assembly.flags = Flags::default();
        self.write(assembly, to, bits, result)
    }

    /// `mul`: the accumulator times an operand, in twice the width.
    fn full_product(&mut self, assembly: &mut Assembly, bits: u32, from: Location) -> Option<()> {
        if bits != 64 {
            return None;
        }
        let (low, high) = (named(&assembly.constraints, "ax")?, named(&assembly.constraints, "dx")?);
        let a = self.read(assembly, Location::Register(low), bits)?;
        let b = self.read(assembly, from, bits)?;
        let (x, y) = (self.fresh(2), self.fresh(2));
        for (dst, src) in [(x, a), (y, b)] {
            self.extended(Extended::WideCast { op: CastOp::ZExt, from: 64, to: 128, dst, src });
        }
        let (a, b) = (Operand::slot(x), Operand::slot(y));
        self.extended(Extended::WideBinary { op: BinaryOp::Mul, bits: 128, flags: 0, dst: x, a, b });
        assembly.flags = Flags::default();
        self.write(assembly, Location::Register(low), bits, a)?;
        self.write(assembly, Location::Register(high), bits, a.offset(1))
    }

    /// The address in the thread's control block that memory operand `number`, or zero, says. The block
    /// begins with its own address, as the processor's ABI has it.
    fn of_thread(&mut self, assembly: &Assembly, number: Option<usize>) -> Option<Operand> {
        let offset = match number {
            None => self.number(0),
            Some(number) if assembly.constraints.get(number)?.place == Place::Memory => {
                assembly.registers[number].value?
            }
            Some(_) => return None,
        };
        let (block, dst) = (self.thread_pointer(), self.fresh(1));
        self.emit(Inst::PointerIndex { index_bits: 64, scale: 1, dst, base: block, index: offset });
        Some(Operand::slot(dst))
    }

    /// Where a written operand is.
    pub(super) fn location(&mut self, assembly: &Assembly, written: &Written) -> Option<Location> {
        match *written {
            Written::Number(number, _) => {
                let constraint = assembly.constraints.get(number)?;
                if constraint.place == Place::Memory {
                    return Some(Location::Memory(assembly.registers[number].value?));
                }
                Some(Location::Register(constraint.tied.unwrap_or(number)))
            }
            Written::Behind(ref register, offset) => {
                let Location::Register(number) = self.location(assembly, register)? else { return None };
                let register = &assembly.registers[number];
                (register.bits == 64).then_some(())?;
                let base = register.value?;
                if offset == 0 {
                    return Some(Location::Memory(base));
                }
                let (index, dst) = (self.number(offset as u64), self.fresh(1));
                self.emit(Inst::PointerIndex { index_bits: 64, scale: 1, dst, base, index });
                Some(Location::Memory(Operand::slot(dst)))
            }
            Written::Named(name, _) => Some(Location::Register(named(&assembly.constraints, name)?)),
            Written::Immediate(value) => Some(Location::Immediate(value)),
            Written::OfThread(number) => self.of_thread(assembly, number).map(Location::Memory),
            Written::StackTop | Written::Label(_) => None,
        }
    }

    /// The `bits` bits there.
    pub(super) fn read(&mut self, assembly: &Assembly, location: Location, bits: u32) -> Option<Operand> {
        match location {
            Location::Register(number) => {
                let register = &assembly.registers[number];
                (register.bits >= bits).then_some(())?;
                Some(self.resized(register.value?, register.bits, bits))
            }
            Location::Memory(address) => {
                let dst = self.fresh(1);
                self.emit(Inst::Load { bits: bits as u8, volatile: true, align_log2: 0, dst, address });
                Some(Operand::slot(dst))
            }
            Location::Immediate(value) => Some(self.number(value as u64 & mask(bits))),
        }
    }

    /// Writes `bits` bits. A register's upper half becomes zero by a write of 32. By a smaller one the rest
    /// stays.
    pub(super) fn write(
        &mut self,
        assembly: &mut Assembly,
        location: Location,
        bits: u32,
        value: Operand,
    ) -> Option<()> {
        match location {
            Location::Register(number) => {
                let Register { bits: width, value: before } = assembly.registers[number];
                matches!(assembly.constraints[number].place, Place::Output | Place::Scratch).then_some(())?;
                let mut value = self.resized(value, bits, width);
                if width > bits && bits < 32 {
                    let rest = self.number(mask(width) & !mask(bits));
                    let rest = self.computed(BinaryOp::And, width, before?, rest);
                    value = self.computed(BinaryOp::Or, width, rest, value);
                }
                assembly.registers[number].value = Some(value);
            }
            Location::Memory(address) => {
                self.emit(Inst::Store { bits: bits as u8, volatile: true, align_log2: 0, address, value });
            }
            Location::Immediate(_) => return None,
        }
        Some(())
    }

    /// A value of `from` bits cut or zero-extended to `to`.
    pub(in crate::function) fn resized(&mut self, src: Operand, from: u32, to: u32) -> Operand {
        if from == to {
            return src;
        }
        let dst = self.fresh(1);
        let op = if to < from { CastOp::Trunc } else { CastOp::ZExt };
        self.emit(Inst::Cast { op, from: from as u8, to: to as u8, dst, src });
        Operand::slot(dst)
    }

    pub(in crate::function) fn computed(
        &mut self,
        op: BinaryOp,
        bits: u32,
        a: Operand,
        b: Operand,
    ) -> Operand {
        let dst = self.fresh(1);
        self.emit(Inst::Binary { op, bits: bits as u8, flags: 0, dst, a, b });
        Operand::slot(dst)
    }

    /// The position of the lowest or highest bit that is set. Without one the destination keeps what it has,
    /// as processors do; there the zero flag says so.
    fn bit_scan(
        &mut self,
        assembly: &mut Assembly,
        name: &str,
        bits: u32,
        from: Location,
        to: Location,
    ) -> Option<()> {
        let src = self.read(assembly, from, bits)?;
        let position = if name == "bsf" {
            self.bits(BitOp::TrailingZeros, bits, src)
        } else {
            let above = self.bits(BitOp::LeadingZeros, bits, src);
            let highest = self.number(u64::from(bits) - 1);
            self.computed(BinaryOp::Sub, bits, highest, above)
        };
        // An operand that is output only has nothing to keep.
        let kept = self.read(assembly, to, bits).unwrap_or(position);
        let none = self.number(0);
        let is_zero = self.compared(Predicate::Eq, bits, src, none);
        let result = self.fresh(1);
        self.emit(Inst::Select { dst: result, cond: is_zero, a: kept, b: position });
        assembly.flags = Flags { zero: Some(is_zero), ..Flags::default() };
        self.write(assembly, to, bits, Operand::slot(result))
    }

    fn bits(&mut self, op: BitOp, bits: u32, src: Operand) -> Operand {
        let dst = self.fresh(1);
        self.extended(Extended::Bits { op, bits: bits as u8, partial: false, dst, src });
        Operand::slot(dst)
    }
}

/// The width that register operands agree on.
pub(super) fn common_width(assembly: &Assembly, written: &[Written], locations: &[Location]) -> Option<u32> {
    let mut found = None;
    for (written, location) in written.iter().zip(locations) {
        let bits = match (written, location) {
            (Written::Number(_, Some(bits)) | Written::Named(_, bits), _) => *bits,
            (_, Location::Register(number)) => assembly.registers[*number].bits,
            _ => continue,
        };
        match found {
            Some(known) if known != bits => return None,
            _ => found = Some(bits),
        }
    }
    found
}
