//! Simplification of order, signed and unsigned.
//!
//! Extensions are narrowed, non-strict order with a constant becomes strict, and order at the ends of the
//! range becomes equality.

use crate::node::{BinaryOperator, Node, Term, UnaryOperator};
use crate::pool::Terms;
use crate::values::bitvector::BitVector;

/// The greatest value read as signed: all bits but the sign bit set.
fn signed_maximum(width: u32) -> BitVector {
    BitVector::all_ones(width).binary(BinaryOperator::LogicalShiftRight, &BitVector::from_u64(width, 1))
}

fn signed_minimum(width: u32) -> BitVector {
    signed_maximum(width).unary(UnaryOperator::Not)
}

fn successor(value: &BitVector) -> BitVector {
    value.binary(BinaryOperator::Add, &BitVector::from_u64(value.width(), 1))
}

fn predecessor(value: &BitVector) -> BitVector {
    value.binary(BinaryOperator::Subtract, &BitVector::from_u64(value.width(), 1))
}

impl Terms {
    /// Both operands of a comparison without the extension they share, at the wider inner width.
    pub(crate) fn without_extension(&self, signed: bool, left: Term, right: Term) -> Option<(Term, Term)> {
        let (a, b) = match (self.node(left), self.node(right)) {
            (Node::ZeroExtend { operand: a, .. }, Node::ZeroExtend { operand: b, .. }) if !signed => (*a, *b),
            (Node::SignExtend { operand: a, .. }, Node::SignExtend { operand: b, .. }) if signed => (*a, *b),
            _ => return None,
        };
        let inner = self.width(a).max(self.width(b));
        Some(if signed {
            (self.sign_extend(a, inner), self.sign_extend(b, inner))
        } else {
            (self.zero_extend(a, inner), self.zero_extend(b, inner))
        })
    }

    fn complemented(&self, left: Term, right: Term) -> Option<(Term, Term)> {
        Some((self.as_unary(UnaryOperator::Not, left)?, self.as_unary(UnaryOperator::Not, right)?))
    }

    pub(crate) fn unsigned_less_rules(&self, width: u32, left: Term, right: Term) -> Option<Term> {
        if left == right {
            return Some(Term::FALSE);
        }
        if width == 1 {
            return Some(self.and(self.not(left), right));
        }
        if let Some(bound) = self.as_bitvector(right) {
            if bound.is_zero() {
                return Some(Term::FALSE);
            }
            if bound.to_u64() == Some(1) {
                return Some(self.equal(left, self.zero(width)));
            }
            if bound.is_all_ones() {
                return Some(self.not_equal(left, right));
            }
            return self.below_constant(width, left, &bound);
        }
        if let Some(bound) = self.as_bitvector(left) {
            if bound.is_all_ones() {
                return Some(Term::FALSE);
            }
            if bound.is_zero() {
                return Some(self.not_equal(right, left));
            }
            if successor(&bound).is_all_ones() {
                return Some(self.equal(right, self.all_ones(width)));
            }
            return self.above_constant(width, &bound, right);
        }
        if let Some((a, b)) = self.complemented(left, right) {
            return Some(self.unsigned_less(b, a));
        }
        let (a, b) = self.without_extension(false, left, right)?;
        Some(self.unsigned_less(a, b))
    }

    /// `left < bound`, unsigned.
    fn below_constant(&self, width: u32, left: Term, bound: &BitVector) -> Option<Term> {
        match *self.node(left) {
            Node::ZeroExtend { operand, .. } => {
                let narrow = self.width(operand);
                if !bound.extract(narrow, width - narrow).is_zero() {
                    return Some(Term::TRUE);
                }
                Some(self.unsigned_less(operand, self.bitvector(&bound.extract(0, narrow))))
            }
            Node::Concat { high, low, .. } => {
                let cut = self.width(low);
                let reached = bound.extract(0, cut).is_zero();
                reached.then(|| self.unsigned_less(high, self.bitvector(&bound.extract(cut, width - cut))))
            }
            Node::Binary { operator: BinaryOperator::UnsignedRemainder, right: divisor, .. } => {
                let divisor = self.as_bitvector(divisor)?;
                let remainder_fits = divisor.binary(BinaryOperator::UnsignedLessEqual, bound);
                (!divisor.is_zero() && !remainder_fits.is_zero()).then_some(Term::TRUE)
            }
            _ => None,
        }
    }

    /// `bound < right`, unsigned.
    fn above_constant(&self, width: u32, bound: &BitVector, right: Term) -> Option<Term> {
        match *self.node(right) {
            Node::ZeroExtend { operand, .. } => {
                let narrow = self.width(operand);
                if !bound.extract(narrow, width - narrow).is_zero() {
                    return Some(Term::FALSE);
                }
                Some(self.unsigned_less(self.bitvector(&bound.extract(0, narrow)), operand))
            }
            Node::Concat { high, low, .. } => {
                let cut = self.width(low);
                let reached = bound.extract(0, cut).is_all_ones();
                reached.then(|| self.unsigned_less(self.bitvector(&bound.extract(cut, width - cut)), high))
            }
            _ => None,
        }
    }

    pub(crate) fn unsigned_less_equal_rules(&self, width: u32, left: Term, right: Term) -> Option<Term> {
        if left == right {
            return Some(Term::TRUE);
        }
        if width == 1 {
            return Some(self.or(self.not(left), right));
        }
        if let Some(bound) = self.as_bitvector(right) {
            return Some(if bound.is_all_ones() {
                Term::TRUE
            } else {
                self.unsigned_less(left, self.bitvector(&successor(&bound)))
            });
        }
        if let Some(bound) = self.as_bitvector(left) {
            return Some(if bound.is_zero() {
                Term::TRUE
            } else {
                self.unsigned_less(self.bitvector(&predecessor(&bound)), right)
            });
        }
        if let Some((a, b)) = self.complemented(left, right) {
            return Some(self.unsigned_less_equal(b, a));
        }
        let (a, b) = self.without_extension(false, left, right)?;
        Some(self.unsigned_less_equal(a, b))
    }

    /// Whether the value is zero or positive when read as signed.
    fn is_nonnegative(&self, term: Term) -> bool {
        matches!(self.node(term), Node::ZeroExtend { .. })
            || self.as_bitvector(term).is_some_and(|value| !value.sign())
    }

    pub(crate) fn signed_less_rules(&self, width: u32, left: Term, right: Term) -> Option<Term> {
        if left == right {
            return Some(Term::FALSE);
        }
        if width == 1 {
            return Some(self.and(left, self.not(right)));
        }
        if self.is_nonnegative(left) && self.is_nonnegative(right) {
            return Some(self.unsigned_less(left, right));
        }
        if let Some(bound) = self.as_bitvector(right) {
            if bound == signed_minimum(width) || bound.sign() && self.is_nonnegative(left) {
                return Some(Term::FALSE);
            }
            if predecessor(&bound) == signed_minimum(width) {
                return Some(self.equal(left, self.bitvector(&signed_minimum(width))));
            }
            if bound == signed_maximum(width) {
                return Some(self.not_equal(left, right));
            }
        }
        if let Some(bound) = self.as_bitvector(left) {
            if bound == signed_maximum(width) {
                return Some(Term::FALSE);
            }
            if bound.sign() && self.is_nonnegative(right) {
                return Some(Term::TRUE);
            }
            if successor(&bound) == signed_maximum(width) {
                return Some(self.equal(right, self.bitvector(&signed_maximum(width))));
            }
            if bound == signed_minimum(width) {
                return Some(self.not_equal(right, left));
            }
        }
        if let Some((a, b)) = self.complemented(left, right) {
            return Some(self.signed_less(b, a));
        }
        if let Some((a, b)) = self.without_extension(true, left, right) {
            return Some(self.signed_less(a, b));
        }
        self.signed_less_extended(left, right)
    }

    /// A sign-extended term against a constant, at the term's inner width.
    fn signed_less_extended(&self, left: Term, right: Term) -> Option<Term> {
        let narrowed = |operand: Term, bound: &BitVector| {
            let narrow = bound.extract(0, self.width(operand));
            (narrow.sign_extend(bound.width()) == *bound).then(|| self.bitvector(&narrow))
        };
        match (self.node(left), self.node(right)) {
            (Node::SignExtend { operand, .. }, _) => {
                let bound = self.as_bitvector(right)?;
                Some(match narrowed(*operand, &bound) {
                    Some(narrow) => self.signed_less(*operand, narrow),
                    None => Term::truth(!bound.sign()),
                })
            }
            (_, Node::SignExtend { operand, .. }) => {
                let bound = self.as_bitvector(left)?;
                Some(match narrowed(*operand, &bound) {
                    Some(narrow) => self.signed_less(narrow, *operand),
                    None => Term::truth(bound.sign()),
                })
            }
            _ => None,
        }
    }

    pub(crate) fn signed_less_equal_rules(&self, width: u32, left: Term, right: Term) -> Option<Term> {
        if left == right {
            return Some(Term::TRUE);
        }
        if width == 1 {
            return Some(self.or(left, self.not(right)));
        }
        if let Some(bound) = self.as_bitvector(right) {
            return Some(if bound == signed_maximum(width) {
                Term::TRUE
            } else {
                self.signed_less(left, self.bitvector(&successor(&bound)))
            });
        }
        if let Some(bound) = self.as_bitvector(left) {
            return Some(if bound == signed_minimum(width) {
                Term::TRUE
            } else {
                self.signed_less(self.bitvector(&predecessor(&bound)), right)
            });
        }
        if self.is_nonnegative(left) && self.is_nonnegative(right) {
            return Some(self.unsigned_less_equal(left, right));
        }
        if let Some((a, b)) = self.complemented(left, right) {
            return Some(self.signed_less_equal(b, a));
        }
        let (a, b) = self.without_extension(true, left, right)?;
        Some(self.signed_less_equal(a, b))
    }
}
