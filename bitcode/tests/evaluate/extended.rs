//! The rarer instructions.

use super::{Frame, Machine, binary, bits_of, cast, compare, float_of, mask, signed};
use symx_ir::Operand;
use symx_ir::instruction::{BitOp, Extended, FloatCast, MinmaxOp, RmwOp};

fn bit_operation(op: BitOp, bits: u32, value: u64) -> u64 {
    let result = match op {
        BitOp::PopulationCount => value.count_ones().into(),
        BitOp::LeadingZeros => u64::from(value.leading_zeros() - (64 - bits)),
        BitOp::TrailingZeros => u64::from(value.trailing_zeros().min(bits)),
        BitOp::ByteSwap => value.swap_bytes() >> (64 - bits),
        BitOp::Reverse => value.reverse_bits() >> (64 - bits),
        BitOp::Absolute => signed(value.into(), bits).unsigned_abs() as u64,
    };
    result & mask(bits) as u64
}

fn minmax(op: MinmaxOp, bits: u32, a: u128, b: u128) -> u128 {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let (least, greatest) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let result = match op {
        MinmaxOp::SMin => sa.min(sb) as u128,
        MinmaxOp::SMax => sa.max(sb) as u128,
        MinmaxOp::UMin => a.min(b),
        MinmaxOp::UMax => a.max(b),
        MinmaxOp::SAddSat => (sa + sb).clamp(least, greatest) as u128,
        MinmaxOp::SSubSat => (sa - sb).clamp(least, greatest) as u128,
        MinmaxOp::UAddSat => (a + b).min(mask(bits)),
        MinmaxOp::USubSat => a.saturating_sub(b),
        MinmaxOp::SShlSat => (sa << b.min(63)).clamp(least, greatest) as u128,
        MinmaxOp::UShlSat => (a << b.min(63)).min(mask(bits)),
    };
    result & mask(bits)
}

/// Slots of the widths `from` as slots of the widths `to`.
fn repack(frame: &Frame<'_>, from: &[u8], to: &[u8], src: Operand) -> Vec<u64> {
    let mut bits = Vec::new();
    for (slot, &width) in from.iter().enumerate() {
        let value = frame.read(src.offset(slot as u32));
        bits.extend((0..width).map(|bit| value >> bit & 1));
    }
    let mut rest = bits.into_iter();
    to.iter().map(|&width| (0..width).map(|bit| rest.next().unwrap() << bit).sum()).collect()
}

impl<'p> Machine<'p> {
    pub(super) fn extended(&mut self, frame: &mut Frame<'p>, instruction: &Extended) {
        match *instruction {
            Extended::WideBinary { op, bits, dst, a, b, .. } => {
                let value = binary(op, bits, frame.read_wide(a, bits), frame.read_wide(b, bits));
                frame.write_wide(dst, bits, value);
            }
            Extended::WideCompare { predicate, bits, dst, a, b } => {
                let (a, b) = (frame.read_wide(a, bits), frame.read_wide(b, bits));
                frame.write(dst, compare(predicate, bits, a, b).into());
            }
            Extended::WideCast { op, from, to, dst, src } => {
                let value = cast(op, from, to, frame.read_wide(src, from));
                frame.write_wide(dst, to, value);
            }
            Extended::Repack { ref from, ref to, dst, src } => {
                for (offset, word) in repack(frame, from, to, src).into_iter().enumerate() {
                    frame.write(dst + offset as u32, word);
                }
            }
            Extended::LoadPieces { ref pieces, dst, address, .. } => {
                let address = frame.read(address);
                for (offset, piece) in pieces.iter().enumerate() {
                    let bits = u32::from(piece.bits);
                    let word = self.load(address + u64::from(piece.offset), bits.div_ceil(8));
                    frame.write(dst + offset as u32, word & mask(bits) as u64);
                }
            }
            Extended::StorePieces { ref pieces, address, value, .. } => {
                let address = frame.read(address);
                for (offset, piece) in pieces.iter().enumerate() {
                    let word = frame.read(value.offset(offset as u32));
                    self.store(address + u64::from(piece.offset), u32::from(piece.bits).div_ceil(8), word);
                }
            }
            Extended::SelectRun { dst, cond, a, b, count } => {
                let from = if frame.read(cond) == 1 { a } else { b };
                for slot in 0..count {
                    let value = frame.read(from.offset(slot));
                    frame.write(dst + slot, value);
                }
            }
            Extended::ExtractElement { dst, vector, index, width, .. } => {
                let at = frame.read(index) as u32 * width;
                for slot in 0..width {
                    let value = frame.read(vector.offset(at + slot));
                    frame.write(dst + slot, value);
                }
            }
            Extended::InsertElement { dst, vector, element, index, width, lanes } => {
                let at = frame.read(index) as u32 * width;
                for slot in 0..width * lanes {
                    let inserted = slot >= at && slot < at + width;
                    let value =
                        frame.read(if inserted { element.offset(slot - at) } else { vector.offset(slot) });
                    frame.write(dst + slot, value);
                }
            }
            // Any value: it must not be read.
            Extended::Undefined { bits, dst } => {
                frame.write(dst, 0xa5a5_5a5a_a5a5_5a5a & mask(bits.into()) as u64);
            }
            Extended::Bits { op, bits, dst, src, .. } => {
                let value = bit_operation(op, bits.into(), frame.read(src));
                frame.write(dst, value);
            }
            Extended::Minmax { op, bits, dst, a, b } => {
                let value = minmax(op, bits.into(), frame.read(a).into(), frame.read(b).into());
                frame.write(dst, value as u64);
            }
            Extended::WithOverflow { op, signed: is_signed, bits, dst, a, b } => {
                assert!(bits <= 64);
                let (a, b) = (u128::from(frame.read(a)), u128::from(frame.read(b)));
                let value = binary(op, bits, a, b);
                let fits = if is_signed {
                    let exact = binary(op, 128, signed(a, bits) as u128, signed(b, bits) as u128);
                    exact as i128 == signed(value, bits)
                } else {
                    binary(op, 128, a, b) == value
                };
                frame.write(dst, value as u64);
                frame.write(dst + 1, (!fits).into());
            }
            Extended::FunnelShift { left, bits, dst, high, low, shift } => {
                let bits = u32::from(bits);
                let both = u128::from(frame.read(high)) << bits | u128::from(frame.read(low));
                let shift = (frame.read(shift) % u64::from(bits)) as u32;
                let value = if left { both << shift >> bits } else { both >> shift };
                frame.write(dst, (value & mask(bits)) as u64);
            }
            Extended::FloatCast { cast, dst, src } => self.float_cast(frame, cast, dst, src),
            Extended::FloatMultiplyAdd { format, fused, dst, a, b, c } => {
                let [a, b, c] = [a, b, c].map(|operand| float_of(format, frame.read(operand)));
                let product = float_of(format, bits_of(format, a * b));
                let value = if fused { a.mul_add(b, c) } else { product + c };
                frame.write(dst, bits_of(format, value));
            }
            Extended::MemoryCopy { to, from, size, .. } => {
                let (to, from) = (frame.read(to), frame.read(from));
                let bytes: Vec<u8> = (0..frame.read(size)).map(|at| self.memory[&(from + at)]).collect();
                for (at, byte) in bytes.into_iter().enumerate() {
                    self.store(to + at as u64, 1, byte.into());
                }
            }
            Extended::MemorySet { to, value, size } => {
                for at in 0..frame.read(size) {
                    self.store(frame.read(to) + at, 1, frame.read(value));
                }
            }
            Extended::AtomicRmw { op, bits, dst, address, value, .. } => {
                let (address, bits) = (frame.read(address), u32::from(bits));
                let (old, value) = (self.load(address, bits / 8), frame.read(value));
                let new = match op {
                    RmwOp::Add => old.wrapping_add(value),
                    RmwOp::Exchange => value,
                    RmwOp::Nand => !(old & value),
                    other => panic!("{other:?}"),
                };
                self.store(address, bits / 8, new);
                frame.write(dst, old);
            }
            Extended::CompareExchange { bits, dst, address, expected, replacement, .. } => {
                let (address, bytes) = (frame.read(address), u32::from(bits) / 8);
                let old = self.load(address, bytes);
                let exchanged = old == frame.read(expected);
                if exchanged {
                    self.store(address, bytes, frame.read(replacement));
                }
                frame.write(dst, old);
                frame.write(dst + 1, exchanged.into());
            }
            Extended::AtomicLoad { bits, dst, address, .. } => {
                let value = self.load(frame.read(address), u32::from(bits) / 8);
                frame.write(dst, value);
            }
            Extended::AtomicStore { bits, address, value, .. } => {
                self.store(frame.read(address), u32::from(bits) / 8, frame.read(value));
            }
            Extended::ThreadLocalAddress { dst, global } => {
                let address = frame.read(global);
                frame.write(dst, address);
            }
            Extended::VariadicStart { list } => {
                let list = frame.read(list);
                self.store(list, 4, 48);
                self.store(list + 4, 4, 176);
                self.store(list + 8, 8, frame.variable_area);
                self.store(list + 16, 8, 0);
            }
            Extended::VariadicCopy { to, from } => {
                for at in [0, 8, 16] {
                    let word = self.load(frame.read(from) + at, 8);
                    self.store(frame.read(to) + at, 8, word);
                }
            }
            Extended::StackSave { .. }
            | Extended::StackRestore { .. }
            | Extended::VariadicEnd
            | Extended::Lifetime { .. }
            | Extended::Fence { .. }
            | Extended::Assume { .. } => {}
            ref other => panic!("{other:?} in {}", frame.function.name),
        }
    }

    fn float_cast(&mut self, frame: &mut Frame<'p>, cast: FloatCast, dst: u32, src: Operand) {
        match cast {
            FloatCast::Convert { from, to } => {
                let value = float_of(from, frame.read(src));
                frame.write(dst, bits_of(to, value));
            }
            FloatCast::ToInteger { from, bits, signed: is_signed, .. } => {
                let value = float_of(from, frame.read(src));
                let integer = if is_signed { value as i128 as u128 } else { value as u128 };
                frame.write_wide(dst, bits, integer);
            }
            FloatCast::FromInteger { bits, signed: is_signed, to } => {
                let value = frame.read_wide(src, bits);
                // By way of the exact width: rounding twice would be wrong.
                let float = match (is_signed, to) {
                    (true, symx_ir::instruction::FloatFormat::Single) => {
                        f64::from(signed(value, bits) as f32)
                    }
                    (false, symx_ir::instruction::FloatFormat::Single) => f64::from(value as f32),
                    (true, _) => signed(value, bits) as f64,
                    (false, _) => value as f64,
                };
                frame.write(dst, bits_of(to, float));
            }
        }
    }
}
