//! Simplification of sums, products and quotients.

use crate::node::{BinaryOperator, Node, Term, UnaryOperator};
use crate::pool::Terms;
use crate::values::bitvector::BitVector;

/// The exponent of a power of two.
fn power_of_two(value: &BitVector) -> Option<u32> {
    let mut set = value.limbs().iter().enumerate().filter(|(_, limb)| **limb != 0);
    let (index, limb) = set.next()?;
    (set.next().is_none() && limb.is_power_of_two()).then(|| index as u32 * 64 + limb.trailing_zeros())
}

impl Terms {
    pub(crate) fn as_binary(&self, operator: BinaryOperator, term: Term) -> Option<(Term, Term)> {
        match *self.node(term) {
            Node::Binary { operator: other, left, right, .. } if other == operator => Some((left, right)),
            _ => None,
        }
    }

    /// The operands of an operator whose right one is constant.
    pub(crate) fn as_binary_constant(&self, operator: BinaryOperator, term: Term) -> Option<(Term, Term)> {
        self.as_binary(operator, term).filter(|(_, right)| self.is_constant(*right))
    }

    pub(crate) fn as_unary(&self, operator: UnaryOperator, term: Term) -> Option<Term> {
        match *self.node(term) {
            Node::Unary { operator: other, operand, .. } if other == operator => Some(operand),
            _ => None,
        }
    }

    pub(crate) fn add_rules(&self, width: u32, left: Term, right: Term) -> Option<Term> {
        use BinaryOperator::{Add, Subtract};
        if width == 1 {
            return Some(self.xor(left, right));
        }
        if let Some(value) = self.as_bitvector(right) {
            if value.is_zero() {
                return Some(left);
            }
            if let Some((base, offset)) = self.as_binary_constant(Add, left) {
                return Some(self.add(base, self.add(offset, right)));
            }
            if let Some((minuend, subtrahend)) = self.as_binary(Subtract, left)
                && self.is_constant(minuend)
            {
                return Some(self.subtract(self.add(minuend, right), subtrahend));
            }
            if let Some(operand) = self.as_unary(UnaryOperator::Not, left) {
                return Some(self.subtract(self.add(right, self.all_ones(width)), operand));
            }
            if let Some(operand) = self.as_unary(UnaryOperator::Negate, left) {
                return Some(self.subtract(right, operand));
            }
            return None;
        }
        // Constants move outwards, so that addresses keep the form base + offset.
        if let Some((base, offset)) = self.as_binary_constant(Add, left) {
            return Some(self.add(self.add(base, right), offset));
        }
        if let Some((base, offset)) = self.as_binary_constant(Add, right) {
            return Some(self.add(self.add(left, base), offset));
        }
        for (one, other) in [(left, right), (right, left)] {
            if let Some(operand) = self.as_unary(UnaryOperator::Negate, one) {
                return Some(self.subtract(other, operand));
            }
            if let Some((minuend, subtrahend)) = self.as_binary(Subtract, one)
                && subtrahend == other
            {
                return Some(minuend);
            }
        }
        self.join_disjoint(left, right)
    }

    pub(crate) fn subtract_rules(&self, width: u32, left: Term, right: Term) -> Option<Term> {
        use BinaryOperator::{Add, Subtract};
        if left == right {
            return Some(self.zero(width));
        }
        if width == 1 {
            return Some(self.xor(left, right));
        }
        if self.is_constant(right) {
            return Some(self.add(left, self.negate(right)));
        }
        if let Some(operand) = self.as_unary(UnaryOperator::Negate, right) {
            return Some(self.add(left, operand));
        }
        if let Some(minuend) = self.as_bitvector(left) {
            if minuend.is_zero() {
                return Some(self.negate(right));
            }
            if let Some(operand) = self.as_unary(UnaryOperator::Not, right) {
                return Some(self.add(operand, self.add(left, self.constant(width, 1))));
            }
        }
        if let Some((one, other)) = self.as_binary(Add, left) {
            if one == right {
                return Some(other);
            }
            if other == right {
                return Some(one);
            }
        }
        if let Some((one, other)) = self.as_binary(Add, right) {
            if one == left {
                return Some(self.negate(other));
            }
            if other == left {
                return Some(self.negate(one));
            }
        }
        if let Some((base, offset)) = self.as_binary_constant(Add, left) {
            return Some(self.add(self.subtract(base, right), offset));
        }
        if let Some((base, offset)) = self.as_binary_constant(Add, right) {
            return Some(self.add(self.subtract(left, base), self.negate(offset)));
        }
        match self.as_binary(Subtract, left) {
            Some((minuend, subtrahend)) if minuend == right => Some(self.negate(subtrahend)),
            _ => None,
        }
    }

    pub(crate) fn negate_rules(&self, width: u32, operand: Term) -> Option<Term> {
        if width == 1 {
            return Some(operand);
        }
        match *self.node(operand) {
            Node::Unary { operator: UnaryOperator::Negate, operand, .. } => Some(operand),
            Node::Unary { operator: UnaryOperator::Not, operand, .. } => {
                Some(self.add(operand, self.constant(width, 1)))
            }
            Node::Binary { operator: BinaryOperator::Subtract, left, right, .. } => {
                Some(self.subtract(right, left))
            }
            _ => None,
        }
    }

    pub(crate) fn multiply_rules(&self, width: u32, left: Term, right: Term) -> Option<Term> {
        use BinaryOperator::{Multiply, ShiftLeft};
        if width == 1 {
            return Some(self.and(left, right));
        }
        let factor = self.as_bitvector(right)?;
        if factor.is_zero() {
            return Some(right);
        }
        if factor.is_all_ones() {
            return Some(self.negate(left));
        }
        if let Some(exponent) = power_of_two(&factor) {
            return Some(self.shift_left(left, self.constant(width, exponent.into())));
        }
        if let Some((operand, other)) = self.as_binary_constant(Multiply, left) {
            return Some(self.multiply(operand, self.multiply(other, right)));
        }
        if let Some((operand, amount)) = self.as_binary_constant(ShiftLeft, left) {
            return Some(self.multiply(operand, self.shift_left(right, amount)));
        }
        let operand = self.as_unary(UnaryOperator::Negate, left)?;
        Some(self.multiply(operand, self.negate(right)))
    }

    /// Rules for a constant divisor; a symbolic one may be zero, which spoils most identities.
    pub(crate) fn unsigned_division_rules(
        &self,
        operator: BinaryOperator,
        width: u32,
        left: Term,
        right: Term,
    ) -> Option<Term> {
        let quotient = operator == BinaryOperator::UnsignedDivide;
        if left == right && !quotient {
            return Some(self.zero(width));
        }
        let divisor = self.as_bitvector(right)?;
        if divisor.is_zero() {
            return Some(if quotient { self.all_ones(width) } else { left });
        }
        if let Some(exponent) = power_of_two(&divisor) {
            return Some(if quotient {
                self.logical_shift_right(left, self.constant(width, exponent.into()))
            } else if exponent == 0 {
                self.zero(width)
            } else {
                self.zero_extend(self.extract(left, 0, exponent), width)
            });
        }
        let Node::ZeroExtend { operand, .. } = *self.node(left) else { return None };
        let narrow = self.width(operand);
        if !divisor.extract(narrow, width - narrow).is_zero() {
            return Some(if quotient { self.zero(width) } else { left });
        }
        let divisor = self.bitvector(&divisor.extract(0, narrow));
        Some(self.zero_extend(self.binary(operator, operand, divisor), width))
    }

    pub(crate) fn signed_division_rules(
        &self,
        operator: BinaryOperator,
        width: u32,
        left: Term,
        right: Term,
    ) -> Option<Term> {
        let quotient = operator == BinaryOperator::SignedDivide;
        if left == right && !quotient {
            return Some(self.zero(width));
        }
        let divisor = self.as_bitvector(right)?;
        if divisor.is_zero() {
            return (!quotient).then_some(left);
        }
        if divisor.is_all_ones() {
            return Some(if quotient { self.negate(left) } else { self.zero(width) });
        }
        if divisor.to_u64() == Some(1) {
            return Some(if quotient { left } else { self.zero(width) });
        }
        // Neither operand negative: the unsigned operation has simpler circuits.
        let unsigned =
            if quotient { BinaryOperator::UnsignedDivide } else { BinaryOperator::UnsignedRemainder };
        let nonnegative = matches!(self.node(left), Node::ZeroExtend { .. }) && !divisor.sign();
        nonnegative.then(|| self.binary(unsigned, left, right))
    }
}
