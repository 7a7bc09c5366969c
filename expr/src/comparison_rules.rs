//! Simplification of equality and order.
//!
//! Comparisons with constants lose what does not matter to them: extensions are narrowed, invertible
//! operators undone, concatenations split. Non-strict order with a constant becomes strict order.

use crate::bitvector::BitVector;
use crate::node::{BinaryOperator, Node, Term, UnaryOperator};
use crate::pool::Terms;

/// How many operands of nested bitwise operators an equality is split over.
const MOST_OPERANDS: usize = 32;

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
    fn without_extension(&self, signed: bool, left: Term, right: Term) -> Option<(Term, Term)> {
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

    pub(crate) fn equal_rules(&self, width: u32, left: Term, right: Term) -> Option<Term> {
        if left == right {
            return Some(Term::TRUE);
        }
        if let Some(value) = self.as_bitvector(right) {
            return Some(self.equal_constant(left, value));
        }
        if width == 1 {
            for (one, other) in [(left, right), (right, left)] {
                if let Some(operand) = self.as_unary(UnaryOperator::Not, one) {
                    return Some(self.not(self.equal(operand, other)));
                }
            }
        }
        for operator in [UnaryOperator::Not, UnaryOperator::Negate] {
            if let (Some(a), Some(b)) = (self.as_unary(operator, left), self.as_unary(operator, right)) {
                return Some(self.equal(a, b));
            }
        }
        for signed in [false, true] {
            if let Some((a, b)) = self.without_extension(signed, left, right) {
                return Some(self.equal(a, b));
            }
        }
        if let (Node::Concat { high: a, low: b, .. }, Node::Concat { high: c, low: d, .. }) =
            (self.node(left), self.node(right))
        {
            let decided = |x: Term, y: Term| x == y || self.is_constant(x) && self.is_constant(y);
            if self.width(*a) == self.width(*c) && (decided(*a, *c) || decided(*b, *d)) {
                return Some(self.and(self.equal(*a, *c), self.equal(*b, *d)));
            }
        }
        self.equal_sums(width, left, right)
    }

    /// Equal summands on both sides cancel.
    fn equal_sums(&self, width: u32, left: Term, right: Term) -> Option<Term> {
        let summands = |term| self.as_binary(BinaryOperator::Add, term);
        if let (Some((a, b)), Some((c, d))) = (summands(left), summands(right)) {
            for (a, b) in [(a, b), (b, a)] {
                for (c, d) in [(c, d), (d, c)] {
                    if a == c {
                        return Some(self.equal(b, d));
                    }
                }
            }
        }
        for (whole, other) in [(left, right), (right, left)] {
            match summands(whole) {
                Some((a, b)) if a == other => return Some(self.equal(b, self.zero(width))),
                Some((a, b)) if b == other => return Some(self.equal(a, self.zero(width))),
                _ => {}
            }
        }
        None
    }

    /// `left == value`. A loop, because chains of invertible operators and choices may be long.
    fn equal_constant(&self, mut left: Term, mut value: BitVector) -> Term {
        use BinaryOperator::*;
        // What was split off: the result is `(left == value)` changed by these, last one first.
        let mut pending: Vec<(BinaryOperator, Term)> = Vec::new();
        let base = loop {
            let width = value.width();
            if let Some(constant) = self.as_bitvector(left) {
                break Term::truth(constant == value);
            }
            if width == 1 {
                break if value.is_zero() { self.not(left) } else { left };
            }
            match *self.node(left) {
                Node::Unary { operator, operand, .. } => {
                    left = operand;
                    value = value.unary(operator);
                }
                Node::Binary { operator: operator @ (Add | Xor), left: operand, right, .. } => {
                    if let Some(constant) = self.as_bitvector(right) {
                        value = value.binary(if operator == Add { Subtract } else { Xor }, &constant);
                        left = operand;
                    } else if operator == Xor && value.is_zero() {
                        break self.equal(operand, right);
                    } else {
                        break self.intern_equal(left, &value);
                    }
                }
                Node::Binary { operator: Subtract, left: minuend, right, .. } => {
                    if let Some(constant) = self.as_bitvector(minuend) {
                        value = constant.binary(Subtract, &value);
                        left = right;
                    } else if value.is_zero() {
                        break self.equal(minuend, right);
                    } else {
                        break self.intern_equal(left, &value);
                    }
                }
                Node::Binary { operator: operator @ (And | Or), right: b, .. } => {
                    // All bits zero under `or`, and one under `and`, mean the same of every operand.
                    let decides = if operator == Or { value.is_zero() } else { value.is_all_ones() };
                    if decides && let Some(operands) = self.few_operands(operator, left) {
                        let value = self.bitvector(&value);
                        break self.all(operands.into_iter().map(|operand| self.equal(operand, value)));
                    }
                    if let Some(constant) = self.as_bitvector(b)
                        && value.binary(operator, &constant) != value
                    {
                        break Term::FALSE;
                    }
                    break self.intern_equal(left, &value);
                }
                Node::ZeroExtend { operand, .. } | Node::SignExtend { operand, .. } => {
                    let narrow = value.extract(0, self.width(operand));
                    let signed = matches!(self.node(left), Node::SignExtend { .. });
                    if value != if signed { narrow.sign_extend(width) } else { narrow.zero_extend(width) } {
                        break Term::FALSE;
                    }
                    left = operand;
                    value = narrow;
                }
                Node::Concat { high, low, .. } => {
                    let cut = self.width(low);
                    let top = self.bitvector(&value.extract(cut, width - cut));
                    pending.push((And, self.equal(high, top)));
                    left = low;
                    value = value.extract(0, cut);
                }
                Node::IfThenElse { condition, then, otherwise, .. } => {
                    let (hit, rest, selects_rest) =
                        match (self.as_bitvector(then), self.as_bitvector(otherwise)) {
                            (Some(constant), _) => (constant == value, otherwise, self.not(condition)),
                            (None, Some(constant)) => (constant == value, then, condition),
                            (None, None) => break self.intern_equal(left, &value),
                        };
                    pending.push(if hit { (Or, self.not(selects_rest)) } else { (And, selects_rest) });
                    left = rest;
                }
                _ => break self.intern_equal(left, &value),
            }
        };
        pending.into_iter().rev().fold(base, |base, (operator, with)| self.binary(operator, base, with))
    }

    /// The operands of nested `operator`s, if they are few.
    fn few_operands(&self, operator: BinaryOperator, term: Term) -> Option<Vec<Term>> {
        let (mut open, mut operands) = (vec![term], Vec::new());
        while let Some(term) = open.pop() {
            match self.as_binary(operator, term) {
                Some((left, right)) => open.extend([right, left]),
                None => operands.push(term),
            }
            if open.len() + operands.len() > MOST_OPERANDS {
                return None;
            }
        }
        Some(operands)
    }

    fn intern_equal(&self, left: Term, value: &BitVector) -> Term {
        let right = self.bitvector(value);
        self.intern(Node::Binary { operator: BinaryOperator::Equal, width: 1, left, right })
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
