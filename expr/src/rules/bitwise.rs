//! Simplification of bitwise operators and shifts.
//!
//! Shifts by whole bytes, masks of low bits and disjoint sums become concatenations and extractions. These
//! are the forms in which byte-wise memory splits and joins values, so a value that was split is joined
//! again.

use crate::node::{BinaryOperator, Node, Term, UnaryOperator};
use crate::pool::Terms;
use crate::values::bitvector::BitVector;

/// The widest concatenation, in bits, that an operator with a constant is distributed over; the recursion
/// is as deep as the parts are many.
const WIDEST_SPLIT: u32 = 512;

/// The number of low bits that are set, where no other bits are.
fn low_mask(value: &BitVector) -> Option<u32> {
    let ones: u32 = value.limbs().iter().map(|limb| limb.count_ones()).sum();
    (0..ones).rev().all(|bit| value.bit(bit)).then_some(ones)
}

impl Terms {
    fn are_complements(&self, left: Term, right: Term) -> bool {
        self.as_unary(UnaryOperator::Not, left) == Some(right)
            || self.as_unary(UnaryOperator::Not, right) == Some(left)
    }

    /// `(x op c1) op c2` is `x op (c1 op c2)`.
    fn fold_constants(&self, operator: BinaryOperator, left: Term, right: Term) -> Option<Term> {
        let (operand, other) = self.as_binary_constant(operator, left)?;
        Some(self.binary(operator, operand, self.binary(operator, other, right)))
    }

    /// `x` where the other operand is `x op y`, for `op` the dual operator too: idempotence, absorption.
    fn absorb(&self, operator: BinaryOperator, dual: BinaryOperator, one: Term, other: Term) -> Option<Term> {
        match self.as_binary(operator, other) {
            Some((left, right)) if left == one || right == one => return Some(other),
            _ => {}
        }
        match self.as_binary(dual, other) {
            Some((left, right)) if left == one || right == one => Some(one),
            _ => None,
        }
    }

    /// A bitwise operator with a constant goes into the parts of a concatenation where that decides one.
    fn split_by_constant(&self, operator: BinaryOperator, left: Term, constant: &BitVector) -> Option<Term> {
        let Node::Concat { high, low, width } = *self.node(left) else { return None };
        if width > WIDEST_SPLIT {
            return None;
        }
        let cut = self.width(low);
        let (top, bottom) = (constant.extract(cut, width - cut), constant.extract(0, cut));
        let decided = |part: &BitVector| part.is_zero() || part.is_all_ones();
        if !decided(&top) && !decided(&bottom) {
            return None;
        }
        let high = self.binary(operator, high, self.bitvector(&top));
        let low = self.binary(operator, low, self.bitvector(&bottom));
        Some(self.concat(high, low))
    }

    /// A bitwise operator on two zero-extended operands works at the wider of their inner widths.
    fn narrow_extended(&self, operator: BinaryOperator, width: u32, left: Term, right: Term) -> Option<Term> {
        let Node::ZeroExtend { operand: a, .. } = *self.node(left) else { return None };
        let Node::ZeroExtend { operand: b, .. } = *self.node(right) else { return None };
        let inner = self.width(a).max(self.width(b));
        let narrow = self.binary(operator, self.zero_extend(a, inner), self.zero_extend(b, inner));
        Some(self.zero_extend(narrow, width))
    }

    /// Or, exclusive or and sum of operands that share no bit, one ending where the other begins.
    pub(crate) fn join_disjoint(&self, left: Term, right: Term) -> Option<Term> {
        [(left, right), (right, left)].into_iter().find_map(|(upper, lower)| {
            let Node::ZeroExtend { operand: lower, width } = *self.node(lower) else { return None };
            let upper = match *self.node(upper) {
                Node::ZeroExtend { operand, .. } => operand,
                _ => upper,
            };
            let Node::Concat { high, low, .. } = *self.node(upper) else { return None };
            let cut = self.width(low);
            let fits = self.as_bitvector(low).is_some_and(|low| low.is_zero()) && self.width(lower) <= cut;
            fits.then(|| self.zero_extend(self.concat(high, self.zero_extend(lower, cut)), width))
        })
    }

    pub(crate) fn and_rules(&self, width: u32, left: Term, right: Term) -> Option<Term> {
        use BinaryOperator::{And, Or};
        if left == right {
            return Some(left);
        }
        if self.are_complements(left, right) {
            return Some(self.zero(width));
        }
        if let Some(mask) = self.as_bitvector(right) {
            return self.and_constant_rules(width, left, right, &mask);
        }
        if let Some(absorbed) =
            self.absorb(And, Or, left, right).or_else(|| self.absorb(And, Or, right, left))
        {
            return Some(absorbed);
        }
        for (one, other) in [(left, right), (right, left)] {
            // The mask idiom: a truth value spread over all bits.
            if let Node::SignExtend { operand, .. } = *self.node(one)
                && self.width(operand) == 1
            {
                return Some(self.if_then_else(operand, other, self.zero(width)));
            }
        }
        if width == 1 && self.contradict(left, right) {
            return Some(Term::FALSE);
        }
        self.narrow_extended(And, width, left, right)
    }

    /// Whether both say that one term equals different constants.
    fn contradict(&self, left: Term, right: Term) -> bool {
        let equal = |term| self.as_binary_constant(BinaryOperator::Equal, term);
        matches!((equal(left), equal(right)), (Some((x, c)), Some((y, d))) if x == y && c != d)
    }

    fn and_constant_rules(&self, width: u32, left: Term, right: Term, mask: &BitVector) -> Option<Term> {
        use BinaryOperator::{And, Or};
        if mask.is_zero() {
            return Some(right);
        }
        if mask.is_all_ones() {
            return Some(left);
        }
        if let Some(folded) = self.fold_constants(And, left, right) {
            return Some(folded);
        }
        if let Some(bits) = low_mask(mask) {
            return Some(self.zero_extend(self.extract(left, 0, bits), width));
        }
        if let Some((operand, set)) = self.as_binary_constant(Or, left) {
            let kept = self.and(set, right);
            if kept == right {
                return Some(right);
            }
            if self.as_bitvector(kept).is_some_and(|kept| kept.is_zero()) {
                return Some(self.and(operand, right));
            }
        }
        if let Node::ZeroExtend { operand, .. } = *self.node(left) {
            let narrow = self.bitvector(&mask.extract(0, self.width(operand)));
            return Some(self.zero_extend(self.and(operand, narrow), width));
        }
        self.split_by_constant(And, left, mask)
    }

    pub(crate) fn or_rules(&self, width: u32, left: Term, right: Term) -> Option<Term> {
        use BinaryOperator::{And, Or};
        if left == right {
            return Some(left);
        }
        if self.are_complements(left, right) {
            return Some(self.all_ones(width));
        }
        if let Some(set) = self.as_bitvector(right) {
            if set.is_zero() {
                return Some(left);
            }
            if set.is_all_ones() {
                return Some(right);
            }
            if let Node::ZeroExtend { operand, .. } = *self.node(left) {
                let cut = self.width(operand);
                let low = self.or(operand, self.bitvector(&set.extract(0, cut)));
                return Some(self.concat(self.bitvector(&set.extract(cut, width - cut)), low));
            }
            return self.fold_constants(Or, left, right).or_else(|| self.split_by_constant(Or, left, &set));
        }
        self.absorb(Or, And, left, right)
            .or_else(|| self.absorb(Or, And, right, left))
            .or_else(|| self.narrow_extended(Or, width, left, right))
            .or_else(|| self.join_disjoint(left, right))
    }

    pub(crate) fn xor_rules(&self, width: u32, left: Term, right: Term) -> Option<Term> {
        use BinaryOperator::Xor;
        if left == right {
            return Some(self.zero(width));
        }
        if self.are_complements(left, right) {
            return Some(self.all_ones(width));
        }
        if let Some(flipped) = self.as_bitvector(right) {
            if flipped.is_zero() {
                return Some(left);
            }
            if flipped.is_all_ones() {
                return Some(self.not(left));
            }
            if let Some(operand) = self.as_unary(UnaryOperator::Not, left) {
                return Some(self.xor(operand, self.not(right)));
            }
            return self
                .fold_constants(Xor, left, right)
                .or_else(|| self.split_by_constant(Xor, left, &flipped));
        }
        match (self.as_unary(UnaryOperator::Not, left), self.as_unary(UnaryOperator::Not, right)) {
            (Some(left), Some(right)) => return Some(self.xor(left, right)),
            (Some(left), None) => return Some(self.not(self.xor(left, right))),
            (None, Some(right)) => return Some(self.not(self.xor(left, right))),
            (None, None) => {}
        }
        self.narrow_extended(Xor, width, left, right).or_else(|| self.join_disjoint(left, right))
    }

    pub(crate) fn not_rules(&self, width: u32, operand: Term) -> Option<Term> {
        use BinaryOperator::*;
        match *self.node(operand) {
            Node::Unary { operator: UnaryOperator::Not, operand, .. } => Some(operand),
            Node::Unary { operator: UnaryOperator::Negate, operand, .. } => {
                Some(self.add(operand, self.all_ones(width)))
            }
            Node::Binary { operator: Xor, left, right, .. } if self.is_constant(right) => {
                Some(self.xor(left, self.not(right)))
            }
            Node::Binary { operator: UnsignedLess, left, right, .. } => {
                Some(self.unsigned_less_equal(right, left))
            }
            Node::Binary { operator: UnsignedLessEqual, left, right, .. } => {
                Some(self.unsigned_less(right, left))
            }
            Node::Binary { operator: SignedLess, left, right, .. } => {
                Some(self.signed_less_equal(right, left))
            }
            Node::Binary { operator: SignedLessEqual, left, right, .. } => {
                Some(self.signed_less(right, left))
            }
            _ => None,
        }
    }

    pub(crate) fn shift_rules(
        &self,
        operator: BinaryOperator,
        width: u32,
        left: Term,
        right: Term,
    ) -> Option<Term> {
        use BinaryOperator::*;
        if self.as_bitvector(left).is_some_and(|value| value.is_zero()) {
            return Some(left);
        }
        if width == 1 {
            let arithmetic = operator == ArithmeticShiftRight;
            return Some(if arithmetic { left } else { self.and(left, self.not(right)) });
        }
        if operator == ArithmeticShiftRight && matches!(self.node(left), Node::ZeroExtend { .. }) {
            return Some(self.logical_shift_right(left, right));
        }
        let amount = self.as_bitvector(right)?.to_u64().unwrap_or(u64::MAX);
        let amount = u32::try_from(amount).unwrap_or(u32::MAX).min(width);
        if amount == 0 {
            return Some(left);
        }
        if amount == width && operator != ArithmeticShiftRight {
            return Some(self.zero(width));
        }
        let amount = amount.min(width - 1);
        if let Some((operand, other)) = self.as_binary_constant(operator, left)
            && let Some(other) = self.as_constant(other)
        {
            // Both are below the width, so the sum of two shifts cannot overflow 64 bits.
            let sum = (other + u64::from(amount)).min(width.into());
            return Some(self.shift_by(operator, operand, width, sum));
        }
        let sign_mask = operator == ArithmeticShiftRight && amount == width - 1;
        if !amount.is_multiple_of(8) && !sign_mask && !self.splits(left) {
            // Equal shifts get one form, whatever amount beyond the width was written.
            let canonical = self.constant(width, amount.into());
            return (canonical != right).then(|| self.binary(operator, left, canonical));
        }
        let rest = width - amount;
        Some(match operator {
            ShiftLeft => self.concat(self.extract(left, 0, rest), self.zero(amount)),
            LogicalShiftRight => self.zero_extend(self.extract(left, amount, rest), width),
            _ => self.sign_extend(self.extract(left, amount, rest), width),
        })
    }

    /// A shift by a constant that may reach the width, also where the amount does not fit in the width.
    fn shift_by(&self, operator: BinaryOperator, operand: Term, width: u32, amount: u64) -> Term {
        if amount >= u64::from(width) {
            return match operator {
                BinaryOperator::ArithmeticShiftRight => {
                    self.sign_extend(self.extract(operand, width - 1, 1), width)
                }
                _ => self.zero(width),
            };
        }
        self.binary(operator, operand, self.constant(width, amount))
    }
}
