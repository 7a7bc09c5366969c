//! `llvm.is.fpclass`: tests of a float's bits.

use super::Builder;
use crate::constants::mask;
use crate::llvm::{TypeKind, Value};
use crate::shape::float_format;
use crate::unsupported::{Translated, unsupported};
use symx_ir::instruction::{BinaryOp, Extended, FloatFormat, FloatPredicate, FloatUnary, Predicate};
use symx_ir::{Constant, Inst, Operand, Slot};

/// A class of floats as a range of bit patterns: those from `first` to `last`.
struct Range {
    /// Bit of the intrinsic's mask.
    bit: u32,
    first: u64,
    last: u64,
}

/// The ten classes of a format, which are ten ranges of its bit patterns (NaNs of either sign apart).
fn ranges(format: FloatFormat) -> Option<Vec<Range>> {
    let fraction_bits = match format {
        FloatFormat::Half => 10,
        FloatFormat::BFloat => 7,
        FloatFormat::Single => 23,
        FloatFormat::Double => 52,
        FloatFormat::Extended80 | FloatFormat::Quad => return None,
    };
    let sign = 1u64 << (format.bits() - 1);
    let infinity = (sign - 1) & !mask(fraction_bits);
    let least_normal = 1 << fraction_bits;
    let quiet = infinity | 1 << (fraction_bits - 1);
    let positive = [
        (0, infinity + 1, quiet - 1),
        (1, quiet, sign - 1),
        (6, 0, 0),
        (7, 1, least_normal - 1),
        (8, least_normal, infinity - 1),
        (9, infinity, infinity),
    ];
    // Mask bits of the negative counterparts.
    let mirrored = [0, 1, 5, 4, 3, 2];
    let both = positive.into_iter().zip(mirrored).flat_map(|((bit, first, last), negative)| {
        [Range { bit, first, last }, Range { bit: negative, first: first | sign, last: last | sign }]
    });
    Some(both.collect())
}

/// Classes of a two-slot format that one comparison with `limit` has as its `outcome`.
struct Part {
    /// Bits of the intrinsic's mask.
    classes: u64,
    /// Whether the absolute value is compared.
    of_magnitude: bool,
    limit: [u64; 2],
    /// As in [`FloatPredicate`].
    outcome: u8,
}

/// Larger sets of classes first.
fn wide_parts(format: FloatFormat) -> [Part; 6] {
    const EQUAL: u8 = 1;
    const LESS: u8 = 4;
    const UNORDERED: u8 = 8;
    let (infinity, negative_infinity) = match format {
        FloatFormat::Extended80 => ([1 << 63, 0x7fff], [1 << 63, 0xffff]),
        _ => ([0, 0x7fff << 48], [0, 0xffff << 48]),
    };
    let part = |classes, of_magnitude, limit, outcome| Part { classes, of_magnitude, limit, outcome };
    [
        part(0x1f8, true, infinity, LESS),
        part(0x204, true, infinity, EQUAL),
        part(0x003, false, infinity, UNORDERED),
        part(0x200, false, infinity, EQUAL),
        part(0x004, false, negative_infinity, EQUAL),
        part(0x060, false, [0, 0], EQUAL),
    ]
}

impl<'m> Builder<'_, 'm> {
    pub(super) fn classify(&mut self, call: Value<'m>) -> Translated<()> {
        let lanes = self.lanes(call.operand(0).type_of())?;
        let format = float_format(lanes.element)?;
        let wanted = self.literal(call.operand(1)).unwrap_or(0);
        let Some(mut ranges) = ranges(format) else {
            return self.classify_wide(call, format, wanted);
        };
        ranges.retain(|range| wanted >> range.bit & 1 == 1);
        let src = self.operand(call.operand(0))?;
        let dst = self.result(call)?;
        let zero = self.number(0);
        for lane in 0..lanes.count {
            self.copy(dst + lane, zero, 1);
            for range in &ranges {
                let inside = self.within(format.bits() as u8, src.offset(lane), range);
                let (a, b) = (Operand::slot(dst + lane), Operand::slot(inside));
                self.emit(Inst::Binary { op: BinaryOp::Or, bits: 1, flags: 0, dst: dst + lane, a, b });
            }
        }
        Ok(())
    }

    /// The classes of a two-slot format, as far as comparisons distinguish them.
    fn classify_wide(&mut self, call: Value<'m>, format: FloatFormat, wanted: u64) -> Translated<()> {
        if call.operand(0).type_of().kind() == TypeKind::LLVMVectorTypeKind {
            return unsupported(format!("llvm.is.fpclass of vectors of {format:?}"));
        }
        let (dst, src) = (self.result(call)?, self.operand(call.operand(0))?);
        let magnitude = self.fresh(2);
        self.extended(Extended::WideFloatUnary { op: FloatUnary::Absolute, format, dst: magnitude, src });
        let zero = self.number(0);
        self.copy(dst, zero, 1);
        let mut left = wanted;
        for part in wide_parts(format) {
            if left & part.classes != part.classes {
                continue;
            }
            left &= !part.classes;
            let a = if part.of_magnitude { Operand::slot(magnitude) } else { src };
            let (inside, b) = (self.fresh(1), self.pool(&part.limit.map(Constant::Bits)));
            let predicate = FloatPredicate(part.outcome);
            self.extended(Extended::WideFloatCompare { predicate, format, dst: inside, a, b });
            let (a, b) = (Operand::slot(dst), Operand::slot(inside));
            self.emit(Inst::Binary { op: BinaryOp::Or, bits: 1, flags: 0, dst, a, b });
        }
        match left {
            0 => Ok(()),
            _ => unsupported(format!("llvm.is.fpclass of {format:?} with mask {wanted:#x}")),
        }
    }

    /// Whether `src` lies in `range`: `src - first <= last - first`, unsigned.
    fn within(&mut self, bits: u8, src: Operand, range: &Range) -> Slot {
        let slot = self.fresh(2);
        let (first, width) = (self.number(range.first), self.number(range.last - range.first));
        self.emit(Inst::Binary { op: BinaryOp::Sub, bits, flags: 0, dst: slot, a: src, b: first });
        let a = Operand::slot(slot);
        self.emit(Inst::Compare { predicate: Predicate::Ule, bits, dst: slot + 1, a, b: width });
        slot + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_single_has_exactly_one_range() {
        let ranges = ranges(FloatFormat::Single).unwrap();
        for value in [0.0, -0.0, 1.0, -1.5, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE / 2.0] {
            let bits = u64::from(value.to_bits());
            let inside: Vec<u32> = ranges
                .iter()
                .filter(|range| (range.first..=range.last).contains(&bits))
                .map(|r| r.bit)
                .collect();
            use std::num::FpCategory::*;
            let expected = match (value.classify(), value.is_sign_negative()) {
                (Infinite, true) => 2,
                (Normal, true) => 3,
                (Subnormal, true) => 4,
                (Zero, true) => 5,
                (Zero, false) => 6,
                (Subnormal, false) => 7,
                (Normal, false) => 8,
                (Infinite, false) => 9,
                (Nan, _) => 1,
            };
            assert_eq!(inside, [expected], "{value}");
        }
        let nan = u64::from(f32::NAN.to_bits());
        assert!(ranges.iter().any(|range| range.bit == 1 && (range.first..=range.last).contains(&nan)));
    }
}
