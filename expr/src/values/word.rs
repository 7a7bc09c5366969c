//! Bit-vector operators on values of at most 64 bits, held in one machine word.

use crate::node::{BinaryOperator, UnaryOperator};

/// All `width` low bits set; `width` is 1 to 64.
pub(crate) const fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The value read as two's complement of `width` bits.
pub(crate) const fn signed(width: u32, value: u64) -> i64 {
    let unused = 64 - width;
    ((value << unused) as i64) >> unused
}

/// Applies an operator; the result has no bit above `width`.
pub(crate) fn unary(operator: UnaryOperator, width: u32, operand: u64) -> u64 {
    let result = match operator {
        UnaryOperator::Not => !operand,
        UnaryOperator::Negate => operand.wrapping_neg(),
    };
    result & mask(width)
}

/// Applies an operator to operands of `width` bits; the result has no bit above its own width.
pub(crate) fn binary(operator: BinaryOperator, width: u32, left: u64, right: u64) -> u64 {
    use BinaryOperator::*;
    let (signed_left, signed_right) = (signed(width, left), signed(width, right));
    let result = match operator {
        Add => left.wrapping_add(right),
        Subtract => left.wrapping_sub(right),
        Multiply => left.wrapping_mul(right),
        UnsignedDivide => left.checked_div(right).unwrap_or(u64::MAX),
        UnsignedRemainder => left.checked_rem(right).unwrap_or(left),
        SignedDivide if right == 0 => (if signed_left < 0 { 1i64 } else { -1 }) as u64,
        SignedDivide => signed_left.wrapping_div(signed_right) as u64,
        SignedRemainder if right == 0 => left,
        SignedRemainder => signed_left.wrapping_rem(signed_right) as u64,
        And => left & right,
        Or => left | right,
        Xor => left ^ right,
        ShiftLeft if right >= u64::from(width) => 0,
        ShiftLeft => left << right,
        LogicalShiftRight if right >= u64::from(width) => 0,
        LogicalShiftRight => left >> right,
        ArithmeticShiftRight => (signed_left >> right.min(63)) as u64,
        Equal => return u64::from(left == right),
        UnsignedLess => return u64::from(left < right),
        UnsignedLessEqual => return u64::from(left <= right),
        SignedLess => return u64::from(signed_left < signed_right),
        SignedLessEqual => return u64::from(signed_left <= signed_right),
    };
    result & mask(width)
}
