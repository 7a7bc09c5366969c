//! Values: bit vectors of any width with SMT-LIB's operators.

use std::fmt;

use crate::node::{BinaryOperator, UnaryOperator};
use crate::values::limbs;
use crate::values::word;

/// The largest width of a value or term, in bits.
pub const MAXIMUM_WIDTH: u32 = 1 << 16;

/// A value of 1 to [`MAXIMUM_WIDTH`] bits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BitVector {
    width: u32,
    storage: Storage,
}

/// Bits above the width are zero. One word exactly for widths up to 64, so that equality is structural.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Storage {
    Word(u64),
    Limbs(Box<[u64]>),
}

fn check_width(width: u32) {
    assert!((1..=MAXIMUM_WIDTH).contains(&width), "a width of {width} bits is not in 1..={MAXIMUM_WIDTH}");
}

impl BitVector {
    /// The value modulo 2^width, with zeros above bit 63.
    ///
    /// # Panics
    /// If the width is zero or above [`MAXIMUM_WIDTH`].
    pub fn from_u64(width: u32, value: u64) -> Self {
        check_width(width);
        if width <= 64 {
            BitVector { width, storage: Storage::Word(value & word::mask(width)) }
        } else {
            Self::from_limbs(width, &[value])
        }
    }

    /// The value modulo 2^width of limbs, least significant first; missing limbs are zero.
    ///
    /// # Panics
    /// If the width is zero or above [`MAXIMUM_WIDTH`].
    pub fn from_limbs(width: u32, limbs: &[u64]) -> Self {
        check_width(width);
        if width <= 64 {
            return Self::from_u64(width, limbs.first().copied().unwrap_or(0));
        }
        let mut limbs = limbs.to_vec();
        limbs.resize(width.div_ceil(64) as usize, 0);
        if !width.is_multiple_of(64)
            && let Some(top) = limbs.last_mut()
        {
            *top &= word::mask(width % 64);
        }
        BitVector { width, storage: Storage::Limbs(limbs.into()) }
    }

    /// All bits zero.
    pub fn zero(width: u32) -> Self {
        Self::from_u64(width, 0)
    }

    /// All bits one.
    pub fn all_ones(width: u32) -> Self {
        Self::zero(width).unary(UnaryOperator::Not)
    }

    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The limbs, least significant first.
    pub fn limbs(&self) -> &[u64] {
        match &self.storage {
            Storage::Word(value) => std::slice::from_ref(value),
            Storage::Limbs(limbs) => limbs,
        }
    }

    /// The unsigned value where it is below 2^64.
    pub fn to_u64(&self) -> Option<u64> {
        let (low, high) = self.limbs().split_first()?;
        high.iter().all(|limb| *limb == 0).then_some(*low)
    }

    /// Whether all bits are zero.
    pub fn is_zero(&self) -> bool {
        self.limbs().iter().all(|limb| *limb == 0)
    }

    /// Whether all bits are one.
    pub fn is_all_ones(&self) -> bool {
        self.unary(UnaryOperator::Not).is_zero()
    }

    /// Bit `index`, counted from the least significant; false above the width.
    pub fn bit(&self, index: u32) -> bool {
        self.limbs().get(index as usize / 64).is_some_and(|limb| limb >> (index % 64) & 1 == 1)
    }

    /// The most significant bit.
    pub fn sign(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// Applies an operator of one operand.
    pub fn unary(&self, operator: UnaryOperator) -> Self {
        match &self.storage {
            Storage::Word(value) => Self::from_u64(self.width, word::unary(operator, self.width, *value)),
            Storage::Limbs(value) => {
                let result = match operator {
                    UnaryOperator::Not => value.iter().map(|limb| !limb).collect(),
                    UnaryOperator::Negate => limbs::negate(value),
                };
                Self::from_limbs(self.width, &result)
            }
        }
    }

    /// Applies an operator of two operands.
    ///
    /// # Panics
    /// If the operands' widths differ.
    pub fn binary(&self, operator: BinaryOperator, other: &Self) -> Self {
        assert_eq!(self.width, other.width, "operands of {operator:?} have equal widths");
        let width = if operator.is_comparison() { 1 } else { self.width };
        match (&self.storage, &other.storage) {
            (Storage::Word(left), Storage::Word(right)) => {
                Self::from_u64(width, word::binary(operator, self.width, *left, *right))
            }
            _ => self.wide_binary(operator, other),
        }
    }

    fn wide_binary(&self, operator: BinaryOperator, other: &Self) -> Self {
        use BinaryOperator::*;
        let (left, right) = (self.limbs(), other.limbs());
        let whole = |limbs: Vec<u64>| Self::from_limbs(self.width, &limbs);
        let each = |combine: fn(u64, u64) -> u64| {
            whole(left.iter().zip(right).map(|(a, b)| combine(*a, *b)).collect())
        };
        let truth = |value: bool| Self::from_u64(1, value.into());
        let ordering = || limbs::compare(left, right);
        let signed_ordering = || other.sign().cmp(&self.sign()).then(ordering());
        // The amount of a shift that leaves something; `None` when all bits are shifted out.
        let amount = || other.to_u64().filter(|amount| *amount < self.width.into()).map(|a| a as usize);
        let zero = || Self::zero(self.width);
        match operator {
            Add => whole(limbs::add(left, right)),
            Subtract => whole(limbs::add(left, &limbs::negate(right))),
            Multiply => whole(limbs::multiply(left, right)),
            UnsignedDivide if other.is_zero() => Self::all_ones(self.width),
            UnsignedDivide => whole(limbs::divide(left, right).0),
            UnsignedRemainder if other.is_zero() => self.clone(),
            UnsignedRemainder => whole(limbs::divide(left, right).1),
            SignedDivide => self
                .magnitude()
                .binary(UnsignedDivide, &other.magnitude())
                .negate_if(self.sign() != other.sign()),
            SignedRemainder => {
                self.magnitude().binary(UnsignedRemainder, &other.magnitude()).negate_if(self.sign())
            }
            And => each(|a, b| a & b),
            Or => each(|a, b| a | b),
            Xor => each(|a, b| a ^ b),
            ShiftLeft => amount().map_or_else(zero, |amount| whole(limbs::shift_left(left, amount))),
            LogicalShiftRight => amount().map_or_else(zero, |amount| whole(limbs::shift_right(left, amount))),
            ArithmeticShiftRight if self.sign() => {
                // Shifting the complement brings zeros in, which the second complement makes ones.
                let complement = self.unary(UnaryOperator::Not);
                complement.binary(LogicalShiftRight, other).unary(UnaryOperator::Not)
            }
            ArithmeticShiftRight => self.binary(LogicalShiftRight, other),
            Equal => truth(left == right),
            UnsignedLess => truth(ordering().is_lt()),
            UnsignedLessEqual => truth(ordering().is_le()),
            SignedLess => truth(signed_ordering().is_lt()),
            SignedLessEqual => truth(signed_ordering().is_le()),
        }
    }

    fn magnitude(&self) -> Self {
        self.clone().negate_if(self.sign())
    }

    fn negate_if(self, condition: bool) -> Self {
        if condition { self.unary(UnaryOperator::Negate) } else { self }
    }

    /// `width` bits from bit `offset` up.
    ///
    /// # Panics
    /// If the range leaves the value or is empty.
    pub fn extract(&self, offset: u32, width: u32) -> Self {
        assert!(width >= 1 && offset + width <= self.width, "bits are extracted from inside a value");
        match &self.storage {
            Storage::Word(value) => Self::from_u64(width, value >> offset),
            Storage::Limbs(value) => Self::from_limbs(width, &{
                let mut shifted = limbs::shift_right(value, offset as usize);
                shifted.truncate(width.div_ceil(64) as usize);
                shifted
            }),
        }
    }

    /// `self` above `low`.
    pub fn concat(&self, low: &Self) -> Self {
        let width = self.width + low.width;
        let high = self.zero_extend(width);
        if let (Storage::Word(high), Storage::Word(low_word)) = (&high.storage, &low.storage) {
            return Self::from_u64(width, high << low.width | low_word);
        }
        let shifted = Self::from_limbs(width, &limbs::shift_left(high.limbs(), low.width as usize));
        shifted.binary(BinaryOperator::Or, &low.zero_extend(width))
    }

    /// The same unsigned value at a width not smaller.
    pub fn zero_extend(&self, width: u32) -> Self {
        assert!(width >= self.width, "an extension does not shrink");
        Self::from_limbs(width, self.limbs())
    }

    /// The same signed value at a width not smaller.
    pub fn sign_extend(&self, width: u32) -> Self {
        let extended = self.zero_extend(width);
        if !self.sign() || width == self.width {
            return extended;
        }
        let ones = Self::all_ones(width - self.width);
        ones.concat(self)
    }
}

impl fmt::LowerHex for BitVector {
    /// All digits of the width, without a prefix.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.width.div_ceil(4);
        (0..digits).rev().try_for_each(|digit| {
            let limb = self.limbs()[digit as usize / 16];
            write!(formatter, "{:x}", limb >> (digit % 16 * 4) & 15)
        })
    }
}

impl fmt::Debug for BitVector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "0x{self:x}:{}", self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wide(value: u128, width: u32) -> BitVector {
        BitVector::from_limbs(width, &[value as u64, (value >> 64) as u64])
    }

    proptest! {
        /// Limb arithmetic against `u128`, at 128 bits.
        #[test]
        fn wide_operators_agree_with_u128(a: u128, b: u128, small in 0u128..200, choose in 0..3) {
            use BinaryOperator::*;
            let b = match choose { 0 => b, 1 => small, _ => b >> 70 };
            let (x, y) = (wide(a, 128), wide(b, 128));
            let (sa, sb) = (a as i128, b as i128);
            let reference = |operator| match operator {
                Add => a.wrapping_add(b),
                Subtract => a.wrapping_sub(b),
                Multiply => a.wrapping_mul(b),
                UnsignedDivide => a.checked_div(b).unwrap_or(u128::MAX),
                UnsignedRemainder => a.checked_rem(b).unwrap_or(a),
                SignedDivide if b == 0 => if sa < 0 { 1 } else { u128::MAX },
                SignedDivide => sa.wrapping_div(sb) as u128,
                SignedRemainder if b == 0 => a,
                SignedRemainder => sa.wrapping_rem(sb) as u128,
                And => a & b,
                Or => a | b,
                Xor => a ^ b,
                ShiftLeft => if b < 128 { a << b } else { 0 },
                LogicalShiftRight => if b < 128 { a >> b } else { 0 },
                ArithmeticShiftRight => (sa >> b.min(127)) as u128,
                Equal => (a == b).into(),
                UnsignedLess => (a < b).into(),
                UnsignedLessEqual => (a <= b).into(),
                SignedLess => (sa < sb).into(),
                SignedLessEqual => (sa <= sb).into(),
            };
            for operator in BinaryOperator::ALL {
                let width = if operator.is_comparison() { 1 } else { 128 };
                prop_assert_eq!(x.binary(operator, &y), wide(reference(operator), width), "{:?}", operator);
            }
            prop_assert_eq!(x.unary(UnaryOperator::Negate), wide(a.wrapping_neg(), 128));
        }

        /// A wide operator on extended operands agrees with the narrow one.
        #[test]
        fn words_and_limbs_agree(a: u64, b: u64, width in 1u32..=64, small: bool) {
            use BinaryOperator::*;
            let b = if small { b % (u64::from(width) + 2) } else { b };
            let (x, y) = (BitVector::from_u64(width, a), BitVector::from_u64(width, b));
            for operator in [UnsignedRemainder, LogicalShiftRight, And, Or, Xor] {
                let extended = x.zero_extend(200).binary(operator, &y.zero_extend(200));
                prop_assert_eq!(extended.extract(0, width), x.binary(operator, &y), "{:?}", operator);
            }
            for operator in [Add, Subtract, Multiply, SignedDivide, SignedRemainder, ShiftLeft,
                             ArithmeticShiftRight] {
                let amount = matches!(operator, ShiftLeft | ArithmeticShiftRight);
                let other = if amount { y.zero_extend(200) } else { y.sign_extend(200) };
                let extended = x.sign_extend(200).binary(operator, &other);
                prop_assert_eq!(extended.extract(0, width), x.binary(operator, &y), "{:?}", operator);
            }
            for operator in [Equal, UnsignedLess, UnsignedLessEqual] {
                let extended = x.zero_extend(200).binary(operator, &y.zero_extend(200));
                prop_assert_eq!(extended, x.binary(operator, &y), "{:?}", operator);
            }
            for operator in [SignedLess, SignedLessEqual] {
                let extended = x.sign_extend(200).binary(operator, &y.sign_extend(200));
                prop_assert_eq!(extended, x.binary(operator, &y), "{:?}", operator);
            }
        }

        /// A concatenation can be split again.
        #[test]
        fn extract_undoes_concat(limbs in proptest::collection::vec(any::<u64>(), 4), cut in 1u32..250) {
            let value = BitVector::from_limbs(250, &limbs);
            prop_assume!(cut < 250);
            let (high, low) = (value.extract(cut, 250 - cut), value.extract(0, cut));
            prop_assert_eq!(high.concat(&low), value);
        }
    }

    #[test]
    fn hexadecimal_shows_all_digits() {
        assert_eq!(format!("{:x}", BitVector::from_u64(12, 0xab)), "0ab");
        assert_eq!(format!("{:?}", BitVector::from_u64(72, 0xab)), "0x0000000000000000ab:72");
    }
}
