//! Which terms contain indeterminate symbols: values the program never gave.

use crate::node::{Node, Term};
use crate::pool::Terms;

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
