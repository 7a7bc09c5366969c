//! Integer arithmetic on machine words.

use crate::memory::cause::PoisonReason;
use symx_ir::instruction::{BinaryOp, BitOp, CastOp, MinmaxOp, Predicate, flags};

/// All ones in the low `bits` (1 to 64) bits.
#[inline(always)]
pub fn mask(bits: u8) -> u64 {
    u64::MAX >> (64 - u32::from(bits))
}

/// Sign-extends the low `bits` bits.
#[inline(always)]
pub fn signed(value: u64, bits: u8) -> i64 {
    let shift = 64 - u32::from(bits);
    ((value << shift) as i64) >> shift
}

/// `a op b` in `bits`; `None` for a division by zero or a signed division that overflows.
///
/// Shifts by the width or more, which are poison in LLVM, shift everything out here, as the term simplifier
/// and the solver have it too.
#[inline(always)]
pub fn binary(op: BinaryOp, bits: u8, a: u64, b: u64) -> Option<u64> {
    let wide = u64::from(bits);
    Some(
        match op {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            BinaryOp::Shl => {
                if b < wide {
                    a << b
                } else {
                    0
                }
            }
            BinaryOp::LShr => {
                if b < wide {
                    a >> b
                } else {
                    0
                }
            }
            BinaryOp::AShr => (signed(a, bits) >> b.min(63)) as u64,
            BinaryOp::UDiv => a.checked_div(b)?,
            BinaryOp::URem => a.checked_rem(b)?,
            BinaryOp::SDiv => {
                let (a, b) = (signed(a, bits), signed(b, bits));
                if b == 0 || (b == -1 && a == signed(1 << (bits - 1), bits)) {
                    return None;
                }
                (a / b) as u64
            }
            BinaryOp::SRem => {
                let (a, b) = (signed(a, bits), signed(b, bits));
                if b == 0 || (b == -1 && a == signed(1 << (bits - 1), bits)) {
                    return None;
                }
                (a % b) as u64
            }
        } & mask(bits),
    )
}

/// Which promise `a op b` in `bits` breaks, given its flags. A shift always promises to stay below the width.
#[inline(always)]
pub fn poison(op: BinaryOp, bits: u8, flags: u8, a: u64, b: u64) -> Option<PoisonReason> {
    let (signed_promised, unsigned_promised) =
        (flags & flags::NO_SIGNED_WRAP != 0, flags & flags::NO_UNSIGNED_WRAP != 0);
    let inexact = |lost: bool| (flags & flags::EXACT != 0 && lost).then_some(PoisonReason::Inexact);
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
            if signed_promised && overflows_signed(op, bits, a, b) {
                return Some(PoisonReason::SignedOverflow);
            }
            let over = unsigned_promised && overflows_unsigned(op, bits, a, b);
            over.then_some(PoisonReason::UnsignedOverflow)
        }
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr if b >= u64::from(bits) => {
            Some(PoisonReason::ShiftOutOfRange)
        }
        BinaryOp::Shl => {
            let shifted = a << b & mask(bits);
            if signed_promised && signed(shifted, bits) >> b != signed(a, bits) {
                return Some(PoisonReason::SignedOverflow);
            }
            (unsigned_promised && shifted >> b != a).then_some(PoisonReason::UnsignedOverflow)
        }
        BinaryOp::LShr | BinaryOp::AShr => inexact(a >> b << b != a),
        // Neither a division by zero nor one that overflows gets as far as a result.
        BinaryOp::UDiv => inexact(b != 0 && !a.is_multiple_of(b)),
        BinaryOp::SDiv => inexact(b != 0 && signed(a, bits).wrapping_rem(signed(b, bits)) != 0),
        BinaryOp::URem | BinaryOp::SRem | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => None,
    }
}

/// Whether the exact sum, difference or product does not fit `bits` as a signed number.
#[inline(always)]
fn overflows_signed(op: BinaryOp, bits: u8, a: u64, b: u64) -> bool {
    if bits == 32 {
        let (a, b) = (a as i32, b as i32);
        return match op {
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Sub => a.checked_sub(b),
            _ => a.checked_mul(b),
        }
        .is_none();
    }
    let (a, b) = (signed(a, bits), signed(b, bits));
    let exact = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        _ => a.checked_mul(b),
    };
    exact.is_none_or(|exact| signed(exact as u64, bits) != exact)
}

/// Whether the exact sum, difference or product does not fit `bits` as an unsigned number.
#[inline(always)]
fn overflows_unsigned(op: BinaryOp, bits: u8, a: u64, b: u64) -> bool {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        _ => a.checked_mul(b),
    }
    .is_none_or(|exact| exact > mask(bits))
}

/// `a predicate b` in `bits`.
#[inline(always)]
pub fn compare(predicate: Predicate, bits: u8, a: u64, b: u64) -> bool {
    match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ult => a < b,
        Predicate::Ule => a <= b,
        Predicate::Ugt => a > b,
        Predicate::Uge => a >= b,
        Predicate::Slt => signed(a, bits) < signed(b, bits),
        Predicate::Sle => signed(a, bits) <= signed(b, bits),
        Predicate::Sgt => signed(a, bits) > signed(b, bits),
        Predicate::Sge => signed(a, bits) >= signed(b, bits),
    }
}

/// Width change of one-slot integers.
#[inline(always)]
pub fn cast(op: CastOp, from: u8, to: u8, value: u64) -> u64 {
    match op {
        CastOp::Trunc | CastOp::ZExt => value & mask(to),
        CastOp::SExt => signed(value, from) as u64 & mask(to),
    }
}

/// A bit operation on `bits` bits.
pub(crate) fn bit_operation(op: BitOp, bits: u8, x: u64) -> u64 {
    let unused = 64 - u32::from(bits);
    let result = match op {
        BitOp::PopulationCount => x.count_ones().into(),
        BitOp::LeadingZeros => (x.leading_zeros() - unused).into(),
        BitOp::TrailingZeros => x.trailing_zeros().min(bits.into()).into(),
        BitOp::ByteSwap => x.swap_bytes() >> unused,
        BitOp::Reverse => x.reverse_bits() >> unused,
        BitOp::Absolute => signed(x, bits).unsigned_abs(),
    };
    result & mask(bits)
}

/// Whether a partial bit operation has no result: a count of the zeros of 0, the absolute value of the least
/// number.
pub(crate) fn lacks_result(op: BitOp, bits: u8, x: u64) -> bool {
    match op {
        BitOp::LeadingZeros | BitOp::TrailingZeros => x == 0,
        BitOp::Absolute => x == 1 << (bits - 1),
        BitOp::PopulationCount | BitOp::ByteSwap | BitOp::Reverse => false,
    }
}

/// Minimum, maximum and saturating arithmetic in `bits` bits. Shifts by the width or more saturate whatever
/// is not 0.
pub(crate) fn minmax(op: MinmaxOp, bits: u8, x: u64, y: u64) -> u64 {
    let (sx, sy) = (i128::from(signed(x, bits)), i128::from(signed(y, bits)));
    let (least, most) = (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1);
    // The bits shifted out of 128 would have been out of range long before.
    let distance = y.min(63) as u32;
    let result = match op {
        MinmaxOp::SMin => sx.min(sy) as u64,
        MinmaxOp::SMax => sx.max(sy) as u64,
        MinmaxOp::UMin => x.min(y),
        MinmaxOp::UMax => x.max(y),
        MinmaxOp::SAddSat => (sx + sy).clamp(least, most) as u64,
        MinmaxOp::SSubSat => (sx - sy).clamp(least, most) as u64,
        MinmaxOp::UAddSat => (u128::from(x) + u128::from(y)).min(mask(bits).into()) as u64,
        MinmaxOp::USubSat => x.saturating_sub(y),
        MinmaxOp::SShlSat => (sx << distance).clamp(least, most) as u64,
        MinmaxOp::UShlSat => (u128::from(x) << distance).min(mask(bits).into()) as u64,
    };
    result & mask(bits)
}

/// A shift of `high` and `low` side by side by `shift` modulo the width; of the result the upper half
/// (`left`) or the lower one.
pub(crate) fn funnel_shift(left: bool, bits: u8, high: u64, low: u64, shift: u64) -> u64 {
    let whole = u128::from(high) << bits | u128::from(low);
    let distance = (shift % u64::from(bits)) as u32;
    let result = if left { whole << distance >> bits } else { whole >> distance };
    result as u64 & mask(bits)
}

/// The result of `a op b` in `bits` bits, and whether the exact one does not fit.
pub(crate) fn with_overflow(op: BinaryOp, is_signed: bool, bits: u8, a: u64, b: u64) -> Option<(u64, bool)> {
    let result = binary(op, bits, a, b)?;
    let overflows = if is_signed { overflows_signed } else { overflows_unsigned };
    Some((result, overflows(op, bits, a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_promises_are_noticed_at_every_width() {
        use PoisonReason::{Inexact, ShiftOutOfRange, SignedOverflow, UnsignedOverflow};
        let (signed, unsigned, exact) = (flags::NO_SIGNED_WRAP, flags::NO_UNSIGNED_WRAP, flags::EXACT);
        for bits in [8, 31, 32, 33, 64] {
            let (top, all) = (1_u64 << (bits - 1), mask(bits));
            for (op, flags, a, b, reason) in [
                (BinaryOp::Add, signed, top - 1, 1, Some(SignedOverflow)),
                (BinaryOp::Add, signed, all, all, None),
                (BinaryOp::Add, unsigned, all, 1, Some(UnsignedOverflow)),
                (BinaryOp::Add, unsigned, top - 1, 1, None),
                (BinaryOp::Add, signed | unsigned, all, 1, Some(UnsignedOverflow)),
                (BinaryOp::Add, 0, all, 1, None),
                (BinaryOp::Sub, signed, top, 1, Some(SignedOverflow)),
                (BinaryOp::Sub, unsigned, 0, 1, Some(UnsignedOverflow)),
                (BinaryOp::Sub, signed, 0, 1, None),
                (BinaryOp::Mul, signed, top, all, Some(SignedOverflow)),
                (BinaryOp::Mul, signed, all, all, None),
                (BinaryOp::Mul, unsigned, top, 2, Some(UnsignedOverflow)),
                (BinaryOp::Mul, unsigned, all, 1, None),
                (BinaryOp::Shl, 0, 1, bits.into(), Some(ShiftOutOfRange)),
                (BinaryOp::AShr, 0, 1, u64::MAX, Some(ShiftOutOfRange)),
                (BinaryOp::Shl, signed, 1, u64::from(bits) - 1, Some(SignedOverflow)),
                (BinaryOp::Shl, signed, all, u64::from(bits) - 1, None),
                (BinaryOp::Shl, unsigned, 3, u64::from(bits) - 1, Some(UnsignedOverflow)),
                (BinaryOp::Shl, unsigned, 1, u64::from(bits) - 1, None),
                (BinaryOp::LShr, exact, 6, 2, Some(Inexact)),
                (BinaryOp::AShr, exact, 8, 2, None),
                (BinaryOp::UDiv, exact, 7, 2, Some(Inexact)),
                (BinaryOp::SDiv, exact, all - 3, 4, None),
                (BinaryOp::SDiv, exact, all, 4, Some(Inexact)),
                (BinaryOp::SDiv, 0, 7, 2, None),
            ] {
                assert_eq!(poison(op, bits, flags, a, b), reason, "{op:?} of {a:#x} and {b:#x} in {bits}");
            }
        }
    }

    #[test]
    fn narrow_arithmetic_wraps_and_keeps_signs() {
        assert_eq!(binary(BinaryOp::Add, 8, 0xff, 2), Some(1));
        assert_eq!(binary(BinaryOp::SDiv, 8, 0xf8, 2), Some(0xfc));
        assert_eq!(binary(BinaryOp::SDiv, 8, 0x80, 0xff), None);
        assert_eq!(binary(BinaryOp::SRem, 32, 7, 0), None);
        assert_eq!(binary(BinaryOp::AShr, 16, 0x8000, 40), Some(0xffff));
        assert_eq!(binary(BinaryOp::Shl, 32, 1, 32), Some(0));
        assert!(compare(Predicate::Slt, 4, 0x8, 0x7) && !compare(Predicate::Ult, 4, 0x8, 0x7));
        assert_eq!(cast(CastOp::SExt, 4, 64, 0x8), 0xffff_ffff_ffff_fff8);
    }
}
