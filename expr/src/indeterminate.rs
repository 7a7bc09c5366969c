//! Which terms contain indeterminate symbols: values the program never gave.

use crate::node::{Node, Term};
use crate::pool::Terms;
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
    /// themselves. Only what a choice leaves out is known not to matter.
    pub fn dependence(&mut self, terms: &Terms, term: Term) -> Term {
        let zeros: Assignment = self
            .symbols(terms, term)
            .into_iter()
            .map(|symbol| (symbol, BitVector::zero(terms.width(symbol))))
            .collect();
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
                    let taken = terms.substitute(condition, &zeros);
                    terms.or(of(condition), terms.if_then_else(taken, of(then), of(otherwise)))
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
