//! Putting values in place of symbols.

use rustc_hash::FxHashMap;

use crate::node::{Node, Term};
use crate::pool::Terms;
use crate::values::assignment::Assignment;

/// The same values put into several terms: what these have in common is rebuilt once.
pub(crate) struct Substitution<'a> {
    values: &'a Assignment,
    done: FxHashMap<Term, Term>,
}

impl<'a> Substitution<'a> {
    pub(crate) fn new(values: &'a Assignment) -> Self {
        Self { values, done: FxHashMap::default() }
    }

    /// [`Terms::substitute`].
    pub(crate) fn apply(&mut self, terms: &Terms, term: Term) -> Term {
        let mut open = vec![term];
        while let Some(&current) = open.last() {
            let node = terms.node(current);
            let before = open.len();
            open.extend(node.operands().filter(|operand| !self.done.contains_key(operand)));
            if open.len() > before {
                continue;
            }
            open.pop();
            if !self.done.contains_key(&current) {
                let replaced = terms.rebuild(current, node, self.values, |operand| self.done[&operand]);
                self.done.insert(current, replaced);
            }
        }
        self.done[&term]
    }
}

impl Terms {
    /// The term with every symbol that has an entry replaced by its value, simplified again.
    pub fn substitute(&self, term: Term, values: &Assignment) -> Term {
        Substitution::new(values).apply(self, term)
    }

    /// The same operation on other operands.
    fn rebuild(&self, term: Term, node: &Node, values: &Assignment, with: impl Fn(Term) -> Term) -> Term {
        match *node {
            Node::Symbol { .. } => values.get(term).map_or(term, |value| self.bitvector(value)),
            Node::Constant { .. } | Node::WideConstant { .. } => term,
            Node::Unary { operator, operand, .. } => self.unary(operator, with(operand)),
            Node::Binary { operator, left, right, .. } => self.binary(operator, with(left), with(right)),
            Node::IfThenElse { condition, then, otherwise, .. } => {
                self.if_then_else(with(condition), with(then), with(otherwise))
            }
            Node::Concat { high, low, .. } => self.concat(with(high), with(low)),
            Node::Extract { width, offset, operand } => self.extract(with(operand), offset, width),
            Node::ZeroExtend { width, operand } => self.zero_extend(with(operand), width),
            Node::SignExtend { width, operand } => self.sign_extend(with(operand), width),
            Node::Float { operator, .. } => {
                let operands: Vec<Term> = node.operands().map(with).collect();
                self.float(operator, &operands)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BitVector;

    #[test]
    fn values_replace_symbols_and_others_stay() {
        let terms = Terms::new();
        let (x, y) = (terms.symbol("x", 8), terms.symbol("y", 8));
        let term = terms.add(terms.multiply(x, y), terms.if_then_else(terms.equal(x, y), x, y));
        let five: Assignment = [(x, BitVector::from_u64(8, 5))].into_iter().collect();
        let expected = terms.add(
            terms.multiply(terms.constant(8, 5), y),
            terms.if_then_else(terms.equal(terms.constant(8, 5), y), terms.constant(8, 5), y),
        );
        assert_eq!(terms.substitute(term, &five), expected);
        let both = [(x, BitVector::from_u64(8, 5)), (y, BitVector::from_u64(8, 3))].into_iter().collect();
        assert_eq!(terms.as_constant(terms.substitute(term, &both)), Some(18));
    }
}
