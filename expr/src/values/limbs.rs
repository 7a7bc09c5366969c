//! Unsigned arithmetic on slices of 64-bit limbs, least significant first, all of one length.

use std::cmp::Ordering;

/// Sum modulo 2^(64 · length).
pub(crate) fn add(left: &[u64], right: &[u64]) -> Vec<u64> {
    let mut carry = false;
    left.iter()
        .zip(right)
        .map(|(&a, &b)| {
            let (sum, first) = a.overflowing_add(b);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first | second;
            sum
        })
        .collect()
}

/// Two's complement negation.
pub(crate) fn negate(operand: &[u64]) -> Vec<u64> {
    let mut carry = true;
    operand
        .iter()
        .map(|&limb| {
            let (sum, overflow) = (!limb).overflowing_add(u64::from(carry));
            carry = overflow;
            sum
        })
        .collect()
}

/// Product modulo 2^(64 · length).
pub(crate) fn multiply(left: &[u64], right: &[u64]) -> Vec<u64> {
    let mut product = vec![0u64; left.len()];
    for (i, &a) in left.iter().enumerate().filter(|(_, a)| **a != 0) {
        let mut carry = 0u128;
        for (place, &b) in product[i..].iter_mut().zip(right) {
            let sum = u128::from(a) * u128::from(b) + u128::from(*place) + carry;
            *place = sum as u64;
            carry = sum >> 64;
        }
    }
    product
}

/// Order of the unsigned values.
pub(crate) fn compare(left: &[u64], right: &[u64]) -> Ordering {
    left.iter().rev().cmp(right.iter().rev())
}

/// Shifted left by `amount` bits, zeros coming in.
pub(crate) fn shift_left(operand: &[u64], amount: usize) -> Vec<u64> {
    let (limbs, bits) = (amount / 64, amount % 64);
    let at = |i: usize| i.checked_sub(limbs).map_or(0, |i| operand[i]);
    (0..operand.len())
        .map(|i| match bits {
            0 => at(i),
            _ => at(i) << bits | if i == 0 { 0 } else { at(i - 1) >> (64 - bits) },
        })
        .collect()
}

/// Shifted right by `amount` bits, zeros coming in.
pub(crate) fn shift_right(operand: &[u64], amount: usize) -> Vec<u64> {
    let (limbs, bits) = (amount / 64, amount % 64);
    let at = |i: usize| operand.get(i + limbs).copied().unwrap_or(0);
    (0..operand.len())
        .map(|i| match bits {
            0 => at(i),
            _ => at(i) >> bits | at(i + 1) << (64 - bits),
        })
        .collect()
}

/// Quotient and remainder by restoring division, one bit a step. The divisor is not zero.
pub(crate) fn divide(dividend: &[u64], divisor: &[u64]) -> (Vec<u64>, Vec<u64>) {
    let mut quotient = vec![0u64; dividend.len()];
    // One limb more than the operands, for the bit that doubling the remainder may push out.
    let mut remainder = vec![0u64; dividend.len() + 1];
    let mut divisor = divisor.to_vec();
    divisor.push(0);
    let negated = negate(&divisor);
    for bit in (0..dividend.len() * 64).rev() {
        remainder = shift_left(&remainder, 1);
        remainder[0] |= dividend[bit / 64] >> (bit % 64) & 1;
        if compare(&remainder, &divisor).is_ge() {
            remainder = add(&remainder, &negated);
            quotient[bit / 64] |= 1 << (bit % 64);
        }
    }
    remainder.pop();
    (quotient, remainder)
}
