//! Which terms contain indeterminate symbols: values the program never gave.

use crate::node::{BinaryOperator, Node, Term};
use crate::pool::Terms;
use crate::substitute::Substitution;
use crate::text::smtlib::postorder;
use crate::values::assignment::Assignment;
use crate::values::bitvector::BitVector;
use rustc_hash::FxHashMap;

/// Answers for terms, remembered by their identity: two bits a term.
#[derive(Debug, Default)]
pub struct IndeterminateTerms {
    known: Vec<u64>,
    contain: Vec<u64>,
}

impl IndeterminateTerms {
    /// Nothing known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether an indeterminate symbol occurs in the term. Takes no time while the pool has none.
    pub fn occur_in(&mut self, terms: &Terms, term: Term) -> bool {
        if !terms.has_indeterminate() {
            return false;
        }
        let mut open = vec![term];
        while let Some(&current) = open.last() {
            if self.is_known(current) {
                open.pop();
                continue;
            }
            let node = terms.node(current);
            let before = open.len();
            let mut contains = matches!(node, Node::Symbol { indeterminate: true, .. });
            for operand in node.operands() {
                if !self.is_known(operand) {
                    open.push(operand);
                } else if bit(&self.contain, operand) {
                    contains = true;
                }
            }
            if contains || open.len() == before {
                open.truncate(before - 1);
                set_bit(&mut self.known, current);
                if contains {
                    set_bit(&mut self.contain, current);
                }
            }
        }
        bit(&self.contain, term)
    }

    /// The indeterminate symbols of a term, by name.
    pub fn symbols(&mut self, terms: &Terms, term: Term) -> Vec<Term> {
        let mut found: Vec<(&str, Term)> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![term];
        while let Some(current) = open.pop() {
            if !self.occur_in(terms, current) || !seen.insert(current) {
                continue;
            }
            if let Node::Symbol { name, .. } = terms.node(current) {
                found.push((name, current));
            }
            open.extend(terms.node(current).operands());
        }
        found.sort_unstable();
        found.into_iter().map(|(_, symbol)| symbol).collect()
    }

    /// Where the value of a term may depend on indeterminate symbols, as a condition: outside it, it does
    /// not. Conditions of choices inside are taken with zeros for these symbols, and count where they depend
    /// themselves. What a choice leaves out does not matter, nor one side of a conjunction where the other
    /// side is false, or of a disjunction where it is true.
    pub fn dependence(&mut self, terms: &Terms, term: Term) -> Term {
        let zeros: Assignment = self
            .symbols(terms, term)
            .into_iter()
            .map(|symbol| (symbol, BitVector::zero(terms.width(symbol))))
            .collect();
        let mut with_zeros = Substitution::new(&zeros);
        let mut known: FxHashMap<Term, Term> = FxHashMap::default();
        for part in postorder(terms, &[term]) {
            let of = |operand: Term| known.get(&operand).copied().unwrap_or(Term::FALSE);
            let dependence = match *terms.node(part) {
                Node::Symbol { indeterminate, .. } => {
                    if indeterminate {
                        Term::TRUE
                    } else {
                        Term::FALSE
                    }
                }
                Node::IfThenElse { condition, then, otherwise, .. } => {
                    let taken = with_zeros.apply(terms, condition);
                    terms.or(of(condition), terms.if_then_else(taken, of(then), of(otherwise)))
                }
                Node::Binary {
                    operator: operator @ (BinaryOperator::And | BinaryOperator::Or),
                    left,
                    right,
                    ..
                } if terms.width(part) == 1 => {
                    // A side matters where the other depends, or has not the value that decides alone.
                    let mut matters = |side: Term, other: Term| {
                        let value = with_zeros.apply(terms, other);
                        let is_open = match operator {
                            BinaryOperator::And => value,
                            _ => terms.not(value),
                        };
                        terms.and(of(side), terms.or(of(other), is_open))
                    };
                    terms.or(matters(left, right), matters(right, left))
                }
                ref node => node.operands().fold(Term::FALSE, |sum, operand| terms.or(sum, of(operand))),
            };
            known.insert(part, dependence);
        }
        known.get(&term).copied().unwrap_or(Term::FALSE)
    }

    fn is_known(&self, term: Term) -> bool {
        bit(&self.known, term)
    }
}

fn bit(bits: &[u64], term: Term) -> bool {
    let number = term.number() as usize;
    bits.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
}

fn set_bit(bits: &mut Vec<u64>, term: Term) {
    let number = term.number() as usize;
    if bits.len() <= number / 64 {
        bits.resize(number / 64 + 1, 0);
    }
    bits[number / 64] |= 1 << (number % 64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_depends_on_what_is_indeterminate_only_where_a_choice_takes_it() {
        let terms = Terms::new();
        let mut known = IndeterminateTerms::new();
        let (x, bad, worse) = (terms.symbol("x", 8), terms.symbol("bad", 1), terms.symbol("worse", 1));
        let (a, b) = (terms.indeterminate("a", 8), terms.indeterminate("b", 8));
        let first = terms.if_then_else(bad, a, x);
        assert_eq!(known.dependence(&terms, first), bad);
        let second = terms.if_then_else(worse, b, terms.add(first, x));
        assert_eq!(known.dependence(&terms, second), terms.or(worse, bad));
        assert_eq!(known.dependence(&terms, terms.add(x, x)), Term::FALSE);
        let chosen = terms.if_then_else(terms.equal(a, x), x, terms.add(x, x));
        assert_eq!(known.dependence(&terms, chosen), Term::TRUE);
    }

    #[test]
    fn a_side_of_a_conjunction_matters_only_where_the_other_does_not_decide() {
        let terms = Terms::new();
        let mut known = IndeterminateTerms::new();
        let (p, q, a) = (terms.symbol("p", 1), terms.symbol("q", 1), terms.indeterminate("a", 1));
        assert_eq!(known.dependence(&terms, terms.and(p, a)), p);
        assert_eq!(known.dependence(&terms, terms.or(p, a)), terms.not(p));
        let either = terms.and(terms.or(p, q), a);
        assert_eq!(known.dependence(&terms, either), terms.or(p, q));
    }

    /// A formula over two inputs and two lost bits, by the bytes that make it.
    fn formula(terms: &Terms, leaves: &[Term; 4], recipe: &[u8]) -> Term {
        let mut made = leaves.to_vec();
        for step in recipe {
            let operand = |shift: u8| made[(usize::from(*step) >> shift) % made.len()];
            let (left, right) = (operand(2), operand(4));
            made.push(match step % 4 {
                0 => terms.and(left, right),
                1 => terms.or(left, terms.not(right)),
                2 => terms.xor(left, right),
                _ => terms.if_then_else(left, right, terms.not(operand(6))),
            });
        }
        *made.last().expect("there are leaves")
    }

    proptest::proptest! {
        #[test]
        fn outside_its_dependence_a_term_has_one_value(recipe in proptest::collection::vec(0_u8.., 1..12)) {
            let terms = Terms::new();
            let inputs = [terms.symbol("p", 1), terms.symbol("q", 1)];
            let lost = [terms.indeterminate("a", 1), terms.indeterminate("b", 1)];
            let term = formula(&terms, &[inputs[0], inputs[1], lost[0], lost[1]], &recipe);
            let dependence = IndeterminateTerms::new().dependence(&terms, term);
            for input in 0_u64..4 {
                let value = |lost_bits: u64| {
                    let bits = input | lost_bits << 2;
                    let mut assignment = Assignment::new();
                    for (at, symbol) in inputs.iter().chain(&lost).enumerate() {
                        assignment.set(*symbol, BitVector::from_u64(1, bits >> at & 1));
                    }
                    let mut evaluator = crate::Evaluator::new(&terms, &assignment);
                    (evaluator.is_true(dependence), evaluator.is_true(term))
                };
                let values: Vec<_> = (0..4).map(value).collect();
                proptest::prop_assert!(values.iter().all(|(depends, _)| *depends == values[0].0));
                proptest::prop_assert!(values[0].0 || values.iter().all(|(_, truth)| *truth == values[0].1));
            }
        }
    }

    #[test]
    fn only_terms_over_indeterminate_symbols_contain_one() {
        let terms = Terms::new();
        let mut known = IndeterminateTerms::new();
        let x = terms.symbol("x", 8);
        assert!(!known.occur_in(&terms, x));
        let (a, b) = (terms.indeterminate("a", 8), terms.indeterminate("b", 8));
        let sum = terms.add(terms.multiply(x, b), a);
        assert!(known.occur_in(&terms, sum) && !known.occur_in(&terms, terms.add(x, x)));
        assert_eq!(known.symbols(&terms, terms.concat(sum, b)), [a, b]);
        assert!(!known.occur_in(&terms, terms.and(a, terms.zero(8))));
        assert_ne!(terms.symbol("a", 8), a);
    }
}
