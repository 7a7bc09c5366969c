//! Integer arithmetic on machine words.

use symx_ir::instruction::{BinaryOp, CastOp, Predicate};

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
/// Shifts by the width or more are poison in LLVM; here they shift everything out, as the hardware-independent
/// reading that the term simplifier and the solver share.
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

#[cfg(test)]
mod tests {
    use super::*;

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
