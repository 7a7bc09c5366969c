//! Simplification of equality.
//!
//! An equality with a constant loses what does not matter to it: extensions are narrowed, invertible
//! operators undone, concatenations split, choices resolved.

use crate::node::{BinaryOperator, Node, Term, UnaryOperator};
use crate::pool::Terms;
use crate::values::bitvector::BitVector;

/// How many operands of nested bitwise operators an equality is split over.
const MOST_OPERANDS: usize = 32;

impl Terms {
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
        // The operations split off: the result is `(left == value)` changed by these, last one first.
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
                Node::Binary { operator: operator @ (And | Or), right, .. } => {
                    break self.equal_masked(operator, (left, right), &value);
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

    /// `whole == value`, where `whole` is a conjunction or disjunction of bits, with `right` as its second
    /// operand.
    fn equal_masked(
        &self,
        operator: BinaryOperator,
        (whole, right): (Term, Term),
        value: &BitVector,
    ) -> Term {
        // All bits zero under `or`, and one under `and`, mean the same of every operand.
        let decides = if operator == BinaryOperator::Or { value.is_zero() } else { value.is_all_ones() };
        if decides && let Some(operands) = self.few_operands(operator, whole) {
            let value = self.bitvector(value);
            return self.all(operands.into_iter().map(|operand| self.equal(operand, value)));
        }
        match self.as_bitvector(right) {
            Some(constant) if value.binary(operator, &constant) != *value => Term::FALSE,
            _ => self.intern_equal(whole, value),
        }
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
}
