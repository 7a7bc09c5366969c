//! Evaluation of terms under an assignment.

use rustc_hash::FxHashMap;

use crate::float;
use crate::node::{Node, Term};
use crate::pool::Terms;
use crate::values::assignment::Assignment;
use crate::values::bitvector::BitVector;

/// The value of a term; unassigned symbols are zero.
pub fn evaluate(terms: &Terms, term: Term, assignment: &Assignment) -> BitVector {
    Evaluator::new(terms, assignment).value(term)
}

/// Evaluates terms under one assignment and remembers the value of every part.
///
/// The walk keeps its own stack, so the depth of a term is limited by memory alone. Of a choice only the
/// taken branch is looked at.
#[derive(Debug)]
pub struct Evaluator<'a> {
    terms: &'a Terms,
    assignment: &'a Assignment,
    values: FxHashMap<Term, BitVector>,
    open: Vec<Term>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator that has seen no term.
    pub fn new(terms: &'a Terms, assignment: &'a Assignment) -> Self {
        Evaluator { terms, assignment, values: FxHashMap::default(), open: Vec::new() }
    }

    /// One that knows the values of some terms under the assignment already.
    pub fn resume(terms: &'a Terms, assignment: &'a Assignment, known: FxHashMap<Term, BitVector>) -> Self {
        Evaluator { terms, assignment, values: known, open: Vec::new() }
    }

    /// All values it has come to know.
    pub fn into_values(self) -> FxHashMap<Term, BitVector> {
        self.values
    }

    /// Whether a truth value (a term of width 1) is true.
    pub fn is_true(&mut self, condition: Term) -> bool {
        !self.value(condition).is_zero()
    }

    /// The value of a term.
    pub fn value(&mut self, term: Term) -> BitVector {
        self.value_noting(term, &mut |_| {})
    }

    /// The same; `note` is called with each term whose value was not known before.
    pub fn value_noting(&mut self, term: Term, note: &mut dyn FnMut(Term)) -> BitVector {
        self.open.push(term);
        while let Some(&current) = self.open.last() {
            if self.values.contains_key(&current) {
                self.open.pop();
            } else if let Some(value) = self.step(current) {
                self.open.pop();
                self.values.insert(current, value);
                note(current);
            }
        }
        self.values[&term].clone()
    }

    /// The value of a known operand; else asks for it to be evaluated first.
    fn known(&mut self, operand: Term) -> Option<&BitVector> {
        // Looked up twice because a reference returned early would bar the push.
        if !self.values.contains_key(&operand) {
            self.open.push(operand);
            return None;
        }
        self.values.get(&operand)
    }

    /// The value of one node, or nothing while an operand's is missing.
    fn step(&mut self, term: Term) -> Option<BitVector> {
        let terms = self.terms;
        Some(match *terms.node(term) {
            Node::Constant { width, value } => BitVector::from_u64(width, value),
            Node::WideConstant { width, ref limbs } => BitVector::from_limbs(width, limbs),
            Node::Symbol { width, .. } => match self.assignment.get(term) {
                Some(value) => {
                    assert_eq!(value.width(), width, "a symbol is assigned a value of its width");
                    value.clone()
                }
                None => BitVector::zero(width),
            },
            Node::Unary { operator, operand, .. } => self.known(operand)?.unary(operator),
            Node::Binary { operator, left, right, .. } => {
                let left = self.known(left)?.clone();
                left.binary(operator, self.known(right)?)
            }
            Node::IfThenElse { condition, then, otherwise, .. } => {
                let taken = if self.known(condition)?.is_zero() { otherwise } else { then };
                self.known(taken)?.clone()
            }
            Node::Concat { high, low, .. } => {
                let high = self.known(high)?.clone();
                high.concat(self.known(low)?)
            }
            Node::Extract { offset, width, operand } => self.known(operand)?.extract(offset, width),
            Node::ZeroExtend { width, operand } => self.known(operand)?.zero_extend(width),
            Node::SignExtend { width, operand } => self.known(operand)?.sign_extend(width),
            Node::Float { operator, operands } => {
                let mut values = Vec::with_capacity(operands.len());
                for operand in operands.into_iter().flatten() {
                    values.push(self.known(operand)?.clone());
                }
                float::apply(operator, &values)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_terms_do_not_overflow_the_stack() {
        let terms = Terms::new();
        let (x, y) = (terms.symbol("x", 32), terms.symbol("y", 32));
        let mut deep = x;
        let mut expected = 7u32;
        for i in 0..200_000u32 {
            deep = terms.xor(terms.multiply(deep, y), terms.constant(32, i.into()));
            expected = expected.wrapping_mul(3) ^ i;
        }
        let value = |v| BitVector::from_u64(32, v);
        let assignment = [(x, value(7)), (y, value(3))].into_iter().collect();
        assert_eq!(evaluate(&terms, deep, &assignment), value(expected.into()));
        assert_eq!(terms.display(deep).to_string().chars().filter(|c| *c == '…').count(), 1);
        assert!(crate::term_to_smtlib(&terms, deep).len() > 1_000_000);
    }

    #[test]
    fn long_invertible_chains_simplify_without_recursion() {
        let terms = Terms::new();
        let x = terms.symbol("x", 32);
        let mut deep = x;
        for i in 0..200_000 {
            deep = terms.xor(terms.add(deep, terms.constant(32, i)), terms.constant(32, i ^ 5));
        }
        let equal = terms.equal(deep, terms.constant(32, 9));
        assert!(matches!(terms.node(equal), Node::Binary { left, .. } if *left == x));
    }

    #[test]
    fn long_choices_compare_without_recursion() {
        let terms = Terms::new();
        let index = terms.symbol("i", 64);
        let chain = (0..50_000).fold(terms.symbol("rest", 8), |rest, i| {
            let hit = terms.equal(index, terms.constant(64, i));
            terms.if_then_else(hit, terms.constant(8, i % 251), rest)
        });
        let equal = terms.equal(chain, terms.constant(8, 13));
        let at = |i| [(index, BitVector::from_u64(64, i))].into_iter().collect();
        assert_eq!(evaluate(&terms, equal, &at(13 + 251)).to_u64(), Some(1));
        assert_eq!(evaluate(&terms, equal, &at(14 + 251)).to_u64(), Some(0));
    }
}
